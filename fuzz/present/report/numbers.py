"""The report's numbers: the verdict matrix."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from wgsl_fuzz.fuzz.findings.records import RunRecord
from wgsl_fuzz.fuzz.judging.answers import is_device
from wgsl_fuzz.fuzz.judging.judge import BucketKey, Kind, SpellingCause
from wgsl_fuzz.oracle.verdict import Verdict

_ACCEPTS, _REJECTS = Verdict.ACCEPTS, Verdict.REJECTS


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

    @property
    def findings(self) -> int:
        """How many findings the table holds; the target's others are on transformed shaders, or about two verdicts."""
        return sum(cell.shaders for cell in (*self.accepts, *self.rejects) if cell.finding)


def matrices(record: RunRecord, on_twins: Mapping[BucketKey, int] | None = None) -> list[Matrix]:
    """A matrix for each target, from the marginal counts and the buckets of a run's record.

    `on_twins` has the findings, by raw key, on transformed shaders: the marginal counts are of the drawn ones alone.
    A target for which these do not fit together (a run killed between two writes) has no matrix.
    """
    buckets = Counter(record.buckets)
    buckets.subtract(on_twins or {})
    asked = {name: answers for name, answers in record.answers.items() if not is_device(name)}  # these run what is sure
    found = (_matrix(target, record.reference, answers, buckets) for target, answers in asked.items())
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
    unasked = sum(totals) - sum(answers.values())  # of a target that takes a sample
    wrong = bool(others)
    return Matrix(
        target,
        (MatrixCell(accepted), MatrixCell(strict, strict > 0), MatrixCell(rest[0], wrong and rest[0] > 0)),
        (MatrixCell(lenient, lenient > 0), MatrixCell(rejected), MatrixCell(rest[1], wrong and rest[1] > 0)),
        ", ".join([*others, *([f"{unasked:,} not asked"] if unasked > 0 else [])]),
    )


def _spelled(key: BucketKey, verdict: Verdict) -> bool:
    """Whether the verdict differs from the reference's as the shader was spelled only."""
    cause = SpellingCause.parse(key.cause) if key.kind is Kind.UNSTABLE else None
    return cause is not None and cause.drawn is verdict and cause.printed is not None
