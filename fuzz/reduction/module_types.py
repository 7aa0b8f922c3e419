"""Types of expressions, as texts, as far as a reduction needs them: to put only values of one type for each other."""

import re
from collections.abc import Mapping

from wgsl_fuzz.wgsl.print_expressions import expression_text, template_text
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Binary,
    Call,
    Const,
    Expression,
    Function,
    Identifier,
    Index,
    Let,
    Literal,
    Member,
    Override,
    Parameter,
    Unary,
    Variable,
)

ZEROS: Mapping[str, tuple[str, ...]] = {
    "bool": ("true", "false"),
    "u32": ("0u",),
    "i32": ("0i",),
    "f32": ("0f",),
}
"""By type: the simplest literals."""

_SUFFIXES = {"u": "u32", "i": "i32", "f": "f32", "h": "f16"}
_ELEMENTS = {"u": "u32", "i": "i32", "f": "f32", "h": "f16"}
_SHORT = re.compile(r"vec([234])([uifh])")
_VECTOR = re.compile(r"vec([234])<(\w+)>")
_CONVERSION = re.compile(r"bool|u32|i32|f32|f16|vec[234]<\w+>|vec[234][uifh]")
_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})


def type_text(e: Expression, resolution: Resolution) -> str | None:
    """`u32`, `vec3<f32>`, the name of a structure; None where the type is not known here."""
    match e:
        case Literal():
            return _of_literal(e.text)
        case Identifier():
            return _of_name(e, resolution)
        case Unary():
            inner = type_text(e.operand, resolution)
            return inner if e.operator in "!-~" else None
        case Binary():
            return _of_binary(e, resolution)
        case Index() | Member():
            return _of_part(e, resolution)
        case Call():
            return _of_call(e, resolution)


def _of_literal(text: str) -> str | None:
    if text in ("true", "false"):
        return "bool"
    return None if text.startswith(("0x", "0X")) and text[-1] == "f" else _SUFFIXES.get(text[-1])


def _named(type: Identifier | None) -> str | None:
    return None if type is None else _long(expression_text(type))


def _long(text: str) -> str:
    short = _SHORT.fullmatch(text)
    return f"vec{short[1]}<{_ELEMENTS[short[2]]}>" if short else text


def _of_name(e: Identifier, resolution: Resolution) -> str | None:
    declared = resolution.declaration(e)
    if not isinstance(declared, Variable | Let | Const | Override | Parameter):
        return None
    if declared.type is not None:
        return _named(declared.type)
    value = None if isinstance(declared, Parameter) else declared.value
    return None if value is None else type_text(value, resolution)


def _of_binary(e: Binary, resolution: Resolution) -> str | None:
    left, right = type_text(e.left, resolution), type_text(e.right, resolution)
    if e.operator in ("&&", "||"):
        return "bool"
    if e.operator in _COMPARISONS:
        return "bool" if left in ZEROS or right in ZEROS else None
    if e.operator in ("<<", ">>"):
        return left
    # A literal without a suffix takes the other operand's type; a vector may be scaled by a scalar.
    plain = next((one for one, side in ((right, e.left), (left, e.right)) if isinstance(side, Literal)), None)
    return left if left == right else plain if plain in ZEROS else None


def _of_part(e: Index | Member, resolution: Resolution) -> str | None:
    base = type_text(e.base, resolution) or ""
    vector = _VECTOR.fullmatch(base)
    if vector is not None:
        is_one = isinstance(e, Index) or len(e.name) == 1
        return vector[2] if is_one else f"vec{len(e.name)}<{vector[2]}>" if isinstance(e, Member) else None
    found = resolution.type(e)
    return None if found is None else _long(found.name + template_text(found.arguments))


def _of_call(e: Call, resolution: Resolution) -> str | None:
    function = resolution.declaration(e.callee)
    if isinstance(function, Function):
        return _named(function.result)
    callee = expression_text(e.callee)
    return _long(callee) if function is None and _CONVERSION.fullmatch(callee) else None
