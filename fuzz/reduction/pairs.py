"""Edits of two statements at once, for when no single edit helps any more."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations

from wgsl_fuzz.fuzz.reduction.context import Context, Edit
from wgsl_fuzz.fuzz.reduction.statements import declares, instead, unrolled
from wgsl_fuzz.wgsl.rewrite import Place, places, with_fields
from wgsl_fuzz.wgsl.syntax import Block, For, If, Loop, Module, Statement, Switch, While


def pairs(ctx: Context) -> Iterator[Edit]:
    """The module without two of its statements, or without one when another one is replaced."""
    statements = [p for p in ctx.places if isinstance(p.node, Statement) and p.field == "statements"]
    for one, other in combinations(statements, 2):
        if not ctx.is_missed((one.node, other.node)):
            yield partial(_without_both, one, other)
    for gone in statements:
        for place in statements:
            assert isinstance(place.node, Statement), "they are"
            if place is not gone and not _is_in(gone, place) and not _is_in(place, gone):
                for new in instead(ctx, place.node):
                    kept = declares(place.node, new)
                    if not ctx.is_missed((gone.node,) if kept else (gone.node, place.node)):
                        yield partial(_with_both, gone, place, new)


def _is_in(inner: Place, outer: Place) -> bool:
    return any(place.node is outer.node for place in inner.outwards())


def _without_both(one: Place, other: Place) -> Module:
    return one.with_nodes() if _is_in(other, one) else _with_both(one, other, ())


def _with_both(gone: Place, place: Place, new: tuple[Statement, ...]) -> Module:
    """The module without one node, and with other nodes for another one."""
    module = place.with_nodes(*new)
    # The nodes on the way to what changed are new; all others are found again by identity.
    return _again(gone, module).with_nodes()


def _again(place: Place, module: Module) -> Place:
    """The place of a node in a module of which other parts were changed."""
    path: list[Place] = []
    step: Place = place
    while step.above is not None:
        path.append(step)
        step = step.above
    found = Place(module)
    for step in reversed(path):
        value = getattr(found.node, step.field)
        if step.index < 0:
            found = Place(value, found, step.field)
            continue
        old = getattr(step.above.node, step.field) if step.above is not None else ()
        index = (
            step.index
            if step.index < len(value) and _same_slot(value, old, step.index)
            else step.index + len(value) - len(old)
        )
        found = Place(value[index], found, step.field, index)
    return found


def _same_slot(value: Sequence[object], old: Sequence[object], index: int) -> bool:
    """Whether what changed in a tuple is not before an index."""
    return all(a is b for a, b in zip(value[:index], old[:index], strict=False))


def moved(ctx: Context) -> Iterator[Edit]:
    """What stands behind a loop or a branch at the start or the end of it instead, and one statement less in it."""
    for place, block in ctx.blocks:
        for i, s in enumerate(block.statements[:-1]):
            following = block.statements[i + 1]
            for inner in _bodies(s):
                for new in ((following, *inner.statements), (*inner.statements, following)):
                    changed = (*block.statements[:i], _with_body(s, inner, new), *block.statements[i + 2 :])
                    module = place.with_nodes(with_fields(block, statements=changed))
                    yield partial(place.with_nodes, with_fields(block, statements=changed))
                    yield from _less_one(module, new)


def _less_one(module: Module, within: Sequence[Statement]) -> Iterator[Edit]:
    wanted = {id(s) for s in within}
    for place in list(places(module)):
        is_statement = place.field == "statements" and isinstance(place.node, Statement)
        if is_statement and any(id(outer.node) in wanted for outer in place.outwards()):
            yield place.with_nodes


def _bodies(s: Statement) -> Iterator[Block]:
    match s:
        case Loop() | While() | For():
            yield s.body
        case If():
            yield s.then
        case Switch():
            yield from (clause.body for clause in s.clauses)


def _with_body(s: Statement, body: Block, new: tuple[Statement, ...]) -> Statement:
    changed = with_fields(body, statements=new)
    match s:
        case Loop() | While() | For():
            return with_fields(s, body=changed)
        case If():
            return with_fields(s, then=changed)
        case Switch():
            clauses = tuple(with_fields(c, body=changed) if c.body is body else c for c in s.clauses)
            return with_fields(s, clauses=clauses)
    return s


def put(ctx: Context) -> Iterator[Edit]:
    """Each statement in the place of another one."""
    statements = [p for p in ctx.places if isinstance(p.node, Statement) and p.field == "statements"]
    for one in statements:
        for other in (s for s in statements if not ctx.is_missed((s.node,))):
            if one is not other and not _is_in(one, other) and not _is_in(other, one):
                assert isinstance(one.node, Statement), "they are"
                yield partial(_with_both, one, other, (one.node,))


def next_iterations(ctx: Context) -> Iterator[Edit]:
    """Each loop as one iteration and a call of the next one."""
    for place in ctx.places:
        if isinstance(place.node, (Loop, While, For)) and place.field == "statements":
            for new in unrolled(place.node):
                yield partial(place.with_nodes, *new)


PAIR_SORTS = (pairs, moved, put, next_iterations)
"""The sorts of edits that take two steps at once."""
