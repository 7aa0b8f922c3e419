"""The search for inputs that part threads: what it finds is a run, and it finds what chance does not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.dynamics.running import searched, simple_values
from tests.oracle.dynamics.test_runs import shader
from wgsl_fuzz.oracle.dynamics.runs import replay, sample, shrunk
from wgsl_fuzz.oracle.dynamics.witness import Witness
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import SMALL_TINY, TINY, draw_shader
from wgsl_fuzz.tinywgsl.ast import Shader

SHADERS = st.builds(draw_shader, st.integers(0, 10**9), st.sampled_from([SMALL_TINY, TINY]))


def witness_of(body: str, seed: int = 0) -> Witness:
    found = searched(shader(body, 64), seed=seed).witness
    assert found is not None
    return found


@given(SHADERS)
@settings(max_examples=60, deadline=None)
def test_what_is_found_is_a_run_and_no_accepted_shader_diverges(drawn: Shader) -> None:
    found = searched(drawn, steps=2_000)
    assert found == searched(drawn, steps=2_000)
    if found.witness is not None:
        assert replay(drawn, found.witness).witness == found.witness
        assert not found.witness.needs_store
        assert analyse(drawn).verdict is Verdict.REJECTS
    else:
        assert found.outcome is Outcome.NOT_SEEN


RARE = {
    "a sum of cells": "if (A[0] * 3u + lid == A[1] + 1000003u) { workgroupBarrier(); }",
    "a limit": "if (lid * 1000u + 123456u < A[2]) { workgroupBarrier(); }",
    "an equation": "if (A[0] * 7u == 91u) { if (lid == 17u) { workgroupBarrier(); } }",
    "one after the other": "if (A[0] == 4711u) { if (A[1] == A[0] + 5u) { if (lid == 1u) { workgroupBarrier(); } } }",
    "several at once": "if (A[0] == 4711u && A[1] == 1234u && !(A[2] < lid + 70000u)) { workgroupBarrier(); }",
    "behind a barrier": "W[lid] = A[3]; workgroupBarrier(); x = W[0]; if (x == 98765u + lid) { workgroupBarrier(); }",
    "in a loop": "loop { if (x >= A[0]) { break; } if (A[1] == 54321u + lid) { workgroupBarrier(); } x = x + 1u; }",
}


@pytest.mark.parametrize("body", RARE.values(), ids=RARE)
def test_rare_values_are_found_with_any_seed(body: str) -> None:
    for seed in range(3):
        witness_of(body, seed)


def test_what_depends_on_nothing_is_over_soon() -> None:
    assert searched(shader("if (lid == 3u) { x = 1u; } workgroupBarrier();", 64)).steps < 1_000


# ------------------------------------------------------------------------------------------------------ the witness


@given(SHADERS)
@settings(max_examples=60, deadline=None)
def test_a_simpler_witness_is_one_of_the_same_shader(drawn: Shader) -> None:
    found = sample(drawn, runs=6)
    if found.witness is None:
        return
    shown = shrunk(drawn, found.witness, simple_values(drawn))
    assert replay(drawn, shown).witness == shown
    assert shown.needs_store <= found.witness.needs_store
    assert sum(c.value != 0 for c in shown.store) <= sum(c.value != 0 for c in found.witness.store)


def test_each_value_that_is_left_is_needed() -> None:
    body = "if (A[0] > 99u) { if (A[1] > A[2] + lid + 20u) { workgroupBarrier(); } }"
    of, found = shader(body, 64), witness_of(body, 1)
    shown = shrunk(of, found, simple_values(of))
    assert {(c.index, c.value) for c in shown.store if c.value} == {(0, 100), (1, 32)}


def test_a_value_that_is_not_round_nor_near_a_literal_is_the_least_that_will_do() -> None:
    body = "if (A[0] / 7u > 1000u) { if (lid == 0u) { workgroupBarrier(); } }"
    of = shader(body, 64)
    shown = shrunk(of, witness_of(body), simple_values(of))
    assert [c.value for c in shown.store if c.value] == [7007]


def test_a_schedule_that_matters_stays() -> None:
    """Thread 1 sees what thread 0 wrote only if it comes between two steps of it."""
    body = "if (lid == 0u) { A[0] = 1u; A[0] = 0u; } else { x = A[0]; if (x == 1u) { workgroupBarrier(); } }"
    of = shader(body)
    found = sample(of, runs=64)
    assert found.witness is not None
    shown = shrunk(of, found.witness, simple_values(of))
    assert replay(of, shown).witness == shown


def test_not_allowed_is_no_witness() -> None:
    body = "if (A[0] > 8u) { if (lid == 0u) { workgroupBarrier(); } }"
    of, found = shader(body, 64), witness_of(body)
    assert shrunk(of, found, simple_values(of), lambda _: False) == found
