"""Departures from the rules in words: one sentence for each, and no line of the paper without its rule."""

import re
from pathlib import Path

import pytest

from wgsl_fuzz.oracle.rules.in_words import (
    branch_in_words,
    change_in_words,
    place_in_words,
    predicate,
    predicates,
    rule_in_words,
)
from wgsl_fuzz.oracle.rules.variants import DEPARTURES, MUTANTS, VARIANTS

ROOT = Path(__file__).resolve().parents[3]
BARE_LINE = re.compile(r"(?<!, )\blines? \d")


def test_a_departure_has_its_name_and_its_sentence() -> None:
    for name, departure in DEPARTURES.items():
        assert predicate(name) == branch_in_words(name) == f"{departure.does} ({name})"


def test_the_page_of_words_has_the_same_sentences() -> None:
    page = (ROOT / "docs/words.md").read_text(encoding="utf-8")
    assert [name for name, it in DEPARTURES.items() if f"| `{name}` | {it.does} |" not in page] == []


def test_a_line_of_the_paper_is_said_with_its_rule() -> None:
    assert place_in_words("loop/line-8") == "the paper's rule for loops, line 8"
    assert predicate("loop/line-8/under-cf") == "differs in the paper's rule for loops, line 8: under cf"
    assert place_in_words("B/loop") == "the paper's behaviour of loops (Fig. 8)"
    assert place_in_words("expr/shared-read") == "the paper's rule for reads of shared memory (Fig. 9)"
    assert place_in_words("barrier/edge") == "the paper's rule for barriers"


@pytest.mark.parametrize("say", [predicate, branch_in_words, change_in_words])
def test_no_name_of_a_mutant_is_shown(say: object) -> None:
    assert callable(say)
    for variant in MUTANTS:
        said = say(variant.name)
        assert variant.name not in said.replace(f"({variant.name})", "")
        assert not BARE_LINE.search(said), said
        assert "line-" not in said


def test_the_words_of_different_branches_differ() -> None:
    assert len({branch_in_words(name) for name in VARIANTS}) == len(VARIANTS)


def test_several_departures_are_one_sentence() -> None:
    assert predicates(["10a", "joins-at-exit"]) == (
        "ignores the condition of a `break if` (10a) and joins variables at a loop's exit (joins-at-exit)"
    )
    assert predicates([]) == ""


def test_what_changes_is_said_in_the_papers_words() -> None:
    assert rule_in_words("loop/line-5/edges-dropped") == "the paper's rule for loops, line 5: (M_head(x), M(x))"
    assert rule_in_words("10c").startswith("the paper's rule for loops, line 6: if Continue")


@pytest.mark.parametrize("other", ["mine.py", "/home/me/rules/mine.py", "some/folder/mine.py", "newer"])
def test_what_is_no_departure_stays(other: str) -> None:
    assert predicate(other) == branch_in_words(other) == rule_in_words(other) == other


def test_a_branch_of_another_version_is_said_with_its_rule() -> None:
    assert predicate("loop/line-99/newly-broken") == "differs in the paper's rule for loops, line 99: newly broken"
    assert rule_in_words("loop/line-99/newly-broken") == "the paper's rule for loops, line 99"
