"""What is drawn over the tree: valid by construction, the same for one seed, of either verdict, with each construct."""

from collections import Counter
from functools import cache

import pytest

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.modules.modules import draw_module
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Function, Module
from wgsl_fuzz.wgsl.walk import descendants

PROFILES = sorted(MODULE_PROFILES)
SOME = 200


@cache
def drawn(profile: str, count: int) -> tuple[Module, ...]:
    """The modules of the first seeds."""
    return tuple([draw_module(seed, MODULE_PROFILES[profile]) for seed in range(count)])


@pytest.mark.parametrize("profile", PROFILES)
def test_a_seed_gives_one_module(profile: str) -> None:
    assert [draw_module(seed, MODULE_PROFILES[profile]) for seed in range(20)] == list(drawn(profile, SOME)[:20])


@pytest.mark.parametrize("profile", PROFILES)
def test_no_node_stands_twice(profile: str) -> None:
    for module in drawn(profile, SOME):
        nodes = list(descendants(module))
        assert len({id(node) for node in nodes}) == len(nodes)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_text_parses_to_the_module(profile: str) -> None:
    for module in drawn(profile, SOME):
        assert parse(print_module(module)) == module


@pytest.mark.parametrize("profile", PROFILES)
def test_names_and_behaviours_are_valid(profile: str) -> None:
    for module in drawn(profile, SOME):
        for function in resolve(module).functions:
            BehaviourAnalysis().check(function)


@pytest.mark.parametrize("profile", PROFILES)
def test_both_verdicts_are_common(profile: str) -> None:
    verdicts = Counter(analyse_wgsl(resolve(module)).verdict for module in drawn(profile, SOME))
    assert 25 <= 100 * verdicts[Verdict.ACCEPTS] / SOME <= 75


def _refused(profile: str, count: int) -> list[tuple[int, str]]:
    answers = ask_tint([print_module(module) for module in drawn(profile, count)])
    return [(seed, a.message) for seed, a in enumerate(answers) if a.verdict not in (Verdict.ACCEPTS, Verdict.REJECTS)]


@pytest.mark.full
@pytest.mark.parametrize("profile", PROFILES)
def test_current_tint_finds_all_valid(profile: str) -> None:
    assert _refused(profile, 1000) == []


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
def test_current_tint_finds_many_valid(profile: str) -> None:
    assert _refused(profile, 20_000) == []


def test_functions_are_called_and_entry_points_there() -> None:
    for module in drawn("compute", SOME):
        functions = [d for d in module.declarations if isinstance(d, Function)]
        assert any(f.attributes for f in functions)
