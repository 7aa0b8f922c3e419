"""Shaders of TinyWGSL in SIMT-Step, held against the rules of Figs. 5 and 6 of the paper on uniformity."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wgsl_fuzz.oracle.dynamics.semantics import (
    Global,
    Program,
    PureStore,
    barrier_error,
    barrier_of,
    barrier_sync,
    ended,
    thread,
)
from wgsl_fuzz.oracle.simt_step.exploration import Bounds, explore
from wgsl_fuzz.oracle.simt_step.models import MODELS
from wgsl_fuzz.oracle.simt_step.states import Machine
from wgsl_fuzz.oracle.simt_step.tiny import from_tiny
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.choices.profile import STATEMENTS, Profile
from wgsl_fuzz.tinywgsl.ast import Shader

SMALL = Profile(
    statements=(3, 9),
    functions=(0, 0),
    arrays=(1, 2),
    threads=(2, 2),
    doses=(100,),
    weights=tuple((name, 4 * w if name in ("shared", "barrier") else w) for name, w in STATEMENTS),
)
STEPS = 300


class Outside(Exception):
    """An index beyond the end, which the two semantics treat differently."""


def in_turn(shader: Shader) -> dict[str, tuple[int, ...]] | None:
    """What the arrays hold at last if each thread runs as far as it can; None if it diverges or does not end."""
    sizes = {a.name: a.size for a in shader.arrays}

    def initial(array: str, index: int) -> int:
        if not 0 <= index < sizes[array]:
            raise Outside
        return 0

    P = Program(shader)
    G: Global | None = Global(PureStore(initial), tuple(P.initial_threads(2)))
    for _ in range(STEPS):
        assert G is not None
        i = next((i for i, T in enumerate(G.threads) if barrier_of(T) is None and not ended(T)), None)
        if i is not None:
            G = thread(P, G, i)
        elif all(ended(T) for T in G.threads):
            cells = {(a, index): G.σ.get(a, index) for a, size in sizes.items() for index in range(size)}
            assert isinstance(G.σ, PureStore)
            if G.σ.cells.keys() - cells.keys():
                raise Outside
            return {a: tuple(int(cells[a, index]) for index in range(size)) for a, size in sizes.items()}
        elif barrier_error(G):
            return None
        else:
            G = barrier_sync(G)
    return None


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_what_threads_do_one_after_the_other_is_an_outcome_of_the_weakest_model(seed: int) -> None:
    shader = draw_shader(seed, SMALL)
    try:
        last = in_turn(shader)
    except Outside:
        last = None
    assume(last is not None)
    assert last is not None
    P = Machine(from_tiny(shader), MODELS["SSO"], size=2)
    found = explore(P, Bounds(states=1500), every_order=False)
    assume(not found.gap)
    assert any(all(P.array(S, a) == values for a, values in last.items()) for S in found.finals)
