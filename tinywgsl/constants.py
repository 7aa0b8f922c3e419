"""Const-expressions: what a WGSL compiler computes, and what it refuses to compute (docs/paper-notes.md, note 5).

TinyWGSL's literals have their type, so + - * and unary minus wrap silently; what is left to refuse was tried on Tint.
"""

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.values import I32_MIN, U32_MAX, binary, convert, unary


def const_value(e: core.Expr) -> int | None:
    """The value of a const-expression (one without variables); None if `e` is not one."""
    match e:
        case core.Literal():
            return e.value
        case core.Unary():
            a = const_value(e.operand)
            return None if a is None else unary(e.op, a, core.type_of(e.operand))
        case core.Convert():
            a = const_value(e.operand)
            return None if a is None else convert(a, e.type)
        case core.Binary():
            a, b = const_value(e.left), const_value(e.right)
            return None if a is None or b is None else binary(e.op, a, b, core.type_of(e.left))
        case _:
            return None


def refusal(e: core.Expr) -> str | None:
    """Why a compiler refuses this operation itself (not its operands) at compile time; None if it does not."""
    if not isinstance(e, core.Binary) or e.op not in ("/", "%", "<<", ">>"):
        return None
    b = const_value(e.right)
    if b is None:
        return None
    a = const_value(e.left)
    type = core.type_of(e.left)
    if e.op in ("/", "%"):
        if b == 0:
            return "constant divisor of zero"
        overflows = type is core.Type.I32 and a == I32_MIN and b == -1
        return "constant division overflows" if overflows else None
    if b >= 32:
        return "constant shift by 32 or more"
    if e.op == "<<" and a is not None and _loses_bits(a, b, type):
        return "constant shift loses bits"
    return None


def _loses_bits(a: int, amount: int, type: core.Type) -> bool:
    """u32: a one is shifted out; i32: the bits shifted out and the new sign are not all equal."""
    if type is core.Type.U32:
        return a << amount > U32_MAX
    return not I32_MIN <= a << amount < 2**31


def refusals(e: core.Expr) -> list[str]:
    """Every compile-time error in a const-expression and inside it."""
    found = [] if (why := refusal(e)) is None else [why]
    for operand in _evaluated(e):
        found += refusals(operand)
    return found


def _evaluated(e: core.Expr) -> tuple[core.Expr, ...]:
    """The operands that a compiler evaluates: `false && e` and `true || e` hide their right side."""
    if isinstance(e, core.Binary) and e.op in core.LOGICAL:
        left = const_value(e.left)
        if left is not None and bool(left) == (e.op == "||"):
            return (e.left,)
    return core.operands_of(e)
