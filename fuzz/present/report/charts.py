"""The report's charts: what a run did over time, as lines in a box with axes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from wgsl_fuzz.fuzz.findings.records import ProgressLine
from wgsl_fuzz.fuzz.present.plurals import count

APART = 0.01
"""Seconds between two points at least: less says nothing of a rate."""
POINTS = 240
"""Points of a chart: of more, some are left out."""
WIDTH, HEIGHT = 600, 160
_CLOCK = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200)
"""Seconds that may lie between two marks on the axis of time; beyond these, whole days."""
_DAY = 86_400
_MARKS = 4
"""Marks on an axis besides the one at 0, at most."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on an axis: its words, and its place from 0 to 1."""

    words: str
    place: float


@dataclass(frozen=True, slots=True)
class Chart:
    """A line over time: `points` for an SVG polyline in a box of 600 by 160, and the marks of both axes."""

    title: str
    points: str
    across: tuple[Mark, ...]
    """Of time, from the left."""
    up: tuple[Mark, ...]
    """Of what is counted, from below."""
    words: str


@dataclass(frozen=True, slots=True)
class Ends:
    """What a run came to: the charts end with it."""

    seconds: float
    programs: int
    findings: int


def charts(progress: Sequence[ProgressLine], buckets: Sequence[float], ends: Ends) -> list[Chart]:
    """Buckets and findings so far, and shaders per second; `buckets` has the second in which each was first found.

    A chart is left out for which the run recorded nothing.
    """
    if ends.seconds <= 0:
        return []
    drawn = [_so_far("Buckets so far", sorted(buckets), "bucket", ends.seconds)] if buckets else []
    rows = [(0.0, 0, 0), *((p.seconds, p.programs, p.findings) for p in progress if p.seconds < ends.seconds)]
    if len(rows) < 2:
        return drawn
    rows = _onwards([*rows, (ends.seconds, ends.programs, ends.findings)])
    rows = [rows[round(i * (len(rows) - 1) / POINTS)] for i in range(POINTS + 1)] if len(rows) > POINTS else rows
    found = [(row[0], float(row[2])) for row in rows]
    rates = [max(0, b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(rows)]
    steps = [step for (a, b), rate in zip(pairwise(rows), rates, strict=True) for step in ((a[0], rate), (b[0], rate))]
    slowest, fastest = min(rates), max(rates)
    end = ends.seconds
    return [
        *drawn,
        _chart("Findings so far", found, f"{count(ends.findings, 'finding')} at the end", end),
        _chart("Shaders per second", steps, f"between {slowest:,.0f} and {fastest:,.0f} a second", end),
    ]


def _onwards(rows: Sequence[tuple[float, int, int]]) -> list[tuple[float, int, int]]:
    """The rows without those that go back in time (a run that was resumed may have a few); the last one stays."""
    kept: list[tuple[float, int, int]] = []
    for row in rows:
        if not kept or row[0] - kept[-1][0] >= APART:
            kept.append(row)
    if kept[-1] != rows[-1] and len(kept) > 1:
        kept[-1] = rows[-1]
    return kept


def _so_far(title: str, times: Sequence[float], one: str, end: float) -> Chart:
    """A step for each of these times."""
    steps = [(0.0, 0.0)]
    for n, time in enumerate(times, 1):
        steps += [(min(time, end), n - 1.0), (min(time, end), float(n))]
    last = f"{count(len(times), one)}, the last after {clock(times[-1])}"
    return _chart(title, [*steps, (end, float(len(times)))], last, end)


def _chart(title: str, values: Sequence[tuple[float, float]], words: str, end: float) -> Chart:
    unit = unit_of(max(1.0, *(y for _, y in values)))
    top = unit * math.ceil(max(1.0, *(y for _, y in values)) / unit)
    points = " ".join(f"{x / end * WIDTH:.1f},{HEIGHT - y / top * HEIGHT:.1f}" for x, y in values)
    up = tuple(Mark(f"{n * unit:,}", n * unit / top) for n in range(top // unit + 1))
    return Chart(title, points, times(end), up, words)


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
    return tuple(Mark(clock(n * unit) if n else "0", n * unit / end) for n in range(math.floor(end / unit) + 1))


def clock(seconds: float) -> str:
    """`34 s`, `12 min`, `1 h 05 min`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min" if minutes else f"{hours} h"
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min {rest:02} s" if rest else f"{minutes} min"
