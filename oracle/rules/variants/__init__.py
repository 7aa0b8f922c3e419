"""Variants of the rules: section 4.2 and Figs. 8 and 9 with one branch of one rule done otherwise.

Some are historic, of drafts and compilers; the others are mutants, broken rules. A test-suite that lets a mutant live
does not test its branch; a shader that tells a mutant from the paper is one whose verdict that branch decides
(`oracle.rules.coverage`). A variant overrides methods of `UniformityAnalysis` or of `BehaviourAnalysis`.
"""

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.variants.behaviours import BEHAVIOUR_VARIANTS
from wgsl_fuzz.oracle.rules.variants.calls import CALL_VARIANTS, FUNCTION_VARIANTS, SHADER_VARIANTS
from wgsl_fuzz.oracle.rules.variants.doubles import DOUBLE_VARIANTS as DOUBLE
from wgsl_fuzz.oracle.rules.variants.joins import JOIN_VARIANTS
from wgsl_fuzz.oracle.rules.variants.loops import LOOP_VARIANTS
from wgsl_fuzz.oracle.rules.variants.statements import EXPRESSION_VARIANTS, IF_VARIANTS, SIMPLE_VARIANTS

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

KILLABLE: tuple[Variant, ...] = tuple(v for v in MUTANTS if not v.equivalent)
EQUIVALENT: tuple[Variant, ...] = tuple(v for v in MUTANTS if v.equivalent)

VARIANTS: dict[str, Variant] = {v.name: v for v in (*MUTANTS, *JOIN_VARIANTS, *DOUBLE)}
"""All of them, by name."""

DEPARTURES: dict[str, Variant] = {name: v for name, v in sorted(VARIANTS.items()) if v.does}
"""The historic ones, by their names in raw causes: the four changes taken back, and what else real analyses do."""

CHANGES: dict[str, Variant] = {name: v for name, v in DEPARTURES.items() if v.issue}
"""The four changes of section 5 taken back, by the paper's figure."""

_FORMER_NAMES = {
    "loop/line-8/break-if-keeps-control-flow": "10a",
    "B/loop/case-1-never": "10b",
    "loop/line-6/always-fresh": "10c",
    "loop/line-8/always-analysed": "10d",
}
"""What older runs call a variant."""


def in_current_names(text: str) -> str:
    """What an older run calls a branch or a bucket, with the names of today."""
    for former, name in _FORMER_NAMES.items():
        text = text.replace(former, name)
    return text


__all__ = [
    "CHANGES",
    "DEPARTURES",
    "DOUBLE",
    "EQUIVALENT",
    "KILLABLE",
    "MUTANTS",
    "VARIANTS",
    "Variant",
    "in_current_names",
]
