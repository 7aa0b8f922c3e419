"""Tree -> text, for expressions. Parentheses stand where the grammar, or the search for template lists, needs them."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from wgsl_fuzz.tinywgsl.ast import ARITHMETIC, BITWISE, COMPARISONS, LOGICAL, SHIFTS
from wgsl_fuzz.wgsl.layout import USUAL, Layout
from wgsl_fuzz.wgsl.syntax import Attributes, Binary, Call, Expression, Identifier, Index, Literal, Member, Unary

_PRODUCTS = frozenset({"*", "/", "%"})
_SUMS = frozenset({"+", "-"})
_TERMS = ARITHMETIC | SHIFTS
_NONE: frozenset[str] = frozenset()

_BARE: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    **dict.fromkeys(_PRODUCTS, (_PRODUCTS, _NONE)),
    **dict.fromkeys(_SUMS, (ARITHMETIC, _PRODUCTS)),
    **dict.fromkeys(SHIFTS, (_NONE, _NONE)),
    **dict.fromkeys(COMPARISONS, (_TERMS, _TERMS)),
    # `a < b >> c` would have a template list.
    "<": (_TERMS, _TERMS - {">>"}),
    **{operator: (COMPARISONS | _TERMS | {operator}, COMPARISONS | _TERMS) for operator in LOGICAL},
    **{operator: (frozenset({operator}), _NONE) for operator in BITWISE},
}
"""By operator: the operators of left and of right operands that stand without parentheses (8.18)."""


def expression_text(e: Expression) -> str:
    """An expression, with no parentheses around it, in the usual layout."""
    return ExpressionPrinter(USUAL).text(e)


class ExpressionPrinter:
    """Writes expressions in one layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._comma, self._bare = layout.last_comma, layout.bare_operand

    def text(self, e: Expression) -> str:
        """An expression, with no parentheses around it."""
        # Not `match`, which takes twice the time.
        if isinstance(e, Identifier):
            return e.name + self.template(e.template) if e.template else e.name
        if isinstance(e, Literal):
            return e.text
        if isinstance(e, Binary):
            left, right = _BARE[e.operator]
            return f"{self._operand(e.left, left)} {e.operator} {self._operand(e.right, right)}"
        if isinstance(e, Call):
            return f"{self.text(e.callee)}({self._arguments(e.arguments)})"
        if isinstance(e, Index):
            return f"{self._base(e.base)}[{self.value(e.index)}]"
        if isinstance(e, Unary):
            return e.operator + self._in_unary(e)
        if isinstance(e, Member):
            return f"{self._base(e.base)}.{e.name}"
        assert_never(e)

    value = text
    """An expression where a subclass may set parentheses around it that nothing needs."""

    def items(self, expressions: Sequence[Expression]) -> str:
        """Expressions with commas between."""
        return self._list(expressions, [self.text(e) for e in expressions])

    def comma(self) -> str:
        """What stands behind the last of a list."""
        return "," if self._comma and self._comma() else ""

    def attributes(self, attributes: Attributes, separator: str = " ") -> str:
        """Attributes, each with a separator behind it."""
        if not attributes:
            return ""
        return "".join(
            f"@{a.name}({self.items(a.arguments)}{self.comma()}){separator}" if a.arguments else f"@{a.name}{separator}"
            for a in attributes
        )

    def template(self, expressions: Sequence[Expression]) -> str:
        """A template list, or nothing. What could end it within a parameter stands in parentheses."""
        if not expressions:
            return ""
        parts = [
            f"({self.text(e)})" if isinstance(e, Binary) and e.operator not in ARITHMETIC else self.text(e)
            for e in expressions
        ]
        return f"<{', '.join(parts)}{self.comma()}>"

    def _arguments(self, expressions: Sequence[Expression]) -> str:
        if not expressions:
            return ""
        return self._list(expressions, [self.value(e) for e in expressions]) + self.comma()

    def _list(self, expressions: Sequence[Expression], texts: list[str]) -> str:
        """`a < b, c > d` would have a template list: its first part gets parentheses."""
        greater = False
        for i in range(len(texts) - 1, -1, -1):
            greater_here, e = ">" in texts[i], expressions[i]
            if isinstance(e, Binary):
                bare = self.layout.bare_argument
                if (greater and "<" in texts[i] and _ends_in_less(e)) or not (bare and bare()):
                    texts[i] = f"({texts[i]})"
            greater = greater or greater_here
        return ", ".join(texts)

    def _operand(self, e: Expression, bare: frozenset[str]) -> str:
        if not isinstance(e, Binary):
            return self.value(e)
        return self.text(e) if e.operator in bare and self._bare and self._bare() else f"({self.value(e)})"

    def _in_unary(self, e: Unary) -> str:
        """The operand of a unary operator."""
        operand = e.operand
        match operand:
            case Literal() if e.operator == "-":
                # Only the parentheses tell the negation of a literal from a negative one.
                return operand.text if operand.end == e.end else f"({operand.text})"
            case Binary():
                return f"({self.value(operand)})"
            case Unary() | Literal():
                # `--x` and `&&x` read as one operator.
                doubled = isinstance(operand, Unary) and e.operator == operand.operator in ("-", "&")
                bare = self.layout.bare_in_unary
                parenthesised = doubled or (not _is_bool(operand) and not (bare and bare()))
                return f"({self.value(operand)})" if parenthesised else self.value(operand)
            case _:
                return self.value(operand)

    def _base(self, e: Expression) -> str:
        """What stands before `.` or `[`. `1.x` would begin with another number."""
        return f"({self.value(e)})" if isinstance(e, (Binary, Unary, Literal)) else self.text(e)


def _ends_in_less(e: Expression) -> bool:
    """Whether no operator or bracket behind its last bare `<` ends the search for a template list."""
    while isinstance(e, Binary) and e.operator in LOGICAL:
        e = e.right
    return isinstance(e, Binary) and e.operator == "<"


def _is_bool(e: Expression) -> bool:
    return isinstance(e, Literal) and e.text in ("true", "false")
