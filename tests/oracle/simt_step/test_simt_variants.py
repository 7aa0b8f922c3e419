"""Fuzzed litmus tests: valid for compilers, and the models allow of them what they allow of the test."""

import pytest

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.oracle.simt_step.litmus import BASE, LITMUS, print_litmus, run, variant
from wgsl_fuzz.oracle.simt_step.rules import MODELS, Bounds
from wgsl_fuzz.oracle.simt_step.shader import Address, If, Local, Store
from wgsl_fuzz.oracle.verdict import Verdict

SMALL = [test for test in BASE if test.name != "cm"]


@pytest.mark.parametrize("name", [test.name for test in SMALL])
def test_the_models_allow_the_same_of_a_variant(name: str) -> None:
    for seed in range(12):
        made = variant(LITMUS[name], seed)
        for model in MODELS:
            assert run(made, model, every_order=False).as_expected, (seed, model)


@pytest.mark.full
def test_the_models_allow_the_same_of_a_variant_of_fig_3() -> None:
    for seed in range(3):
        made = variant(LITMUS["cm"], seed)
        assert all(run(made, model, Bounds(20_000), every_order=False).as_expected for model in ("CM", "SCF"))


def test_current_tint_finds_variants_valid() -> None:
    texts = [print_litmus(variant(test, seed)) for test in BASE for seed in range(20)]
    assert len({text.partition("\n")[2] for text in texts}) == len(texts)
    assert [a for a in ask_tint(texts) if a.verdict is not Verdict.ACCEPTS] == []


def test_a_number_gives_one_variant() -> None:
    assert variant(LITMUS["sso-rw"], 5) == variant(LITMUS["sso-rw"], 5) != variant(LITMUS["sso-rw"], 6)


def test_a_selection_between_the_accesses_is_another_test() -> None:
    """Why no transformation puts one there: under SCF it synchronizes."""
    test = LITMUS["sm-ww"]
    *before, second = test.body
    between = type(test)(
        test.name, test.what, (*before, If("k", (Local("k2", "copy", (1,)),)), second), test.synchronous, test.relaxed
    )
    assert isinstance(second, Store)
    assert second.a == Address("g", "next")
    assert run(test, "SCF").as_expected
    assert not run(between, "SCF").as_expected
