"""Judging answers about a text in the whole of WGSL."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.judging.judge import (
    COUNTEREXAMPLE,
    EMBEDDED,
    NOT_IMPLEMENTED,
    UNEXPLAINED,
    VERDICTS_DIFFER,
    Disagreement,
    Kind,
    RelationCause,
    kind_of,
    own_cause,
    signature,
    tint_version,
)
from wgsl_fuzz.fuzz.judging.outcome_words import outcome_of_module
from wgsl_fuzz.fuzz.judging.steps import indented, steps_of
from wgsl_fuzz.oracle.rules.analyses import is_ours, is_whole_variant, whole_rules
from wgsl_fuzz.oracle.rules.rule_set import Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, INTENT, WGSL_RULE_SETS, WHOLE, all_variants
from wgsl_fuzz.oracle.rules.uniformity.variants.history import HISTORY
from wgsl_fuzz.oracle.rules.uniformity.variants.letter import LETTER_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import TINT_VARIANTS
from wgsl_fuzz.oracle.targets.engines import TINT, engine_of
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict

TINTS_RULES, THE_TINT = "wgsl-tint-0.6.2", "tint@0.6.2"
"""The rule set that is known to be Tint's own; versions that were not measured are held against it, too."""

MENDED = (0, 6, 2)
UNMENDED = ("letter/no-join-after-short-circuit", "before-2026-06-09/base-before-index")
"""Departures that every earlier build of Tint has that can be had, and this version has not: as measured."""

NO_DEPARTURE = "No departure that a compiler or an old text is known for gives the target's verdict."
"""What an account says of a finding by itself. A branch of the rules may explain all findings of a bucket."""

MANY = 20
"""Of more departures than these no pairs and triples are tried: they are too many, and one by one is taken away."""

_PLACES = {name: place for place, name in enumerate(DEPARTURES)}

Said = Sequence[tuple[ModuleCase, Verdict]]


def judge_module(
    module: ModuleCase,
    answers: Mapping[str, Answer],
    without_uniformity: frozenset[str] = frozenset(),
    *,
    valid: bool = False,
    executed: bool = False,
) -> list[Disagreement]:
    """The findings among the answers to one module.

    INVALID is none unless the module is known to be `valid`: the reference is no type checker. If it is not `executed`,
    what a target accepts wrongly is too lenient, never unsound.
    """

    def diverges() -> bool:
        return executed and module.execution.outcome is Outcome.DIVERGES

    found = []
    disputed = any(answer.verdict is Verdict.REJECTS for answer in answers.values())
    if module.verdict is Verdict.ACCEPTS and (disputed or "execution" in module.__dict__) and diverges():
        found.append(Disagreement(WHOLE, Kind.UNSOUND, Answer(module.verdict), COUNTEREXAMPLE))
    for target, answer in answers.items():
        kind = kind_of(module.verdict, answer, diverges)
        if kind is not None and (valid or kind is not Kind.INVALID):
            cause = cause_in_module(module, target, kind, answer, target not in without_uniformity)
            found.append(Disagreement(target, kind, answer, cause))
    return found


def cause_in_module(module: ModuleCase, target: str, kind: Kind, answer: Answer, implemented: bool = True) -> str:
    """What names a disagreement's raw bucket: for verdicts the fewest departures that give the target's."""
    if kind is Kind.HANG:
        return "no answer in time"
    if kind in (Kind.CRASH, Kind.INVALID):
        return signature(answer.message)
    if kind in (Kind.TOO_LENIENT, Kind.UNSOUND) and not implemented:
        return NOT_IMPLEMENTED
    if answer.verdict is module.verdict:
        return COUNTEREXAMPLE
    return cause_of_all(target, [(module, answer.verdict)]) or UNEXPLAINED


def cause_of_all(target: str, said: Iterable[tuple[ModuleCase, Verdict]]) -> str:
    """The fewest departures that give the target's verdicts on several modules; empty if none do."""
    given = list(said)
    for cause, rules in _candidates(target):
        if _gives(rules, given):
            return cause
    own = own_departures(target)
    return _together(own, given) if len(own) > MANY else ""


def _gives(rules: Rules, given: Said) -> bool:
    return all(module.verdict_under(rules) is verdict for module, verdict in given)


def _together(own: Sequence[Variant], given: Said) -> str:
    """Departures that together give the verdicts, and none of which can be spared; empty if all of them do not."""
    if not _gives(Rules(own), given):
        return ""
    kept = [*own]
    for v in own:
        fewer = [one for one in kept if one is not v]
        if _gives(Rules(fewer), given):
            kept = fewer
    return "+".join(v.name for v in kept)


def is_tint(target: str) -> bool:
    """Whether a target is a Tint of whatever version, also that in a browser."""
    return engine_of(target) == TINT or target.startswith("tint-")


@cache
def own_departures(target: str) -> tuple[Variant, ...]:
    """Those of a target that is a rule set of ours, or a Tint."""
    name = target.removeprefix("rules:")
    own = (whole_rules(name) if is_ours(name) else None) or INTENT
    if is_tint(target):
        own = WGSL_RULE_SETS[TINTS_RULES]
    known = sorted(own, key=lambda v: _PLACES.get(v.name, len(_PLACES)))
    earlier = is_tint(target) and (name == EMBEDDED or (tint_version(name) or MENDED) < MENDED)
    return (*known, *(DEPARTURES[v] for v in UNMENDED if earlier))


def rules_of_module(cause: str) -> Rules | None:
    """The rule set that a cause names; None for a cause that is none."""
    variants = [DEPARTURES.get(name) or _broken(name) for name in cause.split("+")]
    return Rules(v for v in variants if v is not None) if all(variants) else None


def _broken(name: str) -> Variant | None:
    return all_variants()[name] if is_whole_variant(name) else None


def own_cause_of_module(target: str, cause: str) -> str | None:
    """The known departures of a target that a raw cause comes to, by their names; None if it comes to anything else."""
    rules = rules_of_module(cause)
    return cause if rules and rules <= set(own_departures(target)) else None


def known_cause(target: str, cause: str) -> str | None:
    """The known departures of a target, in either language, that a raw cause comes to; None for anything else."""
    return own_cause(target, cause) or own_cause_of_module(target, cause)


@cache
def _candidates(target: str) -> tuple[tuple[str, Rules], ...]:
    """The causes to be tried for a target's verdict, in order: its own departures, those of compilers and old texts.

    Two of its own come before a foreign one for the Tint whose own are known. What only the letter of the
    specification says comes last of single ones, and not for a Tint: it often fits by coincidence.
    """
    own, lettered = own_departures(target), not is_tint(target)
    if len(own) > MANY:
        return tuple((v.name, v.rules) for v in own)
    pairs = list(combinations(own, 2))
    foreign = [(v,) for v in (*TINT_VARIANTS, *HISTORY, *(LETTER_VARIANTS if lettered else ()))]
    near = [*pairs, *foreign] if target == THE_TINT else [*foreign, *pairs]
    some = dict.fromkeys([*((v,) for v in own), *near, *combinations(own, 3), own, *combinations(TINT_VARIANTS, 2)])
    return tuple(("+".join(v.name for v in one), Rules(one)) for one in some if one)


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


def because(cause: str) -> list[str]:
    """What the departures that a cause names do, and where they come from."""
    named = [DEPARTURES[name] for name in cause.split("+") if name in DEPARTURES]
    return [line for v in named for line in (f"{v.name}: an analysis with it {v.does}.", f"  {v.about}")]
