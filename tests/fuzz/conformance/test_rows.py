"""The rows of the conformance table: each has the verdicts that it says, and its branch decides it."""

import re
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from xml.etree import ElementTree as ET

import pytest

from tests.fuzz.fakes import FakeTarget
from tools.conformance.answers import answer_under, answers, branches, exact, outcome_of, verdict_of
from tools.conformance.sections_tiny import section_of
from tools.conformance.twins import distance
from tools.conformance.written import written, written_confusion
from wgsl_fuzz.fuzz.cli.rules.conformance import ask, with_buckets
from wgsl_fuzz.fuzz.conformance.confusion import branches_behind, confusion_path, load_confusion, with_causes
from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, REJECTED, SIDES, Level, Row, Rows, load, path, shortest, step_of
from wgsl_fuzz.fuzz.conformance.table import RowResult, Status, Table, title_of
from wgsl_fuzz.fuzz.findings.known import KnownBucket, KnownBuckets
from wgsl_fuzz.fuzz.judging.answers import PART
from wgsl_fuzz.fuzz.present.conformance_documents import as_junit
from wgsl_fuzz.fuzz.present.conformance_text import as_markdown, note, of_one, of_several, page, told
from wgsl_fuzz.oracle.targets.probes import MOST_HANGS
from wgsl_fuzz.oracle.targets.protocol import InProcess, TargetError
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict

TINY, WHOLE, PROPOSED = map(load, Level)
LEVELS = pytest.mark.parametrize("level", Level, ids=[level.value for level in Level])
RUN = pytest.mark.parametrize("level", [Level.CORE, Level.WGSL], ids=["core", "wgsl"])
"""The semantics cannot run all that proposals add."""


@LEVELS
def test_every_row_has_the_verdicts_that_it_says(level: Level) -> None:
    sides = [(row, side) for row in load(level).rows for side in SIDES]
    assert [row.name for row, side in sides if verdict_of(level, row.text(side)) is not row.expected(side)] == []


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
    path = confusion_path(level).with_name(f"{level.value}.toml")
    assert path.read_text(encoding="utf-8") == written(rows)
    assert len({row.name for row in rows.rows}) == len(rows.rows)


def test_a_row_is_known_by_its_branch_as_findings_of_campaigns_are() -> None:
    row = next(row for row in WHOLE.rows if ACCEPTED not in row.alone)
    rows = replace(WHOLE, rows=(row,))
    wrong = InProcess("mine", "made", lambda text: Answer(answer_under(Level.WGSL, row.name, text)))
    (table,) = ask(rows, [wrong])
    url = "https://example.org/1"
    for bucket, issue in ((f"mine {row.name}", url), (f"mine crash {row.name}", ""), (f"other {row.name}", "")):
        (result,) = with_buckets(table, KnownBuckets((KnownBucket(bucket, url),)), wrong).results
        assert (result.fails, result.issue) == (True, issue)


def test_a_branch_is_behind_an_answer_if_it_is_wrong_wherever_the_branch_is() -> None:
    name, answers = max(load_confusion(Level.WGSL).wrong.items(), key=lambda item: len(item[1]))
    wrong = {(row, side): verdict for row, side, verdict in answers}
    assert all(name in behind for behind in branches_behind(Level.WGSL, wrong).values())
    assert branches_behind(Level.WGSL, wrong).keys() == wrong.keys()
    for right in list(wrong)[::100]:
        left = {place: verdict for place, verdict in wrong.items() if place != right}
        assert all(name not in behind for behind in branches_behind(Level.WGSL, left).values())


def test_a_known_branch_makes_no_crash_known() -> None:
    row = next(row for row in WHOLE.rows if ACCEPTED not in row.alone)
    crashing = InProcess("mine", "made", lambda _: Answer(Verdict.CRASHED, "signal 11"))
    (table,) = ask(replace(WHOLE, rows=(row,)), [crashing])
    known = KnownBuckets((KnownBucket(f"mine {row.name}", "https://example.org/1"),))
    (result,) = with_buckets(table, known, crashing).results
    assert (result.fails, result.issue) == (True, "")


def _runs(row: Row) -> dict[str, str]:
    said = {side: outcome_of(row.text(side)) for side in SIDES}
    return {side: word for side, word in said.items() if word}


@LEVELS
@pytest.mark.parametrize("part", [pytest.param(0, id="some"), pytest.param(1, id="all", marks=pytest.mark.full)])
def test_the_semantics_says_what_is_recorded(level: Level, part: int) -> None:
    rows = load(level).rows if part else load(level).rows[::25]
    assert [row.name for row in rows if _runs(row) != row.outcome] == []


@RUN
def test_no_accepted_shader_diverges_and_many_rejected_ones_do(level: Level) -> None:
    """The others are named for what they are: imprecision of the rules, or nothing that can be run."""
    outcomes = {row.outcome.get(ACCEPTED) for row in load(level).rows}
    assert Outcome.DIVERGES.value not in outcomes
    assert Outcome.CONVERGES.value in outcomes
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
        assert bool(row.does) is not bool(row.instead)
        assert row.place


def test_every_branch_of_the_paper_is_in_words() -> None:
    assert [v.name for v in branches(Level.CORE).values() if v.place and title_of(section_of(v)) == ""] == []


# ------------------------------------------------ What a target's answers mean for a row, and which rows explain others


A, R, INV, C, T = Verdict.ACCEPTS, Verdict.REJECTS, Verdict.INVALID, Verdict.CRASHED, Verdict.TIMED_OUT
ROW = TINY.rows[0]


def _asked(rows: Rows, answer: Callable[[str], Verdict]) -> Table:
    (table,) = ask(rows, [InProcess("rules:made", "made", lambda text: Answer(answer(text), "said\nmore"))])
    return table


def _red(table: Table) -> set[str]:
    return {result.row.name for result in table.failing}


@pytest.mark.parametrize(
    ("name", "checked", "answer", "status"),
    [
        ("python:mine:f", 0, A, Status.NOT_JUDGED),
        ("mine@1=python:mine:f", 0, C, Status.NOT_JUDGED),
        ("python:mine:f", 1, A, Status.TOO_LENIENT),
        ("python:mine:f", 1, C, Status.NO_ANSWER),
        ("tint:mine", 0, A, Status.TOO_LENIENT),
    ],
)
def test_a_function_that_judges_valid_shaders_only_is_not_held_to_others(
    name: str, checked: int, answer: Verdict, status: Status
) -> None:
    """Also if only one of these rows is asked for."""
    rows = [row for row in WHOLE.rows if row.expected(REJECTED) is INV]
    invalid, refused = {row.rejected for row in rows}, {row.rejected for row in rows[:checked]}
    target = InProcess(name, "made", lambda text: Answer(INV if text in refused else answer if text in invalid else A))
    for asked, others in ((rows, []), (rows[-1:], rows[:-1])):
        (table,) = ask(replace(WHOLE, rows=tuple(asked)), [target], others)
        assert {result.status for result in table.results if result.row.rejected not in refused} == {status}


def test_a_row_that_is_not_judged_is_no_wrong_row() -> None:
    rows = replace(WHOLE, rows=tuple(row for row in WHOLE.rows if step_of(row).number == 5))
    said = {row.text(side): row.expected(side) for row in rows.rows for side in SIDES}
    said |= dict.fromkeys((text for text in said if said[text] is INV), C)
    table = with_causes(ask(rows, [InProcess("python:mine:f", "made", lambda text: Answer(said[text], "why"))])[0])
    apart = [result.row.name for result in table.results if result.status is Status.NOT_JUDGED]
    assert (table.failing, table.next) == ([], None)
    assert table.implemented.isdisjoint(apart)
    lines = [*of_one(table)]
    assert any(line.endswith(f"apart from the others: {len(apart)} rows with invalid code.") for line in lines)
    assert lines[-1] == "Every other row is right."
    assert "They fail" not in "".join(of_several([table, table]))
    (suite,) = ET.fromstring(as_junit([table]))
    assert (suite.attrib["failures"], suite.attrib["skipped"]) == ("0", str(len(apart)))
    assert f"{len(apart)} rows with invalid code" in as_markdown([table])
    assert f"{len(apart)} rows with invalid code" in page(rows, [table])


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ((A, R), Status.RIGHT),
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
    assert result.fails == (status is not Status.RIGHT)
    assert result.message == ("why" if status in (Status.UNSUPPORTED, Status.NO_ANSWER) else "")


@pytest.mark.parametrize("said", Verdict, ids=[verdict.value for verdict in Verdict])
@pytest.mark.parametrize("side", SIDES)
def test_every_verdict_is_said_in_words(said: Verdict, side: str) -> None:
    row = TINY.rows[0]
    given = {text: Answer(row.expected(one)) for one in SIDES for text in [row.text(one)]}
    given[row.text(side)] = Answer(said, f"error: {said.value}")
    (table,) = ask(replace(TINY, rows=(row,)), [InProcess("rules:made", "made", given.__getitem__)])
    (result,) = table.results
    assert result.fails is (said is not row.expected(side))
    assert (result.status in (Status.UNSUPPORTED, Status.NO_ANSWER)) is (said not in (A, R))
    lines = "\n".join([*told(table, result), note(table, result)])
    assert lines.count("rules:made") == 3, "of both shaders, and in the command"


@pytest.mark.parametrize("many", [False, True])
def test_a_target_that_hangs_on_a_few_shaders_is_asked_no_more(many: bool) -> None:
    named = [row.text(side) for row in TINY.rows for side in SIDES]
    loops = [text for text in dict.fromkeys(named) if "loop" in text][: MOST_HANGS - (not many)]
    asked: list[str] = []

    def answer(text: str) -> Verdict:
        asked.append(text)
        return T if text in loops else A

    if not many:
        assert _asked(TINY, answer).counts[Status.NO_ANSWER] > 0
        assert len(asked) == len({*named})
        return
    with pytest.raises(TargetError, match=r"rules:made hangs on the \w+ shader of .*wgsl-fuzz conformance --target"):
        _asked(TINY, answer)
    assert asked.index(loops[-1]) > len(asked) - PART


def test_a_row_of_behaviours_is_refused_as_invalid() -> None:
    row = next(row for row in load(Level.WGSL).rows if row.refusal is INV)
    assert RowResult(row, Answer(A), Answer(INV)).status is Status.RIGHT
    assert RowResult(row, Answer(A), Answer(A)).status is Status.TOO_LENIENT
    assert RowResult(row, Answer(A), Answer(R)).status is Status.UNSUPPORTED


def test_who_accepts_everything_has_no_analysis() -> None:
    table = with_causes(_asked(TINY, lambda _: A))
    assert table.has_no_analysis
    assert table.counts == {Status.NOT_IMPLEMENTED: len(TINY.rows)}
    assert table.causes == {}
    assert table.next is not None
    assert not _asked(TINY, lambda _: INV).has_no_analysis, "who reads nothing may have one"


def test_who_refuses_everything_is_too_strict_in_every_row_of_which_the_shortest_is_next() -> None:
    table = _asked(TINY, lambda _: R)
    assert table.counts == {Status.TOO_STRICT: len(TINY.rows)}
    assert table.next is not None
    assert table.next.row is shortest(path()[0], TINY.rows)


def test_what_gets_no_answer_is_next() -> None:
    table = with_causes(_asked(TINY, lambda text: C if "loop" in text else A))
    assert table.next is not None
    assert table.next.status is Status.NO_ANSWER
    states = [result.status is Status.NO_ANSWER for result in table.failing]
    assert states == sorted(states, reverse=True)


def test_targets_are_asked_once_for_each_shader() -> None:
    targets = [FakeTarget(name="one"), FakeTarget(name="two")]
    tables = ask(TINY, targets)
    assert [table.target for table in tables] == ["one", "two"]
    assert [table.failing for table in tables] == [[], []]
    assert all(target.asked == len({row.text(side) for row in TINY.rows for side in SIDES}) for target in targets)


# ------------------------------------------------------------------------------------------------------------ confusion


@LEVELS
@pytest.mark.parametrize("part", [pytest.param(0, id="some"), pytest.param(1, id="all", marks=pytest.mark.full)])
def test_the_confusion_table_says_what_the_rules_say(level: Level, part: int) -> None:
    """Each branch is asked about the shaders; those without a row are left out."""
    rows, wrong = load(level), load_confusion(level).wrong
    for row in rows.rows if part else rows.rows[::50]:
        for side in SIDES:
            said = {b: v for b, v in answers(level, row.text(side)).items() if b in wrong}
            told = {b: v for b, of in wrong.items() for name, s, v in of if (name, s) == (row.name, side)}
            assert said == told, (row.name, side)


@LEVELS
def test_asking_all_branches_at_once_is_asking_each(level: Level) -> None:
    rows = load(level)
    names = [row.name for row in rows.rows][:: 6 if level is Level.CORE else 30]
    for row in rows.rows[::100]:
        for side in SIDES:
            said, expected = answers(level, row.text(side)), row.expected(side)
            for name in names:
                assert answer_under(level, name, row.text(side)) is said.get(name, expected), (name, row.name, side)


@LEVELS
def test_every_branch_fails_its_own_row(level: Level) -> None:
    confusion = load_confusion(level)
    assert {*confusion.wrong} == {row.name for row in load(level).rows}
    assert [name for name in confusion.wrong if name not in confusion.rows_of(name)] == []


@LEVELS
def test_the_confusion_file_is_as_it_would_be_written(level: Level) -> None:
    text = confusion_path(level).read_text(encoding="utf-8")
    assert text == written_confusion(load_confusion(level))


def _as_target(level: Level, name: str) -> Table:
    """The table of the reference with one branch wrong, by the answers of the confusion table."""
    wrong = {(row, side): verdict for row, side, verdict in load_confusion(level).wrong[name]}
    sides = [(row, side) for row in load(level).rows for side in SIDES]
    said = {row.text(side): wrong.get((row.name, side), row.expected(side)) for row, side in sides}
    return with_causes(_asked(load(level), said.__getitem__))


@LEVELS
def test_the_cause_of_a_variant_is_its_row_or_one_that_is_alike(level: Level) -> None:
    """But for those whose answers are no verdicts on uniformity, or which accept everything."""
    confusion = load_confusion(level)
    for name in list(confusion.wrong)[:: 6 if level is Level.CORE else 40]:
        table = _as_target(level, name)
        assert _red(table) == confusion.rows_of(name)
        if all(verdict in (A, R) for _, _, verdict in confusion.wrong[name]) and not table.has_no_analysis:
            assert table.causes.keys() <= {b for b, wrong in confusion.wrong.items() if wrong == confusion.wrong[name]}
            assert len(table.causes) == 1


def test_rows_are_as_sharp_as_they_were_made() -> None:
    """A row that is made smaller must not let more branches fail it."""
    assert [level for level in Level if len(exact(load_confusion(level))) < EXACT[level]] == []


EXACT = {Level.CORE: 30, Level.WGSL: 261, Level.PROPOSALS: 32}
"""So many branches fail their own row and no other."""


def test_two_faults_have_two_causes() -> None:
    wrong = {"10a", "B/loop/case-1-if-it-may-return"}
    right = {row.text(side): row.expected(side) for row in TINY.rows for side in SIDES}

    def both(text: str) -> Verdict:
        said = {answer_under(Level.CORE, name, text) for name in wrong} - {right[text]}
        return said.pop() if said else right[text]

    table = with_causes(_asked(TINY, both))
    assert {*table.causes} == wrong
    assert all(table.follows(name) in {"", *wrong} for name in _red(table))


def test_every_pattern_of_the_path_finds_rows() -> None:
    """Each of the twelve steps has rows of its own."""
    rows = (*TINY.rows, *WHOLE.rows, *PROPOSED.rows)
    assert [step.number for step in path()] == [*range(1, 13)]
    assert {step_of(row) for row in WHOLE.rows} == {*path()}
    unused = [p for step in path() for p in step.rows if not any(fnmatchcase(row.name, p) for row in rows)]
    assert unused == []
