"""Processes that a compiler left behind: they inherit a mark in the environment, by which they are found and ended.

The group of a process is not enough: a child that called setsid has left it. What clears its environment escapes this,
too; a limit of processor time is all that holds it. Needs /proc, and does nothing without.
"""

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

VARIABLE = "WGSL_FUZZ_SCRATCH"
"""Its value is the scratch directory of a child, which no other child has."""

_ROUNDS = 20
"""A process may start another one while it is looked for."""


_MAKER = re.compile(r"wgsl-fuzz-(\d{1,10})-[^/]*$")
"""The process that made a scratch directory."""


def marked(mark: str) -> dict[str, str]:
    """What to add to the environment of a child."""
    return {VARIABLE: mark}


def end_strays(mark: str) -> int:
    """Ends all processes that have this mark; says how many there were."""
    ended = set[int]()
    for _ in range(_ROUNDS):
        found = set(processes_with(mark))
        for process in found:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
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
        if found is not None and not _lives(int(found[1])):
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
                ended += 1
    return ended


def _lives(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


def processes_with(mark: str) -> list[int]:
    """The processes of this user with the mark."""
    return [process for process, its in _marked_processes() if its == mark]


def _marked_processes() -> Iterator[tuple[int, str]]:
    """Each process that has a mark, but this one; those that have ended have no environment."""
    head = f"{VARIABLE}=".encode()
    for path in Path("/proc").glob("[0-9]*"):
        if path.name == str(os.getpid()):
            continue
        with suppress(OSError):
            content = b"\0" + (path / "environ").read_bytes()
            _, there, rest = content.partition(b"\0" + head)
            if there:
                yield int(path.name), os.fsdecode(rest.partition(b"\0")[0])
