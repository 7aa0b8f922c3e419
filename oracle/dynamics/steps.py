"""A module's witness step by step, in the words of its text: what its two threads executed, and where they parted.

An event is one step of the semantics. A step is a statement of the text: all that lowering made of it, as long as the
thread takes it in one go. Two threads that run one `main` stand side by side as long as they are at the same statement
with the same stack. They may part and meet again; what counts is the last place where both were.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from wgsl_fuzz.oracle.dynamics import semantics as sem
from wgsl_fuzz.oracle.dynamics.modules.execution import Execution
from wgsl_fuzz.oracle.dynamics.modules.lowering import shader_to_run
from wgsl_fuzz.oracle.dynamics.modules.output import Words
from wgsl_fuzz.oracle.dynamics.semantics import thread
from wgsl_fuzz.oracle.dynamics.stores import RunStore, given_cells
from wgsl_fuzz.oracle.dynamics.witness import Witness
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolution import Resolution


@dataclass(frozen=True, slots=True)
class Event:
    """One step of one thread, or its passing a barrier."""

    thread: int
    statement: core.Stmt
    reads: tuple[tuple[str, int], ...]
    """What the statement read, in words (`x`, `A[3]`, `lid`), with the values."""
    result: tuple[str, int] | None
    """What it assigned and to what; for an `if` the condition's value, under the name "" ."""
    place: tuple[object, ...]
    """The control point: the control stack, and the statement by identity. Both say which statements follow."""


def trace(shader: core.Shader, witness: Witness) -> list[Event]:
    """The steps of the two threads that diverge, in the order in which the witness's run takes them.

    A loop is entered by a step of its own (LOOP-ENTER), which is left out: its first round starts with the next one.
    """
    Π = sem.Program(shader)
    agree = sem.NOTIONS[witness.convergence].agreement(Π.histories)
    G = sem.Global(RunStore(given_cells(shader, witness.cells)), tuple(Π.initial_threads(witness.threads)))
    shown = [stop.thread for stop in witness.stops]
    events: list[Event] = []
    for i in (i for i, steps in witness.schedule for _ in range(steps)):
        while (synced := sem.barrier_sync(G, agree) or sem.subgroup_sync(G, agree)) is not None:
            events += [_event(G, j) for j in shown if synced.threads[j] is not G.threads[j]]
            G = synced
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


def _enters_loop(T: sem.Thread) -> bool:
    s = None if T.ss is None else T.ss[0]
    return isinstance(s, core.Loop) and not (
        T.κ is not None and isinstance(T.κ[0], sem.LoopElement) and T.κ[0].id == s.id
    )


def _event(G: sem.Global, i: int) -> Event:
    T = G.threads[i]
    assert T.ss is not None, "only a thread that has not ended takes a step"
    s = T.ss[0]
    assert not isinstance(s, sem.Continuing), "a continuing is entered by its continue"
    reads = dict(read for e in core.expressions_of(s) for read in _reads(e, G, T))
    return Event(i, s, tuple(reads.items()), _result(s, G, T), ((*sem.elements_of(T.κ),), id(s)))


def _reads(e: core.Expr, G: sem.Global, T: sem.Thread) -> Iterator[tuple[str, int]]:
    match e:
        case core.Local():
            yield e.name, T.τ[e.name]
        case core.Lid():
            yield "lid", T.lid
        case core.SharedRead():
            yield from _reads(e.index, G, T)
            yield f"{e.array}[{sem.evaluate(e.index, G.σ, T.τ, T.lid)}]", sem.evaluate(e, G.σ, T.τ, T.lid)
        case _:
            for operand in core.operands_of(e):
                yield from _reads(operand, G, T)


def _result(s: core.Stmt, G: sem.Global, T: sem.Thread) -> tuple[str, int] | None:
    match s:
        case core.Assign():
            return s.name, sem.evaluate(s.value, G.σ, T.τ, T.lid)
        case core.SharedAssign():
            index = sem.evaluate(s.index, G.σ, T.τ, T.lid)
            return f"{s.array}[{index}]", sem.evaluate(s.value, G.σ, T.τ, T.lid)
        case core.If():
            return "", sem.evaluate(s.condition, G.σ, T.τ, T.lid)
        case core.Return() if s.value is not None:
            return "result", sem.evaluate(s.value, G.σ, T.τ, T.lid)
        case core.Loop() | core.Call() | core.Barrier() | core.Continue() | core.Break() | core.Return():
            return None
        case _:
            assert_never(s)


CONDITIONS = frozenset({"if", "for", "while", "break", "loop"})
"""The first words of statements whose condition is worth a word."""


@dataclass(slots=True)
class ModuleStep:
    """One statement that a thread executed."""

    thread: int
    line: int
    code: str
    place: tuple[object, ...]
    """The control point where it began: two threads with equal ones are at the same place."""
    reads: dict[str, str] = field(default_factory=dict)
    """What it read, in words of the text (`x`, `v.y`, `words[3]`), with the values."""
    writes: dict[str, str] = field(default_factory=dict)
    condition: bool | None = None
    """Which way its condition went."""
    parts: bool = False
    """Whether it is the last one from a place where both threads were."""
    meets: bool = False
    """Whether all threads were there, and went on."""


def steps_of_module(resolution: Resolution, done: Execution, text: str) -> list[ModuleStep]:
    """The steps of the two threads of a module's witness, in the order of its run; empty if there is none.

    The module is that of `text`: every node has its place.
    """
    witness = done.witness
    entry = next((f for f in resolution.functions if f.name == done.entry), None)
    if witness is None or entry is None:
        return []
    lowered = shader_to_run(resolution, entry, witness.threads, done.asked_size)
    source, in_text, events = Source(text), lowered.in_text, trace(lowered.shader, witness)
    parted = parting(witness, events) or ()
    found: list[ModuleStep] = []
    under_way: dict[int, tuple[object, ModuleStep]] = {}
    for event in events:
        at = in_text.places.get(id(event.statement), -1)
        known = under_way.get(event.thread)
        same = known is not None and (at < 0 or known[0] == (at, event.place[0]))
        if not same and (at < 0 or not _is_written(event.statement, text, at)):
            continue
        if known is None or not same:
            step = ModuleStep(event.thread, source.position(at)[0], head(text, at), event.place)
            known = under_way[event.thread] = (at, event.place[0]), step
            found.append(step)
        _add(known[1], event, in_text.words)
        known[1].parts |= any(event is one for one in parted)
    return found


def _is_written(s: core.Stmt, text: str, at: int) -> bool:
    """Whether a statement stands in the text: a `return` or a `continue` may go without saying."""
    if isinstance(s, core.Return | core.Continue):
        return text.startswith("return" if isinstance(s, core.Return) else "continue", at)
    return True


def _add(step: ModuleStep, event: Event, words: Words) -> None:
    s = event.statement
    for name, value in event.reads:
        read = words.of(name, value)
        if read is not None and read[0] not in step.writes:
            step.reads.setdefault(*read)
    first = step.code.partition(" ")[0].partition("(")[0]
    if isinstance(s, core.If) and first in CONDITIONS and event.result is not None:
        leaves = s.then == (core.Break(),) and first in ("for", "while")
        step.condition = bool(event.result[1]) != leaves
    elif isinstance(s, core.Barrier):
        step.meets = True
    elif event.result is not None and not isinstance(s, core.If | core.Return):
        step.writes.update([one] if (one := words.of(*event.result)) is not None else [])


def head(text: str, at: int) -> str:
    """The statement at a place of the text, on one line: of one with blocks what stands before them."""
    line = text[at:].partition("\n")[0].partition("//")[0]
    with_blocks = line.startswith(("if", "for", "while", "loop", "switch"))
    depth = 0
    for i, letter in enumerate(line):
        depth += (letter in "([") - (letter in ")]")
        if depth < 0 or (depth == 0 and letter == ("{" if with_blocks else ";")):
            return line[:i].strip()
    return line.strip()
