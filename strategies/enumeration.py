"""Bounded-exhaustive: every shader of a given size over a small alphabet, smallest first.

Size counts what a person would: a loop's final `continue` is free, and `break if` counts once. Left out, because no
oracle can tell the difference: statements behind an unconditional jump, an empty `then`, unused locals.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

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
    Stmt,
    Type,
    Variable,
    expressions_in,
    renumbered,
    walk,
)
from tinywgsl.wellformed import behaviour_violations

_X = Variable("x", Type.U32)
_ZERO = Literal(0, Type.U32)


@dataclass(frozen=True, slots=True)
class Alphabet:
    """The leaves: what conditions compare with zero, and what is assigned to the one local `x`."""

    conditions: tuple[Expr, ...] = (Lid(), Local("x", Type.U32))
    values: tuple[Expr, ...] = (Lid(), _ZERO)
    nesting: int = 3
    """How deeply blocks may stand within blocks."""


DEFAULT = Alphabet()


@dataclass(frozen=True, slots=True)
class _Place:
    in_loop: bool
    may_return: bool
    nesting: int

    def inside(self, *, in_loop: bool, may_return: bool) -> "_Place":
        return _Place(in_loop, may_return, self.nesting - 1)


def shaders_of_size(size: int, alphabet: Alphabet = DEFAULT, *, threads: int = 2) -> Iterator[Shader]:
    """Every shader of `main` alone with `size` statements, some barrier and something non-uniform, without a repeat.

    `main` may return and need not end in a barrier (PAPER-NOTES 6).
    """
    for body in _blocks(size, _Place(False, True, alphabet.nesting), alphabet):
        statements = list(walk(body))
        if not any(isinstance(s, Barrier) for s in statements):
            continue
        expressions = list(expressions_in(body))
        if not any(isinstance(e, Lid) for e in expressions):
            continue
        assigned = any(isinstance(s, Assign) for s in statements)
        used = assigned or any(isinstance(e, Local) for e in expressions)
        main = Function("main", (), (_X,) if used else (), body, None)
        shader = Shader((), (), main, threads)
        if not behaviour_violations(shader):
            yield renumbered(shader)


@cache
def _blocks(size: int, place: _Place, alphabet: Alphabet) -> tuple[Block, ...]:
    """Every block of exactly `size` statements at `place`; nothing follows a jump."""
    if size == 0:
        return ((),)
    found: list[Block] = []
    for first in range(1, size + 1):
        for s in _statements(first, place, alphabet):
            if isinstance(s, (Break, Continue, Return)) and first < size:
                continue
            found += [(s, *rest) for rest in _blocks(size - first, place, alphabet)]
    return tuple(found)


@cache
def _statements(size: int, place: _Place, alphabet: Alphabet) -> tuple[Stmt, ...]:
    if size == 1:
        simple: list[Stmt] = [Barrier(0), *[Assign("x", value) for value in alphabet.values]]
        simple += [Break(), Continue(0)] if place.in_loop else []
        simple += [Return(None)] if place.may_return else []
        return tuple(simple)
    if place.nesting == 0:
        return ()
    return (*_conditionals(size, place, alphabet), *_loops(size, place, alphabet))


def _conditionals(size: int, place: _Place, alphabet: Alphabet) -> Iterator[Stmt]:
    inner = place.inside(in_loop=place.in_loop, may_return=place.may_return)
    for then_size in range(1, size):
        for then in _blocks(then_size, inner, alphabet):
            for orelse in _blocks(size - 1 - then_size, inner, alphabet):
                for condition in alphabet.conditions:
                    yield If(_is_zero(condition), then, orelse)


def _loops(size: int, place: _Place, alphabet: Alphabet) -> Iterator[Stmt]:
    inner = place.inside(in_loop=True, may_return=place.may_return)
    after = place.inside(in_loop=False, may_return=False)
    for body_size in range(size):
        bodies = _blocks(body_size, inner, alphabet)
        for continuing in _continuings(size - 1 - body_size, after, alphabet):
            for body in bodies:
                if body and isinstance(body[-1], Continue):
                    continue  # the same loop as without it
                yield Loop(0, (*body, Continue(0)), continuing)


def _continuings(size: int, place: _Place, alphabet: Alphabet) -> Iterator[Block]:
    yield from _blocks(size, place, alphabet)
    if size > 0:
        for block in _blocks(size - 1, place, alphabet):
            for condition in alphabet.conditions:
                yield (*block, If(_is_zero(condition), (Break(),), ()))


def _is_zero(e: Expr) -> Expr:
    return Binary("==", e, _ZERO)
