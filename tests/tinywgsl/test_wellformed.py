"""Well-formedness: each rule is named when it alone is broken."""

from dataclasses import replace

import pytest
from hypothesis import given

from tests.tinywgsl.wellformed import violations
from tests.wgsl.reading import parse
from wgsl_fuzz.strategies import draw_shader, shaders
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
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
    SharedArray,
    SharedRead,
    Space,
    Stmt,
    Type,
    Unary,
    Variable,
)

_ZERO, _TRUE = Literal(0, Type.U32), Literal(True, Type.BOOL)
_F = Function("f", (Variable("p", Type.U32),), (), (Return(_ZERO),), Type.U32)
_END = (Barrier(99),)
_BREAK_IF = If(_TRUE, (Break(),), ())


def _main(*ss: Stmt, functions: tuple[Function, ...] = (), end: Block = _END) -> Shader:
    x = Variable("x", Type.U32)
    arrays = (SharedArray("A", Type.U32, 4, Space.STORAGE),)
    return Shader(arrays, functions, Function("main", (), (x,), (*ss, *end), None), 2)


def _rules(shader: Shader, **options: bool) -> set[str]:
    return {v.rule for v in violations(shader, **options)}


def test_the_base_of_these_tests_is_well_formed() -> None:
    assert violations(_main(Call(1, "x", "f", (_ZERO,)), functions=(_F,))) == []


def test_restriction_1() -> None:
    returning = _main(If(_TRUE, (Return(None),), ()))
    assert _rules(returning) == {"restriction 1"}
    assert _rules(_main(end=())) == {"restriction 1"}
    assert _rules(returning, main_may_return=True) == set()


def test_restriction_2() -> None:
    assert _rules(_main(functions=(replace(_F, params=(Variable("x", Type.U32),)),))) == {"restriction 2"}
    assert _rules(_main(functions=(replace(_F, locals=(Variable("p", Type.U32),)),))) == {"restriction 2"}


def test_restriction_3() -> None:
    assert _rules(_main(Loop(1, (Break(),), ()))) == {"restriction 3"}
    assert _rules(_main(Loop(1, (), (_BREAK_IF,)))) == {"restriction 3"}


def test_restriction_4() -> None:
    assert _rules(_main(Barrier(1), Barrier(1))) == {"restriction 4"}
    assert _rules(_main(Loop(1, (Continue(1),), (_BREAK_IF,)))) == {"restriction 4"}


def test_restriction_6() -> None:
    g = Function("g", (), (Variable("y", Type.U32),), (Call(1, "y", "f", (_ZERO,)), Return(_ZERO)), Type.U32)
    assert _rules(_main(functions=(_F, g))) == set()
    assert _rules(_main(functions=(g, _F))) == {"restriction 6"}


@pytest.mark.parametrize(
    "continuing",
    [
        (_BREAK_IF, Assign("x", _ZERO)),
        (If(_TRUE, (Break(),), (Assign("x", _ZERO),)),),
        (If(_TRUE, (Continue(3),), ()), _BREAK_IF),
        (If(_TRUE, (Return(None),), ()), _BREAK_IF),
    ],
)
def test_restriction_7(continuing: Block) -> None:
    assert "restriction 7" in _rules(_main(Loop(1, (Continue(2),), continuing)))


def test_restriction_7_allows_jumps_of_inner_loops() -> None:
    inner = Loop(3, (Break(), Continue(4)), ())
    assert violations(_main(Loop(1, (Continue(2),), (inner, _BREAK_IF)))) == []


@pytest.mark.parametrize(
    ("shader", "says"),
    [
        (_main(Loop(1, (Continue(2),), ())), "cannot be left"),
        (_main(Loop(1, (Continue(2), Break(), Continue(3)), ())), "cannot be left"),
        (_main(functions=(replace(_F, body=(If(_TRUE, (Return(_ZERO),), ()),)),)), "without a return"),
        (_main(Break()), "break outside a loop"),
        (_main(Continue(1)), "continue outside a loop"),
        (_main(Assign("x", _TRUE)), "cannot be assigned"),
        (_main(Assign("y", _ZERO)), "cannot be assigned"),
        (_main(Assign("x", Local("y", Type.U32))), "not declared"),
        (_main(Assign("x", SharedRead("B", _ZERO, Type.U32))), "not declared"),
        (_main(Assign("x", SharedRead("A", Literal(4, Type.U32), Type.U32))), "out of bounds"),
        (_main(Assign("x", Binary("/", Lid(), _ZERO))), "divisor of zero"),
        (_main(Assign("x", Binary("<<", Lid(), Literal(32, Type.U32)))), "shift by 32"),
        (_main(Assign("x", Binary("+", Lid(), Literal(1, Type.I32)))), "does not take"),
        (_main(Assign("x", Unary("-", Lid()))), "does not take"),
        (_main(Assign("x", Literal(-1, Type.U32))), "is no u32"),
        (_main(If(_ZERO, (), ())), "not bool"),
        (_main(Call(1, "x", "f", ()), functions=(_F,)), "these arguments"),
        (_main(functions=(replace(_F, body=(Return(_TRUE),)),)), "does not return"),
        (_main(functions=(replace(_F, body=(Return(Lid()),)),)), "reads lid"),
        (_main(functions=(replace(_F, name="loop"),)), "not a usable name"),
        (_main(functions=(replace(_F, name="storage"),)), "not a usable name"),
        (_main(functions=(replace(_F, name="_"),)), "not a usable name"),
        (_main(functions=(replace(_F, name="__f"),)), "not a usable name"),
        (_main(functions=(replace(_F, name="A"),)), "same name"),
        (replace(_main(), workgroup_size=257), "workgroup size"),
        (replace(_main(), arrays=(SharedArray("A", Type.BOOL, 4, Space.STORAGE),)), "booleans"),
    ],
)
def test_what_wgsl_adds(shader: Shader, says: str) -> None:
    found = violations(shader)
    assert any(says in v.message and v.rule in ("wgsl", "restriction 6") for v in found), found


def test_deep_nesting_is_refused() -> None:
    ss: Block = ()
    for _ in range(120):
        ss = (If(_TRUE, ss, ()),)
    assert any("nested" in v.message for v in violations(_main(*ss)))


@given(shaders())
def test_drawn_shaders_are_well_formed(shader: Shader) -> None:
    assert violations(shader, main_may_return=True) == []


def test_shaders_keep_restriction_1_unless_main_may_return() -> None:
    for seed in range(300):
        shader = draw_shader(seed)
        assert {v.rule for v in violations(shader)} <= {"restriction 1"}


def test_the_parser_and_the_rules_agree_that_a_figure_is_well_formed() -> None:
    text = "@compute @workgroup_size(2) fn main() { loop { break; } workgroupBarrier(); }"
    assert violations(parse(text)) == []
