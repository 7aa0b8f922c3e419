"""Exploration, held against a search through all states by the bare rules of Figs. 5 and 6, and against sampling."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.oracle.dynamics.running import PureStore, execute
from tests.oracle.dynamics.test_runs import shader
from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.oracle.dynamics import runs, semantics, symbolic
from wgsl_fuzz.oracle.dynamics.exploration import BOUNDS, Bounds, Endless, Race, explore
from wgsl_fuzz.oracle.dynamics.runs import Order, RunResult, replay, sample
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, NOTIONS, AtomicUpdate, Notion
from wgsl_fuzz.oracle.dynamics.steps import parting, trace
from wgsl_fuzz.oracle.dynamics.witness import Witness
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import SMALL_TINY, TINY, ModuleProfile, draw_shader
from wgsl_fuzz.strategies.enumerate.families import SHARED_MEMORY
from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.tinywgsl.ast import Assign, Barrier, If, Loop, Shader, SharedAssign, Type, walk

RACY = replace(TINY, statements=(1, 9), threads=(2, 3), calm=0, racy=100)
BITS = {Type.U32: (0, 1), Type.I32: (0, 1), Type.BOOL: (False, True)}
SEEDS = st.integers(0, 10**9)
SHADERS = SEEDS.map(lambda seed: draw_shader(seed, RACY)).filter(lambda shader: bool(shader.arrays))
MANY = settings(max_examples=250)
FULL = replace(BOUNDS, lockstep=False)
"""Every run is followed: threads are not left to themselves for being equal."""


# ------------------------------------------------------------------------------------- against the rules themselves


class _Unread(Exception):
    """A cell is read of which nobody said what it holds at first."""


def every_run_diverges_or_not(shader: Shader, n: int, most: int, notion: Notion) -> bool | None:
    """Whether some schedule and store of zeros and ones leads to ℰ; None if there are more than `most` states."""
    Π = semantics.Program(shader)
    agree = notion.agreement(Π.histories)
    types = {a.name: a.type for a in shader.arrays}
    stack: list[tuple[dict[tuple[str, int], int], semantics.Global]]
    stack = [({}, semantics.Global(PureStore(lambda _x, _i: 0), tuple(Π.initial_threads(n))))]
    seen = set()
    while stack:
        initial, G = stack.pop()
        if semantics.barrier_error(G, agree) is not None:
            return True
        assert isinstance(G.σ, PureStore)
        threads = [(T.κ, T.ss, tuple(T.τ.values())) for T in G.threads]
        key = repr((sorted(initial.items()), sorted(G.σ.cells.items()), threads))
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > most:
            return None
        synced = semantics.barrier_sync(G, agree)
        if synced is not None:
            stack.append((initial, synced))
        for i, T in enumerate(G.threads):
            if semantics.barrier_of(T) is None and not semantics.ended(T):
                stack += _steps(Π, initial, G, i, types)
    return False


def _steps(
    Π: semantics.Program, initial: dict[tuple[str, int], int], G: semantics.Global, i: int, types: dict[str, Type]
) -> Iterator[tuple[dict[tuple[str, int], int], semantics.Global]]:
    """Thread i's step; one for each initial value of a cell that it is the first to read."""

    def read(x: str, index: int) -> int:
        if (x, index) not in initial:
            raise _Unread(x, index)
        return initial[x, index]

    assert isinstance(G.σ, PureStore)
    try:
        yield initial, semantics.thread(Π, replace(G, σ=PureStore(read, G.σ.cells)), i)
    except _Unread as unread:
        x, index = unread.args
        for value in BITS[types[x]]:
            yield from _steps(Π, initial | {(x, index): value}, G, i, types)


@pytest.mark.full
@MANY
@given(SHADERS, st.booleans(), st.sampled_from(list(NOTIONS.values())))
def test_exploration_says_what_a_search_through_all_states_says(drawn: Shader, lockstep: bool, notion: Notion) -> None:
    expected = every_run_diverges_or_not(drawn, drawn.workgroup_size, 1500, notion)
    assume(expected is not None)
    found = explore(drawn, values=BITS, bounds=replace(BOUNDS, lockstep=lockstep), notion=notion)
    assert found.outcome is (Outcome.DIVERGES if expected else Outcome.CONVERGES), found
    # Control stacks remember each round of a loop: where there are so few states, all runs end.
    assert expected or found.endless is None


@pytest.mark.full
@MANY
@given(SHADERS)
def test_lockstep_only_saves_work(drawn: Shader) -> None:
    quick, full = explore(drawn), explore(drawn, bounds=FULL)
    assert quick.steps <= full.steps
    if full.outcome is not Outcome.NOT_SEEN:
        assert quick.outcome is full.outcome


@MANY
@given(SHADERS, SEEDS)
def test_sampling_does_not_contradict_a_proof(drawn: Shader, seed: int) -> None:
    """But for initial values that are not worth trying: of zeros in every schedule nothing else is known."""
    found = explore(drawn, values={type: [0] for type in Type} | {Type.BOOL: [False]})
    if found.outcome is Outcome.CONVERGES:
        zeroed = sample(drawn, runs=1, seed=seed, threads=drawn.workgroup_size, steps=600)
        assert zeroed.outcome is not Outcome.DIVERGES


# ------------------------------------------------------------------------------------------------- what is accepted


@pytest.mark.parametrize("size", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_every_small_shader_is_decided_and_converges_if_accepted(size: int) -> None:
    """Theorem 4.1 for all shaders of up to three statements, N = 2 and 3 (51,191 shaders, 44,519 of them accepted)."""
    outcomes: Counter[tuple[Verdict, Outcome]] = Counter()
    for drawn in SHARED_MEMORY.of_size(size):
        verdict = analyse(drawn).verdict
        for n in (2, 3):
            found = explore(drawn, threads=n, bounds=FULL)
            outcomes[verdict, found.outcome] += 1
            assert verdict is Verdict.REJECTS or found.outcome is Outcome.CONVERGES, drawn
    assert all(outcome is not Outcome.NOT_SEEN for _, outcome in outcomes)
    assert size == 1 or outcomes[Verdict.REJECTS, Outcome.DIVERGES]


@pytest.mark.parametrize("count", [300, pytest.param(100_000, marks=pytest.mark.slow)])
def test_no_accepted_shader_is_shown_to_diverge(count: int) -> None:
    index = accepted = 0
    while accepted < count:
        drawn = draw_shader(shader_seed(4, index))
        if analyse(drawn).verdict is Verdict.ACCEPTS:
            accepted += 1
            found = explore(drawn, bounds=Bounds(steps=2000, turn=600))
            assert found.outcome is not Outcome.DIVERGES, f"a counterexample to Theorem 4.1: seed 4, shader {index}"
        index += 1


# -------------------------------------------------------------------------------------------- stores and schedules


@pytest.mark.parametrize(
    "condition",
    [
        "A[0u] == 42u",
        "A[0u] + A[1u] == 85u && A[0u] < A[1u]",
        "(A[lid & 1u] ^ 1u) == 43u",
        "A[A[2u] & 7u] == 4294967295u",
        "A[0u] - A[1u] == 41u",
    ],
)
def test_initial_values_are_found_that_lead_to_a_divergence(condition: str) -> None:
    guarded = shader(f"if ({condition} && 42u > 1u) {{ if (lid == 0u) {{ workgroupBarrier(); }} }} workgroupBarrier();")
    assert explore(guarded).outcome is Outcome.DIVERGES


@pytest.mark.parametrize(
    "body",
    [
        "if (A[0u] < 1u) { x = 1u; } if (A[0u] >= 1u) { x = x + 1u; } y = x;",
        "x = A[0u]; if (x + 1u == 1u) { y = A[0u] + 1u; } else { y = 1u; }",
        "W[lid] = A[3u]; y = u32(W[lid] == A[3u]);",
    ],
)
def test_one_cell_holds_one_value_at_first(body: str) -> None:
    consistent = shader(f"{body} if (y != 1u) {{ if (lid == 0u) {{ workgroupBarrier(); }} }} workgroupBarrier();")
    found = explore(consistent, bounds=FULL)
    assert found.outcome is Outcome.CONVERGES
    assert found.races == ()


RACE = "A[0u] = 0u; workgroupBarrier(); A[0u] = A[0u] + 1u; x = A[0u]; A[0u] = x * 2u; workgroupBarrier();"


@pytest.mark.parametrize(("value", "diverges"), [(0, False), (1, True), (2, True), (3, True), (4, True), (5, False)])
def test_every_schedule_of_a_race_is_tried_and_the_race_is_reported(value: int, diverges: bool) -> None:
    racy = shader(f"{RACE} if (x == {value}u) {{ if (lid == 0u) {{ workgroupBarrier(); }} }} workgroupBarrier();")
    assert every_run_diverges_or_not(racy, 2, 50_000, CONTROL_STACKS) is diverges
    found = explore(racy)
    assert found.outcome is (Outcome.DIVERGES if diverges else Outcome.CONVERGES)
    assert Race("A", 0, (0, 1)) in found.races


@pytest.mark.parametrize("seen", [0, 1])
def test_one_that_writes_and_one_that_reads_are_enough(seen: int) -> None:
    race = "A[lid] = 0u; workgroupBarrier(); if (lid == 0u) { A[1u] = 1u; } else { y = 1u; x = A[1u]; }"
    diverges = shader(f"{race} if (y == 1u && x == {seen}u) {{ workgroupBarrier(); }} workgroupBarrier();")
    assert explore(diverges).outcome is Outcome.DIVERGES


PARTLY = "fn f(p: u32) -> u32 { workgroupBarrier(); return p; }"


@pytest.mark.parametrize("barrier", ["workgroupBarrier();", "x = f(0u);"])
@pytest.mark.parametrize("early", [0, 1])
@pytest.mark.parametrize("reader", [0, 1])
def test_how_a_thread_came_to_where_it_waits_is_no_detail(reader: int, early: int, barrier: str) -> None:
    """One thread waits with one history or another, and all else is as it was; only one of them diverges."""
    chosen = f"if (lid == {reader}u) {{ x = A[0u]; }} else {{ x = {early}u; }}"
    turns = f"{chosen} if (x == 1u) {{ x = 0u; continue; }} x = 0u;"
    writes = f"if (lid != {reader}u) {{ A[0u] = 1u; A[0u] = 0u; }}"
    loop = f"loop {{ if (y == 1u) {{ {barrier} break; }} y = 1u; {turns} }}"
    both = shader(f"A[0u] = 0u; workgroupBarrier(); {writes} {loop} workgroupBarrier();", f=PARTLY)
    assert explore(both).outcome is Outcome.DIVERGES


def test_races_end_at_barriers_and_on_one_cell() -> None:
    apart = (
        "W[lid] = lid; workgroupBarrier(); x = W[1u - lid]; workgroupBarrier(); W[1u - lid] = x; workgroupBarrier();"
    )
    assert explore(shader(apart), bounds=FULL).races == ()
    joined = apart.replace("workgroupBarrier(); x", "x")
    assert explore(shader(joined), bounds=FULL).races == (Race("W", 0, (0, 1)), Race("W", 1, (0, 1)))


def test_a_race_needs_one_run_with_both_accesses() -> None:
    exclusive = "if (A[0u] == lid) { W[0u] = 1u; } workgroupBarrier();"
    assert explore(shader(exclusive), bounds=FULL).races == ()


# ------------------------------------------------------------------------------------------------------ endless runs


@pytest.mark.parametrize(
    "body",
    [
        "loop { if (A[0u] == 9u) { break; } } workgroupBarrier();",
        "loop { workgroupBarrier(); x = x + 1u; if (lid == 7u) { break; } } workgroupBarrier();",
        "loop { if (lid == 0u) { x = 1u - x; } if (lid == 7u) { break; } } workgroupBarrier();",
        "loop { workgroupBarrier(); if (x == 2u) { continue; } x = x + 1u; if (lid == 7u) { break; } }",
        "if (lid == 0u) { A[0u] = 1u; } loop { if (A[0u] == 1u) { break; } } workgroupBarrier();",
    ],
)
def test_a_state_that_repeats_ends_a_branch(body: str) -> None:
    found = explore(shader(body), bounds=FULL)
    assert (found.outcome, found.gaps) == (Outcome.CONVERGES, ())


F = """fn f(p: u32) -> u32 { if (p == 3u) { workgroupBarrier(); } return p; }
fn g(p: u32) -> u32 { return p + 1u; }
fn h(p: u32) -> u32 { var t: u32; t = A[0u]; A[0u] = t + p; return t; }
"""


@pytest.mark.parametrize(
    "body",
    [
        "A[0u] = 0u; loop { workgroupBarrier(); if (A[0u] == 3u) { if (lid == 0u) { break; } } workgroupBarrier(); "
        "if (lid == 0u) { A[0u] = A[0u] + 1u; } }",
        "A[lid] = 0u; loop { A[lid] = A[lid] + 1u; if (A[lid] == 5u) { break; } } "
        "if (lid == 0u) { workgroupBarrier(); }",
        "A[3u] = 0u; loop { workgroupBarrier(); if (A[3u] == 1u) { if (lid == 0u) { break; } } workgroupBarrier(); "
        "A[x / 2u] = 1u; x = x + 1u; }",
        "loop { workgroupBarrier(); y = f(x + lid); x = x + 1u; }",
        "loop { workgroupBarrier(); y = g(x); if (y == 3u) { if (lid == 0u) { break; } } x = y; }",
        "loop { workgroupBarrier(); y = g(x); if (y == 3u + lid) { break; } x = x + 1u; }",
        "if (A[0u] == 5u && lid == 0u) { y = f(3u); } workgroupBarrier();",
        "x = h(1u); if (x == 1u) { workgroupBarrier(); } workgroupBarrier();",
    ],
)
def test_what_influences_control_flow_is_followed_however_indirect(body: str) -> None:
    text = body.replace("x = x + 1u; }", "x = x + 1u; if (false) { break; } }") if "break" not in body else body
    assert explore(shader(text, f=F)).outcome is Outcome.DIVERGES


def test_equal_threads_need_not_be_followed_for_ever() -> None:
    loop = "loop { workgroupBarrier(); y = y + 1u; if (y == x) { break; } }"
    assert explore(shader(f"x = A[1u]; {loop.replace('== x', '== x + lid / 4u')}")).outcome is Outcome.NOT_SEEN
    alike = shader(f"x = lid; x = A[1u]; {loop}")
    assert explore(alike, bounds=FULL).outcome is Outcome.NOT_SEEN
    assert explore(alike).outcome is Outcome.CONVERGES


def test_a_thread_that_spins_hides_no_divergence_of_others() -> None:
    spins = "if (lid == 1u) { loop { if (x == 1u) { break; } } }"
    others = shader(f"{spins} if (lid == 0u) {{ workgroupBarrier(); }} workgroupBarrier();", n=3)
    assert explore(others).outcome is Outcome.DIVERGES
    assert explore(others, threads=2).outcome is Outcome.CONVERGES


@pytest.mark.parametrize(("bounds", "gap"), [(Bounds(steps=50), "50 steps"), (Bounds(turn=20), "20 steps in one turn")])
def test_what_was_not_followed_is_said(bounds: Bounds, gap: str) -> None:
    counts = shader("loop { x = x + 1u; if (x == 90u + lid) { break; } } workgroupBarrier();")
    found = explore(counts, bounds=bounds)
    assert found.outcome is Outcome.NOT_SEEN
    assert [gap in said for said in found.gaps] == [True]
    assert explore(counts).outcome is Outcome.CONVERGES


def test_so_many_combinations_of_initial_values_are_told_apart_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """All conditions together: each of these alone has few."""
    guarded = "".join(f"if ({e}) {{ workgroupBarrier(); }}" for e in ("A[0u] < 42u", "A[1u] < 42u", "lid == 5u"))
    conditions = shader(guarded)
    assert explore(conditions).outcome is Outcome.CONVERGES
    monkeypatch.setattr(symbolic, "MOST_STORES_TOLD_APART", 15)
    bounded = explore(conditions)
    assert bounded.outcome is Outcome.NOT_SEEN
    assert bounded.gaps == ("too many combinations of initial values",)


# -------------------------------------------------------------------------------------------------------- witnesses


def witness_of(drawn: Shader, threads: int | None = None) -> Witness:
    witness = explore(drawn, threads=threads).witness
    assert witness is not None
    return witness


def test_a_witness_replays_and_shows_where_its_threads_parted() -> None:
    seen = 0
    for seed in range(800):  # too few diverge to have Hypothesis look for them
        drawn = draw_shader(seed, RACY)
        witness = explore(drawn).witness
        if witness is None:
            continue
        seen += 1
        assert replay(drawn, witness).witness == witness
        parted = parting(witness, trace(drawn, witness))
        assert parted is not None
        one, other = parted
        assert [one.thread, other.thread] == [stop.thread for stop in witness.stops]
        assert one.statement is other.statement
        assert isinstance(one.statement, If)
        assert one.result != other.result
        assert one.reads != other.reads
    assert seen > 20


def test_threads_may_part_and_meet_again_before_they_part_for_good() -> None:
    meet = shader("if (lid == 0u) { x = 1u; } if (x == lid) { y = 1u; } if (x == 1u) { workgroupBarrier(); } y = 2u;")
    witness = witness_of(meet)
    parted = parting(witness, trace(meet, witness))
    assert parted is not None
    assert [event.reads for event in parted] == [(("x", 1),), (("x", 0),)]


def test_an_atomic_update_reads_what_it_replaces() -> None:
    """It is an assignment with a result: the thread that comes first gets another value than the next."""
    plain = shader("y = A[0u]; A[0u] = 1u; if (y == 0u) { workgroupBarrier(); } workgroupBarrier();")
    read, write, *rest = plain.main.body
    assert isinstance(read, Assign)
    assert isinstance(write, SharedAssign)
    update = AtomicUpdate(write.array, write.index, write.value, read.name)
    atomic = replace(plain, main=replace(plain.main, body=(update, *rest)))
    assert explore(atomic, values={Type.U32: (0,)}).outcome is Outcome.DIVERGES
    assert explore(atomic, values={Type.U32: (1,)}).outcome is Outcome.CONVERGES


# ---------------- Runs that never end: what exploring says of them, against runs that are tried and a search for cycles


ALONE = replace(TINY, statements=(1, 9), threads=(2, 2))
"""Those of these shaders that have no shared memory have one run, whatever the schedule."""
EVERY_RUN = Bounds(lockstep=False)


def endless(body: str) -> tuple[Outcome, Endless | None]:
    found = explore(shader(body), bounds=EVERY_RUN)
    return found.outcome, found.endless


@settings(max_examples=250)
@given(st.integers(0, 10**9))
def test_what_has_one_run_is_endless_if_and_only_if_that_run_goes_on(seed: int) -> None:
    drawn = draw_shader(seed, ALONE)
    assume(not drawn.arrays)
    found = explore(drawn, bounds=EVERY_RUN)
    if found.outcome is Outcome.CONVERGES:
        tried = sample(drawn, runs=1, seed=seed, threads=2, steps=3000)
        assert (found.endless is not None) == (tried.outcome is Outcome.OUT_OF_STEPS)


def test_both_ways_to_go_on_are_drawn_and_told() -> None:
    alone = [shader for shader in (draw_shader(seed, ALONE) for seed in range(3000)) if not shader.arrays]
    said = {type(e.waits) for e in (explore(shader, bounds=EVERY_RUN).endless for shader in alone) if e}
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
    found = sample(shader, runs=4, seed=seed, threads=threads, steps=700)
    with pytest.MonkeyPatch.context() as patch:
        without_recurrence(patch)
        assert sample(shader, runs=4, seed=seed, threads=threads, steps=700) == found


def test_a_state_comes_again_long_before_the_steps_are_used_up() -> None:
    for forever in ENDLESS[:3]:
        assert execute(forever, steps=10**12).outcome is Outcome.OUT_OF_STEPS
