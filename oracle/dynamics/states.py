"""The states of TinyWGSL and the values of its expressions (section 3.2, Definition 3.1): what the rules step between.

The paper's metavariables, used throughout:

    σ    the shared store: a total map from (array, index) to a value
    τ    a thread's local store: a total map from local identifiers to values
    κ    a control stack, ss a sequence of statements: both cons lists, `(head, tail)` or None for the empty one
    T    a thread state (τ, κ, ss); N the number of threads
    Π    the function table, here with all else that a shader fixes once and for all

Nothing here changes a state; `semantics` has the rules.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol, assert_never

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.traversal import AssignedLocal, Value
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


class PureStore:
    """A store that is never changed: what `initial` says, but for the cells written since."""

    __slots__ = ("cells", "initial")

    def __init__(self, initial: Callable[[str, int], int], cells: Mapping[tuple[str, int], int] | None = None) -> None:
        self.initial = initial
        self.cells = cells or {}

    def get(self, array: str, index: int) -> int:
        """`σ(x, i)`."""
        value = self.cells.get((array, index))
        return self.initial(array, index) if value is None else value

    def updated(self, array: str, index: int, value: int) -> "PureStore":
        """`σ[(x, i) ↦ v]`; costs as much as there are cells written so far."""
        return PureStore(self.initial, {**self.cells, (array, index): value})


@core.node
class Continuing:
    """The statement `continuing^id { body }`, which exists only while a loop runs."""

    id: int
    body: core.Block


@core.node
class AtomicUpdate(core.SharedAssign):
    """`y = x[e1]; x[e1] = e2` in one step, e2 on the old store. No text of TinyWGSL has it; lowered modules do."""

    name: AssignedLocal


@core.node
class SubgroupBarrier(core.Barrier):
    """A barrier of one subgroup: the threads whose numbers divided by `size` agree. Only lowered modules have it."""

    size: Value


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
"""τ, never changed in place; it has every local of the shader, always in the same order."""
Evaluator = Callable[[core.Expr, Any, LocalStore, int], Any]
"""What `(σ, τ)(e)` is computed by."""


@core.node
class Thread:
    """T, a thread state (τ, κ, ss), and the thread's number: `lid` apart from τ, for it never changes."""

    lid: int
    τ: LocalStore
    κ: ControlStack
    ss: Continuation


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

    def length(self, cs: int) -> int:
        """How long the list behind a number is."""
        return len(self.ids(cs))

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
        self.reset_locals = reset_locals
        self.evaluate = evaluator or evaluate
        self.histories = Histories()
        self.Π: dict[str, core.Function] = {f.name: f for f in shader.functions}
        self.fresh: dict[str, LocalStore] = {f.name: _zeros(f.locals) if reset_locals else {} for f in shader.functions}

    def initial_threads(self, threads: int) -> list[Thread]:
        """T_0, ..., T_(N-1) of an initial state (Definition 3.1)."""
        functions = self.shader.all_functions
        τ = _zeros([v for f in functions for v in (*f.params, *f.locals)])
        ss = append(self.shader.main.body, None)
        return [Thread(lid, τ, None, ss) for lid in range(threads)]

    def render(self, κ: ControlStack) -> list[tuple[Element, list[int]]]:
        """The elements of κ, innermost first, each loop with its continue IDs, newest first."""
        elements: list[tuple[Element, list[int]]] = []
        while κ is not None:
            element, κ = κ
            elements.append((element, self.histories.ids(element.cs) if isinstance(element, LoopElement) else []))
        return elements


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
