"""A second start: what the generator chose is reduced instead of the shader, which leaves other local minima.

Deleting what one grammar item chose moves the choices after it to other items, so whole parts of a shader change at
once. No edit of the tree does that. What comes out is a start for the AST reducer.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from wgsl_fuzz.fuzz.reduction.edits import size
from wgsl_fuzz.fuzz.reduction.search import Interesting, Reduction, reduce
from wgsl_fuzz.strategies import Profile
from wgsl_fuzz.strategies.choices.source import RandomSource, Source
from wgsl_fuzz.strategies.generate.shaders import draw
from wgsl_fuzz.tinywgsl.ast import Shader, renumbered

MOST = 2_000
"""Candidates that the AST reducer tries from a second start: three times what reductions need."""


class _Span(NamedTuple):
    """The choices of one grammar item: from `first` to before `end`."""

    first: int
    end: int
    label: int


class _ReplayedSource(Source):
    """Plays the choices given, each moved into the range asked for; records what it played, and the items' spans.

    After the last of them it plays those of `beyond`, or the smallest ones.
    """

    def __init__(self, given: list[int], beyond: Source | None = None) -> None:
        self.choices: list[int] = []
        self.smallest: list[int] = []
        self.spans: list[_Span] = []
        self._given = given
        self._beyond = beyond
        self._open: list[tuple[int, int]] = []

    def _integer(self, lo: int, hi: int) -> int:
        at = len(self.choices)
        if at < len(self._given):
            made = min(max(self._given[at], lo), hi)
        else:
            made = lo if self._beyond is None else self._beyond.integer(lo, hi)
        self.choices.append(made)
        self.smallest.append(lo)
        return made

    def begin(self, label: int) -> None:
        """Opens a span."""
        self._open.append((len(self.choices), label))

    def end(self) -> None:
        """Closes the innermost span."""
        first, label = self._open.pop()
        if first < len(self.choices):
            self.spans.append(_Span(first, len(self.choices), label))


_Measure = Callable[[_ReplayedSource, Shader], Any]
"""What a step must make smaller; values of one measure compare."""


def _of_shader(_: _ReplayedSource, shader: Shader) -> tuple[int, int, int]:
    return size(shader)


def _of_choices(source: _ReplayedSource, _: Shader) -> tuple[int, list[int]]:
    return len(source.choices), source.choices


MEASURES: tuple[_Measure, ...] = (_of_shader, _of_choices)
"""Each leads to other minima, so a finding is reduced by both."""


class _ChoiceReducer:
    """Takes every step that makes `measure` smaller and stays interesting; `best` is the smallest shader met."""

    def __init__(self, seed: int, profile: Profile, interesting: Interesting, measure: _Measure) -> None:
        self.source = _ReplayedSource([], RandomSource(seed))
        self.best: Shader = renumbered(draw(self.source, profile))
        self._profile = profile
        self._interesting = interesting
        self._measure = measure
        self._least = measure(self.source, self.best)
        self._known: set[Shader] = set()

    def step(self, choices: list[int]) -> bool:
        """Whether the shader of these choices is a step; it is taken then."""
        source = _ReplayedSource(choices)
        shader = renumbered(draw(source, self._profile))
        if shader in self._known or self._measure(source, shader) >= self._least:
            return False
        self._known.add(shader)
        if not self._interesting(shader):
            return False
        self.source, self._least = source, self._measure(source, shader)
        self.best = min(self.best, shader, key=size)
        return True

    def candidates(self) -> Iterator[list[int]]:
        """The choices without those of an item, with an inner item's instead, or the smallest; then single ones."""
        choices, smallest = self.source.choices, self.source.smallest
        spans = sorted(set(self.source.spans), key=lambda s: (s.first - s.end, s.first))
        for first, end, label in spans:
            before, after = choices[:first], choices[end:]
            yield before + after
            inner = [s for s in spans if s.label == label and first <= s.first and s.end <= end]
            yield from (before + choices[s.first : s.end] + after for s in inner[1:3])
            yield before + smallest[first:end] + after
        for i, (choice, least) in enumerate(zip(choices, smallest)):
            for lower in sorted({least, (least + choice) // 2, choice - 1} - {choice}):
                if lower >= least:
                    yield [*choices[:i], lower, *choices[i + 1 :]]


def _never() -> bool:
    return False


def second_start(
    seed: int,
    profile: Profile,
    interesting: Interesting,
    most: int,
    give_up: Callable[[], bool] = _never,
    *,
    measure: _Measure = _of_shader,
) -> Shader | None:
    """The smallest shader met while the choices of `draw_shader(seed, profile)` are reduced; None if none is smaller.

    At most `most` candidates are drawn: the answer is a function of the shader and of `interesting` alone.
    """
    search = _ChoiceReducer(seed, profile, interesting, measure)
    start, drawn = search.best, 0
    stepped = True
    while stepped:
        stepped = False
        for choices in search.candidates():
            if drawn >= most or give_up():
                break
            drawn += 1
            if search.step(choices):
                stepped = True
                break
    return None if search.best is start else search.best


def reduce_twice(
    seed: int,
    profile: Profile,
    first: Reduction,
    interesting: Interesting,
    most: int,
    give_up: Callable[[], bool] = _never,
) -> Reduction:
    """The smallest of `first` and of what the AST reducer makes of a second start by each measure."""
    reductions = [first]
    for measure in MEASURES:
        start = second_start(seed, profile, interesting, most, give_up, measure=measure)
        if start is not None:
            reductions.append(reduce(start, interesting, most=MOST, give_up=give_up))
    return min(reductions, key=lambda reduction: size(reduction.shader))
