"""Variants in contexts: there they are the variant, elsewhere the rule."""

import pytest

from tests.oracle.rules.uniformity.test_arm_coverage import answer
from tests.quality.module_mutants import pairs, witnesses
from wgsl_fuzz.oracle.rules.uniformity.contexts import Where, confinable_arms, confined, deciding_in_contexts
from wgsl_fuzz.oracle.rules.uniformity.coverage import JudgedModule, deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.places import Places
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS, judge_wgsl
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolve import resolve

NESTED = """@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {
    var x = 0u;
    loop {
        if x == 1u { break; }
        if lid == 0u { x = lid; %s }
        x = 0u;
        %s
    }
}"""


def contexts_of(text: str, arm: str) -> set[str]:
    """The contexts in which a variant decides a text."""
    return {context for name, context in deciding_in_contexts(text, lambda name, _: name == arm)}


@pytest.mark.parametrize("part", range(8))
def test_without_a_context_a_variant_is_as_ever(part: int) -> None:
    wrong = []
    for name, arm in [*confinable_arms().items()][part::64]:
        for text in (pairs()[witnesses()[name]].accepted, pairs()[witnesses()[name]].rejected):
            try:
                resolution = resolve(parse(text))
                reference = judge_wgsl(resolution)
            except WgslError:
                continue
            arm.where.places, arm.where.context, arm.where.here = Places(resolution), None, None
            everywhere = JudgedModule(resolution, reference).verdict_under(arm.arm) is not reference.verdict
            if everywhere != (name in deciding_arms(resolution, reference, only={name})):
                wrong.append(name)
    assert wrong == []


OF_BEHAVIOURS = """@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) p: u32) {
    for (;; workgroupBarrier()) { break; }
    for (;; workgroupBarrier()) {
        if p == 0 { return; } else { if p == 0 {} else { break; } }
    }
}"""


@pytest.mark.parametrize("base", ["wgsl", "wgsl-tint-0.6.2"])
@pytest.mark.parametrize("every", [900, pytest.param(40, marks=pytest.mark.slow)])
def test_variants_in_contexts_are_as_with_an_analysis_for_each(base: str, every: int) -> None:
    rules, wrong, count = WGSL_RULE_SETS[base], [], 0
    some = [*pairs().values()][3::every]
    for text in (OF_BEHAVIOURS, *(text for pair in some for text in (pair.accepted, pair.rejected))):
        resolution = resolve(parse(text))
        verdict = judge_wgsl(resolution, rules).verdict
        deciding = {*deciding_in_contexts(text, lambda *_: True, base=rules)}
        contexts = {context for _, context in deciding}
        for name, arm in confinable_arms(rules).items():
            for context in sorted(contexts)[::5] if arm.variant.direction.can_change(verdict) else ():
                (where := Where(context)).places = Places(resolution)
                said = answer(resolution, confined(arm.variant, where, rules))
                count += (name, context) in deciding
                # An empty list stands nowhere: it has the context of what asks for its behaviours.
                if (said is not verdict) != ((name, context) in deciding) and not name.startswith("B/list/"):
                    wrong.append((name, context, said))
    assert wrong == []
    assert count


def test_a_context_is_where_the_rule_is_applied() -> None:
    inside = contexts_of(NESTED % ("workgroupBarrier();", ""), "if/condition/dropped")
    behind = contexts_of(NESTED % ("break;", "workgroupBarrier();"), "if/condition/dropped")
    assert {"block:loop in entry", "nest:loop", "holds:break"} & inside == {"block:loop in entry", "nest:loop"}
    assert {"block:loop in entry", "nest:loop", "holds:break"} <= behind
