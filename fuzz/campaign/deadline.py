"""When a run has to end: its time is spent, or someone stopped it. Nothing a target does may hold it up for long.

A spent budget is a stop like Ctrl-C: no further tasks, a moment for the reduction at hand, and what is not reduced by
then stays as drawn. A target that does not answer meanwhile is not waited for.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

HURRIED_SECONDS = 2.0
"""How long a reduction may go on once the run is to end."""
PATIENCE_SECONDS = 3.5
"""How long an answer is waited for then."""
_AGAIN_SECONDS = 0.1


class OutOfTime(BaseException):
    """The run is over, and what was waited for did not come. No `except Exception` of a target's code holds it up."""


class Deadline:
    """The end of one run: `seconds` after `started` (monotonic), if given, or when `stopped` says so first.

    Entered, it raises OutOfTime inside `waiting` when that takes too long. This needs a main thread and POSIX;
    elsewhere a run may outlast its time by one answer of each target.
    """

    def __init__(self, started: float, seconds: float | None, stopped: Callable[[], bool]) -> None:
        self.at = None if seconds is None else started + seconds
        self._stopped = stopped
        self._stopped_at: float | None = None
        self._waiting = False

    @property
    def late(self) -> float:
        """How many seconds ago the run should have ended; negative while it goes on."""
        now = time.monotonic()
        if self._stopped_at is None and self._stopped():
            self._stopped_at = now
        ends = [at for at in (self.at, self._stopped_at) if at is not None]
        return now - min(ends) if ends else -1.0

    @property
    def over(self) -> bool:
        """Whether the run is to end."""
        return self.late >= 0

    @property
    def hurried(self) -> bool:
        """Whether reductions have to end, too."""
        return self.late > HURRIED_SECONDS

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """For what may take long and can be broken off."""
        self._waiting = True
        try:
            yield
        finally:
            self._waiting = False

    def __enter__(self) -> "Deadline":
        self._armed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if self._armed:
            self._before = signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS, _AGAIN_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        if self._armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        if self._waiting and self.late > PATIENCE_SECONDS:
            self._waiting = False
            raise OutOfTime
