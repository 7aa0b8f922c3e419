"""Ctrl-C and SIGTERM: the first ends a run after the task at hand, the second at once."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from wgsl_fuzz.fuzz.findings.directory import StorageError
from wgsl_fuzz.fuzz.problems import INTERRUPTED

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopSignal:
    """A context that handles Ctrl-C and SIGTERM. The first signal sets `requested`; the second ends the process with
    status 130.

    `say` is given a line to show at the first signal. The line names the `task` that is still to be finished.
    """

    def __init__(self, say: Callable[[str], object], task: str) -> None:
        self.requested = False
        self.record: Callable[[], object] = lambda: None
        """Writes the run's record: the last thing done when someone is in a hurry."""
        self._say, self._task = say, task

    def __enter__(self) -> "StopSignal":
        self._before = {s: signal.signal(s, self._handle) for s in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for s, handler in self._before.items():
            signal.signal(s, handler)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self.requested:
            with suppress(StorageError):
                self.record()
            os._exit(INTERRUPTED)
        self.requested = True
        self._say(f"stopping: {self._task}; once more ends at once")
