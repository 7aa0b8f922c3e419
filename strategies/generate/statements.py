"""How statements are drawn: one row a construct, with where it may stand and what it needs.

Everything WGSL forbids is avoided or repaired while drawing, so that nothing has to be filtered away. Here are blocks,
`if` and `loop`; `simple` has the statements that hold no others.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from wgsl_fuzz.strategies.choices.places import Slot
from wgsl_fuzz.strategies.choices.profile import JUMPS, Profile, Weights
from wgsl_fuzz.strategies.choices.source import Source, Table
from wgsl_fuzz.strategies.generate.expressions import ExpressionDrawer
from wgsl_fuzz.strategies.generate.idioms import headed_loop, scratch
from wgsl_fuzz.strategies.generate.simple import SimpleDrawer
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Binary,
    Block,
    Break,
    Continue,
    Expr,
    If,
    Literal,
    Local,
    Loop,
    Stmt,
    Type,
    Variable,
    is_break_if,
)
from wgsl_fuzz.tinywgsl.behaviour import BehaviourAnalysis

_BLOCK, _STATEMENT = 21, 22  # span labels


@dataclass(frozen=True)
class Construct:
    """One construct: the fewest statements it costs, where it may stand, and the method that draws it."""

    least: int
    allowed: Callable[[Slot], bool]
    draw: "Callable[[StatementDrawer, Slot], Stmt]"


class StatementDrawer(SimpleDrawer):
    """Draws the bodies of functions."""

    def __init__(
        self, source: Source, profile: Profile, expressions: ExpressionDrawer, *, carriers: bool = False
    ) -> None:
        super().__init__(source, profile, expressions, carriers=carriers)
        self._tables = _tables_of(profile.weights)

    def settle(self) -> None:
        """Begins afresh behind statements that were not drawn one by one."""
        self._jumped = self._due = False

    def assign(self, place: Slot) -> Stmt:
        """`x = e`; in a loop, often behind a local of one round's own."""
        return scratch(self, place) if place.in_loop and self.source.percent(self.profile.scratches) else self.set()

    # -------------------------------------------------------------------------------------------------- blocks

    def body(self, place: Slot, least: int) -> Block:
        """The statements of a function but its last; they go on behind a jump."""
        return tuple([s for piece in self.pieces(place, least) for s in piece])

    def pieces(self, place: Slot, least: int) -> Iterator[Block]:
        """The statements of a body one by one, each with those that must stand right before or behind it."""
        self.source.begin(_BLOCK)
        stop = self.left - least
        while self.left > stop and self.left > 0:
            ss: list[Stmt] = []
            self._put(place, self.left - stop, ss)
            yield tuple(ss)
        self.source.end()

    def block(self, place: Slot, least: int, most: int) -> Block:
        """Between `least` and `most` statements, counted with all inside them (the last may exceed it a little)."""
        source = self.source
        source.begin(_BLOCK)
        target = source.integer(least, max(least, min(most, self.left)))
        stop = self.left - target
        dead_code = self.profile.dead_code
        ss: list[Stmt] = []
        while self.left > stop and self.left > 0:
            self._put(place, self.left - stop, ss)
            if self._jumped and not source.percent(dead_code):
                break
        source.end()
        return tuple(ss)

    def _put(self, place: Slot, room: int, ss: list[Stmt]) -> None:
        """Draws a statement, and appends it to `ss` with what must stand right before or behind it."""
        s = self.statement(place, room)
        if self.before:
            ss += self.before
            self.before.clear()
        ss.append(s)
        if self._due:
            self._due = False
            ss.append(self.guarded_barrier())

    def statement(self, place: Slot, room: int) -> Stmt:
        """One statement that costs no more than `room`, if the rows allow it."""
        source = self.source
        source.begin(_STATEMENT)
        if self.left <= self.owed and not self.barriers:
            row = ROWS["barrier"]
        else:
            row = source.weighted(self._rows(place, room))
        self.left -= 1
        self._jumped = False
        s = row.draw(self, place)
        source.end()
        return s

    def _rows(self, place: Slot, room: int) -> "Table[Construct]":
        """What may stand here; a table is kept for each combination of what decides it."""
        in_loop, may_return, nesting, may_continue = place
        blocks = 0 if nesting <= 0 or room < 2 else 1 if room < 4 else 2  # neither, `if`, or `loop` too
        key = in_loop | may_return << 1 | may_continue << 2 | self._calls << 3 | self._writes << 4 | blocks << 5
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = _rows_for(self.profile.weights, place, self._calls, self._writes, room)
        return table

    # ---------------------------------------------------------------------------------------------- constructs

    def if_(self, place: Slot) -> Stmt:
        """`if (e) {ss1} else {ss2}`, often with a jump at the end of a branch: jumps under a condition matter most."""
        profile = self.profile
        condition = self.expressions.condition(profile.depth)
        jumps = self._jumps(place)
        if place.in_loop and jumps is not None and self.source.percent(profile.both_jump):
            return self._fork(condition, place, jumps)
        then = self.branch(place.inside(), jumps, 1)
        orelse: Block = ()
        if self.source.percent(profile.elses):
            alone = place.nesting > 2 and self.left > 2 and self.source.percent(profile.else_ifs)
            orelse = (self.if_(place.inside()),) if alone else self.branch(place.inside(), jumps, 0)
        self._jumped = False
        self._due = self.source.percent(profile.followed_ifs)
        return If(condition, then, orelse)

    def _fork(self, condition: Expr, place: Slot, jumps: "Table[Construct]") -> Stmt:
        """An `if` whose branches both end with a jump."""
        then = self._jumping(place.inside(), jumps)
        orelse = self._jumping(place.inside(), jumps)
        self._jumped = True
        return If(condition, then, orelse)

    def branch(self, place: Slot, jumps: "Table[Construct] | None", least: int) -> Block:
        """A branch of an `if`."""
        profile = self.profile
        rate = profile.branch_jumps if place.in_loop else profile.branch_jumps * profile.jumps_outside // 100
        if jumps is not None and self.source.percent(rate):
            return self._jumping(place, jumps)
        return self.block(place, least, 8)

    def _jumping(self, place: Slot, jumps: "Table[Construct]") -> Block:
        """A short branch that ends with a jump."""
        if self.source.percent(self.payloads):
            self.left -= 2
            self._payload = self.source.pick(self.assignable)
            return (self.carrier(self._payload), self.source.weighted(jumps).draw(self, place))
        ss = self.block(place, 0, 3)
        if ss and self._jumped and not self.source.percent(self.profile.dead_code):
            return ss
        self.left -= 1
        return (*ss, self.source.weighted(jumps).draw(self, place))

    def _jumps(self, place: Slot) -> "Table[Construct] | None":
        return _jumps_for(self.profile.jumps, place.in_loop, place.may_continue, place.may_return)

    def loop(self, place: Slot) -> Stmt:
        """A loop that can be left."""
        id = self.fresh_id()
        if self.source.percent(self.profile.headed_loops):
            s: Stmt = headed_loop(self, id, place, lambda inner: self.block(inner, 0, 8))
        elif self.source.percent(self.profile.leaving_loops):
            s = self._left_by_body(id, place)
        else:
            s = self._iterating(id, place)
        self._jumped = False
        self._due = self.source.percent(self.profile.followed)
        return s

    def _left_by_body(self, id: int, place: Slot) -> Stmt:
        """A loop whose body breaks or returns on all paths, so that nothing reaches its `continuing`."""
        inner = Slot(True, place.may_return, place.nesting - 1, False)
        ss = self.block(inner, 0, 4)
        jumps = self._jumps(inner) or _jumps_for(JUMPS, True, False, place.may_return)
        assert jumps is not None, "any loop can be left by a break"
        self.left -= 2
        if inner.nesting > 0 and self.source.percent(75):
            last = self._fork(self.expressions.condition(self.profile.depth), inner, jumps)
        else:
            last = self.source.weighted(jumps).draw(self, inner)
        body = (*ss, last, Continue(self.fresh_id()))
        return Loop(id, body, self._continuing(place, None, guard=False))

    def _iterating(self, id: int, place: Slot) -> Stmt:
        """Any loop; many count a local up to a bound, so that their execution may end."""
        profile = self.profile
        inner = Slot(True, place.may_return, place.nesting - 1, True)
        counter = self._counter() if self.source.percent(profile.counters) else None
        body = list(self.block(inner, 0, 12))
        guard_in_body = counter is not None and self.source.percent(profile.counters_in_body)
        if counter is not None and guard_in_body:
            position = self.source.integer(0, len(body))
            body.insert(position, If(self.reached(counter), (Break(),), ()))
            self.left -= 2
        body.append(Continue(self.fresh_id()))
        continuing = self._continuing(place, counter, guard=counter is not None and not guard_in_body)
        self.left -= 1
        s = Loop(id, tuple(body), continuing)
        return self.left_somehow(s, may_return=place.may_return)

    def left_somehow(self, s: Loop, *, may_return: bool) -> Loop:
        """The loop `s`, with a way out of it if nothing leaves it."""
        left_at_end = s.continuing and is_break_if(s.continuing[-1])
        if left_at_end or BehaviourAnalysis().statement(s):
            return s
        if may_return and self.source.percent(self.profile.return_exits):
            self.left -= 2
            way_out = If(self.expressions.condition(2), (self.return_(Slot(True, True, 0)),), ())
            return Loop(s.id, (way_out, *s.body), s.continuing)
        return Loop(s.id, s.body, (*s.continuing, self._break_if(None)))

    def _continuing(self, place: Slot, counter: Variable | None, *, guard: bool) -> Block:
        inner = Slot(in_loop=False, may_return=False, nesting=place.nesting - 1)
        ss = self.block(inner, 0, 6) if self.source.percent(self.profile.continuings) else ()
        if counter is not None:
            step = Binary("+", Local(counter.name, Type.U32), Literal(1, Type.U32))
            ss = (*ss, Assign(counter.name, step))
            self.left -= 1
        if guard or self.source.percent(self.profile.break_ifs):
            ss = (*ss, self._break_if(counter if guard else None))
        return ss

    def _break_if(self, counter: Variable | None) -> Stmt:
        self.left -= 2
        condition = self.expressions.condition(2) if counter is None else self.reached(counter)
        return If(condition, (Break(),), ())

    def _counter(self) -> Variable | None:
        counters = [v for v in self.assignable if v.type is Type.U32]
        if not counters:
            return None
        counter = self.source.pick(counters)
        self.expressions.used.add(counter.name)
        return counter


ROWS: dict[str, Construct] = {
    "assign": Construct(1, lambda _: True, StatementDrawer.assign),
    "barrier": Construct(1, lambda _: True, StatementDrawer.barrier),
    "shared": Construct(1, lambda _: True, StatementDrawer.shared),
    "call": Construct(1, lambda _: True, StatementDrawer.call),
    "if": Construct(2, lambda at: at.nesting > 0, StatementDrawer.if_),
    "loop": Construct(4, lambda at: at.nesting > 0, StatementDrawer.loop),
    "break": Construct(1, lambda at: at.in_loop, StatementDrawer.break_),
    "continue": Construct(1, lambda at: at.may_continue, StatementDrawer.continue_),
    "return": Construct(1, lambda at: at.may_return, StatementDrawer.return_),
}


@lru_cache(maxsize=64)
def _tables_of(weights: Weights) -> dict[int, Table[Construct]]:  # noqa: ARG001
    """The tables of `weights` drawn from so far, by the key of `StatementDrawer._rows`."""
    return {}


def _rows_for(weights: Weights, place: Slot, callable_: bool, arrays: bool, room: int) -> Table[Construct]:
    absent = {name for name, there in (("call", callable_), ("shared", arrays)) if not there}
    return Table(
        [
            (ROWS[name], weight)
            for name, weight in weights
            if ROWS[name].allowed(place) and ROWS[name].least <= room and name not in absent
        ]
    )


@lru_cache(maxsize=1024)
def _jumps_for(jumps: Weights, in_loop: bool, may_continue: bool, may_return: bool) -> Table[Construct] | None:
    place = Slot(in_loop, may_return, 0, may_continue)
    allowed = [(ROWS[name], weight) for name, weight in jumps if weight > 0 and ROWS[name].allowed(place)]
    return Table(allowed) if allowed else None
