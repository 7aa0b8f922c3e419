"""The rows of statements that are no loops: declarations, assignments, calls, barriers, branches, jumps."""

from collections.abc import Sequence

from wgsl_fuzz.strategies.choices.source import Odds
from wgsl_fuzz.strategies.generate.tiny.drawer import Drawer, Site, StatementRow
from wgsl_fuzz.strategies.generate.tiny.environment import Callee, Group, Name
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.types import BOOL, I32, U32, Scalar

Drawn = Sequence[w.Statement]

_UPDATES = Odds([("+", 6), ("-", 4), ("*", 2), ("&", 1), ("|", 1), ("^", 1), ("/", 1), ("%", 1)])
_OF_BOOLS = Odds([("&", 1), ("|", 1)])


def declaration(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
    """`var x = e;`."""
    return (declare_variable(drawer, drawer.type()),)


def declare_variable(drawer: Drawer, type: Scalar, value: w.Expression | None = None) -> w.Variable:
    """A variable of a function, with a value or the zero value."""
    source = drawer.source
    name = drawer.local("v")
    if value is None and source.percent(60):
        value = drawer.expression(type)
    written = drawer.type_name(type) if value is None or source.percent(40) else None
    template = (w.Identifier("function"),) if source.percent(5) else ()
    drawer.env.declare(Name(name, type, is_written=True))
    return w.Variable(name, written, value, template)


def let(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
    """`let x = e;`."""
    type = drawer.type()
    value = drawer.expression(type)
    written = drawer.type_name(type) if drawer.source.percent(30) else None
    name = drawer.env.declare(Name(drawer.local("l"), type))
    return (w.Let(name.name, written, value),)


def const(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
    """`const x = 1u;`."""
    type = drawer.type()
    value = drawer.literal(type)
    written = drawer.type_name(type) if drawer.source.percent(30) else None
    name = drawer.env.declare(Name(drawer.local("c"), type, Group.CONSTANT))
    return (w.Const(name.name, written, value),)


def assign(drawer: Drawer, place: Site) -> Drawn:
    """`x = e`."""
    name = drawer.target()
    if name is None:
        return declaration(drawer, place)
    return (w.Assign("=", drawer.reference(name), drawer.expression(name.scalar)),)


def update(drawer: Drawer, place: Site) -> Drawn:
    """`x += e`."""
    name = drawer.target()
    if name is None:
        return assign(drawer, place)
    operator = drawer.source.weighted(_OF_BOOLS if name.scalar is BOOL else _UPDATES)
    left, right = drawer.reference(name), drawer.expression(name.scalar, 2)
    if operator in "/%" and drawer.is_constant(right):
        operator = "-"
    return (w.Assign(f"{operator}=", left, right),)


def increment(drawer: Drawer, place: Site) -> Drawn:
    """`x++` and `x--`."""
    name = drawer.target(drawer.source.pick((U32, U32, I32)))
    if name is None:
        return assign(drawer, place)
    return (w.Increment(drawer.source.pick(("++", "--")), drawer.reference(name)),)


def call(drawer: Drawer, place: Site) -> Drawn:
    """A call: as a statement, or its result assigned or declared."""
    callees = drawer.callees()
    if not callees:
        return assign(drawer, place)
    uncalled = [f for f in callees if not f.called]
    callee = drawer.source.pick(uncalled if uncalled and drawer.source.percent(60) else callees)
    return call_of(drawer, callee)


def call_of(drawer: Drawer, callee: Callee) -> Drawn:
    """A call of one function."""
    made = drawer.call(callee, 2)
    if callee.result is None or (not callee.must_use and drawer.source.percent(20)):
        return (w.CallStatement(made),)
    kind = drawer.source.integer(0, 3)
    target = drawer.target(callee.result) if kind == 1 else None
    if target is not None:
        return (w.Assign("=", drawer.reference(target), made),)
    if kind == 2:
        return (declare_variable(drawer, callee.result, made),)
    if kind == 3:
        name = drawer.env.declare(Name(drawer.local("l"), callee.result))
        return (w.Let(name.name, None, made),)
    return (w.Phony(made),)


def if_(drawer: Drawer, place: Site) -> w.If:
    """`if e { } else if e { } else { }`."""
    condition = drawer.condition()
    then = drawer.branch(place.inside())
    jumped = drawer.jumped
    orelse: w.Block | w.If | None = None
    if drawer.source.percent(35):
        if place.nesting > 2 and drawer.left > 2 and drawer.source.percent(25):
            drawer.left -= 1
            orelse = if_(drawer, place.inside())
        else:
            orelse = drawer.branch(place.inside(), 0)
    drawer.jumped = drawer.jumped and jumped and orelse is not None
    return w.If(condition, then, orelse)


def jumping(drawer: Drawer, jump: w.Statement) -> Drawn:
    """A jump: what is behind it in its block is not reached."""
    drawer.jumped = True
    return (jump,)


def constant_truth(drawer: Drawer) -> w.Expression:
    """A const-expression that is true."""
    if drawer.source.percent(40):
        return w.Literal("true")
    least = drawer.source.integer(0, 3)
    return w.Binary("<", w.Literal(f"{least}"), w.Literal(f"{least + 1}u"))


def nests(place: Site) -> bool:
    """Whether a block may open there."""
    return place.nesting > 0


STATEMENTS = (
    StatementRow("assign", 41, assign),
    StatementRow("update", 8, update),
    StatementRow("increment", 4, increment),
    StatementRow("var", 3, declaration),
    StatementRow("let", 2, let),
    StatementRow("const", 1, const),
    StatementRow("barrier", 12, lambda drawer, _: (drawer.barrier(),)),
    StatementRow("call", 14, call),
    StatementRow("phony", 1, lambda drawer, _: (w.Phony(drawer.expression(drawer.type(), 2)),)),
    StatementRow("if", 26, lambda drawer, place: (if_(drawer, place),), 2, nests),
    StatementRow("block", 2, lambda drawer, place: (drawer.block(place.inside(), 1, 6),), 2, nests),
    StatementRow("break", 4, lambda drawer, _: jumping(drawer, w.Break()), 1, lambda place: place.may_break),
    StatementRow("continue", 6, lambda drawer, _: jumping(drawer, w.Continue()), 1, lambda place: place.may_continue),
    StatementRow("return", 4, lambda drawer, _: jumping(drawer, drawer.return_()), 1, lambda place: place.may_return),
    StatementRow("const-assert", 1, lambda drawer, _: (w.ConstAssert(constant_truth(drawer)),)),
    StatementRow("empty", 1, lambda _, __: (w.Empty(),)),
)
