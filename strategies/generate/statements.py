"""The rows of statements that are no loops: declarations, assignments, calls, triggers, branches, jumps."""

from collections.abc import Sequence

from wgsl_fuzz.strategies.choices.source import Odds
from wgsl_fuzz.strategies.generate.builtin_families import (
    FAMILIES,
    STORES,
    BuiltinFamily,
    arguments_of,
    builtin_call,
    chosen,
    statement_of,
)
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.environment import Callee, Name, NameRole
from wgsl_fuzz.strategies.generate.expressions import lanes, uniform_load
from wgsl_fuzz.strategies.generate.profile import Site, StatementRow
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.types import BOOL, F32, I32, U32, Handle, Pointer, Type, Vector, type_of

Drawn = Sequence[w.Statement]

_COMPUTE = frozenset({Stage.COMPUTE})

_UPDATES = Odds([("+", 6), ("-", 4), ("*", 2), ("&", 1), ("|", 1), ("^", 1), ("/", 1), ("%", 1)])
_OF_FLOATS = Odds([("+", 3), ("-", 2), ("*", 2), ("/", 1)])
_OF_BOOLS = Odds([("&", 1), ("|", 1)])


def declaration(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
    """`var x = e;`."""
    return (declare_variable(drawer, drawer.type()),)


def declare_variable(drawer: Drawer, type: Type, value: w.Expression | None = None) -> w.Variable:
    """A variable of a function, with a value or the zero value."""
    source = drawer.source
    name = drawer.local("v")
    if value is None and source.percent(60):
        value = drawer.expression(type)
    written = drawer.type_name(type) if value is None or source.percent(40) else None
    template = (w.Identifier("function"),) if source.percent(5) else ()
    drawer.env.declare(Name(name, type, NameRole.VARIABLE, Space.FUNCTION, Access.READ_WRITE))
    return w.Variable(name, written, value, template)


def let(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
    """`let x = e;`."""
    type = drawer.type()
    value = drawer.expression(type)
    written = drawer.type_name(type) if drawer.source.percent(30) else None
    name = drawer.env.declare(Name(drawer.local("l"), type, NameRole.LET))
    return (w.Let(name.name, written, value),)


def const(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
    """`const x = 1u;`."""
    type = drawer.type()
    value = drawer.literal(type)
    written = drawer.type_name(type) if drawer.source.percent(30) else None
    name = drawer.env.declare(Name(drawer.local("c"), type, NameRole.CONST))
    return (w.Const(name.name, written, value),)


def pointer_let(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
    """`let p = &v.x;`, into any memory."""
    source = drawer.source
    memory = [n for n in drawer.env.names if n.is_memory and not n.steady]
    if not memory:
        return ()
    root = source.pick(memory)
    space = root.space
    assert space is not None, "memory has a space"
    type = source.pick(drawer.pool) if source.percent(60) else root.store
    entries = drawer.env.addressable(space, root.access, type) or drawer.env.addressable(space, root.access, root.store)
    entry = source.pick(entries)
    type = type if drawer.env.addressable(space, root.access, type) else root.store
    pointer = Pointer(space, type, root.access)
    value = drawer.address(entry, source.pick(entry.paths))
    written = drawer.type_name(pointer) if source.percent(20) else None
    name = Name(drawer.local("p"), pointer, NameRole.LET, space, root.access, entry.name.base)
    drawer.env.declare(name)
    return (w.Let(name.name, written, value),)


def assign(drawer: Drawer, place: Site) -> Drawn:
    """`x = e`, of variables and parts of them, sometimes through a swizzle."""
    found = drawer.any_target()
    if found is None:
        return declaration(drawer, place)
    entry, path, type = found
    if isinstance(type, Vector) and drawer.newest and drawer.source.percent(20):
        return (swizzled(drawer, drawer.target(entry.name, path), type, "="),)
    left = drawer.target(entry.name, path)
    return (w.Assign("=", left, drawer.expression(type)),)


def swizzled(drawer: Drawer, left: w.Expression, type: Vector, operator: str) -> w.Statement:
    """`v.yx = e` or `v.yx += e`: components of a vector, none of them twice."""
    letters = list("xyzw"[: type.size])
    width = drawer.source.integer(2, type.size)
    chosen = [letters.pop(drawer.source.integer(0, len(letters) - 1)) for _ in range(width)]
    return w.Assign(operator, w.Member(left, "".join(chosen)), drawer.expression(Vector(width, type.element), 2))


def update(drawer: Drawer, place: Site) -> Drawn:
    """`x += e`."""
    found = drawer.any_target()
    scalar = None if found is None else lanes(found[2])
    if found is None or scalar is None:
        return assign(drawer, place)
    entry, path, type = found
    table = _OF_BOOLS if scalar is BOOL else _OF_FLOATS if scalar is F32 else _UPDATES
    operator = drawer.source.weighted(table)
    left = drawer.target(entry.name, path, read=True)
    if isinstance(type, Vector) and drawer.newest and operator in "+-*&|^" and drawer.source.percent(25):
        return (swizzled(drawer, left, type, f"{operator}="),)
    right = drawer.expression(type, 2)
    if operator in "/%" and drawer.is_constant(right):
        operator = "-"
    return (w.Assign(f"{operator}=", left, right),)


def increment(drawer: Drawer, place: Site) -> Drawn:
    """`x++` and `x--`."""
    found = drawer.any_target(drawer.source.pick((U32, U32, I32)))
    if found is None:
        return assign(drawer, place)
    entry, path, _ = found
    return (w.Increment(drawer.source.pick(("++", "--")), drawer.target(entry.name, path, read=True)),)


def call(drawer: Drawer, place: Site) -> Drawn:
    """A call: as a statement, or its result assigned or declared."""
    callees = drawer.callees(None)
    if not callees:
        return assign(drawer, place)
    uncalled = [f for f in callees if not f.called]
    callee = drawer.source.pick(uncalled if uncalled and drawer.source.percent(60) else callees)
    return call_of(drawer, callee)


def call_of(drawer: Drawer, callee: Callee) -> Drawn:
    """A call of one function; what its pointers need is declared before."""
    before: list[w.Statement] = []
    for parameter in callee.parameters:
        type = parameter.type
        if isinstance(type, Pointer) and type.space is Space.FUNCTION:
            known = len(drawer.env.addressable(type.space, type.access, type.store))
            if not known or drawer.source.percent(30):
                before.append(declare_variable(drawer, type.store))
    made = drawer.call(callee, 2)
    if made is None:
        return before
    if callee.result is None or (not callee.must_use and drawer.source.percent(20)):
        return (*before, w.CallStatement(made))
    return (*before, *kept(drawer, made, callee.result))


def barrier(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
    """`workgroupBarrier();` and `storageBarrier();`."""
    if drawer.current.stages != {Stage.COMPUTE}:
        return ()
    return (_barrier(drawer.source.pick(("workgroupBarrier", "workgroupBarrier", "storageBarrier"))),)


def _barrier(name: str) -> w.Statement:
    return w.CallStatement(w.Call(w.Identifier(name), ()))


def trigger(drawer: Drawer, place: Site) -> Drawn:
    """A statement that needs uniform control flow."""
    return drawer.trigger(place) or assign(drawer, place)


def uniform_load_statement(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
    """`let x = workgroupUniformLoad(&w);`."""
    types: list[Type] = [*drawer.pool, U32, I32]
    type = drawer.source.pick(types)
    value = uniform_load(drawer, type, 1)
    if value is None:
        return ()
    if drawer.source.percent(30):
        return (w.Phony(value),)
    name = drawer.env.declare(Name(drawer.local("l"), type, NameRole.LET))
    return (w.Let(name.name, None, value),)


def atomic_statement(drawer: Drawer, place: Site) -> Drawn:
    """`atomicStore(&a, e);` and `atomicAdd(&a, e);`."""
    type = drawer.source.pick((U32, I32))
    address = drawer.atomic_address(type)
    if address is None:
        return assign(drawer, place)
    name = drawer.source.pick(("Store", "Add", "Max", "Or", "Exchange"))
    return (w.CallStatement(w.Call(w.Identifier(f"atomic{name}"), (address, drawer.expression(type, 2)))),)


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


def switch(drawer: Drawer, place: Site) -> Drawn:
    """`switch e { case 1, 2: { } default: { } }`, whose clauses may break."""
    source = drawer.source
    type = source.pick((U32, U32, I32))
    selector = drawer.expression(type, 2)
    inner = place.inside()._replace(may_break=True)
    count = source.integer(1, 3)
    default = source.integer(0, count - 1)
    alone = source.percent(60)
    used = 0
    clauses: list[w.Clause] = []
    for i in range(count):
        selectors: list[w.Expression | w.DefaultSelector] = []
        if i != default or not alone:
            for _ in range(source.integer(1, 2)):
                selectors.append(w.Literal(f"{used}{type.name[0] if source.percent(70) else ''}"))
                used += 1
        if i == default and not alone:
            selectors.insert(source.integer(0, len(selectors)), w.DefaultSelector())
        elif i == default and source.percent(20):
            selectors.append(w.DefaultSelector())
        clauses.append(w.Clause(tuple(selectors), drawer.branch(inner, 0)))
    drawer.jumped = False
    return (w.Switch(selector, tuple(clauses)),)


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


def _nests(place: Site) -> bool:
    return place.nesting > 0


STATEMENTS: tuple[StatementRow[Drawer], ...] = (
    StatementRow("assign", 24, assign),
    StatementRow("update", 8, update),
    StatementRow("increment", 4, increment),
    StatementRow("var", 5, declaration),
    StatementRow("let", 3, let),
    StatementRow("pointer-let", 4, pointer_let),
    StatementRow("const", 1, const),
    StatementRow("trigger", 12, trigger),
    StatementRow("call", 14, call),
    StatementRow("atomic-statement", 2, atomic_statement),
    StatementRow("phony", 1, lambda drawer, _: (w.Phony(drawer.expression(drawer.type(), 2)),)),
    StatementRow("if", 26, lambda drawer, place: (if_(drawer, place),), 2, _nests),
    StatementRow("switch", 8, switch, 4, _nests),
    StatementRow("block", 2, lambda drawer, place: (drawer.block(place.inside(), 1, 6),), 2, _nests),
    StatementRow("break", 4, lambda drawer, _: jumping(drawer, w.Break()), 1, lambda place: place.may_break),
    StatementRow("continue", 6, lambda drawer, _: jumping(drawer, w.Continue()), 1, lambda place: place.may_continue),
    StatementRow("return", 4, lambda drawer, _: jumping(drawer, drawer.return_()), 1, lambda place: place.may_return),
    StatementRow("const-assert", 1, lambda drawer, _: (w.ConstAssert(constant_truth(drawer)),)),
    StatementRow("empty", 1, lambda _, __: (w.Empty(),)),
)

TRIGGERS: tuple[StatementRow[Drawer], ...] = (
    StatementRow("barrier", 0, barrier, stages=_COMPUTE),
    StatementRow("uniform-load", 0, uniform_load_statement, stages=_COMPUTE),
)


_FRAGMENT = frozenset({Stage.FRAGMENT})
_NOT_VERTEX = frozenset({Stage.FRAGMENT, Stage.COMPUTE})


def kept(drawer: Drawer, e: w.Expression, type: Type) -> Drawn:
    """What does something with a result."""
    kind = drawer.source.integer(0, 3)
    found = drawer.any_target(type) if kind == 1 else None
    if found is not None:
        entry, path, _ = found
        return (w.Assign("=", drawer.target(entry.name, path), e),)
    if kind == 2:
        return (declare_variable(drawer, type, e),)
    if kind == 3:
        name = drawer.env.declare(Name(drawer.local("l"), type, NameRole.LET))
        return (w.Let(name.name, None, e),)
    return (w.Phony(e),)


def _trigger(name: str, family: BuiltinFamily, stages: frozenset[Stage]) -> StatementRow[Drawer]:
    """`x = dpdx(e);`, or another function of the family."""

    def draw(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
        row = chosen(drawer, family)
        arguments = None if row is None else arguments_of(drawer, row, 2)
        if row is None or arguments is None:
            return ()
        return kept(drawer, builtin_call(row, arguments), type_of(row.result))

    return StatementRow(name, 0, draw, stages=stages)


def texture_store(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
    """`textureStore(t, at, e);`."""
    row = chosen(drawer, STORES)
    arguments = None if row is None else arguments_of(drawer, row, 2)
    return () if row is None or arguments is None else (statement_of(row, arguments),)


def handle_let(drawer: Drawer, place: Site) -> Drawn:  # noqa: ARG001
    """`let t = texture;`."""
    handles = [name for name in drawer.env.names if isinstance(name.type, Handle)]
    if not handles or not drawer.newest:
        return ()
    whole = drawer.source.pick(handles)
    name = drawer.env.declare(Name(drawer.local("t"), whole.type, NameRole.LET))
    return (w.Let(name.name, None, w.Identifier(whole.name)),)


STAGE_STATEMENTS: tuple[StatementRow[Drawer], ...] = (
    StatementRow("texture-store", 2, texture_store, stages=_NOT_VERTEX),
    StatementRow("discard", 9, lambda _, __: (w.Discard(),), stages=_FRAGMENT),
    StatementRow("handle-let", 1, handle_let),
)

STAGE_TRIGGERS: tuple[StatementRow[Drawer], ...] = (
    StatementRow("texture-barrier", 0, lambda _, __: (_barrier("textureBarrier"),), stages=_COMPUTE),
    _trigger("derivative-call", FAMILIES["derivative"], _FRAGMENT),
    _trigger("sample-call", FAMILIES["sample"], _FRAGMENT),
    _trigger("subgroup-call", FAMILIES["subgroup"], _NOT_VERTEX),
)
