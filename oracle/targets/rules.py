"""`rules:NAME`, `rules:FILE.py`: analyses of our own, and of users, as targets: to point the fuzzer at known faults."""

from collections import deque
from collections.abc import Sequence

from wgsl_fuzz.oracle.rules.analyses import ANALYSES, Judgement, judgement_named
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX, RuleFileError
from wgsl_fuzz.oracle.targets.named import normal_path
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.targets.registry import State, TargetInfo, TargetRequest
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.tinywgsl.wellformed import behaviour_violations
from wgsl_fuzz.wgsl.reading import ParseError, parse

PREFIX = "rules"


def open_rules(request: TargetRequest) -> Target:
    """`rules:NAME` or `rules:FILE.py`; TargetError names the rule sets there are, or says what is wrong with a file."""
    return open_named(request.spec, request.path or request.spec)


def open_named(spec: str, name: str) -> Target:
    """The analysis of this name or in this file, as the target `spec`. Raises TargetError."""
    if name.endswith(SUFFIX):
        path = normal_path(name)
        spec, name = spec.removesuffix(name) + path, path
    try:
        return RulesTarget(spec, judgement_named(name))
    except RuleFileError as error:
        raise TargetError(str(error)) from error


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
        try:
            verdict = self._judgement(shader)
        except RuleFileError as error:
            raise TargetError(str(error)) from error
        return Answer(verdict, "" if verdict is Verdict.ACCEPTS else "error: a uniformity violation")
