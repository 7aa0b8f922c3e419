"""Findings on disk: nothing found is lost, also not when the run is killed or the disk is full.

    OUT/run.json                  the run's record: versions, seed, plan, targets and their origin, counts
    OUT/findings/NNN-KIND-TARGET/ finding.json, drawn.wgsl, reduced.wgsl, nearest.wgsl (a simpler shader that does not
                                  show it), related.wgsl (the other text of an unstable or metamorphic finding)
    OUT/counted.jsonl             a line for each finding beyond the limit: its index brings it back
    OUT/recipes.jsonl             the groups of shaders that were steered, OUT/parents.jsonl what they are mutations of
    OUT/progress.jsonl            a line every few seconds

A finding is on disk as drawn before it is reduced.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import TypeVar

import orjson

from wgsl_fuzz.fuzz.files import open_plain, read_plain
from wgsl_fuzz.fuzz.findings.records import DRAWN, REDUCED, RELATED, CountedLine, FindingRecord, Place, RunRecord
from wgsl_fuzz.fuzz.findings.schema import RecordError, from_json, read, to_json, write
from wgsl_fuzz.fuzz.judging.judge import NOT_IMPLEMENTED, BucketKey, Disagreement, Kind
from wgsl_fuzz.oracle.rules.variants import in_current_names

LONGEST_LINE = 1 << 20
"""Bytes of a line of a log; what is longer is none of ours, and left out."""
FEW = 5
"""Of a target that declares to have no uniformity analysis, no more show anything new."""
LIMIT = 20
"""How many findings of one target and kind are saved; the first of each raw key is saved beyond it."""

_T = TypeVar("_T")
RUN, FINDING = "run.json", "finding.json"
COUNTED, PROGRESS, RECIPES, PARENTS = "counted.jsonl", "progress.jsonl", "recipes.jsonl", "parents.jsonl"


class StorageError(Exception):
    """What was found cannot be written: the disk is full, say. The message is one line."""


@dataclass(slots=True)
class SavedFinding:
    """A finding on disk, with its finding.json."""

    folder: Path
    record: FindingRecord


_Filed = tuple[int | str | None, str | None, Kind | None, str | None]


def _filed(place: Place, target: str | None, kind: Kind | None) -> _Filed:
    """What tells a finding from the others of its run; a broken relation is one of the shader drawn."""
    return (
        place.index if place.file is None else place.file,
        target,
        kind,
        None if kind is Kind.METAMORPHIC else place.relation,
    )


@dataclass(slots=True)
class RunDirectory:
    """The folder of one run. Raises StorageError where it cannot be written."""

    path: Path
    by_kind: Counter[tuple[str | None, Kind | None]] = field(default_factory=Counter)
    by_key: Counter[BucketKey] = field(default_factory=Counter)
    filed_kinds: Counter[Kind] = field(default_factory=Counter)
    """Of what was in the folder when it was reopened, saved or counted: how many findings there are of a kind ..."""
    filed_buckets: Counter[BucketKey] = field(default_factory=Counter)
    """... and of a raw bucket, as they are now, reduced."""
    _known: set[_Filed] = field(default_factory=set)

    def create(self) -> None:
        """Makes the folder, which must be new or empty."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if any(self.path.iterdir()):
                raise StorageError(f"{self.path} is not empty: name another folder with --out")
            (self.path / "findings").mkdir()
        except OSError as error:
            raise StorageError(f"cannot write to {self.path}: {error.strerror}") from error

    def reopen(self) -> None:
        """Goes on in the folder of an earlier run: what it holds counts towards the limits, and is not filed again."""
        for path in sorted((self.path / "findings").glob("*/finding.json")):
            try:
                record = read_finding(path.parent)
            except (OSError, RecordError):
                continue  # someone's edit, or a disk's fault: what it was is not known any more
            kind = record.first.kind
            self.by_key[record.first.bucket or record.bucket] += 1
            self.by_kind[record.target, kind] += 1
            self._known.add(_filed(record.place, record.target, kind))
            self.filed_kinds[record.kind] += 1
            self.filed_buckets[record.bucket] += 1
        for line in lines_of(self.path / COUNTED, CountedLine):
            self.by_key[line.key] += 1
            self._known.add(_filed(line.place, line.target, line.kind))
            if line.kind is not None:
                self.filed_kinds[line.kind] += 1
            self.filed_buckets[line.key] += 1

    def is_filed(self, place: Place, found: Disagreement) -> bool:
        """Whether the finding on the shader of this place was filed by the part of the run that was resumed."""
        return _filed(place, found.target, found.kind) in self._known

    def update(self, record: RunRecord) -> None:
        """Replaces the run's record."""
        write_atomically(self.path / RUN, to_json(record, nulls=True))

    def is_full(self, found: Disagreement) -> bool:
        """Whether a finding like this one is only to be counted."""
        if found.cause == NOT_IMPLEMENTED:
            return self.by_key[found.key] >= FEW
        return self.by_kind[found.target, found.kind] >= LIMIT and self.by_key[found.key] > 0

    def save(self, found: Disagreement, files: dict[str, str], record: FindingRecord, oracle: str) -> SavedFinding:
        """Writes a finding as drawn, with the command that shows it, which opens the target as `oracle`; `complete`
        adds what reducing gives.
        """
        self.by_key[found.key] += 1
        self.by_kind[found.target, found.kind] += 1
        saved = SavedFinding(self._folder(sum(self.by_kind.values()), found), record)
        try:
            saved.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot write to {saved.folder}: {error.strerror}") from error
        self.complete(saved, replace(record, reproduce=reproduce(record.reference, oracle, saved.folder, files)), files)
        return saved

    def _folder(self, number: int, found: Disagreement) -> Path:
        name = re.sub(r"[^A-Za-z0-9.@_-]+", "_", found.target)[-40:]
        return self.path / "findings" / f"{number:03}-{found.kind.value}-{name}"

    def rename(self, saved: SavedFinding, found: Disagreement) -> None:
        """Names a finding's folder after what it turned out to be."""
        folder = self._folder(int(saved.folder.name.split("-")[0]), found)
        try:
            saved.folder = saved.folder.rename(folder)
        except OSError as error:
            raise StorageError(f"cannot write to {folder}: {error.strerror}") from error

    def complete(self, saved: SavedFinding, record: FindingRecord, files: dict[str, str]) -> None:
        """Writes a finding's texts, then what there is to say of them."""
        for name, text in files.items():
            write_atomically(saved.folder / name, text.encode())
        saved.record = record
        write_atomically(saved.folder / FINDING, to_json(record))

    def count(self, found: Disagreement, place: Place) -> None:
        """Notes a finding that is not saved, with what brings it back."""
        self.by_key[found.key] += 1
        self.note(COUNTED, CountedLine(key=found.key, kind=found.kind, target=found.target, place=place))

    def note(self, name: str, line: object) -> None:
        """Appends a line to one of the run's logs: a record of `fuzz.findings.records`."""
        try:
            with (self.path / name).open("ab") as file:
                file.write(orjson.dumps(write(line, nulls=name != COUNTED)) + b"\n")
        except OSError as error:
            raise StorageError(f"cannot write to {self.path}: {error.strerror}") from error


def read_finding(folder: Path) -> FindingRecord:
    """The record in a finding's folder; raises RecordError if it is damaged, OSError if it is not there."""
    return read(FindingRecord, stored_json(read_plain(folder / FINDING)))


def stored_json(content: bytes) -> object:
    """The value of a file of a run, which may be an older one, in the names of today; raises RecordError."""
    try:
        return from_json(in_current_names(content.decode()))
    except UnicodeDecodeError as error:
        raise RecordError(f"it is not UTF-8 ({error})") from error


def lines_of(path: Path, cls: type[_T], damaged: list[str] | None = None) -> Iterator[_T]:
    """The records of a log; a line cut off by a kill is left out, and so is a log that is not there.

    A line that is whole and no such record goes to `damaged`, with what is wrong; without that it is a RecordError.
    """
    try:
        with open_plain(path) as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
                try:
                    value = from_json(line)
                except RecordError:
                    continue
                try:
                    if isinstance(value, dict):
                        yield read(cls, value)
                except RecordError as error:
                    if damaged is None:
                        raise RecordError(f"line {number}: {error}") from error
                    damaged.append(f"line {number}: {error}")
    except FileNotFoundError:
        return
    except OSError as error:
        if damaged is None:
            raise RecordError(f"it cannot be read: {error.strerror}") from error
        damaged.append(f"it cannot be read: {error.strerror}")


def write_atomically(path: Path, content: bytes) -> None:
    """Writes a file so that a reader, also after a crash, sees all of the old content or all of the new."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error


def reproduce(reference: str, oracle: str, folder: Path, files: Iterable[str]) -> str:
    """The one command that shows a finding again: it prints every verdict and exits with 1."""
    oracles = [reference, "semantics"] + ([oracle] if oracle != reference else [])
    texts = [name for name in (REDUCED, DRAWN, RELATED) if name in files]
    if REDUCED in texts:
        texts = [name for name in texts if name != DRAWN]
    paths = " ".join(quote(str(folder / name)) for name in texts)
    return f"wgsl-fuzz check {paths} " + " ".join(f"--oracle {quote(name)}" for name in oracles)
