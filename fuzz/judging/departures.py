"""Which departures from section 15.2 a compiler has, or is known to have, and which of them give its verdicts."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.oracle.rules.analyses import is_ours, is_whole_variant, whole_rules
from wgsl_fuzz.oracle.rules.rule_set import Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, INTENT, WGSL_RULE_SETS, all_variants
from wgsl_fuzz.oracle.rules.uniformity.variants.history import HISTORY
from wgsl_fuzz.oracle.rules.uniformity.variants.letter import LETTER_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import TINT_VARIANTS
from wgsl_fuzz.oracle.targets.engines import TINT, WEBKIT, engine_of
from wgsl_fuzz.oracle.verdict import Verdict

EMBEDDED = "tint@embedded"
"""A Tint of 2025-01, whose version has no number."""
_TINT = re.compile(r"tint[@-](\d+(?:\.\d+)*)")

TINTS_RULES, THE_TINT = "wgsl-tint-0.6.2", "tint@0.6.2"
"""The rule set that is known to be Tint's own; versions that were not measured are held against it, too."""

WEBKITS = frozenset({WEBKIT, "webkit-92829e9"})
"""The rule sets that are predicted to be WebKit's."""

MENDED = (0, 6, 2)
UNMENDED = ("letter/no-join-after-short-circuit", "before-2026-06-09/base-before-index")
"""Departures that every earlier build of Tint has that can be had, and this version has not: as measured."""

MANY = 20
"""Of more departures than these no pairs and triples are tried: they are too many, and one by one is taken away."""

_PLACES = {name: place for place, name in enumerate(DEPARTURES)}

Said = Sequence[tuple[ModuleCase, Verdict]]


def tint_version(name: str) -> tuple[int, ...] | None:
    """The version that a target's name or a rule set's says: (0, 6, 2) of `tint@0.6.2`; None for none."""
    found = _TINT.fullmatch(name)
    return tuple(map(int, found[1].split("."))) if found else None


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


def is_webkit(target: str) -> bool:
    """Whether a target is a WebKit, also in a browser, or a model of one."""
    return engine_of(target) == WEBKIT or target.removeprefix("rules:") in WEBKITS


@cache
def own_departures(target: str) -> tuple[Variant, ...]:
    """Those of a target that is a rule set of ours, a Tint, or a WebKit, as predicted."""
    name = target.removeprefix("rules:")
    own = (whole_rules(name) if is_ours(name) else None) or INTENT
    if is_tint(target):
        own = WGSL_RULE_SETS[TINTS_RULES]
    elif is_webkit(target) and name not in WEBKITS:
        own = WGSL_RULE_SETS[WEBKIT]
    known = sorted(own, key=lambda v: _PLACES.get(v.name, len(_PLACES)))
    earlier = is_tint(target) and (name == EMBEDDED or (tint_version(name) or MENDED) < MENDED)
    return (*known, *(DEPARTURES[v] for v in UNMENDED if earlier))


def rules_of_module(cause: str) -> Rules | None:
    """The rule set that a cause names; None for a cause that is none."""
    variants = [DEPARTURES.get(name) or _broken(name) for name in cause.split("+")]
    return Rules(v for v in variants if v is not None) if all(variants) else None


def _broken(name: str) -> Variant | None:
    return all_variants()[name] if is_whole_variant(name) else None


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
