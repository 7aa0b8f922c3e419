"""The printer: what it writes is read back as it was, and says where each statement stands."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.strategies import DEFAULT, SMALL, shaders
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Binary,
    Continue,
    Convert,
    Function,
    Lid,
    Literal,
    Local,
    Loop,
    Shader,
    Type,
    Unary,
    Variable,
    walk,
)
from wgsl_fuzz.tinywgsl.printer import print_expr, print_shader, print_with_positions
from wgsl_fuzz.tinywgsl.values import I32_MIN
from wgsl_fuzz.wgsl.reading import parse, parse_with_positions


@given(shaders())
def test_a_printed_shader_parses_to_itself(shader: Shader) -> None:
    assert parse(print_shader(shader)) == shader


@given(shaders(SMALL))
def test_a_small_printed_shader_parses_to_itself(shader: Shader) -> None:
    assert parse(print_shader(shader)) == shader


@given(shaders(DEFAULT))
def test_a_tacit_text_lacks_only_continues_that_parsing_adds(shader: Shader) -> None:
    full, tacit = print_shader(shader).splitlines(), print_shader(shader, tacit=True)
    assert parse(tacit) == shader
    loops = [s for f in shader.all_functions for s in walk(f.body) if isinstance(s, Loop)]
    said_twice = [loop for loop in loops if [type(s) for s in loop.body[-2:]] == [Continue, Continue]]
    left = iter(full)
    assert all(line in left for line in tacit.splitlines()), "the lines of the full text, in their order"
    gone = Counter(line.strip() for line in full) - Counter(line.strip() for line in tacit.splitlines())
    assert gone == Counter({"continue;": len(loops) - len(said_twice)})


def test_a_continue_behind_another_is_said() -> None:
    """Parsing adds none behind a `continue`, be it dead code."""
    for last in ("continue;", "continue; continue;", "continue; break; continue;", "break;", ""):
        text = f"@compute @workgroup_size(2) fn main() {{ loop {{ {last} continuing {{ break if true; }} }} }}"
        shader = parse(text)
        assert parse(print_shader(shader, tacit=True)) == shader
    assert print_shader(parse(text), tacit=True).splitlines()[2:4] == ["  loop {", "    continuing {"]


@given(shaders(DEFAULT), st.booleans())
def test_printer_and_parser_agree_on_positions(shader: Shader, tacit: bool) -> None:
    printed = print_with_positions(shader, tacit=tacit)
    assert printed.text == print_shader(shader, tacit=tacit)
    parsed = parse_with_positions(printed.text)
    for mine, theirs in zip(shader.all_functions, parsed.shader.all_functions, strict=True):
        for s, t in zip(walk(mine.body), walk(theirs.body), strict=True):
            assert printed.positions[id(s)] == parsed.positions[id(t)]


def test_operands_that_would_read_otherwise_are_parenthesised() -> None:
    five = Literal(5, Type.I32)
    assert print_expr(Unary("-", five)) == "-(5i)"
    assert print_expr(Literal(-5, Type.I32)) == "-5i"
    assert print_expr(Unary("-", Unary("-", Local("x", Type.I32)))) == "-(-x)"
    assert print_expr(Binary("-", five, Binary("-", five, five))) == "5i - (5i - 5i)"
    assert print_expr(Literal(I32_MIN, Type.I32)) == "i32(-2147483648)"
    assert print_expr(Convert(Type.I32, Binary("+", Lid(), Lid()))) == "i32((lid + lid))"


def test_an_assigned_parameter_is_copied_under_a_free_name() -> None:
    p, taken = Variable("p", Type.U32), Variable("p_in", Type.U32)
    body = (Assign("p", Local("p_in", Type.U32)),)
    f = Function("f", (p,), (taken,), body, Type.U32)
    text = print_shader(Shader((), (f,), Function("main", (), (), (), None), 2))
    assert "fn f(p_in_1: u32) -> u32 {\n  var p: u32 = p_in_1;\n" in text
