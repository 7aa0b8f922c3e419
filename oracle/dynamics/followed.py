"""A run whose values are expressions over the cells that shared memory held at first, for inputs that change its way.

All threads run in order, from barrier to barrier. Of each condition it is noted what it is for each thread.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wgsl_fuzz.oracle.dynamics.convergence import Notion
from wgsl_fuzz.oracle.dynamics.semantics import (
    Agreement,
    Global,
    Program,
    Thread,
    barrier_of,
    barrier_sync,
    ended,
    if_false,
    if_true,
    step,
    subgroup_sync,
)
from wgsl_fuzz.oracle.dynamics.stores import Initial, RunStore
from wgsl_fuzz.oracle.dynamics.symbolic import Cell, Tally, residual
from wgsl_fuzz.tinywgsl.ast import Assign, Binary, Convert, Expr, If, Literal, Shader, SharedRead, Type, Unary, type_of
from wgsl_fuzz.tinywgsl.values import binary, convert, unary

MOST_PARTS = 200
"""A larger expression is taken as the number that it is in the run."""
FOLLOWED_STEPS, FOLLOWED_STEPS_OF_THREAD = 4_000, 60
"""Of a run that is followed, and so many more for each thread."""
TURN_STEPS = 1_000
"""Of one thread between two barriers: one that takes more may never come to the next."""
VISITS = 4
"""So often a thread's coming to one condition is told apart."""
ENDS = 3
"""So many of the first and of the last threads come first, and twice as many between."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A condition that a thread decided: its value over initial cells, and how many it had decided before."""

    value: Any
    outcome: bool
    before: int


def ends_first(threads: Sequence[int]) -> list[int]:
    """The first and last ones, some between, and then all others."""
    ends = ENDS
    between = threads[:: -(-len(threads) // (2 * ends)) or 1]
    return list(dict.fromkeys([*threads[:ends], *threads[-ends:], *between, *threads]))


class Followed:
    """A run in order, each value a number or an expression over what cells held at first. It is the run's σ, too."""

    most_parts = MOST_PARTS

    def __init__(
        self, shader: Shader, threads: int, notion: Notion, tally: Tally, relevant: frozenset[str], initial: Initial
    ) -> None:
        self.n, self.tally, self.relevant = threads, tally, relevant
        self.types = {a.name: a.type for a in shader.arrays}
        self.cells: dict[Cell, Any] = {}
        self.first = RunStore(initial)
        self.conditions: dict[tuple[int, int], dict[int, Decided]] = {}
        """By the condition's identity, and how often a thread had come there: what each thread decided."""
        self.ways: list[list[Decided]] = [[] for _ in range(threads)]
        """By thread, all that it decided."""
        self.steps = 0
        self._numbers: dict[int, int] = {}
        """By identity, what expressions are in this run."""
        self._visits: dict[tuple[int, int], int] = {}
        self.Π = Program(shader, evaluator=residual)
        self._follow(notion.agreement(self.Π.histories))

    @property
    def depends(self) -> bool:
        """Whether a condition, an index or a value too large to follow depends on initial cells."""
        return bool(self._numbers)

    # ------------------------------------------------------------------------------------------------------------- σ

    def get(self, array: str, index: Any) -> Any:
        """`σ(x, i)`."""
        cell = (array, self.the_value(index))
        value = self.cells.get(cell)
        if value is None:
            type = self.types[array]
            if array in self.relevant:
                return self.tally.read(cell, type)
            return False if type is Type.BOOL else 0
        return value

    def updated(self, array: str, index: Any, value: Any) -> "Followed":
        """`σ[(x, i) ↦ v]`, in place."""
        self.cells[array, self.the_value(index)] = value
        return self

    def the_value(self, e: Any) -> int:
        """The number that an expression is in this run."""
        if isinstance(e, int):
            return e
        known = self._numbers.get(id(e))
        if known is None:
            known = self._number(e)
            if not isinstance(e, Literal):  # the others live as long as the tally
                self._numbers[id(e)] = known
        return known

    def _number(self, e: Expr) -> int:
        match e:
            case Literal():
                return e.value
            case Binary():
                return binary(e.op, self.the_value(e.left), self.the_value(e.right), type_of(e.left))
            case Unary():
                return unary(e.op, self.the_value(e.operand), type_of(e.operand))
            case Convert():
                return convert(self.the_value(e.operand), e.type)
            case SharedRead():
                return self.first.get(e.array, self.the_value(e.index))
            case _:
                raise AssertionError(f"{e} depends on more than initial cells")

    # ----------------------------------------------------------------------------------------------------------- runs

    def _follow(self, agree: Agreement) -> None:
        """All threads in order, from barrier to barrier, as far as the bounds allow."""
        G = Global(self, tuple(self.Π.initial_threads(self.n)))
        first = ends_first(range(self.n))
        while True:
            threads = list(G.threads)
            for i in first:
                T = self._turn(threads[i])
                if T is None:
                    return
                threads[i] = T
            G = Global(G.σ, tuple(threads))
            synced = barrier_sync(G, agree) or subgroup_sync(G, agree)
            if synced is None:
                return
            G = synced

    def _turn(self, T: Thread) -> Thread | None:
        """A thread until it waits or ends; None if it takes too long."""
        most = min(self.steps + TURN_STEPS, FOLLOWED_STEPS + FOLLOWED_STEPS_OF_THREAD * self.n)
        while barrier_of(T) is None and not ended(T):
            if self.steps >= most:
                return None
            self.steps += 1
            T = self._step(T)
        return T

    def _step(self, T: Thread) -> Thread:
        assert T.ss is not None, "a thread that has ended takes no step"
        s, ss = T.ss
        if isinstance(s, Assign) and s.name not in self.relevant:
            return Thread(T.lid, T.τ, T.κ, ss)  # its value decides nothing
        if not isinstance(s, If):
            return step(self.Π, self, T)[1]
        value = residual(s.condition, self, T.τ, T.lid)
        outcome = bool(self.the_value(value))
        decided = Decided(value, outcome, len(self.ways[T.lid]))
        visit = self._visits[id(s), T.lid] = self._visits.get((id(s), T.lid), 0) + 1
        if visit <= VISITS:
            self.conditions.setdefault((id(s), visit), {})[T.lid] = decided
        if not isinstance(value, int):
            self.ways[T.lid].append(decided)
        return (if_true if outcome else if_false)(self.Π, self, T, s, ss)[1]
