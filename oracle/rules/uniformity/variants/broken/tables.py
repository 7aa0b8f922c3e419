"""Broken variants of the table of built-in functions (15.2.7): each tag of each row turned over."""

from collections.abc import Iterator
from dataclasses import replace

from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.rows import EITHER, LAXER, STRICTER, S, changed
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, BuiltinFunction, Rule, Scope

OTHER_RULE = {
    Rule.SYNCHRONIZATION: Rule.DERIVATIVE,
    Rule.DERIVATIVE: Rule.SYNCHRONIZATION,
    Rule.SUBGROUP: Rule.SYNCHRONIZATION,
}
_BOTH = frozenset(Scope)


def _row(changed_row: BuiltinFunction, what: str, branch: str, effect: Effect, equivalent: str = "") -> Variant:
    return changed(
        f"table/{changed_row.name}/{what}",
        f"{changed_row.name}: {branch}",
        effect,
        S.function_row,
        lambda function_row, self, name: changed_row if name == changed_row.name else function_row(name),
        equivalent=equivalent,
    )


def _of(row: BuiltinFunction) -> Iterator[Variant]:
    """Each tag of one row."""
    if row.rule is not None:
        # Without the rule, results of subgroup functions depend on their arguments.
        effect = EITHER if row.rule is Rule.SUBGROUP else LAXER
        yield _row(replace(row, rule=None), "no-requirement", "call site tag", effect)
        yield _row(replace(row, rule=OTHER_RULE[row.rule]), "other-rule", f"rule {row.rule}", EITHER)
    if row.required:
        yield _row(replace(row, required=()), "no-parameter", f"parameter {row.required[0]} is required", LAXER)
        yield _row(replace(row, required=(1 - row.required[0],)), "other-parameter", "which one is required", EITHER)
    if row.rule is Rule.SUBGROUP and not row.required and row.name != "subgroupElect":
        yield _row(replace(row, required=(0,)), "parameter-required", "no parameter tag", STRICTER)
    if row.rule is None and not row.constant:
        yield _row(replace(row, rule=Rule.SYNCHRONIZATION), "required", "no call site tag", STRICTER)
    if not row.non_uniform_in and not row.constant and row.result and row.name != "textureLoad":
        yield _row(replace(row, non_uniform_in=_BOTH), "non-uniform", "no ReturnValueMayBeNonUniform", STRICTER)
    if row.name == "subgroupShuffle":
        yield _row(replace(row, required=(1,)), "second-required", "no parameter tag", STRICTER)
    for scope in Scope:
        if scope in row.non_uniform_in and row.result:
            without = replace(row, non_uniform_in=row.non_uniform_in - {scope})
            yield _row(without, f"uniform-in-{scope}", f"ReturnValueMayBeNonUniform in {scope}", LAXER)
        elif row.rule is Rule.SUBGROUP:
            more = replace(row, non_uniform_in=row.non_uniform_in | {scope})
            yield _row(more, f"non-uniform-in-{scope}", f"no ReturnValueMayBeNonUniform in {scope}", STRICTER)


TABLE_VARIANTS: tuple[Variant, ...] = tuple(variant for row in FUNCTIONS.values() for variant in _of(row))
