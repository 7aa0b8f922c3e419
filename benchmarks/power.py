"""The power of the generator: how many shaders it takes until each broken rule shows.

    python benchmarks/power.py [--modules 5000] [--modules 20000] [--language mixed] [--seed 0] [--seed 1]
    python benchmarks/power.py --rules paper [--modules 60000]  # the paper's rules, on TinyWGSL
    python benchmarks/power.py --in-context [--modules 1000]  # variants that act in one context only
    python benchmarks/power.py --state kills.json               # a run that may be stopped, and is then continued

The shaders are those of a campaign with that seed and language. `mixed` has TinyWGSL among them.
Kills: after each of the counts, how many variants have answered otherwise than the rules; those that never did, by
name; of several seeds, the variants that take longest. Equivalent variants are left out, and so are those that change
messages alone (`SILENT` of the arms' coverage). Of the paper's rules the doubles are among them.
In context: variants that act in one context only (`oracle/rules/uniformity/contexts.py`), of which half are hidden:
that half is one number, and is never listed.
It is one pass: a variant is asked until the round of shaders in which it dies. No result depends on the workers.
"""

import json
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

from tests.quality.contexts import alive, digest, is_hidden
from tests.quality.paper_mutants import DOUBLE, KILLABLE, deciding
from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import LANGUAGES, MIXED, TINY, Plan
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.uniformity.contexts import deciding_in_contexts
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms, deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.places import name_of
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import GENERATOR_VERSION
from wgsl_fuzz.tinywgsl.ast import Barrier, Shader, count_statements, walk
from wgsl_fuzz.wgsl.builtins import PREDECLARED
from wgsl_fuzz.wgsl.lexer import KEYWORDS
from wgsl_fuzz.wgsl.lower.raising import print_shader

T = TypeVar("T")
IN_CONTEXT = "in context"
NAMES: dict[str, Callable[[], tuple[str, ...]]] = {
    "wgsl": lambda: tuple(v.name for v in arms()),
    "paper": lambda: tuple(m.name for m in (*KILLABLE, *DOUBLE)),
    IN_CONTEXT: lambda: tuple(sorted(alive())),
}
"""The broken variants of each rule set; those in contexts by the digests of their names."""
Kills = dict[str, float]
"""By the variant's name: how many shaders of the run it took; infinite if it survived."""
ROUND, ROUND_IN_CONTEXT = 200, 1000
"""How many shaders a worker asks about before all workers learn which variants are dead."""


@click.command()
@click.option("--rules", type=click.Choice(["wgsl", "paper"]), default="wgsl", show_default=True)
@click.option("--in-context", is_flag=True, help="Ask variants that act in one context only.")
@click.option("--modules", "counts", type=click.IntRange(min=1), multiple=True, default=(5_000, 20_000, 60_000))
@click.option("--language", type=click.Choice(LANGUAGES), help="[default: mixed; of the paper's rules tiny]")
@click.option("--rarest", type=click.IntRange(min=1), default=40, show_default=True, help="How many to list.")
@click.option("--only", default="", help="These variants, between commas: the survivors of an earlier run.")
@click.option("--seed", "seeds", type=int, multiple=True, default=(0,), show_default=True, help="Of the campaign.")
@click.option("--state", type=click.Path(path_type=Path), help="What was killed so far: written, and continued from.")
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True)
def main(
    rules: str,
    in_context: bool,
    counts: Sequence[int],
    language: str | None,
    rarest: int,
    only: str,
    seeds: Sequence[int],
    state: Path | None,
    workers: int,
) -> None:
    """Print the tables."""
    console = Console()
    console.print(f"generator {GENERATOR_VERSION}")
    if state is not None and len(seeds) > 1:
        raise click.UsageError("--state is of one seed")
    rules = IN_CONTEXT if in_context else rules
    names = tuple(name.strip() for name in only.split(",")) if only else NAMES[rules]()
    runs = []
    for seed in seeds:
        plan = Plan(seed, language=TINY if rules == "paper" else language or MIXED)
        runs.append(print_kills(console, rules, plan, names, sorted({*counts}), state, workers))
    if len(runs) > 1 and not in_context:
        table = Table("variant", "median", "worst", title=f"shaders until the verdict differs, {len(runs)} seeds")
        for name, middle, worst in rows_of(runs)[:rarest]:
            table.add_row(name, f"{middle:g}", f"{worst:g}")
        console.print(table)


# --------------------------------------------------------------------------------------------------------------- kills


class Progress(NamedTuple):
    """How many shaders were seen, and what they killed."""

    seen: int
    kills: Kills

    @property
    def living(self) -> list[str]:
        """The variants that none of them killed."""
        return [name for name, kill in self.kills.items() if math.isinf(kill)]


def print_kills(
    console: Console,
    rules: str,
    plan: Plan,
    names: Sequence[str],
    counts: Sequence[int],
    state: Path | None,
    workers: int,
) -> Kills:
    """How many variants are dead after each count, and the survivors."""
    so_far = Progress(0, dict.fromkeys(names, math.inf))
    if state is not None and state.exists():
        so_far = read_state(state)
    console.print(f"language {plan.language}, seed {plan.seed}")
    for count in counts:
        while so_far.seen < count and so_far.living:
            so_far = after_round(rules, plan, so_far, count, workers)
            if state is not None:
                write_state(state, so_far)
        dead = sum(kill <= count for kill in so_far.kills.values())
        console.print(f"within {count}: {dead} of {len(so_far.kills)} variants killed")
        if rules == IN_CONTEXT:
            print_halves(console, so_far.kills, count)
    if rules != IN_CONTEXT:
        console.print(f"survivors: {', '.join(so_far.living) or 'none'}", soft_wrap=True)
    return so_far.kills


def print_halves(console: Console, kills: Kills, count: int) -> None:
    """How many of the open and of the hidden half are dead."""
    for half, hidden in (("open", False), ("hidden", True)):
        own = [kill for name, kill in kills.items() if is_hidden(name) is hidden]
        console.print(f"  {half}: {sum(kill <= count for kill in own)} of {len(own)}")


def write_state(path: Path, progress: Progress) -> None:
    """Writes what a later run continues from."""
    dead = {name: kill for name, kill in progress.kills.items() if math.isfinite(kill)}
    path.write_text(json.dumps({"seen": progress.seen, "living": progress.living, "kills": dead}), "utf-8")


def read_state(path: Path) -> Progress:
    """What an earlier run wrote."""
    found = json.loads(path.read_text("utf-8"))
    return Progress(found["seen"], found["kills"] | dict.fromkeys(found["living"], math.inf))


def cases_of(plan: Plan, places: range) -> Iterator[Case]:
    """The shaders at these places of a campaign."""
    drawer = CampaignGenerator(plan)
    return map(drawer.case, places)


def deciding_of(rules: str, case: Case, only: Collection[str] | None = None) -> list[str]:
    """The broken variants that give another verdict than the rules; only of those named, if `only` is given."""
    if rules == IN_CONTEXT:
        wanted = alive() if only is None else only
        found = deciding_in_contexts(case.text, lambda *name: digest(name_of(*name)) in wanted)
        return [digest(name_of(*name)) for name in found]
    if rules == "wgsl":
        return list(deciding_arms(case.resolution, only=only))
    shader = case.core
    assert shader is not None, "drawn in TinyWGSL"
    verdict = analyse(shader).verdict
    doubles = [m for m in DOUBLE if only is None or m.name in only]
    of_two = [m.name for m in doubles if analyse(shader, m.rules).verdict is not verdict]
    return [*deciding(shader, verdict, only=only), *of_two]


def after_round(rules: str, plan: Plan, so_far: Progress, count: int, workers: int) -> Progress:
    """The progress after one more round, of `count` shaders at most."""
    end = min(count, so_far.seen + workers * (ROUND_IN_CONTEXT if rules == IN_CONTEXT else ROUND))
    parts = [range(so_far.seen + part, end, workers) for part in range(workers)]
    found = over_parts(partial(kills_in, rules, plan, frozenset(so_far.living)), parts)
    kills = {name: min(kill, *(part.get(name, math.inf) for part in found)) for name, kill in so_far.kills.items()}
    return Progress(end, kills)


def over_parts(work: Callable[[range], T], parts: Sequence[range]) -> list[T]:
    """The work on each part, in as many processes."""
    if len(parts) == 1:
        return [work(parts[0])]
    with Pool(len(parts)) as pool:
        return pool.map(work, parts, chunksize=1)


def counted_over(work: Callable[[range], Counter[T]], count: int, workers: int) -> Counter[T]:
    """The sum of what the workers count, who share so many shaders."""
    return sum(over_parts(work, [range(part, count, workers) for part in range(workers)]), Counter[T]())


def kills_in(rules: str, plan: Plan, names: Collection[str], places: range) -> Kills:
    """At which count of the campaign's shaders each variant first showed in these places."""
    alive, kills = set(names), Kills()
    for place, case in zip(places, cases_of(plan, places), strict=True):
        if not alive:
            break
        for name in deciding_of(rules, case, alive):
            kills[name] = place + 1
            alive.discard(name)
    return kills


def rows_of(runs: Sequence[Kills]) -> list[tuple[str, float, float]]:
    """Each variant over all seeds: its median and its worst, the hardest first."""
    rows = [(name, median(run[name] for run in runs), max(run[name] for run in runs)) for name in runs[0]]
    return sorted(rows, key=lambda row: row[1:], reverse=True)


def decided_in(rules: str, plan: Plan, places: range) -> Counter[str]:
    """How many shaders at these places each variant decides."""
    return Counter(name for case in cases_of(plan, places) for name in deciding_of(rules, case))


# -------------------------------------------------------------------------------------------------------------- shares


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


def shaders_of(plan: Plan) -> Iterator[Shader]:
    """The cores of the shaders of a campaign that have one, one after the other."""
    cases = cases_of(plan, range(sys.maxsize))
    return (case.core for case in cases if case.core is not None)


if __name__ == "__main__":
    main()
