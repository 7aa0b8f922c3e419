"""Variants in contexts: there they are the variant, elsewhere the rule."""

import pytest

from tests.quality.module_mutants import pairs, witnesses
from wgsl_fuzz.oracle.rules.uniformity.contexts import confinable_arms, deciding_in_contexts
from wgsl_fuzz.oracle.rules.uniformity.coverage import JudgedModule, deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.places import Places
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
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


def test_a_context_is_where_the_rule_is_applied() -> None:
    inside = contexts_of(NESTED % ("workgroupBarrier();", ""), "if/condition/dropped")
    behind = contexts_of(NESTED % ("break;", "workgroupBarrier();"), "if/condition/dropped")
    assert {"block:loop in entry", "nest:loop", "holds:break"} & inside == {"block:loop in entry", "nest:loop"}
    assert {"block:loop in entry", "nest:loop", "holds:break"} <= behind
