"""The grammar of blocks over an alphabet: every block of a size, counted by what must be known of it.

Size counts what a person would: a loop's final `continue` is free, and `break if` counts once. Left out, because no
oracle can tell the difference: statements behind a jump, an empty `then`, `continue` before the final one; and loops
that cannot be left, which are no WGSL (PAPER-NOTES 5). What decides whether a shader is worth asking about is part of
the grammar: blocks are grouped by their traits, so that counts are exact and nothing is built to be thrown away.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from strategies.enumerate.sets import CountedSet, ListedSet, ProductSet, UnionSet
from tinywgsl.ast import (
    Assign,
    Barrier,
    Block,
    Break,
    Continue,
    Expr,
    If,
    Lid,
    Local,
    Loop,
    Return,
    Stmt,
    expressions_of,
    walk,
    walk_expr,
)
from tinywgsl.behaviour import BREAK, CONTINUE, NEXT, Behaviours, UnionBehaviourAnalysis

_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")


@dataclass(frozen=True, slots=True)
class Alphabet:
    """The leaves, and how they may be combined."""

    conditions: tuple[Expr, ...]
    plain: tuple[Stmt, ...]
    """The barrier and the assignments."""
    returns: tuple[Return, ...] = (Return(None),)
    nesting: int = 3
    """How deeply blocks may stand within blocks."""
    loops: bool = True
    alike: tuple[str, ...] = ()
    """Two variables that could change places: swapping them maps the alphabet onto itself."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What must be known of a block: B of Fig. 8 (the older one, to which `wellformed` holds ends of functions),
    whether it has a barrier and reads `lid`, which of the variables that are alike comes first, and its last statement
    if that is a jump or a barrier."""

    behaviours: Behaviours = NEXT
    barrier: bool = False
    lid: bool = False
    first: str = ""
    last: type[Stmt] | None = None


Language = Mapping[Traits, CountedSet[_A]]
"""Disjoint sets by the traits of their members."""


@dataclass(frozen=True, slots=True)
class BlockContext:
    """Where a block stands."""

    in_loop: bool = False
    may_return: bool = True
    nesting: int = 3

    def inside(self, *, in_loop: bool, may_return: bool) -> "BlockContext":
        """A block within."""
        return BlockContext(in_loop, may_return, self.nesting - 1)


def traits_of(block: Block, alike: tuple[str, ...]) -> Traits:
    """The traits of a given block."""
    statements = list(walk(block))
    mentioned = [name for s in statements for name in _names(s) if name in alike]
    return Traits(
        UnionBehaviourAnalysis().block(block),
        any(isinstance(s, Barrier) for s in statements),
        any(isinstance(e, Lid) for s in statements for part in expressions_of(s) for e in walk_expr(part)),
        mentioned[0] if mentioned else "",
        type(block[-1]) if block and isinstance(block[-1], (Barrier, Break, Continue, Return)) else None,
    )


def _names(s: Stmt) -> Iterator[str]:
    if isinstance(s, Assign):
        yield s.name
    for part in expressions_of(s):
        yield from (e.name for e in walk_expr(part) if isinstance(e, Local))


def language_of(blocks: Sequence[Block], alike: tuple[str, ...]) -> Language[Block]:
    """Given blocks, by their traits."""
    by_traits: dict[Traits, list[Block]] = {}
    for block in blocks:
        by_traits.setdefault(traits_of(block, alike), []).append(block)
    return {traits: ListedSet(members) for traits, members in by_traits.items()}


def joined(
    left: Language[_A],
    right: Language[_B],
    traits: Callable[[Traits, Traits], Traits | None],
    build: Callable[[_A, _B], _C],
) -> Language[_C]:
    """What `build` makes of the pairs, without those of which `traits` says None."""
    parts: dict[Traits, list[CountedSet[_C]]] = {}
    for a, some in left.items():
        for b, others in right.items():
            both = traits(a, b)
            if both is not None:
                parts.setdefault(both, []).append(ProductSet(some, others, build))
    return {traits: UnionSet(some) for traits, some in parts.items()}


def merged(languages: Sequence[Language[_A]]) -> Language[_A]:
    """The union of disjoint languages."""
    parts: dict[Traits, list[CountedSet[_A]]] = {}
    for language in languages:
        for traits, members in language.items():
            parts.setdefault(traits, []).append(members)
    return {traits: UnionSet(some) for traits, some in parts.items()}


def chosen(language: Language[_A], wanted: Callable[[Traits], bool]) -> CountedSet[_A]:
    """The members whose traits are wanted."""
    return UnionSet([members for traits, members in language.items() if wanted(traits)])


def concatenated(one: Language[Block], other: Language[Block]) -> Language[Block]:
    """One block after another, neither empty; nothing follows a jump."""
    return joined(one, other, lambda a, b: None if a.last in (Break, Continue, Return) else _then(a, b), _append)


def _then(a: Traits, b: Traits) -> Traits:
    """The traits of a list of statements (Fig. 8, second rule)."""
    behaviours = (a.behaviours & ~NEXT) | b.behaviours if NEXT & a.behaviours else a.behaviours
    return Traits(behaviours, a.barrier or b.barrier, a.lid or b.lid, a.first or b.first, b.last)


def _append(ss: Block, more: Block) -> Block:
    return ss + more


def _either(a: Traits, b: Traits) -> Traits:
    return replace(_then(a, b), behaviours=a.behaviours | b.behaviours, last=None)


def _conditional(condition: Traits, branches: Traits) -> Traits:
    return replace(branches, lid=condition.lid or branches.lid, first=condition.first or branches.first)


def _loop(body: Traits, continuing: Traits) -> Traits | None:
    """The traits of a loop (Fig. 8, last rule, without the change of 10b); None for one that cannot be left."""
    if body.last is Continue:
        return None  # the same loop as without it
    b1 = _then(body, Traits(CONTINUE)).behaviours
    union = b1 | continuing.behaviours
    behaviours = (union | NEXT) & ~(BREAK | CONTINUE) if BREAK & union else union & ~(CONTINUE | NEXT)
    return replace(_either(body, continuing), behaviours=behaviours) if behaviours else None


class Grammar:
    """All blocks over an alphabet, by size and place; each is worked out once."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self._known: dict[tuple[int, BlockContext], Language[Block]] = {}
        self._known_alone: dict[tuple[int, BlockContext], Language[Block]] = {}
        conditions: dict[Traits, list[Expr]] = {}
        for e in alphabet.conditions:
            traits = traits_of((If(e, (), ()),), alphabet.alike)
            conditions.setdefault(traits, []).append(e)
        self._conditions: Language[Expr] = {traits: ListedSet(es) for traits, es in conditions.items()}
        self._break_ifs = self._language([If(e, (Break(),), ()) for e in alphabet.conditions])

    def _language(self, statements: Sequence[Stmt]) -> Language[Block]:
        return language_of([(s,) for s in statements], self.alphabet.alike)

    def blocks(self, size: int, place: BlockContext) -> Language[Block]:
        """Every block of exactly `size` statements at `place`."""
        known = self._known.get((size, place))
        if known is None:
            alone = [self._statements(size, place)] if size else [self._empty]
            pairs = [
                concatenated(self._statements(first, place), self.blocks(size - first, place))
                for first in range(1, size)
            ]
            known = self._known[size, place] = merged([*pairs, *alone])
        return known

    @property
    def _empty(self) -> Language[Block]:
        return {Traits(): ListedSet([()])}

    def _statements(self, size: int, place: BlockContext) -> Language[Block]:
        """Every block of one statement that counts `size`."""
        if size == 1:
            jumps: list[Stmt] = [Break(), Continue(0)] if place.in_loop else []
            returns = self.alphabet.returns if place.may_return else ()
            return self._language([*self.alphabet.plain, *jumps, *returns])
        if place.nesting == 0:
            return {}
        known = self._known_alone.get((size, place))
        if known is None:
            loops = [self.loops(size - 1, place)] if self.alphabet.loops else []
            known = self._known_alone[size, place] = merged([self._conditionals(size - 1, place), *loops])
        return known

    def _conditionals(self, size: int, place: BlockContext) -> Language[Block]:
        inner = place.inside(in_loop=place.in_loop, may_return=place.may_return)

        def pair(then: Block, orelse: Block) -> tuple[Block, Block]:
            return then, orelse

        branches = merged(
            [
                joined(self.blocks(then, inner), self.blocks(size - then, inner), _either, pair)
                for then in range(1, size + 1)
            ]
        )
        return joined(self._conditions, branches, _conditional, lambda e, both: (If(e, *both),))

    def guarded(self, blocks: Language[Block]) -> Language[Block]:
        """Each block under each condition, with nothing to do otherwise."""
        nothing = Traits()
        return joined(
            self._conditions,
            blocks,
            lambda condition, block: _conditional(condition, _either(block, nothing)),
            lambda e, block: (If(e, block, ()),),
        )

    def loops(self, size: int, place: BlockContext) -> Language[Block]:
        """Every loop with `size` statements in its body and its `continuing` together."""
        inner = place.inside(in_loop=True, may_return=place.may_return)
        after = place.inside(in_loop=False, may_return=False)

        def build(body: Block, continuing: Block) -> Block:
            return (Loop(0, (*body, Continue(0)), continuing),)

        return merged(
            [
                joined(self.blocks(body, inner), self._continuings(size - body, after), _loop, build)
                for body in range(size + 1)
            ]
        )

    def _continuings(self, size: int, place: BlockContext) -> Language[Block]:
        """With or without a `break if`."""
        plain = self.blocks(size, place)
        if size == 0:
            return plain
        before = self.blocks(size - 1, place)
        return merged([plain, self._break_ifs if size == 1 else concatenated(before, self._break_ifs)])
