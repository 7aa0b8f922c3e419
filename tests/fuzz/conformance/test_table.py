"""What a target's answers mean for a row, and which rows explain others."""

from collections.abc import Callable, Sequence

import pytest

from tests.fuzz.fakes import FakeTarget
from wgsl_fuzz.fuzz.conformance.causes import alike, answer_under, with_causes
from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, SIDES, Level, Rows, load
from wgsl_fuzz.fuzz.conformance.table import RowResult, Status, Table, ask, changes
from wgsl_fuzz.oracle.targets.rules import RulesTarget
from wgsl_fuzz.oracle.verdict import Answer, Verdict

A, R, INV, C, T = Verdict.ACCEPTS, Verdict.REJECTS, Verdict.INVALID, Verdict.CRASHED, Verdict.TIMED_OUT
TINY = load(Level.TINY)
ROW = TINY.rows[0]


def _asked(rows: Rows, answer: Callable[[str], Verdict]) -> Table:
    (table,) = ask(rows, [RulesTarget("rules:made", lambda text: Answer(answer(text), "said\nmore"))])
    return table


def _red(table: Table) -> set[str]:
    return {result.row.name for result in table.failing}


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ((A, R), Status.IMPLEMENTED),
        ((R, R), Status.TOO_STRICT),
        ((A, A), Status.TOO_LENIENT),
        ((R, A), Status.WRONG),
        ((INV, R), Status.UNSUPPORTED),
        ((A, INV), Status.UNSUPPORTED),
        ((INV, A), Status.UNSUPPORTED),
        ((C, R), Status.NO_ANSWER),
        ((T, INV), Status.NO_ANSWER),
    ],
)
def test_the_status_of_a_row(said: tuple[Verdict, Verdict], status: Status) -> None:
    result = RowResult(ROW, Answer(said[0], "why\nmore"), Answer(said[1], "why\nmore"))
    assert result.status is status
    assert result.fails == (status is not Status.IMPLEMENTED)
    assert result.message == ("why" if status in (Status.UNSUPPORTED, Status.NO_ANSWER) else "")


def test_a_row_of_behaviours_is_refused_as_invalid() -> None:
    row = next(row for row in load(Level.WHOLE).rows if row.refusal is INV)
    assert RowResult(row, Answer(A), Answer(INV)).status is Status.IMPLEMENTED
    assert RowResult(row, Answer(A), Answer(A)).status is Status.TOO_LENIENT
    assert RowResult(row, Answer(A), Answer(R)).status is Status.UNSUPPORTED


def test_who_accepts_everything_has_no_analysis() -> None:
    table = with_causes(_asked(TINY, lambda _: A))
    assert table.has_no_analysis
    assert table.counts == {Status.NOT_IMPLEMENTED: len(TINY.rows)}
    assert table.causes == {}
    assert table.next is not None
    assert not _asked(TINY, lambda _: INV).has_no_analysis, "who reads nothing may have one"


def test_who_refuses_everything_is_too_strict_in_every_row() -> None:
    assert _asked(TINY, lambda _: R).counts == {Status.TOO_STRICT: len(TINY.rows)}


def test_the_shortest_row_is_next() -> None:
    table = _asked(TINY, lambda _: R)
    assert table.next is not None
    assert table.next.row.length == min(row.length for row in TINY.rows)


def test_sections_hold_every_row_once() -> None:
    table = _asked(TINY, lambda _: A)
    held = [result.row.name for _, results in table.sections() for result in results]
    assert sorted(held) == sorted(row.name for row in TINY.rows)
    assert sum(table.number(None, section) for section, _ in table.sections()) == table.number() == len(TINY.rows)


def test_targets_are_asked_once_for_each_shader() -> None:
    targets = [FakeTarget(name="one"), FakeTarget(name="two")]
    tables = ask(TINY, targets)
    assert [table.target for table in tables] == ["one", "two"]
    assert [table.failing for table in tables] == [[], []]
    assert all(target.asked == len({row.text(side) for row in TINY.rows for side in SIDES}) for target in targets)


def test_changes_between_rounds() -> None:
    before, after = _asked(TINY, lambda _: R), ask(TINY, [FakeTarget(name="rules:made")])[0]
    said = list(changes([before], [after]))
    assert f"{len(TINY.rows)} better" in said[1]
    assert said[-1].startswith("  and ")
    assert "worse" in list(changes([after], [before]))[1]
    assert "nothing changed" in list(changes([after], [after]))[1]
    assert list(changes([], [after])) == []


# ------------------------------------------------------------------------------------------------------------ confusion


def confusion(level: Level, names: Sequence[str]) -> dict[str, tuple[set[str], dict[str, list[str]]]]:
    """Of each variant as a target the rows that fail, and their causes."""
    rows, found = load(level), {}
    for name in names:
        table = with_causes(_asked(rows, lambda text: answer_under(level, name, text)))  # noqa: B023
        found[name] = _red(table), table.causes
    return found


def _names(rows: Rows) -> list[str]:
    return [row.name for row in rows.rows]


def _unexplained(level: Level, names: Sequence[str]) -> list[str]:
    """The variants as targets whose failing rows are not all explained by their own row, or by one as good."""
    return [
        name
        for name, (red, causes) in confusion(level, names).items()
        if name not in red or len(causes) > 1 or not causes.keys() <= {name, *twins_of(level, name)}
    ]


def twins_of(level: Level, name: str) -> set[str]:
    """The branches that fail the same rows: what nothing here tells apart."""
    return {other for group in load(level).alike for other in group if name in group} - {name}


def test_each_variant_as_a_target_has_one_cause() -> None:
    assert _unexplained(Level.TINY, _names(TINY)[::6]) == []


@pytest.mark.full
def test_every_variant_as_a_target_has_one_cause() -> None:
    """And that is its row, but for the branches that the file names as alike."""
    assert _unexplained(Level.TINY, _names(TINY)) == []


@pytest.mark.slow
def test_every_variant_of_the_whole_language_as_a_target_fails_its_row() -> None:
    for row in load(Level.WHOLE).rows:
        table = _asked(load(Level.WHOLE), lambda text: answer_under(Level.WHOLE, row.name, text))  # noqa: B023
        assert row.name in _red(table)


@pytest.mark.full
def test_branches_that_are_alike_are_named() -> None:
    assert alike(TINY) == TINY.alike
    assert sum(map(len, TINY.alike)) <= len(TINY.rows) // 3


def test_two_faults_have_two_causes() -> None:
    wrong = {"10a", "B/loop/case-1-if-it-may-return"}

    right = {row.text(side): row.expected(side) for row in TINY.rows for side in SIDES}

    def both(text: str) -> Verdict:
        said = {answer_under(Level.TINY, name, text) for name in wrong} - {right[text]}
        return said.pop() if said else right[text]

    table = with_causes(_asked(TINY, both))
    assert {*table.causes} == wrong
    assert all(table.follows(name) in {"", *wrong} for name in _red(table))


def test_an_answer_under_a_variant_is_the_rows_own() -> None:
    row = TINY["10a"]
    for side in SIDES:
        said = answer_under(Level.TINY, "10a", row.text(side))
        assert said is row.alone.get(side, row.expected(side))
    assert ACCEPTED not in row.alone
