"""Worker pools: tasks and reductions run in this process or in several others, each with its own targets."""

import atexit
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeVar

from wgsl_fuzz.fuzz.campaign.reduce_task import LOST, HurryUp, ReductionResult, ReductionTask
from wgsl_fuzz.fuzz.campaign.worker import LARGEST, RECYCLED, Task, TaskResult, Worker, WorkerProcess, memory_used
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.judging.answers import TIMEOUT
from wgsl_fuzz.oracle.targets.protocol import CRASH, Target, TargetError


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """While workers start: they inherit that Ctrl-C is not for them. The campaign, which ends them, gets it later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


CLOSE_SECONDS, LEAVE_SECONDS = 0.5, 10.0
"""How long workers may take to end by themselves; and, told to, to end their compilers."""
DEATHS = 12
"""After so many deaths of workers in a row no more are replaced, or a few more if there are reductions."""
TOGETHER = 3
"""A reduction that was at work at more deaths than these may be at fault: it gets a worker of its own."""
QUIET = 6
"""A reduction whose own worker died more often waits until nothing else is at work."""
REDUCING = 12
"""A reduction is given up after so many deaths."""

_R = TypeVar("_R")


ALONE = -1
"""The generation of workers that have one reduction only: they are not recycled."""
COUNT, SIZE = "count", "size"
"""Why workers were replaced, beside CRASH: they had done RECYCLED tasks each, or one was larger than LARGEST."""


class WorkersLost(Exception):
    """The workers are gone for good, and nobody is at fault: the run ends with what it has. The message is one line."""


class WorkerPool(Protocol):
    """Answers tasks in the order in which they were given, and reductions as they come."""

    @property
    def restarts(self) -> Mapping[str, int]:
        """How often workers were replaced, by the reason: COUNT, SIZE, CRASH."""

    @property
    def threads(self) -> int:
        """How many tasks or reductions it works on at a time."""

    @property
    def window(self) -> int:
        """How many tasks should be given before the first answer is asked for."""

    @property
    def workers(self) -> Mapping[str, int]:
        """How many workers there are on each host, if they are on others than this one."""

    def give(self, task: Task) -> None:
        """Hands over a task."""

    def reduce(self, findings: ReductionTask) -> None:
        """Hands over a reduction."""

    def take(self, hurry: HurryUp = lambda: False) -> TaskResult | ReductionResult:
        """The answer to the next part of the oldest task, or a reduction that is done. `hurry` ends a reduction."""

    def drop(self) -> None:
        """Forgets the tasks."""

    def close(self) -> None:
        """Ends it; what is not answered is dropped."""


class InProcessPool:
    """One worker in this process."""

    threads = window = 1
    restarts: Final[Mapping[str, int]] = {}
    workers: Final[Mapping[str, int]] = {}

    def __init__(self, plan: Plan, targets: Sequence[Target]) -> None:
        self._worker = Worker(plan, targets)
        self._tasks: deque[Task] = deque()
        self._reductions: deque[ReductionTask] = deque()

    def give(self, task: Task) -> None:
        """As in WorkerPool."""
        self._tasks.append(task)

    def reduce(self, findings: ReductionTask) -> None:
        """As in WorkerPool."""
        self._reductions.append(findings)

    def take(self, hurry: HurryUp = lambda: False) -> TaskResult | ReductionResult:
        """As in WorkerPool."""
        if self._reductions:
            return self._worker.reduce(self._reductions.popleft(), hurry)
        task = self._tasks.popleft()
        done = self._worker.work(task)
        if (rest := rest_of(task, done)) is not None:
            self._tasks.appendleft(rest)
        return done

    def drop(self) -> None:
        """As in WorkerPool."""
        self._tasks.clear()

    def close(self) -> None:
        """As in WorkerPool; the targets stay open, because the caller owns them."""
        self._worker.close()


@dataclass(eq=False, slots=True)
class GivenTask:
    """A task that a worker has: what is left of it, and the answers that came and were not taken yet."""

    rest: Task | None
    future: Any = None
    ready: deque[TaskResult] = field(default_factory=deque)


@dataclass(slots=True)
class _Reducing:
    """A reduction that a worker has, and at how many deaths of workers it was at work."""

    findings: ReductionTask
    future: "Future[_Done[ReductionResult]]"
    deaths: int = 0
    own: ProcessPoolExecutor | None = None
    """Its own worker, since it may be at fault; then only the deaths of that one count."""
    waits: bool = False
    """Whether it waits until nothing else is at work."""


class ProcessPool:
    """Several processes. One that dies (out of memory, say) is replaced, and its tasks are given again.

    All are replaced after RECYCLED tasks each, or if one has grown.
    """

    workers: Mapping[str, int] = {}

    def __init__(self, plan: Plan, names: Sequence[str], jobs: int, timeout: float = TIMEOUT) -> None:
        self.threads, self.window = jobs, 2 * jobs
        self._plan, self._names, self._jobs, self._timeout = plan, tuple(names), jobs, timeout
        self._tasks: deque[GivenTask] = deque()
        self._reductions: list[_Reducing] = []
        self._deaths = self._given = self._generation = 0
        self.restarts: Counter[str] = Counter()
        self._pool = self._opened(jobs, self._generation)

    def _opened(self, jobs: int, generation: int) -> ProcessPoolExecutor:
        # Spawned, not forked: a fork would keep the pipes of this process's compilers open.
        context = multiprocessing.get_context("spawn")
        arguments = (self._plan, self._names, self._timeout, generation)
        return ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=arguments)

    def give(self, task: Task) -> None:
        """As in WorkerPool."""
        self._tasks.append(GivenTask(task, self._submit(lambda: self._pool.submit(_work, task))))

    def reduce(self, findings: ReductionTask) -> None:
        """As in WorkerPool."""
        self._reductions.append(_Reducing(findings, self._submit(lambda: self._pool.submit(_reduce, findings))))

    def _submit(self, submit: "Callable[[], Future[_R]]") -> "Future[_R]":
        with interrupts_held_back():
            self._given += 1
            if self._given > RECYCLED * self._jobs:
                self._recycle(COUNT)
            try:
                return submit()
            except BrokenProcessPool:
                self._revive()
                return submit()

    def take(self, hurry: HurryUp = lambda: False) -> TaskResult | ReductionResult:  # noqa: ARG002
        """As in WorkerPool. Raises TargetError if the workers keep dying. A reduction is ended by `close` only."""
        while True:
            try:
                self._collect()
                if (reduced := self._reduced()) is not None:
                    return reduced
            except BrokenProcessPool:
                with interrupts_held_back():
                    self._revive()
                continue
            if (done := oldest_answer(self._tasks)) is not None:
                return done
            wait(self._at_work(), return_when=FIRST_COMPLETED)

    def _at_work(self) -> list[Future[Any]]:
        tasks = [one.future for one in self._tasks if one.rest is not None]
        return [*tasks, *(one.future for one in self._reductions if not one.waits)]

    def _collect(self) -> None:
        """Takes in the answers to tasks that came, in whatever order; what is left of a task is given at once."""
        for one in self._tasks:
            if one.rest is None or not one.future.done():
                continue
            done = self._told(one.future.result())
            one.ready.append(done)
            one.rest = rest = rest_of(one.rest, done)
            if rest is not None:
                one.future = self._submit(lambda rest=rest: self._pool.submit(_work, rest))  # type: ignore[misc]

    def _reduced(self) -> ReductionResult | None:
        if self._reductions and not self._tasks and all(one.waits for one in self._reductions):
            self._give_alone(self._reductions[0])
        for one in self._reductions:
            if one.waits or not one.future.done() or self._died_alone(one):
                continue
            reduced = ReductionResult(one.findings, why=LOST)
            if one.deaths <= REDUCING:
                reduced = self._told(one.future.result())
            if one.own is not None:
                one.own.shutdown(wait=False)
            self._reductions.remove(one)
            return reduced
        return None

    def _died_alone(self, one: _Reducing) -> bool:
        """Whether its own worker died, and another one has it now."""
        if one.own is None or not isinstance(one.future.exception(), BrokenProcessPool):
            return False
        one.deaths += 1
        self.restarts[CRASH] += 1
        if one.deaths > REDUCING:
            return False
        one.waits = one.deaths > QUIET
        if not one.waits:
            self._give_alone(one)
        return True

    def _give_alone(self, one: _Reducing) -> None:
        """Has a new worker do it, and nothing else."""
        if one.own is not None:
            one.own.shutdown(wait=False)
        with interrupts_held_back():
            one.own = self._opened(1, ALONE)
            one.future = one.own.submit(_reduce, one.findings)
        one.waits = False

    def _told(self, done: "_Done[_R]") -> _R:
        """A worker's answer; it lives, and may have grown."""
        self._deaths = 0
        answer, memory, generation = done
        if memory > LARGEST and generation == self._generation:
            with interrupts_held_back():
                self._recycle(SIZE)
        return answer

    def _recycle(self, why: str) -> None:
        """Replace the workers: the old ones end after their current tasks."""
        self.restarts[why] += 1
        self._given = 0
        self._generation += 1
        self._pool.shutdown(wait=False)
        self._pool = self._opened(self._jobs, self._generation)

    def _revive(self) -> None:
        self._deaths += 1
        self.restarts[CRASH] += 1
        if self._deaths > DEATHS + (2 * TOGETHER if self._reductions else 0):
            raise TargetError("the worker processes die again and again; try --jobs 1")
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._opened(self._jobs, self._generation)
        for one in self._tasks:
            if one.rest is not None:
                one.future = self._pool.submit(_work, one.rest)
        for reducing in self._reductions:
            if reducing.own is not None:
                continue
            reducing.deaths += 1
            if reducing.deaths <= TOGETHER:
                reducing.future = self._pool.submit(_reduce, reducing.findings)
            else:
                reducing.deaths = 0
                self._give_alone(reducing)

    def drop(self) -> None:
        """As in WorkerPool."""
        for one in self._tasks:
            one.future.cancel()
        self._tasks.clear()

    def close(self) -> None:
        """As in WorkerPool; a worker that a target keeps waiting is not waited for."""
        for one in self._reductions:
            if one.own is not None:
                one.own.shutdown(wait=False, cancel_futures=True)
        ending = threading.Thread(target=self._pool.shutdown, kwargs={"cancel_futures": True}, daemon=True)
        ending.start()
        ends = time.monotonic() + CLOSE_SECONDS
        children = multiprocessing.active_children()
        for child in children:
            child.join(max(0.0, ends - time.monotonic()))
            if child.is_alive():
                child.terminate()
        ending.join(CLOSE_SECONDS)  # else the end of the program may find a pipe of the pool half closed
        ends = time.monotonic() + LEAVE_SECONDS
        for child in children:  # the end of the program waits for them
            child.join(max(0.0, ends - time.monotonic()))
            if child.is_alive():
                child.kill()


def oldest_answer(tasks: deque[GivenTask]) -> TaskResult | None:
    """The next answer to the oldest of some tasks, which goes if that is its last one; None if there is none yet."""
    if not tasks or not tasks[0].ready:
        return None
    done = tasks[0].ready.popleft()
    if tasks[0].rest is None and not tasks[0].ready:
        tasks.popleft()
    return done


def rest_of(task: Task, done: TaskResult) -> Task | None:
    """What is left of a task after a part of it was done; nothing after a part that came too late to do anything."""
    if done.count in (0, task.count):
        return None
    return replace(task, first=task.first + done.count, count=task.count - done.count)


_Done = tuple[_R, int, int]
"""A worker's answer, the most bytes of memory that it ever used, and how often workers were recycled before."""

_worker_process: WorkerProcess | TargetError | None = None
"""What this worker works with, or why it cannot."""
_generation = 0


def _begin(plan: Plan, names: Sequence[str], timeout: float, generation: int) -> None:
    """Makes this process a worker."""
    global _worker_process, _generation
    _generation = generation
    leave_at_sigterm()
    if not hasattr(signal, "pthread_sigmask"):  # elsewhere it inherited that Ctrl-C is not for it
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):  # of a terminal that closes: the campaign, which hears it as well, ends in order
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _worker_process = WorkerProcess(plan, names, timeout)
        atexit.register(_worker_process.close)  # a browser's profile has 20 MB
    except TargetError as error:
        _worker_process = error


def leave_at_sigterm() -> None:
    """Has SIGTERM end this process, in a thread: the main thread may hold a lock that it takes to end a compiler."""
    told = threading.Event()

    def leave() -> None:
        told.wait()
        _leave()

    threading.Thread(target=leave, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: told.set())


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _leave()  # kill -9 of the campaign: nobody will ask any more


def _leave() -> None:
    if isinstance(_worker_process, WorkerProcess):
        _worker_process.leave()
    else:
        os._exit(1)


def _work(task: Task) -> _Done[TaskResult]:
    return _opened().worker.work(task), memory_used(), _generation


def _reduce(findings: ReductionTask) -> _Done[ReductionResult]:
    return _opened().worker.reduce(findings), memory_used(), _generation


def _opened() -> WorkerProcess:
    """What this worker works with. Raises TargetError."""
    assert _worker_process is not None, "initialised by the pool"
    if isinstance(_worker_process, TargetError):
        raise _worker_process
    return _worker_process
