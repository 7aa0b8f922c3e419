"""Targets played by analyses with known faults."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import ALIASES, DEPARTURES, INTENT, judge_wgsl
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES
from wgsl_fuzz.oracle.targets.rules import answer_whole
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.tinywgsl.ast import Loop, Shader, walk
from wgsl_fuzz.wgsl.raising import raised
from wgsl_fuzz.wgsl.reading import ParseError, parse

REVERSIONS: Mapping[str, Rules] = {figure: DEPARTURES[name].rules for figure, name in FIGURES.items()}
"""Each of the four changes that the paper brought about alone taken back, by the paper's figure."""


def departing(names: Iterable[str]) -> Rules:
    """The rules with the departures of these names."""
    return Rules(DEPARTURES[ALIASES.get(name, name)] for name in names)


class FakeTarget:
    """A target that judges texts with `rules`, unless `instead` has an answer of its own.

    A text that is not TinyWGSL is judged with `whole`.
    """

    origin = "a fake"

    def __init__(
        self,
        rules: Rules = INTENT,
        instead: Callable[[Shader], Answer | None] = lambda _: None,
        *,
        name: str = "fake",
        checks_uniformity: bool = True,
        whole: Rules = INTENT,
    ) -> None:
        self.name = name
        self.checks_uniformity = checks_uniformity
        self.closed = False
        self.asked = 0
        self._rules = rules
        self._instead = instead
        self._whole = whole
        self._batches: deque[list[Answer]] = deque()

    def submit(self, texts: Sequence[str]) -> None:
        self.asked += len(texts)
        self._batches.append([self._answered(text) for text in texts])

    def collect(self) -> list[Answer]:
        return self._batches.popleft()

    def close(self) -> None:
        self.closed = True

    def _answered(self, text: str) -> Answer:
        try:
            shader = parse(text)
        except ParseError:
            return answer_whole(self._whole, text)
        return self._answer(shader)

    def _answer(self, shader: Shader) -> Answer:
        answer = self._instead(shader)
        if answer is not None:
            return answer
        verdict = judge_wgsl(raised(shader), self._rules).verdict
        return Answer(verdict, "" if verdict is Verdict.ACCEPTS else "error: not uniform")


def crashes_on_loops(shader: Shader) -> Answer | None:
    """An answer `instead`: a crash, if there is a loop in main."""
    looped = any(isinstance(s, Loop) for s in walk(shader.main.body))
    return Answer(Verdict.CRASHED, "signal 11") if looped else None
