"""Tree -> text, for expressions. Parentheses stand where the grammar, or the search for template lists, needs them."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from wgsl_fuzz.wgsl.syntax import Attributes, Binary, Call, Expression, Identifier, Index, Literal, Member, Unary

_PRODUCTS = frozenset({"*", "/", "%"})
_SUMS = frozenset({"+", "-"})
_SHIFTS = frozenset({"<<", ">>"})
_RELATIONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
_ARITHMETIC = _PRODUCTS | _SUMS
_TERMS = _ARITHMETIC | _SHIFTS
_NONE: frozenset[str] = frozenset()

_BARE: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    **dict.fromkeys(_PRODUCTS, (_PRODUCTS, _NONE)),
    **dict.fromkeys(_SUMS, (_ARITHMETIC, _PRODUCTS)),
    **dict.fromkeys(_SHIFTS, (_NONE, _NONE)),
    **dict.fromkeys(_RELATIONS, (_TERMS, _TERMS)),
    # `a < b >> c` would have a template list.
    "<": (_TERMS, _TERMS - {">>"}),
    **{operator: (_RELATIONS | _TERMS | {operator}, _RELATIONS | _TERMS) for operator in ("&&", "||")},
    **{operator: (frozenset({operator}), _NONE) for operator in ("&", "|", "^")},
}
"""By operator: the operators of left and of right operands that stand without parentheses (8.18)."""


def expression_text(e: Expression) -> str:
    """An expression, with no parentheses around it."""
    match e:
        case Literal():
            return e.text
        case Identifier():
            return e.name + template_text(e.template)
        case Unary():
            # `--x` and `&&x` read as one operator.
            doubled = isinstance(e.operand, Unary) and e.operator == e.operand.operator in ("-", "&")
            return e.operator + (_enclosed(e.operand) if doubled else _operand(e.operand, _NONE))
        case Binary():
            left, right = _BARE[e.operator]
            return f"{_operand(e.left, left)} {e.operator} {_operand(e.right, right)}"
        case Index():
            return f"{_base(e.base)}[{expression_text(e.index)}]"
        case Member():
            return f"{_base(e.base)}.{e.name}"
        case Call():
            return f"{expression_text(e.callee)}({list_text(e.arguments)})"
        case _:
            assert_never(e)


def list_text(expressions: Sequence[Expression]) -> str:
    """Expressions with commas between. `a < b, c > d` would have a template list: its first part gets parentheses."""
    texts = [expression_text(e) for e in expressions]
    greater = False
    for i in range(len(texts) - 1, -1, -1):
        greater_here = ">" in texts[i]
        if greater and "<" in texts[i] and _ends_in_less(expressions[i]):
            texts[i] = f"({texts[i]})"
        greater = greater or greater_here
    return ", ".join(texts)


def attributes_text(attributes: Attributes, separator: str = " ") -> str:
    """Attributes, each with a separator behind it."""
    return "".join(
        f"@{a.name}({list_text(a.arguments)}){separator}" if a.arguments else f"@{a.name}{separator}"
        for a in attributes
    )


def template_text(expressions: Sequence[Expression]) -> str:
    """A template list, or nothing. What could end it within a parameter stands in parentheses."""
    return f"<{', '.join(_operand(e, _ARITHMETIC) for e in expressions)}>" if expressions else ""


def _ends_in_less(e: Expression) -> bool:
    """Whether no operator or bracket behind its last bare `<` ends the search for a template list."""
    while isinstance(e, Binary) and e.operator in ("&&", "||"):
        e = e.right
    return isinstance(e, Binary) and e.operator == "<"


def _operand(e: Expression, bare: frozenset[str]) -> str:
    return _enclosed(e) if isinstance(e, Binary) and e.operator not in bare else expression_text(e)


def _base(e: Expression) -> str:
    """What stands before `.` or `[`. `1.x` would begin with another number."""
    return _enclosed(e) if isinstance(e, (Binary, Unary, Literal)) else expression_text(e)


def _enclosed(e: Expression) -> str:
    return f"({expression_text(e)})"
