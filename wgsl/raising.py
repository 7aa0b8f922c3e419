"""TinyWGSL -> tree of WGSL whose names are bound: the inverse of `lower`, and the tree of what `print_shader` prints.

A well-formed shader needs none of the checks that `resolve` makes, and one walk builds nodes and binds names. So this
takes a third of the time that building a tree and resolving it takes.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.printer import copies_of
from wgsl_fuzz.tinywgsl.values import I32_MIN
from wgsl_fuzz.wgsl.deep import deep
from wgsl_fuzz.wgsl.resolution import Extent, Names, Places, Position, Resolution
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Attribute,
    Attributes,
    Binary,
    Block,
    Break,
    BreakIf,
    Call,
    CallStatement,
    Continue,
    Expression,
    Function,
    Identifier,
    If,
    Index,
    Literal,
    Loop,
    Module,
    Parameter,
    Return,
    Statement,
    Unary,
    Variable,
)
from wgsl_fuzz.wgsl.types import Declared


def raised(shader: core.Shader) -> Resolution:
    """The module that is printed as `print_shader` prints a well-formed shader. No node stands in it twice."""
    return deep(lambda: _Raising().resolution(shader))


class _Raising:
    """Builds the nodes of one module, and notes what `resolve` would find out about them."""

    def __init__(self) -> None:
        self.uses: dict[int, Declared] = {}
        self.visible: dict[str, Declared] = {}
        """What the names in the current function stand for."""
        self.called: dict[str, Function] = {}
        """The functions that the current one calls, by name."""
        self.locals: list[Declared] = []
        self.calls: list[Call] = []
        self.assigned: list[Expression] = []
        self.short_circuits: list[Binary] = []
        self.extents: list[Extent] = []
        """Those of the statements of the current function."""

    def resolution(self, shader: core.Shader) -> Resolution:
        arrays = _arrays(shader.arrays)
        functions: list[Function] = []
        callees: dict[int, tuple[Function, ...]] = {}
        extents: dict[int, list[Extent]] = {}
        known: dict[str, Declared] = {a.name: a for a in arrays}
        for f, copies in (*copies_of(shader), (shader.main, {})):
            self.visible, self.called, self.extents = known.copy(), {}, []
            start = self.position()
            made = self.main(f, shader.workgroup_size) if f is shader.main else self.function(f, copies)
            functions.append(made)
            callees[id(made)] = (*self.called.values(),)
            extents[id(made)] = [Extent(id(made.body), start, self.position()), *self.extents]
            known[f.name] = made
        places = Places(self.calls, self.assigned, self.assigned, self.short_circuits, extents)
        names = Names(self.uses, (*functions,), callees, (*arrays, *self.locals), frozenset(), places)
        return Resolution(Module((), (*arrays, *functions)), names)

    # ------------------------------------------------------------------------------------------------------- functions

    def main(self, f: core.Function, threads: int) -> Function:
        self.visible["lid"] = lid = Parameter("lid", Identifier("u32"), _INDEX)
        return Function(f.name, (lid,), self.body(f, []), None, _entry_attributes(threads))

    def function(self, f: core.Function, copies: Mapping[str, str]) -> Function:
        parameters = tuple([Parameter(copies.get(v.name, v.name), _type(v.type)) for v in f.params])
        self.visible.update([(p.name, p) for p in parameters])
        copied = [Variable(v.name, _type(v.type), self.name(copies[v.name])) for v in f.params if v.name in copies]
        return Function(f.name, parameters, self.body(f, copied), None if f.result is None else _type(f.result))

    def body(self, f: core.Function, copied: Sequence[Variable]) -> Block:
        declared = [*copied, *[Variable(v.name, _type(v.type)) for v in f.locals]]
        self.visible.update([(v.name, v) for v in declared])
        self.locals += declared
        return Block((*declared, *self.statements(f.body)))

    def position(self) -> Position:
        return Position(len(self.calls), len(self.assigned), len(self.short_circuits))

    # ------------------------------------------------------------------------------------------------------ statements

    def block(self, ss: core.Block) -> Block:
        return Block((*self.statements(ss),))

    def statements(self, ss: Sequence[core.Stmt]) -> list[Statement]:
        return [_STATEMENTS[s.__class__](self, s) for s in ss]

    def assign(self, s: core.Assign) -> Statement:
        return self.assigning(self.name(s.name), self.expression(s.value))

    def shared_assign(self, s: core.SharedAssign) -> Statement:
        return self.assigning(Index(self.name(s.array), self.expression(s.index)), self.expression(s.value))

    def assigning(self, left: Expression, right: Expression) -> Statement:
        self.assigned.append(left)
        return Assign("=", left, right)

    def call(self, s: core.Call) -> Statement:
        left, callee = self.name(s.name), self.name(s.function)
        called = self.uses[id(callee)]
        assert isinstance(called, Function), "a well-formed shader"
        self.called[s.function] = called
        return self.assigning(left, self.calling(callee, *s.arguments))

    def barrier(self, _: core.Barrier) -> Statement:
        return CallStatement(self.calling(Identifier("workgroupBarrier")))

    def conditional(self, s: core.If) -> Statement:
        start = self.position()
        condition, then = self.expression(s.condition), self.block(s.then)
        return self.ended(If(condition, then, self.block(s.orelse) if s.orelse else None), start)

    def loop(self, s: core.Loop) -> Statement:
        start = self.position()
        body = self.block(s.body)
        return self.ended(Loop(body, self.continuing(s.continuing) if s.continuing else None), start)

    def continuing(self, ss: core.Block) -> Block:
        *before, last = ss
        if not core.is_break_if(last):
            return self.block(ss)
        assert isinstance(last, core.If), "it has that shape"
        return Block((*self.statements(before), BreakIf(self.expression(last.condition))))

    def ended(self, s: If | Loop, start: Position) -> Statement:
        self.extents.append(Extent(id(s), start, self.position()))
        return s

    def returned(self, s: core.Return) -> Statement:
        return Return(None if s.value is None else self.expression(s.value))

    # ----------------------------------------------------------------------------------------------------- expressions

    def expression(self, e: core.Expr) -> Expression:
        return _EXPRESSIONS[e.__class__](self, e)

    def name(self, word: str) -> Identifier:
        """A use of a name."""
        found = Identifier(word)
        self.uses[id(found)] = self.visible[word]
        return found

    def literal(self, e: core.Literal) -> Expression:
        if e.type is core.Type.BOOL:
            return Literal("true" if e.value else "false")
        if e.type is core.Type.U32:
            return Literal(f"{e.value}u")
        if e.value >= 0:
            return Literal(f"{e.value}i")
        if e.value > I32_MIN:
            return Unary("-", Literal(f"{-e.value}i"))
        found = Call(Identifier("i32"), (Unary("-", Literal(str(-I32_MIN))),))
        self.calls.append(found)
        return found

    def binary(self, e: core.Binary) -> Expression:
        found = Binary(e.op, self.expression(e.left), self.expression(e.right))
        if e.op in core.LOGICAL:
            self.short_circuits.append(found)
        return found

    def calling(self, callee: Identifier, *arguments: core.Expr) -> Call:
        found = Call(callee, tuple([self.expression(e) for e in arguments]))
        self.calls.append(found)
        return found


_INDEX = (Attribute("builtin", (Identifier("local_invocation_index"),)),)


@cache
def _entry_attributes(threads: int) -> Attributes:
    return Attribute("compute"), Attribute("workgroup_size", (Literal(str(threads)),))


def _type(t: core.Type) -> Identifier:
    return Identifier(t.value)


def _arrays(arrays: Sequence[core.SharedArray]) -> list[Variable]:
    """The variables at module scope, with the bindings 0, 1, ... of those in storage."""
    found: list[Variable] = []
    binding = 0
    for a in arrays:
        element = Identifier("array", (_type(a.type), Literal(str(a.size))) if a.size else (_type(a.type),))
        if a.space is core.Space.STORAGE:
            attributes = Attribute("group", (Literal("0"),)), Attribute("binding", (Literal(str(binding)),))
            found.append(Variable(a.name, element, None, (Identifier("storage"), Identifier("read_write")), attributes))
            binding += 1
        else:
            found.append(Variable(a.name, element, None, (Identifier("workgroup"),)))
    return found


_STATEMENTS: dict[type, Callable[[_Raising, Any], Statement]] = {
    core.Assign: _Raising.assign,
    core.SharedAssign: _Raising.shared_assign,
    core.Call: _Raising.call,
    core.Barrier: _Raising.barrier,
    core.If: _Raising.conditional,
    core.Loop: _Raising.loop,
    core.Break: lambda *_: Break(),
    core.Continue: lambda *_: Continue(),
    core.Return: _Raising.returned,
}

_EXPRESSIONS: dict[type, Callable[[_Raising, Any], Expression]] = {
    core.Local: lambda walk, e: walk.name(e.name),
    core.Lid: lambda walk, _: walk.name("lid"),
    core.Literal: _Raising.literal,
    core.Binary: _Raising.binary,
    core.SharedRead: lambda walk, e: Index(walk.name(e.array), walk.expression(e.index)),
    core.Unary: lambda walk, e: Unary(e.op, walk.expression(e.operand)),
    core.Convert: lambda walk, e: walk.calling(_type(e.type), e.operand),
}
