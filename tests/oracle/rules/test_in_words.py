"""Changes of the rules in words: one name and one sentence for each."""

import re

import pytest

from wgsl_fuzz.oracle.rules import in_words
from wgsl_fuzz.oracle.rules.in_words import predicate
from wgsl_fuzz.oracle.rules.uniformity.places import name_of
from wgsl_fuzz.oracle.rules.uniformity.revisions import ALIASES, DEPARTURES, all_variants, named_variants

VERBS = """
    adds analyses applies asks begins computes counts does evaluates forgets gives hands has ignores joins keeps knows
    lets loads makes puts reads records repeats reports requires takes treats undoes
"""


def test_a_departure_has_its_name_and_its_sentence() -> None:
    for name, departure in DEPARTURES.items():
        assert predicate(name) == f"{departure.does} ({name})"


def test_no_name_of_a_broken_variant_is_shown_and_no_gap_is_left() -> None:
    for name in all_variants().keys() - DEPARTURES.keys():
        for said in (predicate(name), in_words.change_in_words(name)):
            assert name not in said
            assert re.search(r"\{\w\}|None", predicate(name)) is None
            assert "  " not in said


def test_every_change_is_a_sentence_with_a_verb_and_no_two_are_the_same() -> None:
    said = {name: predicate(name) for name in named_variants()}
    assert {words.split()[0] for words in said.values()} <= {*VERBS.split()}
    assert len({*said.values()}) == len(said)


def test_every_pattern_says_something_of_a_variant() -> None:
    for i, pattern in enumerate(patterns := [*in_words._words()["sentences"]]):
        of = [name for name, v in all_variants().items() if not v.does and re.fullmatch(pattern, name)]
        assert any(not any(re.fullmatch(earlier, name) for earlier in patterns[:i]) for name in of), pattern


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("if/condition/non-uniform", "treats the condition of an `if` as non-uniform"),
        ("while/condition/dropped", "ignores the condition of a `while`"),
        ("table/workgroupBarrier/no-requirement", "does not require uniform control flow at `workgroupBarrier`"),
        (
            "table/subgroupShuffle/uniform-in-workgroup",
            "takes the result of `subgroupShuffle` as uniform in the workgroup",
        ),
        ("B/switch/first-only", "gives a `switch` the behaviours of its first clause alone"),
        ("B/loop/break-stays", "keeps `Break` among the behaviours of loops"),
        ("let/control-flow/forgotten", "takes control flow after a `let` as uniform"),
        ("call/parameter/not-required", "forgets at a call that an argument's value has to be uniform"),
        ("assign/order/right-first", "evaluates the right side of an assignment before the left side"),
        ("filter/for/not-on-update", "does not apply `@diagnostic` before a `for` to its update statement"),
        ("tag/severity/no-infos", "gives functions no tags of severity `info`"),
        (
            name_of("loop/values/no-back-edge", "block:loop in function"),
            "forgets at the head of a loop what variables hold at the end of an iteration, "
            "only in the block `loop in function`",
        ),
    ],
)
def test_what_a_broken_rule_does_is_said(name: str, words: str) -> None:
    assert predicate(name) == words


def test_a_change_is_told_with_what_the_rules_have_there() -> None:
    name = name_of("if/condition/dropped", "holds:continue")
    words = "it ignores the condition of an `if`, only where a `continue` stands in it"
    words += "; the specification's rule for `if`: condition has “s_k from V”"
    assert in_words.change_in_words(name) == f"one change of the specification's rules: {words}"
    assert in_words.coincidence_in_words(name) == f"cause unknown; on these shaders it behaves as if {words}"


def test_several_departures_are_one_sentence() -> None:
    assert in_words.predicates([ALIASES["10a"], "tint/last-pointer-counts"]) == (
        "ignores the condition of a `break if` (before-2025-10-14/10a) and "
        "forgets what a call stores through one of two pointers to a variable (tint/last-pointer-counts)"
    )
    assert in_words.predicates([]) == ""


@pytest.mark.parametrize("other", ["mine.py", "/home/me/rules/mine.py", "some/folder/mine.py", "newer", "newer/a/b"])
def test_what_is_no_variant_stays(other: str) -> None:
    assert predicate(other) == in_words.description(other) == other
