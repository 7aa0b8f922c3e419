"""Findings that need no reference: crashes and hangs, refused texts, and targets that differ from each other."""

import re
from collections.abc import Callable, Mapping, Sequence, Set

from wgsl_fuzz.fuzz.judging.kinds import NO_ANSWER, Cause, Disagreement, Kind
from wgsl_fuzz.oracle.verdict import Answer, Verdict

_LONGEST = 300
_QUOTED = re.compile(r"(?<!\S)(['`\"]).*?\1(?!\w)\S*")
"""A quoted name, perhaps of several words, and the characters attached to its end."""
_RAISED = re.compile(r"(\w+ at (?:[^:\n]+\.py|<\w+>)):\d+(, in [\w<>]+(?:, \"[^\"\n]*\")?)(?=: )")
"""What a function raised, and where: its words may quote the text. The line's number changes with all above it."""
_PLACE = re.compile(r"^line \d+, column \d+: ")
"""How our own rules say where something is."""


def signature(message: str) -> str:
    """A compiler's message without its positions, numbers and quoted names; of an exception its type and its code.

    Only the first line with `error` counts; if it ends in `is invalid`, the reason on the next line is added.
    """
    if raised := _RAISED.match(message):
        return raised[1] + raised[2]
    lines = message.splitlines() or [""]
    at = next((i for i, line in enumerate(lines) if "error" in line), 0)
    told = _steady(lines[at])
    reason = lines[at + 1] if at + 1 < len(lines) else ""
    if told.endswith("is invalid") and reason.startswith("= "):
        told = f"{told}: {_steady(reason.removeprefix('= '))}"
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST].rpartition(' ')[0] or told[:_LONGEST]} …"


def _steady(line: str) -> str:
    """A line without numbers and quoted names."""
    words = _QUOTED.sub("", _PLACE.sub("", line)).split()
    return " ".join(w for w in words if not any(c.isdigit() for c in w) and not w.startswith(("'", "`", '"')))


def cause_of_failure(kind: Kind, answer: Answer) -> Cause:
    """The cause of a crash, a hang or an invalid shader: the wording of the message, or no answer."""
    return NO_ANSWER if kind is Kind.HANG else Cause(told=signature(answer.message))


# ------------------------------------------------------------------- targets compared with each other

# Crashes and hangs are faults without any reference. A person must decide which side of a difference is right.

_FAILURES = {Verdict.CRASHED: Kind.CRASH, Verdict.TIMED_OUT: Kind.HANG}


_Verb = tuple[str, str]
"""A verb phrase in the singular and the plural."""
_ACCEPTS, _REJECTS, _READS = ("accepts", "accept"), ("rejects", "reject"), ("reads it", "read it")


def judge_unread(answers: Mapping[str, Answer], without_analysis: frozenset[str] = frozenset()) -> list[Disagreement]:
    """The findings among the answers to a text that no reference judges, by the names of the targets."""
    failing = [(name, one, kind) for name, one in answers.items() if (kind := _FAILURES.get(one.verdict)) is not None]
    failures = [Disagreement(name, kind, answer, cause_of_failure(kind, answer)) for name, answer, kind in failing]
    return sorted([*failures, *differences(answers, without_analysis)], key=lambda one: one.target)


def differences(answers: Mapping[str, Answer], without_analysis: frozenset[str] = frozenset()) -> list[Disagreement]:
    """The differences between targets: a finding for each that refuses what another reads, and for each in a minority.

    The minority of *accepts* and *rejects* has the findings; in a tie, those that reject. A target without a uniformity
    analysis does not count there: it only reads or refuses a text. Causes name the other targets.
    """
    names = sorted(answers)
    accepting = [name for name in names if answers[name].verdict is Verdict.ACCEPTS]
    rejecting = [name for name in names if answers[name].verdict is Verdict.REJECTS]
    refusing = [name for name in names if answers[name].verdict is Verdict.INVALID]
    reading = sorted([*accepting, *rejecting])
    disagreements = []
    for name in refusing if reading else ():
        cause = Cause(told=f"refuses where {_who(reading, _READS)}: {signature(answers[name].message)}")
        disagreements.append(Disagreement(name, Kind.TARGETS_DIFFER, answers[name], cause))
    analysing = [name for name in accepting if name not in without_analysis]
    if analysing and rejecting:
        few, many, does, do = rejecting, analysing, _REJECTS, _ACCEPTS
        if len(analysing) < len(rejecting):
            few, many, does, do = analysing, rejecting, _ACCEPTS, _REJECTS
        cause = Cause(told=f"{does[0]} where {_who(many, do)}")
        disagreements += [Disagreement(name, Kind.TARGETS_DIFFER, answers[name], cause) for name in few]
    return sorted(disagreements, key=lambda one: one.target)


def _who(names: Sequence[str], verb: _Verb) -> str:
    """`a accepts`, `a and b accept`."""
    return f"{' and '.join(names)} {verb[len(names) > 1]}"


def still_differs(before: Mapping[str, Answer], ask: Callable[[str], Answer], disagreement: Disagreement) -> bool:
    """Whether a smaller text shows a finding: the targets of `before` say the same as there, for the same reason.

    `ask` gives the answer of a target, and is called until one differs.
    """
    return all(
        (answer := ask(name)).verdict is said.verdict
        and (name != disagreement.target or _same_reason(answer, said, disagreement))
        for name, said in before.items()
    )


def _same_reason(answer: Answer, before: Answer, disagreement: Disagreement) -> bool:
    """Whether a crash or *invalid* has the same wording as before; the reason of *rejects* does not matter."""
    if disagreement.kind is Kind.CRASH or answer.verdict is Verdict.INVALID:
        return signature(answer.message) == signature(before.message)
    return True


Words = tuple[str | None, ...]
"""An oracle's verdicts on the one or two texts of a finding."""


def sharing(target: str, said: Mapping[str, Words], without_analysis: Set[str] = frozenset()) -> tuple[str, ...]:
    """The other targets with the same verdicts on a finding's texts as `target`, sorted by name.

    A target without a uniformity analysis accepts every well-formed text, so it never shares an *accepts*.
    """
    own = said.get(target)
    silent = without_analysis if own is not None and Verdict.ACCEPTS.value in own else frozenset[str]()
    if own is None or target in silent:
        return ()
    return tuple(sorted(name for name in said.keys() - {target} - silent if said[name] == own))
