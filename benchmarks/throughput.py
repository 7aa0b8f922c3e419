"""Programs per second of each stage and of the whole, in one run on the same shaders and texts.

    python benchmarks/throughput.py [--programs 7484] [--target tint] [--jobs 2] [--profile default]

7,484 is the number of shaders that the paper's campaign judged in 24 hours on 8 threads. Two numbers say what the
target alone manages on the same texts: with one process of it, and with as many as there are jobs.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.campaign.pool import InProcessPool, ProcessPool
from wgsl_fuzz.fuzz.campaign.steering import Steering
from wgsl_fuzz.fuzz.campaign.worker import BATCH, rare_collections
from wgsl_fuzz.fuzz.cases.case import RUNS, STEPS
from wgsl_fuzz.fuzz.cases.drawer import Drawer
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.oracle.dynamics.execution import sample
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader, count_statements
from wgsl_fuzz.tinywgsl.shapes import shape

_T = TypeVar("_T")
_R = TypeVar("_R")

PAPER = 7484 / (24 * 3600)
"""Shaders per second of the paper's campaign, on eight threads."""


@click.command()
@click.option("--programs", type=int, default=7484, show_default=True)
@click.option("--target", "name", default="tint", show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--profile", default="default", show_default=True)
@click.option("--jobs", type=int, default=os.cpu_count() or 1, show_default="cores")
@click.option("--repeat", type=int, default=1, show_default=True, help="Of the target alone and the whole, in turn.")
def main(programs: int, name: str, seed: int, profile: str, jobs: int, repeat: int) -> None:
    """Print programs per second of each stage, of the target alone and of the whole."""
    targets = [open_target(name, notify=lambda line: click.echo(line, err=True)) for _ in range(jobs)]
    plan = Plan(seed, profile)
    drawer = Drawer(plan)
    cases = _stage("generate", list(range(programs)), drawer.case)
    texts = _stage("write", cases, lambda case: case.text)
    shaders = [case.shader for case in cases]
    verdicts = _stage("analyse", shaders, lambda shader: analyse(shader).verdict)
    accepted = [s for s, v in zip(shaders, verdicts) if v is Verdict.ACCEPTS]
    _stage("execute", accepted, _execute)
    sizes = sorted(count_statements(shader) for shader in shaders)
    unique = len({shape(shader) for shader in shaders})
    spelled = sum(case.written is not None for case in cases)
    click.echo(f"statements, median: {sizes[len(sizes) // 2]}; accepted: {len(accepted)}; spelled: {spelled}")
    click.echo(f"unique up to names and literals: {unique}")
    for _ in range(repeat):
        alone = _target_alone(targets[:1], texts)
        all_alone = _target_alone(targets, texts)
        for count in sorted({1, jobs}):
            whole = _whole(plan, targets[0], count, programs)
            _report(f"whole, {count} jobs", programs, whole)
            click.echo(
                f"  {alone / whole:.2f} of one {targets[0].name} alone, {all_alone / whole:.2f} of {jobs} at once; "
                f"{programs / whole / PAPER:,.0f} times the paper's {PAPER:.3f}/s"
            )
    for target in targets:
        target.close()


def _whole(plan: Plan, target: Target, jobs: int, programs: int) -> float:
    """Seconds of a campaign with every oracle on; several processes are started and warm before."""
    workers = InProcessPool(plan, [target]) if jobs == 1 else ProcessPool(plan, [target.name], jobs)
    workers.warm()
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(
            [target], RunDirectory(Path(folder) / "run"), plan=plan, workers=workers, steering=Steering(plan.seed)
        )
        begun = time.perf_counter()
        counters = campaign.run(Budget(programs=programs))
        seconds = time.perf_counter() - begun
    if counters.buckets:
        click.echo(f"findings: {dict(counters.buckets)}")
    return seconds


def _stage(name: str, items: list[_T], work: Callable[[_T], _R]) -> list[_R]:
    with rare_collections():  # as in a campaign; here everything is kept, and would be looked through again and again
        begun = time.perf_counter()
        results = [work(item) for item in items]
        _report(name, len(items), time.perf_counter() - begun)
    return results


def _report(name: str, count: int, seconds: float) -> None:
    click.echo(f"{name:13} {count / seconds:9.0f}/s   {1e6 * seconds / count:7.0f} µs each")


def _execute(shader: Shader) -> object:
    return sample(shader, runs=RUNS, threads=(shader.workgroup_size,), steps=STEPS)


def _target_alone(targets: list[Target], texts: list[str]) -> float:
    """Seconds for all texts, shared out among the targets, two batches of each in flight as in a campaign."""
    shares = [texts[i :: len(targets)] for i in range(len(targets))]
    for target in targets:  # started and warm
        target.submit(texts[:BATCH])
        target.collect()
    begun = time.perf_counter()
    with ThreadPoolExecutor(len(targets)) as pool:
        list(pool.map(_ask_all, targets, shares))
    seconds = time.perf_counter() - begun
    _report(f"{len(targets)} {targets[0].name}", len(texts), seconds)
    return seconds


def _ask_all(target: Target, texts: list[str]) -> None:
    batches = [texts[i : i + BATCH] for i in range(0, len(texts), BATCH)]
    for i, batch in enumerate(batches):
        target.submit(batch)
        if i:
            target.collect()
    target.collect()


if __name__ == "__main__":
    main()
