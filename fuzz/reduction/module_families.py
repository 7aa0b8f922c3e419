"""Constructs that are as good as each other: the first of each family stands for the others, so that findings agree."""

from collections.abc import Iterator, Mapping

from wgsl_fuzz.fuzz.reduction.module_context import Context
from wgsl_fuzz.fuzz.reduction.module_size import COMPARISONS, FAMILIES, SUMS
from wgsl_fuzz.fuzz.reduction.module_tree import with_fields
from wgsl_fuzz.wgsl.syntax import Assign, Binary, Call, Identifier, Increment, Module, Node

_FIRST: Mapping[str, str] = {name: family[0] for family in FAMILIES for name in family[1:]}


def plainer(ctx: Context) -> Iterator[Module]:
    """Each built-in function and operator as the first of its family."""
    for place in ctx.places:
        for new in _plainer(ctx, place.node):
            yield place.with_nodes(new)


def _plainer(ctx: Context, n: Node) -> Iterator[Node]:
    match n:
        case Call() if n.callee.name in _FIRST and ctx.resolution.builtin(n) is not None:
            yield Call(Identifier(_FIRST[n.callee.name]), n.arguments)
        case Binary() if n.operator in COMPARISONS[1:]:
            yield with_fields(n, operator=COMPARISONS[0])
        case Binary() if n.operator in SUMS[1:] and _is_number(ctx.typing.of(n)):
            if _is_number(ctx.typing.of(n.left)) and _is_number(ctx.typing.of(n.right)):
                yield with_fields(n, operator=SUMS[0])
        case Assign() if n.operator.removesuffix("=") in SUMS[1:] and _is_number(ctx.typing.of(n.left)):
            yield with_fields(n, operator=f"{SUMS[0]}=")
        case Increment("--"):
            yield with_fields(n, operator="++")


def _is_number(type: str | None) -> bool:
    """Whether values of a type can be added, as far as that is known."""
    return type is not None and "bool" not in type and not type.startswith(("mat", "ptr"))
