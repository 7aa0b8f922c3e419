"""Explains a finding: verdicts, reasons, and the witness of a divergence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.places import place_json
from wgsl_fuzz.fuzz.judging import kinds
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS
from wgsl_fuzz.oracle.explain.path import Explanation, Message, messages_of
from wgsl_fuzz.oracle.rules.analyses import is_variant
from wgsl_fuzz.oracle.rules.in_words import change_in_words
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.wgsl.problems import Source

_WITHOUT_WITNESS = {
    Outcome.CONVERGES: "It converges: every schedule and every store within bounds was explored.",
    Outcome.OUT_OF_STEPS: "The semantics cannot tell: no run it tried came to its end.",
    Outcome.NOT_SEEN: "The semantics saw no divergence in the runs tried.",
}


@dataclass(frozen=True, slots=True)
class FindingAccount:
    """What there is to say of a finding, in words; lines of the text are those of the shader that it is about."""

    said: str = ""
    """Who says what. Of a broken relation nothing: verdicts are on two texts then."""
    why: tuple[str, ...] = ()
    """Why the reference says that, or what makes this a finding."""
    message: tuple[str, ...] = ()
    """The first lines of the target's own words, where these are the matter."""
    departures: tuple[str, ...] = ()
    """What explains the target's answer."""
    notion: str = ""
    """What counts as convergence, if that is not what the paper asks."""
    outcome: str = ""
    """What the semantics says; empty where runs say nothing about it."""
    witness: tuple[str, ...] = ()
    """The lines about a divergence."""

    def lines(self, *, witness: bool = True) -> list[str]:
        """For people; on demand without a divergence, which steps of its threads tell, too."""
        told = [*filter(None, [self.said]), *self.why, *self.message, *self.departures, *filter(None, [self.notion])]
        return told if self.witness and not witness else [*told, *filter(None, [self.outcome]), *indented(self.witness)]


def said_of(case: Case, found: kinds.Disagreement) -> str:
    """Who says what."""
    reference = "" if case.problem else f"; the reference ({case.reference}): {case.verdict.value}"
    return f"{found.target}: {found.answer.verdict.value}{reference}."


def short_account(case: Case, found: kinds.Disagreement) -> list[str]:
    """A finding in words: who says what, and which departure from the rules would explain it."""
    outcome = outcome_of(case).lines() if found.kind is kinds.Kind.UNSOUND else ()
    return [said_of(case, found), *because(found.cause.explains), *outcome]


def account_of(case: Case, found: kinds.Disagreement, outcome: Outcome | None = None) -> FindingAccount:
    """The same, with the reason of the reference, and what the semantics saw: the `outcome`, if that is known."""
    said, message = said_of(case, found), tuple(found.answer.message.splitlines())
    match found.kind:
        case kind if kind in kinds.VERDICTS_DIFFER:
            ran = outcome_of(case, outcome)
            return replace(ran, said=said, why=rejection_of(case), departures=_departures(found))
        case kinds.Kind.METAMORPHIC:
            return FindingAccount(departures=because(found.cause.tells_apart))
        case kinds.Kind.REFERENCE:
            why = "Section 4.2 of the paper and section 15.2 of the specification ought to agree on TinyWGSL."
            return FindingAccount(said, (why,))
        case kinds.Kind.MISCOMPILED:
            why = "Every schedule was explored: the shader converges, ends, does not race, and stays within its arrays."
            return FindingAccount(f"{found.target} leaves another memory than the semantics.", (why, *message))
        case kinds.Kind.TARGETS_DIFFER:
            why = "The reference does not judge this text, so one of them is wrong."
            return FindingAccount(
                f"{found.target} {found.cause}.", (why, f"Why it does not: {case.problem}"), message[:6]
            )
    valid = () if case.problem else ("The module is valid WGSL by construction.",)
    return FindingAccount(said, valid, message[:6], because(found.cause.tells_apart))


def _departures(found: kinds.Disagreement) -> tuple[str, ...]:
    if found.cause == kinds.UNEXPLAINED:
        return ("No departure that a compiler or an old text is known for gives the target's verdict.",)
    if found.cause == kinds.NO_RULE:
        return ("No rule asks about what makes the target answer so.",)
    if found.cause == kinds.NO_ANALYSIS:
        return (f"{found.target} has no uniformity analysis: one known finding, not many.",)
    return because(found.cause.explains)


def because(names: Sequence[str]) -> tuple[str, ...]:
    """What departures do, and where they come from; or which change of the rules it is."""
    if len(names) == 1 and names[0] not in DEPARTURES and is_variant(names[0]):
        return (f"It answers as after {change_in_words(names[0])}.",)
    named = [DEPARTURES[name] for name in names if name in DEPARTURES]
    return tuple(line for v in named for line in (f"{v.name}: an analysis with it {v.does}.", f"  {v.about}"))


# ------------------------------------------------------------------------------------------- runs, and reasons as lines


def outcome_of(case: Case, outcome: Outcome | None = None) -> FindingAccount:
    """What the semantics says of a shader; it is executed unless the `outcome` is known, and for a witness."""
    if outcome in (None, Outcome.DIVERGES):
        seen = case.execute()
        if case.outcome is None:
            return FindingAccount(outcome=f"The semantics cannot run it: {seen.cannot}.")
        outcome = seen.outcome
    notion = "" if case.notion is CONTROL_STACKS else case.notion.sentence
    if outcome is Outcome.DIVERGES:
        witness = tuple(case.execute_placed().describe(case.text))
        return FindingAccount(notion=notion, outcome="It does diverge:", witness=witness)
    sentence = _WITHOUT_WITNESS[outcome]
    if outcome is Outcome.CONVERGES and case.threads is not None:
        n = case.threads
        sentence = f"It converges: with {n} threads every schedule and every store within bounds was explored."
    return FindingAccount(notion=notion, outcome=sentence)


def rejection_of(case: Case) -> tuple[str, ...]:
    """Why the reference rejects a shader; nothing if it does not."""
    if case.verdict is not Verdict.REJECTS:
        return ()
    return ("Why the reference rejects it:", *indented(steps_of(case.source, case.explanations)))


def indented(lines: Iterable[str]) -> list[str]:
    """Lines that belong to the one before them."""
    return [f"  {line}" for line in lines]


def steps_of(source: Source, explanations: Iterable[Explanation]) -> Iterator[str]:
    """The steps of each message, without the excerpts."""
    for one in messages_of(explanations):
        yield f"{title(one)}:"
        yield from indented_steps(source, one)


def title(one: Message, *, scoped: bool = False) -> str:
    """`error in main (synchronization)`: whose requirement does not hold; the scope, if there are two."""
    scope = f", scope: {one.scope}" if scoped else ""
    return f"{one.severity} in {one.function.name} ({', '.join(sorted(one.rules))}{scope})"


def indented_steps(source: Source, one: Message) -> Iterator[str]:
    """The steps of a message, in a line each."""
    yield from (f"  {'  ' * depth}{line}" for depth, line in lines_of_steps(source, one))


def lines_of_steps(source: Source, one: Message) -> Iterator[tuple[int, str]]:
    """The steps of a message as lines, with how deep each is indented."""
    for step in one.steps:
        yield step.depth, f"line {source.position(step.span[0])[0]}: `{step.quote}`: {step.sentence}"


def violations_json(case: Case) -> Mapping[str, Any]:
    """The requirements that do not hold, with places (from 1), and the verdict of each entry point."""
    violations = [requirement_json(e) | place_json(case.source, e.steps[e.depth].span) for e in case.explanations]
    entry_points = [
        {"name": f.name, "stage": str(stage), "worst": None if worst is None else str(worst)}
        for f, stage, worst in case.entry_points()
    ]
    return {"violations": violations, "entry points": entry_points}


def requirement_json(one: Explanation | Message) -> dict[str, Any]:
    """The requirement that does not hold."""
    scope = None if one.scope is None else str(one.scope)
    return {"severity": str(one.severity), "rules": sorted(one.rules), "scope": scope, "function": one.function.name}
