"""Rows of expressions and statements that call built-in functions, a family at a time.

The type that is wanted seldom is the result of the function: a scalar is made of what comes out, by a component, a
conversion or a comparison.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wgsl_fuzz.strategies.modules.builtin_calls import call_of
from wgsl_fuzz.strategies.modules.builtin_rows import Argument, BuiltinRow, Kind, rows_of_functions
from wgsl_fuzz.strategies.modules.drawer import Drawer
from wgsl_fuzz.strategies.modules.environment import Group
from wgsl_fuzz.strategies.modules.rows import ExpressionRow
from wgsl_fuzz.strategies.modules.texture_rows import rows_of_textures
from wgsl_fuzz.strategies.modules.type_texts import type_of
from wgsl_fuzz.strategies.modules.types import (
    BOOL,
    F32,
    I32,
    U32,
    Handle,
    Matrix,
    Pointer,
    Scalar,
    Type,
    Vector,
    is_constructible,
)
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.syntax import Call, Expression, Literal, Member, Unary


@dataclass(frozen=True)
class Family:
    """Functions that are drawn under one name, with one weight."""

    name: str
    weight: int
    """Among the expressions of a scalar type."""
    rows: tuple[BuiltinRow, ...]

    @cached_property
    def by_function(self) -> Mapping[str, tuple[BuiltinRow, ...]]:
        """The overloads of each function."""
        names = dict.fromkeys(row.function for row in self.rows)
        return {name: tuple(row for row in self.rows if row.function == name) for name in names}

    @cached_property
    def by_result(self) -> Mapping[Type, Mapping[str, tuple[BuiltinRow, ...]]]:
        """The same of those with one type of result."""
        types = dict.fromkeys(type_of(row.result) for row in self.rows if row.result)
        return {
            t: Family("", 0, tuple(r for r in self.rows if r.result and type_of(r.result) == t)).by_function
            for t in types
        }


def _families() -> tuple[Family, ...]:
    functions, textures = rows_of_functions(), rows_of_textures()
    rows = functions + textures

    def of(wanted: Callable[[BuiltinRow], bool]) -> tuple[BuiltinRow, ...]:
        return tuple(row for row in rows if wanted(row))

    return (
        Family("builtin", 4, of(lambda r: r.builtin.constant)),
        Family("derivative", 3, of(lambda r: r.function.startswith(("dpd", "fwidth")))),
        Family("sample", 2, of(lambda r: r.builtin.rule is Rule.DERIVATIVE and r.function.startswith("texture"))),
        Family("texture", 3, tuple(r for r in textures if r.result and r.builtin.rule is None)),
        Family("subgroup", 4, of(lambda r: r.builtin.rule is Rule.SUBGROUP)),
        Family("exchange", 1, of(lambda r: r.function == "atomicCompareExchangeWeak")),
        Family("array-length", 1, of(lambda r: r.function == "arrayLength")),
    )


FAMILIES: Mapping[str, Family] = {family.name: family for family in _families()}
STORES = Family("texture-store", 0, tuple(row for row in rows_of_textures() if not row.result))


# ---------------------------------------------------------------------------------------------------------- arguments


def argument(drawer: Drawer, of: Argument, depth: int) -> Expression | None:
    """What a parameter takes; None: there is nothing in scope."""
    type, source = type_of(of.type), drawer.source
    match of.kind:
        case Kind.VALUE:
            return drawer.expression(type, depth)
        case Kind.RUNTIME:
            return at_run_time(drawer, type, depth)
        case Kind.RANGED if source.percent(60):
            return at_run_time(drawer, type, depth)
        case Kind.CONSTANT | Kind.RANGED:
            return _constant(drawer, type, of)
        case Kind.HANDLE:
            assert isinstance(type, Handle), "the table has handles here"
            return drawer.handle(type)
        case Kind.POINTER:
            return _pointer(drawer, type)


def at_run_time(drawer: Drawer, type: Type, depth: int) -> Expression | None:
    """An expression that no compiler may evaluate."""
    e: Expression | None = drawer.expression(type, depth)
    if e is not None and not drawer.is_constant(e):
        return e
    groups = (Group.LOCAL, Group.VARYING, Group.SHARED, Group.GIVEN)
    for group in groups:
        e = drawer.read(group, type)
        if e is not None and not drawer.is_constant(e):
            return e
    if isinstance(type, Matrix):
        first = at_run_time(drawer, type.column, depth)
        rest = [drawer.expression(type.column, 0) for _ in range(type.columns - 1)]
        return None if first is None else Call(drawer.type_name(type), (first, *rest))
    scalar = _lane(type)
    for other in (U32, I32, F32, BOOL):
        for group in groups:
            e = drawer.read(group, other)
            if e is not None and not drawer.is_constant(e):
                part = e if other is scalar else Call(drawer.type_name(scalar), (e,))
                return Call(drawer.type_name(type), (part,)) if isinstance(type, Vector) else part
    return None


def _constant(drawer: Drawer, type: Type, of: Argument) -> Expression:
    """A constant in a range, by component."""
    count = type.size if isinstance(type, Vector) else 1
    scalar = _lane(type)
    parts: list[Expression] = []
    for _ in range(count):
        value = drawer.source.integer(of.least, of.most)
        literal = Literal(f"{abs(value)}{'u' if scalar is U32 else ''}")
        parts.append(Unary("-", literal) if value < 0 else literal)
    return Call(drawer.type_name(type), tuple(parts)) if isinstance(type, Vector) else parts[0]


def _lane(type: Type) -> Scalar:
    found = type.element if isinstance(type, Vector) else type
    assert isinstance(found, Scalar), "arguments by value are scalars, vectors and matrices"
    return found


def _pointer(drawer: Drawer, type: Type) -> Expression | None:
    """An address in scope, which the function may read and write."""
    assert isinstance(type, Pointer), "the table has pointers here"
    entries = drawer.env.addressable(type.space, type.access, type.store)
    if not entries:
        return None
    entry = drawer.source.pick(entries)
    path = drawer.source.pick(entry.paths)
    drawer.current.touch(entry.name, read=True, write=not is_constructible(type.store))
    return drawer.address(entry, path)


# --------------------------------------------------------------------------------------------------------------- calls


def arguments_of(drawer: Drawer, row: BuiltinRow, depth: int) -> list[Expression] | None:
    """The arguments of a call; None: something is not in scope, or a stage does not have the function."""
    if not drawer.current.stages <= row.stages or not _handles_are_there(drawer, row):
        return None
    found: list[Expression] = []
    for of in row.arguments:
        e = argument(drawer, of, depth)
        if e is None:
            return None
        found.append(e)
    return found


def _handles_are_there(drawer: Drawer, row: BuiltinRow) -> bool:
    wanted = [type_of(a.type) for a in row.arguments if a.kind is Kind.HANDLE]
    return not wanted or {name.type for name in drawer.env.names if isinstance(name.type, Handle)}.issuperset(wanted)


def chosen(drawer: Drawer, table: Mapping[str, Sequence[BuiltinRow]]) -> BuiltinRow | None:
    """A row: first a function, then an overload that the stage and the handles in scope allow."""
    if not table:
        return None
    overloads = table[drawer.source.pick(tuple(table))]
    if not drawer.current.stages <= overloads[0].builtin.stages:
        return None
    overloads = [row for row in overloads if drawer.current.stages <= row.stages and _handles_are_there(drawer, row)]
    return drawer.source.pick(overloads) if overloads else None


def called(drawer: Drawer, family: Family, type: Type, depth: int) -> Expression | None:
    """A call of the family with a result of the type, or what makes the type of another result."""
    exact = family.by_result.get(type)
    row = chosen(drawer, exact) if exact and drawer.source.percent(60) else None
    if row is None and isinstance(type, Scalar):
        row = chosen(drawer, family.by_function)
    if row is None or not row.result:
        return None
    arguments = arguments_of(drawer, row, depth - 1)
    return None if arguments is None else fitted(drawer, call_of(row, arguments), type_of(row.result), type)


def fitted(drawer: Drawer, e: Expression, type: Type, wanted: Type) -> Expression | None:
    """The wanted type made of another one."""
    if type == wanted:
        return e
    if isinstance(type, Matrix) or not isinstance(wanted, Scalar):
        return None
    if isinstance(type, Vector):
        e = Member(e, "xyzw"[drawer.source.integer(0, type.size - 1)])
        type = type.element
    assert isinstance(type, Scalar), "results are scalars, vectors and matrices"
    if type is wanted:
        return e
    return drawer.compared(e, type) if wanted is BOOL else Call(drawer.type_name(wanted), (e,))


def _row(family: Family) -> ExpressionRow[Drawer]:
    def draw(drawer: Drawer, type: Type, depth: int) -> Expression | None:
        return called(drawer, family, type, depth)

    return ExpressionRow(family.name, family.weight, lambda t: isinstance(t, Scalar) or t in family.by_result, draw)


EXPRESSIONS = tuple(_row(family) for family in FAMILIES.values())
"""One row a family."""
