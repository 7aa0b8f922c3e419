"""The power of the generator of modules: how many it takes until each broken variant of section 15.2 shows.

    python benchmarks/module_power.py [--modules 5000] [--modules 20000] [--modules 60000] [--profile mix] [--workers 2]
    python benchmarks/module_power.py --decisive 5000 [--profile all] [--rarest 40]

Kills: after each of the counts, how many variants have answered otherwise than the rules; those that never did, by
name. Equivalent variants are left out, and so are those that change messages alone (`SILENT` of the arms' coverage).
Decisive: how many of the first modules each arm decides, the rarest first.
The profile `mix` goes through all of them in turn, one module each. Workers share the seeds; each tells the others
nothing, so a variant is known to be dead at the first count at which one worker has killed it.
"""

import math
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from multiprocessing import Pool
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.oracle.rules.uniformity.analysis import analyse_module
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms, deciding_arms
from wgsl_fuzz.strategies.modules.modules import draw_module
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

MIX = "mix"
NAMES = tuple(v.name for v in arms())
Kills = dict[str, float]
"""By the variant's name: how many modules of the run it took; infinite if it survived."""


@click.command()
@click.option("--modules", "counts", type=click.IntRange(min=1), multiple=True, default=(5_000, 20_000, 60_000))
@click.option("--profile", type=click.Choice([MIX, *MODULE_PROFILES]), default=MIX, show_default=True)
@click.option(
    "--decisive", type=click.IntRange(min=0), default=0, show_default=True, help="Count over so many instead."
)
@click.option("--rarest", type=click.IntRange(min=1), default=40, show_default=True, help="How many to list.")
@click.option("--only", default="", help="These variants, between commas: the survivors of an earlier run.")
@click.option("--seed", type=int, default=0, show_default=True, help="The first seed.")
@click.option("--seconds", type=float, default=math.inf, help="End a worker after so many.")
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True)
def main(
    counts: Sequence[int],
    profile: str,
    decisive: int,
    rarest: int,
    only: str,
    seed: int,
    seconds: float,
    workers: int,
) -> None:
    """Print the tables."""
    console = Console()
    if decisive:
        print_decisive(console, profile, decisive, rarest, seed, workers)
        return
    last = max(counts)
    names = tuple(name.strip() for name in only.split(",")) if only else NAMES
    runs = over_parts(partial(kills_of, profile, seed, last, seconds, workers, names=names), workers)
    seen = workers * max(count for count, _ in runs)
    kills = {name: min(kills[name] for _, kills in runs) for name in names}
    console.print(f"profile {profile}, {seen} modules")
    for count in sorted({*(c for c in counts if c <= seen), seen}):
        dead = sum(kill <= count for kill in kills.values())
        console.print(f"within {count}: {dead} of {len(names)} variants killed")
    living = [name for name in names if math.isinf(kills[name])]
    console.print(f"survivors: {', '.join(living) or 'none'}", soft_wrap=True)


def modules_of(profile: str, seeds: Iterator[int]) -> Iterator[Resolution]:
    """The modules of these seeds; `mix` takes the profiles in turn."""
    every = list(MODULE_PROFILES.values())
    for seed in seeds:
        yield resolve(draw_module(seed, every[seed % len(every)] if profile == MIX else MODULE_PROFILES[profile]))


def kills_of(
    profile: str, seed: int, count: int, seconds: float, workers: int, part: int, names: Collection[str] = NAMES
) -> tuple[int, Kills]:
    """How many modules one worker saw, and at which count of all workers each variant showed."""
    alive, start, seen = set(names), time.monotonic(), 0
    kills: Kills = dict.fromkeys(names, math.inf)
    for module in modules_of(profile, iter(range(seed + part, seed + count, workers))):
        seen += 1
        for name in deciding_arms(module, analyse_module(module), only=alive):
            kills[name] = seen * workers
            alive.discard(name)
        if not alive or time.monotonic() - start > seconds:
            break
    return seen, kills


def over_parts(work: "partial[tuple[int, Kills]]", workers: int) -> list[tuple[int, Kills]]:
    """The work of each part, in as many processes."""
    if workers == 1:
        return [work(0)]
    with Pool(workers) as pool:
        return pool.map(work, range(workers), chunksize=1)


def decided_by(profile: str, seed: int, count: int, workers: int, part: int) -> Counter[str]:
    """How many modules of one part each arm decides."""
    decided: Counter[str] = Counter()
    for module in islice(modules_of(profile, iter(range(seed + part, seed + count, workers))), count):
        decided.update(deciding_arms(module))
    return decided


def print_decisive(console: Console, profile: str, count: int, rarest: int, seed: int, workers: int) -> None:
    """The rarest arms first."""
    with Pool(workers) as pool:
        decided = sum(pool.map(partial(decided_by, profile, seed, count, workers), range(workers)), Counter[str]())
    table = Table("arm", "modules", title=f"profile {profile}: of {count} modules, how many each arm decides")
    for name in sorted(NAMES, key=lambda name: decided[name])[:rarest]:
        table.add_row(name, str(decided[name]))
    console.print(table)
    console.print(f"{sum(not decided[name] for name in NAMES)} of {len(NAMES)} decide none")


if __name__ == "__main__":
    main()
