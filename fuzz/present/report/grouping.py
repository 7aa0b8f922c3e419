"""A run's findings as the report shows them: the buckets of triage, and how many findings there are of what kind."""

from collections import Counter
from dataclasses import dataclass

from fuzz.findings.directory import lines_of
from fuzz.findings.loading import StoredFinding, StoredRun
from fuzz.judging.judge import NOT_IMPLEMENTED, Kind
from fuzz.present.titles import causes
from fuzz.triage.order import triage_of
from fuzz.triage.triage import Bucket, Triage


@dataclass(frozen=True, slots=True)
class Group:
    """A bucket; `kind` and `cause` are those of the finding to show, the first."""

    number: int
    """As in triage."""
    key: str
    target: str
    kind: Kind
    cause: str
    branch: str
    """The branch of the rules whose breaking explains every finding; empty: none does."""
    what: str
    """What it is, in a few words: no two of one target and kind have the same."""
    count: int
    """How often it was found, be it saved or only counted."""
    known: str
    """The issue that a person tied it to; empty: none."""
    dropped: str
    """Why a person dropped it; empty: nobody did."""
    after: float | None
    """Seconds from the start of the run to its first finding, if that is recorded."""
    findings: tuple[StoredFinding, ...]
    """Those on disk, the best to show first; empty if all of them were only counted."""

    @property
    def settled(self) -> bool:
        """Whether a person decided about it."""
        return bool(self.known or self.dropped)

    @property
    def declared(self) -> bool:
        """Whether it is what a target declares: to have no uniformity analysis."""
        return self.cause == NOT_IMPLEMENTED


def groups_of(run: StoredRun) -> list[Group]:
    """The buckets in the order of triage, with its numbers. Raises Problem if what people decided is damaged."""
    triage = triage_of(run)
    said = causes(triage.buckets)
    return [_group(n, bucket, said[n - 1], triage) for n, bucket in enumerate(triage.buckets, 1)]


def _group(number: int, bucket: Bucket, what: str, triage: Triage) -> Group:
    cause = str(bucket.findings[0].record.get("cause", "")) if bucket.findings else _rest(bucket.name, bucket.target)[1]
    return Group(
        number,
        bucket.name,
        bucket.target,
        bucket.kind,
        NOT_IMPLEMENTED if bucket.declared else cause,
        bucket.branch or "",
        what,
        bucket.count,
        bucket.issue or "",
        triage.dropped.get(bucket.name, ""),
        bucket.first_seen,
        bucket.findings,
    )


Totals = dict[tuple[str, Kind | None], int]
"""How many findings there are of a target and kind; the kind is None for what a target declares."""


def totals_of(run: StoredRun) -> Totals:
    """All findings by target and kind, also those that were only counted."""
    saved = Counter(finding.key for finding in run.findings)
    targets = {finding.key: finding.target for finding in run.findings}
    recorded = Counter({str(key): int(n) for key, n in (run.record.get("buckets") or {}).items()})
    here = saved + run.counted()  # of a run that was killed these are newer than its record
    totals: Totals = {}
    for key in dict.fromkeys([*recorded, *here]):
        target = targets.get(key) or _target(key, list(run.record.get("targets") or {}))
        kind = None if key.endswith(NOT_IMPLEMENTED) else _rest(key, target)[0]
        totals[target, kind] = totals.get((target, kind), 0) + max(recorded[key], here[key])
    return totals


def on_twins(run: StoredRun) -> Counter[str]:
    """How many findings of each raw key are on a shader that a relation made of a drawn one."""
    saved = (f.key for f in run.findings if f.record.get("relation") and f.kind is not Kind.METAMORPHIC)
    counted = lines_of(run.path / "counted.jsonl")
    return Counter(saved) + Counter(
        str(line["key"])
        for line in counted
        if line.get("relation") and "key" in line and line.get("kind") != Kind.METAMORPHIC.value
    )


def _target(key: str, names: list[str]) -> str:
    """Whose raw key it is: a target's name may hold spaces."""
    return next((name for name in names if key.startswith(f"{name} ")), key.partition(" ")[0])


def _rest(key: str, target: str) -> tuple[Kind | None, str]:
    """The kind and the cause in a raw key."""
    kind, _, cause = key.removeprefix(f"{target} ").partition(" ")
    return next((k for k in Kind if k.value == kind), None), cause


def statements(finding: StoredFinding) -> int | None:
    """How many statements the shader shown has; None if nobody counted."""
    sizes = finding.record.get("statements") or {}
    n = sizes.get("reduced", sizes.get("drawn"))
    return int(n) if n is not None else None
