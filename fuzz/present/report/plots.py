"""The report's plots of what a run used: memory and the stages of the work over time, findings over shaders."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wgsl_fuzz.fuzz.findings.stats import ROLES, StatsLine
from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.fuzz.present.report.charts import APART, HEIGHT, WIDTH, Mark, times, unit_of
from wgsl_fuzz.fuzz.present.usage import size

POINTS = 120
"""Samples of a plot at most: of more, some are left out."""
_MIB = 1 << 20
_TIME, _SHADERS = "Time since the start", "Shaders"


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


def plots(stats: Sequence[StatsLine]) -> list[Plot]:
    """All that can be drawn of these samples."""
    lines = _onwards(stats)
    if len(lines) < 2:
        return []
    drawn = [
        _over_shaders("Findings by shader", "finding", lines, lambda line: sum(line.findings.values())),
        _over_shaders("Raw buckets by shader", "bucket", lines, lambda line: line.buckets),
        _memory(lines),
        _stages(lines),
    ]
    return [plot for plot in drawn if plot is not None]


def _onwards(stats: Sequence[StatsLine]) -> list[StatsLine]:
    """The samples without those that go back (a run that was resumed may have some); the last one stays."""
    kept: list[StatsLine] = []
    for line in stats:
        while kept and (kept[-1].seconds > line.seconds - APART or kept[-1].programs > line.programs):
            kept.pop()
        kept.append(line)
    return [kept[round(i * (len(kept) - 1) / POINTS)] for i in range(POINTS + 1)] if len(kept) > POINTS else kept


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
