"""Most relations of modules are broken by some wrong analysis, which they would find without a reference."""

import pytest

from tests.strategies.edit.parents import accepts
from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.relations import RELATION, applied
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

HEAD = """
fn store(p: ptr<function, u32>, v: u32) { *p = v; }
fn exchange(p: ptr<function, u32>, v: u32) -> u32 { let old = *p; *p = v; return old; }
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) n: u32) { var x = 0u; var a: array<u32, 2>; let p = &x; """
BODIES = {
    "an index behind a switch": "switch (n) { case 0u: { workgroupBarrier(); } default: { return; } } a[0] = n;",
    "a call in a switch": (
        "switch (x) { case 0u: { if (n == 0u && exchange(p, 0u) == 0u) { x = a[1]; } } default: {} } "
        "workgroupBarrier();"
    ),
    "a barrier under a conjunction": "if (x == 0u && n == 0u) { workgroupBarrier(); x = a[1]; } a[0] = n;",
    "a call under a conjunction": "if (n == 0u && exchange(p, 0u) == 0u) { store(p, 0u); } workgroupBarrier(); return;",
    "a call in a disjunction": (
        "if (x == 0u || exchange(&x, n) == 0u) { a[1] = x; } else { workgroupBarrier(); x = 0u; }"
    ),
    "a return behind a barrier": "if (true) { workgroupBarrier(); if (n == 0u) { return; } }",
    "a store in one branch": "x = n; if (x == 0u) { store(&x, n); } else { workgroupBarrier(); }",
}
"""Bodies of `main` behind HEAD, by what they hold."""

WITNESSES: dict[str, tuple[str, str]] = {
    "barrier-added": ("B/callstatement/return", "atomic-index rejected"),
    "commuted": ("B/let/return", "subgroup-shuffle-xor-mask rejected"),
    "compound": ("assign/control-flow/non-uniform", "form-full-let-of-let-updated accepted"),
    "continuing-moved": (
        "loop/values/continuing-without-end",
        "history-5419-values-of-unreachable-continuing rejected",
    ),
    "conversion": ("builtin/constructor/no-first-argument", "an index behind a switch"),
    "discard": ("discard/control-flow/non-uniform", "overload-gather-depth-cube-array accepted"),
    "empty-if": ("if/after/always-ends", "builtin-tanh accepted"),
    "error-directive": (
        "filter/default/derivative_uniformity-warns",
        "texture-sample-grad-needs-nothing rejected",
    ),
    "filter-around-nothing": ("filter/rule/any", "quad-broadcast rejected"),
    "for-for-while": ("while/condition/dropped", "subgroup-value-in-variable rejected"),
    "if-around": ("expr/literal/no-control-flow", "arm-base-runs-before-divergence-of-index rejected"),
    "inlined": ("call/result/never-non-uniform", "arm-same-name-in-two-functions rejected"),
    "inlined-pointers": ("pointer/full/lets-never", "arm-compound-reads-old-non-uniform-value-first accepted"),
    "let-in-array": ("builtin/constructor/non-uniform", "sync-uniform-load-address accepted"),
    "literal-for-source": ("let/control-flow/non-uniform", "arm-num-subgroups-in-subgroup-scope accepted"),
    "loop-around": ("before-2025-12-01/10c", "a return behind a barrier"),
    "loop-for-for": ("empty/control-flow/non-uniform", "derivative-in-loop accepted"),
    "mirrored": ("expr/binary/no-right", "syntax-trailing-commas rejected"),
    "module-variable-in-struct": ("expr/member/never-loads", "value-variable-shadows-module-variable rejected"),
    "named": ("B/let/next-or-return", "a call in a switch"),
    "negated": ("if/else/not-analysed", "a barrier under a conjunction"),
    "no-source": ("switch/selector/non-uniform", "an index behind a switch"),
    "outlined": ("call/parameter/not-required", "form-index-of-address-loaded rejected"),
    "pointer-let": ("expr/unary/no-pointer", "form-index-of-address-loaded rejected"),
    "rest-in-else": ("list/control-flow/each-from-start", "sync-workgroup-barrier-behind-return rejected"),
    "short-circuit": ("B/assign/next-or-return", "a call under a conjunction"),
    "source-for-expression": ("name/module-variable/workgroup-uniform", "arm-flow-of-const rejected"),
    "switch-around": ("switch/selector/non-uniform", "value-uniform-read-in-divergent-flow accepted"),
    "switch-for-if": ("switch/selector/non-uniform", "handle-storage-texture-dimensions accepted"),
    "unread": ("assign/control-flow/non-uniform", "arm-flow-of-const accepted"),
    "unread-variable": ("B/variable/return", "atomic-sub-in-subgroup-scope rejected"),
    "unused-function": ("module/functions/first-tags", "a call in a disjunction"),
    "variable-in-array": ("expr/index/no-base", "a store in one branch"),
    "variable-in-struct": ("expr/member/never-loads", "form-full-parentheses-loaded rejected"),
}
"""By relation: a broken variant, and a parent: a pair and its side, or one of BODIES.

The others ask for what no variant does: they are about names, order, aliases, or code that is not analysed at all.
"""
SEEDS = 40


def parent_of(name: str) -> Resolution:
    if name in BODIES:
        return resolve(parse(f"{HEAD}{BODIES[name]} }}"))
    wanted, _, side = name.partition(" ")
    pair = next(pair for pair in load() if pair.name == wanted)
    return resolve(parse(pair.accepted if side == "accepted" else pair.rejected))


@pytest.mark.parametrize("name", WITNESSES)
def test_a_broken_variant_breaks_the_relation(name: str) -> None:
    variant, parent_name = WITNESSES[name]
    rules, parent, relation = all_variants()[variant].rules, parent_of(parent_name), RELATION[name]
    before = accepts(parent, rules)
    for seed in range(SEEDS):
        twin = applied(relation, parent, RandomSource(seed))
        if twin is None:
            continue
        assert relation.holds(accepts(parent), accepts(twin))
        try:
            after = accepts(twin, rules)
        except WgslError:
            continue
        if not relation.holds(before, after):
            return
    pytest.fail(f"{variant} keeps {name}")


def test_names_are_those_of_relations() -> None:
    assert WITNESSES.keys() <= RELATION.keys()
    assert len(WITNESSES) >= 34
