"""Notions of convergence: what tells them apart, and that each lets through what a stricter one does."""

from dataclasses import replace
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.dynamics import semantics
from wgsl_fuzz.oracle.dynamics.exploration import explore
from wgsl_fuzz.oracle.dynamics.runs import replay, sample
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, DYNAMIC_BLOCKS, NOTIONS, SAME_BARRIER
from wgsl_fuzz.oracle.dynamics.steps import parting, trace
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.strategies import TINY, draw_shader
from wgsl_fuzz.tinywgsl.ast import Barrier, Shader

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
        sampled = sample(shader, runs=32, seed=1, threads=(shader.workgroup_size,), notion=notion)
        assert sampled.outcome is not DIVERGES or one.outcome is DIVERGES
        if one.witness is not None:
            assert one.witness.convergence == notion.name
            assert replay(shader, one.witness).witness == one.witness
            assert parting(one.witness, trace(shader, one.witness)) is not None


MANY_BARRIERS = replace(TINY, swarm=False, motif_modules=0, statements=(3, 12), functions=(0, 2), threads=(2, 3))
SHADERS = st.integers(0, 10**9).map(lambda seed: draw_shader(seed, MANY_BARRIERS))


@settings(max_examples=200)
@given(SHADERS)
def test_what_converges_under_a_notion_converges_under_the_more_lenient_ones(shader: Shader) -> None:
    found = [explore(shader, notion=notion).outcome for notion in NOTIONS.values()]
    for strict, lenient in pairwise(found):
        assert strict is not CONVERGES or lenient is CONVERGES


_LOOPS = st.tuples(st.sampled_from([1, 2]), st.lists(st.sampled_from([7, 8]), max_size=2))
_STACKS = st.lists(_LOOPS | st.sampled_from([3, 4]), max_size=2)
"""Calls by their IDs, and loops by theirs with the IDs of their `continue`s."""


def waiting(histories: semantics.Histories, barrier: int, stack: list[int | tuple[int, list[int]]]) -> semantics.Thread:
    """A thread at a barrier with this control stack."""
    κ: semantics.ControlStack = None
    for element in stack:
        if isinstance(element, int):
            κ = (semantics.FunctionElement(element, "x", None), κ)
        else:
            κ = (semantics.LoopElement(element[0], reduce(lambda cs, c: histories.cons(c, cs), element[1], 0)), κ)
    return semantics.Thread(0, {}, κ, (Barrier(id=barrier), None))


@given(st.lists(st.tuples(st.sampled_from([5, 6]), _STACKS), min_size=3, max_size=3))
def test_agreement_is_an_equivalence_and_wider_from_notion_to_notion(drawn: list[tuple[int, Any]]) -> None:
    histories = semantics.Histories()
    a, b, c = (waiting(histories, barrier, stack) for barrier, stack in drawn)
    stricter: semantics.Agreement = semantics.agree
    for notion in NOTIONS.values():
        together = notion.agreement(histories)
        assert together(a, a)
        assert together(a, b) == together(b, a)
        assert together(a, c) or not (together(a, b) and together(b, c))
        assert together(a, b) or not stricter(a, b)
        stricter = together
    (i, one), (j, other) = drawn[:2]
    assert SAME_BARRIER.agreement(histories)(a, b) == (i == j)
    assert CONTROL_STACKS.agreement(histories)(a, b) == (i == j and one == other) == semantics.agree(a, b)
    counted = [[e if isinstance(e, int) else (e[0], len(e[1])) for e in stack] for stack in (one, other)]
    assert DYNAMIC_BLOCKS.agreement(histories)(a, b) == (i == j and counted[0] == counted[1])
