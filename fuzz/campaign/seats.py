"""How much room the workers of a cluster have: one piece of work for each thread, and one that waits for it."""

from collections import deque
from collections.abc import Mapping

AHEAD = 1
"""Pieces that wait at a worker for each of its threads, lest it wait for us."""


class Seats:
    """Says who gets the next piece: a worker with an idle thread, if there is one."""

    def __init__(self) -> None:
        self._threads: dict[str, int] = {}
        self._taken: dict[str, int] = {}
        self._idle: deque[str] = deque()
        self._ahead: deque[str] = deque()

    @property
    def threads(self) -> int:
        """How many threads there are."""
        return sum(self._threads.values())

    @property
    def of_workers(self) -> Mapping[str, int]:
        """How many threads each worker has."""
        return self._threads

    def come(self, worker: str, threads: int) -> None:
        """There is another worker."""
        self._threads[worker], self._taken[worker] = threads, 0
        self._idle.extend([worker] * threads)
        self._ahead.extend([worker] * (threads * AHEAD))

    def gone(self, worker: str) -> None:
        """A worker is no more."""
        if self._threads.pop(worker, None) is not None:
            del self._taken[worker]
            self._idle = deque(name for name in self._idle if name != worker)
            self._ahead = deque(name for name in self._ahead if name != worker)

    def taken(self) -> str | None:
        """The worker that gets the next piece; None if there is no room."""
        for free in (self._idle, self._ahead):
            if free:
                worker = free.popleft()
                self._taken[worker] += 1
                return worker
        return None

    def left(self, worker: str) -> None:
        """A worker has a piece less."""
        if worker not in self._threads:
            return
        self._taken[worker] -= 1
        (self._idle if self._taken[worker] < self._threads[worker] else self._ahead).append(worker)
