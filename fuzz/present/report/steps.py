"""The two threads of a divergence side by side: where they are together, where they part, where each of them waits."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase, line_of_id
from wgsl_fuzz.fuzz.present.divergence import effect_of
from wgsl_fuzz.fuzz.present.module_divergence import effect
from wgsl_fuzz.oracle.dynamics.modules.steps import steps_of_module
from wgsl_fuzz.oracle.dynamics.trace import Event, parting, trace
from wgsl_fuzz.oracle.dynamics.witness import MeetingOf, ThreadStop, Witness
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
    """What the run starts with, line by line."""

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
        witness.stands(lines.get),
        witness.setting(),
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
            (step.place, Step(time, step.line, step.code, effect(step), "part" if step.parts else ""))
        )
        parted = (step.line, step.code) if step.parts else parted
    rows = _aligned(*columns)
    lines, (first, second) = done.lines(one.text), done.witness.stops
    return Steps(
        (first.thread, second.thread),
        [*rows[-SHOWN:], (_last(first, lines, done.meeting), _last(second, lines, done.meeting))],
        max(0, len(rows) - SHOWN),
        parted,
        done.witness.stands(lines.get, done.meeting),
        done.witness.setting(done.cell),
    )


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
    return "all threads are here: it goes on" if isinstance(event.statement, Barrier) else effect_of(event)


def _last(stop: ThreadStop, lines: dict[int, int], meeting: MeetingOf = _barrier) -> Step:
    if stop.barrier is None:
        return Step(0, 0, "", "has ended", "wait")
    place = meeting(stop.barrier).replace("`", "")  # all of it is shown as code
    return Step(0, lines.get(stop.barrier, 0), place, "waits here for ever", "wait")
