"""Departures from the rules in words: one name and one sentence for each."""

import pytest

from wgsl_fuzz.oracle.rules import in_words
from wgsl_fuzz.oracle.rules.uniformity.revisions import ALIASES, DEPARTURES, all_variants


def test_a_departure_has_its_name_and_its_sentence() -> None:
    for name, departure in DEPARTURES.items():
        assert in_words.predicate(name) == in_words.branch_in_words(name) == f"{departure.does} ({name})"


@pytest.mark.parametrize("say", [in_words.predicate, in_words.branch_in_words, in_words.change_in_words])
def test_no_name_of_a_broken_variant_is_shown(say: object) -> None:
    assert callable(say)
    for name in all_variants().keys() - DEPARTURES.keys():
        assert name not in say(name)


def test_the_words_of_different_branches_differ() -> None:
    assert len({in_words.branch_in_words(name) for name in all_variants()}) == len(all_variants())


def test_several_departures_are_one_sentence() -> None:
    assert in_words.predicates([ALIASES["10a"], "tint/last-pointer-counts"]) == (
        "ignores the condition of a `break if` (before-2025-10-14/10a) and "
        "forgets what a call stores through one of two pointers to a variable (tint/last-pointer-counts)"
    )
    assert in_words.predicates([]) == ""


@pytest.mark.parametrize("other", ["mine.py", "/home/me/rules/mine.py", "some/folder/mine.py", "newer", "newer/a/b"])
def test_what_is_no_variant_stays(other: str) -> None:
    assert in_words.predicate(other) == in_words.branch_in_words(other) == in_words.rule_in_words(other) == other
