"""Compares verdicts and decides what is a finding (DESIGN, section 3)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import combinations

from oracle.analysis import analyse
from oracle.execution import Execution
from oracle.rules import PAPER, RULE_SETS, SWITCHES, Rules, differences, without
from oracle.verdict import Answer, Outcome, Verdict
from tinywgsl.ast import Shader

REFERENCE = "paper"
"""The reference's name among the oracles."""


class Kind(Enum):
    """The kinds of findings, most severe first."""

    UNSOUND = "unsound"
    TOO_LENIENT = "too-lenient"
    TOO_STRICT = "too-strict"
    INVALID = "invalid"
    CRASH = "crash"
    HANG = "hang"
    UNSTABLE = "unstable"
    METAMORPHIC = "metamorphic"


VERDICTS_DIFFER = frozenset({Kind.UNSOUND, Kind.TOO_LENIENT, Kind.TOO_STRICT})
"""The kinds that say something of the analysis; the others are about the target as a program."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One oracle's answer that is a finding, and the raw key by which findings are counted together."""

    target: str
    kind: Kind
    answer: Answer
    cause: str
    """The changes of section 5 whose reversal reproduces the target's verdict (`10b`), else a rule set that does."""

    @property
    def key(self) -> str:
        """The raw bucket: target, kind and cause; one bucket for a target that has no uniformity analysis."""
        if self.cause == NOT_IMPLEMENTED:
            return unimplemented(self.target)
        return f"{self.target} {self.kind.value} {self.cause}"


NOT_IMPLEMENTED = "uniformity not implemented"
UNEXPLAINED = "no reversal explains it"
COUNTEREXAMPLE = "counterexample to Theorem 4.1"


def unimplemented(target: str) -> str:
    """The one bucket of a target that declares to have no uniformity analysis."""
    return f"{target} {NOT_IMPLEMENTED}"


def kind_of(reference: Verdict, answer: Answer, diverges: Callable[[], bool]) -> Kind | None:
    """The kind of finding that `answer` is, if any; `diverges` asks the semantics and is called only if needed."""
    match answer.verdict:
        case Verdict.CRASHED:
            return Kind.CRASH
        case Verdict.TIMED_OUT:
            return Kind.HANG
        case Verdict.INVALID:
            return Kind.INVALID
        case Verdict.REJECTS:
            return Kind.TOO_STRICT if reference is Verdict.ACCEPTS else None
        case Verdict.ACCEPTS:
            if diverges():
                return Kind.UNSOUND
            return Kind.TOO_LENIENT if reference is Verdict.REJECTS else None


def judge(
    shader: Shader,
    reference: Verdict,
    execute: Callable[[], Execution],
    answers: Mapping[str, Answer],
    without_uniformity: frozenset[str] = frozenset(),
) -> list[Disagreement]:
    """The findings among the answers to one well-formed shader.

    The semantics (`execute`, called at most when needed) decides between unsound and too lenient. A shader that the
    reference accepts and that diverges is a finding against the reference itself: a counterexample to Theorem 4.1.
    """

    def diverges() -> bool:
        return execute().outcome is Outcome.DIVERGES

    found = []
    if reference is Verdict.ACCEPTS and diverges():
        found.append(Disagreement(REFERENCE, Kind.UNSOUND, Answer(reference), COUNTEREXAMPLE))
    for target, answer in answers.items():
        kind = kind_of(reference, answer, diverges)
        if kind is not None:
            cause = cause_of(shader, reference, kind, answer, target, implemented=target not in without_uniformity)
            found.append(Disagreement(target, kind, answer, cause))
    return found


def cause_of(
    shader: Shader, reference: Verdict, kind: Kind, answer: Answer, target: str = "", *, implemented: bool = True
) -> str:
    """What names a disagreement's raw bucket: for verdicts the fewest reversals, or the rule set, that reproduce it.

    Those of a rule set that is known to be the target's own come first: others may fit by coincidence.
    """
    if kind in (Kind.UNSOUND, Kind.TOO_LENIENT) and not implemented:
        return NOT_IMPLEMENTED
    if kind is Kind.HANG:
        return "no answer in time"
    if kind in (Kind.INVALID, Kind.CRASH):
        return signature(answer.message)
    if answer.verdict is reference:
        return COUNTEREXAMPLE
    causes = (cause for cause, rules in _candidates(target) if analyse(shader, rules).verdict is answer.verdict)
    return next(causes, UNEXPLAINED)


@cache
def _candidates(target: str) -> tuple[tuple[str, Rules], ...]:
    """The causes to be tried for a target's verdict, in order."""
    own = RULE_SETS.get(target.replace("@", "-").removeprefix("rules:"), PAPER)
    reverted = [figure for figure, switch in SWITCHES.items() if not getattr(own, switch)]
    theirs = [name for name, rules in RULE_SETS.items() if _is_between(rules, own)]
    causes = [*_combinations(reverted), *theirs, *_combinations([*SWITCHES]), *RULE_SETS]
    first: dict[Rules, str] = {}
    for cause in causes:
        rules = rules_of(cause)
        if rules is not None and rules != PAPER:
            first.setdefault(rules, cause)
    return tuple((cause, rules) for rules, cause in first.items())


def _is_between(rules: Rules, own: Rules) -> bool:
    """Whether rules depart from the paper's only where `own` do."""
    return own != PAPER and set(differences(PAPER, rules)) <= set(differences(PAPER, own))


def _combinations(figures: list[str]) -> list[str]:
    """`10a`, ..., `10a+10b`, ...: the fewest first."""
    return ["+".join(some) for size in range(1, len(figures) + 1) for some in combinations(figures, size)]


def rules_of(cause: str) -> Rules | None:
    """The rule set that a cause names; None for a cause that is none."""
    figures = tuple(cause.split("+"))
    return without(figures) if all(figure in SWITCHES for figure in figures) else RULE_SETS.get(cause)


def signature(message: str) -> str:
    """A compiler's message without what varies: positions, numbers and quoted names."""
    first = next((line for line in message.splitlines() if "error" in line), message.splitlines()[0] if message else "")
    words = [w for w in first.split() if not any(c.isdigit() for c in w) and not w.startswith(("'", "`", '"'))]
    return " ".join(words)[:120]
