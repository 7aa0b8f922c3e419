"""What `--jobs N` and a cluster of N workers gain over one campaign on one core, beside what the machine can gain.

    python benchmarks/jobs.py [--programs 8192] [--target tint] [--language tiny] [--jobs 2] [--rounds 3]

Cores share caches, a clock and perhaps a hypervisor's time, so N of them seldom do N times the work of one. So N
campaigns that know nothing of each other run side by side, each pinned to a core of its own: that is the ceiling.
The arms take turns, round after round. A ratio is the median of those of the rounds, so that a slow moment of the
machine distorts it little. Linux only: affinities and processor times of other processes are the kernel's.
"""

import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.stage_clock import descendants, seconds_of, tree_seconds
from benchmarks.throughput import Sampled, opened
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign, Counters
from wgsl_fuzz.fuzz.campaign.cluster import ClusterPool
from wgsl_fuzz.fuzz.campaign.pool import InProcessPool, ProcessPool, WorkerPool
from wgsl_fuzz.fuzz.campaign.worker import BATCH, Task, TaskResult
from wgsl_fuzz.fuzz.cases.plan import LANGUAGES, TINY, Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.oracle.targets.protocol import Target

ONE, CEILING, JOBS, CLUSTER = "one campaign on one core", "campaigns, a core each", "--jobs", "workers of a cluster"
THREADS = "threads of one worker"
"""The arms; all but the first with a number before or behind."""
QUIET = 0.05
"""Of a machine that others take no larger share of, rates can be compared."""


@dataclass(frozen=True, slots=True)
class Arm:
    """Campaigns that run at once: each on so many cores, and with which kind of workers."""

    kind: str
    number: int = 1

    def __str__(self) -> str:
        """Its name in the table."""
        if self.kind == ONE:
            return ONE
        return f"{JOBS} {self.number}" if self.kind == JOBS else f"{self.number} {self.kind}"

    def pinned(self, cores: Sequence[int]) -> list[list[int]]:
        """The cores of each of its campaigns."""
        mine = list(cores[: self.number])
        return [[core] for core in mine] if self.kind in (ONE, CEILING) else [mine]


@dataclass(frozen=True, slots=True)
class Cost:
    """What campaigns took: processor seconds by who spent them, and seconds."""

    rate: float
    """Shaders per second of wall clock, of all campaigns together."""
    programs: int
    campaign: float
    """Of the processes of the campaigns."""
    workers: float
    """Of the other processes that run Python: workers, and a cluster's scheduler."""
    compilers: float
    """Of all others."""
    core_seconds: float
    """Seconds of wall clock, once for each core."""
    idle_seconds: float
    """Of these, the seconds in which nothing ran on the core, of these campaigns or of anything else."""
    last: float
    """Seconds from the last shader's answer to the end: reductions, each of which one worker does."""

    @property
    def spent(self) -> float:
        """Processor seconds in all."""
        return self.campaign + self.workers + self.compilers

    @property
    def ours(self) -> float:
        """Processor seconds a shader of what is not the compiler."""
        return (self.campaign + self.workers) / self.programs

    @property
    def idle(self) -> float:
        """The share of the cores' time in which nothing ran there."""
        return self.idle_seconds / self.core_seconds

    @property
    def others(self) -> float:
        """The share of the cores' time that went to anything else on the machine, its hypervisor among it."""
        return max(0.0, 1 - self.idle - self.spent / self.core_seconds)


def together(costs: Sequence[Cost]) -> Cost:
    """The cost of campaigns that ran side by side."""
    return Cost(
        sum(cost.rate for cost in costs),
        sum(cost.programs for cost in costs),
        sum(cost.campaign for cost in costs),
        sum(cost.workers for cost in costs),
        sum(cost.compilers for cost in costs),
        sum(cost.core_seconds for cost in costs),
        sum(cost.idle_seconds for cost in costs),
        max(cost.last for cost in costs),
    )


@click.command()
@click.option("--programs", type=click.IntRange(min=1), default=8192, show_default=True, help="Shaders of a campaign.")
@click.option("--target", "name", default="tint", show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--language", "chosen", multiple=True, type=click.Choice(LANGUAGES), default=(TINY,), show_default=True)
@click.option("--jobs", "numbers", default="2,4", show_default=True, help="Those with so many cores are measured.")
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--cluster/--no-cluster", default=find_spec("distributed") is not None, help="[default: if installed]")
def main(
    programs: int, name: str, seed: int, chosen: Sequence[str], numbers: str, rounds: int, *, cluster: bool
) -> None:
    """Print what more jobs gain, what a cluster does, and what the machine could."""
    cores = sorted(os.sched_getaffinity(0))
    arms = arms_for([n for n in map(int, numbers.split(",")) if 1 < n <= len(cores)], cluster=cluster)
    for language in chosen:
        plan = Plan(seed, language=language)
        measured = []
        for i in range(rounds):
            measured.append({arm: _run(arm, cores, plan, name, programs) for arm in arms})
            click.echo(f"  round {i + 1} of {rounds} is done", err=True)
        click.echo(f"{language}: {programs:,} shaders a campaign, seed {seed}, {name}, medians of {rounds} rounds")
        click.echo("\n".join(page(measured)) + "\n")


def arms_for(numbers: Sequence[int], *, cluster: bool) -> list[Arm]:
    """What takes turns, for these numbers of jobs."""
    kinds = (CEILING, JOBS, CLUSTER, THREADS) if cluster else (CEILING, JOBS)
    return [Arm(ONE), *(Arm(kind, number) for number in numbers for kind in kinds)]


# ------------------------------------------------------------------------------------------------------- the page


def page(rounds: Sequence[Mapping[Arm, Cost]]) -> Iterator[str]:
    """The table of medians, and the ratios."""
    arms = list(rounds[0])
    heads = ("a second", "a core-second", "campaign", "workers", "compilers", "idle", "others", "at the end")
    yield f"{'':28}{'shaders':>22}   µs a shader"
    yield f"{'':28}" + "".join(f"{head:>14}" if i == 1 else f"{head:>11}" for i, head in enumerate(heads))
    for arm in arms:
        rate, density, *each, idle, others, last = (_median(rounds, arm, value) for value in _COLUMNS)
        times = "".join(f"{1e6 * seconds:11,.0f}" for seconds in each)
        shares = "".join(f"{100 * share:9.0f} %" for share in (idle, others))
        yield f"{arm!s:28}{rate:11,.0f}{density:14,.0f}{times}{shares}{last:9.1f} s"
    for number in dict.fromkeys(arm.number for arm in arms if arm.kind != ONE):
        yield from _ratios(rounds, number)
    if (taken := max(cost.others for one in rounds for cost in one.values())) > QUIET:
        yield f"  others took up to {100 * taken:.0f} % of the cores: only ratios of processor times mean much"


_COLUMNS: tuple[Callable[[Cost], float], ...] = (
    lambda cost: cost.rate,
    lambda cost: cost.programs / cost.spent,
    lambda cost: cost.campaign / cost.programs,
    lambda cost: cost.workers / cost.programs,
    lambda cost: cost.compilers / cost.programs,
    lambda cost: cost.idle,
    lambda cost: cost.others,
    lambda cost: cost.last,
)


def _median(rounds: Sequence[Mapping[Arm, Cost]], arm: Arm, value: Callable[[Cost], float]) -> float:
    return statistics.median(value(one[arm]) for one in rounds)


def _ratios(rounds: Sequence[Mapping[Arm, Cost]], n: int) -> Iterator[str]:
    one, ceiling, jobs, cluster, threads = Arm(ONE), *(Arm(kind, n) for kind in (CEILING, JOBS, CLUSTER, THREADS))
    rows = [
        (f"what the machine can: {ceiling} by one", ceiling, one, _rate),
        (f"{jobs} by one", jobs, one, _rate),
        (f"{jobs} by {ceiling}", jobs, ceiling, _rate),
        (f"{cluster} by {jobs}", cluster, jobs, _rate),
        (f"{cluster} by {jobs}, a core-second", cluster, jobs, lambda cost: cost.programs / cost.spent),
        (f"{threads} by {jobs}", threads, jobs, _rate),
        (f"{threads} by {jobs}, a core-second", threads, jobs, lambda cost: cost.programs / cost.spent),
    ]
    for what, above, below, value in rows:
        if above in rounds[0]:
            yield f"  {what:60}{_ratio(rounds, above, below, value):6.2f}"
    ours = _ratio(rounds, one, jobs, lambda cost: cost.ours)
    yield f"  {f'{jobs} by one in what is not the compiler, by processor time':60}{n * ours:6.2f}"
    beside = _ratio(rounds, ceiling, jobs, lambda cost: cost.ours)
    yield f"  {f'{jobs} by {ceiling} in the same':60}{beside:6.2f}"


def _rate(cost: Cost) -> float:
    return cost.rate


def _ratio(rounds: Sequence[Mapping[Arm, Cost]], above: Arm, below: Arm, value: Callable[[Cost], float]) -> float:
    return statistics.median(value(one[above]) / value(one[below]) for one in rounds)


# ---------------------------------------------------------------------------------------------- one arm of a round


def _run(arm: Arm, cores: Sequence[int], plan: Plan, name: str, programs: int) -> Cost:
    """Runs the campaigns of an arm in processes of their own, all at once when all are ready."""
    context = multiprocessing.get_context("spawn")
    with ExitStack() as ends:
        pipes = []
        for mine in arm.pinned(cores):
            here, there = context.Pipe()
            process = context.Process(target=_campaign, args=(arm, mine, plan, name, programs, there))
            process.start()
            there.close()
            ends.callback(process.join)
            pipes.append(ends.enter_context(here))
        for pipe in pipes:
            pipe.recv()
        for pipe in pipes:
            pipe.send("begin")
        return together([pipe.recv() for pipe in pipes])


def _campaign(arm: Arm, cores: Sequence[int], plan: Plan, name: str, programs: int, pipe: Connection) -> None:
    """Runs one campaign on some cores, warm, and says what it took."""
    os.sched_setaffinity(0, cores)
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory()))
        target = ends.enter_context(opened(name))
        pool = _pool(arm, plan, target, folder, ends)
        clock = _Clock(programs, cores)
        workers = Sampled(pool, clock.begin, clock.end)
        run = RunDirectory(folder / "run")
        work = Campaign([target], run, plan=plan, workers=workers, status=clock.look)
        _warm(pool, arm)
        pipe.send("ready")
        pipe.recv()
        workers.begin()
        work.run(Budget(programs=programs))
        pipe.send(clock.cost())


def _pool(arm: Arm, plan: Plan, target: Target, folder: Path, ends: ExitStack) -> WorkerPool:
    if arm.kind in (ONE, CEILING):
        return InProcessPool(plan, [target])
    if arm.kind == JOBS:
        return ProcessPool(plan, [target.name], arm.number)
    from tests.fuzz.campaign.clusters import cluster_in

    cluster = ends.enter_context(cluster_in(folder, 0 if arm.kind == THREADS else arm.number))
    if arm.kind == THREADS:
        cluster.worker(threads=arm.number)
    return ClusterPool(cluster.address, plan, [target.name], [target], 10.0)


def _warm(pool: WorkerPool, arm: Arm) -> None:
    """Has all workers draw and ask, so that none has to start."""
    while isinstance(pool, ClusterPool) and pool.threads < arm.number:  # until all have joined
        _give_and_take(pool, 1)
    pool.warm()
    if isinstance(pool, InProcessPool):
        _give_and_take(pool, 4)


def _give_and_take(pool: WorkerPool, tasks: int) -> None:
    for _ in range(tasks):
        pool.give(Task(0, BATCH))
    left = tasks * BATCH
    while left:
        done = pool.take()
        left -= done.count if isinstance(done, TaskResult) else 0


class _Clock:
    """What the processes of a campaign spend from `begin` to `end`."""

    def __init__(self, programs: int, cores: Sequence[int]) -> None:
        self._programs, self._cores = programs, cores
        self._before = self._after = (0.0, 0.0, 0.0, 0.0, 0.0)
        self._drawn: float | None = None

    def begin(self) -> None:
        """From now on it counts."""
        self._before = (*_spent(), _idle(self._cores), time.perf_counter())

    def look(self, counters: Counters) -> None:
        """Notes when the last shader is judged."""
        if self._drawn is None and counters.programs == self._programs:
            self._drawn = time.perf_counter()

    def end(self) -> None:
        """What comes now does not count."""
        self._after = (*_spent(), _idle(self._cores), time.perf_counter())

    def cost(self) -> Cost:
        """What it was."""
        campaign, workers, compilers, idle, seconds = (b - a for a, b in zip(self._before, self._after, strict=True))
        last = 0.0 if self._drawn is None else self._after[-1] - self._drawn
        rate = self._programs / seconds
        return Cost(rate, self._programs, campaign, workers, compilers, seconds * len(self._cores), idle, last)


def _spent() -> tuple[float, float, float]:
    """Processor seconds of this process, of those below it that run Python, and of the others below it."""
    here, children = tree_seconds()
    python = _program(os.getpid())
    workers = sum(seconds_of(pid, waited=False) for pid in descendants(os.getpid()) if _program(pid) == python)
    return here, workers, children - workers


def _idle(cores: Sequence[int]) -> float:
    """Seconds in which nothing ran on these cores, since the machine was started."""
    lines = (line.split() for line in Path("/proc/stat").read_text(encoding="ascii").splitlines())
    fields = {words[0]: words for words in lines}
    return sum(int(fields[f"cpu{core}"][n]) for core in cores for n in (4, 5)) / os.sysconf("SC_CLK_TCK")


def _program(pid: int) -> str:
    """The file of a process's program; nothing if it is gone."""
    try:
        return str(Path(f"/proc/{pid}/exe").readlink())
    except OSError:
        return ""


if __name__ == "__main__":
    main()
