"""Every analysis of our own by name: rule sets of section 15.2, its variants, users' files, and two for TinyWGSL.

A variant's name is that of a rule set, too: the reference with this one branch done otherwise.
"""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from wgsl_fuzz.oracle.rules.analysis import verdict_of
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX, RuleFileError, load_rules
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity import revisions
from wgsl_fuzz.oracle.rules.whlsl import analyse_2019
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader

SECTION_4_2 = "paper"
"""The name of the paper's analysis among the oracles."""

ANALYSES: Mapping[str, Callable[[Shader], Verdict]] = {
    SECTION_4_2: verdict_of,
    "whlsl-2019": analyse_2019,
}
"""The analyses that judge TinyWGSL alone, asked about the core of a shader: section 4.2, and the proposal of 2019."""

BUILT_IN: tuple[str, ...] = (*ANALYSES, *revisions.WGSL_RULE_SETS)
"""The names of all built-in analyses."""

NEAR = 3
"""So many names are offered for a misspelt one."""

_WORD = re.compile(r"[\w./-]+")


def is_ours(name: str) -> bool:
    """Whether a name is a built-in analysis, or looks like a file of rules."""
    return (name.endswith(SUFFIX) and ":" not in name) or is_named(name)


def is_named(name: str) -> bool:
    """Whether a name is a built-in analysis; files are not."""
    return (
        name in BUILT_IN or name in revisions.ALIASES or revisions.DATED.fullmatch(name) is not None or is_variant(name)
    )


def is_variant(name: str) -> bool:
    """Whether a name is a variant of the rules."""
    return (
        "/" in name and ":" not in name and name in revisions.named_variants()
    )  # several hundred classes: only if need be


def rules_named(name: str) -> Rules | None:
    """The rule set of this name or in this file; None for an analysis of TinyWGSL. Raises RuleFileError."""
    if name.endswith(SUFFIX):
        return load_rules(name)
    if name in ANALYSES:
        return None
    name = revisions.ALIASES.get(name, name)
    rules = revisions.named_variants()[name].rules if is_variant(name) else revisions.wgsl_rules(name)
    if rules is None:
        raise unknown(name)
    return rules


def unknown(name: str) -> RuleFileError:
    """The error for an unknown rule set, with suggestions."""
    said = f"unknown rule set {name!r}"
    if revisions.DATED.fullmatch(name):
        return RuleFileError(f"{said}: there are rules of WGSL from {revisions.DRAFT} to {revisions.NEWEST}")
    near = _near(name)
    meant = [f"did you mean {' or '.join(near)}?"] if near else []
    known = f"known: {', '.join(BUILT_IN)}, a file FILE{SUFFIX}, or what `wgsl-fuzz targets rules` lists"
    return RuleFileError("; ".join([said, *meant, known]))


def _near(name: str) -> list[str]:
    """The names that look like one: of variants those that have all of it come first."""
    if "/" not in name:
        return get_close_matches(name, (*BUILT_IN, *revisions.ALIASES, *revisions.DEPARTURES), 1)
    parts = [one for one in revisions.named_variants() if name in one]
    return parts[:NEAR] or get_close_matches(name, revisions.named_variants(), NEAR)


def with_full_names(text: str) -> str:
    """A bucket with the full names of variants in its cause, not in its target: `10b` is `before-2025-10-17/10b`."""
    target, space, cause = text.partition(" ")
    return target + space + _WORD.sub(lambda word: revisions.ALIASES.get(word[0], word[0]), cause)
