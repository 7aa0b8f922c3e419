"""Variants of the rules: section 4.2 and Figs. 8 and 9 with one branch of one rule done otherwise.

Some are historic, of drafts and compilers; the others are mutants, broken rules. A test-suite that lets a mutant live
does not test its branch; a shader that tells a mutant from the paper is one whose verdict that branch decides
(`deciding`). A variant overrides methods of `UniformityAnalysis` or of `BehaviourAnalysis`.
"""

from collections.abc import Collection, Iterable

from tests.quality.paper_mutants.behaviours import BEHAVIOUR_VARIANTS
from tests.quality.paper_mutants.calls import CALL_VARIANTS, FUNCTION_VARIANTS, SHADER_VARIANTS
from tests.quality.paper_mutants.doubles import DOUBLE_VARIANTS
from tests.quality.paper_mutants.joins import JOIN_VARIANTS
from tests.quality.paper_mutants.loops import LOOP_VARIANTS
from tests.quality.paper_mutants.statements import EXPRESSION_VARIANTS, IF_VARIANTS, SIMPLE_VARIANTS
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.rule_set import Rules, Variant
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader

MUTANTS: tuple[Variant, ...] = (
    *BEHAVIOUR_VARIANTS,
    *EXPRESSION_VARIANTS,
    *SIMPLE_VARIANTS,
    *IF_VARIANTS,
    *CALL_VARIANTS,
    *LOOP_VARIANTS,
    *FUNCTION_VARIANTS,
    *SHADER_VARIANTS,
)
"""Those that break one branch of the paper's rules, in the order of these; the four changes of section 5 taken back
are among them."""

DOUBLE = DOUBLE_VARIANTS
"""Single ones, each with a class that mends it for most programs."""

KILLABLE: tuple[Variant, ...] = tuple(v for v in MUTANTS if not v.equivalent)
EQUIVALENT: tuple[Variant, ...] = tuple(v for v in MUTANTS if v.equivalent)

VARIANTS: dict[str, Variant] = {v.name: v for v in (*MUTANTS, *JOIN_VARIANTS, *DOUBLE_VARIANTS)}
"""All of them, by name."""

DEPARTURES: dict[str, Variant] = {
    v.name: v for v in sorted((*MUTANTS, *JOIN_VARIANTS), key=lambda v: v.name) if v.issue or v in JOIN_VARIANTS
}
"""What drafts and compilers really do otherwise, by name."""

CHANGES: dict[str, Variant] = {name: v for name, v in DEPARTURES.items() if v.issue}
"""The four changes of section 5 taken back, by the paper's figure."""

REVERSIONS: dict[str, Rules] = {figure: variant.rules for figure, variant in CHANGES.items()}
"""Each of the four changes alone taken back, by the paper's figure."""


def departing(names: Iterable[str]) -> Rules:
    """The paper's rules with the variants of the given names."""
    return Rules(VARIANTS[name] for name in names)


def deciding(shader: Shader, verdict: Verdict | None = None, *, only: Collection[str] | None = None) -> list[str]:
    """The names of the variants whose verdict on `shader` is not the paper's, in the order of the paper's rules.

    Of the variants only those named in `only` are asked, if given.
    """
    verdict = analyse(shader).verdict if verdict is None else verdict
    asked = [m for m in KILLABLE if m.direction.can_change(verdict) and (only is None or m.name in only)]
    return [m.name for m in asked if analyse(shader, m.rules).verdict is not verdict]
