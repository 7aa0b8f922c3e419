"""What `replay` prints of a corpus and of a run alike."""

from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.regression.junit import account_lines
from wgsl_fuzz.fuzz.regression.replay import CaseResult, Replay, Status

COLOURS = {Status.STILL: None, Status.FIXED: "green", Status.CHANGED: "red", Status.NEW: "red"}


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
