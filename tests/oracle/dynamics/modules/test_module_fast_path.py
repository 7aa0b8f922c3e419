"""Lowered modules on the fast path and by the rules: the same step by step, atomics included."""

import random
from contextlib import suppress

import pytest

from tests.oracle.dynamics.modules.final_memory import text_of
from wgsl_fuzz.oracle.dynamics import semantics
from wgsl_fuzz.oracle.dynamics.compiled import Code
from wgsl_fuzz.oracle.dynamics.modules.lowering import lower_module
from wgsl_fuzz.oracle.dynamics.modules.types import CannotRun
from wgsl_fuzz.oracle.dynamics.runs import replay, sample
from wgsl_fuzz.oracle.dynamics.stores import RunStore, zeros
from wgsl_fuzz.strategies.modules.modules import draw_module
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES
from wgsl_fuzz.tinywgsl.ast import Shader, walk
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

STEPS = 300
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


def is_the_same(shader: Shader, seed: int, threads: int = 3) -> None:
    rng = random.Random(seed)
    n = min(shader.workgroup_size, threads)
    Π = semantics.Program(shader)
    G = semantics.Global(semantics.PureStore(zeros(shader)), tuple(Π.initial_threads(n)))
    σ = RunStore(zeros(shader))
    fast = Code(semantics.Program(shader)).threads(n, σ)
    for _ in range(STEPS):
        running = [i for i, T in enumerate(G.threads) if semantics.barrier_of(T) is None and not semantics.ended(T)]
        if running:
            i = rng.choice(running)
            G = semantics.thread(Π, G, i)
            moving = [i]
        else:
            synced = semantics.barrier_sync(G) or semantics.subgroup_sync(G)
            if synced is None:
                break
            moving = [i for i in range(n) if synced.threads[i] is not G.threads[i]]
            G = synced
        for i in moving:
            at = fast[i].at
            assert at is not None
            fast[i].at = at.walk(fast[i])
        for T, F in zip(G.threads, fast, strict=True):
            assert (F.τ, F.κ) == (T.τ, T.κ)
    for (array, index), value in σ.cells.items():
        assert G.σ.get(array, index) == value


def test_atomics_are_the_same_step() -> None:
    (shader,) = shaders(resolve(parse(text_of(ATOMICS, "var<workgroup> n: atomic<u32>;"))))
    assert any(isinstance(s, semantics.AtomicUpdate) for s in walk(shader.main.body))
    for seed in range(20):
        is_the_same(shader, seed)


@pytest.mark.parametrize("profile", MODULE_PROFILES)
def test_drawn_modules_take_the_same_steps(profile: str) -> None:
    for seed in range(25):
        for shader in shaders(resolve(draw_module(seed, MODULE_PROFILES[profile]))):
            is_the_same(shader, seed)


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
        is_the_same(shader, seed, 5)


def test_drawn_subgroups_take_the_same_steps() -> None:
    for seed in range(40):
        for shader in shaders(resolve(draw_module(seed, MODULE_PROFILES["subgroups"])), 4, 2):
            is_the_same(shader, seed, 4)


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
