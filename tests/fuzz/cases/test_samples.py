"""Samples of a run's places: of the size they are asked for, and even over groups and languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.cases.plan import GROUP, MIX, is_sampled

MOST = 1 << 14
EVERY = [16, 64, 256]


@pytest.mark.parametrize("every", EVERY)
def test_a_sample_has_its_share_of_places_and_of_each_language(every: int) -> None:
    sample = [i for i in range(MOST) if is_sampled(i, every)]
    assert abs(len(sample) - MOST / every) <= MOST / every / 8
    for parts in (GROUP, len(MIX)):
        for part in range(parts):
            share = sum(i // GROUP % parts == part for i in sample) * parts / len(sample)
            assert 0.4 < share < 1.6
    assert {i % GROUP for i in sample} == set(range(GROUP))


@given(st.integers(0, 1 << 40), st.integers(0, 10), st.integers(0, 10))
def test_larger_samples_hold_smaller_ones(index: int, one: int, other: int) -> None:
    rare, often = 1 << max(one, other), 1 << min(one, other)
    assert not is_sampled(index, rare) or is_sampled(index, often)
    assert is_sampled(0, rare)
