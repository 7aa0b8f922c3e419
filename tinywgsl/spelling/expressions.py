"""Expressions -> text: parentheses, literals, constants, nested calls."""

from collections.abc import Callable

from wgsl_fuzz.tinywgsl.ast import (
    ARITHMETIC,
    BITWISE,
    COMPARISONS,
    SHIFTS,
    Binary,
    Call,
    Convert,
    Expr,
    Lid,
    Literal,
    Local,
    SharedRead,
    Type,
    Unary,
)
from wgsl_fuzz.tinywgsl.printer import print_expr
from wgsl_fuzz.tinywgsl.spelling.choices import Dice
from wgsl_fuzz.tinywgsl.spelling.names import Names
from wgsl_fuzz.tinywgsl.spelling.tree import NestedCall
from wgsl_fuzz.tinywgsl.values import I32_MAX, I32_MIN

_PRODUCTS, _SUMS = frozenset("*/%"), frozenset("+-")
_NONE: frozenset[str] = frozenset()
_IN_COMPARISON = ARITHMETIC | SHIFTS
# `a < b >> c` reads as a template list, up to the first `>`.
_BEHIND_LESS = _IN_COMPARISON - {">>"}
_DROPS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    **{op: (_PRODUCTS, _NONE) for op in _PRODUCTS},
    **{op: (ARITHMETIC, _PRODUCTS) for op in _SUMS},
    **{op: (_IN_COMPARISON, _BEHIND_LESS if op == "<" else _IN_COMPARISON) for op in COMPARISONS},
    "&&": (COMPARISONS | {"&&"}, COMPARISONS),
    "||": (COMPARISONS | {"||"}, COMPARISONS),
    **{op: (frozenset({op}), _NONE) for op in BITWISE},
    **{op: (_NONE, _NONE) for op in SHIFTS},
}
"""The operators that need no parentheses on the left and on the right of an operator (WGSL, section 8.19)."""


class ExpressionWriter:
    """Writes the expressions of one shader."""

    def __init__(self, dice: Dice, names: Names) -> None:
        self.dice = dice
        self.flip = dice.flip
        self.names = names
        rates = dice.rates
        self.parentheses, self.precedence, self.literals = rates["parentheses"], rates["precedence"], rates["literals"]
        self.commas, self.aliases, self.constants = rates["commas"], rates["aliases"], rates["constants"]
        self.types = rates["types"]
        self.plain_operands = not self.literals and not self.precedence
        self.plain_literals = not self.literals and not self.constants
        self.texts = names.texts
        """The names in scope in the function at hand."""
        self.lid = "lid"
        """The text that reads the thread's ID."""
        self.lid_is_read = False
        self.scalars: set[str] = set()
        """The arrays that are spelled as one variable."""
        self.declarations: list[str] = []
        """Constants and aliases of the module."""
        self.module_constants: dict[tuple[int, Type | None], str] = {}
        self.function_constants: dict[tuple[int, Type | None], str] = {}
        """By value and type; without a type they are AbstractInts."""
        self.function_declarations: list[str] = []
        self.alias_names: dict[Type, str] = {}

    # -------------------------------------------------------------------------------------------------- operands

    def expr(self, e: Expr) -> str:
        """An expression of a type of its own: no literal without a suffix stands alone."""
        kind = type(e)
        # Most expressions are locals.
        text = self.texts.get(e.name, e.name) if kind is Local else _WRITERS[kind](self, e)  # type: ignore[union-attr]
        if self.parentheses and self.flip(self.parentheses >> 1):
            self.dice.note("parentheses")
            return f"({text})"
        return text

    def typed(self, e: Expr) -> str:
        """An expression where its type is known: a literal needs no suffix."""
        if self.literals and type(e) is Literal and e.type is not Type.BOOL and self.flip(self.literals):
            self.dice.note("literal without a suffix")
            return self.number(e.value)
        return self.expr(e)

    def operand(self, e: Expr, op: str, right: int) -> str:
        """An operand of `op`."""
        if type(e) is not Binary:
            return self.expr(e)
        if self.precedence and e.op in _DROPS[op][right] and self.flip(self.precedence):
            self.dice.note("dropped parentheses")
            return self.binary(e)
        return f"({self.expr(e)})"

    def binary(self, e: Binary) -> str:
        op, left, right = e.op, e.left, e.right
        if self.plain_operands:
            before, after = self.expr(left), self.expr(right)
            before = f"({before})" if type(left) is Binary else before
            return f"{before} {op} ({after})" if type(right) is Binary else f"{before} {op} {after}"
        if self.literals and self.flip(self.literals):
            # One side may be without a type; the left side of a shift may not.
            if type(right) is Literal and right.type is not Type.BOOL:
                self.dice.note("literal without a suffix")
                return f"{self.operand(left, op, 0)} {op} {self.number(right.value)}"
            if type(left) is Literal and left.type is not Type.BOOL and op not in SHIFTS:
                self.dice.note("literal without a suffix")
                return f"{self.number(left.value)} {op} {self.operand(right, op, 1)}"
        return f"{self.operand(left, op, 0)} {op} {self.operand(right, op, 1)}"

    def unary(self, e: Unary) -> str:
        op, operand = e.op, e.operand
        kind = type(operand)
        text = self.expr(operand)
        # `--x` is a token of its own, and `-5i` is a literal.
        if kind is Literal:
            bare = operand.type is Type.BOOL  # type: ignore[union-attr]
            droppable = op != "-"
        elif kind is Unary:
            bare, droppable = False, op != "-" or operand.op != "-"  # type: ignore[union-attr]
        else:
            bare, droppable = kind is not Binary, False
        if not bare and droppable and self.precedence and self.flip(self.precedence):
            self.dice.note("dropped parentheses of an operand")
            bare = True
        return f"{op}{text}" if bare else f"{op}({text})"

    def convert(self, e: Convert) -> str:
        operand = e.operand
        text = self.expr(operand)
        if type(operand) is Binary:
            text = self.argument_text(text, safe=True)
        return f"{self.type_name(e.type)}({text}{self.comma()})"

    def shared(self, e: SharedRead) -> str:
        return self.element(e.array, e.index)

    def element(self, array: str, index: Expr) -> str:
        """An element of a shared array, or a shared variable."""
        name = self.texts[array]
        if array in self.scalars:
            return name
        if self.literals and type(index) is Literal and index.value <= I32_MAX and self.flip(self.literals):
            self.dice.note("index without a suffix")
            return f"{name}[{self.number(index.value)}]"
        return f"{name}[{self.expr(index)}]"

    def local(self, e: Local) -> str:
        return self.texts.get(e.name, e.name)

    def thread(self, _: Lid) -> str:
        self.lid_is_read = True
        return self.lid

    def nested(self, e: NestedCall) -> str:
        return self.call(e)

    def call(self, call: Call | NestedCall) -> str:
        """`f(e1, ..., en)`."""
        arguments = call.arguments
        text = ", ".join([self.argument(e) for e in arguments])
        return f"{self.texts[call.function]}({text}{self.comma() if arguments else ''})"

    def argument(self, e: Expr) -> str:
        if type(e) is Binary:
            # `f(a < b, c > (d))` reads as a template list.
            return self.argument_text(self.expr(e), safe=e.op in ARITHMETIC or e.op in BITWISE)
        return self.typed(e)

    def argument_text(self, text: str, *, safe: bool) -> str:
        """A binary expression between parentheses and commas."""
        if safe and self.precedence and self.flip(self.precedence):
            self.dice.note("dropped parentheses of an argument")
            return text
        return f"({text})"

    # -------------------------------------------------------------------------------------------------- literals

    def literal(self, e: Literal) -> str:
        """A literal of a type of its own."""
        if self.plain_literals:
            return print_expr(e)
        if self.constants and self.flip(self.constants):
            return self.constant(e.value, e.type)
        if not self.literals or not self.flip(self.literals):
            return print_expr(e)
        if e.value == 0 and self.dice.integer(0, 1):
            self.dice.note("zero value")
            return f"{self.type_name(e.type)}()"
        if e.type is Type.BOOL or e.value == I32_MIN or self.dice.integer(0, 1):
            self.dice.note("converted literal")
            return f"{self.type_name(e.type)}({self.number(int(e.value))}{self.comma()})"
        self.dice.note("hexadecimal literal")
        return f"{_hexadecimal(e.value)}{'u' if e.type is Type.U32 else 'i'}"

    def number(self, value: int) -> str:
        """An AbstractInt."""
        if self.constants and self.flip(self.constants):
            return self.constant(value, None)
        if self.dice.integer(0, 1):
            self.dice.note("hexadecimal literal")
            return _hexadecimal(value)
        return str(value)

    def constant(self, value: int, type_: Type | None) -> str:
        """The name of a constant, of the function or of the module."""
        key = (value, type_)
        local = self.dice.integer(0, 1) == 1
        known, lines = self.module_constants, self.declarations
        if local:
            known, lines = self.function_constants, self.function_declarations
        self.dice.note("function constant" if local else "module constant")
        name = known.get(key)
        if name is None:
            name = known[key] = self.names.invented("k" if local else "C")
            lines.append(f"const {name}{self.constant_value(value, type_)};")
        return name

    def constant_value(self, value: int, type_: Type | None) -> str:
        """What follows the name of a constant."""
        if type_ is None:
            self.dice.note("constant without a suffix")
            return f" = {value}"
        if type_ is not Type.BOOL and self.types and self.flip(self.types):
            return f": {type_.value} = {value}"
        return f" = {print_expr(Literal(value, type_))}"

    # ------------------------------------------------------------------------------------------------ odds and ends

    def comma(self) -> str:
        """A comma at the end of a list, or nothing."""
        if self.commas and self.flip(self.commas):
            self.dice.note("trailing comma")
            return ","
        return ""

    def type_name(self, type_: Type) -> str:
        """A type, or an alias of it."""
        if not self.aliases or not self.flip(self.aliases):
            return type_.value
        self.dice.note("alias")
        name = self.alias_names.get(type_)
        if name is None:
            name = self.alias_names[type_] = self.names.invented("T")
            self.declarations.append(f"alias {name} = {type_.value};")
        return name


def _hexadecimal(value: int) -> str:
    return f"{'-' if value < 0 else ''}{abs(value):#x}"


_WRITERS: dict[type, Callable[[ExpressionWriter, Expr], str]] = {
    Literal: ExpressionWriter.literal,  # type: ignore[dict-item]
    Lid: ExpressionWriter.thread,  # type: ignore[dict-item]
    Local: ExpressionWriter.local,  # type: ignore[dict-item]
    NestedCall: ExpressionWriter.nested,  # type: ignore[dict-item]
    SharedRead: ExpressionWriter.shared,  # type: ignore[dict-item]
    Unary: ExpressionWriter.unary,  # type: ignore[dict-item]
    Binary: ExpressionWriter.binary,  # type: ignore[dict-item]
    Convert: ExpressionWriter.convert,  # type: ignore[dict-item]
}
