"""Most relations of modules are broken by some wrong analysis, which they would find without a reference."""

import pytest

from tests.strategies.modules.edit.mothers import accepts
from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.modules.edit.relations import MODULE_RELATION, applied
from wgsl_fuzz.strategies.modules.small_modules import of_size
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

WITNESSES: dict[str, tuple[str, str | int]] = {
    "barrier-added": ("B/callstatement/return", "atomic-index rejected"),
    "commuted": ("B/let/return", "subgroup-shuffle-xor-mask rejected"),
    "compound": ("assign/control-flow/non-uniform", "form-full-let-of-let-updated accepted"),
    "conversion": ("builtin/constructor/no-first-argument", 46765),
    "discard": ("discard/control-flow/non-uniform", "overload-gather-depth-cube-array accepted"),
    "empty-if": ("if/after/always-ends", "builtin-tanh accepted"),
    "error-directive": (
        "filter/default/derivative_uniformity-warns",
        "texture-sample-grad-needs-nothing rejected",
    ),
    "filter-around-nothing": ("filter/rule/any", "quad-broadcast rejected"),
    "for-for-while": ("while/condition/dropped", "subgroup-value-in-variable rejected"),
    "if-around": ("expr/literal/no-control-flow", "arm-base-runs-before-divergence-of-index rejected"),
    "let-in-array": ("builtin/constructor/non-uniform", "sync-uniform-load-address accepted"),
    "loop-for-for": ("empty/control-flow/non-uniform", "derivative-in-loop accepted"),
    "mirrored": ("expr/binary/no-right", "syntax-trailing-commas rejected"),
    "module-variable-in-struct": ("expr/member/never-loads", "value-variable-shadows-module-variable rejected"),
    "named": ("B/let/next-or-return", 25852),
    "negated": ("if/else/not-analysed", 20936),
    "outlined": ("call/parameter/not-required", "form-index-of-address-loaded rejected"),
    "pointer-let": ("expr/unary/no-pointer", "form-index-of-address-loaded rejected"),
    "rest-in-else": ("list/control-flow/each-from-start", "sync-workgroup-barrier-behind-return rejected"),
    "short-circuit": ("B/assign/next-or-return", 44976),
    "switch-around": ("switch/selector/non-uniform", "value-uniform-read-in-divergent-flow accepted"),
    "switch-for-if": ("switch/selector/non-uniform", "handle-storage-texture-dimensions accepted"),
    "unread-variable": ("B/variable/return", "atomic-sub-in-subgroup-scope rejected"),
    "unused-function": ("module/functions/first-tags", 28418),
    "variable-in-array": ("expr/index/no-base", 7426),
    "variable-in-struct": ("expr/member/never-loads", "form-full-parentheses-loaded rejected"),
}
"""By relation: a broken variant, and a mother: a pair and its side, or the number of a small module of four statements.

The others ask for what no variant does: they are about names, order, aliases, or code that is not analysed at all.
"""
SEEDS = 40


def mother_of(name: str | int) -> Resolution:
    if isinstance(name, int):
        return resolve(of_size(4).nth(name))
    wanted, _, side = name.partition(" ")
    pair = next(pair for pair in load() if pair.name == wanted)
    return resolve(parse(pair.accepted if side == "accepted" else pair.rejected))


@pytest.mark.parametrize("name", WITNESSES)
def test_a_broken_variant_breaks_the_relation(name: str) -> None:
    variant, mother_name = WITNESSES[name]
    rules, mother, relation = all_variants()[variant].rules, mother_of(mother_name), MODULE_RELATION[name]
    before = accepts(mother, rules)
    for seed in range(SEEDS):
        twin = applied(relation, mother, RandomSource(seed))
        if twin is None:
            continue
        assert relation.holds(accepts(mother), accepts(twin))
        try:
            after = accepts(twin, rules)
        except WgslError:
            continue
        if not relation.holds(before, after):
            return
    pytest.fail(f"{variant} keeps {name}")


def test_names_are_those_of_relations() -> None:
    assert WITNESSES.keys() <= MODULE_RELATION.keys()
    assert len(WITNESSES) >= 26
