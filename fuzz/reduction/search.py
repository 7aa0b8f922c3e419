"""The reducer: the smallest shader that still shows what was found, by edits on the AST.

The search is greedy: it takes the first simpler neighbour that is still interesting, and goes on from there. It ends
when no neighbour is interesting, nor any shader with two statements less. `size` strictly decreases, so it does end.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from wgsl_fuzz.fuzz.reduction.edits import Size, pairs, size, trimmed, variants
from wgsl_fuzz.fuzz.reduction.near_miss import differences_in_words, nearest_of
from wgsl_fuzz.fuzz.reduction.rename import plain_names, renamed
from wgsl_fuzz.tinywgsl.ast import Shader, count_statements, renumbered
from wgsl_fuzz.tinywgsl.wellformed import violations

Interesting = Callable[[Shader], Hashable]
"""Says what a shader shows: True and False, or a key and None."""
PAIRS_UP_TO = 24
"""Larger shaders have too many pairs of statements."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """The reduced shader, how many candidates were tried and asked about on the way, and what else was met."""

    shader: Shader
    tried: int
    asked: int
    nearest: Shader | None = None
    """The nearest simpler shader asked about that does not show it."""
    differs: tuple[str, ...] = ()
    """How `nearest` differs from the reduced shader, in words; lines are those of the plain prints."""
    noted: dict[Hashable, Shader] = field(default_factory=dict)
    """The smallest shader met that shows something else, by what it shows."""


def reduce(
    shader: Shader,
    interesting: Interesting,
    *,
    most: int = 20_000,
    give_up: Callable[[], bool] = lambda: False,
    wanted: Hashable = True,
    progress: Callable[[Shader, int], None] = lambda _shader, _asked: None,
) -> Reduction:
    """The smallest shader reached from `shader` for which `interesting` says `wanted`, as it must for `shader`.

    Every candidate is well-formed but for restriction (1), which WGSL does not have, numbered canonically, and free of
    unused locals and arrays. No candidate is asked about twice.

    The search stops after `most` candidates, or once `give_up` says so. `progress` is told each smaller shader and the
    number of questions so far. `noted` holds what `interesting` says of other candidates, unless it is False or None.
    """
    search = _Search(shader, interesting, most, give_up, wanted, progress)
    search.run()
    search.rename()
    nearest, differs = search.nearest()
    return Reduction(search.current, search.tried, search.asked, nearest, differs, search.noted)


class _Candidate(NamedTuple):
    """A neighbour as it is asked about."""

    shader: Shader
    measure: Size
    fits: bool
    """It is smaller than what was known then, and well-formed."""


class _Search:
    def __init__(
        self,
        shader: Shader,
        interesting: Interesting,
        most: int,
        give_up: Callable[[], bool],
        wanted: Hashable,
        progress: Callable[[Shader, int], None],
    ) -> None:
        self.current, self.best = shader, size(shader)
        self.tried = self.asked = 0
        self.noted: dict[Hashable, Shader] = {}
        self._interesting = interesting
        self._most, self._give_up = most, give_up
        self._wanted = wanted
        self._progress = progress
        self._seen: dict[Shader, tuple[Hashable]] = {}
        """What the shaders asked about show. (Not by their hashes: a barrier's is that of a `continue`.)"""
        self._tidied: dict[Shader, _Candidate] = {}
        """By the neighbours as the edits gave them: a third of them come again."""
        self._refused: list[tuple[Shader, Hashable]] = []
        """The neighbours tried since the last step, and what they show instead."""

    def run(self) -> None:
        """Steps until there is no smaller neighbour."""
        while self._pass(variants) or (count_statements(self.current) <= PAIRS_UP_TO and self._pass(pairs, once=True)):
            pass

    def over(self) -> bool:
        """Whether the budget is spent."""
        return self.tried >= self._most or self._give_up()

    def _pass(self, edit: Callable[[Shader], Iterator[Shader]], *, once: bool = False) -> bool:
        """Takes every step found while going through the neighbours; whether there was one."""
        changed, position = False, 0
        neighbours = edit(self.current)
        while not self.over() and (candidate := next(neighbours, None)) is not None:
            self.tried += 1
            if not self._take(candidate):
                position += 1
                continue
            changed = True
            if once:
                break
            neighbours = islice(edit(self.current), position, None)  # on from here, not from the start
        return changed

    def _take(self, neighbour: Shader) -> bool:
        tidied = self._tidied.get(neighbour)  # looked up once: a shader's hash costs as much as a pass over it
        if tidied is None:
            tidied = self._tidied[neighbour] = self._tidy(neighbour)
        candidate, measure, fits = tidied
        if not fits or measure >= self.best:
            return False
        known = self._seen.get(candidate)
        if known is None:
            known = self._seen[candidate] = (self._shows(candidate),)
        (shown,) = known
        if shown != self._wanted:
            if not self._give_up():  # an answer cut short says nothing
                self._refused.append((candidate, shown))
            return False
        self.current, self.best = candidate, measure
        self._refused.clear()
        self._progress(candidate, self.asked)
        return True

    def _tidy(self, neighbour: Shader) -> _Candidate:
        candidate = renumbered(trimmed(neighbour))
        measure = size(candidate)
        fits = measure < self.best and not violations(candidate, main_may_return=True)
        return _Candidate(candidate, measure, fits)

    def _shows(self, candidate: Shader) -> Hashable:
        self.asked += 1
        shown = self._interesting(candidate)
        if shown and shown != self._wanted:
            known = self.noted.get(shown)
            if known is None or size(candidate) < size(known):
                self.noted[shown] = candidate
        return shown

    def rename(self) -> None:
        """Plain names, if it still shows with them."""
        names = plain_names(self.current)
        changed = renamed(self.current, names)
        if changed != self.current and not violations(changed, main_may_return=True):
            self.asked += 1
            if self._interesting(changed) == self._wanted:
                self._refused = [(renamed(s, names), shown) for s, shown in self._refused]
                self.current = changed

    def nearest(self) -> tuple[Shader | None, tuple[str, ...]]:
        """Of the last neighbours, the one that shows nothing and differs least, and how."""
        silent = [s for s, shown in self._refused if not shown] or [s for s, _ in self._refused]
        nearest = nearest_of(self.current, silent)
        return nearest, () if nearest is None else differences_in_words(self.current, nearest)


def is_one_minimal(shader: Shader, interesting: Interesting, *, wanted: Hashable = True) -> bool:
    """Whether no well-formed smaller neighbour of a shader shows what is wanted."""
    measure: Size = size(shader)
    for candidate in chain(variants(shader), pairs(shader)):
        candidate = renumbered(trimmed(candidate))
        if (
            size(candidate) < measure
            and not violations(candidate, main_may_return=True)
            and interesting(candidate) == wanted
        ):
            return False
    return True
