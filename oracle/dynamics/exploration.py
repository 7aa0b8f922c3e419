"""All runs of a shader within stated bounds: every schedule, and every initial store over the values worth trying.

What makes it few runs. Threads meet only in shared memory, so from one barrier to the next a turn ends only before an
access to a *contested* cell: one that two threads access, one of them writing. Which cells these are is found on the
way: a part between barriers that contests a new cell is begun again with it. Initial cells are not chosen but kept as
unknowns until a condition or an index depends on them (`symbolic`). States are compared by what can influence control
flow (`relevance`) and, past a barrier, without the history that all stacks share: so a loop ends where a state repeats.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter

from wgsl_fuzz.oracle.dynamics import semantics as sem
from wgsl_fuzz.oracle.dynamics.runs import run_schedule
from wgsl_fuzz.oracle.dynamics.stores import values_worth_trying
from wgsl_fuzz.oracle.dynamics.symbolic import Cell, Memory, Relevance, TooMuch, UndecidedValue, as_key, residual
from wgsl_fuzz.oracle.dynamics.witness import Witness
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl.ast import If, Loop, Shader, Space, Type, walk


@dataclass(frozen=True, slots=True)
class Endless:
    """Runs that no schedule brings to an end; that is no divergence (Definition 3.2)."""

    waits: tuple[int, int] | None = None
    """A thread that waits at a barrier meanwhile, and the barrier's ID; None: no run met has one."""
    loops: tuple[int, int] | None = None
    """The first thread that comes back to a loop for ever, and the loop's ID; None: all pass barriers for ever."""


def endless_of(threads: Sequence[sem.Thread], spinning: Set[int]) -> Endless:
    """The Endless of a state in which some threads spin at a loop, and the others wait or have ended."""
    barriers = {i: sem.barrier_of(T) for i, T in enumerate(threads) if i not in spinning}
    waits = next(((i, barrier) for i, barrier in barriers.items() if barrier is not None), None)
    first = min(spinning)
    ss = threads[first].ss
    assert ss is not None, "a thread that has ended does not spin"
    assert isinstance(ss[0], Loop), "states are compared at loops"
    return Endless(waits, (first, ss[0].id))


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of an exploration. CONVERGES requires that none was reached."""

    steps: int = 40_000
    """The steps of all runs together."""
    turn: int = 2_000
    """The steps of one thread in one turn."""
    lockstep: bool = True
    """Whether threads that are equal, and that nothing to come can set apart, need not be followed."""
    lenient: bool = False
    """Whether barriers wait for nobody who waits elsewhere or has ended, unless there are subgroups."""


BOUNDS = Bounds()


@dataclass(frozen=True, slots=True, order=True)
class Race:
    """A data race: two threads access one cell between the same two barriers, and one of them writes."""

    array: str
    index: int
    threads: tuple[int, int]
    cell: str = ""
    """What the text calls the cell, if not `array[index]`."""

    def __str__(self) -> str:
        return self.cell or f"{self.array}[{self.index}]"


@dataclass(frozen=True, slots=True)
class Exploration:
    """DIVERGES with a witness, CONVERGES within `threads` and `values`, or NOT_SEEN and the reasons it is no proof."""

    outcome: Outcome
    steps: int
    threads: int
    values: int
    """How many initial values each cell of the type with most was given."""
    races: tuple[Race, ...]
    """Those met; a run that diverges early may have met only some."""
    gaps: tuple[str, ...] = ()
    witness: Witness | None = None
    endless: Endless | None = None
    """Runs met that never end, rather those where a thread waits; None is no proof that all end."""


Trail = tuple[tuple[int, int], "Trail"] | None
"""The turns that led to a state, the last one first."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A global state on the way from one barrier to the next."""

    σ: Memory
    threads: tuple[sem.Thread, ...]
    trail: Trail
    spinning: frozenset[int] = frozenset()
    """Threads that will never arrive anywhere."""
    accesses: Mapping[Cell, int] = field(default_factory=dict)
    """Since the last barrier, by cell: bit 2i, if thread i has read it, and bit 2i + 1, if it has written."""


@dataclass(slots=True)
class _Turn:
    """A thread's turn so far."""

    σ: Memory
    T: sem.Thread
    accesses: Mapping[Cell, int]
    free: bool
    """Whether the next step may access contested cells."""
    taken: int = 0
    seen: set[object] = field(default_factory=set)
    """States at loops."""
    spins: bool = False


class _Divergence(Exception):
    def __init__(self, node: _Node) -> None:
        super().__init__()
        self.node = node


class _Contention(Exception):
    """A part between barriers contests a new cell, and must be explored again with shorter turns."""


class _OutOfSteps(Exception):
    """The runs together exceeded `Bounds.steps`."""


def explore(
    shader: Shader,
    *,
    threads: int | None = None,
    values: Mapping[Type, Sequence[int]] | None = None,
    bounds: Bounds = BOUNDS,
    notion: sem.Notion = sem.CONTROL_STACKS,
) -> Exploration:
    """Every run of a well-formed shader by `threads` threads (its own number unless given).

    Shared cells hold at first any of the `values` of their type; unless given, those of `values_worth_trying`.
    `notion` is what counts as convergence. Raises ValueError for less than one thread.
    """
    n = shader.workgroup_size if threads is None else threads
    pools = values_worth_trying(shader) if values is None else values
    return _Explorer(shader, n, pools, bounds, notion).explore()


@dataclass
class _Explorer:
    shader: Shader
    n: int
    pools: Mapping[Type, Sequence[int]]
    bounds: Bounds
    notion: sem.Notion

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"a shader is run by at least one thread, not by {self.n}")
        self.Π = sem.Program(self.shader, evaluator=residual)
        self.agree = self.notion.agreement(self.Π.histories)
        self.relevance = Relevance(self.shader)
        self.left = self.bounds.steps
        self._writes = sum(0b10 << 2 * i for i in range(self.n))
        self.gaps: dict[str, None] = {}
        self.races: set[Race] = set()
        self.contested: set[Cell] = set()
        self.endless: Endless | None = None
        self._numbers: dict[object, int] = {}
        """A number for each key, so that keys of states are short."""
        self._known: dict[int, tuple[sem.Thread, int]] = {}
        """By identity, threads met in this part, and the numbers of their keys with their history."""
        self._touched: dict[Cell, int] = {}
        """By cell, who accessed it on any path of this part, as `_Node.accesses` has it."""
        functions = self.shader.all_functions
        self._has_subgroups = any(isinstance(s, sem.SubgroupBarrier) for f in functions for s in walk(f.body))
        self.lenient = self.bounds.lenient and not self._has_subgroups
        self._exchanged = frozenset([a.name for a in self.shader.arrays if isinstance(a, sem.ExchangeArray)])
        self._locals = [v.name for f in functions for v in (*f.params, *f.locals) if v.name in self.relevance.names]

    # ------------------------------------------------------------------------------------------------ the search

    def explore(self) -> Exploration:
        """Breadth first over what follows each barrier, lest one endless loop hide what other stores do."""
        arrays = {a.name: a.type for a in self.shader.arrays}
        σ = Memory(arrays, self.pools, self.relevance.names)
        queue = deque([(0, _Node(σ, tuple(self.Π.initial_threads(self.n)), None))])
        numbers: dict[object, int] = {}
        followers: dict[int, list[int]] = {}
        witness = None
        try:
            while queue:
                number, start = queue.popleft()
                if self.bounds.lockstep and self._in_lockstep(start):
                    continue
                ahead = followers.setdefault(number, [])
                for node in self._phase(start):
                    key = self._key(node, history=False)
                    if key not in numbers:
                        numbers[key] = len(numbers) + 1
                        queue.append((numbers[key], node))
                    ahead.append(numbers[key])
        except _Divergence as found:
            witness = self._witness(found.node)
        except _OutOfSteps:
            self.gaps[f"{self.bounds.steps} steps were not enough"] = None
        try:
            TopologicalSorter(followers).prepare()
        except CycleError:
            self.endless = self.endless or Endless()
        outcome = Outcome.DIVERGES if witness else Outcome.NOT_SEEN if self.gaps else Outcome.CONVERGES
        steps = self.bounds.steps - self.left
        values = max([len(self.pools[type]) for type in arrays.values()], default=0)
        races, gaps = tuple(sorted(self.races)), () if witness else tuple(self.gaps)
        return Exploration(outcome, steps, self.n, values, races, gaps, witness, self.endless)

    def _in_lockstep(self, start: _Node) -> bool:
        """Whether all threads will do the same for ever, whatever shared memory holds."""
        T = start.threads[0]
        key = self._thread_key(T, history=False)  # not all notions ask for equal stacks
        if any(self._thread_key(other, history=False) != key for other in start.threads[1:]):
            return False
        calls = [e for e in sem.elements_of(T.κ) if isinstance(e, sem.FunctionElement)]
        for ss in (T.ss, *(call.ss for call in calls)):
            while ss is not None:
                s, ss = ss
                if any(map(self.relevance.sets_apart, s.body if isinstance(s, sem.Continuing) else (s,))):
                    return False
        return True

    def _phase(self, start: _Node) -> list[_Node]:
        """From one barrier to the next, on every schedule: the states behind the latter."""
        self.contested = set()
        while True:
            try:
                behind, stuck = self._search(start)
            except _Contention:
                continue
            for endless in stuck:
                if self.endless is None or self.endless.waits is None:
                    self.endless = endless
            return behind

    def _search(self, start: _Node) -> tuple[list[_Node], list[Endless]]:
        """The states behind the barrier, and what is known of runs that come to none."""
        self._touched = {}
        self._known.clear()
        stack = [start]
        for i in range(self.n):  # what comes before a thread's first contested access concerns nobody else
            stack = [after for node in stack for after in self._turn(node, i, free=False)]
        seen: set[object] = set()
        behind: list[_Node] = []
        stuck: list[Endless] = []
        while stack:
            node = stack.pop()
            key = self._key(node, history=True)
            if key in seen:
                continue
            seen.add(key)
            running = [i for i, T in enumerate(node.threads) if i not in node.spinning and not sem.waits(T)]
            for i in running:
                stack += self._turn(node, i, free=True)
            if node.spinning and not running:
                stuck.append(endless_of(node.threads, node.spinning))
            elif not running:
                synced = sem.barrier_sync(sem.Global(node.σ, node.threads), self.agree)
                threads = () if synced is None else synced.threads
                if self.lenient and any(sem.barrier_of(T) is not None for T in node.threads):
                    threads = tuple([T if sem.barrier_of(T) is None else sem.past_barrier(T) for T in node.threads])
                if threads:
                    behind.append(_Node(node.σ, threads, node.trail))
        return behind, stuck

    # ---------------------------------------------------------------------------------------------------- a turn

    def _turn(self, node: _Node, i: int, free: bool) -> Iterator[_Node]:
        """Thread i's turn: up to a barrier, its end, or an access to a contested cell (but for the first if `free`).

        There are several results where initial values decide. One that reaches a bound is left out, and noted.
        """
        stack = [_Turn(node.σ, node.threads[i], node.accesses, free)]
        while stack:
            turn = stack.pop()
            try:
                parts = self._advance(i, turn)
            except TooMuch as bound:
                self.gaps[str(bound)] = None
                continue
            if parts is None:
                yield self._after(node, i, turn, all_compared=free)
            else:
                stack += [replace(turn, σ=part, seen=set(turn.seen)) for part in parts]

    def _advance(self, i: int, turn: _Turn) -> list[Memory] | None:
        """Thread i on to the end of its turn; or the memories to go on with, where initial values decide."""
        log, contested = turn.σ.log, self.contested
        while not sem.waits(turn.T):
            if self._spins(turn):
                turn.spins = True
                return None
            if turn.taken >= self.bounds.turn:
                raise TooMuch(f"a thread took {self.bounds.turn} steps in one turn")
            if not self.left:
                raise _OutOfSteps
            self.left -= 1
            log.clear()
            try:
                following, T = self._step(turn.σ, turn.T)
            except UndecidedValue as undecided:
                return list(turn.σ.split(undecided.expression).values())
            if log:
                if not turn.free and not contested.isdisjoint([cell for cell, _ in log]):
                    return None
                for cell, written in log:
                    self._note(i, cell, written, turn)
            turn.σ, turn.T, turn.free = following, T, False
            turn.taken += 1
        return None

    def _step(self, σ: Memory, T: sem.Thread) -> tuple[Memory, sem.Thread]:
        """One step by the rules, with conditions decided first."""
        if T.ss is not None and isinstance(s := T.ss[0], If):
            rule = sem.if_true if σ.the_value(residual(s.condition, σ, T.τ, T.lid)) else sem.if_false
            return rule(self.Π, σ, T, s, T.ss[1])  # type: ignore[return-value]
        return sem.step(self.Π, σ, T)  # type: ignore[return-value]

    def _spins(self, turn: _Turn) -> bool:
        """Whether the thread stands at a loop in a state in which it stood in this turn before."""
        if turn.T.ss is None or turn.T.ss[0].__class__ is not Loop:
            return False
        key = (turn.σ.key, self._thread_key(turn.T, history=False))
        if key in turn.seen:
            return True
        turn.seen.add(key)
        return False

    def _note(self, i: int, cell: Cell, written: bool, turn: _Turn) -> None:
        """Notes an access: the races it completes on this path, and whether any two paths contest the cell."""
        if cell[0] in self._exchanged:
            return
        before, bit = turn.accesses.get(cell, 0), 1 << 2 * i + written
        if not before & bit:
            against = (before if written else before & self._writes) & ~(0b11 << 2 * i)
            for j in range(self.n) if against else ():
                if against >> 2 * j & 0b11:
                    self.races.add(Race(*cell, (min(i, j), max(i, j))))
            turn.accesses = {**turn.accesses, cell: before | bit}
        if cell[0] in self.relevance.names and cell not in self.contested:
            touched = self._touched[cell] = self._touched.get(cell, 0) | bit
            if touched & self._writes and touched & ~(0b11 << 2 * i):
                self.contested.add(cell)
                raise _Contention

    def _after(self, node: _Node, i: int, turn: _Turn, all_compared: bool) -> _Node:
        """The state after a turn; raises _Divergence if the thread has come to another place than one that waits.

        `all_compared` says that the others that wait were compared with each other.
        """
        threads = (*node.threads[:i], turn.T, *node.threads[i + 1 :])
        trail = ((i, turn.taken), node.trail) if turn.taken else node.trail
        spinning = node.spinning | {i} if turn.spins else node.spinning
        after = _Node(turn.σ, threads, trail, spinning, turn.accesses)
        if turn.spins or not sem.waits(turn.T):
            return after
        if not self._has_subgroups:
            if not self.lenient and self._is_alone(threads, i, one_will_do=all_compared):
                raise _Divergence(after)
            return after
        arrived = G = sem.Global(turn.σ, threads)
        while (synced := sem.subgroup_sync(G, self.agree)) is not None:
            G = synced
        if G is not arrived:
            after = replace(after, threads=G.threads)
        # Where no subgroup goes on, all but the one that arrived were compared when they did.
        if self._is_alone(threads, i) if G is arrived else sem.barrier_error(G, self.agree) is not None:
            raise _Divergence(after)
        return after

    def _is_alone(self, threads: Sequence[sem.Thread], i: int, one_will_do: bool = False) -> bool:
        """Whether thread i, which waits or has ended, diverges from another that does.

        Agreement is an equivalence: `one_will_do` where the others agree.
        """
        T = threads[i]
        for j, other in enumerate(threads):
            if j != i and sem.waits(other):
                if sem.diverge(T, other, self.agree):
                    return True
                if one_will_do:
                    return False
        return False

    # ------------------------------------------------------------------------------------------- keys and witness

    def _key(self, node: _Node, *, history: bool) -> object:
        """Equal for states with equal futures; past a barrier all histories agree, and are left out."""
        of = self._number_of if history else self._thread_key
        return self._numbered(node.σ.key), node.spinning, tuple(map(of, node.threads))

    def _numbered(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _number_of(self, T: sem.Thread) -> int:
        """Equal for threads with equal keys. From one state to the next only one thread is another."""
        known = self._known.get(id(T))
        if known is None:
            known = self._known[id(T)] = T, self._numbered(self._thread_key(T, history=True))
        return known[1]

    def _thread_key(self, T: sem.Thread, *, history: bool = False) -> object:
        place: list[int] = []
        ss: sem.Continuation = T.ss
        while ss is not None:
            s, ss = ss
            place.append(~s.id if isinstance(s, sem.Continuing) else id(s))
        κ: sem.ControlStack = T.κ
        while κ is not None:
            element, κ = κ
            place.append(element.id)
            if history and isinstance(element, sem.LoopElement) and element.id in self.relevance.barrier_loops:
                place.append(element.cs)
        τ = T.τ
        return tuple(place), tuple([v if isinstance(v := τ[x], int) else as_key(v) for x in self._locals])

    def _witness(self, node: _Node) -> Witness:
        """The divergence again, by the rules alone, on a store that leads there."""
        turns: list[tuple[int, int]] = []
        trail = node.trail
        while trail is not None:
            turn, trail = trail
            turns.append(turn)
        small = frozenset([a.name for a in self.shader.arrays if a.space is Space.WORKGROUP])
        cells = node.σ.example(small)
        found = run_schedule(self.shader, self.n, cells, turns[::-1], self.notion)
        if found.witness is None:
            raise AssertionError("exploration and execution disagree: a defect of one of them")
        return found.witness
