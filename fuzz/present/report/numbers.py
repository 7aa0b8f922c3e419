"""The report's numbers: the verdict matrix, which rules decided shaders, and the course of the run over time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wgsl_fuzz.fuzz.findings.records import ProgressLine, RunRecord
from wgsl_fuzz.fuzz.judging.judge import BucketKey, Kind, SpellingCause
from wgsl_fuzz.oracle.rules.in_words import branch_in_words
from wgsl_fuzz.oracle.rules.variants import KILLABLE
from wgsl_fuzz.oracle.verdict import Verdict

_ACCEPTS, _REJECTS = Verdict.ACCEPTS, Verdict.REJECTS
APART = 0.01
"""Seconds between two points at least: less says nothing of a rate."""
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


def matrices(record: RunRecord, on_twins: Mapping[BucketKey, int] | None = None) -> list[Matrix]:
    """A matrix for each target, from the marginal counts and the buckets of a run's record.

    `on_twins` has the findings, by raw key, on transformed shaders: the marginal counts are of the drawn ones alone.
    A target for which these do not fit together (a run killed between two writes) has no matrix.
    """
    buckets = Counter(record.buckets)
    buckets.subtract(on_twins or {})
    found = (_matrix(target, record.reference, answers, buckets) for target, answers in record.answers.items())
    return [matrix for matrix in found if matrix is not None]


def _matrix(
    target: str, reference: Mapping[Verdict, int], answers: Mapping[Verdict, int], buckets: Mapping[BucketKey, int]
) -> Matrix | None:
    own = [(key, n) for key, n in buckets.items() if key.target == target]
    lenient = sum(n for key, n in own if key.kind in (None, Kind.UNSOUND, Kind.TOO_LENIENT) or _spelled(key, _ACCEPTS))
    strict = sum(n for key, n in own if key.kind is Kind.TOO_STRICT or _spelled(key, _REJECTS))
    accepted = answers.get(_ACCEPTS, 0) - lenient
    rejected = answers.get(_REJECTS, 0) - strict
    rows = (accepted, strict), (lenient, rejected)
    totals = reference.get(_ACCEPTS, 0), reference.get(_REJECTS, 0)
    rest = [total - sum(row) for total, row in zip(totals, rows)]
    if min(*rows[0], *rows[1], *rest) < 0:
        return None
    others = [f"{n:,} {said.value}" for said, n in answers.items() if n and said not in (_ACCEPTS, _REJECTS)]
    return Matrix(
        target,
        (MatrixCell(accepted), MatrixCell(strict, strict > 0), MatrixCell(rest[0], rest[0] > 0)),
        (MatrixCell(lenient, lenient > 0), MatrixCell(rejected), MatrixCell(rest[1], rest[1] > 0)),
        ", ".join(others),
    )


def _spelled(key: BucketKey, verdict: Verdict) -> bool:
    """Whether the verdict differs from the reference's as the shader was spelled only."""
    cause = SpellingCause.parse(key.cause) if key.kind is Kind.UNSTABLE else None
    return cause is not None and cause.drawn is verdict and cause.printed is not None


@dataclass(frozen=True, slots=True)
class BranchShare:
    """A branch of the rules: `share` is its count as a share of the largest, from 0 to 1."""

    words: str
    """The branch, in the paper's words."""
    broken: str
    """Where it is in the rules, and how it was broken."""
    decided: int
    share: float


def branches(record: RunRecord) -> list[BranchShare]:
    """Each branch and how many shaders it decided, those that decided none first; empty if that was not recorded."""
    decided = record.coverage
    if decided is None:
        return []
    most = max([1, *decided.values()])
    rows = [
        BranchShare(m.branch, branch_in_words(m.name), n, n / most) for m in KILLABLE for n in [decided.get(m.name, 0)]
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


def charts(progress: Sequence[ProgressLine]) -> list[Chart]:
    """Shaders per second, and findings so far; empty with less than two points to join."""
    rows = _onwards([(0.0, 0, 0), *((p.seconds, p.programs, p.findings) for p in progress)])
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


def _chart(title: str, values: Sequence[tuple[float, float]], words: str) -> Chart:
    end, top = values[-1][0], max(1.0, *(y for _, y in values))
    points = " ".join(f"{x / end * WIDTH:.1f},{HEIGHT - y / top * HEIGHT:.1f}" for x, y in values)
    return Chart(title, points, top, end, words)
