"""The operational semantics of TinyWGSL (section 3.2): its states, and one function per rule of Figs. 5 and 6.

The paper's metavariables, used throughout:

    σ    the shared store: a total map from (array, index) to a value
    τ    a thread's local store: a total map from local identifiers to values
    κ    a control stack, ss a sequence of statements: both cons lists, `(head, tail)` or None for the empty one
    T    a thread state (τ, κ, ss); N the number of threads
    Π    the function table, here with all else that a shader fixes once and for all

States are immutable. A rule is a function from a state to the next one; the statement it is about and those after it
come as `s` and `ss`.
A shader that breaks the restrictions of section 3.2 can reach a state without a rule: `StuckError`. Restriction (1)
is not needed: a thread that returns from `main` or falls off its end has ended (docs/paper-notes.md, note 6).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Protocol, assert_never

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.values import binary, convert, unary


class StuckError(Exception):
    """No rule applies: the shader is not well formed. Never raised for one that is."""


# --------------------------------------------------------------------------------------------------------- states


class Store(Protocol):
    """σ. Rules use an old store no more once they have updated it, so an executor may update its own in place."""

    def get(self, array: str, index: int) -> int:
        """`σ(x, i)`, for any index whatever."""

    def updated(self, array: str, index: int, value: int) -> "Store":
        """`σ[(x, i) ↦ v]`."""


@core.node
class Continuing:
    """The statement `continuing^id { body }`, which exists only while a loop runs."""

    id: int
    body: core.Block


@core.node
class AtomicUpdate(core.SharedAssign):
    """`y = x[e1]; x[e1] = e2` in one step, e2 on the old store. No text of TinyWGSL has it; lowered modules do."""

    name: str


@core.node
class SubgroupBarrier(core.Barrier):
    """A barrier of one subgroup: the threads whose numbers divided by `size` agree. Only lowered modules have it."""

    size: int


@core.node
class ExchangeArray(core.SharedArray):
    """Memory through which subgroups exchange values: a cell is read and written by one of them, barriers between."""


Continuation = tuple[core.Stmt | Continuing, "Continuation"] | None
"""ss."""


@core.node
class FunctionElement:
    """(ID, x, ss): a call under way. A call site has one x and one continuation, so equal IDs make equal elements."""

    id: int
    x: str = field(compare=False)
    ss: Continuation = field(compare=False, repr=False)


@core.node
class LoopElement:
    """(l, cs): a loop under way; `cs` numbers a list of continue IDs in the program's `Histories`."""

    id: int
    cs: int


Element = FunctionElement | LoopElement
ControlStack = tuple[Element, "ControlStack"] | None
"""κ."""
LocalStore = dict[str, int]
"""τ; it has every local of the shader, always in the same order. Only `RunnableProgram` changes it in place."""
Evaluator = Callable[[core.Expr, Any, LocalStore, int], Any]
"""What `(σ, τ)(e)` is computed by."""


@core.node
class Thread:
    """T, a thread state (τ, κ, ss), and the thread's number: `lid` apart from τ, for it never changes."""

    lid: int
    τ: LocalStore
    κ: ControlStack
    ss: Continuation


def elements_of(κ: ControlStack) -> Iterator[Element]:
    """The elements of κ, innermost first."""
    while κ is not None:
        element, κ = κ
        yield element


class Histories:
    """The lists `cs` of continue IDs, hash-consed: equal lists are equal numbers, however long; [] is 0."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, int], int] = {}
        self._lists: list[tuple[int, int]] = [(0, 0)]

    def cons(self, c: int, cs: int) -> int:
        """`c : cs`."""
        number = self._numbers.setdefault((c, cs), len(self._lists))
        if number == len(self._lists):
            self._lists.append((c, cs))
        return number

    def ids(self, cs: int) -> list[int]:
        """The list behind a number, newest first as in the paper."""
        ids = []
        while cs:
            c, cs = self._lists[cs]
            ids.append(c)
        return ids


def zero(type: core.Type) -> int:
    """The default `d` of Definition 3.1."""
    return False if type is core.Type.BOOL else 0


def _zeros(variables: Sequence[core.Variable]) -> LocalStore:
    return {v.name: zero(v.type) for v in variables}


class Program:
    """A shader made ready to run: Π, the histories of its loops, and whether CALL resets the callee's locals.

    `reset_locals=False` is the paper's letter: Theorem 4.1 fails (docs/paper-notes.md, note 2). WGSL resets. Another
    `evaluator` lets the rules run on other values than numbers (`symbolic`).
    """

    def __init__(self, shader: core.Shader, reset_locals: bool = True, evaluator: "Evaluator | None" = None) -> None:
        self.shader = shader
        self.evaluate = evaluator or evaluate
        self.histories = Histories()
        self.Π: dict[str, core.Function] = {f.name: f for f in shader.functions}
        self.fresh: dict[str, LocalStore] = {f.name: _zeros(f.locals) if reset_locals else {} for f in shader.functions}

    def bound(self, τ: LocalStore, values: LocalStore) -> LocalStore:
        """`τ[x ↦ v]` for each x."""
        return {**τ, **values}

    def initial_threads(self, threads: int) -> list[Thread]:
        """T_0, ..., T_(N-1) of an initial state (Definition 3.1)."""
        functions = self.shader.all_functions
        τ = _zeros([v for f in functions for v in (*f.params, *f.locals)])
        ss = append(self.shader.main.body, None)
        return [Thread(lid, τ.copy(), None, ss) for lid in range(threads)]


def append(ss1: core.Block, ss2: Continuation) -> Continuation:
    """`ss1 ++ ss2`, in time of the length of ss1."""
    for s in reversed(ss1):
        ss2 = (s, ss2)
    return ss2


# ---------------------------------------------------------------------------------------------------- expressions


def evaluate(e: core.Expr, σ: Store, τ: LocalStore, lid: int) -> int:
    """`(σ, τ)(e)`, where τ(lid) is `lid`. Both sides of `&&` and `||` are evaluated: no expression has an effect."""
    match e:
        case core.Local():
            return τ[e.name]
        case core.Literal():
            return e.value
        case core.Binary():
            left = e.left
            a = evaluate(left, σ, τ, lid)
            return binary(e.op, a, evaluate(e.right, σ, τ, lid), core.type_of(left))
        case core.Lid():
            return lid
        case core.SharedRead():
            return σ.get(e.array, evaluate(e.index, σ, τ, lid))
        case core.Unary():
            return unary(e.op, evaluate(e.operand, σ, τ, lid), core.type_of(e.operand))
        case core.Convert():
            return convert(evaluate(e.operand, σ, τ, lid), e.type)
        case _:
            assert_never(e)


# ------------------------------------------------------------------------------------------- statements (Fig. 5)

State = tuple[Store, Thread]
"""⟨σ, τ, κ, ss⟩."""


def local_assign(Π: Program, σ: Store, T: Thread, s: core.Assign, ss: Continuation) -> State:
    """LOCAL-ASSIGN (Fig. 5): `x = e`."""
    v = Π.evaluate(s.value, σ, T.τ, T.lid)
    return σ, Thread(T.lid, Π.bound(T.τ, {s.name: v}), T.κ, ss)


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
    return σ.updated(s.array, v1, v2), Thread(T.lid, Π.bound(T.τ, {s.name: old}), T.κ, ss)


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
    v = {x.name: Π.evaluate(e, σ, T.τ, T.lid) for x, e in zip(function.params, s.arguments, strict=True)}
    τ = Π.bound(T.τ, {**Π.fresh[s.function], **v})
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
            return σ, Thread(T.lid, Π.bound(T.τ, {element.x: v}), κ, element.ss)
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


def waits(T: Thread) -> bool:
    """Whether T stands at a barrier, or has ended: it takes no step by itself."""
    return ended(T) if T.ss is None else isinstance(T.ss[0], core.Barrier)


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


# ------------------------------------------------------------------------------------------- notions of convergence


@dataclass(frozen=True, slots=True)
class Notion:
    """A notion of convergence: its name, what it asks for in words, and the same as a predicate of control stacks.

    The paper's is the most conservative one of the languages that WGSL is compiled to (section 2.3); it names the study
    of maximal reconvergence as future work (section 8). The others are of two other systems. Each asks for the same
    barrier instruction; they differ in what else of a thread's past has to be the same. Each holds of fewer pairs of
    threads than the next one in `NOTIONS`: what converges under one converges under those after it, up to the barriers
    at which the runs part.

    `stacks` must be an equivalence: executors compare an arriving thread with only one of those that wait.
    """

    name: str
    words: str
    stacks: Callable[[Histories, ControlStack, ControlStack], bool]

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], "Notion"], tuple[str]]:
        """By name: one object for each notion in each process."""
        return Notion.parse, (self.name,)

    @classmethod
    def parse(cls, name: str) -> "Notion":
        """The notion of a name; raises ValueError if there is none."""
        if name not in NOTIONS:
            raise ValueError(f"{name!r}, not one of {', '.join(NOTIONS)}")
        return NOTIONS[name]

    @property
    def sentence(self) -> str:
        """What it asks for, in a sentence."""
        return f"What counts as convergence is {self.name}: {self.words}."

    def agreement(self, histories: Histories) -> Agreement:
        """The predicate of two threads, for a program with these histories."""
        return lambda T_i, T_j: barrier_of(T_i) == barrier_of(T_j) and self.stacks(histories, T_i.κ, T_j.κ)


def _same_blocks(histories: Histories, κ_i: ControlStack, κ_j: ControlStack) -> bool:
    """The same calls, and the same loops in the same iterations.

    Threads that leave an iteration by different `continue`s merge before its `continuing`; those that take different
    branches of an `if`, or leave a loop by different `break`s, merge behind it. So this is all that a path leaves.
    """
    while κ_i is not None and κ_j is not None:
        one, κ_i = κ_i
        other, κ_j = κ_j
        if one.id != other.id:
            return False
        if _iterations(histories, one) != _iterations(histories, other):
            return False
    return κ_i is κ_j


def _iterations(histories: Histories, element: Element) -> int:
    """How many iterations of a loop are behind a thread; 0 for a call."""
    return len(histories.ids(element.cs)) if isinstance(element, LoopElement) else 0


CONTROL_STACKS = Notion(
    "control-stacks", "the same calls, loops and `continue`s, as the paper asks", lambda _, κ_i, κ_j: κ_i == κ_j
)
"""The paper's (section 3.2; Fig. 6, BARRIER-SYNC)."""
DYNAMIC_BLOCKS = Notion("dynamic-blocks", "the same calls, loops and iterations: maximal reconvergence", _same_blocks)
"""Of *SIMT-Step Execution* (section 3), after SPIR-V: a barrier's dynamic block is executed by all threads."""
SAME_BARRIER = Notion("same-barrier", "the same barrier instruction and nothing else, as WSL asks", lambda *_: True)
"""Of the WSL specification ("Barriers and discard"): all threads are at the same control barrier instruction."""

NOTIONS = {notion.name: notion for notion in (CONTROL_STACKS, DYNAMIC_BLOCKS, SAME_BARRIER)}
"""By name, from the strictest to the most lenient."""
