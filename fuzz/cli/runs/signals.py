"""Ctrl-C, SIGTERM, and SIGHUP of a closing terminal: the first ends a run after its task, the second at once."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from wgsl_fuzz.fuzz.findings.directory import StorageError
from wgsl_fuzz.fuzz.problems import INTERRUPTED

HANGUP: int | None = getattr(signal, "SIGHUP", None)
"""None on Windows."""
SIGNALS = (signal.SIGINT, signal.SIGTERM) if HANGUP is None else (signal.SIGINT, signal.SIGTERM, signal.Signals(HANGUP))


class StopSignal:
    """A context that handles Ctrl-C, SIGTERM, and SIGHUP unless it is ignored, as under `nohup`. The first signal sets
    `requested`; the second ends the process with status 130, but for a second SIGHUP: shells send one, too.

    `say` is given a line to show at the first signal. The line names the `task` that is still to be finished.
    """

    def __init__(self, say: Callable[[str], object], task: str) -> None:
        self.requested = False
        self.record: Callable[[], object] = lambda: None
        """Writes the run's record: the last thing done when someone is in a hurry."""
        self._say, self._task = say, task
        self._terminals: list[int] = []

    def __enter__(self) -> "StopSignal":
        self._terminals = [stream for stream in range(3) if os.isatty(stream)]
        handled = [s for s in SIGNALS if s != HANGUP or signal.getsignal(s) != signal.SIG_IGN]
        self._before = {s: signal.signal(s, self._handle) for s in handled}
        return self

    def __exit__(self, *_: object) -> None:
        for s, handler in self._before.items():
            signal.signal(s, handler)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if number == HANGUP:
            self._leave_terminals()
        if self.requested:
            if number == HANGUP:
                return
            with suppress(StorageError):
                self.record()
            os._exit(INTERRUPTED)
        self.requested = True
        self._say(f"stopping: {self._task}; once more ends at once")

    def _leave_terminals(self) -> None:
        """What is written from here on is for nobody: to write to a terminal that is gone is an error."""
        if self._terminals:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in self._terminals:
                os.dup2(nowhere, stream)
            os.close(nowhere)
            self._terminals = []
