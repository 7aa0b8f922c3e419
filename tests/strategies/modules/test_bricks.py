"""Modules from bricks are valid, differ, and are the same for one environment and seed, whatever was drawn between."""

from collections import Counter
from functools import cache
from typing import get_args

import pytest

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.modules.bricks import Bricks
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Discard, Module, Statement
from wgsl_fuzz.wgsl.walk import descendants

PROFILES = sorted(MODULE_PROFILES)
EACH = 24
"""Modules of one environment."""


@cache
def drawn(profile: str, environments: int) -> tuple[Module, ...]:
    """The modules of the first environments."""
    return tuple([module for seed in range(environments) for module in of(profile, seed, range(EACH))])


def of(profile: str, seed: int, numbers: range) -> list[Module]:
    """Some modules of one environment."""
    bricks = Bricks(RandomSource(seed), MODULE_PROFILES[profile])
    return [bricks.module(RandomSource(EACH * seed + number)) for number in numbers]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_module_does_not_depend_on_what_was_drawn_before(profile: str) -> None:
    for seed in range(3):
        assert of(profile, seed, range(EACH)) == of(profile, seed, range(EACH - 1, -1, -1))[::-1]


@pytest.mark.parametrize("profile", PROFILES)
def test_no_node_stands_twice_in_a_module(profile: str) -> None:
    for module in drawn(profile, 8):
        nodes = list(descendants(module))
        assert len({id(node) for node in nodes}) == len(nodes)


@pytest.mark.parametrize("profile", PROFILES)
def test_names_behaviours_and_text_are_valid(profile: str) -> None:
    for module in drawn(profile, 8):
        assert parse(print_module(module)) == module
        for function in resolve(module).functions:
            BehaviourAnalysis().check(function)


@pytest.mark.parametrize("profile", PROFILES)
def test_modules_of_an_environment_differ(profile: str) -> None:
    assert len({print_module(module) for module in drawn(profile, 8)}) >= 0.99 * 8 * EACH


@pytest.mark.parametrize("profile", PROFILES)
def test_both_verdicts_are_common(profile: str) -> None:
    verdicts = Counter(analyse_wgsl(resolve(module)).verdict for module in drawn(profile, 8))
    assert 25 <= 100 * verdicts[Verdict.ACCEPTS] / verdicts.total() <= 75


def test_each_statement_of_the_language_is_drawn() -> None:
    modules = drawn("compute", 8)
    counts = Counter(name for module in modules for name in {type(n).__name__ for n in descendants(module)})
    for kind in get_args(Statement):
        if kind is not Discard:  # fragment shaders have it
            assert counts[kind.__name__] >= len(modules) // 50, kind


@pytest.mark.full
@pytest.mark.parametrize("profile", PROFILES)
def test_current_tint_finds_all_valid(profile: str) -> None:
    answers = ask_tint([print_module(module) for module in drawn(profile, 40)])
    assert [a.message for a in answers if a.verdict is Verdict.INVALID] == []
