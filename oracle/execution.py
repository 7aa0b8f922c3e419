"""Running a shader: a schedule and a store make one run of the semantics; sampling makes several.

A schedule gives turns. In round-robin and random order a thread's turn lasts until the thread waits at a barrier, has
ended, or stands before a statement that accesses shared memory (or before a loop, so that no thread runs forever in one
turn). Nothing is lost by not interleaving more: a step that leaves shared memory alone commutes with every step of
every other thread.
"""

import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from oracle.semantics import (
    Continuing,
    FunctionElement,
    Global,
    Program,
    Store,
    Thread,
    barrier_error,
    barrier_of,
    barrier_sync,
    diverge,
    ended,
    step,
    zero,
)
from oracle.verdict import Outcome
from oracle.witness import Cell, Frame, Stop, Witness
from tinywgsl.ast import (
    Barrier,
    Literal,
    Loop,
    Shader,
    SharedAssign,
    SharedRead,
    Space,
    Stmt,
    Type,
    expressions_in,
    expressions_of,
    walk_expr,
)
from tinywgsl.values import I32_MAX, U32_MAX, wrap

Initial = Callable[[str, int], int]
"""What a shared store holds at first, by array and index: any index, for the paper's σ is total."""

STEPS = 10_000
"""How many steps a run may take unless told otherwise, all threads together."""


class Order(Enum):
    """Whose turn it is, of the threads that can take one."""

    IN_ORDER = "in order"
    REVERSED = "reversed"
    ROUND_ROBIN = "round-robin"
    RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Execution:
    """What came of one run, or of several: the steps are those of all runs together."""

    outcome: Outcome
    steps: int
    witness: Witness | None = None


# --------------------------------------------------------------------------------------------------------- stores


def zeros(shader: Shader) -> Initial:
    """The store of zeros and falses, as WGSL makes it for workgroup memory."""
    return given(shader, {})


def given(shader: Shader, values: Mapping[str, Sequence[int]]) -> Initial:
    """The store with the given values from index 0 on, and zeros elsewhere."""
    return _given_cells(shader, {(x, i): v for x, vs in values.items() for i, v in enumerate(vs)})


def _given_cells(shader: Shader, cells: Mapping[tuple[str, int], int]) -> Initial:
    default = {a.name: zero(a.type) for a in shader.arrays}
    return lambda x, i: cells.get((x, i), default[x])


class _RunStore:
    """σ as one run owns it. A run never looks back, so cells are updated in place (see `semantics.Store`).

    Cells are asked of `initial` when they are first read: `read` ends as the store that the run needed.
    """

    __slots__ = ("cells", "initial", "read", "touched")

    def __init__(self, initial: Initial) -> None:
        self.initial = initial
        self.cells: dict[tuple[str, int], int] = {}
        self.read: dict[tuple[str, int], int] = {}
        self.touched = False
        """Whether any cell was read."""

    def get(self, array: str, index: int) -> int:
        self.touched = True
        key = (array, index)
        value = self.cells.get(key)
        if value is None:
            value = self.cells[key] = self.read[key] = self.initial(array, index)
        return value

    def updated(self, array: str, index: int, value: int) -> "_RunStore":
        self.cells[array, index] = value
        return self


class _Pool:
    """The values worth trying in a shared cell of a shader."""

    def __init__(self, shader: Shader) -> None:
        literals = {e.value for f in shader.all_functions for e in expressions_in(f.body) if isinstance(e, Literal)}
        near = {int(v) + d for v in literals for d in (-1, 0, 1)}
        self.arrays = {a.name: a for a in shader.arrays}
        self.values: dict[Type, list[int]] = {
            Type.U32: sorted({0, 1, U32_MAX} | {wrap(v, Type.U32) for v in near}),
            Type.I32: sorted({0, 1, I32_MAX} | {wrap(v, Type.I32) for v in near}),
            Type.BOOL: [False, True],
        }

    def draw(self, rng: random.Random, zeroed: bool) -> Initial:
        """A store of arbitrary values; `zeroed`: but for workgroup memory."""

        def value(array: str, _index: int) -> int:
            declared = self.arrays[array]
            if declared.type is not Type.BOOL and rng.random() < 0.25:
                drawn = rng.randrange(16)
            else:
                drawn = rng.choice(self.values[declared.type])
            # Drawn in any case: the other cells should not change when this one does.
            return zero(declared.type) if zeroed and declared.space is Space.WORKGROUP else drawn

        return value


# ------------------------------------------------------------------------------------------------------ schedules

Scheduler = Callable[[list[int]], tuple[int, int]]
"""From the threads that can take a turn, ascending, to one of them and the most steps of its turn (0: as above)."""


_UNTIL_IT_WAITS = sys.maxsize


def _scheduler(order: Order, seed: int) -> Scheduler:
    rng = random.Random(seed) if order is Order.RANDOM else None
    last = -1

    def turn(threads: list[int]) -> tuple[int, int]:
        nonlocal last
        if order is Order.IN_ORDER or len(threads) == 1:
            return threads[0], _UNTIL_IT_WAITS
        if order is Order.REVERSED:
            return threads[-1], _UNTIL_IT_WAITS
        last = rng.choice(threads) if rng is not None else next((i for i in threads if i > last), threads[0])
        return last, 0

    return turn


def _recorded(schedule: Sequence[tuple[int, int]]) -> Scheduler:
    """The recorded turns; where they do not fit (another shader than they were recorded on), in order."""
    turns = iter(schedule)

    def following(threads: list[int]) -> tuple[int, int]:
        return next((turn for turn in turns if turn[0] in threads), (threads[0], 0))

    return following


# ----------------------------------------------------------------------------------------------------------- runs


class _Switches:
    """Before which statements of a shader a turn ends: those that access shared memory, and loops."""

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}

    def before(self, s: Stmt | Continuing) -> bool:
        # By identity: the shader outlives its runs, and hashing a statement costs as much as the whole answer.
        answer = self._known.get(id(s))
        if answer is None:
            answer = self._known[id(s)] = not isinstance(s, Continuing) and _accesses_shared(s)
        return answer


def _accesses_shared(s: Stmt) -> bool:
    if isinstance(s, SharedAssign | Loop):
        return True
    return any(isinstance(part, SharedRead) for e in expressions_of(s) for part in walk_expr(e))


class _Run:
    """One run: the global state, and what of it a witness needs."""

    def __init__(
        self, Π: Program, switches: _Switches, n: int, initial: Initial, scheduler: Scheduler, steps: int
    ) -> None:
        if n < 1:
            raise ValueError(f"a shader is run by at least one thread, not by {n}")
        self.Π = Π
        self.switches = switches
        self.σ = _RunStore(initial)
        self.threads = Π.initial_threads(n)
        self.running: list[int] = []
        self.scheduler = scheduler
        self.steps = steps
        self.left = steps
        self.schedule: list[tuple[int, int]] = []

    def go(self) -> Execution:
        """Runs to the end, to barrier divergence, or until no step is left."""
        while True:
            pair = self._until_all_wait()
            if pair is not None:
                return Execution(Outcome.DIVERGES, self.steps - self.left, self._witness(*pair))
            if self.running:
                return Execution(Outcome.OUT_OF_STEPS, self.steps)
            synced = barrier_sync(self._state())
            if synced is None:
                return Execution(Outcome.NOT_SEEN, self.steps - self.left)
            self.threads = list(synced.threads)

    def _state(self) -> Global:
        return Global(self.σ, tuple(self.threads))

    def _until_all_wait(self) -> tuple[int, int] | None:
        """THREAD, until it applies no more, no step is left, or two threads diverge: the numbers of these two."""
        pair = barrier_error(self._state())
        self.running = [i for i, T in enumerate(self.threads) if not _waits(T)]
        first = next((i for i, T in enumerate(self.threads) if _waits(T)), None)
        last = None
        while pair is None and self.running and self.left:
            i, limit = self.scheduler(self.running)
            taken = self._turn(i, limit)
            if i == last:
                self.schedule[-1] = (i, self.schedule[-1][1] + taken)
            else:
                self.schedule.append((i, taken))
            last = i
            if _waits(self.threads[i]):
                self.running.remove(i)
                first = i if first is None else first
                # One comparison does, for agreement is an equivalence.
                pair = (first, i) if diverge(self.threads[first], self.threads[i]) else None
        return pair

    def _turn(self, i: int, limit: int) -> int:
        """Thread i's turn, of at most `limit` steps unless that is 0; the number of steps it took."""
        Π, before, T = self.Π, self.switches.before, self.threads[i]
        σ: Store = self.σ
        taken = 0
        most = min(limit or self.left, self.left)
        while taken < most:
            σ, T = step(Π, σ, T)
            taken += 1
            if T.ss is None or isinstance(T.ss[0], Barrier) or (not limit and before(T.ss[0])):
                break
        self.threads[i] = T
        self.left -= taken
        return taken

    def _witness(self, i: int, j: int) -> Witness:
        spaces = {a.name: a.space for a in self.Π.shader.arrays}
        store = tuple(Cell(x, index, v) for (x, index), v in sorted(self.σ.read.items()))
        return Witness(
            threads=len(self.threads),
            declared=self.Π.shader.workgroup_size,
            store=store,
            needs_store=any(c.value and spaces[c.array] is Space.WORKGROUP for c in store),
            schedule=tuple(self.schedule),
            stops=(self._stop(min(i, j)), self._stop(max(i, j))),
            reset_locals=self.Π.reset_locals,
        )

    def _stop(self, i: int) -> Stop:
        T = self.threads[i]
        frames = [
            Frame(element.id, None if isinstance(element, FunctionElement) else tuple(reversed(ids)))
            for element, ids in self.Π.render(T.κ)
        ]
        return Stop(i, barrier_of(T), tuple(frames))


def _waits(T: Thread) -> bool:
    return barrier_of(T) is not None or ended(T)


# ---------------------------------------------------------------------------------------------------- the oracle


def execute(
    shader: Shader,
    *,
    threads: int | None = None,
    store: Initial | None = None,
    order: Order = Order.IN_ORDER,
    seed: int = 0,
    steps: int = STEPS,
    reset_locals: bool = True,
) -> Execution:
    """One run: DIVERGES with a witness, NOT_SEEN when it came to its end, or OUT_OF_STEPS.

    `threads` is N (the shader's own unless given), `store` the shared store at first (zeros), `steps` the most steps of
    all threads together, `seed` that of a random `order`. The outcome depends on nothing else. Raises ValueError for
    less than one thread, and `semantics.Stuck` for a shader that is not well formed.
    """
    n = shader.workgroup_size if threads is None else threads
    Π = Program(shader, reset_locals)
    return _Run(Π, _Switches(), n, store or zeros(shader), _scheduler(order, seed), steps).go()


def replay(shader: Shader, witness: Witness) -> Execution:
    """The witness's run again, of as many steps at most: on the shader it was found on, it gives the same witness.

    On another shader it is a good guess: turns that do not fit are left out, cells that are not in its store are zero.
    """
    steps = sum(taken for _, taken in witness.schedule)
    initial = _given_cells(shader, {(c.array, c.index): c.value for c in witness.store})
    Π = Program(shader, witness.reset_locals)
    return _Run(Π, _Switches(), witness.threads, initial, _recorded(witness.schedule), steps).go()


def sample(
    shader: Shader,
    *,
    runs: int = 8,
    seed: int = 0,
    threads: Sequence[int] | None = None,
    steps: int = STEPS,
    reset_locals: bool = True,
) -> Execution:
    """Several runs, until one diverges; a pure function of its arguments.

    Runs take the numbers in `threads` in turn as N (2 unless given: cheap, and nearly always enough). The first run is
    in order on zeros; the next ones have arbitrary stores, in reversed order, round-robin, then in random orders.
    DIVERGES with the first witness; OUT_OF_STEPS if no run ended; else NOT_SEEN. `steps` bounds each run.
    """
    sizes = (2,) if threads is None else tuple(threads)
    if runs < 1 or not sizes:
        raise ValueError("nothing to run")
    sampler = _Sampler(shader, sizes, seed, steps, reset_locals)
    settled: set[int] = set()
    total, some_ended = 0, False
    for k in range(runs):
        if sizes[k % len(sizes)] in settled:
            continue
        run = sampler.run(k)
        result = run.go()
        total += result.steps
        if result.witness is not None:
            if result.witness.needs_store:
                # A run that WGSL allows is worth more; often the same one will do with workgroup memory zeroed.
                tamed = sampler.run(k, zeroed=True).go()
                total += tamed.steps
                result = result if tamed.witness is None else tamed
            return replace(result, steps=total)
        some_ended |= result.outcome is Outcome.NOT_SEEN
        if not run.σ.touched and (result.outcome is Outcome.NOT_SEEN or len(run.threads) <= 2):
            # Nothing shared was read, so no store or schedule changes what a thread does. Where steps ran out, two
            # threads would both have to come to a barrier, and need more steps than there are whatever the order.
            settled.add(len(run.threads))
    return Execution(Outcome.NOT_SEEN if some_ended else Outcome.OUT_OF_STEPS, total)


class _Sampler:
    """The runs of `sample`, by number."""

    _ORDERS = (Order.IN_ORDER, Order.REVERSED, Order.ROUND_ROBIN, Order.RANDOM)

    def __init__(self, shader: Shader, sizes: tuple[int, ...], seed: int, steps: int, reset_locals: bool) -> None:
        self.shader = shader
        self.sizes = sizes
        self.seed = seed
        self.steps = steps
        self.Π = Program(shader, reset_locals)
        self.switches = _Switches()

    @cached_property
    def pool(self) -> _Pool:
        """Made when first needed: most shaders are decided by the first run."""
        return _Pool(self.shader)

    def run(self, k: int, zeroed: bool = False) -> _Run:
        """Run k, a function of k and the seed; `zeroed`: the same with workgroup memory zero at first."""
        initial, schedule_seed = zeros(self.shader), 0
        if k > 0:
            rng = random.Random(self.seed * 1_000_003 + k)
            schedule_seed = rng.getrandbits(32)
            # Drawing cells is apart from drawing turns, lest zeroing memory change the schedule.
            initial = self.pool.draw(random.Random(rng.getrandbits(32)), zeroed)
        scheduler = _scheduler(self._ORDERS[min(k, 3)], schedule_seed)
        return _Run(self.Π, self.switches, self.sizes[k % len(self.sizes)], initial, scheduler, self.steps)
