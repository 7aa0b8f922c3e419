"""Drawn bodies for SIMT-Step: loops that end, branches on the thread and on memory, breaks, continues and returns."""

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from wgsl_fuzz.oracle.simt_step import shader
from wgsl_fuzz.oracle.simt_step.rules import MODELS, SM, Bounds, Exploration, Machine, State, block, explore, reachable
from wgsl_fuzz.oracle.simt_step.shader import Address, Body, If, Local, Loop, Store, lower

ARRAYS = {"g": 2}
_ADDRESSES = st.sampled_from([Address("g", 0), Address("g", "tid")])
_NORMAL = st.one_of(
    st.builds(lambda a: (Store(a, "tid"),), _ADDRESSES),
    st.builds(lambda a: (shader.Load("r", a),), _ADDRESSES),
    st.builds(lambda a: (shader.Atomic("r", "add", a, 1),), _ADDRESSES),
    st.builds(lambda op: (shader.SGOp("s", op, "r"),), st.sampled_from(["add", "any", "ballot"])),
    st.just((Local("r", "+", ("r", 1)),)),
)
_CONDITIONS = st.sampled_from(["tid", "lane", "r", "s", 1])


def bodies(depth: int = 2, in_loop: bool = False) -> st.SearchStrategy[Body]:
    """Bodies whose loops run at most twice."""
    parts: list[st.SearchStrategy[Body]] = [_NORMAL]
    jumps = [shader.Return(), shader.Break(), shader.Continue()] if in_loop else [shader.Return()]
    if depth:
        inner = bodies(depth - 1, in_loop)
        parts.append(st.builds(lambda c, a, b: (If(c, a, b),), _CONDITIONS, inner, inner))
        parts.append(st.builds(lambda c, j: (If(c, (j,)),), _CONDITIONS, st.sampled_from(jumps)))
        parts.append(bodies(depth - 1, True).map(lambda body: _loop(body, f"i{depth}")))
    return st.lists(st.one_of(parts), max_size=3).map(lambda found: tuple(s for part in found for s in part))


def _loop(body: Body, i: str) -> Body:
    step = (Local(i, "+", (i, 1)), Local("done", "==", (i, 2)))
    return Local(i, "copy", (0,)), Loop(body, step, "done")


FEW = Bounds(states=600)
DRAWN = settings(derandomize=True, max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def run(body: Body, model: str) -> tuple[Machine, Exploration]:
    """All executions; a body that has too many is not looked at."""
    P = Machine(lower(body, ARRAYS), MODELS[model])
    found = explore(P, FEW, every_order=False)
    assume(not found.gap)
    return P, found


def outcomes(found: Exploration) -> set[tuple[object, ...]]:
    return {(S.M, *(σ.R for σ in S.Σ)) for S in found.finals}


@DRAWN
@given(bodies())
def test_no_thread_waits_for_ever(body: Body) -> None:
    for model in MODELS:
        _, found = run(body, model)
        assert found.finals
        assert not found.stuck


@DRAWN
@given(bodies())
def test_a_weaker_model_allows_all_that_a_stronger_one_does(body: Body) -> None:
    CM, SM, SCF, SSO = (outcomes(run(body, model)[1]) for model in MODELS)
    assert CM <= SM <= SCF <= SSO


@DRAWN
@given(bodies())
def test_leaving_out_orders_leaves_out_no_final_state(body: Body) -> None:
    for model in MODELS:
        P = Machine(lower(body, ARRAYS), MODELS[model])  # one for both: it numbers the dynamic blocks
        every, fewer = explore(P, FEW), explore(P, FEW, every_order=False)
        assume(not every.gap)
        assert fewer.finals.keys() == every.finals.keys()
        assert fewer.stuck.keys() == every.stuck.keys()
        assert fewer.states <= every.states


@DRAWN
@given(bodies())
def test_unknown_threads_are_those_that_may_still_arrive(body: Body) -> None:
    P, found = run(body, "SSO")
    for S in found.came_from:
        for db in S.D:
            assert {t for t in range(P.n) if t not in db.T and _may_arrive(S, t, db.id)} == db.U
            assert db.b in P.shader.blocks


def _may_arrive(S: State, t: int, id: int) -> bool:
    σ = S.Σ[t]
    return σ.pc is not None and id in reachable(S.D, σ.db)


@DRAWN
@given(bodies())
def test_threads_of_a_block_that_do_not_end_meet_in_its_merge_block(body: Body) -> None:
    """The rule "Reconvergence" of section 3; a break, a continue or a return escapes."""
    assume(not any(isinstance(s, Loop) for s in body) and "Return" not in repr(body))
    for model in MODELS:
        _, found = run(body, model)
        for S in found.finals:
            by_id = {db.id: db for db in S.D}
            assert all(db.merge is None or by_id[db.merge].T == db.T for db in S.D)


@DRAWN
@given(bodies())
def test_the_merge_block_is_the_one_that_the_merge_instruction_names(body: Body) -> None:
    for model in MODELS:
        P, found = run(body, model)
        for S in found.came_from:
            for db in S.D:
                merges = [instr.label for instr in P.block(db) if isinstance(instr, shader.Merge)]
                assert db.merge is None or block(S.D, db.merge).b in merges


@DRAWN
@given(bodies())
def test_the_dynamic_execution_graph_is_acyclic(body: Body) -> None:
    _, found = run(body, "SCF")
    for S in found.finals:
        for db in S.D:
            assert all(db.id not in reachable(S.D, child) for child in db.C)


TWO_STORES: Body = (Store(Address("g", "tid"), 1), Store(Address("g", 0), 2))


def test_the_printed_rule_of_synchronous_instructions_lets_threads_wait_for_ever() -> None:
    """T-SYNC-EXECUTE as printed: the first thread resets the status, and the other one never has it again."""
    printed = explore(Machine(lower(TWO_STORES, ARRAYS), SM, by_the_letter=True))
    assert printed.stuck
    assert not printed.finals
    assert explore(Machine(lower(TWO_STORES, ARRAYS), SM)).finals


def test_a_bound_that_is_reached_is_said() -> None:
    P = Machine(lower(TWO_STORES, ARRAYS), MODELS["SSO"])
    assert explore(P, Bounds(states=5)).gap == "there are more than 5 states"
    assert "cells of memory" in explore(P, Bounds(cells=100)).gap
    endless = Machine(lower((Loop(()),), ARRAYS), MODELS["SSO"])
    assert explore(endless, Bounds(states=50)).gap
