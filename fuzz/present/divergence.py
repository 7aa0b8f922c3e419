"""A run of the semantics in words: the witness step by step, races, runs that never end."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from wgsl_fuzz.fuzz.cases.module_case import line_of_id
from wgsl_fuzz.oracle.dynamics.endless import Endless
from wgsl_fuzz.oracle.dynamics.exploration import Race
from wgsl_fuzz.oracle.dynamics.trace import Event, is_written, parting, trace
from wgsl_fuzz.oracle.dynamics.witness import Witness, value_in_words
from wgsl_fuzz.tinywgsl.ast import Return, Shader
from wgsl_fuzz.tinywgsl.printer import Position, print_head

SHOWN = 40
"""Steps of a trace that are shown; of longer ones the last."""


_BARE = re.compile(r"return\s*;")


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
        f"note: some runs never end: thread {waiting} waits at the barrier on line {lines[barrier]} while "
        f"thread {spinning} goes round the loop on line {lines[loop]}; "
        "that is not divergence as the paper defines it"
    )


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
            yield f"  thread {event.thread}: {effect_of(event)}"
    yield "step by step:" if len(events) <= SHOWN else f"the last {SHOWN} of {len(events)} steps:"
    for event in events[-SHOWN:]:
        mark = "*" if parted is not None and event in parted else " "
        effect = effect_of(event)
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


def effect_of(event: Event) -> str:
    """`-> false (x = 3, lid = 0)`."""
    reads = ", ".join(f"{name} = {value_in_words(value)}" for name, value in event.reads)
    if event.result is None:
        return f"({reads})" if reads else ""
    name, value = event.result
    result = f"-> {name}{' = ' * bool(name)}{value_in_words(value)}"
    return f"{result} ({reads})" if reads else result
