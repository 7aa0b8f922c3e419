"""The end of a campaign in six lines: what was done, how sure it is, what is new, what is known, where to look, the
verdict.

They are the result, and go to standard output. One more line says what was not done, if the run was interrupted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote

from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cli.runs.progress import line
from wgsl_fuzz.fuzz.findings.directory import StorageError
from wgsl_fuzz.fuzz.findings.known import KnownBuckets
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.soundness import soundness_line
from wgsl_fuzz.fuzz.judging.judge import BucketKey, Kind
from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.triage import bucketed

SAVED = 200
"""Of so many findings it takes a moment to say how many buckets `triage` makes of them."""
NAMED = 3
"""So many buckets are named in a line; the others are counted."""
_KINDS = [None, *Kind]


def closing_lines(c: Counters, out: str, known: KnownBuckets, left: str, status: int) -> Iterator[str]:
    """The lines; `left` says what was not done, and is empty if the run came to its end."""
    new, old = new_and_known(c.buckets, known)
    yield line(c).strip()
    yield soundness_line(c.soundness)
    if left:
        yield left
    there = None if left or not c.buckets else _shown_by_triage(Path(out))
    joined = "" if there in (None, len(c.buckets)) else f"; by cause, triage shows {count(there or 0, 'bucket')} in all"
    yield f"new: {_named(new)}{joined}"
    yield f"known: {_named(old)}"
    more = "" if c.buckets else " -o report.html"
    yield f"to look: wgsl-fuzz {'triage' if c.buckets else 'report'} {quote(out)}{more}"
    yield from faults_lines(c.faults)
    yield verdict_line(c.buckets, known, status)


def faults_lines(faults: Mapping[str, int]) -> Iterator[str]:
    """That wgsl-fuzz itself failed, and where first by name; nothing if it did not."""
    if faults:
        named = ", ".join(f"{name} ({n:,})" for name, n in sorted(faults.items())[:NAMED])
        more = f" and {len(faults) - NAMED:,} more" if len(faults) > NAMED else ""
        yield f"faults of wgsl-fuzz itself, which the run went on from (please report them): {named}{more}"


def _shown_by_triage(out: Path) -> int | None:
    """How many buckets `triage` makes of those of a run; None if that is not quickly told."""
    with suppress(StorageError, Problem):
        run = load_run(out)
        return len(bucketed(run)) if len(run.findings) <= SAVED else None
    return None


def verdict_line(buckets: Counter[BucketKey], known: KnownBuckets, status: int) -> str:
    """How many of a run's raw buckets are new, how many are known, and the exit status that follows."""
    new, old = new_and_known(buckets, known)
    return f"{count(len(new), 'new raw bucket')}, {len(old):,} known: exit status {status}"


def new_and_known(buckets: Counter[BucketKey], known: KnownBuckets) -> tuple[Counter[BucketKey], Counter[BucketKey]]:
    """The buckets that are tied to no issue, and those that are."""
    new = Counter({key: n for key, n in buckets.items() if known.issue_of(key) is None})
    return new, buckets - new


def _named(buckets: Counter[BucketKey]) -> str:
    """The most severe buckets with the number of their findings, and how many more there are."""
    if not buckets:
        return "nothing"
    ordered = sorted(buckets.items(), key=lambda item: (_KINDS.index(item[0].kind), -item[1], str(item[0])))
    names = [f"{key} ({n:,})" for key, n in ordered]
    more = [f"and {len(names) - NAMED:,} more"] if len(names) > NAMED else []
    return ", ".join(names[:NAMED] + more)
