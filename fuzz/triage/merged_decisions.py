"""What people decided about runs that are merged, and what was noted of their findings: all of it stays.

Where two runs differ, what the history says counts, else what comes first in the order of texts: never the order in
which runs are merged.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import orjson

from wgsl_fuzz.fuzz.files import read_plain
from wgsl_fuzz.fuzz.findings.directory import REPLAYS, lines_of, stored_json, write_atomically
from wgsl_fuzz.fuzz.findings.history_records import ReplayLine
from wgsl_fuzz.fuzz.findings.known import FILE, add_all, load_known
from wgsl_fuzz.fuzz.findings.records import TriageRecord
from wgsl_fuzz.fuzz.findings.schema import RecordError, read, to_json, write
from wgsl_fuzz.fuzz.problems import Problem

DECISIONS = "triage.json"
"""The file of what was dropped, in the folder of a run or a history."""


def read_decisions(folder: Path) -> TriageRecord | None:
    """What people decided about a run; None if nobody did. Raises Problem."""
    path = folder / DECISIONS
    if not path.exists() and not path.is_symlink():
        return None
    try:
        return read(TriageRecord, stored_json(read_plain(path)))
    except OSError as error:
        raise Problem(f"cannot read {path}: {error.strerror}") from error
    except RecordError as error:
        raise Problem(error.about(path)) from error


def merge_decisions(folder: Path, sources: Sequence[Path]) -> None:
    """Adds to a history what was decided and noted in other folders. Raises Problem, StorageError."""
    _merge_known(folder, sources)
    own = read_decisions(folder) or TriageRecord(dropped={})
    theirs = [record for source in sources if (record := read_decisions(source)) is not None]
    pairs = sorted((name, reason) for record in theirs for name, reason in record.dropped.items())
    dropped = dict(reversed(pairs)) | own.dropped
    if dropped != own.dropped:
        ordered = dict(sorted(dropped.items()))
        write_atomically(folder / DECISIONS, to_json(TriageRecord(dropped=ordered, numbers=own.numbers)))
    lines = latest(line for path in (folder, *sources) for line in lines_of(path / REPLAYS, ReplayLine, []))
    if lines:
        write_atomically(folder / REPLAYS, b"".join(orjson.dumps(write(line)) + b"\n" for line in lines))


def _merge_known(folder: Path, sources: Sequence[Path]) -> None:
    path = folder / FILE
    have = {entry.bucket for entry in load_known(path).entries} if path.is_file() else set[str]()
    others = [source / FILE for source in sources if (source / FILE).is_file() and not (source / FILE).is_symlink()]
    entries = {entry for other in others for entry in load_known(other).entries if entry.bucket not in have}
    ordered = sorted(entries, key=lambda entry: (entry.bucket, entry.issue, entry.note))
    add_all(path, {entry.bucket: entry for entry in reversed(ordered)}.values())


def latest(lines: Iterable[ReplayLine]) -> list[ReplayLine]:
    """What was noted last of each class of findings by each build of each target, in the order of time."""
    newest: dict[tuple[str, str, str], ReplayLine] = {}
    for line in lines:
        place = line.finding_class, line.target, line.origin
        if place not in newest or (newest[place].date, newest[place].word) < (line.date, line.word):
            newest[place] = line
    return sorted(newest.values(), key=lambda line: (line.date, line.target, line.origin, line.finding_class))
