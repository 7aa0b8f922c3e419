"""Idioms: what programs write with `for`, `while`, `+=`, `++`, nested calls and functions without a result.

The nodes have none of these; the surface forms (`tinywgsl.spelling`) need arrangements that rates seldom give.
"""

from typing import TYPE_CHECKING

from strategies.places import Place
from strategies.source import Table
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
    Return,
    SharedArray,
    SharedAssign,
    SharedRead,
    Stmt,
    Type,
    Variable,
    walk,
)

if TYPE_CHECKING:
    from strategies.statements import StatementDrawer

_UPDATES = Table([("+", 6), ("-", 4), ("*", 1), ("&", 1), ("|", 1), ("^", 1)])
NOTHING = Literal(0, Type.U32)
"""What a function without a result returns."""


def headed_loop(drawer: "StatementDrawer", id: int, place: Place) -> Loop:
    """A loop that is left at its head: a `while`, or a `for` with a counter of its own."""
    source = drawer.source
    counter = drawer.variable_apart(Type.U32) if source.percent(60) else None
    way_out: Stmt = If(drawer.expressions.condition(2) if counter is None else drawer.reached(counter), (Break(),), ())
    body = drawer.block(Place(True, place.may_return, place.nesting - 1, True), 0, 8)
    step: tuple[Stmt, ...] = ()
    if counter is not None:
        drawer.before.append(Assign(counter.name, NOTHING))
        op = "+" if source.percent(75) else "-"
        step = (Assign(counter.name, Binary(op, Local(counter.name, Type.U32), Literal(1, Type.U32))),)
    drawer.left -= 2 + 2 * len(step)
    at_end = step if source.percent(25) else ()
    body = (way_out, *body, *at_end, Continue(drawer.fresh_id()))
    return Loop(id, body, () if at_end else step)


def update(drawer: "StatementDrawer", v: Variable) -> Stmt:
    """`x = x op e` for a number `x`."""
    drawer.expressions.used.add(v.name)
    return Assign(v.name, _updated(drawer, Local(v.name, v.type), v.type))


def update_of_element(drawer: "StatementDrawer", array: SharedArray) -> Stmt:
    """`A[i] = A[i] op e` for an array of numbers."""
    index = drawer.expressions.index(array)
    value = _updated(drawer, SharedRead(array.name, index, array.type), array.type)
    return SharedAssign(array.name, index, value)


def _updated(drawer: "StatementDrawer", e: Expr, type: Type) -> Expr:
    op = drawer.source.weighted(_UPDATES)
    return Binary(op, e, Literal(1, type) if drawer.source.percent(60) else drawer.expressions.expr(type, 1))


def nested_call(drawer: "StatementDrawer", callee: Function) -> Stmt | None:
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


def returns_nothing(callee: Function) -> bool:
    """Whether a function was drawn without a result: all it returns is 0u."""
    returns = [s for s in walk(callee.body) if isinstance(s, Return)]
    return all(s.value is NOTHING for s in returns)
