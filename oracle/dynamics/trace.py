"""A witness step by step: what its two threads executed, on what values, and where they parted.

Two threads that run one `main` stand side by side as long as they are at the same statement with the same stack. They
may part and meet again; what counts is the last place where both were: behind it they never met.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from wgsl_fuzz.oracle.dynamics.convergence import NOTIONS
from wgsl_fuzz.oracle.dynamics.semantics import (
    Continuation,
    Continuing,
    ControlStack,
    Global,
    LoopElement,
    Program,
    PureStore,
    Thread,
    barrier_sync,
    evaluate,
    subgroup_sync,
    thread,
    zero,
)
from wgsl_fuzz.oracle.dynamics.witness import Witness
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Break,
    Call,
    Continue,
    Expr,
    If,
    Lid,
    Local,
    Loop,
    Return,
    Shader,
    SharedAssign,
    SharedRead,
    Stmt,
    expressions_of,
    operands_of,
)


@dataclass(frozen=True, slots=True)
class Event:
    """One step of one thread, or its passing a barrier."""

    thread: int
    statement: Stmt
    reads: tuple[tuple[str, int], ...]
    """What the statement read, in words (`x`, `A[3]`, `lid`), with the values."""
    result: tuple[str, int] | None
    """What it assigned and to what; for an `if` the condition's value, under the name "" ."""
    place: tuple[object, ...]
    """The control point: the control stack, and the statements from this one on."""


def trace(shader: Shader, witness: Witness) -> list[Event]:
    """The steps of the two threads that diverge, in the order in which the witness's run takes them.

    A loop is entered by a step of its own (LOOP-ENTER), which is left out: its first round starts with the next one.
    """
    Π = Program(shader, witness.reset_locals)
    agree = NOTIONS[witness.convergence].agreement(Π.histories)
    initial = {(c.array, c.index): c.value for c in witness.store}
    default = {a.name: zero(a.type) for a in shader.arrays}
    σ = PureStore(lambda x, i: initial.get((x, i), default[x]))
    G = Global(σ, tuple(Π.initial_threads(witness.threads)))
    shown = [stop.thread for stop in witness.stops]
    events: list[Event] = []
    for i, steps in witness.schedule:
        while (synced := barrier_sync(G, agree) or subgroup_sync(G, agree)) is not None:
            events += [_event(G, j) for j in shown if synced.threads[j] is not G.threads[j]]
            G = synced
        for _ in range(steps):
            if i in shown and not _enters_loop(G.threads[i]):
                events.append(_event(G, i))
            G = thread(Π, G, i)
    return events


def parting(witness: Witness, events: list[Event]) -> tuple[Event, Event] | None:
    """What the two threads did at the last place where both were: an `if` that went either way.

    None if there is no such place: the run is none of a well-formed shader.
    """
    one, other = ([e for e in events if e.thread == stop.thread] for stop in witness.stops)
    places = {e.place: e for e in other}
    return next(((e, places[e.place]) for e in reversed(one) if e.place in places), None)


def _enters_loop(T: Thread) -> bool:
    s = None if T.ss is None else T.ss[0]
    return isinstance(s, Loop) and not (T.κ is not None and isinstance(T.κ[0], LoopElement) and T.κ[0].id == s.id)


def _event(G: Global, i: int) -> Event:
    T = G.threads[i]
    assert T.ss is not None, "only a thread that has not ended takes a step"
    s = T.ss[0]
    assert not isinstance(s, Continuing), "a continuing is entered by its continue"
    reads = dict(read for e in expressions_of(s) for read in _reads(e, G, T))
    return Event(i, s, tuple(reads.items()), _result(s, G, T), (_stack(T.κ), _ahead(T.ss)))


def _reads(e: Expr, G: Global, T: Thread) -> Iterator[tuple[str, int]]:
    match e:
        case Local():
            yield e.name, T.τ[e.name]
        case Lid():
            yield "lid", T.lid
        case SharedRead():
            yield from _reads(e.index, G, T)
            yield f"{e.array}[{evaluate(e.index, G.σ, T.τ, T.lid)}]", evaluate(e, G.σ, T.τ, T.lid)
        case _:
            for operand in operands_of(e):
                yield from _reads(operand, G, T)


def _result(s: Stmt, G: Global, T: Thread) -> tuple[str, int] | None:
    match s:
        case Assign():
            return s.name, evaluate(s.value, G.σ, T.τ, T.lid)
        case SharedAssign():
            index = evaluate(s.index, G.σ, T.τ, T.lid)
            return f"{s.array}[{index}]", evaluate(s.value, G.σ, T.τ, T.lid)
        case If():
            return "", evaluate(s.condition, G.σ, T.τ, T.lid)
        case Return() if s.value is not None:
            return "result", evaluate(s.value, G.σ, T.τ, T.lid)
        case Loop() | Call() | Barrier() | Continue() | Break() | Return():
            return None
        case _:
            assert_never(s)


def _stack(κ: ControlStack) -> tuple[object, ...]:
    elements: list[object] = []
    while κ is not None:
        element, κ = κ
        elements.append(element)
    return tuple(elements)


def _ahead(ss: Continuation) -> tuple[int, ...]:
    """The statements ahead, by identity."""
    ids = []
    while ss is not None:
        s, ss = ss
        ids.append(~s.id if isinstance(s, Continuing) else id(s))
    return tuple(ids)
