"""The grammar of blocks in the whole language: as `grammar`, with blocks, `switch` and `while`, and written as text.

What stands directly behind a jump is left out, and so are loops that cannot be left, which are no WGSL. A `continue`
at the end of a body is there: without it the body has another behaviour.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from wgsl_fuzz.strategies.enumerate.grammar import Language, Traits, behind, either, in_turn, joined, merged
from wgsl_fuzz.strategies.enumerate.sets import ListedSet
from wgsl_fuzz.tinywgsl.ast import Break, Continue, Return
from wgsl_fuzz.tinywgsl.behaviour import BREAK, CONTINUE, NEXT, RETURN

EMPTY: Language[str] = {Traits(): ListedSet([""])}


@dataclass(frozen=True, slots=True)
class TextPlace:
    """Where a block stands: which jumps it may have, and how deeply other blocks may stand in it."""

    breaks: bool = False
    continues: bool = False
    returns: bool = True
    nesting: int = 3


class TextGrammar:
    """All blocks over some stores and conditions, by size and place; `varying` is what differs between threads.

    A block has the trait `lid` if it reads that. Size counts statements, a `break if` and a block among them.
    """

    def __init__(self, stores: tuple[str, ...], conditions: tuple[str, ...], varying: str) -> None:
        self._stores = merged([_one(text, Traits(lid=varying in text)) for text in stores])
        self._conditions = merged([_one(text, Traits(lid=varying in text)) for text in conditions])
        self._known: dict[tuple[int, TextPlace], Language[str]] = {}
        self._known_alone: dict[tuple[int, TextPlace], Language[str]] = {}

    def blocks(self, size: int, place: TextPlace) -> Language[str]:
        """Every block of exactly `size` statements at `place`, without braces."""
        if not size:
            return EMPTY
        known = self._known.get((size, place))
        if known is None:
            pairs = [
                joined(self._statements(first, place), self.blocks(size - first, place), behind, "{} {}".format)
                for first in range(1, size)
            ]
            known = self._known[size, place] = merged([*pairs, self._statements(size, place)])
        return known

    def _statements(self, size: int, place: TextPlace) -> Language[str]:
        """Every statement that counts `size`."""
        if size == 1:
            return merged([self._stores, *_jumps(place)])
        if not place.nesting:
            return {}
        known = self._known_alone.get((size, place))
        if known is None:
            inner = replace(place, nesting=place.nesting - 1)
            kinds = (self._braced, self._ifs, self._switches, self._loops, self._whiles)
            known = self._known_alone[size, place] = merged([kind(size - 1, inner) for kind in kinds])
        return known

    def _braced(self, size: int, inner: TextPlace) -> Language[str]:
        return _mapped(self.blocks(size, inner), lambda b: replace(b, last=None), "{{ {} }}")

    def _ifs(self, size: int, inner: TextPlace) -> Language[str]:
        whole = _mapped(self.blocks(size, inner), lambda b: either(b, Traits()), "{{ {} }}")
        parts = [self._pairs(then, size - then, inner, "{{ {} }} else {{ {} }}") for then in range(1, size)]
        return self._under(merged([whole, *parts]), "if {} {}")

    def _switches(self, size: int, inner: TextPlace) -> Language[str]:
        place = replace(inner, breaks=True)
        form = "switch 0 {{ case 1 {{ {} }} default {{ {} }} }}"
        clauses = merged([self._pairs(first, size - first, place, form) for first in range(size + 1)])
        return _mapped(clauses, _left_by_break, "{}")

    def _loops(self, size: int, inner: TextPlace) -> Language[str]:
        """Without and with a `continuing`, which ends with a `break if`."""
        place = replace(inner, breaks=True, continues=True)
        after = replace(inner, breaks=False, continues=False, returns=False)
        plain = _mapped(self.blocks(size, place), _loop, "loop {{ {} }}")
        ends = self._under(EMPTY, "break if {};{}")
        parts = [plain]
        for body in range(size):
            continuing = joined(self.blocks(size - body - 1, after), ends, in_turn, "{} {}".format)
            form = "loop {{ {} continuing {{ {} }} }}".format
            parts.append(joined(self.blocks(body, place), continuing, _left_at_end, form))
        return merged(parts)

    def _whiles(self, size: int, inner: TextPlace) -> Language[str]:
        place = replace(inner, breaks=True, continues=True)
        bodies = _mapped(self.blocks(size, place), _left_by_condition, "{{ {} }}")
        return self._under(bodies, "while {} {}")

    def _pairs(self, one: int, other: int, place: TextPlace, form: str) -> Language[str]:
        return joined(self.blocks(one, place), self.blocks(other, place), either, form.format)

    def _under(self, blocks: Language[str], form: str) -> Language[str]:
        """Each under each condition."""
        return joined(self._conditions, blocks, lambda c, b: replace(b, lid=c.lid or b.lid), form.format)


def _one(text: str, traits: Traits) -> Language[str]:
    return {traits: ListedSet([text])}


def _jumps(place: TextPlace) -> list[Language[str]]:
    found = []
    if place.returns:
        found.append(_one("return;", Traits(RETURN, last=Return)))
    if place.breaks:
        found.append(_one("break;", Traits(BREAK, last=Break)))
    if place.continues:
        found.append(_one("continue;", Traits(CONTINUE, last=Continue)))
    return found


def _mapped(blocks: Language[str], traits: Callable[[Traits], Traits | None], form: str) -> Language[str]:
    """Each put into a form; without those of which `traits` says None."""
    return joined(blocks, EMPTY, lambda b, _: traits(b), lambda text, _: form.format(text))


def _left_by_break(clauses: Traits) -> Traits:
    """9.7: a `break` leaves the `switch`."""
    b = clauses.behaviours
    return replace(clauses, behaviours=(b | NEXT) & ~BREAK if b & BREAK else b)


def _loop(body: Traits) -> Traits | None:
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
