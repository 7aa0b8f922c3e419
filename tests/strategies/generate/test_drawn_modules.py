"""What is drawn over the tree: valid by construction, the same for one seed, of either verdict, with each construct."""

from collections import Counter
from typing import get_args

import pytest
from hypothesis import given, settings

from tests.strategies.drawn import modules
from tests.strategies.generate.digests import PROFILES, SOME, digests, drawn, noted
from tests.wgsl.current_tint import refused_by_tint
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import GENERATOR_VERSION
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import (
    MODULE_PROFILES,
)
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Space
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Discard, Module, Statement
from wgsl_fuzz.wgsl.walk import descendants


@pytest.mark.parametrize("profile", PROFILES)
def test_names_mean_the_same_without_checks(profile: str) -> None:
    for module in drawn(profile, 40):
        checked, names = resolve(module), resolve(module, checked=False)
        for one, other in ((checked.uses, names.uses), (checked.extents, names.extents)):
            assert one == other
        for ours, theirs in ((checked.declared, names.declared), (checked.effects, names.effects)):
            assert [*map(id, ours)] == [*map(id, theirs)]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_seed_gives_one_module(profile: str) -> None:
    assert [draw_module(seed, MODULE_PROFILES[profile]) for seed in range(20)] == list(drawn(profile, SOME)[:20])


def test_the_seeds_give_the_same_modules_until_the_generator_version_is_raised() -> None:
    assert (GENERATOR_VERSION, digests()) == noted(), "python -m tools.regenerate --only digests"


@pytest.mark.parametrize("profile", PROFILES)
def test_trees_texts_names_and_behaviours_are_valid(profile: str) -> None:
    for module in drawn(profile, SOME):
        nodes = list(descendants(module))
        assert len({id(node) for node in nodes}) == len(nodes)
        assert parse(print_module(module)) == module
        for function in resolve(module).functions:
            BehaviourAnalysis().check(function)


@pytest.mark.parametrize("profile", PROFILES)
def test_both_verdicts_are_common(profile: str) -> None:
    verdicts = Counter(analyse_wgsl(resolve(module)).verdict for module in drawn(profile, SOME))
    assert 25 <= 100 * verdicts[Verdict.ACCEPTS] / SOME <= 75


@pytest.mark.parametrize(
    "count", [pytest.param(1000, marks=pytest.mark.full), pytest.param(20_000, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("profile", PROFILES)
def test_current_tint_finds_none_invalid(profile: str, count: int) -> None:
    """Where it crashes, that is a finding."""
    assert refused_by_tint([print_module(module) for module in drawn(profile, count)])[:3] == []


@settings(max_examples=30, deadline=None)
@given(modules())
def test_hypothesis_draws_valid_modules(module: Module) -> None:
    assert parse(print_module(module)) == module
    resolve(module)


def _constructs(profile: str) -> Counter[str]:
    """In how many modules each class of node is."""
    return Counter(name for module in drawn(profile, SOME) for name in {type(n).__name__ for n in descendants(module)})


def test_each_statement_of_the_language_is_drawn() -> None:
    counts = _constructs("compute")
    for kind in get_args(Statement):
        if kind is not Discard:  # fragment shaders have it
            assert counts[kind.__name__] >= SOME // 50, kind


def test_pointers_lead_to_all_address_spaces() -> None:
    spaces: Counter[Space] = Counter()
    for module in drawn("compute", 4 * SOME):
        resolution = resolve(module)
        for function in resolution.functions:
            spaces.update(p.space for p in map(resolution.pointer, function.parameters) if p is not None)
    assert all(spaces[space] for space in (Space.FUNCTION, Space.PRIVATE, Space.WORKGROUP, Space.STORAGE))
