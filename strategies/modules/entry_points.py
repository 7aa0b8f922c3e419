"""The heads of entry points: one row for each stage, with its inputs, outputs and attributes.

A head says what is in scope in the body. Its parameters are inputs: those that vary are sources of non-uniformity.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from wgsl_fuzz.strategies.modules.environment import Name, Role
from wgsl_fuzz.strategies.modules.expression_drawer import ExpressionDrawer
from wgsl_fuzz.strategies.modules.interfaces import (
    Naming,
    can_be_shared,
    draw_inputs,
    draw_outputs,
    draw_workgroup_size,
    extension_of,
)
from wgsl_fuzz.wgsl.builtins import BOTH_SCOPES, INPUTS, Stage
from wgsl_fuzz.wgsl.syntax import (
    Attribute,
    Attributes,
    Const,
    Declaration,
    Expression,
    Identifier,
    Literal,
    Override,
    Parameter,
)
from wgsl_fuzz.wgsl.types import U32, Structure, Type, Vector
from wgsl_fuzz.wgsl.walk import descendants


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


_ID = Structure("vec3u", (("x", U32),))
"""What TinyWGSL has of `local_invocation_id`."""


def core_head(drawer: ExpressionDrawer) -> Head:
    """`@compute @workgroup_size(4)` with `local_invocation_index`, sometimes with `local_invocation_id` as well."""
    source = drawer.source
    drawer.lid = drawer.local("in")
    names = [Name(drawer.lid, U32, Role.VARYING_INPUT)]
    if source.percent(15):
        names.append(Name(drawer.local("in"), _ID, Role.VARYING_INPUT))
    parameters = [_input(drawer, name) for name in names]
    size: tuple[Expression, ...] = (Literal(f"{source.integer(*drawer.profile.threads)}"),)
    if source.percent(15):
        size = (*size, *[Literal("1") for _ in range(source.integer(1, 2))])
    return Head((Attribute("compute"), Attribute("workgroup_size", size)), tuple(parameters), tuple(names))


def _input(drawer: ExpressionDrawer, name: Name) -> Parameter:
    builtin = "local_invocation_id" if name.type is _ID else "local_invocation_index"
    return Parameter(name.name, drawer.type_name(name.type), (Attribute("builtin", (Identifier(builtin),)),))


HEADS: Mapping[Stage, Callable[[ExpressionDrawer], Head]] = MappingProxyType({Stage.COMPUTE: compute_head})
"""By stage."""


_RATE = 12
"""The share in percent of rare built-in inputs that an entry point takes."""


def draw_head(drawer: ExpressionDrawer, stage: Stage, others: Sequence[Head]) -> Head:
    """A head of any stage; one of its inputs varies if the module has any dose of that.

    A fragment shader may take the structure that one of the other entry points gives.
    """
    source = drawer.source
    shared = _shared(drawer, others) if stage is Stage.FRAGMENT else None
    naming = Naming(drawer.fresh, drawer.local)
    inputs = draw_inputs(
        source, stage, naming, rate=_RATE, varying=drawer.dose > 0, shared=shared, newest=drawer.newest
    )
    outputs = draw_outputs(source, stage, drawer.fresh, newest=drawer.newest)
    attributes: Attributes = (Attribute(stage.value),)
    declarations: tuple[Declaration, ...] = inputs.structs
    if stage is Stage.COMPUTE:
        sizes = [_size(drawer) for _ in range(source.pick((0, 0, 0, 1, 2)))]
        attributes += draw_workgroup_size(source, tuple([size.name for size in sizes]), newest=drawer.newest)
        declarations += tuple(sizes)
    if outputs.struct is not None:
        declarations += (outputs.struct,)
    for node in (*attributes, *outputs.attributes, *inputs.parameters, *declarations):
        for attribute in descendants(node):
            if isinstance(attribute, Attribute):
                drawer.need(extension_of(attribute))
    return Head(attributes, inputs.parameters, inputs.names, outputs.result, outputs.attributes, declarations)


def _size(drawer: ExpressionDrawer) -> Const | Override:
    """A constant or override for the size of a workgroup."""
    name, value = drawer.fresh("n"), Literal(f"{drawer.source.integer(1, 4)}u")
    if drawer.source.percent(40):
        return Const(name, None, value)
    return Override(name, Identifier("u32"), value if drawer.source.percent(80) else None)


def _shared(drawer: ExpressionDrawer, others: Sequence[Head]) -> Type | None:
    """What a vertex shader gives."""
    found = [h.result for h in others if h.attributes[0].name == Stage.VERTEX.value and can_be_shared(h.result)]
    return drawer.source.pick(found) if found and drawer.source.percent(60) else None
