"""The report's plots: what a run found and used over time, and over shaders, as curves in a box with axes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from wgsl_fuzz.fuzz.findings.stats import ROLES, StatsLine
from wgsl_fuzz.fuzz.present.wording import count, size

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
_MIB = 1 << 20
_Row = TypeVar("_Row")
_TIME, _SHADERS = "Time since the start", "Shaders"


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on an axis: its words, and its place from 0 to 1."""

    words: str
    place: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve or, stacked on others, an area: its points, and what the legend says of it."""

    name: str
    words: str
    points: str


@dataclass(frozen=True, slots=True)
class Plot:
    """Curves in a box of 600 by 160, with the marks of both axes; `stacked` ones are areas."""

    title: str
    words: str
    curves: tuple[Curve, ...]
    across: tuple[Mark, ...]
    up: tuple[Mark, ...]
    axis: str
    """What is counted from left to right."""
    stacked: bool = False


@dataclass(frozen=True, slots=True)
class Ends:
    """What a run came to: the charts end with it."""

    seconds: float
    programs: int
    findings: int


def charts(stats: Sequence[StatsLine], buckets: Sequence[float], ends: Ends) -> list[Plot]:
    """Buckets and findings so far, and shaders per second; `buckets` has the second in which each was first found.

    A plot is left out for which the run recorded nothing.
    """
    if ends.seconds <= 0:
        return []
    drawn = [_buckets(sorted(buckets), ends.seconds)] if buckets else []
    lines = [line for line in stats if line.programs and line.seconds < ends.seconds]
    rows = [(0.0, 0, 0), *((line.seconds, line.programs, sum(line.findings.values())) for line in lines)]
    kept = _thinned(_onwards([*rows, (ends.seconds, ends.programs, ends.findings)]))
    if not lines or len(kept) < 2:
        return drawn
    found = [(row[0], float(row[2])) for row in kept]
    rates = [max(0, b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(kept)]
    steps = [step for (a, b), rate in zip(pairwise(kept), rates, strict=True) for step in ((a[0], rate), (b[0], rate))]
    slowest, fastest = min(rates), max(rates)
    return [
        *drawn,
        _over_time("Findings so far", found, f"{count(ends.findings, 'finding')} at the end", ends.seconds),
        _over_time("Shaders per second", steps, f"between {slowest:,.0f} and {fastest:,.0f} a second", ends.seconds),
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


def _buckets(times: Sequence[float], end: float) -> Plot:
    """A step for the time of each bucket."""
    steps = [(0.0, 0.0)]
    for n, time in enumerate(times, 1):
        steps += [(min(time, end), n - 1.0), (min(time, end), float(n))]
    last = f"{count(len(times), 'bucket')}, the last after {clock(times[-1])}"
    return _over_time("Buckets so far", [*steps, (end, float(len(times)))], last, end)


def _over_time(title: str, values: Sequence[tuple[float, float]], words: str, end: float) -> Plot:
    top, up = _axis(max(y for _, y in values))
    return Plot(title, words, (Curve("", "", _points(values, end, top)),), times(end), up, _TIME)


def plots(stats: Sequence[StatsLine]) -> list[Plot]:
    """All that can be drawn of these samples."""
    lines = _thinned(_forwards(stats))
    if len(lines) < 2:
        return []
    drawn = [
        _over_shaders("Findings by shader", "finding", lines, lambda line: sum(line.findings.values())),
        _over_shaders("Buckets by shader (before any are joined)", "bucket", lines, lambda line: line.buckets),
        _memory(lines),
        _stages(lines),
    ]
    return [plot for plot in drawn if plot is not None]


def _forwards(stats: Sequence[StatsLine]) -> list[StatsLine]:
    """The samples without those that go back (a run that was resumed may have some); the last one stays."""
    kept: list[StatsLine] = []
    for line in stats:
        while kept and (kept[-1].seconds >= line.seconds or kept[-1].programs > line.programs):
            kept.pop()
        kept.append(line)
    return kept


def _thinned(rows: Sequence[_Row]) -> Sequence[_Row]:
    """At most POINTS + 1 of the rows, the first and the last among them."""
    return rows if len(rows) <= POINTS else [rows[round(i * (len(rows) - 1) / POINTS)] for i in range(POINTS + 1)]


def _points(values: Sequence[tuple[float, float]], end: float, top: float) -> str:
    return " ".join(f"{x / end * WIDTH:.1f},{HEIGHT - y / top * HEIGHT:.1f}" for x, y in values)


def _over_shaders(
    title: str, noun: str, lines: Sequence[StatsLine], counted: Callable[[StatsLine], int]
) -> Plot | None:
    """How many there were after how many shaders."""
    end = lines[-1].programs
    values = [(0.0, 0.0), *((line.programs, min(counted(line), counted(lines[-1]))) for line in lines)]
    if end <= 0:
        return None
    top, up = _axis(max(y for _, y in values))
    curve = Curve("", "", _points(values, end, top))
    unit = unit_of(end)
    across = tuple(Mark(f"{n * unit:,}", n * unit / end) for n in range(end // unit + 1))
    words = f"{count(counted(lines[-1]), noun)} on {count(end, 'shader')}"
    return Plot(title, words, (curve,), across, up, _SHADERS)


def _axis(most: float) -> tuple[float, tuple[Mark, ...]]:
    """The top of an axis upwards, and its marks: whole numbers."""
    unit = unit_of(max(1.0, most))
    steps = max(1, -int(-most // unit))
    return unit * steps, tuple(Mark(f"{n * unit:,}", n / steps) for n in range(steps + 1))


def _memory(lines: Sequence[StatsLine]) -> Plot | None:
    """Resident memory by role."""
    roles = [role for role in ROLES if any(role in line.memory for line in lines)]
    end, sums = lines[-1].seconds, [sum(one.bytes for one in line.memory.values()) for line in lines]
    if not roles:
        return None
    each = {role: [line.memory[role].bytes if role in line.memory else 0 for line in lines] for role in roles}
    top, up = _axis(max(max(of_role) for of_role in each.values()) / _MIB)
    curves = []
    for role, sizes in each.items():
        points = [(line.seconds, n / _MIB) for line, n in zip(lines, sizes, strict=True)]
        curves.append(Curve(role, f"{size(sizes[-1])}, at most {size(max(sizes))}", _points(points, end, top)))
    words = f"{size(sums[-1])} at the end, at most {size(max(sums))}"
    return Plot("Memory in MiB", words, tuple(curves), times(end), up, _TIME)


def _stages(lines: Sequence[StatsLine]) -> Plot | None:
    """The share of each stage in the processor time between two samples, one on top of the other."""
    stages = list(lines[-1].times)
    rows = []
    for before, after in pairwise(lines):
        spent = [max(0.0, after.times.get(stage, 0.0) - before.times.get(stage, 0.0)) for stage in stages]
        if whole := sum(spent):
            rows.append((before.seconds, after.seconds, [one / whole for one in spent]))
    whole = sum(lines[-1].times.values())
    if not rows or not whole:
        return None
    curves, end = [], lines[-1].seconds
    below = [0.0] * len(rows)
    for i, stage in enumerate(stages):
        above = [min(1.0, low + row[2][i]) for low, row in zip(below, rows, strict=True)]
        edge = [(x, y) for row, y in zip(rows, above, strict=True) for x in row[:2]]
        floor = [(x, y) for row, y in zip(rows, below, strict=True) for x in row[:2]]
        share = 100 * lines[-1].times[stage] / whole
        words = f"{share:.0f} %" if share >= 1 or not share else "under 1 %"
        curves.append(Curve(stage, words, _points([*edge, *reversed(floor)], end, 1.0)))
        below = above
    up = tuple(Mark(f"{n} %", n / 100) for n in range(0, 101, 25))
    words = f"shares of {whole:,.0f} s of processor time"
    return Plot("Where the time goes", words, tuple(curves), times(end), up, _TIME, stacked=True)


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
