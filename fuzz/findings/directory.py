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
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

import orjson

from fuzz.judging.judge import NOT_IMPLEMENTED, Disagreement, Kind
from oracle.rules.analyses import REFERENCE

FEW = 5
"""Of a target that declares to have no uniformity analysis, no more show anything new."""
LIMIT = 20
"""How many findings of one target and kind are saved; the first of each raw key is saved beyond it."""

_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


class StorageError(Exception):
    """What was found cannot be written: the disk is full, say. The message is one line."""


@dataclass(slots=True)
class SavedFinding:
    """A finding on disk; `record` is what its finding.json holds."""

    folder: Path
    record: dict[str, Any]


def _place(index: int, target: str | None, kind: str | None, relation: str | None) -> tuple[object, ...]:
    """What tells a finding from the others of its run; a broken relation is one of the shader drawn."""
    return index, target, kind, None if kind == Kind.METAMORPHIC.value else relation


@dataclass(slots=True)
class RunDirectory:
    """The folder of one run. Raises StorageError where it cannot be written."""

    path: Path
    by_kind: Counter[str] = field(default_factory=Counter)
    by_key: Counter[str] = field(default_factory=Counter)
    filed_kinds: Counter[str] = field(default_factory=Counter)
    """Of what was in the folder when it was reopened, saved or counted: how many findings there are of a kind ..."""
    filed_buckets: Counter[str] = field(default_factory=Counter)
    """... and of a raw bucket, as they are now, reduced."""
    _filed: set[tuple[Any, ...]] = field(default_factory=set)

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
                record = orjson.loads(path.read_bytes())
                first = record.get("drawn", record)
                filed = _place(record["index"], record["target"], first["kind"], record.get("relation"))
                key, _ = first.get("bucket", record["bucket"]), record["kind"]
            except (OSError, ValueError, KeyError, AttributeError):
                continue  # someone's edit, or a disk's fault: what it was is not known any more
            self.by_key[key] += 1
            self.by_kind[f"{filed[1]} {filed[2]}"] += 1
            self._filed.add(filed)
            self.filed_kinds[record["kind"]] += 1
            self.filed_buckets[record["bucket"]] += 1
        for line in lines_of(self.path / "counted.jsonl"):
            self.by_key[line["key"]] += 1
            self._filed.add(_place(line["index"], line.get("target"), line.get("kind"), line.get("relation")))
            self.filed_kinds[str(line.get("kind"))] += 1
            self.filed_buckets[line["key"]] += 1

    def is_filed(self, index: int, found: Disagreement, relation: str | None = None) -> bool:
        """Whether the finding was already filed by the part of the run that was resumed.

        `relation` made the shader from the one at the place `index`, if any did.
        """
        return _place(index, found.target, found.kind.value, relation) in self._filed

    def update(self, record: dict[str, Any]) -> None:
        """Replaces the run's record."""
        write_atomically(self.path / "run.json", orjson.dumps(record, option=_OPTIONS))

    def is_full(self, found: Disagreement) -> bool:
        """Whether a finding like this one is only to be counted."""
        if found.cause == NOT_IMPLEMENTED:
            return self.by_key[found.key] >= FEW
        return self.by_kind[f"{found.target} {found.kind.value}"] >= LIMIT and self.by_key[found.key] > 0

    def save(self, found: Disagreement, files: dict[str, str], record: dict[str, Any]) -> SavedFinding:
        """Writes a finding as drawn, with the command that shows it; `complete` adds what reducing gives."""
        self.by_key[found.key] += 1
        self.by_kind[f"{found.target} {found.kind.value}"] += 1
        saved = SavedFinding(self._folder(sum(self.by_kind.values()), found), record)
        try:
            saved.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot write to {saved.folder}: {error.strerror}") from error
        self.complete(saved, {"reproduce": reproduce(found.target, saved.folder, files)}, files)
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

    def complete(self, saved: SavedFinding, more: dict[str, Any], files: dict[str, str]) -> None:
        """Writes a finding's texts, then what there is to say of them."""
        for name, text in files.items():
            write_atomically(saved.folder / name, text.encode())
        saved.record |= more
        write_atomically(saved.folder / "finding.json", orjson.dumps(saved.record, option=_OPTIONS))

    def count(self, found: Disagreement, record: dict[str, Any]) -> None:
        """Notes a finding that is not saved, with what brings it back."""
        self.by_key[found.key] += 1
        self.note("counted.jsonl", {"key": found.key, "kind": found.kind.value, "target": found.target} | record)

    def note(self, name: str, line: dict[str, Any]) -> None:
        """Appends a line to one of the run's logs."""
        try:
            with (self.path / name).open("ab") as file:
                file.write(orjson.dumps(line) + b"\n")
        except OSError as error:
            raise StorageError(f"cannot write to {self.path}: {error.strerror}") from error


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a log; a line cut off by a kill is left out, and so is a log that is not there."""
    try:
        with path.open("rb") as file:
            for line in file:
                try:
                    value = orjson.loads(line)
                except orjson.JSONDecodeError:
                    continue
                if isinstance(value, dict):
                    yield value
    except FileNotFoundError:
        return


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


def reproduce(target: str, folder: Path, files: Iterable[str]) -> str:
    """The one command that shows a finding again: it prints every verdict and exits with 1."""
    oracles = ["paper", "semantics"] + ([target] if target != REFERENCE else [])
    texts = [name for name in ("reduced.wgsl", "drawn.wgsl", "related.wgsl") if name in files]
    if "reduced.wgsl" in texts:
        texts = [name for name in texts if name != "drawn.wgsl"]
    paths = " ".join(quote(str(folder / name)) for name in texts)
    return f"wgsl-fuzz check {paths} " + " ".join(f"--oracle {quote(name)}" for name in oracles)
