"""From TinyWGSL to SIMT-Step: a shader as structured statements on registers. Calls are inlined.

Each subexpression is a local instruction or a load of its own, so other threads may write between two reads of one
expression, as on a device. In TinyWGSL they may not. A barrier becomes one of the subgroup: the workgroup is one.
"""

from collections.abc import Iterator

from wgsl_fuzz.oracle.simt_step import shader as simt
from wgsl_fuzz.oracle.simt_step import structured
from wgsl_fuzz.oracle.simt_step.shader import Address, Operand, ShaderError
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    Convert,
    Expr,
    Function,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    SharedAssign,
    SharedRead,
    Stmt,
    Unary,
    type_of,
)

MOST_CALLS = 10_000
"""So many calls are inlined: the body of a function is there once for each chain of calls that leads to it."""


def from_tiny(shader: Shader) -> simt.Shader:
    """The control flow graph that does what `main` does. Raises ShaderError for one with too many calls to inline."""
    return structured.lower(_Lowering(shader).body(shader.main.body), {a.name: a.size for a in shader.arrays})


class _Lowering:
    """Registers: the locals of `main` have their own names, and `%` tells those of subexpressions from them. The locals
    of `f` begin with `f.`: as nothing is recursive, a thread needs them once.
    """

    def __init__(self, shader: Shader) -> None:
        self._functions = {f.name: f for f in shader.functions}
        self._registers = self._calls = 0
        self._prefix = ""

    def body(self, block: Block) -> structured.Body:
        """The statements of a block."""
        return tuple(s for stmt in block for s in self._statement(stmt))

    def _statement(self, s: Stmt) -> Iterator[structured.Stmt]:
        before: list[structured.Stmt] = []
        match s:
            case Assign():
                value = self._value(s.value, before)
                yield from (*before, simt.Local(self._prefix + s.name, "copy", (value,)))
            case SharedAssign():
                index = self._value(s.index, before)
                value = self._value(s.value, before)
                yield from (*before, simt.Store(Address(s.array, index), value))
            case If():
                c = self._value(s.condition, before)
                yield from (*before, structured.If(c, self.body(s.then), self.body(s.orelse)))
            case Loop():
                yield self._loop(s)
            case Barrier():
                yield simt.SGOp("%barrier", "barrier")
            case Call():
                yield from self._call(s)
            case Return():
                if s.value is not None:
                    value = self._value(s.value, before)
                    yield from (*before, simt.Local(f"{self._prefix}%", "copy", (value,)))
                yield simt.Return()
            case Break():
                yield structured.Break()
            case Continue():
                yield structured.Continue()

    def _call(self, s: Call) -> Iterator[structured.Stmt]:
        """Parameters get their values, locals are zero, and the result is in the register `f.%` at the end."""
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise ShaderError(f"there are more than {MOST_CALLS:,} calls to inline")
        f, before = self._functions[s.function], list[structured.Stmt]()
        values = [self._value(e, before) for e in s.arguments]
        yield from before
        given = dict.fromkeys((v.name for v in f.locals), 0) | dict(zip((v.name for v in f.params), values))
        yield from (simt.Local(f"{f.name}.{name}", "copy", (value,)) for name, value in given.items())
        yield structured.Inlined(self._inside(f))
        yield simt.Local(self._prefix + s.name, "copy", (f"{f.name}.%",))

    def _inside(self, f: Function) -> structured.Body:
        outside, self._prefix = self._prefix, f"{f.name}."
        body = self.body(f.body)
        self._prefix = outside
        return body

    def _loop(self, s: Loop) -> structured.Loop:
        """A `break if` is an `if` with a `break` at the end of `continuing`."""
        continuing, last = s.continuing, s.continuing[-1] if s.continuing else None
        if not isinstance(last, If) or not any(isinstance(inner, Break) for inner in (*last.then, *last.orelse)):
            return structured.Loop(self.body(s.body), self.body(continuing))
        before: list[structured.Stmt] = []
        c = self._value(last.condition, before)
        if last.orelse:
            raise ShaderError("a `break if` has no other branch")
        return structured.Loop(self.body(s.body), (*self.body(continuing[:-1]), *before), c)

    def _value(self, e: Expr, before: list[structured.Stmt]) -> Operand:
        """The operand that holds the value of an expression, once what is put `before` is executed."""
        match e:
            case Literal():
                return int(e.value)
            case Lid():
                return "tid"
            case Local():
                return self._prefix + e.name
            case SharedRead():
                index = self._value(e.index, before)
                before.append(simt.Load(self._fresh(), Address(e.array, index)))
            case Unary():
                a = self._value(e.operand, before)
                before.append(simt.Local(self._fresh(), f"{type_of(e.operand).value} {e.op}", (a,)))
            case Binary():
                a, b = self._value(e.left, before), self._value(e.right, before)
                before.append(simt.Local(self._fresh(), f"{type_of(e.left).value} {e.op}", (a, b)))
            case Convert():
                a = self._value(e.operand, before)
                before.append(simt.Local(self._fresh(), f"to {e.type.value}", (a,)))
        return f"%{self._registers}"

    def _fresh(self) -> str:
        self._registers += 1
        return f"%{self._registers}"
