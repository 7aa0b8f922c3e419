"""The figures of the paper about SIMT-Step: which outcomes and which participants each model allows."""

import pytest

from wgsl_fuzz.oracle.simt_step.exploration import Exploration, explore, participants
from wgsl_fuzz.oracle.simt_step.models import MODELS
from wgsl_fuzz.oracle.simt_step.shader import Address, Load, Local, SGOp, Store
from wgsl_fuzz.oracle.simt_step.states import Machine
from wgsl_fuzz.oracle.simt_step.structured import Body, If, Loop, lower

OWN, NEXT = Address("g", "a"), Address("g", "b")
INDICES: Body = (
    Local("c", "==", ("tid", 0)),
    If("c", (Local("a", "copy", (0,)), Local("b", "copy", (1,)))),
    Local("d", "==", ("tid", 1)),
    If("d", (Local("a", "copy", (1,)), Local("b", "copy", (0,)))),
)
"""The four lines that Figs. 2, 9 and 11 begin with."""
EVERY = pytest.mark.parametrize("model", MODELS)
LOCKSTEP = {(1, 1)}
INTERLEAVED = {(1, 1), (0, 1), (1, 0)}


def run(body: Body, model: str, subgroups: int = 1, size: int = 2) -> tuple[Machine, Exploration]:
    """All executions; each of them ends."""
    P = Machine(lower(body, {"g": 2}), MODELS[model], subgroups, size)
    found = explore(P, every_order=False)
    assert found.finals
    assert not found.stuck
    assert not found.gap
    return P, found


def registers(P: Machine, found: Exploration, r: str) -> set[tuple[int, ...]]:
    """The values of a register, thread by thread, over all final states."""
    return {tuple(P.eval(r, σ.R) for σ in S.Σ) for S in found.finals}


def memory(body: Body, model: str) -> set[tuple[int, ...]]:
    P, found = run(body, model)
    return {P.array(S, "g") for S in found.finals}


@EVERY
def test_fig_1_who_takes_part_before_in_and_after_a_branch(model: str) -> None:
    body: Body = (
        SGOp("val_a", "add", 1),
        Local("c", "==", ("tid", 0)),
        If("c", (SGOp("val_b", "add", 1),), (SGOp("val_b", "add", 1),)),
        SGOp("val_c", "add", 1),
    )
    P, found = run(body, model)
    assert [registers(P, found, r) for r in ("val_a", "val_b", "val_c")] == [{(2, 2)}, {(1, 1)}, {(2, 2)}]
    assert participants(found, "then1") == {frozenset({0})}
    assert participants(found, "merge1") == {frozenset({0, 1})}


def fig_2(*between: SGOp) -> Body:
    return (*INDICES, Store(OWN, 0), *between, Store(NEXT, 1))


@pytest.mark.parametrize(
    ("model", "allowed"), [*zip(MODELS, [LOCKSTEP, LOCKSTEP, INTERLEAVED, INTERLEAVED], strict=True)]
)
def test_fig_2_lockstep_or_independent(model: str, allowed: set[tuple[int, ...]]) -> None:
    assert memory(fig_2(), model) == allowed


@EVERY
def test_fig_2_a_subgroup_operation_synchronizes(model: str) -> None:
    assert memory(fig_2(SGOp("x", "add", 0)), model) == LOCKSTEP


@EVERY
def test_fig_3_what_one_subgroup_reads_is_one_value_if_memory_is_collective(model: str) -> None:
    cell = Address("g", 0)
    P, found = run((Store(cell, "tid"), Load("read", cell), SGOp("equal", "all_equal", "read")), model, 2, 2)
    assert all((0 in values) == (model != "CM") for values in [{v for vs in registers(P, found, "equal") for v in vs}])


@EVERY
def test_fig_5_threads_meet_again_in_each_iteration(model: str) -> None:
    body: Body = (
        Loop(
            body=(
                Local("own", "==", ("tid", "i")),
                Local("last", "==", ("i", 2)),
                Local("c", "or", ("own", "last")),
                If("c", (SGOp("n", "ballot", 1),)),
            ),
            continuing=(Local("i", "+", ("i", 1)), Local("done", "==", ("i", 3))),
            break_if="done",
        ),
    )
    _, found = run(body, model)
    graphs = {tuple(sorted((db.b, tuple(sorted(db.T))) for db in S.D if db.b.startswith("then"))) for S in found.finals}
    assert graphs == {(("then2", (0,)), ("then2", (0, 1)), ("then2", (1,)))}
    assert participants(found, "body1") == participants(found, "merge1") == {frozenset({0, 1})}


def fig_9(*before: SGOp) -> Body:
    """The condition is that of line 6."""
    return (*INDICES, Store(OWN, 0), If("c", (*before, Store(NEXT, 1)), (*before, Store(NEXT, 1))))


@pytest.mark.parametrize(("model", "allowed"), [*zip(MODELS, [LOCKSTEP, LOCKSTEP, LOCKSTEP, INTERLEAVED], strict=True)])
def test_fig_9_control_flow_synchronizes_if_it_is_collective(model: str, allowed: set[tuple[int, ...]]) -> None:
    assert memory(fig_9(), model) == allowed


@EVERY
def test_fig_9_a_subgroup_operation_of_one_thread_synchronizes_with_the_branch(model: str) -> None:
    assert memory(fig_9(SGOp("x", "add", 1)), model) == LOCKSTEP


@EVERY
def test_fig_10_no_direct_model_speculates(model: str) -> None:
    x = Address("g", 0)
    body: Body = (
        Load("cond", x),
        Local("zero", "==", ("cond", 0)),
        If("zero", (SGOp("n", "add", 1), Store(x, 1))),
    )
    P, found = run(body, model)
    assert registers(P, found, "n") == {(2, 2)}


@EVERY
def test_fig_11_no_direct_model_makes_values_up(model: str) -> None:
    assert memory((*INDICES, Load("v", OWN), SGOp("a2", "broadcast", "v"), Store(NEXT, "a2")), model) == {(0, 0)}
