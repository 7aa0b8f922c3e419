"""Runs a function of a source under every list of choices, beginning with the lists nearest to a known one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from wgsl_fuzz.strategies.choices.source import ChoiceSource

_T = TypeVar("_T")

Choices = tuple[int, ...]
"""What a source chose, as `RecordingSource` keeps it."""


@dataclass(frozen=True, slots=True)
class Variation(Generic[_T]):
    """What a function made of some choices."""

    made: _T
    choices: Choices


class _Choice(NamedTuple):
    made: int
    """Which of the options, by its index."""
    options: Sequence[int]


@dataclass(slots=True)
class _Guided(ChoiceSource):
    """Plays given choices, then those nearest to others that are known; keeps what it chose and from what."""

    given: Choices
    near: Choices
    chosen: list[_Choice] = field(default_factory=list)
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
        self.chosen.append(_Choice(made, options))
        return options[made]


def ways(function: Callable[[ChoiceSource], _T], near: Choices = ()) -> Iterator[Variation[_T]]:
    """What `function` makes of every list of choices that it can ask for, each once.

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
            yield Variation(made, tuple([choice.options[choice.made] for choice in source.chosen]))
            taken = tuple([choice.made for choice in source.chosen])
            for at in range(len(start), len(taken)):
                others = (i for i in range(len(source.chosen[at].options)) if i != taken[at])
                further += [(*taken[:at], i) for i in sorted(others, key=lambda i: abs(i - taken[at]))]
        starts = further
