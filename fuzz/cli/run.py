"""The command `run`: a shader in the semantics, explored as far as the bounds allow, then sampled."""

from dataclasses import dataclass, replace

import click

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase, line_of_id
from wgsl_fuzz.fuzz.cli.options import CONVERGENCE, notion_of
from wgsl_fuzz.fuzz.cli.standard_input import name_of, read_wgsl
from wgsl_fuzz.fuzz.judging.answers import NOT_RUN, examine
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.divergence import divergence_lines, endless_line, race_lines, witness_lines
from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.dynamics.convergence import Notion
from wgsl_fuzz.oracle.dynamics.endless import Endless
from wgsl_fuzz.oracle.dynamics.execution import STEPS, Execution, sample
from wgsl_fuzz.oracle.dynamics.exploration import BOUNDS, Bounds, Exploration, Race, explore
from wgsl_fuzz.oracle.dynamics.modules.execution import Effort, execute, simplest
from wgsl_fuzz.oracle.dynamics.parting import part
from wgsl_fuzz.oracle.dynamics.shrinking import shrunk
from wgsl_fuzz.oracle.dynamics.stores import simple_values
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl.ast import Shader

PARTS = 20
"""Exploring may take so many times the steps of one run ..."""
MANY = 16
"""... with up to so many threads; with more, a step costs more, and there are fewer."""

PARTING_STEPS = 200_000
"""Of the search for inputs that part threads: who asks for one shader waits a few seconds."""

SUBGROUP_SIZES = tuple(str(1 << i) for i in range(8))
"""Powers of two up to the largest of WGSL; smaller ones than its 4 make shorter runs."""


@click.command()
@click.argument("file")
@click.option("--threads", type=click.IntRange(1, 256), help="N instead of the workgroup size.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the stores and schedules sampled."
)
@click.option("--runs", type=click.IntRange(min=1), default=64, show_default=True, help="Stores and schedules sampled.")
@click.option(
    "--steps", type=click.IntRange(min=1), default=STEPS, show_default=True, help="At most, in one sampled run."
)
@click.option(
    "--explore/--no-explore", "exploring", default=True, help="Try every run first, within bounds.  [default]"
)
@click.option(
    "--subgroup-size",
    type=click.Choice(SUBGROUP_SIZES),
    help="Threads of a subgroup, where there are any.  [all of the workgroup, then 2]",
)
@CONVERGENCE
@click.option("--device", "on_device", is_flag=True, help="Of TinyWGSL: on a device, too; its memory is compared.")
@click.pass_context
def run(
    context: click.Context,
    file: str,
    threads: int | None,
    seed: int,
    runs: int,
    steps: int,
    exploring: bool,
    subgroup_size: str | None,
    convergence: str | None,
    on_device: bool,
) -> None:
    """Execute a shader in the semantics, and show how it diverges.

    CONVERGES means that every schedule was tried, with every initial value of shared memory among 0, 1, the maximum and
    the shader's literals give or take one. Where that leaves something open, inputs are looked for that part threads at
    a condition, and runs are sampled. A witness is made simple before it is shown: each value is needed.

    Of a module beyond TinyWGSL each entry point is run: pointers, aggregates and subgroups become TinyWGSL. What
    cannot be run is named.

    With --device a shader of TinyWGSL of which all runs leave the same memory is run by a graphics adapter as well.

    FILE `-` is standard input. Exit status: 0 no divergence was seen, 1 it diverges, or a device leaves other memory, 2
    FILE is no WGSL.
    """
    one, file = examine(read_wgsl(file)), name_of(file)
    if one.case is None:
        raise one.wrong(file, "it cannot be run")
    core = one.case.core
    if core is None:
        if on_device:
            raise Problem(f"{file} is not run on a device: it is not TinyWGSL")
        effort = Effort(threads or 0, runs, steps, exploring, PARTING_STEPS, Bounds(steps=steps))
        module = replace(one.case, seed=seed, notion=notion_of(convergence))
        context.exit(_run_module(file, module, int(subgroup_size or 0), effort))
    amount = _Amount(threads or core.workgroup_size, seed, runs, steps, exploring, notion_of(convergence))
    status = _run_shader(file, one.case, core, amount)
    if on_device and status == 0:
        from wgsl_fuzz.fuzz.cli.run_device import run_on_device

        status = run_on_device(file, core, seed)
    context.exit(status)


@dataclass(frozen=True, slots=True)
class _Amount:
    """How much of a shader is run."""

    threads: int
    seed: int
    runs: int
    steps: int
    exploring: bool
    notion: Notion
    """What counts as convergence."""


def _run_shader(file: str, case: ModuleCase, shader: Shader, amount: _Amount) -> int:
    """Explores and samples; the exit status."""
    n = amount.threads
    found: Exploration | Execution
    gaps: tuple[str, ...] = ()
    races: tuple[Race, ...] = ()
    endless: Endless | None = None
    if amount.exploring:
        found = _explored(shader, amount)
        gaps, races, endless = found.gaps, found.races, found.endless
    if not amount.exploring or gaps:
        runs, steps, notion = amount.runs, amount.steps, amount.notion
        found = part(shader, threads=n, seed=amount.seed, steps=PARTING_STEPS, notion=notion)
        if found.witness is None:
            found = sample(shader, runs=runs, seed=amount.seed, threads=(n,), steps=steps, notion=notion)
    echo(f"{file}: {found.outcome.value} ({_bounds(found, n)})")
    for gap in gaps:
        echo(f"  exploring is no proof: {gap}; {amount.runs} runs were sampled")
    for line in race_lines(races):
        echo(f"  {line}")
    if found.witness is None and endless is not None:
        echo(f"  {endless_line(endless, line_of_id(shader, case.positions))}")
    if found.witness is None:
        return 0
    witness = shrunk(shader, found.witness, simple_values(shader))
    for line in divergence_lines(shader, witness, case.positions, case.text):
        echo(f"  {line}")
    return 1


def _run_module(file: str, module: ModuleCase, subgroup_size: int, effort: Effort) -> int:
    """Runs each entry point, explored first and then sampled; the exit status."""
    worst, entries, notion = 0, list(module.entry_points()), module.notion
    if not entries:
        raise Problem(f"{file} has no entry point to run")
    for function, stage, _ in entries:
        done = execute(
            module.resolution,
            entry=function,
            seed=module.seed,
            thorough=True,
            subgroup_size=subgroup_size,
            notion=notion,
            effort=effort,
        )
        if done.cannot is not None:
            echo(f"{file}: {stage} {function.name}: {NOT_RUN} (it cannot run {done.cannot})")
            continue
        n = f"{count(done.threads, 'thread')}, " if done.threads else ""
        echo(f"{file}: {stage} {function.name}: {done.outcome.value} ({n}{done.steps} steps)")
        for line in witness_lines(module, simplest(done, module.resolution) or done):
            echo(f"  {line}")
        worst |= done.outcome is Outcome.DIVERGES
    return worst


def _explored(shader: Shader, amount: _Amount) -> Exploration:
    """Every run followed, so that all races are met, unless exploring is too much where equal threads are not."""
    n, notion = amount.threads, amount.notion
    most = PARTS * amount.steps * MANY // max(n, MANY)
    bounds = replace(BOUNDS, steps=most, turn=amount.steps)
    fewer = explore(shader, threads=n, bounds=bounds, notion=notion)
    if fewer.gaps:  # following equal threads too leaves no less open
        return fewer
    full = explore(shader, threads=n, bounds=replace(bounds, lockstep=False), notion=notion)
    return replace(fewer, races=full.races, endless=full.endless or fewer.endless) if full.gaps else full


def _bounds(found: Exploration | Execution, n: int) -> str:
    if isinstance(found, Execution) or found.outcome is not Outcome.CONVERGES:
        return f"{count(n, 'thread')}, {found.steps} steps"
    stores = f"{found.values} initial values of a shared cell" if found.values else "no shared memory"
    return f"{count(n, 'thread')}, every schedule, {stores}; {found.steps} steps"
