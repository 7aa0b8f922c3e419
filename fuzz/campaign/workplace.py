"""What a process that works for a campaign has: a worker, a reducer, and targets of its own for both."""

import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import psutil

from wgsl_fuzz.fuzz.campaign.garbage import collect_rarely
from wgsl_fuzz.fuzz.campaign.reduce_task import Reduced, Reducer, Together
from wgsl_fuzz.fuzz.campaign.worker import Task, TaskResult, Worker
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.oracle.targets import open_target

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

RECYCLED = 2048
"""Tasks for each worker before others take over from these and their compilers, and ..."""
LARGEST = 1 << 30
"""... how many bytes of memory a worker may have used before that."""


class Workplace:
    """A worker and a reducer in a process that does nothing else. Raises TargetError if a target cannot be opened."""

    def __init__(self, plan: Plan, names: Sequence[str], timeout: float) -> None:
        collect_rarely()
        self._closing, self._lock = False, threading.Lock()
        self.targets = [open_target(name, timeout=timeout) for name in names]
        self._worker, self._reducer = Worker(plan, self.targets), Reducer(plan, self.targets)

    def work(self, task: Task) -> TaskResult:
        """As `Worker.work`."""
        return self._worker.work(task)

    def reduce(self, findings: Together) -> Reduced:
        """As `Reducer.reduce`."""
        return replace(self._reducer.reduce(findings), restarts=self._worker.restarts.news())

    def close(self) -> None:
        """Ends the compilers, and deletes what they leave."""
        self._closing = True
        with self._lock, suppress(Exception):
            for target in self.targets:
                target.close()

    def leave(self) -> None:
        """Ends the process at once, but for its compilers and their files; one that ends already is left to it."""
        if not self._closing:
            self.close()
            os._exit(1)


def memory_used() -> int:
    """The most bytes of memory that this process ever used; what it uses now where nobody says that."""
    if resource is None:
        memory = psutil.Process().memory_info()
        return int(getattr(memory, "peak_wset", memory.rss))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
