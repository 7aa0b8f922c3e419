"""The two threads of a divergence side by side: where they are together, where they part, where each of them waits."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from wgsl_fuzz.fuzz.cases.case import line_of_id
from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.present.module_divergence import reads_of, result_of
from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.oracle.dynamics.modules.steps import ModuleStep, steps_of_module
from wgsl_fuzz.oracle.dynamics.trace import Event, parting, trace
from wgsl_fuzz.oracle.dynamics.witness import (
    CellWords,
    MeetingOf,
    ThreadStop,
    Witness,
    cell_in_words,
    value_in_words,
)
from wgsl_fuzz.tinywgsl.ast import Barrier, Shader
from wgsl_fuzz.tinywgsl.printer import Position, print_head

SHOWN = 60
"""Rows that are shown; of more the last."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a thread, or the place where it ends up; `time` counts the steps of both, 0 for that place."""

    time: int
    line: int
    code: str
    effect: str
    style: str = ""
    """`part`: the last step from a place where both were; `wait`: where it stays."""


@dataclass(frozen=True, slots=True)
class Steps:
    """A divergence to show; in a row both threads are at the same place, or only one of them takes a step."""

    threads: tuple[int, int]
    rows: list[tuple[Step | None, Step | None]]
    hidden: int
    """Rows left out before those."""
    parting: tuple[int, str] | None
    """The line and the code of the last place where both were."""
    stops: tuple[str, str]
    """Where each thread waits, as a sentence."""
    setting: list[str]
    """What the run starts with, if that is more than zeros."""

    @property
    def numbered(self) -> list[tuple[int, str]]:
        """Each thread and where it waits."""
        return list(zip(self.threads, self.stops))


def steps_of(shader: Shader, witness: Witness, positions: dict[int, Position]) -> Steps:
    """The steps of a witness's two threads, lines being those of `positions`."""
    events = trace(shader, witness)
    parted = parting(witness, events) or ()
    lines = line_of_id(shader, positions)
    columns: list[list[tuple[object, Step]]] = [[], []]
    for time, event in enumerate(events, 1):
        column = 0 if event.thread == witness.stops[0].thread else 1
        style = "part" if any(event is one for one in parted) else ""
        step = Step(time, _line(event, positions), print_head(event.statement), _effect(event), style)
        before = columns[column][-1][1] if columns[column] else None
        if before is None or step.effect or (before.line, before.code) != (step.line, step.code):
            columns[column].append((event.place, step))  # entering a loop and its first round look alike
    rows = _aligned(*columns)
    one, other = (_last(stop, lines) for stop in witness.stops)
    return Steps(
        (witness.stops[0].thread, witness.stops[1].thread),
        [*rows[-SHOWN:], (one, other)],
        max(0, len(rows) - SHOWN),
        (_line(parted[0], positions), print_head(parted[0].statement)) if parted else None,
        (_waits(witness.stops[0], lines), _waits(witness.stops[1], lines)),
        _setting(witness),
    )


def steps_of_case(module: ModuleCase) -> Steps | None:
    """The same of a module's witness, lines being those of its text; None if there is none."""
    one = module.placed
    done = module.placed_execution
    if done.witness is None:
        return None
    columns: list[list[tuple[object, Step]]] = [[], []]
    parted: tuple[int, str] | None = None
    for time, step in enumerate(steps_of_module(one.resolution, done, one.text), 1):
        column = 0 if step.thread == done.witness.stops[0].thread else 1
        columns[column].append(
            (step.place, Step(time, step.line, step.code, _module_effect(step), "part" if step.parts else ""))
        )
        parted = (step.line, step.code) if step.parts else parted
    rows = _aligned(*columns)
    lines, (first, second) = done.lines(one.text), done.witness.stops
    return Steps(
        (first.thread, second.thread),
        [*rows[-SHOWN:], (_last(first, lines, done.meeting), _last(second, lines, done.meeting))],
        max(0, len(rows) - SHOWN),
        parted,
        (_waits(first, lines, done.meeting), _waits(second, lines, done.meeting)),
        _setting(done.witness, done.cell),
    )


def _module_effect(step: ModuleStep) -> str:
    """`is false, as x = 3`; `count = 4, as lid = 1`."""
    result, reads = result_of(step), reads_of(step)
    words = result if step.condition is None else f"is {result}"
    return f"{words}, as {reads}" if words and reads else words or reads


def _barrier(_: int) -> str:
    return "barrier"


def _aligned(
    one: Sequence[tuple[object, Step]], other: Sequence[tuple[object, Step]]
) -> list[tuple[Step | None, Step | None]]:
    """Steps from the same place in one row; the steps between, each alone."""
    rows: list[tuple[Step | None, Step | None]] = []
    matcher = SequenceMatcher(None, [place for place, _ in one], [place for place, _ in other], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            rows += [(left, right) for (_, left), (_, right) in zip(one[a:b], other[c:d])]
        else:
            alone: list[tuple[Step | None, Step | None]] = [(step, None) for _, step in one[a:b]]
            alone += [(None, step) for _, step in other[c:d]]
            rows += sorted(alone, key=lambda row: max(step.time for step in row if step is not None))
    return rows


def _line(event: Event, positions: dict[int, Position]) -> int:
    return positions.get(id(event.statement), (0, 0))[0]


def _effect(event: Event) -> str:
    """`is false, as x = 3`; `count = 4, as lid = 1`."""
    if isinstance(event.statement, Barrier):
        return "all threads are here: it goes on"
    reads = ", ".join(f"{name} = {value_in_words(value)}" for name, value in event.reads)
    if event.result is None:
        return reads
    name, value = event.result
    words = f"{name} = {value_in_words(value)}" if name else f"is {value_in_words(value)}"
    return f"{words}, as {reads}" if reads else words


def _last(stop: ThreadStop, lines: dict[int, int], meeting: MeetingOf = _barrier) -> Step:
    if stop.barrier is None:
        return Step(0, 0, "", "has ended", "wait")
    return Step(0, lines.get(stop.barrier, 0), meeting(stop.barrier), "waits here for ever", "wait")


def _waits(stop: ThreadStop, lines: dict[int, int], meeting: MeetingOf = _barrier) -> str:
    """`waits at the barrier on line 6, in round 2 of the loop on line 3`."""
    if stop.barrier is None:
        return "has ended"
    words = f"waits at the {meeting(stop.barrier)} on line {lines.get(stop.barrier, 0)}"
    for frame in stop.stack:
        where = f"on line {lines.get(frame.id, 0)}"
        if frame.continues is None:
            words += f", called {where}"
        else:
            words += f", in round {len(frame.continues) + 1} of the loop {where}"
    return words


def _setting(witness: Witness, cell: CellWords = cell_in_words) -> list[str]:
    lines = []
    if witness.threads != witness.declared:
        lines.append(f"It runs with {count(witness.threads, 'thread')}; the shader declares {witness.declared}.")
    if witness.store:
        lines.append(f"Shared memory at the start: {', '.join(map(cell, witness.store))}.")
    if witness.needs_store:
        lines.append("Workgroup memory is not zero at first: a run of the paper’s semantics, none of WGSL’s.")
    if not witness.reset_locals:
        lines.append("Calls leave the callee’s locals as they were: a run of the paper’s semantics, none of WGSL’s.")
    return lines
