"""Filters put into modules: valid at every place that takes one, and nothing else changes."""

import re
from dataclasses import replace

import pytest

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate.filters import with_filters
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Block, Diagnostic, Module
from wgsl_fuzz.wgsl.walk import descendants

EVERY_PLACE = """
@group(0) @binding(0) var<storage> n: u32;
fn f() -> f32 {
    if n == 0u { return dpdx(1.0); } else if n == 1u { _ = dpdx(2.0); } else { _ = dpdx(3.0); }
    switch n { case 1u, 2u: { _ = dpdx(1.0); } default: { _ = dpdx(1.0); } }
    loop { _ = dpdx(1.0); continuing { _ = dpdx(1.0); break if n == 2u; } }
    while n == 3u { _ = dpdx(1.0); break; }
    for (var i = 0u; i < n; i++) { _ = dpdx(1.0); }
    { _ = dpdx(1.0); }
    return 1.0;
}
@fragment fn main(@location(0) v: f32) {
    if v == 0.0 { _ = f(); }
}
"""
ALL, SOME = 100, 30


def filtered(seed: int, rate: int) -> Module:
    return with_filters(RandomSource(seed), parse(EVERY_PLACE), rate, rate)


def bare(module: Module) -> str:
    """The text of a module without its filters."""
    return re.sub(r"@diagnostic\([^)]*\)\s", "", print_module(module)).replace("@fragment ", "@fragment\n")


@pytest.mark.parametrize("rate", [ALL, SOME])
def test_filters_are_valid_for_current_tint_and_the_reference(rate: int) -> None:
    modules = [filtered(seed, rate) for seed in range(150)]
    texts = [print_module(module) for module in modules]
    answers = ask_tint(texts)
    assert [t + a.message for t, a in zip(texts, answers, strict=True) if a.verdict is Verdict.INVALID][:3] == []
    assert [read_module(text).verdict for text in texts] == [answer.verdict for answer in answers]
    assert {answer.verdict for answer in answers} == {Verdict.ACCEPTS, Verdict.REJECTS}
    for module in modules:
        resolve(module)
        assert parse(print_module(module)) == module


def test_every_place_gets_one() -> None:
    module = filtered(1, ALL)
    places = [n for n in descendants(module) if hasattr(n, "attributes")]
    without = [n for n in places if not any(a.name == "diagnostic" for a in n.attributes)]
    # Variables and parameters take none, nor the `if` behind an `else`.
    assert [type(n).__name__ for n in without] == ["Variable", "If", "Variable", "Parameter"]
    assert sum(isinstance(n, Block) for n in places) == 13
    switch = next(n for n in descendants(module) if hasattr(n, "body_attributes"))
    assert switch.body_attributes
    assert any(isinstance(d, Diagnostic) for d in module.directives)


def test_nothing_but_filters_is_added() -> None:
    before = parse(EVERY_PLACE)
    for seed in range(30):
        after = replace(filtered(seed, SOME), directives=())
        assert bare(after) == print_module(before)


def test_without_a_rate_the_module_stays_as_it_is() -> None:
    module = parse(EVERY_PLACE)
    assert with_filters(RandomSource(1), module, 0) is module


def test_every_severity_and_rule_is_drawn() -> None:
    text = "".join(print_module(filtered(seed, ALL)) for seed in range(20))
    for word in ("error", "warning", "info", "off"):
        for rule in ("derivative_uniformity", "subgroup_uniformity", "foo.bar"):
            assert f"@diagnostic({word}, {rule})" in text
