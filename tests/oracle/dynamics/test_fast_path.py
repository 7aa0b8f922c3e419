"""What single runs do otherwise than the rules as they stand: closures for expressions, and τ changed in place."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.dynamics.running import PureStore
from wgsl_fuzz.oracle.dynamics import semantics
from wgsl_fuzz.oracle.dynamics.compiled import RunnableProgram, compiled
from wgsl_fuzz.oracle.dynamics.stores import Pool, RunStore
from wgsl_fuzz.strategies import SMALL_TINY, TINY, draw_shader
from wgsl_fuzz.tinywgsl import ast

SEEDS = st.integers(0, 10**9)
SHADERS = st.builds(draw_shader, SEEDS, st.sampled_from([TINY, SMALL_TINY]))
STEPS = 250


@settings(max_examples=200)
@given(SHADERS, SEEDS, st.integers(1, 3))
def test_each_step_leaves_the_same(drawn: ast.Shader, seed: int, n: int) -> None:
    hold_against_the_rules(drawn, seed, n)


def hold_against_the_rules(drawn: ast.Shader, seed: int, n: int) -> None:
    """A random run by a plain program, its states immutable, and by a runnable one at once."""
    rng = random.Random(seed)
    initial = Pool(drawn).draw(random.Random(seed), zeroed=False)
    known: dict[tuple[str, int], int] = {}

    def at_first(x: str, index: int) -> int:
        return known.setdefault((x, index), initial(x, index))

    Π, runnable = semantics.Program(drawn), RunnableProgram(drawn)
    σ, fast = RunStore(at_first), runnable.initial_threads(n)
    G = semantics.Global(PureStore(at_first), tuple(Π.initial_threads(n)))
    for _ in range(STEPS):
        assert [(T.τ, T.κ, T.ss) for T in fast] == [(T.τ, T.κ, T.ss) for T in G.threads]
        able = [i for i, T in enumerate(G.threads) if not semantics.waits(T)]
        if able:
            i = rng.choice(able)
            G, fast[i] = semantics.thread(Π, G, i), semantics.step(runnable, σ, fast[i])[1]
        elif (synced := semantics.barrier_sync(G) or semantics.subgroup_sync(G)) is not None:
            moved = [T is not before for T, before in zip(synced.threads, G.threads, strict=True)]
            G, fast = synced, [semantics.past_barrier(T) if m else T for T, m in zip(fast, moved, strict=True)]
        else:
            break
    assert isinstance(G.σ, PureStore)
    assert {cell: σ.get(*cell) for cell in G.σ.cells} == G.σ.cells


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
    store = PureStore(lambda _x, _i: 0)
    for e in operations:
        expected, found = semantics.evaluate(e, store, {}, 0), compiled(e)(store, {}, 0)
        assert (found, found.__class__) == (expected, expected.__class__), e
