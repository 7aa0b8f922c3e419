"""Every small module: valid, different from all others, counted exactly, and judged alike by the reference and Tint."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from tests.strategies.modules.edit.mothers import VALID, accepts, said
from wgsl_fuzz.oracle.rules.uniformity.revisions import wgsl_rules
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.modules.small_modules import of_size, small_modules
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Block, BreakIf, If, Loop, Module, Statement, Switch
from wgsl_fuzz.wgsl.walk import descendants

SIZES = range(1, 4)
DECLARED = 3
"""Declarations in front of the statements that count."""


def size_of(module: Module) -> int:
    main = module.declarations[-1]
    counted = [n for n in descendants(main) if isinstance(n, Statement) and not isinstance(n, Block)]
    return len(counted) - DECLARED


@pytest.mark.parametrize("size", SIZES)
def test_the_modules_of_a_size_are_counted_and_different(size: int) -> None:
    modules = list(of_size(size))
    assert len(modules) == of_size(size).count
    assert len({print_module(module) for module in modules}) == len(modules)
    assert {size_of(module) for module in modules} <= {size}


def test_counts_are_those_of_this_version() -> None:
    assert [of_size(size).count for size in range(1, 6)] == [0, 16, 949, 48558, 2388294]


def test_the_smallest_come_first() -> None:
    sizes = [size_of(module) for module in small_modules(3)]
    assert all(a <= b for a, b in pairwise(sizes))
    assert small_modules(3).count == 965


def test_no_node_stands_in_a_module_twice() -> None:
    for k in range(0, of_size(4).count, 997):
        nodes = [id(node) for node in descendants(of_size(4).nth(k))]
        assert len(nodes) == len(set(nodes))


def test_every_construct_of_the_vocabulary_occurs() -> None:
    kinds = {type(node) for k in range(0, of_size(4).count, 61) for node in descendants(of_size(4).nth(k))}
    assert {If, Switch, Loop, BreakIf} <= kinds


def _disagreements(modules: Sequence[Module]) -> list[str]:
    """Texts on which Tint does not answer as the reference, nor as the rules with its known departures."""
    departures = wgsl_rules("wgsl-tint-0.6.2")
    assert departures is not None
    texts = [print_module(module) for module in modules]
    wrong = []
    for module, text, answer in zip(modules, texts, said(texts), strict=True):
        resolution = resolve(module)
        assert answer.verdict in VALID, (answer.message, text)
        accepted = answer.verdict is Verdict.ACCEPTS
        if accepted is not accepts(resolution) and accepted is not accepts(resolution, departures):
            wrong.append(text)
    return wrong


@pytest.mark.parametrize("size", SIZES)
def test_tint_agrees_on_all_up_to_three_statements(size: int) -> None:
    assert _disagreements(list(of_size(size))) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(24))
def test_tint_agrees_or_departs_as_known_on_all_of_four_statements(part: int) -> None:
    modules = of_size(4)
    assert _disagreements([modules.nth(k) for k in range(part, modules.count, 24)]) == []
