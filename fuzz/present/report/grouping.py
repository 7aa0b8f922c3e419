"""A run's findings as the report shows them: the buckets of triage, and how many findings there are of what kind."""

from collections import Counter
from dataclasses import dataclass

from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.judging.judge import NOT_IMPLEMENTED, BucketKey, FineKey, Kind
from wgsl_fuzz.fuzz.present.titles import causes, guess
from wgsl_fuzz.fuzz.triage.order import about_to_be_shown, triage_of, triage_since
from wgsl_fuzz.fuzz.triage.replayed import in_words
from wgsl_fuzz.fuzz.triage.since import Comparison
from wgsl_fuzz.fuzz.triage.triage import Bucket, Triage


@dataclass(frozen=True, slots=True)
class Group:
    """A bucket; `kind` and `cause` are those of the finding to show, the first."""

    number: int
    """As in triage."""
    key: BucketKey | FineKey
    target: str
    kind: Kind
    cause: str
    branch: str
    """The branch of the rules whose breaking explains every finding; empty: none does."""
    guess: str
    """That what fits every finding may not be the cause, in words; empty: it is, or nothing fits."""
    what: str
    """What it is, in a few words: no two of one target and kind have the same."""
    count: int
    """How often it was found, be it saved or only counted."""
    known: str
    """The issue that a person tied it to; empty: none."""
    dropped: str
    """Why a person dropped it; empty: nobody did."""
    seen: str
    """The earlier run that had it, too; empty: none, or the run was held against none."""
    replayed: str
    """What targets said when they were asked again; empty: nobody asked."""
    after: float | None
    """Seconds from the start of the run to its first finding, if that is recorded."""
    findings: tuple[Finding, ...]
    """Those on disk, the best to show first; empty if all of them were only counted."""

    @property
    def settled(self) -> bool:
        """Whether a person decided about it, or it is no news."""
        return bool(self.known or self.dropped or self.seen)

    @property
    def declared(self) -> bool:
        """Whether it is what a target declares: to have no uniformity analysis."""
        return self.cause == NOT_IMPLEMENTED


def groups_of(run: StoredRun) -> list[Group]:
    """The buckets in the order of triage, with its numbers, which are kept from now on.

    Raises Problem if what people decided is damaged.
    """
    return _groups(triage_of(run), "")


def groups_since(run: StoredRun, earlier: StoredRun) -> tuple[list[Group], Comparison]:
    """The same of a run that is held against an earlier one. Raises Problem."""
    triage, comparison = triage_since(run, earlier)
    return _groups(triage, str(earlier.path)), comparison


def _groups(triage: Triage, before: str) -> list[Group]:
    about_to_be_shown(triage)
    said = causes(triage.buckets)
    return [_group(bucket, what, triage, before) for bucket, what in zip(triage.buckets, said, strict=True)]


def _group(bucket: Bucket, what: str, triage: Triage, before: str) -> Group:
    cause = bucket.findings[0].record.cause if bucket.findings else bucket.key.cause
    return Group(
        triage.number(bucket),
        bucket.key,
        bucket.target,
        bucket.kind,
        NOT_IMPLEMENTED if bucket.declared else cause,
        bucket.branch or "",
        guess(bucket),
        what,
        bucket.count,
        bucket.issue or "",
        triage.dropped.get(bucket.name, ""),
        before if bucket.name in triage.seen else "",
        in_words(triage.replayed.get(bucket.name, {})),
        bucket.first_seen,
        bucket.findings,
    )


Totals = dict[tuple[str, Kind | None], int]
"""How many findings there are of a target and kind; the kind is None for what a target declares."""


def totals_of(run: StoredRun) -> Totals:
    """All findings by target and kind, saved or only counted: as many as triage has."""
    totals: Totals = {}
    saved = Counter[BucketKey]()
    for found in run.findings:
        saved[found.key] += found.count
    for key, n in (saved + run.counted).items():
        place = key.target, key.kind
        totals[place] = totals.get(place, 0) + n
    return totals


def on_twins(run: StoredRun) -> Counter[BucketKey]:
    """How many findings of each raw key are on a shader that a relation made of a drawn one."""
    if run.runs:
        return run.counted_twins
    saved = (f.key for f in run.findings if f.record.place.relation and f.kind is not Kind.METAMORPHIC)
    return Counter(saved) + run.counted_twins
