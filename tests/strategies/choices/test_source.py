"""Sources of choices: whoever makes them, the same choices mean the same thing."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.strategies.choices.source import RandomSource, RecordingSource, Source, Table

SEEDS = st.integers(0, 2**64)
TABLES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), min_size=1).filter(
    lambda rows: any(w for _, w in rows)
)


class Written(Source):
    """A `RandomSource` without its short cuts: every choice by `Source`'s own words."""

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
        assert short.weighted(Table(rows)) == long.weighted(Table(rows))


@given(SEEDS, st.integers(-9, 9), st.integers(0, 50))
def test_integers_are_within_their_bounds(seed: int, lo: int, width: int) -> None:
    assert lo <= RandomSource(seed).integer(lo, lo + width) <= lo + width


@given(SEEDS)
def test_what_leaves_no_choice_takes_none(seed: int) -> None:
    source = RecordingSource(RandomSource(seed))
    assert source.integer(3, 3) == 3
    assert (source.percent(0), source.percent(100)) == (False, True)
    assert source.pick("a") == "a"
    assert source.weighted(Table([("a", 1), ("b", 0)])) == "a"
    assert source.choices == []


def test_weights_are_proportions() -> None:
    table, source = Table([("a", 1), ("b", 0), ("c", 3)]), RandomSource(1)
    counts = Counter(source.weighted(table) for _ in range(4000))
    assert counts["b"] == 0
    assert 2.5 < counts["c"] / counts["a"] < 3.5


def test_chances_are_percentages() -> None:
    source = RandomSource(1)
    assert 0.27 < sum(source.percent(30) for _ in range(10_000)) / 10_000 < 0.33
