"""Targets compared with each other, for texts about which the reference is silent.

A compiler that crashes or hangs is at fault whatever a reference says. Of the others those are at fault, or those that
they differ from: somebody has to look who is right. Where the reference has a verdict, the ordinary kinds serve.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from wgsl_fuzz.fuzz.judging.judge import Disagreement, Kind, cause_of_failure
from wgsl_fuzz.fuzz.judging.judge import signature as signature_of
from wgsl_fuzz.oracle.verdict import Answer, Verdict

_FAILURES = {Verdict.CRASHED: Kind.CRASH, Verdict.TIMED_OUT: Kind.HANG}


@dataclass(frozen=True, slots=True)
class _Doing:
    """What one target does, and what several do."""

    one: str
    several: str


_ACCEPTS, _REJECTS, _READS = _Doing("accepts", "accept"), _Doing("rejects", "reject"), _Doing("reads it", "read it")


def judge_unread(answers: Mapping[str, Answer], without_uniformity: frozenset[str] = frozenset()) -> list[Disagreement]:
    """The findings among the answers to a text that no reference judges, by the names of the targets."""
    found = []
    for name in sorted(answers):
        kind = _FAILURES.get(answers[name].verdict)
        if kind is not None:
            found.append(Disagreement(name, kind, answers[name], cause_of_failure(kind, answers[name])))
    found += differences(answers, without_uniformity)
    return sorted(found, key=lambda one: one.target)


def differences(answers: Mapping[str, Answer], without_uniformity: frozenset[str] = frozenset()) -> list[Disagreement]:
    """Where targets differ: a finding of each that refuses what another reads, and of each in a minority.

    Of accepting and rejecting, the fewer are told of; of equally many those that reject. A target without a uniformity
    analysis has no part in that: it can only read a text or refuse it. The causes name the others.
    """
    names = sorted(answers)
    accepting = [name for name in names if answers[name].verdict is Verdict.ACCEPTS]
    rejecting = [name for name in names if answers[name].verdict is Verdict.REJECTS]
    refusing = [name for name in names if answers[name].verdict is Verdict.INVALID]
    reading = sorted([*accepting, *rejecting])
    found = []
    for name in refusing if reading else ():
        cause = f"refuses where {_who(reading, _READS)}: {signature_of(answers[name].message)}"
        found.append(Disagreement(name, Kind.TARGETS_DIFFER, answers[name], cause))
    analysing = [name for name in accepting if name not in without_uniformity]
    if analysing and rejecting:
        few, many, does, do = rejecting, analysing, _REJECTS, _ACCEPTS
        if len(analysing) < len(rejecting):
            few, many, does, do = analysing, rejecting, _ACCEPTS, _REJECTS
        cause = f"{does.one} where {_who(many, do)}"
        found += [Disagreement(name, Kind.TARGETS_DIFFER, answers[name], cause) for name in few]
    return sorted(found, key=lambda one: one.target)


def _who(names: Sequence[str], doing: _Doing) -> str:
    """`a accepts`, `a and b accept`."""
    return f"{' and '.join(names)} {doing.one if len(names) == 1 else doing.several}"


def account_of_difference(found: Disagreement, why: str = "") -> list[str]:
    """A finding on such a text in words; `why` says why no reference judges it, in a sentence."""
    if found.kind is not Kind.TARGETS_DIFFER:
        return [f"{found.target}: {found.answer.verdict.value}.", *found.answer.message.splitlines()[:6]]
    lines = [f"{found.target} {found.cause}.", "The reference does not judge this text, so one of them is wrong."]
    lines += [f"Why it does not: {why}"] if why else []
    return [*lines, *found.answer.message.splitlines()[:6]]


def still_differs(before: Mapping[str, Answer], after: Iterable[tuple[str, Answer]], found: Disagreement) -> bool:
    """Whether a smaller text shows a finding: all targets that took part say what they said, for the same reason."""
    return all(
        answer.verdict is before[name].verdict and (name != found.target or _same_reason(answer, before[name], found))
        for name, answer in after
    )


def _same_reason(answer: Answer, before: Answer, found: Disagreement) -> bool:
    """Whether what the target at fault says is worded as it was; why it rejects a text does not matter."""
    if found.kind is Kind.CRASH or answer.verdict is Verdict.INVALID:
        return signature_of(answer.message) == signature_of(before.message)
    return True


Words = tuple[str | None, ...]
"""An oracle's verdicts on the texts of a finding: most have one text."""


def sharing(target: str, said: Mapping[str, Words], without_uniformity: Set[str] = frozenset()) -> tuple[str, ...]:
    """The other targets that say of a finding's texts what its own `target` says, by name.

    A target without a uniformity analysis accepts whatever is well-formed. So its *accepts* is shared with nobody.
    """
    own = said.get(target)
    silent = without_uniformity if own is not None and Verdict.ACCEPTS.value in own else frozenset[str]()
    if own is None or target in silent:
        return ()
    return tuple(sorted(name for name in said.keys() - {target} - silent if said[name] == own))
