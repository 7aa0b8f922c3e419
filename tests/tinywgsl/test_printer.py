"""The printer: what it writes is read back as it was."""

from hypothesis import given

from tests.wgsl.reading import parse
from wgsl_fuzz.strategies import SMALL, shaders
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Binary,
    Convert,
    Function,
    Lid,
    Literal,
    Local,
    Shader,
    Type,
    Unary,
    Variable,
)
from wgsl_fuzz.tinywgsl.printer import print_expr, print_shader
from wgsl_fuzz.tinywgsl.values import I32_MIN


@given(shaders())
def test_a_printed_shader_parses_to_itself(shader: Shader) -> None:
    assert parse(print_shader(shader)) == shader


@given(shaders(SMALL))
def test_a_small_printed_shader_parses_to_itself(shader: Shader) -> None:
    assert parse(print_shader(shader)) == shader


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
