"""Motifs: arrangements of statements that one branch of the rules decides, if all around them is uniform.

Each is a shape with drawn parts, near to what tells one broken rule from the paper's. Rates alone give such shapes
once in thousands of shaders, because several statements must meet. Names say which lines of the rules decide.
"""

from collections.abc import Callable
from types import MappingProxyType

from wgsl_fuzz.strategies.choices.places import Slot
from wgsl_fuzz.strategies.choices.source import Table
from wgsl_fuzz.strategies.generate.statements import StatementDrawer
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Block,
    Break,
    Continue,
    Expr,
    If,
    Literal,
    Local,
    Loop,
    Return,
    Stmt,
    Variable,
)

_KINDS = Table([("continue", 3), ("break", 1), ("return", 1)])
_TAILS = Table([("", 5), ("break", 2), ("return", 3)])


class MotifDrawer:
    """Draws motifs with the choices, variables and IDs of a drawer of statements."""

    def __init__(self, drawer: StatementDrawer) -> None:
        self.drawer = drawer
        self.source = drawer.source

    def motif(self, name: str, place: Slot) -> Block:
        """The statements of the motif `name`, some under a condition; `place` is in no loop."""
        wrapped = self.source.percent(25)
        condition = self.uniform() if wrapped else None
        ss = tuple(MOTIFS[name](self, place))
        return ss if condition is None else (If(condition, ss, ()),)

    # ----------------------------------------------------------------------------------------------------- parts

    def uniform(self) -> Expr:
        """A condition with no more of the sources of non-uniformity than any other."""
        return self.drawer.expressions.condition(2)

    def varying(self) -> Expr:
        """A condition that is not uniform, if anything can be."""
        return self.drawer.expressions.varying() or self.uniform()

    def padding(self, place: Slot) -> Block:
        """Up to two statements, none of which jumps."""
        return self.drawer.block(Slot(False, False, max(0, min(1, place.nesting - 2))), 0, 2)

    def under(self, condition: Expr, *ss: Stmt) -> Stmt:
        """The statements in a branch."""
        return If(condition, (), ss) if self.source.percent(20) else If(condition, ss, ())

    def barrier(self) -> Stmt:
        self.drawer.barriers += 1
        return Barrier(self.drawer.fresh_id())

    def guarded(self, v: Variable) -> Stmt:
        """A barrier that depends on `v`."""
        return If(self.drawer.expressions.guard(v), (self.barrier(),), ())

    def variable(self) -> Variable:
        return self.source.pick(self.drawer.assignable)

    def jump(self, kind: str, place: Slot) -> Stmt:
        """The jump, or a `break` where `return` is not legal."""
        if kind == "continue":
            return Continue(self.drawer.fresh_id())
        return self.drawer.return_(place) if kind == "return" and place.may_return else Break()

    def loop(self, place: Slot, body: Callable[[Slot], list[Stmt]], continuing: Callable[[], Block] = tuple) -> Loop:
        """A loop with this body, and a way out if it has none."""
        id = self.drawer.fresh_id()
        ss = body(Slot(True, place.may_return, place.nesting - 1, True))
        ss.append(Continue(self.drawer.fresh_id()))
        return self.drawer.left_somehow(Loop(id, tuple(ss), continuing()), may_return=False)

    # ---------------------------------------------------------------------------------------------------- motifs

    def handed_on(self, place: Slot) -> list[Stmt]:
        """A `break` takes a variable out of a loop that a `return` leaves too: M_exit in lines 11 to 13."""
        v = self.variable()

        def body(inner: Slot) -> list[Stmt]:
            ss = [*self.padding(inner)]
            out = (self.drawer.carrier(v), Break())
            if self.source.percent(25):
                return [*ss, If(self.uniform(), out, (*self.padding(inner), self.jump("return", inner)))]
            exits: list[Stmt] = [self.under(self.uniform(), *out)]
            if self.source.percent(80):
                leaves = self.under(self.uniform(), *self.padding(inner), self.jump("return", inner))
                exits.insert(self.source.integer(0, 1), leaves)
            return [*ss, *exits]

        return [self.loop(place, body), self.guarded(v)]

    def left_unevenly(self, place: Slot) -> list[Stmt]:
        """Some threads leave a loop by another way than the others: control flow in lines 10 to 13."""
        tail = self.source.weighted(_TAILS)
        breaks = self.source.percent(60)
        uneven = self.source.percent(80)

        def body(inner: Slot) -> list[Stmt]:
            ss = [*self.padding(inner)]
            leaves = self.under(self.varying(), self.jump("return" if uneven else "break", inner))
            exits = [leaves]
            if breaks:
                exits.insert(self.source.integer(0, 1), self.under(self.uniform(), Break()))
            ss += [*exits, *self.padding(inner)]
            return [*ss, self.jump(tail, inner)] if tail else ss

        only_returns = tail == "return" and place.may_return  # nothing behind it runs but in another branch
        s: Stmt
        if only_returns:
            condition = self.uniform()
            s = If(condition, (self.loop(place.inside(), body),), ())
        else:
            s = self.loop(place, body)
        return [s, self.barrier()]

    def uneven_jump(self, place: Slot) -> list[Stmt]:
        """Some threads jump within a loop, and a barrier is ahead or reached by the next round: lines 8 and 9."""
        kind = self.source.weighted(_KINDS)

        def body(inner: Slot) -> list[Stmt]:
            ss = [*self.padding(inner)]
            first = self.source.percent(40)
            if first:
                ss.append(self.barrier())
            ss.append(self.under(self.varying(), *self.padding(inner), self.jump(kind, inner)))
            ss += self.padding(inner)
            if not first:
                ss.append(self.barrier())
            if self.source.percent(50):
                ss.append(
                    self.under(self.uniform(), self.jump("return" if self.source.percent(30) else "break", inner))
                )
            return ss

        return [self.loop(place, body)]

    def jump_in_branch(self, place: Slot) -> list[Stmt]:
        """Some threads jump in one branch of an `if` that all take: line 9 of the rule for `if`."""

        def fork(at: Slot, kind: str) -> list[Stmt]:
            condition = self.uniform()
            mirrored = self.source.percent(40)
            other = self.padding(at) if not mirrored else ()
            jumping = (*self.padding(at), self.under(self.varying(), self.jump(kind, at)))
            if mirrored:
                s: Stmt = If(condition, jumping, self.padding(at))
            else:
                s = If(condition, other, jumping)
            return [s, self.barrier()]

        if place.may_return and self.source.percent(60):
            return fork(place, "return")
        return [self.loop(place, lambda inner: [*self.padding(inner), *fork(inner, self.source.weighted(_KINDS))])]

    def assigned_under(self, place: Slot) -> list[Stmt]:  # noqa: ARG002
        """Some threads assign what all could have: the edges of values to control flow."""
        condition = self.varying()
        if self.drawer.callees and self.source.percent(70):
            call = self.drawer.call_of(self.source.pick(self.drawer.callees))
            v = next(v for v in self.drawer.assignable if v.name == call.name)
            return [self.under(condition, call), self.guarded(v)]
        v = self.variable()
        self.drawer.expressions.used.add(v.name)
        value = self.drawer.expressions.expr(v.type, self.source.pick((0, 0, 1)))
        return [self.under(condition, Assign(v.name, value)), self.guarded(v)]

    def lost_assignment(self, place: Slot) -> list[Stmt]:
        """An assignment before a jump does not get behind the `if`: its lines 6 and 7."""
        v = self.variable()

        def fork(at: Slot) -> list[Stmt]:
            condition = self.uniform()
            mirrored = self.source.percent(70)
            before = self.padding(at) if mirrored else ()
            lost: Block = (self.drawer.carrier(v), self.jump("return", at))
            if self.source.percent(30):  # it does if only some jump
                lost = (lost[0], self.under(self.uniform(), lost[1]))
            s = If(condition, before, lost) if mirrored else If(condition, lost, self.padding(at))
            return [s, self.guarded(v)]

        if place.may_return and self.source.percent(70):
            return fork(place)
        return [self.loop(place, lambda inner: [*self.padding(inner), *fork(inner)])]

    def loop_in_branch(self, place: Slot) -> list[Stmt]:
        """A loop that only some threads enter, all of which go on behind it: Fig. 8, its last case."""
        condition = self.varying()

        def body(inner: Slot) -> list[Stmt]:
            ss = [*self.padding(inner)]
            if self.source.percent(60):
                ss.append(self.under(self.uniform(), Break()))
            if self.source.percent(30):
                ss.append(self.under(self.uniform(), self.jump("continue", inner)))
            return ss

        return [self.under(condition, self.loop(place.inside(), body)), self.barrier()]

    def unreached(self, place: Slot) -> list[Stmt]:
        """A loop that only returns, in a loop: the outer one's `continuing` is not reached (Fig. 8)."""
        condition = self.uniform()

        def inner_body(inner: Slot) -> list[Stmt]:
            return [*self.padding(inner), self.under(self.varying(), self.jump("return", inner))]

        def outer(inner: Slot) -> list[Stmt]:
            return [*self.padding(inner), self.loop(inner, inner_body)]

        return [If(condition, (self.loop(place.inside(), outer, lambda: (self.barrier(),)),), ())]

    def carried_round(self, place: Slot) -> list[Stmt]:
        """What one round assigns decides a jump of the next: line 9."""
        v = self.variable()
        last = self.source.percent(60)

        def body(inner: Slot) -> list[Stmt]:
            ss = [*self.padding(inner)]
            if first := self.source.percent(65):
                ss.append(self.barrier())
            kind = self.source.pick(("return", "break", "continue"))
            ss.append(self.under(self.drawer.expressions.guard(v), self.jump(kind, inner)))
            if not first:
                ss.append(self.barrier())
            return ss if last else [*ss, self.drawer.carrier(v)]

        return [self.loop(place, body, lambda: (self.drawer.carrier(v),) if last else ())]

    def called_under(self, place: Slot) -> list[Stmt]:  # noqa: ARG002
        """Some threads call a function: what it demands of the control flow of its calls."""
        if not self.drawer.callees:
            return [self.under(self.varying(), self.barrier())]
        condition = self.varying()
        return [self.under(condition, self.drawer.call_of(self.source.pick(self.drawer.callees)))]

    def called_with(self, place: Slot) -> list[Stmt]:  # noqa: ARG002
        """A call with one argument that is not uniform: what a function demands of it, and whether its result is."""
        if not self.drawer.callees:
            v = self.variable()
            return [self.drawer.carrier(v), self.guarded(v)]
        call = self.drawer.call_of(self.source.pick(self.drawer.callees), varying=self.source.percent(75))
        v = next(v for v in self.drawer.assignable if v.name == call.name)
        return [call, self.guarded(v)] if self.source.percent(70) else [call]

    def returned_under(self, place: Slot) -> list[Stmt]:
        """In a function: some threads return here and the others later, whatever they return."""
        condition = self.varying()
        ss = self.padding(place)
        if self.source.percent(50):
            return [self.under(condition, *ss, self.jump("return", place))]
        return [
            self.under(condition, *ss, self.jump("return", place) if self.drawer.silent else Return(self._simple()))
        ]

    def _simple(self) -> Expr:
        result = self.drawer.result
        assert result is not None, "main has no result"
        fitting = [v for v in self.drawer.assignable if v.type is result]
        if fitting and self.source.percent(40):
            v = self.source.pick(fitting)
            self.drawer.expressions.used.add(v.name)
            return Local(v.name, v.type)
        return Literal(self.source.weighted(self.drawer.expressions.of_type(result).literals), result)


def motif(drawer: StatementDrawer, names: tuple[str, ...], place: Slot) -> Block:
    """One of the motifs `names`; nothing if there are none."""
    if not names:
        return ()
    ss = MotifDrawer(drawer).motif(drawer.source.pick(names), place)
    drawer.settle()
    return ss


MOTIFS = MappingProxyType(
    {
        "handed-on": MotifDrawer.handed_on,
        "left-unevenly": MotifDrawer.left_unevenly,
        "uneven-jump": MotifDrawer.uneven_jump,
        "jump-in-branch": MotifDrawer.jump_in_branch,
        "assigned-under": MotifDrawer.assigned_under,
        "lost-assignment": MotifDrawer.lost_assignment,
        "loop-in-branch": MotifDrawer.loop_in_branch,
        "unreached": MotifDrawer.unreached,
        "carried-round": MotifDrawer.carried_round,
        "called-under": MotifDrawer.called_under,
        "called-with": MotifDrawer.called_with,
        "returned-under": MotifDrawer.returned_under,
    }
)
"""By the names that profiles have in `motifs` and `callee_motifs`."""
