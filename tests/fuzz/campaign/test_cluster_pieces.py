"""What the workers of a cluster are asked for at once: whatever becomes of it, each shader is answered once, in order.

The cluster is played here: who gets a piece, and what comes back, is drawn.
"""

import math
import pickle
import zlib
from collections.abc import Mapping
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.campaign.test_resume import PLAN
from wgsl_fuzz.fuzz.campaign import remote, remote_child
from wgsl_fuzz.fuzz.campaign.cluster import TOGETHER, UNDER_WAY, ClusterPool
from wgsl_fuzz.fuzz.campaign.pool import DEATHS, REDUCING
from wgsl_fuzz.fuzz.campaign.reduce_task import Reduced, Together
from wgsl_fuzz.fuzz.campaign.worker import Task, TaskResult
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import FindingRecord
from wgsl_fuzz.fuzz.judging.judge import Cause, Kind
from wgsl_fuzz.oracle.targets.protocol import TargetError

COUNT = 256


class _Future:
    """An answer that a worker owes."""

    def __init__(self, worker: str, work: Any) -> None:
        self.worker, self.work = worker, work
        self.cancelled = False

    def done(self) -> bool:
        return False

    def cancel(self) -> None:
        self.cancelled = True


class _Loop:
    """Dask's own thread, which does nothing."""

    def add_callback(self, *_: object) -> None:
        """Nobody waits here: the test says what comes."""


class _Client:
    """A scheduler's client, without a scheduler."""

    status = "running"
    loop = _Loop()

    def __init__(self) -> None:
        self.futures: list[_Future] = []

    def nthreads(self) -> Mapping[str, int]:
        return {}

    def submit(self, _function: object, request: Mapping[str, Any], *, workers: list[str], **_: object) -> _Future:
        work, _seconds = pickle.loads(request["work"])
        self.futures.append(_Future(workers[0], work))
        return self.futures[-1]

    def cancel(self, *_: object, **__: object) -> None:
        """They are forgotten."""

    run = close = cancel


class _Cluster(NamedTuple):
    """The pool, and the client that it hands out by."""

    pool: ClusterPool
    client: _Client

    def pending(self) -> list[tuple[Any, _Future]]:
        """The pieces at work, each with its future."""
        pieces = [piece for pieces in self.pool._at_work.values() for piece in pieces]
        return sorted(((piece, piece.future) for piece in pieces), key=lambda one: self.client.futures.index(one[1]))

    def answer(self, piece: Any, future: _Future, how: str, what: object) -> None:
        packed = zlib.compress(pickle.dumps(what)) if how == remote.DONE else what
        self.pool._answered(piece, future, (how, "a host", packed))
        self.pool._hand_out()

    def finish(self, piece: Any, future: _Future) -> None:
        """All of it is done."""
        self.answer(piece, future, remote.DONE, _done(future))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> _Cluster:
    """A pool without workers."""
    return _cluster(monkeypatch)


def _cluster(monkeypatch: pytest.MonkeyPatch) -> _Cluster:
    client = _Client()
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.cluster.connected", lambda _: client)
    pool = ClusterPool("tcp://nowhere:1", PLAN, [], [], 10.0)
    pool._closing.set()  # nobody watches who comes: the test says so
    return _Cluster(pool, client)


def _done(future: _Future) -> list[TaskResult]:
    """The answers to all tasks that are asked for."""
    return [TaskResult(task.first, task.count) for task in future.work]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["answer", "answer", "answer", "some", "part", "die", "fail", "late", "gone", "come"]),
        st.integers(0, 7),
        st.integers(1, COUNT),
    ),
    max_size=40,
)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.integers(1, 60), STEPS)
def test_each_shader_is_answered_once_and_in_order(tasks: int, steps: list[tuple[str, int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        cluster = _cluster(patch)
        workers = {"a": 2, "b": 1}
        cluster.pool._changed(dict(workers))
        for i in range(tasks):
            cluster.pool.give(Task(i * COUNT, COUNT))
        late: list[tuple[Any, _Future]] = []
        for step, which, number in steps:
            _step(cluster, workers, late, step, which, number)
        cluster.pool._changed({**workers, "z": 1})
        taken: list[int] = []
        while len(taken) < tasks * COUNT:
            while not cluster.pool._tasks[0].ready:
                assert cluster.pending(), "else it would wait for ever"
                for piece, future in cluster.pending():
                    cluster.finish(piece, future)
            done = cluster.pool.take()
            assert isinstance(done, TaskResult)
            taken.extend(range(done.first, done.first + done.count))
        assert taken == list(range(tasks * COUNT))
        assert not cluster.pending()
        assert not cluster.pool._waiting


def _step(
    cluster: _Cluster, workers: dict[str, int], late: list[tuple[Any, _Future]], step: str, which: int, number: int
) -> None:
    """Something happens to one of the pieces, or to a worker."""
    pool, pending = cluster.pool, cluster.pending()
    if step == "come":
        workers[f"w{which}"] = 1 + which % 3
        pool._changed(dict(workers))
    elif step == "gone" and len(workers) > 1:
        late += [(piece, future) for piece, future in pending if future.worker == min(workers)]
        del workers[min(workers)]
        pool._changed(dict(workers))
    elif step == "late" and late:  # one that was thought lost speaks up
        piece, future = late.pop()
        cluster.finish(piece, future)
    elif pending:
        piece, future = pending[which % len(pending)]
        answers = _done(future)
        if step == "some":
            answers = answers[: 1 + which % len(answers)]
        if step == "part":
            answers[-1] = replace(answers[-1], count=min(number, answers[-1].count))
        if step == "die":
            cluster.answer(piece, future, remote.DIED, "")
        elif step == "fail":
            pool._failed(piece, future, OSError())
        else:
            cluster.answer(piece, future, remote.DONE, answers)
    pool._hand_out()


def test_a_busy_worker_is_asked_for_more_at_once_and_the_last_ones_for_one(cluster: _Cluster) -> None:
    pool = cluster.pool
    pool._changed({"a": 1, "b": 1})
    assert pool.window == 4 * 2 * TOGETHER <= UNDER_WAY
    sizes, given = list[int](), 0
    while len(sizes) < 200:
        while given < 500 and len(pool._tasks) < pool.window:
            pool.give(Task(given * COUNT, COUNT))
            given += 1
        if not cluster.pending():
            break
        piece, future = cluster.pending()[0]
        sizes.append(len(future.work))
        cluster.finish(piece, future)
        while pool._tasks and pool._tasks[0].ready:
            pool.take()
    assert sum(sizes) == 500
    assert max(sizes) == TOGETHER
    assert sizes[20] == TOGETHER
    assert sizes[-3:] == [1, 1, 1]


@pytest.mark.parametrize("threads", [1, 8, 64, 300])
def test_what_is_given_ahead_is_bounded_but_keeps_all_threads_at_work(threads: int, cluster: _Cluster) -> None:
    cluster.pool._changed({"a": threads})
    assert 2 * threads <= cluster.pool.window <= max(UNDER_WAY, 2 * threads)


def test_tasks_at_which_a_process_died_are_tried_one_by_one(cluster: _Cluster) -> None:
    """One that is fatal is named in the end; the others are done."""
    pool = cluster.pool
    pool._changed({"a": 1})
    for i in range(14):
        pool.give(Task(i * COUNT, COUNT))
    fatal, done = 5 * COUNT, set[int]()

    def work() -> None:
        for _ in range(DEATHS + REDUCING + 40):
            piece, future = cluster.pending()[0]
            if fatal in [task.first for task in future.work]:
                cluster.answer(piece, future, remote.DIED, "")
            else:
                done.update(task.first for task in future.work)
                cluster.finish(piece, future)

    with pytest.raises(TargetError, match="processes die again and again at one task"):
        work()
    assert any(len(future.work) > 1 for future in cluster.client.futures), "else there is nothing to part"
    assert all([task.first for task in future.work] == [fatal] for future in cluster.client.futures[-5:])
    assert done >= {i * COUNT for i in range(5)}


class KilledWorker(Exception):
    """As Dask has it."""


def test_a_worker_that_cannot_call_our_code_is_not_asked_again(cluster: _Cluster) -> None:
    """What is lost with a worker is asked again; anything else would be asked for ever."""
    cluster.pool._changed({"a": 1, "b": 1})
    cluster.pool.give(Task(0, COUNT))
    for error in (CancelledError(), ConnectionResetError(), KilledWorker()):
        cluster.pool._failed(*cluster.pending()[0], error)
        cluster.pool._hand_out()
    (first,) = cluster.pending()
    cluster.pool._failed(*first, RuntimeError("Error during deserialization"))
    cluster.pool._hand_out()
    (second,) = cluster.pending()
    assert second[1].worker != first[1].worker
    with pytest.raises(TargetError, match=r"no worker that can be used; .* Error during deserialization"):
        cluster.pool._failed(*second, RuntimeError("Error during deserialization"))


FOUND = Finding(FindingRecord(kind=Kind.CRASH, target="a", cause=Cause(told="x")), {})


def test_a_reduction_goes_before_the_tasks_that_wait(cluster: _Cluster) -> None:
    """Few are begun at a time, the others being kept back; that of the first finding of a bucket is not to wait."""
    cluster.pool._changed({"a": 1})
    for i in range(8):
        cluster.pool.give(Task(i * COUNT, COUNT))
    cluster.pool.reduce((FOUND,))
    piece, future = cluster.pending()[0]
    cluster.finish(piece, future)
    piece, future = cluster.pending()[-1]
    assert future.work == (FOUND,)
    cluster.answer(piece, future, remote.DONE, Reduced(future.work))
    assert [type(cluster.pool.take()) for _ in range(2)] == [Reduced, TaskResult]


class _Workplace:
    """Has done everything at once."""

    def work(self, task: Task) -> TaskResult:
        return TaskResult(task.first, task.count)

    def reduce(self, findings: Together) -> Reduced:
        return Reduced(findings)


def test_a_worker_gives_back_what_it_does_not_come_to(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [Task(i * COUNT, COUNT) for i in range(TOGETHER)]
    for seconds, answered in ((math.inf, TOGETHER), (0.0, 1)):
        monkeypatch.setattr(remote_child, "PIECE_SECONDS", seconds)
        done = remote_child._done(_Workplace(), tasks, None)  # type: ignore[arg-type]
        assert isinstance(done, list)
        assert [one.first for one in done] == [task.first for task in tasks[:answered]]
