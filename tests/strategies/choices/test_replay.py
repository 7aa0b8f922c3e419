"""Going through all choices: each once, the nearest first; and through a relation's transformations."""

from collections.abc import Callable
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.strategies import SMALL_TINY, draw_shader
from wgsl_fuzz.strategies.choices.replay import ways
from wgsl_fuzz.strategies.choices.source import RandomSource, RecordingSource, Source
from wgsl_fuzz.strategies.edit.relations import RELATION, RELATIONS, Relation, applied, every, related_shader
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

Tree = int | tuple["Tree", ...]
"""What a function of a source asks for: a leaf, or a choice among subtrees."""

TREES: st.SearchStrategy[Tree] = st.recursive(
    st.integers(0, 99), lambda inner: st.lists(inner, min_size=1, max_size=4).map(tuple), max_leaves=12
)


def walked(tree: Tree) -> Callable[[Source], tuple[int, ...]]:
    """The way down a tree that a source chooses."""

    def walk(source: Source) -> tuple[int, ...]:
        here, taken = tree, []
        while isinstance(here, tuple):
            taken.append(source.integer(0, len(here) - 1))
            here = here[taken[-1]]
        return (*taken, here)

    return walk


def all_ways(tree: Tree) -> set[tuple[int, ...]]:
    if isinstance(tree, int):
        return {(tree,)}
    return {(i, *way) for i, inner in enumerate(tree) for way in all_ways(inner)}


@given(TREES, st.lists(st.integers(0, 5)).map(tuple))
def test_every_way_is_gone_once(tree: Tree, near: tuple[int, ...]) -> None:
    found = [way.made for way in ways(walked(tree), near)]
    assert len(set(found)) == len(found)
    assert set(found) == all_ways(tree)


@given(TREES, st.integers(0, 1000))
def test_what_was_recorded_comes_first(tree: Tree, seed: int) -> None:
    recording = RecordingSource(RandomSource(seed))
    made = walked(tree)(recording)
    first = next(ways(walked(tree), tuple(recording.choices)))
    assert first.made == made
    assert first.choices == tuple(recording.choices)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 1000))
def test_the_fewer_choices_differ_the_sooner_it_comes(sizes: list[int], seed: int) -> None:
    def some(source: Source) -> tuple[int, ...]:
        return tuple(source.integer(0, size) for size in sizes)

    near = some(RandomSource(seed))
    differing = [sum(a != b for a, b in zip(near, way.made, strict=True)) for way in ways(some, near)]
    assert differing == sorted(differing)


def test_a_chance_is_two_ways() -> None:
    assert [way.made for way in ways(lambda source: source.percent(30))] == [False, True]
    assert [way.made for way in ways(lambda source: source.percent(30), (75,))] == [True, False]
    assert [way.made for way in ways(lambda source: (source.percent(0), source.percent(100)))] == [(False, True)]


def test_what_one_choice_changes_comes_near_ones_first() -> None:
    found = [way.made for way in ways(lambda source: source.integer(10, 16), (13,))]
    assert [abs(made - 13) for made in found] == [0, 1, 1, 2, 2, 3, 3]


# ------------------------------------------------------------------------------------------------------- relations


MOST = 150
SHADERS = [resolve(parse(print_shader(draw_shader(seed, SMALL_TINY)))) for seed in range(3)]


def number_of_ways(relation: Relation, shader: Resolution) -> int:
    return sum(1 for _ in islice(ways(lambda source: applied(relation, shader, source)), MOST))


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_what_can_be_drawn_is_among_all(relation: Relation) -> None:
    for shader in SHADERS:
        twins = [print_module(twin.module) for twin in every(relation, shader, MOST)]
        assert len(set(twins)) == len(twins)
        drawn = [applied(relation, shader, RandomSource(choice)) for choice in range(3)]
        if number_of_ways(relation, shader) < MOST:
            assert {print_module(twin.module) for twin in drawn if twin is not None} <= set(twins)


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_each_is_made_by_its_choices(relation: Relation) -> None:
    for twin in every(relation, SHADERS[0], 12):
        assert next(every(relation, SHADERS[0], 1, twin.choices)).module == twin.module


def test_a_drawn_twin_is_the_first_from_its_choices() -> None:
    for seed in range(60):
        shader = SHADERS[seed % len(SHADERS)]
        drawn = related_shader(shader, RandomSource(seed))
        assert drawn is not None
        assert next(every(drawn.relation, shader, 1, drawn.choices)).module == drawn.module


def test_no_more_are_tried_than_allowed() -> None:
    assert len(list(every(RELATION["barrier-added"], SHADERS[1], 3))) == 3
    assert list(every(RELATION["barrier-added"], SHADERS[1], 0)) == []
