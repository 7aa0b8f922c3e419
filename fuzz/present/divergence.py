"""A run of the semantics in words: the witness step by step, races, runs that never end."""

from collections.abc import Iterator, Mapping, Sequence

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.oracle.dynamics.exploration import Endless, Race
from wgsl_fuzz.oracle.dynamics.modules.execution import Execution
from wgsl_fuzz.oracle.dynamics.steps import ModuleStep, steps_of_module
from wgsl_fuzz.oracle.dynamics.witness import MeetingOf, do_wait_at, value_in_words

SHOWN = 40
"""Steps of a trace that are shown; of longer ones the last."""

VALUES = 6
"""The values of a step that are shown."""


def race_lines(races: Sequence[Race]) -> Iterator[str]:
    """A line for each array: the first race on it, and how many more there are."""
    by_array: dict[str, list[Race]] = {}
    for race in races:
        by_array.setdefault(race.array, []).append(race)
    for array, on_it in by_array.items():
        first, cells = on_it[0], len({race.index for race in on_it})
        where = f" on {cells} cells of {array}" if cells > 1 else ""
        more = f", and {len(on_it) - 1:,} more like it{where}" if len(on_it) > 1 else ""
        yield f"data race: threads {first.threads[0]} and {first.threads[1]} on {first}{more}"
    if races:
        yield "(the paper assumes that there is none: memory is sequentially consistent here)"


def endless_line(endless: Endless, lines: Mapping[int, int], meeting: MeetingOf = lambda _: "barrier") -> str:
    """What is to be said of runs that never end; `lines` are those of statements by their IDs."""
    if endless.waits is None or endless.loops is None:
        return "note: some runs never end"
    (waiting, barrier), (spinning, loop) = endless.waits, endless.loops
    return (
        f"note: some runs never end: thread {waiting} {'waits' if do_wait_at(meeting(barrier)) else 'is'} at the "
        f"{meeting(barrier)} on line {lines[barrier]} while "
        f"thread {spinning} goes round the loop on line {lines[loop]}; "
        "that is not divergence as the paper defines it"
    )


def witness_lines(module: Case, done: Execution) -> Iterator[str]:
    """The witness; where the two threads parted and why; and their steps up to where they wait. Nothing without one."""
    one = module.placed
    yield from done.describe(one.text)
    steps = steps_of_module(one.resolution, done, one.text)
    parted = [step for step in steps if step.parts]
    if parted:
        yield f"they part at line {parted[0].line}: {parted[0].code}"
        for step in parted:
            yield f"  thread {step.thread}: {effect(step)}"
    if steps:
        yield "step by step:" if len(steps) <= SHOWN else f"the last {SHOWN} of {len(steps)} steps:"
    for step in steps[-SHOWN:]:
        words = effect(step)
        mark = "*" if step.parts else " "
        yield f"{mark} thread {step.thread}  line {step.line}: {step.code}{'  ' * bool(words)}{words}"


def effect(step: ModuleStep) -> str:
    """`-> true (x = 3)`, `-> v.x = 4, v.y = 5 (lid = 1)`."""
    result, reads = _result(step), _values(list(step.reads.items()))
    return " ".join([f"-> {result}"] * bool(result) + [f"({reads})"] * bool(reads))


def _result(step: ModuleStep) -> str:
    """`true`, `v.x = 4, v.y = 5`."""
    if step.condition is not None:
        return value_in_words(step.condition)
    # An index that is computed writes all elements, most of them as they were.
    changed = [(name, value) for name, value in step.writes.items() if step.reads.get(name) != value]
    return _values(changed or list(step.writes.items()))


def _values(values: Sequence[tuple[str, str]]) -> str:
    more = [f"and {len(values) - VALUES} more"] * (len(values) > VALUES)
    return ", ".join([*(f"{name} = {value}" for name, value in values[:VALUES]), *more])
