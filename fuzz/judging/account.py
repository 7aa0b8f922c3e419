"""A finding in words: who says what of a shader, and why."""

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.judging.judge import (
    NOT_IMPLEMENTED,
    UNEXPLAINED,
    VERDICTS_DIFFER,
    Disagreement,
    Kind,
    departures_in,
    rules_of,
)
from wgsl_fuzz.fuzz.judging.outcome_words import outcome_of_shader
from wgsl_fuzz.fuzz.judging.steps import indented
from wgsl_fuzz.oracle.explain.path import explain
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.in_words import change_in_words, variant_named
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.printer import Position

NO_RULE_SET = "No rule set known here explains the target's verdict, nor do two departures from the paper's."
"""What an account says of a finding by itself. A branch of the rules may explain all findings of a bucket."""


def account(
    case: Case, found: Disagreement, positions: dict[int, Position] | None = None, text: str | None = None
) -> list[str]:
    """A finding in words: who says what, why, and which departure from the rules would explain it.

    Lines are those of the printed shader, unless `positions` says where the statements stand in `text`.
    """
    text = case.text if text is None else text
    positions = case.printed.positions if positions is None else positions
    lines = [f"{found.target}: {found.answer.verdict.value}; the reference (paper): {case.verdict.value}."]
    if found.kind is Kind.MISCOMPILED:
        return [*lines, *found.answer.message.splitlines()]
    if found.kind not in VERDICTS_DIFFER:
        return [*lines, "The shader is well-formed TinyWGSL.", *found.answer.message.splitlines()[:6]]
    if case.verdict is Verdict.REJECTS:
        lines += ["Why the reference rejects it:", *indented(explain(case.analysis, positions, text))]
    rules = rules_of(found.cause)
    if rules is not None:
        lines += because(found)
        departed = analyse(case.shader, rules)
        if departed.verdict is Verdict.REJECTS:
            lines += ["Why it is rejected then:", *indented(explain(departed, positions, text))]
    elif found.cause == UNEXPLAINED:
        lines.append(NO_RULE_SET)
    elif found.cause == NOT_IMPLEMENTED:
        lines.append(f"{found.target} has no uniformity analysis: one known finding, not many.")
    return lines + outcome_of_shader(case, positions)


def because(found: Disagreement) -> list[str]:
    """Which rules answer as the target of a finding does, and where they come from."""
    named = departures_in(found.cause)
    if not named and variant_named(found.cause) is not None:  # a target that is the reference with this branch wrong
        return [f"{found.target} answers as after {change_in_words(found.cause)}."]
    if not named:
        return [f"No two departures from the paper's rules explain it; the rule set {found.cause} answers alike."]
    what, these = " and ".join(it.does for it in named), "this departure" if len(named) == 1 else "these departures"
    lines = [f"{found.target} answers as the paper's rules with {these} would: it {what}."]
    return [*lines, *indented([departure.about for departure in named])]
