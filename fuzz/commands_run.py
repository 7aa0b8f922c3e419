"""The command `run`: execute a shader in the semantics."""

import click

from fuzz.answers import examine
from fuzz.files import read_text
from fuzz.oracles import line_of_id
from fuzz.problems import Problem
from oracle.execution import STEPS, sample


@click.command()
@click.argument("file")
@click.option("--threads", type=click.IntRange(1, 256), help="N instead of the workgroup size.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Of stores and schedules.")
@click.option("--runs", type=click.IntRange(min=1), default=64, show_default=True, help="Stores and schedules tried.")
@click.option("--steps", type=click.IntRange(min=1), default=STEPS, show_default=True, help="At most, in one run.")
@click.pass_context
def run(context: click.Context, file: str, threads: int | None, seed: int, runs: int, steps: int) -> None:
    """Execute a shader in the semantics and show the barrier divergence if there is one.

    Exit status: 0 no divergence was seen, 1 it diverges.
    """
    one = examine(read_text(file))
    case = one.case
    if case is None:
        raise Problem(f"{file}: {one.message}")
    sizes = (threads or case.shader.workgroup_size,)
    execution = sample(case.shader, runs=runs, seed=seed, threads=sizes, steps=steps)
    click.echo(f"{file}: {execution.outcome.value} ({sizes[0]} threads, {execution.steps} steps)")
    if execution.witness is not None:
        for line in execution.witness.describe(line_of_id(case.shader, one.positions).get):
            click.echo(f"  {line}")
        context.exit(1)
