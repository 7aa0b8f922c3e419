"""The state of a run: one SQLite file, from which `--resume` goes on exactly where the run ended, however it ended.

What belongs together is one transaction: the counts of a task, and its findings. A kill leaves
the file as the last commit made it. Everything else in a run's folder is written from here.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from wgsl_fuzz.fuzz.findings.schema import from_json, read, text_of
from wgsl_fuzz.fuzz.judging.kinds import BucketKey
from wgsl_fuzz.fuzz.problems import Problem

STATE, LOCK = "run.sqlite", "run.lock"
"""The file, and the one that whoever writes to the folder holds locked."""
READERS_SECONDS = 30.0
"""How long a reader in another process is waited for."""

_TABLES = """
CREATE TABLE record (id INTEGER PRIMARY KEY CHECK (id = 0), content BLOB NOT NULL);
CREATE TABLE bucket (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE finding (
    number INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, target TEXT NOT NULL, kind TEXT NOT NULL, shader INTEGER,
    nth INTEGER NOT NULL, reduction TEXT NOT NULL, folder TEXT NOT NULL, written INTEGER NOT NULL DEFAULT 0,
    record BLOB NOT NULL, files BLOB NOT NULL
);
CREATE TABLE counted (
    bucket INTEGER NOT NULL, target TEXT NOT NULL, kind TEXT NOT NULL, shader INTEGER,
    relation TEXT, family TEXT, number INTEGER, file TEXT
);
"""
"""`finding.kind` and `bucket` are those of the shader as drawn."""


class StorageError(Problem):
    """What was found cannot be written: the disk is full, say. The message is one line."""


class RunState:
    """The state in a run's folder, opened to be written, or only to be read. Raises StorageError, also where the file
    is none of ours.
    """

    def __init__(self, folder: Path, *, new: bool = False, reading: bool = False) -> None:
        self.path = folder / STATE
        self._lock: sqlite3.Connection | None = None
        with self._named():
            if not reading:
                self._lock = _locked(folder)
            try:
                self._file = self._opened("rwc" if new else "ro" if reading else "rw")
                if new:
                    self._file.executescript(f"BEGIN; {_TABLES} COMMIT;")
                self._check()
            except sqlite3.Error:
                if self._lock is not None:
                    self._lock.close()
                raise

    def _opened(self, mode: str) -> sqlite3.Connection:
        if self.path.is_symlink():
            raise StorageError(f"{self.path} is a link, which is not followed")
        address = f"{self.path.absolute().as_uri()}?mode={mode}"
        file = sqlite3.connect(address, uri=True, isolation_level=None, timeout=READERS_SECONDS)
        file.execute("PRAGMA trusted_schema = OFF")  # it may be someone else's
        if mode != "ro":
            file.execute("PRAGMA journal_mode = WAL")
            file.execute("PRAGMA synchronous = NORMAL")  # a kill loses nothing; a power cut a few tasks
        return file

    def _check(self) -> None:
        """Raises what says that the file is none of ours: a view, say, might be without an end."""
        foreign = "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger')"
        if (name := self._file.execute(foreign).fetchone()) is not None:
            raise sqlite3.DatabaseError(f"it holds {name[0]!r}, which is none of ours")
        self._file.execute("SELECT count(*) FROM finding").fetchone()

    def snapshot(self) -> None:
        """Begins a transaction in which all is read as it is now, whoever writes meanwhile."""
        with self._named():
            self._file.execute("BEGIN")

    def rows(self, query: str, *values: object) -> list[Any]:
        """What a query gives."""
        with self._named():
            return self._file.execute(query, values).fetchall()

    def stream(self, query: str, *values: object) -> Iterator[Any]:
        """The same, row after row: for what may be more than memory holds."""
        with self._named():
            yield from self._file.execute(query, values)

    def value(self, query: str, *values: object) -> Any:
        """The first column of the first row that a query gives; None without one."""
        with self._named():
            row = self._file.execute(query, values).fetchone()
        return None if row is None else row[0]

    def write(self, statement: str, *values: object) -> int:
        """Changes something, as a part of the present transaction; the number of the row inserted last."""
        with self._named():
            self._begin()
            return self._file.execute(statement, values).lastrowid or 0

    def write_all(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        """The same for each of several rows."""
        with self._named():
            self._begin()
            self._file.executemany(statement, rows)

    def _begin(self) -> None:
        if not self._file.in_transaction:
            self._file.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Ends the present transaction: from here on no kill undoes it."""
        with self._named():
            if self._file.in_transaction:
                self._file.execute("COMMIT")

    def close(self) -> None:
        """Ends the use of it; what is not committed is forgotten. Without readers it is one file again."""
        with suppress(sqlite3.Error):
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            if self._lock is not None:
                self._file.execute("PRAGMA busy_timeout = 0")
                self._file.execute("PRAGMA journal_mode = DELETE")
        self._file.close()
        if self._lock is not None:
            self._lock.close()

    def bucket(self, key: BucketKey) -> int:
        """The number of a bucket, which gets one if it has none yet."""
        found = self.bucket_if_any(key)
        return self.write("INSERT INTO bucket (key) VALUES (?)", text_of(key)) if found is None else found

    def bucket_if_any(self, key: BucketKey) -> int | None:
        """The number of a bucket; None if it has none."""
        found = self.value("SELECT id FROM bucket WHERE key = ?", text_of(key))
        return None if found is None else int(found)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """What SQLite cannot do is a StorageError of one line, with the file."""
        try:
            yield
        except sqlite3.Error as error:
            raise StorageError(f"cannot use {self.path}: {error}") from error


@lru_cache(maxsize=4096)
def stored_key(text: str) -> BucketKey:
    """The key that a column `key` holds. Raises RecordError."""
    return read(BucketKey, from_json(text))


def _locked(folder: Path) -> sqlite3.Connection:
    """What keeps others from writing to the folder until it is closed, or this process ends in whatever way."""
    lock = sqlite3.connect(folder / LOCK, isolation_level=None, timeout=0.0)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if "locked" not in str(error):
            raise
        raise StorageError(f"{folder} is in use: another wgsl-fuzz writes to it") from error
    return lock


def is_locked(folder: Path) -> bool:
    """Whether another process, or another part of this one, writes to the folder."""
    try:
        _locked(folder).close()
    except (StorageError, sqlite3.Error):
        return True
    return False
