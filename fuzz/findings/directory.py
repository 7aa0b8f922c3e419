"""Findings on disk: nothing found is lost, also not when the run is killed or the disk is full.

    OUT/run.sqlite                the state of the run (`fuzz.findings.state`), of which all else is a copy for people
    OUT/run.json                  the run's record: versions, seed, plan, targets and their origin, counts
    OUT/findings/NNN-KIND-TARGET/ finding.json, drawn.wgsl, reduced.wgsl, nearest.wgsl (a simpler shader that does not
                                  show it), related.wgsl (the other text of an unstable or metamorphic finding)

A finding is on disk as drawn before it is reduced.
"""

import re
import shlex
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import orjson

from wgsl_fuzz.fuzz.cases.case import NO_REFERENCE
from wgsl_fuzz.fuzz.files import open_plain, replace_file
from wgsl_fuzz.fuzz.findings.finding import Finding, finding_of
from wgsl_fuzz.fuzz.findings.records import (
    DRAWN,
    REDUCED,
    RELATED,
    FindingRecord,
    RunRecord,
    ShaderOrigin,
)
from wgsl_fuzz.fuzz.findings.schema import RecordError, from_json, read, to_json, write
from wgsl_fuzz.fuzz.findings.state import RunState, StorageError, stored_key
from wgsl_fuzz.fuzz.judging.kinds import NO_ANALYSIS, BucketKey, Disagreement, Kind
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, Notion

__all__ = ["RunDirectory", "StorageError"]

LONGEST_LINE = 1 << 20
"""Bytes of a line of a log; what is longer is none of ours, and left out."""
FEW = 5
"""How many findings are saved of a target that declares no analysis."""
LIMIT = 20
"""How many findings of one target and kind are saved; the first of each raw key is saved beyond it."""

_T = TypeVar("_T")
RUN, FINDING, FINDINGS = "run.json", "finding.json", "findings"
REPLAYS = "replays.jsonl"
"""The log of what targets said when they were asked about the findings again."""
PART = ".part-"
"""How the names of folders begin that are still being written."""
AS_DRAWN, PENDING, DONE = "none", "pending", "done"
"""Whether a finding is to be reduced: not at all, still, or not any more."""


_Filed = tuple[int | str | None, str | None, Kind | None, str | None]


def _filed(place: ShaderOrigin, target: str | None, kind: Kind | None) -> _Filed:
    """What tells a finding from the others of its run; a broken relation is one of the shader drawn."""
    return (
        place.index if place.file is None else place.file,
        target,
        kind,
        None if kind is Kind.METAMORPHIC else place.relation,
    )


class RunDirectory:
    """The folder of one run. Raises StorageError where it cannot be written.

    What is done to it counts from the next `commit` on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.by_kind: Counter[tuple[str, Kind]] = Counter()
        """How many findings of a target and kind, as drawn, are saved."""
        self.by_key: Counter[BucketKey] = Counter()
        """How many findings of a raw bucket, as drawn, are saved or counted."""
        self._known: set[_Filed] = set()
        self._state: RunState | None = None
        self._is_new = False
        self._unwritten: dict[int, Finding] = {}

    @property
    def state(self) -> RunState:
        """The run's state, once the folder is made or reopened."""
        assert self._state is not None, "made or reopened, and not closed"
        return self._state

    def create(self) -> None:
        """Makes the folder, which must be new or empty."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if any(self.path.iterdir()):
                raise StorageError(f"{self.path} is not empty: name another folder with --out")
            self._is_new = True
            (self.path / FINDINGS).mkdir()
        except OSError as error:
            raise StorageError(f"cannot write to {self.path}: {error.strerror}") from error
        self._state = RunState(self.path, new=True)

    def reopen(self, done: int) -> None:
        """Goes on in the folder of an earlier run, which has done `done` shaders: what the state holds counts towards
        the limits. What it holds of later shaders, or of files, is not filed again.
        """
        state = self._state = RunState(self.path)
        for key, target, kind in state.rows("SELECT key, target, kind FROM finding JOIN bucket ON id = bucket"):
            self.by_key[stored_key(key)] += 1
            self.by_kind[target, Kind(kind)] += 1
        for key, n in state.rows("SELECT key, count(*) FROM counted JOIN bucket ON id = bucket GROUP BY id"):
            self.by_key[stored_key(key)] += n
        for saved in self.saved("shader IS NULL OR shader >= ? OR NOT written", done):
            first, place = saved.record.first, saved.record.place
            self._known.add(_filed(place, saved.record.target, first.kind))
            self._unwritten[saved.number] = saved
        later = "SELECT target, kind, shader, relation, file FROM counted WHERE shader IS NULL OR shader >= ?"
        for target, kind, shader, relation, file in state.rows(later, done):
            self._known.add(_filed(ShaderOrigin(index=shader, relation=relation, file=file), target, Kind(kind)))
        for part in self.path.glob(f"{PART}*"):
            shutil.rmtree(part, ignore_errors=True)
        self._write_folders()

    def close(self) -> None:
        """Ends the use of the folder. One that never came to hold a record is emptied, to be taken again."""
        if self._state is not None:
            self._state.close()
            self._state = None
        if self._is_new and not (self.path / RUN).exists():
            for path in self.path.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def saved(self, which: str, *values: object) -> Iterator[Finding]:
        """Findings as they are saved: those with `which`, a condition in SQL."""
        columns = "number, nth, folder, record, files"
        for number, nth, folder, record, files in self.state.rows(
            f"SELECT {columns} FROM finding WHERE {which} ORDER BY number", *values
        ):
            yield replace(finding_of(record, files), folder=self.path / FINDINGS / folder, number=number, nth=nth)

    def is_filed(self, place: ShaderOrigin, found: Disagreement) -> bool:
        """Whether the finding on the shader of this place was filed by the part of the run that was resumed."""
        return _filed(place, found.target, found.kind) in self._known

    # ------------------------------------------------------------------------------------------------ the record

    def commit(self, record: RunRecord) -> None:
        """Makes what was done lasting, together with the record that counts it; then writes the findings' folders."""
        self.state.write("INSERT OR REPLACE INTO record VALUES (0, ?)", orjson.dumps(write(record, nulls=True)))
        self.state.commit()
        self._write_folders()

    def publish(self) -> None:
        """Replaces the copy of the record for people by the one that was committed last."""
        content = None if self._state is None else self._state.value("SELECT content FROM record")
        if content is not None:
            text = orjson.dumps(orjson.loads(content), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
            write_atomically(self.path / RUN, text)

    # ---------------------------------------------------------------------------------------------- the findings

    def is_full(self, found: Disagreement) -> bool:
        """Whether a finding like this one is only to be counted."""
        if found.cause == NO_ANALYSIS:
            return self.by_key[found.key] >= FEW
        if found.expected:
            return self.by_key[found.key] > 0
        return self.by_kind[found.target, found.kind] >= LIMIT and self.by_key[found.key] > 0

    def save(
        self, record: FindingRecord, files: dict[str, str], specs: Mapping[str, str], *, reduction: str
    ) -> Finding:
        """Files a finding as drawn, with the command that shows it, which opens targets by their `specs`; `complete`
        adds what reducing gives. `reduction` says whether that is to come.
        """
        self.by_key[record.bucket] += 1
        self.by_kind[record.target, record.kind] += 1
        number, nth = self.by_kind.total(), self.by_key[record.bucket]
        folder = self._folder(number, record)
        record = replace(record, reproduce=reproduce(record, specs, folder, files))
        saved = Finding(record, files, folder, number, nth)
        place = (self.state.bucket(record.bucket), record.target, record.kind.value, record.place.index)
        self.state.write(
            "INSERT INTO finding (bucket, target, kind, shader, number, nth, reduction, folder, record, files)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *place,
            *(number, nth, reduction, folder.name, to_json(record), orjson.dumps(files)),
        )
        self._unwritten[number] = saved
        return saved

    def _folder(self, number: int, record: FindingRecord) -> Path:
        name = re.sub(r"[^A-Za-z0-9.@_-]+", "_", record.target)[-40:]
        return self.path / FINDINGS / f"{number:03}-{record.kind.value}-{name}"

    def complete(self, saved: Finding, reduced: Finding, specs: Mapping[str, str]) -> None:
        """Files what reducing a finding gave; its folder is named after what it turned out to be."""
        saved.folder = self._folder(saved.number, reduced.record)
        saved.files = reduced.files
        again = reproduce(reduced.record, specs, saved.folder, saved.files)
        saved.record = replace(reduced.record, reproduce=again)
        self._file_again(saved, DONE)

    def leave_as_drawn(self, saved: Finding, why: str) -> None:
        """Notes that a finding is not to be reduced any more, and why."""
        saved.record = replace(saved.record, unreduced=why)
        self._file_again(saved, AS_DRAWN)

    def _file_again(self, saved: Finding, reduction: str) -> None:
        saved.cases.clear()
        self.state.write(
            "UPDATE finding SET reduction = ?, folder = ?, written = 0, record = ?, files = ? WHERE number = ?",
            *(reduction, saved.folder.name, to_json(saved.record), orjson.dumps(saved.files), saved.number),
        )
        self._unwritten[saved.number] = saved

    def count(self, found: Disagreement, place: ShaderOrigin) -> None:
        """Notes a finding that is not saved, with what brings it back."""
        self.by_key[found.key] += 1
        self.state.write(
            "INSERT INTO counted VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            *(self.state.bucket(found.key), found.target, found.kind.value, place.index),
            *(place.relation, place.family, place.number, place.file),
        )

    # ----------------------------------------------------------------------------------------------- the folders

    def _write_folders(self) -> None:
        """Writes the folders of findings that were committed and are not there yet."""
        for number, saved in list(self._unwritten.items()):
            try:
                self._write_folder(saved)
            except (StorageError, OSError) as error:  # what the disk does not take, the message does
                said = error if isinstance(error, StorageError) else f"cannot write {saved.folder}: {error.strerror}"
                again = saved.record.draw_again or saved.record.place.file
                raise StorageError(f"{said}; found and not saved: {saved.record.bucket}, {again}") from error
            self.state.write("UPDATE finding SET written = 1 WHERE number = ?", number)
            del self._unwritten[number]

    def _write_folder(self, saved: Finding) -> None:
        """Writes a finding's texts, then what there is to say of them; a new folder comes to be all at once."""
        files = {name: text.encode() for name, text in saved.files.items()} | {FINDING: to_json(saved.record)}
        if not saved.folder.exists():
            former = next((self.path / FINDINGS).glob(f"{saved.number:03}-*"), None)
            if former is None:
                part = Path(tempfile.mkdtemp(prefix=PART, dir=self.path))
                for name, content in files.items():
                    write_atomically(part / name, content)
                part.chmod(0o755)
                part.rename(saved.folder)
                return
            former.rename(saved.folder)
        for name, content in files.items():
            write_atomically(saved.folder / name, content)


def lines_of(path: Path, cls: type[_T]) -> Iterator[_T]:
    """The records of a log, if it is there; a line cut off by a kill, or damaged, is left out."""
    with suppress(OSError), open_plain(path) as file:
        for line in iter(lambda: file.readline(LONGEST_LINE), b""):
            with suppress(RecordError):
                yield read(cls, from_json(line))


def write_atomically(path: Path, content: bytes) -> None:
    """As `replace_file`; raises StorageError."""
    try:
        replace_file(path, content, path.with_name(path.name + ".part"))
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error


def reproduce(record: FindingRecord, specs: Mapping[str, str], folder: Path, files: Iterable[str]) -> str:
    """The one command that shows a finding again: it prints every verdict and exits with 1.

    `specs` open those targets that their names do not.
    """
    texts = [name for name in (REDUCED, DRAWN, RELATED) if name in files]
    if REDUCED in texts:
        texts = [name for name in texts if name != DRAWN]
    return check_command(record, specs, [str(folder / name) for name in texts])


def check_command(record: FindingRecord, specs: Mapping[str, str], paths: Iterable[str]) -> str:
    """Asks the oracles of a finding about texts."""
    return shlex.join(["wgsl-fuzz", "check", *paths, *oracle_options(record, specs)])


def oracle_options(record: FindingRecord, specs: Mapping[str, str]) -> list[str]:
    """The options that name a finding's oracles. Where there is no reference, all targets are asked."""
    ours = [] if record.reference == NO_REFERENCE else [record.reference.partition("+")[0], "semantics"]
    names = dict.fromkeys([record.target, *(record.targets if record.reference == NO_REFERENCE else ())])
    oracles = [*ours, *(specs.get(name, name) for name in names if name != record.reference)]
    return [*(word for name in oracles for word in ("--oracle", name)), *convergence_option(record.notion)]


def convergence_option(notion: Notion) -> list[str]:
    """The option of the command line that chooses it; none for the default."""
    return [] if notion is CONTROL_STACKS else ["--convergence", str(notion)]
