"""Programs per second of each stage and of the whole, in one run on the same shaders.

    python benchmarks/throughput.py [--programs 7484] [--target tint]

7,484 is the number of shaders that the paper's campaign judged in 24 hours on 8 threads.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.campaign import BATCH, Budget, Campaign, shader_seed
from fuzz.findings import RunDirectory
from fuzz.oracles import RUNS, STEPS
from oracle.analysis import analyse
from oracle.execution import sample
from oracle.targets import open_target
from oracle.targets.protocol import Target
from oracle.verdict import Verdict
from strategies import draw_shader
from tinywgsl.ast import Shader, count_statements
from tinywgsl.printer import print_shader

_T = TypeVar("_T")
_R = TypeVar("_R")

PAPER = 7484 / (24 * 3600)
"""Shaders per second of the paper's campaign, on eight threads."""


@click.command()
@click.option("--programs", type=int, default=7484, show_default=True)
@click.option("--target", "name", default="tint", show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def main(programs: int, name: str, seed: int) -> None:
    """Print programs per second of each stage, of the target alone and of the whole."""
    target = open_target(name, notify=lambda line: click.echo(line, err=True))
    seeds = [shader_seed(seed, index) for index in range(programs)]
    shaders = _stage("generate", seeds, draw_shader)
    texts = _stage("print", shaders, print_shader)
    analyses = _stage("analyse", shaders, analyse)
    accepted = [s for s, a in zip(shaders, analyses) if a.verdict is Verdict.ACCEPTS]
    _stage("execute", accepted, _execute)
    alone = _target_alone(target, texts)
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        counters = Campaign([target], RunDirectory(Path(folder) / "run"), seed=seed).run(Budget(programs=programs))
        whole = time.perf_counter() - begun
    target.close()
    sizes = sorted(count_statements(shader) for shader in shaders)
    click.echo(f"{'the whole':12} {programs / whole:9.0f}/s   {whole:.1f} s for {programs} shaders")
    click.echo(f"unique shaders: {len(set(texts))}; statements, median: {sizes[len(sizes) // 2]}")
    click.echo(f"the whole runs at {alone / whole:.2f} of {target.name} alone on the same shaders")
    click.echo(f"{programs / whole / PAPER:,.0f} times the paper's {PAPER:.3f}/s; findings: {dict(counters.buckets)}")


def _stage(name: str, items: list[_T], work: Callable[[_T], _R]) -> list[_R]:
    begun = time.perf_counter()
    results = [work(item) for item in items]
    _report(name, len(items), time.perf_counter() - begun)
    return results


def _report(name: str, count: int, seconds: float) -> None:
    click.echo(f"{name:12} {count / seconds:9.0f}/s   {1e6 * seconds / count:7.0f} µs each")


def _execute(shader: Shader) -> object:
    return sample(shader, runs=RUNS, threads=(shader.workgroup_size,), steps=STEPS)


def _target_alone(target: Target, texts: list[str]) -> float:
    """Seconds for all texts, two batches in flight as in a campaign."""
    batches = [texts[i : i + BATCH] for i in range(0, len(texts), BATCH)]
    target.submit(texts[:BATCH])  # started and warm
    target.collect()
    begun = time.perf_counter()
    for i, batch in enumerate(batches):
        target.submit(batch)
        if i:
            target.collect()
    target.collect()
    seconds = time.perf_counter() - begun
    _report(f"{target.name}", len(texts), seconds)
    return seconds


if __name__ == "__main__":
    main()
