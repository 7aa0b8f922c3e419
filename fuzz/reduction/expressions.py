"""Edits of expressions: constants, operands, inputs, and the plainest of constructs that are as good as each other."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import assert_never

from wgsl_fuzz.fuzz.reduction.context import NUMBERS, ZEROS, Context, Edit, Mode
from wgsl_fuzz.fuzz.reduction.size import COMPARISONS, LIGHTEST, SUMS, weight_of
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import MATRIX_MEMORY
from wgsl_fuzz.wgsl.resolution import VIEWS
from wgsl_fuzz.wgsl.rewrite import Misfit, Place, fresh, with_fields
from wgsl_fuzz.wgsl.types import BOOL, Scalar, Type, Vector, component, written
from wgsl_fuzz.wgsl.walk import descendants

_MOST_NAMES = 6
_MOST_PARTS = 12
_CONCRETE = NUMBERS | {BOOL}
_DIVIDING = ("/", "%", "/=", "%=")
_READS = (w.Identifier, w.Call, w.Member, w.Index)


def constants(ctx: Context) -> Iterator[Edit]:
    """Each value as a constant of its type."""
    for place, e, mode in ctx.expressions:
        if mode is Mode.VALUE or (mode is Mode.CONSTANT and isinstance(e, (w.Binary, w.Call, w.Unary))):
            yield from _put(place, e, _constants(ctx, place, e))


_HAVE_SIZES = VIEWS | MATRIX_MEMORY
"""The functions that take an offset, and a size or stride that may not be 0."""


def simpler(ctx: Context) -> Iterator[Edit]:
    """Each value as a part of it, or as a name; each construct as a simpler one."""
    for place, e, mode in ctx.expressions:
        if mode in (Mode.VALUE, Mode.CONSTANT):
            yield from _put(place, e, _parts(ctx, e))
        if mode is Mode.VALUE:
            yield from _put(place, e, _names(ctx, place, e))
            yield from _put(place, e, _rewritten(ctx, e))


def _put(place: Place, e: w.Expression, new: Iterator[w.Expression]) -> Iterator[Edit]:
    """The module with each of some expressions for one, those that are lighter."""
    weight = weight_of(e)
    for candidate in new:
        # What a plain name is thrown away for says nothing more.
        is_same = isinstance(place.parent, w.Phony) and isinstance(e, w.Identifier)
        if not is_same and weight_of(candidate) < weight:
            yield partial(place.with_nodes, candidate)


def _constants(ctx: Context, place: Place, e: w.Expression) -> Iterator[w.Expression]:
    type = ctx.types.of(e)
    is_size = isinstance(place.parent, w.Call) and place.parent.callee.name in _HAVE_SIZES
    if type is None or is_size or ctx.resolution.is_pointer(e):
        return
    for text in ZEROS.get(type, ()):
        is_divisor = place.field == "right" and getattr(place.parent, "operator", "") in _DIVIDING
        yield w.Literal(text.replace("0", "1", 1) if is_divisor else text)
    if type not in ZEROS:
        try:
            yield ctx.zero(type)
        except Misfit:
            return


def _parts(ctx: Context, e: w.Expression) -> Iterator[w.Expression]:
    """What is in an expression and of its type, the smallest first."""
    wanted = ctx.types.of(e)
    if wanted is None or isinstance(e, (w.Literal, w.Identifier)):
        return
    inner = [
        n
        for n in descendants(e)
        if n is not e
        and isinstance(n, w.Expression)
        and ctx.modes[id(n)] in (Mode.VALUE, Mode.CONSTANT)
        and ctx.types.of(n) == wanted
    ]
    yield from islice((fresh(n) for n in sorted(inner, key=weight_of)), _MOST_PARTS)


def _names(ctx: Context, place: Place, e: w.Expression) -> Iterator[w.Expression]:
    """Names that are of the type of an expression."""
    wanted = ctx.types.of(e)
    if wanted is None or isinstance(e, (w.Literal, w.Identifier)):
        return
    same = (named for named in ctx.named_values(place) if ctx.types.declared(named) == wanted)
    yield from (w.Identifier(named.name) for named in islice(same, _MOST_NAMES))


def _rewritten(ctx: Context, e: w.Expression) -> Iterator[w.Expression]:
    """The same construct with less in it, or a simpler one in its place."""
    match e:
        case w.Unary():
            if e.operator in "!-~" and not isinstance(e.operand, w.Literal):  # -8 may be in a range, and 8 not
                yield e.operand
        case w.Binary():
            yield from _simpler_binary(ctx, e)
        case w.Call():
            yield from _simpler_call(ctx, e)
        case w.Literal() | w.Identifier() | w.Index() | w.Member():
            return
        case _:
            assert_never(e)


def _simpler_binary(ctx: Context, e: w.Binary) -> Iterator[w.Expression]:
    """What is in an operand and of another type than the whole, compared with zero."""
    for operand in (e.left, e.right) if ctx.types.of(e) == BOOL else ():
        is_typed = ctx.types.of(operand) is not None
        for inner in descendants(operand) if is_typed else ():
            if isinstance(inner, _READS) and ctx.modes.get(id(inner)) is Mode.VALUE:
                type = ctx.types.of(inner)
                if type in ZEROS and type != BOOL:
                    yield w.Binary("==", fresh(inner), w.Literal(ZEROS[type][0]))


def _simpler_call(ctx: Context, e: w.Call) -> Iterator[w.Expression]:
    """A vector of one value; for a built-in function or a conversion: the conversion of a name in an argument."""
    type = ctx.types.of(e)
    if isinstance(type, Vector) and len(e.arguments) > 1:
        for argument in e.arguments:
            if ctx.types.of(argument) == type.element:
                yield w.Call(written(type, short=True), (fresh(argument),))
    if type is None or type not in _CONCRETE or ctx.resolution.function(e) is not None:
        return
    for n in descendants(e):
        if n is not e and isinstance(n, (w.Identifier, w.Member)) and ctx.modes.get(id(n)) is Mode.VALUE:
            inner = ctx.types.of(n)
            if inner in _CONCRETE and inner != type:
                yield w.Call(written(type, short=True), (fresh(n),))


def plainer(ctx: Context) -> Iterator[Edit]:
    """Each built-in function and operator as the first of its family."""
    for place in ctx.places:
        for new in _plainer(ctx, place.node):
            yield partial(place.with_nodes, new)


def _plainer(ctx: Context, n: w.Node) -> Iterator[w.Node]:
    match n:
        case w.Call() if n.callee.name in LIGHTEST and ctx.resolution.builtin(n) is not None:
            yield w.Call(w.Identifier(LIGHTEST[n.callee.name]), n.arguments)
        case w.Binary() if n.operator in COMPARISONS[1:]:
            yield with_fields(n, operator=COMPARISONS[0])
        case w.Binary() if n.operator in SUMS[1:] and _is_number(ctx.types.of(n)):
            if _is_number(ctx.types.of(n.left)) and _is_number(ctx.types.of(n.right)):
                yield with_fields(n, operator=SUMS[0])
        case w.Assign() if n.operator.removesuffix("=") in SUMS[1:] and _is_number(ctx.types.of(n.left)):
            yield with_fields(n, operator=f"{SUMS[0]}=")
        case w.Increment("--"):
            yield with_fields(n, operator="++")


def _is_number(type: Type | None) -> bool:
    """Whether values of a type can be added, as far as that is known."""
    return isinstance(type, Scalar | Vector) and component(type) != BOOL
