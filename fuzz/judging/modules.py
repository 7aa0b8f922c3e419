"""Judging answers about a text in the whole of WGSL."""

from collections.abc import Mapping

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.judging.departures import cause_of_all, own_departures, rules_of_module
from wgsl_fuzz.fuzz.judging.judge import (
    ANOTHER_MEMORY,
    COUNTEREXAMPLE,
    NOT_IMPLEMENTED,
    UNEXPLAINED,
    VERDICTS_DIFFER,
    Disagreement,
    Kind,
    RelationCause,
    kind_of,
    own_cause,
    signature,
)
from wgsl_fuzz.fuzz.judging.outcome_words import outcome_of_module
from wgsl_fuzz.fuzz.judging.steps import indented, steps_of
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, WHOLE
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict

NO_DEPARTURE = "No departure that a compiler or an old text is known for gives the target's verdict."
"""What an account says of a finding by itself. A branch of the rules may explain all findings of a bucket."""


def judge_module(
    module: ModuleCase,
    answers: Mapping[str, Answer],
    without_uniformity: frozenset[str] = frozenset(),
    *,
    valid: bool = False,
    executed: bool = False,
) -> list[Disagreement]:
    """The findings among the answers to one module.

    INVALID is none unless the module is known to be `valid`, as TinyWGSL is: the reference is no type checker. If it is
    not `executed`, what a target accepts wrongly is too lenient, never unsound.
    """

    def diverges() -> bool:
        return executed and module.execution.outcome is Outcome.DIVERGES

    found = []
    disputed = any(answer.verdict is Verdict.REJECTS for answer in answers.values())
    if module.verdict is Verdict.ACCEPTS and (disputed or "execution" in module.__dict__) and diverges():
        found.append(Disagreement(WHOLE, Kind.UNSOUND, Answer(module.verdict), COUNTEREXAMPLE))
    for target, answer in answers.items():
        kind = kind_of(module.verdict, answer, diverges)
        if kind is not None and (valid or kind is not Kind.INVALID or module.core is not None):
            cause = cause_in_module(module, target, kind, answer, target not in without_uniformity)
            found.append(Disagreement(target, kind, answer, cause))
    return found


def cause_in_module(module: ModuleCase, target: str, kind: Kind, answer: Answer, implemented: bool = True) -> str:
    """What names a disagreement's raw bucket: for verdicts the fewest departures that give the target's."""
    if kind is Kind.HANG:
        return "no answer in time"
    if kind is Kind.MISCOMPILED:
        return ANOTHER_MEMORY
    if kind in (Kind.CRASH, Kind.INVALID):
        return signature(answer.message)
    if kind in (Kind.TOO_LENIENT, Kind.UNSOUND) and not implemented:
        return NOT_IMPLEMENTED
    if answer.verdict is module.verdict:
        return COUNTEREXAMPLE
    return cause_of_all(target, [(module, answer.verdict)]) or UNEXPLAINED


def own_cause_of_module(target: str, cause: str) -> str | None:
    """The known departures of a target that a raw cause comes to, by their names; None if it comes to anything else."""
    rules = rules_of_module(cause)
    return cause if rules and rules <= set(own_departures(target)) else None


def known_cause(target: str, cause: str) -> str | None:
    """The known departures of a target, in either language, that a raw cause comes to; None for anything else."""
    return own_cause(target, cause) or own_cause_of_module(target, cause)


def said_of(module: ModuleCase, found: Disagreement) -> str:
    """Who says what."""
    return f"{found.target}: {found.answer.verdict.value}; the reference ({WHOLE}): {module.verdict.value}."


def account_of_module(module: ModuleCase, found: Disagreement) -> list[str]:
    """A finding in words: who says what, and which departure from the rules would explain it."""
    said = said_of(module, found)
    return [said, *because(found.cause), *(outcome_of_module(module) if found.kind is Kind.UNSOUND else ())]


def full_account(module: ModuleCase, found: Disagreement) -> list[str]:
    """The same, with the reason of the reference, and what the semantics saw. Lines are those of the text."""
    said = said_of(module, found)
    if found.kind is Kind.METAMORPHIC:
        return [said, *because(RelationCause.parse(found.cause).why)]
    if found.kind is Kind.REFERENCE:
        return [said, "Section 4.2 of the paper and section 15.2 of the specification ought to agree on TinyWGSL."]
    if found.kind is Kind.MISCOMPILED:
        return miscompilation_lines(found)
    if found.kind not in VERDICTS_DIFFER:
        return [said, "The module is valid WGSL by construction.", *found.answer.message.splitlines()[:6]]
    lines = [said]
    if module.verdict is Verdict.REJECTS:
        steps = steps_of(module.source, module.explanations)
        lines += ["Why the reference rejects it:", *indented(steps)]
    lines += because(found.cause)
    if found.cause == UNEXPLAINED:
        lines.append(NO_DEPARTURE)
    elif found.cause == NOT_IMPLEMENTED:
        lines.append(f"{found.target} has no uniformity analysis: one known finding, not many.")
    return [*lines, *outcome_of_module(module)]


def miscompilation_lines(found: Disagreement) -> list[str]:
    """What a device left in memory, and what every run of the semantics leaves."""
    return [
        f"{found.target} leaves another memory than the semantics.",
        "Every schedule was explored: the shader converges, ends, does not race, and stays within its arrays.",
        *found.answer.message.splitlines(),
    ]


def because(cause: str) -> list[str]:
    """What the departures that a cause names do, and where they come from."""
    named = [DEPARTURES[name] for name in cause.split("+") if name in DEPARTURES]
    return [line for v in named for line in (f"{v.name}: an analysis with it {v.does}.", f"  {v.about}")]
