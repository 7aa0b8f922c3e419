"""What histories store beside what runs do, as types (`fuzz.findings.records`)."""

from dataclasses import dataclass, field

from wgsl_fuzz.fuzz.findings.records import CampaignRecord
from wgsl_fuzz.fuzz.judging.judge import BucketKey


@dataclass(frozen=True, kw_only=True, slots=True)
class MergedRun:
    """A run of a history, in short; its state has the whole record."""

    id: str
    name: str
    """Of the folder that it was in."""
    date: str | None = None
    seed: int | None = None
    language: str | None = None
    """What was drawn; of an enumeration None."""
    programs: int = 0
    seconds: float = 0.0
    findings: int = 0
    targets: dict[str, str] = field(default_factory=dict)


@dataclass(kw_only=True, slots=True)
class HistoryRecord(CampaignRecord):
    """The run.json of several runs that were merged: the counts are sums."""

    runs: tuple[MergedRun, ...]
    """The oldest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayLine:
    """A line of replays.jsonl: what a target said of findings when it was asked again."""

    date: str
    """When it was asked, in UTC: `2026-11-22T03:00:00Z`."""
    target: str
    family: str
    """What all its builds have in common: `tint`."""
    origin: str = ""
    finding_class: str
    """The class of the findings (`fuzz.findings.history.class_of`)."""
    bucket: BucketKey
    """Their raw bucket."""
    word: str
    """As of `replay`: `fixed`, `still`, `changed` or `new`."""
