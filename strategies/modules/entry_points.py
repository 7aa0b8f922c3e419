"""The heads of entry points: one row for each stage, with its inputs, outputs and attributes.

A head says what is in scope in the body. Its parameters are inputs: those that vary are sources of non-uniformity.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from wgsl_fuzz.strategies.modules.environment import Name, Role
from wgsl_fuzz.strategies.modules.expression_drawer import ExpressionDrawer
from wgsl_fuzz.strategies.modules.types import U32, Type, Vector
from wgsl_fuzz.wgsl.builtins import BOTH_SCOPES, INPUTS, Stage
from wgsl_fuzz.wgsl.syntax import Attribute, Attributes, Declaration, Expression, Identifier, Literal, Parameter


@dataclass(frozen=True, slots=True)
class Head:
    """Everything of an entry point but its name and body."""

    attributes: Attributes
    parameters: tuple[Parameter, ...] = ()
    names: tuple[Name, ...] = ()
    """What the parameters bring into scope."""
    result: Type | None = None
    result_attributes: Attributes = ()
    declarations: tuple[Declaration, ...] = field(default=())
    """Structures of its inputs and outputs."""


_COMPUTE_INPUTS: tuple[tuple[str, Type, int], ...] = (
    ("local_invocation_index", U32, 70),
    ("local_invocation_id", Vector(3, U32), 40),
    ("global_invocation_id", Vector(3, U32), 20),
    ("workgroup_id", Vector(3, U32), 30),
    ("num_workgroups", Vector(3, U32), 15),
)
"""With the rate of each."""


def compute_head(drawer: ExpressionDrawer) -> Head:
    """`@compute @workgroup_size(4)` with some of the built-in inputs, one that varies among them."""
    source = drawer.source
    chosen = [(name, type) for name, type, rate in _COMPUTE_INPUTS if source.percent(rate)]
    if not any(INPUTS[name, Stage.COMPUTE].uniform_in != BOTH_SCOPES for name, _ in chosen):
        chosen.append(_COMPUTE_INPUTS[0][:2])
    parameters: list[Parameter] = []
    names: list[Name] = []
    for builtin, type in chosen:
        uniform = INPUTS[builtin, Stage.COMPUTE].uniform_in == BOTH_SCOPES
        name = drawer.local("in")
        attribute = Attribute("builtin", (Identifier(builtin),))
        parameters.append(Parameter(name, drawer.type_name(type), (attribute,)))
        names.append(Name(name, type, Role.UNIFORM_INPUT if uniform else Role.VARYING_INPUT))
    size: tuple[Expression, ...] = (Literal(f"{source.integer(2, 4)}"),)
    if source.percent(15):
        size = (*size, Literal(f"{source.integer(1, 2)}u"))
    return Head((Attribute("compute"), Attribute("workgroup_size", size)), tuple(parameters), tuple(names))


HEADS: Mapping[Stage, Callable[[ExpressionDrawer], Head]] = MappingProxyType({Stage.COMPUTE: compute_head})
"""By stage."""
