"""The figures of the paper about SIMT-Step: which outcomes and which participants each model allows."""

import pytest

from wgsl_fuzz.oracle.simt_step.litmus import LITMUS
from wgsl_fuzz.oracle.simt_step.rules import MODELS, Exploration, Machine, explore
from wgsl_fuzz.oracle.simt_step.shader import Address, Body, If, Load, Local, Loop, SGOp, Store, lower

EVERY = pytest.mark.parametrize("model", MODELS)


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


def participants(found: Exploration, b: str) -> frozenset[frozenset[int]]:
    """The sets of threads that executed the dynamic blocks of a basic block, over all final states."""
    return frozenset(db.T for S in found.finals for db in S.D if db.b == b and db.T)


@EVERY
@pytest.mark.parametrize("name", [name for name in LITMUS if name.startswith(("fig-2", "fig-9"))])
def test_figs_2_and_9_have_every_interleaving_or_lockstep_alone(name: str, model: str) -> None:
    P = LITMUS[name].machine(model)
    found = {P.array(S, "g") for S in explore(P, every_order=False).finals}
    assert found == ({(1, 1), (0, 1), (1, 0)} if model in LITMUS[name].relaxed else {(1, 1)})


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
