"""Edits that keep one demand for uniform control flow and what it depends on, as a program slice (Weiser, 1984) does.

What is kept is found by names: nothing is asked about paths. The search finds out whether the slice still shows it.
"""

from collections.abc import Iterator
from functools import partial

from wgsl_fuzz.fuzz.reduction.context import EXPRESSIONS, Context, Edit
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.rewrite import Place, rewritten_below
from wgsl_fuzz.wgsl.walk import children, descendants

_MOST_DEMANDS = 8
_JUMPS = (w.Break, w.BreakIf, w.Continue)
_ENDS = (w.Return, w.Discard)


def slices(ctx: Context) -> Iterator[Edit]:
    """For each call that needs uniform control flow: the module with what it depends on, without and with jumps."""
    demands = [p for p in ctx.places if isinstance(p.node, w.Call) and _demands(ctx, p.node)]
    parts = _parts(ctx) if demands else []
    for demand in demands[-_MOST_DEMANDS:]:
        for with_jumps in (False, True):
            yield partial(_slice, ctx, parts, demand, with_jumps)


def _demands(ctx: Context, call: w.Call) -> bool:
    builtin = ctx.resolution.builtin(call)
    return builtin is not None and builtin.rule is not None


class _Part:
    """A statement in a function, with what it does itself, not by the statements in it."""

    def __init__(self, ctx: Context, place: Place) -> None:
        self.node = place.node
        self.around = [outer.node for outer in place.outwards()]
        self.function = self.around[-2]
        self.reads: set[int] = set()
        self.writes: set[int] = {id(self.node)}
        self.callees: list[w.Function] = []
        for n in _own(self.node):
            if isinstance(n, w.Identifier):
                self.reads.add(id(ctx.declared(n)))
            elif isinstance(n, (w.Assign, w.Increment)):
                self.writes.add(id(ctx.base(n.left)))
            elif isinstance(n, (w.Let, w.Variable)):
                self.writes.add(id(n))
            elif isinstance(n, w.Unary) and n.operator == "&":
                self.writes.add(id(ctx.base(n)))
            elif isinstance(n, w.Call):
                function = ctx.resolution.function(n)
                self.callees += () if function is None else (function,)
                self.writes |= {id(ctx.base(a)) for a in n.arguments if ctx.resolution.is_pointer(a)}
        self.writes.discard(id(None))


def _own(s: w.Node) -> Iterator[w.Node]:
    """A statement and what is in it, without the statements in it; those in the head of a `for` are its own."""
    yield s
    for inner in children(s):
        if isinstance(inner, w.Expression) or (isinstance(s, w.For) and inner is not s.body):
            yield from descendants(inner)


def _parts(ctx: Context) -> list[_Part]:
    """The statements in functions; a call writes what its callee may change at module scope."""
    parts = [_Part(ctx, p) for p in ctx.places if _is_part(p)]
    outer = {id(d) for d in ctx.module.declarations}
    changed: dict[int, set[int]] = {}
    for f in ctx.resolution.functions:  # callees before callers
        mine = [part.writes & outer for part in parts if part.function is f]
        theirs = [changed[id(callee)] for callee in ctx.resolution.callees(f)]
        changed[id(f)] = set().union(*mine, *theirs)
    for part in parts:
        part.writes.update(*(changed[id(callee)] for callee in part.callees))
    return parts


def _slice(ctx: Context, parts: list[_Part], demand: Place, with_jumps: bool) -> w.Module:
    """The module with the statements that one demand depends on; raises Misfit if it needs another statement."""
    leading = _callers(ctx, ctx.declaration_around(demand))
    kept: set[int] = set()
    """The identities of statements."""
    names: set[int] = set()
    """Of the declarations that matter."""

    def matters(part: _Part) -> bool:
        if not part.writes.isdisjoint(names) or any(id(callee) in leading for callee in part.callees):
            return True
        if isinstance(part.node, _ENDS):
            has_value = isinstance(part.node, w.Return) and part.node.value is not None
            return (has_value or with_jumps) and id(part.function) in names | leading
        # A `loop` is valid only with what leaves it.
        return isinstance(part.node, _JUMPS) and any(
            id(outer) in kept and (with_jumps or isinstance(outer, w.Loop)) for outer in part.around
        )

    wanted, waiting = {id(outer.node) for outer in demand.outwards()}, parts
    while wanted:
        for part in waiting:
            if id(part.node) in wanted:
                kept.add(id(part.node))
                names |= part.reads | part.writes
                names.update(id(n) for callee in part.callees for n in (callee, *callee.parameters))
        waiting = [part for part in waiting if id(part.node) not in kept]
        wanted = {id(outer) for part in waiting if matters(part) for outer in part.around}
    gone = {id(part.node) for part in waiting} | {id(f) for f in ctx.resolution.functions} - names - leading
    return rewritten_below(ctx.module, lambda n: () if id(n) in gone else n if isinstance(n, EXPRESSIONS) else None)


def _callers(ctx: Context, function: object) -> set[int]:
    """The identities of a function and of those that lead to it."""
    found = {id(function)}
    for f in ctx.resolution.functions:  # callees before callers
        if any(id(callee) in found for callee in ctx.resolution.callees(f)):
            found.add(id(f))
    return found


def _is_part(place: Place) -> bool:
    """Whether something is a statement in a function, and none in the head of a `for`."""
    if not isinstance(place.node, w.Statement) or isinstance(place.node, (w.Block, w.Const)) or place.above is None:
        return False
    return place.field in ("statements", "orelse") and not isinstance(place.above.node, w.Module)
