"""How statements without blocks are drawn, and what is known while the statements of a function are.

Expressions, variables, IDs and what is left to draw are kept here; blocks, `if` and `loop` come in `statements`.
"""

from wgsl_fuzz.strategies.choices.places import Slot
from wgsl_fuzz.strategies.choices.profile import Profile
from wgsl_fuzz.strategies.choices.source import Source, Table
from wgsl_fuzz.strategies.generate.expressions import ORDER, ExpressionDrawer
from wgsl_fuzz.strategies.generate.updates import UPDATES, update, update_of_element
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Break,
    Call,
    Continue,
    Expr,
    Function,
    If,
    Literal,
    Local,
    Return,
    SharedAssign,
    Stmt,
    Type,
    Variable,
)

_READERS = Table([("operand", 1), ("argument", 2), ("condition", 2)])
"""What reads the result of a nested call."""
_LOGICAL = Table([("&&", 1), ("||", 1)])
"""The idioms whose surface forms few other statements show."""

NOTHING_OWED = -(10**9)
NOTHING = Literal(0, Type.U32)
"""What a function without a result returns."""


class SimpleDrawer:
    """Draws the statements of one function; `left` counts down the statements that may still be drawn."""

    def __init__(
        self, source: Source, profile: Profile, expressions: ExpressionDrawer, *, carriers: bool = False
    ) -> None:
        self.source = source
        self.profile = profile
        self.expressions = expressions
        self.carriers, self.payloads = (profile.carriers, profile.payloads) if carriers else (0, 0)
        self.callees: list[Function] = []
        self.uncalled: list[Function] = []
        self.before: list[Stmt] = []
        """What comes right before the statement drawn last."""
        self.silent = False
        """The function at hand returns nothing but 0u."""
        self.without_result: set[str] = set()
        """The names of the functions that do."""
        self.left = 0
        self.barriers = 0
        """How many were drawn so far."""
        self.owed = NOTHING_OWED
        """When so many statements are left, a barrier is due if there is none yet."""
        self._next_id = 0
        self._locals: list[Variable] = []
        self.assignable: list[Variable] = []
        self._recent: Variable | None = None  # what was assigned last
        self._payload: Variable | None = None  # what was assigned last before a jump, and no guard asked for since
        self.result: Type | None = None
        self._calls = self._writes = False  # whether there is what could be called, or written
        self._jumped = False  # by the statement drawn last
        self._due = False  # a barrier behind it

    def enter(self, params: tuple[Variable, ...], locals_: list[Variable], result: Type | None, left: int) -> None:
        """Begins another function with its variables; `result` is None for `main`. Others are added to `locals_`."""
        self._locals = locals_
        self.assignable = [*locals_, *params]
        self.result = result
        self._recent = self._payload = None
        self.left = left
        self._calls = bool(self.callees)
        self._writes = bool(self.expressions.writable) and (self.profile.racy or result is None)
        self.expressions.scope([*locals_, *params], lid=result is None)

    def fresh_id(self) -> int:
        """The next ID: in source order, because statements are drawn in it."""
        self._next_id += 1
        return self._next_id

    def set(self) -> Stmt:
        """`x = e`."""
        v = self.source.pick(self.assignable)
        if self.source.percent(self.carriers):
            return self.carrier(v)
        if v.type is not Type.BOOL and self.source.percent(self.profile.updates):
            return update(self.expressions, v)
        self.expressions.used.add(v.name)
        s = Assign(v.name, self.expressions.expr(v.type, self.profile.depth))
        self._recent = v
        return s

    def carrier(self, v: Variable) -> Stmt:
        """`v` gets a source of non-uniformity as it is, if there is one, to carry it on."""
        self.expressions.used.add(v.name)
        self._recent = v
        return Assign(v.name, self.expressions.carried(v.type) or self.expressions.expr(v.type, self.profile.depth))

    def shared(self, _: Slot) -> Stmt:
        """`A[e1] = e2`."""
        array = self.source.pick(self.expressions.writable)
        self.expressions.used.add(array.name)
        if array.type is not Type.BOOL and self.source.percent(self.profile.updates):
            return update_of_element(self.expressions, array)
        return SharedAssign(array.name, self.expressions.index(array), self.expressions.expr(array.type, 2))

    def barrier(self, place: Slot) -> Stmt:
        """`barrier`, or `if (x < 1) {barrier}`."""
        if place.nesting > 0 and self.source.percent(self.profile.guards):
            self.left += 1
            return self.guarded_barrier()
        self.barriers += 1
        return Barrier(self.fresh_id())

    def guarded_barrier(self) -> Stmt:
        """A barrier that depends on a variable: whether that is uniform decides the shader."""
        self.barriers += 1
        self.left -= 2
        v = self._payload or self._recent
        if v is None or not self.source.percent(60):
            v = self.source.pick(self.assignable)
        self._payload = None
        return If(self.expressions.guard(v), (Barrier(self.fresh_id()),), ())

    def break_(self, _: Slot) -> Stmt:
        """`break`."""
        self._jumped = True
        return Break()

    def continue_(self, _: Slot) -> Stmt:
        """`continue`."""
        self._jumped = True
        return Continue(self.fresh_id())

    def return_(self, _: Slot) -> Stmt:
        """`return e`, and `return` in `main`."""
        value: Expr | None = None
        if self.result is not None:
            value = NOTHING if self.silent else self.expressions.expr(self.result, 2)
        self._jumped = True
        return Return(value)

    def call(self, place: Slot) -> Stmt:
        """A call; functions that nothing calls yet come first."""
        callee = self.source.pick(self.uncalled or self.callees)
        if callee.name in self.without_result:
            s: Stmt = self.call_of(callee, apart=True)
        else:
            nested = self.nested_call(callee, place) if self.source.percent(self.profile.nested_calls) else None
            s = nested or self.call_of(callee)
        self._due = place.nesting > 0 and self.source.percent(self.profile.followed)
        return s

    def nested_call(self, callee: Function, place: Slot) -> Stmt | None:
        """`r = f(...)` before a statement that alone reads `r`, first of all; None if there is none for its type."""
        assert callee.result is not None, "main is not called"
        kind = self.source.weighted(_READERS)
        taking = [f for f in self.callees if callee.result in [v.type for v in f.params]]
        fitting = [v for v in self.assignable if v.type is callee.result]
        if (kind == "argument" and not taking) or (kind == "condition" and place.nesting <= 0):
            kind = "operand"
        if kind == "operand" and not fitting:
            return None
        call = self.call_of(callee, apart=True)
        self.before.append(call)
        read = Local(call.name, callee.result)
        if kind == "argument":
            return self.call_of(self.source.pick(taking), argument=read)
        if kind == "condition":
            self.left -= 1
            return If(self._logical(read), (self.set(),), ())
        x = self.source.pick(fitting)
        self.expressions.used.add(x.name)
        if x.type is Type.BOOL:
            return Assign(x.name, self._logical(read))
        return Assign(x.name, Binary(self.source.weighted(UPDATES), read, self.expressions.leaf(x.type)))

    def _logical(self, read: Local) -> Expr:
        """`r && e` or `r || e`, or with a comparison of `r`."""
        left: Expr = read
        if read.type is not Type.BOOL:
            left = Binary(self.source.weighted(ORDER), read, self.expressions.leaf(read.type))
        return Binary(self.source.weighted(_LOGICAL), left, self.expressions.condition(1))

    def call_of(
        self, callee: Function, *, varying: bool = False, apart: bool = False, argument: Local | None = None
    ) -> Call:
        """`x = f(e1, ..., en)`; declares an `x` if no local has the type of the result.

        One argument is a source of non-uniformity as it is if `varying`; `x` is a local of its own if `apart`. The
        first parameter of the type of `argument` gets that.
        """
        if callee in self.uncalled:
            self.uncalled.remove(callee)
        fitting = [v for v in self.assignable if v.type is callee.result]
        assert callee.result is not None, "main is not called"
        if apart:
            fitting = [self.variable_apart(callee.result)]
        elif not fitting:
            fitting = [self._declare(callee.result)]
        id = self.fresh_id()
        depth = min(self.profile.depth, 2)
        carrying = self.source.integer(0, len(callee.params) - 1) if varying and callee.params else None
        given = -1 if argument is None else [v.type for v in callee.params].index(argument.type)
        arguments = tuple(
            [
                (self.expressions.carried(v.type) if i == carrying else argument if i == given else None)
                or self.expressions.expr(v.type, depth)
                for i, v in enumerate(callee.params)
            ]
        )
        v = self.source.pick(fitting)
        self._recent = self._recent if apart else v
        self.expressions.used |= {v.name, callee.name}
        return Call(id, v.name, callee.name, arguments)

    def reached(self, counter: Variable) -> Expr:
        """Whether a counter has come to a bound."""
        bound: Expr = Literal(self.source.integer(1, 4), Type.U32)
        if self.source.percent(self.profile.counter_bounds):
            bound = self.expressions.expr(Type.U32, 1)
        return Binary(">=", Local(counter.name, Type.U32), bound)

    def _declare(self, type: Type) -> Variable:
        variable = Variable(f"{self._locals[0].name}_{type.value}", type)
        self._locals.append(variable)
        self.assignable.append(variable)
        self.expressions.declare(variable)
        return variable

    def variable_apart(self, type: Type) -> Variable:
        """A local that nothing else uses."""
        variable = Variable(f"{self._locals[0].name}_{len(self._locals)}", type)
        self._locals.append(variable)
        self.expressions.used.add(variable.name)
        return variable
