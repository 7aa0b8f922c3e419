"""The rules of Figs. 5 and 6, against their text and against a structured interpreter that shares no idea with them."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.dynamics.running import PureStore
from tests.tinywgsl.wellformed import renumbered
from wgsl_fuzz.oracle.dynamics import semantics
from wgsl_fuzz.tinywgsl import ast

X, Y, P, Q = (ast.Local(name, ast.Type.U32) for name in "xypq")


def u(value: int) -> ast.Literal:
    return ast.Literal(value, ast.Type.U32)


def op(left: ast.Expr, operator: str, right: ast.Expr) -> ast.Binary:
    return ast.Binary(operator, left, right)


def shader(main: ast.Block, f: ast.Block) -> ast.Shader:
    """`fn f(p) { var q; f }`, and `main` with the locals x and y, over one array A."""
    u32 = [ast.Variable(name, ast.Type.U32) for name in "xypq"]
    helper = ast.Function("f", (u32[2],), (u32[3],), f, ast.Type.U32)
    arrays = (ast.SharedArray("A", ast.Type.U32, 4, ast.Space.STORAGE),)
    return renumbered(ast.Shader(arrays, (helper,), ast.Function("main", (), (u32[0], u32[1]), main, None), 2))


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

    def __init__(self, shader: ast.Shader, fuel: int) -> None:
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

    def value(self, e: ast.Expr) -> int:
        match e:
            case ast.Literal():
                return e.value
            case ast.Local():
                return self.local[e.name]
            case ast.SharedRead():
                index = self.value(e.index)
                return self.shared.get(index, SIGMA.get("A", index))
            case ast.Binary(operator, left, right):
                a, b = self.value(left), self.value(right)
                return {"+": (a + b) % 2**32, "&": a & b, "==": a == b, "<": a < b}[operator]
        assert isinstance(e, ast.Lid)
        return 0

    def block(self, ss: ast.Block) -> None:
        for s in ss:
            self.statement(s)

    def statement(self, s: ast.Stmt) -> None:
        if not isinstance(s, ast.Barrier | ast.Loop):
            self.tick()
        match s:
            case ast.Assign(name, value):
                self.local[name] = self.value(value)
            case ast.SharedAssign(_, index, value):
                index_now, value_now = self.value(index), self.value(value)
                self.shared[index_now] = value_now
            case ast.If(condition, then, orelse):
                self.block(then if self.value(condition) else orelse)
            case ast.Loop():
                self.loop(s)
            case ast.Call(_, name, function, (argument,)):
                self.local[name] = self.call(self.functions[function], self.value(argument))
            case ast.Continue():
                raise ContinueOut
            case ast.Break():
                raise BreakOut
            case ast.Return(result):
                raise ReturnOut(None if result is None else self.value(result))

    def loop(self, s: ast.Loop) -> None:
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

    def call(self, f: ast.Function, argument: int) -> int:
        self.local |= {v.name: 0 for v in f.locals} | {f.params[0].name: argument}
        try:
            self.block(f.body)
        except ReturnOut as result:
            value: int = result.args[0]
            return value
        raise AssertionError("no return")


def run_alone(shader: ast.Shader, fuel: int) -> tuple[PureStore, semantics.Thread, int]:
    """Fig. 5 for one thread, which passes every barrier; the last state and the fuel left."""
    Π = semantics.Program(shader)
    σ, (T,) = SIGMA, Π.initial_threads(1)
    while not semantics.ended(T):
        if semantics.barrier_of(T) is not None:
            T = semantics.past_barrier(T)
        elif fuel == 0:
            break
        else:
            new, T = semantics.step(Π, σ, T)
            assert isinstance(new, PureStore)
            σ, fuel = new, fuel - 1
    return σ, T, fuel


def assert_as_structured(shader: ast.Shader, fuel: int = 300) -> None:
    expected = Structured(shader, fuel)
    expected.run()
    σ, T, left = run_alone(shader, fuel)
    shared = {i: v for (_, i), v in σ.cells.items()}
    assert (shared, T.τ, left) == (expected.shared, expected.local, expected.fuel)


# ------------------------------------------------------------------------------------------------- drawn programs

INDICES: st.SearchStrategy[ast.Expr] = st.sampled_from([u(0), u(1), op(X, "&", u(3)), op(Q, "&", u(3))])
LEAVES: st.SearchStrategy[ast.Expr] = st.sampled_from([u(0), u(1), u(2), X, Y, P, Q])
VALUES: st.SearchStrategy[ast.Expr] = st.recursive(
    LEAVES | INDICES.map(lambda index: ast.SharedRead("A", index, ast.Type.U32)),
    lambda e: st.builds(op, e, st.sampled_from("+&"), e),
    max_leaves=3,
)
CONDITIONS: st.SearchStrategy[ast.Expr] = st.builds(op, VALUES, st.sampled_from(["==", "<"]), VALUES)
SIMPLE: st.SearchStrategy[ast.Stmt] = (
    st.builds(ast.Assign, st.sampled_from("xyq"), VALUES)
    | st.builds(ast.SharedAssign, st.just("A"), INDICES, VALUES)
    | st.just(ast.Barrier(0))
)


def blocks(depth: int, jumps: st.SearchStrategy[ast.Stmt] | None, in_main: bool) -> st.SearchStrategy[ast.Block]:
    """Blocks nested to a depth; `jumps` are the jumps that are allowed here (None: a part of a `continuing`)."""
    statements = SIMPLE if jumps is None else SIMPLE | jumps
    if in_main:
        statements |= st.builds(ast.Call, st.just(0), st.sampled_from("xy"), st.just("f"), st.tuples(VALUES))
    if depth:
        inner = blocks(depth - 1, jumps, in_main)
        leaving: st.SearchStrategy[ast.Stmt] = st.sampled_from([ast.Break(), ast.Continue(0)])
        body = blocks(depth - 1, leaving if jumps is None else jumps | leaving, in_main)
        ends = st.none() | CONDITIONS.map(lambda e: ast.If(e, (ast.Break(),), ()))
        after = st.builds(lambda ss, end: ss if end is None else (*ss, end), blocks(depth - 1, None, in_main), ends)
        statements |= st.builds(ast.If, CONDITIONS, inner, inner)
        statements |= st.builds(lambda ss1, ss2: ast.Loop(0, (*ss1, ast.Continue(0)), ss2), body, after)
    return st.lists(statements, max_size=4).map(tuple)


SHADERS = st.builds(
    lambda main, f, result: shader(main, (*f, ast.Return(result))),
    blocks(3, st.just(ast.Return(None)), True),
    blocks(2, st.builds(ast.Return, VALUES), False),
    VALUES,
)


@settings(max_examples=300, deadline=None)
@given(SHADERS)
def test_the_rules_agree_with_a_structured_interpreter(drawn: ast.Shader) -> None:
    assert_as_structured(drawn)


@pytest.mark.parametrize("s", [ast.Break(), ast.Continue(1), ast.Barrier(1), semantics.Continuing(1, ())])
def test_a_statement_without_a_rule_is_stuck(s: ast.Stmt) -> None:
    Π = semantics.Program(shader((), (ast.Return(u(0)),)))
    with pytest.raises(semantics.StuckError):
        semantics.step(Π, SIGMA, semantics.Thread(1, Π.initial_threads(1)[0].τ, None, (s, None)))


@given(SHADERS, st.integers(0, 60))
def test_a_step_changes_no_state(drawn: ast.Shader, steps: int) -> None:
    σ, T, _ = run_alone(drawn, steps)
    before = dict(σ.cells), dict(T.τ), T.κ
    if not semantics.ended(T) and semantics.barrier_of(T) is None:
        assert semantics.step(semantics.Program(drawn), σ, T) is not None
    assert before == (σ.cells, T.τ, T.κ)
