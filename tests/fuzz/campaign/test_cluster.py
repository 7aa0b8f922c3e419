"""The workers of a Dask cluster find what one process finds. They come and go, and are refused if they differ."""

import math
import os
import pickle
import signal
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.campaign.clusters import PATIENCE, Cluster, children_of, cluster_in
from tests.fuzz.campaign.test_resume import PLAN, PROGRAMS, lasting
from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.conftest import resumed
from tests.oracle.targets.watching import comes
from wgsl_fuzz.fuzz.campaign import remote, remote_child
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.campaign.cluster import TOGETHER, ClusterPool
from wgsl_fuzz.fuzz.campaign.pool import AHEAD, DEATHS, WorkerPool
from wgsl_fuzz.fuzz.campaign.reduce_task import ReductionResult, ReductionTask
from wgsl_fuzz.fuzz.campaign.remote import code_identity, difference, target_identity
from wgsl_fuzz.fuzz.campaign.worker import Task, TaskResult
from wgsl_fuzz.fuzz.cli.runs.status import status_lines, status_of
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.loading import read_campaign
from wgsl_fuzz.fuzz.problems import PROBLEM
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import TargetError

NAME = "rules:without-10a"
VARIANTS = 'VARIANTS = ["10a"]\n'
"""A user's file of rules."""


# ------------------------------------------------------------------------------------------------- without a cluster


def test_what_differs_is_named() -> None:
    ours = code_identity() | {"tint@main": "sha256 1"}
    assert difference(ours, ours) is None
    assert difference(ours, {**ours, "tint@main": "sha256 2"}) == "its tint@main is sha256 2, not sha256 1"
    assert difference(ours, {**ours, "Python": "2.7"}) is not None
    assert difference(ours, code_identity()) == "it has no tint@main"


def test_no_scheduler_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["--target", NAME, "--programs", "8", "--out", str(tmp_path / "run"), "--jobs"]
    pytest.importorskip("distributed")
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.dask_connection.CONNECT_SECONDS", 0.2)
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        done = wgsl_fuzz(*command, address)
        assert done.exit_code == PROBLEM
        target, problem = done.stderr.splitlines()
        assert target.startswith("target ")
        assert f"no scheduler answers at {address}" in problem
    assert not (tmp_path / "run").exists()


# ------------------------------------------------------------------------------------------ what runs on a worker


Asked = Callable[..., Mapping[str, Any]]


@pytest.fixture
def asked() -> Iterator[Asked]:
    """What a worker is asked; at the end all runs are ended."""
    runs = set()

    def made(run: str, *tasks: Task) -> Mapping[str, Any]:
        runs.add(run)
        return {
            "run": run,
            "identity": code_identity() | target_identity([open_target(NAME)]),
            "opening": pickle.dumps((PLAN, (NAME,), 10.0)),
            "work": pickle.dumps((list(tasks), None)),
        }

    yield made
    for run in runs:
        remote.end(run)


def _unpacked(reply: remote.Reply) -> list[TaskResult]:
    assert reply[0] == remote.DONE, reply
    done: list[TaskResult] = pickle.loads(zlib.decompress(reply[2]))
    return done


def test_a_fault_in_a_child_is_told_with_its_traceback(asked: Asked) -> None:
    task: Any = "no task"
    with pytest.raises(RuntimeError, match=r"^in a worker: TypeError in ") as told:
        remote.answer(asked("faulty", task))
    assert "Traceback (most recent call last)" in str(told.value.__cause__)


def test_no_module_where_it_works_is_imported(asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = asked("shadowed", Task(0, 8))
    for name in ("psutil", "queue"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('shadowed')\n")
    monkeypatch.chdir(tmp_path)
    assert _unpacked(remote.answer(request))


# ---------------------------------------------------------------------------------------------------- a real cluster


def _campaign(out: Path, pool: WorkerPool | None, status: Callable[[Any], None] = lambda _: None) -> Campaign:
    return Campaign([open_target(NAME)], RunDirectory(out), plan=PLAN, workers=pool, status=status)


def _pool(cluster: Cluster, said: list[str], name: str = NAME) -> ClusterPool:
    return ClusterPool(cluster.address, PLAN, [name], [open_target(name)], 10.0, said.append)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of two workers."""
    pytest.importorskip("distributed")
    with cluster_in(tmp_path, 2) as cluster:
        yield cluster


@pytest.mark.full
@pytest.mark.usefixtures("small_tasks")
def test_workers_come_and_go_and_change_nothing(tmp_path: Path, cluster: Cluster) -> None:
    """One is killed with all it has, of one the child; two others join."""
    _campaign(tmp_path / "alone", None).run(Budget(programs=PROGRAMS))
    seen: list[str] = []

    def disturb(_: object) -> None:
        steps = len(seen)
        one, other = cluster.processes[1:3]
        if steps == 0 and (children := children_of(other.pid)):
            os.kill(children[0], signal.SIGKILL)
            seen.append("a child died")
        elif steps == 1 and children_of(one.pid):
            one.kill()
            cluster.worker()
            cluster.worker()
            seen.append("a worker died")
        elif steps == 2 and work.record().workers:
            seen.append("they are told of")
            assert sum(status_of(tmp_path / "run")["workers"].values()) <= 3
            assert any(line.startswith("workers: ") for line in status_lines(status_of(tmp_path / "run")))

    said: list[str] = []
    work = _campaign(tmp_path / "run", _pool(cluster, said), disturb)
    work.run(Budget(programs=PROGRAMS))
    assert len(seen) == 3
    assert not said
    assert work.finished
    assert lasting(tmp_path / "run") == lasting(tmp_path / "alone")
    _nothing_is_left(cluster)


def _nothing_is_left(cluster: Cluster) -> None:
    """No process of ours beside a worker, no task on the scheduler."""
    from distributed import Client

    assert comes(lambda: not any(children_of(worker.pid) for worker in cluster.processes[1:]))
    with Client(cluster.address, set_as_default=False) as client:
        assert not [key for keys in client.processing().values() for key in keys]


@pytest.mark.full
def test_a_run_ends_well_without_a_scheduler(tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.dask_connection.CONNECT_SECONDS", 5.0)
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.campaign.TASK", 8)  # more tasks than are under way at once
    _campaign(tmp_path / "alone", None).run(Budget(programs=PROGRAMS))
    killed: list[int] = []

    def kill(counters: Any) -> None:
        if not killed and counters.programs:
            cluster.scheduler.kill()
            killed.append(counters.programs)

    work = _campaign(tmp_path / "run", _pool(cluster, []), kill)
    counters = work.run(Budget(programs=PROGRAMS))
    assert cluster.address in (work.lost or "")
    assert counters.programs < PROGRAMS
    record = read_campaign(tmp_path / "run")[0]
    assert record.finished is False
    resumed(tmp_path / "run", [open_target(NAME)], PROGRAMS - record.programs)
    assert lasting(tmp_path / "run") == lasting(tmp_path / "alone")


@pytest.mark.full
def test_workers_that_differ_are_named_and_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one the user's rules are others; the other one does it all, and without it nobody can."""
    distributed = pytest.importorskip("distributed")
    name = "rules:./mine.py"
    for folder, line in (("good", ""), ("bad", "# another\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(VARIANTS + line)
    monkeypatch.chdir(tmp_path / "good")
    with cluster_in(tmp_path, 0) as cluster:
        cluster.worker(tmp_path / "bad")
        said: list[str] = []
        pool = _pool(cluster, said, name)
        pool.give(Task(0, 8))
        with pytest.raises(TargetError, match="no worker that can be used"):
            pool.take()
        assert [line for line in said if "is not used: its rules:mine.py is sha256" in line] == said[-1:]
        pool.close()
        good, said = cluster.worker(tmp_path / "good"), list[str]()
        with distributed.Client(cluster.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=PATIENCE)  # a pool that meets the bad one alone gives up
        pool = _pool(cluster, said, name)
        for first in range(0, 64, 8):
            pool.give(Task(first, 8))
        answers = [pool.take() for _ in range(8)]
        assert [answer.first for answer in answers if isinstance(answer, TaskResult)] == list(range(0, 64, 8))
        assert good.poll() is None
        pool.close()


# -- What the workers of a cluster are asked for at once: whatever becomes of it, each shader is answered once, in order


COUNT = 256


class _Cluster(NamedTuple):
    """The pool, and what it handed out: futures, each with its worker and work. Nothing comes by itself."""

    pool: ClusterPool
    futures: list[Any]

    def pending(self) -> list[tuple[Any, Any]]:
        """The pieces at work, each with its future."""
        pieces = [piece for pieces in self.pool._at_work.values() for piece in pieces]
        return sorted(((piece, piece.future) for piece in pieces), key=lambda one: self.futures.index(one[1]))

    def answer(self, piece: Any, future: Any, how: str, what: object) -> None:
        packed = zlib.compress(pickle.dumps(what)) if how == remote.DONE else what
        self.pool._answered(piece, future, (how, "a host", packed))
        self.pool._hand_out()

    def finish(self, piece: Any, future: Any) -> None:
        """All of it is done."""
        self.answer(piece, future, remote.DONE, _done(future))


def _cluster(monkeypatch: pytest.MonkeyPatch) -> _Cluster:
    futures: list[Any] = []

    def submit(_function: object, request: Mapping[str, Any], *, workers: list[str], **_: object) -> Any:
        work, _seconds = pickle.loads(request["work"])
        futures.append(Mock(worker=workers[0], work=work, done=lambda: False))
        return futures[-1]

    client = Mock(status="running", nthreads=dict, submit=submit)
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.cluster.connected", lambda _: client)
    pool = ClusterPool("tcp://nowhere:1", PLAN, [], [], 10.0)
    pool._closing.set()  # nobody watches who comes: the test says so
    return _Cluster(pool, futures)


played = pytest.fixture(_cluster)
"""A pool without workers."""


def _done(future: Any) -> list[TaskResult]:
    """The answers to all tasks that are asked for."""
    return [TaskResult(task.first, task.count) for task in future.work]


WAYS = st.sampled_from(["answer", "answer", "answer", "some", "part", "die", "fail", "late", "gone", "come"])
STEPS = st.lists(st.tuples(WAYS, st.integers(0, 7), st.integers(1, COUNT)), max_size=40)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.integers(1, 60), STEPS)
def test_each_shader_is_answered_once_and_in_order(tasks: int, steps: list[tuple[str, int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        played = _cluster(patch)
        workers = {"a": 2, "b": 1}
        played.pool._changed(dict(workers))
        for i in range(tasks):
            played.pool.give(Task(i * COUNT, COUNT))
        late: list[tuple[Any, Any]] = []
        for step, which, number in steps:
            _step(played, workers, late, step, which, number)
            load = [len(played.pool._at_work[name]) / threads for name, threads in workers.items()]
            assert max(load) <= 1 + AHEAD, "no worker has more than it has room for"
            assert not played.pool._waiting or min(load) == 1 + AHEAD, "nothing waits while there is room"
        played.pool._changed({**workers, "z": 1})
        taken: list[int] = []
        while len(taken) < tasks * COUNT:
            while not played.pool._tasks[0].ready:
                assert played.pending(), "else it would wait for ever"
                for piece, future in played.pending():
                    played.finish(piece, future)
            done = played.pool.take()
            assert isinstance(done, TaskResult)
            taken.extend(range(done.first, done.first + done.count))
        assert taken == list(range(tasks * COUNT))
        assert not played.pending()
        assert not played.pool._waiting


def _step(
    played: _Cluster, workers: dict[str, int], late: list[tuple[Any, Any]], step: str, which: int, number: int
) -> None:
    """Something happens to one of the pieces, or to a worker."""
    pool, pending = played.pool, played.pending()
    if step == "come":
        workers[f"w{which}"] = 1 + which % 3
        pool._changed(dict(workers))
    elif step == "gone" and len(workers) > 1:
        late += [(piece, future) for piece, future in pending if future.worker == min(workers)]
        del workers[min(workers)]
        pool._changed(dict(workers))
    elif step == "late" and late:  # one that was thought lost speaks up
        piece, future = late.pop()
        played.finish(piece, future)
    elif pending:
        piece, future = pending[which % len(pending)]
        answers = _done(future)
        if step == "some":
            answers = answers[: 1 + which % len(answers)]
        if step == "part":
            answers[-1] = replace(answers[-1], count=min(number, answers[-1].count))
        if step == "die":
            played.answer(piece, future, remote.DIED, "")
        elif step == "fail":
            pool._failed(piece, future, OSError())
        else:
            played.answer(piece, future, remote.DONE, answers)
    pool._hand_out()


def test_tasks_at_which_a_process_died_are_tried_one_by_one(played: _Cluster) -> None:
    """One that is fatal is named in the end; the others are done."""
    pool = played.pool
    pool._changed({"a": 1})
    for i in range(14):
        pool.give(Task(i * COUNT, COUNT))
    fatal, done = 5 * COUNT, set[int]()

    def work() -> None:
        for _ in range(DEATHS + 40):
            piece, future = played.pending()[0]
            if fatal in [task.first for task in future.work]:
                played.answer(piece, future, remote.DIED, "")
            else:
                done.update(task.first for task in future.work)
                played.finish(piece, future)

    with pytest.raises(TargetError, match="processes die again and again at one task"):
        work()
    assert any(len(future.work) > 1 for future in played.futures), "else there is nothing to part"
    assert all([task.first for task in future.work] == [fatal] for future in played.futures[-5:])
    assert done >= {i * COUNT for i in range(5)}


class KilledWorker(Exception):
    """As Dask has it."""


def test_a_worker_that_cannot_call_our_code_is_not_asked_again(played: _Cluster) -> None:
    """What is lost with a worker is asked again; anything else would be asked for ever."""
    played.pool._changed({"a": 1, "b": 1})
    played.pool.give(Task(0, COUNT))
    for error in (CancelledError(), ConnectionResetError(), KilledWorker()):
        played.pool._failed(*played.pending()[0], error)
        played.pool._hand_out()
    (first,) = played.pending()
    played.pool._failed(*first, RuntimeError("Error during deserialization"))
    played.pool._hand_out()
    (second,) = played.pending()
    assert second[1].worker != first[1].worker
    with pytest.raises(TargetError, match=r"no worker that can be used; .* Error during deserialization"):
        played.pool._failed(*second, RuntimeError("Error during deserialization"))


class _Worker:
    """Has done everything at once."""

    def work(self, task: Task) -> TaskResult:
        return TaskResult(task.first, task.count)

    def reduce(self, findings: ReductionTask) -> ReductionResult:
        return ReductionResult(findings)


def test_a_worker_gives_back_what_it_does_not_come_to(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [Task(i * COUNT, COUNT) for i in range(TOGETHER)]
    for seconds, answered in ((math.inf, TOGETHER), (0.0, 1)):
        monkeypatch.setattr(remote_child, "PIECE_SECONDS", seconds)
        done = remote_child._done(_Worker(), tasks, None)  # type: ignore[arg-type]
        assert isinstance(done, list)
        assert [one.first for one in done] == [task.first for task in tasks[:answered]]
