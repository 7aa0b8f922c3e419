"""Every small shader with shared memory: what `enumeration` leaves out, for the semantics rather than for compilers.

Size counts what a person would: a loop's final `continue` is free, `break if` counts once, and so is the barrier at the
end of `main` (restriction 1), with and without which each body is tried. Left out, because they change nothing:
statements behind a jump, an empty `then`, `x = x`. Shaders without a barrier are left out too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations

from tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
    Continue,
    Expr,
    Function,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    SharedArray,
    SharedAssign,
    SharedRead,
    Space,
    Stmt,
    Type,
    Variable,
    renumbered,
    walk,
)
from tinywgsl.wellformed import behaviour_violations

LOCALS = (Variable("x", Type.U32), Variable("y", Type.U32))
ARRAY = SharedArray("A", Type.U32, 4, Space.STORAGE)
_ZERO, _ONE = Literal(0, Type.U32), Literal(1, Type.U32)
_X, _Y = (Local(v.name, v.type) for v in LOCALS)
_A0, _ALID = (SharedRead(ARRAY.name, index, ARRAY.type) for index in (_ZERO, Lid()))

OPERANDS: tuple[Expr, ...] = (_ONE, _X, _Y, Lid(), _A0, _ALID)
"""What is assigned and compared: a literal, the locals, `lid`, and a read of a common and of an own cell."""
CONDITIONS: tuple[Expr, ...] = tuple([Binary("<", left, right) for left, right in permutations(OPERANDS, 2)])
_ASSIGNMENTS: tuple[Stmt, ...] = (
    *[Assign(v.name, e) for v in LOCALS for e in OPERANDS if e != Local(v.name, v.type)],
    *[SharedAssign(ARRAY.name, i, e) for i in (_ZERO, Lid()) for e in OPERANDS if e != SharedRead("A", i, ARRAY.type)],
)


@dataclass(frozen=True, slots=True)
class _Place:
    in_loop: bool
    may_return: bool


def small_shaders(size: int, *, threads: int = 2) -> Iterator[Shader]:
    """Every shader of `main` with exactly `size` statements, two locals and a shared array of four cells."""
    for body in _blocks(size, _Place(False, True)):
        for whole in (body, (*body, Barrier(0))):
            if whole is not body and body and isinstance(body[-1], Return):
                continue  # the barrier would be dead
            if any(isinstance(s, Barrier) for s in walk(whole)):
                shader = Shader((ARRAY,), (), Function("main", (), LOCALS, whole, None), threads)
                if not behaviour_violations(shader):
                    yield renumbered(shader)


@cache
def _blocks(size: int, place: _Place) -> tuple[Block, ...]:
    """Every block of exactly `size` statements at `place`."""
    if size == 0:
        return ((),)
    found: list[Block] = []
    for first in range(1, size + 1):
        for s in _statements(first, place):
            if first == size or not isinstance(s, (Break, Continue, Return)):
                found += [(s, *rest) for rest in _blocks(size - first, place)]
    return tuple(found)


@cache
def _statements(size: int, place: _Place) -> tuple[Stmt, ...]:
    if size == 1:
        jumps: list[Stmt] = [Break(), Continue(0)] if place.in_loop else []
        jumps += [Return(None)] if place.may_return else []
        return (Barrier(0), *_ASSIGNMENTS, *jumps)
    return (*_conditionals(size, place), *_loops(size, place))


def _conditionals(size: int, place: _Place) -> Iterator[Stmt]:
    for then_size in range(1, size):
        for then in _blocks(then_size, place):
            for orelse in _blocks(size - 1 - then_size, place):
                for condition in CONDITIONS:
                    yield If(condition, then, orelse)


def _loops(size: int, place: _Place) -> Iterator[Stmt]:
    """Loops that cannot be left are no WGSL; the whole shader's check drops them."""
    for body_size in range(size):
        for body in _blocks(body_size, _Place(True, place.may_return)):
            if body and isinstance(body[-1], Continue):
                continue  # the same loop as without it
            for continuing in _continuings(size - 1 - body_size):
                yield Loop(0, (*body, Continue(0)), continuing)


def _continuings(size: int) -> Iterator[Block]:
    yield from _blocks(size, _Place(False, False))
    if size > 0:
        for block in _blocks(size - 1, _Place(False, False)):
            for condition in CONDITIONS:
                yield (*block, If(condition, (Break(),), ()))
