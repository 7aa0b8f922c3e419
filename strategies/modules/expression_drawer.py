"""How expressions are drawn: leaves, references, calls, and rows for all else.

What is drawn never is a const-expression with an operator, so that no compiler has anything to overflow, divide by zero
or index out of bounds: an operation on constants gives way to a literal.
"""

from collections.abc import Sequence
from typing import Any

from wgsl_fuzz.strategies.choices.source import Source, Table
from wgsl_fuzz.strategies.modules.callee import Aliases, Callee
from wgsl_fuzz.strategies.modules.environment import (
    Component,
    Element,
    Entry,
    Environment,
    Field,
    Group,
    Name,
    Path,
    Step,
)
from wgsl_fuzz.strategies.modules.profile import ModuleProfile
from wgsl_fuzz.strategies.modules.rows import ExpressionRow, Rows
from wgsl_fuzz.wgsl.builtins import EXTENSIONS, FUNCTIONS, PREDECLARED
from wgsl_fuzz.wgsl.resolution import Space
from wgsl_fuzz.wgsl.syntax import Binary, Call, Expression, Identifier, Index, Literal, Member, Unary
from wgsl_fuzz.wgsl.types import (
    BOOL,
    F32,
    I32,
    U32,
    Array,
    Handle,
    Pointer,
    Scalar,
    Structure,
    Type,
    Vector,
    short_name,
    written,
)

_EXPRESSION = 41  # span label

_TEXTS: dict[Scalar, Table[str]] = {
    U32: Table([("0u", 6), ("1u", 6), ("2u", 4), ("3u", 3), ("4u", 2), ("7u", 1), ("0x10u", 1), ("4294967295u", 1)]),
    I32: Table([("0i", 6), ("1i", 6), ("2i", 4), ("3i", 3), ("5i", 2), ("2147483647i", 1)]),
    F32: Table([("0.0f", 4), ("1.0f", 4), ("0.5f", 2), ("2f", 2), ("1e2f", 1)]),
    BOOL: Table([("false", 1), ("true", 1)]),
}
_GROUPS = {"local": Group.LOCAL, "given": Group.GIVEN, "shared": Group.SHARED, "varying": Group.VARYING}
_ORDER = Table([("==", 3), ("<", 3), ("!=", 2), (">", 2), ("<=", 1), (">=", 1)])
_LETTERS = ("xyzw", "rgba")
_LETTERS_BEYOND_ASCII = ("é", "Δ", "ß", "变")
"""What the names of a function's variables begin with, in some modules."""


class ExpressionDrawer:
    """Draws expressions of a wanted type; keeps what is known while a module is drawn."""

    def __init__(self, source: Source, profile: ModuleProfile, rows: Rows[Any], dose: int) -> None:
        self.source = source
        self.profile = profile
        self.rows = rows
        self.dose = dose
        self.newest = source.percent(profile.newest)
        """Whether the module may have what only the newest compilers take."""
        self.env = Environment()
        self.own_array: Identifier | None = None
        """The array that has a cell for each thread, if data races are ruled out, and ..."""
        self.lid = ""
        """... the input that is its index."""
        self.functions: list[Callee] = []
        """Those drawn so far, in order."""
        self.recent: tuple[Name, Path, Type] | None = None
        """What was assigned last, or given to a call by its address: worth a look next."""
        self._read: Name | None = None
        """The variable of the function that was read last."""
        self.function_names: set[str] = set()
        self.current = Callee("")
        """The function that is being drawn."""
        self.extensions: dict[str, None] = {}
        """Those that the module must enable."""
        self.unevaluated = 0
        """How many `&&` and `||` around may have a left side that is known: Tint evaluates no constants on the right,
        and refuses calls that need them."""
        self.type_names: dict[Type, list[str]] = {}
        """Aliases, by what they stand for."""
        self.hidden: list[str] = []
        """Names of the module that the function drawn does not see: its locals may have them."""
        self._names = self._locals = 0
        self._letter = source.pick(_LETTERS_BEYOND_ASCII) if source.percent(4) else ""
        self._concealed: set[str] = set()
        self._tables: dict[Type, Table[ExpressionRow[Any]] | None] = profile.tables.setdefault("expressions", {})
        scaled = {"shared": dose, "varying": dose}
        self._leaves = Table([(kind, -(-weight * scaled.get(kind, 100) // 100)) for kind, weight in profile.leaves])
        self.factors = dict(profile.rows)

    def fresh(self, prefix: str) -> str:
        """A name for module scope that nothing else in the module has."""
        self._names += 1
        name = f"{prefix}{self._names}"
        return name if name not in PREDECLARED else self.fresh(prefix)

    def local(self, prefix: str) -> str:
        """A name that nothing else in the function has, and nothing that it sees. Prefixes are not those of `fresh`."""
        if self.hidden and self.source.percent(40):
            return self.hidden.pop()
        self._locals += 1
        name = f"{self._letter}{prefix}{self._locals}"
        return name if name not in PREDECLARED else self.local(prefix)

    def need(self, extension: str | None) -> None:
        """Has an extension enabled; language features need not be."""
        if extension in EXTENSIONS:
            self.extensions[extension] = None

    def start_function(self) -> None:
        """The names of a function begin anew."""
        self._locals = 0
        self.hide(())

    def hide(self, names: Sequence[str]) -> None:
        """The function does not see these names of the module."""
        self._concealed = set(names)
        self.hidden = list(names)

    def type_name(self, type: Type) -> Identifier:
        """The type as the module writes it: an alias of its own, a short name, or spelled out."""
        aliases = self.type_names.get(type)
        if aliases and self.source.percent(60):
            return Identifier(self.source.pick(aliases))
        short = short_name(type)
        return Identifier(short) if short is not None and self.source.percent(60) else written(type, suffix="u")

    # ------------------------------------------------------------------------------------------------- expressions

    def expression(self, type: Type, depth: int | None = None) -> Expression:
        """An expression of a constructible type, with at most `depth` operators on a path."""
        depth = self.profile.depth if depth is None else depth
        source = self.source
        source.begin(_EXPRESSION)
        e: Expression | None = None
        if depth > 0 and source.percent(self.profile.operators):
            table = self._table(type)
            if table is not None:
                e = source.weighted(table).draw(self, type, depth)
        if e is None:
            e = self.leaf(type)
        source.end()
        return e

    def condition(self, depth: int | None = None) -> Expression:
        """What an `if` asks: mostly an operation, since bools in scope are rare."""
        table = self._table(BOOL)
        if table is None or not self.source.percent(75):
            e = self.expression(BOOL, depth)
            return e if self.source.percent(15) or not self.is_constant(e) else self.asked() or e
        depth = max(1, self.profile.depth if depth is None else depth)
        e = self.source.weighted(table).draw(self, BOOL, depth) or self.leaf(BOOL)
        return (self.asked() or e) if self.is_constant(e) else e

    def asked(self) -> Expression | None:
        """A condition that asks a local scalar, if there is one."""
        type = self.source.pick((U32, I32, BOOL, F32))
        for candidate in (type, U32, I32, BOOL, F32):
            e = self.read(Group.LOCAL, candidate)
            if e is not None:
                return self.compared(e, candidate)
        return None

    def _table(self, type: Type) -> Table[ExpressionRow[Any]] | None:
        try:
            return self._tables[type]
        except KeyError:
            weighed = self.weighed([row for row in self.rows.expressions if row.fits(type)])
            table = self._tables[type] = Table(weighed) if weighed else None
            return table

    def weighed(self, rows: Sequence[ExpressionRow[Any]]) -> list[tuple[ExpressionRow[Any], int]]:
        """The rows that are on, with their weights in this profile."""
        factors = self.factors
        found = [(row, -(-row.weight * factors.get(row.name, 100) // 100)) for row in rows]
        return [(row, weight) for row, weight in found if weight > 0]

    def leaf(self, type: Type) -> Expression:
        """A literal, or what is read of something in scope."""
        kind = self.source.weighted(self._leaves)
        if kind == "literal":
            return self.literal(type)
        recent = self.recent if kind == "local" else None
        if recent and recent[2] == type and recent[0] in self.env.names and self.source.percent(25):
            return self.read_of(*recent[:2])
        e = self.read(_GROUPS[kind], type)
        if e is None and kind == "varying":
            e = self.varying(type)
        return e or self.read(Group.LOCAL, type) or self.literal(type)

    def read(self, group: Group, type: Type) -> Expression | None:
        """A read of something of the group, if it has a part of the type."""
        entries = self.env.entries(group, type)
        if not entries:
            return None
        entry = self.source.pick(entries)
        return self.read_of(entry.name, self.source.pick(entry.paths))

    def read_of(self, name: Name, path: Path = ()) -> Expression:
        """A read of a part of a name."""
        if name.is_memory:
            self.current.touch(name, read=True, write=False)
            if name.space is Space.FUNCTION:
                self._read = name
        return self.reference(name, path)

    def varying(self, type: Type) -> Expression | None:
        """A source of non-uniformity as a scalar, if there is an input that varies."""
        e = self.read(Group.VARYING, type)
        if e is not None or not isinstance(type, Scalar):
            return e
        for other in (U32, F32, I32, BOOL):
            e = self.read(Group.VARYING, other)
            if e is not None:
                return self.compared(e, other) if type is BOOL else Call(Identifier(type.name), (e,))
        return None

    def carried(self, type: Type) -> Expression | None:
        """A source of non-uniformity of the type as it is, if there is one in scope."""
        if self.source.percent(40):
            return self.read(Group.SHARED, type) or self.varying(type)
        return self.varying(type) or self.read(Group.SHARED, type)

    def literal(self, type: Type) -> Expression:
        """A constant of the type: a literal, or a constructor of them, or the zero value."""
        source = self.source
        match type:
            case Scalar():
                text = Literal(source.weighted(_TEXTS[type]))
                return Unary("-", text) if type is I32 and source.percent(15) else text
            case Vector() if source.percent(70):
                count = type.size if source.percent(50) else 1
                return Call(self.type_name(type), tuple([self.literal(type.element) for _ in range(count)]))
            case Structure() if source.percent(40):
                return Call(self.type_name(type), tuple([self.literal(member) for _, member in type.members]))
            case Array(count=int(count)) if count <= 4 and source.percent(40):
                return Call(self.type_name(type), tuple([self.literal(type.element) for _ in range(count)]))
            case _:
                return Call(self.type_name(type), ())

    def is_constant(self, e: Expression) -> bool:
        """Whether a compiler may evaluate it."""
        match e:
            case Literal():
                return True
            case Identifier():
                return e.name in self.env.constants
            case Unary():
                return e.operator not in "&*" and self.is_constant(e.operand)
            case Binary():
                return self.is_constant(e.left) and self.is_constant(e.right)
            case Index():
                return self.is_constant(e.base) and self.is_constant(e.index)
            case Member():
                return self.is_constant(e.base)
            case Call():
                row = FUNCTIONS.get(e.callee.name)
                plain = row.constant if row is not None else e.callee.name not in self.function_names
                return plain and all(map(self.is_constant, e.arguments))

    def compared(self, e: Expression, type: Scalar) -> Expression:
        """A condition that asks a scalar."""
        if type is BOOL:
            return e
        return Binary(self.source.weighted(_ORDER), e, Literal(self.source.weighted(_TEXTS[type])))

    # -------------------------------------------------------------------------------------------------- references

    def reference(self, name: Name, path: Path = ()) -> Expression:
        """The reference or value at the end of a path; the caller notes how memory is accessed."""
        e: Expression = Identifier(name.name)
        if isinstance(name.type, Pointer) and not (path and self.source.percent(self.profile.pointer_sugar)):
            e = Unary("*", e)
        for step in path:
            e = self._stepped(e, step)
        return e

    def constant_reference(self, name: Name, path: Path) -> Expression:
        """The same by literals only: it means the same in any function."""
        e: Expression = Identifier(name.name)
        for step in path:
            if isinstance(step, Field):
                e = Member(e, step.name)
            else:
                count = step.size if isinstance(step, Component) else step.count
                e = Index(e, Literal(f"{self.source.integer(0, (count or 4) - 1)}"))
        return e

    def _stepped(self, e: Expression, step: Step) -> Expression:
        match step:
            case Field():
                return Member(e, step.name)
            case Element() if e == self.own_array:
                return Index(e, Identifier(self.lid))
            case Element():
                return Index(e, self.index(step.count))
            case Component():
                if self.source.percent(20):
                    return Index(e, self.index(step.size))
                letters = _LETTERS[self.source.percent(10)]
                return Member(e, letters[self.source.integer(0, step.size - 1)])

    def index(self, count: int | None) -> Expression:
        """An index of so many elements, or of an unknown number: a literal in bounds, or anything at run time."""
        if self.source.percent(50):
            type = self.source.pick((U32, U32, I32))
            e = self.expression(type, 1)
            if not self.is_constant(e):
                if self.profile.core and count is not None:
                    return Binary("&", e, Literal(f"{count - 1}{type.name[0]}"))
                if type is U32 and count is not None and count & (count - 1) == 0 and self.source.percent(40):
                    return Binary("&", e, Literal(f"{count - 1}u"))
                return e
        least = self.source.integer(0, (count or 4) - 1)
        return Literal(f"{least}{self.source.pick(('u', '', 'i'))}")

    def address(self, entry: Entry, path: Path) -> Expression:
        """A pointer to a part of memory; of all that a pointer points to, mostly that pointer."""
        if isinstance(entry.name.type, Pointer) and not path and self.source.percent(80):
            return Identifier(entry.name.name)
        return Unary("&", self.reference(entry.name, path))

    # ------------------------------------------------------------------------------------------------------- calls

    def callees(self, type: Type | None) -> list[Callee]:
        """The functions with such a result (None: with any or none) that may be called here."""
        stages = self.current.stages
        return [
            f
            for f in self.functions
            if (type is None or f.result == type) and stages <= f.stages and f.name not in self._concealed
        ]

    def call(self, callee: Callee, depth: int = 1, *, varying: bool = False) -> Call | None:
        """A call, its arguments drawn in order; None if nothing in scope fits one of its pointers."""
        aliases = Aliases(callee)
        arguments: list[Expression] = []
        carrying = self.source.integer(0, len(callee.parameters) - 1) if varying and callee.parameters else -1
        for i, parameter in enumerate(callee.parameters):
            if isinstance(parameter.type, Pointer | Handle):
                type = parameter.type
                view = self.handle(type) if isinstance(type, Handle) else self._pointer(parameter, type, aliases)
                if view is None:
                    return None
                arguments.append(view)
            else:
                carried = self.carried(parameter.type) if i == carrying else None
                arguments.append(carried or self.expression(parameter.type, depth))
        self.current.absorb(callee)
        callee.called = True
        return Call(Identifier(callee.name), tuple(arguments))

    def handle(self, type: Handle) -> Expression | None:
        """A texture or sampler in scope."""
        names = [name.name for name in self.env.names if name.type == type]
        return Identifier(self.source.pick(names)) if names else None

    def _pointer(self, parameter: Name, type: Pointer, aliases: Aliases) -> Expression | None:
        """An argument for a pointer parameter: a pointer in scope, or an address."""
        entries = self.env.addressable(type.space, type.access, type.store)
        fitting = [entry for entry in entries if aliases.allows(parameter, entry.name.base)]
        if not fitting:
            return None
        noticed = [e for e in fitting if e.name is self._read or (self.recent and e.name is self.recent[0])]
        entry = self.source.pick(noticed if noticed and self.source.percent(40) else fitting)
        path = self.source.pick(entry.paths)
        root = entry.name.base
        if root.space is Space.FUNCTION:
            self.recent = entry.name, path, type.store
        aliases.take(parameter, root)
        self.current.touch(root, read=parameter in aliases.callee.reads, write=parameter in aliases.callee.writes)
        return self.address(entry, path)
