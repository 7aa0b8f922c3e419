"""The drawer that rows draw with: expressions, calls, blocks, triggers, jumps.

What is drawn never is a const-expression with an operator, so that no compiler has anything to overflow, divide by zero
or index out of bounds: an operation on constants gives way to a literal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds
from wgsl_fuzz.strategies.generate import environment
from wgsl_fuzz.strategies.generate.profile import Constructs, ExpressionRow, ModuleProfile, Site, StatementRow
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis, Behaviours
from wgsl_fuzz.wgsl.builtins import EXTENSIONS, FUNCTIONS, PREDECLARED, Stage
from wgsl_fuzz.wgsl.resolution import Access, Space

_EXPRESSION, _BLOCK, _STATEMENT = 41, 42, 43  # span labels
_DEPTH = 3
"""The most operators on a path of an expression."""
_OPERATIONS = 45
"""The rate of operations among expressions that may be one."""
_DEAD_CODE = 10
"""The rate of blocks that go on behind a jump."""

_TEXTS: dict[vt.Scalar, Odds[str]] = {
    vt.U32: Odds([("0u", 6), ("1u", 6), ("2u", 4), ("3u", 3), ("4u", 2), ("7u", 1), ("0x10u", 1), ("4294967295u", 1)]),
    vt.I32: Odds([("0i", 6), ("1i", 6), ("2i", 4), ("3i", 3), ("5i", 2), ("2147483647i", 1)]),
    vt.F32: Odds([("0.0f", 4), ("1.0f", 4), ("0.5f", 2), ("2f", 2), ("1e2f", 1)]),
    vt.BOOL: Odds([("false", 1), ("true", 1)]),
}
_GROUPS = {
    "local": environment.Group.LOCAL,
    "given": environment.Group.GIVEN,
    "shared": environment.Group.SHARED,
    "varying": environment.Group.VARYING,
}
_ORDER = Odds([("==", 3), ("<", 3), ("!=", 2), (">", 2), ("<=", 1), (">=", 1)])
_LETTERS = ("xyzw", "rgba")
_LETTERS_BEYOND_ASCII = ("é", "Δ", "ß", "变")
"""What the names of a function's variables begin with, in some modules."""

R = TypeVar("R", ExpressionRow[Any], StatementRow[Any])


@dataclass(eq=False)
class Drawer:
    """Draws the expressions and statements of a module, and keeps what is known meanwhile."""

    source: ChoiceSource
    profile: ModuleProfile
    rows: "Constructs[Drawer]"
    dose: int
    env: environment.Environment = field(default_factory=environment.Environment)
    own_array: w.Identifier | None = None
    """The array that has a cell for each thread, if data races are ruled out, and ..."""
    lid: str = ""
    """... the input that is its index."""
    functions: list[environment.Callee] = field(default_factory=list)
    """Those drawn so far, in order."""
    function_names: set[str] = field(default_factory=set)
    current: environment.Callee = field(default_factory=lambda: environment.Callee(""))
    """The function that is being drawn."""
    extensions: dict[str, None] = field(default_factory=dict)
    """Those that the module must enable."""
    unevaluated: int = 0
    """How many `&&` and `||` around may have a left side that is known: Tint evaluates no constants on the right, and
    refuses calls that need them."""
    structures: list[vt.Structure] = field(default_factory=list)
    pool: list[vt.Type] = field(default_factory=lambda: [vt.U32])
    """The types that variables, parameters and results mostly have."""
    type_names: dict[vt.Type, list[str]] = field(default_factory=dict)
    """Aliases, by what they stand for."""
    hidden: list[str] = field(default_factory=list)
    """Names of the module that the function drawn does not see: its locals may have them."""
    left: int = 0
    """Counts down the statements that may still be drawn."""
    triggers: int = 0
    """How many triggers the module has."""
    jumped: bool = False
    """Whether the last statement is a jump, or an `if` of jumps."""
    _names: int = 0
    _locals: int = 0
    _concealed: set[str] = field(default_factory=set)
    _behaviours: BehaviourAnalysis = field(default_factory=BehaviourAnalysis)
    _alive: list[w.Statement] = field(default_factory=list)
    _triggers: "dict[frozenset[Stage], Odds[StatementRow[Drawer]] | None]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        source, profile, dose = self.source, self.profile, self.dose
        self.newest = source.percent(profile.newest)
        """Whether the module may have what only the newest compilers take."""
        self._letter = source.pick(_LETTERS_BEYOND_ASCII) if source.percent(4) else ""
        scaled = {"shared": dose, "varying": dose}
        self._leaves = Odds([(kind, -(-weight * scaled.get(kind, 100) // 100)) for kind, weight in profile.leaves])
        self.factors = dict(profile.rows)
        self._tables: dict[vt.Type, Odds[ExpressionRow[Drawer]] | None] = profile.tables.setdefault("expressions", {})
        self._statements: dict[object, Odds[StatementRow[Drawer]]] = profile.tables.setdefault("statements", {})

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
        """Has an extension enabled, by the name that compilers know; language features need not be."""
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

    def type_name(self, type: vt.Type) -> w.Identifier:
        """The type as the module writes it: an alias of its own, a short name, or spelled out."""
        aliases = self.type_names.get(type)
        if aliases and self.source.percent(60):
            return w.Identifier(self.source.pick(aliases))
        short = vt.short_name(type)
        return w.Identifier(short) if short is not None and self.source.percent(60) else vt.written(type, suffix="u")

    # ------------------------------------------------------------------------------------------------- expressions

    def expression(self, type: vt.Type, depth: int | None = None) -> w.Expression:
        """An expression of a constructible type, with at most `depth` operators on a path."""
        depth = _DEPTH if depth is None else depth
        source = self.source
        source.begin(_EXPRESSION)
        e: w.Expression | None = None
        if depth > 0 and source.percent(_OPERATIONS):
            table = self._table(type)
            if table is not None:
                e = source.weighted(table).draw(self, type, depth)
        if e is None:
            e = self.leaf(type)
        source.end()
        return e

    def condition(self, depth: int | None = None) -> w.Expression:
        """What an `if` asks: mostly an operation, since bools in scope are rare."""
        table = self._table(vt.BOOL)
        if table is None or not self.source.percent(75):
            e = self.expression(vt.BOOL, depth)
            return e if self.source.percent(15) or not self.is_constant(e) else self.asked() or e
        depth = max(1, _DEPTH if depth is None else depth)
        e = self.source.weighted(table).draw(self, vt.BOOL, depth) or self.leaf(vt.BOOL)
        return (self.asked() or e) if self.is_constant(e) else e

    def asked(self) -> w.Expression | None:
        """A condition that asks a local scalar, if there is one."""
        type = self.source.pick((vt.U32, vt.I32, vt.BOOL, vt.F32))
        for candidate in (type, vt.U32, vt.I32, vt.BOOL, vt.F32):
            e = self.read(environment.Group.LOCAL, candidate)
            if e is not None:
                return self.compared(e, candidate)
        return None

    def _table(self, type: vt.Type) -> Odds[ExpressionRow[Any]] | None:
        try:
            return self._tables[type]
        except KeyError:
            weighed = self.weighed([row for row in self.rows.expressions if row.fits(type)])
            table = self._tables[type] = Odds(weighed) if weighed else None
            return table

    def weighed(self, rows: Sequence[R]) -> list[tuple[R, int]]:
        """The rows that are on, with their weights in this profile."""
        found = [(row, -(-row.weight * self.factors.get(row.name, 100) // 100)) for row in rows]
        return [(row, weight) for row, weight in found if weight > 0]

    def leaf(self, type: vt.Type) -> w.Expression:
        """A literal, or what is read of something in scope."""
        kind = self.source.weighted(self._leaves)
        if kind == "literal":
            return self.literal(type)
        e = self.read(_GROUPS[kind], type)
        if e is None and kind == "varying":
            e = self.varying(type)
        return e or self.read(environment.Group.LOCAL, type) or self.literal(type)

    def read(self, group: environment.Group, type: vt.Type) -> w.Expression | None:
        """A read of something of the group, if it has a part of the type."""
        entries = self.env.entries(group, type)
        if not entries:
            return None
        entry = self.source.pick(entries)
        return self.read_of(entry.name, self.source.pick(entry.paths))

    def read_of(self, name: environment.Name, path: environment.Path = ()) -> w.Expression:
        """A read of a part of a name."""
        if name.is_memory:
            self.current.touch(name, read=True, write=False)
        return self.reference(name, path)

    def varying(self, type: vt.Type) -> w.Expression | None:
        """A source of non-uniformity as a scalar, if there is an input that varies."""
        e = self.read(environment.Group.VARYING, type)
        if e is not None or not isinstance(type, vt.Scalar):
            return e
        for other in (vt.U32, vt.F32, vt.I32, vt.BOOL):
            e = self.read(environment.Group.VARYING, other)
            if e is not None:
                return self.compared(e, other) if type is vt.BOOL else w.Call(w.Identifier(type.name), (e,))
        return None

    def literal(self, type: vt.Type) -> w.Expression:
        """A constant of the type: a literal, or a constructor of them, or the zero value."""
        source = self.source
        match type:
            case vt.Scalar():
                text = w.Literal(source.weighted(_TEXTS[type]))
                return w.Unary("-", text) if type is vt.I32 and source.percent(15) else text
            case vt.Vector() if source.percent(70):
                count = type.size if source.percent(50) else 1
                return w.Call(self.type_name(type), tuple([self.literal(type.element) for _ in range(count)]))
            case vt.Structure() if source.percent(40):
                return w.Call(self.type_name(type), tuple([self.literal(member) for _, member in type.members]))
            case vt.Array(count=int(count)) if count <= 4 and source.percent(40):
                return w.Call(self.type_name(type), tuple([self.literal(type.element) for _ in range(count)]))
            case _:
                return w.Call(self.type_name(type), ())

    def is_constant(self, e: w.Expression) -> bool:
        """Whether a compiler may evaluate it."""
        match e:
            case w.Literal():
                return True
            case w.Identifier():
                return e.name in self.env.constants
            case w.Unary():
                return e.operator not in "&*" and self.is_constant(e.operand)
            case w.Binary():
                return self.is_constant(e.left) and self.is_constant(e.right)
            case w.Index():
                return self.is_constant(e.base) and self.is_constant(e.index)
            case w.Member():
                return self.is_constant(e.base)
            case w.Call():
                row = FUNCTIONS.get(e.callee.name)
                plain = row.constant if row is not None else e.callee.name not in self.function_names
                return plain and all(map(self.is_constant, e.arguments))

    def compared(self, e: w.Expression, type: vt.Scalar) -> w.Expression:
        """A condition that asks a scalar."""
        if type is vt.BOOL:
            return e
        return w.Binary(self.source.weighted(_ORDER), e, w.Literal(self.source.weighted(_TEXTS[type])))

    # -------------------------------------------------------------------------------------------------- references

    def reference(self, name: environment.Name, path: environment.Path = ()) -> w.Expression:
        """The reference or value at the end of a path; the caller notes how memory is accessed."""
        e: w.Expression = w.Identifier(name.name)
        if isinstance(name.type, vt.Pointer) and not (path and self.source.percent(50)):
            e = w.Unary("*", e)
        for step in path:
            e = self._stepped(e, step)
        return e

    def _stepped(self, e: w.Expression, step: environment.Step) -> w.Expression:
        match step:
            case environment.Field():
                return w.Member(e, step.name)
            case environment.Element() if e == self.own_array:
                return w.Index(e, w.Identifier(self.lid))
            case environment.Element():
                return w.Index(e, self.index(step.count))
            case environment.Component():
                if self.source.percent(20):
                    return w.Index(e, self.index(step.size))
                letters = _LETTERS[self.source.percent(10)]
                return w.Member(e, letters[self.source.integer(0, step.size - 1)])

    def index(self, count: int | None) -> w.Expression:
        """An index of so many elements, or of an unknown number: a literal in bounds, or anything at run time."""
        if self.source.percent(50):
            type = self.source.pick((vt.U32, vt.U32, vt.I32))
            e = self.expression(type, 1)
            if not self.is_constant(e):
                if self.profile.core and count is not None:
                    return w.Binary("&", e, w.Literal(f"{count - 1}{type.name[0]}"))
                if type is vt.U32 and count is not None and count & (count - 1) == 0 and self.source.percent(40):
                    return w.Binary("&", e, w.Literal(f"{count - 1}u"))
                return e
        least = self.source.integer(0, (count or 4) - 1)
        return w.Literal(f"{least}{self.source.pick(('u', '', 'i'))}")

    def address(self, entry: environment.Entry, path: environment.Path) -> w.Expression:
        """A pointer to a part of memory; of all that a pointer points to, mostly that pointer."""
        if isinstance(entry.name.type, vt.Pointer) and not path and self.source.percent(80):
            return w.Identifier(entry.name.name)
        return w.Unary("&", self.reference(entry.name, path))

    # ------------------------------------------------------------------------------------------------------- calls

    def callees(self, type: vt.Type | None) -> list[environment.Callee]:
        """The functions with such a result (None: with any or none) that may be called here."""
        stages = self.current.stages
        return [
            f
            for f in self.functions
            if (type is None or f.result == type) and stages <= f.stages and f.name not in self._concealed
        ]

    def call(self, callee: environment.Callee, depth: int = 1) -> w.Call | None:
        """A call, its arguments drawn in order; None if nothing in scope fits one of its pointers."""
        aliases = environment.Aliases(callee)
        arguments: list[w.Expression] = []
        for parameter in callee.parameters:
            if isinstance(parameter.type, vt.Pointer | vt.Handle):
                type = parameter.type
                view = self.handle(type) if isinstance(type, vt.Handle) else self._pointer(parameter, type, aliases)
                if view is None:
                    return None
                arguments.append(view)
            else:
                arguments.append(self.expression(parameter.type, depth))
        self.current.absorb(callee)
        callee.called = True
        return w.Call(w.Identifier(callee.name), tuple(arguments))

    def handle(self, type: vt.Handle) -> w.Expression | None:
        """A texture or sampler in scope."""
        names = [name.name for name in self.env.names if name.type == type]
        return w.Identifier(self.source.pick(names)) if names else None

    def _pointer(
        self, parameter: environment.Name, type: vt.Pointer, aliases: environment.Aliases
    ) -> w.Expression | None:
        """An argument for a pointer parameter: a pointer in scope, or an address."""
        entries = self.env.addressable(type.space, type.access, type.store)
        fitting = [entry for entry in entries if aliases.allows(parameter, entry.name.base)]
        if not fitting:
            return None
        entry = self.source.pick(fitting)
        path = self.source.pick(entry.paths)
        root = entry.name.base
        aliases.take(parameter, root)
        self.current.touch(root, read=parameter in aliases.callee.reads, write=parameter in aliases.callee.writes)
        return self.address(entry, path)

    def begin(self, budget: int) -> None:
        """A new function begins, with so many statements."""
        self.left = budget
        self.jumped = False
        self._behaviours, self._alive = BehaviourAnalysis(), []

    def behaviour(self, statement: w.Statement) -> Behaviours:
        """The behaviours of a statement that is kept."""
        self._alive.append(statement)
        return self._behaviours.behaviour(statement)

    # ------------------------------------------------------------------------------------------------------- types

    def type(self) -> vt.Type:
        """A type of the module's pool, constructible."""
        return self.source.pick(self.pool)

    # ------------------------------------------------------------------------------------------------------ blocks

    def block(self, place: Site, least: int = 1, most: int = 8) -> w.Block:
        """A block of its own scope with about so many statements."""
        self.env.enter()
        statements = self.statements(place, least, most)
        self.env.leave()
        return w.Block(tuple(statements))

    def statements(self, place: Site, least: int, most: int, *, dead_code: int = _DEAD_CODE) -> list[w.Statement]:
        """Statements in the scope that is open, counted with all inside them."""
        source = self.source
        source.begin(_BLOCK)
        target = source.integer(least, max(least, min(most, self.left)))
        stop = self.left - target
        found: list[w.Statement] = []
        self.jumped = False
        while self.left > stop and self.left > 0:
            found += self.statement(place, self.left - stop)
            if self.jumped and not source.percent(dead_code):
                break
        source.end()
        return found

    def statement(self, place: Site, room: int) -> Sequence[w.Statement]:
        """One statement, perhaps with declarations that it needs, for no more than `room`."""
        self.source.begin(_STATEMENT)
        row = self.source.weighted(self._rows(place, room))
        self.jumped = False
        found = row.draw(self, place)
        self.left -= 1
        self.source.end()
        return found

    def _rows(self, place: Site, room: int) -> "Odds[StatementRow[Drawer]]":
        """The rows that may stand at a place and take no more than `room`."""
        most = 1 if place.nesting <= 0 or room < 2 else 3 if room < 4 else 1000
        stages = self.current.stages
        key = (most, stages, place.nesting > 0, *place[1:])
        table = self._statements.get(key)
        if table is None:
            rows = self.rows.statements
            fitting = [r for r in rows if r.least <= most and r.allowed(place) and stages <= r.stages]
            table = self._statements[key] = Odds(self.weighed(fitting))
        return table

    # --------------------------------------------------------------------------------------- triggers, assignments

    def trigger(self, place: Site) -> Sequence[w.Statement]:
        """A statement that needs uniform control flow."""
        rows = self.triggers_of(self.current.stages)
        if rows is None:
            return ()
        found = self.source.weighted(rows).draw(self, place)
        found = found or rows.slots[0].draw(self, place)
        self.triggers += bool(found)
        return found

    def triggers_of(self, stages: frozenset[Stage]) -> "Odds[StatementRow[Drawer]] | None":
        """The triggers of functions that are reached from all of these stages, if there are any."""
        if stages not in self._triggers:
            by_name = {row.name: row for row in self.rows.triggers if stages <= row.stages}
            present = [(by_name[n], weight) for n, weight in self.profile.triggers if weight and n in by_name]
            self._triggers[stages] = Odds(present) if present else None
        return self._triggers[stages]

    def target(self, name: environment.Name, path: environment.Path, *, read: bool = False) -> w.Expression:
        """The left side of an assignment (`read`: that reads it, too)."""
        self.current.touch(name, read=read, write=True)
        return self.reference(name, path)

    def any_target(self, type: vt.Type | None = None) -> tuple[environment.Entry, environment.Path, vt.Type] | None:
        """Something that may be assigned, mostly in `function` space."""
        for _ in range(3):
            wanted = type or self.source.pick(self.pool if self.source.percent(70) else environment.SCALARS)
            entries = self.env.entries(environment.Group.ASSIGNABLE, wanted)
            local = [e for e in entries if e.name.space is Space.FUNCTION]
            entries = entries if not local or self.source.percent(self.profile.shared_writes) else local
            if entries:
                entry = self.source.pick(entries)
                return entry, self.source.pick(entry.paths), wanted
        return None

    def atomic_address(self, type: vt.Scalar) -> w.Expression | None:
        """`&a` of an atomic in scope."""
        entries = [
            entry
            for space in (Space.WORKGROUP, Space.STORAGE)
            for entry in self.env.addressable(space, Access.READ_WRITE, vt.Atomic(type))
        ]
        if not entries:
            return None
        entry = self.source.pick(entries)
        self.current.touch(entry.name, read=True, write=True)
        return self.address(entry, self.source.pick(entry.paths))

    # ------------------------------------------------------------------------------------------------------- jumps

    def jump(self, place: Site) -> w.Statement | None:
        """A jump that may stand here."""
        kinds = []
        if place.may_break:
            kinds += ["break"] * 3
        if place.may_continue:
            kinds += ["continue"] * 3
        if place.may_return:
            kinds += ["return"] * 2
        if not kinds:
            return None
        kind = self.source.pick(kinds)
        return self.return_() if kind == "return" else w.Break() if kind == "break" else w.Continue()

    def return_(self) -> w.Return:
        """A `return` of the function that is drawn."""
        result = self.current.result
        if result is None:
            return w.Return()
        return w.Return(self.expression(result, 2))

    def branch(self, place: Site, least: int = 1) -> w.Block:
        """A branch of an `if` or a clause: often short, with a jump at its end."""
        if not self.source.percent(30):
            return self.block(place, least, 8)
        self.env.enter()
        statements = self.statements(place, 0, 3)
        jump = self.jump(place) if not self.jumped or self.source.percent(_DEAD_CODE) else None
        if jump is not None:
            self.left -= 1
            statements.append(jump)
            self.jumped = True
        self.env.leave()
        return w.Block(tuple(statements))
