"""The two threads of a divergence side by side: where they are together, where they part, where each of them waits."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.present.divergence import effect
from wgsl_fuzz.oracle.dynamics.steps import steps_of_module
from wgsl_fuzz.oracle.dynamics.witness import MeetingOf, ThreadStop

SHOWN = 60
"""Rows that are shown; of more the last."""

_GOES_ON = "all threads are here: it goes on"


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


def steps_of(module: ModuleCase) -> Steps | None:
    """The steps of the two threads of a witness, lines being those of the text; None if there is none."""
    one = module.placed
    done = module.placed_execution
    if done.witness is None:
        return None
    columns: list[list[tuple[object, Step]]] = [[], []]
    parted: tuple[int, str] | None = None
    for time, step in enumerate(steps_of_module(one.resolution, done, one.text), 1):
        column = 0 if step.thread == done.witness.stops[0].thread else 1
        told = effect(step) or _GOES_ON * step.meets
        columns[column].append((step.place, Step(time, step.line, step.code, told, "part" if step.parts else "")))
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


def _last(stop: ThreadStop, lines: dict[int, int], meeting: MeetingOf) -> Step:
    if stop.barrier is None:
        return Step(0, 0, "", "has ended", "wait")
    place = meeting(stop.barrier).replace("`", "")  # all of it is shown as code
    return Step(0, lines.get(stop.barrier, 0), place, "waits here for ever", "wait")
