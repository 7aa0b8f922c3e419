"""The core: behaviours (Fig. 8, whose lines `test_against_transcription.py` holds against the paper), values, trees."""

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies.drawn import shaders
from wgsl_fuzz.strategies import SMALL_TINY
from wgsl_fuzz.tinywgsl import ast, behaviour
from wgsl_fuzz.tinywgsl.ast import ARITHMETIC, BITWISE, SHIFTS, Type
from wgsl_fuzz.tinywgsl.functions import BINARY, UNARY, bits_of, float_of
from wgsl_fuzz.tinywgsl.values import I32_MAX, I32_MIN, U32_MAX, binary, convert, unary


@given(shaders(SMALL_TINY))
def test_what_is_remembered_is_what_would_be_computed(shader: ast.Shader) -> None:
    """One analysis for a whole shader answers as a new one for each question, also when asked again."""
    behaviours = behaviour.CoreBehaviourAnalysis()
    statements = [s for f in shader.all_functions for s in ast.walk(f.body)]
    for s in [*statements, *reversed(statements)]:
        assert behaviours.statement(s) == behaviour.CoreBehaviourAnalysis().statement(s)
        assert [behaviours.block(ss) for ss in ast.blocks_of(s)] == [
            behaviour.CoreBehaviourAnalysis().block(ss) for ss in ast.blocks_of(s)
        ]


# -------------------------------------------------------------------------- WGSL's arithmetic, where it is not Python's


_U32 = st.integers(0, U32_MAX)
_I32 = st.integers(I32_MIN, I32_MAX)


@given(st.sampled_from(sorted(ARITHMETIC | BITWISE)), _I32, _I32)
def test_i32_results_stay_in_range(op: str, a: int, b: int) -> None:
    assert I32_MIN <= binary(op, a, b, Type.I32) <= I32_MAX


@given(st.sampled_from(sorted(ARITHMETIC | BITWISE | SHIFTS)), _U32, _U32)
def test_u32_results_stay_in_range(op: str, a: int, b: int) -> None:
    assert 0 <= binary(op, a, b, Type.U32) <= U32_MAX


@given(_I32, _I32.filter(bool))
def test_division_and_remainder_of_i32_belong_together(a: int, b: int) -> None:
    quotient, remainder = binary("/", a, b, Type.I32), binary("%", a, b, Type.I32)
    assert binary("+", binary("*", quotient, b, Type.I32), remainder, Type.I32) == a
    assert abs(remainder) < abs(b)
    assert remainder == 0 or (remainder < 0) == (a < 0)  # truncation, not Python's floor


@pytest.mark.parametrize(
    ("op", "a", "b", "type", "result"),
    [
        ("/", -7, 2, Type.I32, -3),
        ("%", -7, 2, Type.I32, -1),
        ("/", 5, 0, Type.U32, 5),
        ("%", 5, 0, Type.U32, 0),
        ("/", I32_MIN, -1, Type.I32, I32_MIN),
        ("%", I32_MIN, -1, Type.I32, 0),
        ("+", U32_MAX, 1, Type.U32, 0),
        ("-", 0, 1, Type.U32, U32_MAX),
        ("*", 2**31, 2, Type.U32, 0),
        ("+", I32_MAX, 1, Type.I32, I32_MIN),
        ("<<", 1, 33, Type.U32, 2),
        (">>", -8, 1, Type.I32, -4),
        ("<<", 1, 31, Type.I32, I32_MIN),
        ("<", -1, 0, Type.I32, True),
        ("&", True, False, Type.BOOL, False),
        ("||", True, False, Type.BOOL, True),
    ],
)
def test_results(op: str, a: int, b: int, type: Type, result: int) -> None:
    got = binary(op, a, b, type)
    assert got == result
    assert isinstance(got, bool) == isinstance(result, bool)


def test_unary_and_conversions() -> None:
    assert unary("-", I32_MIN, Type.I32) == I32_MIN
    assert unary("~", 0, Type.U32) == U32_MAX
    assert unary("~", 0, Type.I32) == -1
    assert unary("!", True, Type.BOOL) is False
    assert convert(-1, Type.U32) == U32_MAX
    assert convert(U32_MAX, Type.I32) == -1
    assert convert(7, Type.BOOL) is True
    assert convert(True, Type.U32) == 1


# --------------------------------------------------------------------- What walks give: no node and no name is left out


def nodes_in(value: Any) -> Iterator[Any]:
    """The nodes anywhere in a value, found without any knowledge of the nodes."""
    if isinstance(value, tuple):
        for part in value:
            yield from nodes_in(part)
    elif is_dataclass(value):
        yield value
        for field in fields(value):
            yield from nodes_in(getattr(value, field.name))


@given(shaders())
def test_a_walk_leaves_nothing_out(shader: ast.Shader) -> None:
    for f in shader.all_functions:
        found = list(nodes_in(f.body))
        assert [id(s) for s in ast.walk(f.body)] == [id(s) for s in found if isinstance(s, ast.Stmt)]
        assert sorted(id(e) for e in ast.expressions_in(f.body)) == sorted(
            id(e) for e in found if isinstance(e, ast.Expr)
        )


@given(shaders())
def test_names_and_numbers_are_found(shader: ast.Shader) -> None:
    for f in shader.all_functions:
        found = list(nodes_in(f.body))
        written = [
            s.array if isinstance(s, ast.SharedAssign) else s.name
            for s in found
            if isinstance(s, ast.Assign | ast.Call | ast.SharedAssign)
        ]
        assert [name for s in ast.walk(f.body) if (name := ast.written_by(s))] == written
        locals_ = [node.name for node in found if isinstance(node, ast.Local | ast.Assign | ast.Call)]
        assert sorted(ast.locals_in(f.body)) == sorted(locals_)
        for e in (e for s in ast.walk(f.body) for e in ast.expressions_of(s)):
            reads = [n for n in nodes_in(e) if isinstance(n, ast.Local | ast.SharedRead)]
            assert [*ast.read_in(e)] == [n.name if isinstance(n, ast.Local) else n.array for n in reads]
        assert [ast.id_of(s) for s in ast.walk(f.body)] == [getattr(s, "id", None) for s in ast.walk(f.body)]


# --------------------------------------------- Built-in functions as operators: total, and of floats what IEEE 754 says


WORDS = st.sampled_from([0, 1, 0x7F800000, 0x7FC00000, 0xFF800000, 0x80000000, U32_MAX]) | st.integers(0, U32_MAX)


@pytest.mark.parametrize("op", BINARY)
@settings(max_examples=20)
@given(a=WORDS, b=WORDS)
def test_binary_operators_are_total(op: str, a: int, b: int) -> None:
    assert 0 <= binary(op, a, b, Type.U32) <= U32_MAX


@pytest.mark.parametrize("op", UNARY)
@settings(max_examples=20)
@given(a=WORDS)
def test_unary_operators_are_total(op: str, a: int) -> None:
    assert 0 <= unary(op, a, Type.U32) <= U32_MAX


@given(st.floats(width=32, allow_nan=False))
def test_bits_of_f32_are_those_of_the_value(value: float) -> None:
    assert float_of(bits_of(value, "f32"), "f32") == value


@given(st.floats(width=32), st.floats(width=32))
def test_sums_are_rounded_to_nearest(a: float, b: float) -> None:
    found = float_of(binary("f32.+", bits_of(a, "f32"), bits_of(b, "f32"), Type.U32), "f32")
    exact = float_of(bits_of(a + b, "f32"), "f32")
    assert found == exact or (math.isnan(found) and math.isnan(exact))


@given(st.integers(I32_MIN, I32_MAX))
def test_integers_become_the_nearest_float_and_come_back_within_bounds(value: int) -> None:
    bits = unary("f32.from i32", value & U32_MAX, Type.U32)
    back = unary("f32.to i32", bits, Type.U32)
    signed = back - 2**32 if back > I32_MAX else back
    assert abs(signed - value) <= 64


def test_what_is_too_large_is_infinite() -> None:
    assert float_of(unary("f16.from u32", U32_MAX, Type.U32), "f16") == math.inf
    assert unary("f32.to u32", bits_of(math.inf, "f32"), Type.U32) == U32_MAX
    assert unary("f32.to u32", bits_of(math.nan, "f32"), Type.U32) == 0
