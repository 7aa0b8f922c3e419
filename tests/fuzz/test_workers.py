"""Several processes give what one gives, also when one of them dies."""

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from fuzz.campaign import TASK, Budget, Campaign
from fuzz.drawing import Plan
from fuzz.findings import RunDirectory
from fuzz.steering import Steering
from fuzz.worker import Task, Worker
from fuzz.workers import Elsewhere
from oracle.targets import open_target
from oracle.targets.protocol import TargetError

NAME = "rules:without-10a"
PLAN = Plan(5)


def _campaign(out: Path, jobs: int) -> Campaign:
    targets = [open_target(NAME)]
    workers = None if jobs == 1 else Elsewhere(PLAN, [NAME], jobs)
    return Campaign(targets, RunDirectory(out), plan=PLAN, workers=workers)


def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    one = _campaign(tmp_path / "one", 1).run(Budget(programs=3 * TASK))
    two = _campaign(tmp_path / "two", 2).run(Budget(programs=3 * TASK))
    assert one.buckets
    assert one.to_json() | {"seconds": 0} == two.to_json() | {"seconds": 0}
    names = [sorted(p.name for p in (tmp_path / run / "findings").iterdir()) for run in ("one", "two")]
    assert names[0] == names[1]


def test_a_worker_that_dies_is_replaced_and_nothing_is_lost(tmp_path: Path) -> None:
    campaign = _campaign(tmp_path / "run", 2)
    killed: list[int] = []

    def kill_one(_: object) -> None:
        children = multiprocessing.active_children()
        if not killed and children:
            killed.append(children[0].pid or 0)
            os.kill(killed[0], signal.SIGKILL)

    campaign._hooks.status = kill_one
    counters = campaign.run(Budget(programs=8 * TASK))
    assert killed
    assert counters.programs == counters.reference.total() == 8 * TASK


def test_workers_that_cannot_start_end_the_run_with_one_line() -> None:
    workers = Elsewhere(PLAN, ["tint:/no/such/compiler"], 1)
    workers.give(Task(0, 8))
    with pytest.raises(TargetError, match="die again and again"):
        workers.take()
    workers.close()


def test_a_task_that_takes_too_long_is_given_back_half_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.worker.TASK_SECONDS", -1.0)
    assert Worker(PLAN, []).work(Task(0, 100)).count == 0
    monkeypatch.undo()
    done = Worker(PLAN, []).work(Task(7, 100))
    assert (done.first, done.count) == (7, 100)
    assert [j.index for j in done.judged if j.relation is None] == list(range(7, 107))


def test_steering_is_a_function_of_what_was_learned() -> None:
    judged = Worker(PLAN, []).work(Task(0, 512, probe_every=8)).judged
    one, other = Steering(1, ("a", "b")), Steering(1, ("a", "b"))
    for answer in judged:
        one.learn(answer)
        other.learn(answer)
    recipes = [one.recipe(group) for group in range(64)]
    assert recipes == [other.recipe(group) for group in range(64)]
    assert 0 < sum(recipe is not None for recipe in recipes) <= 64 // 8
    assert one.rare() == other.rare()
    assert all(one.decided[rare] <= one.decided[name] for rare in one.rare()[:1] for name in one.decided)
