"""Waiting until a target's file changes: what `conformance --watch` does between two rounds."""

import importlib.util
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.targets.named import split_name

EVERY = 0.3
"""Seconds between two looks at the files."""

Stamp = tuple[tuple[int, int, int] | None, ...]
"""Of each file its time of change, size and number; None while it is not there."""


class Watched:
    """The files that targets are: commands by their path, files of rules, modules of Python functions."""

    def __init__(self, specs: Sequence[str]) -> None:
        """Raises Problem if a target is no file."""
        self.files = tuple(_file_of(spec) for spec in specs)

    def stamp(self) -> Stamp:
        """Equal as long as no file changes."""
        return tuple(map(_stamp, self.files))


def follow(watched: Watched, sleep: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Yields at once, and then whenever a file has changed, is there, and stays as it is for one look."""
    asked: Stamp | None = None
    while True:
        now = watched.stamp()
        if now != asked and None not in now:
            sleep(EVERY)
            if watched.stamp() == now:  # no longer being written
                asked = now
                yield
        else:
            sleep(EVERY)


def _file_of(spec: str) -> Path:
    family, _, rest = split_name(spec)[1].partition(":")
    if family == "python":
        module = rest.partition(":")[0]
        beside = Path(*module.split(".")).with_suffix(".py")
        found = None if beside.exists() else importlib.util.find_spec(module.partition(".")[0])
        path = beside if found is None or found.origin is None else Path(found.origin)
    else:
        path = Path(rest or family).expanduser()
    if not path.is_file():
        raise Problem(f"--watch: {spec} is no file that could change")
    return path


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
