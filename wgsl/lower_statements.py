"""Statements of WGSL -> statements of TinyWGSL. See the table in `lower`."""

from collections.abc import Callable

from wgsl_fuzz.tinywgsl.ast import Assign as CoreAssign
from wgsl_fuzz.tinywgsl.ast import Barrier, Expr, SharedAssign, SharedRead, Stmt, Type
from wgsl_fuzz.tinywgsl.ast import Block as CoreBlock
from wgsl_fuzz.tinywgsl.ast import Break as CoreBreak
from wgsl_fuzz.tinywgsl.ast import Continue as CoreContinue
from wgsl_fuzz.tinywgsl.ast import If as CoreIf
from wgsl_fuzz.tinywgsl.ast import Literal as CoreLiteral
from wgsl_fuzz.tinywgsl.ast import Loop as CoreLoop
from wgsl_fuzz.tinywgsl.ast import Return as CoreReturn
from wgsl_fuzz.tinywgsl.ast import Unary as CoreUnary
from wgsl_fuzz.wgsl.lower_locals import LocalLowering
from wgsl_fuzz.wgsl.lower_names import (
    ArrayEntity,
    BarrierEntity,
    FunctionEntity,
    LocalEntity,
    LoopContext,
    RefusedEntity,
    Typed,
)
from wgsl_fuzz.wgsl.lower_operators import BOOL, MAX_OPERATORS, U32, as_type, check_depth, operate
from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Block,
    Break,
    BreakIf,
    CallStatement,
    Const,
    ConstAssert,
    Continue,
    Discard,
    Empty,
    Expression,
    For,
    Identifier,
    If,
    Increment,
    Index,
    Let,
    Loop,
    Node,
    Phony,
    Return,
    Statement,
    Switch,
    Unary,
    Variable,
    While,
)

Marks = list[tuple[Stmt, int]]
"""Statements with the offset of what they were made from, inner ones first."""


class StatementLowering:
    """Lowers the statements of one function."""

    def __init__(self, declared: LocalLowering, result: Type | None, *, void: bool, marks: Marks | None) -> None:
        self.declared = declared
        self.names = declared.names
        self.expressions = declared.expressions
        self.output = declared.output
        self.result = result
        self.void = void
        self.marks = marks
        self.continuings = 0
        """How many `continuing` blocks are open: there is no `return` in any of them."""

    # -------------------------------------------------------------------------------------------------------- blocks

    def statements(self, statements: tuple[Statement, ...]) -> None:
        """What stands in a block."""
        marks, output = self.marks, self.output
        if marks is None:
            for s in statements:
                _STATEMENTS[s.__class__](self, s)
            return
        for s in statements:
            before = len(output.statements)
            _STATEMENTS[s.__class__](self, s)
            marks += [(made, s.start) for made in output.statements[before:]]

    def flat_block(self, block: Block) -> None:
        """`{ ... }`, its statements put into the block around it."""
        no_attributes(block)
        self.declared.deeper(block)
        scope = self.names.open_scope()
        self.statements(block.statements)
        self.names.close_scope(scope)
        self.declared.depth -= 1

    def block(self, block: Block) -> CoreBlock:
        """`{ ... }` as a block of its own."""
        outer = self.output.open()
        self.flat_block(block)
        return self.output.close(outer)

    # ------------------------------------------------------------------------------------ assignments, calls, barriers

    def assign(self, s: Assign) -> None:
        """`left = e`, or `left op= e`."""
        self._assign(s, s.left, "" if s.operator == "=" else s.operator[:-1], s.right)

    def increment(self, s: Increment) -> None:
        """`left++` or `left--`."""
        self._assign(s, s.left, s.operator[0], None)

    def _assign(self, s: Node, left: Expression, op: str, right: Expression | None) -> None:
        """`left = right` if `op` is empty, else `left = left op right`, where `right` is 1 if it is missing."""
        if isinstance(left, Index):
            array = self.expressions.array(left)
            index, index_type = self.expressions.index_value(left)
            if left.end - left.start > MAX_OPERATORS or left.start < 0:
                check_depth(index, left)
            self._assign_shared(s, array, index, index_type, op, right)
            return
        if not isinstance(left, Identifier) or left.template:
            pointers = isinstance(left, Unary)
            what = "pointers are" if pointers else "such a left side is"
            raise LoweringProblem(f"{what} outside TinyWGSL", left.start)
        entity = self.expressions.entity(left.name, left)
        if isinstance(entity, ArrayEntity) and entity.scalar:
            self._assign_shared(s, entity, CoreLiteral(0, U32), U32, op, right)
        elif isinstance(entity, LocalEntity) and entity.mutable:
            self._assign_local(s, entity, op, right)
        else:
            raise LoweringProblem(f"{left.name} cannot be assigned", left.start)

    def _assign_local(self, s: Node, entity: LocalEntity, op: str, right: Expression | None) -> None:
        name, output = entity.node.name, self.output
        if op or right is None:
            output.statements.append(CoreAssign(name, self._updated(s, (entity.node, entity.type), op, right)))
        else:
            value = self.expressions.typed(right, entity.type)
            output.put(name, value, output.take_call(value))

    def _assign_shared(
        self, s: Node, array: ArrayEntity, index: Expr, index_type: Type, op: str, right: Expression | None
    ) -> None:
        output = self.output
        before = len(output.statements)
        if op or right is None:
            value = self._updated(s, (SharedRead(array.name, index, array.type), array.type), op, right)
        else:
            value = self.expressions.typed(right, array.type)
        if len(output.statements) != before:
            index = output.keep(index, index_type, before, s)
        output.statements.append(SharedAssign(array.name, index, value))

    def _updated(self, s: Node, target: tuple[Expr, Type], op: str, right: Expression | None) -> Expr:
        """The value of `target op= right`, or of `target++`."""
        before = len(self.output.statements)
        value: Typed = (1, None) if right is None else self.expressions.whole(right)
        left, type = target
        if len(self.output.statements) != before:
            left = self.output.keep(left, type, before, s)
        return as_type(operate(op, (left, type), value, s), type, s)

    def phony(self, s: Phony) -> None:
        """`_ = e`: only its calls are left."""
        self.expressions.whole(s.value)

    def call(self, s: CallStatement) -> None:
        """A call or a barrier."""
        callee = s.call.callee
        entity = self.expressions.entity(callee.name, callee)
        if callee.template:
            raise LoweringProblem(f"{callee.name} takes no template list", callee.start)
        if isinstance(entity, FunctionEntity):
            if entity.must_use:
                raise LoweringProblem(f"the result of {callee.name} must be used", s.start)
            self.expressions.called(s.call, entity)
        elif isinstance(entity, BarrierEntity):
            if s.call.arguments:
                raise LoweringProblem(f"{callee.name} takes no arguments", s.start)
            self.output.statements.append(Barrier(self.output.new_id()))
        else:
            raise LoweringProblem(f"{callee.name} is no function", s.start)

    # -------------------------------------------------------------------------------------------------- control flow

    def conditional(self, s: If) -> None:
        """`if e {} else if e {} else {}`: an `else if` is an `if` in the `else`."""
        no_attributes(s)
        condition = self.expressions.typed(s.condition, BOOL)
        then = self.block(s.then)
        orelse: CoreBlock = ()
        if s.orelse is not None:
            orelse = self._else_if(s.orelse) if isinstance(s.orelse, If) else self.block(s.orelse)
        self.output.statements.append(CoreIf(condition, then, orelse))

    def _else_if(self, s: If) -> CoreBlock:
        self.declared.deeper(s)
        outer = self.output.open()
        self.statements((s,))
        self.declared.depth -= 1
        return self.output.close(outer)

    def loop(self, s: Loop) -> None:
        """`loop { ... continuing { ... } }`."""
        no_attributes(s, s.body)
        id, outer = self._open_loop()
        loop = self.names.loop
        assert loop is not None
        self.declared.deeper(s.body)
        scope = self.names.open_scope()
        loop.scope = self.names.scope
        self.statements(s.body.statements)
        self._end_body(s.end - 1 if s.continuing is None else s.continuing.start)
        continuing = () if s.continuing is None else self._continuing(s.continuing, loop)
        self.names.close_scope(scope)
        self.declared.depth -= 1
        self._close_loop(outer, id, continuing)

    def _open_loop(self) -> tuple[int, tuple[list[Stmt], LoopContext | None]]:
        """The ID of a new loop, and what `_close_loop` needs."""
        id = self.output.new_id()
        outer = self.output.open(), self.names.loop
        self.names.loop = LoopContext()
        return id, outer

    def _end_body(self, offset: int) -> None:
        """Restriction (3): the body ends with a `continue`; one that is added stands behind the body."""
        made = self.output.statements
        if not made or not isinstance(made[-1], CoreContinue):
            made.append(CoreContinue(self.output.new_id()))
            if self.marks is not None:
                self.marks.append((made[-1], offset))

    def _close_loop(self, outer: tuple[list[Stmt], LoopContext | None], id: int, continuing: CoreBlock) -> None:
        statements, self.names.loop = outer
        body = self.output.close(statements)
        self.output.statements.append(CoreLoop(id, body, continuing))

    def _continuing(self, block: Block, loop: LoopContext) -> CoreBlock:
        """`continuing { ... }`, which sees the body's names, unless a `continue` may have skipped them."""
        if loop.before_continue is not None:
            for name in loop.declared[loop.before_continue :]:
                refused = RefusedEntity(f"a continue bypasses the declaration of {name}", self.names.scope)
                self.names.entities[name] = refused
        loop.in_continuing = True
        self.continuings += 1
        made = self.block(block)
        self.continuings -= 1
        return made

    def while_loop(self, s: While) -> None:
        """`while e { ... }`: a loop that starts with `if (!e) { break; }`."""
        no_attributes(s)
        id, outer = self._open_loop()
        self._leave_unless(s.condition)
        self.flat_block(s.body)
        self._end_body(s.end - 1)
        self._close_loop(outer, id, ())

    def _leave_unless(self, condition: Expression) -> None:
        value = self.expressions.typed(condition, BOOL)
        negated = value.operand if isinstance(value, CoreUnary) and value.op == "!" else CoreUnary("!", value)
        self.output.statements.append(CoreIf(negated, (CoreBreak(),), ()))

    def for_loop(self, s: For) -> None:
        """`for (initial; condition; update) { ... }`: the update is the `continuing`."""
        no_attributes(s)
        scope = self.names.open_scope()
        if s.initial is not None:
            self.declared.depth += 1  # a `var` here is no copy of a parameter
            _STATEMENTS[s.initial.__class__](self, s.initial)
            self.declared.depth -= 1
        id, outer = self._open_loop()
        if s.condition is not None:
            self._leave_unless(s.condition)
        self.flat_block(s.body)
        self._end_body(s.end - 1)
        body = self.output.open()
        if s.update is not None:
            self.statements((s.update,))
        continuing = self.output.close(body)
        self._close_loop(outer, id, continuing)
        self.names.close_scope(scope)

    # --------------------------------------------------------------------------------------------------------- jumps

    def continue_(self, s: Continue) -> None:
        """`continue;`."""
        loop = self.names.loop
        if loop is None:
            raise LoweringProblem("continue outside a loop", s.start)
        if loop.in_continuing:
            raise LoweringProblem("continue leaves a continuing", s.start)
        if loop.before_continue is None:
            loop.before_continue = len(loop.declared)
        self.output.statements.append(CoreContinue(self.output.new_id()))

    def break_(self, s: Break) -> None:
        """`break;`."""
        loop = self.names.loop
        if loop is None:
            raise LoweringProblem("break outside a loop", s.start)
        if loop.in_continuing:
            raise LoweringProblem("break leaves a continuing: only break if may, at its end", s.start)
        self.output.statements.append(CoreBreak())

    def break_if(self, s: BreakIf) -> None:
        """`break if e;` at the end of a `continuing`."""
        condition = self.expressions.typed(s.condition, BOOL)
        self.output.statements.append(CoreIf(condition, (CoreBreak(),), ()))

    def return_(self, s: Return) -> None:
        """`return e;`; a function without a result returns 0u."""
        if self.continuings:
            raise LoweringProblem("return in a continuing", s.start)
        value: Expr | None = None
        if s.value is None:
            if self.result is not None and not self.void:
                raise LoweringProblem(f"expected a value of type {self.result.value}", s.start)
            value = CoreLiteral(0, U32) if self.void else None
        else:
            if self.result is None or self.void:
                raise LoweringProblem("a value is returned, but the function has no result", s.start)
            value = self.expressions.typed(s.value, self.result)
        self.output.statements.append(CoreReturn(value))

    # ------------------------------------------------------------------------------------------------- other statements

    def local(self, s: Variable | Let | Const | ConstAssert) -> None:
        """A declaration in a function."""
        self.declared.declare(s)

    def empty(self, s: Empty) -> None:
        """`;`."""

    def outside(self, s: Switch | Discard) -> None:
        """What TinyWGSL does not have."""
        raise LoweringProblem(f"{'switch' if isinstance(s, Switch) else 'discard'} is outside TinyWGSL", s.start)


_STATEMENTS: dict[type, Callable[..., None]] = {
    Assign: StatementLowering.assign,
    Block: StatementLowering.flat_block,
    Break: StatementLowering.break_,
    BreakIf: StatementLowering.break_if,
    CallStatement: StatementLowering.call,
    Const: StatementLowering.local,
    ConstAssert: StatementLowering.local,
    Continue: StatementLowering.continue_,
    Discard: StatementLowering.outside,
    Empty: StatementLowering.empty,
    For: StatementLowering.for_loop,
    If: StatementLowering.conditional,
    Increment: StatementLowering.increment,
    Let: StatementLowering.local,
    Loop: StatementLowering.loop,
    Phony: StatementLowering.phony,
    Return: StatementLowering.return_,
    Switch: StatementLowering.outside,
    Variable: StatementLowering.local,
    While: StatementLowering.while_loop,
}


def no_attributes(*nodes: Block | If | Loop | While | For) -> None:
    """Raises LoweringProblem for attributes of statements."""
    for node in nodes:
        if node.attributes:
            raise LoweringProblem("attributes of statements are outside TinyWGSL", node.attributes[0].start)
