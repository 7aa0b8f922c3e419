"""The 2019 proposal: for each rule shaders whose verdict hangs on it, and where it parts from the paper."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.tinywgsl.wellformed import violations
from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.dynamics.runs import sample
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.whlsl import Metadata, analyse_2019, validate_function
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import DEFAULT, SMALL, shaders
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Block,
    Call,
    Continue,
    Function,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    Stmt,
    Type,
    Variable,
    blocks_of,
    renumbered,
    walk,
)

A, R = Verdict.ACCEPTS, Verdict.REJECTS

CORPUS = Path(__file__).parents[3] / "corpus"
HOT = replace(DEFAULT, doses=(60, 100))
"""Plenty of `lid` and shared reads."""
JUMPY = (("assign", 10), ("barrier", 15), ("call", 10), ("if", 30), ("loop", 25), ("break", 10), ("return", 10))
"""Many ways out of a statement."""


def shader(body: str, functions: str = "") -> Shader:
    """`body` in a `main` with two locals, x and u (u is never assigned: uniform); `barrier;` is short for the call."""
    text = (
        f"var<workgroup> mem: array<u32, 4>; {functions} @compute @workgroup_size(4) "
        f"fn main(@builtin(local_invocation_index) lid: u32) {{ var x: u32; var u: u32; {body} }}"
    )
    return parse(text.replace("barrier;", "workgroupBarrier();"))


def verdict(body: str, functions: str = "") -> Verdict:
    return analyse_2019(shader(body, functions))


def rows(table: dict[str, tuple[str, Verdict]]) -> pytest.MarkDecorator:
    """One test for each row: its name, the body of `main` and the verdict."""
    return pytest.mark.parametrize(("body", "expected"), table.values(), ids=table.keys())


# ------------------------------------------------------------------------------------------------------- properties

LID_IS_0 = Binary("==", Lid(), Literal(0, Type.U32))


def with_main(s: Shader, body: Block, *more: Variable) -> Shader:
    return renumbered(replace(s, main=replace(s.main, body=body, locals=(*s.main.locals, *more))))


@given(shaders(HOT))
def test_unreachable_statements_are_validated(s: Shader) -> None:
    """Whatever comes before it, a barrier under `lid` is an error: there is no test of reachability."""
    assert analyse_2019(with_main(s, (*s.main.body, Return(None), If(LID_IS_0, (Barrier(0),), ())))) is R


@given(shaders(HOT), st.data())
def test_an_assignment_counts_wherever_it_stands(s: Shader, data: st.DataObject) -> None:
    """A variable has one node: `x = lid` decides as much after the last statement as before the first."""
    names = [v.name for v in s.main.locals if v.type is Type.U32]
    assume(names)
    assign = Assign(data.draw(st.sampled_from(names)), Lid())
    first, last = with_main(s, (assign, *s.main.body)), with_main(s, (*s.main.body, assign))
    assert analyse_2019(first) is analyse_2019(last)


IDENTITY = Function("same", (Variable("it", Type.U32),), (), (Return(Local("it", Type.U32)),), Type.U32)


def through_identity(ss: Block, names: frozenset[str]) -> Block:
    """The block with `x = e` as `x = same(e)`, for the `names`."""

    def statement(s: Stmt) -> Stmt:
        inner = tuple([through_identity(b, names) for b in blocks_of(s)])
        match s:
            case Assign(x, e) if x in names:
                return Call(0, x, IDENTITY.name, (e,))
            case If():
                return If(s.condition, *inner)
            case Loop():
                return Loop(s.id, *inner)
            case _:
                return s

    return tuple([statement(s) for s in ss])


@given(shaders(HOT))
def test_a_function_that_returns_its_parameter_changes_nothing(s: Shader) -> None:
    """What `Metadata` says of `same` is all that its body says."""
    names = frozenset(v.name for v in s.main.locals if v.type is Type.U32)
    called = replace(with_main(s, through_identity(s.main.body, names)), functions=(IDENTITY, *s.functions))
    assert analyse_2019(renumbered(called)) is analyse_2019(s)


def continues(ss: Block) -> bool:
    """Whether there is a `continue` besides those that restriction (3) asks for, one at the end of each loop."""
    loops = sum(isinstance(s, Loop) for s in walk(ss))
    return sum(isinstance(s, Continue) for s in walk(ss)) > loops


@settings(max_examples=400)
@given(shaders(replace(SMALL, doses=(60,), weights=JUMPY, statements=(4, 14))))
def test_sound_but_for_continue(s: Shader) -> None:
    """What it accepts does not diverge, if no `continue` stands before the end of its loop (see DIVERGING)."""
    assume(analyse_2019(s) is A and not any(continues(f.body) for f in s.all_functions))
    assert sample(s, runs=6, threads=(3,), steps=300).outcome is not Outcome.DIVERGES


# ------------------------------------------------------------------------------------------------------- expressions


@rows(
    {
        "lid is cannotBeUniform": ("if (lid == 0u) { barrier; }", R),
        "*e is cannotBeUniform": ("if (mem[0] == 0u) { barrier; }", R),
        "a literal is uniform": ("if (true) { barrier; }", A),
        "a literal takes its control flow": ("if (lid == 0u) { x = 1u; } if (x == 0u) { barrier; }", R),
        "a read takes its control flow": ("if (lid == 0u) { x = u; } if (x == 0u) { barrier; }", R),
        "x_id => C2": ("x = lid; if (x == 0u) { barrier; }", R),
        "x_id => C2 is for good": ("x = lid; x = u; if (x == 0u) { barrier; }", R),
        "x_id => C2, and from the start": ("if (x == 0u) { barrier; } x = lid;", R),
        "*e1 = e2 decides nothing": ("mem[lid] = lid; barrier;", A),
        "a declaration is a zero": ("if (x == 0u) { barrier; }", A),
        "an operation depends on its left": ("if (lid == u) { barrier; }", R),
        "an operation depends on its right": ("if (u == lid) { barrier; }", R),
        "an operation of uniform operands": ("if (u + x == 0u) { barrier; }", A),
        "a unary operator": ("x = ~lid; if (x == 0u) { barrier; }", R),
        "a conversion": ("if (bool(lid)) { barrier; }", R),
        "||: e2": ("if (u == 0u || lid == 0u) { barrier; }", R),
        "||: e2 under CF'": ("if (lid == 0u || true) { barrier; }", R),
        "||: uniform": ("if (u == 0u || x == 0u) { barrier; }", A),
        "&&: e2": ("if (u == 0u && lid == 0u) { barrier; }", R),
        "&&: e2 under CF'": ("if (lid == 0u && true) { barrier; }", R),
        "&&: uniform": ("if (u == 0u && x == 0u) { barrier; }", A),
    }
)
def test_expression(body: str, expected: Verdict) -> None:
    assert verdict(body) is expected


# -------------------------------------------------------------------------------------------------------- statements


@rows(
    {
        "then under CF'": ("if (lid == 0u) { barrier; } else {}", R),
        "else under CF'": ("if (lid == 0u) {} else { barrier; }", R),
        "C' => C1": ("if (u == 0u) { if (lid == 0u) { return; } } else {} barrier;", R),
        "C' => C2": ("if (u == 0u) {} else { if (lid == 0u) { return; } } barrier;", R),
        "B1 has Return": ("if (lid == 0u) { return; } else {} barrier;", R),
        "B2 has Return": ("if (lid == 0u) {} else { return; } barrier;", R),
        "a uniform condition": ("if (u == 0u) { return; } barrier;", A),
        "{Nothing} reconverges": ("if (lid == 0u) { x = 1u; } barrier;", A),
        "{Return} reconverges": ("if (u == 0u) { if (lid == 0u) { return; } else { return; } } barrier;", A),
        "{Break} reconverges": ("loop { barrier; if (u == 0u) { if (lid == 0u) { break; } else { break; } } }", A),
        "{Break, Return} does not": (
            "loop { barrier; if (u == 0u) { if (lid == 0u) { break; } else { return; } } }",
            R,
        ),
        "{} is {Nothing}": ("if (lid == 0u) {} else {} barrier;", A),
        "a block goes on under C0": ("if (lid == 0u) { return; } barrier; return;", R),
        "B0 \\ {Nothing}": ("if (u == 0u) { if (lid == 0u) { return; } return; } barrier;", A),
        "a block's Break is kept": ("loop { barrier; if (lid == 0u) { break; } x = 1u; }", R),
        "a tail reconverges": ("loop { barrier; if (u == 0u) { continue; } if (lid == 0u) { break; } break; }", A),
        "a tail reconverges to C0 only": (
            "loop { barrier; if (lid == 0u) { continue; } if (u == 0u) { break; } break; }",
            R,
        ),
    }
)
def test_if_and_block(body: str, expected: Verdict) -> None:
    assert verdict(body) is expected


@rows(
    {
        "uniform": ("loop { barrier; if (u == 9u) { break; } u = u + 1u; } barrier;", A),
        "CF' => CF": ("if (lid == 0u) { loop { barrier; if (u == 0u) { break; } } }", R),
        "CF' => C1: break if": ("loop { barrier; continuing { break if lid == 0u; } }", R),
        "CF' => C1: a uniform one": ("loop { barrier; continuing { break if u == 0u; } }", A),
        "CF' => C2: a loop in the continuing": (
            "loop { barrier; if (u == 0u) { break; } continuing { loop { if (lid == 0u) { break; } } } }",
            R,
        ),
        "CF' => C3": ("loop { barrier; if (lid == 0u) { break; } }", R),
        "e2 under CF'": ("loop { if (lid == 0u) { break; } continuing { barrier; } }", R),
        "e2 under CF', assigning": (
            "loop { if (lid == 0u) { break; } continuing { x = 1u; } } if (x == 0u) { barrier; }",
            R,
        ),
        "CF' after it": ("loop { if (lid == 0u) { break; } } barrier;", R),
        "CF' after it, by break if": ("loop { continuing { break if lid == 0u; } } barrier;", R),
        "CF' within e1: x": ("loop { x = x + 1u; continuing { break if x == lid; } } if (x == 0u) { barrier; }", R),
        "InfiniteLoop: nothing around it reconverges": ("if (lid == 0u) { loop { break; } } barrier;", R),
        "InfiniteLoop stays": ("if (u == 0u) { if (lid == 0u) { loop { break; } } return; } barrier;", R),
        "Nothing: what follows is reached": ("loop { return; } if (lid == 0u) { barrier; }", R),
        "the last `continue` is a body's end": (
            "loop { barrier; if (u == 9u) { break; } if (lid == 0u) { continue; } x = 1u; }",
            R,
        ),
        "{Continue} reconverges": (
            "loop { barrier; if (u == 9u) { break; } if (lid == 0u) { continue; } else { continue; } }",
            A,
        ),
    }
)
def test_loop(body: str, expected: Verdict) -> None:
    assert verdict(body) is expected


# --------------------------------------------------------------------------------------------------------- functions

NEEDS_CF = "fn f(p: u32) -> u32 { barrier; return 0u; }"
NEEDS_P = "fn f(p: u32) -> u32 { if (p == 0u) { barrier; } return p; }"
RETURNS_P = "fn f(p: u32) -> u32 { return p; }"
RETURNS_UNDER_P = "fn f(p: u32) -> u32 { if (p == 0u) { return 1u; } return 1u; }"
IGNORES_P = "fn f(p: u32) -> u32 { return 1u; }"
NEVER_UNIFORM = "fn f(p: u32) -> u32 { return mem[0]; }"
RETURNS_IN_LOOP = "fn f(p: u32) -> u32 { loop { return p; } return 0u; }"
RETURNS_BOTH = "fn f(p: u32, q: u32) -> u32 { if (mem[p] == 0u) { } if (p == 0u) { return 1u; } else { return q; } }"


def metadata(cf: bool, must: set[int], can: bool, conditionally: set[int]) -> Metadata:
    return Metadata(cf, frozenset(must), can, frozenset(conditionally))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NEEDS_CF, metadata(True, set(), True, set())),
        (NEEDS_P, metadata(True, {0}, True, set())),  # what must be uniform is not conditionallyUniform
        (RETURNS_P, metadata(False, set(), True, {0})),
        (RETURNS_UNDER_P, metadata(False, set(), True, {0})),
        (RETURNS_IN_LOOP, metadata(False, set(), True, {0})),  # a loop keeps its Return
        (IGNORES_P, metadata(False, set(), True, set())),
        (NEVER_UNIFORM, metadata(False, set(), False, set())),
        (RETURNS_BOTH, metadata(False, set(), True, {0, 1})),  # two Returns are one, with both constraints
        ("fn f(p: u32) -> u32 { if (mem[0] == 0u) { barrier; } return p; }", None),
    ],
)
def test_function(text: str, expected: Metadata | None) -> None:
    assert validate_function({}, shader("", text).functions[0]) == expected


@pytest.mark.parametrize(
    ("functions", "body", "expected"),
    [
        (NEEDS_CF, "x = f(lid);", A),
        (NEEDS_CF, "if (lid == 0u) { x = f(0u); }", R),
        (NEEDS_P, "x = f(u);", A),
        (NEEDS_P, "x = f(lid);", R),
        (RETURNS_P, "x = f(u); if (x == 0u) { barrier; }", A),
        (RETURNS_P, "x = f(lid); if (x == 0u) { barrier; }", R),
        (RETURNS_UNDER_P, "x = f(lid); if (x == 0u) { barrier; }", R),
        (IGNORES_P, "x = f(lid); if (x == 0u) { barrier; }", A),
        (IGNORES_P, "if (lid == 0u) { x = f(0u); } if (x == 0u) { barrier; }", R),  # result => CF
        (NEVER_UNIFORM, "x = f(u); if (x == 0u) { barrier; }", R),
        (NEVER_UNIFORM, "x = f(lid); barrier;", A),
        (RETURNS_BOTH, "x = f(u, u); if (x == 0u) { barrier; }", A),
        (RETURNS_BOTH, "x = f(u, lid); if (x == 0u) { barrier; }", R),
        (RETURNS_BOTH, "x = f(lid, u); if (x == 0u) { barrier; }", R),
        ("fn f() -> u32 { if (mem[0] == 0u) { barrier; } return 0u; }", "barrier;", R),  # called or not
        (NEEDS_P + "fn g(q: u32) -> u32 { var r: u32; r = f(q); return r; }", "x = g(lid);", R),
    ],
)
def test_call(functions: str, body: str, expected: Verdict) -> None:
    assert verdict(body, functions) is expected


# ----------------------------------------------------------------------------------------------- against the paper

CORPUS_VERDICTS = {
    "fig-1a": A,  # the barrier is outside the `if`, and d is uniform
    "fig-1b": R,  # the barrier is under `lid < d`
    "fig-1c": R,  # {Continue, Nothing} does not reconverge, so the next iteration is not uniform
    "fig-3": R,  # as Fig. 1c
    "fig-7": R,  # a shared read is never uniform
    "fig-10a": R,  # e1 of the `for` reads lid, and the loop leaves CF' behind
    "fig-10b": R,  # the code after the loop is validated though it is dead
    "fig-10c": R,  # the inner `return` leaves the outer loop's CF' non-uniform, whether it iterates or not
    "fig-10d": R,  # the `continuing` is validated though it is dead
    "tint-empty-statement": A,  # its one condition is a literal
    "trap-call-locals": R,  # one node for t: `t = p` comes too late for the first barrier, but counts
    "trap-fig-8": R,  # the code after the loop is validated, of course
}


@pytest.mark.parametrize(("name", "expected"), CORPUS_VERDICTS.items())
def test_corpus(name: str, expected: Verdict) -> None:
    assert analyse_2019(parse((CORPUS / name / "shader.wgsl").read_text(encoding="utf-8"))) is expected


STRICTER = {
    "a variable has one node": "if (x == 0u) { barrier; } x = lid;",
    "loops do not reconverge": "loop { if (lid == 0u) { break; } } barrier;",
    "unreachable statements are validated": "return; if (lid == 0u) { barrier; }",
}

MORE_LENIENT = {
    # The paper's `if` gives control flow back for {Next} only: a {Return} or {Break} inside stays non-uniform.
    "{Return} reconverges": "if (u == 0u) { if (lid == 0u) { return; } return; } barrier;",
    "{Break} reconverges": "loop { barrier; if (u == 0u) { continue; } if (lid == 0u) { break; } break; }",
}

DIVERGING = {
    # Threads meet again at the head, but the paper tells their `continue`s apart, and so their iterations.
    "{Continue} reconverges": (
        "loop { barrier; if (lid == 0u) { continue; } else { continue; } continuing { break if u == 9u; } }"
    ),
}


@pytest.mark.parametrize("body", STRICTER.values(), ids=STRICTER.keys())
def test_stricter_than_the_paper(body: str) -> None:
    s = shader(body)
    assert not violations(s, main_may_return=True)
    assert (analyse_2019(s), analyse(s).verdict) == (R, A)


@pytest.mark.parametrize("body", (MORE_LENIENT | DIVERGING).values(), ids=(MORE_LENIENT | DIVERGING).keys())
def test_more_lenient_than_the_paper(body: str) -> None:
    """Rightly, for {Return} and {Break}: all threads that take the branch go the same way; not for {Continue}."""
    s = shader(body)
    assert not violations(s, main_may_return=True)
    assert (analyse_2019(s), analyse(s).verdict) == (A, R)
    diverges = sample(s, runs=24, threads=(4,), steps=1000).outcome is Outcome.DIVERGES
    assert diverges == (body in DIVERGING.values())
