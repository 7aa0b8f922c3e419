"""The transition rules of Figs. 7 and 8, one function each: →t of a thread `t`, →g of a dynamic block `db`.

A rule is a function from a state to the next one; `step` knows which of them apply. Where the printed rules cannot
be meant, the functions say so:

- T-SYNC-EXECUTE resets the status when the first thread executes; the others would wait for ever. Here the last does.
- G-COLLECTIVE-SUBGROUP and G-COLLECTIVE-MEM leave the program counter where it is. Here it goes on.
- G-COLLECTIVE-CBRANCH takes two fresh blocks from the same D, each with all threads. Here each has those that branch
  to it, the second one is taken from the D of the first, and a block that no thread enters is not created.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import permutations

from wgsl_fuzz.oracle.simt_step.blocks import declare, end, enter, get_child
from wgsl_fuzz.oracle.simt_step.operations import ATOMIC, LOCAL, SUBGROUP
from wgsl_fuzz.oracle.simt_step.shader import (
    Atomic,
    Branch,
    BranchCond,
    Instruction,
    Label,
    Load,
    Local,
    Memory,
    Merge,
    Return,
    SGOp,
    Store,
)
from wgsl_fuzz.oracle.simt_step.states import (
    DynamicBlock,
    Machine,
    State,
    Thread,
    Threads,
    block,
    with_block,
    with_thread,
)

# --------------------------------------------------------------------------------- one thread, within a block (Fig. 7)


def t_local(P: Machine, S: State, t: int, instr: Local) -> State:
    """T-LOCAL (Fig. 7): `R' = Exec(I, σ.R)`."""
    R = S.Σ[t].R
    v = LOCAL[instr.op](*(P.eval(o, R) for o in instr.operands))
    return _next(S, t, P.written(R, instr.r, v))


def t_load(P: Machine, S: State, t: int, instr: Load) -> State:
    """T-LOAD (Fig. 7): `v = M(a)`."""
    R = S.Σ[t].R
    return _next(S, t, P.written(R, instr.r, S.M[P.cell(instr.a, R)]))


def t_store(P: Machine, S: State, t: int, instr: Store) -> State:
    """T-STORE (Fig. 7): `M[a ↦ v]`."""
    R = S.Σ[t].R
    return _next(_stored(S, P.cell(instr.a, R), P.eval(instr.value, R)), t, R)


def t_atomic(P: Machine, S: State, t: int, instr: Atomic) -> State:
    """Beyond the paper: T-LOAD and T-STORE of one cell, in one step."""
    R = S.Σ[t].R
    a = P.cell(instr.a, R)
    v = ATOMIC[instr.op](S.M[a], P.eval(instr.value, R))
    return _next(_stored(S, a, v), t, P.written(R, instr.r, S.M[a]))


def t_label(_: Machine, S: State, t: int, _I: Label) -> State:
    """The rule of a label, "similar to" T-LOCAL (section 4.2)."""
    return _next(S, t, S.Σ[t].R)


def t_merge(P: Machine, S: State, t: int, instr: Merge) -> State:
    """The rule of a merge instruction (section 4.2): the target is on the merge stack from here on."""
    return _next(replace(S, D=declare(P, S, block(S.D, S.Σ[t].db), instr)), t, S.Σ[t].R)


# ------------------------------------------------------------------------------ one thread, to another block (Fig. 8)


def t_ubranch(P: Machine, S: State, t: int, instr: Branch) -> State:
    """T-UBRANCH (Fig. 8): `(db', D') = get_child(σ.db, ℓ, σ.db.T, D)`."""
    return _branched(P, S, block(S.D, S.Σ[t].db), instr.label, frozenset({t}))


def t_cbranch(P: Machine, S: State, t: int, instr: BranchCond) -> State:
    """T-CBRANCH (Fig. 8): `get_child` with the label that the condition chooses."""
    label = instr.label_t if P.eval(instr.c, S.Σ[t].R) else instr.label_f
    return _branched(P, S, block(S.D, S.Σ[t].db), label, frozenset({t}))


def t_return(_: Machine, S: State, t: int, _I: Return) -> State:
    """The thread ends; the paper has no rule for `OpReturn`."""
    return _ended(S, frozenset({t}))


# ------------------------------------------------------------------------------------------------ synchronous (Fig. 7)


def t_sync_arrive(_: Machine, S: State, db: DynamicBlock) -> State:
    """T-SYNC-ARRIVE (Fig. 7): all threads are aligned at the instruction, so `db.sis[I] := True`."""
    return replace(S, D=with_block(S.D, replace(db, sis=db.sis | {_pc(S, db)})))


def t_sync_execute(P: Machine, S: State, t: int, instr: Instruction) -> State:
    """T-SYNC-EXECUTE (Fig. 7): the thread's own rule, given that `db.sis[I]`; the last one resets it."""
    σ = S.Σ[t]
    S = thread_rule(P, S, t, instr)
    db = block(S.D, σ.db)
    still = any(S.Σ[u].db == db.id and S.Σ[u].pc == σ.pc for u in db.T)
    if still and not P.by_the_letter:
        return S
    return replace(S, D=with_block(S.D, replace(db, sis=db.sis - {σ.pc})))


# ------------------------------------------------------------------------------------------ collective (Figs. 7 and 8)


def g_collective_local(P: Machine, S: State, db: DynamicBlock, instr: Instruction) -> State:
    """G-COLLECTIVE-LOCAL (Fig. 7): all threads take the step of their own; also of labels and merge instructions."""
    for t in sorted(db.T):
        S = thread_rule(P, S, t, instr)
    return S


def g_collective_subgroup(P: Machine, S: State, db: DynamicBlock, instr: SGOp) -> State:
    """G-COLLECTIVE-SUBGROUP (Fig. 7): `ExecSG` on the registers of all threads of the block."""
    values = {t % P.size: P.eval(instr.operand, S.Σ[t].R) for t in sorted(db.T)}
    results = SUBGROUP[instr.op](values, instr.lane)
    for t in db.T:
        S = _next(S, t, P.written(S.Σ[t].R, instr.r, results[t % P.size]))
    return S


def g_collective_mem(P: Machine, S: State, db: DynamicBlock, instr: Memory) -> Iterator[State]:
    """G-COLLECTIVE-MEM (Fig. 7): one outcome of `ExecMem_collective` each.

    "Which thread performs the final write is undefined": there is an outcome for each order of the accesses.
    """
    seen = set()
    for order in [sorted(db.T)] if isinstance(instr, Load) else permutations(sorted(db.T)):
        done = S
        for t in order:
            done = thread_rule(P, done, t, instr)
        if done not in seen:
            seen.add(done)
            yield done


def g_collective_ubranch(P: Machine, S: State, db: DynamicBlock, instr: Branch) -> State:
    """The unconditional case of G-COLLECTIVE-CBRANCH, "strictly simpler" (section 4.2)."""
    return _branched(P, S, db, instr.label, db.T)


def g_collective_cbranch(P: Machine, S: State, db: DynamicBlock, instr: BranchCond) -> State:
    """G-COLLECTIVE-CBRANCH (Fig. 8): A_t goes to the one child, A_f to the other, in one step."""
    A_t = frozenset(u for u in db.T if P.eval(instr.c, S.Σ[u].R))
    A_f = db.T - A_t
    S = _branched(P, S, db, instr.label_t, A_t)
    return _branched(P, S, block(S.D, db.id), instr.label_f, A_f)


def g_collective_return(_: Machine, S: State, db: DynamicBlock, _I: Return) -> State:
    """All threads of the block end."""
    return _ended(S, db.T)


# --------------------------------------------------------------------------------------------------- which rule applies

_THREAD = {
    Local: t_local,
    Load: t_load,
    Store: t_store,
    Atomic: t_atomic,
    Label: t_label,
    Branch: t_ubranch,
    BranchCond: t_cbranch,
    Return: t_return,
}


def thread_rule(P: Machine, S: State, t: int, instr: Instruction) -> State:
    """The rule of →t for the instruction."""
    rule = _THREAD.get(type(instr), t_merge)
    return rule(P, S, t, instr)  # type: ignore[operator, no-any-return]


def group_rule(P: Machine, S: State, db: DynamicBlock, instr: Instruction) -> Iterator[State]:
    """The rule of →g for the instruction: the states that it leads to."""
    match instr:
        case SGOp():
            yield g_collective_subgroup(P, S, db, instr)
        case Load() | Store() | Atomic():
            yield from g_collective_mem(P, S, db, instr)
        case Branch():
            yield g_collective_ubranch(P, S, db, instr)
        case BranchCond():
            yield g_collective_cbranch(P, S, db, instr)
        case Return():
            yield g_collective_return(P, S, db, instr)
        case _:
            yield g_collective_local(P, S, db, instr)


def name_of(instr: Instruction, collective: bool) -> str:
    """What the rule for an instruction is called."""
    if not collective:
        names: Mapping[type, str] = {Branch: "T-UBRANCH", BranchCond: "T-CBRANCH"}
        return names.get(type(instr), f"T-{'MERGE' if type(instr) not in _THREAD else type(instr).__name__.upper()}")
    groups: Mapping[type, str] = {
        SGOp: "SUBGROUP",
        Load: "MEM",
        Store: "MEM",
        Atomic: "MEM",
        Branch: "UBRANCH",
        BranchCond: "CBRANCH",
        Return: "RETURN",
    }
    return f"G-COLLECTIVE-{groups.get(type(instr), 'LOCAL')}"


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
