"""The workers of a Dask cluster, beside those of one machine (`fuzz.campaign.pool`).

Dask carries the work, and says which workers there are. A worker that is refused gets no more.
"""

import asyncio
import concurrent.futures
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from wgsl_fuzz.fuzz.campaign import remote
from wgsl_fuzz.fuzz.campaign.dask_connection import connected
from wgsl_fuzz.fuzz.campaign.pool import WATCH_SECONDS, Piece, RemotePool, WorkersLost
from wgsl_fuzz.fuzz.campaign.remote import code_identity, target_identity
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError

CLOSE_SECONDS = 5.0
"""How long the end of what is still at work may take."""
TOGETHER = 4
"""The most tasks that a worker is asked for at once: what Dask does costs by the piece, however large it is."""
UNDER_WAY = 256
"""So many tasks are given ahead at most, unless there are more threads: their answers wait for the oldest one."""
_LOST_WITH = (asyncio.CancelledError, concurrent.futures.CancelledError, OSError)
"""What Dask says of a task whose worker or scheduler is no more: another worker may do it."""


class ClusterPool(RemotePool):
    """The workers of a cluster, one process for each thread of theirs. They come and go at any time."""

    together = TOGETHER

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
        super().__init__(plan, names, timeout, code_identity() | target_identity(targets))
        self._address, self._say = address, say
        self._client = connected(address)
        self._hosts: dict[str, str] = {}
        self._refused: set[str] = set()
        self._closing = threading.Event()
        self._told_to_wait = False
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def window(self) -> int:
        """As of InProcessPool: as many again wait as are at work, so that there are TOGETHER for each piece."""
        return max(2, 2 * self.threads, min(4 * self.threads * TOGETHER, UNDER_WAY))

    @property
    def workers(self) -> Mapping[str, int]:
        """How many threads work on each host."""
        threads: dict[str, int] = {}
        for worker, count in self._threads.items():
            host = self._hosts.get(worker) or worker.rpartition("://")[2].rpartition(":")[0]  # of `tcp://node7:4321`
            threads[host] = threads.get(host, 0) + count
        return threads

    def close(self) -> None:
        """As of InProcessPool: no task of ours is left on the cluster, and no process of ours with its workers."""
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

    # ------------------------------------------------------------------------------------------------ what is asked

    def _submit(self, worker: str, piece: Piece) -> Any:
        """As of RemotePool."""
        try:
            future = self._client.submit(
                remote.answer,
                self.request(piece),
                key=f"wgsl-fuzz-{uuid.uuid4().hex}",
                workers=[worker],
                allow_other_workers=False,
                pure=False,
            )
            self._client.loop.add_callback(self._finish, piece, future)
        except Exception as error:
            raise self._lost() from error
        return future

    def _look(self) -> None:
        """As of RemotePool: the scheduler may be gone."""
        if self._client.status in ("closing", "closed"):
            raise self._lost()

    async def _finish(self, piece: Piece, future: Any) -> None:
        """Waits for an answer, in Dask's own thread."""
        try:
            reply = await future
        except BaseException as error:
            why = error  # the name `error` ends with this block
            self._inbox.put(lambda: self._failed(piece, future, why))
        else:
            self._inbox.put(lambda: self._answered(piece, future, reply))

    def _answered(self, piece: Piece, future: Any, reply: remote.Reply) -> None:
        if piece.future is future:
            self._hosts[piece.worker or ""] = reply[1]
        super()._answered(piece, future, reply)

    def _failed(self, piece: Piece, future: Any, error: BaseException) -> None:
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
        """As of RemotePool: it gets no more."""
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
        """As of RemotePool: the host too, if it is known."""
        host = self._hosts.get(worker or "")
        return f"{host} ({worker})" if host else str(worker)

    def _lost(self) -> WorkersLost:
        return WorkersLost(f"the scheduler at {self._address} is lost")
