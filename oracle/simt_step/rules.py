"""SIMT-Step: models (Table 1), states (Table 3), dynamic blocks (section 3), rules (Figs. 7 and 8), and all executions.

σ    the state of a thread ⟨pc, db, R⟩
Σ    those of all threads
M    memory
D    the dynamic blocks, which together are the dynamic execution graph

A rule is a function from a state to the next one: →t of a thread `t`, →g of a dynamic block `db`. `transitions` knows
which of them apply. Tables and definitions that only the paper's supplementary material has are read from sections 3
and 4 (docs/simt-step.md). They say nothing about local instructions, which no other thread can tell apart in any mode.
Where the printed rules cannot be meant:

- T-SYNC-EXECUTE resets the status when the first thread executes; the others would wait for ever. Here the last does.
- G-COLLECTIVE-SUBGROUP and G-COLLECTIVE-MEM leave the program counter where it is. Here it goes on.
- G-COLLECTIVE-CBRANCH takes two fresh blocks from the same D, each with all threads. Here each has those that branch
  to it, the second one is taken from the D of the first, and a block that no thread enters is not created.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import permutations
from types import MappingProxyType

from wgsl_fuzz.oracle.simt_step import shader as ir


class Mode(Enum):
    """How the threads of a dynamic block execute an instruction (section 4, "Modes of Instruction Execution")."""

    INDEPENDENT = "independent"
    """Each thread for itself, in any order."""
    SYNCHRONOUS = "synchronous"
    """Each thread for itself, once all have arrived."""
    COLLECTIVE = "collective"
    """All threads in one step."""


class Kind(Enum):
    """The classes of instructions (Fig. 6)."""

    LABEL = "label"
    LOCAL = "local"
    MEMORY = "memory"
    SUBGROUP = "subgroup"
    MERGE = "merge"
    TERM = "branch"


Model = Mapping[Kind, Mode]

_ALONE = MappingProxyType(dict.fromkeys(Kind, Mode.INDEPENDENT))
SSO: Model = MappingProxyType({**_ALONE, Kind.SUBGROUP: Mode.COLLECTIVE})
"""Synchronous subgroup operations (section 4.3): only they are collective."""
SCF: Model = MappingProxyType({**SSO, **dict.fromkeys((Kind.LABEL, Kind.MERGE, Kind.TERM), Mode.COLLECTIVE)})
"""Synchronous control flow (section 4.2): threads enter and leave basic blocks together."""
SM: Model = MappingProxyType({**SCF, Kind.MEMORY: Mode.SYNCHRONOUS})
"""Synchronous memory (section 4.1)."""
CM: Model = MappingProxyType({**SCF, Kind.MEMORY: Mode.COLLECTIVE})
"""Collective memory (section 4.1)."""

MODELS: Mapping[str, Model] = MappingProxyType({"CM": CM, "SM": SM, "SCF": SCF, "SSO": SSO})
"""The direct models by name, the strongest first."""


KINDS: Mapping[type, Kind] = {
    ir.Label: Kind.LABEL,
    ir.Local: Kind.LOCAL,
    **dict.fromkeys((ir.Load, ir.Store, ir.Atomic), Kind.MEMORY),
    ir.SGOp: Kind.SUBGROUP,
    ir.Merge: Kind.MERGE,
    **dict.fromkeys((ir.Branch, ir.BranchCond, ir.Return), Kind.TERM),
}
"""The class of each instruction."""

Threads = frozenset[int]
NONE: Threads = frozenset()


@dataclass(frozen=True, slots=True)
class Thread:
    """σ: the place in the basic block, or None once it has ended; the dynamic block; the registers."""

    pc: int | None
    db: int
    R: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DynamicBlock:
    """db (section 3), with `ms`, `sis` and `U` (section 4).

    id: its number. It follows from how the block came about, so equal states are equal, whatever led to them.
    b: the label of the basic block.
    C: the children.
    merge: the block in which its threads meet again after its branch.
    ms: the merge stack, its top first.
    sis: the places of the synchronous instructions at which the threads are synchronized.
    T: the threads that execute the block. A thread is among them from its arrival on.
    U: the threads that may still arrive.
    """

    id: int
    b: str
    C: frozenset[int] = frozenset()
    merge: int | None = None
    ms: tuple[int, ...] = ()
    sis: frozenset[int] = frozenset()
    T: Threads = NONE
    U: Threads = NONE


Blocks = tuple[DynamicBlock, ...]
"""D, in order of the numbers."""


@dataclass(frozen=True, slots=True)
class State:
    """⟨M, Σ, D⟩."""

    M: tuple[int, ...]
    Σ: tuple[Thread, ...]
    D: Blocks


@dataclass(eq=False)
class Machine:
    """What is fixed for a run: the shader, the model, and the shape of the grid.

    `subgroups` subgroups of `size` threads each. `by_the_letter` keeps T-SYNC-EXECUTE as printed. Raises
    ValueError for a model whose subgroup operations are not collective: it would need values to be symbolic.
    """

    shader: ir.Shader
    model: Model
    subgroups: int = 1
    size: int = 2
    by_the_letter: bool = False

    def __post_init__(self) -> None:
        if self.model[Kind.SUBGROUP] is not Mode.COLLECTIVE:
            raise ValueError("subgroup operations are collective in all direct models")
        self.n = self.subgroups * self.size
        self._slots = {r: slot for slot, r in enumerate(self.shader.registers)}
        self._offsets: dict[str, int] = {}
        for array, length in self.shader.arrays.items():
            self._offsets[array] = sum(self.shader.arrays[a] for a in self._offsets)
            assert length > 0
        self._numbers: dict[tuple[int, str], int] = {}

    @cached_property
    def modes(self) -> Mapping[str, tuple[Mode, ...]]:
        """The mode of each instruction of each basic block."""
        return {
            label: tuple(self.model[KINDS[type(instr)]] for instr in block)
            for label, block in self.shader.blocks.items()
        }

    def initial(self) -> State:
        """The initial state (section 4): a dynamic block of the entry for each subgroup; memory is 0."""
        Σ, D = [], []
        for sg in range(self.subgroups):
            threads = range(sg * self.size, (sg + 1) * self.size)
            db = DynamicBlock(self.number(-1 - sg, ""), self.shader.entry, T=frozenset(threads))
            D.append(db)
            Σ += [Thread(0, db.id, self._registers(t)) for t in threads]
        return State((0,) * sum(self.shader.arrays.values()), tuple(Σ), tuple(D))

    def _registers(self, t: int) -> tuple[int, ...]:
        """R_0(t)."""
        given = dict(zip(ir.BUILTINS, (t, t % self.size, t // self.size, self.size), strict=True))
        return tuple(given.get(r, 0) for r in self._slots)

    def number(self, parent: int, label: str) -> int:
        """The number of the dynamic block of `ℓ` that `parent` gives rise to; always the same one."""
        return self._numbers.setdefault((parent, label), len(self._numbers))

    def eval(self, operand: ir.Operand, R: tuple[int, ...]) -> int:
        """`eval(Operand, R)`."""
        return R[self._slots[operand]] if isinstance(operand, str) else operand

    def written(self, R: tuple[int, ...], r: str, v: int) -> tuple[int, ...]:
        """`R[r ↦ v]`."""
        slot = self._slots[r]
        return (*R[:slot], v, *R[slot + 1 :])

    def cell(self, a: ir.Address, R: tuple[int, ...]) -> int:
        """The place of an address in M."""
        return self._offsets[a.array] + self.eval(a.index, R) % self.shader.arrays[a.array]

    def array(self, S: State, name: str) -> tuple[int, ...]:
        """What an array holds."""
        return S.M[self._offsets[name] :][: self.shader.arrays[name]]

    def block(self, db: DynamicBlock) -> ir.Block:
        """The instructions of `db.b`."""
        return self.shader.blocks[db.b]

    def instruction(self, S: State, t: int) -> ir.Instruction | None:
        """`I[σ.pc]`, or None once the thread has ended."""
        σ = S.Σ[t]
        return None if σ.pc is None else self.shader.blocks[block(S.D, σ.db).b][σ.pc]


def block(D: Blocks, id: int) -> DynamicBlock:
    """The dynamic block of a number."""
    return next(db for db in D if db.id == id)


def with_block(D: Blocks, db: DynamicBlock) -> Blocks:
    """D with `db` in place of the block of its number, or with one block more."""
    return tuple(sorted((*(x for x in D if x.id != db.id), db), key=lambda x: x.id))


def with_thread(S: State, t: int, σ: Thread) -> State:
    """S, with another state of thread t."""
    return State(S.M, (*S.Σ[:t], σ, *S.Σ[t + 1 :]), S.D)


def align(S: State, db: DynamicBlock) -> bool:
    """`Align(db, Σ)`: all threads of the block are known (section 4.3) and at the same instruction of it."""
    if db.U or not db.T:
        return False
    first = S.Σ[min(db.T)]
    return first.pc is not None and all(S.Σ[t].db == db.id and S.Σ[t].pc == first.pc for t in db.T)


def get_child(P: Machine, S: State, db: DynamicBlock, label: str) -> tuple[int, Blocks]:
    """`get_child(db, ℓ, db.T, D)`: the dynamic block to which threads of `db` branch, and D with it.

    It is a merge target, if one on the merge stack has the label; else the child of `db` that has it; else a fresh
    block with the merge stack of `db`. Targets below the top are for `break` and `continue` inside a selection.
    """
    merge = next((id for id in db.ms if block(S.D, id).b == label), None)
    id = P.number(db.id, label) if merge is None else merge
    if id in db.C:
        return id, S.D
    D = with_block(S.D, replace(db, C=db.C | {id}))
    if merge is None:
        D = with_block(D, DynamicBlock(id, label, ms=db.ms, U=may_leave(S, db)))
    return id, D


def declare(P: Machine, S: State, db: DynamicBlock, instr: ir.Merge) -> Blocks:
    """D after the merge instruction of `db`: its target is on the merge stack, and for a loop the continue target.

    The first thread creates them, the others find them. A further iteration of a loop finds the loop's merge target
    on top of the stack, and has a continue target of its own: "threads must reconverge at the next loop iteration".
    """
    if db.merge is not None:
        return S.D
    D, ms, again = S.D, db.ms, bool(instr.continue_target and db.ms) and block(S.D, db.ms[0]).b == instr.label
    for label in (instr.label, instr.continue_target):
        if not label or (label == instr.label and again):
            continue
        target = DynamicBlock(P.number(db.id, label), label, ms=ms, U=may_leave(S, db))
        D, ms = with_block(D, target), (target.id, *ms)
    merge = ms[1] if instr.continue_target else ms[0]
    return with_block(D, replace(db, merge=merge, ms=ms))


def may_leave(S: State, db: DynamicBlock) -> Threads:
    """The threads that are in the block, or may yet arrive."""
    return frozenset(t for t in db.T if S.Σ[t].pc is not None and S.Σ[t].db == db.id) | db.U


def enter(D: Blocks, threads: Threads, id: int) -> Blocks:
    """D once threads have branched to the block: they are known there, and wherever they can no longer arrive."""
    reach = reachable(D, id)
    entered = (replace(db, T=db.T | threads, U=db.U - threads) if db.id == id else db for db in D)
    return tuple(db if db.id in reach else _without(db, threads) for db in entered)


def end(D: Blocks, threads: Threads) -> Blocks:
    """D once threads have ended: they arrive nowhere any more (section 3, "Escaping Merge Targets")."""
    return tuple(_without(db, threads) for db in D)


def _without(db: DynamicBlock, threads: Threads) -> DynamicBlock:
    return db if db.U.isdisjoint(threads) else replace(db, U=db.U - threads)


def reachable(D: Blocks, id: int) -> frozenset[int]:
    """The blocks at which a thread of this block may arrive: by its children and its merge stack, and so on."""
    by_id = {db.id: db for db in D}
    seen, left = set[int](), [id]
    while left:
        here = left.pop()
        if here not in seen:
            seen.add(here)
            left += [*by_id[here].C, *by_id[here].ms]
    return frozenset(seen)


# --------------------------------------------------------------------------------- one thread, within a block (Fig. 7)


def t_local(P: Machine, S: State, t: int, instr: ir.Local) -> State:
    """T-LOCAL (Fig. 7): `R' = Exec(I, σ.R)`."""
    R = S.Σ[t].R
    v = ir.LOCAL[instr.op](*(P.eval(o, R) for o in instr.operands))
    return _next(S, t, P.written(R, instr.r, v))


def t_load(P: Machine, S: State, t: int, instr: ir.Load) -> State:
    """T-LOAD (Fig. 7): `v = M(a)`."""
    R = S.Σ[t].R
    return _next(S, t, P.written(R, instr.r, S.M[P.cell(instr.a, R)]))


def t_store(P: Machine, S: State, t: int, instr: ir.Store) -> State:
    """T-STORE (Fig. 7): `M[a ↦ v]`."""
    R = S.Σ[t].R
    return _next(_stored(S, P.cell(instr.a, R), P.eval(instr.value, R)), t, R)


def t_atomic(P: Machine, S: State, t: int, instr: ir.Atomic) -> State:
    """Beyond the paper: T-LOAD and T-STORE of one cell, in one step."""
    R = S.Σ[t].R
    a = P.cell(instr.a, R)
    v = ir.ATOMIC[instr.op](S.M[a], P.eval(instr.value, R))
    return _next(_stored(S, a, v), t, P.written(R, instr.r, S.M[a]))


def t_label(_: Machine, S: State, t: int, _I: ir.Label) -> State:
    """The rule of a label, "similar to" T-LOCAL (section 4.2)."""
    return _next(S, t, S.Σ[t].R)


def t_merge(P: Machine, S: State, t: int, instr: ir.Merge) -> State:
    """The rule of a merge instruction (section 4.2): the target is on the merge stack from here on."""
    return _next(replace(S, D=declare(P, S, block(S.D, S.Σ[t].db), instr)), t, S.Σ[t].R)


# ------------------------------------------------------------------------------ one thread, to another block (Fig. 8)


def t_ubranch(P: Machine, S: State, t: int, instr: ir.Branch) -> State:
    """T-UBRANCH (Fig. 8): `(db', D') = get_child(σ.db, ℓ, σ.db.T, D)`."""
    return _branched(P, S, block(S.D, S.Σ[t].db), instr.label, frozenset({t}))


def t_cbranch(P: Machine, S: State, t: int, instr: ir.BranchCond) -> State:
    """T-CBRANCH (Fig. 8): `get_child` with the label that the condition chooses."""
    label = instr.label_t if P.eval(instr.c, S.Σ[t].R) else instr.label_f
    return _branched(P, S, block(S.D, S.Σ[t].db), label, frozenset({t}))


def t_return(_: Machine, S: State, t: int, _I: ir.Return) -> State:
    """The thread ends; the paper has no rule for `OpReturn`."""
    return _ended(S, frozenset({t}))


# ------------------------------------------------------------------------------------------------ synchronous (Fig. 7)


def t_sync_arrive(_: Machine, S: State, db: DynamicBlock) -> State:
    """T-SYNC-ARRIVE (Fig. 7): all threads are aligned at the instruction, so `db.sis[I] := True`."""
    return replace(S, D=with_block(S.D, replace(db, sis=db.sis | {_pc(S, db)})))


def t_sync_execute(P: Machine, S: State, t: int, instr: ir.Instruction) -> State:
    """T-SYNC-EXECUTE (Fig. 7): the thread's own rule, given that `db.sis[I]`; the last one resets it."""
    σ = S.Σ[t]
    S = thread_rule(P, S, t, instr)
    db = block(S.D, σ.db)
    still = any(S.Σ[u].db == db.id and S.Σ[u].pc == σ.pc for u in db.T)
    if still and not P.by_the_letter:
        return S
    return replace(S, D=with_block(S.D, replace(db, sis=db.sis - {σ.pc})))


# ------------------------------------------------------------------------------------------ collective (Figs. 7 and 8)


def g_collective_local(P: Machine, S: State, db: DynamicBlock, instr: ir.Instruction) -> Iterable[State]:
    """G-COLLECTIVE-LOCAL (Fig. 7): all threads take the step of their own; also of labels and merge instructions."""
    for t in sorted(db.T):
        S = thread_rule(P, S, t, instr)
    return (S,)


def g_collective_subgroup(P: Machine, S: State, db: DynamicBlock, instr: ir.SGOp) -> Iterable[State]:
    """G-COLLECTIVE-SUBGROUP (Fig. 7): `ExecSG` on the registers of all threads of the block."""
    values = {t % P.size: P.eval(instr.operand, S.Σ[t].R) for t in sorted(db.T)}
    results = ir.SUBGROUP[instr.op](values, instr.lane)
    for t in db.T:
        S = _next(S, t, P.written(S.Σ[t].R, instr.r, results[t % P.size]))
    return (S,)


def g_collective_mem(P: Machine, S: State, db: DynamicBlock, instr: ir.Memory) -> Iterator[State]:
    """G-COLLECTIVE-MEM (Fig. 7): one outcome of `ExecMem_collective` each.

    "Which thread performs the final write is undefined": there is an outcome for each order of the accesses.
    """
    seen = set()
    for order in [sorted(db.T)] if isinstance(instr, ir.Load) else permutations(sorted(db.T)):
        done = S
        for t in order:
            done = thread_rule(P, done, t, instr)
        if done not in seen:
            seen.add(done)
            yield done


def g_collective_ubranch(P: Machine, S: State, db: DynamicBlock, instr: ir.Branch) -> Iterable[State]:
    """The unconditional case of G-COLLECTIVE-CBRANCH, "strictly simpler" (section 4.2)."""
    return (_branched(P, S, db, instr.label, db.T),)


def g_collective_cbranch(P: Machine, S: State, db: DynamicBlock, instr: ir.BranchCond) -> Iterable[State]:
    """G-COLLECTIVE-CBRANCH (Fig. 8): A_t goes to the one child, A_f to the other, in one step."""
    A_t = frozenset(u for u in db.T if P.eval(instr.c, S.Σ[u].R))
    A_f = db.T - A_t
    S = _branched(P, S, db, instr.label_t, A_t)
    return (_branched(P, S, block(S.D, db.id), instr.label_f, A_f),)


def g_collective_return(_: Machine, S: State, db: DynamicBlock, _I: ir.Return) -> Iterable[State]:
    """All threads of the block end."""
    return (_ended(S, db.T),)


# --------------------------------------------------------------------------------------------------- which rule applies

_THREAD: Mapping[type, Callable[..., State]] = {
    ir.Local: t_local,
    ir.Load: t_load,
    ir.Store: t_store,
    ir.Atomic: t_atomic,
    ir.Label: t_label,
    ir.Branch: t_ubranch,
    ir.BranchCond: t_cbranch,
    ir.Return: t_return,
}


def thread_rule(P: Machine, S: State, t: int, instr: ir.Instruction) -> State:
    """The state that the rule of →t for the instruction leads to."""
    return _THREAD.get(type(instr), t_merge)(P, S, t, instr)


_GROUP: Mapping[type, Callable[..., Iterable[State]]] = {
    ir.SGOp: g_collective_subgroup,
    **dict.fromkeys((ir.Load, ir.Store, ir.Atomic), g_collective_mem),
    ir.Branch: g_collective_ubranch,
    ir.BranchCond: g_collective_cbranch,
    ir.Return: g_collective_return,
}
"""By instruction, the rule of →g that gives the states that it leads to; of others it is `g_collective_local`."""


def name_of(rule: Callable[..., object]) -> str:
    """What the paper calls a rule: `T-CBRANCH` for `t_cbranch`."""
    return rule.__name__.upper().replace("_", "-")


def _pc(S: State, db: DynamicBlock) -> int:
    """Where the aligned threads of a block are."""
    pc = S.Σ[min(db.T)].pc
    assert pc is not None, "an aligned thread has not ended"
    return pc


def _next(S: State, t: int, R: tuple[int, ...]) -> State:
    """`σ[pc := pc + 1, R := R]`."""
    σ = S.Σ[t]
    assert σ.pc is not None, "a thread that has ended takes no step"
    return with_thread(S, t, Thread(σ.pc + 1, σ.db, R))


def _stored(S: State, a: int, v: int) -> State:
    """`M[a ↦ v]`."""
    return State((*S.M[:a], v, *S.M[a + 1 :]), S.Σ, S.D)


def _branched(P: Machine, S: State, db: DynamicBlock, label: str, threads: Threads) -> State:
    """`σ[pc := db'.b, db := db']` for each of the threads."""
    if not threads:
        return S
    id, D = get_child(P, S, db, label)
    S = State(S.M, S.Σ, enter(D, threads, id))
    for t in threads:
        S = with_thread(S, t, Thread(0, id, S.Σ[t].R))
    return S


def _ended(S: State, threads: Threads) -> State:
    for t in threads:
        S = with_thread(S, t, Thread(None, S.Σ[t].db, S.Σ[t].R))
    return State(S.M, S.Σ, end(S.D, threads))


@dataclass(frozen=True, slots=True)
class Step:
    """A transition: the rule, the threads that it moves, and the instruction by its basic block and place."""

    rule: str
    threads: tuple[int, ...]
    b: str
    place: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far to explore: `states` kept, and `cells`, the registers, memory cells and dynamic blocks in all of them.

    A cell takes 11 to 15 bytes in the litmus tests, so the bound on cells is one on memory: about 300 MB.
    """

    states: int = 200_000
    cells: int = 20_000_000


@dataclass(slots=True)
class Exploration:
    """What was found: `states` distinct ones, those in which all threads have ended, and those in which some wait
    for ever. `gap` says which bound was reached; empty: these are all.
    """

    states: int = 0
    finals: dict[State, None] = field(default_factory=dict)
    stuck: dict[State, None] = field(default_factory=dict)
    gap: str = ""
    came_from: dict[State, tuple[State, Step] | None] = field(default_factory=dict, repr=False)

    def path(self, S: State) -> list[tuple[Step, State]]:
        """The steps from the initial state to this one."""
        steps = []
        while (origin := self.came_from[S]) is not None:
            steps.append((origin[1], S))
            S = origin[0]
        return steps[::-1]


def transitions(P: Machine, S: State) -> Iterator[tuple[Step, State]]:
    """All transitions of a state: those of →t first, thread by thread, then those of →g."""
    for t, σ in enumerate(S.Σ):
        instr = P.instruction(S, t)
        if instr is None or σ.pc is None:
            continue
        db = block(S.D, σ.db)
        mode = P.modes[db.b][σ.pc]
        if mode is Mode.INDEPENDENT:
            yield Step(name_of(_THREAD.get(type(instr), t_merge)), (t,), db.b, σ.pc), thread_rule(P, S, t, instr)
        elif mode is Mode.SYNCHRONOUS and σ.pc in db.sis:
            yield Step("T-SYNC-EXECUTE", (t,), db.b, σ.pc), t_sync_execute(P, S, t, instr)
    for db in S.D:
        if align(S, db):
            yield from _together(P, S, db)


def _together(P: Machine, S: State, db: DynamicBlock) -> Iterator[tuple[Step, State]]:
    """The transitions for which the threads of a block have to be aligned, as they are."""
    place, threads = _pc(S, db), tuple(sorted(db.T))
    instr = P.block(db)[place]
    match P.modes[db.b][place]:
        case Mode.SYNCHRONOUS if place not in db.sis:
            yield Step("T-SYNC-ARRIVE", threads, db.b, place), t_sync_arrive(P, S, db)
        case Mode.COLLECTIVE:
            rule = _GROUP.get(type(instr), g_collective_local)
            step = Step(name_of(rule), threads, db.b, place)
            yield from ((step, S2) for S2 in rule(P, S, db, instr))


def fewer_transitions(P: Machine, S: State) -> Iterator[tuple[Step, State]]:
    """Enough transitions of a state to come to every final and every stuck one.

    A step that touches no memory has one outcome, commutes with all others, and is never disabled by one. So if
    there is such a step, it may be taken first.
    """
    every = list(transitions(P, S))
    alone = next((x for x in every if not isinstance(P.shader.blocks[x[0].b][x[0].place], ir.Memory)), None)
    yield from every if alone is None else [alone]


def explore(
    P: Machine,
    bounds: Bounds | None = None,
    every_order: bool = True,
) -> Exploration:
    """Every state that can be reached from the initial one, within the bounds; each is kept once.

    `every_order=False` leaves out orders of steps that touch no memory; final and stuck states stay the same.
    """
    bounds = bounds or Bounds()
    first = P.initial()
    found = Exploration(came_from={first: None})
    left, cells, of = [first], _cells(first), transitions if every_order else fewer_transitions
    while left:
        S = left.pop()
        after = False
        for step, S2 in of(P, S):
            after = True
            if S2 in found.came_from:
                continue
            cells += _cells(S2)
            if len(found.came_from) >= bounds.states or cells > bounds.cells:
                found.gap = _gap(bounds, len(found.came_from))
                left.clear()
                break
            found.came_from[S2] = (S, step)
            left.append(S2)
        if not after:
            (found.stuck if any(σ.pc is not None for σ in S.Σ) else found.finals)[S] = None
    found.states = len(found.came_from)
    return found


def _gap(bounds: Bounds, states: int) -> str:
    if states >= bounds.states:
        return f"there are more than {bounds.states:,} states"
    return f"{states:,} states take more than {bounds.cells:,} cells of memory"


def _cells(S: State) -> int:
    return len(S.M) + len(S.Σ) * len(S.Σ[0].R) + 8 * len(S.D)
