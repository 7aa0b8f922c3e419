"""The command `run`: a shader in the semantics, explored as far as the bounds allow, then sampled."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import click

from fuzz.answers import examine
from fuzz.files import read_text
from fuzz.oracles import line_of_id
from fuzz.problems import Problem
from oracle.endless import Endless
from oracle.execution import STEPS, Execution, sample
from oracle.exploration import BOUNDS, Exploration, Race, explore
from oracle.trace import Event, is_written, parting, trace
from oracle.verdict import Outcome
from oracle.witness import Witness, value_in_words
from tinywgsl.ast import Return, Shader
from tinywgsl.printer import Position, print_head

SHOWN = 40
"""Steps of a trace that are shown; of longer ones the last."""
PARTS = 20
"""Exploring may take so many times the steps of one run ..."""
MANY = 16
"""... with up to so many threads; with more, a step costs more, and there are fewer."""
_BARE = re.compile(r"return\s*;")


@click.command()
@click.argument("file")
@click.option("--threads", type=click.IntRange(1, 256), help="N instead of the workgroup size.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the stores and schedules sampled."
)
@click.option("--runs", type=click.IntRange(min=1), default=64, show_default=True, help="Stores and schedules sampled.")
@click.option("--steps", type=click.IntRange(min=1), default=STEPS, show_default=True, help="At most, in one run.")
@click.option(
    "--explore/--no-explore", "exploring", default=True, help="Try every run first, within bounds.  [default]"
)
@click.pass_context
def run(
    context: click.Context, file: str, threads: int | None, seed: int, runs: int, steps: int, exploring: bool
) -> None:
    """Execute a shader in the semantics and show the barrier divergence if there is one.

    CONVERGES means that every schedule was tried, with every initial value of shared memory among 0, 1, the maximum and
    the shader's literals give or take one. What exploring leaves open is sampled.

    Exit status: 0 no divergence was seen, 1 it diverges.
    """
    one = examine(read_text(file))
    if one.case is None:
        raise Problem(f"{file}: {one.message}")
    shader = one.case.shader
    n = threads or shader.workgroup_size
    found: Exploration | Execution
    gaps: tuple[str, ...] = ()
    races: tuple[Race, ...] = ()
    endless: Endless | None = None
    if exploring:
        found = _explored(shader, n, steps)
        gaps, races, endless = found.gaps, found.races, found.endless
    if not exploring or gaps:
        found = sample(shader, runs=runs, seed=seed, threads=(n,), steps=steps)
    click.echo(f"{file}: {found.outcome.value} ({_bounds(found, n)})")
    for gap in gaps:
        click.echo(f"  exploring is no proof: {gap}; {runs} runs were sampled")
    for line in race_lines(races):
        click.echo(f"  {line}")
    if found.witness is None and endless is not None:
        click.echo(f"  {endless_line(endless, line_of_id(shader, one.positions))}")
    if found.witness is not None:
        for line in divergence_lines(shader, found.witness, one.positions, one.text):
            click.echo(f"  {line}")
        context.exit(1)


def _explored(shader: Shader, n: int, steps: int) -> Exploration:
    """Every run followed, so that all races are met, unless exploring is too much where equal threads are not."""
    most = PARTS * steps * MANY // max(n, MANY)
    bounds = replace(BOUNDS, steps=most, turn=steps)
    fewer = explore(shader, threads=n, bounds=bounds)
    if fewer.gaps:  # following equal threads too leaves no less open
        return fewer
    full = explore(shader, threads=n, bounds=replace(bounds, lockstep=False))
    return replace(fewer, races=full.races, endless=full.endless or fewer.endless) if full.gaps else full


def race_lines(races: Sequence[Race]) -> Iterator[str]:
    """A line for each array: the first race on it, and how many more there are."""
    by_array: dict[str, list[Race]] = {}
    for race in races:
        by_array.setdefault(race.array, []).append(race)
    for array, on_it in by_array.items():
        first, cells = on_it[0], len({race.index for race in on_it})
        where = f" on {cells} cells of {array}" if cells > 1 else ""
        more = f", and {len(on_it) - 1:,} more like it{where}" if len(on_it) > 1 else ""
        yield f"data race: threads {first.threads[0]} and {first.threads[1]} on {array}[{first.index}]{more}"
    if races:
        yield "(the paper assumes that there is none: memory is sequentially consistent here)"


def endless_line(endless: Endless, lines: Mapping[int, int]) -> str:
    """What is to be said of runs that never end; `lines` are those of statements by their IDs."""
    if endless.waits is None or endless.loops is None:
        return "note: some runs never end"
    (waiting, barrier), (spinning, loop) = endless.waits, endless.loops
    return (
        f"note: some runs never end: thread {waiting} waits at the barrier in line {lines[barrier]} while "
        f"thread {spinning} goes round the loop in line {lines[loop]}; "
        "that is not divergence as the paper defines it"
    )


def _bounds(found: Exploration | Execution, n: int) -> str:
    if isinstance(found, Execution) or found.outcome is not Outcome.CONVERGES:
        return f"{n} threads, {found.steps} steps"
    stores = f"{found.values} initial values of a shared cell" if found.values else "no shared memory"
    return f"{n} threads, every schedule, {stores}; {found.steps} steps"


def divergence_lines(
    shader: Shader, witness: Witness, positions: dict[int, Position], text: str | None = None
) -> Iterator[str]:
    """The witness; where the two threads parted and why; and their steps up to the barrier.

    Of steps by statements that do not stand in `text`, if it is given, nothing is said.
    """
    yield from witness.describe(line_of_id(shader, positions).get)
    events = trace(shader, witness)
    if text is not None:
        events = list(_as_written(events, positions, text.splitlines()))
    parted = parting(witness, events)
    if parted is not None:
        yield f"they part at {_source(parted[0], positions)}"
        for event in parted:
            yield f"  thread {event.thread}: {_effect(event)}"
    yield "step by step:" if len(events) <= SHOWN else f"the last {SHOWN} of {len(events)} steps:"
    for event in events[-SHOWN:]:
        mark = "*" if parted is not None and event in parted else " "
        effect = _effect(event)
        yield f"{mark} thread {event.thread}  {_source(event, positions)}{'  ' * bool(effect)}{effect}"


def _as_written(events: Sequence[Event], positions: dict[int, Position], lines: Sequence[str]) -> Iterator[Event]:
    """The steps by what stands in the text; what is written as `return;` has no result."""
    for event in events:
        s, where = event.statement, positions.get(id(event.statement))
        if where is None or not is_written(s, where, lines):
            continue
        bare = isinstance(s, Return) and _BARE.match(lines[where[0] - 1], where[1] - 1)
        yield replace(event, result=None) if bare else event


def _source(event: Event, positions: dict[int, Position]) -> str:
    where = positions.get(id(event.statement))
    head = "return" if isinstance(event.statement, Return) and event.result is None else print_head(event.statement)
    return f"{'' if where is None else f'line {where[0]}: '}{head}"


def _effect(event: Event) -> str:
    """`-> false (x = 3, lid = 0)`."""
    reads = ", ".join(f"{name} = {value_in_words(value)}" for name, value in event.reads)
    if event.result is None:
        return f"({reads})" if reads else ""
    name, value = event.result
    result = f"-> {name}{' = ' * bool(name)}{value_in_words(value)}"
    return f"{result} ({reads})" if reads else result
