"""The report page: a run's numbers and cards put into the template. One file, no network, works without scripts."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from wgsl_fuzz.fuzz.cases.plan import TINY
from wgsl_fuzz.fuzz.findings.directory import LIMIT, convergence_option
from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.findings.records import RunRecord
from wgsl_fuzz.fuzz.findings.stats import ACCEPTED, StatsLine, read_stats, soundness_line, soundness_of
from wgsl_fuzz.fuzz.present.pages import rendered
from wgsl_fuzz.fuzz.present.report.cards import Card, Command
from wgsl_fuzz.fuzz.present.report.words import (
    capital,
    groups_of,
    headline,
    named,
    title,
    totals_of,
    worry,
)
from wgsl_fuzz.fuzz.present.triage_text import missing_lines
from wgsl_fuzz.fuzz.present.wording import count, verdict_rows, written_date
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS

APART = 1.0
"""Seconds between two points at least: less says nothing of a rate."""
POINTS = 120
"""Points of a plot at most: of more, some are left out."""
WIDTH, HEIGHT = 600, 160
_CLOCK = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200)
"""Seconds that may lie between two marks on the axis of time; beyond these, whole days."""
_DAY = 86_400
_MARKS = 4
"""Marks on an axis besides the one at 0, at most."""

Mark = tuple[str, float]
"""A mark on an axis: its words, and its place from 0 to 1."""
Row = tuple[float, int, int]
"""The seconds since the start, and how many shaders and findings there were."""


Plot = dict[str, Any]
"""A curve in a box of 600 by 160: `title`, `words`, `points`, and the marks of both axes, `across` and `up`."""


def charts(stats: Sequence[StatsLine], buckets: Sequence[float], last: Row) -> list[Plot]:
    """Buckets and findings so far, and shaders per second; `buckets` has the second in which each was first found.

    They end with the `last` row: what the run came to. A plot is left out for which the run recorded nothing.
    """
    end, _, findings = last
    if end <= 0:
        return []
    drawn = [_buckets(sorted(buckets), end)] if buckets else []
    lines = [line for line in stats if line.programs and line.seconds < end]
    rows = [(0.0, 0, 0), *((line.seconds, line.programs, sum(line.findings.values())) for line in lines)]
    kept = _onwards([*rows, last])
    if len(kept) > POINTS:  # the first and the last stay
        kept = [kept[round(i * (len(kept) - 1) / POINTS)] for i in range(POINTS + 1)]
    if not lines or len(kept) < 2:
        return drawn
    found = [(row[0], float(row[2])) for row in kept]
    rates = [max(0, b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(kept)]
    steps = [step for (a, b), rate in zip(pairwise(kept), rates, strict=True) for step in ((a[0], rate), (b[0], rate))]
    slowest, fastest = min(rates), max(rates)
    return [
        *drawn,
        _over_time("Findings so far", found, f"{count(findings, 'finding')} at the end", end),
        _over_time("Shaders per second", steps, f"between {slowest:,.0f} and {fastest:,.0f} a second", end),
    ]


def _onwards(rows: Sequence[Row]) -> list[Row]:
    """The rows without those that go back in time (a run that was resumed may have a few); the last one stays."""
    kept: list[Row] = []
    for row in rows:
        if not kept or row[0] - kept[-1][0] >= APART:
            kept.append(row)
    if kept[-1] != rows[-1] and len(kept) > 1:
        kept[-1] = rows[-1]
    return kept


def _buckets(times: Sequence[float], end: float) -> Plot:
    """A step for the time of each bucket."""
    steps = [(0.0, 0.0)]
    for n, time in enumerate(times, 1):
        steps += [(min(time, end), n - 1.0), (min(time, end), float(n))]
    last = f"{count(len(times), 'bucket')}, the last after {clock(times[-1])}"
    return _over_time("Buckets so far", [*steps, (end, float(len(times)))], last, end)


def _over_time(title: str, values: Sequence[tuple[float, float]], words: str, end: float) -> Plot:
    most = max(y for _, y in values)
    unit = unit_of(max(1.0, most))
    marks = max(1, -int(-most // unit))
    top = unit * marks
    up = tuple((f"{n * unit:,}", n / marks) for n in range(marks + 1))
    points = " ".join(f"{x / end * WIDTH:.1f},{HEIGHT - y / top * HEIGHT:.1f}" for x, y in values)
    return {"title": title, "words": words, "points": points, "across": times(end), "up": up}


def unit_of(top: float) -> int:
    """1, 2, 5, 10, ...: the least of which few reach the top."""
    power = 1
    while True:
        for unit in (power, 2 * power, 5 * power):
            if unit * _MARKS >= top:
                return unit
        power *= 10


def times(end: float) -> tuple[Mark, ...]:
    """Marks for the seconds from 0 to the end of a run, which is marked itself if it is of a second or less."""
    unit = next((unit for unit in _CLOCK if unit * _MARKS >= end), _DAY * unit_of(end / _DAY))
    return tuple((clock(n * unit) if n else "0", n * unit / end) for n in range(math.floor(end / unit) + 1))


def clock(seconds: float) -> str:
    """`34 s`, `12 min`, `1 h 05 min`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min" if minutes else f"{hours} h"
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min {rest:02} s" if rest else f"{minutes} min"


CARDS = 24
"""Buckets that get a card; of more the less severe are a line each, lest the page grow too large to load."""


def page_of(run: StoredRun, earlier: StoredRun | None = None) -> dict[str, Any]:
    """All that the template shows of a run, held against an earlier one."""
    groups, comparison = groups_of(run, earlier)
    shown = [group for group in groups if group.bucket.findings][:CARDS]
    record, totals = run.record, totals_of(run)
    seen = [group.bucket.first_seen for group in groups if group.bucket.first_seen is not None]
    accepted = soundness_of(record.reference, record.semantics)
    answers = {name: sum(record.answers.get(name, {}).values()) for name in record.targets}
    asked = {name: n or record.programs for name, n in answers.items()}
    told = [*headline(groups, totals, record, asked), f"{capital(soundness_line(accepted))}."]
    told += [] if run.notion is CONTROL_STACKS else [run.notion.sentence]
    soundness = {word: n for word, n in accepted.items() if word != ACCEPTED} if accepted[ACCEPTED] else {}
    plots = charts(read_stats(run.path), seen, (record.seconds, record.programs, sum(totals.values())))
    sections = {"findings": "Findings"}
    sections |= {"verdicts": "Verdicts"} if record.answers or soundness else {}
    sections |= {"rates": "Over time"} if plots else {}
    return {
        "run": run,
        "record": record,
        "worry": worry(groups),
        "headline": told,
        "cards": [Card(group) for group in shown],
        "lines": [group for group in groups if group not in shown],
        "totals": totals,
        "verdicts": verdict_rows(record.reference, record.answers) if record.answers else [],
        "soundness": soundness,
        "missing": [] if comparison is None else [*comparison.builds, *missing_lines(comparison)],
        "plots": plots,
        "menu": {**sections, "words": "Words"},
        "date": written_date(record.date),
        "rate": record.programs / max(record.seconds, 1e-9),
        "drawn": " ".join(_drawn(record)).removeprefix("--"),
        "again": _again(run),
    }


def _again(run: StoredRun) -> Command:
    """The command that draws the same shaders again."""
    record = run.record
    targets = [word for name in record.targets for word in ("--target", name)]
    targets += convergence_option(run.notion)
    if record.plan is not None and (course := record.plan.course) is not None:
        which = [word for name in course.families for word in ("--family", name)]
        which += [word for name, _ in course.near for word in ("--near", name)]
        which += ["--max-statements", str(course.max_statements), "--first", str(course.first)]
        words = ("wgsl-fuzz", "enumerate", *which, "--programs", str(record.programs), *targets)
    else:
        budget = ("--programs", str(record.programs), "--seed", str(record.seed), *_drawn(record))
        words = ("wgsl-fuzz", *targets, *budget)
    return Command("The same shaders again", words)


def report_page(run: StoredRun, earlier: StoredRun | None = None) -> str:
    """The page as HTML, of a run that may be held against an earlier one.

    Everything in it that comes from a shader, a compiler or a record is escaped.
    """
    filters: dict[str, Callable[..., object]] = {"named": named, "capital": capital, "clock": clock, "title_of": title}
    return rendered("report.html", filters, page=page_of(run, earlier), limit=LIMIT)


def _drawn(run: RunRecord) -> tuple[str, str]:
    """The option that says what kinds of shaders were drawn."""
    if run.plan is not None and run.plan.course is not None:
        return "--family", run.plan.course.described
    return "--language", TINY if run.plan is None else run.plan.language
