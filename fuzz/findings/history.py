"""The state of a history: several runs as one folder (`wgsl-fuzz merge`).

What it holds depends on the set of its runs alone, not on the order in which they came, nor on how often: it keeps all
that each run says, and what stands for all of them is looked up. A run is the same if its identity is; of two copies
the longer one counts, and takes the place of the other.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from wgsl_fuzz.fuzz.files import FILE_LIMIT
from wgsl_fuzz.fuzz.findings import records
from wgsl_fuzz.fuzz.findings.directory import reproduce
from wgsl_fuzz.fuzz.findings.finding import TEXTS, Finding, finding_of
from wgsl_fuzz.fuzz.findings.schema import RecordError, from_json, read, text_of, to_json, write
from wgsl_fuzz.fuzz.findings.state import RunState, stored_key
from wgsl_fuzz.fuzz.judging.certainty import SMALL
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Kind

_TABLES = (
    "CREATE TABLE run (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " programs INTEGER NOT NULL, seconds REAL NOT NULL, digest TEXT NOT NULL, record BLOB NOT NULL)",
    "CREATE TABLE origin (run INTEGER NOT NULL, class TEXT, bucket INTEGER NOT NULL, kind TEXT NOT NULL,"
    " shader INTEGER, relation TEXT, family TEXT, number INTEGER, file TEXT)",
    "CREATE INDEX origin_run ON origin (run)",
    "CREATE INDEX origin_class ON origin (class) WHERE class IS NOT NULL",
    "CREATE TABLE sample (class TEXT NOT NULL, run INTEGER NOT NULL, weight TEXT NOT NULL,"
    " record BLOB NOT NULL, files BLOB NOT NULL)",
    "CREATE UNIQUE INDEX sample_run ON sample (class, run)",
    "CREATE INDEX sample_weight ON sample (class, weight)",
)
_CLASS = re.compile("[0-9a-f]{16}")
_MOST = 1 << 53
"""A count that is larger is nobody's: JSON and SQLite hold this one."""


Origin = tuple[BucketKey, Kind, records.ShaderOrigin, str | None]
"""Where a finding comes from: raw bucket, kind, place, and class; None if no saved finding has that bucket."""
Entry = tuple[Origin | None, Finding | None]
"""A run's entry about a finding: its origin, its content, or both."""


def class_of(record: records.FindingRecord) -> str:
    """The name of a finding's class, 16 hex digits: findings of one class have all in common that buckets depend on."""
    forms = record.forms if record.cause.is_about_spelling else None
    branches = None if record.branches is None else sorted(record.branches)
    is_large = (record.statements.shown or 0) > SMALL  # then changes in contexts are not tried
    signature = None if record.fit is None else [*record.fit.right, *["large"] * is_large]
    what = [text_of(record.bucket), record.left, record.kind.value, record.reference, branches, forms, signature]
    return sha256(orjson.dumps([*what, record.words, record.describes == records.REDUCED])).hexdigest()[:16]


def identity_of(record: records.RunRecord) -> str:
    """What tells a run from others. Raises RecordError."""
    if record.id is None:
        raise RecordError("there is no 'id'")
    return record.id


def bounded(n: int) -> int:
    """A count as everybody can store it."""
    return max(-_MOST, min(n, _MOST))


def _size(sample: Finding) -> str:
    """The beginning of a sample's weight: a text that is smaller for what is better to look at."""
    kind, as_drawn, statements, length = sample.rank
    return f"{kind:02}{as_drawn:d}{max(0, bounded(statements)):016}{length:010}"


def _weight(size: str, identity: str, sample: Finding, content: bytes) -> str:
    """A text that orders the samples of a class, the one to look at first; no two have the same.

    What the run is called, and how fast it was, decides between equal texts only.
    """
    rest = orjson.dumps([identity, content.decode(), sorted(sample.files.items())])
    return size + "".join(sha256(part).hexdigest()[:16] for part in (sample.text.encode(), rest))


class History:
    """The tables of a history in a state. Raises StorageError; without `commit`, nothing that is added lasts."""

    def __init__(self, state: RunState) -> None:
        self.state = state
        self._buckets: dict[BucketKey, int] = {}

    def create(self) -> None:
        """Makes the tables in a state that is new."""
        for table in _TABLES:
            self.state.write(table)

    # ---------------------------------------------------------------------------------------------------- adding

    def add(self, record: records.RunRecord, name: str, entries: Iterable[Entry]) -> bool:
        """Adds a run with its findings; False if it is there already, as long as now or longer."""
        identity, content = identity_of(record), orjson.dumps(write(record, nulls=True))
        rank = (bounded(record.programs), record.seconds, sha256(content).hexdigest())
        there = self.state.rows("SELECT id, name, programs, seconds, digest FROM run WHERE identity = ?", identity)
        if there and tuple(there[0][2:]) >= rank:
            if tuple(there[0][2:]) == rank:
                self.state.write("UPDATE run SET name = ? WHERE id = ?", min(name, there[0][1]), there[0][0])
            return False
        for number, *_ in there:
            for table, column in (("origin", "run"), ("sample", "run"), ("run", "id")):
                self.state.write(f"DELETE FROM {table} WHERE {column} = ?", number)
        run = self.state.write(
            "INSERT INTO run (identity, name, programs, seconds, digest, record) VALUES (?, ?, ?, ?, ?, ?)",
            *(identity, name, *rank, content),
        )
        self.state.write_all(
            "INSERT INTO origin VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self._origins(run, identity, entries)
        )
        return True

    def _origins(self, run: int, identity: str, entries: Iterable[Entry]) -> Iterator[tuple[object, ...]]:
        """The rows of a run's origins; its samples are written on the way, of each class the one to look at."""
        best: dict[str, str] = {}
        for origin, sample in entries:
            if sample is not None:
                self._put(run, identity, sample, best)
            if origin is None:
                continue
            if len(self._buckets) > 4096:
                self._buckets.clear()
            key, kind, place, class_ = origin
            if (bucket := self._buckets.get(key)) is None:
                bucket = self._buckets[key] = self.state.bucket(key)
            index, number = (None if n is None else bounded(n) for n in (place.index, place.number))
            row = (place.relation, place.family, number, place.file)
            yield run, class_, bucket, kind.value, index, *row

    def _put(self, run: int, identity: str, sample: Finding, best: dict[str, str]) -> None:
        """Writes a sample unless a better one of its class is there; `best` are the weights of those."""
        class_, size = class_of(sample.record), _size(sample)
        if class_ in best and best[class_][: len(size)] < size:
            return
        content = to_json(sample.record)
        weight = _weight(size, identity, sample, content)
        if class_ in best and best[class_] <= weight:
            return
        best[class_] = weight
        self.state.write(
            "INSERT OR REPLACE INTO sample (class, run, weight, record, files) VALUES (?, ?, ?, ?, ?)",
            *(class_, run, weight, content, orjson.dumps(sample.files)),
        )

    # --------------------------------------------------------------------------------------------------- reading

    def runs(self) -> Iterator[tuple[int, str, records.RunRecord]]:
        """Its runs, the oldest first: number, name and record. Raises RecordError."""
        rows = self.state.rows("SELECT id, name, identity FROM run")
        keyed = [(self._record(number).date or "", str(identity), number, str(name)) for number, name, identity in rows]
        for _, _, number, name in sorted(keyed):
            yield number, name, self._record(number)

    def _record(self, number: int) -> records.RunRecord:
        stored = self.state.value("SELECT record FROM run WHERE id = ?", number)
        return read(records.RunRecord, from_json(stored))

    def number_of(self, identity: str) -> int | None:
        """The number of the run with this identity; None if it was not merged into the history."""
        number = self.state.value("SELECT id FROM run WHERE identity = ?", identity)
        return None if number is None else int(number)

    def representatives(self, without: int | None = None) -> Iterator[Finding]:
        """Of each class the sample that stands for it, by the names of classes; without those of one run.

        Raises RecordError.
        """
        others = _others(without)
        counts = f"(SELECT count(*) FROM origin WHERE class = s.class AND {others})"
        which = f"FROM sample s WHERE {others} GROUP BY class ORDER BY class"
        query = f"SELECT record, files, {counts}, min(weight) {which}"
        for record, files, n, _ in self.state.stream(query):
            yield replace(finding_of(record, files), count=max(1, n))

    def counted(self, without: int | None = None) -> Iterator[tuple[BucketKey, int]]:
        """How many findings of each raw bucket were only counted, but for those of the run `without`."""
        which = f"FROM origin JOIN bucket b ON b.id = bucket WHERE {_others(without)} GROUP BY b.id"
        for key, n in self.state.stream(f"SELECT key, sum(class IS NULL) {which}"):
            yield stored_key(key), n

    def entries_of(self, run: int, damaged: list[str]) -> Iterator[Entry]:
        """What a run told when it was added, to be told again to another history."""
        classes = set[str]()
        query = "SELECT record, files FROM sample WHERE run = ? AND length(record) + length(files) < ?"
        for record, files in self.state.stream(query, run, FILE_LIMIT):
            try:
                sample = finding_of(record, files)
            except (RecordError, ValueError) as error:
                damaged.append(f"a finding of run {run}: {error}")
                continue
            classes.add(class_of(sample.record))
            yield None, sample
        columns = "class, key, kind, shader, relation, family, number, file"
        query = f"SELECT {columns} FROM origin JOIN bucket b ON b.id = bucket WHERE run = ?"
        for class_, *row in self.state.stream(query, run):
            yield origin_of(row, class_ if class_ in classes else None), None

    def sightings(self, classes: Iterable[str], raw: Iterable[BucketKey]) -> Iterator[tuple[str, int, int | None]]:
        """Which runs met findings of some classes, else of some raw buckets: identity, how many, the first shader."""
        names = [name for name in classes if _CLASS.fullmatch(name)]
        buckets = filter(None, map(self.state.bucket_if_any, raw))
        which = ("class", names) if names else ("bucket", list(buckets))
        seen: dict[str, tuple[int, int | None]] = {}
        for one in which[1]:
            met = f"FROM origin JOIN run ON id = run WHERE {which[0]} = ? GROUP BY run"
            query = f"SELECT identity, count(*), min(shader) {met}"
            for run, n, shader in self.state.stream(query, one):
                before, first = seen.get(run, (0, None))
                seen[run] = before + n, min((i for i in (first, shader) if i is not None), default=None)
        return ((run, n, shader) for run, (n, shader) in seen.items())


def _others(without: int | None) -> str:
    """The rows of all runs, or of all but one, as a condition of SQL."""
    return "true" if without is None else f"run <> {without:d}"


def origin_of(row: list[Any], class_: str | None = None) -> Origin:
    """A row `key, kind, shader, relation, family, number, file`, whatever it holds; raises ValueError."""
    key, kind, shader, relation, family, number, file = row
    index, number = (n if isinstance(n, int) else None for n in (shader, number))
    relation, family, file = (t if isinstance(t, str) else None for t in (relation, family, file))
    place = records.ShaderOrigin(index=index, relation=relation, family=family, number=number, file=file)
    return stored_key(str(key)), Kind(kind), place, class_


def folder_of(sample: Finding) -> str:
    """The name of the folder of a class: the same in every history."""
    target = re.sub(r"[^A-Za-z0-9.@_-]+", "_", sample.record.target)[-40:]
    return f"{sample.record.kind.value}-{target}-{class_of(sample.record)}"


OUR_FOLDER = re.compile(rf"(?:{'|'.join(kind.value for kind in Kind)})-[A-Za-z0-9.@_-]*-[0-9a-f]{{16}}")
"""What such folders are called."""


def as_stored(sample: Finding, folder: Path, specs: dict[str, str]) -> records.FindingRecord:
    """The record of a sample, with the command that shows it from its folder in the history.

    Seconds from the start of some run would say nothing there.
    """
    record = sample.record
    names = [name for name in TEXTS if name in sample.files]
    again = reproduce(record, specs, folder, names)
    return replace(record, reproduce=again, after=None)
