"""How statements are drawn: one row a construct, with where it may stand and what it needs.

Everything WGSL forbids is avoided or repaired while drawing, so that nothing has to be filtered away.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from strategies.expressions import ExpressionDrawer
from strategies.profile import Profile, Weights
from strategies.source import Source, Table
from tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    Expr,
    Function,
    If,
    Literal,
    Local,
    Loop,
    Return,
    SharedAssign,
    Stmt,
    Type,
    Variable,
)
from tinywgsl.behaviour import BehaviourAnalysis

_BLOCK, _STATEMENT = 21, 22  # span labels


class Place(NamedTuple):
    """Where a statement is about to stand."""

    in_loop: bool
    """`break` and `continue` are legal."""
    may_return: bool
    """`return` is legal: not in a `continuing`, and in `main` only if the shader was drawn so."""
    nesting: int
    """How many more blocks may open here."""


@dataclass(frozen=True)
class Row:
    """One construct: the fewest statements it costs, where it may stand, and the method that draws it."""

    least: int
    allowed: Callable[[Place], bool]
    draw: "Callable[[StatementDrawer, Place], Stmt]"


class StatementDrawer:
    """Draws the body of one function; `left` counts down the statements that may still be drawn."""

    def __init__(self, source: Source, profile: Profile, expressions: ExpressionDrawer) -> None:
        self.source = source
        self._weights = profile.weights
        self.expressions = expressions
        self.racy = profile.racy
        self.callees: list[Function] = []
        self.uncalled: list[Function] = []
        self.left = 0
        self._next_id = 0
        self._locals: list[Variable] = []
        self._assignable: list[Variable] = []
        self._result: Type | None = None

    def enter(self, params: tuple[Variable, ...], locals_: list[Variable], result: Type | None, left: int) -> None:
        """Begins another function with its variables; `result` is None for `main`."""
        self._locals = locals_
        self._assignable = [*locals_, *params]
        self._result = result
        self.left = left
        self.expressions.scope([*locals_, *params], lid=result is None)

    def fresh_id(self) -> int:
        """The next ID: in source order, because statements are drawn in it."""
        self._next_id += 1
        return self._next_id

    # -------------------------------------------------------------------------------------------------- blocks

    def block(self, place: Place, least: int, most: int) -> Block:
        """Between `least` and `most` statements, counted with all inside them (the last may exceed it a little)."""
        source = self.source
        source.begin(_BLOCK)
        target = source.integer(least, max(least, min(most, self.left)))
        stop = self.left - target
        ss: list[Stmt] = []
        while self.left > stop and self.left > 0:
            ss.append(self.statement(place, self.left - stop))
        source.end()
        return tuple(ss)

    def statement(self, place: Place, room: int) -> Stmt:
        """One statement that costs no more than `room`, if the rows allow it."""
        key = place if place.nesting < 2 else place._replace(nesting=1)
        table = _rows_for(self._weights, key, bool(self.callees), self._writes(), min(room, 4))
        self.source.begin(_STATEMENT)
        row = self.source.weighted(table)
        self.left -= 1
        s = row.draw(self, place)
        self.source.end()
        return s

    def _writes(self) -> bool:
        """Whether this function may write to a shared array."""
        return bool(self.expressions.writable) and (self.racy or self._result is None)

    # ---------------------------------------------------------------------------------------------- constructs

    def assign(self, _: Place) -> Stmt:
        """`x = e`."""
        v = self.source.pick(self._assignable)
        self.expressions.used.add(v.name)
        return Assign(v.name, self.expressions.expr(v.type, 3))

    def shared(self, _: Place) -> Stmt:
        """`A[e1] = e2`."""
        array = self.source.pick(self.expressions.writable)
        self.expressions.used.add(array.name)
        return SharedAssign(array.name, self.expressions.index(array), self.expressions.expr(array.type, 2))

    def barrier(self, _: Place) -> Stmt:
        """`barrier`."""
        return Barrier(self.fresh_id())

    def break_(self, _: Place) -> Stmt:
        """`break`."""
        return Break()

    def continue_(self, _: Place) -> Stmt:
        """`continue`."""
        return Continue(self.fresh_id())

    def return_(self, _: Place) -> Stmt:
        """`return e`, and `return` in `main`."""
        return Return(None if self._result is None else self.expressions.expr(self._result, 2))

    def call(self, _: Place) -> Stmt:
        """A call; functions that nothing calls yet come first."""
        callee = self.source.pick(self.uncalled or self.callees)
        return self.call_of(callee)

    def call_of(self, callee: Function) -> Call:
        """`x = f(e1, ..., en)`; declares an `x` if no local has the type of the result."""
        if callee in self.uncalled:
            self.uncalled.remove(callee)
        fitting = [v.name for v in self._assignable if v.type is callee.result]
        if not fitting:
            assert callee.result is not None, "main is not called"
            fitting = [self._declare(callee.result)]
        id = self.fresh_id()
        arguments = tuple([self.expressions.expr(v.type, 2) for v in callee.params])
        name = self.source.pick(fitting)
        self.expressions.used.add(name)
        return Call(id, name, callee.name, arguments)

    def _declare(self, type: Type) -> str:
        variable = Variable(f"{self._locals[0].name}_{type.value}", type)
        self._locals.append(variable)
        self._assignable.append(variable)
        self.expressions.variables[type].append(variable)
        return variable.name

    def if_(self, place: Place) -> Stmt:
        """`if (e) {ss1} else {ss2}`, often with a jump at the end of a branch: jumps under a condition matter most."""
        condition = self.expressions.expr(Type.BOOL, 3)
        inner = place._replace(nesting=place.nesting - 1)
        then = self.branch(inner, 1)
        orelse = self.branch(inner, 0) if self.source.percent(35) else ()
        return If(condition, then, orelse)

    def branch(self, place: Place, least: int) -> Block:
        """A branch of an `if`."""
        jumps = _jumps_for(place.in_loop, place.may_return)
        if jumps is not None and self.source.percent(40):
            ss = self.block(place, 0, 3)
            self.left -= 1
            return (*ss, self.source.weighted(jumps).draw(self, place))
        return self.block(place, least, 8)

    def loop(self, place: Place) -> Stmt:
        """A loop that can be left. Half of them count a local up to a bound, so that their execution may end."""
        id = self.fresh_id()
        inner = Place(in_loop=True, may_return=place.may_return, nesting=place.nesting - 1)
        counter = self._counter() if self.source.percent(60) else None
        body = list(self.block(inner, 0, 12))
        guard_in_body = counter is not None and self.source.percent(60)
        if counter is not None and guard_in_body:
            position = self.source.integer(0, len(body))
            body.insert(position, If(self._reached(counter), (Break(),), ()))
            self.left -= 2
        body.append(Continue(self.fresh_id()))
        continuing = self._continuing(place, counter, guard=counter is not None and not guard_in_body)
        self.left -= 1
        s = Loop(id, tuple(body), continuing)
        if not BehaviourAnalysis().statement(s):  # nothing leaves it yet
            s = replace(s, continuing=(*s.continuing, self._break_if(None)))
        return s

    def _continuing(self, place: Place, counter: Variable | None, *, guard: bool) -> Block:
        inner = Place(in_loop=False, may_return=False, nesting=place.nesting - 1)
        ss = self.block(inner, 0, 6) if self.source.percent(50) else ()
        if counter is not None:
            step = Binary("+", Local(counter.name, Type.U32), Literal(1, Type.U32))
            ss = (*ss, Assign(counter.name, step))
            self.left -= 1
        if guard or self.source.percent(20):
            ss = (*ss, self._break_if(counter if guard else None))
        return ss

    def _break_if(self, counter: Variable | None) -> Stmt:
        self.left -= 2
        condition = self.expressions.expr(Type.BOOL, 2) if counter is None else self._reached(counter)
        return If(condition, (Break(),), ())

    def _counter(self) -> Variable | None:
        counters = [v for v in self._assignable if v.type is Type.U32]
        if not counters:
            return None
        counter = self.source.pick(counters)
        self.expressions.used.add(counter.name)
        return counter

    def _reached(self, counter: Variable) -> Expr:
        bound: Expr = Literal(self.source.integer(1, 4), Type.U32)
        if self.source.percent(20):
            bound = self.expressions.expr(Type.U32, 1)
        return Binary(">=", Local(counter.name, Type.U32), bound)


ROWS: dict[str, Row] = {
    "assign": Row(1, lambda _: True, StatementDrawer.assign),
    "barrier": Row(1, lambda _: True, StatementDrawer.barrier),
    "shared": Row(1, lambda _: True, StatementDrawer.shared),
    "call": Row(1, lambda _: True, StatementDrawer.call),
    "if": Row(2, lambda at: at.nesting > 0, StatementDrawer.if_),
    "loop": Row(4, lambda at: at.nesting > 0, StatementDrawer.loop),
    "break": Row(1, lambda at: at.in_loop, StatementDrawer.break_),
    "continue": Row(1, lambda at: at.in_loop, StatementDrawer.continue_),
    "return": Row(1, lambda at: at.may_return, StatementDrawer.return_),
}


@lru_cache(maxsize=4096)
def _rows_for(weights: Weights, place: Place, callable_: bool, arrays: bool, room: int) -> Table[Row]:
    absent = {name for name, there in (("call", callable_), ("shared", arrays)) if not there}
    return Table(
        [
            (ROWS[name], weight)
            for name, weight in weights
            if ROWS[name].allowed(place) and ROWS[name].least <= room and name not in absent
        ]
    )


@lru_cache(maxsize=8)
def _jumps_for(in_loop: bool, may_return: bool) -> Table[Row] | None:
    place = Place(in_loop, may_return, 0)
    rows = [(ROWS[name], weight) for name, weight in (("break", 4), ("continue", 3), ("return", 2))]
    allowed = [(row, weight) for row, weight in rows if row.allowed(place)]
    return Table(allowed) if allowed else None
