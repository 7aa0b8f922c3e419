"""The workers of a Dask cluster, beside those of one machine (`fuzz.campaign.pool`).

Dask carries the work, and says which workers there are. Who gets what is decided here: a worker that is refused gets
no more, and what a lost one had is given to another. An answer is taken once, whoever else may still give one.
"""

import asyncio
import concurrent.futures
import pickle
import queue
import threading
import time
import uuid
import zlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from wgsl_fuzz.fuzz.campaign import remote
from wgsl_fuzz.fuzz.campaign.dask_connection import connected
from wgsl_fuzz.fuzz.campaign.pool import DEATHS, REDUCING, GivenTask, WorkersLost, oldest_answer, rest_of
from wgsl_fuzz.fuzz.campaign.reduce_task import LOST, HurryUp, ReductionResult, ReductionTask
from wgsl_fuzz.fuzz.campaign.remote import code_identity, target_identity
from wgsl_fuzz.fuzz.campaign.worker import Task, TaskResult
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError

AHEAD = 1
"""Pieces that wait at a worker for each of its threads, lest it wait for us."""
WATCH_SECONDS = 0.5
"""Seconds between two queries of the scheduler's workers."""
CLOSE_SECONDS = 5.0
"""How long the end of what is still at work may take."""
TOGETHER = 4
"""The most tasks that a worker is asked for at once: what Dask does costs by the piece, however large it is."""
UNDER_WAY = 256
"""So many tasks are given ahead at most, unless there are more threads: their answers wait for the oldest one."""
_LOST_WITH = (asyncio.CancelledError, concurrent.futures.CancelledError, OSError)
"""What Dask says of a task whose worker or scheduler is no more: another worker may do it."""


@dataclass(eq=False, slots=True)
class _Piece:
    """What one worker is asked for at a time: a few tasks, or what is left of them, or a reduction."""

    parts: list[tuple[Task, GivenTask]]
    reduction: ReductionTask | None = None
    deaths: int = 0
    """How many processes died at it."""
    worker: str | None = None
    future: Any = None


class ClusterPool:
    """The workers of a cluster, one process for each thread of theirs. They come and go at any time."""

    ask = staticmethod(remote.answer)
    """What is called on a worker."""
    restarts: Final[Mapping[str, int]] = {}
    """Nothing is known of them here: `remote` replaces the processes of its worker."""

    def __init__(
        self,
        address: str,
        plan: Plan,
        names: Sequence[str],
        targets: Sequence[Target],
        timeout: float,
        say: Callable[[str], object] = lambda _: None,
    ) -> None:
        """`targets` are those of this process, which workers open by `names`. Raises SchedulerError."""
        self._address, self._say = address, say
        self._run = uuid.uuid4().hex
        self._request: dict[str, Any] = {
            "run": self._run,
            "identity": code_identity() | target_identity(targets),
            "opening": pickle.dumps((plan, tuple(names), timeout)),
        }
        self._client = connected(address)
        self._threads: dict[str, int] = {}
        self._hosts: dict[str, str] = {}
        self._refused: set[str] = set()
        self._tasks: deque[GivenTask] = deque()
        self._waiting: deque[_Piece] = deque()
        self._at_work: dict[str, list[_Piece]] = {}
        self._reduced: deque[ReductionResult] = deque()
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._told_to_wait = False
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def threads(self) -> int:
        """As in WorkerPool: it grows and shrinks with the cluster."""
        return sum(self._threads.values())

    @property
    def window(self) -> int:
        """As in WorkerPool: as many again wait as are at work, so that there are TOGETHER for each piece."""
        return max(2, 2 * self.threads, min(4 * self.threads * TOGETHER, UNDER_WAY))

    @property
    def workers(self) -> Mapping[str, int]:
        """How many threads work on each host."""
        threads: dict[str, int] = {}
        for worker, count in self._threads.items():
            host = self._hosts.get(worker) or _host_in(worker)
            threads[host] = threads.get(host, 0) + count
        return threads

    def give(self, task: Task) -> None:
        """As in WorkerPool."""
        given = GivenTask(task)
        self._tasks.append(given)
        self._waiting.append(_Piece([(task, given)]))
        self._hand_out()

    def reduce(self, findings: ReductionTask) -> None:
        """As in WorkerPool."""
        self._waiting.appendleft(_Piece([], findings))  # few are begun at a time, and they take long
        self._hand_out()

    def take(self, hurry: HurryUp = lambda: False) -> TaskResult | ReductionResult:  # noqa: ARG002
        """As in WorkerPool. Raises WorkersLost with the scheduler, TargetError if no worker can be used."""
        while True:
            while not self._inbox.empty():
                self._inbox.get()()
            self._hand_out()
            if self._reduced:
                return self._reduced.popleft()
            if (done := oldest_answer(self._tasks)) is not None:
                return done
            self._wait()

    def _wait(self) -> None:
        """Takes in the next thing that happens. Raises WorkersLost."""
        while True:
            try:
                return self._inbox.get(timeout=WATCH_SECONDS)()
            except queue.Empty:
                if self._client.status in ("closing", "closed"):
                    raise self._lost() from None

    def drop(self) -> None:
        """As in WorkerPool."""
        for pieces in self._at_work.values():
            for piece in [piece for piece in pieces if piece.parts]:
                self._forget(piece)
        self._waiting = deque(piece for piece in self._waiting if not piece.parts)
        self._tasks.clear()

    def close(self) -> None:
        """As in WorkerPool: no task of ours is left on the cluster, and no process of ours with its workers."""
        self._closing.set()
        ending = threading.Thread(target=self._end, daemon=True)
        ending.start()
        ending.join(CLOSE_SECONDS)

    def _end(self) -> None:
        with suppress(Exception):
            futures = [piece.future for pieces in self._at_work.values() for piece in pieces]
            if futures:
                self._client.cancel(futures, force=True)
            self._client.run(remote.end, self._run, on_error="ignore")
        with suppress(Exception):
            self._client.close(timeout=CLOSE_SECONDS / 2)

    # --------------------------------------------------------------------------------------------------- handing out

    def _hand_out(self) -> None:
        """Gives workers what they have room for, the oldest first."""
        while self._waiting and (worker := self._with_room()) is not None:
            piece = self._next()
            work = piece.reduction or [task for task, _ in piece.parts]
            deadline = piece.parts[0][0].deadline if piece.parts else None  # one for the whole run
            # Each machine has a clock of its own.
            seconds = None if deadline is None else max(0.0, deadline - time.monotonic())
            piece.worker = worker
            self._at_work[worker].append(piece)
            try:
                piece.future = self._client.submit(
                    self.ask,
                    {**self._request, "work": pickle.dumps((work, seconds))},
                    key=f"wgsl-fuzz-{uuid.uuid4().hex}",
                    workers=[worker],
                    allow_other_workers=False,
                    pure=False,
                )
                self._client.loop.add_callback(self._finish, piece, piece.future)
            except Exception as error:
                raise self._lost() from error

    def _with_room(self) -> str | None:
        """The worker that gets the next piece, one with an idle thread if there is one; None if there is no room."""
        load = {worker: len(self._at_work[worker]) / threads for worker, threads in self._threads.items() if threads}
        worker = min(load, key=load.__getitem__, default=None)
        return None if worker is None or load[worker] >= 1 + AHEAD else worker

    def _next(self) -> _Piece:
        """What to hand out now: tasks that wait together, unless so few do that others would have none."""
        piece = self._waiting.popleft()
        share = min(TOGETHER, len(self._waiting) // (2 * self.threads))
        while piece.parts and not piece.deaths and len(piece.parts) < share:
            if not self._waiting[0].parts or self._waiting[0].deaths:
                break
            piece.parts += self._waiting.popleft().parts
        return piece

    async def _finish(self, piece: _Piece, future: Any) -> None:
        """Waits for an answer, in Dask's own thread."""
        try:
            reply = await future
        except BaseException as error:
            why = error  # the name `error` ends with this block
            self._inbox.put(lambda: self._failed(piece, future, why))
        else:
            self._inbox.put(lambda: self._answered(piece, future, reply))

    def _forget(self, piece: _Piece) -> None:
        """Takes a piece from its worker, which has room for another."""
        worker = piece.worker
        if worker in self._at_work:
            self._at_work[worker].remove(piece)
        if piece.future is not None and not piece.future.done():
            with suppress(Exception):
                piece.future.cancel()
        piece.worker = piece.future = None

    def _again(self, piece: _Piece) -> None:
        """Has another worker do a piece that was lost."""
        self._forget(piece)
        self._waiting.appendleft(piece)

    # ------------------------------------------------------------------------------------------------------ answers

    def _answered(self, piece: _Piece, future: Any, reply: remote.Reply) -> None:
        if piece.future is not future:
            return  # it was given to another meanwhile
        how, host, what = reply
        worker = piece.worker or ""
        self._hosts[worker] = host
        if how == remote.REFUSED:
            self._refuse(worker, str(what))
        elif how == remote.DIED:
            self._died(piece)
        else:
            self._forget(piece)
            self._take_in(piece, pickle.loads(zlib.decompress(what)))

    def _take_in(self, piece: _Piece, done: list[TaskResult] | ReductionResult) -> None:
        if isinstance(done, ReductionResult):
            self._reduced.append(done)
            return
        left = piece.parts[len(done) :]  # what a worker did not come to
        for (task, given), answer in zip(piece.parts, done):
            given.ready.append(answer)
            given.rest = rest_of(task, answer)
            if given.rest is not None:
                left.append((given.rest, given))
        self._waiting.extendleft(_Piece([part]) for part in sorted(left, key=lambda part: part[0].first, reverse=True))

    def _died(self, piece: _Piece) -> None:
        """A process died at this piece, by itself or by someone's hand."""
        piece.deaths += 1
        if piece.reduction is not None and piece.deaths > REDUCING:
            self._forget(piece)
            self._reduced.append(ReductionResult(piece.reduction, why=LOST))
            return
        if piece.deaths > DEATHS + REDUCING:
            raise TargetError(f"processes die again and again at one task, the last on {self._name(piece.worker)}")
        if len(piece.parts) > 1:  # from now on each alone: one of them may be at fault
            self._forget(piece)
            self._waiting.extendleft(_Piece([part], deaths=piece.deaths) for part in reversed(piece.parts))
        else:
            self._again(piece)

    def _failed(self, piece: _Piece, future: Any, error: BaseException) -> None:
        """Dask has no answer: it was cancelled with the connection, the worker was killed, or cannot call our code."""
        if piece.future is not future:
            return
        if isinstance(error, _LOST_WITH) or type(error).__name__ == "KilledWorker":  # a class of Dask's
            self._again(piece)
        else:
            self._refuse(piece.worker or "", str(error) or type(error).__name__)

    # ------------------------------------------------------------------------------------------------------ workers

    def _watch(self) -> None:
        """Asks which workers there are, in a thread of its own."""
        before: dict[str, int] | None = None
        while not self._closing.wait(WATCH_SECONDS):
            with suppress(Exception):
                now = dict(self._client.nthreads())
                if now != before:
                    before = now
                    self._inbox.put(lambda now=now: self._changed(now))  # type: ignore[misc]

    def _changed(self, workers: Mapping[str, int]) -> None:
        """There are other workers than before."""
        for gone in self._at_work.keys() - workers.keys():
            pieces = self._at_work.pop(gone)
            del self._threads[gone]
            for piece in reversed(pieces):
                self._again(piece)
        self._refused &= workers.keys()
        for worker in workers.keys() - self._at_work.keys() - self._refused:
            self._at_work[worker] = []
            self._threads[worker] = workers[worker]
        if not workers and not self._told_to_wait:
            self._told_to_wait = True
            self._say(f"{self._address} has no worker yet: waiting for one")

    def _refuse(self, worker: str, why: str) -> None:
        """A worker cannot work for this run: it gets no more."""
        if worker in self._refused:
            return
        told = f"worker {self._name(worker)} is not used: {' '.join(why.split())}"
        self._say(told)
        self._refused.add(worker)
        pieces = self._at_work.pop(worker, [])
        self._threads.pop(worker, None)
        for piece in reversed(pieces):
            self._again(piece)
        if not self._at_work:
            raise TargetError(f"{self._address} has no worker that can be used; the last one: {told}")

    def _name(self, worker: str | None) -> str:
        host = self._hosts.get(worker or "")
        return f"{host} ({worker})" if host else str(worker)

    def _lost(self) -> WorkersLost:
        return WorkersLost(f"the scheduler at {self._address} is lost")


def _host_in(address: str) -> str:
    """`node7` of `tcp://node7:4321`."""
    return address.rpartition("://")[2].rpartition(":")[0]
