"""How dynamic blocks come about, and which threads are in them: `get_child` of section 4.2, and sections 3 and 4.3.

The definitions are in the paper's supplementary material. What is here follows from the rules of section 3, and from
what section 4 says of `get_child`, the merge stack and the unknown threads (docs/simt-step.md).
"""

from dataclasses import replace

from wgsl_fuzz.oracle.simt_step.shader import LoopMerge, Merge
from wgsl_fuzz.oracle.simt_step.states import Blocks, DynamicBlock, Machine, State, Threads, block, with_block


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


def declare(P: Machine, S: State, db: DynamicBlock, instr: Merge) -> Blocks:
    """D after the merge instruction of `db`: its target is on the merge stack, and for a loop the continue target.

    The first thread creates them, the others find them. A further iteration of a loop finds the loop's merge target
    on top of the stack, and has a continue target of its own: "threads must reconverge at the next loop iteration".
    """
    if db.merge is not None:
        return S.D
    D, ms, again = S.D, db.ms, isinstance(instr, LoopMerge) and bool(db.ms) and block(S.D, db.ms[0]).b == instr.label
    for label in (instr.label, instr.continue_target) if isinstance(instr, LoopMerge) else (instr.label,):
        if label == instr.label and again:
            continue
        target = DynamicBlock(P.number(db.id, label), label, ms=ms, U=may_leave(S, db))
        D, ms = with_block(D, target), (target.id, *ms)
    merge = ms[1] if isinstance(instr, LoopMerge) else ms[0]
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
