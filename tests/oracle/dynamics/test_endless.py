"""Runs that never end: what exploring says of them, against runs that are tried and a search for cycles."""

import gc
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.dynamics.running import execute
from tests.oracle.dynamics.test_runs import shader
from wgsl_fuzz.oracle.dynamics import runs
from wgsl_fuzz.oracle.dynamics.compiled import FastThread, Memory
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, Endless, explore, has_cycle
from wgsl_fuzz.oracle.dynamics.runs import Order, RunResult, sample
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.strategies import SMALL_TINY, TINY, ModuleProfile, draw_shader
from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.tinywgsl.ast import Barrier, Loop, walk

ALONE = replace(
    TINY,
    statements=(3, 9),
    functions=(0, 0),
    memory=(),
    threads=(2, 2),
    doses=(60,),
    motifs=0,
    counters=60,
    swarm=False,
)
"""Without shared memory a shader has one run, whatever the schedule."""
FULL = Bounds(lockstep=False)


def endless(body: str) -> tuple[Outcome, Endless | None]:
    found = explore(shader(body), bounds=FULL)
    return found.outcome, found.endless


@settings(max_examples=250)
@given(st.integers(0, 10**9))
def test_what_has_one_run_is_endless_if_and_only_if_that_run_goes_on(seed: int) -> None:
    drawn = draw_shader(seed, ALONE)
    found = explore(drawn, bounds=FULL)
    if found.outcome is Outcome.CONVERGES:
        tried = sample(drawn, runs=1, seed=seed, threads=(2,), steps=3000)
        assert (found.endless is not None) == (tried.outcome is Outcome.OUT_OF_STEPS)


def test_both_ways_to_go_on_are_drawn_and_told() -> None:
    said = {type(e.waits) for e in (explore(draw_shader(s, ALONE), bounds=FULL).endless for s in range(900)) if e}
    assert said == {tuple, type(None)}


def test_a_thread_that_waits_while_another_spins() -> None:
    spins = "loop { if (lid == 1u) { break; } if (lid == 7u) { break; } } workgroupBarrier();"
    (loop,) = (s.id for s in walk(shader(spins).main.body) if isinstance(s, Loop))
    (barrier,) = (s.id for s in walk(shader(spins).main.body) if isinstance(s, Barrier))
    assert endless(spins) == (Outcome.CONVERGES, Endless((1, barrier), (0, loop)))


def test_a_thread_that_waits_is_told_of_before_threads_that_spin_alone() -> None:
    """Which of the two happens depends on what shared memory holds at first."""
    both = "x = W[0]; loop { if (x == 0u && lid == 1u) { break; } if (x == 5u) { break; } } workgroupBarrier();"
    outcome, said = endless(both)
    assert outcome is Outcome.CONVERGES
    assert said is not None
    assert said.waits is not None


@pytest.mark.parametrize(
    ("body", "goes_on"),
    [
        ("loop { workgroupBarrier(); if (W[0] == 7u) { break; } }", True),
        ("loop { workgroupBarrier(); x = x ^ 1u; if (x == 2u) { break; } }", True),
        ("loop { workgroupBarrier(); x = x + 1u; if (x == 3u) { break; } }", False),
        # Both ways lead to one state behind the barrier, and on to the end.
        ("if (W[0] == 1u) { x = 1u; } workgroupBarrier(); x = 0u; workgroupBarrier();", False),
    ],
)
def test_threads_that_pass_barriers_for_ever(body: str, goes_on: bool) -> None:
    assert endless(body) == (Outcome.CONVERGES, Endless() if goes_on else None)


@given(st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 6), max_size=3)))
def test_a_cycle_is_a_way_back(followers: dict[int, list[int]]) -> None:
    def reached(number: int) -> set[int]:
        met: set[int] = set()
        ahead = list(followers.get(number, ()))
        while ahead:
            if (one := ahead.pop()) not in met:
                met.add(one)
                ahead += followers.get(one, ())
        return met

    assert has_cycle(followers) == any(number in reached(number) for number in followers)


ENDLESS = [  # none of them ever ends: alone, from barrier to barrier (twice), and by counting
    shader(body)
    for body in (
        "loop { x = x & 7u; if x == 8u { break; } }",
        "loop { barrier; x = 5u - x; if x == 6u { break; } }",
        "loop { loop { barrier; break; } if x == 1u { break; } }",
        "loop { if x >= 40u { A[lid & 7u] = x; } x = x + 1u; if x == 0u { break; } }",
    )
]


@pytest.mark.parametrize("forever", ENDLESS)
@pytest.mark.parametrize("order", Order)
def test_a_run_that_never_ends_takes_all_steps(forever: ast.Shader, order: Order) -> None:
    for steps in (1, 15, 500, 501):
        assert execute(forever, order=order, steps=steps) == RunResult(Outcome.OUT_OF_STEPS, steps)


def without_recurrence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_FIRST_KEPT", 10**9)
    monkeypatch.setattr(runs._Run, "_comes_again", lambda _: False)


@settings(max_examples=300)
@given(st.integers(0, 10**9), st.sampled_from([TINY, SMALL_TINY]), st.integers(1, 3))
def test_a_state_that_comes_again_comes_for_ever(seed: int, profile: ModuleProfile, threads: int) -> None:
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
    for forever in ENDLESS[:3]:
        assert execute(forever, steps=10**12).outcome is Outcome.OUT_OF_STEPS
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
