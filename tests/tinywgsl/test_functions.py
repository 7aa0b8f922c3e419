"""Built-in functions as operators: total, and of floats what IEEE 754 says."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgsl_fuzz.tinywgsl.ast import Type
from wgsl_fuzz.tinywgsl.functions import BINARY, UNARY, bits_of, float_of
from wgsl_fuzz.tinywgsl.values import I32_MAX, I32_MIN, U32_MAX, binary, unary

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
