"""WGSL's arithmetic, where it is not Python's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.tinywgsl.ast import ARITHMETIC, BITWISE, SHIFTS, Type
from wgsl_fuzz.tinywgsl.values import I32_MAX, I32_MIN, U32_MAX, binary, convert, unary

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
