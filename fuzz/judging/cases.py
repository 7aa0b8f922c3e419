"""Judging a case of either language, and saying what was found."""

from collections.abc import Iterable, Mapping

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.languages import AnyCase
from wgsl_fuzz.fuzz.cases.module_case import read_module
from wgsl_fuzz.fuzz.cases.unread import FiledCase, UnreadCase
from wgsl_fuzz.fuzz.judging.account import account
from wgsl_fuzz.fuzz.judging.departures import cause_of_all
from wgsl_fuzz.fuzz.judging.differences import account_of_difference, judge_unread
from wgsl_fuzz.fuzz.judging.judge import (
    UNEXPLAINED,
    Disagreement,
    Kind,
    RelationCause,
    SpellingCause,
    judge,
)
from wgsl_fuzz.fuzz.judging.modules import because, cause_in_module, full_account, judge_module
from wgsl_fuzz.oracle.dynamics.execution import Execution
from wgsl_fuzz.oracle.verdict import Answer, Outcome
from wgsl_fuzz.wgsl.problems import WgslError


def judge_case(
    case: AnyCase,
    answers: Mapping[str, Answer],
    without_uniformity: frozenset[str] = frozenset(),
    *,
    executed: bool = True,
) -> list[Disagreement]:
    """The findings among the answers to one valid shader or module; the semantics is asked if that matters.

    If it is not `executed`, what a target accepts wrongly is too lenient, never unsound.
    """
    if isinstance(case, Case):
        execute = (lambda: case.execution) if executed else (lambda: Execution(Outcome.NOT_SEEN, 0))
        return judge(case.shader, case.verdict, execute, answers, without_uniformity)
    return judge_module(case, answers, without_uniformity, valid=True, executed=executed)


def judge_given(
    case: FiledCase, answers: Mapping[str, Answer], without_uniformity: frozenset[str] = frozenset()
) -> list[Disagreement]:
    """The same of one that was given: nobody knows that a module is valid, so INVALID is no finding.

    Of a text that no reference judges the targets are compared with each other.
    """
    if isinstance(case, UnreadCase):
        return judge_unread(answers, without_uniformity)
    if isinstance(case, Case):
        return judge_case(case, answers, without_uniformity)
    return judge_module(case, answers, without_uniformity, executed=True)


def cause_of_broken(relation: str, target: str, said: Iterable[tuple[AnyCase, Answer]]) -> str:
    """What names the raw bucket of a broken relation; `said` is what the target says of the text and of its twin.

    Of modules that is the relation with the departures that give each of the wrong verdicts. The reference keeps all
    relations, so there is a wrong one. Otherwise, and where a verdict stays unexplained, it is the relation alone.
    """
    wrong = [(case, answer) for case, answer in said if answer.verdict is not case.verdict]
    causes = [
        UNEXPLAINED if isinstance(case, Case) else cause_in_module(case, target, Kind.METAMORPHIC, answer)
        for case, answer in wrong
    ]
    if UNEXPLAINED in causes:
        return relation
    return str(RelationCause(relation, "+".join(dict.fromkeys(name for cause in causes for name in cause.split("+")))))


def cause_of_spelling(case: Case, found: Disagreement, printed: Answer) -> SpellingCause:
    """What names the raw bucket of verdicts that the spelling of a shader changes: they, and departures that do so.

    Only the rules for all of WGSL tell spellings of TinyWGSL apart.
    """
    said = (case.text, found.answer), (case.plain.text, printed)
    try:
        why = cause_of_all(found.target, ((read_module(text), answer.verdict) for text, answer in said))
    except WgslError:  # what the rules for all of WGSL do not read they do not explain
        why = ""
    return SpellingCause(found.answer.verdict, printed.verdict, why)


def account_of(case: FiledCase, found: Disagreement) -> list[str]:
    """A finding in words, lines being those of the text."""
    if isinstance(case, UnreadCase):
        return account_of_difference(found, case.why)
    if not isinstance(case, Case):
        return full_account(case, found)
    spelled = SpellingCause.parse(found.cause)
    return [*account(case, found), *(because(spelled.why) if spelled is not None else ())]
