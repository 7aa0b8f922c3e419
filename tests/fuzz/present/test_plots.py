"""The report's plots of what a run used."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.runs import DIVERGING, MadeUpRun, unsound
from wgsl_fuzz.fuzz.findings.stats import Resident, StatsLine, StatsLog
from wgsl_fuzz.fuzz.present.report import report_page
from wgsl_fuzz.fuzz.present.report.plots import POINTS, Plot, plots

SIZES = st.lists(st.integers(0, 1 << 34), max_size=4).map(Resident.of)
SECONDS = st.floats(0, 10**6)
LINES = st.lists(
    st.builds(
        StatsLine,
        seconds=st.integers(0, 10**7).map(lambda tenths: tenths / 10),
        programs=st.integers(0, 10**9),
        findings=st.dictionaries(st.sampled_from(["unsound", "crash"]), st.integers(0, 10**6)),
        buckets=st.integers(0, 500),
        memory=st.dictionaries(st.sampled_from(["campaign", "workers", "compilers"]), SIZES),
        processor=st.dictionaries(st.sampled_from(["campaign", "workers", "compilers"]), SECONDS),
        stages=st.dictionaries(st.sampled_from(["drawing", "judging", "made up"]), SECONDS),
    ),
    max_size=12,
)


def values_of(points: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (point.split(",") for point in points.split())]


def check_box(plot: Plot) -> None:
    """A plot stays within its box, and has a few marks."""
    assert plot.curves
    for curve in plot.curves:
        values = values_of(curve.points)
        assert all(0 <= x <= 600 and -0.05 <= y <= 160.05 for x, y in values)
        if not plot.stacked:
            assert [x for x, _ in values] == sorted(x for x, _ in values)
            assert values[-1][0] == 600
    for axis in (plot.across, plot.up):
        assert [mark.place for mark in axis] == sorted({mark.place for mark in axis})
        assert all(0 <= mark.place <= 1 for mark in axis)
        assert len({mark.words for mark in axis}) == len(axis) <= 5


@given(LINES)
def test_plots_stay_within_their_box(lines: list[StatsLine]) -> None:
    for plot in plots(lines):
        check_box(plot)


def some(n: int) -> list[StatsLine]:
    """A run whose drawing takes 3 of 4 seconds, and whose compilers grow."""
    return [
        StatsLine(
            seconds=10.0 * i,
            programs=100 * i,
            findings={"unsound": i},
            buckets=min(i, 5),
            memory={"campaign": Resident.of([50 << 20]), "compilers": Resident.of([i << 20, i << 20])},
            processor={"campaign": 4.0 * i, "compilers": 1.0 * i},
            stages={"drawing": 3.0 * i, "judging": 1.0 * i},
        )
        for i in range(n)
    ]


def test_stages_are_stacked_up_to_the_whole() -> None:
    stages = next(plot for plot in plots(some(9)) if plot.stacked)
    assert [(curve.name, curve.words) for curve in stages.curves] == [
        ("drawing", "60 %"),
        ("judging", "20 %"),
        ("compilers", "20 %"),
        ("the rest", "0 %"),
    ]
    half = [len(values_of(curve.points)) // 2 for curve in stages.curves]
    edges = [[y for _, y in values_of(curve.points)[:n]] for curve, n in zip(stages.curves, half, strict=True)]
    assert [edge[0] for edge in edges] == pytest.approx([64.0, 32.0, 0.0, 0.0])
    assert all(len(set(edge)) == 1 for edge in edges)
    for (lower, n), (upper, _) in pairwise(zip(stages.curves, half, strict=True)):
        assert values_of(lower.points)[:n] == values_of(upper.points)[n:][::-1]


def test_memory_and_findings_are_those_of_the_samples() -> None:
    findings, buckets, memory, _ = plots(some(9))
    assert findings.words == "8 findings on 800 shaders"
    assert values_of(findings.curves[0].points)[-1] == (600.0, 0.0)
    assert buckets.words == "5 buckets on 800 shaders"
    assert memory.words == "66 MiB at the end, at most 66 MiB"
    assert [(curve.name, curve.words) for curve in memory.curves] == [
        ("campaign", "50 MiB, at most 50 MiB"),
        ("compilers", "16 MiB, at most 16 MiB"),
    ]


def test_of_a_long_run_some_samples_are_drawn() -> None:
    for plot in plots(some(2000)):
        assert all(len(values_of(curve.points)) <= 4 * POINTS + 4 for curve in plot.curves)


def test_what_goes_back_in_time_is_left_out() -> None:
    lines = some(9)
    assert plots([*lines[:6], *lines[3:]]) == plots(lines)
    assert plots(lines[:1]) == plots([]) == []


def test_the_page_has_the_plots(tmp_path: Path) -> None:
    made = MadeUpRun(tmp_path / "run")
    made.found(unsound(), reduced=DIVERGING)
    assert "Where the time goes" not in report_page(made.stored())
    log = StatsLog(made.path)
    for line in some(9):
        log.add(line)
    page = report_page(made.stored())
    for title in ("Findings by shader", "Memory in MiB", "Where the time goes"):
        assert f"<strong>{title}</strong>" in page
    assert 'class="area tone-4"' in page
