"""Edits on blocks and statements: what may be taken out, and what may stand instead."""

from collections.abc import Callable, Iterator

from wgsl_fuzz.fuzz.reduction.edits_expressions import NonUniform, simpler
from wgsl_fuzz.tinywgsl.ast import (
    ASSIGNED,
    WRITTEN,
    Assign,
    Barrier,
    Block,
    Break,
    Call,
    Continue,
    Expr,
    If,
    Jump,
    Literal,
    Local,
    Loop,
    Return,
    Stmt,
    Type,
    blocks_of,
    expressions_in,
    expressions_of,
    names_in,
    names_in_block,
    walk,
)
from wgsl_fuzz.tinywgsl.behaviour import NEXT, BehaviourAnalysis
from wgsl_fuzz.tinywgsl.rewrite import (
    edited,
    edited_inside,
    rewritten,
    with_blocks,
    with_expression,
    with_mapped_expressions,
)


def removals(ss: Block, chunk: int) -> Iterator[Block]:
    """Every run of `chunk` statements taken out, here and in the blocks inside, last first."""
    for i in range(len(ss) - chunk, -1, -1):
        yield ss[:i] + ss[i + chunk :]
    for i in range(len(ss)):
        yield from edited_inside(ss, i, lambda block: removals(block, chunk))


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
    blocks = [live(ss, B, loop_body=isinstance(s, Loop) and i == 0) for i, ss in enumerate(blocks_of(s))]
    return with_blocks(s, blocks) if blocks else s


def replacements(body: Block, known: NonUniform) -> Iterator[Block]:
    """The block with one statement, at any depth, replaced by fewer or by simpler ones."""

    def edit(ss: Block, i: int) -> Iterator[Block]:
        s = ss[i]
        for instead in _instead(s, known):
            yield (*ss[:i], *instead, *ss[i + 1 :])
        if isinstance(s, If):
            yield from _without_its_jump(ss, i, s)

    return edited(body, edit)


def simplifications(body: Block, known: NonUniform) -> Iterator[Block]:
    """The block with one expression, at any depth, simplified."""

    def edit(ss: Block, i: int) -> Iterator[Block]:
        for j, e in enumerate(expressions_of(ss[i])):
            for new in simpler(e, known):
                yield (*ss[:i], with_expression(ss[i], j, new), *ss[i + 1 :])

    return edited(body, edit)


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
        case _:  # its parts
            yield from blocks_of(s)


def _instead_of_loop(s: Loop) -> Iterator[Block]:
    """Its parts, once; the same under a condition that decided about a jump; and its body in the loop around it."""
    body, continuing = without_jumps(s.body), without_jumps(s.continuing)
    yield body
    yield continuing
    if body and continuing:
        yield (*body, *continuing)
    for condition in _deciding(s):
        yield from _under(condition, body, continuing)
    if _jumps(s.body[:-1]):
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
    assignments = tuple(s for s in both if names_in(s, WRITTEN))
    if (body and continuing) or not both:
        yield (If(condition, both, ()),)
    if assignments and len(assignments) < len(both):
        yield (*assignments, If(condition, tuple(s for s in both if s not in assignments), ()))
    if any(isinstance(s, Barrier) for s in walk(both)):
        yield (*both, If(condition, (Barrier(0),), ()))


def _deciding(loop: Loop) -> Iterator[Expr]:
    """The conditions under which something in the loop jumps."""
    for s in walk((*loop.body, *loop.continuing)):
        if isinstance(s, If) and (_jumps(s.then) or _jumps(s.orelse)):
            yield s.condition


def _jumps(ss: Block) -> bool:
    return any(isinstance(s, Jump) for s in walk(ss))


def without_jumps(ss: Block) -> Block:
    """A loop's body without the jumps that belong to the loop, and without `if`s that held nothing else."""
    kept: list[Stmt] = []
    for s in ss:
        blocks = () if isinstance(s, Loop) else blocks_of(s)
        inner = [without_jumps(block) for block in blocks]
        if not isinstance(s, Break | Continue) and (any(inner) or not any(blocks)):
            kept.append(with_blocks(s, inner) if inner else s)
    return tuple(kept)


def _with_jumps_as(ss: Block, instead: Block) -> Block:
    out: list[Stmt] = []
    for s in ss:
        inner = [] if isinstance(s, Loop) else [_with_jumps_as(block, instead) for block in blocks_of(s)]
        out += instead if isinstance(s, Break | Continue) else [with_blocks(s, inner) if inner else s]
    return tuple(out)


def _assigned_at_once(s: If | Loop, known: NonUniform) -> Iterator[Block]:
    """For each local assigned in a compound statement: an assignment of what is non-uniform instead of it all."""
    for name in dict.fromkeys(names_in_block((s,), ASSIGNED)):
        for value in known.values():
            yield (Assign(name, value),)


def _without_its_jump(ss: Block, i: int, s: If) -> Iterator[Block]:
    """`if (e) {ss1 jump} else {ss2} ss3` as `if (e) {ss1} else {ss2 ss3}`, with and without the last of `ss3`."""
    rest = ss[i + 1 :]
    for then, orelse, jumps_first in ((s.then, s.orelse, True), (s.orelse, s.then, False)):
        if not rest or not then or not isinstance(then[-1], Jump):
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
                lambda s, name=name: name in names_in(s, ASSIGNED),  # type: ignore[misc]
            )


def propagated(ss: Block, name: str, value: Expr, dropped: Callable[[Stmt], bool]) -> Block:
    """The block without the simple statements to be dropped, and with `value` wherever the local was read."""

    def read(e: Expr) -> Expr | None:
        return value if isinstance(e, Local) and e.name == name else None

    return rewritten(ss, lambda s: () if dropped(s) else (with_mapped_expressions(s, read),))
