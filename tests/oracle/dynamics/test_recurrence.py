"""Runs that never end: found by a state that comes again, and no other answer for it. And what a run leaves behind."""

import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.dynamics.running import execute
from tests.oracle.dynamics.test_runs import shader
from wgsl_fuzz.oracle.dynamics import runs
from wgsl_fuzz.oracle.dynamics.compiled import FastThread, Memory
from wgsl_fuzz.oracle.dynamics.runs import Order, RunResult, sample
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.strategies import DEFAULT, SMALL, Profile, draw_shader
from wgsl_fuzz.tinywgsl import ast

ENDLESS = [  # none of them ever ends: alone, from barrier to barrier (twice), and by counting
    shader(body)
    for body in (
        "loop { x = x & 7u; if x == 8u { break; } }",
        "loop { barrier; x = 5u - x; if x == 6u { break; } }",
        "loop { loop { barrier; break; } if x == 1u { break; } }",
        "loop { if x >= 40u { A[lid & 7u] = x; } x = x + 1u; if x == 0u { break; } }",
    )
]


@pytest.mark.parametrize("endless", ENDLESS)
@pytest.mark.parametrize("order", Order)
def test_a_run_that_never_ends_takes_all_steps(endless: ast.Shader, order: Order) -> None:
    for steps in (1, 15, 500, 501):
        assert execute(endless, order=order, steps=steps) == RunResult(Outcome.OUT_OF_STEPS, steps)


def without_recurrence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_FIRST_KEPT", 10**9)
    monkeypatch.setattr(runs._Run, "_comes_again", lambda _: False)


@settings(max_examples=300)
@given(st.integers(0, 10**9), st.sampled_from([DEFAULT, SMALL]), st.integers(1, 3))
def test_a_state_that_comes_again_comes_for_ever(seed: int, profile: Profile, threads: int) -> None:
    shader = draw_shader(seed, profile)
    found = sample(shader, runs=4, seed=seed, threads=(threads,), steps=700)
    with pytest.MonkeyPatch.context() as patch:
        without_recurrence(patch)
        assert sample(shader, runs=4, seed=seed, threads=(threads,), steps=700) == found


def test_a_state_comes_again_long_before_the_steps_are_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    walked = 0
    walk = FastThread.memory_copied

    def counted(T: FastThread) -> Memory:
        nonlocal walked
        walked += 1
        return walk(T)

    monkeypatch.setattr(FastThread, "memory_copied", counted)
    for endless in ENDLESS[:3]:
        assert execute(endless, steps=10**12).outcome is Outcome.OUT_OF_STEPS
    assert 0 < walked < 40


@pytest.mark.parametrize("seed", range(20))
def test_a_run_leaves_no_cycles(seed: int) -> None:
    shader = draw_shader(seed)
    gc.collect()
    gc.disable()
    try:
        sample(shader, runs=3, steps=300)
        execute(shader, steps=300)
        assert gc.collect() == 0
    finally:
        gc.enable()
