"""The operators of WGSL on values of TinyWGSL: their types, and arithmetic on integers without a suffix."""

from typing import NoReturn

from wgsl_fuzz.tinywgsl.ast import COMPARISONS, SHIFTS, Binary, Expr, Lid, Literal, Local, Type, operands_of
from wgsl_fuzz.tinywgsl.constants import const_value
from wgsl_fuzz.tinywgsl.values import I32_MAX, I32_MIN, U32_MAX, binary, exact
from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.syntax import Node

Value = Expr | int
"""An expression; an `int` is a const-expression of WGSL's type AbstractInt, which is no type of TinyWGSL."""

Typed = tuple[Value, Type | None]
"""A value and its type; None for an AbstractInt."""

U32, I32, BOOL = Type.U32, Type.I32, Type.BOOL

I64_MAX = 2**63 - 1
"""The largest integer without a suffix."""
MAX_OPERATORS = 400
"""Operators within operators; Tint gives up at about 600."""

_OF_BOOLS = frozenset({"==", "!=", "&", "|"})


def operate(op: str, left: Typed, right: Typed, at: Node) -> Typed:
    """`left op right` for an operator that evaluates both; raises LoweringProblem if their types do not fit it."""
    type = left[1]
    if type is None or type is not right[1] or op in SHIFTS:
        return _unlike(op, left, right, at)
    if type is BOOL and op not in _OF_BOOLS:
        mismatch(op, BOOL, BOOL, at)
    result = Binary(op, left[0], right[0])  # type: ignore[arg-type]
    return result, BOOL if op in COMPARISONS else type


def mismatch(op: str, left: Type | None, right: Type | None, at: Node) -> NoReturn:
    """Raises the error for operands of the wrong types."""
    raise LoweringProblem(f"{op} does not take {_said(left)} and {_said(right)}", at.start)


def as_type(found: Typed, type: Type, at: Node) -> Expr:
    """A value that has the type, or is a number that converts to it; raises LoweringProblem for others."""
    value, its_type = found
    if isinstance(value, int):
        return concrete(value, type, at)
    if its_type is not type:
        raise LoweringProblem(f"expected {type.value}, found {_said(its_type)}", at.start)
    return value


def concrete(value: int, type: Type, at: Node) -> Literal:
    """An AbstractInt as a literal of a type."""
    if type is BOOL:
        raise LoweringProblem("expected bool, found an integer", at.start)
    low, high = (0, U32_MAX) if type is U32 else (I32_MIN, I32_MAX)
    if not low <= value <= high:
        raise LoweringProblem(f"{value} does not fit {type.value}", at.start)
    return Literal(value, type)


def in_64_bits(value: int, at: Node) -> int:
    """An AbstractInt; raises LoweringProblem if it is too large for one."""
    if not -I64_MAX - 1 <= value <= I64_MAX:
        raise LoweringProblem(f"{value} does not fit a 64-bit integer", at.start)
    return value


_FLAT = frozenset({int, Literal, Local, Lid})


def check_depth(value: Value, at: Node) -> None:
    """Raises LoweringProblem for an expression so deep that whoever walks it would run out of stack."""
    if value.__class__ not in _FLAT and not isinstance(value, int) and _depth(value) > MAX_OPERATORS:
        raise LoweringProblem(f"more than {MAX_OPERATORS} nested operators", at.start)


def _said(type: Type | None) -> str:
    return "an integer" if type is None else type.value


def _depth(e: Expr) -> int:
    """The operators within operators of `e`. Not recursive: its caller fears the answer."""
    depth, layer = 0, operands_of(e)
    while layer:
        depth, layer = depth + 1, tuple([inner for operand in layer for inner in operands_of(operand)])
    return depth


def _unlike(op: str, left: Typed, right: Typed, at: Node) -> Typed:
    """`left op right` where a number must take the other's type, where both are numbers, and for shifts."""
    if op in SHIFTS:
        return _shift(op, left, right, at)
    (a, a_type), (b, b_type) = left, right
    if isinstance(a, int):
        if isinstance(b, int):
            return _fold(op, a, b, at)
        if b_type is None or b_type is BOOL:
            mismatch(op, a_type, b_type, at)
        return operate(op, (concrete(a, b_type, at), b_type), right, at)
    if not isinstance(b, int) or a_type is None or a_type is BOOL:
        mismatch(op, a_type, b_type, at)
    return operate(op, left, (concrete(b, a_type, at), a_type), at)


def _shift(op: str, left: Typed, right: Typed, at: Node) -> Typed:
    (a, a_type), (b, b_type) = left, right
    if isinstance(a, int):
        if isinstance(b, int):
            return _fold(op, a, b, at)
        if b_type is U32 and _depth(b) <= MAX_OPERATORS and (amount := const_value(b)) is not None:
            return _fold(op, a, amount, at)
        a, a_type = concrete(a, I32, at), I32
    if isinstance(b, int):
        b, b_type = concrete(b, U32, at), U32
    if a_type is BOOL or b_type is not U32:
        mismatch(op, a_type, b_type, at)
    return Binary(op, a, b), a_type


def _fold(op: str, a: int, b: int, at: Node) -> Typed:
    """`a op b` on AbstractInts: exact, in 64 bits."""
    if op in COMPARISONS:
        return Literal(binary(op, a, b, I32), BOOL), BOOL
    if op in "/%" and b == 0:
        raise LoweringProblem("constant divisor of zero", at.start)
    if op in SHIFTS and not 0 <= b < 64:
        raise LoweringProblem("constant shift by 64 or more", at.start)
    return in_64_bits(exact(op, a, b), at), None
