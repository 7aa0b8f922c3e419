"""Which findings a campaign is about: which are filed, which fail it, and whether it ends with the first of these."""

from dataclasses import dataclass

from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.findings.known import KnownBuckets
from wgsl_fuzz.fuzz.judging.judge import BucketKey, Kind

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

    def fails(self, counters: Counters, known: KnownBuckets) -> bool:
        """Whether a bucket fails the run: one of such a kind, and tied to no issue."""
        return any(self._counts(key) and known.issue_of(key) is None for key in counters.buckets)

    def _counts(self, key: BucketKey) -> bool:
        if key.kind is None:  # of a target without an analysis
            return not self.fail_on.isdisjoint({Kind.UNSOUND, Kind.TOO_LENIENT})
        return key.kind in self.fail_on

    def is_over(self, counters: Counters, known: KnownBuckets) -> bool:
        """Whether the run is to end with what was found so far."""
        return self.stop_on_first and self.fails(counters, known)


EVERYTHING = Concern()
"""All kinds count, and the run goes on."""
