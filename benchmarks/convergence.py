"""What the choice of a notion of convergence is worth: what each calls divergent, and what tells them apart.

    python benchmarks/convergence.py [--programs 100000] [--small 4]

Shaders are explored with their own number of threads, within the bounds of `run`; "unknown" is what the bounds leave
open. `--small` goes through every shader of the enumeration's families up to so many statements instead.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.oracle.dynamics.convergence import NOTIONS
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.choices.profile import Profile
from wgsl_fuzz.strategies.enumerate.families import FAMILIES
from wgsl_fuzz.tinywgsl.ast import Shader, count_statements
from wgsl_fuzz.tinywgsl.printer import print_shader

BOUNDS = Bounds(steps=20_000)


@click.command()
@click.option("--programs", type=int, default=100_000, show_default=True)
@click.option("--statements", type=(int, int), default=(3, 12), show_default=True, help="In all functions together.")
@click.option("--seed", type=int, default=2, show_default=True)
@click.option("--small", type=int, default=0, help="Instead: every shader of up to so many statements.")
@click.option("--family", default="single-loop", show_default=True, help="Of `--small`.")
def main(programs: int, statements: tuple[int, int], seed: int, small: int, family: str) -> None:
    """Print a table of verdicts and notions, and the smallest shaders that tell notions apart."""
    outcomes: Counter[tuple[Verdict, tuple[Outcome, ...]]] = Counter()
    smallest: dict[tuple[str, str], Shader] = {}
    for shader in _enumerated(family, small) if small else _drawn(programs, statements, seed):
        found = _outcomes(shader)
        outcomes[analyse(shader).verdict, found] += 1
        _keep(smallest, shader, found)
    _tables(outcomes)
    for (strict, lenient), shader in smallest.items():
        click.echo(f"\ndiverges under {strict}, converges under {lenient}:\n{print_shader(shader)}")


def _outcomes(shader: Shader) -> tuple[Outcome, ...]:
    """Under each notion. If no run diverges under one, the more lenient ones have the same runs, and none diverges."""
    found: list[Outcome] = []
    for notion in NOTIONS.values():
        settled = found[-1:] == [Outcome.CONVERGES]
        found.append(Outcome.CONVERGES if settled else explore(shader, notion=notion, bounds=BOUNDS).outcome)
    return tuple(found)


def _drawn(programs: int, statements: tuple[int, int], seed: int) -> Iterator[Shader]:
    profile = Profile(statements=statements)
    return (draw_shader(shader_seed(seed, index), profile) for index in range(programs))


def _enumerated(family: str, most: int) -> Iterator[Shader]:
    return (shader for size in range(1, most + 1) for shader in FAMILIES[family].of_size(size))


def _keep(smallest: dict[tuple[str, str], Shader], shader: Shader, found: tuple[Outcome, ...]) -> None:
    """Keeps the shader if it is the smallest yet that tells a notion from the next more lenient one."""
    for (strict, one), (lenient, other) in pairwise(zip(NOTIONS, found, strict=True)):
        if (one, other) == (Outcome.DIVERGES, Outcome.CONVERGES):
            best = smallest.get((strict, lenient))
            if best is None or count_statements(shader) < count_statements(best):
                smallest[strict, lenient] = shader


def _tables(outcomes: Counter[tuple[Verdict, tuple[Outcome, ...]]]) -> None:
    for verdict in (Verdict.ACCEPTS, Verdict.REJECTS):
        total = sum(n for (of, _), n in outcomes.items() if of is verdict)
        click.echo(f"{total:,} shaders that the reference {verdict.value}")
        for i, name in enumerate(NOTIONS):
            of_notion: Counter[Outcome] = Counter()
            for (of, found), n in outcomes.items():
                of_notion[found[i]] += n if of is verdict else 0
            cells = [f"{o.value} {of_notion[o]:,} ({100 * of_notion[o] / max(total, 1):.2f} %)" for o in _SHOWN]
            click.echo(f"  {name:15} " + "; ".join(cells))


_SHOWN = (Outcome.DIVERGES, Outcome.CONVERGES, Outcome.NOT_SEEN)


if __name__ == "__main__":
    main()
