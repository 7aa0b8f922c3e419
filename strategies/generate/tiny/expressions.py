"""The rows of expressions: operators, conversions, calls."""

from wgsl_fuzz.strategies.choices.source import Odds
from wgsl_fuzz.strategies.generate.tiny.drawer import ORDER, Drawer, ExpressionRow
from wgsl_fuzz.strategies.generate.tiny.environment import SCALARS, Group
from wgsl_fuzz.wgsl.syntax import Binary, Call, Expression, Identifier, Literal, Unary
from wgsl_fuzz.wgsl.types import BOOL, I32, U32, Scalar

_ARITHMETIC = Odds([("+", 6), ("-", 4), ("*", 3), ("&", 3), ("|", 2), ("^", 2), ("/", 2), ("%", 2)])
_COMPARED = Odds([(U32, 6), (I32, 2), (BOOL, 1)])
_EQUALITY = Odds([("==", 1), ("!=", 1)])
_NUMBERS = (U32, I32)


def arithmetic(drawer: Drawer, type: Scalar, depth: int) -> Expression:
    """`a + b` where no compiler can refuse it, otherwise `a`."""
    operator = drawer.source.weighted(_ARITHMETIC)
    left, right = drawer.expression(type, depth - 1), drawer.expression(type, depth - 1)
    constant = drawer.is_constant(right)
    return left if constant and (operator in "/%" or drawer.is_constant(left)) else Binary(operator, left, right)


def shift(drawer: Drawer, type: Scalar, depth: int) -> Expression:
    """`a << b` with less than 32 bits."""
    left = drawer.expression(type, depth - 1)
    amount: Expression = Literal(f"{drawer.source.integer(0, 4)}u")
    if drawer.source.percent(50):
        e = drawer.expression(U32, depth - 1)
        amount = amount if drawer.is_constant(e) else Binary("&", e, Literal("31u"))
    if drawer.is_constant(left) and drawer.is_constant(amount):
        return left
    return Binary(drawer.source.pick(("<<", ">>")), left, amount)


def negation(drawer: Drawer, type: Scalar, depth: int) -> Expression:
    """`~a` or `-a`."""
    operand = drawer.expression(type, depth - 1)
    if drawer.is_constant(operand):
        return operand
    return Unary("~" if drawer.source.percent(50) or type is U32 else "-", operand)


def comparison(drawer: Drawer, type: Scalar, depth: int) -> Expression:  # noqa: ARG001
    """`a < b`."""
    operand = drawer.source.weighted(_COMPARED)
    operator = drawer.source.weighted(_EQUALITY if operand is BOOL else ORDER)
    left, right = drawer.expression(operand, depth - 1), drawer.expression(operand, depth - 1)
    if drawer.is_constant(left) and drawer.is_constant(right):
        left = drawer.read(Group.LOCAL, operand) or left
    return Binary(operator, left, right)


def logical(drawer: Drawer, type: Scalar, depth: int) -> Expression:
    """`a & b` or `a | b` of bools, or `!a`."""
    operator = drawer.source.pick(("&", "|", "!"))
    left = drawer.expression(type, depth - 1)
    return Unary("!", left) if operator == "!" else Binary(operator, left, drawer.expression(type, depth - 1))


def short_circuit(drawer: Drawer, type: Scalar, depth: int) -> Expression:
    """`a && b` or `a || b`; what is on the right often is a call."""
    operator = drawer.source.pick(("&&", "||"))
    left = drawer.expression(type, depth - 1)
    right = called(drawer, type, depth - 1) if drawer.source.percent(40) else None
    return Binary(operator, left, right or drawer.expression(type, depth - 1))


def called(drawer: Drawer, type: Scalar, depth: int) -> Expression | None:
    """A call of a function of the module, or what compares or converts the result of one."""
    fitting = drawer.callees(type)
    if fitting:
        return drawer.call(drawer.source.pick(fitting), max(0, depth - 1))
    others = [f for f in drawer.callees() if f.result is not None]
    if not others:
        return None
    callee = drawer.source.pick(others)
    call = drawer.call(callee, max(0, depth - 1))
    assert callee.result is not None, "others have results"
    return drawer.compared(call, callee.result) if type is BOOL else Call(Identifier(type.name), (call,))


def conversion(drawer: Drawer, type: Scalar, depth: int) -> Expression | None:
    """`u32(a)`."""
    operand = drawer.expression(drawer.source.pick([s for s in SCALARS if s is not type]), depth - 1)
    return None if drawer.is_constant(operand) else Call(drawer.type_name(type), (operand,))


EXPRESSIONS = (
    ExpressionRow("arithmetic", 12, _NUMBERS, arithmetic),
    ExpressionRow("shift", 2, _NUMBERS, shift),
    ExpressionRow("negation", 4, _NUMBERS, negation),
    ExpressionRow("comparison", 12, (BOOL,), comparison),
    ExpressionRow("logical", 2, (BOOL,), logical),
    ExpressionRow("short-circuit", 4, (BOOL,), short_circuit),
    ExpressionRow("conversion", 3, _NUMBERS, conversion),
    ExpressionRow("called", 7, SCALARS, called),
)
