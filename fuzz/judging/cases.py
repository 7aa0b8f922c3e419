"""Judging a case of either language, and saying what was found."""

from collections.abc import Mapping

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.languages import AnyCase
from wgsl_fuzz.fuzz.cases.unread import FiledCase, UnreadCase
from wgsl_fuzz.fuzz.judging.account import account
from wgsl_fuzz.fuzz.judging.differences import account_of_difference, judge_unread
from wgsl_fuzz.fuzz.judging.judge import Disagreement, judge, own_cause
from wgsl_fuzz.fuzz.judging.modules import full_account, judge_module, own_cause_of_module
from wgsl_fuzz.oracle.verdict import Answer


def judge_case(
    case: AnyCase, answers: Mapping[str, Answer], without_uniformity: frozenset[str] = frozenset()
) -> list[Disagreement]:
    """The findings among the answers to one valid shader or module; the semantics is asked if that matters."""
    if isinstance(case, Case):
        return judge(case.shader, case.verdict, lambda: case.execution, answers, without_uniformity)
    return judge_module(case, answers, without_uniformity, valid=True, executed=True)


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


def known_cause(target: str, cause: str) -> str | None:
    """The known departures of a target, in either language, that a raw cause comes to; None for anything else."""
    return own_cause(target, cause) or own_cause_of_module(target, cause)


def account_of(case: FiledCase, found: Disagreement) -> list[str]:
    """A finding in words, lines being those of the text."""
    if isinstance(case, UnreadCase):
        return account_of_difference(found, case.why)
    return account(case, found) if isinstance(case, Case) else full_account(case, found)
