"""The command `run`: a shader in the semantics, explored as far as the bounds allow, then sampled."""

from collections.abc import Iterator
from dataclasses import replace

import click

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cli.options import SEED, name_of, notion_of, read_wgsl
from wgsl_fuzz.fuzz.judging.answers import NOT_RUN, examine
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.divergence import endless_line, race_lines, witness_lines
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.devices.device import Device, Lost
from wgsl_fuzz.oracle.devices.memory import Expected, expected_memory, storage_of
from wgsl_fuzz.oracle.dynamics.exploration import Bounds
from wgsl_fuzz.oracle.dynamics.modules.execution import Effort, Execution, execute, simplest
from wgsl_fuzz.oracle.dynamics.runs import STEPS
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl.ast import Shader


def run_on_device(file: str, shader: Shader, seed: int) -> int:
    """Runs a shader on arbitrary values of its storage arrays; 1 if it leaves other memory than the semantics, else 0.

    Raises Problem where not every run leaves the same memory: such a shader is not given to a device.
    """
    if not storage_of(shader):
        raise Problem(f"{file} has no storage array: nothing of it could be seen")
    expected = expected_memory(shader, seed)
    if expected is None:
        raise Problem(
            f"{file} is not run on a device: a run may diverge, race, not end, or leave the bounds of an array"
        )
    try:
        device = Device()
    except TargetError as error:
        raise Problem(str(error)) from error
    try:
        return _compared(file, expected, device)
    finally:
        device.close()


def _compared(file: str, expected: Expected, device: Device) -> int:
    (result,) = device.run([expected.dispatch])
    if isinstance(result, Lost):
        echo(f"{file}: {device.adapter}: {result.reason}")
        return 1
    for name, values in expected.before.items():
        echo(f"  before: {name} = {', '.join(map(str, values))}")
    found = expected.differences(result)
    for line in found:
        echo(f"  {line}")
    if found and expected.needs_zeroed and not device.zeroes_workgroup_memory:
        echo("  this device leaves workgroup memory as it was, where WGSL has it zero")
    said = f"{count(len(found), 'element')} differ" if found else "its memory is that of the semantics"
    echo(f"{file}: {device.adapter}: {said}")
    return int(bool(found))


RUNS = 64
"""Stores and schedules sampled."""

PARTS = 20
"""Exploring may take so many times the steps of one run."""

PARTING_STEPS = 200_000
"""Of the search for inputs that part threads: who asks for one shader waits a few seconds."""

SUBGROUP_SIZES = tuple(str(1 << i) for i in range(8))
"""Powers of two up to the largest of WGSL; smaller ones than its 4 make shorter runs."""


@click.command()
@click.argument("file")
@click.option("--threads", type=click.IntRange(1, 256), help="N instead of the workgroup size.")
@SEED
@click.option(
    "--subgroup-size",
    type=click.Choice(SUBGROUP_SIZES),
    help="Threads of a subgroup, where there are any.  [all of the workgroup, then 2]",
)
@click.option("--device", "on_device", is_flag=True, help="Of TinyWGSL: on a device, too; its memory is compared.")
@click.pass_context
def run(
    context: click.Context,
    file: str,
    threads: int | None,
    seed: int,
    subgroup_size: str | None,
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
    if on_device and core is None:
        raise Problem(f"{file} is not run on a device: it is not TinyWGSL")
    effort = Effort(threads or 0, RUNS, STEPS, True, PARTING_STEPS, Bounds(steps=PARTS * STEPS, turn=STEPS))
    case = replace(one.case, seed=seed, notion=notion_of(context))
    status = _run(file, case, int(subgroup_size or 0), effort)
    if on_device and core is not None and status == 0:
        status = run_on_device(file, core, seed)
    context.exit(status)


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
        for line in (*_beside(done, effort, case.text), *witness_lines(case, _shown(done, case))):
            echo(f"  {line}")
        worst |= done.outcome is Outcome.DIVERGES
    return worst


def _shown(done: Execution, case: Case) -> Execution:
    """The same with a witness that is simple to read."""
    return simplest(done, case.resolution) or done


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
