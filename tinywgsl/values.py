"""What WGSL's operators compute: `(σ, τ)(e)` of section 3.2, which the paper leaves abstract.

Values are Python integers in the range of their type, and `bool`s. All operators are total and deterministic:
u32 and i32 wrap, x / 0 = x, x % 0 = 0, MIN / -1 = MIN, MIN % -1 = 0, `/` and `%` of i32
truncate, and shift amounts are taken modulo 32.
"""

import operator
from collections.abc import Callable

from wgsl_fuzz.tinywgsl import functions
from wgsl_fuzz.tinywgsl.ast import SHIFTS, Type

U32_MAX = 2**32 - 1
I32_MIN = -(2**31)
I32_MAX = 2**31 - 1


def wrap(value: int, type: Type) -> int:
    """The representative of `value` modulo 2^32 in the range of `type` (u32 or i32)."""
    value &= U32_MAX
    return value - 2**32 if type is Type.I32 and value > I32_MAX else value


def _divide(a: int, b: int) -> int:
    if b == 0:
        return a
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": lambda a, b: 0 if b == 0 else a - b * _divide(a, b),
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": lambda a, b: a << (b & 31),
    ">>": lambda a, b: a >> (b & 31),
    **functions.BINARY,
}
_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    **functions.RELATIONS,
    "&&": lambda a, b: bool(a and b),
    "||": lambda a, b: bool(a or b),
}


def exact(op: str, a: int, b: int) -> int:
    """`a op b` of integers of any size; amounts of shifts are taken modulo 64."""
    if op in SHIFTS:
        return a << (b & 63) if op == "<<" else a >> (b & 63)
    return _BINARY[op](a, b)


def binary(op: str, a: int, b: int, type: Type) -> int:
    """`a op b` where the left operand has `type`."""
    relation = _RELATIONS.get(op)
    if relation is not None:
        return relation(a, b)
    result = _BINARY[op](a, b)
    return bool(result) if type is Type.BOOL else wrap(result, type)


def unary(op: str, a: int, type: Type) -> int:
    """`op a` for an operand of `type`."""
    if op == "!":
        return not a
    if op == "-" or op == "~":
        return wrap(-a if op == "-" else ~a, type)
    return wrap(functions.UNARY[op](a), type)


def convert(a: int, type: Type) -> int:
    """`type(a)`: bits are kept between u32 and i32; zero is false."""
    return bool(a) if type is Type.BOOL else wrap(int(a), type)
