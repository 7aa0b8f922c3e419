"""Which rule set is closest to a target: disagreements of every combination of the changes, on the same shaders.

    python benchmarks/closest.py --target tint@0.3.8

All enumerated shaders up to --max-statements, then random ones.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.quality.paper_mutants import DEPARTURES, departing
from wgsl_fuzz.fuzz.campaign.worker import BATCH
from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.enumerate.families import shaders_of_size
from wgsl_fuzz.tinywgsl.ast import Shader, count_statements
from wgsl_fuzz.tinywgsl.printer import print_shader


def rule_sets() -> list[Rules]:
    """Every combination of the departures from the paper that compilers and drafts have."""
    return [departing(some) for n in range(len(DEPARTURES) + 1) for some in combinations(DEPARTURES, n)]


@click.command()
@click.option("--target", "name", default="tint@0.3.8", show_default=True)
@click.option("--max-statements", type=int, default=5, show_default=True)
@click.option("--programs", type=int, default=5000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def main(name: str, max_statements: int, programs: int, seed: int) -> None:
    """Print the rule sets by their disagreements with the target, and what the closest still gets wrong."""
    target = open_target(name, notify=lambda line: click.echo(line, err=True))
    sets = rule_sets()
    wrong: Counter[int] = Counter()
    examples: dict[int, Shader] = {}
    total = 0
    batch: list[Shader] = []
    for shader in [*_shaders(max_statements, programs, seed), None]:
        if shader is not None:
            batch.append(shader)
        if len(batch) == BATCH or shader is None:
            target.submit([print_shader(s) for s in batch])
            for s, answer in zip(batch, target.collect()):
                total += 1
                _count(s, answer.verdict, sets, wrong, examples)
            batch = []
    target.close()
    click.echo(f"{total} shaders, {target.name}: {target.origin}")
    for i in sorted(range(len(sets)), key=lambda i: (wrong[i], len(sets[i])))[:8]:
        click.echo(f"{wrong[i]:6} disagreements: paper but for {', '.join(sets[i].names) or 'nothing'}")
        if i in examples:
            click.echo(f"       the smallest:\n{print_shader(examples[i])}")


def _shaders(max_statements: int, programs: int, seed: int) -> Iterator[Shader]:
    for size in range(1, max_statements + 1):
        yield from shaders_of_size(size)
    for index in range(programs):
        yield draw_shader(shader_seed(seed, index))


def _count(s: Shader, verdict: Verdict, sets: list[Rules], wrong: Counter[int], examples: dict[int, Shader]) -> None:
    for i, rules in enumerate(sets):
        if analyse(s, rules).verdict is not verdict:
            wrong[i] += 1
            if i not in examples or count_statements(s) < count_statements(examples[i]):
                examples[i] = s


if __name__ == "__main__":
    main()
