"""Processor time of a whole campaign for each shader, by stage, beside the compiler alone on the same texts.

    python benchmarks/throughput.py [--programs 4096] [--target tint] [--language tiny] [--rounds 3]

The campaign is the real one: relations and reductions on. It is run once with a clock at
each stage, which gives the shares. Then it takes turns, as it is, with the compiler alone, which answers the texts of
the campaign in batches of the campaign's size, and one by one: medians, and the ratios of each round, because a
machine may change its speed by a fifth within minutes. All times are processor times, with child processes.
"""

import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.stage_clock import OUTSIDE, StageClock, tree_seconds
from wgsl_fuzz.fuzz.campaign import campaign, garbage, recorder, reduce_task, worker
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.campaign.pool import InProcessPool, WorkerPool
from wgsl_fuzz.fuzz.campaign.reduce_finding import HurryUp
from wgsl_fuzz.fuzz.campaign.reduce_task import Reduced, Together
from wgsl_fuzz.fuzz.campaign.worker import BATCH, Task, TaskResult
from wgsl_fuzz.fuzz.cases import case, generator
from wgsl_fuzz.fuzz.cases.plan import LANGUAGES, TINY, Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer

PAPER = 7484 / (24 * 3600)
"""Shaders per second of the paper's campaign, on eight threads."""


@click.command()
@click.option("--programs", type=int, default=4096, show_default=True, help="Shaders of each campaign.")
@click.option("--target", "name", default="tint", show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--language", "chosen", multiple=True, type=click.Choice(LANGUAGES), default=(TINY,), show_default=True)
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
def main(programs: int, name: str, seed: int, chosen: Sequence[str], rounds: int) -> None:
    """Print what a shader costs in each stage of a campaign, and in the compiler alone."""
    for language in chosen:
        plan = Plan(seed, language=language)
        click.echo(f"\n{language}: {programs:,} shaders, seed {seed}")
        texts = _stages(plan, name, programs)
        measured = [_round(plan, name, programs, texts) for _ in range(rounds)]
        _print_ratios(measured)


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds of so many shaders, and how long it took."""

    programs: int
    ours: float
    """In the process of the campaign."""
    children: float
    """In the processes that it started."""
    seconds: float

    @property
    def spent(self) -> float:
        """Processor seconds in all."""
        return self.ours + self.children

    @property
    def rate(self) -> float:
        """Shaders per second."""
        return self.programs / self.seconds

    def __str__(self) -> str:
        each = 1e6 / self.programs
        return (
            f"{self.spent * each:8,.0f} µs a shader: {self.ours * each:,.0f} here, {self.children * each:,.0f} in "
            f"children; {self.programs / self.spent:,.0f} a core-second, {self.rate / PAPER:,.0f} times the paper's "
            f"{PAPER:.3f} a second"
        )


# ------------------------------------------------------------------------------------------------ the whole campaign


def _whole(
    plan: Plan,
    name: str,
    programs: int,
    clock: StageClock | None = None,
    heard: Callable[[Sequence[str]], None] | None = None,
) -> Cost:
    """A campaign with every oracle on; processes are started and warm before. `heard` is told what is asked."""
    clock = StageClock() if clock is None else clock
    with opened(name) as alone, tempfile.TemporaryDirectory() as folder:
        target: Target = alone if heard is None else _Overheard(alone, heard)
        counted = _Counted(clock)
        workers = Sampled(InProcessPool(plan, [target]), counted.begin, counted.end)
        run = RunDirectory(Path(folder) / "run")
        work = Campaign([target], run, plan=plan, workers=workers)
        workers.warm()
        workers.begin()
        counters = work.run(Budget(programs=programs))
    if counters.findings and heard is not None:
        found = ", ".join(f"{kind.value} {n}" for kind, n in counters.findings.items())
        click.echo(f"  findings: {found}; {len(counters.buckets)} raw buckets")
    return counted.cost(programs)


class _Overheard:
    """A target whose questions are heard by someone else, too."""

    def __init__(self, target: Target, heard: Callable[[Sequence[str]], None]) -> None:
        self.name, self.origin, self.checks_uniformity = target.name, target.origin, target.checks_uniformity
        self._target, self._heard = target, heard

    def submit(self, texts: Sequence[str]) -> None:
        self._heard(texts)
        self._target.submit(texts)

    def collect(self) -> list[Answer]:
        return self._target.collect()

    def close(self) -> None:
        self._target.close()


class _Counted:
    """What a campaign takes, and its stages."""

    def __init__(self, clock: StageClock) -> None:
        self._clock = clock
        self._before = self._after = (0.0, 0.0, 0.0)

    def begin(self) -> None:
        """From now on it counts."""
        self._before = *tree_seconds(), time.perf_counter()
        self._clock.start()

    def end(self) -> None:
        """What comes now does not count."""
        self._clock.stop()
        self._after = *tree_seconds(), time.perf_counter()

    def cost(self, programs: int) -> Cost:
        """What so many shaders took."""
        ours, children, seconds = (after - before for before, after in zip(self._before, self._after))
        return Cost(programs, ours, children, seconds)


class Sampled:
    """A pool of workers that looks at clocks when it begins, and before it ends its processes."""

    def __init__(self, pool: WorkerPool, begin: Callable[[], None], end: Callable[[], None]) -> None:
        self.begin = begin
        self._pool, self._end = pool, end

    @property
    def threads(self) -> int:
        return self._pool.threads

    @property
    def window(self) -> int:
        return self._pool.window

    @property
    def workers(self) -> Mapping[str, int]:
        return self._pool.workers

    @property
    def restarts(self) -> Mapping[str, int]:
        return self._pool.restarts

    def give(self, task: Task) -> None:
        self._pool.give(task)

    def reduce(self, findings: Together) -> None:
        self._pool.reduce(findings)

    def take(self, hurry: HurryUp = lambda: False) -> TaskResult | Reduced:
        return self._pool.take(hurry)

    def drop(self) -> None:
        self._pool.drop()

    def warm(self) -> None:
        self._pool.warm()

    def close(self) -> None:
        self._end()
        self._pool.close()


# ---------------------------------------------------------------------------------------------------- one by stages


def _stages(plan: Plan, name: str, programs: int) -> list[Sequence[str]]:
    """Prints the stages of a campaign; the batches of texts that it asks about."""
    clock, texts = StageClock(), list[Sequence[str]]()
    for owner, attribute, stage in STAGES:
        clock.wrap(owner, attribute, stage, whole=stage in WHOLE_STAGES)
    try:
        cost = _whole(plan, name, programs, clock, lambda batch: None if clock.is_within else texts.append(batch))
    finally:
        clock.unwrap()
    _print_stages(clock, cost)
    return texts


def _print_stages(clock: StageClock, cost: Cost) -> None:
    each, in_main = 1e6 / cost.programs, sum(clock.seconds.values())
    rows = sorted(((stage, s) for stage, s in clock.seconds.items() if stage != OUTSIDE), key=lambda row: -row[1])
    rows += [("threads of the pipes", max(0.0, cost.ours - in_main)), ("not accounted for", clock.seconds[OUTSIDE])]
    for stage, seconds in rows:
        calls = clock.calls[stage]
        often = f"{calls / cost.programs:9.3f} times" if calls else ""
        click.echo(f"    {stage:26}{seconds * each:8,.0f} µs {100 * seconds / cost.spent:5.1f} %{often}")
    click.echo(f"    {'children':26}{cost.children * each:8,.0f} µs {100 * cost.children / cost.spent:5.1f} %")


STAGES = (
    (generator.CampaignGenerator, "case", "draw"),
    (generator, "draw_module_swarm", "swarm"),
    (generator, "drawn_case", "modules put together"),
    (generator, "resolve", "resolve"),
    (case, "print_module", "print"),
    (generator, "draw_layout", "layout"),
    (case.Case, "judgement", "analyse"),
    (case.Case, "execute", "execute"),
    (case.Case, "key", "key"),
    (case.Case, "statements", "count statements"),
    (generator.CampaignGenerator, "related", "relations"),
    (_Overheard, "submit", "talk to the target"),
    (_Overheard, "collect", "talk to the target"),
    (worker.Worker, "_launch", "worker's bookkeeping"),
    (worker.Worker, "_land", "worker's bookkeeping"),
    (garbage.Collector, "_collect", "garbage collection"),
    (campaign.Campaign, "_count", "campaign's bookkeeping"),
    (campaign.Campaign, "_file", "campaign's bookkeeping"),
    (campaign.Campaign, "_commit", "state on disk"),
    (recorder.Recorder, "found", "file findings"),
    (recorder, "judge", "judge findings"),
    (reduce_task.Reducer, "reduce", "reduce findings"),
)
"""What is counted as which stage."""
WHOLE_STAGES = frozenset({"relations", "file findings", "judge findings", "reduce findings", "execute"})
"""What is called within these is part of them."""


# -------------------------------------------------------------------------------------------------- the target alone


def _alone(name: str, batches: Sequence[Sequence[str]], most: int) -> Cost:
    """A target that answers these batches, at most so many texts at once; as many in flight as in a campaign."""
    with opened(name) as target:
        target.submit(batches[0])
        target.collect()
        before, begun = tree_seconds(), time.perf_counter()
        flying = deque[Sequence[str]]()
        for batch in batches:
            for i in range(0, len(batch), most):
                flying.append(batch[i : i + most])
                target.submit(flying[-1])
            while sum(map(len, flying)) > BATCH:
                target.collect()
                flying.popleft()
        for _ in flying:
            target.collect()
        after = tree_seconds()
    return Cost(sum(map(len, batches)), after[0] - before[0], after[1] - before[1], time.perf_counter() - begun)


def _round(plan: Plan, name: str, programs: int, texts: Sequence[Sequence[str]]) -> tuple[Cost, ...]:
    """What the campaign takes, and the target alone, in batches and one by one."""
    return _whole(plan, name, programs), _alone(name, texts, BATCH), _alone(name, texts, 1)


def _print_ratios(rounds: Sequence[tuple[Cost, ...]]) -> None:
    """The medians, and what the whole loop does of what the target does alone, per core."""
    whole = [one[0] for one in rounds]
    click.echo(f"  {'as it is':28}{_middle(whole)}")
    for place, how in ((1, "the target alone, in batches"), (2, "the target alone, one by one")):
        costs = [one[place] for one in rounds]
        middle, each = _middle(costs), 1e6 / whole[0].programs
        told = f"{middle.children * each:,.0f} in it, {middle.ours * each:,.0f} in asking"
        click.echo(f"  {how:28}{middle.spent * each:8,.0f} µs a shader: {told}")
        ratios = [alone.spent / campaign.spent for alone, campaign in zip(costs, whole, strict=True)]
        each_round = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        click.echo(f"    the whole loop does {median(ratios):.2f} of that per core (rounds: {each_round})")


def _middle(costs: Sequence[Cost]) -> Cost:
    """The median one by processor time."""
    return sorted(costs, key=lambda cost: cost.spent)[len(costs) // 2]


@contextmanager
def opened(name: str) -> Iterator[Target]:
    """A target, which is closed in the end."""
    target = open_target(name, notify=lambda line: click.echo(line, err=True))
    try:
        yield target
    finally:
        target.close()


if __name__ == "__main__":
    main()
