"""Bounded-exhaustive: every shader of a family up to a size, no two equal up to renaming, counted in advance.

A family has an alphabet of leaves, a frame that a block is put into, and a measure of size. Every member has a barrier.
Every member reads `lid` too, except in `shared-memory`: no oracle has anything to say of other shaders. `main` may
return and need not end in a barrier (docs/paper-notes.md, note 6). The order of members is fixed, so that a number is
enough to resume from any place.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import Generic, TypeVar

from wgsl_fuzz.strategies.enumerate.grammar import (
    Alphabet,
    BlockContext,
    Grammar,
    Language,
    Traits,
    chosen,
    concatenated,
    language_of,
    merged,
    traits_of,
)
from wgsl_fuzz.strategies.enumerate.sets import CountedSet, ListedSet, MappedSet, ProductSet, UnionSet
from wgsl_fuzz.tinywgsl.ast import (
    LOCALS,
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
    Call,
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
    names_in_block,
    renumbered,
)
from wgsl_fuzz.tinywgsl.behaviour import NEXT

ENUMERATION_VERSION = 1
"""Raised when a number comes to mean another shader."""
THREADS = 2
"""The workgroup size of every shader."""

_ZERO, _ONE = Literal(0, Type.U32), Literal(1, Type.U32)
_X, _Y, _P, _Q, _T = (Local(name, Type.U32) for name in "xypqt")
_BARRIER = Barrier(0)


def _is_zero(e: Expr) -> Expr:
    return Binary("==", e, _ZERO)


_Member = TypeVar("_Member")


@dataclass(frozen=True, slots=True)
class Family(Generic[_Member]):
    """A name, what the size counts and the alphabet in words, and the shaders of each size: trees or texts."""

    name: str
    size: str
    alphabet: str
    of_size: Callable[[int], CountedSet[_Member]]
    """Every shader of exactly this size; `count` builds none of them."""

    def up_to(self, size: int) -> CountedSet[_Member]:
        """Every shader of at most this size, smallest first."""
        return UnionSet([self.of_size(n) for n in range(size + 1)])


def shaders_of_size(size: int) -> Iterator[Shader]:
    """Every shader of the family `main` with `size` statements."""
    return iter(MAIN.of_size(size))


# ----------------------------------------------------------------------------------------------------------- main

_MAIN = Grammar(
    Alphabet(
        conditions=(_is_zero(Lid()), _is_zero(_X)), plain=(_BARRIER, Assign("x", Lid()), Assign("x", _ZERO)), nesting=3
    )
)


@cache
def _main(size: int) -> CountedSet[Shader]:
    return MappedSet(chosen(_MAIN.blocks(size, BlockContext()), _worth_asking), _shader)


def _worth_asking(traits: Traits) -> bool:
    return traits.barrier and traits.lid


def _shader(body: Block, functions: tuple[Function, ...] = (), arrays: tuple[SharedArray, ...] = ()) -> Shader:
    """A shader with this body of `main`; variables that nothing uses are not declared."""
    main = Function("main", (), _declared(body), body, None)
    return renumbered(Shader(arrays, functions, main, THREADS))


def _declared(body: Block, params: Sequence[str] = ()) -> tuple[Variable, ...]:
    used = set(names_in_block(body, LOCALS))
    return tuple([Variable(name, Type.U32) for name in sorted(used.difference(params))])


# ---------------------------------------------------------------------------------------------------- single-loop

_XY = ("x", "y")
_LOOP = Grammar(
    Alphabet(
        conditions=(_is_zero(Lid()), _is_zero(_X), _is_zero(_Y)),
        plain=(_BARRIER, *[Assign(x.name, e) for x, y in ((_X, _Y), (_Y, _X)) for e in (Lid(), y, _ZERO)]),
        loops=False,
        alike=_XY,
    )
)
_LEAVE = If(_is_zero(Lid()), (Return(None),), ())
_BEFORE = language_of([(), (_LEAVE,), (Assign("x", Lid()),), (Assign("y", Lid()),)], _XY)
_AFTER = language_of([(), (_BARRIER,), *[(If(_is_zero(e), (_BARRIER,), ()),) for e in (_X, _Y)]], _XY)


@cache
def _single_loop(size: int) -> CountedSet[Shader]:
    loop = _LOOP.loops(size, BlockContext(nesting=_LOOP.alphabet.nesting + 1))
    whole = concatenated(concatenated(_BEFORE, merged([loop, _LOOP.guarded(loop)])), _AFTER)
    return MappedSet(chosen(whole, lambda traits: _worth_asking(traits) and traits.first in ("", "x")), _shader)


# --------------------------------------------------------------------------------------------------- two-function

_PQ = ("p", "q")
_CALLEE = Grammar(
    Alphabet(
        conditions=(_is_zero(_P), _is_zero(_Q), _is_zero(_T)),
        plain=(_BARRIER, Assign("t", _P), Assign("t", _Q)),
        returns=tuple([Return(e) for e in (_ZERO, _P, _Q, _T)]),
        nesting=2,
        alike=_PQ,
    )
)
_ALIKE, _UNALIKE = (_ZERO, _ZERO), (Lid(), _ZERO)
"""The arguments: (lid, 0) stands for (0, lid), too, because parameters may change places."""


@dataclass(frozen=True, slots=True)
class _Context:
    """A body of `main` that calls; whether it lets the parameters change places."""

    body: Block
    alike: bool


def _contexts() -> Iterator[_Context]:
    """What `main` does with `f`, and with its result."""
    ends: tuple[Block, ...] = ((), (If(_is_zero(_X), (_BARRIER,), ()),))
    for given in (_ALIKE, _UNALIKE):
        call = Call(0, "x", "f", given)
        looped = Loop(0, (call, Continue(0)), (If(_is_zero(_X), (Break(),), ()),))
        starts: tuple[Block, ...] = ((call,), (If(_is_zero(Lid()), (call,), ()),))
        for start, end in product(starts, ends):
            yield _Context(start + end, given is _ALIKE)
        yield _Context((looped,), given is _ALIKE)
        yield _Context((looped, _BARRIER), given is _ALIKE)
        for again in (_ALIKE, _UNALIKE):
            second = Call(0, "x", "f", again)
            both = given is _ALIKE and again is _ALIKE
            yield _Context((call, second), both)
            yield _Context((call, If(_is_zero(_X), (second,), ())), both)


@cache
def _two_function(size: int) -> CountedSet[Shader]:
    callees = _CALLEE.blocks(size, BlockContext(nesting=_CALLEE.alphabet.nesting))
    parts: list[CountedSet[Shader]] = []
    for context in _contexts():
        around = traits_of(context.body, ())

        def wanted(callee: Traits, around: Traits = around, alike: bool = context.alike) -> bool:
            returns = not NEXT & callee.behaviours
            once = callee.first in ("", "p") or not alike
            return returns and once and around.lid and (around.barrier or callee.barrier)

        parts.append(ProductSet(ListedSet([context.body]), chosen(callees, wanted), _with_callee))
    return UnionSet(parts)


def _with_callee(main: Block, callee: Block) -> Shader:
    params = tuple([Variable(name, Type.U32) for name in _PQ])
    return _shader(main, (Function("f", params, _declared(callee, _PQ), callee, Type.U32),))


# -------------------------------------------------------------------------------------------------- shared-memory

ARRAY = SharedArray("A", Type.U32, 4, Space.STORAGE)
_A0, _ALID = (SharedRead(ARRAY.name, index, ARRAY.type) for index in (_ZERO, Lid()))
OPERANDS: tuple[Expr, ...] = (_ONE, _X, _Y, Lid(), _A0, _ALID)
"""What is assigned and compared: a literal, the locals, `lid`, and a read of a common and of an own cell."""
_ASSIGNMENTS: tuple[Stmt, ...] = (
    *[Assign(x.name, e) for x in (_X, _Y) for e in OPERANDS if e != x],
    *[SharedAssign(ARRAY.name, i, e) for i in (_ZERO, Lid()) for e in OPERANDS if e != SharedRead("A", i, ARRAY.type)],
)
_SHARED = Grammar(
    Alphabet(
        conditions=tuple([Binary("<", left, right) for left, right in permutations(OPERANDS, 2)]),
        plain=(_BARRIER, *_ASSIGNMENTS),
        nesting=8,
        alike=_XY,
    )
)


@cache
def _shared_memory(size: int) -> CountedSet[Shader]:
    """Each body with and without a barrier at the end of `main` (restriction 1), which is free."""
    bodies = _SHARED.blocks(size, BlockContext(nesting=_SHARED.alphabet.nesting))
    open_ended: Language[Block] = {traits: some for traits, some in bodies.items() if traits.last is not Barrier}
    closed = concatenated(bodies, language_of([(_BARRIER,)], _XY))
    whole = chosen(merged([open_ended, closed]), lambda traits: traits.barrier and traits.first in ("", "x"))
    return MappedSet(whole, lambda body: _shader(body, arrays=(ARRAY,)))


# ------------------------------------------------------------------------------------------------------ all of them

MAIN = Family(
    "main",
    "all statements of main",
    "conditions lid == 0, x == 0; a barrier, x = lid, x = 0, return, break, continue; "
    "if, else, loop, continuing, break if, three blocks deep",
    _main,
)
SINGLE_LOOP = Family(
    "single-loop",
    "the statements of the loop: its body and its continuing",
    "before the loop nothing, x = lid or if (lid == 0) { return }; the loop, alone or under a condition; conditions "
    "lid == 0, x == 0, y == 0; in it a barrier, assignments of lid, 0 and each other to x and y, return, break, "
    "continue, if, else, continuing, break if; after it nothing, a barrier, or one under if (x == 0) or if (y == 0)",
    _single_loop,
)
TWO_FUNCTION = Family(
    "two-function",
    "the statements of the callee f(p, q), its returns included",
    "in f conditions p == 0, q == 0, t == 0; a barrier, t = p, t = q, return of 0, p, q, t, break, continue; if, else, "
    "loop, continuing, break if, two blocks deep; main calls x = f(0, 0) or f(lid, 0): once, or under if (lid == 0), "
    "and then nothing or a barrier under if (x == 0); until x == 0, and then nothing or a barrier; twice; again if "
    "x == 0",
    _two_function,
)
SHARED_MEMORY = Family(
    "shared-memory",
    "all statements of main but a final barrier",
    "operands 1, x, y, lid, A[0], A[lid] of a storage array A; conditions a < b; a barrier, assignments to x, y, A[0], "
    "A[lid], return, break, continue; if, else, loop, continuing, break if",
    _shared_memory,
)
FAMILIES = {family.name: family for family in (MAIN, SINGLE_LOOP, TWO_FUNCTION, SHARED_MEMORY)}
