"""Sources of choices: whoever makes them, the same choices mean the same thing."""

from collections import Counter
from collections.abc import Callable
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.strategies import SMALL_TINY, draw_shader
from wgsl_fuzz.strategies.choices.replay import ways
from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds, RandomSource, RecordingSource
from wgsl_fuzz.strategies.edit.relations import RELATION, RELATIONS, Relation, applied, every, related_shader
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

SEEDS = st.integers(0, 2**64)
TABLES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), min_size=1).filter(
    lambda rows: any(w for _, w in rows)
)


class Written(ChoiceSource):
    """A `RandomSource` without its short cuts: every choice by `ChoiceSource`'s own words."""

    def __init__(self, seed: int) -> None:
        self._inner = RandomSource(seed)

    def _integer(self, lo: int, hi: int) -> int:
        return self._inner._integer(lo, hi)


@given(
    SEEDS, st.integers(-5, 5), st.integers(0, 20), st.integers(-10, 110), TABLES, st.lists(st.integers(), min_size=1)
)
def test_the_short_cuts_of_a_random_source_make_the_same_choices(
    seed: int, lo: int, width: int, chance: int, rows: list[tuple[int, int]], items: list[int]
) -> None:
    short, long = RandomSource(seed), Written(seed)
    for _ in range(5):
        assert short.integer(lo, lo + width) == long.integer(lo, lo + width)
        assert short.percent(chance) == long.percent(chance)
        assert short.pick(items) == long.pick(items)
        assert short.weighted(Odds(rows)) == long.weighted(Odds(rows))


@given(SEEDS, st.integers(-9, 9), st.integers(0, 50))
def test_integers_are_within_their_bounds(seed: int, lo: int, width: int) -> None:
    assert lo <= RandomSource(seed).integer(lo, lo + width) <= lo + width


@given(SEEDS)
def test_what_leaves_no_choice_takes_none(seed: int) -> None:
    source = RecordingSource(RandomSource(seed))
    assert source.integer(3, 3) == 3
    assert (source.percent(0), source.percent(100)) == (False, True)
    assert source.pick("a") == "a"
    assert source.weighted(Odds([("a", 1), ("b", 0)])) == "a"
    assert source.choices == []


def test_weights_are_proportions() -> None:
    table, source = Odds([("a", 1), ("b", 0), ("c", 3)]), RandomSource(1)
    counts = Counter(source.weighted(table) for _ in range(4000))
    assert counts["b"] == 0
    assert 2.5 < counts["c"] / counts["a"] < 3.5


def test_chances_are_percentages() -> None:
    source = RandomSource(1)
    assert 0.27 < sum(source.percent(30) for _ in range(10_000)) / 10_000 < 0.33


# -------------------- Going through all choices: each once, the nearest first; and through a relation's transformations


Tree = int | tuple["Tree", ...]
"""What a function of a source asks for: a leaf, or a choice among subtrees."""

TREES: st.SearchStrategy[Tree] = st.recursive(
    st.integers(0, 99), lambda inner: st.lists(inner, min_size=1, max_size=4).map(tuple), max_leaves=12
)


def walked(tree: Tree) -> Callable[[ChoiceSource], tuple[int, ...]]:
    """The way down a tree that a source chooses."""

    def walk(source: ChoiceSource) -> tuple[int, ...]:
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
    found = [made for made, _ in ways(walked(tree), near)]
    assert len(set(found)) == len(found)
    assert set(found) == all_ways(tree)


@given(TREES, st.integers(0, 1000))
def test_what_was_recorded_comes_first(tree: Tree, seed: int) -> None:
    recording = RecordingSource(RandomSource(seed))
    made = walked(tree)(recording)
    assert next(ways(walked(tree), tuple(recording.choices))) == (made, tuple(recording.choices))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 1000))
def test_the_fewer_choices_differ_the_sooner_it_comes(sizes: list[int], seed: int) -> None:
    def some(source: ChoiceSource) -> tuple[int, ...]:
        return tuple(source.integer(0, size) for size in sizes)

    near = some(RandomSource(seed))
    differing = [sum(a != b for a, b in zip(near, made, strict=True)) for made, _ in ways(some, near)]
    assert differing == sorted(differing)


def test_a_chance_is_two_ways() -> None:
    assert [made for made, _ in ways(lambda source: source.percent(30))] == [False, True]
    assert [made for made, _ in ways(lambda source: source.percent(30), (75,))] == [True, False]
    assert [made for made, _ in ways(lambda source: (source.percent(0), source.percent(100)))] == [(False, True)]


def test_what_one_choice_changes_comes_near_ones_first() -> None:
    found = [made for made, _ in ways(lambda source: source.integer(10, 16), (13,))]
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
    assert len(list(every(RELATION["barrier-added"], SHADERS[0], 3))) == 3
    assert list(every(RELATION["barrier-added"], SHADERS[0], 0)) == []
