"""Motifs of effects: calls in expressions that change what other operands read, in every order (8.x, 15.2.8).

A *setter* is a small function that writes through a pointer and returns something. An expression has its call beside a
read of the same variable, and a guard asks what comes out. Rates alone seldom let the three meet.
"""

from collections.abc import Callable, Sequence

from wgsl_fuzz.strategies.choices.source import Table
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.environment import Callee, Group, Name, Role
from wgsl_fuzz.strategies.generate.profile import Place, StatementRow
from wgsl_fuzz.strategies.generate.statements import call_of, declare_variable
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.types import BOOL, F32, U32, Array, Pointer, Scalar, Type, Vector, written

Drawn = Sequence[w.Statement]

_VALUES = Table([("argument", 3), ("source", 3), ("literal", 2), ("old", 1)])


class Setter:
    """Draws `fn f(p: ptr<function, T>, a: S) -> S`, which writes `*p` and returns something.

    The store type is the scalar `S`, or a vector or an array of it.
    """

    def __init__(self, drawer: Drawer, type: Scalar, store: Type) -> None:
        self.drawer = drawer
        self.type = type
        self.store = store
        pointer = Pointer(Space.FUNCTION, store, Access.READ_WRITE)
        self.pointer = Name("p", pointer, Role.PARAMETER, Space.FUNCTION, Access.READ_WRITE)
        self.argument = Name("a", type, Role.PARAMETER)
        self.callee = Callee(drawer.fresh("f"), (self.pointer, self.argument), type, drawer.current.stages)
        self.callee.called = True

    def draw(self) -> Callee:
        """The function; the module has it from now on."""
        drawer, source = self.drawer, self.drawer.source
        self.callee.touch(self.pointer, read=False, write=True)
        partly = source.percent(30)
        value = self.value()
        write: w.Statement = w.Assign("=", self.contents(), value)
        if isinstance(self.store, Vector | Array):
            whole = (value,) if isinstance(self.store, Vector) else (value, self.value())
            write = w.Assign("=", self.contents(), w.Call(written(self.store, suffix="u"), whole))
            if partly:
                write = w.Assign("=", self.part(), self.value())
        if source.percent(25):
            write = w.If(drawer.compared(self.value(), self.type), w.Block((write,)))
        if source.percent(30):
            statements: tuple[w.Statement, ...] = (w.Let("y", None, self.old()), write, w.Return(w.Identifier("y")))
        else:
            statements = (write, w.Return(self.value()))
        parameters = tuple([w.Parameter(name.name, written(name.type, suffix="u")) for name in self.callee.parameters])
        drawer.new_functions.append(
            w.Function(self.callee.name, parameters, w.Block(statements), written(self.type, suffix="u"))
        )
        drawer.function_names.add(self.callee.name)
        drawer.functions.append(self.callee)
        return self.callee

    def contents(self) -> w.Expression:
        """`*p`."""
        return w.Unary("*", w.Identifier(self.pointer.name))

    def part(self) -> w.Expression:
        """`p[0]`, or all of a scalar."""
        if self.store is self.type:
            return self.contents()
        return w.Index(w.Identifier(self.pointer.name), w.Literal(f"{self.drawer.source.integer(0, 1)}"))

    def old(self) -> w.Expression:
        """`*p` or a part of it, read."""
        self.callee.touch(self.pointer, read=True, write=False)
        return self.part()

    def value(self) -> w.Expression:
        """What is written or returned: the argument, a source of non-uniformity, a constant, the old contents."""
        drawer = self.drawer
        kind = drawer.source.weighted(_VALUES)
        if kind == "argument":
            return w.Identifier(self.argument.name)
        if kind == "old":
            return self.old()
        entries = [e for e in drawer.env.entries(Group.SHARED, self.type) if e.name.module_scope]
        if kind == "source" and entries:
            entry = drawer.source.pick(entries)
            self.callee.touch(entry.name, read=True, write=False)
            return drawer.constant_reference(entry.name, drawer.source.pick(entry.paths))
        return drawer.literal(self.type)


def effect(drawer: Drawer, place: Place) -> Drawn:
    """A variable, an expression that reads it and calls what writes it, and a guard of what comes out."""
    source = drawer.source
    types = [t for t in drawer.pool if isinstance(t, Scalar) and t is not BOOL]
    type = source.pick(types)
    callee = _setter(drawer, type)
    before: list[w.Statement] = [_start(drawer, type)]
    x = drawer.env.names[-1]
    call = _call(drawer, callee, x)
    found = source.pick(_FORMS)(drawer, x, call)
    condition = drawer.guard() if source.percent(80) else None
    if condition is None:
        return (*before, *found)
    return (*before, *found, drawer.guarded(condition, place))


def _setter(drawer: Drawer, type: Scalar, store: Type | None = None) -> Callee:
    store = store or type
    known = [f for f in drawer.callees(type) if f.name in drawer.setters and f.parameters[0].store == store]
    if known and drawer.source.percent(50):
        return drawer.source.pick(known)
    callee = Setter(drawer, type, store).draw()
    drawer.setters.add(callee.name)
    return callee


def _start(drawer: Drawer, type: Scalar) -> w.Statement:
    value = drawer.carried(type) if drawer.source.percent(40) else None
    return declare_variable(drawer, type, value or drawer.literal(type))


def _call(drawer: Drawer, callee: Callee, x: Name, argument: w.Expression | None = None) -> w.Expression:
    """`f(&x, e)`."""
    type = callee.parameters[1].type
    if argument is None:
        carried = drawer.carried(type) if drawer.source.percent(30) else None
        argument = carried or drawer.literal(type)
    drawer.current.absorb(callee)
    drawer.recent = x, (), x.store
    return w.Call(w.Identifier(callee.name), (w.Unary("&", w.Identifier(x.name)), argument))


def _read(x: Name) -> w.Expression:
    return w.Identifier(x.name)


def _ordered(drawer: Drawer, x: Name, call: w.Expression) -> tuple[w.Expression, w.Expression]:
    return (call, _read(x)) if drawer.source.percent(50) else (_read(x), call)


def _kept(drawer: Drawer, type: Scalar, value: w.Expression) -> Drawn:
    """`let y = e;`; a guard asks `y` or the variable itself."""
    name = drawer.env.declare(Name(drawer.local("l"), type, Role.LET))
    if drawer.source.percent(65):
        drawer.recent = name, (), type
    return (w.Let(name.name, None, value),)


def _scalar(x: Name) -> Scalar:
    assert isinstance(x.type, Scalar), "setters are of scalars"
    return x.type


def operands(drawer: Drawer, x: Name, call: w.Expression) -> Drawn:
    """`let y = x + f(&x);`, in any order."""
    return _kept(drawer, _scalar(x), w.Binary(drawer.source.pick(("+", "*", "-")), *_ordered(drawer, x, call)))


def compared(drawer: Drawer, x: Name, call: w.Expression) -> Drawn:
    """`let y = f(&x) < x;`."""
    return _kept(drawer, BOOL, w.Binary(drawer.source.pick(("<", "==")), *_ordered(drawer, x, call)))


def short_circuit(drawer: Drawer, x: Name, call: w.Expression) -> Drawn:
    """`let y = c && f(&x) < 2u;`."""
    first: w.Expression | None = None
    if drawer.source.percent(50) and (carried := drawer.carried(_scalar(x))) is not None:
        first = drawer.compared(carried, _scalar(x))
    elif drawer.source.percent(50):
        first = drawer.compared(_read(x), _scalar(x))
    condition = first or drawer.condition(1)
    operator = drawer.source.pick(("&&", "||"))
    second = drawer.compared(call, _scalar(x))
    left, right = (condition, second) if drawer.source.percent(80) else (second, condition)
    return _kept(drawer, BOOL, w.Binary(operator, left, right))


def compound(drawer: Drawer, x: Name, call: w.Expression) -> Drawn:
    """`x += f(&x);`."""
    return (w.Assign(drawer.source.pick(("+=", "-=", "=")), w.Identifier(x.name), call),)


def constructed(drawer: Drawer, x: Name, call: w.Expression) -> Drawn:
    """`let y = vec2(x, f(&x)).y;`."""
    made = w.Call(drawer.type_name(Vector(2, _scalar(x))), _ordered(drawer, x, call))
    return _kept(drawer, _scalar(x), w.Member(made, drawer.source.pick(("x", "y"))))


def partial(drawer: Drawer, x: Name, call: w.Expression) -> Drawn:
    """`v.x = f(&v);`, `v[1] += f(&v);` and `v[f(&v)] = e;`: what else of `v` is kept."""
    source, type = drawer.source, _scalar(x)
    stores: tuple[Type, ...] = (Vector(2, type), Array(type, 2))
    store = source.pick(stores)
    start: w.Expression = w.Call(drawer.type_name(store), ())
    if source.percent(40):
        start = w.Call(drawer.type_name(store), (_read(x), _read(x)))
    declared = declare_variable(drawer, store, start)
    v = drawer.env.names[-1]
    changing = _call(drawer, _setter(drawer, type, store), v)
    index: w.Expression = w.Literal(f"{source.integer(0, 1)}")
    if type is not F32 and source.percent(20):
        index, changing = changing, call
    drawer.recent = v, (), store
    part = w.Index(w.Identifier(v.name), index)
    return (declared, w.Assign(source.pick(("=", "=", "+=")), part, changing))


def nested(drawer: Drawer, x: Name, call: w.Expression) -> Drawn:
    """`g(&x, f(&x));`: what a pointer leads to when it is given, and when the call begins."""
    return _kept(drawer, _scalar(x), _call(drawer, _setter(drawer, _scalar(x)), x, call))


def arguments(drawer: Drawer, x: Name, call: w.Expression) -> Drawn:
    """`g(&z, x + f(&x))`, with a variable of its own."""
    start = _start(drawer, _scalar(x))
    z = drawer.env.names[-1]
    value = w.Binary("+", *_ordered(drawer, x, call))
    return (start, *_kept(drawer, _scalar(x), _call(drawer, _setter(drawer, _scalar(x)), z, value)))


def indexed(drawer: Drawer, x: Name, call: w.Expression) -> Drawn:
    """`a[f(&x)] = x;` and `a[x] = f(&x);`."""
    type = _scalar(x)
    array = Array(type, 2)
    start = declare_variable(drawer, array, w.Call(drawer.type_name(array), ()))
    a = drawer.env.names[-1]
    index, value = _ordered(drawer, x, call)
    if type is F32:
        index = w.Call(w.Identifier("u32"), (index,))
    left = w.Index(w.Identifier(a.name), index)
    if drawer.source.percent(25):
        return (start, *_kept(drawer, type, left), w.Phony(value))
    read = _kept(drawer, type, w.Index(w.Identifier(a.name), w.Literal(f"{drawer.source.integer(0, 1)}")))
    return (start, w.Assign(drawer.source.pick(("=", "+=")), left, value), *read)


_Form = Callable[[Drawer, Name, w.Expression], Drawn]
_FORMS: tuple[_Form, ...] = (
    operands,
    compared,
    short_circuit,
    short_circuit,
    compound,
    constructed,
    nested,
    partial,
    partial,
    arguments,
    indexed,
)


def effect_by_call(drawer: Drawer, place: Place) -> Drawn:
    """A call, often with a source of non-uniformity among its arguments, and a guard of what it changed."""
    callees = drawer.callees(None)
    if not callees:
        return effect(drawer, place) if drawer.is_drawn("effect") else drawer.guarded_trigger(place)
    found = call_of(drawer, drawer.source.pick(callees), varying=drawer.source.percent(75))
    condition = drawer.guard() if drawer.source.percent(70) else None
    return found if condition is None else (*found, drawer.guarded(condition, place))


def pointed(drawer: Drawer, place: Place) -> Drawn:
    """`let p = &v[i];`, then a change of `v`, of `i` or through `p`, and a guard of what `p` or `v` leads to."""
    source = drawer.source
    type = source.pick([t for t in drawer.pool if isinstance(t, Scalar) and t is not BOOL])
    store = Array(type, 2)
    before: list[w.Statement] = [declare_variable(drawer, store, w.Call(drawer.type_name(store), ()))]
    v = drawer.env.names[-1]
    before.append(_start(drawer, U32))
    i = drawer.env.names[-1]
    pointer = Pointer(Space.FUNCTION, type, Access.READ_WRITE)
    p = Name(drawer.local("p"), pointer, Role.LET, Space.FUNCTION, Access.READ_WRITE, v)
    before.append(w.Let(p.name, None, w.Unary("&", w.Index(w.Identifier(v.name), w.Identifier(i.name)))))
    drawer.env.declare(p)
    for _ in range(source.integer(0, 2)):
        target: w.Expression
        kind: Scalar = type
        match source.integer(0, 2):
            case 0:
                target = w.Index(w.Identifier(v.name), w.Literal(f"{source.integer(0, 1)}"))
            case 1:
                target = w.Unary("*", w.Identifier(p.name))
            case _:
                target, kind = w.Identifier(i.name), U32
        carried = drawer.carried(kind) if source.percent(35) else None
        before.append(w.Assign("=", target, carried or drawer.literal(kind)))
    drawer.recent = (p, (), type) if source.percent(60) else (v, (), store)
    condition = drawer.guard()
    return before if condition is None else (*before, drawer.guarded(condition, place))


EFFECTS: tuple[StatementRow[Drawer], ...] = (
    StatementRow("effect", 10, effect),
    StatementRow("effect-by-call", 3, effect_by_call),
    StatementRow("pointed", 2, pointed),
)
