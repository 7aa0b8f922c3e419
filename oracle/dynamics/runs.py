"""Running a shader: a schedule and a store make one run of the semantics; sampling makes several.

A schedule gives turns. In round-robin and random order a thread's turn lasts until the thread waits at a barrier, has
ended, or stands before a statement that accesses shared memory (or before a loop, so that no thread runs forever in one
turn). Nothing is lost by not interleaving more: a step that leaves shared memory alone commutes with every step of
every other thread.
"""

import random
import sys
from bisect import insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from itertools import permutations

from wgsl_fuzz.oracle.dynamics import semantics as sem
from wgsl_fuzz.oracle.dynamics.compiled import RunnableProgram
from wgsl_fuzz.oracle.dynamics.stores import Initial, Pool, RunStore, Simple, given, given_cells
from wgsl_fuzz.oracle.dynamics.symbolic import Cell, TooMuch
from wgsl_fuzz.oracle.dynamics.witness import Frame, InitialValue, ThreadStop, Witness
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.ast import Shader, Space, Type


class Order(Enum):
    """Whose turn it is, of the threads that can take one."""

    IN_ORDER = "in order"
    REVERSED = "reversed"
    ROUND_ROBIN = "round-robin"
    RANDOM = "random"


Scheduler = Callable[[list[int]], tuple[int, int]]
"""From the threads that can take a turn, ascending, to one of them and the most steps of its turn (0: as above)."""


UNTIL_IT_WAITS = sys.maxsize
Schedule = tuple[Scheduler, bool]
"""A scheduler, and whether the threads that it is given are all that decides its answer."""


def scheduler_of(order: Order, seed: int) -> Schedule:
    rng = random.Random(seed) if order is Order.RANDOM else None
    last = -1

    def turn(threads: list[int]) -> tuple[int, int]:
        nonlocal last
        if order is Order.IN_ORDER or len(threads) == 1:
            return threads[0], UNTIL_IT_WAITS
        if order is Order.REVERSED:
            return threads[-1], UNTIL_IT_WAITS
        last = rng.choice(threads) if rng is not None else next((i for i in threads if i > last), threads[0])
        return last, 0

    return turn, order in (Order.IN_ORDER, Order.REVERSED)


def preferring(first: Sequence[int]) -> Schedule:
    """Each thread until it waits, these before the others."""

    def turn(threads: list[int]) -> tuple[int, int]:
        return next((i for i in first if i in threads), threads[0]), UNTIL_IT_WAITS

    return turn, True


def recorded(schedule: Sequence[tuple[int, int]]) -> Schedule:
    """The recorded turns; where they do not fit (another shader than they were recorded on), in order."""
    turns = iter(schedule)

    def following(threads: list[int]) -> tuple[int, int]:
        return next((turn for turn in turns if turn[0] in threads), (threads[0], 0))

    return following, False


STEPS = 10_000
"""How many steps a run may take unless told otherwise, all threads together."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of one run or several; `steps` is the sum over all runs."""

    outcome: Outcome
    steps: int
    witness: Witness | None = None


_FIRST_KEPT = 16
"""After how many steps of a turn a state is first kept: most turns are shorter."""

# ----------------------------------------------------------------------------------------------------------- runs


class _Run:
    """One run: the global state, and what of it a witness needs."""

    def __init__(
        self, Π: sem.Program, n: int, initial: Initial, schedule: Schedule, steps: int, notion: sem.Notion
    ) -> None:
        if n < 1:
            raise ValueError(f"a shader is run by at least one thread, not by {n}")
        self.Π = Π
        self.notion = notion
        self.lenient = False
        """Whether a barrier waits for nobody who waits elsewhere or has ended, as devices may do it."""
        self.agree = notion.agreement(Π.histories)
        self.σ = RunStore(initial)
        self.threads = Π.initial_threads(n)
        self.running: list[int] = []
        self.arrived: list[tuple[int, sem.Thread]] = []
        """The threads that wait: their numbers, and where they stand."""
        self.in_subgroups = False
        """Whether one has come to the barrier of a subgroup."""
        self.syncs = 0
        self.kept: object = None
        """The state behind a barrier to which later ones are compared."""
        self.pauses: dict[int, bool] = {}
        """By identity of a statement, what `_pauses` says."""
        self.scheduler, self.memoryless = schedule
        self.steps = steps
        self.left = steps
        self.schedule: list[tuple[int, int]] = []

    def go(self) -> RunResult:
        """Runs to the end, to barrier divergence, or until no step is left."""
        while True:
            pair = self._until_all_wait()
            if pair is not None:
                return RunResult(Outcome.DIVERGES, self.steps - self.left, self._witness(*pair))
            if self.running:
                return RunResult(Outcome.OUT_OF_STEPS, self.steps)
            if all(T.ss is None for T in self.threads):
                return RunResult(Outcome.NOT_SEEN, self.steps - self.left)
            # BARRIER-SYNC: all, or two threads would diverge
            self.threads = [T if T.ss is None else sem.past_barrier(T) for T in self.threads]
            self.syncs += 1
            if self.memoryless and self._comes_again():
                return RunResult(Outcome.OUT_OF_STEPS, self.steps)

    def _comes_again(self) -> bool:
        """Whether the state after a barrier is one that came before: then no step is left as in `_turn_alone`.

        Histories of loops do not count: threads that agree on them add the same to them each time around.
        """
        here = list(map(_place, self.threads))
        if (self.σ.cells, here) == self.kept:
            return True
        if self.syncs & (self.syncs - 1) == 0:
            self.kept = self.σ.cells.copy(), here
        return False

    def _until_all_wait(self) -> tuple[int, int] | None:
        """THREAD, until it applies no more, no step is left, or two threads diverge: the numbers of these two."""
        self.running = [i for i, T in enumerate(self.threads) if not sem.waits(T)]
        self.arrived = []
        pair = None
        for i in sorted({*range(len(self.threads))}.difference(self.running)):
            pair = pair or self._arrives(i)
        last = None
        while pair is None and self.running and self.left:
            i, limit = self.scheduler(self.running)
            taken = self._turn(i, limit)
            if i == last:
                self.schedule[-1] = (i, self.schedule[-1][1] + taken)
            else:
                self.schedule.append((i, taken))
            last = i
            if sem.waits(self.threads[i]):
                self.running.remove(i)
                pair = self._arrives(i)
        return pair

    def _arrives(self, i: int) -> tuple[int, int] | None:
        """BARRIER-ERROR, when thread i comes to wait.

        One comparison does, for agreement is an equivalence; with subgroups, where not all expect each other, all do.
        """
        T = self.threads[i]
        s = None if T.ss is None else T.ss[0]
        self.in_subgroups |= isinstance(s, sem.SubgroupBarrier)
        others = self.arrived if self.in_subgroups else self.arrived[:1]
        if self.lenient and not self.in_subgroups:
            others = []
        pair = next(((j, i) for j, other in others if sem.diverge(other, T, self.agree)), None)
        self.arrived.append((i, T))
        return self._pass(T) if pair is None and isinstance(s, sem.SubgroupBarrier) else pair

    def _pass(self, T: sem.Thread) -> tuple[int, int] | None:
        """The subgroup of a thread that waits passes its barrier if all of it is there: no two of it diverge."""
        members = [U.lid for U in self.threads if sem.expects(T, U)]
        if not {*members} <= {j for j, _ in self.arrived}:
            return None
        self.arrived = [(j, U) for j, U in self.arrived if j not in members]
        for j in members:
            self.threads[j] = sem.past_barrier(self.threads[j])
        pair = None
        for j in members:
            if not sem.waits(self.threads[j]):
                insort(self.running, j)
            else:
                pair = pair or self._arrives(j)
        return pair

    def _step(self, i: int) -> core.Stmt | sem.Continuing | None:
        """A step of thread i; the statement at which it then stands, None if that is no step's."""
        T = self.threads[i] = sem.step(self.Π, self.σ, self.threads[i])[1]
        return None if T.ss is None or isinstance(T.ss[0], core.Barrier) else T.ss[0]

    def _turn(self, i: int, limit: int) -> int:
        """Thread i's turn, of at most `limit` steps unless that is 0; the number of steps it took."""
        if limit == UNTIL_IT_WAITS:
            return self._turn_alone(i)
        taken = 0
        most = min(limit or self.left, self.left)
        while taken < most:
            s = self._step(i)
            taken += 1
            if s is None or (not limit and self._pauses(s)):
                break
        self.left -= taken
        return taken

    def _pauses(self, s: core.Stmt | sem.Continuing) -> bool:
        """Whether a turn ends before a statement: it accesses shared memory or is a loop."""
        found = self.pauses.get(id(s))
        if found is None:
            assert not isinstance(s, sem.Continuing), "a continuing is entered by its continue"
            parts = (part for e in core.expressions_of(s) for part in core.walk_expr(e))
            found = isinstance(s, core.Loop | core.SharedAssign) or any(isinstance(p, core.SharedRead) for p in parts)
            self.pauses[id(s)] = found
        return found

    def _turn_alone(self, i: int) -> int:
        """A turn that lasts until the thread waits; the number of steps it takes.

        A state that comes again comes for ever, for nobody else takes a step: then it takes all that are left. By
        Brent's method each state is held against one kept at step 16, 32, 64, ...
        """
        taken, keep = 0, _FIRST_KEPT
        at, kept = None, None
        while taken < self.left:
            s = self._step(i)
            taken += 1
            if s is None:
                break
            if s is at and (self.σ.cells, _place(self.threads[i])) == kept:
                taken = self.left
            elif taken == keep:
                at, kept, keep = s, (self.σ.cells.copy(), _place(self.threads[i])), 2 * keep
        self.left -= taken
        return taken

    def _witness(self, i: int, j: int) -> Witness:
        spaces = {a.name: a.space for a in self.Π.shader.arrays}
        store = tuple(InitialValue(x, index, v) for (x, index), v in sorted(self.σ.read.items()))
        return Witness(
            threads=len(self.threads),
            declared=self.Π.shader.workgroup_size,
            store=store,
            needs_store=any(c.value and spaces[c.array] is Space.WORKGROUP for c in store),
            schedule=tuple(self.schedule),
            stops=(self._stop(min(i, j)), self._stop(max(i, j))),
            convergence=self.notion.name,
        )

    def _stop(self, i: int) -> ThreadStop:
        T = self.threads[i]
        ids = self.Π.histories.ids
        frames = [
            Frame(e.id, tuple(ids(e.cs)[::-1]) if isinstance(e, sem.LoopElement) else None)
            for e in sem.elements_of(T.κ)
        ]
        return ThreadStop(i, sem.barrier_of(T), tuple(frames))


def _place(T: sem.Thread) -> object:
    """What decides, with σ, all that a thread will do; its loops' histories decide nothing but agreement."""
    found, ss = [e.id for e in sem.elements_of(T.κ)], T.ss
    while ss is not None:
        s, ss = ss
        found.append(~s.id if isinstance(s, sem.Continuing) else id(s))
    return T.τ.copy(), found


# ---------------------------------------------------------------------------------------------------- the oracle


def run_to_the_end(
    shader: Shader, store: Initial, steps: int, order: Order = Order.IN_ORDER, *, lenient: bool = False
) -> RunStore | None:
    """The final store of one run; None if it exceeds the bound or diverges; `lenient`: unless subgroups are in it."""
    schedule = scheduler_of(order, 0)
    run = _Run(RunnableProgram(shader), shader.workgroup_size, store, schedule, steps, sem.CONTROL_STACKS)
    run.lenient = lenient
    return run.σ if run.go().outcome is Outcome.NOT_SEEN else None


def replay(shader: Shader, witness: Witness) -> RunResult:
    """The witness's run again, of as many steps at most: on the shader it was found on, it gives the same witness.

    On another shader it is a good guess: turns that do not fit are left out, cells that are not in its store are zero.
    """
    notion = sem.NOTIONS[witness.convergence]
    return run_schedule(shader, witness.threads, witness.cells, witness.schedule, notion)


def run_schedule(
    shader: Shader,
    threads: int,
    cells: Mapping[tuple[str, int], int],
    schedule: Sequence[tuple[int, int]],
    notion: sem.Notion = sem.CONTROL_STACKS,
) -> RunResult:
    """The run of a schedule on a store of the given cells and zeros, of as many steps as the schedule has."""
    steps = sum(taken for _, taken in schedule)
    return run_program(RunnableProgram(shader), threads, given_cells(shader, cells), recorded(schedule), steps, notion)


def run_program(
    Π: sem.Program, threads: int, store: Initial, schedule: Schedule, steps: int, notion: sem.Notion
) -> RunResult:
    """One run of a program."""
    return _Run(Π, threads, store, schedule, steps, notion).go()


def sample(
    shader: Shader,
    *,
    runs: int = 8,
    seed: int = 0,
    threads: int = 2,
    steps: int = STEPS,
    total: int | None = None,
    notion: sem.Notion = sem.CONTROL_STACKS,
) -> RunResult:
    """Several runs, until one diverges; a pure function of its arguments.

    The first run is in order on zeros; the next ones have arbitrary stores, in reversed order, round-robin, then in
    random orders. Two threads are cheap, and nearly always enough.
    DIVERGES with the first witness; OUT_OF_STEPS if no run ended; else NOT_SEEN. `steps` bounds each run; once all
    together have taken `total` steps, no other run begins.
    """
    if runs < 1:
        raise ValueError("nothing to run")
    Π, pool = RunnableProgram(shader), Pool(shader)

    def run(k: int, zeroed: bool = False) -> _Run:
        initial, turns = _drawn(pool, seed, k, zeroed)
        return _Run(Π, threads, initial, turns, steps, notion)

    taken, some_ended = 0, False
    for k in range(runs):
        if total is not None and taken >= total:
            break
        this = run(k)
        result = this.go()
        taken += result.steps
        if result.witness is not None:
            if result.witness.needs_store:
                # A run that WGSL allows is worth more; often the same one will do with workgroup memory zeroed.
                tamed = run(k, zeroed=True).go()
                taken += tamed.steps
                result = result if tamed.witness is None else tamed
            return replace(result, steps=taken)
        some_ended |= result.outcome is Outcome.NOT_SEEN
        if not this.σ.touched and (result.outcome is Outcome.NOT_SEEN or threads <= 2):
            # Nothing shared was read, so no store or schedule changes what a thread does. Where steps ran out, two
            # threads would both have to come to a barrier, and need more steps than there are whatever the order.
            break
    return RunResult(Outcome.NOT_SEEN if some_ended else Outcome.OUT_OF_STEPS, taken)


def _drawn(pool: Pool, seed: int, k: int, zeroed: bool) -> tuple[Initial, Schedule]:
    """The store and the schedule of run k; `zeroed`: the same with workgroup memory zero at first."""
    if k == 0:
        return given(pool.shader, {}), scheduler_of(Order.IN_ORDER, 0)
    rng = random.Random(seed * 1_000_003 + k)
    schedule = scheduler_of((Order.REVERSED, Order.ROUND_ROBIN, Order.RANDOM)[min(k, 3) - 1], rng.getrandbits(32))
    # Drawing cells is apart from drawing turns, lest zeroing memory change the schedule.
    return pool.draw(random.Random(rng.getrandbits(32)), zeroed), schedule


# --------------------------------------------------------------------------------- a witness that people can read

SHRINKING_STEPS = 120_000
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
    with suppress(TooMuch):
        shrinker.shrink()
    return shrinker.witness


class _Shrinker:
    def __init__(self, shader: Shader, witness: Witness, simple: Simple, allowed: Callable[[Witness], bool]) -> None:
        self.shader, self.witness, self.simple, self.allowed = shader, witness, simple, allowed
        self.Π = RunnableProgram(shader)
        self.notion = sem.NOTIONS[witness.convergence]
        self.types = {a.name: a.type for a in shader.arrays}
        self.left = SHRINKING_STEPS
        self.in_order = False
        """Whether threads take turns until they wait: the given schedule is of use no more."""

    def shrink(self) -> None:
        """Fewer turns first, for then runs are short; threads with small numbers once the store is simple."""
        self._with_turns(self._stops)
        for _ in range(ROUNDS):
            before = self.witness
            self._simplest({c: self.simple(*c)[0] for c in self.witness.cells})
            for array in dict.fromkeys(array for array, _ in self.witness.cells):
                self._simplest({c: self.simple(*c)[0] for c in self.witness.cells if c[0] == array})
            for cell in list(self.witness.cells):
                known = self.witness.cells.get(cell)
                if known is not None:
                    any(self._simplest({cell: value}) for value in _before(known, self.simple(*cell)))
            self._shrink_pairs()
            self._with_turns((0, 1))
            if self.witness == before:
                break
        for cell, value in self.witness.cells.items():
            self._halve(cell, value)

    @property
    def _stops(self) -> tuple[int, ...]:
        return tuple([stop.thread for stop in self.witness.stops])

    def _with_turns(self, first: tuple[int, ...]) -> None:
        """Threads that take turns until they wait, some of them first, if the run still diverges."""
        if self._diverges(self.witness.cells, preferring(first)):
            self.in_order = True

    def _simplest(self, values: Mapping[Cell, int]) -> bool:
        """Whether the run still diverges with other values of some cells; then these are taken."""
        cells = self.witness.cells
        if all(cells.get(cell) == value for cell, value in values.items()):
            return False
        turns = preferring(self._stops) if self.in_order else recorded(self.witness.schedule)
        return self._diverges({**cells, **values}, turns)

    def _shrink_pairs(self) -> None:
        """A cell takes its simplest value where another one takes a new simple value with it."""
        for cell, other in permutations([c for c, value in self.witness.cells.items() if value], 2):
            simplest = self.simple(*cell)[0]
            known = self.witness.cells
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
        """Whether a run diverges, which is a witness then. Raises TooMuch."""
        if self.left <= 0:
            raise TooMuch("no run may be tried any more")
        most = max(LEAST_STEPS, 2 * sum([taken for _, taken in self.witness.schedule]))
        # Cells that no run has read so far hold the simplest value.
        store: Initial = lambda x, i: cells[x, i] if (x, i) in cells else self.simple(x, i)[0]  # noqa: E731
        done = run_program(self.Π, self.witness.threads, store, turns, most, self.notion)
        self.left -= done.steps
        found = done.witness
        if found is None or found.needs_store > self.witness.needs_store or not self.allowed(found):
            return False
        self.witness = found
        return True


def _before(value: int, simple: Sequence[int]) -> Iterator[int]:
    for one in simple:
        if one == value:
            return
        yield one
