"""How precise the reference is: what becomes of the shaders that it rejects, and what its soundness rests on here.

    python benchmarks/precision.py [--programs 20000] [--statements 3 12] [--small 3] [--convergence NAME]

"Proven" is bounded: N is the shader's own, every schedule, and initial values of shared cells among 0, 1, the maximum
and the shader's literals give or take one. `--small` does the same for every shader of so many statements, N = 2 and 3.
"""

import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.oracle.dynamics.convergence import CONTROL_STACKS, NOTIONS, Notion
from wgsl_fuzz.oracle.dynamics.exploration import BOUNDS, explore
from wgsl_fuzz.oracle.dynamics.runs import sample
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.choices.profile import Profile
from wgsl_fuzz.strategies.enumerate.families import SHARED_MEMORY

MEANING = {
    Outcome.DIVERGES: "shown to diverge",
    Outcome.CONVERGES: "proven to converge",
    Outcome.NOT_SEEN: "unknown",
}


@click.command()
@click.option("--programs", type=int, default=20_000, show_default=True)
@click.option("--statements", type=(int, int), default=(3, 12), show_default=True, help="In all functions together.")
@click.option("--seed", type=int, default=2, show_default=True)
@click.option("--accepted", is_flag=True, help="Explore the accepted shaders, too.")
@click.option("--small", type=int, default=0, help="Instead: every shader of up to so many statements.")
@click.option(
    "--convergence",
    type=click.Choice(list(NOTIONS)),
    default=CONTROL_STACKS.name,
    show_default=True,
    help="What counts as convergence.",
)
def main(programs: int, statements: tuple[int, int], seed: int, accepted: bool, small: int, convergence: str) -> None:
    """Print what exploring says of the shaders that the reference rejects."""
    notion = NOTIONS[convergence]
    begun = time.perf_counter()
    if small:
        _small(small, notion)
    else:
        _random(programs, statements, seed, accepted, notion)
    click.echo(f"{time.perf_counter() - begun:.1f} s")


def _random(programs: int, statements: tuple[int, int], seed: int, accepted: bool, notion: Notion) -> None:
    profile = Profile(statements=statements)
    verdicts: Counter[Verdict] = Counter()
    outcomes: Counter[tuple[Verdict, Outcome]] = Counter()
    gaps: Counter[str] = Counter()
    beyond = racy = 0
    for index in range(programs):
        shader = draw_shader(shader_seed(seed, index), profile)
        verdict = analyse(shader).verdict
        verdicts[verdict] += 1
        if verdict is Verdict.ACCEPTS and not accepted:
            continue
        found = explore(shader, notion=notion)
        outcomes[verdict, found.outcome] += 1
        gaps.update(found.gaps)
        racy += bool(found.races)
        if found.outcome is not Outcome.DIVERGES:
            n = shader.workgroup_size
            sampled = sample(shader, runs=16, seed=index, threads=(n,), steps=600, notion=notion)
            beyond += sampled.outcome is Outcome.DIVERGES
    low, high = statements
    click.echo(f"{programs} shaders of {low} to {high} statements: {verdicts[Verdict.REJECTS]} rejected")
    _table(outcomes)
    click.echo(f"with a data race: {racy}; why unknown: {dict(gaps)}")
    click.echo(f"not shown to diverge, yet seen to by sampling (values beyond the bound, or unknown): {beyond}")


def _small(most: int, notion: Notion) -> None:
    outcomes: Counter[tuple[Verdict, Outcome]] = Counter()
    shaders = 0
    for size in range(1, most + 1):
        for shader in SHARED_MEMORY.of_size(size):
            shaders += 1
            verdict = analyse(shader).verdict
            for n in (2, 3):
                found = explore(shader, threads=n, bounds=replace(BOUNDS, lockstep=False), notion=notion)
                outcomes[verdict, found.outcome] += 1
    click.echo(f"{shaders} shaders of up to {most} statements, each with 2 and 3 threads")
    _table(outcomes)


def _table(outcomes: Counter[tuple[Verdict, Outcome]]) -> None:
    for verdict in (Verdict.ACCEPTS, Verdict.REJECTS):
        total = sum(count for (of, _), count in outcomes.items() if of is verdict)
        for outcome, meaning in MEANING.items():
            count = outcomes[verdict, outcome]
            if total:
                click.echo(f"  {verdict.value}, {meaning:18} {count:7} {100 * count / total:6.2f} %")


if __name__ == "__main__":
    main()
