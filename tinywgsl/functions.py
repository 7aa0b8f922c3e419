"""What built-in functions of WGSL compute, as operators on scalars that no text of TinyWGSL has.

An f32 or f16 is a u32 with its bits here: `f32.+` adds two of them. Comparisons of these give 0 or 1. Every operator is
total; what WGSL leaves open is IEEE 754, rounded to nearest.
"""

import math
import operator
import struct
from collections.abc import Callable

_MASK = 2**32 - 1
_BITS = {"f32": ("<f", "<I"), "f16": ("<e", "<H")}


def bits_of(value: float, type: str) -> int:
    """The bits of the nearest value of a type, `f32` or `f16`."""
    number, integer = _BITS[type]
    try:
        packed = struct.pack(number, float(value))
    except OverflowError:
        packed = struct.pack(number, math.copysign(math.inf, value))
    return int(struct.unpack(integer, packed)[0])


def float_of(bits: int, type: str) -> float:
    """The value of a type that has these bits."""
    number, integer = _BITS[type]
    mask = 0xFFFFFFFF if type == "f32" else 0xFFFF
    return float(struct.unpack(number, struct.pack(integer, bits & mask))[0])


def _guarded(f: Callable[..., float]) -> Callable[..., float]:
    """A function of the reals with NaN where it has no value."""

    def total(*arguments: float) -> float:
        try:
            return float(f(*arguments))
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan

    return total


def _divided(a: float, b: float) -> float:
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


REAL_BINARY: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divided,
    "%": _guarded(math.fmod),
    "min": min,
    "max": max,
    "pow": _guarded(math.pow),
    "atan2": _guarded(math.atan2),
    "step": lambda a, b: float(a <= b),
    "ldexp": _guarded(lambda a, b: math.ldexp(a, int(b))),
}
RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""Of floats and integers."""
REAL_UNARY: dict[str, Callable[[float], float]] = {
    "-": lambda a: -a,
    "abs": abs,
    "sign": lambda a: float(a > 0) - float(a < 0),
    "saturate": lambda a: min(max(a, 0.0), 1.0),
    "fract": _guarded(lambda a: a - math.floor(a)),
    "inverseSqrt": _guarded(lambda a: _divided(1.0, math.sqrt(a))),
    "exp2": _guarded(lambda a: 2.0**a),
    "radians": math.radians,
    "degrees": math.degrees,
    "quantizeToF16": lambda a: float_of(bits_of(a, "f16"), "f16"),
    "round": _guarded(round),
    "fraction": lambda a: math.frexp(a)[0],
    "exponent": lambda a: float(math.frexp(a)[1]),
    **{name: _guarded(getattr(math, name)) for name in ("floor", "ceil", "trunc", "sqrt", "exp", "log", "log2")},
    **{name: _guarded(getattr(math, name)) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: _guarded(getattr(math, name)) for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")},
}


def _on_bits(f: Callable[[float, float], float], type: str) -> Callable[[int, int], int]:
    return lambda a, b: bits_of(f(float_of(a, type), float_of(b, type)), type)


def _relation_on_bits(f: Callable[[float, float], bool], type: str) -> Callable[[int, int], int]:
    return lambda a, b: int(f(float_of(a, type), float_of(b, type)))


def _unary_on_bits(f: Callable[[float], float], type: str) -> Callable[[int], int]:
    return lambda a: bits_of(f(float_of(a, type)), type)


def saturated(value: float, least: int, most: int) -> int:
    """A float as an integer: truncated, and within bounds; NaN is 0."""
    if math.isnan(value):
        return 0
    return int(min(max(value, least), most))


def _from_integer(type: str, *, signed: bool) -> Callable[[int], int]:
    return lambda a: bits_of((a & _MASK) - (2**32 if signed and a & 2**31 else 0), type)


def _to_integer(type: str, least: int, most: int) -> Callable[[int], int]:
    return lambda a: saturated(float_of(a, type), least, most)


def _trailing_bit(a: int) -> int:
    a &= _MASK
    return (a & -a).bit_length() - 1


BINARY: dict[str, Callable[[int, int], int]] = {
    "min": min,
    "max": max,
    **{f"{t}.{op}": _on_bits(f, t) for t in _BITS for op, f in REAL_BINARY.items()},
    **{f"{t}.{op}": _relation_on_bits(f, t) for t in _BITS for op, f in RELATIONS.items()},
}
"""By operator; the type of the result is that of the left operand."""

UNARY: dict[str, Callable[[int], int]] = {
    "abs": abs,
    "sign": lambda a: (a > 0) - (a < 0),
    "countOneBits": lambda a: (a & _MASK).bit_count(),
    "countLeadingZeros": lambda a: 32 - (a & _MASK).bit_length(),
    "countTrailingZeros": lambda a: 32 if a == 0 else _trailing_bit(a),
    "firstLeadingBit": lambda a: (~a if a < 0 else a).bit_length() - 1,  # of a negative one, the highest 0
    "firstTrailingBit": _trailing_bit,
    "reverseBits": lambda a: int(f"{a & _MASK:032b}"[::-1], 2),
    **{f"{t}.{op}": _unary_on_bits(f, t) for t in _BITS for op, f in REAL_UNARY.items()},
    **{f"{t}.from u32": _from_integer(t, signed=False) for t in _BITS},
    **{f"{t}.from i32": _from_integer(t, signed=True) for t in _BITS},
    **{f"{t}.to u32": _to_integer(t, 0, _MASK) for t in _BITS},
    **{f"{t}.to i32": _to_integer(t, -(2**31), 2**31 - 1) for t in _BITS},
    "f32.to f16": lambda a: bits_of(float_of(a, "f32"), "f16"),
    "f16.to f32": lambda a: bits_of(float_of(a, "f16"), "f32"),
}
"""By operator; the type of the result is that of the operand. What is signed is kept as the bits of a u32."""
