"""Edits that move statements, for when no other edit helps any more."""

from collections.abc import Iterator
from functools import partial

from wgsl_fuzz.fuzz.reduction.context import Context, Edit
from wgsl_fuzz.fuzz.reduction.statements import unrolled
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.rewrite import Place, places, rebuilt, with_fields
from wgsl_fuzz.wgsl.walk import descendants


def _statements(ctx: Context) -> list[w.Statement]:
    return [p.node for p in ctx.places if isinstance(p.node, w.Statement) and p.field == "statements"]


def _are_apart(ctx: Context, one: w.Node, other: w.Node) -> bool:
    """Whether neither of two nodes is in the other."""
    return not any(_is_in(ctx.place_of(a), b) for a, b in ((one, other), (other, one)))


def _is_in(inner: Place, outer: w.Node) -> bool:
    return any(place.node is outer for place in inner.outwards())


def moved(ctx: Context) -> Iterator[Edit]:
    """What stands behind a loop or a branch at the start or the end of it instead, and one statement less in it."""
    for place, block in ctx.blocks:
        for i, s in enumerate(block.statements[:-1]):
            following = block.statements[i + 1]
            for body in _bodies(s):
                for new in ((following, *body.statements), (*body.statements, following)):
                    changed = rebuilt(s, {id(body): with_fields(body, statements=new)})
                    rest = (*block.statements[:i], changed, *block.statements[i + 2 :])
                    yield partial(place.with_nodes, with_fields(block, statements=rest))
                    yield from _less_one(place.with_nodes(with_fields(block, statements=rest)), new)


def _less_one(module: w.Module, within: tuple[w.Statement, ...]) -> Iterator[Edit]:
    wanted = {id(n) for s in within for n in descendants(s)}
    for place in places(module):
        if place.field == "statements" and id(place.node) in wanted:
            yield place.with_nodes


def _bodies(s: w.Statement) -> Iterator[w.Block]:
    match s:
        case w.Loop() | w.While() | w.For():
            yield s.body
        case w.If():
            yield s.then
        case w.Switch():
            yield from (clause.body for clause in s.clauses)


def put(ctx: Context) -> Iterator[Edit]:
    """Each statement in the place of another one."""
    statements = _statements(ctx)
    for one in statements:
        for other in statements:
            if not ctx.is_missed((other,)) and _are_apart(ctx, one, other):
                yield partial(rebuilt, ctx.module, {id(one): (), id(other): one})


def next_iterations(ctx: Context) -> Iterator[Edit]:
    """Each loop as one iteration and a call of the next one."""
    for place in ctx.places:
        if isinstance(place.node, (w.Loop, w.While, w.For)) and place.field == "statements":
            for new in unrolled(place.node):
                yield partial(place.with_nodes, *new)


MOVES = (moved, put, next_iterations)
"""The sorts of edits that take two steps at once."""
