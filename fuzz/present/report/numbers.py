"""The report's numbers: the verdict matrix, which rules decided shaders, and the course of the run over time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fuzz.judging.judge import NOT_IMPLEMENTED, Kind
from oracle.rules.variants import KILLABLE, in_current_names
from oracle.verdict import Verdict

APART = 0.01
"""Seconds between two points at least: less says nothing of a rate."""
_SPELLED_ACCEPTED, _SPELLED_REJECTED = "unstable accepts as drawn, ", "unstable rejects as drawn, "
"""Raw keys of verdicts that differ from the reference's as the shader was spelled only."""
POINTS = 240
"""Points of a chart: of more, some are left out."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """How many shaders got these two verdicts; `finding` if that is a disagreement."""

    shaders: int
    finding: bool = False


@dataclass(frozen=True, slots=True)
class Matrix:
    """The reference's verdicts against a target's: rows accepts, rejects; columns accepts, rejects, neither."""

    target: str
    accepts: tuple[MatrixCell, MatrixCell, MatrixCell]
    rejects: tuple[MatrixCell, MatrixCell, MatrixCell]
    neither: str
    """Of what the last column consists; empty if it is empty."""


def matrices(record: Mapping[str, Any], on_twins: Mapping[str, int] | None = None) -> list[Matrix]:
    """A matrix for each target, from the marginal counts and the buckets of a run's record.

    `on_twins` has the findings, by raw key, on transformed shaders: the marginal counts are of the drawn ones alone.
    A target for which these do not fit together (a run killed between two writes) has no matrix.
    """
    found = []
    buckets = Counter({str(key): int(n) for key, n in (record.get("buckets") or {}).items()})
    buckets.subtract(on_twins or {})
    for target, answers in (record.get("answers") or {}).items():
        matrix = _matrix(target, record.get("reference") or {}, answers, buckets)
        if matrix is not None:
            found.append(matrix)
    return found


def _matrix(
    target: str, reference: Mapping[str, int], answers: Mapping[str, int], buckets: Mapping[str, int]
) -> Matrix | None:
    lenient = _found(buckets, target, Kind.UNSOUND.value, Kind.TOO_LENIENT.value, NOT_IMPLEMENTED, _SPELLED_ACCEPTED)
    strict = _found(buckets, target, Kind.TOO_STRICT.value, _SPELLED_REJECTED)
    accepted = answers.get(Verdict.ACCEPTS.value, 0) - lenient
    rejected = answers.get(Verdict.REJECTS.value, 0) - strict
    rows = (accepted, strict), (lenient, rejected)
    totals = reference.get(Verdict.ACCEPTS.value, 0), reference.get(Verdict.REJECTS.value, 0)
    rest = [total - sum(row) for total, row in zip(totals, rows)]
    if min(*rows[0], *rows[1], *rest) < 0:
        return None
    others = [f"{n:,} {word}" for word, n in answers.items() if n and word not in ("accepts", "rejects")]
    return Matrix(
        target,
        (MatrixCell(accepted), MatrixCell(strict, strict > 0), MatrixCell(rest[0], rest[0] > 0)),
        (MatrixCell(lenient, lenient > 0), MatrixCell(rejected), MatrixCell(rest[1], rest[1] > 0)),
        ", ".join(others),
    )


def _found(buckets: Mapping[str, int], target: str, *words: str) -> int:
    return sum(n for key, n in buckets.items() if any(key.startswith(f"{target} {word}") for word in words))


@dataclass(frozen=True, slots=True)
class BranchShare:
    """A branch of the rules: `share` is its count as a share of the largest, from 0 to 1."""

    rule: str
    line: str
    words: str
    broken: str
    decided: int
    share: float


def branches(record: Mapping[str, Any]) -> list[BranchShare]:
    """Each branch and how many shaders it decided, those that decided none first; empty if that was not recorded."""
    decided: Mapping[str, int] | None = record.get("coverage")
    if decided is None:
        return []
    decided = {in_current_names(name): n for name, n in decided.items()}
    most = max([1, *decided.values()])
    rows = [
        BranchShare(m.rule, m.line.replace("-", " "), m.branch, m.what.replace("-", " "), n, n / most)
        for m in KILLABLE
        for n in [int(decided.get(m.name, 0))]
    ]
    return sorted(rows, key=lambda row: row.decided)


@dataclass(frozen=True, slots=True)
class Chart:
    """A line over time: `points` for an SVG polyline in a box of 600 by 160, and what the axes end with."""

    title: str
    points: str
    top: float
    seconds: float
    words: str


WIDTH, HEIGHT = 600, 160


def charts(progress: Sequence[Mapping[str, Any]]) -> list[Chart]:
    """Shaders per second, and findings so far; empty with less than two points to join."""
    rows = [(float(p["seconds"]), int(p["programs"]), int(p["findings"])) for p in progress if _whole(p)]
    rows = _onwards([(0.0, 0, 0), *rows])
    if len(rows) < 3:
        return []
    rows = [rows[round(i * (len(rows) - 1) / POINTS)] for i in range(POINTS + 1)] if len(rows) > POINTS else rows
    rates = [(b[0], max(0, b[1] - a[1]) / (b[0] - a[0])) for a, b in pairwise(rows)]
    slowest, fastest = min(rate for _, rate in rates), max(rate for _, rate in rates)
    found = [(row[0], float(row[2])) for row in rows]
    return [
        _chart("Shaders per second", rates, f"between {slowest:,.0f} and {fastest:,.0f} a second"),
        _chart("Findings so far", found, f"{found[-1][1]:,.0f} at the end"),
    ]


def _onwards(rows: Sequence[tuple[float, int, int]]) -> list[tuple[float, int, int]]:
    """The rows without those that go back in time: a run that was resumed may have a few."""
    kept: list[tuple[float, int, int]] = []
    for row in rows:
        if not kept or row[0] - kept[-1][0] >= APART:
            kept.append(row)
    return kept


def _whole(point: Mapping[str, Any]) -> bool:
    return all(isinstance(point.get(name), int | float) for name in ("seconds", "programs", "findings"))


def _chart(title: str, values: Sequence[tuple[float, float]], words: str) -> Chart:
    end, top = values[-1][0], max(1.0, *(y for _, y in values))
    points = " ".join(f"{x / end * WIDTH:.1f},{HEIGHT - y / top * HEIGHT:.1f}" for x, y in values)
    return Chart(title, points, top, end, words)
