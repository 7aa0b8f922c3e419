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
    convergence: str = "control-stacks"
    """The notion of convergence under which the two threads diverge."""

    @property
    def cells(self) -> dict[tuple[str, int], int]:
        """The store, by array and index."""
        return {(c.array, c.index): c.value for c in self.store}

    def describe(
        self,
        line_of: LineOf = lambda _: None,
        meeting: MeetingOf = lambda _: "barrier",
        cell: CellWords | None = None,
        *,
        schedule: bool = True,
    ) -> list[str]:
        """Lines for people: N, store, schedule, and the two threads; `meeting` and `cell` name barriers and cells."""
        stands = zip(self.stops, self.stands(line_of, meeting), strict=True)
        turns = [self._turns()] if schedule else []
        return [*self.setting(cell), *turns, *(f"thread {stop.thread} {words}" for stop, words in stands)]

    def setting(self, cell: CellWords | None = None) -> list[str]:
        """Lines for people: what the run starts with, each value that is not zero on a line of its own."""
        other_number = self.threads != self.declared
        lines = [_count(self.threads, "thread") + f" (declared: {self.declared})" * other_number]
        other = [c for c in self.store if c.value]
        if self.store:
            lines.append("store: zero" + ", but for:" * bool(other))
        lines += [f"  {(cell or cell_in_words)(c)}" for c in other]
        if self.needs_store:
            lines.append("workgroup memory is not zero at first: a run of the paper's semantics, none of WGSL's")
        if self.convergence != "control-stacks":
            lines.append(f"what counts as convergence: {self.convergence}")
        return lines

    def stands(self, line_of: LineOf = lambda _: None, meeting: MeetingOf = lambda _: "barrier") -> tuple[str, str]:
        """Where the two threads end up: `waits at the barrier on line 6, in round 3 of the loop on line 3`."""
        one, other = ((stop.barrier, [_round(frame) for frame in stop.stack]) for stop in self.stops)
        first, second = (_stands(stop, line_of, meeting, one == other) for stop in self.stops)
        return first, second

    def _turns(self) -> str:
        """The schedule: turns of so many steps by consecutive threads are said at once."""
        rows: list[tuple[int, int, int]] = []
        for i, steps in self.schedule:
            if rows and rows[-1][1:] == (i - 1, steps):
                rows[-1] = (rows[-1][0], i, steps)
            else:
                rows.append((i, i, steps))
        words = [
            f"thread {i} takes {_count(steps, 'step')}"
            if i == last
            else f"threads {i} {'and' if last == i + 1 else 'to'} {last} take {_count(steps, 'step')} each"
            for i, last, steps in rows
        ]
        more = f", and {_count(len(words) - _SHOWN, 'turn')} more" if len(words) > _SHOWN else ""
        return "schedule: " + ", ".join(words[:_SHOWN]) + more


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
    return f"{kind or 'by call'} {id}" if line is None else f"the {kind} on line {line}" if kind else f"on line {line}"


def _round(frame: Frame) -> int:
    """In which round of a loop a thread is; 0: a call."""
    return 0 if frame.continues is None else len(frame.continues) + 1


def waits(stop: ThreadStop, meeting: MeetingOf) -> bool:
    """Whether a thread waits where it stands."""
    return stop.barrier is not None and do_wait_at(meeting(stop.barrier))


def do_wait_at(place: str) -> bool:
    """Whether threads wait at what is called so: at a barrier they do, at a `texture sample` they do not."""
    return " " not in place


def _stands(stop: ThreadStop, line_of: LineOf, meeting: MeetingOf, continues: bool) -> str:
    """Where a thread ends up; `continues`: by which `continue`s, where nothing else tells it from the other thread."""
    if stop.barrier is None:
        return "has ended"
    words = f"{'waits' if waits(stop, meeting) else 'is'} at {_place(meeting(stop.barrier), stop.barrier, line_of)}"
    for frame in stop.stack:
        if frame.continues is None:
            words += f", called {_place('', frame.id, line_of)}"
            continue
        words += f", in round {_round(frame)} of {_place('loop', frame.id, line_of)}"
        if continues and frame.continues:
            words += f" (by {', '.join(_runs(frame.continues, line_of))})"
    return words


def _runs(continues: tuple[int, ...], line_of: LineOf) -> list[str]:
    """The `continue`s of a loop, the last ones if there are many."""
    runs = [(c, len(list(run))) for c, run in groupby(continues)]
    words = [_place("continue", c, line_of) + (f" ×{n}" if n > 1 else "") for c, n in runs[-_SHOWN:]]
    return ["..."] * (len(runs) > _SHOWN) + words
