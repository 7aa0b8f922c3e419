"""Surface statements -> statements of the tree."""

from collections.abc import Callable, Mapping
from typing import Any

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.ast import Type
from wgsl_fuzz.wgsl.spelling import tree
from wgsl_fuzz.wgsl.spelling.choices import Dice
from wgsl_fuzz.wgsl.spelling.expressions import ExpressionBuilder
from wgsl_fuzz.wgsl.spelling.names import Names
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Block,
    Break,
    BreakIf,
    Call,
    CallStatement,
    ConstAssert,
    Continue,
    Empty,
    Expression,
    For,
    Identifier,
    If,
    Increment,
    Let,
    Loop,
    Phony,
    Return,
    Statement,
    Variable,
    While,
)

_UPDATES = core.ARITHMETIC | core.BITWISE | core.SHIFTS
_BARRIERS = ("workgroupBarrier", "storageBarrier", "textureBarrier")


class StatementBuilder(ExpressionBuilder):
    """Builds the statements of one shader's tree."""

    def __init__(self, dice: Dice, names: Names) -> None:
        super().__init__(dice, names)
        self.updates, self.barriers = dice.rates["updates"], dice.rates["barriers"]
        self.void = False
        """The function at hand has no result in the text."""
        self.variables: dict[str, Type] = {}
        """The types of the locals of the function at hand."""

    # --------------------------------------------------------------------------------------------------- scopes

    def statements(self, scope: tree.Scope) -> list[Statement]:
        """What stands between two braces."""
        if scope.late is None and scope.fused is None:
            return [_BUILDERS[type(node)](self, node) for node in scope.nodes]
        late, fused = scope.late or {}, scope.fused or {}
        statements: list[Statement] = []
        for i, node in enumerate(scope.nodes):
            statements += [self.declaration(v) for v in late.get(i, ())]
            statements.append(self.initialised(node, fused[i]) if i in fused else _BUILDERS[type(node)](self, node))
        return statements

    def block(self, scope: tree.Scope) -> Block:
        return Block(tuple(self.statements(scope)))

    def declaration(self, v: core.Variable) -> Variable:
        """`var x: T;`."""
        return Variable(self.texts.get(v.name, v.name), self.type_name(v.type))

    def initialised(self, s: tree.Node, kind: str) -> Variable | Let:
        """`var x: T = e` or `let x: T = e` for an assignment."""
        assert isinstance(s, core.Assign | core.Call)
        name, type_ = self.texts.get(s.name, s.name), self.variables[s.name]
        if kind == "zero":
            return Variable(name, self.type_name(type_))
        inferred = self.takes(self.types, "inferred type")
        if isinstance(s, core.Call):
            value: Expression = self.call(s)
        else:  # a number without a suffix would be an i32
            value = self.expr(s.value) if inferred and type_ is not Type.I32 else self.typed(s.value)
        annotation = None if inferred else self.type_name(type_)
        return Let(name, annotation, value) if kind == "let" else Variable(name, annotation, value)

    # --------------------------------------------------------------------------------------------------- leaves

    def assign(self, s: core.Assign) -> Statement:
        target, value = self.name(s.name), s.value
        if self.updates and type(value) is core.Binary and value.op in _UPDATES:
            left = value.left
            if isinstance(left, core.Local) and left.name == s.name and self.flip(self.updates):
                return self.update(target, value, "compound assignment")
        return Assign("=", target, self.typed(value))

    def shared_assign(self, s: core.SharedAssign) -> Statement:
        target, value = self.element(s.array, s.index), s.value
        if self.updates and type(value) is core.Binary and value.op in _UPDATES:
            left = value.left
            reads = isinstance(left, core.SharedRead) and left.array == s.array and left.index == s.index
            if reads and self.flip(self.updates):
                return self.update(target, value, "compound assignment of an element")
        return Assign("=", target, self.typed(value))

    def update(self, target: Expression, e: core.Binary, form: str) -> Statement:
        """`x op= e`, or `x++`."""
        right = e.right
        one = isinstance(right, core.Literal) and right.value == 1
        if e.op in "+-" and one and self.dice.integer(0, 1) == 0:
            self.dice.note("increment" if e.op == "+" else "decrement")
            return Increment(e.op * 2, target)
        self.dice.note(form)
        return Assign(f"{e.op}=", target, self.typed(right))

    def call_result(self, s: core.Call) -> Statement:
        return Assign("=", self.name(s.name), self.call(s))

    def discard(self, s: tree.DiscardedCall) -> Statement:
        return Phony(self.call(s.call)) if s.phony else CallStatement(self.call(s.call))

    def barrier(self, _: core.Barrier) -> Statement:
        name = _BARRIERS[0]
        if self.barriers and self.flip(self.barriers):
            name = self.dice.pick(_BARRIERS[1:])
            self.dice.note(name)
        return CallStatement(Call(Identifier(name), ()))

    def return_(self, s: core.Return) -> Statement:
        return Return() if s.value is None or self.void else Return(self.typed(s.value))

    # --------------------------------------------------------------------------------------------------- blocks

    def branch(self, s: tree.Branch) -> If:
        condition, then = self.expr(s.condition), self.block(s.then)
        if s.orelse is None:
            return If(condition, then)
        if not s.else_if:
            return If(condition, then, self.block(s.orelse))
        (following,) = s.orelse.nodes
        assert isinstance(following, tree.Branch)
        return If(condition, then, self.branch(following))

    def repeat(self, s: tree.Repeat) -> Statement:
        body = self.block(s.body)
        return Loop(body, None if s.continuing is None else self.block(s.continuing))

    def while_(self, s: tree.While) -> Statement:
        return While(self.expr(s.condition), self.block(s.body))

    def for_(self, s: tree.For) -> Statement:
        header: list[Any] = self.statements(s.header) or [None]
        condition = None if s.condition is None else self.expr(s.condition)
        update: Any = None if s.update is None else _BUILDERS[type(s.update)](self, s.update)
        return For(header[0], condition, update, self.block(s.body))


_BUILDERS: Mapping[type, Callable[[StatementBuilder, Any], Statement]] = {
    core.Assign: StatementBuilder.assign,
    core.SharedAssign: StatementBuilder.shared_assign,
    core.Call: StatementBuilder.call_result,
    core.Barrier: StatementBuilder.barrier,
    core.Return: StatementBuilder.return_,
    core.Continue: lambda *_: Continue(),
    core.Break: lambda *_: Break(),
    tree.DiscardedCall: StatementBuilder.discard,
    tree.Branch: StatementBuilder.branch,
    tree.Repeat: StatementBuilder.repeat,
    tree.While: StatementBuilder.while_,
    tree.For: StatementBuilder.for_,
    tree.BareBlock: lambda builder, s: builder.block(s.body),
    tree.BreakIf: lambda builder, s: BreakIf(builder.expr(s.condition)),
    tree.PhonyAssignment: lambda builder, s: Phony(builder.expr(s.value)),
    Empty: lambda _, s: s,
    ConstAssert: lambda _, s: s,
}
