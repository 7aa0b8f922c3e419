"""Hypothesis's shrinker on recorded choices."""

import pytest

from fuzz.edits import size
from fuzz.reduce import reduce
from fuzz.second_start import reduce_twice, second_start
from oracle.analysis import analyse
from oracle.rules import REVERSIONS
from strategies import DEFAULT, draw_shader
from tinywgsl.ast import Shader, count_statements


def disagrees(shader: Shader) -> bool:
    return analyse(shader).verdict is not analyse(shader, REVERSIONS["10a"]).verdict


SEED = next(seed for seed in range(10_000) if disagrees(draw_shader(seed, DEFAULT)))


def test_it_starts_from_the_seeds_shader_and_shrinks_it() -> None:
    asked: list[Shader] = []

    def interesting(shader: Shader) -> bool:
        asked.append(shader)
        return disagrees(shader)

    found = second_start(SEED, DEFAULT, interesting, 2.0)
    assert asked[0] == draw_shader(SEED, DEFAULT)
    assert found is not None
    assert disagrees(found)
    assert count_statements(found) < count_statements(asked[0])


def test_without_time_nothing_is_asked() -> None:
    asked: list[Shader] = []

    def interesting(shader: Shader) -> bool:
        asked.append(shader)
        return True

    assert second_start(SEED, DEFAULT, interesting, -1.0) is None
    assert asked == []


@pytest.mark.parametrize("seconds", [-1.0, 1.0])
def test_the_smaller_of_the_two_is_kept(seconds: float) -> None:
    first = reduce(draw_shader(SEED, DEFAULT), disagrees)
    kept = reduce_twice(SEED, DEFAULT, first, disagrees, seconds)
    assert disagrees(kept.shader)
    assert size(kept.shader) <= size(first.shader)
    stopped = reduce(draw_shader(SEED, DEFAULT), disagrees, most=0)
    better = reduce_twice(SEED, DEFAULT, stopped, disagrees, seconds)
    assert (size(better.shader) < size(stopped.shader)) == (seconds > 0)
