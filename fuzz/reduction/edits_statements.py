"""Edits on blocks and statements: what may be taken out, and what may stand instead."""

from collections.abc import Callable, Iterator

from fuzz.reduction.edits_expressions import NonUniform, simpler
from tinywgsl.ast import (
    Assign,
    Barrier,
    Block,
    Break,
    Call,
    Continue,
    Expr,
    If,
    Literal,
    Local,
    Loop,
    Return,
    SharedAssign,
    Stmt,
    Type,
    expressions_in,
    expressions_of,
    walk,
)
from tinywgsl.behaviour import NEXT, BehaviourAnalysis
from tinywgsl.rewrite import rewritten, with_block_edited, with_expression, with_mapped_expressions

_JUMPS = (Break, Continue, Return)


def removals(ss: Block, chunk: int) -> Iterator[Block]:
    """Every run of `chunk` statements taken out, here and in the blocks inside, last first."""
    for i in range(len(ss) - chunk, -1, -1):
        yield ss[:i] + ss[i + chunk :]
    for i, s in enumerate(ss):
        for inner in with_block_edited(s, lambda block: removals(block, chunk)):
            yield (*ss[:i], inner, *ss[i + 1 :])


def live(ss: Block, B: BehaviourAnalysis, *, loop_body: bool = False) -> Block:
    """The block, and those inside, without what stands behind a statement that never goes on.

    The `continue` that ends a loop's body stays: restriction (3) wants it, reached or not.
    """
    ends = next((i for i, s in enumerate(ss) if not NEXT & B.statement(s)), len(ss) - 1)
    kept = [_live_inside(s, B) for s in ss[: ends + 1]]
    if loop_body and ends < len(ss) - 1:
        kept.append(ss[-1])
    return tuple(kept)


def _live_inside(s: Stmt, B: BehaviourAnalysis) -> Stmt:
    match s:
        case If():
            return If(s.condition, live(s.then, B), live(s.orelse, B))
        case Loop():
            return Loop(s.id, live(s.body, B, loop_body=True), live(s.continuing, B))
        case _:
            return s


def replacements(ss: Block, known: NonUniform) -> Iterator[Block]:
    """The block with one statement, at any depth, replaced by fewer or by simpler ones."""
    for i, s in enumerate(ss):
        for instead in _instead(s, known):
            yield (*ss[:i], *instead, *ss[i + 1 :])
        if isinstance(s, If):
            yield from _without_its_jump(ss, i, s)
        for inner in with_block_edited(s, lambda block: replacements(block, known)):
            yield (*ss[:i], inner, *ss[i + 1 :])


def simplifications(ss: Block, known: NonUniform) -> Iterator[Block]:
    """The block with one expression, at any depth, simplified."""
    for i, s in enumerate(ss):
        for j, e in enumerate(expressions_of(s)):
            for new in simpler(e, known):
                yield (*ss[:i], with_expression(s, j, new), *ss[i + 1 :])
        for inner in with_block_edited(s, lambda block: simplifications(block, known)):
            yield (*ss[:i], inner, *ss[i + 1 :])


# ------------------------------------------------------------------------------------------- instead of a statement


def _instead(s: Stmt, known: NonUniform) -> Iterator[Block]:
    """What may stand instead of a statement."""
    match s:
        case If():
            yield s.then
            yield s.orelse
            if s.orelse:
                yield (*s.then, *s.orelse)
                yield (If(s.condition, s.then, ()),)
                yield (If(s.condition, s.orelse, ()),)
                yield (*s.orelse, If(s.condition, s.then, ()))
                yield (*s.then, If(s.condition, s.orelse, ()))
            yield from _assigned_at_once(s, known)
        case Loop():
            yield from _instead_of_loop(s)
            yield from _assigned_at_once(s, known)
        case Call():
            yield (Barrier(s.id),)
            for value in (Literal(0, Type.U32), *known.values()):  # of whatever type: the checker knows
                yield (Assign(s.name, value),)


def _instead_of_loop(s: Loop) -> Iterator[Block]:
    """Its parts, once; the same under a condition that decided about a jump; and its body in the loop around it."""
    body, continuing = without_jumps(s.body), without_jumps(s.continuing)
    yield body
    yield continuing
    if body and continuing:
        yield (*body, *continuing)
    for condition in _deciding(s):
        yield from _under(condition, body, continuing)
    if any(isinstance(inner, _JUMPS) for inner in walk(s.body[:-1])):
        yield from _with_jumps(s)
    if body:
        yield (*body, *body)
    if s.continuing:
        yield (Loop(s.id, s.body, ()),)
        yield (Loop(s.id, (*s.body[:-1], *s.continuing, *s.body[-1:]), ()),)


def _with_jumps(s: Loop) -> Iterator[Block]:
    """The body in the loop around it; and outside, with something else where it jumped."""
    body = s.body[:-1]
    yield body
    yield (*body, *s.continuing)
    yield _with_jumps_as(body, (Continue(0),))
    for instead in ((), (Return(None),), (Barrier(0),)):
        yield _with_jumps_as(body, instead)


def _under(condition: Expr, body: Block, continuing: Block) -> Iterator[Block]:
    """A loop's parts under a condition: all of them, all but assignments, or a barrier after them."""
    for part in (body, continuing):
        if part:
            yield (If(condition, part, ()),)
    both = (*body, *continuing)
    assignments = tuple(s for s in both if isinstance(s, (Assign, Call, SharedAssign)))
    if (body and continuing) or not both:
        yield (If(condition, both, ()),)
    if assignments and len(assignments) < len(both):
        yield (*assignments, If(condition, tuple(s for s in both if s not in assignments), ()))
    if any(isinstance(s, Barrier) for s in walk(both)):
        yield (*both, If(condition, (Barrier(0),), ()))


def _deciding(loop: Loop) -> Iterator[Expr]:
    """The conditions under which something in the loop jumps."""
    for s in walk((*loop.body, *loop.continuing)):
        if isinstance(s, If) and any(isinstance(inner, _JUMPS) for inner in walk((*s.then, *s.orelse))):
            yield s.condition


def without_jumps(ss: Block) -> Block:
    """A loop's body without the jumps that belong to the loop, and without `if`s that held nothing else."""
    kept: list[Stmt] = []
    for s in ss:
        if isinstance(s, If):
            then, orelse = without_jumps(s.then), without_jumps(s.orelse)
            if then or orelse or not (s.then or s.orelse):
                kept.append(If(s.condition, then, orelse))
        elif not isinstance(s, (Break, Continue)):
            kept.append(s)
    return tuple(kept)


def _with_jumps_as(ss: Block, instead: Block) -> Block:
    out: list[Stmt] = []
    for s in ss:
        if isinstance(s, If):
            out.append(If(s.condition, _with_jumps_as(s.then, instead), _with_jumps_as(s.orelse, instead)))
        elif isinstance(s, (Break, Continue)):
            out += instead
        else:
            out.append(s)
    return tuple(out)


def _assigned_at_once(s: If | Loop, known: NonUniform) -> Iterator[Block]:
    """For each local assigned in a compound statement: an assignment of what is non-uniform instead of it all."""
    names = dict.fromkeys(inner.name for inner in walk((s,)) if isinstance(inner, (Assign, Call)))
    for name in names:
        for value in known.values():
            yield (Assign(name, value),)


def _without_its_jump(ss: Block, i: int, s: If) -> Iterator[Block]:
    """`if (e) {ss1 jump} else {ss2} ss3` as `if (e) {ss1} else {ss2 ss3}`, with and without the last of `ss3`."""
    rest = ss[i + 1 :]
    for then, orelse, jumps_first in ((s.then, s.orelse, True), (s.orelse, s.then, False)):
        if not rest or not then or not isinstance(then[-1], _JUMPS):
            continue
        for last in (1, 0):
            moved, kept = rest[: len(rest) - last], rest[len(rest) - last :]
            mine, other = then[:-1], (*orelse, *moved)
            if not mine or not jumps_first:
                mine, other = other, mine
            yield (*ss[:i], If(s.condition, mine, other), *kept)


# ------------------------------------------------------------------------------------------------- whole bodies


def propagations(body: Block) -> Iterator[Block]:
    """For every `x = e`: without it, and with `e` wherever `x` was read."""
    for assign in walk(body):
        if isinstance(assign, Assign):
            yield propagated(body, assign.name, assign.value, lambda s, assign=assign: s is assign)  # type: ignore[misc]


def forgotten(body: Block, known: NonUniform) -> Iterator[Block]:
    """For every local that is read: without its assignments, and with what is non-uniform wherever it was read."""
    read = {e.name: e.type for e in expressions_in(body) if isinstance(e, Local)}
    for name, type in read.items():
        if type in known:
            yield propagated(
                body,
                name,
                known[type],
                lambda s, name=name: isinstance(s, (Assign, Call)) and s.name == name,  # type: ignore[misc]
            )


def propagated(ss: Block, name: str, value: Expr, dropped: Callable[[Stmt], bool]) -> Block:
    """The block without the simple statements to be dropped, and with `value` wherever the local was read."""

    def read(e: Expr) -> Expr | None:
        return value if isinstance(e, Local) and e.name == name else None

    return rewritten(ss, lambda s: () if dropped(s) else (with_mapped_expressions(s, read),))
