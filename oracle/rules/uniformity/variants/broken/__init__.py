"""Broken variants: section 15.2 with one edge, one condition, one tag or one bit of its tables done otherwise.

A suite of shaders that lets one live does not test its arm. A name is `rule/arm/what`; a place is `rule/arm`.
"""

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.behaviours import BEHAVIOUR_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.control_flow import IF_VARIANTS, LOOP_VARIANTS, SWITCH_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.expressions import (
    EXPRESSION_VARIANTS,
    INPUT_VARIANTS,
    NAME_VARIANTS,
    POINTER_VARIANTS,
)
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.filters import FILTER_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.functions import (
    BUILTIN_CALL_VARIANTS,
    FUNCTION_VARIANTS,
    TABLE_VARIANTS,
    USER_CALL_VARIANTS,
)
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.statements import ASSIGNMENT_VARIANTS, SIMPLE_VARIANTS

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
