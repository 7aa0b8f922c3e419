"""What `replay` is asked for, and what it prints, of a corpus and of a run alike."""

from dataclasses import dataclass, replace
from pathlib import Path

from wgsl_fuzz.fuzz.findings.known import FILE, load_known
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.regression.junit import account_lines
from wgsl_fuzz.fuzz.regression.replay import CaseResult, Replay, Status
from wgsl_fuzz.fuzz.shipped import corpus_folder

COLOURS = {Status.STILL: None, Status.FIXED: "green", Status.CHANGED: "red", Status.NEW: "red"}


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """What to ask, and how to say what came of it."""

    folder: Path | None
    names: tuple[str, ...]
    like: str | None
    known_file: Path | None
    junitxml: Path | None
    as_json: bool
    timeout: float
    strict: bool
    verbose: bool
    recording: bool


def with_issues(results: list[CaseResult], it: ReplayRequest) -> list[CaseResult]:
    """The results with the issues of their buckets; the case's is that of a bucket nobody knows."""
    shipped = (it.folder or corpus_folder()) / FILE
    if it.known_file is None and not shipped.exists():
        return results
    known = load_known(it.known_file or shipped)
    return [replace(r, issue=known.issue_of(r.bucket) or r.issue) if r.bucket else r for r in results]


def details(done: Replay) -> None:
    """All that is to be said of what fails, and what cannot be judged."""
    for result in done.results:
        if result.fails:
            echo("\n" + "\n".join(account_lines(result)))
    for line in done.unreadable:
        echo(f"wgsl-fuzz: cannot be judged: {line}", err=True)


def result_json(r: CaseResult) -> dict[str, object]:
    """A result as JSON has it (docs/commands.md)."""
    return {
        "case": r.entry.name,
        "oracle": r.oracle,
        "word": r.word.value,
        "says": r.said,
        "expected": r.expected,
        "recorded": r.recorded,
        "record": r.record,
        "kind": r.kind,
        "bucket": r.bucket and str(r.bucket),
        "issue": r.issue,
    }
