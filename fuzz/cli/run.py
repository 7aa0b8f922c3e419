"""The command `run`: a shader in the semantics, explored as far as the bounds allow, then sampled."""

from collections.abc import Iterator
from dataclasses import replace

import click

from wgsl_fuzz.fuzz.cases.case import NOT_RUN, Case, read_judged
from wgsl_fuzz.fuzz.cli.options import CONVERGENCE, SEED, name_of, notion_of, read_wgsl
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.divergence import endless_line, race_lines, witness_lines
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.dynamics.modules.execution import FOR_ONE_SHADER, Effort, Execution, execute, simplest
from wgsl_fuzz.oracle.dynamics.modules.lowering import MOST_THREADS
from wgsl_fuzz.oracle.verdict import Outcome

SUBGROUP_SIZES = tuple(str(1 << i) for i in range(8))
"""Powers of two up to the largest of WGSL; smaller ones than its 4 make shorter runs."""


@click.command()
@click.argument("file")
@click.option("--threads", type=click.IntRange(1, MOST_THREADS), help="N instead of the workgroup size.")
@SEED
@click.option(
    "--subgroup-size",
    type=click.Choice(SUBGROUP_SIZES),
    help="Threads of a subgroup, where there are any.  [all of the workgroup, then 2]",
)
@CONVERGENCE
@click.pass_context
def run(context: click.Context, file: str, threads: int | None, seed: int, subgroup_size: str | None) -> None:
    """Execute a shader in the semantics, and show how it diverges.

    CONVERGES means that every schedule was tried, with every initial value of shared memory among 0, 1, the maximum and
    the shader's literals give or take one. Where that leaves something open, inputs are looked for that part threads at
    a condition, and runs are sampled. A witness is made simple before it is shown: each value is needed.

    Of a module beyond TinyWGSL each entry point is run: pointers, aggregates and subgroups become TinyWGSL. What
    cannot be run is named.

    FILE `-` is standard input. Exit status: 0 no divergence was seen, 1 it diverges, 2 FILE is no WGSL.
    """
    case, file = read_judged(read_wgsl(file), name_of(file)), name_of(file)
    effort = replace(FOR_ONE_SHADER, threads=threads or 0)
    case = replace(case, seed=seed, notion=notion_of(context))
    context.exit(_run(file, case, int(subgroup_size or 0), effort))


def _run(file: str, case: Case, subgroup_size: int, effort: Effort) -> int:
    """Runs each entry point, explored first and then sampled; the exit status."""
    worst, entries = 0, list(case.entry_points())
    if not entries:
        raise Problem(f"{file} has no entry point to run")
    for function, stage, _ in entries:
        done = execute(
            case.resolution,
            entry=function,
            seed=case.seed,
            thorough=True,
            subgroup_size=subgroup_size,
            notion=case.notion,
            effort=effort,
        )
        of = file if len(entries) == 1 and case.core is not None else f"{file}: {stage} {function.name}"
        if done.cannot is not None:
            echo(f"{of}: {NOT_RUN} (it cannot run {done.cannot})")
            continue
        echo(f"{of}: {done.outcome.value} ({_bounds(done)})")
        for line in (*_beside(done, effort, case.text), *witness_lines(case, simplest(done, case.resolution) or done)):
            echo(f"  {line}")
        worst |= done.outcome is Outcome.DIVERGES
    return worst


def _beside(done: Execution, effort: Effort, text: str) -> Iterator[str]:
    """What exploring found besides the outcome: what it left open, races, runs that never end."""
    found = done.exploration
    if found is None:
        return
    for gap in found.gaps:
        yield f"exploring is no proof: {gap}; {effort.runs} runs were sampled"
    yield from race_lines(found.races)
    if done.witness is None and found.endless is not None:
        yield endless_line(found.endless, done.lines(text), done.meeting)


def _bounds(done: Execution) -> str:
    n = f"{count(done.threads, 'thread')}, " if done.threads else ""
    if not done.is_explored or done.exploration is None or done.outcome is not Outcome.CONVERGES:
        return f"{n}{done.steps} steps"
    values = done.exploration.values
    stores = f"{values} initial values of a shared cell" if values else "no shared memory"
    return f"{n}every schedule, {stores}; {done.steps} steps"
