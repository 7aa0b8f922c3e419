"""The heads of entry points of every stage, with all the inputs and outputs that there are."""

from collections.abc import Sequence

from wgsl_fuzz.strategies.modules.entry_points import Head
from wgsl_fuzz.strategies.modules.expression_drawer import ExpressionDrawer
from wgsl_fuzz.strategies.modules.interfaces import (
    Naming,
    can_be_shared,
    draw_inputs,
    draw_outputs,
    draw_workgroup_size,
    extension_of,
)
from wgsl_fuzz.strategies.modules.types import Type
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.syntax import Attribute, Attributes, Const, Declaration, Identifier, Literal, Override
from wgsl_fuzz.wgsl.walk import descendants

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
