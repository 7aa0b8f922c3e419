"""The parser on the paper's figures, its positions, and its answer to spelling that makes no difference."""

import re
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.wgsl.reading import parse
from wgsl_fuzz.strategies import SMALL, shaders
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Continue,
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
    Type,
    Unary,
    Variable,
    blocks_of,
    walk,
)
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.parser import parse as parse_wgsl
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolve import resolve

U32 = Type.U32
D = Local("d", U32)
ZERO = Literal(0, U32)


def u32(value: int) -> Literal:
    return Literal(value, U32)


def read(index: Expr) -> SharedRead:
    return SharedRead("A", index, U32)


def main_of(body: str, size: int = 2) -> Block:
    text = f"@compute @workgroup_size({size}) fn main(@builtin(local_invocation_index) lid: u32) {{ {body} }}"
    return parse("var<workgroup> A: array<u32, 512>;" + text).main.body


ADD = SharedAssign("A", Lid(), Binary("+", read(Lid()), read(Binary("+", Lid(), D))))
HALVE = Assign("d", Binary("/", D, u32(2)))
FIGURE_3: Block = (
    Assign("d", u32(256)),
    Loop(
        1,
        (
            If(Binary("<=", D, ZERO), (Break(),), ()),
            Barrier(2),
            If(Binary(">=", Lid(), D), (Continue(3),), ()),
            ADD,
            Continue(4),
        ),
        (HALVE,),
    ),
    Barrier(5),
)


def test_figure_3() -> None:
    text = """
    var<workgroup> A: array<u32, 512>;
    @compute @workgroup_size(256)
    fn main(@builtin(local_invocation_id) id: vec3<u32>) {
      var d = 256u;
      loop {
        if d <= 0u { break; } else { }
        workgroupBarrier();
        if id.x >= d { continue; } else { }
        A[id.x] = A[id.x] + A[id.x + d];
        continuing { d = d / 2u; }
      }
      workgroupBarrier();
    }
    """
    main = Function("main", (), (Variable("d", U32),), FIGURE_3, None)
    assert parse(text) == Shader((SharedArray("A", U32, 512, Space.WORKGROUP),), (), main, 256)


def test_figure_1c_is_figure_3_but_for_the_form_of_its_condition() -> None:
    body = main_of(
        "for (var d: u32 = 256; d > 0; d /= 2) { workgroupBarrier(); if (lid >= d) { continue; } "
        "A[lid] += A[lid + d]; } workgroupBarrier();"
    )
    loop = body[1]
    assert isinstance(loop, Loop)
    leave = If(Unary("!", Binary(">", D, ZERO)), (Break(),), ())
    assert body[0] == FIGURE_3[0]
    assert body[1] == Loop(1, (leave, *FIGURE_3[1].body[1:]), (HALVE,))  # type: ignore[union-attr]
    assert body[2] == FIGURE_3[2]


def test_figures_1a_and_1b() -> None:
    inside = main_of("for (var d = 256u; d > 0u; d /= 2u) { if lid < d { A[lid] += A[lid + d]; workgroupBarrier(); } }")
    behind = main_of("for (var d = 256u; d > 0u; d /= 2u) { if lid < d { A[lid] += A[lid + d]; } workgroupBarrier(); }")
    condition = Binary("<", Lid(), D)
    assert isinstance(inside[1], Loop)
    assert isinstance(behind[1], Loop)
    assert inside[1].body[1:] == (If(condition, (ADD, Barrier(2)), ()), Continue(3))
    assert behind[1].body[1:] == (If(condition, (ADD,), ()), Barrier(2), Continue(3))


def test_figure_7() -> None:
    text = """
    var<workgroup> arr: array<u32, 1>;
    fn f(x_in: u32, y: u32) -> u32 {
      var x = x_in;
      if arr[0] == 0 { workgroupBarrier(); } else { x = y; }
      return x + y;
    }
    @compute @workgroup_size(2) fn main() { workgroupBarrier(); }
    """
    x, y = Local("x", U32), Local("y", U32)
    (f,) = parse(text).functions
    assert f == Function(
        "f",
        (Variable("x", U32), Variable("y", U32)),
        (),
        (
            If(
                Binary("==", SharedRead("arr", Literal(0, Type.I32), U32), ZERO),
                (Barrier(1),),
                (Assign("x", y),),
            ),
            Return(Binary("+", x, y)),
        ),
        U32,
    )


def test_figure_10() -> None:
    first = Binary("==", Lid(), ZERO)
    break_if = If(first, (Break(),), ())
    a = main_of("loop { workgroupBarrier(); continuing { break if (lid == 0); } } workgroupBarrier();")
    assert a == (Loop(1, (Barrier(2), Continue(3)), (break_if,)), Barrier(4))
    b = main_of("loop { return; continuing { break if lid == 0; } } if (lid == 0) { workgroupBarrier(); }")
    assert b == (Loop(1, (Return(None), Continue(2)), (break_if,)), If(first, (Barrier(3),), ()))
    c = main_of("var u: u32 = 0; loop { workgroupBarrier(); loop { if (lid < u) { return; } u++; } }")
    u = Local("u", U32)
    leave = If(Binary("<", Lid(), u), (Return(None),), ())
    inner = Loop(3, (leave, Assign("u", Binary("+", u, u32(1))), Continue(4)), ())
    assert c == (Assign("u", ZERO), Loop(1, (Barrier(2), inner, Continue(5)), ()))
    d = main_of("loop { return; continuing { if (lid == 0) { workgroupBarrier(); } } }")
    assert d == (Loop(1, (Return(None), Continue(2)), (If(first, (Barrier(3),), ()),)),)


# ------------------------------------------------------------------------------------------------------ positions


def test_positions_of_what_stands_in_the_text_and_of_what_does_not() -> None:
    text = """fn g() { }
@compute @workgroup_size(1) fn main() {
  var x = 1u; /* a
  comment */ g();
  while x == 1u {
    x++;
  }
  if x == 2u { } else if x == 3u { g(); }
}
"""
    lowered, source = lower(resolve(parse_wgsl(text))), Source(text)
    assert lowered.shader == parse(text)
    found = [source.position(lowered.starts[id(s)]) for f in lowered.shader.all_functions for s in walk(f.body)]
    assert found == [
        (1, 10),  # the `return 0u` of g stands at its closing brace
        (3, 3),
        (4, 14),
        (5, 3),  # while
        (5, 3),  # its if
        (5, 3),  # its break
        (6, 5),
        (7, 3),  # its continue, which goes without saying
        (8, 3),
        (8, 23),
        (8, 36),
    ]


def shared_statements(shader: Shader) -> bool:
    seen = [id(s) for f in shader.all_functions for s in walk(f.body)]
    return len(seen) != len(set(seen))


@given(shaders())
def test_every_statement_is_an_object_of_its_own_and_stands_within_its_parent(shader: Shader) -> None:
    lowered = lower(resolve(parse_wgsl(print_shader(shader))))
    assert not shared_statements(lowered.shader)
    for f in lowered.shader.all_functions:
        for s in walk(f.body):
            for inner in blocks_of(s):
                for child in inner:
                    assert lowered.starts[id(child)] >= lowered.starts[id(s)]


# -------------------------------------------------------------------------------------------------------- spelling

BLANKS = st.sampled_from([" ", "\n", "\t", "\r\n", "\u2028", " /* x */ ", " // y\n", " /* /* */ */"])
TOKENS = re.compile(r"\w+|<=|>=|==|!=|<<|>>|&&|\|\||->|[^\s]")


@given(shaders(SMALL), st.data())
def test_blanks_and_comments_make_no_difference(shader: Shader, data: st.DataObject) -> None:
    tokens = TOKENS.findall(print_shader(shader))
    blanks = data.draw(st.lists(BLANKS, min_size=1, max_size=5))
    text = "".join(token + blanks[i % len(blanks)] for i, token in enumerate(tokens))
    assert parse(text) == shader


@given(shaders(SMALL))
def test_parentheses_that_wgsl_does_not_need_make_no_difference(shader: Shader) -> None:
    """Every statement's expression in one more pair: after `=`, `return` and in conditions."""
    text = re.sub(r"(?m)^( *+(?!var).* = | *return | *break if )(.*);$", r"\1((\2));", print_shader(shader))
    text = re.sub(r"(?m)if \((.*)\) \{$", r"if ((\1)) {", text)
    assert parse(text) == shader


@given(shaders(), st.randoms(use_true_random=False))
def test_declarations_may_stand_in_any_order(shader: Shader, random: Random) -> None:
    text = print_shader(shader)
    parts = re.findall(r"(?ms)^(?:@group|var<).*?;$|^(?:fn |@compute).*?^\}", text)
    assert len(parts) == len(shader.arrays) + len(shader.all_functions)
    random.shuffle(parts)
    shuffled = parse("\n".join(parts))
    assert {a.name: a for a in shuffled.arrays} == {a.name: a for a in shader.arrays}
    assert {f.name: f.params for f in shuffled.functions} == {f.name: f.params for f in shader.functions}
    declared: set[str] = set()
    for f in shuffled.all_functions:
        assert all(s.function in declared for s in walk(f.body) if isinstance(s, Call))
        declared.add(f.name)
