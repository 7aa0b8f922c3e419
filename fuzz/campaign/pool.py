"""Worker pools: tasks and reductions run in this process or in several others, each with its own targets."""

import pickle
import queue
import time
import uuid
import zlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from wgsl_fuzz.fuzz.campaign import remote
from wgsl_fuzz.fuzz.campaign.reduce_task import LOST, HurryUp, ReductionResult, ReductionTask
from wgsl_fuzz.fuzz.campaign.worker import Task, TaskResult, Worker
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.judging.answers import TIMEOUT
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError

AHEAD = 1
"""Pieces that wait at a worker for each of its threads, lest it wait for us."""
WATCH_SECONDS = 0.5
"""Seconds between two looks at whether there is still somebody who works."""
DEATHS = 12
"""After more deaths of processes at one task the run ends; a reduction is given up."""
QUIET = 6
"""A reduction at which more processes died waits until nothing else is at work."""


class WorkersLost(Exception):
    """The workers are gone for good, and nobody is at fault: the run ends with what it has. The message is one line."""


class InProcessPool:
    """One worker in this process. Answers tasks in the order in which they were given, and reductions as they come."""

    threads = window = 1
    """How many tasks or reductions it works on at a time, and how many should be given before one asks for answers."""
    restarts: Final[Mapping[str, int]] = {}
    """How often processes were replaced, by the reason: COUNT, SIZE, CRASH."""
    workers: Final[Mapping[str, int]] = {}
    """How many workers there are on each host, if they are on others than this one."""

    def __init__(self, plan: Plan, targets: Sequence[Target]) -> None:
        self._worker = Worker(plan, targets)
        self._tasks: deque[Task] = deque()
        self._reductions: deque[ReductionTask] = deque()

    def give(self, task: Task) -> None:
        """Hands over a task."""
        self._tasks.append(task)

    def reduce(self, findings: ReductionTask) -> None:
        """Hands over a reduction."""
        self._reductions.append(findings)

    def take(self, hurry: HurryUp = lambda: False) -> TaskResult | ReductionResult:
        """The answer to the next part of the oldest task, or a reduction that is done. `hurry` ends a reduction."""
        if self._reductions:
            return self._worker.reduce(self._reductions.popleft(), hurry)
        task = self._tasks.popleft()
        done = self._worker.work(task)
        if (rest := rest_of(task, done)) is not None:
            self._tasks.appendleft(rest)
        return done

    def drop(self) -> None:
        """Forgets the tasks."""
        self._tasks.clear()

    def close(self) -> None:
        """What is not answered is dropped. The targets stay open, because the caller owns them."""


@dataclass(eq=False, slots=True)
class GivenTask:
    """A task that was given: what is left of it, and the answers that came and were not taken yet."""

    rest: Task | None
    ready: deque[TaskResult] = field(default_factory=deque)


@dataclass(eq=False, slots=True)
class Piece:
    """What one worker is asked for at a time: a few tasks, or what is left of them, or a reduction."""

    parts: list[tuple[Task, GivenTask]]
    reduction: ReductionTask | None = None
    deaths: int = 0
    """How many processes died at it."""
    worker: str | None = None
    future: Any = None


class RemotePool:
    """Workers in other processes, each with some threads that have a process for each (`fuzz.campaign.remote`).

    Who gets what is decided here: what a lost process or worker had is given to another. An answer is taken once,
    whoever else may still give one.
    """

    together = 1
    """The most tasks that a worker is asked for at once."""
    restarts: Mapping[str, int] = {}
    """As of InProcessPool, as far as it is known here."""

    def __init__(self, plan: Plan, names: Sequence[str], timeout: float, identity: Mapping[str, str]) -> None:
        """Workers open their targets by `names`; those whose code and targets have another `identity` refuse."""
        self._run = uuid.uuid4().hex
        opening = pickle.dumps((plan, tuple(names), timeout))
        self._request: dict[str, Any] = {"run": self._run, "identity": identity, "opening": opening}
        self._threads: dict[str, int] = {}
        self._tasks: deque[GivenTask] = deque()
        self._waiting: deque[Piece] = deque()
        self._put_off: deque[Piece] = deque()
        """Reductions that wait until nothing else is at work."""
        self._at_work: dict[str, list[Piece]] = {}
        self._reduced: deque[ReductionResult] = deque()
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    @property
    def workers(self) -> Mapping[str, int]:
        """As of InProcessPool."""
        return {}

    @property
    def threads(self) -> int:
        """As of InProcessPool."""
        return sum(self._threads.values())

    @property
    def window(self) -> int:
        """As of InProcessPool."""
        return 2 * self.threads

    def give(self, task: Task) -> None:
        """As of InProcessPool."""
        given = GivenTask(task)
        self._tasks.append(given)
        self._waiting.append(Piece([(task, given)]))
        self._hand_out()

    def reduce(self, findings: ReductionTask) -> None:
        """As of InProcessPool."""
        self._waiting.appendleft(Piece([], findings))  # few are begun at a time, and they take long
        self._hand_out()

    def take(self, hurry: HurryUp = lambda: False) -> TaskResult | ReductionResult:  # noqa: ARG002
        """As of InProcessPool; a reduction is ended by `close` only.

        Raises WorkersLost if nobody is left, TargetError if a target, or no worker, can be used.
        """
        while True:
            while not self._inbox.empty():
                self._inbox.get()()
            if self._put_off and not self._waiting and not any(self._at_work.values()):
                self._waiting.append(self._put_off.popleft())
            self._hand_out()
            if self._reduced:
                return self._reduced.popleft()
            if (done := self._oldest_answer()) is not None:
                return done
            try:
                self._inbox.get(timeout=WATCH_SECONDS)()
            except queue.Empty:
                self._look()

    def _oldest_answer(self) -> TaskResult | None:
        """The next answer to the oldest task, which goes if that is its last one; None if there is none yet."""
        if not self._tasks or not self._tasks[0].ready:
            return None
        oldest = self._tasks[0]
        done = oldest.ready.popleft()
        if oldest.rest is None and not oldest.ready:
            self._tasks.popleft()
        return done

    def drop(self) -> None:
        """As of InProcessPool."""
        for pieces in self._at_work.values():
            for piece in [piece for piece in pieces if piece.parts]:
                self._forget(piece)
        self._waiting = deque(piece for piece in self._waiting if not piece.parts)
        self._tasks.clear()

    def close(self) -> None:
        """As of InProcessPool."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------- what workers are like

    def _submit(self, worker: str, piece: Piece) -> Any:
        """Has a worker do a piece; the future, whose end the inbox hears of."""
        raise NotImplementedError

    def _look(self) -> None:
        """Raises WorkersLost if nobody is left to wait for."""

    def _refuse(self, worker: str, why: str) -> None:  # noqa: ARG002
        """A worker cannot work for this run. Raises TargetError if no other one can."""
        raise TargetError(why)

    def _name(self, worker: str | None) -> str:
        """What people call a worker."""
        return str(worker)

    # --------------------------------------------------------------------------------------------------- handing out

    def _hand_out(self) -> None:
        """Gives workers what they have room for, the oldest first."""
        while self._waiting and (worker := self._with_room()) is not None:
            piece = self._next()
            piece.worker = worker
            self._at_work[worker].append(piece)
            piece.future = self._submit(worker, piece)

    def request(self, piece: Piece) -> remote.Request:
        """What a worker is asked that begins now."""
        work = piece.reduction or [task for task, _ in piece.parts]
        deadline = piece.parts[0][0].deadline if piece.parts else None  # one for the whole run
        # Each machine has a clock of its own.
        seconds = None if deadline is None else max(0.0, deadline - time.monotonic())
        return {**self._request, "work": pickle.dumps((work, seconds))}

    def _with_room(self) -> str | None:
        """The worker that gets the next piece, one with an idle thread if there is one; None if there is no room."""
        load = {worker: len(self._at_work[worker]) / threads for worker, threads in self._threads.items() if threads}
        worker = min(load, key=load.__getitem__, default=None)
        return None if worker is None or load[worker] >= 1 + AHEAD else worker

    def _next(self) -> Piece:
        """What to hand out now: tasks that wait together, unless so few do that others would have none."""
        piece = self._waiting.popleft()
        share = min(self.together, len(self._waiting) // (2 * self.threads))
        while piece.parts and not piece.deaths and len(piece.parts) < share:
            if not self._waiting[0].parts or self._waiting[0].deaths:
                break
            piece.parts += self._waiting.popleft().parts
        return piece

    def _forget(self, piece: Piece) -> None:
        """Takes a piece from its worker, which has room for another."""
        worker = piece.worker
        if worker in self._at_work:
            self._at_work[worker].remove(piece)
        if piece.future is not None and not piece.future.done():
            with suppress(Exception):
                piece.future.cancel()
        piece.worker = piece.future = None

    def _again(self, piece: Piece) -> None:
        """Has another worker do a piece that was lost."""
        self._forget(piece)
        self._waiting.appendleft(piece)

    # ------------------------------------------------------------------------------------------------------ answers

    def _answered(self, piece: Piece, future: Any, reply: remote.Reply) -> None:
        if piece.future is not future:
            return  # it was given to another meanwhile
        how, _, what = reply
        if how == remote.REFUSED:
            self._refuse(piece.worker or "", str(what))
        elif how == remote.DIED:
            self._died(piece)
        else:
            self._forget(piece)
            self._take_in(piece, pickle.loads(zlib.decompress(what)))

    def _take_in(self, piece: Piece, done: list[TaskResult] | ReductionResult) -> None:
        if isinstance(done, ReductionResult):
            self._reduced.append(done)
            return
        left = piece.parts[len(done) :]  # what a worker did not come to
        for (task, given), answer in zip(piece.parts, done):
            given.ready.append(answer)
            given.rest = rest_of(task, answer)
            if given.rest is not None:
                left.append((given.rest, given))
        self._waiting.extendleft(Piece([part]) for part in sorted(left, key=lambda part: part[0].first, reverse=True))

    def _died(self, piece: Piece) -> None:
        """A process died at this piece, by itself or by someone's hand."""
        piece.deaths += 1
        if piece.deaths > DEATHS and piece.reduction is None:
            last = self._name(piece.worker)
            raise TargetError(f"processes die again and again at one task, the last on {last}; try --jobs 1")
        self._forget(piece)
        if piece.deaths > DEATHS and piece.reduction is not None:
            self._reduced.append(ReductionResult(piece.reduction, why=LOST))
        elif piece.deaths > QUIET and piece.reduction is not None:
            self._put_off.append(piece)
        else:  # each alone from now on: one of them may be at fault
            parts = [[part] for part in reversed(piece.parts)] or [[]]
            self._waiting.extendleft(Piece(one, piece.reduction, piece.deaths) for one in parts)


class ProcessPool(RemotePool):
    """Several processes of this machine. One that dies (out of memory, say) is replaced, and its work given again."""

    def __init__(self, plan: Plan, names: Sequence[str], jobs: int, timeout: float = TIMEOUT) -> None:
        super().__init__(plan, names, timeout, {})
        self._children, self._executor = remote.Children(), ThreadPoolExecutor(jobs)
        here = "this machine"
        self._threads[here], self._at_work[here] = jobs, []
        self.restarts = self._children.restarts

    def _submit(self, worker: str, piece: Piece) -> "Future[remote.Reply]":  # noqa: ARG002
        def heard(done: "Future[remote.Reply]") -> None:
            if not done.cancelled():
                self._inbox.put(lambda: self._answered(piece, done, done.result()))

        future = self._executor.submit(lambda: self._children.answer(self.request(piece)))  # asked when it begins
        future.add_done_callback(heard)
        return future

    def close(self) -> None:
        """As of InProcessPool; a process that a target keeps waiting is killed after a while."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        for ending in self._children.end(self._run):
            ending.join()


WorkerPool = InProcessPool | RemotePool


def rest_of(task: Task, done: TaskResult) -> Task | None:
    """What is left of a task after a part of it was done; nothing after a part that came too late to do anything."""
    if done.count in (0, task.count):
        return None
    return replace(task, first=task.first + done.count, count=task.count - done.count)
