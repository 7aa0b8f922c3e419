"""Rounds follow each other without a gap, and tasks keep within them."""

from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.campaign.rounds import LARGEST, SMALLEST, TASK, round_of, task_at
from wgsl_fuzz.fuzz.cases.plan import GROUP

PLACES = st.integers(0, 4 * LARGEST * TASK)


@given(PLACES)
def test_a_shader_is_in_one_round_and_the_next_begins_where_it_ends(index: int) -> None:
    here = round_of(index)
    assert here.first <= index < here.end
    assert round_of(here.first) == round_of(here.end - 1) == here
    assert round_of(here.end).number == here.number + 1
    assert SMALLEST * TASK <= here.end - here.first <= LARGEST * TASK
    assert (here.groups.start * GROUP, here.groups.stop * GROUP) == (here.first, here.end)


@given(PLACES, st.none() | PLACES)
def test_a_task_ends_at_a_multiple_whatever_the_budget_was(first: int, end: int | None) -> None:
    count = task_at(first, end)
    assert 0 <= count <= TASK
    assert first + count == end or (first + count) % TASK == 0 or count == 0
    assert not count or round_of(first) == round_of(first + count - 1)
