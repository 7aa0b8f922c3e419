"""All executions of a shader under a model, state by state, as far as bounds allow."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wgsl_fuzz.oracle.simt_step.models import Mode
from wgsl_fuzz.oracle.simt_step.rules import group_rule, name_of, t_sync_arrive, t_sync_execute, thread_rule
from wgsl_fuzz.oracle.simt_step.shader import Atomic, Instruction, Load, Store
from wgsl_fuzz.oracle.simt_step.states import DynamicBlock, Machine, State, align, block


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
            yield Step(name_of(instr, False), (t,), db.b, σ.pc), thread_rule(P, S, t, instr)
        elif mode is Mode.SYNCHRONOUS and σ.pc in db.sis:
            yield Step("T-SYNC-EXECUTE", (t,), db.b, σ.pc), t_sync_execute(P, S, t, instr)
    for db in S.D:
        if align(S, db):
            yield from _together(P, S, db)


def _together(P: Machine, S: State, db: DynamicBlock) -> Iterator[tuple[Step, State]]:
    """The transitions for which the threads of a block have to be aligned, as they are."""
    place = S.Σ[min(db.T)].pc
    assert place is not None, "an aligned thread has not ended"
    instr, threads = P.block(db)[place], tuple(sorted(db.T))
    match P.modes[db.b][place]:
        case Mode.SYNCHRONOUS if place not in db.sis:
            yield Step("T-SYNC-ARRIVE", threads, db.b, place), t_sync_arrive(P, S, db)
        case Mode.COLLECTIVE:
            step = Step(name_of(instr, True), threads, db.b, place)
            yield from ((step, S2) for S2 in group_rule(P, S, db, instr))


def fewer_transitions(P: Machine, S: State) -> Iterator[tuple[Step, State]]:
    """Enough transitions of a state to come to every final and every stuck one.

    A step that touches no memory has one outcome, commutes with all others, and is never disabled by one. So if
    there is such a step, it may be taken first.
    """
    every = list(transitions(P, S))
    alone = next((x for x in every if not _on_memory(P.shader.blocks[x[0].b][x[0].place])), None)
    yield from every if alone is None else [alone]


def _on_memory(instr: Instruction) -> bool:
    return isinstance(instr, Load | Store | Atomic)


def explore(
    P: Machine,
    bounds: Bounds | None = None,
    memory: Mapping[str, tuple[int, ...]] | None = None,
    every_order: bool = True,
) -> Exploration:
    """Every state that can be reached from the initial one, within the bounds; each is kept once.

    `every_order=False` leaves out orders of steps that touch no memory; final and stuck states stay the same.
    """
    bounds = bounds or Bounds()
    first = P.initial(memory)
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


def participants(found: Exploration, b: str) -> frozenset[frozenset[int]]:
    """The sets of threads that executed the dynamic blocks of a basic block, over all final states."""
    return frozenset(db.T for S in found.finals for db in S.D if db.b == b and db.T)
