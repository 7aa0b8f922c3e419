"""The drawer that rows draw with: blocks and single statements, triggers that are owed, jumps, guards and carriers."""

from collections.abc import Sequence

from wgsl_fuzz.strategies.choices.source import Source, Table
from wgsl_fuzz.strategies.modules.environment import SCALARS, Entry, Group, Name, Path
from wgsl_fuzz.strategies.modules.expression_drawer import ExpressionDrawer
from wgsl_fuzz.strategies.modules.profile import ModuleProfile
from wgsl_fuzz.strategies.modules.rows import Place, Rows, StatementRow
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis, Behaviours
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Block,
    Break,
    Continue,
    Expression,
    Function,
    If,
    Return,
    Statement,
)
from wgsl_fuzz.wgsl.types import (
    BOOL,
    U32,
    Atomic,
    Scalar,
    Structure,
    Type,
)

_BLOCK, _STATEMENT = 42, 43  # span labels
_NOTHING_OWED = -(10**9)


class Drawer(ExpressionDrawer):
    """Draws the statements of one function after the other; `left` counts down those that may still be drawn."""

    def __init__(self, source: Source, profile: ModuleProfile, rows: "Rows[Drawer]", dose: int) -> None:
        super().__init__(source, profile, rows, dose)
        self.structures: list[Structure] = []
        self.pool: list[Type] = [U32]
        """The types that variables, parameters and results mostly have."""
        self.new_functions: list[Function] = []
        """What motifs added to the module."""
        self.setters: set[str] = set()
        """The names of setters (`effects`)."""
        self.left = 0
        self.owed = _NOTHING_OWED
        """A trigger comes next once no more statements than this are left, if the function has none yet."""
        self._triggered = False
        self.triggers = 0
        """How many triggers the module has."""
        self.jumped = False
        """Whether the last statement is a jump, or an `if` of jumps."""
        self.carriers, self.payloads = (profile.carriers, profile.payloads) if dose else (0, 0)
        self._behaviours = BehaviourAnalysis()
        self._alive: list[Statement] = []
        self._statements: dict[tuple[object, ...], Table[StatementRow[Drawer]]] = profile.tables.setdefault(
            "statements", {}
        )
        self._triggers: dict[frozenset[Stage], Table[StatementRow[Drawer]] | None] = {}

    def begin(self, budget: int) -> None:
        """A new function begins, with so many statements."""
        self.left = budget
        self.owed = _NOTHING_OWED
        self._triggered = self.jumped = False
        self.recent = None
        self._behaviours, self._alive = BehaviourAnalysis(), []

    def behaviour(self, statement: Statement) -> Behaviours:
        """The behaviours of a statement that is kept."""
        self._alive.append(statement)
        return self._behaviours.behaviour(statement)

    # ------------------------------------------------------------------------------------------------------- types

    def type(self, *, scalar: bool = False) -> Type:
        """A type of the module's pool, constructible."""
        types = [t for t in self.pool if isinstance(t, Scalar)] if scalar else self.pool
        return self.source.pick(types or [U32])

    def number(self) -> Type:
        """A scalar type of the module's pool that is no bool."""
        types = [t for t in self.pool if t in SCALARS and t is not BOOL]
        return self.source.pick(types or [U32])

    # ------------------------------------------------------------------------------------------------------ blocks

    def block(self, place: Place, least: int = 1, most: int = 8) -> Block:
        """A block of its own scope with about so many statements."""
        self.env.enter()
        statements = self.statements(place, least, most)
        self.env.leave()
        return Block(tuple(statements))

    def statements(self, place: Place, least: int, most: int, *, dead_code: int | None = None) -> list[Statement]:
        """Statements in the scope that is open, counted with all inside them."""
        source = self.source
        source.begin(_BLOCK)
        target = source.integer(least, max(least, min(most, self.left)))
        stop = self.left - target
        dead_code = self.profile.dead_code if dead_code is None else dead_code
        found: list[Statement] = []
        self.jumped = False
        while self.left > stop and self.left > 0:
            found += self.statement(place, self.left - stop)
            if self.jumped and not source.percent(dead_code):
                break
        source.end()
        return found

    def statement(self, place: Place, room: int) -> Sequence[Statement]:
        """One statement, perhaps with declarations that it needs, for no more than `room`."""
        self.source.begin(_STATEMENT)
        if self.left <= self.owed and not self._triggered:
            self._triggered = True
            found: Sequence[Statement] = self.guarded_trigger(place)
        else:
            row = self.source.weighted(self._rows(place, room))
            self.jumped = False
            found = row.draw(self, place)
        self.left -= 1
        self.source.end()
        return found

    def motif(self, rows: "Sequence[StatementRow[Drawer]]", rate: int, place: Place) -> Sequence[Statement]:
        """One of the motifs at a rate; nothing if there are none."""
        if not rows or not self.source.percent(rate):
            return ()
        table = self._weighed(rows, place)
        found = self.source.weighted(table).draw(self, place) if table.total else ()
        self.jumped = False
        return found

    def is_drawn(self, row: str) -> bool:
        """Whether the profile has rows of this name."""
        return self.factors.get(row, 100) > 0

    def _rows(self, place: Place, room: int) -> "Table[StatementRow[Drawer]]":
        blocks = 0 if place.nesting <= 0 or room < 2 else 1 if room < 4 else 2
        return self._weighed(self.rows.statements, place, blocks)

    def _weighed(
        self, rows: "Sequence[StatementRow[Drawer]]", place: Place, blocks: int = 2
    ) -> "Table[StatementRow[Drawer]]":
        """The rows that may stand at a place, with blocks of a statement or more within them if `blocks` is 1 or 2."""
        stages = self.current.stages
        key = (id(rows), blocks, stages, place.nesting > 0, *place[1:])
        table = self._statements.get(key)
        if table is None:
            most = (1, 3, 1000)[blocks]
            fitting = [r for r in rows if r.least <= most and r.allowed(place) and stages <= r.stages]
            factors = self.factors
            weighed = [(row, -(-row.weight * factors.get(row.name, 100) // 100)) for row in fitting]
            table = self._statements[key] = Table([(row, weight) for row, weight in weighed if weight > 0])
        return table

    # ---------------------------------------------------------------------------------- triggers, guards, carriers

    def trigger(self, place: Place) -> Sequence[Statement]:
        """A statement that needs uniform control flow."""
        rows = self.triggers_of(self.current.stages)
        if rows is None:
            return ()
        found = self.source.weighted(rows).draw(self, place)
        found = found or rows.slots[0].draw(self, place)
        self.triggers += bool(found)
        self._triggered = True
        return found

    def triggers_of(self, stages: frozenset[Stage]) -> "Table[StatementRow[Drawer]] | None":
        """The triggers of functions that are reached from all of these stages, if there are any."""
        if stages not in self._triggers:
            by_name = {row.name: row for row in self.rows.triggers if stages <= row.stages}
            present = [(by_name[n], weight) for n, weight in self.profile.triggers if weight and n in by_name]
            self._triggers[stages] = Table(present) if present else None
        return self._triggers[stages]

    def guarded_trigger(self, place: Place) -> Sequence[Statement]:
        """A trigger, often under an `if` that asks a variable."""
        condition = self.guard() if self.source.percent(self.profile.guards) else None
        return self.trigger(place) if condition is None else (self.guarded(condition, place),)

    def guarded(self, condition: Expression, place: Place) -> If:
        """A trigger under a condition."""
        self.left -= 1
        self.env.enter()
        then = Block(tuple(self.trigger(place)))
        self.env.leave()
        return If(condition, then)

    def guard(self) -> Expression | None:
        """A condition that depends on nothing but one variable: what was assigned last, or any local scalar."""
        recent = self.recent
        if recent is not None and recent[0] in self.env.names:
            parts = self.env.scalars(recent[2])
            name, path, type = recent
            if parts:
                type, paths = self.source.pick(parts)
                return self.compared(self.read_of(name, (*path, *self.source.pick(paths))), type)
        type = self.source.pick((U32, U32, BOOL))
        entries = self.env.entries(Group.LOCAL, type)
        if not entries:
            return None
        entry = self.source.pick(entries)
        return self.compared(self.read_of(entry.name, self.source.pick(entry.paths)), type)

    def carrier(self, type: Scalar | None = None) -> Statement | None:
        """An assignment of a source of non-uniformity, as it is, to a variable of a function."""
        types = [type] if type is not None else [t for t in SCALARS if self.local_targets(t)]
        if not types:
            return None
        type = self.source.pick(types)
        targets = self.local_targets(type)
        if not targets:
            return None
        entry = self.source.pick(targets)
        path = self.source.pick(entry.paths)
        value = self.carried(type) or self.expression(type, 1)
        return Assign("=", self.target(entry.name, path), value)

    def local_targets(self, type: Type) -> list[Entry]:
        """What may be assigned of the type in `function` space."""
        return [e for e in self.env.entries(Group.ASSIGNABLE, type) if e.name.space is Space.FUNCTION]

    def target(self, name: Name, path: Path, *, read: bool = False) -> Expression:
        """The left side of an assignment (`read`: that reads it, too)."""
        self.current.touch(name, read=read, write=True)
        return self.reference(name, path)

    def assigned(self, name: Name, path: Path, type: Type) -> None:
        """Notes what a guard should ask next."""
        if name.space is Space.FUNCTION:
            self.recent = (name, path, type)

    def any_target(self, type: Type | None = None) -> tuple[Entry, Path, Type] | None:
        """Something that may be assigned, mostly in `function` space."""
        for _ in range(3):
            wanted = type or self.source.pick(self.pool if self.source.percent(70) else SCALARS)
            entries = self.env.entries(Group.ASSIGNABLE, wanted)
            local = [e for e in entries if e.name.space is Space.FUNCTION]
            entries = entries if not local or self.source.percent(self.profile.shared_writes) else local
            if entries:
                entry = self.source.pick(entries)
                return entry, self.source.pick(entry.paths), wanted
        return None

    def atomic_address(self, type: Scalar) -> Expression | None:
        """`&a` of an atomic in scope."""
        entries = [
            entry
            for space in (Space.WORKGROUP, Space.STORAGE)
            for entry in self.env.addressable(space, Access.READ_WRITE, Atomic(type))
        ]
        if not entries:
            return None
        entry = self.source.pick(entries)
        self.current.touch(entry.name, read=True, write=True)
        return self.address(entry, self.source.pick(entry.paths))

    # ------------------------------------------------------------------------------------------------------- jumps

    def jump(self, place: Place) -> Statement | None:
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
        return self.return_() if kind == "return" else Break() if kind == "break" else Continue()

    def return_(self) -> Return:
        """A `return` of the function that is drawn."""
        result = self.current.result
        return Return(None if result is None else self.expression(result, 2))

    def branch(self, place: Place, least: int = 1, *, jumps: bool = False) -> Block:
        """A branch of an `if` or a clause: often short, with a jump at its end."""
        if not jumps and not self.source.percent(self.profile.branch_jumps):
            return self.block(place, least, 8)
        self.env.enter()
        jump: Statement | None = None
        statements: list[Statement] = []
        if self.source.percent(self.payloads):
            carrier = self.carrier()
            if carrier is not None:
                self.left -= 1
                statements.append(carrier)
        else:
            statements = self.statements(place, 0, 3)
        if not self.jumped or jumps or self.source.percent(self.profile.dead_code):
            jump = self.jump(place)
        if jump is not None:
            self.left -= 1
            statements.append(jump)
            self.jumped = True
        self.env.leave()
        return Block(tuple(statements))
