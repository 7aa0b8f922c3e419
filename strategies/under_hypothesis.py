"""Strategies for Hypothesis. Nothing that a campaign imports needs it: its import takes a fifth of the time of ours."""

from collections.abc import Callable
from typing import TypeVar

from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.strategies import SearchStrategy

from wgsl_fuzz.strategies.choices.source import ChoiceSource

_T = TypeVar("_T")


class HypothesisSource(ChoiceSource):
    """Choices of Hypothesis's engine, with its spans."""

    def __init__(self, data: ConjectureData) -> None:
        self._data = data

    def begin(self, label: int) -> None:
        self._data.start_span(label)

    def end(self) -> None:
        self._data.stop_span()

    def _integer(self, lo: int, hi: int) -> int:
        return self._data.draw_integer(lo, hi, shrink_towards=lo)


class DrawnBy(SearchStrategy[_T]):
    """The strategy that draws with a function of a source; a `composite` would be 10 to 18 times slower."""

    def __init__(self, draw: Callable[[ChoiceSource], _T]) -> None:
        super().__init__()
        self._draw = draw

    def do_draw(self, data: ConjectureData) -> _T:
        """Hypothesis's hook: draws one value."""
        return self._draw(HypothesisSource(data))

    def __repr__(self) -> str:
        return f"DrawnBy({getattr(self._draw, '__name__', self._draw)!s})"
