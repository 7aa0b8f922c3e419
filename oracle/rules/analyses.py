"""Every analysis of our own by name: the rule sets of section 4.2, the proposal of 2019, and files of users.

A variant's name is that of a rule set, too: the reference of its language with this one branch done otherwise.
"""

from collections.abc import Callable
from difflib import get_close_matches
from functools import partial

from wgsl_fuzz.oracle.rules.analysis import verdict_of
from wgsl_fuzz.oracle.rules.revisions import RULE_SETS
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX, RuleFileError, load_rules
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import (
    DATED,
    DRAFT,
    NEWEST,
    WGSL_RULE_SETS,
    all_variants,
    wgsl_rules,
)
from wgsl_fuzz.oracle.rules.variants import DEPARTURES, VARIANTS
from wgsl_fuzz.oracle.rules.whlsl import analyse_2019
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader

WHLSL_2019 = "whlsl-2019"

Judgement = Callable[[Shader], Verdict]


ANALYSES: dict[str, Judgement] = {
    **{name: partial(verdict_of, rules=rules) for name, rules in RULE_SETS.items()},
    WHLSL_2019: analyse_2019,
}
"""From an analysis's name to its verdict on a well-formed shader."""


OURS: tuple[str, ...] = (*ANALYSES, *WGSL_RULE_SETS)
"""The names of all analyses of our own: of TinyWGSL, and of the whole language."""

REFERENCE = "paper"
"""The reference's name among the oracles."""


NEAR = 3
"""So many names are offered for a misspelt one."""


def is_ours(name: str) -> bool:
    """Whether a name is that of an analysis of our own, or looks like a file of rules."""
    return (name.endswith(SUFFIX) and ":" not in name) or is_named(name)


def is_named(name: str) -> bool:
    """Whether a name is that of an analysis of our own; a file has none."""
    return name in OURS or DATED.fullmatch(name) is not None or name in VARIANTS or is_whole_variant(name)


def is_whole_variant(name: str) -> bool:
    """Whether a name is that of a variant of the rules for the whole language."""
    return "/" in name and ":" not in name and name in all_variants()  # several hundred classes: only if need be


def whole_rules(name: str) -> Rules | None:
    """The rule set of the whole language of this name or in this file; None for what is none. Raises RuleFileError."""
    if name.endswith(SUFFIX):
        file = load_rules(name)
        return file.rules if file.whole else None
    return all_variants()[name].rules if is_whole_variant(name) else wgsl_rules(name)


def rules_named(name: str) -> Rules | None:
    """The rule set of TinyWGSL of this name or in this file; None for another analysis. Raises RuleFileError."""
    if name.endswith(SUFFIX):
        file = load_rules(name)
        if file.whole:
            raise RuleFileError(f"{name} has rules of the whole language, not of TinyWGSL")
        return file.rules
    if name in ANALYSES:
        return RULE_SETS.get(name)
    if name not in VARIANTS:
        raise unknown(name)
    return VARIANTS[name].rules


def unknown(name: str) -> RuleFileError:
    """What to raise for what names no rule set: those that may be meant, or all that there are."""
    said = f"unknown rule set {name!r}"
    if DATED.fullmatch(name):
        return RuleFileError(f"{said}: there are rules of the whole language from {DRAFT} to {NEWEST}")
    near = _near(name)
    meant = [f"did you mean {' or '.join(near)}?"] if near else []
    known = f"known: {', '.join(OURS)}, a file FILE{SUFFIX}, or what `wgsl-fuzz targets rules` lists"
    return RuleFileError("; ".join([said, *meant, known]))


def _near(name: str) -> list[str]:
    """The names that look like one: of variants those that have all of it come first."""
    if "/" not in name:
        return get_close_matches(name, (*OURS, *DEPARTURES), 1)
    variants = (*VARIANTS, *all_variants())
    parts = [one for one in variants if name in one]
    return parts[:NEAR] or get_close_matches(name, variants, NEAR)


def judgement_named(name: str) -> Judgement:
    """The analysis of this name or in this file. Raises RuleFileError; one in a file raises it, too."""
    rules = rules_named(name)
    return ANALYSES[name] if rules is None or name in ANALYSES else partial(verdict_of, rules=rules)
