"""Where choices come from: Hypothesis, or a seeded `random.Random`, or a recorded list.

Every source consumes the same choices for the same shader, so a campaign's shader can be replayed and shrunk under
Hypothesis. The smallest choice comes first everywhere, since Hypothesis shrinks towards the lower end.
"""

import random
from collections.abc import Sequence
from typing import Generic, TypeVar

_T = TypeVar("_T")


class ChoiceSource:
    """A thin source of choices. Subclasses provide `_integer`; spans matter to Hypothesis only."""

    tries_all = False
    """Whether every list of choices is tried: then only choices that analyses tell apart are offered."""

    def _integer(self, lo: int, hi: int) -> int:
        raise NotImplementedError

    def begin(self, label: int) -> None:
        """Opens a span: the choices of one grammar item. `label` tells kinds of items apart."""

    def end(self) -> None:
        """Closes the innermost span."""

    def integer(self, lo: int, hi: int) -> int:
        """An integer of lo..hi, both included; no choice is consumed if there is only one."""
        return lo if lo == hi else self._integer(lo, hi)

    def percent(self, chance: int) -> bool:
        """True in `chance` of 100 cases; False is the smaller choice. Nothing is consumed for 0 and 100."""
        if chance <= 0 or chance >= 100:
            return chance >= 100
        return self._integer(0, 99) >= 100 - chance

    def pick(self, items: Sequence[_T]) -> _T:
        """One of `items`, all alike; the first is the smallest choice."""
        return items[self.integer(0, len(items) - 1)]

    def weighted(self, table: "Odds[_T]") -> _T:
        """One item of a table of weights; the first is the smallest choice."""
        return table.slots[self.integer(0, table.total - 1)]


class Odds(Generic[_T]):
    """Items with integer weights, prepared for `ChoiceSource.weighted`: each has as many slots as it weighs."""

    __slots__ = ("slots", "total")

    def __init__(self, rows: Sequence[tuple[_T, int]]) -> None:
        slots: list[_T] = []
        for item, weight in rows:
            slots += [item] * weight
        self.slots = slots
        self.total = len(slots)


class RandomSource(ChoiceSource):
    """Choices of a seeded `random.Random`: for campaigns."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def _integer(self, lo: int, hi: int) -> int:
        # The bias of scaling a 53-bit float is below 2^-20 for the ranges in use, and it is twice as fast as randint.
        return lo + int(self._random() * (hi - lo + 1))

    # The same choices as `ChoiceSource` makes of `_integer`, without the calls: a third of generating is spent here.

    def integer(self, lo: int, hi: int) -> int:
        return lo if lo == hi else lo + int(self._random() * (hi - lo + 1))

    def percent(self, chance: int) -> bool:
        return self._random() * 100 >= 100 - chance if 0 < chance < 100 else chance >= 100

    def pick(self, items: Sequence[_T]) -> _T:
        count = len(items)
        return items[int(self._random() * count)] if count > 1 else items[0]

    def weighted(self, table: "Odds[_T]") -> _T:
        total = table.total
        return table.slots[int(self._random() * total)] if total > 1 else table.slots[0]


class RecordingSource(ChoiceSource):
    """Passes another source's choices on and keeps them in `choices`."""

    def __init__(self, inner: ChoiceSource) -> None:
        self._inner = inner
        self.choices: list[int] = []

    def _integer(self, lo: int, hi: int) -> int:
        value = self._inner.integer(lo, hi)
        self.choices.append(value)
        return value
