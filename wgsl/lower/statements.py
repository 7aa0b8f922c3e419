"""Statements of WGSL -> statements of TinyWGSL. See the table in `module`."""

from collections.abc import Callable
from dataclasses import dataclass, field

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.lower.expressions import ArrayEntity, ExpressionLowering, FunctionEntity, LocalEntity
from wgsl_fuzz.wgsl.lower.operators import BOOL, I32, MAX_OPERATORS, U32, Typed, as_type, check_depth, operate
from wgsl_fuzz.wgsl.problems import LoweringProblem

Marks = list[tuple[core.Stmt, int]]
"""Statements with the offset of what they were made from, inner ones first."""


MAX_BLOCKS = 100
"""Blocks within blocks."""


@dataclass
class StatementLowering:
    """Lowers the statements of one function, its parameters first."""

    expressions: ExpressionLowering
    result: core.Type | None
    void: bool
    marks: Marks
    parameters: list[core.Variable] = field(default_factory=list)
    depth: int = 0
    """The blocks that are open."""
    loops: int = 0
    """The loops that are open."""
    _places: dict[int, int] = field(default_factory=dict)
    """The places of the parameters, by their identity."""

    def __post_init__(self) -> None:
        self.output = self.expressions.output

    # -------------------------------------------------------------------------------------------------------- blocks

    def statements(self, statements: tuple[w.Statement, ...]) -> None:
        """What stands in a block."""
        output = self.output
        for s in statements:
            before = len(output.statements)
            _STATEMENTS[s.__class__](self, s)
            for i in range(before, len(output.statements)):
                self.marks.append((output.statements[i], s.start))

    def flat_block(self, block: w.Block) -> None:
        """`{ ... }`, its statements put into the block around it."""
        no_attributes(block)
        self.deeper(block)
        self.statements(block.statements)
        self.depth -= 1

    def deeper(self, at: w.Node) -> None:
        """Opens a block; `depth` is counted down where it ends."""
        self.depth += 1
        if self.depth > MAX_BLOCKS:
            raise LoweringProblem(f"more than {MAX_BLOCKS} nested blocks", at.start)

    def block(self, block: w.Block) -> core.Block:
        """`{ ... }` as a block of its own."""
        outer = self.output.open()
        self.flat_block(block)
        return self.output.close(outer)

    # ------------------------------------------------------------------------------------ assignments, calls, barriers

    def _assign(self, s: w.Node, left: w.Expression, op: str, right: w.Expression | None) -> None:
        """`left = right` if `op` is empty, else `left = left op right`, where `right` is 1 if it is missing."""
        if isinstance(left, w.Index):
            array = self.expressions.array(left)
            index, index_type = self.expressions.index_value(left)
            if left.end - left.start > MAX_OPERATORS or left.start < 0:
                check_depth(index, left)
            self._assign_shared(s, array, index, index_type, op, right)
            return
        if not isinstance(left, w.Identifier):
            pointers = isinstance(left, w.Unary)
            what = "pointers are" if pointers else "such a left side is"
            raise LoweringProblem(f"{what} outside TinyWGSL", left.start)
        entity = self.expressions.entity(left)
        if isinstance(entity, ArrayEntity) and entity.scalar:
            self._assign_shared(s, entity, core.Literal(0, U32), U32, op, right)
        elif isinstance(entity, LocalEntity) and entity.mutable:
            if op or right is None:
                value = self._updated(s, (entity.node, entity.node.type), op, right)
                self.output.statements.append(core.Assign(entity.node.name, value))
            else:
                value = self.expressions.typed(right, entity.node.type)
                self.output.put(entity.node.name, value, self.output.take_call(value))
        else:
            raise LoweringProblem(f"{left.name} cannot be assigned", left.start)

    def _assign_shared(
        self,
        s: w.Node,
        array: ArrayEntity,
        index: core.Expr,
        index_type: core.Type,
        op: str,
        right: w.Expression | None,
    ) -> None:
        output = self.output
        before = len(output.statements)
        if op or right is None:
            value = self._updated(s, (core.SharedRead(array.name, index, array.type), array.type), op, right)
        else:
            value = self.expressions.typed(right, array.type)
        if len(output.statements) != before:
            index = output.keep(index, index_type, before, s)
        output.statements.append(core.SharedAssign(array.name, index, value))

    def _updated(
        self, s: w.Node, target: tuple[core.Expr, core.Type], op: str, right: w.Expression | None
    ) -> core.Expr:
        """The value of `target op= right`, or of `target++`."""
        before = len(self.output.statements)
        value: Typed = (1, None) if right is None else self.expressions.whole(right)
        left, type = target
        if len(self.output.statements) != before:
            left = self.output.keep(left, type, before, s)
        return as_type(operate(op, (left, type), value, s), type, s)

    def call(self, s: w.CallStatement) -> None:
        """A call or a barrier."""
        match self.expressions.entity(s.call.callee):
            case FunctionEntity() as function:
                self.expressions.called(s.call, function)
            case core.Barrier:
                if s.call.arguments:
                    raise LoweringProblem(f"{s.call.callee.name} takes no arguments", s.start)
                self.output.statements.append(core.Barrier(self.output.new_id()))
            case entity:
                raise AssertionError(entity)

    # -------------------------------------------------------------------------------------------------- control flow

    def conditional(self, s: w.If) -> None:
        """`if e {} else if e {} else {}`: an `else if` is an `if` in the `else`."""
        no_attributes(s)
        condition = self.expressions.typed(s.condition, BOOL)
        then = self.block(s.then)
        orelse: core.Block = ()
        if s.orelse is not None:
            orelse = self._else_if(s.orelse) if isinstance(s.orelse, w.If) else self.block(s.orelse)
        self.output.statements.append(core.If(condition, then, orelse))

    def _else_if(self, s: w.If) -> core.Block:
        self.deeper(s)
        outer = self.output.open()
        self.statements((s,))
        self.depth -= 1
        return self.output.close(outer)

    def loop(self, s: w.Loop) -> None:
        """`loop { ... continuing { ... } }`."""
        no_attributes(s)
        id, outer = self._open_loop()
        self.flat_block(s.body)
        self._end_body(s.end - 1 if s.continuing is None else s.continuing.start)
        self.depth += 1  # `continuing` is in the body
        continuing = () if s.continuing is None else self.block(s.continuing)
        self.depth -= 1
        self._close_loop(outer, id, continuing)

    def _open_loop(self) -> tuple[int, list[core.Stmt]]:
        """The ID of a new loop, and what `_close_loop` needs."""
        self.loops += 1
        return self.output.new_id(), self.output.open()

    def _end_body(self, offset: int) -> None:
        """Restriction (3): the body ends with a `continue`; one that is added stands behind the body."""
        made = self.output.statements
        if not made or not isinstance(made[-1], core.Continue):
            made.append(core.Continue(self.output.new_id()))
            self.marks.append((made[-1], offset))

    def _close_loop(self, outer: list[core.Stmt], id: int, continuing: core.Block) -> None:
        self.loops -= 1
        body = self.output.close(outer)
        self.output.statements.append(core.Loop(id, body, continuing))

    def for_loop(self, s: w.For) -> None:
        """`for (initial; e; update) { ... }`: a loop that starts with `if (!e) { break; }`, the update `continuing`."""
        no_attributes(s)
        if s.initial is not None:
            self.depth += 1  # a `var` here is no copy of a parameter
            _STATEMENTS[s.initial.__class__](self, s.initial)
            self.depth -= 1
        id, outer = self._open_loop()
        if s.condition is not None:
            value = self.expressions.typed(s.condition, BOOL)
            negated = value.operand if isinstance(value, core.Unary) and value.op == "!" else core.Unary("!", value)
            self.output.statements.append(core.If(negated, (core.Break(),), ()))
        self.flat_block(s.body)
        self._end_body(s.end - 1)
        body = self.output.open()
        if s.update is not None:
            self.statements((s.update,))
        continuing = self.output.close(body)
        self._close_loop(outer, id, continuing)

    # --------------------------------------------------------------------------------------------------------- jumps

    def return_(self, s: w.Return) -> None:
        """`return e;`; a function without a result returns 0u."""
        value: core.Expr | None = core.Literal(0, U32) if self.void else None
        if s.value is not None:
            assert self.result is not None, "only functions with a result return values"
            value = self.expressions.typed(s.value, self.result)
        self.output.statements.append(core.Return(value))

    # ---------------------------------------------------------------------------------------------------- declarations

    def parameter(self, p: w.Parameter, type: core.Type) -> None:
        """Declares a parameter."""
        self._places[id(p)] = len(self.parameters)
        node = self.output.local(p.name, type)
        self.expressions.bind(p, LocalEntity(node, mutable=False))
        self.parameters.append(core.Variable(node.name, type))

    def variable(self, s: w.Variable) -> None:
        """`var x: T = e;`."""
        type = None if s.type is None else self.expressions.scalar_type(s.type)
        if s.value is not None:
            place = self._copied(s.value, type)
            if place is None:
                self._initialised(s, s.value, type)
            else:
                self._copy(s, place)
            return
        assert type is not None, "a variable has a type or a value"
        name = self._local(s, type)
        if self.loops:  # WGSL initialises it again in each iteration
            self.output.statements.append(core.Assign(name, core.Literal(False if type is BOOL else 0, type)))

    def _copied(self, value: w.Expression, type: core.Type | None) -> int | None:
        """The place of the parameter that an initialiser is and that stands nowhere else; None for others."""
        if self.depth != 1 or not isinstance(value, w.Identifier):
            return None
        declared = self.expressions.resolution.declaration(value)
        place = self._places.get(id(declared))
        if place is None or (type is not None and type is not self.parameters[place].type):
            return None
        return place if self.expressions.resolution.uses[id(declared)] == 1 else None

    def _copy(self, s: w.Variable, place: int) -> None:
        """`var x = x_in;`: TinyWGSL's parameter is `x`, which can be assigned, and there is no `x_in`."""
        old = self.parameters[place]
        self.output.forget(old.name)
        node = self.output.local(s.name, old.type)
        self.expressions.bind(s, LocalEntity(node, mutable=True))
        self.parameters[place] = core.Variable(node.name, old.type)

    def _initialised(self, s: w.Variable | w.Let, value: w.Expression, type: core.Type | None) -> None:
        """The initialiser, and then the declaration."""
        found = self.expressions.whole(value)
        type = type or found[1] or I32
        expression = as_type(found, type, value)
        call = self.output.take_call(expression)
        self.output.put(self._local(s, type), expression, call)

    def _local(self, s: w.Variable | w.Let, type: core.Type) -> str:
        """Declares a local variable; returns its name in TinyWGSL."""
        node = self.output.local(s.name, type)
        self.expressions.bind(s, LocalEntity(node, mutable=isinstance(s, w.Variable)))
        self.output.locals.append(core.Variable(node.name, type))
        return node.name


def _outside(_: StatementLowering, s: w.Switch | w.Discard) -> None:
    """What TinyWGSL does not have."""
    raise LoweringProblem(f"{'switch' if isinstance(s, w.Switch) else 'discard'} is outside TinyWGSL", s.start)


_STATEMENTS: dict[type, Callable[..., object]] = {
    w.Assign: lambda self, s: self._assign(s, s.left, "" if s.operator == "=" else s.operator[:-1], s.right),
    w.Block: StatementLowering.flat_block,
    w.Break: lambda self, _: self.output.statements.append(core.Break()),
    w.BreakIf: lambda self, s: self.output.statements.append(
        core.If(self.expressions.typed(s.condition, BOOL), (core.Break(),), ())
    ),
    w.CallStatement: StatementLowering.call,
    w.Const: lambda self, s: self.expressions.bind(s, self.expressions.const(s)),
    w.ConstAssert: lambda self, s: self.expressions.const_assert(s),
    w.Continue: lambda self, _: self.output.statements.append(core.Continue(self.output.new_id())),
    w.Discard: _outside,
    w.Empty: lambda *_: None,
    w.For: StatementLowering.for_loop,
    w.If: StatementLowering.conditional,
    w.Increment: lambda self, s: self._assign(s, s.left, s.operator[0], None),
    w.Let: lambda self, s: self._initialised(s, s.value, s.type and self.expressions.scalar_type(s.type)),
    w.Loop: StatementLowering.loop,
    w.Phony: lambda self, s: self.expressions.whole(s.value),  # only its calls are left
    w.Return: StatementLowering.return_,
    w.Switch: _outside,
    w.Variable: StatementLowering.variable,
    w.While: lambda self, s: self.for_loop(
        w.For(None, s.condition, None, s.body, s.attributes, start=s.start, end=s.end)
    ),
}


def no_attributes(*nodes: w.Block | w.If | w.Loop | w.While | w.For) -> None:
    """Raises LoweringProblem for attributes of statements."""
    for node in nodes:
        if node.attributes:
            raise LoweringProblem("attributes of statements are outside TinyWGSL", node.attributes[0].start)
