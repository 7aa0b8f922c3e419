"""Which other targets share what is in a bucket, and which buckets of theirs it is in.

A bucket is one target's, because so are the decisions about it: compilers have issue trackers and builds of their own.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence

from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.triage.triage import Bucket


def shared_with(bucket: Bucket) -> tuple[str, ...]:
    """The other targets that show findings of a bucket, too: those that share most of them first."""
    often = Counter(name for found in bucket.findings for name in found.record.shared)
    return tuple(sorted(often, key=lambda name: (-often[name], name)))


def counterparts(bucket: Bucket, buckets: Sequence[Bucket]) -> Mapping[str, tuple[Bucket, ...]]:
    """The buckets of those targets that hold a finding on the same shader; none where it was only counted."""
    wanted = {_shader(found): frozenset(found.record.shared) for found in bucket.findings}
    held = defaultdict[str, list[Bucket]](list)
    for other in buckets:
        if other.target != bucket.target and any(other.target in wanted.get(_shader(f), ()) for f in other.findings):
            held[other.target].append(other)
    return {name: tuple(held[name]) for name in shared_with(bucket)}


def _shader(found: Finding) -> Hashable:
    """Equal for findings on one shader of one run."""
    place = found.record.place
    return place.seed, place.index, place.relation, place.family, place.number, place.file
