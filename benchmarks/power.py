"""The power of the generator: how many shaders it takes until each broken rule shows, and what the shaders are like.

    python benchmarks/power.py [--seeds 10] [--cap 60000] [--workers 2]
    python benchmarks/power.py --part kills --part decisive --part shares

Kills: for each mutant of the analysis, single or double, the number of shaders until its verdict differs from the
paper's, the median and the worst over the seeds.
Decisive: how many of 5,000 shaders each branch of the rules decides, for three seeds.
Shares: duplicates up to names and literals, shaders with nothing but the final barrier, sizes, uniform shaders.
"""

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeVar

import click
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.quality.paper_mutants import DOUBLE, KILLABLE, deciding
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import GENERATOR_VERSION
from wgsl_fuzz.tinywgsl.ast import Barrier, Shader, count_statements, walk
from wgsl_fuzz.wgsl.builtins import PREDECLARED
from wgsl_fuzz.wgsl.lexer import KEYWORDS
from wgsl_fuzz.wgsl.lower.raising import print_shader

_R = TypeVar("_R")

PARTS = ("kills", "decisive", "shares")
NAMES = tuple(m.name for m in (*KILLABLE, *DOUBLE))

Kills = dict[str, float]
"""By the mutant's name: how many shaders it took; infinite if it survived."""


@click.command()
@click.option("--seeds", type=click.IntRange(min=1), default=10, show_default=True, help="How many runs.")
@click.option("--cap", type=click.IntRange(min=1), default=60_000, show_default=True, help="The most shaders of a run.")
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True)
@click.option("--decisive", "decided", type=click.IntRange(min=1), default=5_000, show_default=True)
@click.option("--shares", "drawn", type=click.IntRange(min=1), default=100_000, show_default=True)
@click.option("--part", "parts", type=click.Choice(PARTS), multiple=True, default=PARTS)
def main(seeds: int, cap: int, workers: int, decided: int, drawn: int, parts: Sequence[str]) -> None:
    """Print the tables of the parts asked for."""
    console = Console()
    console.print(f"generator {GENERATOR_VERSION}")
    if "kills" in parts:
        print_kills(console, range(1, seeds + 1), cap, workers)
    if "decisive" in parts:
        print_decisive(console, range(1, min(seeds, 3) + 1), decided, workers)
    if "shares" in parts:
        print_shares(console, drawn)


def shaders_of(seed: int) -> Iterator[Shader]:
    """The shaders of a campaign, one after the other."""
    drawer = CampaignGenerator(Plan(seed))
    index = 0
    while True:
        shader = drawer.case(index).core
        assert shader is not None, "drawn in TinyWGSL"
        yield shader
        index += 1


def over_seeds(work: Callable[[int], _R], seeds: Sequence[int], workers: int) -> list[_R]:
    """`work` of each seed, in as many processes."""
    if workers == 1:
        return [work(seed) for seed in seeds]
    with Pool(workers) as pool:
        return pool.map(work, seeds, chunksize=1)


# --------------------------------------------------------------------------------------------------------- kills


def kills_of(seed: int, cap: int, names: Collection[str] = NAMES) -> Kills:
    """How many shaders of a run it takes until each mutant of `names` shows."""
    alive = set(names)
    doubles = {m.name: m.rules for m in DOUBLE if m.name in alive}
    kills: Kills = dict.fromkeys(names, math.inf)
    for count, shader in enumerate(islice(shaders_of(seed), cap), start=1):
        verdict = analyse(shader).verdict
        killed = deciding(shader, verdict, only=alive)
        killed += [name for name, rules in doubles.items() if analyse(shader, rules).verdict is not verdict]
        for name in killed:
            kills[name] = count
            alive.discard(name)
            doubles.pop(name, None)
        if not alive:
            break
    return kills


class Row(NamedTuple):
    """A mutant over all seeds."""

    name: str
    median: float
    worst: float


def rows_of(runs: Sequence[Kills]) -> list[Row]:
    """The hardest first."""
    rows = [Row(name, median(run[name] for run in runs), max(run[name] for run in runs)) for name in runs[0]]
    return sorted(rows, key=lambda row: (row.median, row.worst), reverse=True)


def print_kills(console: Console, seeds: Sequence[int], cap: int, workers: int) -> None:
    """All mutants, and those that survived a run."""
    rows = rows_of(over_seeds(partial(kills_of, cap=cap), seeds, workers))
    table = Table("mutant", "median", "worst", title=f"shaders until the verdict differs, {len(seeds)} seeds")
    for row in rows:
        table.add_row(row.name, _count(row.median, cap), _count(row.worst, cap))
    console.print(table)
    survivors = [row.name for row in rows if row.worst > cap]
    console.print(f"survive {cap} shaders of some seed: {', '.join(survivors) or 'none'}", soft_wrap=True)


def _count(count: float, cap: int) -> str:
    return f"> {cap}" if math.isinf(count) else f"{count:g}"


# ------------------------------------------------------------------------------------------------------ decisive


def decided_by(seed: int, count: int) -> Counter[str]:
    """How many of the first shaders of a run each branch decides."""
    decided: Counter[str] = Counter()
    for shader in islice(shaders_of(seed), count):
        decided.update(deciding(shader))
    return decided


def print_decisive(console: Console, seeds: Sequence[int], count: int, workers: int) -> None:
    """The rarest branches first."""
    runs = over_seeds(partial(decided_by, count=count), seeds, workers)
    table = Table("branch", *[f"seed {seed}" for seed in seeds], title=f"of {count} shaders, how many it decides")
    for m in sorted(KILLABLE, key=lambda m: min(run[m.name] for run in runs)):
        table.add_row(m.name, *[str(run[m.name]) for run in runs])
    console.print(table)
    never = [m.name for m in KILLABLE if any(not run[m.name] for run in runs)]
    console.print(f"decide nothing for some seed: {', '.join(never) or 'none'}", soft_wrap=True)


# -------------------------------------------------------------------------------------------------------- shares


class Shares(NamedTuple):
    """What the shaders of a run are like."""

    shaders: int
    duplicates: int
    """Those whose shape was drawn before."""
    trivial: int
    """Those whose only barrier, if any, is the last statement of `main`: uniform whatever else they have."""
    uniform: int
    statements: float
    """The median."""


_LITERAL = re.compile(r"i32\(-2147483648\)|-?\b[0-9]+([ui])\b")
_NAME = re.compile(r"\b[A-Za-z_]\w*")


def shape(shader: Shader) -> str:
    """The text of a shader without its names and the values of its literals."""
    numbers: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        word = found[0]
        return word if word in KEYWORDS | PREDECLARED else numbers.setdefault(word, f"n{len(numbers)}")

    typed = _LITERAL.sub(lambda found: f"0{found[1] or 'i'}", print_shader(shader))
    return _NAME.sub(numbered, re.sub(r"\b(true|false)\b", "0b", typed))


def shares_of(shaders: Iterator[Shader], count: int) -> Shares:
    """Looks at the first `count` shaders."""
    shapes: set[str] = set()
    trivial = uniform = 0
    sizes: list[int] = []
    for shader in islice(shaders, count):
        shapes.add(shape(shader))
        trivial += _is_trivial(shader)
        uniform += analyse(shader).verdict is Verdict.ACCEPTS
        sizes.append(count_statements(shader))
    return Shares(count, count - len(shapes), trivial, uniform, median(sizes))


def _is_trivial(shader: Shader) -> bool:
    count = sum(isinstance(s, Barrier) for f in shader.all_functions for s in walk(f.body))
    return count <= (bool(shader.main.body) and isinstance(shader.main.body[-1], Barrier))


def print_shares(console: Console, count: int) -> None:
    """In percent."""
    shares = shares_of(shaders_of(1), count)
    console.print(f"of {count} shaders:")
    console.print(f"  {shares.duplicates / count:.2%} repeat the shape of another")
    console.print(f"  {shares.trivial / count:.2%} have no barrier but the last statement of main")
    console.print(f"  {shares.uniform / count:.2%} are uniform")
    console.print(f"  {shares.statements:g} statements, median")


if __name__ == "__main__":
    main()
