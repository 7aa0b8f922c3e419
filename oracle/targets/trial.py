"""A target tried on shaders whose answers are known: what it said of each, and what looks wrong about that."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wgsl_fuzz.oracle.targets.command import CommandTarget
from wgsl_fuzz.oracle.targets.probes import BROKEN, MOST_HANGS, VALID, VIOLATIONS
from wgsl_fuzz.oracle.targets.protocol import NamedTarget, Target, TargetError, answers_of
from wgsl_fuzz.oracle.verdict import Answer, Verdict

_HEAD = VALID.partition("{")[0]
_MISTYPED = _HEAD + "{ var x: i32 = lid; }\n"
_BOTH = _HEAD + "{ if (lid == 0u) { workgroupBarrier(); } var x: bool = lid; }\n"
_DERIVATIVE = "@fragment fn main(@location(0) a: f32) { var x = 0.0; if (a > 0.5) { x = dpdx(a); } }\n"
_HUGE = _HEAD + "{ var x = lid;\n" + "    x = x + 1u;\n" * 20_000 + "}\n"
_FOREIGN = "// Größe, 大きさ, 𝄞\n" + _HEAD + "{ var größe = lid; größe = größe + 1u; }\n"

SLOW_SECONDS = 0.5
"""Seconds a text after which a campaign would be no pleasure."""


_FOLDER = re.compile(r"/[\w./-]{1,200}/wgsl-fuzz-\d{1,10}-\w{1,16}/")


@dataclass(frozen=True, slots=True)
class Question:
    """A text and the verdict that it should get; None: whichever, but an answer."""

    name: str
    text: str
    expected: Verdict | None

    @property
    def is_violation(self) -> bool:
        """Whether it violates uniformity and nothing else."""
        return self.expected is Verdict.REJECTS


_OF_VIOLATIONS = ("in an if", "in a loop that threads leave", "after a return", "by an argument", "by shared memory")
VALID_QUESTION = Question("a plain valid shader", VALID, Verdict.ACCEPTS)
SYNTAX_QUESTION = Question("a syntax error", BROKEN, Verdict.INVALID)
TYPE_QUESTION = Question("a type error", _MISTYPED, Verdict.INVALID)
BOTH_QUESTION = Question("a type error and a violation", _BOTH, Verdict.INVALID)
QUESTIONS = (
    VALID_QUESTION,
    *(Question(f"a violation {how}", text, Verdict.REJECTS) for how, text in zip(_OF_VIOLATIONS, VIOLATIONS)),
    Question("a violation of a derivative", _DERIVATIVE, Verdict.REJECTS),
    SYNTAX_QUESTION,
    TYPE_QUESTION,
    BOTH_QUESTION,
    Question("an empty text", "", None),
    Question("20,000 lines", _HUGE, Verdict.ACCEPTS),
    Question("names that are not ASCII", _FOREIGN, Verdict.ACCEPTS),
)


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a question."""

    question: Question
    answer: Answer
    again: Answer
    seconds: float
    """Of the first time."""
    report: Any = None
    """The supervisor's, if the target is a command."""

    @property
    def verdict(self) -> Verdict:
        """Of the first time."""
        return self.answer.verdict

    @property
    def raw(self) -> str:
        """How the call ended and the first lines of what it wrote."""
        words, ended = self.answer.message, ""
        if self.report is not None:
            end, status = self.report["end"], self.report["status"]
            ended = {"exit": f"status {status}", "timeout": "no end in time"}.get(end, f"{end} {status}")
            words = "\n".join(text for text in (self.report["err"], self.report["out"]) if text.strip())
        lines = [_FOLDER.sub("", line.strip())[:100] for line in words.splitlines() if line.strip()]
        return ": ".join(part for part in (ended, " | ".join(lines[:2])) if part)


def tried(target: Target, questions: Sequence[Question] = QUESTIONS) -> list[Tried]:
    """Asks a target each question, twice. Raises TargetError if it is of no use any more, or hangs on several."""
    first, hung = [], list[str]()
    for question in questions:
        first.append(_ask(target, question))
        if first[-1][0].verdict is Verdict.TIMED_OUT:
            hung.append(question.name)
        if len(hung) == MOST_HANGS:
            said = _first_line(first[-1][0].message)
            raise TargetError(f"{target.name} hangs on {', '.join(hung)} ({said}): does it wait for something?")
    return [Tried(one, given, _ask(target, one)[0], *rest) for one, (given, *rest) in zip(questions, first)]


def _ask(target: Target, question: Question) -> tuple[Answer, float, Any]:
    asked = target.target if isinstance(target, NamedTarget) else target
    began = time.monotonic()
    (answer,) = answers_of(asked, [question.text])
    return answer, time.monotonic() - began, asked.report if isinstance(asked, CommandTarget) else None


def doubts(results: Sequence[Tried]) -> list[str]:
    """What must be wrong with a target or with its description, a sentence or two each; empty if nothing is."""
    by_question = {one.question: one for one in results}
    verdicts = {one.verdict for one in results}
    if len(verdicts) == 1:
        return [_all_alike(verdicts.pop(), results[0])]
    found = []
    valid = by_question[VALID_QUESTION]
    if valid.verdict is not Verdict.ACCEPTS:
        found.append(f"A plain valid shader is not accepted: is [accepts] right? It ended so: {valid.raw}")
    found += _doubts_of_violations([one for one in results if one.question.is_violation])
    if by_question[SYNTAX_QUESTION].verdict is Verdict.REJECTS:
        found.append("A syntax error counts as a uniformity violation: the pattern of [rejects] finds too much.")
    elif (
        by_question[BOTH_QUESTION].verdict is Verdict.REJECTS and by_question[TYPE_QUESTION].verdict is Verdict.INVALID
    ):
        found.append(
            "A text with a type error counts as one with a uniformity violation only: say in [message] which lines are "
            "errors, error = '...'; each of them must then fit [rejects]."
        )
    found += [
        f"The same text got two answers ({one.question.name}): {one.verdict.value}, then {one.again.verdict.value}."
        for one in results
        if one.again.verdict is not one.verdict
    ]
    for one in results:
        if one.verdict in (Verdict.CRASHED, Verdict.TIMED_OUT):
            found.append(f"No answer to {one.question.name}: {one.verdict.value}. {_first_line(one.answer.message)}")
        elif one.question.expected is Verdict.ACCEPTS and one is not valid and one.verdict is not Verdict.ACCEPTS:
            found.append(f"It does not accept {one.question.name}: {one.verdict.value}. {one.raw}")
    return found


def _all_alike(verdict: Verdict, first: Tried) -> str:
    asked = {
        Verdict.ACCEPTS: "does the command read the text, and does its exit status tell a refusal?",
        Verdict.INVALID: "are the status and the patterns of [accepts] and [rejects] right?",
        Verdict.REJECTS: "does the pattern of [rejects] find too much?",
        Verdict.CRASHED: "does the command run at all?",
        Verdict.TIMED_OUT: "does it wait for something?",
        Verdict.MISCOMPILES: "is it a device, which runs what is sure to converge?",
        Verdict.UNSUPPORTED: "does the pattern of [unsupported] find too much?",
    }
    return f"Every answer is {verdict.value}: {asked[verdict]} The first call ended so: {first.raw or 'without a word'}"


def _doubts_of_violations(violations: Sequence[Tried]) -> list[str]:
    """None if one is rejected, or all are accepted: a compiler without an analysis does that."""
    refused = [one for one in violations if one.verdict is Verdict.INVALID]
    if not refused or any(one.verdict is Verdict.REJECTS for one in violations):
        return []
    said = "Uniformity violations are invalid: [rejects] is missing, or does not find them."
    return [f"{said} One ended so: {refused[0].raw}"]


def notes(results: Sequence[Tried]) -> list[str]:
    """What a user should know, and what may well be as it is."""
    by_question = {one.question: one for one in results}
    violations = [one for one in results if one.question.is_violation]
    accepted = [one.question.name for one in violations if one.verdict is Verdict.ACCEPTS]
    found = list[str]()
    if len(accepted) == len(violations):
        found.append(
            "No uniformity violation is rejected: does it have an analysis? All that it accepts wrongly is one bucket."
        )
    elif accepted:
        found.append(f"It accepts {len(accepted)} of {len(violations)} violations: {', '.join(accepted)}.")
    if by_question[SYNTAX_QUESTION].verdict is Verdict.ACCEPTS:
        found.append("It accepts a syntax error, as an analysis may that expects valid shaders.")
    if any(one.answer.message.startswith("not classified") for one in results):
        found.append("Some answers fit no sign. They count as invalid, with their message.")
    seconds = sorted(one.seconds for one in results)[len(results) // 2]
    if seconds > SLOW_SECONDS:
        found.append(f"A text takes {seconds:.1f} s: mode = 'lines' asks about many in a process.")
    return found


def _first_line(text: str) -> str:
    return next((line.strip()[:200] for line in text.splitlines() if line.strip()), "")
