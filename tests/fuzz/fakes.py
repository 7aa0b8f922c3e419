"""Targets played by analyses with known faults."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.variants.history import HISTORY
from wgsl_fuzz.oracle.targets.families.rules import answer_whole
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.tinywgsl.ast import Loop, Shader, walk
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolve import resolve


def without(*figures: str) -> Rules:
    """The rules without some of the changes of the paper's section 5, named by its figures: `10a`."""
    return Rules(v for v in HISTORY if v.name.rpartition("/")[2] in figures)


class FakeTarget:
    """A target that judges texts with `rules`, unless `instead` has an answer of its own about the TinyWGSL shader."""

    origin = "a fake"

    def __init__(
        self,
        rules: Rules = UNCHANGED,
        instead: Callable[[Shader], Answer | None] | None = None,
        *,
        name: str = "fake",
        checks_uniformity: bool = True,
    ) -> None:
        self.name = name
        self.checks_uniformity = checks_uniformity
        self.closed = False
        self.asked = 0
        self._rules = rules
        self._instead = instead
        self._batches: deque[list[Answer]] = deque()

    def submit(self, texts: Sequence[str]) -> None:
        self.asked += len(texts)
        self._batches.append([self._answered(text) for text in texts])

    def collect(self) -> list[Answer]:
        return self._batches.popleft()

    def close(self) -> None:
        self.closed = True

    def _answered(self, text: str) -> Answer:
        answer = None if self._instead is None else self._of_core(self._instead, text)
        return answer_whole(self._rules, text) if answer is None else answer

    @staticmethod
    def _of_core(instead: Callable[[Shader], Answer | None], text: str) -> Answer | None:
        try:
            shader = core_of(resolve(parse(text))).shader
        except WgslError:
            return None
        return None if shader is None else instead(shader)


class Blaming(FakeTarget):
    """A target that says, as Tint does, for which operation it rejects."""

    def _answered(self, text: str) -> Answer:
        answer = super()._answered(text)
        if answer.verdict is not Verdict.REJECTS:
            return answer
        case = read_module(text, self._rules)
        one = next(e for e in case.explanations if e.severity is Severity.ERROR)
        start, end = one.steps[one.depth].span
        (line, column), name = case.source.position(start), text[start:end].partition("(")[0]
        return replace(answer, message=f"{line}:{column} error: '{name}' must only be called from uniform control flow")


def play(monkeypatch: pytest.MonkeyPatch, make: Callable[[str], Target]) -> None:
    """Has commands open, for each name of a target, what is made for it."""
    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.answers.open_target", lambda name, **_: make(name))


class Reader(FakeTarget):
    """A target that is wrong about some texts, whatever shader they are of."""

    def __init__(
        self, wrong: Callable[[str], Answer | None], name: str = "fake", *, checks_uniformity: bool = True
    ) -> None:
        super().__init__(name=name, checks_uniformity=checks_uniformity)
        self._wrong = wrong

    def _answered(self, text: str) -> Answer:
        return self._wrong(text) or super()._answered(text)


def no_for(text: str) -> Answer | None:
    """What a front end without `for` says of a text."""
    return Answer(Verdict.INVALID, "error: unknown statement") if "for (" in text else None


def crashes_on_loops(shader: Shader) -> Answer | None:
    """An answer `instead`: a crash, if there is a loop in main."""
    looped = any(isinstance(s, Loop) for s in walk(shader.main.body))
    return Answer(Verdict.CRASHED, "signal 11") if looped else None
