"""Motifs of control flow: jumps that only some invocations make, in loops of every form, and what they leave behind.

Names say what decides if all around is uniform. Rates alone seldom give such shapes: several statements must meet.
"""

from collections.abc import Callable, Sequence

from wgsl_fuzz.strategies.choices.source import Table
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.environment import Name
from wgsl_fuzz.strategies.generate.loops import Counter, Update, left_somehow
from wgsl_fuzz.strategies.generate.profile import Place, StatementRow
from wgsl_fuzz.strategies.generate.statements import call_of, declare_variable
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import words
from wgsl_fuzz.wgsl.types import BOOL, I32, U32, Scalar

Drawn = Sequence[w.Statement]
Body = Callable[[Place], list[w.Statement]]

_KINDS = Table([("continue", 3), ("break", 2), ("return", 1)])
_OUT = Table([("break", 4), ("continue", 2), ("return", 1)])
_TAILS = Table([("", 5), ("break", 2), ("return", 3)])
_FORMS = Table([("loop", 5), ("for", 2), ("while", 1)])
_SIMPLE = words("empty const-assert const phony let var increment assign update call atomic-statement pointer-let")
_TYPES = Table([(U32, 4), (I32, 1), (BOOL, 2)])


class Motif:
    """The parts of one motif, drawn where it stands. `x` is its variable, declared before all."""

    def __init__(self, drawer: Drawer, place: Place) -> None:
        self.drawer = drawer
        self.source = drawer.source
        self.place = place
        self.calm = self.source.percent(40 if drawer.dose else drawer.profile.calm)
        """Whether nothing in it is non-uniform, unless its surroundings are."""
        self.core_form = self.source.percent(45 if drawer.profile.core else 0)
        """Whether it takes the form that only modules with a core have, if it has one."""
        self.type: Scalar = self.source.weighted(_TYPES)
        self.before: list[w.Statement] = [declare_variable(drawer, self.type, drawer.literal(self.type))]
        self.x: Name = drawer.env.names[-1]

    # ------------------------------------------------------------------------------------------------------- parts

    def uniform(self) -> w.Expression:
        """A condition with no more of the sources of non-uniformity than any other."""
        return self.drawer.condition(2)

    def varying(self) -> w.Expression:
        """A condition on a source of non-uniformity, if there is one in scope."""
        type = self.source.pick((U32, U32, I32, BOOL))
        e = None if self.calm else self.drawer.carried(type)
        return self.uniform() if e is None else self.drawer.compared(e, type)

    def padding(self, place: Place) -> list[w.Statement]:
        """Up to two statements in a block of their own or none, none of which jumps out."""
        if not self.source.percent(40):
            return []
        inner = Place(min(1, max(0, place.nesting - 2)), in_continuing=place.in_continuing)
        return [self.drawer.block(inner, 1, 2)]

    def between(self, place: Place) -> list[w.Statement]:
        """At most one statement of any simple kind, behind which control flow is as before it."""
        rows = [row for row in self.drawer.rows.statements if row.name in _SIMPLE and self.drawer.is_drawn(row.name)]
        return list(self.source.pick(rows).draw(self.drawer, place)) if self.source.percent(45) else []

    def trigger(self, place: Place) -> list[w.Statement]:
        """What needs uniform control flow, in a scope of its own."""
        self.drawer.env.enter()
        found = self.drawer.trigger(place)
        self.drawer.env.leave()
        return [w.Block(tuple(found))] if any(isinstance(s, w.Let) for s in found) else list(found)

    def guarded(self, place: Place) -> list[w.Statement]:
        """A trigger that depends on the variable."""
        condition = self.drawer.compared(w.Identifier(self.x.name), self.type)
        return [w.If(condition, w.Block(tuple(self.trigger(place))))]

    def carried(self) -> w.Statement:
        """The variable gets a source of non-uniformity."""
        value = None if self.calm else self.drawer.carried(self.type)
        value = value or self.drawer.expression(self.type, 1)
        return w.Assign("=", w.Identifier(self.x.name), value)

    def under(self, condition: w.Expression, *statements: w.Statement) -> w.Statement:
        """The statements in a branch: of an `if`, or of a `switch` where they do not break."""
        block = w.Block(statements)
        form = self.source.integer(0, 9)
        if form == 9 and self.drawer.is_drawn("switch") and not any(isinstance(s, w.Break) for s in statements):
            selector = w.Call(w.Identifier("u32"), (condition,))
            return w.Switch(selector, (w.Clause((w.Literal("1u"),), block), w.Clause((), w.Block(()))))
        return w.If(condition, w.Block(()), block) if form >= 7 else w.If(condition, block)

    def inside(self, condition: w.Expression, draw: Callable[[], Drawn]) -> w.Statement:
        """What is drawn, in a branch."""
        self.drawer.env.enter()
        found = draw()
        self.drawer.env.leave()
        return self.under(condition, *found)

    def jump(self, kind: str, place: Place) -> w.Statement:
        """The jump, or a `break` where that one is not legal."""
        if kind == "continue" and place.may_continue:
            return w.Continue()
        return self.drawer.return_() if kind == "return" and place.may_return else w.Break()

    def loop(self, body: Body, update: Callable[[], w.Statement | None] = lambda: None) -> list[w.Statement]:
        """A loop of any form with this body, and what happens at the end of each round; many count rounds."""
        drawer, place = self.drawer, self.place
        form = self.source.weighted(_FORMS)
        counter = Counter(drawer) if self.source.percent(drawer.profile.counters) else None
        before: list[w.Statement] = []
        condition: w.Expression | None = None
        if counter is not None:
            before.append(counter.declaration())
            drawer.env.declare(counter.name)
            condition = counter.goes_on() if form != "loop" else None
        elif form == "while" or (form == "for" and self.source.percent(60)):
            condition = self.uniform()
        drawer.env.enter()
        block = w.Block(tuple(body(Place(place.nesting - 1, place.may_return, may_break=True, may_continue=True))))
        drawer.env.leave()
        last = update()
        done = w.BreakIf(counter.is_done()) if counter is not None and form == "loop" else None
        if condition is None and done is None:
            block = left_somehow(drawer, block, place)
        step = None if counter is None else counter.step()
        if form == "loop":
            end = tuple([s for s in (last, step, done) if s is not None])
            return [*before, w.Loop(block, w.Block(end) if end else None)]
        return [*before, _headed(form, condition, block, last, step)]


def _headed(
    form: str, condition: w.Expression | None, block: w.Block, last: w.Statement | None, step: Update
) -> w.Statement:
    """A `for` or `while`; what ends a round stands in the head of a `for` if it can."""
    if form == "while":
        assert condition is not None, "a while has a condition"
        first = () if step is None else (step,)
        return w.While(condition, w.Block((*first, *block.statements, *(() if last is None else (last,)))))
    if step is None and isinstance(last, w.Assign):
        return w.For(None, condition, last, block)
    return w.For(None, condition, step, block if last is None else w.Block((*block.statements, last)))


def uneven_jump(m: Motif) -> list[w.Statement]:
    """Some invocations jump within a loop, and a trigger is ahead, or reached by the next round."""
    kind = m.source.weighted(_KINDS)

    def body(inner: Place) -> list[w.Statement]:
        first = m.source.percent(40)
        found = m.trigger(inner) if first else m.padding(inner)
        found.append(m.under(m.varying(), *m.padding(inner), m.jump(kind, inner)))
        found += m.between(inner) if first else [*m.between(inner), *m.trigger(inner)]
        if m.source.percent(40):
            found.append(m.under(m.uniform(), m.jump("break", inner)))
        return found

    return m.loop(body)


def left_unevenly(m: Motif) -> list[w.Statement]:
    """Some invocations leave a loop by another way than the others, and all go on behind it."""
    uneven, tail = m.source.percent(80), m.source.weighted(_TAILS)

    def body(inner: Place) -> list[w.Statement]:
        exits = [m.under(m.varying(), m.jump("return" if uneven else "break", inner))]
        if m.source.percent(60):
            exits.insert(m.source.integer(0, 1), m.under(m.uniform(), w.Break()))
        last = [m.jump(tail, inner)] if tail else []
        return [*m.padding(inner), *exits, *m.padding(inner), *last]

    if tail == "return" and m.place.may_return and m.source.percent(70):
        return [m.inside(m.uniform(), lambda: m.loop(body)), *m.trigger(m.place)]
    return [*m.loop(body), *m.between(m.place), *m.trigger(m.place)]


def handed_on(m: Motif) -> list[w.Statement]:
    """A `break` or `continue` takes a variable out of a loop, or into its next round."""

    def body(inner: Place) -> list[w.Statement]:
        out = (m.carried(), m.jump(m.source.weighted(_OUT), inner))
        if m.source.percent(20):
            return [w.If(m.uniform(), w.Block(out), w.Block((*m.padding(inner), m.jump("return", inner))))]
        exits = [m.under(m.uniform(), *out)]
        if m.source.percent(70):
            leaves = m.under(m.uniform(), *m.padding(inner), m.jump("return", inner))
            exits.insert(m.source.integer(0, 1), leaves)
        if m.source.percent(40):
            exits.append(w.Assign("=", w.Identifier(m.x.name), m.drawer.literal(m.type)))
        return [*m.padding(inner), *exits]

    at_end = m.source.percent(25)
    return [*m.loop(body, lambda: m.guarded(m.place)[0] if at_end else None), *m.guarded(m.place)]


def uneven_end(m: Motif) -> list[w.Statement]:
    """Only some invocations go on with another round, by `break if`."""
    m.drawer.env.enter()
    inner = Place(m.place.nesting - 1, m.place.may_return, may_break=True, may_continue=True)
    body = m.trigger(inner) if m.source.percent(60) else m.padding(inner)
    if m.source.percent(40):
        body.append(m.under(m.uniform(), m.jump(m.source.weighted(_KINDS), inner)))
    m.drawer.env.leave()
    last = [m.carried()] if m.core_form else m.guarded(inner) if m.source.percent(20) else []
    done = m.uniform() if m.core_form else m.varying()
    loop = w.Loop(w.Block(tuple(body)), w.Block((*last, w.BreakIf(done))))
    return [loop, *(m.trigger(m.place) if m.source.percent(50) else m.guarded(m.place))]


def once(m: Motif) -> list[w.Statement]:
    """A loop that its body always leaves, some invocations earlier: no invocation is in a second round."""

    def body(inner: Place) -> list[w.Statement]:
        found = m.trigger(inner) if m.source.percent(70) else m.guarded(inner)
        kinds = ("break", "return")
        if m.core_form or m.source.percent(30):
            found.append(m.carried())
        found.append(m.under(m.uniform() if m.core_form else m.varying(), m.jump(m.source.pick(kinds), inner)))
        return [*found, *m.between(inner), m.jump(m.source.pick(kinds), inner)]

    loop = m.loop(body, lambda: m.guarded(m.place)[0] if m.source.percent(40) else None)
    return [*loop, *(m.guarded(m.place) if m.core_form else ())]


def unreached(m: Motif) -> list[w.Statement]:
    """A loop that nothing but a `return` leaves: what is behind it, and the end of a loop around it, is not reached."""
    place = m.place
    if not place.may_return:
        return left_unevenly(m)
    inner = Place(max(0, place.nesting - 2), may_return=True, may_break=True, may_continue=True)
    if m.source.percent(25):
        left = w.Loop(w.Block((*m.padding(inner), m.drawer.return_())), w.Block((w.BreakIf(m.uniform()),)))
        behind = m.inside(m.varying(), lambda: m.trigger(place))
        return [w.If(m.uniform(), w.Block((left, behind)))] if m.source.percent(50) else [left, behind]
    leaves = m.under(m.varying(), m.drawer.return_())
    if m.core_form:
        ends = (m.drawer.return_(),) if m.source.percent(60) else ()
        return [w.If(m.uniform(), w.Block((w.Loop(w.Block((leaves, *ends))),))), *m.trigger(place)]
    endless: w.Statement = w.Loop(w.Block((*m.padding(inner), leaves)))
    if m.source.percent(50):
        outer = w.Loop(w.Block((*m.padding(inner), endless)), w.Block(tuple(m.trigger(place))))
        return [w.If(m.uniform(), w.Block((outer,)))]
    return [
        w.If(m.uniform(), w.Block((endless, *m.trigger(place)))),
        *(m.trigger(place) if m.source.percent(30) else ()),
    ]


def carried_round(m: Motif) -> list[w.Statement]:
    """What one round assigns, or the end of each does, decides a jump or a trigger of the next."""
    at_end = m.source.percent(50)

    def body(inner: Place) -> list[w.Statement]:
        found = m.padding(inner)
        if m.source.percent(40):
            found += m.guarded(inner)
        else:
            asked = m.drawer.compared(w.Identifier(m.x.name), m.type)
            found.append(m.under(asked, m.jump(m.source.weighted(_KINDS), inner)))
            found += m.trigger(inner)
        if m.source.percent(30):
            found.append(m.under(m.uniform(), m.jump("continue", inner)))
        return found if at_end else [*found, m.carried()]

    return m.loop(body, lambda: m.carried() if at_end else None)


def jump_in_branch(m: Motif) -> list[w.Statement]:
    """Some invocations jump in one branch of an `if` or `switch` that all take."""

    def fork(inner: Place, kind: str) -> list[w.Statement]:
        jumping = (*m.padding(inner), m.under(m.varying(), m.jump(kind, inner)))
        if m.source.percent(40):
            jumping = (
                *jumping,
                m.jump(m.source.pick((kind, "break", "return") if inner.may_break else (kind,)), inner),
            )
        other = tuple(m.padding(inner))
        sides = (other, jumping) if m.source.percent(50) else (jumping, other)
        return [w.If(m.uniform(), w.Block(sides[0]), w.Block(sides[1])), *m.trigger(inner)]

    if m.place.may_return and m.source.percent(40):
        return fork(m.place, "return")
    return m.loop(lambda inner: fork(inner, m.source.weighted(_KINDS)))


def lost_assignment(m: Motif) -> list[w.Statement]:
    """An assignment before a jump does not get behind the `if` or clause, or does if only some jump."""

    def body(inner: Place) -> list[w.Statement]:
        kind = "return" if not inner.may_break or m.source.percent(50) else m.source.weighted(_KINDS)
        lost: tuple[w.Statement, ...] = (m.carried(), m.jump(kind, inner))
        if m.source.percent(30):
            lost = (lost[0], m.under(m.uniform(), lost[1]))
        if m.source.percent(40):
            return [w.If(m.uniform(), w.Block(tuple(m.padding(inner))), w.Block(lost)), *m.guarded(inner)]
        return [*m.padding(inner), m.under(m.uniform(), *lost), *m.guarded(inner)]

    if m.place.may_return and m.source.percent(50):
        return body(m.place)
    return [*m.loop(body), *(m.guarded(m.place) if m.source.percent(30) else ())]


def assigned_under(m: Motif) -> list[w.Statement]:
    """Some invocations assign what all could have: a constant, or what a function gives."""
    condition = m.varying()
    callees = m.drawer.callees(m.type)
    value = m.drawer.call(m.source.pick(callees)) if callees and m.source.percent(60) else None
    assigns = w.Assign("=", w.Identifier(m.x.name), value or m.drawer.leaf(m.type))
    if value is None and m.source.percent(30):
        return [m.inside(condition, lambda: m.loop(lambda _: [assigns, w.Break()])), *m.guarded(m.place)]
    return [m.under(condition, assigns), *m.guarded(m.place)]


def called_under(m: Motif) -> list[w.Statement]:
    """Some invocations call a function: what it demands of the control flow of its calls."""
    condition = m.varying()
    callees = m.drawer.callees(None)
    return [m.inside(condition, lambda: call_of(m.drawer, m.source.pick(callees)) if callees else m.trigger(m.place))]


def loop_in_branch(m: Motif) -> list[w.Statement]:
    """A loop that only some invocations enter, all of which go on behind it."""
    condition = m.varying()

    def body(inner: Place) -> list[w.Statement]:
        exits = [m.under(m.uniform(), m.jump(kind, inner)) for kind in ("break", "continue") if m.source.percent(45)]
        return [*(m.trigger(inner) if m.source.percent(35) else m.padding(inner)), *exits]

    return [m.inside(condition, lambda: m.loop(body)), *m.trigger(m.place)]


def returned_under(m: Motif) -> list[w.Statement]:
    """Some invocations return here and the others later, whatever they return."""
    condition = m.varying()
    return [m.under(condition, *m.padding(m.place), m.jump("return", m.place))]


def switched(m: Motif) -> list[w.Statement]:
    """Clauses that assign, break, return or fall to the end: what is behind a `switch`."""
    clauses: list[w.Clause] = []
    inner = m.place.inside()._replace(may_break=True)
    count = m.source.integer(2, 3)
    default = m.source.integer(0, count - 1)
    for i in range(count):
        found: list[w.Statement] = [m.carried()] if m.source.percent(40) else []
        kind = m.source.pick(("", "break", "some-break", "return", "some-return"))
        if kind in ("break", "return"):
            found.append(m.jump(kind, inner))
        elif kind:
            condition = m.varying() if m.source.percent(50) else m.uniform()
            found.append(w.If(condition, w.Block((m.jump(kind.removeprefix("some-"), inner),))))
        if m.source.percent(30):
            found.append(w.Assign("=", w.Identifier(m.x.name), m.drawer.literal(m.type)))
        selectors = () if i == default else (w.Literal(f"{i}u"),)
        clauses.append(w.Clause(selectors, w.Block(tuple(found))))
    selector = m.drawer.expression(U32, 1)
    last = m.guarded(m.place) if m.source.percent(60) else m.trigger(m.place)
    return [w.Switch(selector, tuple(clauses)), *last]


def _row(draw: Callable[[Motif], list[w.Statement]], weight: int) -> StatementRow[Drawer]:
    def drawn(drawer: Drawer, place: Place) -> Drawn:
        motif = Motif(drawer, place)
        found = draw(motif)
        drawer.left -= 5
        return (*motif.before, *found)

    return StatementRow(draw.__name__.replace("_", "-"), weight, drawn, 5, lambda place: place.nesting > 0)


FLOW: tuple[StatementRow[Drawer], ...] = (
    _row(uneven_jump, 2),
    _row(left_unevenly, 2),
    _row(handed_on, 3),
    _row(uneven_end, 2),
    _row(once, 1),
    _row(unreached, 2),
    _row(carried_round, 2),
    _row(jump_in_branch, 2),
    _row(lost_assignment, 3),
    _row(assigned_under, 2),
    _row(loop_in_branch, 2),
    _row(called_under, 1),
    _row(switched, 2),
)

IN_CALLEES: tuple[StatementRow[Drawer], ...] = (_row(returned_under, 4),)
