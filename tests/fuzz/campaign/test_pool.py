"""Several processes give what one gives, also when one of them dies."""

import multiprocessing
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz.campaign.conftest import SMALL
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.campaign.pool import InProcessPool, ProcessPool
from wgsl_fuzz.fuzz.campaign.steering import Steering
from wgsl_fuzz.fuzz.campaign.worker import ShaderResult, Task, TaskResult, Worker
from wgsl_fuzz.fuzz.cases.plan import TINY, Plan, Recipe
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import TargetError

NAME = "rules:without-10a"
PLAN = Plan(5)


def _campaign(out: Path, jobs: int) -> Campaign:
    targets = [open_target(NAME)]
    workers = None if jobs == 1 else ProcessPool(PLAN, [NAME], jobs)
    return Campaign(targets, RunDirectory(out), plan=PLAN, workers=workers)


def _counts(counters: Counters) -> Counters:
    """The counters without what is a matter of time and place."""
    return replace(counters, started=0.0, last_finding=None, saved=[])


@pytest.mark.usefixtures("few_questions", "small_tasks")
def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    one = _campaign(tmp_path / "one", 1).run(Budget(programs=4 * SMALL))
    two = _campaign(tmp_path / "two", 2).run(Budget(programs=4 * SMALL))
    assert one.buckets
    assert _counts(one) == _counts(two)
    names = [sorted(p.name for p in (tmp_path / run / "findings").iterdir()) for run in ("one", "two")]
    assert names[0] == names[1]


class _Slow(InProcessPool):
    """Answers every task in parts."""

    def take(self) -> TaskResult:
        self._tasks[0] = replace(self._tasks[0], count=min(self._tasks[0].count, 25))
        return super().take()


class _Noting(Steering):
    """Notes after how many shaders it is asked for the recipe of a group."""

    def __init__(self) -> None:
        super().__init__(1)
        self.learned = 0
        self.asked: list[tuple[int, int]] = []

    def learn(self, judged: ShaderResult) -> None:
        self.learned += 1
        super().learn(judged)

    def recipe(self, group: int, language: str = TINY) -> Recipe | None:
        self.asked.append((group, self.learned))
        return super().recipe(group, language)


@pytest.mark.usefixtures("few_questions", "small_tasks")
def test_a_slow_machine_finds_what_a_fast_one_finds(tmp_path: Path) -> None:
    counters, asked = [], []
    for name, kind in (("fast", InProcessPool), ("slow", _Slow)):
        targets, steering = [open_target(NAME)], _Noting()
        workers = kind(PLAN, targets)
        run = Campaign(targets, RunDirectory(tmp_path / name), plan=PLAN, workers=workers, steering=steering)
        counters.append(_counts(run.run(Budget(programs=4 * SMALL))))
        asked.append(steering.asked)
    assert counters[0] == counters[1]
    assert asked[0] == asked[1]
    assert len({learned for _, learned in asked[0]}) > 1


@pytest.mark.usefixtures("few_questions", "small_tasks")
def test_a_worker_that_dies_is_replaced_and_nothing_is_lost(tmp_path: Path) -> None:
    campaign = _campaign(tmp_path / "run", 2)
    killed: list[int] = []

    def kill_one(_: object) -> None:
        children = multiprocessing.active_children()
        if not killed and children:
            killed.append(children[0].pid or 0)
            os.kill(killed[0], signal.SIGKILL)

    campaign._hooks.status = kill_one
    counters = campaign.run(Budget(programs=8 * SMALL))
    assert killed
    assert counters.programs == counters.reference.total() == 8 * SMALL


def test_workers_that_cannot_start_end_the_run_with_one_line() -> None:
    workers = ProcessPool(PLAN, ["tint:/no/such/compiler"], 1)
    workers.give(Task(0, 8))
    with pytest.raises(TargetError, match="die again and again"):
        workers.take()
    workers.close()


def test_a_task_that_takes_too_long_is_given_back_half_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.worker.TASK_SECONDS", -1.0)
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
    rarest, decided = one.shaders.rare(), one.shaders.decided
    assert rarest == other.shaders.rare()
    assert all(decided[rarest[0]] <= decided[name] for name in decided)
