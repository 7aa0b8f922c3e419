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


def test_the_base_of_these_tests_is_well_formed() -> None:
    assert violations(_main(ast.Call(1, "x", "f", (_ZERO,)), functions=(_F,))) == []


def test_restriction_1() -> None:
    returning = _main(ast.If(_TRUE, (ast.Return(None),), ()))
    assert _rules(returning) == {"restriction 1"}
    assert _rules(_main(end=())) == {"restriction 1"}
    assert _rules(returning, main_may_return=True) == set()


def test_restriction_2() -> None:
    assert _rules(_main(functions=(replace(_F, params=(ast.Variable("x", ast.Type.U32),)),))) == {"restriction 2"}
    assert _rules(_main(functions=(replace(_F, locals=(ast.Variable("p", ast.Type.U32),)),))) == {"restriction 2"}


def test_restriction_3() -> None:
    assert _rules(_main(ast.Loop(1, (ast.Break(),), ()))) == {"restriction 3"}
    assert _rules(_main(ast.Loop(1, (), (_BREAK_IF,)))) == {"restriction 3"}


def test_restriction_4() -> None:
    assert _rules(_main(ast.Barrier(1), ast.Barrier(1))) == {"restriction 4"}
    assert _rules(_main(ast.Loop(1, (ast.Continue(1),), (_BREAK_IF,)))) == {"restriction 4"}


def test_restriction_6() -> None:
    g = ast.Function(
        "g", (), (ast.Variable("y", ast.Type.U32),), (ast.Call(1, "y", "f", (_ZERO,)), ast.Return(_ZERO)), ast.Type.U32
    )
    assert _rules(_main(functions=(_F, g))) == set()
    assert _rules(_main(functions=(g, _F))) == {"restriction 6"}


@pytest.mark.parametrize(
    "continuing",
    [
        (_BREAK_IF, ast.Assign("x", _ZERO)),
        (ast.If(_TRUE, (ast.Break(),), (ast.Assign("x", _ZERO),)),),
        (ast.If(_TRUE, (ast.Continue(3),), ()), _BREAK_IF),
        (ast.If(_TRUE, (ast.Return(None),), ()), _BREAK_IF),
    ],
)
def test_restriction_7(continuing: ast.Block) -> None:
    assert "restriction 7" in _rules(_main(ast.Loop(1, (ast.Continue(2),), continuing)))


def test_restriction_7_allows_jumps_of_inner_loops() -> None:
    inner = ast.Loop(3, (ast.Break(), ast.Continue(4)), ())
    assert violations(_main(ast.Loop(1, (ast.Continue(2),), (inner, _BREAK_IF)))) == []


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
