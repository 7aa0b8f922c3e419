"""Statements of WGSL -> statements of TinyWGSL that do the same.

`switch` is a chain of `if`s, or such a chain in a loop where a `break` leaves it from within. A `continue` out of such
a loop says in a local which one it was, leaves the loop, and happens behind it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.calls import CallLowering
from wgsl_fuzz.oracle.dynamics.modules.constructors import combined
from wgsl_fuzz.oracle.dynamics.modules.expressions import ExpressionLowering
from wgsl_fuzz.oracle.dynamics.modules.places import MemoryRef, Swizzled, Value
from wgsl_fuzz.oracle.dynamics.modules.variables import fitted, zeros
from wgsl_fuzz.tinywgsl.ast import Assign as CoreAssign
from wgsl_fuzz.tinywgsl.ast import Block as CoreBlock
from wgsl_fuzz.tinywgsl.ast import Break as CoreBreak
from wgsl_fuzz.tinywgsl.ast import Continue as CoreContinue
from wgsl_fuzz.tinywgsl.ast import Expr, Local, Stmt, Type
from wgsl_fuzz.tinywgsl.ast import If as CoreIf
from wgsl_fuzz.tinywgsl.ast import Loop as CoreLoop
from wgsl_fuzz.tinywgsl.ast import Return as CoreReturn
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.diagnostics import Filters


@dataclass(slots=True)
class _Around:
    """A loop of TinyWGSL around a place: one of the text, or of a switch."""

    switch: bool
    continued: Local | None = None
    """In a switch: which `continue` leaves it, from 1; 0 is none."""
    parts: list[int] = field(default_factory=list)
    """Their places in the text."""


class StatementLowering:
    """Lowers the statements of one function."""

    def __init__(
        self,
        expressions: ExpressionLowering,
        calls: CallLowering,
        filters: Filters,
        result: vt.Type | None,
        cells: tuple[Local, ...],
    ) -> None:
        self.expressions = expressions
        self.calls = calls
        self.out = expressions.out
        self.variables = expressions.variables
        self.filters = filters
        self.result = result
        self.cells = cells
        """Where a result of several cells goes."""
        self.entry = False
        self.discard: Callable[[], None] = lambda: None
        self._around: list[_Around] = []

    # -------------------------------------------------------------------------------------------------------- blocks

    def statements(self, statements: tuple[w.Statement, ...]) -> None:
        """What stands in a block."""
        out = self.out
        around = out.at
        for s in statements:
            out.at = s.start
            _STATEMENTS[s.__class__](self, s)
        out.at = around

    def flat_block(self, block: w.Block) -> None:
        """`{ ... }`, its statements put into the block around it."""
        self.filters.push(block.attributes)
        self.statements(block.statements)
        self.filters.pop()

    def block(self, block: w.Block) -> CoreBlock:
        """`{ ... }` as a block of its own."""
        outer = self.out.open()
        self.flat_block(block)
        return self.out.close(outer)

    # ---------------------------------------------------------------------------------------- declarations, assignments

    def _variable(self, s: w.Variable) -> None:
        types = self.expressions.types
        value = None if s.value is None else self.expressions.concrete_for(s.value, s.type)
        type = types.named(s.type) if s.type is not None else None
        if type is None:
            assert value is not None
            type = value.type
        place = self.variables.local(s.name, type)
        self.expressions.bind(s, place)
        self.variables.assign(place, value or zeros(type))

    def _let(self, s: w.Let) -> None:
        expressions = self.expressions
        if expressions.resolution.is_pointer(s.value) or expressions.is_handle(s.value):
            place = expressions.place(s.value)
            if place.index is not None:
                place = MemoryRef(place.root, place.type, place.offset, self.out.named_cell(place.index), place.choices)
            expressions.bind(s, place)
            return
        value = expressions.concrete_for(s.value, s.type)
        expressions.bind(s, self.out.bound(s.name, value))

    def _nothing(self, s: w.Const | w.ConstAssert | w.Empty) -> None:
        """Constants are computed where they are used."""

    def _assign(self, s: w.Assign) -> None:
        """`left = right`: the left side first, then the right; `left op= right` also loads before the right side."""
        target = self.expressions.target(s.left)
        mark = self.out.mark()
        old = None if s.operator == "=" else self.variables.read(target)
        value = self.expressions.value(s.right)
        target = self._kept_target(target, mark)
        if old is not None:
            old = self.out.kept(old, mark)
            value = combined(self.out, s.operator[:-1], old, value)
        self.variables.assign(target, value)

    def _kept_target(self, target: MemoryRef | Swizzled, mark: int) -> MemoryRef | Swizzled:
        """A left side with its index as it was at a mark. What is kept at the mark stands before what comes later."""
        if isinstance(target, Swizzled):
            return Swizzled(self.out.kept_place(target.place, mark), target.components)
        return self.out.kept_place(target, mark)

    def _increment(self, s: w.Increment) -> None:
        target = self.expressions.target(s.left)
        old = self.variables.read(target)
        scalar = t.scalar_of(old.type)
        one = Value(vt.with_component(old.type, scalar), (ops.one(scalar),))
        self.variables.assign(target, combined(self.out, s.operator[0], old, one))

    def _phony(self, s: w.Phony) -> None:
        """Only side effects are left: of a pointer, the effects of its indices."""
        if self.expressions.resolution.is_pointer(s.value):
            self.expressions.place(s.value)
        elif not self.expressions.is_handle(s.value):
            self._evaluated(s.value)

    def _evaluated(self, e: w.Expression) -> None:
        if self.expressions.resolution.root(e) is not None:
            self.expressions.place(e)  # loading has no effect
        else:
            self.expressions.value(e)

    def _call(self, s: w.CallStatement) -> None:
        self.calls.called(s.call)

    # -------------------------------------------------------------------------------------------------- control flow

    def _conditional(self, s: w.If) -> None:
        self.filters.push(s.attributes)
        condition = self.expressions.condition(s.condition)
        then = self.block(s.then)
        orelse: CoreBlock = ()
        if s.orelse is not None:
            outer = self.out.open()
            self.statements((s.orelse,))
            orelse = self.out.close(outer)
        self.filters.pop()
        self.out.put(CoreIf(condition, then, orelse))

    def _loop(self, s: w.Loop) -> None:
        self.filters.push(s.attributes)
        self.filters.push(s.body.attributes)
        loop, outer = self._open_loop()
        self.statements(s.body.statements)
        continuing = self.out.open()
        if s.continuing is not None:
            self.flat_block(s.continuing)
        update = self.out.close(continuing)
        self._close_loop(loop, outer, update)
        self.filters.pop()
        self.filters.pop()

    def _while(self, s: w.While) -> None:
        self.filters.push(s.attributes)
        loop, outer = self._open_loop()
        self._leave_unless(s.condition)
        self.flat_block(s.body)
        self._close_loop(loop, outer, ())
        self.filters.pop()

    def _for(self, s: w.For) -> None:
        self.filters.push(s.attributes)
        if s.initial is not None:
            self.statements((s.initial,))
        loop, outer = self._open_loop()
        if s.condition is not None:
            self._leave_unless(s.condition)
        self.flat_block(s.body)
        continuing = self.out.open()
        if s.update is not None:
            self.statements((s.update,))
        update = self.out.close(continuing)
        self._close_loop(loop, outer, update)
        self.filters.pop()

    def _leave_unless(self, condition: w.Expression) -> None:
        value = self.expressions.condition(condition)
        self.out.put(CoreIf(ops.negated(value), (CoreBreak(),), ()))

    def _open_loop(self) -> tuple[int, list[Stmt]]:
        self._around.append(_Around(switch=False))
        return self.out.new_id(), self.out.open()

    def _close_loop(self, loop: int, outer: list[Stmt], continuing: CoreBlock) -> None:
        """Restriction (3): the body ends with a `continue`."""
        if not self.out.statements or not isinstance(self.out.statements[-1], CoreContinue):
            self.out.put(CoreContinue(self.out.new_id()))
        self._around.pop()
        self.out.put(CoreLoop(loop, self.out.close(outer), continuing))

    # ------------------------------------------------------------------------------------------------------- switches

    def _switch(self, s: w.Switch) -> None:
        self.filters.push(s.attributes)
        selector = self.expressions.value(s.selector)
        given = [e for c in s.clauses for e in c.selectors]
        selectors = [self.expressions.value(e) for e in given if not isinstance(e, w.DefaultSelector)]
        type = next(
            (v.type for v in (selector, *selectors) if not t.scalar_of(v.type).is_abstract), vt.concrete(selector.type)
        )
        value = self.out.named_cell(fitted(selector, type).scalar)
        self.filters.push(s.body_attributes)
        if any(_leaves(c.body.statements[:-1]) or _leaves_within(c.body.statements[-1:]) for c in s.clauses):
            self._switch_in_loop(s, value, type)
        else:
            self._chain(s, value, type)
        self.filters.pop()
        self.filters.pop()

    def _chain(self, s: w.Switch, value: Expr, type: vt.Type) -> None:
        """`if value == a {} else if value == b {} else {}`, the default last: selectors differ from each other."""
        default = next((c for c in s.clauses if not c.selectors or any(map(_is_default, c.selectors))), None)
        found: CoreBlock = () if default is None else self._clause(default)
        for clause in reversed([c for c in s.clauses if c is not default]):
            found = (CoreIf(self._chosen(clause, value, type), self._clause(clause), found),)
        for one in found:
            self.out.put(one)

    def _chosen(self, clause: w.Clause, value: Expr, type: vt.Type) -> Expr:
        found: Expr = ops.FALSE
        for selector in clause.selectors:
            assert not isinstance(selector, w.DefaultSelector), "the default comes last"
            same = ops.binary("==", value, self.expressions.typed(selector, type).scalar)
            found = same if found == ops.FALSE else ops.binary("||", found, same)
        return found

    def _clause(self, clause: w.Clause) -> CoreBlock:
        outer = self.out.open()
        self.filters.push(clause.body.attributes)
        body = clause.body.statements
        if body and isinstance(body[-1], w.Break):
            body = body[:-1]
        self.statements(body)
        self.filters.pop()
        return self.out.close(outer)

    def _switch_in_loop(self, s: w.Switch, value: Expr, type: vt.Type) -> None:
        here = _Around(switch=True)
        if any(not around.switch for around in self._around):
            here.continued = self.out.local(self.out.name("continued"), Type.U32, mutable=True)
            self.out.put(CoreAssign(here.continued.name, ops.u32(0)))
        loop, outer = self.out.new_id(), self.out.open()
        self._around.append(here)
        self._chain(s, value, type)
        self.out.put(CoreBreak())
        self._around.pop()
        self.out.put(CoreLoop(loop, self.out.close(outer), ()))
        for i, start in enumerate(here.parts):
            assert here.continued is not None, "a continue is in a loop"
            block = self.out.open()
            self.out.at, at = start, self.out.at
            self._continue(w.Continue(start=start))
            self.out.at = at
            there = self.out.close(block)
            self.out.put(CoreIf(ops.binary("==", here.continued, ops.u32(i + 1)), there, ()))

    # --------------------------------------------------------------------------------------------------------- jumps

    def _continue(self, s: w.Continue) -> None:
        around = self._around[-1]
        if not around.switch:
            self.out.put(CoreContinue(self.out.new_id()))
            return
        assert around.continued is not None, "a continue is in a loop"
        around.parts.append(s.start)
        self.out.put(CoreAssign(around.continued.name, ops.u32(len(around.parts))))
        self.out.put(CoreBreak())

    def _break(self, _: w.Break) -> None:
        self.out.put(CoreBreak())

    def _break_if(self, s: w.BreakIf) -> None:
        self.out.put(CoreIf(self.expressions.condition(s.condition), (CoreBreak(),), ()))

    def _return(self, s: w.Return) -> None:
        value: Expr | None = None if self.entry else ops.u32(0)
        if s.value is not None and self.entry:
            self.expressions.value(s.value)
        elif s.value is not None:
            assert self.result is not None
            found = self.expressions.typed(s.value, self.result)
            if not self.cells:
                value = found.scalar
            for local, cell in zip(self.cells, found.cells):
                self.out.put(CoreAssign(local.name, cell))
        self.out.put(CoreReturn(value))

    def _discard(self, _: w.Discard) -> None:
        self.discard()


def _is_default(selector: w.Expression | w.DefaultSelector) -> bool:
    return isinstance(selector, w.DefaultSelector)


def _leaves(statements: tuple[w.Statement, ...]) -> bool:
    """Whether there is a `break` for the switch around, anywhere."""
    return any(isinstance(s, w.Break) for s in statements) or _leaves_within(statements)


def _leaves_within(statements: tuple[w.Statement, ...]) -> bool:
    """Whether there is one inside another statement."""
    return any(_leaves(inner.statements) for s in statements for inner in _blocks(s))


def _blocks(s: w.Statement) -> list[w.Block]:
    """The blocks in which a `break` belongs to what is around the statement."""
    if isinstance(s, w.Block):
        return [s]
    if not isinstance(s, w.If):
        return []
    return [s.then, *([] if s.orelse is None else [s.orelse] if isinstance(s.orelse, w.Block) else _blocks(s.orelse))]


_STATEMENTS: dict[type, Callable[..., None]] = {
    w.Assign: StatementLowering._assign,
    w.Block: StatementLowering.flat_block,
    w.Break: StatementLowering._break,
    w.BreakIf: StatementLowering._break_if,
    w.CallStatement: StatementLowering._call,
    w.Const: StatementLowering._nothing,
    w.ConstAssert: StatementLowering._nothing,
    w.Continue: StatementLowering._continue,
    w.Discard: StatementLowering._discard,
    w.Empty: StatementLowering._nothing,
    w.For: StatementLowering._for,
    w.If: StatementLowering._conditional,
    w.Increment: StatementLowering._increment,
    w.Let: StatementLowering._let,
    w.Loop: StatementLowering._loop,
    w.Phony: StatementLowering._phony,
    w.Return: StatementLowering._return,
    w.Switch: StatementLowering._switch,
    w.Variable: StatementLowering._variable,
    w.While: StatementLowering._while,
}
