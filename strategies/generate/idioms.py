"""Idioms: what programs write with `for`, `while`, `+=`, `--`, nested calls, functions without a result, inner `var`s.

The nodes have none of these; the surface forms (`tinywgsl.spelling`) need arrangements that rates seldom give.
"""

from typing import TYPE_CHECKING

from strategies.choices.places import Slot
from strategies.choices.source import Table
from tinywgsl.ast import (
    Assign,
    Binary,
    Break,
    Continue,
    Expr,
    Function,
    If,
    Literal,
    Local,
    Loop,
    SharedArray,
    SharedAssign,
    SharedRead,
    Stmt,
    Type,
    Variable,
)

if TYPE_CHECKING:
    from strategies.generate.simple import SimpleDrawer
    from strategies.generate.statements import StatementDrawer

_UPDATES = Table([("+", 5), ("-", 5), ("*", 1), ("&", 1), ("|", 1), ("^", 1)])
_STEPS = Table([("+", 2), ("-", 1)])
NOTHING = Literal(0, Type.U32)
"""What a function without a result returns."""


def headed_loop(drawer: "StatementDrawer", id: int, place: Slot) -> Loop:
    """A loop that is left at its head: a `while`, or a `for` with a counter of its own."""
    source = drawer.source
    inner = Slot(True, place.may_return, place.nesting - 1, True)
    if not source.percent(65):
        way_out = If(drawer.expressions.condition(2), (Break(),), ())
        drawer.left -= 2
        return Loop(id, (way_out, *drawer.block(inner, 0, 8), Continue(drawer.fresh_id())), ())
    counter = drawer.variable_apart(Type.U32)
    read = Local(counter.name, Type.U32)
    op = source.weighted(_STEPS)
    first = NOTHING if op == "+" else Literal(source.integer(1, 4), Type.U32)
    way_out = If(drawer.reached(counter) if op == "+" else Binary("==", read, NOTHING), (Break(),), ())
    body = drawer.block(inner, 0, 8)
    drawer.before.append(Assign(counter.name, first))
    step = (Assign(counter.name, Binary(op, read, Literal(1, Type.U32))),)
    drawer.left -= 4
    at_end = step if source.percent(25) else ()
    body = (way_out, *body, *at_end, Continue(drawer.fresh_id()))
    return Loop(id, body, () if at_end else step)


def scratch(drawer: "StatementDrawer", place: Slot) -> Stmt:
    """`t = 0`, `if (c) {t = e}` and `x = t` or `x = x op t`: each round of a loop starts with a new `t`."""
    source, expressions = drawer.source, drawer.expressions
    x = source.pick(drawer.assignable)
    t = drawer.variable_apart(x.type)
    read, boolean = Local(t.name, x.type), x.type is Type.BOOL
    drawer.before.append(Assign(t.name, Literal(False if boolean else 0, x.type)))
    drawer.left -= 1
    if source.percent(80):
        e = expressions.expr(x.type, 1)
        changes: Stmt = Assign(t.name, e)
        drawer.left -= 1
        if place.nesting > 0 and source.percent(50):
            changes = If(expressions.condition(1), (changes,), ())
            drawer.left -= 1
        drawer.before.append(changes)
    expressions.used.add(x.name)
    if boolean or source.percent(40):
        return Assign(x.name, read)
    return Assign(x.name, Binary(source.weighted(_UPDATES), Local(x.name, x.type), read))


def update(drawer: "SimpleDrawer", v: Variable) -> Stmt:
    """`x = x op e` for a number `x`."""
    drawer.expressions.used.add(v.name)
    return Assign(v.name, _updated(drawer, Local(v.name, v.type), v.type))


def update_of_element(drawer: "SimpleDrawer", array: SharedArray) -> Stmt:
    """`A[i] = A[i] op e` for an array of numbers."""
    index = drawer.expressions.index(array)
    value = _updated(drawer, SharedRead(array.name, index, array.type), array.type)
    return SharedAssign(array.name, index, value)


def _updated(drawer: "SimpleDrawer", e: Expr, type: Type) -> Expr:
    op = drawer.source.weighted(_UPDATES)
    return Binary(op, e, Literal(1, type) if drawer.source.percent(60) else drawer.expressions.expr(type, 1))


def nested_call(drawer: "SimpleDrawer", callee: Function) -> Stmt | None:
    """`r = f(...)` before `x = r op e`, where nothing else reads `r`; None if no `x` has the type of the result."""
    fitting = [v for v in drawer.assignable if v.type is callee.result]
    if not fitting or callee.result is None:
        return None
    call = drawer.call_of(callee, apart=True)
    drawer.before.append(call)
    x = drawer.source.pick(fitting)
    drawer.expressions.used.add(x.name)
    value: Expr = Local(call.name, x.type)
    if x.type is not Type.BOOL and drawer.source.percent(50):
        value = Binary(drawer.source.weighted(_UPDATES), value, drawer.expressions.leaf(x.type))
    return Assign(x.name, value)
