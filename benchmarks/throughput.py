"""Processor time of a whole campaign for each shader, by stage, beside the compiler alone on the same texts.

    python benchmarks/throughput.py [--programs 4096] [--target tint] [--language tiny] [--rounds 3]

The campaign is the real one: relations and reductions on. Its own clocks give the shares of the stages. It takes turns
with the compiler alone, which answers the texts of the campaign in batches of the campaign's size, and one by one:
medians, and the ratios of each round, because a machine may change its speed by a fifth within minutes. All times are
processor times, with child processes.
"""

import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import click
import psutil

from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.campaign.pool import InProcessPool
from wgsl_fuzz.fuzz.campaign.reduce_finding import FindingReducer
from wgsl_fuzz.fuzz.campaign.reduce_task import HurryUp, ReductionResult
from wgsl_fuzz.fuzz.campaign.worker import BATCH, TaskResult
from wgsl_fuzz.fuzz.cases.plan import LANGUAGES, TINY, Plan
from wgsl_fuzz.fuzz.cases.stages import REDUCING
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.known import known_or_shipped
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import NamedTarget, Target

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
        _print_ratios(
            [(_whole(plan, name, programs)[0], *(_alone(name, texts, n) for n in (BATCH, 1))) for _ in range(rounds)]
        )


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

    def __str__(self) -> str:
        each, rate = 1e6 / self.programs, self.programs / self.seconds
        return (
            f"{self.spent * each:8,.0f} µs a shader: {self.ours * each:,.0f} here, {self.children * each:,.0f} in "
            f"children; {self.programs / self.spent:,.0f} a core-second, {rate / PAPER:,.0f} times the paper's "
            f"{PAPER:.3f} a second"
        )


# ------------------------------------------------------------------------------------------------ the whole campaign


class _Measured(InProcessPool):
    """One worker in this process; what it spends by stage, and the batches that it asks about."""

    def __init__(self, plan: Plan, target: Target) -> None:
        self.spent = Counter[str]()
        self.batches = list[Sequence[str]]()
        super().__init__(plan, [_Overheard(target.name, target, self.batches.append)])
        self._worker.reducer = FindingReducer(plan, [target])  # what reductions ask is not heard

    def take(self, hurry: HurryUp = lambda: False) -> TaskResult | ReductionResult:
        done = super().take(hurry)
        self.spent.update({REDUCING: done.spent} if isinstance(done, ReductionResult) else done.spent)
        return done


@dataclass(slots=True, eq=False)
class _Overheard(NamedTarget):
    """A target whose questions are heard by someone else, too."""

    heard: Callable[[Sequence[str]], None]

    def submit(self, texts: Sequence[str]) -> None:
        self.heard(texts)
        self.target.submit(texts)


def _whole(plan: Plan, name: str, programs: int) -> tuple[Cost, _Measured]:
    """A campaign with every oracle on. Its compiler was started before."""
    with opened(name) as target, tempfile.TemporaryDirectory() as folder:
        workers = _Measured(plan, target)
        known = known_or_shipped(None)
        work = Campaign([target], RunDirectory(Path(folder) / "run"), plan=plan, workers=workers, known=known)
        before = _now()
        counters = work.run(Budget(programs=programs))
        cost = _since(before, programs)
    found = ", ".join(f"{kind.value} {n}" for kind, n in counters.findings.items())
    click.echo(f"  findings: {found or 'none'}; {len(counters.keys)} raw buckets")
    return cost, workers


def _now() -> tuple[float, float, float]:
    """Processor seconds of this process, and of its descendants, those that ended too; and the time."""
    own, *below = [process.cpu_times() for process in (psutil.Process(), *psutil.Process().children(recursive=True))]
    return sum(own[:2]), sum(own[2:4]) + sum(sum(times[:4]) for times in below), time.perf_counter()


def _since(before: tuple[float, float, float], programs: int) -> Cost:
    ours, children, seconds = (now - then for now, then in zip(_now(), before, strict=True))
    return Cost(programs, ours, children, seconds)


def _stages(plan: Plan, name: str, programs: int) -> list[Sequence[str]]:
    """Prints the stages of a campaign; the batches of texts that it asks about."""
    cost, workers = _whole(plan, name, programs)
    rest = [("filing and counting", cost.ours - workers.spent.total()), ("children", cost.children)]
    for stage, seconds in (*workers.spent.most_common(), *rest):
        click.echo(f"    {stage:26}{seconds * 1e6 / programs:8,.0f} µs {100 * seconds / cost.spent:5.1f} %")
    return workers.batches


# -------------------------------------------------------------------------------------------------- the target alone


def _alone(name: str, batches: Sequence[Sequence[str]], most: int) -> Cost:
    """A target that answers these batches, at most so many texts at once; as many in flight as in a campaign."""
    with opened(name) as target:
        target.submit(batches[0])
        target.collect()
        before = _now()
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
        return _since(before, sum(map(len, batches)))


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


def opened(name: str) -> closing[Target]:
    """A target, which is closed in the end."""
    return closing(open_target(name, notify=lambda line: click.echo(line, err=True)))


if __name__ == "__main__":
    main()
