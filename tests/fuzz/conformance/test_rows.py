"""The rows of the conformance table: each has the verdicts that it says, and its branch decides it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wgsl.reading import parse
from tools.conformance.answers import answer_under, branches, outcome_of, verdict_of
from tools.conformance.search import stripped
from tools.conformance.sections_tiny import section_of
from tools.conformance.twins import distance, twins
from tools.conformance.written import written
from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, REJECTED, SIDES, Level, Row, conformance_folder, load
from wgsl_fuzz.fuzz.conformance.table import title_of
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.wgsl.lower.raising import print_shader

VIOLATION = """\
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (lid == 0u) {
    workgroupBarrier();
  }
}
"""
TINY, WHOLE = load(Level.CORE), load(Level.WGSL)
LEVELS = pytest.mark.parametrize("level", Level, ids=[level.value for level in Level])


@LEVELS
def test_every_row_has_the_verdicts_that_it_says(level: Level) -> None:
    rows = load(level).rows
    assert [
        r.name for r in rows if any(verdict_of(level, r.text(side)) is not r.expected(side) for side in SIDES)
    ] == []


def _wrong(level: Level, row: Row) -> dict[str, Verdict]:
    said = {side: answer_under(level, row.name, row.text(side)) for side in SIDES}
    return {side: verdict for side, verdict in said.items() if verdict is not row.expected(side)}


@LEVELS
def test_the_branch_of_a_row_decides_it(level: Level) -> None:
    """Its variant answers one of the shaders otherwise, as the row says, and the other one as a rule."""
    rows = load(level).rows
    assert [row.name for row in rows if _wrong(level, row) != row.alone or not row.alone] == []
    assert sum(len(row.alone) > 1 for row in rows) <= len(rows) // 50


def test_every_branch_has_a_row_or_a_reason() -> None:
    for rows in (TINY, WHOLE):
        assert {row.name for row in rows.rows} | rows.without.keys() == branches(rows.level).keys()
        assert not {row.name for row in rows.rows} & rows.without.keys()
        assert all(len(reason) > 20 for reason in rows.without.values())


@LEVELS
def test_nearly_every_branch_that_decides_anything_has_a_row(level: Level) -> None:
    equivalent = {v.name for v in branches(level).values() if v.equivalent}
    assert len(load(level).without.keys() - equivalent) <= (3 if level is Level.CORE else 25)


@LEVELS
def test_the_file_is_as_it_would_be_written(level: Level) -> None:
    rows = load(level)
    path = conformance_folder() / f"{level.value}.toml"
    assert path.read_text(encoding="utf-8") == written(rows)
    assert len({row.name for row in rows.rows}) == len(rows.rows)


@LEVELS
def test_no_accepted_shader_is_recorded_to_diverge(level: Level) -> None:
    outcomes = {row.outcome.get(ACCEPTED) for row in load(level).rows}
    assert Outcome.DIVERGES.value not in outcomes
    assert Outcome.CONVERGES.value in outcomes


def _runs(row: Row) -> dict[str, str]:
    said = {side: outcome_of(row.text(side)) for side in SIDES}
    return {side: word for side, word in said.items() if word}


@LEVELS
@pytest.mark.parametrize("part", [pytest.param(0, id="some"), pytest.param(1, id="all", marks=pytest.mark.full)])
def test_the_semantics_says_what_is_recorded(level: Level, part: int) -> None:
    rows = load(level).rows if part else load(level).rows[::25]
    assert [row.name for row in rows if _runs(row) != row.outcome] == []


@LEVELS
def test_many_rejected_shaders_diverge(level: Level) -> None:
    """The others are named for what they are: imprecision of the rules, or nothing that can be run."""
    said = [row.outcome.get(REJECTED) for row in load(level).rows]
    assert said.count(Outcome.DIVERGES.value) > len(said) * 2 // 3


@LEVELS
def test_the_shaders_of_a_row_are_small_and_near_to_each_other(level: Level) -> None:
    near = sorted(distance(row.accepted, row.rejected) for row in load(level).rows)
    lines = sorted(row.length[0] // 2 for row in load(level).rows)
    assert near[len(near) // 2] <= 3, "a second source of non-uniformity takes a word or two"
    assert near[-1] <= 24
    assert lines[len(lines) // 2] <= 14
    assert all(row.accepted != row.rejected for row in load(level).rows)


@LEVELS
def test_every_row_says_where_its_rule_is_and_what_it_says(level: Level) -> None:
    for row in load(level).rows:
        assert re.fullmatch(r"([\d.]+ )?#[\w-]+", row.section), row.name
        assert title_of(row.section)
        assert "Wrong: " in row.says
        assert row.place


@LEVELS
def test_what_is_wrong_is_told_in_a_sentence(level: Level) -> None:
    """A tag, such as `never`, says nothing without what it replaces."""
    for row in load(level).rows:
        assert row.sentences.startswith(row.rule)
        assert row.sentences.endswith(".")
        assert "Wrong:" not in row.sentences
        if not row.wrong.startswith("it "):
            _, tag, _, branch, _ = re.split("[“”]", row.sentences.removeprefix(row.rule))
            assert (tag, row.place.endswith(branch), bool(branch)) == (row.wrong, True, True)


def test_every_branch_of_the_paper_is_in_words() -> None:
    assert [v.name for v in branches(Level.CORE).values() if v.place and title_of(section_of(v)) == ""] == []


# ---------------------------------------------------------------------------------------------------------------- twins


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_twins_differ_from_their_text_and_from_each_other(seed: int) -> None:
    text = print_shader(draw_shader(seed))
    found = list(twins(text))[:300]
    assert text not in found
    assert len({*found}) == len(found)
    assert all(distance(text, twin) > 0 for twin in found[:5])


def test_twins_of_a_shader_are_what_one_edit_leads_to() -> None:
    text = print_shader(parse(VIOLATION))
    found = list(twins(text))
    assert text.replace("lid == 0u", "0u == 0u") in found
    assert any("if" not in twin for twin in found), "an `if` may go"
    assert any("workgroupBarrier" not in twin for twin in found), "a statement may go"
    assert any("return;" in twin for twin in found), "a jump may come"


def test_distance_counts_words() -> None:
    assert distance("a b c", "a b c") == 0
    assert distance("if (lid == 0u)", "if (1u == 0u)") == 1
    assert distance("a;", "") == 2


def test_stripping_takes_unused_declarations_only() -> None:
    text = "var<private> a: u32;\nvar<private> b: u32;\nfn f() { a = 1u; }\n"
    assert "b" not in stripped(text).replace("private", "")
    assert "a = 1u" in stripped(text)
