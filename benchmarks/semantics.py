"""What the semantics costs beside the reference, and how soon it shows that an analysis is unsound.

    python benchmarks/semantics.py [--programs 2000] [--seeds 20] [--most 2000]

A sampled execution is one run: two threads, one store, one schedule. "Unsound" is a shader that the rules without the
change of Fig. 10a accept, that the paper rejects, and that the semantics shows to diverge.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.quality.paper_mutants import REVERSIONS
from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.oracle.dynamics.exploration import explore
from wgsl_fuzz.oracle.dynamics.runs import execute, sample
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.tinywgsl.ast import Shader

STEPS = 600
"""Those that go on never end, most often."""


@click.command()
@click.option("--programs", type=int, default=2000, show_default=True, help="For the speed.")
@click.option("--seeds", type=int, default=20, show_default=True, help="Campaigns against the rules without 10a.")
@click.option("--most", type=int, default=2000, show_default=True, help="Programs in each of them.")
def main(programs: int, seeds: int, most: int) -> None:
    """Print the speed of one execution against the analysis, and when each campaign finds its first unsound shader."""
    _speed([draw_shader(shader_seed(1, index)) for index in range(programs)])
    for name, diverges in (("sampled", _sampled), ("explored", _explored)):
        firsts = sorted(_first_unsound(seed, most, diverges) for seed in range(seeds))
        late = sum(1 for first in firsts if first > most)
        median = statistics.median(firsts)
        click.echo(f"without 10a, {name}: first unsound shader after {firsts} programs, median {median:.0f}")
        click.echo(f"  (campaigns that found none among {most}: {late}; they count as {most + 1})")


def _speed(shaders: list[Shader]) -> None:
    analyses, executions = [], []
    for shader in shaders:
        analyses.append(_seconds(analyse, shader))
        executions.append(_seconds(_run, shader))
    ratio = statistics.median(executions) / statistics.median(analyses)
    each = statistics.median(e / a for e, a in zip(executions, analyses))
    for name, times in (("analysis", analyses), ("execution", executions)):
        click.echo(
            f"{name:10} {1e6 * statistics.median(times):7.0f} µs median, {1e6 * statistics.mean(times):.0f} mean"
        )
    click.echo(
        f"one execution costs {ratio:.2f} of the analysis (ratio of the medians), {each:.2f} (median of the ratios)"
    )


def _seconds(work: Callable[[Shader], object], shader: Shader) -> float:
    begun = time.perf_counter()
    work(shader)
    return time.perf_counter() - begun


def _run(shader: Shader) -> object:
    return execute(shader, threads=2, steps=STEPS)


def _sampled(shader: Shader) -> bool:
    return sample(shader, runs=48, threads=(shader.workgroup_size,), steps=STEPS).outcome is Outcome.DIVERGES


def _explored(shader: Shader) -> bool:
    return explore(shader).outcome is Outcome.DIVERGES


def _first_unsound(seed: int, most: int, diverges: Callable[[Shader], bool]) -> int:
    """How many programs a campaign draws up to its first unsound one; most + 1 if there is none."""
    for index in range(most):
        shader = draw_shader(shader_seed(seed, index))
        lenient = analyse(shader, REVERSIONS["10a"]).verdict
        if lenient is Verdict.ACCEPTS and analyse(shader).verdict is Verdict.REJECTS and diverges(shader):
            return index + 1
    return most + 1


if __name__ == "__main__":
    main()
