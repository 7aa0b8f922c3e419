"""Idioms: what programs write with `for`, `while`, `+=`, `--`, nested calls, functions without a result, inner `var`s.

The nodes have none of these; the surface forms (`wgsl.spelling`) need arrangements that rates seldom give.
"""

from collections.abc import Callable

from wgsl_fuzz.strategies.choices.places import Slot
from wgsl_fuzz.strategies.choices.source import Table
from wgsl_fuzz.strategies.generate.simple import NOTHING, SimpleDrawer
from wgsl_fuzz.strategies.generate.updates import UPDATES
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Binary,
    Block,
    Break,
    Continue,
    If,
    Literal,
    Local,
    Loop,
    Stmt,
    Type,
)

_STEPS = Table([("+", 2), ("-", 1)])


def headed_loop(drawer: SimpleDrawer, id: int, place: Slot, block: Callable[[Slot], Block]) -> Loop:
    """A loop that is left at its head: a `while`, or a `for` with a counter of its own; `block` draws its body."""
    source = drawer.source
    inner = Slot(True, place.may_return, place.nesting - 1, True)
    if not source.percent(70):
        way_out = If(drawer.expressions.condition(2), (Break(),), ())
        drawer.left -= 2
        return Loop(id, (way_out, *block(inner), Continue(drawer.fresh_id())), ())
    counter = drawer.variable_apart(Type.U32)
    read = Local(counter.name, Type.U32)
    op = source.weighted(_STEPS)
    first = NOTHING if op == "+" else Literal(source.integer(1, 4), Type.U32)
    way_out = If(drawer.reached(counter) if op == "+" else Binary("==", read, NOTHING), (Break(),), ())
    body = block(inner)
    drawer.before.append(Assign(counter.name, first))
    step = (Assign(counter.name, Binary(op, read, Literal(1, Type.U32))),)
    drawer.left -= 4
    at_end = step if source.percent(15) else ()
    body = (way_out, *body, *at_end, Continue(drawer.fresh_id()))
    return Loop(id, body, () if at_end else step)


def scratch(drawer: SimpleDrawer, place: Slot) -> Stmt:
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
    return Assign(x.name, Binary(source.weighted(UPDATES), Local(x.name, x.type), read))
