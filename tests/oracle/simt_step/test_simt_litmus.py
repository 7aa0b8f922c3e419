"""Table 4: each model allows of each test what the paper says; the tests as WGSL are what compilers read."""

import pytest

from tests.wgsl.current_tint import NOT_ACCEPTED, refused_by_tint
from wgsl_fuzz.oracle.simt_step import litmus as tests_of_the_paper
from wgsl_fuzz.oracle.simt_step.litmus import BASE, LITMUS, Behaviour, print_litmus, run
from wgsl_fuzz.oracle.simt_step.rules import MODELS, Bounds, Exploration, Kind, Machine, Mode, explore
from wgsl_fuzz.oracle.simt_step.shader import Address, Body, If, Load, Local, SGOp, Store, lower

QUICK = [(name, model) for name in LITMUS for model in MODELS if (name, model) != ("cm", "SSO")]


@pytest.mark.parametrize(("name", "model"), QUICK)
def test_a_model_allows_what_the_paper_says(name: str, model: str) -> None:
    result = run(LITMUS[name], model, every_order=False)
    assert result.behaviour is LITMUS[name].expected(model)
    assert result.as_expected
    assert bool(result.witness) == (result.behaviour is Behaviour.RELAXED)


@pytest.mark.parametrize(("model", "weaker"), [("CM", "SM"), ("SM", "SCF"), ("SCF", "SSO")])
def test_some_base_test_tells_a_model_from_the_next_weaker_one(model: str, weaker: str) -> None:
    assert any(weaker in test.relaxed and model not in test.relaxed for test in BASE)


CONTROL = (Kind.LABEL, Kind.MERGE, Kind.TERM)


@pytest.mark.parametrize(
    ("model", "kinds", "mode", "test"),
    [
        ("CM", (Kind.MEMORY,), Mode.SYNCHRONOUS, "cm"),
        ("SM", (Kind.MEMORY,), Mode.INDEPENDENT, "sm-ww"),
        ("SCF", CONTROL, Mode.INDEPENDENT, "scf-ww"),
        ("SSO", CONTROL, Mode.COLLECTIVE, "scf-rw"),
    ],
)
def test_a_wrong_table_of_modes_is_found_out(
    monkeypatch: pytest.MonkeyPatch, model: str, kinds: tuple[Kind, ...], mode: Mode, test: str
) -> None:
    broken = {**MODELS[model], **dict.fromkeys(kinds, mode)}
    monkeypatch.setattr(tests_of_the_paper, "MODELS", {**MODELS, model: broken})
    assert not run(LITMUS[test], model, every_order=False).as_expected


@pytest.mark.parametrize("kind", CONTROL)
def test_one_collective_class_of_control_flow_is_enough_for_fig_9(monkeypatch: pytest.MonkeyPatch, kind: Kind) -> None:
    """Merge instruction, branch and label all stand between the accesses; to wait at one of them is to wait."""
    monkeypatch.setattr(tests_of_the_paper, "MODELS", {"SCF": {**MODELS["SSO"], kind: Mode.COLLECTIVE}})
    assert all(run(test, "SCF", every_order=False).as_expected for test in BASE if test.name != "cm")


def test_a_subgroup_operation_that_is_not_collective_is_refused() -> None:
    with pytest.raises(ValueError, match="collective"):
        Machine(LITMUS["fig-1"].shader, {**MODELS["SSO"], Kind.SUBGROUP: Mode.INDEPENDENT})


def test_what_the_bounds_leave_open_is_no_verification() -> None:
    result = run(LITMUS["sm-ww"], "CM", Bounds(states=5))
    assert result.behaviour is Behaviour.UNKNOWN
    assert result.gap
    assert not result.as_expected


def test_current_tint_finds_each_test_valid() -> None:
    assert refused_by_tint([*map(print_litmus, LITMUS.values())], NOT_ACCEPTED) == []


EVERY = pytest.mark.parametrize("model", MODELS)


def all_executions(body: Body, model: str, subgroups: int = 1, size: int = 2) -> tuple[Machine, Exploration]:
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


@EVERY
@pytest.mark.parametrize("name", [name for name in LITMUS if name.startswith(("fig-2", "fig-9"))])
def test_figs_2_and_9_have_every_interleaving_or_lockstep_alone(name: str, model: str) -> None:
    P = LITMUS[name].machine(model)
    found = {P.array(S, "g") for S in explore(P, every_order=False).finals}
    assert found == ({(1, 1), (0, 1), (1, 0)} if model in LITMUS[name].relaxed else {(1, 1)})


@EVERY
def test_fig_3_what_one_subgroup_reads_is_one_value_if_memory_is_collective(model: str) -> None:
    cell = Address("g", 0)
    P, found = all_executions((Store(cell, "tid"), Load("read", cell), SGOp("equal", "all_equal", "read")), model, 2, 2)
    assert all((0 in values) == (model != "CM") for values in [{v for vs in registers(P, found, "equal") for v in vs}])


def test_a_selection_between_the_accesses_is_another_test() -> None:
    """Under SCF it synchronizes."""
    test = LITMUS["sm-ww"]
    *before, second = test.body
    between = type(test)(
        test.name, test.what, (*before, If("k", (Local("k2", "copy", (1,)),)), second), test.synchronous, test.relaxed
    )
    assert isinstance(second, Store)
    assert second.a == Address("g", "next")
    assert run(test, "SCF").as_expected
    assert not run(between, "SCF").as_expected
