"""The workers of a Dask cluster find what one process finds. They come and go, and are refused if they differ."""

import os
import pickle
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.campaign.clusters import ROOT, Cluster, children_of, cluster_in
from tests.fuzz.campaign.test_resume import PLAN, PROGRAMS, lasting
from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.campaign import remote
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.campaign.cluster import AHEAD, ClusterPool, Seats
from wgsl_fuzz.fuzz.campaign.pool import WorkerPool
from wgsl_fuzz.fuzz.campaign.remote import code_identity, difference, target_identity
from wgsl_fuzz.fuzz.campaign.scheduler import SchedulerError
from wgsl_fuzz.fuzz.campaign.worker import Task, TaskResult, Worker
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


@settings(derandomize=True, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["come", "gone", "take", "leave"])), max_size=60))
def test_no_worker_has_more_than_it_has_room_for(steps: list[tuple[str, str]]) -> None:
    seats, threads, taken = Seats(), dict[str, int](), dict[str, int]()
    for i, (worker, step) in enumerate(steps):
        if step == "come" and worker not in threads:
            threads[worker], taken[worker] = 1 + i % 3, 0
            seats.come(worker, threads[worker])
        elif step == "gone":
            seats.gone(worker)
            threads.pop(worker, None)
            taken.pop(worker, None)
        elif step == "leave" and taken.get(worker):
            taken[worker] -= 1
            seats.left(worker)
        elif step == "take":
            idle = [name for name in threads if taken[name] < threads[name]]
            room = [name for name in threads if taken[name] < (1 + AHEAD) * threads[name]]
            chosen = seats.taken()
            assert chosen in idle or (not idle and (chosen in room or (not room and chosen is None)))
            if chosen is not None:
                taken[chosen] += 1
    assert seats.threads == sum(threads.values())


def test_what_differs_is_named() -> None:
    ours = code_identity() | {"tint@main": "sha256 1"}
    assert difference(ours, ours) is None
    assert difference(ours, {**ours, "tint@main": "sha256 2"}) == "its tint@main is sha256 2, not sha256 1"
    assert difference(ours, {**ours, "Python": "2.7"}) is not None
    assert difference(ours, code_identity()) == "it has no tint@main"


def test_a_rule_file_is_known_by_what_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    digests = []
    for line in ("", "# another\n"):
        Path("mine.py").write_text(VARIANTS + line)
        digests.append(target_identity([open_target("rules:./mine.py")]))
    assert len(set(map(str, digests))) == 2
    assert all("sha256" in str(digest) for digest in digests)


def test_no_scheduler_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["--target", NAME, "--programs", "8", "--out", str(tmp_path / "run"), "--jobs"]
    pytest.importorskip("distributed")
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.scheduler.CONNECT_SECONDS", 0.2)
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        done = wgsl_fuzz(*command, address)
        assert done.exit_code == PROBLEM
        target, problem = done.stderr.splitlines()
        assert target.startswith("target ")
        assert f"no scheduler answers at {address}" in problem
    assert not (tmp_path / "run").exists()


def test_without_dask_it_is_one_line_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = wgsl_fuzz("--target", NAME, "--programs", "8", "--jobs", "tcp://127.0.0.1:1")
    assert done.exit_code == PROBLEM
    assert done.stderr.splitlines()[1:] == [
        "wgsl-fuzz: a cluster needs Dask.distributed: pip install 'wgsl-fuzz[distributed]'"
    ]


def test_dask_is_imported_by_those_who_ask_for_it() -> None:
    code = "import sys, wgsl_fuzz.fuzz.cli.main as m; sys.exit('distributed' in sys.modules or 'dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


# ------------------------------------------------------------------------------------------ what runs on a worker


@pytest.fixture
def request_of() -> Iterator[Callable[..., Mapping[str, Any]]]:
    """What a worker is asked; at the end all runs are ended."""
    runs = set()

    def made(run: str, *tasks: Task, **identity: str) -> Mapping[str, Any]:
        runs.add(run)
        return {
            "run": run,
            "identity": code_identity() | target_identity([open_target(NAME)]) | identity,
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


@pytest.mark.full
def test_a_worker_answers_as_one_in_this_process(request_of: Callable[..., Mapping[str, Any]]) -> None:
    for firsts in ((0,), (4, 8)):
        tasks = [Task(first, 4) for first in firsts]
        answers = _unpacked(remote.answer(request_of("a run", *tasks)))
        assert len(answers) == len(tasks), "they take no second"
        for there, task in zip(answers, tasks, strict=True):
            here = Worker(PLAN, [open_target(NAME)]).work(task)
            assert (there.first, there.count, there.judged) == (here.first, here.count, here.judged)


@pytest.mark.full
@pytest.mark.parametrize("part", ["wgsl-fuzz", NAME])
def test_a_worker_that_differs_is_refused(part: str, request_of: Callable[..., Mapping[str, Any]]) -> None:
    how, _, why = remote.answer(request_of(f"against {part}", Task(0, 8), **{part: "of tomorrow"}))
    assert how == remote.REFUSED
    assert f"its {part} is " in why
    assert "of tomorrow" in why


@pytest.mark.full
def test_children_are_replaced_and_ended(
    request_of: Callable[..., Mapping[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(children_of(os.getpid()))

    def ours() -> set[int]:
        return set(children_of(os.getpid())) - before

    monkeypatch.setattr(remote, "RECYCLED", 2)
    _unpacked(remote.answer(request_of("worn", Task(0, 8))))
    (first,) = ours()
    _unpacked(remote.answer(request_of("worn", Task(8, 8))))
    assert not ours()
    _unpacked(remote.answer(request_of("worn", Task(0, 8))))
    (second,) = ours()
    assert second != first
    os.kill(second, signal.SIGKILL)
    assert remote.answer(request_of("worn", Task(0, 8)))[0] == remote.DIED
    _unpacked(remote.answer(request_of("worn", Task(0, 8))))
    remote.end("worn")
    ends = time.monotonic() + 10
    while ours() and time.monotonic() < ends:
        time.sleep(0.05)
    assert not ours()
    assert remote.answer(request_of("worn", Task(0, 8)))[0] == remote.DIED


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

    ends = time.monotonic() + 20
    while any(children_of(worker.pid) for worker in cluster.processes[1:]) and time.monotonic() < ends:
        time.sleep(0.1)
    assert not any(children_of(worker.pid) for worker in cluster.processes[1:])
    with Client(cluster.address, set_as_default=False) as client:
        assert not [key for keys in client.processing().values() for key in keys]


@pytest.mark.full
def test_a_scheduler_that_vanishes_ends_the_run_in_order(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.scheduler.CONNECT_SECONDS", 5.0)
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.campaign.TASK", 8)  # more tasks than are under way at once
    _campaign(tmp_path / "alone", None).run(Budget(programs=PROGRAMS))
    killed: list[int] = []

    def kill(counters: Any) -> None:
        if not killed and counters.programs:
            cluster.scheduler.kill()
            killed.append(counters.programs)

    work = _campaign(tmp_path / "run", _pool(cluster, []), kill)
    counters = work.run(Budget(programs=PROGRAMS))
    assert work.lost is not None
    assert cluster.address in work.lost
    assert counters.programs < PROGRAMS
    record = read_campaign(tmp_path / "run")[0]
    assert record.finished is False
    rest = _campaign(tmp_path / "run", None)
    rest.resume(record)
    rest.run(Budget(programs=PROGRAMS - record.programs))
    assert lasting(tmp_path / "run") == lasting(tmp_path / "alone")


@pytest.mark.full
def test_workers_that_differ_are_named_and_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one the user's rules are others; the other one does it all, and without it nobody can."""
    pytest.importorskip("distributed")
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
        pool = _pool(cluster, said, name)
        for first in range(0, 64, 8):
            pool.give(Task(first, 8))
        answers = [pool.take() for _ in range(8)]
        assert [answer.first for answer in answers if isinstance(answer, TaskResult)] == list(range(0, 64, 8))
        assert good.poll() is None
        pool.close()


def test_an_address_without_a_scheduler_is_a_scheduler_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.scheduler.CONNECT_SECONDS", 0.2)
    with pytest.raises(SchedulerError, match="no scheduler answers"):
        ClusterPool("tcp://127.0.0.1:1", PLAN, [NAME], [open_target(NAME)], 10.0)
