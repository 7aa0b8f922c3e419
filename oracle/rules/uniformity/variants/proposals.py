"""Where a proposal's letter, or Tint, departs from what we take to be meant (docs/specification-notes.md)."""

from dataclasses import replace

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.letter import LETTER
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import LAXER, STRICTER, Author, S, departs
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import TINT
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import MATRIX_CONSTRUCTOR, MATRIX_TYPES, BuiltinFunction, Rule, Scope


def _by_the_letter(result: BuiltinFunction) -> BuiltinFunction:
    required = result.letter_required
    return result if required is None else replace(result, required=required)


def _depending(result: Node, self: S, e: w.Call, cf: Node) -> Node:
    required = self.builtin_requirement(self.function_row(MATRIX_CONSTRUCTOR.name))
    if required is not None:
        self.require(required, cf, e)
    return result


def _is_composite(self: S, e: w.Call) -> bool:
    resolution = self.resolution
    if not resolution.has_matrices or resolution.builtin(e) is not None or not e.arguments:
        return False
    return resolution.contains(resolution.type(e), MATRIX_TYPES)


def _is_of_matrices(self: S, e: w.Call) -> bool:
    row, found = self.resolution.builtin(e), self.resolution.type(e)
    return row.rule is Rule.MATRIX if row is not None else found is not None and found.name in MATRIX_TYPES


def _loads_texels(self: S, e: w.Call) -> bool:
    if e.callee.name != "textureLoad":
        return False
    found = self.resolution.type(e.arguments[0])
    return found is not None and found.name == "texel_buffer"


PROPOSED_LETTER = departs(
    LETTER,
    "accumulator-not-required",
    LAXER,
    "takes any accumulator of subgroupMatrixMultiplyAccumulate",
    "The proposal names `left` and `right` among what must be uniform, and not `acc`.",
).by(S.function_row, _by_the_letter)
MATRICES_IN_WORKGROUPS = departs(
    Author("proposals"),
    "matrices-in-workgroups",
    STRICTER,
    "asks for uniformity in the workgroup where a subgroup matrix needs it in the subgroup",
    "The proposal's closing section says so; the text of each function is newer. Tint up to 0.3.8 asked for that.",
).by(S.is_rule_of_scope, lambda self: self.scope is not Scope.SUBGROUP, where=lambda rule: rule is Rule.MATRIX)
PROPOSED_TINT: tuple[Variant, ...] = (
    departs(
        TINT,
        "matrix-results-forget-arguments",
        LAXER,
        "forgets that a subgroup matrix depends on what it is made of",
        "With its rule switched off, a matrix of a non-uniform value or matrix is not uniform.",
    ).by(S.depending, arguments=lambda: [], where=_is_of_matrices),
    departs(
        TINT,
        "texel-buffers-are-uniform",
        LAXER,
        "takes what it loads from a texel buffer as uniform",
        "Another invocation may write a `read_write` texel buffer, as it may a storage texture.",
    ).by(S.is_non_uniform, lambda: False, where=_loads_texels),
    departs(
        TINT,
        "composites-of-matrices",
        STRICTER,
        "requires uniform control flow where a structure or an array is made of subgroup matrices",
        "They are copied, as by a `let`, which is allowed everywhere.",
    ).by(S.depending, _depending, where=_is_composite),
)
"""Those of Tint 0.6.2."""
PROPOSED = frozenset(v.name for v in (PROPOSED_LETTER, MATRICES_IN_WORKGROUPS, *PROPOSED_TINT))


def is_proposed(variant: Variant) -> bool:
    """Whether a variant changes a rule of a proposal, and so says the same of all modules without one."""
    return variant.rule == "proposal" or variant.name in PROPOSED
