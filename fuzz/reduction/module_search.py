"""The reducer for the whole of WGSL: the smallest module that still shows what was found, by edits on the tree.

The search is greedy: it takes the first smaller neighbour that is still interesting, and goes on from there. It ends
when no neighbour is interesting, nor a module with two statements less. `size` strictly decreases, so it does end.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice

from wgsl_fuzz.fuzz.reduction.module_context import Context
from wgsl_fuzz.fuzz.reduction.module_edits import SORTS, Sort
from wgsl_fuzz.fuzz.reduction.module_pairs import PAIR_SORTS
from wgsl_fuzz.fuzz.reduction.module_rename import (
    plain_names,
    plainly_spelled,
    renamed,
    with_plain_order,
    with_unique_names,
)
from wgsl_fuzz.fuzz.reduction.module_size import Size, Sizes, count_statements, size
from wgsl_fuzz.fuzz.reduction.near_miss import changes_in_words, nearest_text
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.deep import deep
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Module

Interesting = Callable[[Resolution], Hashable]
"""Says what a module shows: True and False, or a key and None."""
PAIRS_UP_TO = 16
"""Larger modules have too many pairs of statements."""


@dataclass(frozen=True, slots=True)
class ModuleReduction:
    """The reduced module, how many candidates were looked at and asked about, and what else was met."""

    resolution: Resolution
    tried: int
    asked: int
    nearest: str | None = None
    """The text of the nearest simpler module asked about that does not show it."""
    differs: tuple[str, ...] = ()
    """How `nearest` differs from the reduced module, in words; lines are those of the plain print."""
    noted: dict[Hashable, str] = field(default_factory=dict)
    """The text of the smallest module met that shows something else, by what it shows."""

    @property
    def text(self) -> str:
        """The reduced module as the printer writes it."""
        return print_module(self.resolution.module)

    @property
    def statements(self) -> int:
        """How many statements it has."""
        return count_statements(self.resolution.module)


def valid(module: Module) -> Resolution | None:
    """The meaning of a module whose names resolve and whose behaviours are valid; None for any other."""
    try:
        resolution = resolve(module)
        behaviours = BehaviourAnalysis()
        for f in resolution.functions:
            behaviours.check(f)
    except WgslError:
        return None
    return resolution


def reduce_module(
    resolution: Resolution,
    interesting: Interesting,
    *,
    most: int = 20_000,
    give_up: Callable[[], bool] = lambda: False,
    wanted: Hashable = True,
    progress: Callable[[Resolution, int], None] = lambda _resolution, _asked: None,
) -> ModuleReduction:
    """The smallest module reached for which `interesting` says `wanted`, as it must for the one given.

    Every candidate has names that resolve and valid behaviours, and values keep their types as far as those are known.
    No candidate is asked about twice. The search stops after `most` candidates, or once `give_up` says so. `progress`
    is told each smaller module and the number of questions so far. `noted` holds what `interesting` says of other
    candidates, unless it is False or None.
    """
    return deep(lambda: _Search(resolution, interesting, most, give_up, wanted, progress).reduction())


class _Search:
    def __init__(
        self,
        resolution: Resolution,
        interesting: Interesting,
        most: int,
        give_up: Callable[[], bool],
        wanted: Hashable,
        progress: Callable[[Resolution, int], None],
    ) -> None:
        self._sizes = Sizes()
        self.best = self._sizes.of(resolution.module)
        self._go_on(resolution)
        self.tried = self.asked = 0
        self.noted: dict[Hashable, tuple[Size, str]] = {}
        self._interesting = interesting
        self._most, self._give_up = most, give_up
        self._wanted = wanted
        self._progress = progress
        self._seen: set[str] = set()
        """The texts that were looked at."""
        self._refused: list[Resolution] = []
        """The modules asked about since the last step that show nothing."""

    def reduction(self) -> ModuleReduction:
        """Runs the search."""
        if not self._over():
            self._rename(with_unique_names(self.current))
            self.run()
            self._rename(with_plain_order(self.current))
        names = plain_names(self.current)
        is_renamed = not self._over() and self._rename(plainly_spelled(renamed(self.current, names)))
        text = print_module(self.current.module)
        others = [plainly_spelled(renamed(other, names)) if is_renamed else other.module for other in self._refused]
        nearest = nearest_text(text, [print_module(other) for other in others])
        differs = () if nearest is None else changes_in_words(text, nearest)
        noted = {shown: other for shown, (_, other) in self.noted.items()}
        return ModuleReduction(self.current, self.tried, self.asked, nearest, differs, noted)

    def run(self) -> None:
        """Steps until there is no smaller neighbour."""
        while True:
            self._one_by_one()
            is_small = count_statements(self.current.module) <= PAIRS_UP_TO
            if not is_small or not any(self._pass(sort, once=True) for sort in PAIR_SORTS):
                return

    def _one_by_one(self) -> None:
        """Steps until no single edit helps: until every sort of them was tried since the last step."""
        idle = 0
        for sort in cycle(SORTS.values()):
            idle = 0 if self._pass(sort) else idle + 1
            if idle == len(SORTS):
                return

    def _over(self) -> bool:
        """Whether the budget is spent."""
        return self.tried >= self._most or self._give_up()

    def _pass(self, sort: Sort, *, once: bool = False) -> bool:
        """Takes every step found while going through the neighbours; whether there was one."""
        changed, position = False, 0
        neighbours = sort(self._context)
        while not self._over() and (candidate := next(neighbours, None)) is not None:
            self.tried += 1
            if not self._take(candidate):
                position += 1
                continue
            changed = True
            if once:
                break
            neighbours = islice(sort(self._context), position, None)  # on from here, not from the start
        return changed

    def _take(self, candidate: Module) -> bool:
        measure = self._sizes.of(candidate)
        if measure >= self.best:
            return False
        text = print_module(candidate)
        if text in self._seen:
            return False
        self._seen.add(text)
        resolution = valid(candidate)
        if resolution is None:
            return False
        shown = self._shows(resolution, measure, text)
        if shown != self._wanted:
            if not shown and not self._give_up():  # an answer cut short says nothing
                self._refused.append(resolution)
            return False
        self.best = measure
        self._go_on(resolution)
        self._refused.clear()
        self._progress(resolution, self.asked)
        return True

    def _shows(self, resolution: Resolution, measure: Size, text: str) -> Hashable:
        self.asked += 1
        shown = self._interesting(resolution)
        if shown and shown != self._wanted:
            known = self.noted.get(shown)
            if known is None or measure < known[0]:
                self.noted[shown] = measure, text
        return shown

    def _rename(self, module: Module) -> bool:
        """Other names, if it still shows with them; whether the module has them now."""
        if module == self.current.module:
            return True
        resolution = valid(module)
        self.asked += resolution is not None
        if resolution is None or self._interesting(resolution) != self._wanted:
            return False
        self._go_on(resolution)
        return True

    def _go_on(self, resolution: Resolution) -> None:
        """Goes on from another module."""
        self.current = resolution
        self._context = Context(resolution)
        self._sizes.keep(resolution.module)


def smaller_neighbours(resolution: Resolution) -> Iterator[Resolution]:
    """The valid modules one edit away that are smaller."""
    measure = size(resolution.module)
    context = Context(resolution)
    for sort in SORTS.values():
        for candidate in sort(context):
            smaller = valid(candidate) if size(candidate) < measure else None
            if smaller is not None:
                yield smaller


def read(text: str) -> Resolution | None:
    """The module that a text is; None for one that is not valid, as far as that is looked at."""
    try:
        return valid(parse(text))
    except WgslError:
        return None
