"""Scratch directories: a compiler runs in one of its own, so that what it leaves there is in nobody's way.

Each is named after the process that made it. Those whose process is gone (kill -9, say) are deleted when the next one
is made, and what still runs in them is ended.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from wgsl_fuzz.oracle.targets.children.strays import end_orphans, lives

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
            if _is_ours(status) and not lives(process):
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


def _is_ours(status: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()
