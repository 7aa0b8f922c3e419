"""Table 4: each model allows of each test what the paper says; the tests as WGSL are what compilers read."""

import pytest

from tests.wgsl.current_tint import NOT_ACCEPTED, refused_by_tint
from wgsl_fuzz.oracle.simt_step import litmus as tests_of_the_paper
from wgsl_fuzz.oracle.simt_step.litmus import LITMUS, Behaviour, print_litmus, run
from wgsl_fuzz.oracle.simt_step.rules import MODELS, Bounds, Kind, Machine, Mode

QUICK = [(name, model) for name in LITMUS for model in MODELS if (name, model) != ("cm", "SSO")]


@pytest.mark.parametrize(("name", "model"), QUICK)
def test_a_model_allows_what_the_paper_says(name: str, model: str) -> None:
    result = run(LITMUS[name], model, every_order=False)
    assert result.behaviour is LITMUS[name].expected(model)
    assert result.as_expected
    assert bool(result.witness) == (result.behaviour is Behaviour.RELAXED)


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
