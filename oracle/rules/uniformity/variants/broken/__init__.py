"""Broken variants: section 15.2 with one edge, one condition, one tag or one bit of its tables done otherwise.

A suite of shaders that lets one live does not test its arm. A name is `rule/arm/what`; a place is `rule/arm`.
"""

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.assignments import ASSIGNMENT_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.behaviours import BEHAVIOUR_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.branches import IF_VARIANTS, SWITCH_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.builtin_calls import BUILTIN_CALL_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.calls import USER_CALL_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.expressions import EXPRESSION_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.filters import FILTER_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.functions import FUNCTION_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.loops import LOOP_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.names import INPUT_VARIANTS, NAME_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.pointers import POINTER_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.statements import SIMPLE_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.tables import TABLE_VARIANTS

BROKEN: tuple[Variant, ...] = (
    *EXPRESSION_VARIANTS,
    *NAME_VARIANTS,
    *POINTER_VARIANTS,
    *ASSIGNMENT_VARIANTS,
    *SIMPLE_VARIANTS,
    *IF_VARIANTS,
    *SWITCH_VARIANTS,
    *LOOP_VARIANTS,
    *USER_CALL_VARIANTS,
    *BUILTIN_CALL_VARIANTS,
    *FUNCTION_VARIANTS,
    *FILTER_VARIANTS,
    *BEHAVIOUR_VARIANTS,
    *INPUT_VARIANTS,
    *TABLE_VARIANTS,
)
"""All of them, in the order of the rules."""

__all__ = ["BROKEN"]
