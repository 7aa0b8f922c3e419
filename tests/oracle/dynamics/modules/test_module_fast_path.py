"""Lowered modules on the fast path and by the rules: the same step by step, atomics included."""

from contextlib import suppress

import pytest

from tests.oracle.dynamics.modules.final_memory import text_of
from tests.oracle.dynamics.test_fast_path import hold_against_the_rules
from wgsl_fuzz.oracle.dynamics import semantics
from wgsl_fuzz.oracle.dynamics.modules.lowering import lower_module
from wgsl_fuzz.oracle.dynamics.modules.types import CannotRun
from wgsl_fuzz.oracle.dynamics.runs import replay, sample
from wgsl_fuzz.strategies.modules.modules import draw_module
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES
from wgsl_fuzz.tinywgsl.ast import Shader, walk
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

ATOMICS = """
for (var i = 0u; i < 9u; i++) {
    let old = atomicAdd(&n, lid + 1u);
    out[i] = old;
    let r = atomicCompareExchangeWeak(&n, old + 1u, old);
    if (r.exchanged) { out[i] = atomicMin(&n, i); }
}
"""


def shaders(resolution: Resolution, threads: int = 0, subgroup_size: int = 0) -> list[Shader]:
    entries = [f for f in resolution.functions if resolution.entry_stage(f) not in (None, "vertex")]
    found = []
    for entry in entries:
        with suppress(CannotRun):  # a subgroup of more than 64 threads, say
            found.append(lower_module(resolution, entry, threads, subgroup_size).shader)
    return found


def test_atomics_are_the_same_step() -> None:
    (shader,) = shaders(resolve(parse(text_of(ATOMICS, "var<workgroup> n: atomic<u32>;"))))
    assert any(isinstance(s, semantics.AtomicUpdate) for s in walk(shader.main.body))
    for seed in range(20):
        hold_against_the_rules(shader, seed, min(shader.workgroup_size, 3))


@pytest.mark.parametrize("profile", MODULE_PROFILES)
def test_drawn_modules_take_the_same_steps(profile: str) -> None:
    for seed in range(25):
        for shader in shaders(resolve(draw_module(seed, MODULE_PROFILES[profile]))):
            hold_against_the_rules(shader, seed, min(shader.workgroup_size, 3))


SUBGROUPS = """
if subgroupAdd(lid) > 1u { out[lid] = subgroupMul(lid + 1u); }
for (var i = 0u; i <= lid / 2u; i++) { out[i] += subgroupInclusiveAdd(i); }
workgroupBarrier();
"""


def test_subgroups_take_the_same_steps() -> None:
    text = "enable subgroups;\n" + text_of(SUBGROUPS).replace("workgroup_size(2)", "workgroup_size(5)")
    (shader,) = shaders(resolve(parse(text)), 5, 2)
    assert sum(isinstance(s, semantics.SubgroupBarrier) for s in walk(shader.main.body)) == 6
    for seed in range(20):
        hold_against_the_rules(shader, seed, 5)


def test_drawn_subgroups_take_the_same_steps() -> None:
    for seed in range(40):
        for shader in shaders(resolve(draw_module(seed, MODULE_PROFILES["subgroups"])), 4, 2):
            hold_against_the_rules(shader, seed, min(shader.workgroup_size, 4))


def test_subgroups_are_run_by_the_rules() -> None:
    """A run of many schedules diverges only where the rules say so, and its witness can be had again."""
    seen = 0
    for seed in range(90):
        for shader in shaders(resolve(draw_module(seed, MODULE_PROFILES["subgroups"])), 4, 2):
            found = sample(shader, runs=3, seed=seed, threads=(4,), steps=600)
            if found.witness is not None:
                seen += 1
                assert replay(shader, found.witness).witness == found.witness
    assert seen > 3
