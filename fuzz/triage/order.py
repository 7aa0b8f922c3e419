"""The order of a run's buckets: one for triage and the report. Their numbers stay what they are."""

from pathlib import Path

from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.since import Comparison, compared
from wgsl_fuzz.fuzz.triage.triage import Triage

STATES = ("new", "seen", "known", "dropped")


def triage_of(run: StoredRun, known_file: Path | None = None) -> Triage:
    """The run's buckets and what was decided, in the order that people see. Raises Problem."""
    triage = Triage.of(run, known_file)
    put_in_order(triage)
    return triage


def triage_since(run: StoredRun, earlier: StoredRun, known_file: Path | None = None) -> tuple[Triage, Comparison]:
    """The same of a run that is held against an earlier one. Raises Problem."""
    if run.path.resolve() == earlier.path.resolve():
        raise Problem(f"{run.path} is to be compared with itself")
    triage = Triage.of(run, known_file, earlier)
    comparison = compared(run, triage.buckets, earlier)
    triage.seen = comparison.seen
    put_in_order(triage)
    return triage, comparison


def put_in_order(triage: Triage) -> None:
    """New buckets before those seen before, known and dropped ones; within each as they are: by severity, then by
    count.
    """
    triage.buckets.sort(key=lambda bucket: STATES.index(triage.state(bucket)))


def about_to_be_shown(triage: Triage) -> None:
    """Puts the buckets in order, and keeps the numbers that people will read."""
    put_in_order(triage)
    triage.keep_numbers()
