"""Judging answers about a text in the whole of WGSL, for which there is no semantics yet."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.judging.judge import NOT_IMPLEMENTED, UNEXPLAINED, Disagreement, Kind, kind_of, signature
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import TINT_VARIANTS
from wgsl_fuzz.oracle.verdict import Answer


def judge_module(
    module: ModuleCase, answers: Mapping[str, Answer], without_uniformity: frozenset[str] = frozenset()
) -> list[Disagreement]:
    """The findings among the answers to one module. INVALID is none: the reference is no type checker.

    Nothing is executed, so what a target accepts wrongly is too lenient, never unsound.
    """
    found = []
    for target, answer in answers.items():
        kind = kind_of(module.verdict, answer, lambda: False)
        if kind is not None and kind is not Kind.INVALID:
            cause = _cause(module, kind, answer, target not in without_uniformity)
            found.append(Disagreement(target, kind, answer, cause))
    return found


def _cause(module: ModuleCase, kind: Kind, answer: Answer, implemented: bool) -> str:
    """The fewest departures from the newest rules that give the target's verdict."""
    if kind is Kind.HANG:
        return "no answer in time"
    if kind is Kind.CRASH:
        return signature(answer.message)
    if kind is Kind.TOO_LENIENT and not implemented:
        return NOT_IMPLEMENTED
    causes = (cause for cause, rules in _candidates() if module.verdict_under(rules) is answer.verdict)
    return next(causes, UNEXPLAINED)


@cache
def _candidates() -> tuple[tuple[str, Rules], ...]:
    return tuple(_combined())


def _combined() -> Iterator[tuple[str, Rules]]:
    """One departure of Tint's, any one, two of Tint's."""
    for variant in (*TINT_VARIANTS, *DEPARTURES.values()):
        yield variant.name, variant.rules
    for two in combinations(TINT_VARIANTS, 2):
        yield "+".join(v.name for v in two), Rules(two)


def because(cause: str) -> list[str]:
    """What the departures that a cause names do, and where they come from."""
    named = [DEPARTURES[name] for name in cause.split("+") if name in DEPARTURES]
    return [line for v in named for line in (f"{v.name}: an analysis with it {v.does}.", f"  {v.about}")]
