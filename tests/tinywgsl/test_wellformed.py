"""Well-formedness: each rule is named when it alone is broken."""

from dataclasses import replace

import pytest

from tests.tinywgsl.wellformed import violations
from wgsl_fuzz.tinywgsl import ast

_ZERO, _TRUE = ast.Literal(0, ast.Type.U32), ast.Literal(True, ast.Type.BOOL)
_F = ast.Function("f", (ast.Variable("p", ast.Type.U32),), (), (ast.Return(_ZERO),), ast.Type.U32)
_BREAK_IF = ast.If(_TRUE, (ast.Break(),), ())


def _main(*ss: ast.Stmt, functions: tuple[ast.Function, ...] = ()) -> ast.Shader:
    x = ast.Variable("x", ast.Type.U32)
    arrays = (ast.SharedArray("A", ast.Type.U32, 4, ast.Space.STORAGE),)
    return ast.Shader(arrays, functions, ast.Function("main", (), (x,), (*ss, ast.Barrier(99)), None), 2)


def _looping(*continuing: ast.Stmt) -> ast.Shader:
    return _main(ast.Loop(1, (_BREAK_IF, ast.Continue(2)), continuing))


@pytest.mark.parametrize(
    ("rules", "shader"),
    [
        ("", _main(ast.Call(1, "x", "f", (_ZERO,)), functions=(_F,))),
        ("", _looping(ast.Assign("x", _ZERO), _BREAK_IF)),
        ("(1)", _main(ast.If(_TRUE, (ast.Return(None),), ()))),
        ("(2)", _main(functions=(replace(_F, params=(ast.Variable("x", ast.Type.U32),)),))),
        ("(3)", _main(ast.Loop(1, (ast.Break(),), ()))),
        ("(4)", _main(ast.Barrier(1), ast.Barrier(1))),
        ("its", _looping(_BREAK_IF, ast.Assign("x", _ZERO))),
        ("its", _main(ast.Break())),
        ("its", _main(ast.Loop(1, (ast.Continue(2),), ()))),
    ],
)
def test_restrictions(rules: str, shader: ast.Shader) -> None:
    try:
        found = [rule.partition(" ")[0] for rule in violations(shader)]
    except Exception as problem:  # the front end refuses the text
        found = ["its"] if type(problem).__module__.startswith("wgsl_fuzz") else [repr(problem)]
    assert found == rules.split(), found


def test_main_may_return() -> None:
    assert violations(_main(ast.If(_TRUE, (ast.Return(None),), ())), main_may_return=True) == []
