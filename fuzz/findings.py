"""Findings on disk: nothing found is lost, also not when the run is killed or the disk is full.

    OUT/run.json                  the run's record: versions, seed, profile, targets and their origin
    OUT/findings/NNN-KIND-TARGET/ drawn.wgsl, reduced.wgsl, finding.json
    OUT/counted.jsonl             a line for each finding beyond the limit: its seed brings it back

A finding is on disk as drawn before it is reduced.
"""

import os
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

import orjson

from fuzz.judge import REFERENCE, Disagreement

LIMIT = 20
"""How many findings of one target and kind are saved; the first of each raw key is saved beyond it."""

_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


class StorageError(Exception):
    """What was found cannot be written: the disk is full, say. The message is one line."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a shader comes from: its place in a run, which with the profile gives it back."""

    seed: int
    index: int
    profile: str
    generator: int


@dataclass(slots=True)
class Saved:
    """A finding on disk; `record` is what its finding.json holds."""

    folder: Path
    record: dict[str, Any]


@dataclass(slots=True)
class RunDirectory:
    """The folder of one run. Raises StorageError where it cannot be written."""

    path: Path
    by_kind: Counter[str] = field(default_factory=Counter)
    by_key: Counter[str] = field(default_factory=Counter)

    def create(self, record: dict[str, Any]) -> None:
        """Makes the folder, which must be new or empty, and writes the run's record."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if any(self.path.iterdir()):
                raise StorageError(f"{self.path} is not empty: name another folder with --out")
            (self.path / "findings").mkdir()
        except OSError as error:
            raise StorageError(f"cannot write to {self.path}: {error.strerror}") from error
        self.update(record)

    def update(self, record: dict[str, Any]) -> None:
        """Replaces the run's record."""
        write_atomically(self.path / "run.json", orjson.dumps(record, option=_OPTIONS))

    def wants(self, found: Disagreement) -> bool:
        """Counts a finding; whether it is to be saved, and not only counted."""
        kind = f"{found.target} {found.kind.value}"
        self.by_key[found.key] += 1
        if self.by_kind[kind] >= LIMIT and self.by_key[found.key] > 1:
            return False
        self.by_kind[kind] += 1
        return True

    def save(self, found: Disagreement, drawn: str, record: dict[str, Any]) -> Saved:
        """Writes a finding as drawn, with the command that shows it; `complete` adds what reducing gives."""
        saved = Saved(self._folder(sum(self.by_kind.values()), found), record)
        try:
            saved.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot write to {saved.folder}: {error.strerror}") from error
        write_atomically(saved.folder / "drawn.wgsl", drawn.encode())
        self.complete(saved, {"reproduce": reproduce(found.target, str(saved.folder / "drawn.wgsl"))})
        return saved

    def _folder(self, number: int, found: Disagreement) -> Path:
        name = re.sub(r"[^A-Za-z0-9.@_-]+", "_", found.target)[-40:]
        return self.path / "findings" / f"{number:03}-{found.kind.value}-{name}"

    def rename(self, saved: Saved, found: Disagreement) -> None:
        """Names a finding's folder after what it turned out to be."""
        folder = self._folder(int(saved.folder.name.split("-")[0]), found)
        try:
            saved.folder = saved.folder.rename(folder)
        except OSError as error:
            raise StorageError(f"cannot write to {folder}: {error.strerror}") from error

    def complete(self, saved: Saved, more: dict[str, Any], reduced: str | None = None) -> None:
        """Adds to a saved finding what reducing it gave."""
        if reduced is not None:
            write_atomically(saved.folder / "reduced.wgsl", reduced.encode())
        saved.record |= more
        write_atomically(saved.folder / "finding.json", orjson.dumps(saved.record, option=_OPTIONS))

    def count(self, found: Disagreement, origin: Origin) -> None:
        """Notes a finding that is not saved, with what brings it back."""
        line = {"key": found.key, "seed": origin.seed, "index": origin.index, "profile": origin.profile}
        try:
            with (self.path / "counted.jsonl").open("ab") as file:
                file.write(orjson.dumps(line) + b"\n")
        except OSError as error:
            raise StorageError(f"cannot write to {self.path}: {error.strerror}") from error


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


def reproduce(target: str, path: str) -> str:
    """The one command that shows a finding again: it prints every verdict and exits with 1."""
    oracles = ["paper", "semantics"] + ([target] if target != REFERENCE else [])
    return f"wgsl-fuzz check {quote(path)} " + " ".join(f"--oracle {quote(name)}" for name in oracles)
