"""The drawer that rows draw with: expressions, calls, blocks, barriers, jumps.

What is drawn never is a const-expression with an operator, so that no compiler has anything to overflow, divide by zero
or index out of bounds: an operation on constants gives way to a literal.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds
from wgsl_fuzz.strategies.generate.profile import ModuleProfile
from wgsl_fuzz.strategies.generate.tiny.environment import SCALARS, Callee, Environment, Group, Name
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis, Behaviours
from wgsl_fuzz.wgsl.builtins import PREDECLARED
from wgsl_fuzz.wgsl.types import BOOL, I32, U32, Array, Scalar, Structure, written

_EXPRESSION, _BLOCK, _STATEMENT = 41, 42, 43  # span labels
_DEPTH = 3
"""The most operators on a path of an expression."""
_OPERATIONS = 45
"""The rate of operations among expressions that may be one."""
_DEAD_CODE = 10
"""The rate of blocks that go on behind a jump."""

_TEXTS: dict[Scalar, Odds[str]] = {
    U32: Odds([("0u", 6), ("1u", 6), ("2u", 4), ("3u", 3), ("4u", 2), ("7u", 1), ("0x10u", 1), ("4294967295u", 1)]),
    I32: Odds([("0i", 6), ("1i", 6), ("2i", 4), ("3i", 3), ("5i", 2), ("2147483647i", 1)]),
    BOOL: Odds([("false", 1), ("true", 1)]),
}
_GROUPS = {"local": Group.LOCAL, "given": Group.CONSTANT, "shared": Group.SHARED, "varying": Group.VARYING}
ORDER = Odds([("==", 3), ("<", 3), ("!=", 2), (">", 2), ("<=", 1), (">=", 1)])
_BARRIERS = {
    "barrier": ("workgroupBarrier", "workgroupBarrier", "storageBarrier"),
    "texture-barrier": ("textureBarrier",),
}
_LETTERS_BEYOND_ASCII = ("é", "Δ", "ß", "变")
"""What the names of a function's variables begin with, in some modules."""


class Site(NamedTuple):
    """Where a statement is about to stand."""

    nesting: int
    """How many more blocks may open here."""
    may_return: bool = False
    """Not in a `continuing`; in entry points only if the module was drawn so."""
    may_break: bool = False
    may_continue: bool = False

    def inside(self) -> "Site":
        """The place in a block or branch that stands here."""
        return self._replace(nesting=self.nesting - 1)


@dataclass(frozen=True, slots=True)
class ExpressionRow:
    """A construct that has a value."""

    name: str
    weight: int
    fits: tuple[Scalar, ...]
    """The types that it can be of."""
    draw: "Callable[[Drawer, Scalar, int], w.Expression | None]"
    """Draws it of the type, with at most so many operators on a path; None: not here."""


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A construct that is a statement."""

    name: str
    weight: int
    draw: "Callable[[Drawer, Site], Sequence[w.Statement]]"
    """Draws it, perhaps with declarations before; nothing: not here."""
    least: int = 1
    """The fewest statements that it takes."""
    allowed: Callable[[Site], bool] = lambda _: True


class Constructs(NamedTuple):
    """The constructs that are drawn."""

    expressions: tuple[ExpressionRow, ...]
    statements: tuple[StatementRow, ...]


R = TypeVar("R", ExpressionRow, StatementRow)


@dataclass(eq=False)
class Drawer:
    """Draws the expressions and statements of a module, and keeps what is known meanwhile."""

    source: ChoiceSource
    profile: ModuleProfile
    rows: Constructs
    env: Environment = field(default_factory=Environment)
    own_array: str = ""
    """The array that has a cell for each thread, if data races are ruled out, and ..."""
    lid: str = ""
    """... the input that is its index."""
    functions: list[Callee] = field(default_factory=list)
    """Those drawn so far, in order."""
    current: Callee = field(default_factory=lambda: Callee(""))
    """The function that is being drawn."""
    pool: list[Scalar] = field(default_factory=lambda: [U32])
    """The types that variables, parameters and results mostly have."""
    type_names: dict[Scalar, list[str]] = field(default_factory=dict)
    """Aliases, by what they stand for."""
    left: int = 0
    """Counts down the statements that may still be drawn."""
    barriers: int = 0
    """How many the module has."""
    jumped: bool = False
    """Whether the last statement is a jump, or an `if` of jumps."""
    _names: int = 0
    _locals: int = 0
    _concealed: set[str] = field(default_factory=set)
    _hidden: list[str] = field(default_factory=list)
    """Names of the module that the function drawn does not see: its locals may have them."""
    _behaviours: BehaviourAnalysis = field(default_factory=BehaviourAnalysis)
    _alive: list[w.Statement] = field(default_factory=list)

    def __post_init__(self) -> None:
        source, profile = self.source, self.profile
        dose = source.pick(profile.doses)
        self.newest = source.percent(profile.newest)
        """Whether the module may have what only the newest compilers take."""
        self._letter = source.pick(_LETTERS_BEYOND_ASCII) if source.percent(4) else ""
        scaled = {"shared": dose, "varying": dose}
        self._leaves = Odds([(kind, -(-weight * scaled.get(kind, 100) // 100)) for kind, weight in profile.leaves])
        self._factors = dict(profile.rows)
        self._barriers = Odds(profile.triggers)
        self._tables: dict[Scalar, Odds[ExpressionRow] | None] = profile.tables.setdefault("expressions", {})
        self._statements: dict[object, Odds[StatementRow]] = profile.tables.setdefault("statements", {})

    def fresh(self, prefix: str) -> str:
        """A name for module scope that nothing else in the module has."""
        self._names += 1
        name = f"{prefix}{self._names}"
        return name if name not in PREDECLARED else self.fresh(prefix)

    def local(self, prefix: str) -> str:
        """A name that nothing else in the function has, and nothing that it sees. Prefixes are not those of `fresh`."""
        if self._hidden and self.source.percent(40):
            return self._hidden.pop()
        self._locals += 1
        name = f"{self._letter}{prefix}{self._locals}"
        return name if name not in PREDECLARED else self.local(prefix)

    def start_function(self) -> None:
        """The names of a function begin anew."""
        self._locals = 0
        self.hide(())

    def hide(self, names: Sequence[str]) -> None:
        """The function does not see these names of the module."""
        self._concealed = set(names)
        self._hidden = list(names)

    def type_name(self, type: Scalar | Array) -> w.Identifier:
        """The type as the module writes it: an alias of its own, or spelled out."""
        aliases = self.type_names.get(type) if isinstance(type, Scalar) else None
        return (
            w.Identifier(self.source.pick(aliases))
            if aliases and self.source.percent(60)
            else written(type, suffix="u")
        )

    # ------------------------------------------------------------------------------------------------- expressions

    def expression(self, type: Scalar, depth: int = _DEPTH) -> w.Expression:
        """An expression of a type, with at most `depth` operators on a path."""
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

    def condition(self, depth: int = _DEPTH) -> w.Expression:
        """What an `if` asks: mostly an operation, since bools in scope are rare."""
        table = self._table(BOOL)
        if table is None or not self.source.percent(75):
            e = self.expression(BOOL, depth)
            return e if self.source.percent(15) or not self.is_constant(e) else self._asked() or e
        e = self.source.weighted(table).draw(self, BOOL, max(1, depth)) or self.leaf(BOOL)
        return (self._asked() or e) if self.is_constant(e) else e

    def _asked(self) -> w.Expression | None:
        """A condition that asks a local scalar, if there is one."""
        type = self.source.pick(SCALARS)
        for candidate in (type, *SCALARS):
            e = self.read(Group.LOCAL, candidate)
            if e is not None:
                return self.compared(e, candidate)
        return None

    def _table(self, type: Scalar) -> Odds[ExpressionRow] | None:
        try:
            return self._tables[type]
        except KeyError:
            weighed = self.weighed([row for row in self.rows.expressions if type in row.fits])
            table = self._tables[type] = Odds(weighed) if weighed else None
            return table

    def weighed(self, rows: Sequence[R]) -> list[tuple[R, int]]:
        """The rows that are on, with their weights in this profile."""
        found = [(row, -(-row.weight * self._factors.get(row.name, 100) // 100)) for row in rows]
        return [(row, weight) for row, weight in found if weight > 0]

    def leaf(self, type: Scalar) -> w.Expression:
        """A literal, or what is read of something in scope."""
        kind = self.source.weighted(self._leaves)
        if kind == "literal":
            return self.literal(type)
        e = self.read(_GROUPS[kind], type)
        if e is None and kind == "varying":
            e = self._varying(type)
        return e or self.read(Group.LOCAL, type) or self.literal(type)

    def read(self, group: Group, type: Scalar) -> w.Expression | None:
        """A read of something of the group, if it has a scalar of the type."""
        entries = self.env.entries(group, type)
        return self.reference(self.source.pick(entries)) if entries else None

    def _varying(self, type: Scalar) -> w.Expression | None:
        """A source of non-uniformity as a scalar of another type, if there is one."""
        e = self.read(Group.VARYING, U32)
        if e is None:
            return None
        return self.compared(e, U32) if type is BOOL else w.Call(w.Identifier(type.name), (e,))

    def literal(self, type: Scalar) -> w.Expression:
        """A constant of the type."""
        text = w.Literal(self.source.weighted(_TEXTS[type]))
        return w.Unary("-", text) if type is I32 and self.source.percent(15) else text

    def is_constant(self, e: w.Expression) -> bool:
        """Whether a compiler may evaluate it."""
        match e:
            case w.Literal():
                return True
            case w.Identifier():
                return e.name in self.env.constants
            case w.Unary():
                return self.is_constant(e.operand)
            case w.Binary():
                return self.is_constant(e.left) and self.is_constant(e.right)
            case w.Index():
                return self.is_constant(e.base) and self.is_constant(e.index)
            case w.Member():
                return self.is_constant(e.base)
            case w.Call():
                is_conversion = all(f.name != e.callee.name for f in self.functions)
                return is_conversion and all(map(self.is_constant, e.arguments))

    def compared(self, e: w.Expression, type: Scalar) -> w.Expression:
        """A condition that asks a scalar."""
        if type is BOOL:
            return e
        return w.Binary(self.source.weighted(ORDER), e, w.Literal(self.source.weighted(_TEXTS[type])))

    def reference(self, name: Name) -> w.Expression:
        """The scalar of a name."""
        whole = w.Identifier(name.name)
        match name.type:
            case Scalar():
                return whole
            case Structure():
                return w.Member(whole, "x")
            case Array(count=count):
                own = name.name == self.own_array
                assert count is not None, "arrays have a size"
                return w.Index(whole, w.Identifier(self.lid) if own else self._index(count))

    def _index(self, count: int) -> w.Expression:
        """An index of so many elements: a literal in bounds, or what a mask keeps there."""
        if self.source.percent(50):
            type = self.source.pick((U32, U32, I32))
            e = self.expression(type, 1)
            if not self.is_constant(e):
                return w.Binary("&", e, w.Literal(f"{count - 1}{type.name[0]}"))
        least = self.source.integer(0, count - 1)
        return w.Literal(f"{least}{self.source.pick(('u', '', 'i'))}")

    # ------------------------------------------------------------------------------------------------------- calls

    def callees(self, type: Scalar | None = None) -> list[Callee]:
        """The functions with such a result (None: with any or none) that may be called here."""
        return [f for f in self.functions if type in (None, f.result) and f.name not in self._concealed]

    def call(self, callee: Callee, depth: int = 1) -> w.Call:
        """A call, its arguments drawn in order."""
        callee.called = True
        return w.Call(w.Identifier(callee.name), tuple([self.expression(p.scalar, depth) for p in callee.parameters]))

    def begin(self, budget: int) -> None:
        """A new function begins, with so many statements."""
        self.left = budget
        self.jumped = False
        self._behaviours, self._alive = BehaviourAnalysis(), []

    def behaviour(self, statement: w.Statement) -> Behaviours:
        """The behaviours of a statement that is kept."""
        self._alive.append(statement)
        return self._behaviours.behaviour(statement)

    def type(self) -> Scalar:
        """A type of the module's pool."""
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

    def _rows(self, place: Site, room: int) -> Odds[StatementRow]:
        """The rows that may stand at a place and take no more than `room`."""
        most = 1 if place.nesting <= 0 or room < 2 else 3 if room < 4 else 1000
        key = (most, place.nesting > 0, *place[1:])
        table = self._statements.get(key)
        if table is None:
            fitting = [r for r in self.rows.statements if r.least <= most and r.allowed(place)]
            table = self._statements[key] = Odds(self.weighed(fitting))
        return table

    def barrier(self) -> w.Statement:
        """A statement that needs uniform control flow."""
        self.barriers += 1
        name = self.source.pick(_BARRIERS[self.source.weighted(self._barriers)])
        return w.CallStatement(w.Call(w.Identifier(name), ()))

    def target(self, type: Scalar | None = None) -> Name | None:
        """Something that may be assigned, mostly a variable of the function."""
        for _ in range(3):
            wanted = type or self.source.pick(self.pool if self.source.percent(70) else SCALARS)
            names = self.env.entries(Group.ASSIGNABLE, wanted)
            local = [name for name in names if name.group is Group.LOCAL]
            names = names if not local or self.source.percent(self.profile.shared_writes) else local
            if names:
                return self.source.pick(names)
        return None

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
        return w.Return() if result is None else w.Return(self.expression(result, 2))

    def branch(self, place: Site, least: int = 1) -> w.Block:
        """A branch of an `if`: often short, with a jump at its end."""
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
