"""Processor time by stage and by process, for benchmarks. What is measured runs as it is: its functions are wrapped."""

import os
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cached_property, wraps
from pathlib import Path
from types import ModuleType
from typing import Any

Owner = type | ModuleType

OUTSIDE = ""
"""The stage of what no stage accounts for."""


class StageClock:
    """Seconds of processor time of the main thread by stage, each without the stages called inside it."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.calls: Counter[str] = Counter()
        self._stage, self._since, self._whole = OUTSIDE, 0.0, 1
        self._undo: list[tuple[Owner, str, object]] = []

    @property
    def is_within(self) -> bool:
        """Whether a stage runs that is counted with all that it calls."""
        return self._whole > 0

    def wrap(self, owner: Owner, name: str, stage: str, *, whole: bool = False) -> None:
        """Counts what a function, method, property or cached property does as `stage`.

        `whole`: the stages inside it are part of it. Raises KeyError if the owner has no such name of its own.
        """
        kept = vars(owner)[name]
        self._undo.append((owner, name, kept))
        setattr(owner, name, self._wrapped(kept, stage, whole, name))

    def _wrapped(self, kept: Any, stage: str, whole: bool, name: str) -> object:
        if isinstance(kept, cached_property):
            timed: Any = cached_property(self._timed(kept.func, stage, whole))
            timed.__set_name__(None, name)
            return timed
        if isinstance(kept, property):
            assert kept.fget is not None, "a property that can be read"
            return property(self._timed(kept.fget, stage, whole))
        return self._timed(kept, stage, whole)

    def _timed(self, work: Callable[..., Any], stage: str, whole: bool) -> Callable[..., Any]:
        @wraps(work)
        def timed(*args: Any, **options: Any) -> Any:
            if self._whole:
                return work(*args, **options)
            before = self._enter(stage)
            self._whole += whole
            try:
                return work(*args, **options)
            finally:
                self._whole -= whole
                self._enter(before)
                self.calls[stage] += 1

        return timed

    def _enter(self, stage: str) -> str:
        now = time.thread_time()
        self.seconds[self._stage] += now - self._since
        before, self._stage, self._since = self._stage, stage, now
        return before

    def start(self) -> None:
        """What is called from now on counts."""
        self._stage, self._since, self._whole = OUTSIDE, time.thread_time(), 0

    def stop(self) -> None:
        """Nothing counts any more."""
        self._enter(OUTSIDE)
        self._whole = 1

    def unwrap(self) -> None:
        """Takes the wrappers off."""
        for owner, name, kept in reversed(self._undo):
            setattr(owner, name, kept)
        self._undo.clear()


def tree_seconds() -> tuple[float, float]:
    """Processor seconds of this process, and of its descendants: those that live, and those that it has waited for."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time(), ended.ru_utime + ended.ru_stime + sum(map(seconds_of, descendants(os.getpid())))


def descendants(pid: int) -> list[int]:
    """The processes that a process started and that these started, by `/proc`."""
    if not sys.platform.startswith("linux"):
        raise OSError("processor time of child processes is read from /proc, which only Linux has")
    parents = {int(path.name): _field(path, 1) for path in Path("/proc").iterdir() if path.name.isdigit()}
    found, last = list[int](), {pid}
    while last:
        last = {child for child, parent in parents.items() if parent in last}
        found += last
    return found


def seconds_of(pid: int, *, waited: bool = True) -> float:
    """Of one process, and of the children that it has `waited` for unless these are not asked for."""
    numbers = (11, 12, 13, 14) if waited else (11, 12)
    return sum(_field(Path(f"/proc/{pid}"), number) for number in numbers) / os.sysconf("SC_CLK_TCK")


def _field(path: Path, number: int) -> int:
    """A number of `/proc/PID/stat`, counted from the state on; 0 for a process that is gone."""
    try:
        return int((path / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[number])
    except OSError:
        return 0
