"""The processes of a run: how much memory each has, and how much processor time those of a role took."""

import multiprocessing
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import psutil

from wgsl_fuzz.fuzz.findings.stats import CAMPAIGN, COMPILERS, WORKERS, added

_TRACKER = "multiprocessing.resource_tracker"
"""A process that Python starts beside workers."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What the processes of a run use, by their role."""

    resident: Mapping[str, list[int]]
    """Bytes of memory of each that lives, the largest first."""
    processor: Mapping[str, float]
    """Seconds so far, those of processes that ended included."""


@dataclass(frozen=True, slots=True)
class _Look:
    """One process: its parent, bytes of memory, processor seconds of its own and of children that it waited for."""

    parent: int
    resident: int
    own: float
    waited: float


class ProcessTree:
    """This process and all that it started, by their roles.

    What a worker and its compilers did between the last look at them and their end is not known.
    """

    def __init__(self) -> None:
        self._own = psutil.Process()
        self._seen: dict[psutil.Process, tuple[float, float]] = {}
        """Of this process and of each worker the seconds of its own, and of the compilers below it."""
        self._ended: dict[str, float] = {}

    def usage(self) -> Usage:
        """Looks at all processes: that takes some milliseconds."""
        workers = {child.pid for child in multiprocessing.active_children()}
        found = {one: look for one in (self._own, *self._own.children(recursive=True)) if (look := _look(one))}
        by_pid = {one.pid: one for one in found}
        resident, below = defaultdict[str, list[int]](list), defaultdict[psutil.Process, float](float)
        own: dict[psutil.Process, float] = {}
        for one, look in found.items():
            base = one
            while base != self._own and base.pid not in workers:
                base = by_pid.get(found[base].parent, self._own)
            if one != base:
                below[base] += look.own + look.waited
            else:
                own[base] = look.own
                below[base] += 0.0 if workers and base == self._own else look.waited
            role = COMPILERS if one != base else CAMPAIGN if one == self._own else WORKERS
            resident[role].append(look.resident)
        self._remember({base: (own[base], below[base]) for base in own})
        return Usage({role: sorted(sizes, reverse=True) for role, sizes in resident.items()}, self._processor())

    def _remember(self, now: Mapping[psutil.Process, tuple[float, float]]) -> None:
        """Takes in what was seen; nothing that was seen before is taken back."""
        for base, (own, below) in self._seen.items():
            if base not in now:
                self._ended = added(self._ended, {WORKERS: own, COMPILERS: below})
        earlier, self._seen = self._seen, {}
        for base, seen in now.items():
            before = earlier.get(base, seen)
            self._seen[base] = (max(seen[0], before[0]), max(seen[1], before[1]))

    def _processor(self) -> dict[str, float]:
        seconds = self._ended
        for base, (own, below) in self._seen.items():
            seconds = added(seconds, {CAMPAIGN if base == self._own else WORKERS: own, COMPILERS: below})
        return seconds


def _look(process: psutil.Process) -> _Look | None:
    """What there is to say of a process; nothing of one that has ended, or is no part of the work."""
    try:
        with process.oneshot():
            if _TRACKER in " ".join(process.cmdline()):
                return None
            times = process.cpu_times()
            own, waited = times.user + times.system, times.children_user + times.children_system
            return _Look(process.ppid(), process.memory_info().rss, own, waited)
    except psutil.Error:
        return None
