"""The rows of loops: `for`, `while`, `loop` with `continuing` and `break if`. Most count, so that their runs end.

What a `continuing` uses of the loop's body must be declared before any `continue`: it sees nothing of the body here,
but where no `continue` can be in the body.
"""

from wgsl_fuzz.strategies.choices.source import Odds
from wgsl_fuzz.strategies.generate.tiny.drawer import Drawer, Site, StatementRow
from wgsl_fuzz.strategies.generate.tiny.environment import Name
from wgsl_fuzz.strategies.generate.tiny.statements import Drawn, declare_variable, nests
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BREAK, RETURN
from wgsl_fuzz.wgsl.types import I32, U32, Scalar

Update = w.Assign | w.Increment | w.CallStatement | w.Phony | None
"""What the head of a `for` may have last."""
_IN_HEADS = frozenset({"assign", "update", "increment", "call", "phony"})

_STEPS = Odds([("up", 3), ("down", 1)])


class Counter:
    """A variable that counts a loop, up to a bound or down to nothing."""

    def __init__(self, drawer: Drawer) -> None:
        source = drawer.source
        self.drawer = drawer
        self.type: Scalar = source.pick((U32, U32, I32))
        self.up = source.weighted(_STEPS) == "up"
        steady = source.percent(85)
        self.name = Name(drawer.local("i"), self.type, is_written=not steady)

    def number(self, value: int) -> w.Literal:
        """A literal of the counter's type."""
        return w.Literal(f"{value}{self.type.name[0]}")

    def declaration(self) -> w.Variable:
        """`var i = 0u;`"""
        first = self.number(0 if self.up else self.drawer.source.integer(1, 4))
        written = self.drawer.type_name(self.type) if self.drawer.source.percent(30) else None
        return w.Variable(self.name.name, written, first)

    def bound(self) -> w.Expression:
        """Where it stops: a literal, or any value."""
        if self.up and self.drawer.source.percent(25):
            return self.drawer.expression(self.type, 1)
        return self.number(self.drawer.source.integer(1, 4) if self.up else 0)

    def goes_on(self) -> w.Expression:
        """`i < 4u`."""
        return w.Binary("<" if self.up else ">", w.Identifier(self.name.name), self.bound())

    def is_done(self) -> w.Expression:
        """`i >= 4u`."""
        return w.Binary(">=" if self.up else "<=", w.Identifier(self.name.name), self.bound())

    def step(self) -> w.Increment | w.Assign:
        """`i++`, `i += 1u` or `i = i + 1u`."""
        operator = "+" if self.up else "-"
        form = self.drawer.source.integer(0, 3)
        if form <= 1:
            return w.Increment(operator * 2, w.Identifier(self.name.name))
        if form == 2:
            return w.Assign(f"{operator}=", w.Identifier(self.name.name), self.number(1))
        one = w.Binary(operator, w.Identifier(self.name.name), self.number(1))
        return w.Assign("=", w.Identifier(self.name.name), one)


def _inside(place: Site) -> Site:
    return Site(place.nesting - 1, place.may_return, may_break=True, may_continue=True)


def _in_continuing(place: Site) -> Site:
    return Site(place.nesting - 1)


def _body(drawer: Drawer, place: Site) -> w.Block:
    """The body of a loop that stands at a place."""
    drawer.env.enter()
    statements = drawer.statements(_inside(place), 0, 10)
    drawer.env.leave()
    return w.Block(tuple(statements))


def for_(drawer: Drawer, place: Site) -> Drawn:
    """`for (var i = 0u; i < 4u; i++) { }`, any part of which may be missing."""
    source = drawer.source
    if not source.percent(drawer.profile.counters):
        return _free_for(drawer, place)
    drawer.env.enter()
    counter = Counter(drawer)
    initial = counter.declaration()
    outside = source.percent(15)
    drawer.env.declare(counter.name)
    condition = counter.goes_on()
    update: Update = counter.step()
    at_end: tuple[w.Statement, ...] = ()
    if source.percent(20):
        at_end = (counter.step(),)
        update = _simple(drawer, place) if source.percent(50) else None
    drawer.left -= 1
    body = _body(drawer, place)
    if at_end:
        body = w.Block((*body.statements, *at_end))
    drawer.env.leave()
    drawer.jumped = False
    loop = w.For(None if outside else initial, condition, update, body)
    return (initial, loop) if outside else (loop,)


def _free_for(drawer: Drawer, place: Site) -> Drawn:
    """A `for` of any condition, often of what its update changes."""
    source = drawer.source
    drawer.env.enter()
    initial: w.Variable | w.Let | Update = None
    if source.percent(60):
        initial = declare_variable(drawer, drawer.type()) if source.percent(60) else _simple(drawer, place)
    update = _simple(drawer, place) if source.percent(70) else None
    condition = drawer.condition(2) if source.percent(75) else None
    drawer.left -= 1
    body = _body(drawer, place)
    if condition is None:
        body = left_somehow(drawer, body, place)
    drawer.env.leave()
    drawer.jumped = False
    return (w.For(initial, condition, update, body),)


def _simple(drawer: Drawer, place: Site) -> Update:
    """A statement for the head of a `for` that declares nothing."""
    rows = drawer.weighed([row for row in drawer.rows.statements if row.name in _IN_HEADS])
    known = len(drawer.env.names)
    found = drawer.source.pick(rows)[0].draw(drawer, place) if rows else ()
    if len(found) == 1 and isinstance(found[0], w.Assign | w.Increment | w.CallStatement | w.Phony):
        return found[0]
    drawer.env.truncate(known)
    return None


def while_(drawer: Drawer, place: Site) -> Drawn:
    """`while e { }`."""
    source = drawer.source
    if not source.percent(drawer.profile.counters):
        condition = drawer.condition(2)
        body = _body(drawer, place)
        drawer.jumped = False
        return (w.While(condition, body),)
    counter = Counter(drawer)
    initial = counter.declaration()
    drawer.env.declare(counter.name)
    condition = counter.goes_on()
    body = _body(drawer, place)
    drawer.left -= 2
    at = source.integer(0, 1) * len(body.statements)
    body = w.Block((*body.statements[:at], counter.step(), *body.statements[at:]))
    drawer.jumped = False
    return (initial, w.While(condition, body))


def loop(drawer: Drawer, place: Site) -> Drawn:
    """`loop { continuing { break if e; } }`."""
    source = drawer.source
    counter = Counter(drawer) if source.percent(drawer.profile.counters) else None
    before: list[w.Statement] = []
    if counter is not None:
        before.append(counter.declaration())
        drawer.env.declare(counter.name)
        drawer.left -= 2
    drawer.env.enter()
    continues = source.percent(70)
    outer = len(drawer.env.names)
    statements = drawer.statements(_inside(place)._replace(may_continue=continues), 0, 10)
    in_body = counter is not None and source.percent(50)
    if continues or in_body:
        drawer.env.truncate(outer)
    if counter is not None and in_body:
        at = source.integer(0, len(statements))
        statements.insert(at, w.If(counter.is_done(), w.Block((w.Break(),))))
    continuing = _continuing(drawer, place, counter, guard=counter is not None and not in_body)
    drawer.env.leave()
    body = w.Block(tuple(statements))
    if continuing is None or not _breaks(continuing):
        body = left_somehow(drawer, body, place)
    drawer.jumped = False
    return (*before, w.Loop(body, continuing))


def _continuing(drawer: Drawer, place: Site, counter: Counter | None, *, guard: bool) -> w.Block | None:
    source = drawer.source
    drawer.env.enter()
    statements = drawer.statements(_in_continuing(place), 0, 6) if source.percent(45) else []
    if counter is not None:
        statements.append(counter.step())
    if guard or source.percent(20):
        drawer.left -= 1
        if drawer.newest and source.percent(5):
            statements.append(w.Empty())
        done = counter.is_done() if counter is not None and guard else drawer.condition(2)
        statements.append(w.BreakIf(done))
    drawer.env.leave()
    return w.Block(tuple(statements)) if statements or source.percent(10) else None


def _breaks(continuing: w.Block) -> bool:
    return bool(continuing.statements) and isinstance(continuing.statements[-1], w.BreakIf)


def left_somehow(drawer: Drawer, body: w.Block, place: Site) -> w.Block:
    """The body of a loop that nothing else leaves, with a way out of it if it has none."""
    behaviour = drawer.behaviour(body)
    if behaviour & (BREAK | RETURN):
        return body
    drawer.left -= 1
    returns = place.may_return and drawer.source.percent(25)
    exit = drawer.return_() if returns else w.Break()
    return w.Block((w.If(drawer.condition(2), w.Block((exit,))), *body.statements))


LOOPS = (
    StatementRow("for", 12, for_, 4, nests),
    StatementRow("while", 8, while_, 4, nests),
    StatementRow("loop", 18, loop, 4, nests),
)
