"""Several runs as one history: what `wgsl-fuzz merge` does.

A history is changed by one transaction, or comes to be by one renaming. What else lies in its folder is a copy, or was
merged before: a kill loses nothing, and to merge the same again completes it.
"""

import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import orjson

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz.files import FILE_LIMIT, read_plain, refusals_named
from wgsl_fuzz.fuzz.findings import directory, records
from wgsl_fuzz.fuzz.findings import history as h
from wgsl_fuzz.fuzz.findings.finding import finding_of
from wgsl_fuzz.fuzz.findings.known import FILE, add_all, load_known
from wgsl_fuzz.fuzz.findings.loading import Damage, damage_named, read_run, state_of
from wgsl_fuzz.fuzz.findings.schema import RecordError, from_json, read, to_json, write
from wgsl_fuzz.fuzz.findings.state import STATE, RunState, is_locked
from wgsl_fuzz.fuzz.judging.kinds import BucketKey
from wgsl_fuzz.fuzz.problems import Problem

DECISIONS = "triage.json"
"""The file of what was dropped, in the folder of a run or a history."""


def read_decisions(folder: Path) -> records.TriageRecord | None:
    """What people decided about a run; None if nobody did. Raises Problem."""
    path = folder / DECISIONS
    if not path.exists() and not path.is_symlink():
        return None
    try:
        return read(records.TriageRecord, from_json(read_plain(path)))
    except OSError as error:
        raise Problem(f"cannot read {path}: {error.strerror}") from error
    except RecordError as error:
        raise Problem(error.about(path)) from error


def merge_decisions(folder: Path, sources: Sequence[Path]) -> None:
    """Adds to a history what was decided and noted in other folders. Raises Problem."""
    path = folder / FILE
    have = {entry.bucket for entry in load_known(path).entries} if path.is_file() else set[str]()
    others = [source / FILE for source in sources if (source / FILE).is_file() and not (source / FILE).is_symlink()]
    known = {entry for other in others for entry in load_known(other).entries if entry.bucket not in have}
    latest_first = sorted(known, key=lambda entry: (entry.bucket, entry.issue, entry.note), reverse=True)
    add_all(path, {entry.bucket: entry for entry in latest_first}.values())
    own = read_decisions(folder) or records.TriageRecord(dropped={})
    theirs = [record for source in sources if (record := read_decisions(source)) is not None]
    pairs = sorted((name, reason) for record in theirs for name, reason in record.dropped.items())
    dropped = dict(reversed(pairs)) | own.dropped
    if dropped != own.dropped:
        own.dropped = dict(sorted(dropped.items()))
        directory.write_atomically(folder / DECISIONS, to_json(own))
    lines = latest(
        line for path in (folder, *sources) for line in directory.lines_of(path / directory.REPLAYS, records.ReplayLine)
    )
    if lines:
        directory.write_atomically(
            folder / directory.REPLAYS, b"".join(orjson.dumps(write(line)) + b"\n" for line in lines)
        )


def latest(lines: Iterable[records.ReplayLine]) -> list[records.ReplayLine]:
    """What was noted last of each class of findings by each build of each target, in the order of time."""
    newest: dict[tuple[str, str, str], records.ReplayLine] = {}
    for line in lines:
        place = line.finding_class, line.target, line.origin
        if place not in newest or (newest[place].date, newest[place].word) < (line.date, line.word):
            newest[place] = line
    return sorted(newest.values(), key=lambda line: (line.date, line.target, line.origin, line.finding_class))


@dataclass(slots=True)
class Merged:
    """What came of merging."""

    record: records.HistoryRecord
    added: int = 0
    """How many runs are new to the history, or longer than they were."""
    there: int = 0
    """How many were in it already."""
    broken: list[Damage] = field(default_factory=list)
    """What of the runs could not be read."""


def merge(sources: Sequence[Path], out: Path) -> Merged:
    """Puts runs and histories into the history in `out`, which is made unless it is there. Raises Problem."""
    for source in sources:
        read_run(source)
    is_new = not out.exists() or (out.is_dir() and not any(out.iterdir()))
    if not is_new and not isinstance(read_run(out), records.HistoryRecord):
        raise Problem(f"{out} is one run, and no history: name another folder with -o")
    others = [source for source in sources if is_new or not source.samefile(out)]
    with refusals_named(f"write to {out}"):
        return _made(others, out) if is_new else _merged_into(out, others, out, new=False)


def _made(sources: Sequence[Path], out: Path) -> Merged:
    """Makes a history beside the place where it is to be, and renames it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    for left in out.parent.glob(f"{directory.PART}{out.name}-*"):  # by a merge that was killed
        if not is_locked(left):
            shutil.rmtree(left, ignore_errors=True)
    part = Path(tempfile.mkdtemp(prefix=f"{directory.PART}{out.name}-", dir=out.parent))
    try:
        part.chmod(0o755)
        (part / directory.FINDINGS).mkdir()
        merged = _merged_into(part, sources, out, new=True)
        part.rename(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return merged


def _merged_into(folder: Path, sources: Sequence[Path], out: Path, *, new: bool) -> Merged:
    """Adds runs to the history in `folder`, which is, or will be, in `out`."""
    state = RunState(folder, new=new)
    try:
        history = h.History(state)
        if new:
            history.create()
        merged = Merged(records.HistoryRecord(version=__version__, runs=()))
        for source in sources:
            with damage_named(source, STATE):
                for record, name, entries in _runs_of(source, merged.broken):
                    is_new = history.add(record, name, entries)
                    merged.added, merged.there = merged.added + is_new, merged.there + (not is_new)
        with damage_named(folder, STATE):
            merged.record = _record(history)
        # Decisions come first: about runs that are not there yet they say nothing.
        merge_decisions(folder, sources)
        state.write("INSERT OR REPLACE INTO record VALUES (0, ?)", orjson.dumps(write(merged.record, nulls=True)))
        state.commit()
        with damage_named(folder, STATE):
            _write_folders(history, folder, out, merged.record.specs)
        directory.write_atomically(folder / directory.RUN, to_json(merged.record, nulls=True))
    finally:
        state.close()
    return merged


def _runs_of(source: Path, faults: list[Damage]) -> Iterator[tuple[records.RunRecord, str, Iterable[h.Entry]]]:
    """The runs of a folder: record, name, and what was found."""
    name = source.resolve().name
    with state_of(source) as state:
        state.snapshot()
        if isinstance(read_run(source), records.HistoryRecord):
            other, told = h.History(state), list[str]()
            for number, its_name, record in other.runs():
                yield record, its_name, other.entries_of(number, told)
            faults += [(source.name, line) for line in told]
            return
        record = read(records.RunRecord, orjson.loads(state.value("SELECT content FROM record")))
        yield record, name, _of_state(state, faults)


def _of_state(state: RunState, faults: list[Damage]) -> Iterator[h.Entry]:
    """The findings of a run; those that were only counted are of the classes of the saved ones with their raw key."""
    classes: dict[BucketKey, list[str]] = defaultdict(list)
    query = "SELECT folder, record, files FROM finding WHERE length(record) + length(files) < ? ORDER BY number"
    for folder, record, files in state.stream(query, FILE_LIMIT):
        try:
            sample = finding_of(record, files)
            record = sample.record
            class_ = h.class_of(record)
            for key in {record.bucket, record.first.bucket or record.bucket}:
                classes[key].append(class_)
            yield (record.bucket, record.kind, record.place, class_), sample
        except (RecordError, ValueError) as error:
            faults.append((str(folder), str(error)))
    columns = "key, kind, shader, relation, family, number, file"
    of = {key: cycle(sorted(some)) for key, some in classes.items()}
    for row in state.stream(f"SELECT {columns} FROM counted JOIN bucket ON id = bucket ORDER BY {columns}"):
        key, kind, place, _ = h.origin_of(list(row))
        yield (key, kind, place, next(of[key]) if key in of else None), None


# ------------------------------------------------------------------------------------------------- what stands for all


def _record(history: h.History) -> records.HistoryRecord:
    """The record of all runs of a history: counts are summed, and of what differs the newest counts."""
    record = records.HistoryRecord(version=__version__, date=None, finished=True, runs=())
    sums: dict[str, Counter[Any]] = {name: Counter() for name in _TABLES}
    answers: dict[str, Counter[Any]] = {}
    runs, without = list[records.MergedRun](), set[str]()
    keys, known = Counter[BucketKey](), dict[BucketKey, str]()
    for _, name, one in history.runs():
        runs.append(_in_short(one, name))
        record.date = record.date or one.date
        record.targets |= one.targets
        record.specs |= one.specs
        known |= one.known
        keys.update(one.keys)
        for key, of_all in sums.items():
            of_all.update(getattr(one, key))
        for target, of_target in one.answers.items():
            answers.setdefault(target, Counter()).update(of_target)
        record.programs, record.seconds = h.bounded(record.programs + one.programs), record.seconds + one.seconds
        without |= set(one.without_uniformity)
        for key in ("misses", "given"):
            setattr(record, key, h.bounded(getattr(record, key) + getattr(one, key)))
    for key, of_all in sums.items():
        setattr(record, key, _sorted(of_all))
    record.answers = {target: _sorted(of_target) for target, of_target in sorted(answers.items())}
    record.without_uniformity, record.runs = tuple(sorted(without)), tuple(runs)
    record.targets, record.specs = dict(sorted(record.targets.items())), dict(sorted(record.specs.items()))
    record.buckets = tuple(records.BucketCount(key, n, known.get(key)) for key, n in _sorted(keys).items())
    return record


_TABLES = ("reference", "semantics", "findings", "faults")


def _sorted(counts: Counter[Any]) -> dict[Any, int]:
    """Counts in an order that does not depend on how they came together."""
    return {key: h.bounded(n) for key, n in sorted(counts.items(), key=lambda item: str(item[0]))}


def _in_short(one: records.RunRecord, name: str) -> records.MergedRun:
    return records.MergedRun(
        id=h.identity_of(one),
        name=name,
        date=one.date,
        seed=one.seed,
        language=None if one.plan is None else one.plan.language,
        programs=one.programs,
        seconds=one.seconds,
        findings=h.bounded(sum(one.findings.values())),
        targets=one.targets,
    )


def _write_folders(history: h.History, folder: Path, out: Path, specs: dict[str, str]) -> None:
    """Writes a folder for each class of findings, all at once; one that is as it should be stays."""
    findings = folder / directory.FINDINGS
    there = {path.name for path in findings.iterdir() if h.OUR_FOLDER.fullmatch(path.name)}
    for sample in history.representatives():
        name = h.folder_of(sample)
        record = h.as_stored(sample, out / directory.FINDINGS / name, specs)
        files = {file: text.encode() for file, text in sample.files.items()} | {directory.FINDING: to_json(record)}
        if name not in there or not _holds(findings / name, files):
            _replace_folder(findings / name, files)
        there.discard(name)
    for name in there:  # their run was replaced by a longer one
        shutil.rmtree(findings / name, ignore_errors=True)
    for part in folder.glob(f"{directory.PART}*"):
        shutil.rmtree(part, ignore_errors=True)


def _holds(folder: Path, files: dict[str, bytes]) -> bool:
    try:
        return {path.name for path in folder.iterdir()} == files.keys() and all(
            read_plain(folder / name) == content for name, content in files.items()
        )
    except OSError:
        return False


def _replace_folder(folder: Path, files: dict[str, bytes]) -> None:
    part = Path(tempfile.mkdtemp(prefix=directory.PART, dir=folder.parent.parent))
    part.chmod(0o755)
    for name, content in files.items():
        (part / name).write_bytes(content)
    if folder.exists():
        folder.rename(Path(tempfile.mkdtemp(prefix=directory.PART, dir=folder.parent.parent)) / folder.name)
    part.rename(folder)
