"""Expressions of TinyWGSL for the operators of WGSL on one scalar; what is constant is computed at once."""

from collections.abc import Sequence

from wgsl_fuzz.oracle.dynamics.modules.types import CannotRun
from wgsl_fuzz.tinywgsl import values
from wgsl_fuzz.tinywgsl.ast import COMPARISONS, LOGICAL, Binary, Convert, Expr, Literal, Type, Unary, type_of
from wgsl_fuzz.tinywgsl.functions import REAL_BINARY, REAL_UNARY, RELATIONS, bits_of
from wgsl_fuzz.wgsl.types import BOOL, FLOAT, I32, INT, U32, Scalar

TRUE, FALSE = Literal(True, Type.BOOL), Literal(False, Type.BOOL)


def u32(value: int) -> Literal:
    """A literal of type u32."""
    return Literal(value, Type.U32)


def binary(op: str, a: Expr, b: Expr) -> Expr:
    """`a op b` in TinyWGSL."""
    if isinstance(a, Literal) and isinstance(b, Literal):
        to_bool = op in COMPARISONS or op in LOGICAL
        return Literal(values.binary(op, a.value, b.value, a.type), Type.BOOL if to_bool else a.type)
    return Binary(op, a, b)


def unary(op: str, a: Expr) -> Expr:
    """`op a` in TinyWGSL."""
    return Literal(values.unary(op, a.value, a.type), a.type) if isinstance(a, Literal) else Unary(op, a)


def convert(type: Type, a: Expr) -> Expr:
    """`type(a)` in TinyWGSL; nothing if that is its type."""
    if isinstance(a, Literal):
        return Literal(values.convert(a.value, type), type)
    return a if type_of(a) is type else Convert(type, a)


def negated(a: Expr) -> Expr:
    """`!a`; a double negation is dropped."""
    return a.operand if isinstance(a, Unary) and a.op == "!" else unary("!", a)


def chosen(condition: Expr, then: Expr, orelse: Expr) -> Expr:
    """`select(orelse, then, condition)`: all three are evaluated, none has an effect."""
    if isinstance(condition, Literal):
        return then if condition.value else orelse
    if then == orelse:
        return then
    type = type_of(then)
    if type is Type.BOOL:
        return binary("|", binary("&", condition, then), binary("&", negated(condition), orelse))
    mask = binary("-", Literal(0, type), convert(type, condition))
    return binary("|", binary("&", mask, then), binary("&", unary("~", mask), orelse))


def one_of(index: Expr, choices: Sequence[tuple[int, Expr]]) -> Expr:
    """The expression whose number is `index`, which is one of the numbers: all are evaluated, the others masked."""
    found: Expr | None = None
    for number, e in choices:
        here: Expr = binary("==", index, u32(number))
        type = type_of(e)
        if type is not Type.BOOL:
            here = binary("-", Literal(0, type), convert(type, here))
        part = binary("&", here, e)
        found = part if found is None else binary("|", found, part)
    assert found is not None, "there is something to choose from"
    return found if len(choices) > 1 else choices[0][1]


# ------------------------------------------------------------------------------------------------------------ scalars


def zero(scalar: Scalar) -> Expr:
    """The zero value."""
    if scalar == BOOL:
        return FALSE
    return Literal(0.0 if scalar == FLOAT else 0, scalar.core)  # type: ignore[arg-type]


def one(scalar: Scalar) -> Expr:
    """The number 1."""
    return converted(Literal(1, Type.I32), INT, scalar)


def converted(a: Expr, source: Scalar, target: Scalar) -> Expr:
    """`target(a)` for an `a` of type `source`: an explicit conversion, or the one of a constant."""
    if source == target:
        return a
    if source.is_abstract:
        return _constant(_number(a), target)
    if target.is_abstract:
        raise CannotRun("a constant expression of a type that is not worked out")
    if target.is_float:
        return _to_float(a, source, target)
    if source.is_float:
        if target == BOOL:
            return operate("!=", source, a, zero(source))
        found = unary(f"{source.name}.to {target.name}", a)
        return convert(target.core, found)
    return convert(target.core, a)


def _number(a: Expr) -> float:
    """The value of a constant, an `int` if it is an integer."""
    if not isinstance(a, Literal):
        raise CannotRun("a constant expression that is not worked out")
    return a.value


def _constant(value: float, target: Scalar) -> Expr:
    if target.is_float:
        return u32(bits_of(float(value), target.name))
    if target == FLOAT:
        return Literal(float(value), Type.I32)  # type: ignore[arg-type]
    if target == INT:
        return Literal(int(value), Type.I32)
    return Literal(values.convert(bool(value) if target == BOOL else int(value), target.core), target.core)


def _to_float(a: Expr, source: Scalar, target: Scalar) -> Expr:
    if source.is_float:
        return unary(f"{source.name}.to {target.name}", a)
    if source == BOOL:
        return chosen(a, u32(bits_of(1.0, target.name)), u32(0))
    return unary(f"{target.name}.from {source.name}", convert(Type.U32, a))


def operate(op: str, scalar: Scalar, a: Expr, b: Expr) -> Expr:
    """`a op b` of two operands of one type, but for the amount of a shift, which is u32."""
    if scalar.is_abstract:
        return _on_constants(op, scalar, _number(a), _number(b))
    if not scalar.is_float:
        return binary(op, a, b)
    found = binary(f"{scalar.name}.{op}", a, b)
    return convert(Type.BOOL, found) if op in COMPARISONS else found


def _on_constants(op: str, scalar: Scalar, a: float, b: float) -> Expr:
    if op in RELATIONS:
        return Literal(RELATIONS[op](a, b), Type.BOOL)
    if scalar == FLOAT:
        return Literal(REAL_BINARY[op](a, b), Type.I32)  # type: ignore[arg-type]
    x, y = int(a), int(b)
    if op in ("/", "%") and y == 0:
        return Literal(0 if op == "/" else x, Type.I32)
    return Literal(values.exact(op, x, y), Type.I32)


def apply(function: str, scalar: Scalar, a: Expr) -> Expr:
    """A function of one scalar: `-`, `~`, `!`, or of `tinywgsl.functions`."""
    if function == "!":
        return negated(a)
    if scalar.is_abstract:
        number = _number(a)
        if scalar == INT:
            x = int(number)
            return Literal({"-": -x, "~": ~x, "abs": abs(x), "sign": (x > 0) - (x < 0)}[function], Type.I32)
        return Literal(REAL_UNARY[function](number), Type.I32)  # type: ignore[arg-type]
    if scalar.is_float:
        return unary(f"{scalar.name}.{function}", a)
    if scalar == U32 and function == "abs":
        return a
    return unary(function, a)


INDEX = frozenset({U32, I32, INT})
"""The types of an index."""
