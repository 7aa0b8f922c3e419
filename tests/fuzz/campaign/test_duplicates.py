"""Equal texts of a run are counted, within tables of a fixed size."""

from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.campaign.campaign import SEEN, SeenTexts

KEYS = st.lists(st.integers(1, 2**63 - 1), max_size=40)


@given(KEYS)
def test_a_text_is_known_if_it_was_there_before(keys: list[int]) -> None:
    seen, there, last = SeenTexts(), set[int](), dict[int, int]()
    for i, key in enumerate(keys):
        known = seen.is_known(i, key)
        assert known == (key in there and last[key % SEEN] == key)
        there.add(key)
        last[key % SEEN] = key


@given(KEYS)
def test_after_so_many_shaders_nothing_is_known(keys: list[int]) -> None:
    seen = SeenTexts()
    for i, key in enumerate(keys):
        seen.is_known(SEEN - len(keys) + i, key)
    assert not any(seen.is_known(SEEN + i, key) for i, key in enumerate(dict.fromkeys(keys)))


@given(KEYS, KEYS)
def test_a_resumed_run_knows_what_the_first_part_did(first: list[int], rest: list[int]) -> None:
    whole = SeenTexts()
    for i, key in enumerate(first):
        whole.is_known(i, key)
    row = whole.taken()
    resumed = SeenTexts()
    resumed.restore([row[1]] if row else [])
    for i, key in enumerate(rest, len(first)):
        assert resumed.is_known(i, key) == whole.is_known(i, key)
