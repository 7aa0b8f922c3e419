"""Runs, witnesses and sampling, on the paper's figures and on shaders put together from awkward fragments."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.dynamics.running import PureStore, execute
from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.dynamics import semantics, stores
from wgsl_fuzz.oracle.dynamics.runs import Order, RunResult, replay, sample
from wgsl_fuzz.oracle.dynamics.witness import Frame, ThreadStop, Witness
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl import ast

ARRAYS = """@group(0) @binding(0) var<storage, read_write> A: array<u32, 8>;
var<workgroup> W: array<u32, 8>;
"""
F = "fn f(p: u32) -> u32 { barrier; return p; }"


def shader(main: str, n: int = 2, f: str = F) -> ast.Shader:
    """`main` with locals d, x and y over a storage array A and a workgroup array W; `barrier;` calls one."""
    text = f"""{ARRAYS}{f}
@compute @workgroup_size({n}) fn main(@builtin(local_invocation_index) lid: u32) {{
  var d: u32; var x: u32; var y: u32;
  {main}
}}"""
    return parse(text.replace("barrier;", "workgroupBarrier();"))


# ---------------------------------------------------------------------------------------------- the paper's figures


def reduction(body: str, n: int) -> ast.Shader:
    """Figure 1: the loop over d = n, n / 2, ..., and restriction (1)'s barrier at the end."""
    loop = f"d = {n}u; loop {{ if d <= 0u {{ break; }} {body} continuing {{ d = d / 2u; }} }} barrier;"
    return shader(loop.replace("UPDATE;", "A[lid] = A[lid] + A[lid + d];"), n)


def figure_3(n: int) -> ast.Shader:
    return reduction("barrier; if lid >= d { continue; } UPDATE;", n)


FIGURE_1B = "if lid < d { barrier; UPDATE; }"
FIGURE_10A = shader("loop { barrier; continuing { break if lid == 0u; } } barrier;")
FIGURE_10B = shader("loop { return; continuing { break if lid == 0u; } } if lid == 0u { barrier; }")
FIGURE_10C = shader("loop { barrier; loop { if lid < x { return; } x = x + 1u; } }", 4)
FIGURE_10D = shader("loop { return; continuing { if lid == 0u { barrier; } } }")


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 8])
def test_figure_1(n: int, order: Order) -> None:
    figure_1a, figure_1b = (reduction(body, n) for body in ("barrier; if lid < d { UPDATE; }", FIGURE_1B))
    for figure, diverges in [(figure_1a, False), (figure_1b, n > 1), (figure_3(n), n in (4, 8))]:
        outcome = execute(figure, order=order).outcome
        assert outcome is (Outcome.DIVERGES if diverges else Outcome.NOT_SEEN), figure


def test_figure_3_diverges_by_the_continues_taken_and_the_witness_says_so() -> None:
    witness = witness_of(execute(figure_3(256), threads=3))
    continues = [stop.stack[0].continues for stop in witness.stops]
    loop, barrier, early, last = 2, 3, 4, 5
    assert [stop.barrier for stop in witness.stops] == [barrier, barrier]
    assert continues == [(last,) * 8, (*[last] * 7, early)]
    text = witness.describe({loop: 4, barrier: 8, early: 10}.get)
    waits = "waits at the barrier on line 8, in round 9 of the loop on line 4"
    assert text[0] == "3 threads (declared: 256)"
    assert text[-2:] == [
        f"thread 0 {waits} (by continue 5 ×8)",
        f"thread 2 {waits} (by continue 5 ×7, the continue on line 10)",
    ]


def test_figure_10() -> None:
    witness = witness_of(execute(FIGURE_10A))
    assert witness.stops == (ThreadStop(0, 5, ()), ThreadStop(1, 3, (Frame(2, (4,)),)))
    for figure in (FIGURE_10B, FIGURE_10C, FIGURE_10D):
        assert {sample(figure, threads=n).outcome for n in (1, 2, 3)} == {Outcome.NOT_SEEN}


def witness_of(execution: RunResult) -> Witness:
    assert execution.outcome is Outcome.DIVERGES
    assert execution.witness is not None
    return execution.witness


def test_the_papers_call_rule_lets_an_accepted_shader_diverge() -> None:
    f = "fn f(p: u32) -> u32 { var t: u32; if t == 0u { barrier; } t = p; return 0u; }"
    trap = shader("x = f(lid); x = f(lid); barrier;", f=f)
    assert execute(trap).outcome is Outcome.NOT_SEEN
    witness = witness_of(execute(trap, reset_locals=False))
    assert replay(trap, witness).witness is None, "WGSL resets them"


# ------------------------------------------------------------------------------------------------------ single runs


FOREVER = "loop { continue; continuing { break if 0u == 1u; } }"


def test_a_thread_that_has_ended_and_one_at_a_barrier_diverge() -> None:
    for early in ("if lid == 0u { return; } barrier;", "if lid == 0u { } else { barrier; }"):
        witness = witness_of(execute(shader(early)))
        assert witness.stops[0] == ThreadStop(0, None, ())
        assert witness.describe()[-2] == "thread 0 has ended"
    assert all(stop.barrier is not None for stop in witness_of(execute(FIGURE_10A)).stops)


def test_a_call_site_tells_dynamic_barriers_apart() -> None:
    one_each = shader("if lid == 0u { x = f(lid); } else { x = f(lid); } barrier;")
    stops = witness_of(execute(one_each)).stops
    assert stops[0].barrier == stops[1].barrier
    assert [stop.stack for stop in stops] == [(Frame(2, None),), (Frame(3, None),)]


def test_two_disagreeing_threads_are_enough() -> None:
    others = shader(f"if lid == 2u {{ {FOREVER} }} if lid == 0u {{ barrier; }} else {{ barrier; }} barrier;", 3)
    for order in (Order.IN_ORDER, Order.ROUND_ROBIN):
        assert execute(others, order=order).outcome is Outcome.DIVERGES
    assert execute(others, order=Order.REVERSED, steps=500) == RunResult(Outcome.OUT_OF_STEPS, 500)
    assert witness_of(execute(others, order=Order.ROUND_ROBIN)).threads == 3


def test_loops_may_iterate_very_often() -> None:
    body = "x = x + 1u; if x == 100000u { barrier; if lid == 0u { barrier; } } continuing { break if x == 100000u; }"
    stops = witness_of(execute(shader(f"loop {{ {body} }} barrier;"), steps=10**7)).stops
    inside, last = 4, 6
    assert stops[0] == ThreadStop(0, inside, (Frame(2, (5,) * 99_999),)), (
        "past the first barrier: equal histories agree"
    )
    assert stops[1] == ThreadStop(1, last, ())


# ------------------------------------------------------------------------------------------- stores and schedules


def guarded(e: str, value: int, before: str = "") -> ast.Shader:
    """Thread 1 waits at another barrier than thread 0 if e has a certain value."""
    return shader(f"{before} if {e} == {value}u {{ if lid == 1u {{ barrier; }} }} barrier;")


def test_a_store_decides_and_the_witness_keeps_only_what_was_read_first() -> None:
    secret = shader("A[5u] = 3u; if A[1u] + A[5u] == 7u { if lid == 0u { barrier; } } barrier;")
    assert execute(secret).outcome is Outcome.NOT_SEEN
    found = witness_of(execute(secret, store=stores.given(secret, {"A": [9, 4, 9, 9, 9, 9]})))
    assert [(c.array, c.index, c.value) for c in found.store] == [("A", 1, 4)]
    assert found.describe()[1:3] == ["store: zero, but for:", "  A[1] = 4"]


@pytest.mark.parametrize(("array", "needs"), [("A", False), ("W", True)])
def test_only_workgroup_memory_makes_a_witness_the_papers_only(array: str, needs: bool) -> None:
    found = witness_of(sample(guarded(f"{array}[0u]", 1), runs=40))
    assert found.needs_store is needs
    assert any("none of WGSL's" in line for line in found.describe()) is needs


def test_sampling_prefers_a_store_that_wgsl_allows() -> None:
    read_in_vain = guarded("A[0u]", 1, before="y = W[0u];")
    found = [witness_of(sample(read_in_vain, runs=60, seed=seed)) for seed in range(8)]
    assert not any(witness.needs_store for witness in found)


@pytest.mark.parametrize("value", [0, 1, 9, 41, 42, 43, 2**32 - 1])
def test_sampling_finds_values_that_are_small_near_literals_or_extreme(value: int) -> None:
    compared = guarded("(A[lid] ^ 42u)", value ^ 42)
    assert sample(compared, runs=300).outcome is Outcome.DIVERGES


def test_the_seed_decides_the_stores() -> None:
    found = [witness_of(sample(guarded("(A[0u] & 1u)", 1), seed=seed, runs=60)).store for seed in range(20)]
    assert len(set(found)) > 2


def test_sampling_finds_a_race_that_only_an_odd_schedule_shows() -> None:
    bump = "A[0u] = A[0u] + 1u;"
    race = shader(f"A[0u] = 0u; barrier; {bump} {bump} x = A[0u]; barrier; if x == 3u {{ barrier; }} barrier;")
    assert execute(race).outcome is Outcome.NOT_SEEN
    assert execute(race, order=Order.REVERSED).outcome is Outcome.NOT_SEEN
    assert sample(race, runs=50).outcome is Outcome.DIVERGES


def test_threads_override_the_declared_number() -> None:
    assert sample(figure_3(8)).outcome is Outcome.NOT_SEEN
    found = witness_of(sample(figure_3(8), threads=8))
    assert (found.threads, found.declared) == (8, 8)
    assert witness_of(sample(figure_3(8), threads=3)).describe()[0] == "3 threads (declared: 8)"


def test_a_thread_that_spins_hides_no_divergence_of_others_from_sampling() -> None:
    spins = shader(f"if lid == 0u {{ {FOREVER} }} if lid == 1u {{ barrier; }} else {{ barrier; }} barrier;", 3)
    assert execute(spins, steps=200).outcome is Outcome.OUT_OF_STEPS
    assert sample(spins, threads=3, steps=200).outcome is Outcome.DIVERGES


def test_out_of_steps_only_if_every_run_is() -> None:
    spins = shader("loop { if A[0u] == 1u { break; } } barrier;")
    assert sample(spins, runs=1, steps=50) == RunResult(Outcome.OUT_OF_STEPS, 50)
    assert sample(spins, runs=60, steps=50).outcome is Outcome.NOT_SEEN


# ---------------------------------------------------------------------------------------------------- drawn shaders

SHARED = (
    ["lid == 0u", "x == 1u", "A[0u] == 1u", "W[lid] < x", "lid < 2u"],
    ["A[0u] = A[0u] + 1u;", "x = A[0u];", "W[lid] = x;"],
)
LOCAL = (["lid == 0u", "x == 1u", "lid <= x", "lid <= x", "lid <= x"], ["x = x + lid;", "x = lid;", "x = x + lid;"])
"""What the same choices say without shared memory."""


def draw_block(rng: random.Random, depth: int, looping: bool, said: tuple[list[str], list[str]]) -> str:
    """A block of racing accesses, calls and barriers, and of branches and loops on what they read."""
    conditions, races = said
    block = ""
    for _ in range(rng.randrange(4)):
        kind = rng.randrange(8 if depth else 4)
        if kind < 3:
            block += rng.choice([*races, "y = f(x);"])
        elif kind == 3:
            jumps = ["return;", "break;", "continue;"]
            block += rng.choice(["barrier;", "barrier;", "barrier;", *jumps[: 3 if looping else 1]])
        elif kind < 7:
            then, orelse = draw_block(rng, depth - 1, looping, said), draw_block(rng, depth - 1, looping, said)
            block += f"if {rng.choice(conditions)} {{ {then} }} else {{ {orelse} }}"
        else:
            end = rng.choice(conditions)
            body = draw_block(rng, depth - 1, True, said)
            block += f"loop {{ {body} continuing {{ {rng.choice(races)} break if {end}; }} }}"
    return block


def drawn_of(seed: int, said: tuple[list[str], list[str]]) -> ast.Shader:
    return shader(f"{draw_block(random.Random(seed), 3, False, said)} barrier;")


SEEDS = st.integers(0, 10**6)
SHADERS = st.builds(drawn_of, SEEDS, st.just(SHARED))
MANY = settings(max_examples=150, deadline=None)


@MANY
@given(SHADERS, SEEDS, st.integers(2, 3))
def test_a_witness_replays_and_the_bare_rules_lead_it_to_the_error_state(drawn: ast.Shader, seed: int, n: int) -> None:
    found = sample(drawn, seed=seed, threads=n, steps=300).witness
    if found is None:
        return
    again = replay(drawn, found)
    assert again.witness == found
    assert again.steps == sum(steps for _, steps in found.schedule)
    G = by_the_rules(drawn, found)
    i, j = found.stops[0].thread, found.stops[1].thread
    assert semantics.barrier_error(replace(G, threads=(G.threads[i], G.threads[j]))) is not None


def by_the_rules(shader: ast.Shader, witness: Witness) -> semantics.Global:
    """The witness's run by THREAD and BARRIER-SYNC, on pure states."""
    Π = semantics.Program(shader)
    values = {(c.array, c.index): c.value for c in witness.store}
    G = semantics.Global(PureStore(lambda x, i: values[x, i]), tuple(Π.initial_threads(witness.threads)))
    for i, steps in witness.schedule:
        assert semantics.barrier_error(G) is None
        while (synced := semantics.barrier_sync(G)) is not None:
            G = synced
        for _ in range(steps):
            G = semantics.thread(Π, G, i)
    return G


@MANY
@given(SHADERS, SEEDS, st.sampled_from(Order))
def test_runs_and_samples_depend_on_their_arguments_only(drawn: ast.Shader, seed: int, order: Order) -> None:
    assert execute(drawn, order=order, seed=seed, steps=300) == execute(drawn, order=order, seed=seed, steps=300)
    assert sample(drawn, seed=seed, steps=300) == sample(drawn, seed=seed, steps=300)


@MANY
@given(SHADERS, st.integers(1, 60))
def test_the_step_bound_is_exact(drawn: ast.Shader, steps: int) -> None:
    full = execute(drawn, steps=2000)
    bounded = execute(drawn, steps=steps)
    assert bounded.steps == min(steps, full.steps)
    if full.steps <= steps:
        assert bounded == full
    else:
        assert bounded.outcome is Outcome.OUT_OF_STEPS


@MANY
@given(SHADERS, st.integers(1, 400))
def test_no_run_begins_beyond_the_total(drawn: ast.Shader, total: int) -> None:
    """The runs are the same, and as many as come before that."""
    by_number = [sample(drawn, runs=k, seed=3, steps=100) for k in range(1, 9)]
    bounded = sample(drawn, runs=8, seed=3, steps=100, total=total)
    assert bounded == next((one for one in by_number if one.steps >= total), by_number[-1])


@MANY
@given(st.builds(drawn_of, SEEDS, st.just(LOCAL)), SEEDS)
def test_without_shared_reads_one_run_tells_all(local: ast.Shader, seed: int) -> None:
    """What sampling relies on when it leaves runs out: so the finest interleaving finds what any order finds."""
    outcome = sample(local, steps=400).outcome
    assert {execute(local, order=order, steps=400, seed=seed).outcome for order in Order} == {outcome}
    if outcome is not Outcome.OUT_OF_STEPS:
        assert (outcome is Outcome.DIVERGES) == finest(local, seed)


def finest(local: ast.Shader, seed: int) -> bool:
    """Whether a run by the rules of Fig. 6, a random one of those that apply each time, reaches ℰ."""
    rng = random.Random(seed)
    Π = semantics.Program(local)
    G = semantics.Global(PureStore(stores.given(local, {})), tuple(Π.initial_threads(2)))
    while semantics.barrier_error(G) is None:
        synced = semantics.barrier_sync(G)
        able = [i for i, T in enumerate(G.threads) if T.ss is not None and not isinstance(T.ss[0], ast.Barrier)]
        if synced is None and not able:
            return False
        G = semantics.thread(Π, G, rng.choice(able)) if synced is None else synced
    return True
