"""One line for a bucket: the target and the cause. The kind is left out, because it is always shown beside the line."""

from collections import Counter
from collections.abc import Sequence

from wgsl_fuzz.fuzz.judging.certainty import Certainty
from wgsl_fuzz.fuzz.judging.departures import variants_in
from wgsl_fuzz.fuzz.judging.judge import NOT_IMPLEMENTED, UNEXPLAINED, VERDICTS_DIFFER, FineKey, Kind, RelationCause
from wgsl_fuzz.fuzz.triage.triage import Bucket
from wgsl_fuzz.oracle.rules.in_words import coincidence_in_words, predicates

IN_NO_KNOWN_WAY = "no known departure explains it"
"""What people read for a cause that nothing known explains."""


def titles(buckets: Sequence[Bucket]) -> list[str]:
    """A title for each bucket: no two buckets of one kind have the same."""
    return [f"{bucket.target} {what}" for bucket, what in zip(buckets, causes(buckets), strict=True)]


def causes(buckets: Sequence[Bucket]) -> list[str]:
    """What each bucket is, without its target: no two of one target and kind are the same."""
    said = [cause(bucket) for bucket in buckets]
    places = list(zip((b.target for b in buckets), (b.kind for b in buckets), said, strict=True))
    often = Counter(places)
    return [
        what if often[place] == 1 else bucket.key.described
        for bucket, what, place in zip(buckets, said, places, strict=True)
    ]


def cause(bucket: Bucket) -> str:
    """A bucket's cause as short as can be: what the target does by its departures from the rules, else the raw key's
    cause and the constructs."""
    if bucket.declared:
        return NOT_IMPLEMENTED
    key = bucket.key
    named = variants_in(key.cause) if bucket.kind in VERDICTS_DIFFER else []
    told = predicates([bucket.branch] if bucket.branch is not None else [it.name for it in named])
    if told and bucket.certainty is Certainty.UNKNOWN:
        told = f"cause unknown, fits: {told}"
    if bucket.branch is not None:
        return told
    told = told or key.cause.replace(UNEXPLAINED, IN_NO_KNOWN_WAY, 1)
    if isinstance(key, FineKey):
        return f"{told}: {key.constructs}"
    return _broken(key.cause) if bucket.kind is Kind.METAMORPHIC else told


def guess(bucket: Bucket) -> str:
    """That what fits its findings may not be their cause; empty where the cause is sure, and where nothing fits."""
    if bucket.certainty is not Certainty.UNKNOWN:
        return ""
    if bucket.branch is not None:
        return coincidence_in_words(bucket.branch, bucket.fitting)
    named = variants_in(bucket.findings[0].record.cause)
    told = predicates(it.name for it in named)
    return f"cause unknown; of the departures of other compilers and texts this fits first: it {told}" if told else ""


def _broken(cause: str) -> str:
    known = RelationCause.parse(cause)
    told = predicates(it.name for it in variants_in(known.why)) or known.why
    return f"breaks the relation “{known.relation}”" + (f": {told}" if told else "")
