"""Compares verdicts and decides what is a finding (docs/words.md)."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from itertools import combinations

from oracle.dynamics.execution import Execution
from oracle.rules.analyses import REFERENCE
from oracle.rules.analysis import analyse
from oracle.rules.revisions import RULE_SETS, departing, departures
from oracle.rules.rule_set import PAPER, Rules, Variant
from oracle.rules.variants import CHANGES, DEPARTURES
from oracle.verdict import Answer, Outcome, Verdict
from tinywgsl.ast import Shader


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
    """The departures from the paper's rules that reproduce the target's verdict (`10b+joins-at-continuing`), else a
    rule set that does."""

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

    The semantics decides between unsound and too lenient; `execute` is called only if that matters. If the reference
    accepts a shader that diverges, the finding is against the reference: a counterexample to Theorem 4.1.
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
    """What names a disagreement's raw bucket: for verdicts the fewest departures, or the rule set, that reproduce it.

    The target's own known departures come first, then the four reversals: others may fit by coincidence.
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
    own, pairs = _combinations(departures(own_rules(target))), combinations(DEPARTURES, 2)
    causes = [*own, *_combinations(CHANGES), *DEPARTURES, *map("+".join, pairs), *RULE_SETS]
    first: dict[Rules, str] = {}
    for cause in causes:
        rules = rules_of(cause)
        if rules is not None and rules != PAPER:
            first.setdefault(rules, cause)
    return tuple((cause, rules) for rules, cause in first.items())


def _combinations(names: Collection[str]) -> list[str]:
    """`10a`, ..., `10a+10b`, ...: the fewest first."""
    return ["+".join(some) for size in range(1, len(names) + 1) for some in combinations(names, size)]


_TINT = re.compile(r"tint[@-](\d+(?:\.\d+)*)")


@cache
def own_rules(target: str) -> Rules:
    """The rule set that is known to be a target's own; the paper's if none is.

    Rule sets were measured for some versions of Tint. Any other version gets the set of the next newer measured one. A
    version newer than all, and a Tint of unknown version (`tint:PATH`), get the newest set.
    """
    name = target.removeprefix("rules:")
    if name in RULE_SETS:
        return RULE_SETS[name]
    version = _tint_version(name)
    if version is None and not name.startswith("tint:"):
        return PAPER
    measured = sorted((of, rules) for set_, rules in RULE_SETS.items() if (of := _tint_version(set_)))
    return next((rules for of, rules in measured if version and of >= version), measured[-1][1])


def _tint_version(name: str) -> tuple[int, ...] | None:
    found = _TINT.fullmatch(name)
    return tuple(map(int, found[1].split("."))) if found else None


@lru_cache(maxsize=1024)
def rules_of(cause: str) -> Rules | None:
    """The rule set that a cause names; None for a cause that is none."""
    names = _departures_named(cause)
    return departing(names) if names else RULE_SETS.get(cause)


def departures_in(cause: str) -> list[Variant]:
    """The departures that a raw cause names; empty for a cause that is something else."""
    return [DEPARTURES[name] for name in _departures_named(cause)]


def _departures_named(cause: str) -> list[str]:
    names = cause.split("+")
    return names if all(name in DEPARTURES for name in names) else []


def own_cause(target: str, cause: str) -> str | None:
    """The known departures of a target that a raw cause comes to, by their names; None if it comes to anything else."""
    rules = rules_of(cause)
    names = () if rules is None else departures(rules)
    known = names and rules == departing(names) and set(names) <= set(departures(own_rules(target)))
    return "+".join(names) if known else None


def signature(message: str) -> str:
    """A compiler's message without what varies: positions, numbers and quoted names."""
    first = next((line for line in message.splitlines() if "error" in line), message.splitlines()[0] if message else "")
    words = [w for w in first.split() if not any(c.isdigit() for c in w) and not w.startswith(("'", "`", '"'))]
    return " ".join(words)[:120]
