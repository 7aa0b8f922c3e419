"""The grammar of blocks over an alphabet: every block of a size, counted by its traits.

Size counts statements as a person would: a loop's final `continue` is free, and `break if` counts once. Some blocks are
left out because no oracle can tell the difference: statements behind a jump, an empty `then`, `continue` before the
final one. So are loops that cannot be left, which are no WGSL (docs/paper-notes.md, note 5).

Blocks are grouped by the traits that decide whether a shader is worth asking about. Counts are therefore exact, and no
shader is built only to be discarded.

`Grammar` builds trees of TinyWGSL. `TextGrammar` writes WGSL with blocks, `switch` and `while`; a `continue` at the end
of a body is not left out there, since without it the body has another behaviour.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import TypeVar, get_args

from wgsl_fuzz.strategies.enumerate.sets import CountedSet, ListedSet, ProductSet, UnionSet
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.behaviour import BREAK, CONTINUE, NEXT, RETURN, Behaviours, UnionBehaviourAnalysis

_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")


@dataclass(frozen=True, slots=True)
class Traits:
    """What the grammar must know of a block to combine it with others.

    These are: its behaviours (Fig. 8 without the change of Fig. 10b, as `oracle.core` holds the ends of functions to
    it); whether it has a barrier and reads `lid`; which of the interchangeable variables comes first; its last
    statement if that is a jump or a barrier.
    """

    behaviours: Behaviours = NEXT
    barrier: bool = False
    lid: bool = False
    first: str = ""
    last: type[core.Stmt] | None = None


Language = Mapping[Traits, CountedSet[_A]]
"""Disjoint sets by the traits of their members."""
NOTHING: Language[core.Block] = {Traits(): ListedSet([()])}


@dataclass(frozen=True, slots=True)
class BlockContext:
    """Where a block stands: which jumps it may have, and how deeply other blocks may stand in it."""

    breaks: bool = False
    continues: bool = False
    returns: bool = True
    nesting: int = 3

    def inside(self) -> "BlockContext":
        """A block within, which has the same jumps."""
        return replace(self, nesting=self.nesting - 1)

    def in_loop(self) -> "BlockContext":
        """The body of a loop within."""
        return BlockContext(True, True, self.returns, self.nesting - 1)

    def at_end(self) -> "BlockContext":
        """The `continuing` of a loop within."""
        return BlockContext(False, False, False, self.nesting - 1)


def traits_of(block: core.Block, alike: tuple[str, ...]) -> Traits:
    """The traits of a given block."""
    mentioned = (name for name in core.locals_in(block) if name in alike)
    return Traits(
        UnionBehaviourAnalysis().block(block),
        any(isinstance(s, core.Barrier) for s in core.walk(block)),
        any(isinstance(e, core.Lid) for e in core.expressions_in(block)),
        next(mentioned, ""),
        type(block[-1]) if block and isinstance(block[-1], core.Barrier | core.Jump) else None,
    )


def language_of(blocks: Sequence[core.Block], alike: tuple[str, ...]) -> Language[core.Block]:
    """Given blocks, by their traits."""
    by_traits: dict[Traits, list[core.Block]] = {}
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


def concatenated(one: Language[core.Block], other: Language[core.Block]) -> Language[core.Block]:
    """One block after another, neither empty; nothing follows a jump."""
    return joined(one, other, behind, _append)


def framed(
    blocks: Language[core.Block],
    before: Language[core.Block],
    after: Language[core.Block],
    wanted: Callable[[Traits], bool],
) -> CountedSet[core.Block]:
    """Each block between others, if the traits of the whole are wanted. Those around one block follow each other."""
    parts: list[CountedSet[core.Block]] = []
    for traits, members in blocks.items():
        frames = [
            (start, end)
            for (one, starts), (other, ends) in product(before.items(), after.items())
            if (first := behind(one, traits)) and (whole := behind(first, other)) and wanted(whole)
            for start, end in product(starts, ends)
        ]
        parts.append(ProductSet(members, ListedSet(frames), lambda block, frame: frame[0] + block + frame[1]))
    return UnionSet(parts)


def behind(a: Traits, b: Traits) -> Traits | None:
    """The traits of a list of statements; None if the first one jumps."""
    return None if a.last in get_args(core.Jump) else in_turn(a, b)


def in_turn(a: Traits, b: Traits) -> Traits:
    """The traits of a list of statements (Fig. 8, second rule)."""
    behaviours = (a.behaviours & ~NEXT) | b.behaviours if NEXT & a.behaviours else a.behaviours
    return Traits(behaviours, a.barrier or b.barrier, a.lid or b.lid, a.first or b.first, b.last)


def _append(ss: core.Block, more: core.Block) -> core.Block:
    return ss + more


def either(a: Traits, b: Traits) -> Traits:
    return replace(in_turn(a, b), behaviours=a.behaviours | b.behaviours, last=None)


def _conditional(condition: Traits, branches: Traits) -> Traits:
    return replace(branches, lid=condition.lid or branches.lid, first=condition.first or branches.first)


def _loop(body: Traits, continuing: Traits) -> Traits | None:
    """The traits of a loop (Fig. 8, last rule, without the change of 10b); None for one that cannot be left."""
    if body.last is core.Continue:
        return None  # the same loop as without it
    b1 = in_turn(body, Traits(CONTINUE)).behaviours
    union = b1 | continuing.behaviours
    behaviours = (union | NEXT) & ~(BREAK | CONTINUE) if BREAK & union else union & ~(CONTINUE | NEXT)
    return replace(either(body, continuing), behaviours=behaviours) if behaviours else None


_BREAK, _CONTINUE = core.Break(), core.Continue(0)


@dataclass(eq=False)
class Grammar:
    """All blocks over an alphabet, by size and place; each is worked out once."""

    conditions: tuple[core.Expr, ...]
    plain: tuple[core.Stmt, ...]
    """The barrier and the assignments."""
    returns: tuple[core.Return, ...] = (core.Return(None),)
    nesting: int = 3
    """How deeply blocks may stand within blocks."""
    has_loops: bool = True
    alike: tuple[str, ...] = ()
    """Two variables that could change places: swapping them maps the alphabet onto itself."""

    def __post_init__(self) -> None:
        self.blocks = cache(self._blocks)
        self._statements = cache(self._blocks_of_one)
        conditions: dict[Traits, list[core.Expr]] = {}
        for e in self.conditions:
            conditions.setdefault(traits_of((core.If(e, (), ()),), self.alike), []).append(e)
        self._conditions: Language[core.Expr] = {traits: ListedSet(es) for traits, es in conditions.items()}
        self._break_ifs = self._language([core.If(e, (_BREAK,), ()) for e in self.conditions])

    def _language(self, statements: Sequence[core.Stmt]) -> Language[core.Block]:
        return language_of([(s,) for s in statements], self.alike)

    def _blocks(self, size: int, place: BlockContext) -> Language[core.Block]:
        """Every block of exactly `size` statements at `place`."""
        if not size:
            return NOTHING
        pairs = [concatenated(self._statements(n, place), self.blocks(size - n, place)) for n in range(1, size)]
        return merged([*pairs, self._statements(size, place)])

    def _blocks_of_one(self, size: int, place: BlockContext) -> Language[core.Block]:
        """Every block of one statement that counts `size`."""
        if size == 1:
            jumps: list[core.Stmt] = [_BREAK, _CONTINUE] if place.breaks else []
            returns = self.returns if place.returns else ()
            return self._language([*self.plain, *jumps, *returns])
        if place.nesting == 0:
            return {}
        loops = [self.loops(size - 1, place)] if self.has_loops else []
        return merged([self._conditionals(size - 1, place), *loops])

    def _conditionals(self, size: int, place: BlockContext) -> Language[core.Block]:
        inner = place.inside()
        branches = [
            joined(self.blocks(then, inner), self.blocks(size - then, inner), either, lambda *both: both)
            for then in range(1, size + 1)
        ]
        return joined(self._conditions, merged(branches), _conditional, lambda e, both: (core.If(e, *both),))

    def guarded(self, blocks: Language[core.Block]) -> Language[core.Block]:
        """Each block under each condition, with nothing to do otherwise."""
        nothing = Traits()
        return joined(
            self._conditions,
            blocks,
            lambda condition, block: _conditional(condition, either(block, nothing)),
            lambda e, block: (core.If(e, block, ()),),
        )

    def loops(self, size: int, place: BlockContext) -> Language[core.Block]:
        """Every loop with `size` statements in its body and its `continuing` together."""
        inner, after = place.in_loop(), place.at_end()

        def build(body: core.Block, continuing: core.Block) -> core.Block:
            return (core.Loop(0, (*body, _CONTINUE), continuing),)

        return merged(
            [
                joined(self.blocks(body, inner), self._continuings(size - body, after), _loop, build)
                for body in range(size + 1)
            ]
        )

    def _continuings(self, size: int, place: BlockContext) -> Language[core.Block]:
        """With or without a `break if`."""
        plain = self.blocks(size, place)
        if size == 0:
            return plain
        before = self.blocks(size - 1, place)
        return merged([plain, self._break_ifs if size == 1 else concatenated(before, self._break_ifs)])


# ------------------------------------------------------------------------------------------------- in all WGSL, as text

EMPTY: Language[str] = {Traits(): ListedSet([""])}


class TextGrammar:
    """All blocks over some stores and conditions, by size and place; `varying` is what differs between threads.

    A block has the trait `lid` if it reads that. Size counts statements, a `break if` and a block among them.
    """

    def __init__(self, stores: tuple[str, ...], conditions: tuple[str, ...], varying: str) -> None:
        self._stores = merged([_one(text, Traits(lid=varying in text)) for text in stores])
        self._conditions = merged([_one(text, Traits(lid=varying in text)) for text in conditions])
        self.blocks = cache(self._blocks)
        self._statements = cache(self._blocks_of_one)

    def _blocks(self, size: int, place: BlockContext) -> Language[str]:
        """Every block of exactly `size` statements at `place`, without braces."""
        if not size:
            return EMPTY
        pairs = [
            joined(self._statements(first, place), self.blocks(size - first, place), behind, "{} {}".format)
            for first in range(1, size)
        ]
        return merged([*pairs, self._statements(size, place)])

    def _blocks_of_one(self, size: int, place: BlockContext) -> Language[str]:
        """Every statement that counts `size`."""
        if size == 1:
            return merged([self._stores, *_jumps(place)])
        if not place.nesting:
            return {}
        kinds = (self._braced, self._ifs, self._switches, self._loops, self._whiles)
        return merged([kind(size - 1, place) for kind in kinds])

    def _braced(self, size: int, place: BlockContext) -> Language[str]:
        return _mapped(self.blocks(size, place.inside()), lambda b: replace(b, last=None), "{{ {} }}")

    def _ifs(self, size: int, place: BlockContext) -> Language[str]:
        inner = place.inside()
        whole = _mapped(self.blocks(size, inner), lambda b: either(b, Traits()), "{{ {} }}")
        parts = [self._pairs(then, size - then, inner, "{{ {} }} else {{ {} }}") for then in range(1, size)]
        return self._under(merged([whole, *parts]), "if {} {}")

    def _switches(self, size: int, place: BlockContext) -> Language[str]:
        inner = replace(place.inside(), breaks=True)
        form = "switch 0 {{ case 1 {{ {} }} default {{ {} }} }}"
        clauses = merged([self._pairs(first, size - first, inner, form) for first in range(size + 1)])
        return _mapped(clauses, _left_by_break, "{}")

    def _loops(self, size: int, place: BlockContext) -> Language[str]:
        """Without and with a `continuing`, which ends with a `break if`."""
        inner, after = place.in_loop(), place.at_end()
        plain = _mapped(self.blocks(size, inner), _plain_loop, "loop {{ {} }}")
        ends = self._under(EMPTY, "break if {};{}")
        parts = [plain]
        for body in range(size):
            continuing = joined(self.blocks(size - body - 1, after), ends, in_turn, "{} {}".format)
            form = "loop {{ {} continuing {{ {} }} }}".format
            parts.append(joined(self.blocks(body, inner), continuing, _left_at_end, form))
        return merged(parts)

    def _whiles(self, size: int, place: BlockContext) -> Language[str]:
        bodies = _mapped(self.blocks(size, place.in_loop()), _left_by_condition, "{{ {} }}")
        return self._under(bodies, "while {} {}")

    def _pairs(self, one: int, other: int, place: BlockContext, form: str) -> Language[str]:
        return joined(self.blocks(one, place), self.blocks(other, place), either, form.format)

    def _under(self, blocks: Language[str], form: str) -> Language[str]:
        """Each under each condition."""
        return joined(self._conditions, blocks, lambda c, b: replace(b, lid=c.lid or b.lid), form.format)


def _one(text: str, traits: Traits) -> Language[str]:
    return {traits: ListedSet([text])}


def _jumps(place: BlockContext) -> list[Language[str]]:
    found = []
    if place.returns:
        found.append(_one("return;", Traits(RETURN, last=core.Return)))
    if place.breaks:
        found.append(_one("break;", Traits(BREAK, last=core.Break)))
    if place.continues:
        found.append(_one("continue;", Traits(CONTINUE, last=core.Continue)))
    return found


def _mapped(blocks: Language[str], traits: Callable[[Traits], Traits | None], form: str) -> Language[str]:
    """Each put into a form; without those of which `traits` says None."""
    return joined(blocks, EMPTY, lambda b, _: traits(b), lambda text, _: form.format(text))


def _left_by_break(clauses: Traits) -> Traits:
    """9.7: a `break` leaves the `switch`."""
    b = clauses.behaviours
    return replace(clauses, behaviours=(b | NEXT) & ~BREAK if b & BREAK else b)


def _plain_loop(body: Traits) -> Traits | None:
    """9.7: `loop {s}`; None for one that cannot be left."""
    b = body.behaviours
    after = (b | NEXT) & ~(BREAK | CONTINUE) if b & BREAK else b & ~(CONTINUE | NEXT)
    return replace(body, behaviours=after, last=None) if after else None


def _left_by_condition(body: Traits) -> Traits:
    """9.7: `while c {s}`, which its condition leaves."""
    return replace(body, behaviours=(body.behaviours | NEXT) & ~(BREAK | CONTINUE), last=None)


def _left_at_end(body: Traits, continuing: Traits) -> Traits:
    """9.7: a loop that a `break if` leaves; if its body only returns it does so, too."""
    whole = _left_by_condition(either(body, continuing))
    return replace(whole, behaviours=RETURN) if body.behaviours == RETURN else whole
