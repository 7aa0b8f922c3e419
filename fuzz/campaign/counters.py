"""What a campaign or an enumeration has done so far."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.known import KnownBuckets
from wgsl_fuzz.fuzz.findings.records import RunRecord
from wgsl_fuzz.fuzz.findings.stats import soundness_of
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Disagreement, Kind
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict


@dataclass(slots=True)
class Counters:
    """The counts that the screen, the record and the summary show."""

    started: float = field(default_factory=time.monotonic)
    before: float = 0.0
    """Seconds that earlier parts of a resumed run took."""
    programs: int = 0
    misses: int = 0
    """Shaders that do not have what the options asked for."""
    reference: Counter[Verdict] = field(default_factory=Counter)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    answers: dict[str, dict[Verdict, int]] = field(default_factory=dict)
    findings: Counter[Kind] = field(default_factory=Counter)
    keys: Counter[BucketKey] = field(default_factory=Counter)
    expected: int = 0
    """How many findings were only counted, as known departures of the target explain them."""
    reduced: dict[BucketKey, bool | None] = field(default_factory=dict, compare=False)
    """By raw bucket, as drawn: whether a reduced finding of it is new; None while the first waits to be reduced."""
    saved: list[Finding] = field(default_factory=list)
    last_finding: float | None = None
    given: int = 0
    """Given shaders, judged before any is drawn; apart from findings no other count includes them."""
    faults: Counter[str] = field(default_factory=Counter)
    """Faults of wgsl-fuzz itself, in words, that the run went on from."""
    reducing: int | None = field(default=None, compare=False)
    """How many reductions are at work or wait, once no more is drawn."""
    to_reduce: int = field(default=0, compare=False)
    """How many reductions wait until workers are free, as long as more is drawn."""
    whole: int | None = field(default=None, compare=False)
    """How many shaders the run is to judge, if that is given."""
    waited: Counter[str] = field(default_factory=Counter, compare=False)
    """Seconds that each target kept workers waiting, in this part of the run."""
    waited_for: int = 0
    """For how many programs workers waited these seconds."""

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def count(self, verdict: Verdict, outcome: Outcome | None, answers: Mapping[str, Answer]) -> None:
        """Counts one shader and the answers about it."""
        self.programs += 1
        self.reference[verdict] += 1
        if outcome is not None:
            self.outcomes[outcome] += 1
        for name, answer in answers.items():
            of_target = self.answers.setdefault(name, {})
            of_target[answer.verdict] = of_target.get(answer.verdict, 0) + 1

    def count_disagreement(self, disagreement: Disagreement) -> None:
        """Counts a finding."""
        self.findings[disagreement.kind] += 1
        self.keys[disagreement.key] += 1
        self.last_finding = time.monotonic()

    def settle(self, key: BucketKey, *, new: bool) -> None:
        """Notes that a finding of a raw bucket, once reduced, is new or known."""
        self.reduced[key] = self.reduced.get(key) or new

    def is_new(self, key: BucketKey, known: KnownBuckets) -> bool | None:
        """Whether nothing of a raw bucket is known, as drawn or reduced; None while a reduction may still tell."""
        return known.issue_of(key) is None and self.reduced.get(key, True)

    @property
    def soundness(self) -> dict[str, int]:
        """What the semantics says of the shaders that the reference accepts."""
        return soundness_of(self.reference, self.outcomes)

    def restore(self, record: RunRecord) -> None:
        """Takes over the counts of a record."""
        self.before, self.started = record.seconds, time.monotonic() - record.seconds
        self.programs = record.programs
        self.reference.update(record.reference)
        self.outcomes.update(record.semantics)
        self.answers |= {name: dict(counts) for name, counts in record.answers.items()}
        self.findings.update(record.findings)
        self.keys.update(record.keys)
        self.misses, self.given, self.expected = record.misses, record.given, record.predicted
        self.faults.update(record.faults)


EVERY_KIND = frozenset(Kind)


@dataclass(frozen=True, slots=True)
class Concern:
    """What the user of a campaign wants to hear of."""

    fail_on: frozenset[Kind] = EVERY_KIND
    """A new finding of such a kind makes the exit status 1."""
    excluded: frozenset[Kind] = frozenset()
    """Findings of these kinds are not filed at all."""
    stop_on_first: bool = False
    """The run ends with the first finding that would fail it."""

    def counts(self, key: BucketKey) -> bool:
        """Whether what is new in a raw bucket fails the run."""
        if key.kind is None:  # of a target without an analysis
            return not self.fail_on.isdisjoint({Kind.UNSOUND, Kind.TOO_LENIENT})
        return key.kind in self.fail_on

    def is_over(self, counters: Counters, known: KnownBuckets) -> bool:
        """Whether the run is to end with what was found so far."""
        return self.stop_on_first and any(self.counts(key) and counters.is_new(key, known) for key in counters.keys)


EVERYTHING = Concern()
"""All kinds count, and the run goes on."""
