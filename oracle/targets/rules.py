"""`rules:NAME`: one of our own analyses as a target, so that the fuzzer can be pointed at known faults."""

from collections import deque
from collections.abc import Sequence

from oracle.rules.analyses import ANALYSES, Judgement
from oracle.targets.protocol import Target, TargetError
from oracle.targets.registry import State, TargetInfo, TargetRequest
from oracle.verdict import Answer, Verdict
from tinywgsl.parser import ParseError, parse
from tinywgsl.wellformed import behaviour_violations

PREFIX = "rules"


def open_rules(request: TargetRequest) -> Target:
    """`rules:NAME`; TargetError names the rule sets there are."""
    judgement = ANALYSES.get(request.path or "")
    if judgement is None:
        raise TargetError(f"unknown rule set {request.path or request.spec!r}; known: {', '.join(ANALYSES)}")
    return RulesTarget(request.spec, judgement)


def rules_infos() -> Sequence[TargetInfo]:
    """One line a rule set."""
    return [TargetInfo(f"{PREFIX}:{name}", "our own, in process", State.INSTALLED) for name in ANALYSES]


class RulesTarget:
    """Parses each text and judges it; what is not TinyWGSL is INVALID."""

    origin = "our own, in process"
    checks_uniformity = True

    def __init__(self, name: str, judgement: Judgement) -> None:
        self.name = name
        self._judgement = judgement
        self._batches: deque[tuple[str, ...]] = deque()

    def submit(self, texts: Sequence[str]) -> None:
        """Keeps the batch; it is judged when it is collected."""
        self._batches.append(tuple(texts))

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch."""
        return [self._answer(text) for text in self._batches.popleft()]

    def close(self) -> None:
        """Nothing to end."""

    def _answer(self, text: str) -> Answer:
        try:
            shader = parse(text)
        except ParseError as error:
            return Answer(Verdict.INVALID, str(error))
        for violation in behaviour_violations(shader):
            return Answer(Verdict.INVALID, str(violation))
        verdict = self._judgement(shader)
        return Answer(verdict, "" if verdict is Verdict.ACCEPTS else "error: not uniform")
