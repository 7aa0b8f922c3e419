"""The report's numbers: the verdict matrix, the branches that decided shaders, and the charts."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.present.test_plots import check_box
from tests.fuzz.runs import DIVERGING, MadeUpRun, bucket_of, unsound
from wgsl_fuzz.fuzz.findings.records import CampaignRecord, ProgressLine
from wgsl_fuzz.fuzz.findings.schema import read
from wgsl_fuzz.fuzz.judging.judge import BucketKey
from wgsl_fuzz.fuzz.present.report.page import matrices, page_of, report_page
from wgsl_fuzz.fuzz.present.report.plots import Ends, charts
from wgsl_fuzz.fuzz.present.report.words import on_twins
from wgsl_fuzz.fuzz.triage.since import triage_of

COUNTS = st.integers(0, 50)


@pytest.fixture
def made(tmp_path: Path) -> MadeUpRun:
    return MadeUpRun(tmp_path / "run")


def _run(**record: Any) -> CampaignRecord:
    return read(CampaignRecord, {"version": "1", **record})


@given(st.tuples(COUNTS, COUNTS, COUNTS), st.tuples(COUNTS, COUNTS, COUNTS))
def test_the_matrix_is_had_from_the_marginal_counts(
    accepted: tuple[int, int, int], rejected: tuple[int, int, int]
) -> None:
    """A target that gave every pair of verdicts so many times, as its run's record has it."""
    buckets = {
        "t too-strict 10b": accepted[1],
        "t unsound 10a": rejected[0],
        "t invalid error": accepted[2] + rejected[2],
    }
    answers = {
        "accepts": accepted[0] + rejected[0],
        "rejects": accepted[1] + rejected[1],
        "invalid": accepted[2] + rejected[2],
    }
    reference = {"accepts": sum(accepted), "rejects": sum(rejected)}
    (matrix,) = matrices(_run(reference=reference, answers={"t": answers}, buckets=buckets))
    assert tuple(cell.shaders for cell in matrix.accepts) == accepted
    assert tuple(cell.shaders for cell in matrix.rejects) == rejected
    assert [cell.finding for cell in matrix.accepts] == [False, accepted[1] > 0, accepted[2] > 0]


def test_findings_on_transformed_shaders_are_not_in_the_matrix(made: MadeUpRun) -> None:
    made.found(unsound(), reduced=DIVERGING)
    made.found(unsound(relation="negated"), reduced=DIVERGING)
    made.counted = [(bucket_of(unsound()), relation) for relation in ("negated", "negated", None)]
    made.record |= {"buckets": {bucket_of(unsound()): 5}, "answers": {"tint@0.3.8": {"accepts": 72, "rejects": 28}}}
    run = made.stored()
    assert on_twins(run) == {BucketKey.parse(bucket_of(unsound())): 3}
    (matrix,) = page_of(run).matrices
    assert [cell.shaders for cell in (*matrix.accepts, *matrix.rejects)] == [70, 0, 0, 2, 28, 0]


def test_verdicts_that_only_a_spelling_got_are_in_the_matrix() -> None:
    buckets = {
        "t unstable accepts as drawn, rejects as printed": 2,
        "t unstable rejects as drawn, accepts as printed": 3,
    }
    answers = {"accepts": 69, "rejects": 31}
    (matrix,) = matrices(_run(reference={"accepts": 70, "rejects": 30}, answers={"t": answers}, buckets=buckets))
    assert [cell.shaders for cell in (*matrix.accepts, *matrix.rejects)] == [67, 3, 0, 2, 28, 0]


def test_counts_that_do_not_fit_make_no_matrix() -> None:
    record = _run(reference={"accepts": 1}, answers={"t": {"accepts": 1}}, buckets={"t too-strict 10b": 3})
    assert matrices(record) == []


def test_without_a_matrix_no_page_speaks_of_one(made: MadeUpRun) -> None:
    speaks = "How many shaders got which two verdicts"
    assert speaks in report_page(made.stored())
    made.record["buckets"] = {"tint@0.3.8 too-strict 10b": 999}  # which do not fit
    page = report_page(made.stored())
    assert "Accepted shaders, when executed" in page
    assert speaks not in page


def test_the_totals_of_triage_report_matrix_and_chart_agree(made: MadeUpRun) -> None:
    """The record is older than the folder: a finding was taken for too lenient when it was written."""
    made.found(unsound(), reduced=DIVERGING)
    made.found(unsound(relation="negated"), reduced=DIVERGING)
    made.counted = [(key, "negated") for key in [bucket_of(unsound())] * 3 + ["tint@0.3.8 metamorphic negated"]]
    made.progress = [{"seconds": 9, "programs": 50, "findings": 1}]
    made.record |= {"buckets": {bucket_of(unsound()): 5}, "answers": {"tint@0.3.8": {"accepts": 71, "rejects": 29}}}
    run = made.stored()
    page, total = page_of(run), triage_of(run).total
    assert (
        total
        == 6
        == sum(page.totals.values())
        == sum(card.group.bucket.count for card in page.cards) + sum(group.bucket.count for group in page.lines)
    )
    (matrix,) = page.matrices
    assert (matrix.findings, page.beside(matrix)) == (1, 5)
    assert "1 finding of 6; the rest are on transformed shaders" in report_page(run)
    assert [plot.words for plot in page.plots if plot.title == "Findings so far"] == ["6 findings at the end"]


def test_a_record_that_knows_of_more_does_not_make_the_report_count_them(made: MadeUpRun) -> None:
    made.found(unsound(), reduced=DIVERGING)
    made.record["buckets"]["tint@0.3.8 too-lenient 10a"] = 1  # before its reduced shader was seen to diverge
    run = made.stored()
    assert sum(page_of(run).totals.values()) == triage_of(run).total == 1


POINTS = st.lists(
    st.tuples(st.integers(0, 10**7).map(lambda s: s / 10), st.integers(0, 10**9), st.integers(0, 10**6)), max_size=600
)
TIMES = st.lists(st.integers(0, 10**7).map(lambda s: s / 10), max_size=40)


@given(POINTS, TIMES, st.integers(1, 10**7).map(lambda s: s / 10))
def test_charts_stay_within_their_box(points: list[tuple[float, int, int]], seen: list[float], end: float) -> None:
    for chart in charts([ProgressLine(*point) for point in points], seen, Ends(end, 10**9, 10**6)):
        check_box(chart)
        assert chart.across[0].words == chart.up[0].words == "0"


@pytest.mark.parametrize(
    ("end", "marks"),
    [
        (0.4, ["0"]),
        (7.0, ["0", "2 s", "4 s", "6 s"]),
        (60.0, ["0", "20 s", "40 s", "1 min"]),
        (5400.0, ["0", "30 min", "1 h", "1 h 30 min"]),
        (86_400.0 * 3, ["0", "24 h", "48 h", "72 h"]),
    ],
)
def test_the_axis_of_time_has_few_round_marks(end: float, marks: list[str]) -> None:
    (chart,) = charts([], [end / 2], Ends(end, 100, 1))
    assert [mark.words for mark in chart.across] == marks


def test_buckets_are_counted_when_they_were_first_found() -> None:
    (chart,) = charts([], [5.0, 2.5], Ends(10.0, 100, 7))
    assert chart.title == "Buckets so far"
    assert chart.curves[0].points == "0.0,160.0 150.0,160.0 150.0,80.0 300.0,80.0 300.0,0.0 600.0,0.0"
    assert [mark.words for mark in chart.up] == ["0", "1", "2"]
    assert chart.words == "2 buckets, the last after 5 s"


def test_where_nothing_was_recorded_over_time_there_is_no_chart() -> None:
    assert charts([], [], Ends(10.0, 100, 0)) == charts([], [1.0], Ends(0.0, 0, 0)) == []
