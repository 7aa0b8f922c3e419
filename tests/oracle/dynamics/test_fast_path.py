"""The fast path, held against the rules step by step: what they compute, and on what they are stuck."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.dynamics.running import execute
from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.dynamics import semantics
from wgsl_fuzz.oracle.dynamics.compiled import Code, FastThread, compiled
from wgsl_fuzz.oracle.dynamics.semantics import thread as thread_rule
from wgsl_fuzz.oracle.dynamics.stores import Pool, RunStore
from wgsl_fuzz.strategies import SMALL_TINY, TINY, draw_shader
from wgsl_fuzz.tinywgsl import ast

SEEDS = st.integers(0, 10**9)
SHADERS = st.builds(draw_shader, SEEDS, st.sampled_from([TINY, SMALL_TINY]))
MANY = settings(max_examples=200)
STEPS = 250


def threads_are_the_same(G: semantics.Global, fast: list[FastThread]) -> None:
    for T, F in zip(G.threads, fast, strict=True):
        assert F.τ == T.τ
        assert F.κ == T.κ
        assert (F.at is None) == (T.ss is None)
        if F.at is not None and T.ss is not None:
            assert F.at.statement is T.ss[0]
            assert semantics.barrier_of(F.state()) == semantics.barrier_of(T)


@MANY
@given(SHADERS, SEEDS, st.integers(1, 3), st.booleans())
def test_each_step_is_a_step_of_the_rules(drawn: ast.Shader, seed: int, n: int, reset_locals: bool) -> None:
    hold_against_the_rules(drawn, seed, n, reset_locals)


@pytest.mark.parametrize("seed", range(8))
def test_returns_and_breaks_out_of_loops_are_steps_of_the_rules(seed: int) -> None:
    hold_against_the_rules(parse(LEAVING), seed, 3, True)


LEAVING = """
@group(0) @binding(0) var<storage, read_write> A: array<u32, 8>;
fn f(p: u32) -> u32 {
  var t: u32;
  loop {
    loop { if (t == p) { return t; } if (t == 1u) { break; } t = t + 1u; if (t == 2u) { continue; } }
    t = t + 1u;
    continuing { A[p & 7u] = t; break if t > 2u; }
  }
  return A[p & 7u];
}
@compute @workgroup_size(3) fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  loop {
    x = f(lid); x = x + f(x + 1u); if (x > 3u) { return; } if (x == 0u) { break; }
    continuing { break if lid == 2u; }
  }
  workgroupBarrier();
}"""


def hold_against_the_rules(drawn: ast.Shader, seed: int, n: int, reset_locals: bool = True) -> None:
    """A random run by the rules and by the fast path at once."""
    rng = random.Random(seed)
    initial = Pool(drawn).draw(random.Random(seed), zeroed=False)
    known: dict[tuple[str, int], int] = {}

    def at_first(x: str, index: int) -> int:
        return known.setdefault((x, index), initial(x, index))

    Π = semantics.Program(drawn, reset_locals)
    σ = RunStore(at_first)
    fast = Code(Π).threads(n, σ)
    G = semantics.Global(semantics.PureStore(at_first), tuple(Π.initial_threads(n)))
    for _ in range(STEPS):
        threads_are_the_same(G, fast)
        able = [i for i, T in enumerate(G.threads) if semantics.barrier_of(T) is None and not semantics.ended(T)]
        synced = semantics.barrier_sync(G) if not able else None
        synced = synced or (semantics.subgroup_sync(G) if not able else None)
        if not able and synced is None:
            break
        kept = [dict(T.τ) for T in G.threads]
        before, G = G, thread_rule(Π, G, rng.choice(able)) if synced is None else synced
        assert kept == [T.τ for T in before.threads], "a step changes no state"
        for T, moved, F in zip(before.threads, G.threads, fast, strict=True):
            if moved is not T:
                _walk(F)
    assert isinstance(G.σ, semantics.PureStore)
    assert {cell: σ.get(*cell) for cell in G.σ.cells} == G.σ.cells


def _walk(F: FastThread) -> None:
    assert F.at is not None
    F.at = F.at.walk(F)


VALUES: dict[ast.Type, list[int]] = {
    ast.Type.U32: [0, 1, 2, 31, 32, 2**31, 2**32 - 1],
    ast.Type.I32: [0, 1, -1, 2, 31, 2**31 - 1, -(2**31)],
    ast.Type.BOOL: [False, True],
}
NUMBERS = ast.ARITHMETIC | ast.BITWISE | ast.SHIFTS | ast.COMPARISONS
OPERATORS = {
    ast.Type.U32: sorted(NUMBERS),
    ast.Type.I32: sorted(NUMBERS),
    ast.Type.BOOL: [*sorted(ast.LOGICAL), "&", "|", "==", "!="],
}


@pytest.mark.parametrize("type", ast.Type)
def test_every_operator_computes_the_same(type: ast.Type) -> None:
    operations: list[ast.Expr] = []
    for op in OPERATORS[type]:
        right = ast.Type.U32 if op in ast.SHIFTS else type
        operations += [
            ast.Binary(op, ast.Literal(a, type), ast.Literal(b, right)) for a in VALUES[type] for b in VALUES[right]
        ]
    for op in {ast.Type.U32: "~", ast.Type.I32: "-~", ast.Type.BOOL: "!"}[type]:
        operations += [ast.Unary(op, ast.Literal(a, type)) for a in VALUES[type]]
    Π = semantics.Program(main_of())
    F = FastThread(Π.initial_threads(1)[0], None, RunStore(lambda _x, _i: 0))
    for e in operations:
        expected, found = semantics.evaluate(e, semantics.PureStore(lambda _x, _i: 0), {}, 0), compiled(e)(F)
        assert (found, found.__class__) == (expected, expected.__class__), e


def main_of(*body: ast.Stmt) -> ast.Shader:
    return ast.Shader((), (), ast.Function("main", (), (), body, None), 1)


@pytest.mark.parametrize("s", [ast.Break(), ast.Continue(1), ast.Loop(1, (), ())])
def test_what_is_stuck_is_stuck(s: ast.Stmt) -> None:
    with pytest.raises(semantics.StuckError):
        execute(main_of(s))


@pytest.mark.parametrize("s", [ast.Break(), ast.Continue(1), ast.Barrier(1), semantics.Continuing(1, ())])
def test_a_statement_without_a_rule_is_stuck(s: ast.Stmt) -> None:
    Π = semantics.Program(main_of(s))
    with pytest.raises(semantics.StuckError):
        semantics.step(Π, semantics.PureStore(lambda _x, _i: 0), *Π.initial_threads(1))
