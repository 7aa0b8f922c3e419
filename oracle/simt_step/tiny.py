"""From TinyWGSL to SIMT-Step: a shader without calls, as structured statements on registers.

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
    Continue,
    Convert,
    Expr,
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


def from_tiny(shader: Shader) -> simt.Shader:
    """The control flow graph that does what `main` does. Raises ShaderError for a shader with calls."""
    return structured.lower(_Lowering().body(shader.main.body), {a.name: a.size for a in shader.arrays})


class _Lowering:
    """Registers: locals have their own names, which `%` tells from those of subexpressions."""

    def __init__(self) -> None:
        self._registers = 0

    def body(self, block: Block) -> structured.Body:
        """The statements of a block."""
        return tuple(s for stmt in block for s in self._statement(stmt))

    def _statement(self, s: Stmt) -> Iterator[structured.Stmt]:
        before: list[structured.Stmt] = []
        match s:
            case Assign():
                value = self._value(s.value, before)
                yield from (*before, simt.Local(s.name, "copy", (value,)))
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
            case Return():
                yield simt.Return()
            case Break():
                yield structured.Break()
            case Continue():
                yield structured.Continue()
            case _:
                raise ShaderError(f"SIMT-Step has no {type(s).__name__}")

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
                return e.name
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
