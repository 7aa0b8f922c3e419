"""Judging a case, and saying what was found."""

from collections.abc import Iterable, Mapping

from wgsl_fuzz.fuzz.cases.case import Case, OpaqueCase
from wgsl_fuzz.fuzz.judging.account import because, full_account
from wgsl_fuzz.fuzz.judging.departures import cause_of_all
from wgsl_fuzz.fuzz.judging.differences import account_of_difference, judge_unread
from wgsl_fuzz.fuzz.judging.judge import (
    REFERENCES_DIFFER,
    UNEXPLAINED,
    Disagreement,
    Kind,
    RelationCause,
    SpellingCause,
    cause_of,
    judge,
)
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.verdict import Answer


def judge_case(
    case: Case,
    answers: Mapping[str, Answer],
    without_uniformity: frozenset[str] = frozenset(),
    *,
    executed: bool = True,
) -> list[Disagreement]:
    """The findings among the answers to one valid shader; the semantics is asked if that matters.

    If it is not `executed`, what a target accepts wrongly is too lenient, never unsound.
    """
    return judge(case, answers, without_uniformity, valid=True, executed=executed)


def judge_given(
    case: Case, answers: Mapping[str, Answer], without_uniformity: frozenset[str] = frozenset()
) -> list[Disagreement]:
    """The same of one that was given: only of TinyWGSL is it known that it is valid, so that INVALID is a finding.

    Of a text that no reference judges the targets are compared with each other.
    """
    if isinstance(case, OpaqueCase):
        return judge_unread(answers, without_uniformity)
    return judge(case, answers, without_uniformity, executed=True)


def difference_of_references(case: Case) -> list[Disagreement]:
    """The finding that the paper and the specification judge a TinyWGSL shader differently; empty if they agree."""
    if case.paper in (None, case.verdict):
        return []
    return [Disagreement(SECTION_4_2, Kind.REFERENCE, Answer(case.paper), REFERENCES_DIFFER)]


def cause_of_broken(relation: str, target: str, said: Iterable[tuple[Case, Answer]]) -> str:
    """What names the raw bucket of a broken relation; `said` is what the target says of the text and of its twin.

    It is the relation with the departures that give each of the wrong verdicts. The reference keeps all relations, so
    there is a wrong one. Otherwise, and where a verdict stays unexplained, it is the relation alone.
    """
    wrong = [(case, answer) for case, answer in said if answer.verdict is not case.verdict]
    causes = [cause_of(case, target, Kind.METAMORPHIC, answer) for case, answer in wrong]
    if UNEXPLAINED in causes:
        return relation
    return str(RelationCause(relation, "+".join(dict.fromkeys(name for cause in causes for name in cause.split("+")))))


def cause_of_spelling(case: Case, found: Disagreement, printed: Answer) -> SpellingCause:
    """What names the raw bucket of verdicts that the spelling of a shader changes: they, and departures that do so."""
    said = (case, found.answer.verdict), (case.plain, printed.verdict)
    return SpellingCause(found.answer.verdict, printed.verdict, cause_of_all(found.target, said))


def account_of(case: Case, found: Disagreement) -> list[str]:
    """A finding in words, with line numbers of the text."""
    if isinstance(case, OpaqueCase):
        return account_of_difference(found, case.why)
    spelled = SpellingCause.parse(found.cause)
    return [*full_account(case, found), *(because(spelled.why) if spelled is not None else ())]
