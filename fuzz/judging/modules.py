"""Judging answers about a text in the whole of WGSL, for which there is no semantics yet."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.judging.judge import NOT_IMPLEMENTED, UNEXPLAINED, Disagreement, Kind, kind_of, signature
from wgsl_fuzz.oracle.rules.analyses import is_ours, whole_rules
from wgsl_fuzz.oracle.rules.rule_set import Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, INTENT, WHOLE
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import TINT_VARIANTS
from wgsl_fuzz.oracle.verdict import Answer

_PLACES = {name: place for place, name in enumerate(DEPARTURES)}


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
            cause = _cause(module, target, kind, answer, target not in without_uniformity)
            found.append(Disagreement(target, kind, answer, cause))
    return found


def _cause(module: ModuleCase, target: str, kind: Kind, answer: Answer, implemented: bool) -> str:
    """The fewest departures from the newest rules that give the target's verdict."""
    if kind is Kind.HANG:
        return "no answer in time"
    if kind is Kind.CRASH:
        return signature(answer.message)
    if kind is Kind.TOO_LENIENT and not implemented:
        return NOT_IMPLEMENTED
    causes = (
        cause for cause, rules in _candidates(own_departures(target)) if module.verdict_under(rules) is answer.verdict
    )
    return next(causes, UNEXPLAINED)


def own_departures(target: str) -> tuple[Variant, ...]:
    """Those of a target that is a rule set of ours."""
    name = target.removeprefix("rules:")
    own = (whole_rules(name) if is_ours(name) else None) or INTENT
    return tuple(sorted(own, key=lambda v: _PLACES.get(v.name, len(_PLACES))))


@cache
def _candidates(own: tuple[Variant, ...]) -> tuple[tuple[str, Rules], ...]:
    return tuple(_combined(own))


def _combined(own: tuple[Variant, ...]) -> Iterator[tuple[str, Rules]]:
    """One of the target's own departures, one of Tint's, any one, two of Tint's."""
    for variant in dict.fromkeys((*own, *TINT_VARIANTS, *DEPARTURES.values())):
        yield variant.name, variant.rules
    for two in combinations(TINT_VARIANTS, 2):
        yield "+".join(v.name for v in two), Rules(two)


def account_of_module(module: ModuleCase, found: Disagreement) -> list[str]:
    """A finding in words: who says what, and which departure from the rules would explain it."""
    said = f"{found.target}: {found.answer.verdict.value}; the reference ({WHOLE}): {module.verdict.value}."
    return [said, *because(found.cause)]


def because(cause: str) -> list[str]:
    """What the departures that a cause names do, and where they come from."""
    named = [DEPARTURES[name] for name in cause.split("+") if name in DEPARTURES]
    return [line for v in named for line in (f"{v.name}: an analysis with it {v.does}.", f"  {v.about}")]
