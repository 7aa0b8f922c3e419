"""A witness that people can read: a run that diverges on a store of few, small and round values, and few turns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from wgsl_fuzz.oracle.dynamics.compiled import Code
from wgsl_fuzz.oracle.dynamics.convergence import NOTIONS
from wgsl_fuzz.oracle.dynamics.runs import RunResult, Schedule, preferring, recorded, run_code
from wgsl_fuzz.oracle.dynamics.semantics import Program
from wgsl_fuzz.oracle.dynamics.stores import Initial, Simple, simple_values
from wgsl_fuzz.oracle.dynamics.symbolic import Cell
from wgsl_fuzz.oracle.dynamics.witness import Witness
from wgsl_fuzz.tinywgsl.ast import Shader, Type

STEPS = 120_000
"""Of all runs together: then the witness is as simple as it gets."""
LEAST_STEPS = 200
"""Of each run, or twice as many as the witness has: what takes longer is hardly simpler."""
ROUNDS = 3
"""How often all cells are looked at: one that has become simple may let others."""


def shrunk(
    shader: Shader, witness: Witness, simple: Simple, allowed: Callable[[Witness], bool] = lambda _: True
) -> Witness:
    """A witness of the same shader on a simpler store, each step having been run; the same one if nothing is simpler.

    `simple` are the values of a cell from the simplest on. What is not `allowed` is no witness.
    """
    shrinker = _Shrinker(shader, witness, simple, allowed)
    shrinker.shrink()
    shrinker.code.release()
    return shrinker.witness


def simplest(shader: Shader, execution: RunResult) -> RunResult:
    """The same outcome of a shader of TinyWGSL; if it diverges, with a witness that is simple to read."""
    if execution.witness is None:
        return execution
    return replace(execution, witness=shrunk(shader, execution.witness, simple_values(shader)))


class _Shrinker:
    def __init__(self, shader: Shader, witness: Witness, simple: Simple, allowed: Callable[[Witness], bool]) -> None:
        self.shader, self.witness, self.simple, self.allowed = shader, witness, simple, allowed
        self.code = Code(Program(shader))
        self.notion = NOTIONS[witness.convergence]
        self.types = {a.name: a.type for a in shader.arrays}
        self.left = STEPS
        self.in_order = False
        """Whether threads take turns until they wait: the given schedule is of use no more."""

    def shrink(self) -> None:
        """Fewer turns first, for then runs are short; threads with small numbers once the store is simple."""
        self._with_turns(self._stops)
        for _ in range(ROUNDS):
            before = self.witness
            self._simplest({c: self.simple(*c)[0] for c in self._cells})
            for array in dict.fromkeys(array for array, _ in self._cells):
                self._simplest({c: self.simple(*c)[0] for c in self._cells if c[0] == array})
            for cell in list(self._cells):
                self._shrink_cell(cell)
            self._shrink_pairs()
            self._with_turns((0, 1))
            if self.witness == before:
                break
        for cell, value in self._cells.items():
            self._halve(cell, value)

    @property
    def _cells(self) -> Mapping[Cell, int]:
        return {(c.array, c.index): c.value for c in self.witness.store}

    @property
    def _stops(self) -> tuple[int, ...]:
        return tuple([stop.thread for stop in self.witness.stops])

    def _with_turns(self, first: tuple[int, ...]) -> None:
        """Threads that take turns until they wait, some of them first, if the run still diverges."""
        if self._diverges(self._cells, preferring(first)):
            self.in_order = True

    def _simplest(self, values: Mapping[Cell, int]) -> bool:
        """Whether the run still diverges with other values of some cells; then these are taken."""
        cells = self._cells
        if all(cells.get(cell) == value for cell, value in values.items()):
            return False
        turns = preferring(self._stops) if self.in_order else recorded(self.witness.schedule)
        return self._diverges({**cells, **values}, turns)

    def _shrink_cell(self, cell: Cell) -> None:
        """The simplest value of a cell that will do."""
        known = self._cells.get(cell)
        if known is not None:
            any(self._simplest({cell: value}) for value in _before(known, self.simple(*cell)))

    def _shrink_pairs(self) -> None:
        """A cell takes its simplest value where another one takes a new simple value with it."""
        for cell, other in permutations([c for c, value in self._cells.items() if value], 2):
            simplest = self.simple(*cell)[0]
            known = self._cells
            if not known.get(cell) or not known.get(other) or known[cell] == simplest:
                continue
            any(self._simplest({cell: simplest, other: value}) for value in self.simple(*other))

    def _halve(self, cell: Cell, known: int) -> None:
        """A number nearer to zero, if none of the simple ones will do."""
        if self.types[cell[0]] is Type.BOOL or known in self.simple(*cell):
            return
        small, large = 0, known
        while abs(large - small) > 1:
            middle = (small + large) // 2
            if self._simplest({cell: middle}):
                large = middle
            else:
                small = middle

    def _diverges(self, cells: Mapping[Cell, int], turns: Schedule) -> bool:
        """Whether a run diverges, which is a witness then."""
        if self.left <= 0:
            return False
        most = max(LEAST_STEPS, 2 * sum([taken for _, taken in self.witness.schedule]))
        store = self._store(cells)
        done = run_code(self.code, self.witness.threads, store, turns, most, self.notion)
        self.left -= done.steps
        found = done.witness
        if found is None or found.needs_store > self.witness.needs_store or not self.allowed(found):
            return False
        self.witness = found
        return True

    def _store(self, cells: Mapping[Cell, int]) -> Initial:
        """Cells that no run has read so far hold the simplest value."""
        return lambda array, index: cells[array, index] if (array, index) in cells else self.simple(array, index)[0]


def _before(value: int, simple: Sequence[int]) -> Iterator[int]:
    for one in simple:
        if one == value:
            return
        yield one
