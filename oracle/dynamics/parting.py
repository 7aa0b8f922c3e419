"""A search for inputs that separate threads at a condition on the thread's index, or on a value that it read.

A run in order is followed with its values as expressions over the cells that shared memory held at first (`symbolic`).
So each condition is known for each thread as an expression. Where two threads have different ones, initial values are
looked for under which one goes on and the other does not; where all have the same, values under which all turn. What is
found is run, and followed in turn. Only runs of the semantics decide: a divergence has a witness like any other.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise
from random import Random
from typing import Any, ClassVar

from wgsl_fuzz.oracle.dynamics import semantics as sem
from wgsl_fuzz.oracle.dynamics.compiled import Evaluate, RunnableProgram, compiled
from wgsl_fuzz.oracle.dynamics.runs import RunResult, preferring, run_program
from wgsl_fuzz.oracle.dynamics.stores import Initial, RunStore, Simple
from wgsl_fuzz.oracle.dynamics.symbolic import Cell, Relevance, Tally, as_key, residual
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.values import wrap

MOST_NODES = 200
"""A larger expression is replaced by its value in the run."""
FOLLOWED_STEPS, FOLLOWED_STEPS_OF_THREAD = 4_000, 60
"""The step limit of a followed run: a constant, plus a number for each thread."""
TURN_STEPS = 1_000
"""The step limit of one thread between two barriers."""
VISITS = 4
"""The number of visits of a thread to one condition that are distinguished."""
ENDS = 3
"""The number of first and of last threads that are tried first, with twice as many between."""


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


@dataclass(eq=False)
class Followed:
    """A run in order, each value a number or an expression over what cells held at first. It is the run's σ, too.

    Each condition is recorded as an expression for each thread.
    """

    shader: core.Shader
    n: int
    notion: sem.Notion
    tally: Tally
    relevant: Set[str]
    initial: Initial
    most_nodes: ClassVar[int] = MOST_NODES

    def __post_init__(self) -> None:
        self.types = {a.name: a.type for a in self.shader.arrays}
        self.cells: dict[Cell, Any] = {}
        self.first = RunStore(self.initial)
        self.conditions: dict[tuple[int, int], dict[int, Decided]] = {}
        """By the condition's identity and the number of the visit: what each thread decided."""
        self.ways: list[list[Decided]] = [[] for _ in range(self.n)]
        """By thread, all that it decided."""
        self.steps = 0
        self._numbers: dict[int, int] = {}
        """The values of expressions in this run, by identity."""
        self._visits: dict[tuple[int, int], int] = {}
        self.Π = sem.Program(self.shader, evaluator=residual)
        self._follow(self.notion.agreement(self.Π.histories))

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
            return False if type is core.Type.BOOL else 0
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
            known = self._numbers[id(e)] = sem.evaluate(e, self.first, {}, 0)
        return known

    # ----------------------------------------------------------------------------------------------------------- runs

    def _follow(self, agree: sem.Agreement) -> None:
        """All threads in order, from barrier to barrier, as far as the bounds allow."""
        G = sem.Global(self, tuple(self.Π.initial_threads(self.n)))
        first = ends_first(range(self.n))
        while True:
            threads = list(G.threads)
            for i in first:
                T = self._turn(threads[i])
                if T is None:
                    return
                threads[i] = T
            G = sem.Global(G.σ, tuple(threads))
            synced = sem.barrier_sync(G, agree) or sem.subgroup_sync(G, agree)
            if synced is None:
                return
            G = synced

    def _turn(self, T: sem.Thread) -> sem.Thread | None:
        """A thread until it waits or ends; None if it takes too long."""
        most = min(self.steps + TURN_STEPS, FOLLOWED_STEPS + FOLLOWED_STEPS_OF_THREAD * self.n)
        while sem.barrier_of(T) is None and not sem.ended(T):
            if self.steps >= most:
                return None
            self.steps += 1
            T = self._step(T)
        return T

    def _step(self, T: sem.Thread) -> sem.Thread:
        assert T.ss is not None, "a thread that has ended takes no step"
        s, ss = T.ss
        if isinstance(s, core.Assign) and s.name not in self.relevant:
            return sem.Thread(T.lid, T.τ, T.κ, ss)  # its value decides nothing
        if not isinstance(s, core.If):
            return sem.step(self.Π, self, T)[1]
        value = residual(s.condition, self, T.τ, T.lid)
        outcome = bool(self.the_value(value))
        decided = Decided(value, outcome, len(self.ways[T.lid]))
        visit = self._visits[id(s), T.lid] = self._visits.get((id(s), T.lid), 0) + 1
        if visit <= VISITS:
            self.conditions.setdefault((id(s), visit), {})[T.lid] = decided
        if not isinstance(value, int):
            self.ways[T.lid].append(decided)
        return (sem.if_true if outcome else sem.if_false)(self.Π, self, T, s, ss)[1]


STEPS, RUNS_STEP = 30_000, 4
"""Of one search: what it finds takes half of that, nearly always. So many steps of a plain run count as one."""
RUN_STEPS, RUN_STEPS_OF_THREAD = 10_000, 60
"""Of a run, and so many more for each thread."""
TRIES = 3
"""How often one goal is tried, from different runs."""
ATTEMPTS = 12
"""How many stores are begun with in one try."""
ROOTS = 2
"""Of so many threads the equations are solved."""
MOST_THREADS, MOST_CELLS = 12, 8
"""So many threads are looked at for a goal, and so many initial cells are changed."""
EVALUATIONS, EVALUATIONS_OF_TRY = 3, 6_000
"""Of conditions: in all for each step, and in one try."""
PARTS_OF_ONE = 16
"""An expression of more parts counts as several."""

_PART, _BEGIN, _TURN = range(3)
"""What comes first of the stores to run: those that should part threads, then fresh ones, then those that turn all."""
_MIXED = 3
_KINDS, _MOST_KINDS = 8, 32
"""Of stores to begin with: the simplest values everywhere, the next ones everywhere, then mixed ones."""
_RELATIONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class _Store:
    """What shared memory holds at first: the given cells, and elsewhere simple values of a kind."""

    kind: int
    cells: Mapping[Cell, int] = field(default_factory=dict)
    first: tuple[int, ...] = ()
    """The threads that it should part."""


@dataclass(frozen=True, slots=True)
class _Goal:
    """Values that should not all be equal; by a thread, or -1 for a number."""

    values: Mapping[int, Decided]
    key: tuple[object, ...]
    kind: int


def separate(
    shader: core.Shader,
    *,
    threads: int,
    pools: Mapping[core.Type, Sequence[int]],
    simple: Simple,
    seed: int = 0,
    steps: int = STEPS,
    notion: sem.Notion = sem.CONTROL_STACKS,
) -> RunResult:
    """Looks for a run that diverges, for so many steps of runs and of following them: DIVERGES or NOT_SEEN.

    `pools` are values worth trying by type, `simple` those of a cell from the simplest on. A pure function of its
    arguments.
    """
    return _Search(shader, threads, pools, simple, seed, notion).found(steps)


@dataclass
class _Search:
    shader: core.Shader
    n: int
    pools: Mapping[core.Type, Sequence[int]]
    simple: Simple
    seed: int
    notion: sem.Notion

    def __post_init__(self) -> None:
        self.Π = RunnableProgram(self.shader)
        self.arrays = {a.name: a for a in self.shader.arrays}
        self.relevant = Relevance(self.shader).names
        self.tally, self.rng = Tally(), Random(self.seed)
        self.left = 0
        """Evaluations of conditions."""
        self._depends = False
        """Whether what shared memory holds at first decides any condition."""
        self.steps = RUN_STEPS + RUN_STEPS_OF_THREAD * self.n
        self._compiled: dict[int, tuple[core.Expr, Evaluate, int]] = {}
        """By identity: expressions, compiled, with the cost of their evaluation."""
        self._tried: dict[tuple[object, ...], int] = {}
        self._seen: set[tuple[int, bool]] = set()
        """Conditions, by identity, and the outcomes that they had in some run."""

    def found(self, steps: int) -> RunResult:
        """The first divergence among the stores that the search comes to."""
        queue: list[tuple[int, int, _Store]] = []
        number = begun = taken = 0
        self.left = EVALUATIONS * steps
        while taken < steps and self.left > 0 and (queue or begun < _MOST_KINDS):
            if not queue and begun and not self._depends:
                break
            if not queue:
                kinds = range(begun, begun + _KINDS if begun else 1)
                queue = [(_BEGIN, kind, _Store(kind)) for kind in kinds]
                begun += len(kinds)
                self._tried.clear()
            _, _, store = heappop(queue)
            run = run_program(self.Π, self.n, self.initial(store), preferring(store.first), self.steps, self.notion)
            taken += run.steps // RUNS_STEP
            if run.witness is not None:
                return RunResult(run.outcome, taken, run.witness)
            followed = Followed(self.shader, self.n, self.notion, self.tally, self.relevant, self.initial(store))
            taken += followed.steps
            self._depends |= followed.depends
            for goal in self._goals(followed):
                other = self._reached(goal, store, followed)
                if other is not None:
                    heappush(queue, (goal.kind, number, other))
                    number += 1
        return RunResult(Outcome.NOT_SEEN, taken)

    def initial(self, store: _Store) -> Initial:
        """A store as a function of array and index; workgroup memory is zero unless a cell of it is given."""

        def value(array: str, index: int) -> int:
            given = store.cells.get((array, index))
            if given is not None:
                return given
            values = self.simple(array, index) if self._is_open((array, index)) else (0,)
            if store.kind < _MIXED:
                return values[min(store.kind, len(values) - 1)]
            return Random(f"{self.seed} {store.kind} {array} {index}").choice(values)

        return value

    def _is_open(self, cell: Cell) -> bool:
        """Whether a cell can hold anything at first: workgroup memory is zero in WGSL."""
        return self.arrays[cell[0]].space is not core.Space.WORKGROUP

    # ---------------------------------------------------------------------------------------------------------- goals

    def _goals(self, followed: Followed) -> Iterator[_Goal]:
        """What to reach from a run: where threads could part, and conditions that never turned so far."""
        seen = {(s, d.outcome) for (s, _), by_thread in followed.conditions.items() for d in by_thread.values()}
        if not seen <= self._seen:  # from here what was tried in vain may be reached
            self._seen |= seen
            self._tried.clear()
        for (s, visit), by_thread in followed.conditions.items():
            outcomes = {decided.outcome for decided in by_thread.values()}
            if len(outcomes) == 1 and len({as_key(decided.value) for decided in by_thread.values()}) > 1:
                some = {thread: by_thread[thread] for thread in ends_first(sorted(by_thread))[:MOST_THREADS]}
                yield _Goal(some, (s, visit), _PART)
            for thread, decided in by_thread.items():
                if not isinstance(decided.value, int) and (s, not decided.outcome) not in self._seen:
                    number = Decided(decided.outcome, decided.outcome, 0)
                    yield _Goal({thread: decided, -1: number}, (s, not decided.outcome), _TURN)
                    break

    def _reached(self, goal: _Goal, store: _Store, followed: Followed) -> _Store | None:
        """A store that differs in a few cells and reaches a goal, each thread's way there being the same."""
        tried = self._tried.get(goal.key, 0)
        if tried >= TRIES:
            return None
        self._tried[goal.key] = tried + 1
        enough = self.left - EVALUATIONS_OF_TRY
        values = [d.value for d in goal.values.values() if not isinstance(d.value, int)]
        cells = [c for c in dict.fromkeys(cell for e in values for cell in self.tally.cells(e)) if self._is_open(c)]
        cells.sort(key=lambda c: len(self.simple(*c)) == 1)  # another workgroup is the last thing to try
        world = RunStore(self.initial(store))
        pools = self._pools(values, cells, world)
        for attempt in range(ATTEMPTS):
            world.cells = dict(store.cells)
            if attempt in (1, 2):  # of the first and the last of the threads
                self._climb(values[1 - attempt], cells[:MOST_CELLS], pools, world)
            elif attempt:
                for cell in cells:
                    world.cells[cell] = self.rng.choice(self.simple(*cell) if self.rng.random() < 0.5 else pools[cell])
            for cell in cells[:MOST_CELLS]:
                pair = self._changed(goal, cell, pools[cell], world, followed)
                if pair is not None:
                    return _Store(store.kind, world.cells, tuple([i for i in pair if i >= 0]))
                if self.left <= max(0, enough):
                    return None
        return None

    def _pools(self, values: Sequence[core.Expr], cells: Sequence[Cell], world: RunStore) -> dict[Cell, list[int]]:
        """Ascending, the values of each cell to try: also those that a comparison has on its sides."""
        sides: set[int] = set()
        for e in values:
            for one in core.walk_expr(e):
                if isinstance(one, core.Binary) and _relation(one) in _RELATIONS:
                    sides |= {self.value(side, world) + d for side in (one.left, one.right) for d in (-1, 0, 1)}
        found: dict[Cell, list[int]] = {}
        for cell in cells:
            type = self.arrays[cell[0]].type
            near = set() if type is core.Type.BOOL else {wrap(v, type) for v in sides}
            pool = sorted({*self.pools[type], *self.simple(*cell), *near})
            found[cell] = sorted({*pool, *self._roots(values[:ROOTS], cell, pool, world)})
        return found

    def _roots(self, values: Sequence[core.Expr], cell: Cell, pool: Sequence[int], world: RunStore) -> Iterator[int]:
        """Values of a cell between two of its pool at which the sides of an equation may be equal."""
        before = world.get(*cell)
        for e in values:
            for one in core.walk_expr(e):
                if isinstance(one, core.Binary) and _relation(one) in ("==", "!=") and cell in self.tally.cells(one):
                    yield from self._crossings(one, cell, pool, world)
        world.cells[cell] = before

    def _crossings(self, e: core.Binary, cell: Cell, pool: Sequence[int], world: RunStore) -> Iterator[int]:
        """Where the left side comes to be larger than the right one, or no longer is."""

        def larger(value: int) -> bool:
            world.cells[cell] = value
            return self.value(e.left, world) > self.value(e.right, world)

        for low, high in pairwise(pool):
            if high - low < 2 or (was := larger(low)) == larger(high):
                continue
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if larger(middle) == was else (low, middle)
            yield from (low, high)

    def _climb(self, e: core.Expr, cells: Sequence[Cell], pools: Mapping[Cell, Sequence[int]], world: RunStore) -> None:
        """Turns a condition by its parts, one cell after the other: all of `a && b && c` have to hold."""
        wanted = not self.value(e, world)
        left = self._lacking(e, wanted, world)
        improved = True
        while left and improved:
            improved = False
            for cell in cells:
                before = world.get(*cell)
                for value in pools[cell]:
                    world.cells[cell] = value
                    lacking = self._lacking(e, wanted, world)
                    if lacking < left:
                        left, improved = lacking, True
                        break
                else:
                    world.cells[cell] = before

    def _lacking(self, e: core.Expr, wanted: bool, world: RunStore) -> int:
        """How many parts of a condition have to turn for it to be as wanted."""
        if isinstance(e, core.Unary) and e.op == "!":
            return self._lacking(e.operand, not wanted, world)
        if isinstance(e, core.Binary) and e.op in ("&&", "||"):
            parts = [self._lacking(part, wanted, world) for part in (e.left, e.right)]
            return sum(parts) if (e.op == "&&") is wanted else min(parts)
        return int(bool(self.value(e, world)) is not wanted)

    def _changed(
        self, goal: _Goal, cell: Cell, pool: Sequence[int], world: RunStore, followed: Followed
    ) -> tuple[int, int] | None:
        """The threads that a value of one cell parts, the world then having it; None if none is found."""
        before = world.get(*cell)
        last: tuple[int, list[bool]] | None = None
        for value in pool:
            row = self._row(goal, cell, value, world)
            low, high = (last or (value, row)), (value, row)
            while low[1] != high[1] and len({*low[1]}) == len({*high[1]}) == 1 and high[0] - low[0] > 1:
                middle = (low[0] + high[0]) // 2
                between = self._row(goal, cell, middle, world)
                low, high = (low, (middle, between)) if between != low[1] else ((middle, between), high)
            for at, outcomes in (low, high):
                if len({*outcomes}) > 1:
                    world.cells[cell] = at
                    pair = self._parted(goal, outcomes, world, followed)
                    if pair is not None:
                        return pair
            last = value, row
        world.cells[cell] = before
        return None

    def _row(self, goal: _Goal, cell: Cell, value: int, world: RunStore) -> list[bool]:
        """The outcome of each thread's condition, if a cell holds a value."""
        world.cells[cell] = value
        return [bool(self.value(decided.value, world)) for decided in goal.values.values()]

    def _parted(
        self, goal: _Goal, outcomes: Sequence[bool], world: RunStore, followed: Followed
    ) -> tuple[int, int] | None:
        """Two threads that come to the goal's condition as in the run, and leave it otherwise."""
        pair: dict[bool, int] = {}
        for (thread, decided), outcome in zip(goal.values.items(), outcomes, strict=True):
            if outcome not in pair:
                way = followed.ways[thread][: decided.before] if thread >= 0 else ()
                if all(bool(self.value(d.value, world)) == d.outcome for d in way):
                    pair[outcome] = thread
        return (pair[False], pair[True]) if len(pair) == 2 else None

    def value(self, value: Any, world: RunStore) -> int:
        """The number that a value over initial cells is if shared memory begins as a world."""
        if isinstance(value, int):
            return value
        known = self._compiled.get(id(value))
        if known is None:
            takes = 1 + sum(1 for _ in core.walk_expr(value)) // PARTS_OF_ONE
            known = self._compiled[id(value)] = value, compiled(value), takes
        self.left -= known[2]
        found: int = known[1](world, {}, 0)
        return found


def _relation(e: core.Binary) -> str:
    """The operator without the type that it is of: `f32.==` is an equation, too."""
    return e.op.rpartition(".")[2]
