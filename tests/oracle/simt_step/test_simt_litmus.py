"""Table 4: each model allows of each test what the paper says; the tests as WGSL are what compilers read."""

import pytest

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.oracle.simt_step import litmus as tests_of_the_paper
from wgsl_fuzz.oracle.simt_step.litmus import BASE, LITMUS, TABLE_4, Behaviour, print_litmus, run
from wgsl_fuzz.oracle.simt_step.rules import MODELS, Bounds, Kind, Machine, Mode
from wgsl_fuzz.oracle.verdict import Verdict

QUICK = [(name, model) for name in LITMUS for model in MODELS if (name, model) != ("cm", "SSO")]


@pytest.mark.parametrize(("name", "model"), QUICK)
def test_a_model_allows_what_the_paper_says(name: str, model: str) -> None:
    result = run(LITMUS[name], model, every_order=False)
    assert result.behaviour is LITMUS[name].expected(model)
    assert result.as_expected
    assert bool(result.witness) == (result.behaviour is Behaviour.RELAXED)


def test_the_pairs_of_table_1_are_there() -> None:
    """A model allows the relaxed behaviour of the first test and not that of the second."""
    pairs = {"CM": (None, "cm"), "SM": ("cm", "fig-2"), "SCF": ("fig-2", "fig-9"), "SSO": ("fig-9", "fig-9-sg")}
    for model, (first, second) in pairs.items():
        assert first is None or model in LITMUS[first].relaxed
        assert model not in LITMUS[second].relaxed
        assert {(first, model), (second, model)} - {(None, model)} <= TABLE_4.keys()
    assert len(BASE) == 10


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
    answers = ask_tint([print_litmus(test) for test in LITMUS.values()])
    assert [a for a in answers if a.verdict is not Verdict.ACCEPTS] == []
