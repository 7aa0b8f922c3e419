"""Where a campaign on a cluster saturates: what a task costs the scheduler and the campaign.

    python benchmarks/cluster.py [--workers 1000] [--tasks 3000]

A real scheduler is fed by as many simulated workers: threads of a few worker processes, which sleep for as long as a
task takes, and answer with what a real one said. All figures are processor times, per task of 256 shaders: of the
scheduler, of the campaign's end of the connection, and of its bookkeeping, on answers that were recorded. One second
through each is how many tasks it takes in a second at most. A real campaign on a cluster is measured beside `--jobs`
by `benchmarks/jobs.py`.
"""

import pickle
import sys
import tempfile
import time
import zlib
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.stage_clock import seconds_of, tree_seconds
from tests.fuzz.campaign.clusters import Cluster, cluster_in
from wgsl_fuzz.fuzz.campaign import remote
from wgsl_fuzz.fuzz.campaign.campaign import TASK, Budget, Campaign
from wgsl_fuzz.fuzz.campaign.cluster import TOGETHER, ClusterPool
from wgsl_fuzz.fuzz.campaign.reduce_finding import HurryUp
from wgsl_fuzz.fuzz.campaign.reduce_task import Reduced, ReductionTask
from wgsl_fuzz.fuzz.campaign.worker import Task, TaskResult, Worker
from wgsl_fuzz.fuzz.cases.plan import TINY, Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import Target

PROCESSES = 4
"""Processes that play all the workers."""
RECORDED = 12
"""Tasks whose answers are recorded."""


@click.command()
@click.option("--workers", default=1000, show_default=True, help="Simulated workers.")
@click.option("--tasks", default=3000, show_default=True, help="Tasks that they are given.")
@click.option("--target", "name", default="tint", show_default=True)
def main(workers: int, tasks: int, name: str) -> None:
    """Print what a task costs the scheduler and the campaign, and how many workers that is enough for."""
    plan, target = Plan(1, language=TINY), open_target(name)
    try:
        answers, seconds = _recorded(plan, target)
        sizes = [len(zlib.compress(pickle.dumps(answer), 1)) for answer in answers]
        click.echo(f"a task of {TASK} shaders: {seconds:.3f} s of a worker, {sum(sizes) // len(sizes):,} bytes back")
        costs: dict[str, float] = {"the campaign's bookkeeping": _bookkeeping(plan, target, answers)}
        with tempfile.TemporaryDirectory() as folder, cluster_in(Path(folder), 0) as cluster:
            replies = Path(folder) / "replies"
            costs |= _transport(cluster, plan, target, answers, seconds, workers, tasks, replies)
        ours = costs["the campaign's bookkeeping"] + costs["the campaign's end"]
        for what, cost in [*costs.items(), ("the campaign in all", ours)]:
            click.echo(f"{what:28}{cost * 1e3:8.2f} ms a task: enough for {seconds / cost:7,.0f} workers")
    finally:
        target.close()


def _recorded(plan: Plan, target: Target) -> tuple[list[TaskResult], float]:
    """Answers to the first tasks, and the seconds that a worker and its compiler take for one."""
    worker, before = Worker(plan, [target]), sum(tree_seconds())
    answers = []
    for first in range(0, RECORDED * TASK, TASK):
        done = worker.work(Task(first, TASK))
        while done.count < TASK:  # it was slow
            more = worker.work(Task(first + done.count, TASK - done.count))
            done.judged, done.count = done.judged + more.judged, done.count + more.count
        answers.append(done)
    return answers, (sum(tree_seconds()) - before) / RECORDED


class _Replay:
    """Workers that have answered everything already."""

    threads, window = 1, 2
    workers: Final[Mapping[str, int]] = {}
    restarts: Final[Mapping[str, int]] = {}

    def __init__(self, answers: Sequence[TaskResult]) -> None:
        self._packed = deque(zlib.compress(pickle.dumps(answer), 1) for answer in answers)

    def give(self, task: Task) -> None:
        """Nothing is left to do."""

    def reduce(self, task: ReductionTask) -> None:
        """Stays as drawn."""

    def take(self, hurry: HurryUp = lambda: False) -> TaskResult | Reduced:  # noqa: ARG002
        done: TaskResult = pickle.loads(zlib.decompress(self._packed.popleft()))
        return done

    def drop(self) -> None:
        """There is nothing."""

    def warm(self) -> None:
        """It is."""

    def close(self) -> None:
        """There is nothing."""


def _bookkeeping(plan: Plan, target: Target, answers: Sequence[TaskResult]) -> float:
    """Seconds that a campaign takes for a task beside the wait for its answer, without reductions."""
    with tempfile.TemporaryDirectory() as folder:
        pool = _Replay(answers)
        work = Campaign([target], RunDirectory(Path(folder) / "run"), plan=plan, workers=pool)
        work.reductions.put = lambda findings: None  # type: ignore[method-assign]  # noqa: ARG005
        before = time.process_time()
        work.run(Budget(programs=len(answers) * TASK))
        return (time.process_time() - before) / len(answers)


def simulated(request: Mapping[str, Any]) -> remote.Reply:
    """What a simulated worker answers, when a real one would."""
    tasks = len(pickle.loads(request["work"])[0])
    time.sleep(tasks * request["seconds"])
    replies = pickle.loads(Path(request["replies"]).read_bytes())
    return remote.DONE, "simulated", replies[tasks - 1]


class _Simulated(ClusterPool):
    """A cluster whose workers do nothing for a while."""

    ask = staticmethod(simulated)

    def answer_with(self, answers: Sequence[TaskResult], seconds: float, file: Path) -> None:
        """Says what they answer to one task, to two and so on, and when; the file is for them to read."""
        some = [list(answers[: n + 1]) for n in range(TOGETHER)]
        file.write_bytes(pickle.dumps([zlib.compress(pickle.dumps(one), 1) for one in some]))
        self._request |= {"replies": str(file), "seconds": seconds}


def _transport(
    cluster: Cluster,
    plan: Plan,
    target: Target,
    answers: Sequence[TaskResult],
    seconds: float,
    workers: int,
    tasks: int,
    replies: Path,
) -> dict[str, float]:
    """Seconds that a task takes the scheduler, and us to give and to take."""
    for _ in range(PROCESSES):
        cluster.worker(threads=workers // PROCESSES)
    pool = _Simulated(cluster.address, plan, [target.name], [target], 10.0)
    pool.answer_with(answers, seconds, replies)
    _wait_for(pool, workers // PROCESSES * PROCESSES)
    before, ours, began = seconds_of(cluster.scheduler.pid), time.process_time(), time.perf_counter()
    for _ in range(pool.window):
        pool.give(Task(0, TASK))
    for i in range(tasks):
        pool.take()
        if i < tasks - pool.window:
            pool.give(Task(0, TASK))
    spent, passed = seconds_of(cluster.scheduler.pid) - before, time.perf_counter() - began
    costs = {"the scheduler": spent / tasks, "the campaign's end": (time.process_time() - ours) / tasks}
    click.echo(f"{workers:,} simulated workers: {tasks / passed:,.0f} tasks a second on this machine, as busy as it is")
    pool.close()
    return costs


def _wait_for(pool: ClusterPool, workers: int) -> None:
    """Waits until so many have joined."""
    while pool.threads < workers:
        pool.give(Task(0, TASK))
        pool.take()


if __name__ == "__main__":
    main()
