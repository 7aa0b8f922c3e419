"""Runs a function of a source under every list of choices, beginning with the lists nearest to a known one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from wgsl_fuzz.strategies.choices.source import ChoiceSource

_T = TypeVar("_T")

Choices = tuple[int, ...]
"""What a source chose, as `RecordingSource` keeps it."""


@dataclass(slots=True)
class _Guided(ChoiceSource):
    """Plays given choices, then those nearest to others that are known; keeps what it chose and from what."""

    given: Choices
    near: Choices
    chosen: list[tuple[int, Sequence[int]]] = field(default_factory=list)
    """Which of some options, by its index, and the options."""
    tries_all = True

    def _integer(self, lo: int, hi: int) -> int:
        return self._choose(range(lo, hi + 1))

    def percent(self, chance: int) -> bool:
        """Two ways, not a hundred."""
        if chance <= 0 or chance >= 100:
            return chance >= 100
        return self._choose((0, 99), least=100 - chance) > 0

    def _choose(self, options: Sequence[int], least: int | None = None) -> int:
        at = len(self.chosen)
        if at < len(self.given):
            made = self.given[at]
        else:
            wanted = self.near[at] if at < len(self.near) else options[0]
            made = int(wanted >= least) if least is not None else min(max(wanted - options[0], 0), len(options) - 1)
        self.chosen.append((made, options))
        return options[made]


def ways(function: Callable[[ChoiceSource], _T], near: Choices = ()) -> Iterator[tuple[_T, Choices]]:
    """What `function` makes of every list of choices that it can ask for, each once, and the list.

    The list `near` comes first, as far as it can be followed. Lists that differ from it in one choice follow, then
    those that differ in two, and so on. Among equals, earlier and smaller differences come first. A caller that stops
    early has therefore seen the nearest variations. Ends if the function asks for finitely many choices.
    """
    starts: list[Choices] = [()]
    while starts:
        further: list[Choices] = []
        for start in starts:
            source = _Guided(start, near)
            made = function(source)
            yield made, tuple([options[i] for i, options in source.chosen])
            taken = tuple([i for i, _ in source.chosen])
            for at in range(len(start), len(taken)):
                others = (i for i in range(len(source.chosen[at][1])) if i != taken[at])
                further += [(*taken[:at], i) for i in sorted(others, key=lambda i: abs(i - taken[at]))]
        starts = further
