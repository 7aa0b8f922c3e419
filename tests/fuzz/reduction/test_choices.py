"""Hypothesis's shrinker on recorded choices."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from fuzz.reduction.choices import reduce_twice, second_start
from fuzz.reduction.edits import size
from fuzz.reduction.search import reduce
from oracle.rules.analysis import analyse
from oracle.rules.revisions import REVERSIONS
from strategies import DEFAULT, draw_shader
from tinywgsl.ast import Shader


def disagrees(shader: Shader) -> bool:
    return analyse(shader).verdict is not analyse(shader, REVERSIONS["10a"]).verdict


SEED = next(seed for seed in range(10_000) if disagrees(draw_shader(seed, DEFAULT)))


def test_it_starts_from_the_seeds_shader_and_shrinks_it() -> None:
    asked: list[Shader] = []

    def interesting(shader: Shader) -> bool:
        asked.append(shader)
        return disagrees(shader)

    found = second_start(SEED, DEFAULT, interesting, 200)
    assert asked[0] == draw_shader(SEED, DEFAULT)
    assert found is not None
    assert disagrees(found)
    assert size(found) < size(asked[0])


@pytest.fixture
def _outside_of_ci() -> Iterator[None]:
    """As where no profile makes Hypothesis repeat itself."""
    settings.load_profile("random")
    yield
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.mark.usefixtures("_outside_of_ci")
def test_a_seed_gives_the_same_again() -> None:
    asked: tuple[list[Shader], ...] = ([], [])
    for one in asked:
        second_start(SEED, DEFAULT, lambda shader, one=one: one.append(shader) or disagrees(shader), 150)  # type: ignore[misc]
    assert asked[0] == asked[1]
    assert len(asked[0]) == 150


def test_without_questions_nothing_is_asked() -> None:
    asked: list[Shader] = []

    def interesting(shader: Shader) -> bool:
        asked.append(shader)
        return True

    assert second_start(SEED, DEFAULT, interesting, 0) is None
    assert asked == []


def test_it_asks_no_more_than_it_may_and_stops_when_told() -> None:
    asked: list[Shader] = []

    def interesting(shader: Shader) -> bool:
        asked.append(shader)
        return disagrees(shader)

    second_start(SEED, DEFAULT, interesting, 30)
    assert len(asked) == 30
    assert second_start(SEED, DEFAULT, interesting, 30, lambda: True) is None
    assert len(asked) == 30


@pytest.mark.parametrize("questions", [0, 100])
def test_the_smaller_of_the_two_is_kept(questions: int) -> None:
    first = reduce(draw_shader(SEED, DEFAULT), disagrees)
    kept = reduce_twice(SEED, DEFAULT, first, disagrees, questions)
    assert disagrees(kept.shader)
    assert size(kept.shader) <= size(first.shader)
    stopped = reduce(draw_shader(SEED, DEFAULT), disagrees, most=0)
    better = reduce_twice(SEED, DEFAULT, stopped, disagrees, questions)
    assert (size(better.shader) < size(stopped.shader)) == (questions > 0)
