"""Processes that a compiler left behind: they inherit a mark in the environment, by which they are found and ended.

The group of a process is not enough: a child that called setsid has left it. What clears its environment escapes this,
too; a limit of processor time is all that holds it.
"""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil

VARIABLE = "WGSL_FUZZ_SCRATCH"
"""Its value is the scratch directory of a child, which no other child has."""

_ROUNDS = 20
"""A process may start another one while it is looked for."""


_MAKER = re.compile(r"wgsl-fuzz-(\d{1,10})-[^/\\]*$")
"""The process that made a scratch directory."""


def marked(mark: str) -> dict[str, str]:
    """What to add to the environment of a child."""
    return {VARIABLE: mark}


def end_strays(mark: str) -> int:
    """Ends all processes that have this mark; says how many there were."""
    ended = set[psutil.Process]()
    for _ in range(_ROUNDS):
        found = {process for process, its in _marked_processes() if its == mark}
        for process in found:
            with suppress(psutil.Error):
                process.kill()
        ended |= found
        if not found:
            break
        time.sleep(0.005)
    return len(ended)


def end_orphans() -> int:
    """Ends the processes whose mark is of a process that is gone (kill -9, say); says how many there were."""
    ended = 0
    for process, mark in _marked_processes():
        found = _MAKER.search(mark)
        if found is not None and not lives(int(found[1])):
            with suppress(psutil.Error):
                process.kill()
                ended += 1
    return ended


def lives(process: int) -> bool:
    """Whether there is a process of this number. `os.kill(process, 0)` would end it on Windows."""
    try:
        return bool(psutil.pid_exists(process))
    except OverflowError:  # no process of ours, but what has its number is not ours to delete either
        return True


def _marked_processes() -> Iterator[tuple[psutil.Process, str]]:
    """Each process that has a mark, but this one; those that have ended have no environment."""
    for number in psutil.pids():
        with suppress(psutil.Error, OSError):
            process = psutil.Process(number)
            mark = process.environ().get(VARIABLE)
            if mark is not None and number != os.getpid():
                yield process, mark


PREFIX = "wgsl-fuzz-"


def scratch_directory() -> str:
    """A new, empty directory, which the caller deletes with `discard`; raises OSError."""
    _sweep_once(os.getpid())
    return tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")


def discard(directory: str) -> None:
    """Deletes a scratch directory with all that is in it; what cannot be deleted stays."""
    shutil.rmtree(directory, ignore_errors=True)


@cache
def _sweep_once(_process: int) -> None:
    """The argument makes a forked child sweep for itself."""
    end_orphans()
    sweep(Path(tempfile.gettempdir()))


def sweep(parent: Path) -> list[Path]:
    """Deletes the scratch directories in a folder that ended processes of this user left behind; gives their names."""
    gone = []
    for directory, process in _left_in(parent):
        with suppress(OSError):
            status = directory.lstat()
            if (not hasattr(os, "getuid") or status.st_uid == os.getuid()) and not lives(process):
                discard(str(directory))
                gone.append(directory)
    return gone


def _left_in(parent: Path) -> Iterator[tuple[Path, int]]:
    """The scratch directories of a folder, each with the process that made it."""
    with suppress(OSError):
        for entry in parent.glob(f"{PREFIX}*-*"):
            process = entry.name.removeprefix(PREFIX).split("-")[0]
            if process.isdecimal() and entry.is_dir() and not entry.is_symlink():
                yield entry, int(process)
