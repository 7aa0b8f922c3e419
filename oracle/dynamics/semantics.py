"""The operational semantics of TinyWGSL (section 3.2): one function per rule of Figs. 5 and 6, on immutable states.

The metavariables σ, τ, κ, ss, T and Π are those of `states`, whose names can be imported from here too. A rule is a
function from a state to the next one; the statement it is about and those after it come as `s` and `ss`.
A shader that breaks the restrictions of section 3.2 can reach a state without a rule: `StuckError`. Restriction (1)
is not needed: a thread that returns from `main` or falls off its end has ended (docs/paper-notes.md, note 6).
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

from wgsl_fuzz.oracle.dynamics.states import (
    AtomicUpdate,
    Continuation,
    Continuing,
    ControlStack,
    Element,
    Evaluator,
    FunctionElement,
    Histories,
    LocalStore,
    LoopElement,
    Program,
    PureStore,
    Store,
    StuckError,
    SubgroupBarrier,
    Thread,
    append,
    evaluate,
    zero,
)
from wgsl_fuzz.tinywgsl import ast as core

__all__ = [
    "Agreement",
    "AtomicUpdate",
    "Continuation",
    "Continuing",
    "ControlStack",
    "Element",
    "Evaluator",
    "FunctionElement",
    "Global",
    "Histories",
    "LocalStore",
    "LoopElement",
    "Program",
    "PureStore",
    "State",
    "Store",
    "StuckError",
    "SubgroupBarrier",
    "Thread",
    "agree",
    "append",
    "atomic_update",
    "barrier_error",
    "barrier_of",
    "barrier_sync",
    "diverge",
    "ended",
    "evaluate",
    "expects",
    "if_false",
    "if_true",
    "past_barrier",
    "shared_assign",
    "step",
    "subgroup_sync",
    "thread",
    "zero",
]

# ------------------------------------------------------------------------------------------- statements (Fig. 5)

State = tuple[Store, Thread]
"""⟨σ, τ, κ, ss⟩."""


def local_assign(Π: Program, σ: Store, T: Thread, s: core.Assign, ss: Continuation) -> State:
    """LOCAL-ASSIGN (Fig. 5): `x = e`."""
    v = Π.evaluate(s.value, σ, T.τ, T.lid)
    return σ, Thread(T.lid, {**T.τ, s.name: v}, T.κ, ss)


def shared_assign(Π: Program, σ: Store, T: Thread, s: core.SharedAssign, ss: Continuation) -> State:
    """SHARED-ASSIGN (Fig. 5): `x[e1] = e2`."""
    v1 = Π.evaluate(s.index, σ, T.τ, T.lid)
    v2 = Π.evaluate(s.value, σ, T.τ, T.lid)
    return σ.updated(s.array, v1, v2), Thread(T.lid, T.τ, T.κ, ss)


def atomic_update(Π: Program, σ: Store, T: Thread, s: AtomicUpdate, ss: Continuation) -> State:
    """Beyond the paper: `y = x[e1]; x[e1] = e2` as one step, as WGSL's atomic functions do it."""
    v1 = Π.evaluate(s.index, σ, T.τ, T.lid)
    old = σ.get(s.array, v1)
    v2 = Π.evaluate(s.value, σ, T.τ, T.lid)
    return σ.updated(s.array, v1, v2), Thread(T.lid, {**T.τ, s.name: old}, T.κ, ss)


def if_true(_: Program, σ: Store, T: Thread, s: core.If, ss: Continuation) -> State:
    """IF-TRUE (Fig. 5): `if (e) {ss1} else {ss2}` where e is true."""
    return σ, Thread(T.lid, T.τ, T.κ, append(s.then, ss))


def if_false(_: Program, σ: Store, T: Thread, s: core.If, ss: Continuation) -> State:
    """IF-FALSE (Fig. 5): `if (e) {ss1} else {ss2}` where e is false."""
    return σ, Thread(T.lid, T.τ, T.κ, append(s.orelse, ss))


def loop_enter(_: Program, σ: Store, T: Thread, s: core.Loop, ss: Continuation) -> State:
    """LOOP-ENTER (Fig. 5): a loop that is not on top of κ gets an element there."""
    return σ, Thread(T.lid, T.τ, (LoopElement(s.id, 0), T.κ), (s, ss))


def loop_unfold(_: Program, σ: Store, T: Thread, s: core.Loop, ss: Continuation) -> State:
    """LOOP-UNFOLD (Fig. 5): a loop on top of κ: its body, then `continuing`, then the loop itself."""
    return σ, Thread(T.lid, T.τ, T.κ, append(s.body, (Continuing(s.id, s.continuing), (s, ss))))


def break_(_: Program, σ: Store, T: Thread, _s: core.Break, ss: Continuation) -> State:
    """BREAK (Fig. 5): drops all statements up to and including the innermost loop, and its element.

    A `break if` in `continuing` is no special case: the loop statement is then what comes next.
    """
    element, κ = _top_loop(T)
    while ss is not None:
        s, ss = ss
        if isinstance(s, core.Loop) and s.id == element.id:
            return σ, Thread(T.lid, T.τ, κ, ss)
    raise StuckError(f"break: loop {element.id} does not follow")


def continue_(Π: Program, σ: Store, T: Thread, s: core.Continue, ss: Continuation) -> State:
    """CONTINUE (Fig. 5): on to the innermost loop's `continuing`; its element remembers by which `continue`."""
    element, κ = _top_loop(T)
    top = LoopElement(element.id, Π.histories.cons(s.id, element.cs))
    while ss is not None:
        after, ss = ss
        if isinstance(after, Continuing) and after.id == element.id:
            return σ, Thread(T.lid, T.τ, (top, κ), append(after.body, ss))
    raise StuckError(f"continue {s.id}: the continuing of loop {element.id} does not follow")


def call(Π: Program, σ: Store, T: Thread, s: core.Call, ss: Continuation) -> State:
    """CALL (Fig. 5): binds the parameters; before that, as WGSL does, it resets the callee's locals."""
    function = Π.Π[s.function]
    τ = {**T.τ, **Π.fresh[s.function]}
    for x, e in zip(function.params, s.arguments, strict=True):
        τ[x.name] = Π.evaluate(e, σ, T.τ, T.lid)
    return σ, Thread(T.lid, τ, (FunctionElement(s.id, s.name, ss), T.κ), append(function.body, None))


def return_(Π: Program, σ: Store, T: Thread, s: core.Return, _ss: Continuation) -> State:
    """RETURN (Fig. 5): back behind the innermost call, past the loops entered since; in `main` the thread ends."""
    κ = T.κ
    while κ is not None:
        element, κ = κ
        if isinstance(element, FunctionElement):
            if s.value is None:
                raise StuckError(f"call {element.id}: the function returns no value")
            v = Π.evaluate(s.value, σ, T.τ, T.lid)
            return σ, Thread(T.lid, {**T.τ, element.x: v}, κ, element.ss)
    return σ, Thread(T.lid, T.τ, None, None)


def _top_loop(T: Thread) -> tuple[LoopElement, ControlStack]:
    """`(l, cs)` and the rest, for a κ that begins so."""
    if T.κ is None or not isinstance(T.κ[0], LoopElement):
        raise StuckError("break or continue outside a loop")
    return T.κ[0], T.κ[1]


def _if(Π: Program, σ: Store, T: Thread, s: core.If, ss: Continuation) -> State:
    """Which of the two rules for `if` applies."""
    return (if_true if Π.evaluate(s.condition, σ, T.τ, T.lid) else if_false)(Π, σ, T, s, ss)


def _loop(Π: Program, σ: Store, T: Thread, s: core.Loop, ss: Continuation) -> State:
    """Which of the two rules for `loop` applies: IDs are distinct (restriction 4), so no call has a loop's ID."""
    return (loop_unfold if T.κ is not None and T.κ[0].id == s.id else loop_enter)(Π, σ, T, s, ss)


# By class: a chain of tests would cost more than most rules do.
_RULES: dict[type, Callable[[Program, Store, Thread, Any, Continuation], State]] = {
    core.Assign: local_assign,
    core.SharedAssign: shared_assign,
    AtomicUpdate: atomic_update,
    core.If: _if,
    core.Loop: _loop,
    core.Break: break_,
    core.Continue: continue_,
    core.Call: call,
    core.Return: return_,
}


def step(Π: Program, σ: Store, T: Thread) -> State:
    """One step of the relation →s (Fig. 5). Raises StuckError where it has none: at a barrier, and when T has ended."""
    if T.ss is None:
        raise StuckError("no statement is left")
    s, ss = T.ss
    rule = _RULES.get(s.__class__)
    if rule is None:
        raise StuckError(f"no rule of Fig. 5 for {type(s).__name__}")
    return rule(Π, σ, T, s, ss)


# ---------------------------------------------------------------------------------------------- threads (Fig. 6)


@core.node
class Global:
    """⟨σ, (T_0, ..., T_(N-1))⟩, a global state."""

    σ: Store
    threads: tuple[Thread, ...]


Agreement = Callable[[Thread, Thread], bool]
"""Whether two threads at barriers converge. An equivalence: executors compare an arriving one with one that waits."""


def barrier_of(T: Thread) -> int | None:
    """b, if T is `(τ, κ, barrier^b : ss)`."""
    return T.ss[0].id if T.ss is not None and isinstance(T.ss[0], core.Barrier) else None


def ended(T: Thread) -> bool:
    """Whether T has left `main`. Raises StuckError if it fell off the end of another function."""
    if T.ss is None and T.κ is not None:
        raise StuckError("a function ends without a return")
    return T.ss is None


def agree(T_i: Thread, T_j: Thread) -> bool:
    """Whether two threads at barriers converge: b_i = b_j and κ_i = κ_j.

    This is the paper's notion of convergence; `convergence` has others, which take its place as an `Agreement`.
    """
    return barrier_of(T_i) == barrier_of(T_j) and T_i.κ == T_j.κ


def expects(T_i: Thread, T_j: Thread) -> bool:
    """Whether T_i goes on only with T_j. At the barrier of a subgroup it does if T_j is in it, too."""
    s = None if T_i.ss is None else T_i.ss[0]
    return not isinstance(s, SubgroupBarrier) or T_i.lid // s.size == T_j.lid // s.size


def diverge(T_i: Thread, T_j: Thread, agree: Agreement = agree) -> bool:
    """BARRIER-ERROR (Fig. 6) for two threads: both at barriers that disagree.

    Beyond the paper, which has no thread end early: one of them at a barrier when the other has ended. And it has no
    subgroups: a thread at the barrier of one goes on without the others. See docs/paper-notes.md, note 6.
    """
    if not (expects(T_i, T_j) and expects(T_j, T_i)):
        return False
    i_waits, j_waits = barrier_of(T_i) is not None, barrier_of(T_j) is not None
    if i_waits and j_waits:
        return not agree(T_i, T_j)
    return (i_waits and ended(T_j)) or (j_waits and ended(T_i))


def thread(Π: Program, G: Global, i: int) -> Global:
    """THREAD (Fig. 6): thread i takes a step. Raises StuckError if it cannot."""
    σ, T = step(Π, G.σ, G.threads[i])
    return Global(σ, (*G.threads[:i], T, *G.threads[i + 1 :]))


def past_barrier(T: Thread) -> Thread:
    """T behind the barrier at which it stands."""
    if T.ss is None:
        raise StuckError("not at a barrier")
    return Thread(T.lid, T.τ, T.κ, T.ss[1])


def barrier_sync(G: Global, agree: Agreement = agree) -> Global | None:
    """BARRIER-SYNC (Fig. 6): all threads pass the barrier at which they agree; None if they do not."""
    first = G.threads[0]
    if barrier_of(first) is None or not all(agree(first, T) for T in G.threads):
        return None
    return Global(G.σ, tuple([past_barrier(T) for T in G.threads]))


def subgroup_sync(G: Global, agree: Agreement = agree) -> Global | None:
    """Beyond the paper: the threads of a subgroup pass a barrier of their own at which they agree; None if none do."""
    for T in G.threads:
        if T.ss is not None and isinstance(T.ss[0], SubgroupBarrier):
            members = {U.lid for U in G.threads if expects(T, U)}
            if all(agree(T, U) for U in G.threads if U.lid in members):
                return Global(G.σ, tuple([past_barrier(U) if U.lid in members else U for U in G.threads]))
    return None


def barrier_error(G: Global, agree: Agreement = agree) -> tuple[int, int] | None:
    """BARRIER-ERROR (Fig. 6): the numbers of two threads for which it leads to ℰ; None if there are none."""
    waiting = [i for i, T in enumerate(G.threads) if barrier_of(T) is not None or ended(T)]
    return next(((i, j) for i, j in combinations(waiting, 2) if diverge(G.threads[i], G.threads[j], agree)), None)
