"""The witness of a barrier divergence: a run of the semantics that can be had again, and shown to people."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class InitialValue:
    """A shared variable's value at the start of a run."""

    array: str
    index: int
    value: int


@dataclass(frozen=True, slots=True)
class Frame:
    """An element of a control stack: a call by its ID, or a loop by its ID and its `continue`s, the oldest first."""

    id: int
    continues: tuple[int, ...] | None
    """None: this is a call."""


@dataclass(frozen=True, slots=True)
class ThreadStop:
    """Where a thread of a witness stands: at a barrier, or at its end (None); its control stack, innermost first."""

    thread: int
    barrier: int | None
    stack: tuple[Frame, ...]


LineOf = Callable[[int], int | None]
"""The line of a statement with an ID, where it is known."""
MeetingOf = Callable[[int], str]
"""What the barrier with an ID is called."""
CellWords = Callable[[InitialValue], str]
"""A cell and its value."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A run that ends in barrier divergence (Definition 3.2): all that is needed to have it again."""

    threads: int
    """N, which need not be the number that the shader declares."""
    declared: int
    store: tuple[InitialValue, ...]
    """The cells that the run reads before it writes them; no others matter."""
    needs_store: bool
    """Whether such a cell of a workgroup array is not zero. WGSL zeroes them: then the run is the paper's only."""
    schedule: tuple[tuple[int, int], ...]
    """Thread numbers, and how many steps each takes in a row; barriers are passed as soon as they can be."""
    stops: tuple[ThreadStop, ThreadStop]
    """The two threads that diverge."""
    reset_locals: bool = True
    """Whether calls reset the callee's locals, as in WGSL and not in the paper."""
    convergence: str = "control-stacks"
    """The notion of convergence under which the two threads diverge."""

    @property
    def ends_early(self) -> bool:
        """Whether one of the threads has ended, which no shader of the paper's restriction (1) does."""
        return any(stop.barrier is None for stop in self.stops)

    def describe(
        self,
        line_of: LineOf = lambda _: None,
        meeting: MeetingOf = lambda _: "barrier",
        cell: CellWords | None = None,
    ) -> list[str]:
        """Lines for people: N, store, schedule, and the two threads; `meeting` and `cell` name barriers and cells."""
        lines = [f"{self.threads} threads" + ("" if self.threads == self.declared else f" (declared: {self.declared})")]
        if self.store:
            lines.append("store: " + ", ".join(map(cell or cell_in_words, self.store)))
        if self.needs_store:
            lines.append("workgroup memory is not zero at first: a run of the paper's semantics, none of WGSL's")
        if self.convergence != "control-stacks":
            lines.append(f"what counts as convergence: {self.convergence}")
        if not self.reset_locals:
            lines.append("calls leave the callee's locals as they were: a run of the paper's semantics, none of WGSL's")
        turns = [f"thread {i} takes {_count(steps, 'step')}" for i, steps in self.schedule[:_SHOWN]]
        more = len(self.schedule) - len(turns)
        lines.append("schedule: " + ", ".join(turns) + (f", and {_count(more, 'turn')} more" if more else ""))
        return lines + [_describe_stop(stop, line_of, meeting) for stop in self.stops]


_SHOWN = 12


def cell_in_words(cell: InitialValue) -> str:
    """`A[3] = 1`."""
    return f"{cell.array}[{cell.index}] = {value_in_words(cell.value)}"


def value_in_words(value: int) -> str:
    """A value as WGSL writes it, without a suffix."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _place(kind: str, id: int, line_of: LineOf) -> str:
    line = line_of(id)
    return f"{kind} {id}" if line is None else f"the {kind} in line {line}"


def _describe_frame(frame: Frame, line_of: LineOf) -> str:
    if frame.continues is None:
        return _place("call", frame.id, line_of)
    runs = [(c, len(list(run))) for c, run in groupby(frame.continues)]
    words = [_place("continue", c, line_of) + (f" ×{n}" if n > 1 else "") for c, n in runs[-_SHOWN:]]
    words = ["..."] * (len(runs) > _SHOWN) + words
    return f"{_place('loop', frame.id, line_of)}: {', '.join(words) or 'first iteration'}"


def _describe_stop(stop: ThreadStop, line_of: LineOf, meeting: MeetingOf) -> str:
    if stop.barrier is None:
        return f"thread {stop.thread} has ended"
    stack = "; ".join(_describe_frame(frame, line_of) for frame in stop.stack)
    place = _place(meeting(stop.barrier), stop.barrier, line_of)
    return f"thread {stop.thread} waits at {place} with control stack [{stack}]"
