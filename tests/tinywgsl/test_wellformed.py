"""Well-formedness: each rule is named when it alone is broken."""

from dataclasses import replace

import pytest

from tests.tinywgsl.wellformed import violations
from tests.wgsl.reading import parse
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.tinywgsl import ast

_ZERO, _TRUE = ast.Literal(0, ast.Type.U32), ast.Literal(True, ast.Type.BOOL)
_F = ast.Function("f", (ast.Variable("p", ast.Type.U32),), (), (ast.Return(_ZERO),), ast.Type.U32)
_END = (ast.Barrier(99),)
_BREAK_IF = ast.If(_TRUE, (ast.Break(),), ())


def _main(*ss: ast.Stmt, functions: tuple[ast.Function, ...] = (), end: ast.Block = _END) -> ast.Shader:
    x = ast.Variable("x", ast.Type.U32)
    arrays = (ast.SharedArray("A", ast.Type.U32, 4, ast.Space.STORAGE),)
    return ast.Shader(arrays, functions, ast.Function("main", (), (x,), (*ss, *end), None), 2)


def _rules(shader: ast.Shader, **options: bool) -> set[str]:
    return {v.rule for v in violations(shader, **options)}


def _looping(*continuing: ast.Stmt) -> ast.Shader:
    return _main(ast.Loop(1, (ast.Continue(2),), continuing))


_RETURNING = _main(ast.If(_TRUE, (ast.Return(None),), ()))
_G = ast.Function(
    "g", (), (ast.Variable("y", ast.Type.U32),), (ast.Call(1, "y", "f", (_ZERO,)), ast.Return(_ZERO)), ast.Type.U32
)
BROKEN = [
    (0, _main(ast.Call(1, "x", "f", (_ZERO,)), functions=(_F,))),
    (1, _RETURNING),
    (1, _main(end=())),
    (2, _main(functions=(replace(_F, params=(ast.Variable("x", ast.Type.U32),)),))),
    (2, _main(functions=(replace(_F, locals=(ast.Variable("p", ast.Type.U32),)),))),
    (3, _main(ast.Loop(1, (ast.Break(),), ()))),
    (3, _main(ast.Loop(1, (), (_BREAK_IF,)))),
    (4, _main(ast.Barrier(1), ast.Barrier(1))),
    (4, _main(ast.Loop(1, (ast.Continue(1),), (_BREAK_IF,)))),
    (0, _main(functions=(_F, _G))),
    (6, _main(functions=(_G, _F))),
    (7, _looping(_BREAK_IF, ast.Assign("x", _ZERO))),
    (7, _looping(ast.If(_TRUE, (ast.Break(),), (ast.Assign("x", _ZERO),)))),
    (7, _looping(ast.If(_TRUE, (ast.Continue(3),), ()), _BREAK_IF)),
    (7, _looping(ast.If(_TRUE, (ast.Return(None),), ()), _BREAK_IF)),
    (0, _looping(ast.Loop(3, (ast.Break(), ast.Continue(4)), ()), _BREAK_IF)),  # jumps of inner loops
]
"""Shaders, each with the number of the restriction that it breaks; 0: none."""


@pytest.mark.parametrize(("number", "shader"), BROKEN)
def test_restrictions(number: int, shader: ast.Shader) -> None:
    wanted = {f"restriction {number}"} if number else set()
    assert wanted <= _rules(shader) <= (wanted | {"restriction 1"} if number == 7 else wanted)


def test_main_may_return() -> None:
    assert _rules(_RETURNING, main_may_return=True) == set()


@pytest.mark.parametrize(
    ("shader", "says"),
    [
        (_main(ast.Loop(1, (ast.Continue(2),), ())), "cannot be left"),
        (_main(ast.Loop(1, (ast.Continue(2), ast.Break(), ast.Continue(3)), ())), "cannot be left"),
        (_main(functions=(replace(_F, body=(ast.If(_TRUE, (ast.Return(_ZERO),), ()),)),)), "without a return"),
        (_main(ast.Break()), "break outside a loop"),
        (_main(ast.Continue(1)), "continue outside a loop"),
    ],
)
def test_what_wgsl_adds(shader: ast.Shader, says: str) -> None:
    found = violations(shader)
    assert any(says in v.message and v.rule == "wgsl" for v in found), found


def test_deep_nesting_is_refused() -> None:
    ss: ast.Block = ()
    for _ in range(120):
        ss = (ast.If(_TRUE, ss, ()),)
    assert any("nested" in v.message for v in violations(_main(*ss)))


def test_shaders_keep_restriction_1_unless_main_may_return() -> None:
    for seed in range(300):
        shader = draw_shader(seed)
        assert {v.rule for v in violations(shader)} <= {"restriction 1"}


def test_the_parser_and_the_rules_agree_that_a_figure_is_well_formed() -> None:
    text = "@compute @workgroup_size(2) fn main() { loop { break; } workgroupBarrier(); }"
    assert violations(parse(text)) == []
