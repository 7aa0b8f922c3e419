"""Notions of convergence: what tells them apart, and that each lets through what a stricter one does."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.dynamics.exploration import explore
from wgsl_fuzz.oracle.dynamics.runs import replay, sample
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, DYNAMIC_BLOCKS, NOTIONS, SAME_BARRIER
from wgsl_fuzz.oracle.dynamics.steps import parting, trace
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.strategies import TINY, draw_shader
from wgsl_fuzz.tinywgsl.ast import Shader

DIVERGES, CONVERGES = Outcome.DIVERGES, Outcome.CONVERGES

MAIN = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {{ var x: u32; {} }}"
TWO_CALLS = parse(
    "fn f() -> u32 { workgroupBarrier(); return 0u; }\n" + MAIN.format("if (lid == 0u) { x = f(); } else { x = f(); }")
)
"""One barrier, two call sites: in other dynamic blocks, at the same instruction."""
TWO_ROUNDS = parse(
    MAIN.format("loop { if (x == lid) { workgroupBarrier(); } continuing { x = x + 1u; break if (x == 2u); } }")
)
"""Each thread comes to the barrier once, in another iteration."""


def figure(name: str) -> Shader:
    return parse(Path("corpus", name, "shader.wgsl").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("shader", "expected"),
    [
        (figure("fig-1a"), (CONVERGES, CONVERGES, CONVERGES)),
        (figure("fig-1b"), (DIVERGES, DIVERGES, DIVERGES)),
        (figure("fig-1c"), (DIVERGES, CONVERGES, CONVERGES)),
        (figure("fig-10a"), (DIVERGES, DIVERGES, DIVERGES)),
        (TWO_CALLS, (DIVERGES, DIVERGES, CONVERGES)),
        (TWO_ROUNDS, (DIVERGES, DIVERGES, CONVERGES)),
    ],
    ids=["1a", "1b", "1c", "10a", "two calls", "two rounds"],
)
def test_what_tells_the_notions_apart(shader: Shader, expected: tuple[Outcome, ...]) -> None:
    found = [explore(shader, notion=notion) for notion in (CONTROL_STACKS, DYNAMIC_BLOCKS, SAME_BARRIER)]
    assert tuple(one.outcome for one in found) == expected
    for one, notion in zip(found, NOTIONS.values(), strict=True):
        sampled = sample(shader, runs=32, seed=1, threads=shader.workgroup_size, notion=notion)
        assert sampled.outcome is not DIVERGES or one.outcome is DIVERGES
        if one.witness is not None:
            assert one.witness.convergence == notion.name
            assert replay(shader, one.witness).witness == one.witness
            assert parting(one.witness, trace(shader, one.witness)) is not None


MANY_BARRIERS = replace(TINY, statements=(3, 12), threads=(2, 3))
SHADERS = st.integers(0, 10**9).map(lambda seed: draw_shader(seed, MANY_BARRIERS))


@settings(max_examples=200)
@given(SHADERS)
def test_what_converges_under_a_notion_converges_under_the_more_lenient_ones(shader: Shader) -> None:
    found = [explore(shader, notion=notion).outcome for notion in NOTIONS.values()]
    for strict, lenient in pairwise(found):
        assert strict is not CONVERGES or lenient is CONVERGES
