"""Broken variants: section 15.2 with one edge, one condition, one tag or one bit of its tables done otherwise.

A suite of shaders that lets one live does not test its arm. A name is `rule/arm/what`; a place is `rule/arm`.
"""

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import expressions, functions, statements

BROKEN: tuple[Variant, ...] = (
    *expressions.EXPRESSION_VARIANTS,
    *expressions.NAME_VARIANTS,
    *expressions.POINTER_VARIANTS,
    *statements.ASSIGNMENT_VARIANTS,
    *statements.SIMPLE_VARIANTS,
    *statements.IF_VARIANTS,
    *statements.SWITCH_VARIANTS,
    *statements.LOOP_VARIANTS,
    *functions.USER_CALL_VARIANTS,
    *functions.BUILTIN_CALL_VARIANTS,
    *functions.FUNCTION_VARIANTS,
    *functions.FILTER_VARIANTS,
    *statements.BEHAVIOUR_VARIANTS,
    *expressions.INPUT_VARIANTS,
    *functions.TABLE_VARIANTS,
    *functions.PROPOSAL_VARIANTS,
)
"""All of them, in the order of the rules."""
