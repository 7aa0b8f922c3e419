"""Targets compared with each other: who is told of, and that nothing is told twice."""

import re

from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.judging.judge import BucketKey, Kind, differences, judge_unread, sharing
from wgsl_fuzz.oracle.verdict import Answer, Verdict

A, R, INV = Verdict.ACCEPTS, Verdict.REJECTS, Verdict.INVALID
NAMES = st.sampled_from(["tint@0.6.2", "tint@0.3.8", "naga@29", "chromium@156", "mine"])
ANSWERS = st.dictionaries(NAMES, st.sampled_from(Verdict).map(lambda verdict: Answer(verdict, "error: some words")))


@given(ANSWERS, st.randoms())
def test_the_order_does_not_matter(answers: dict[str, Answer], choice: object) -> None:
    items = list(answers.items())
    choice.shuffle(items)  # type: ignore[attr-defined]
    assert judge_unread(dict(items)) == judge_unread(answers)


@given(ANSWERS)
def test_no_target_has_two_findings_and_each_key_is_read_back(answers: dict[str, Answer]) -> None:
    found = judge_unread(answers)
    assert len({one.target for one in found}) == len(found)
    assert all(BucketKey.parse(str(one.key)) == one.key for one in found)


@given(ANSWERS)
def test_of_two_that_differ_one_is_told_of_and_those_that_agree_are_not(answers: dict[str, Answer]) -> None:
    told = {one.target: one for one in differences(answers)}
    for one, first in answers.items():
        for other, second in answers.items():
            if {first.verdict, second.verdict} in ({A, R}, {A, INV}, {R, INV}):
                assert {one, other} & told.keys()
    if len({answer.verdict for answer in answers.values()}) < 2:
        assert not told


@given(ANSWERS)
def test_a_cause_names_those_that_say_otherwise(answers: dict[str, Answer]) -> None:
    for one in differences(answers):
        named = re.split(" and ", re.sub(r"^\w+ where (.*?) (accepts?|rejects?|reads? it).*$", r"\1", one.cause.told))
        assert named
        assert all(answers[name].verdict not in (one.answer.verdict, Verdict.CRASHED) for name in named)


@given(ANSWERS)
def test_a_crash_needs_no_reference(answers: dict[str, Answer]) -> None:
    found = {one.target: one.kind for one in judge_unread(answers)}
    for name, answer in answers.items():
        assert (found.get(name) is Kind.CRASH) == (answer.verdict is Verdict.CRASHED)
        assert (found.get(name) is Kind.HANG) == (answer.verdict is Verdict.TIMED_OUT)


def test_a_target_without_an_analysis_accepts_for_nobody() -> None:
    answers = {"naga": Answer(A), "tint": Answer(R)}
    assert differences(answers, frozenset({"naga"})) == []
    (found,) = differences(answers | {"old": Answer(INV, "error: no")}, frozenset({"naga"}))
    assert (found.target, found.cause.told) == ("old", "refuses where naga and tint read it: error: no")


def test_the_minority_is_told_of() -> None:
    found = differences({"a": Answer(A), "b": Answer(R), "c": Answer(R)})
    assert [(one.target, one.cause.told) for one in found] == [("a", "accepts where b and c reject")]


# ------------------------------------------------------------------------------------------------------------ sharing


@given(st.dictionaries(NAMES, st.tuples(st.sampled_from([v.value for v in Verdict])), min_size=1))
def test_sharing_is_an_equivalence(said: dict[str, tuple[str | None, ...]]) -> None:
    groups = {frozenset({name, *sharing(name, said)}) for name in said}
    assert sum(map(len, groups)) == len(said)
    for name in said:
        assert all(said[other] == said[name] for other in sharing(name, said))


def test_what_is_accepted_without_an_analysis_is_not_shared() -> None:
    accepted = {"naga": ("accepts",), "tint": ("accepts",), "mine": ("accepts",)}
    assert sharing("tint", accepted, frozenset({"naga"})) == ("mine",)
    assert sharing("naga", accepted, frozenset({"naga"})) == ()
    assert sharing("other", accepted) == ()
