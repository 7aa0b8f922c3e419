"""Calls of TinyWGSL in SIMT-Step: inlined, with a merge block at which threads meet again however they returned."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.oracle.simt_step.test_simt_tiny import SMALL, Outside, in_turn
from wgsl_fuzz.oracle.dynamics import exploration as semantics
from wgsl_fuzz.oracle.simt_step import tiny
from wgsl_fuzz.oracle.simt_step.exploration import Bounds, Exploration, explore
from wgsl_fuzz.oracle.simt_step.models import MODELS
from wgsl_fuzz.oracle.simt_step.shader import ShaderError
from wgsl_fuzz.oracle.simt_step.states import Machine
from wgsl_fuzz.oracle.simt_step.tiny import from_tiny
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.choices.profile import STATEMENTS
from wgsl_fuzz.tinywgsl.ast import Call, Shader, walk
from wgsl_fuzz.wgsl.reading import parse

CALLING = replace(
    SMALL,
    statements=(4, 14),
    functions=(1, 3),
    racy=False,
    weights=tuple((name, 6 * w if name in ("shared", "barrier", "call") else w) for name, w in STATEMENTS),
)
BOUNDS = Bounds(states=3000)

HEAD = "@group(0) @binding(0) var<storage, read_write> A: array<u32, 4>;\n"
MAIN = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32)"


def ran(shader: Shader, model: str) -> tuple[Machine, Exploration]:
    P = Machine(from_tiny(shader), MODELS[model], size=2)
    return P, explore(P, BOUNDS, every_order=False)


@settings(derandomize=True, max_examples=120, deadline=None)
@given(st.integers(0, 10**6))
def test_what_converges_without_races_ends_as_in_the_semantics(seed: int) -> None:
    shader = draw_shader(seed, CALLING)
    assume(any(isinstance(s, Call) for s in walk(shader.main.body)))
    found = semantics.explore(shader, bounds=semantics.Bounds(steps=3000, lockstep=False))
    assume(found.outcome is Outcome.CONVERGES and not found.races and found.endless is None)
    try:
        last = in_turn(shader)
    except Outside:
        last = None
    assume(last is not None)
    assert last is not None
    P, ends = ran(shader, "CM")
    assume(not ends.gap)
    assert not ends.stuck
    assert ends.finals
    assert all({a: P.array(S, a) for a in last} == last for S in ends.finals)


EARLY = {
    "out of a loop": (
        "fn f(n: u32) -> u32 { var i: u32; loop { if (i == n) { return i + 7u; } i = i + 1u; "
        "if (i > 2u) { break; } } return 5u; }",
        (7, 8),
        5,
    ),
    "out of two loops": (
        "fn f(n: u32) -> u32 { var i: u32; var j: u32; loop { j = 0u; loop { "
        "if (i + j == 2u * n) { return i + 10u * j; } j = j + 1u; if (j == 2u) { break; } } "
        "i = i + 1u; if (i > 3u) { break; } } return 99u; }",
        (0, 11),
        99,
    ),
    "before a continue": (
        "fn f(n: u32) -> u32 { var i: u32; loop { i = i + 1u; if (i < 2u) { continue; } if (n == 1u) { return 40u; } "
        "if (i == 3u) { return i; } continuing { break if i > 8u; } } return 8u; }",
        (3, 40),
        3,
    ),
    "in both arms": ("fn f(n: u32) -> u32 { if (n == 0u) { return 3u; } else { return 4u; } }", (3, 4), 4),
    "of a callee": (
        "fn g(n: u32) -> u32 { loop { if (n > 0u) { return 6u; } break; } return 2u; }\n"
        "fn f(n: u32) -> u32 { var a: u32; loop { a = g(n); if (a == 6u) { return a * 2u; } break; } return a; }",
        (2, 12),
        12,
    ),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", EARLY)
def test_threads_that_return_early_meet_again_after_the_call(name: str, model: str) -> None:
    functions, results, third = EARLY[name]
    body = "var x: u32; x = f(lid); workgroupBarrier(); A[lid] = x; x = f(9u); A[lid + 2u] = x;"
    P, found = ran(parse(f"{HEAD}{functions}\n{MAIN} {{ {body} }}"), model)
    assert not found.gap
    assert not found.stuck
    assert {P.array(S, "A") for S in found.finals} == {(*results, third, third)}
    for S in found.finals:
        last = [db for db in S.D if db.T and any(σ.db == db.id for σ in S.Σ)]
        assert [db.T for db in last] == [frozenset({0, 1})], "they end in one dynamic block"


def test_a_call_begins_with_zero_in_its_locals_each_time() -> None:
    f = "fn f(n: u32) -> u32 { var i: u32; i = i + n; return i; }"
    body = "var x: u32; var k: u32; loop { x = f(k + 1u); A[lid] = x; k = k + 1u; if (k == 3u) { break; } }"
    P, found = ran(parse(f"{HEAD}{f}\n{MAIN} {{ {body} }}"), "CM")
    assert {P.array(S, "A") for S in found.finals} == {(3, 3, 0, 0)}


def test_a_call_in_continuing_goes_on_with_the_loop() -> None:
    f = "fn f(n: u32) -> u32 { if (n == 1u) { return 2u; } return n + 3u; }"
    body = "var x: u32; loop { A[lid] = x; continuing { x = f(x + lid); break if x > 4u; } } A[lid + 2u] = x;"
    P, found = ran(parse(f"{HEAD}{f}\n{MAIN} {{ {body} }}"), "CM")
    assert {P.array(S, "A") for S in found.finals} == {(3, 2, 6, 6)}


def test_a_name_may_be_that_of_a_local_of_another_function() -> None:
    f = "fn f(x: u32) -> u32 { var y: u32; y = x + 1u; return y; }"
    body = "var x: u32; var y: u32; x = 5u; y = f(x * 2u); A[lid] = x; A[lid + 2u] = y;"
    P, found = ran(parse(f"{HEAD}{f}\n{MAIN} {{ {body} }}"), "SSO")
    assert {P.array(S, "A") for S in found.finals} == {(5, 5, 11, 11)}


def test_too_many_calls_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = ["fn f0() -> u32 { return 1u; }"]
    functions += [f"fn f{i}() -> u32 {{ var a: u32; a = f{i - 1}(); a = f{i - 1}(); return a; }}" for i in range(1, 9)]
    monkeypatch.setattr(tiny, "MOST_CALLS", 100)
    with pytest.raises(ShaderError, match="more than 100 calls"):
        from_tiny(parse("\n".join(functions) + f"\n{MAIN} {{ var x: u32; x = f8(); }}"))
