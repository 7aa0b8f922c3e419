"""The reducer of recorded choices."""

import pytest

from wgsl_fuzz.fuzz.reduction.choices import MEASURES, reduce_twice, second_start
from wgsl_fuzz.fuzz.reduction.edits import size
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.revisions import REVERSIONS
from wgsl_fuzz.strategies import DEFAULT, draw_shader
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.wellformed import violations


def disagrees(shader: Shader) -> bool:
    return analyse(shader).verdict is not analyse(shader, REVERSIONS["10a"]).verdict


SEED = next(seed for seed in range(10_000) if disagrees(draw_shader(seed, DEFAULT)))


def asked_about(measure: int, most: int) -> tuple[list[Shader], Shader | None]:
    """The shaders that a second start asks about, and its answer."""
    asked: list[Shader] = []

    def interesting(shader: Shader) -> bool:
        asked.append(shader)
        return disagrees(shader)

    return asked, second_start(SEED, DEFAULT, interesting, most, measure=MEASURES[measure])


@pytest.mark.parametrize("measure", range(len(MEASURES)))
def test_it_makes_the_seeds_shader_smaller(measure: int) -> None:
    asked, found = asked_about(measure, 200)
    assert found is not None
    assert disagrees(found)
    assert size(found) < size(draw_shader(SEED, DEFAULT))
    assert found in asked


@pytest.mark.parametrize("measure", range(len(MEASURES)))
def test_what_it_asks_about_is_well_formed_and_new(measure: int) -> None:
    asked, _ = asked_about(measure, 300)
    assert len(set(asked)) == len(asked)
    assert not any(violations(shader, main_may_return=True) for shader in asked)


@pytest.mark.parametrize("measure", range(len(MEASURES)))
def test_a_seed_gives_the_same_again(measure: int) -> None:
    assert asked_about(measure, 300) == asked_about(measure, 300)


def test_it_draws_no_more_than_it_may_and_stops_when_told() -> None:
    assert asked_about(0, 0) == ([], None)
    few, _ = asked_about(0, 30)
    more, _ = asked_about(0, 300)
    assert len(few) <= 30
    assert more[: len(few)] == few
    assert len(more) > len(few)
    assert second_start(SEED, DEFAULT, disagrees, 300, lambda: True) is None


def test_without_a_smaller_one_there_is_no_start() -> None:
    assert second_start(SEED, DEFAULT, lambda _: False, 300) is None


@pytest.mark.parametrize("most", [0, 100])
def test_the_smallest_is_kept(most: int) -> None:
    first = reduce(draw_shader(SEED, DEFAULT), disagrees)
    kept = reduce_twice(SEED, DEFAULT, first, disagrees, most)
    assert disagrees(kept.shader)
    assert size(kept.shader) <= size(first.shader)
    stopped = reduce(draw_shader(SEED, DEFAULT), disagrees, most=0)
    better = reduce_twice(SEED, DEFAULT, stopped, disagrees, most)
    assert (size(better.shader) < size(stopped.shader)) == (most > 0)
