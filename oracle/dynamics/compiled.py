"""The rules of Fig. 5 once more, for speed: a shader as a graph of closures that threads walk, changing in place.

A node is what stands at the head of `ss` together with what follows; from one node to the next is one step of the
rules, so steps, schedules and witnesses mean the same as with `semantics`. A node is made when a thread first comes to
it: most runs see a part of the shader. Tests hold each step against the rules (`test_fast_path`).
"""

from collections.abc import Callable
from typing import Any, assert_never

from wgsl_fuzz.oracle.dynamics import semantics as sem
from wgsl_fuzz.oracle.dynamics.stores import RunStore
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.values import U32_MAX, binary, convert, unary

Evaluate = Callable[["FastThread"], Any]
"""`(σ, τ)(e)` for one e."""
Walk = Callable[["FastThread"], "CodeNode | None"]
"""One step: changes the thread and says where it stands then."""


class FastThread:
    """T, changed in place; `at` is where it stands, None when no statement is left."""

    __slots__ = ("at", "lid", "returns", "κ", "σ", "τ")

    def __init__(self, T: sem.Thread, at: "CodeNode | None", σ: RunStore) -> None:
        self.lid = T.lid
        self.τ = dict(T.τ)
        self.κ: sem.ControlStack = T.κ
        self.at = at
        self.σ = σ
        self.returns: list[tuple[str, CodeNode | None]] = []
        """For each function element of κ, outermost first, its x and its ss."""

    def memory(self) -> "Memory":
        """What decides, with the place, all that it will do; its loops' histories decide nothing but agreement."""
        return self.τ, self.σ.cells, self.returns

    def memory_copied(self) -> "Memory":
        """The same, to be kept."""
        return self.τ.copy(), self.σ.cells.copy(), self.returns.copy()

    def state(self) -> sem.Thread:
        """The state as the rules have it, but for what follows the statement at hand."""
        return sem.Thread(self.lid, self.τ, self.κ, None if self.at is None else (self.at.statement, None))


class CodeNode:
    """A statement and what follows; `walk` takes the step, for a barrier that of BARRIER-SYNC."""

    __slots__ = ("_pauses", "barrier", "statement", "walk")

    def __init__(self, statement: core.Stmt, walk: Walk) -> None:
        self.statement = statement
        self.walk = walk
        self.barrier = isinstance(statement, core.Barrier)
        self._pauses: bool | None = None

    @property
    def pauses(self) -> bool:
        """Whether a turn ends before it: it accesses shared memory or is a loop."""
        if self._pauses is None:
            s = self.statement
            self._pauses = isinstance(s, core.Loop | core.SharedAssign) or any(
                isinstance(part, core.SharedRead) for e in core.expressions_of(s) for part in core.walk_expr(e)
            )
        return self._pauses


Memory = tuple[sem.LocalStore, dict[tuple[str, int], int], list[tuple[str, CodeNode | None]]]
"""A thread's τ, the cells of σ, and the calls under way."""


class _Loop:
    """The innermost loop around a place: where `break` leads to, and where `continue` does."""

    __slots__ = ("after", "continuing")

    def __init__(self, after: CodeNode | None) -> None:
        self.after = after
        self.continuing: CodeNode | None = None


class Code:
    """A program's nodes; runs of one shader share them."""

    def __init__(self, Π: sem.Program) -> None:
        self.Π = Π
        self._entries: dict[str, CodeNode | None] = {}
        self._nodes: list[CodeNode] = []
        self.main = self._at(Π.shader.main.body, 0, None, None)

    def threads(self, n: int, σ: RunStore) -> list[FastThread]:
        """The threads of an initial state."""
        return [FastThread(T, self.main, σ) for T in self.Π.initial_threads(n)]

    def release(self) -> None:
        """Ends its use: nodes and their closures hold each other, which else only the cycle collector would free."""
        for node in self._nodes:
            del node.walk
        self._nodes.clear()

    def _node(self, s: core.Stmt, walk: Walk) -> CodeNode:
        node = CodeNode(s, walk)
        self._nodes.append(node)
        return node

    def _at(self, ss: core.Block, i: int, after: CodeNode | None, loop: _Loop | None) -> CodeNode | None:
        """The node of `ss` from i on; `after` is what follows `ss`."""
        if i == len(ss):
            return after
        s = ss[i]

        def first(T: FastThread) -> CodeNode | None:
            node.walk = self._walk(s, self._at(ss, i + 1, after, loop), loop)
            return node.walk(T)

        node = self._node(s, first)
        return node

    def _walk(self, s: core.Stmt, following: CodeNode | None, loop: _Loop | None) -> Walk:
        """How a statement takes its step: one arm a statement, in the order of Fig. 5."""
        match s:
            case core.Assign():
                return _assign(s.name, compiled(s.value), following)
            case sem.AtomicUpdate():
                return _atomic_update(s.array, s.name, compiled(s.index), compiled(s.value), following)
            case core.SharedAssign():
                return _shared_assign(s.array, compiled(s.index), compiled(s.value), following)
            case core.If():
                then, orelse = self._at(s.then, 0, following, loop), self._at(s.orelse, 0, following, loop)
                return _if(compiled(s.condition), then, orelse)
            case core.Loop():
                return self._loop(s, following)
            case core.Break():
                return _break(loop)
            case core.Continue():
                return self._continue(s.id, loop)
            case core.Call():
                return self._call(s, following)
            case core.Return():
                return _return(None if s.value is None else compiled(s.value))
            case core.Barrier():
                return lambda _: following
            case _:
                assert_never(s)

    def _loop(self, s: core.Loop, following: CodeNode | None) -> Walk:
        """LOOP-ENTER, and LOOP-UNFOLD as a node of its own."""
        loop = _Loop(following)
        entered = sem.LoopElement(s.id, 0)
        head = self._node(s, lambda _: body)
        loop.continuing = self._at(s.continuing, 0, head, loop)
        body = self._at(s.body, 0, None, loop)

        def enter(T: FastThread) -> CodeNode | None:
            T.κ = (entered, T.κ)
            return head

        return enter

    def _continue(self, c: int, loop: _Loop | None) -> Walk:
        cons = self.Π.histories.cons

        def walk(T: FastThread) -> CodeNode | None:
            if loop is None or T.κ is None:
                raise sem.StuckError("continue outside a loop")
            element, κ = T.κ
            assert isinstance(element, sem.LoopElement), "a loop's element is on top in its body"
            T.κ = (sem.LoopElement(element.id, cons(c, element.cs)), κ)
            return loop.continuing

        return walk

    def _call(self, s: core.Call, following: CodeNode | None) -> Walk:
        function = self.Π.Π[s.function]
        if s.function not in self._entries:
            self._entries[s.function] = self._at(function.body, 0, None, None)
        body = self._entries[s.function]
        fresh = self.Π.fresh[s.function]
        arguments = [(x.name, compiled(e)) for x, e in zip(function.params, s.arguments, strict=True)]
        element = sem.FunctionElement(s.id, s.name, None)

        def walk(T: FastThread) -> CodeNode | None:
            values = {x: e(T) for x, e in arguments}
            T.τ.update(fresh)
            T.τ.update(values)
            T.κ = (element, T.κ)
            T.returns.append((s.name, following))
            return body

        return walk


# ------------------------------------------------------------------------------------------------------ statements


def _assign(x: str, e: Evaluate, following: CodeNode | None) -> Walk:
    def walk(T: FastThread) -> CodeNode | None:
        T.τ[x] = e(T)
        return following

    return walk


def _shared_assign(x: str, e1: Evaluate, e2: Evaluate, following: CodeNode | None) -> Walk:
    def walk(T: FastThread) -> CodeNode | None:
        T.σ.updated(x, e1(T), e2(T))
        return following

    return walk


def _atomic_update(x: str, y: str, e1: Evaluate, e2: Evaluate, following: CodeNode | None) -> Walk:
    def walk(T: FastThread) -> CodeNode | None:
        v1 = e1(T)
        old = T.σ.get(x, v1)
        T.σ.updated(x, v1, e2(T))
        T.τ[y] = old
        return following

    return walk


def _if(e: Evaluate, then: CodeNode | None, orelse: CodeNode | None) -> Walk:
    return lambda T: then if e(T) else orelse


def _break(loop: _Loop | None) -> Walk:
    def walk(T: FastThread) -> CodeNode | None:
        if loop is None or T.κ is None:
            raise sem.StuckError("break outside a loop")
        T.κ = T.κ[1]
        return loop.after

    return walk


def _return(e: Evaluate | None) -> Walk:
    def walk(T: FastThread) -> CodeNode | None:
        if not T.returns:
            T.κ = None
            return None
        if e is None:
            raise sem.StuckError("the function returns no value")
        v = e(T)
        while T.κ is not None:
            element, T.κ = T.κ
            if isinstance(element, sem.FunctionElement):
                break
        x, following = T.returns.pop()
        T.τ[x] = v
        return following

    return walk


# ----------------------------------------------------------------------------------------------------- expressions

_Operator = Callable[[Evaluate, Evaluate], Evaluate]

_OF_ANY: dict[str, _Operator] = {
    "==": lambda a, b: lambda T: a(T) == b(T),
    "!=": lambda a, b: lambda T: a(T) != b(T),
    "<": lambda a, b: lambda T: a(T) < b(T),
    "<=": lambda a, b: lambda T: a(T) <= b(T),
    ">": lambda a, b: lambda T: a(T) > b(T),
    ">=": lambda a, b: lambda T: a(T) >= b(T),
    "&&": lambda a, b: lambda T: a(T) & b(T),
    "||": lambda a, b: lambda T: a(T) | b(T),
    "&": lambda a, b: lambda T: a(T) & b(T),
    "|": lambda a, b: lambda T: a(T) | b(T),
    "^": lambda a, b: lambda T: a(T) ^ b(T),
    "min": lambda a, b: lambda T: min(a(T), b(T)),
}
"""Operators that Python has too, for operands of any type."""
_OF_U32: dict[str, _Operator] = {
    "+": lambda a, b: lambda T: (a(T) + b(T)) & U32_MAX,
    "-": lambda a, b: lambda T: (a(T) - b(T)) & U32_MAX,
    "*": lambda a, b: lambda T: (a(T) * b(T)) & U32_MAX,
}


def compiled(e: core.Expr) -> Evaluate:
    """`e` as a function of a thread: what `semantics.evaluate` computes."""
    match e:
        case core.Local():
            name = e.name
            return lambda T: T.τ[name]
        case core.Literal():
            value = e.value
            return lambda _: value
        case core.Lid():
            return lambda T: T.lid
        case core.Binary():
            return _binary(e.op, compiled(e.left), compiled(e.right), core.type_of(e.left))
        case core.SharedRead():
            array, index = e.array, compiled(e.index)
            return lambda T: T.σ.get(array, index(T))
        case core.Unary():
            op, operand, type = e.op, compiled(e.operand), core.type_of(e.operand)
            if op == "!":
                return lambda T: not operand(T)
            return lambda T: unary(op, operand(T), type)
        case core.Convert():
            to, converted = e.type, compiled(e.operand)
            return lambda T: convert(converted(T), to)
        case _:
            assert_never(e)


def _binary(op: str, a: Evaluate, b: Evaluate, type: core.Type) -> Evaluate:
    made = _OF_ANY.get(op) or (_OF_U32.get(op) if type is core.Type.U32 else None)
    if made is not None:
        return made(a, b)
    return lambda T: binary(op, a(T), b(T), type)
