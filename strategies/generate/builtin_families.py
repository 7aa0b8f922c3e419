"""Rows of expressions and statements that call built-in functions, a family at a time.

The type that is wanted seldom is the result of the function: a scalar is made of what comes out, by a component, a
conversion or a comparison.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache

from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.environment import Entry, Group
from wgsl_fuzz.strategies.generate.profile import ExpressionRow
from wgsl_fuzz.wgsl import builtins
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.syntax import Call, CallStatement, Expression, Identifier, Literal, Member, Phony, Statement, Unary


class ArgumentKind(Enum):
    """How an argument is drawn."""

    VALUE = "any expression"
    RUNTIME = "any expression that is not constant"
    CONSTANT = "a constant in a range"
    RANGED = "a constant in a range, or an expression that is not constant"
    HANDLE = "the name of a texture or sampler"
    POINTER = "a pointer"


@dataclass(frozen=True, slots=True)
class Argument:
    """What one parameter takes. The range is of each component, both ends included."""

    kind: ArgumentKind
    type: str
    least: int = 0
    most: int = 0


@dataclass(frozen=True, slots=True)
class BuiltinRow:
    """One overload of a built-in function."""

    function: str
    arguments: tuple[Argument, ...]
    result: str
    """Empty: it has none."""
    template: str = ""
    """The type in `bitcast<type>`."""
    member: str = ""
    """Which member is taken of a result that is a structure without a name."""

    @property
    def builtin(self) -> builtins.BuiltinFunction:
        """Its tags, stages and extension."""
        return builtins.FUNCTIONS[self.function]

    @property
    def handles(self) -> tuple[str, ...]:
        """The types of the textures and samplers that it takes."""
        return tuple([argument.type for argument in self.arguments if argument.kind is ArgumentKind.HANDLE])

    @property
    def stages(self) -> frozenset[builtins.Stage]:
        """Where it may be called, with what it takes."""
        types = [argument.type for argument in self.arguments]
        found = self.builtin.stages
        if any(type.startswith("ptr<workgroup") for type in types):
            found &= frozenset({builtins.Stage.COMPUTE})
        if any(type.endswith(("write>", "read_write>")) for type in types):
            found -= frozenset({builtins.Stage.VERTEX})
        return found

    @property
    def name(self) -> str:
        """Unlike that of every other row."""
        types = ", ".join(argument.type for argument in self.arguments)
        template, member = self.template and f"<{self.template}>", self.member and f".{self.member}"
        return f"{self.function}{template}({types}){member} -> {self.result or 'nothing'}"


_SIGNS = {"=": ArgumentKind.CONSTANT, "?": ArgumentKind.RANGED}


def _argument(parameter: str, of: str) -> Argument:
    """What a parameter of a signature takes, by its sign and by what `T` is."""
    word = builtins.unsigned(parameter)
    type = builtins.word_type(word, of)
    for sign, kind in _SIGNS.items():
        _, found, range_ = parameter.partition(sign)
        if found:
            least, _, most = range_.partition("..")
            return Argument(kind, type, int(least), int(most))
    if builtins.is_runtime(parameter):
        return Argument(ArgumentKind.RUNTIME, type)
    if word.startswith(("texture_", "sampler")):
        return Argument(ArgumentKind.HANDLE, type)
    return Argument(ArgumentKind.POINTER if word.startswith("ptr<") else ArgumentKind.VALUE, type)


def _rows(signature: builtins.Signature) -> Iterable[BuiltinRow]:
    """A row for each type that `T` may be."""
    for of in signature.types:
        arguments = tuple(_argument(parameter, of) for parameter in signature.parameters)
        result, template = builtins.word_type(signature.result, of), builtins.word_type(signature.template, of)
        yield BuiltinRow(signature.function, arguments, result, template, signature.member)


@cache
def rows_of_functions() -> tuple[BuiltinRow, ...]:
    """All rows but those of textures."""
    return tuple(row for signature in builtins.function_signatures() for row in _rows(signature))


@cache
def rows_of_textures() -> tuple[BuiltinRow, ...]:
    """All rows of functions whose name begins with `texture`, but the barrier's."""
    return tuple(row for signature in builtins.texture_signatures() for row in _rows(signature))


def builtin_call(row: BuiltinRow, arguments: Sequence[Expression]) -> Expression:
    """The call of a row, of which a member is taken if its result has no name. It has a result."""
    call: Expression = _call(row, arguments)
    return Member(call, row.member) if row.member else call


def statement_of(row: BuiltinRow, arguments: Sequence[Expression]) -> Statement:
    """The call as a statement; `_ = call;` if the result must be used."""
    if row.builtin.must_use or row.member:
        return Phony(builtin_call(row, arguments))
    return CallStatement(_call(row, arguments))


def _call(row: BuiltinRow, arguments: Sequence[Expression]) -> Call:
    template = (vt.written(vt.type_of(row.template)),) if row.template else ()
    return Call(Identifier(row.function, template), tuple(arguments))


@dataclass(frozen=True, slots=True, eq=False)
class BuiltinFamily:
    """Functions that are drawn under one name, with one weight."""

    name: str
    weight: int
    """Among the expressions of a scalar type."""
    rows: tuple[BuiltinRow, ...]

    @property
    def takes_handles(self) -> bool:
        """Whether some take a texture."""
        return self.name in ("sample", "texture", "texture-store")


def _families() -> tuple[BuiltinFamily, ...]:
    functions, textures = rows_of_functions(), rows_of_textures()
    rows = functions + textures

    def of(wanted: Callable[[BuiltinRow], bool]) -> tuple[BuiltinRow, ...]:
        return tuple(row for row in rows if wanted(row))

    return (
        BuiltinFamily("builtin", 4, of(lambda r: r.builtin.constant)),
        BuiltinFamily("derivative", 3, of(lambda r: r.function.startswith(("dpd", "fwidth")))),
        BuiltinFamily(
            "sample", 2, of(lambda r: r.builtin.rule is builtins.Rule.DERIVATIVE and r.function.startswith("texture"))
        ),
        BuiltinFamily("texture", 3, tuple(r for r in textures if r.result and r.builtin.rule is None)),
        BuiltinFamily("subgroup", 4, of(lambda r: r.builtin.rule is builtins.Rule.SUBGROUP)),
        BuiltinFamily("exchange", 3, of(lambda r: r.function == "atomicCompareExchangeWeak")),
    )


FAMILIES: Mapping[str, BuiltinFamily] = {family.name: family for family in _families()}
STORES = BuiltinFamily("texture-store", 0, tuple(row for row in rows_of_textures() if not row.result))


# ---------------------------------------------------------------------------------------------------------- arguments


def argument(drawer: Drawer, of: Argument, depth: int) -> Expression | None:
    """What a parameter takes; None: there is nothing in scope."""
    type, source = vt.type_of(of.type), drawer.source
    match of.kind:
        case ArgumentKind.VALUE:
            return drawer.expression(type, depth)
        case ArgumentKind.RUNTIME:
            return at_run_time(drawer, type, depth)
        case ArgumentKind.RANGED if drawer.unevaluated or source.percent(60):
            return at_run_time(drawer, type, depth)
        case ArgumentKind.CONSTANT if drawer.unevaluated:
            return None
        case ArgumentKind.CONSTANT | ArgumentKind.RANGED:
            return _constant(drawer, type, of)
        case ArgumentKind.HANDLE:
            assert isinstance(type, vt.Handle), "the table has handles here"
            return drawer.handle(type)
        case ArgumentKind.POINTER:
            return _pointer(drawer, type)


def at_run_time(drawer: Drawer, type: vt.Type, depth: int) -> Expression | None:
    """An expression that no compiler may evaluate."""
    e: Expression | None = drawer.expression(type, depth)
    if e is not None and not drawer.is_constant(e):
        return e
    groups = (Group.LOCAL, Group.VARYING, Group.SHARED, Group.GIVEN)
    for group in groups:
        e = drawer.read(group, type)
        if e is not None and not drawer.is_constant(e):
            return e
    if isinstance(type, vt.Matrix):
        first = at_run_time(drawer, type.column, depth)
        rest = [drawer.expression(type.column, 0) for _ in range(type.columns - 1)]
        return None if first is None else Call(drawer.type_name(type), (first, *rest))
    scalar = _lane(type)
    for other in (vt.U32, vt.I32, vt.F32, vt.BOOL):
        for group in groups:
            e = drawer.read(group, other)
            if e is not None and not drawer.is_constant(e):
                part = e if other is scalar else Call(drawer.type_name(scalar), (e,))
                return Call(drawer.type_name(type), (part,)) if isinstance(type, vt.Vector) else part
    return None


def _constant(drawer: Drawer, type: vt.Type, of: Argument) -> Expression:
    """A constant in a range, by component."""
    count = type.size if isinstance(type, vt.Vector) else 1
    scalar = _lane(type)
    parts: list[Expression] = []
    for _ in range(count):
        value = drawer.source.integer(of.least, of.most)
        literal = Literal(f"{abs(value)}{'u' if scalar is vt.U32 else ''}")
        parts.append(Unary("-", literal) if value < 0 else literal)
    return Call(drawer.type_name(type), tuple(parts)) if isinstance(type, vt.Vector) else parts[0]


def _lane(type: vt.Type) -> vt.Scalar:
    found = type.element if isinstance(type, vt.Vector) else type
    assert isinstance(found, vt.Scalar), "arguments by value are scalars, vectors and matrices"
    return found


def _pointer(drawer: Drawer, type: vt.Type) -> Expression | None:
    """An address in scope, which the function may read and write."""
    assert isinstance(type, vt.Pointer), "the table has pointers here"
    entries = drawer.env.addressable(type.space, type.access, type.store)
    if not entries:
        return None
    entry = drawer.source.pick(entries)
    path = drawer.source.pick(entry.paths)
    drawer.current.touch(entry.name, read=True, write=not vt.is_constructible(type.store))
    return drawer.address(entry, path)


# --------------------------------------------------------------------------------------------------------------- calls


_Handles = frozenset[vt.Handle]
_NO_HANDLES: _Handles = frozenset()


@lru_cache(maxsize=4096)
def _overloads(
    family: BuiltinFamily, result: vt.Type | None, stages: frozenset[builtins.Stage], handles: _Handles
) -> tuple[tuple[BuiltinRow, ...], ...]:
    """The rows that may be called, by function: those with such a result (None: with any), in these stages."""
    found: dict[str, list[BuiltinRow]] = {}
    for row, type, where, taken in _candidates(family):
        if (result is None or type == result) and stages <= where and taken <= handles:
            found.setdefault(row.function, []).append(row)
    return tuple([tuple(rows) for rows in found.values()])


@lru_cache(maxsize=64)
def _candidates(
    family: BuiltinFamily,
) -> list[tuple[BuiltinRow, vt.Type | None, frozenset[builtins.Stage], frozenset[vt.Type]]]:
    """The rows of a family, each with its result, its stages and the handles that it takes."""
    return [
        (row, vt.type_of(row.result) if row.result else None, row.stages, frozenset(map(vt.type_of, row.handles)))
        for row in family.rows
    ]


def chosen(drawer: Drawer, family: BuiltinFamily, result: vt.Type | None = None) -> BuiltinRow | None:
    """A row that the stages and the handles in scope allow: first a function, then an overload."""
    handles = _NO_HANDLES
    if family.takes_handles:
        handles = frozenset([name.type for name in drawer.env.names if isinstance(name.type, vt.Handle)])
    functions = _overloads(family, result, drawer.current.stages, handles)
    return drawer.source.pick(drawer.source.pick(functions)) if functions else None


def arguments_of(drawer: Drawer, row: BuiltinRow, depth: int) -> list[Expression] | None:
    """The arguments of a call; None: something is not in scope."""
    drawer.need(row.builtin.extension)
    found: list[Expression] = []
    for of in row.arguments:
        e = argument(drawer, of, depth)
        if e is None:
            return None
        found.append(e)
    return found


def called(drawer: Drawer, family: BuiltinFamily, type: vt.Type, depth: int) -> Expression | None:
    """A call of the family with a result of the type, or what makes the type of another result."""
    row = chosen(drawer, family, type) if drawer.source.percent(60) else None
    if row is None and isinstance(type, vt.Scalar):
        row = chosen(drawer, family)
    if row is None or not row.result:
        return None
    arguments = arguments_of(drawer, row, depth - 1)
    return None if arguments is None else fitted(drawer, builtin_call(row, arguments), vt.type_of(row.result), type)


def fitted(drawer: Drawer, e: Expression, type: vt.Type, wanted: vt.Type) -> Expression | None:
    """The wanted type made of another one."""
    if type == wanted:
        return e
    if isinstance(type, vt.Matrix) or not isinstance(wanted, vt.Scalar):
        return None
    if isinstance(type, vt.Vector):
        e = Member(e, "xyzw"[drawer.source.integer(0, type.size - 1)])
        type = type.element
    assert isinstance(type, vt.Scalar), "results are scalars, vectors and matrices"
    if type is wanted:
        return e
    return drawer.compared(e, type) if wanted is vt.BOOL else Call(drawer.type_name(wanted), (e,))


def _row(family: BuiltinFamily) -> ExpressionRow[Drawer]:
    def draw(drawer: Drawer, type: vt.Type, depth: int) -> Expression | None:
        return called(drawer, family, type, depth)

    results = {vt.type_of(row.result) for row in family.rows}
    return ExpressionRow(family.name, family.weight, lambda t: isinstance(t, vt.Scalar) or t in results, draw)


def array_length(drawer: Drawer, type: vt.Type, depth: int) -> Expression | None:  # noqa: ARG001
    """`arrayLength(&a)` of any array that is sized at run time."""
    arrays = [
        name
        for name in drawer.env.names
        if name.is_memory and isinstance(name.store, vt.Array) and name.store.count is None
    ]
    if not arrays:
        return None
    name = drawer.source.pick(arrays)
    drawer.current.touch(name, read=True, write=False)
    pointer = drawer.address(Entry(name, ((),)), ())
    return fitted(drawer, Call(Identifier("arrayLength"), (pointer,)), vt.U32, type)


EXPRESSIONS: tuple[ExpressionRow[Drawer], ...] = (
    *[_row(family) for family in FAMILIES.values()],
    ExpressionRow("array-length", 2, lambda type: isinstance(type, vt.Scalar), array_length),
)
"""One row a family."""
