"""The power of the generator of modules: how many it takes until each broken variant of section 15.2 shows.

    python benchmarks/module_power.py [--modules 5000] [--modules 20000] [--modules 60000] [--language mixed]
    python benchmarks/module_power.py --state kills.json        # a run that may be stopped, and is then continued
    python benchmarks/module_power.py --decisive 5000 [--language all] [--rarest 40]

The modules are those of a campaign with that seed and language. `mixed` has TinyWGSL among them.
Kills: after each of the counts, how many variants have answered otherwise than the rules; those that never did, by
name. Equivalent variants are left out, and so are those that change messages alone (`SILENT` of the arms' coverage).
It is one pass: a variant is asked until the round of modules in which it dies. No result depends on the workers.
Decisive: how many of the first modules each arm decides, the rarest first.
"""

import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple, TypeVar

import click
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import LANGUAGES, MIXED, Plan
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms, deciding_arms
from wgsl_fuzz.wgsl.resolution import Resolution

T = TypeVar("T")
NAMES = tuple(v.name for v in arms())
Kills = dict[str, float]
"""By the variant's name: how many modules of the run it took; infinite if it survived."""
ROUND = 200
"""How many modules a worker asks about before all workers learn which variants are dead."""


@click.command()
@click.option("--modules", "counts", type=click.IntRange(min=1), multiple=True, default=(5_000, 20_000, 60_000))
@click.option("--language", type=click.Choice(LANGUAGES), default=MIXED, show_default=True)
@click.option(
    "--decisive", type=click.IntRange(min=0), default=0, show_default=True, help="Count over so many instead."
)
@click.option("--rarest", type=click.IntRange(min=1), default=40, show_default=True, help="How many to list.")
@click.option("--only", default="", help="These variants, between commas: the survivors of an earlier run.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the campaign.")
@click.option("--state", type=click.Path(path_type=Path), help="What was killed so far: written, and continued from.")
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True)
def main(
    counts: Sequence[int],
    language: str,
    decisive: int,
    rarest: int,
    only: str,
    seed: int,
    state: Path | None,
    workers: int,
) -> None:
    """Print the tables."""
    console = Console()
    plan = Plan(seed, language=language)
    if decisive:
        print_decisive(console, plan, decisive, rarest, workers)
        return
    names = tuple(name.strip() for name in only.split(",")) if only else NAMES
    so_far = Progress(0, dict.fromkeys(names, math.inf))
    if state is not None and state.exists():
        so_far = read_state(state)
    console.print(f"language {language}, seed {seed}")
    for count in sorted({*counts}):
        while so_far.seen < count:
            so_far = after_round(plan, so_far, count, workers)
            if state is not None:
                write_state(state, so_far)
        dead = sum(kill <= count for kill in so_far.kills.values())
        console.print(f"within {count}: {dead} of {len(so_far.kills)} variants killed")
    console.print(f"survivors: {', '.join(so_far.living) or 'none'}", soft_wrap=True)


class Progress(NamedTuple):
    """How many modules were seen, and what they killed."""

    seen: int
    kills: Kills

    @property
    def living(self) -> list[str]:
        """The variants that none of them killed."""
        return [name for name, kill in self.kills.items() if math.isinf(kill)]


def write_state(path: Path, progress: Progress) -> None:
    """Writes what a later run continues from."""
    dead = {name: kill for name, kill in progress.kills.items() if math.isfinite(kill)}
    path.write_text(json.dumps({"seen": progress.seen, "living": progress.living, "kills": dead}), "utf-8")


def read_state(path: Path) -> Progress:
    """What an earlier run wrote."""
    found = json.loads(path.read_text("utf-8"))
    return Progress(found["seen"], found["kills"] | dict.fromkeys(found["living"], math.inf))


def modules_of(plan: Plan, places: range) -> Iterator[Resolution]:
    """The modules at these places of a campaign."""
    drawer = CampaignGenerator(plan)
    for place in places:
        yield drawer.case(place).resolution


def after_round(plan: Plan, so_far: Progress, count: int, workers: int) -> Progress:
    """The progress after one more round, of `count` modules at most."""
    end = min(count, so_far.seen + workers * ROUND)
    parts = [range(so_far.seen + part, end, workers) for part in range(workers)]
    found = over_parts(partial(kills_in, plan, frozenset(so_far.living)), parts)
    kills = {name: min(kill, *(part.get(name, math.inf) for part in found)) for name, kill in so_far.kills.items()}
    return Progress(end, kills)


def over_parts(work: Callable[[range], T], parts: Sequence[range]) -> list[T]:
    """The work on each part, in as many processes."""
    if len(parts) == 1:
        return [work(parts[0])]
    with Pool(len(parts)) as pool:
        return pool.map(work, parts, chunksize=1)


def kills_in(plan: Plan, names: Collection[str], places: range) -> Kills:
    """At which count of the campaign's modules each variant first showed in these places."""
    alive, kills = set(names), Kills()
    for place, module in zip(places, modules_of(plan, places), strict=True):
        if not alive:
            break
        for name in deciding_arms(module, only=alive):
            kills[name] = place + 1
            alive.discard(name)
    return kills


def decided_in(plan: Plan, places: range) -> Counter[str]:
    """How many modules at these places each arm decides."""
    decided: Counter[str] = Counter()
    for module in modules_of(plan, places):
        decided.update(deciding_arms(module))
    return decided


def print_decisive(console: Console, plan: Plan, count: int, rarest: int, workers: int) -> None:
    """The rarest arms first."""
    parts = [range(part, count, workers) for part in range(workers)]
    decided = sum(over_parts(partial(decided_in, plan), parts), Counter[str]())
    table = Table("arm", "modules", title=f"language {plan.language}: of {count} modules, how many each arm decides")
    for name in sorted(NAMES, key=lambda name: decided[name])[:rarest]:
        table.add_row(name, str(decided[name]))
    console.print(table)
    console.print(f"{sum(not decided[name] for name in NAMES)} of {len(NAMES)} decide none")


if __name__ == "__main__":
    main()
