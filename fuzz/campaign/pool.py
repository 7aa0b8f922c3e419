"""Where tasks are worked on: in this process, or in several others, each with targets of its own."""

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from typing import Protocol

from wgsl_fuzz.fuzz.campaign.worker import BATCH, Task, TaskResult, Worker, rare_collections
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.judging.answers import TIMEOUT
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError

CLOSE_SECONDS = 0.5
"""How long workers may take to end by themselves."""


class WorkerPool(Protocol):
    """Answers tasks in the order in which they were given."""

    @property
    def window(self) -> int:
        """How many tasks should be given before the first answer is asked for."""

    def give(self, task: Task, *, first: bool = False) -> None:
        """Hands over a task; as the next to be answered if `first`."""

    def take(self) -> TaskResult:
        """The answer to the next task."""

    def warm(self) -> None:
        """Waits until it is ready to work: for measurements."""

    def close(self) -> None:
        """Ends it; tasks not answered are dropped."""


class InProcessPool:
    """One worker in this process."""

    window = 1

    def __init__(self, plan: Plan, targets: Sequence[Target]) -> None:
        self._worker = Worker(plan, targets)
        self._tasks: deque[Task] = deque()

    def give(self, task: Task, *, first: bool = False) -> None:
        """As in WorkerPool."""
        self._tasks.appendleft(task) if first else self._tasks.append(task)

    def take(self) -> TaskResult:
        """As in WorkerPool."""
        return self._worker.work(self._tasks.popleft())

    def warm(self) -> None:
        """As in WorkerPool."""

    def close(self) -> None:
        """As in WorkerPool; the targets stay open, because the caller owns them."""


class ProcessPool:
    """Several processes. One that dies (out of memory, say) is replaced, and its tasks are given again."""

    def __init__(self, plan: Plan, names: Sequence[str], jobs: int, timeout: float = TIMEOUT) -> None:
        self.window = 2 * jobs
        self._plan, self._names, self._jobs, self._timeout = plan, tuple(names), jobs, timeout
        self._tasks: deque[tuple[Task, Future[TaskResult]]] = deque()
        self._deaths = 0
        self._pool = self._opened()

    def _opened(self) -> ProcessPoolExecutor:
        # Spawned, not forked: a fork would keep the pipes of this process's compilers open.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(
            self._jobs, context, initializer=_begin, initargs=(self._plan, self._names, self._timeout)
        )

    def give(self, task: Task, *, first: bool = False) -> None:
        """As in WorkerPool."""
        with _interrupts_held_back():
            try:
                item = (task, self._pool.submit(_work, task))
            except BrokenProcessPool:
                self._revive()
                item = (task, self._pool.submit(_work, task))
        self._tasks.appendleft(item) if first else self._tasks.append(item)

    def take(self) -> TaskResult:
        """As in WorkerPool. Raises TargetError if the workers keep dying."""
        while True:
            try:
                done = self._tasks[0][1].result()
            except BrokenProcessPool:
                with _interrupts_held_back():
                    self._revive()
            else:
                self._tasks.popleft()
                self._deaths = 0
                return done

    def _revive(self) -> None:
        self._deaths += 1
        if self._deaths > 2:
            raise TargetError("the worker processes die again and again; try --jobs 1")
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._opened()
        self._tasks = deque((task, self._pool.submit(_work, task)) for task, _ in self._tasks)

    def warm(self) -> None:
        """As in WorkerPool."""
        for future in [self._pool.submit(_work, Task(0, BATCH)) for _ in range(4 * self._jobs)]:
            future.result()

    def close(self) -> None:
        """As in WorkerPool; a worker that a target keeps waiting is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        ends = time.monotonic() + CLOSE_SECONDS
        for child in multiprocessing.active_children():
            child.join(max(0.0, ends - time.monotonic()))
            if child.is_alive():
                child.terminate()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """While workers start: they inherit that Ctrl-C is not for them. The campaign, which ends them, gets it later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_worker: Worker | None = None


def _begin(plan: Plan, names: Sequence[str], timeout: float) -> None:
    """Makes this process a worker."""
    global _worker
    signal.signal(signal.SIGTERM, lambda *_: _leave())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    rare_collections().__enter__()
    _worker = Worker(plan, [open_target(name, timeout=timeout) for name in names])


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _leave()  # kill -9 of the campaign: nobody will ask any more


def _leave() -> None:
    """Ends this worker at once, but for its compilers and their files."""
    with suppress(Exception):
        for target in [] if _worker is None else _worker.targets:
            target.close()
    os._exit(1)


def _work(task: Task) -> TaskResult:
    assert _worker is not None, "initialised by the pool"
    return _worker.work(task)
