"""Files: those that users name, and those in a run's folder. What cannot be read or written is one clear line."""

import errno
import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath, PureWindowsPath
from tempfile import TemporaryFile
from typing import BinaryIO

from wgsl_fuzz.fuzz.problems import Problem

REPLACE_TRIES, REPLACE_SECONDS = 20, 1.0
FILE_LIMIT = 64 << 20
"""Bytes of a file that are read: a device, say, has no end."""


def read_text(file: str | Path) -> str:
    """The text of a UTF-8 file, pipe or device, with its ends of lines; raises Problem."""
    try:
        with Path(file).open("rb") as opened:
            return _bounded(opened).decode("utf-8")
    except OSError as error:
        raise Problem(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Problem(f"cannot read {file}: it is not UTF-8") from error


def wgsl_files(folder: Path) -> list[Path]:
    """The files `*.wgsl` in a folder, at any depth. Raises Problem if there are none."""
    files = sorted(path for path in folder.rglob("*.wgsl") if path.is_file())
    if not files:
        raise Problem(f"there is no *.wgsl in {folder}")
    return files


def read_plain(path: Path) -> bytes:
    """A file in a folder that may be somebody else's: a plain one, of bounded size, and no link. Raises OSError."""
    with open_plain(path) as opened:
        return _bounded(opened)


@contextmanager
def open_plain(path: Path) -> Iterator[BinaryIO]:
    """As `read_plain`, for files that are not read at once. A pipe or a device is not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, "it is a link, which is not followed", str(path)) from None
        raise
    with os.fdopen(number, "rb") as opened:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(path))
        yield opened


def _bounded(opened: BinaryIO) -> bytes:
    content = opened.read(FILE_LIMIT + 1)
    if len(content) > FILE_LIMIT:
        raise OSError(errno.EFBIG, f"it is larger than {FILE_LIMIT >> 20} MiB")
    return content


@contextmanager
def refusals_named(what: str) -> Iterator[None]:
    """What the system refuses is a Problem that says what cannot be done: `write FILE`."""
    try:
        yield
    except OSError as error:
        raise Problem(f"cannot {what}: {error.strerror}") from error


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file, of which the old content stays if that fails; raises Problem."""
    with refusals_named(f"write {path}"):
        is_new = not path.exists() and not path.is_symlink()  # behind a link may be a pipe or a device
        if path.is_file() and not path.is_symlink() and os.access(path, os.W_OK) and path.stat().st_nlink == 1:
            with suppress(PermissionError):  # the folder takes no new file
                replace_file(path, content, path.with_name(f".{path.name[:200]}.part"))
                return
        try:
            path.write_bytes(content)
        except OSError:
            if is_new:
                path.unlink(missing_ok=True)
            raise


def replace_file(path: Path, content: bytes, part: Path) -> None:
    """Writes a file by way of another: a reader, also after a crash, sees all of the old content or all of the new."""
    part.unlink(missing_ok=True)  # in somebody's folder it may be a link to anywhere
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):
            shutil.copymode(path, part)
        _replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _replace(part: Path, path: Path) -> None:
    """As `Path.replace`; a reader, who keeps Windows from it, is waited for."""
    for left in reversed(range(REPLACE_TRIES)):
        try:
            part.replace(path)
            return
        except PermissionError:
            if os.name == "posix" or not left:
                raise
            time.sleep(REPLACE_SECONDS / REPLACE_TRIES)


def check_writable(path: Path) -> None:
    """Raises Problem if a file cannot be written here: to be asked before long work. What is there stays as it is."""
    with refusals_named(f"write {path}"):
        if path.is_file() or path.is_dir():
            path.open("ab").close()
        elif not path.exists() and not path.is_symlink():  # a pipe or a device may mind being opened twice
            path.open("xb").close()
            path.unlink()


def make_folder(path: Path) -> None:
    """Makes a folder unless it is there; raises Problem if no file can be written in it."""
    with refusals_named(f"write to {path}"):
        path.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=path).close()


# What separates words, or parts of a path, ends one: a path with blanks has to be known.
_PART = r"[^\s/\\:;,'\"`()<>|*]+"
_WHOLE_PATH = re.compile(rf"(?<![\w./\\])(?:(?:file://)?~?(?:/{_PART}){{2,}}|[A-Za-z]:(?:[/\\]{_PART})+)")
"""A path from the root of a file system, or from a home directory."""


def without_folders(text: str, known: Iterable[str] = ()) -> str:
    """A text for other people: of each whole path in it, and of these that are known, the last part stays."""
    for path in sorted(filter(_is_whole, known), key=len, reverse=True):
        text = text.replace(path, _last_part(path))
    return _WHOLE_PATH.sub(lambda found: _last_part(found[0]), text)


def _is_whole(path: str) -> bool:
    return path.startswith("~") or PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()


def _last_part(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


# ---------------------------------------------------------------------------------------------------------- watching

EVERY = 0.3
"""Seconds between two looks at watched files."""

Stamp = tuple[tuple[Path, int, int, int] | None, ...]
"""Of each file its path, time of change, size and number; None while it is not there."""


def follow(files: Callable[[], Sequence[Path]], sleep: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Yields at once, and then whenever a file has changed, is there, and stays as it is for one look."""
    asked: Stamp | None = None
    while True:
        now = tuple(map(_stamp, files()))
        if now != asked and None not in now:
            sleep(EVERY)
            if tuple(map(_stamp, files())) == now:  # no longer being written
                asked = now
                yield
        else:
            sleep(EVERY)


def _stamp(path: Path) -> tuple[Path, int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return path, status.st_mtime_ns, status.st_size, status.st_ino
