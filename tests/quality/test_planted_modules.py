"""The reducer of modules comes to the smallest module known of each planted disagreement, or near it."""

import pytest

from tests.fuzz.reduction.neighbours import smaller_neighbours
from tests.quality.planted_modules import OTHERS, PlantedModule, drawn_modules, planted_modules
from wgsl_fuzz.fuzz.cases.case import count_statements
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolution import Resolution

MOST_ABOVE = 2
"""Statements that a reduction may leave beside those of the smallest module known."""
IN_CI = planted_modules()[::5]


def test_there_are_enough() -> None:
    assert len({one.variant for one in planted_modules()}) >= 30


@pytest.mark.parametrize("one", planted_modules(), ids=lambda one: one.variant)
def test_a_known_minimum_shows_it(one: PlantedModule) -> None:
    verdicts = one.verdicts
    assert verdicts[0] is not verdicts[1]


def check(one: PlantedModule, start: Resolution, least: int, origin: str) -> None:
    """What is left of a large module is small, shows it, and says what matters about it."""
    reduction = reduce(start, one.shows)
    print(
        f"{one.variant}, {origin}: {count_statements(start.module)} statements, {reduction.statements} left, "
        f"{least} known; {reduction.tried} candidates, {reduction.asked} asked about"
    )
    assert one.shows(reduction.resolution)
    assert parse(reduction.text) == reduction.resolution.module
    assert reduction.statements <= least + MOST_ABOVE, reduction.text
    assert reduction.nearest is not None
    assert not one.shows_text(reduction.nearest)
    assert not any(one.shows(smaller) for smaller in smaller_neighbours(reduction.resolution))


def check_among_others(one: PlantedModule) -> None:
    start = one.start()
    assert count_statements(start.module) > 5 * OTHERS
    check(one, start, one.least, "among others")


@pytest.mark.parametrize("one", IN_CI, ids=lambda one: one.variant)
def test_what_is_planted_reduces_to_its_known_minimum_or_two_more(one: PlantedModule) -> None:
    check_among_others(one)


@pytest.mark.slow
@pytest.mark.parametrize("one", planted_modules(), ids=lambda one: one.variant)
def test_all_that_is_planted_reduces_to_its_known_minimum_or_two_more(one: PlantedModule) -> None:
    check_among_others(one)


@pytest.mark.slow
def test_drawn_modules_reduce_to_a_known_minimum_or_two_more() -> None:
    found = list(drawn_modules(seeds=250, each=2))
    assert len({one.variant for one, _, _ in found}) >= 20
    for one, origin, module in found:
        check(one, module, one.least_drawn, origin)
