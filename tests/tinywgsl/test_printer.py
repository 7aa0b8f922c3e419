"""The printer: what it writes is read back as it was."""

from hypothesis import given

from tests.wgsl.reading import parse
from wgsl_fuzz.strategies import shaders
from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.tinywgsl.printer import print_expr, print_shader
from wgsl_fuzz.tinywgsl.values import I32_MIN


@given(shaders())
def test_a_printed_shader_parses_to_itself(shader: ast.Shader) -> None:
    assert parse(print_shader(shader)) == shader


def test_operands_that_would_read_otherwise_are_parenthesised() -> None:
    five = ast.Literal(5, ast.Type.I32)
    assert print_expr(ast.Unary("-", five)) == "-(5i)"
    assert print_expr(ast.Literal(-5, ast.Type.I32)) == "-5i"
    assert print_expr(ast.Unary("-", ast.Unary("-", ast.Local("x", ast.Type.I32)))) == "-(-x)"
    assert print_expr(ast.Binary("-", five, ast.Binary("-", five, five))) == "5i - (5i - 5i)"
    assert print_expr(ast.Literal(I32_MIN, ast.Type.I32)) == "i32(-2147483648)"
    assert print_expr(ast.Convert(ast.Type.I32, ast.Binary("+", ast.Lid(), ast.Lid()))) == "i32((lid + lid))"


def test_an_assigned_parameter_is_copied_under_a_free_name() -> None:
    p, taken = ast.Variable("p", ast.Type.U32), ast.Variable("p_in", ast.Type.U32)
    body = (ast.Assign("p", ast.Local("p_in", ast.Type.U32)),)
    f = ast.Function("f", (p,), (taken,), body, ast.Type.U32)
    text = print_shader(ast.Shader((), (f,), ast.Function("main", (), (), (), None), 2))
    assert "fn f(p_in_1: u32) -> u32 {\n  var p: u32 = p_in_1;\n" in text
