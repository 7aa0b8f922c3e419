"""The named rule sets for the whole of WGSL: by date, by letter, and of compilers."""

import re
from collections.abc import Mapping
from functools import cache

from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ModuleAnalysis, ScopeAnalysis, analyse_module
from wgsl_fuzz.oracle.rules.uniformity.sets import on_sets
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES, HISTORY
from wgsl_fuzz.oracle.rules.uniformity.variants.letter import LETTER_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.proposals import (
    MATRICES_IN_WORKGROUPS,
    PROPOSED_LETTER,
    PROPOSED_TINT,
)
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import MENDED_TINT_VARIANTS, TINT_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit import OF_92829E9, OF_THE_NEWER, WEBKIT_VARIANTS
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.resolution import Resolution

NEWEST = "2026-08-17"
"""The date of the text that the analysis follows."""
DRAFT = "2023-01-28"
"""The date of the W3C working draft with which the history begins."""

DEPARTURES: dict[str, Variant] = {
    v.name: v
    for v in (
        *(*LETTER_VARIANTS, PROPOSED_LETTER, MATRICES_IN_WORKGROUPS),
        *HISTORY,
        *(*TINT_VARIANTS, *PROPOSED_TINT, *MENDED_TINT_VARIANTS),
        *WEBKIT_VARIANTS,
    )
}
"""What texts and compilers really do otherwise, by name."""


@cache
def all_variants() -> Mapping[str, Variant]:
    """These, and those that break one arm of the rules to measure tests by it: by name."""
    # Several hundred classes, which a command does not wait for.
    from wgsl_fuzz.oracle.rules.uniformity.variants.broken import BROKEN

    return {**DEPARTURES, **{v.name: v for v in BROKEN}}


@cache
def named_variants() -> Mapping[str, Variant]:
    """All that may be asked for by name: also relaxations, which are the rules of nobody and explain no answer."""
    from wgsl_fuzz.oracle.rules.uniformity.variants.relaxed import RELAXED

    return {**all_variants(), **RELAXED}


SECTION_15_2 = "wgsl"
"""The name of the reference for the whole language among the oracles."""
WITH_PROPOSALS = "wgsl+proposals"
"""The name of the same rules in records of a module that enables proposals, whose rules lie on top."""
LETTER = Rules((*LETTER_VARIANTS, PROPOSED_LETTER))


def as_of(date: str) -> Rules:
    """The rules on the evening of a day: every later change is taken back."""
    return Rules(v for v in HISTORY if v.place > date)


_TINT_0_6_2 = Rules(
    {
        *TINT_VARIANTS,
        *PROPOSED_TINT,
        DEPARTURES["letter/subgroup-results-depend"],
        DEPARTURES["letter/unlisted-inputs"],
        DEPARTURES["letter/index-of-value-first"],
    }
)
"""As measured: they say the same of all texts of corpus/wgsl/pairs, and of the families pointer-function and loop-body
up to size 4 and effects of size 1 (tests/strategies/enumerate/test_families.py)."""
_TINT_0_4_0 = _TINT_0_6_2 | {
    DEPARTURES["letter/no-join-after-short-circuit"],
    DEPARTURES["before-2026-06-09/base-before-index"],
    DEPARTURES["tint/part-pointers-replace-all"],
}
"""Of 19,450 texts it says otherwise of 5: three read a component of a swizzle, two index by a call that stores."""
_TINT_0_3_8 = _TINT_0_4_0 | {
    DEPARTURES[FIGURES["10b"]],
    DEPARTURES[FIGURES["10c"]],
    DEPARTURES["before-2025-12-15/one-scope"],
    MATRICES_IN_WORKGROUPS,
    DEPARTURES["tint/body-without-condition-under-entry"],
}
"""Of the same texts it says otherwise of 2: both index by a call that stores. So do Tint 0.3.6 and 0.3.3."""

DATES: tuple[str, ...] = (DRAFT, *sorted({v.place for v in HISTORY}))

WGSL_RULE_SETS: dict[str, Rules] = {
    SECTION_15_2: UNCHANGED,
    WITH_PROPOSALS: UNCHANGED,
    "letter": LETTER,
    **{f"wgsl-{date}": as_of(date) for date in DATES},
    f"wgsl-{NEWEST}": UNCHANGED,
    # as measured (`benchmarks/closest.py`)
    "wgsl-tint-0.6.2": _TINT_0_6_2,
    "wgsl-tint-0.4.0": Rules(_TINT_0_4_0),
    "wgsl-tint-0.3.8": Rules(_TINT_0_3_8),
    # as predicted: nobody has asked a Safari (docs/webkit-analysis.md)
    "webkit": Rules(OF_THE_NEWER),
    "webkit-92829e9": Rules(OF_92829E9),
}
"""By name. `wgsl` is the newest text as it is meant."""

DATED = re.compile(r"wgsl-(\d{4}-\d\d-\d\d)")
"""What names the rules as of a date."""


ALIASES: Mapping[str, str] = {**FIGURES, **{f"without-{figure}": name for figure, name in FIGURES.items()}}
"""The paper's own names, which stand for those of variants: `10b`, and `without-10b` for the rules without that change.
"""


def wgsl_rules(name: str) -> Rules | None:
    """The rule set of this name, or as of any date: `wgsl-2025-01-16`. None for what names none."""
    dated = DATED.fullmatch(name)
    if name not in WGSL_RULE_SETS and dated is not None and DRAFT <= dated[1] <= NEWEST:
        return as_of(dated[1])
    return WGSL_RULE_SETS.get(name)


def _outermost_first(rules: Rules, base: type) -> list[type]:
    """The classes that replace pieces of one class; a user's own stand around all others."""
    own = {cls for v in rules if not v.place for cls in v.replacements}
    found = [cls for cls in rules.replacements if issubclass(cls, base)]
    return [*(cls for cls in reversed(found) if cls in own), *(cls for cls in found if cls not in own)]


@cache
def analysis_under(rules: Rules) -> type[ScopeAnalysis]:
    """The analysis with the pieces that the variants of a rule set put in place of its own."""
    if not rules:
        return ScopeAnalysis
    pieces = _outermost_first(rules, ScopeAnalysis)
    of_behaviours = _outermost_first(rules, BehaviourAnalysis)
    analysis: type[ScopeAnalysis] = type("ScopeAnalysis", (*pieces, ScopeAnalysis), {})
    if of_behaviours:
        analysis.behaviour_analysis = type("BehaviourAnalysis", (*of_behaviours, BehaviourAnalysis), {})
    return analysis


def analyse_wgsl(resolution: Resolution, rules: Rules = UNCHANGED) -> ModuleAnalysis:
    """The uniformity analysis of a module under a rule set. Raises Unsupported for what it does not know."""
    return analyse_module(resolution, analysis_under(rules))


def as_read(resolution: Resolution, rules: Rules) -> Resolution:
    """A module as a rule set reads it, which explanations of its answers need: a relaxation may read another one."""
    return analysis_under(rules)(resolution, None).resolution


def judge_wgsl(resolution: Resolution, rules: Rules = UNCHANGED) -> ModuleAnalysis:
    """As `analyse_wgsl`, but several times sooner and without graphs to explain it by: verdict, violations and tags."""
    return analyse_module(resolution, set_analysis_under(rules))


@cache
def set_analysis_under(rules: Rules) -> type[ScopeAnalysis]:
    """The analysis of a rule set on sets of sources; a user's own variants may look at the graph, and get one."""
    analysis = analysis_under(rules)
    return on_sets(analysis) if all(v.place for v in rules) else analysis
