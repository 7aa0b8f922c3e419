"""What decides a module, and that every short cut on the way is safe."""

from collections.abc import Iterator
from random import Random

import pytest

from tests.quality.module_mutants import SIDES, pairs, resolution
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Direction, Rules
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis, analyse_module
from wgsl_fuzz.oracle.rules.uniformity.coverage import SILENT, JudgedModule, arms, around, deciding_arms, readied
from wgsl_fuzz.oracle.rules.uniformity.revisions import (
    WGSL_RULE_SETS,
    all_variants,
    analyse_wgsl,
    analysis_under,
    judge_wgsl,
)
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import read, resolve

PROFILES = [*MODULE_PROFILES.values()]
GUARDED = (
    "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) { if i == 0 { workgroupBarrier(); } }"
)


def module(text: str) -> Resolution:
    return read(text)


def answer(given: Resolution, analysis: type[ScopeAnalysis]) -> Verdict:
    """The verdict of a variant, without any short cut."""
    try:
        for f in given.functions:
            analysis.behaviour_analysis().check(f)
        return analyse_module(given, analysis).verdict
    except ResolveProblem:
        return Verdict.INVALID


def by_brute_force(given: Resolution, base: Rules = UNCHANGED) -> list[str]:
    """Every variant asked, on top of a base; those that are said to be silent as well."""
    variants = [v for v in all_variants().values() if not v.equivalent and v not in base]
    verdict = analyse_wgsl(given, base).verdict
    return [v.name for v in variants if answer(given, analysis_under(around(v.rules, base))) is not verdict]


def valid(names: list[str]) -> Iterator[Resolution]:
    """The texts of some pairs, but for those that are refused for another reason than uniformity."""
    for name in names:
        for side in SIDES:
            given = resolution(name, side)
            try:
                if given is not None:
                    for f in given.functions:
                        BehaviourAnalysis().check(f)
                    yield given
            except ResolveProblem:
                pass


@pytest.mark.parametrize("every", [400, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("part", range(4))
def test_no_short_cut_loses_an_arm(part: int, every: int) -> None:
    texts = [*valid(sorted(pairs())[part::every])]
    assert [deciding_arms(given) for given in texts] == [by_brute_force(given) for given in texts]
    assert any(deciding_arms(given) for given in texts)


@pytest.mark.parametrize("name", ["wgsl-tint-0.6.2", "wgsl-tint-0.3.8", "webkit"])
@pytest.mark.parametrize("every", [600, pytest.param(20, marks=pytest.mark.slow)])
def test_no_short_cut_loses_an_arm_on_top_of_what_a_compiler_does(name: str, every: int) -> None:
    base = WGSL_RULE_SETS[name]
    for given in valid(sorted(pairs())[7::every]):
        if name != "webkit" or not given.proposals:
            assert deciding_arms(given, base=base) == by_brute_force(given, base)


@pytest.mark.parametrize("seed", range(4))
def test_no_short_cut_loses_an_arm_of_drawn_shaders(seed: int) -> None:
    given = module(print_shader(draw_shader(seed)))
    assert deciding_arms(given) == by_brute_force(given)


@pytest.mark.parametrize("count", [12, pytest.param(400, marks=pytest.mark.slow)])
def test_no_short_cut_changes_a_verdict_under_several_variants(count: int) -> None:
    choices = Random(1)
    variants = [*all_variants().values()]
    for seed in range(count):
        given = resolve(draw_module(seed, PROFILES[seed % len(PROFILES)]))
        judged = JudgedModule(given, judge_wgsl(given))
        for size in (1, 2, 2, 2, 3, 3, 6):
            rules = Rules(choices.sample(variants, size))
            assert judged.verdict_under(readied(rules)) is answer(given, analysis_under(rules)), rules


def test_only_those_that_are_asked_for_are_told() -> None:
    given = module(GUARDED)
    every = deciding_arms(given)
    assert {"if/condition/dropped", "table/workgroupBarrier/no-requirement", "name/const/non-uniform"} - {*every} == {
        "name/const/non-uniform"
    }
    some = {*every[::3], "loop/head/no-entry"}
    assert deciding_arms(given, only=some) == [name for name in every if name in some]
    assert deciding_arms(given, only=()) == []


def test_arms_are_the_variants_that_a_verdict_shows() -> None:
    names = {v.name for v in arms(proposals=True)}
    assert names > {v.name for v in arms()}
    assert names | SILENT == {v.name for v in all_variants().values() if not v.equivalent}
    assert not names & SILENT
    assert {v.direction for v in arms()} == {*Direction}
