"""The rules of Figs. 5 and 6, against their text and against a structured interpreter that shares no idea with them."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgsl_fuzz.oracle.dynamics.semantics import (
    Continuing,
    FunctionElement,
    Global,
    Histories,
    LoopElement,
    Program,
    PureStore,
    StuckError,
    Thread,
    append,
    barrier_error,
    barrier_of,
    barrier_sync,
    ended,
    evaluate,
    past_barrier,
    step,
    thread,
)
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    Convert,
    Expr,
    Function,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    SharedArray,
    SharedAssign,
    SharedRead,
    Space,
    Stmt,
    Type,
    Unary,
    Variable,
    renumbered,
)

X, Y, P, Q = (Local(name, Type.U32) for name in "xypq")


def u(value: int) -> Literal:
    return Literal(value, Type.U32)


def read(index: Expr) -> SharedRead:
    return SharedRead("A", index, Type.U32)


def op(left: Expr, operator: str, right: Expr) -> Binary:
    return Binary(operator, left, right)


def shader(main: Block, f: Block) -> Shader:
    """`fn f(p) { var q; f }`, and `main` with the locals x and y, over one array A."""
    u32 = [Variable(name, Type.U32) for name in "xypq"]
    helper = Function("f", (u32[2],), (u32[3],), f, Type.U32)
    arrays = (SharedArray("A", Type.U32, 4, Space.STORAGE),)
    return renumbered(Shader(arrays, (helper,), Function("main", (), (u32[0], u32[1]), main, None), 2))


SIGMA = PureStore(lambda _, i: (7 * i) % 5)


# ---------------------------------------------------------------------------------------- a structured interpreter


class Leave(Exception):
    """How `break`, `continue` and `return` leave: Python does the unwinding that Fig. 5 does with κ."""


class BreakOut(Leave):
    pass


class ContinueOut(Leave):
    pass


class ReturnOut(Leave):
    pass


class OutOfFuel(Exception):
    pass


class Structured:
    """A big-step interpreter for one thread: Python's own loops, calls and exceptions; `fuel` counts Fig. 5's steps."""

    def __init__(self, shader: Shader, fuel: int) -> None:
        self.functions = {f.name: f for f in shader.functions}
        self.main = shader.main
        self.fuel = fuel
        self.shared: dict[int, int] = {}
        self.local = {"x": 0, "y": 0, "p": 0, "q": 0}

    def run(self) -> None:
        with suppress(ReturnOut, OutOfFuel):
            self.block(self.main.body)

    def tick(self) -> None:
        if self.fuel == 0:
            raise OutOfFuel
        self.fuel -= 1

    def value(self, e: Expr) -> int:
        match e:
            case Literal():
                return e.value
            case Local():
                return self.local[e.name]
            case SharedRead():
                index = self.value(e.index)
                return self.shared.get(index, SIGMA.get("A", index))
            case Binary(operator, left, right):
                a, b = self.value(left), self.value(right)
                return {"+": (a + b) % 2**32, "&": a & b, "==": a == b, "<": a < b}[operator]
        assert isinstance(e, Lid)
        return 0

    def block(self, ss: Block) -> None:
        for s in ss:
            self.statement(s)

    def statement(self, s: Stmt) -> None:
        if not isinstance(s, Barrier | Loop):
            self.tick()
        match s:
            case Assign(name, value):
                self.local[name] = self.value(value)
            case SharedAssign(_, index, value):
                index_now, value_now = self.value(index), self.value(value)
                self.shared[index_now] = value_now
            case If(condition, then, orelse):
                self.block(then if self.value(condition) else orelse)
            case Loop():
                self.loop(s)
            case Call(_, name, function, (argument,)):
                self.local[name] = self.call(self.functions[function], self.value(argument))
            case Continue():
                raise ContinueOut
            case Break():
                raise BreakOut
            case Return(result):
                raise ReturnOut(None if result is None else self.value(result))

    def loop(self, s: Loop) -> None:
        self.tick()
        while True:
            self.tick()
            try:
                try:
                    self.block(s.body)
                except ContinueOut:
                    self.block(s.continuing)
            except BreakOut:
                return

    def call(self, f: Function, argument: int) -> int:
        self.local |= {v.name: 0 for v in f.locals} | {f.params[0].name: argument}
        try:
            self.block(f.body)
        except ReturnOut as result:
            value: int = result.args[0]
            return value
        raise AssertionError("no return")


def run_alone(shader: Shader, fuel: int) -> tuple[PureStore, Thread, int]:
    """Fig. 5 for one thread, which passes every barrier; the last state and the fuel left."""
    Π = Program(shader)
    σ, (T,) = SIGMA, Π.initial_threads(1)
    while not ended(T):
        if barrier_of(T) is not None:
            T = past_barrier(T)
        elif fuel == 0:
            break
        else:
            new, T = step(Π, σ, T)
            assert isinstance(new, PureStore)
            σ, fuel = new, fuel - 1
    return σ, T, fuel


def assert_as_structured(shader: Shader, fuel: int = 300) -> None:
    expected = Structured(shader, fuel)
    expected.run()
    σ, T, left = run_alone(shader, fuel)
    shared = {i: v for (_, i), v in σ.cells.items()}
    assert (shared, T.τ, left) == (expected.shared, expected.local, expected.fuel)


# ------------------------------------------------------------------------------------------------- drawn programs

INDICES: st.SearchStrategy[Expr] = st.sampled_from([u(0), u(1), op(X, "&", u(3)), op(Q, "&", u(3))])
LEAVES: st.SearchStrategy[Expr] = st.sampled_from([u(0), u(1), u(2), X, Y, P, Q])
VALUES: st.SearchStrategy[Expr] = st.recursive(
    LEAVES | st.builds(read, INDICES),
    lambda e: st.builds(op, e, st.sampled_from("+&"), e),
    max_leaves=3,
)
CONDITIONS: st.SearchStrategy[Expr] = st.builds(op, VALUES, st.sampled_from(["==", "<"]), VALUES)
SIMPLE: st.SearchStrategy[Stmt] = (
    st.builds(Assign, st.sampled_from("xyq"), VALUES)
    | st.builds(SharedAssign, st.just("A"), INDICES, VALUES)
    | st.just(Barrier(0))
)


def blocks(depth: int, jumps: st.SearchStrategy[Stmt] | None, in_main: bool) -> st.SearchStrategy[Block]:
    """Blocks nested to a depth; `jumps` are the jumps that are allowed here (None: a part of a `continuing`)."""
    statements = SIMPLE if jumps is None else SIMPLE | jumps
    if in_main:
        statements |= st.builds(Call, st.just(0), st.sampled_from("xy"), st.just("f"), st.tuples(VALUES))
    if depth:
        inner = blocks(depth - 1, jumps, in_main)
        leaving: st.SearchStrategy[Stmt] = st.sampled_from([Break(), Continue(0)])
        body = blocks(depth - 1, leaving if jumps is None else jumps | leaving, in_main)
        ends = st.none() | CONDITIONS.map(lambda e: If(e, (Break(),), ()))
        after = st.builds(lambda ss, end: ss if end is None else (*ss, end), blocks(depth - 1, None, in_main), ends)
        statements |= st.builds(If, CONDITIONS, inner, inner)
        statements |= st.builds(lambda ss1, ss2: Loop(0, (*ss1, Continue(0)), ss2), body, after)
    return st.lists(statements, max_size=4).map(tuple)


SHADERS = st.builds(
    lambda main, f, result: shader(main, (*f, Return(result))),
    blocks(3, st.just(Return(None)), True),
    blocks(2, st.builds(Return, VALUES), False),
    VALUES,
)


@settings(max_examples=300, deadline=None)
@given(SHADERS)
def test_the_rules_agree_with_a_structured_interpreter(drawn: Shader) -> None:
    assert_as_structured(drawn)


def count_to(n: int, body: Block = (), continuing: Block = ()) -> Loop:
    """`for (x = x; x < n; x = x + 1) { body }`."""
    test = If(op(X, "<", u(n)), (), (Break(),))
    return Loop(0, (test, *body, Continue(0)), (Assign("x", op(X, "+", u(1))), *continuing))


BUMP = SharedAssign("A", u(0), op(read(u(0)), "+", u(1)))
PROGRAMS = {
    "nested loops": (
        Assign("x", u(0)),
        Loop(
            0,
            (count_to(3, (BUMP,)), BUMP, Continue(0)),
            (Assign("x", u(1)), If(op(read(u(0)), "<", u(9)), (), (Break(),))),
        ),
    ),
    "continue skips the rest of the body": (count_to(5, (If(op(X, "==", u(2)), (Continue(0),), ()), BUMP)),),
    "break if": (
        Loop(0, (BUMP, Continue(0)), (If(op(read(u(0)), "==", u(4)), (Break(),), ()),)),
        SharedAssign("A", u(1), u(9)),
    ),
    "break before a dead loop": (Loop(0, (Break(), count_to(2), Continue(0)), ()), BUMP),
    "loop in continuing": (Loop(0, (Continue(0),), (count_to(3, (BUMP,)), If(op(X, "==", u(3)), (Break(),), ()))),),
    "calls in a loop": (count_to(4, (Call(0, "y", "f", (X,)), SharedAssign("A", X, Y))),),
    "return from main": (
        count_to(4, (If(op(X, "==", u(2)), (Return(None),), ()), BUMP)),
        SharedAssign("A", u(3), u(8)),
    ),
}
F = (
    Assign("q", op(Q, "+", u(1))),
    Loop(
        0,
        (If(op(P, "==", Q), (Return(op(P, "+", u(10))),), ()), Assign("q", op(Q, "+", u(1))), Break(), Continue(0)),
        (),
    ),
    Return(Q),
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_that_were_a_trap_somewhere(name: str) -> None:
    program = shader(PROGRAMS[name], F)
    assert_as_structured(program)
    assert run_alone(program, 300)[2] > 0, "it should come to its end"


# ------------------------------------------------------------------------------------------------- rules, one by one


def after(s: Stmt, κ: object = None, rest: Block = (), main: Block = ()) -> Thread:
    """The thread after one step of `s`, with κ as control stack and `rest` behind it."""
    Π = Program(shader(main, F))
    T = Thread(1, Π.initial_threads(1)[0].τ, κ, append((s, *rest), None))  # type: ignore[arg-type]
    return step(Π, SIGMA, T)[1]


INNER = Loop(1, (Continue(2),), (Assign("x", u(1)),))


def test_loop_enter_pushes_and_loop_unfold_unfolds() -> None:
    entered = after(INNER, rest=(Barrier(9),))
    assert entered.κ == (LoopElement(1, 0), None)
    assert entered.ss == append((INNER, Barrier(9)), None)
    unfolded = after(INNER, entered.κ, rest=(Barrier(9),))
    assert unfolded.κ == entered.κ
    assert unfolded.ss == (Continue(2), (Continuing(1, INNER.continuing), (INNER, (Barrier(9), None))))


def test_a_loop_inside_another_is_entered() -> None:
    outer = (LoopElement(7, 0), None)
    assert after(INNER, outer).κ == (LoopElement(1, 0), outer)


def test_a_call_starts_the_callee_with_fresh_locals_and_remembers_where_to_go_on() -> None:
    T = after(Call(5, "x", "f", (Lid(),)), rest=(Barrier(9),))
    assert T.κ is not None
    assert T.κ[0] == FunctionElement(5, "x", None)
    assert isinstance(T.κ[0], FunctionElement)
    assert (T.κ[0].x, T.κ[0].ss) == ("x", (Barrier(9), None))
    assert T.τ == {"p": 1, "q": 0, "x": 0, "y": 0}


@pytest.mark.parametrize(("reset", "q"), [(True, 0), (False, 3)])
def test_only_the_papers_call_leaves_the_callees_locals_alone(reset: bool, q: int) -> None:
    Π = Program(shader((), F), reset_locals=reset)
    (T,) = Π.initial_threads(1)
    called = Thread(0, {**T.τ, "q": 3}, None, (Call(5, "x", "f", (u(4),)), None))
    assert step(Π, SIGMA, called)[1].τ["q"] == q


def test_return_drops_the_loops_of_the_callee_only() -> None:
    below = (LoopElement(1, 0), None)
    κ = (LoopElement(3, 0), (LoopElement(2, 0), (FunctionElement(5, "y", (Barrier(9), None)), below)))
    T = after(Return(u(6)), κ)
    assert (T.κ, T.ss, T.τ["y"]) == (below, (Barrier(9), None), 6)


@pytest.mark.parametrize("s", [Break(), Continue(1), Barrier(1), Continuing(1, ())])
def test_a_statement_without_a_rule_is_stuck(s: Stmt) -> None:
    with pytest.raises(StuckError):
        after(s)


@given(SHADERS, st.integers(0, 60))
def test_a_step_changes_no_state(drawn: Shader, steps: int) -> None:
    σ, T, _ = run_alone(drawn, steps)
    before = dict(σ.cells), dict(T.τ), T.κ
    if not ended(T) and barrier_of(T) is None:
        assert step(Program(drawn), σ, T) is not None
    assert before == (σ.cells, T.τ, T.κ)


# ---------------------------------------------------------------------------------------- threads and control stacks


def at(barrier: int, κ: object) -> Thread:
    return Thread(0, {}, κ, (Barrier(barrier), None))  # type: ignore[arg-type]


STACKS = st.recursive(
    st.none(),
    lambda rest: st.tuples(
        st.builds(LoopElement, st.integers(1, 2), st.integers(0, 2))
        | st.builds(FunctionElement, st.integers(1, 2), st.just("x"), st.none()),
        rest,
    ),
)


@given(st.lists(st.builds(at, st.integers(1, 2), STACKS) | st.just(Thread(0, {}, None, None)), min_size=1, max_size=4))
def test_waiting_threads_either_sync_or_are_in_error_or_have_all_ended(threads: list[Thread]) -> None:
    G = Global(SIGMA, tuple(threads))
    pair, synced = barrier_error(G), barrier_sync(G)
    same = all((barrier_of(T), T.κ) == (barrier_of(threads[0]), threads[0].κ) for T in threads)
    assert (pair is None) == same
    assert (synced is not None) == (same and not ended(threads[0]))
    if synced is not None:
        assert [(T.κ, T.ss) for T in synced.threads] == [(T.κ, None) for T in threads]


def test_a_thread_that_still_runs_keeps_barriers_shut_and_is_no_error() -> None:
    running = Thread(1, {}, None, (Assign("x", u(1)), None))
    G = Global(SIGMA, (at(1, None), running))
    assert barrier_error(G) is None
    assert barrier_sync(G) is None


def test_thread_steps_one_thread() -> None:
    Π = Program(shader((SharedAssign("A", Lid(), u(9)), Barrier(0)), F))
    G = Global(SIGMA, tuple(Π.initial_threads(3)))
    moved = thread(Π, G, 1)
    assert [a is b for a, b in zip(G.threads, moved.threads)] == [True, False, True]
    assert (moved.σ.get("A", 1), moved.σ.get("A", 2)) == (9, SIGMA.get("A", 2))
    with pytest.raises(StuckError):
        thread(Π, moved, 1)


@given(st.lists(st.lists(st.integers(1, 3), max_size=6), max_size=8))
def test_histories_number_lists_one_to_one(lists: list[list[int]]) -> None:
    histories = Histories()

    def number(ids: list[int]) -> int:
        cs = 0
        for c in reversed(ids):
            cs = histories.cons(c, cs)
        return cs

    numbers = [number(ids) for ids in lists]
    assert [histories.ids(cs) for cs in numbers] == lists
    assert {(a == b) == (x == y) for a, x in zip(lists, numbers) for b, y in zip(lists, numbers)} <= {True}


def operations() -> Iterator[tuple[Expr, int]]:
    minimum, one = Literal(-(2**31), Type.I32), Literal(1, Type.I32)
    yield op(u(3), "-", u(4)), 2**32 - 1
    yield op(minimum, "-", one), 2**31 - 1
    yield op(op(u(1), "<", u(2)), "&&", Literal(False, Type.BOOL)), False
    yield op(op(u(3), "-", u(4)), "/", u(2)), 2**31 - 1
    yield Unary("-", u(1)), 2**32 - 1
    yield Unary("~", Literal(0, Type.I32)), -1
    yield Unary("!", op(Lid(), "==", u(5))), False
    yield Convert(Type.U32, Literal(-1, Type.I32)), 2**32 - 1
    yield read(Lid()), 35 % 5
    yield op(X, "+", Lid()), 16


@pytest.mark.parametrize(("e", "value"), list(operations()))
def test_expressions_have_the_type_of_their_operands(e: Expr, value: int) -> None:
    result = evaluate(e, SIGMA, {"x": 11}, 5)
    assert (result, type(result)) == (value, type(value))
