"""Several processes give what one gives, also when one of them dies."""

import gc
import pickle
import re
import time
import zlib
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.campaign.test_resume import lasting
from tests.fuzz.conftest import SMALL, make_tasks_small
from tests.fuzz.runs import cause_named
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.campaign.pool import ProcessPool
from wgsl_fuzz.fuzz.campaign.reduce_task import LOST, ReductionResult
from wgsl_fuzz.fuzz.campaign.remote import COUNT, DIED, DONE, SIZE, Children, Reply, Request
from wgsl_fuzz.fuzz.campaign.worker import Task, TaskResult, Worker
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import FindingRecord
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Kind
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import TargetError

NAME = "rules:without-10a"
NAMES = (NAME, f"python:{__name__}:knows_no_comma")
PLAN = Plan(10, language="compute")
PROGRAMS = 2 * SMALL
Kept = tuple[Counters, Any]


def knows_no_comma(text: str) -> str:
    """A target that refuses a comma at the end of template arguments, which few texts have, and no plain print."""
    return "invalid" if re.search(r",\s*>", text) else "accepts"


def _campaign(out: Path, jobs: int) -> Campaign:
    targets = [open_target(name) for name in NAMES]
    workers = None if jobs == 1 else ProcessPool(PLAN, NAMES, jobs)
    return Campaign(targets, RunDirectory(out), plan=PLAN, workers=workers)


def _counts(counters: Counters) -> Counters:
    """The counters without what is a matter of time and place."""
    return replace(counters, started=0.0, last_finding=None, saved=[])


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """What one process counts and keeps."""
    out = tmp_path_factory.mktemp("one") / "run"
    with pytest.MonkeyPatch.context() as patch:
        make_tasks_small(patch)
        counters = _campaign(out, 1).run(Budget(programs=PROGRAMS))
    assert {key.kind for key in counters.keys} >= {Kind.TOO_LENIENT, Kind.UNSTABLE}, "trees and texts are reduced"
    return _counts(counters), lasting(out)


@pytest.mark.usefixtures("small_tasks")
def test_two_processes_find_what_one_finds_though_they_die(tmp_path: Path, one: Kept) -> None:
    campaign = _campaign(tmp_path / "two", 2)
    killed: list[int] = []
    assert isinstance(campaign.workers, ProcessPool)
    pool = campaign.workers._children

    def kill_one(_: object) -> None:
        if len(killed) < 3 and pool._all:
            child = pool._all[0].process
            child.kill()
            killed.append(child.pid)

    campaign._status = kill_one
    counters = campaign.run(Budget(programs=PROGRAMS))
    assert len(killed) == 3
    assert (_counts(counters), lasting(tmp_path / "two")) == one


@pytest.mark.usefixtures("small_tasks")
def test_slow_machines_find_the_same(tmp_path: Path, one: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each task is answered in parts."""
    work = Worker.work
    monkeypatch.setattr(Worker, "work", lambda self, task: work(self, replace(task, count=min(task.count, 25))))
    assert _counts(_campaign(tmp_path / "slow", 1).run(Budget(programs=PROGRAMS))) == one[0]


class _DeadlyOrSlow(Children):
    """Instead of processes: one reduction kills its own, another takes a while."""

    def answer(self, request: Request) -> Reply:
        findings, _ = pickle.loads(request["work"])
        if findings[0].text == "deadly":
            return DIED, "here", ""
        time.sleep(0.3)
        return DONE, "here", zlib.compress(pickle.dumps(ReductionResult(findings, why="done")))


def test_a_reduction_that_kills_its_worker_takes_no_other_along(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, deaths in (("QUIET", 1), ("DEATHS", 2)):
        monkeypatch.setattr(f"wgsl_fuzz.fuzz.campaign.pool.{name}", deaths)
    key = BucketKey(NAME, Kind.TOO_LENIENT, cause_named("10a"))
    saved = Finding(FindingRecord(kind=Kind.TOO_LENIENT, target=NAME, cause=key.cause), {})
    workers = ProcessPool(PLAN, [NAME], 2)
    workers._children = _DeadlyOrSlow()
    for word in ("slow", "deadly"):
        workers.reduce((replace(saved, files={"drawn.wgsl": word}),))
    came = [workers.take(), workers.take()]
    workers.close()
    said = [(one.findings[0].text, one.why) for one in came if isinstance(one, ReductionResult)]
    assert said == [("slow", "done"), ("deadly", LOST)]


def test_workers_that_cannot_start_end_the_run_with_one_line() -> None:
    with closing(ProcessPool(PLAN, ["tint:/no/such/compiler"], 1)) as workers:
        workers.give(Task(0, 8))
        with pytest.raises(TargetError, match="no file /no/such/compiler"):
            workers.take()


def test_a_task_that_takes_too_long_is_given_back_half_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.worker.TASK_SECONDS", -1.0)
    assert Worker(PLAN, []).work(Task(0, 100)).count == 0
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.worker.TASK_SECONDS", 1e9)
    done = Worker(PLAN, []).work(Task(7, 100))
    assert (done.first, done.count) == (7, 100)
    assert [j.index for j in done.judged if j.relation is None] == list(range(7, 107))


def test_workers_that_grow_or_had_much_to_do_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.remote.RECYCLED", 2)
    with closing(ProcessPool(PLAN, [NAME], 1)) as workers:
        for first in (0, 8, 16):
            workers.give(Task(first, 8))
        answers = [workers.take() for _ in range(3)]
        assert [done.first for done in answers if isinstance(done, TaskResult)] == [0, 8, 16]
        assert workers.restarts == {COUNT: 1}
        monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.remote.RECYCLED", 9)
        monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.remote.LARGEST", 1)
        workers.give(Task(24, 8))
        workers.take()
    assert workers.restarts == {COUNT: 1, SIZE: 1}


@dataclass(frozen=True)
class _Telling(Task):
    """Cannot be done where Python does not collect cyclic garbage as it usually does."""

    def __post_init__(self) -> None:
        if not gc.isenabled():
            raise RuntimeError("rarely collected")


def test_a_fault_of_ours_in_a_worker_is_raised_here_and_python_does_not_collect_there() -> None:
    with closing(ProcessPool(PLAN, [NAME], 1)) as workers:
        workers.give(_Telling(0, 1))
        with pytest.raises(RuntimeError, match="rarely collected"):
            workers.take()
