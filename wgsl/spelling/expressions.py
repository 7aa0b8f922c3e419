"""Expressions of TinyWGSL -> expressions of the tree: literals, constants, aliases, calls."""

from collections.abc import Callable, Mapping
from typing import Any

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.ast import SHIFTS, Expr, Type
from wgsl_fuzz.tinywgsl.values import I32_MAX, I32_MIN
from wgsl_fuzz.wgsl.spelling.choices import Dice
from wgsl_fuzz.wgsl.spelling.names import Names
from wgsl_fuzz.wgsl.spelling.tree import NestedCall
from wgsl_fuzz.wgsl.syntax import (
    Alias,
    Binary,
    Call,
    Const,
    Declaration,
    Expression,
    Identifier,
    Index,
    Literal,
    Member,
    Unary,
)


class ExpressionBuilder:
    """Builds the expressions of one shader's tree."""

    def __init__(self, dice: Dice, names: Names) -> None:
        self.dice, self.flip, self.takes = dice, dice.flip, dice.takes
        self.names = names
        rates = dice.rates
        self.literals, self.constants = rates["literals"], rates["constants"]
        self.aliases, self.types = rates["aliases"], rates["types"]
        self.texts = names.texts
        """The names in scope in the function at hand."""
        self.lid_is_vector = False
        """The thread's ID is read as `lid.x`."""
        self.lid_is_read = False
        self.scalars: set[str] = set()
        """The arrays that are spelled as one variable."""
        self.declarations: list[Declaration] = []
        """Constants and aliases of the module."""
        self.module_constants: dict[tuple[int, Type | None], str] = {}
        self.function_constants: dict[tuple[int, Type | None], str] = {}
        """By value and type; without a type they are AbstractInts."""
        self.function_declarations: list[Const] = []
        self.alias_names: dict[Type, str] = {}

    # -------------------------------------------------------------------------------------------------- operands

    def expr(self, e: Expr) -> Expression:
        """An expression of a type of its own: no literal without a suffix stands alone."""
        if type(e) is core.Local:  # as most are
            return Identifier(self.texts.get(e.name, e.name))
        return _BUILDERS[type(e)](self, e)

    def typed(self, e: Expr) -> Expression:
        """An expression where its type is known: a literal needs no suffix."""
        return self.bare_number(e) if self.literals and _is_number(e) and self.flip(self.literals) else self.expr(e)

    def name(self, name: str) -> Identifier:
        return Identifier(self.texts.get(name, name))

    def local(self, e: core.Local) -> Expression:
        return self.name(e.name)

    def thread(self, _: core.Lid) -> Expression:
        self.lid_is_read = True
        lid = Identifier(self.names.lid)
        return Member(lid, "x") if self.lid_is_vector else lid

    def binary(self, e: core.Binary) -> Expression:
        op, left, right = e.op, e.left, e.right
        if self.literals and self.flip(self.literals):
            # One side may be without a type; the left side of a shift may not.
            if _is_number(right):
                return Binary(op, self.expr(left), self.bare_number(right))
            if op not in SHIFTS and _is_number(left):
                return Binary(op, self.bare_number(left), self.expr(right))
        return Binary(op, self.expr(left), self.expr(right))

    def unary(self, e: core.Unary) -> Expression:
        operand = self.expr(e.operand)
        # Its end alone tells `-(5i)` from the literal `-5i`, as in a tree that is parsed.
        return Unary(e.op, operand, end=0) if isinstance(operand, Literal) else Unary(e.op, operand)

    def convert(self, e: core.Convert) -> Expression:
        return Call(self.type_name(e.type), (self.expr(e.operand),))

    def shared(self, e: core.SharedRead) -> Expression:
        return self.element(e.array, e.index)

    def element(self, array: str, index: Expr) -> Expression:
        """An element of a shared array, or a shared variable."""
        name = self.name(array)
        if array in self.scalars:
            return name
        form = "index without a suffix"
        if isinstance(index, core.Literal) and index.value <= I32_MAX and self.takes(self.literals, form):
            return Index(name, self.number(index.value))
        return Index(name, self.expr(index))

    def call(self, call: core.Call | NestedCall) -> Call:
        """`f(e1, ..., en)`."""
        return Call(self.name(call.function), tuple([self.typed(e) for e in call.arguments]))

    # -------------------------------------------------------------------------------------------------- literals

    def literal(self, e: core.Literal) -> Expression:
        """A literal of a type of its own."""
        if self.constants and self.flip(self.constants):
            return self.constant(e.value, e.type)
        if not self.literals or not self.flip(self.literals):
            return _plain(e.value, e.type)
        if e.value == 0 and self.dice.integer(0, 1):
            self.dice.note("zero value")
            return Call(self.type_name(e.type), ())
        if e.type is Type.BOOL or e.value == I32_MIN or self.dice.integer(0, 1):
            self.dice.note("converted literal")
            return Call(self.type_name(e.type), (self.number(int(e.value)),))
        self.dice.note("hexadecimal literal")
        return _signed(e.value, f"{abs(e.value):#x}{'u' if e.type is Type.U32 else 'i'}")

    def bare_number(self, e: Expr) -> Expression:
        """A literal without a suffix."""
        assert isinstance(e, core.Literal)
        self.dice.note("literal without a suffix")
        return self.number(e.value)

    def number(self, value: int) -> Expression:
        """An AbstractInt."""
        if self.constants and self.flip(self.constants):
            return self.constant(value, None)
        if self.dice.integer(0, 1):
            self.dice.note("hexadecimal literal")
            return _signed(value, f"{abs(value):#x}")
        return _signed(value, str(abs(value)))

    def constant(self, value: int, type_: Type | None) -> Identifier:
        """The name of a constant, of the function or of the module."""
        key = (value, type_)
        local = self.dice.integer(0, 1) == 1
        known = self.function_constants if local else self.module_constants
        self.dice.note("function constant" if local else "module constant")
        name = known.get(key)
        if name is None:
            name = known[key] = self.names.invented("k" if local else "C")
            (self.function_declarations if local else self.declarations).append(self.declared(name, value, type_))
        return Identifier(name)

    def declared(self, name: str, value: int, type_: Type | None) -> Const:
        """The declaration of a constant."""
        if type_ is None:
            self.dice.note("constant without a suffix")
        elif type_ is Type.BOOL or not self.flip(self.types):
            return Const(name, None, _plain(value, type_))
        return Const(name, Identifier(type_.value) if type_ else None, _signed(value, str(abs(value))))

    def type_name(self, type_: Type) -> Identifier:
        """A type, or an alias of it."""
        if not self.aliases or not self.takes(self.aliases, "alias"):
            return Identifier(type_.value)
        name = self.alias_names.get(type_)
        if name is None:
            name = self.alias_names[type_] = self.names.invented("T")
            self.declarations.append(Alias(name, Identifier(type_.value)))
        return Identifier(name)


def _is_number(e: Expr) -> bool:
    return isinstance(e, core.Literal) and e.type is not Type.BOOL


def _signed(value: int, text: str) -> Expression:
    """A number whose absolute value has a text."""
    return Unary("-", Literal(text)) if value < 0 else Literal(text)


def _plain(value: int, type_: Type) -> Expression:
    """A literal as `print_shader` writes it."""
    if type_ is Type.U32:
        return Literal(f"{value}u")
    if type_ is Type.BOOL:
        return Literal("true" if value else "false")
    # `-2147483648i` is a minus before a literal that does not fit; as an abstract integer it does.
    if value == I32_MIN:
        return Call(Identifier("i32"), (_signed(value, str(-value)),))
    return _signed(value, f"{abs(value)}i")


_BUILDERS: Mapping[type, Callable[[ExpressionBuilder, Any], Expression]] = {
    core.Literal: ExpressionBuilder.literal,
    core.Lid: ExpressionBuilder.thread,
    core.Local: ExpressionBuilder.local,
    NestedCall: ExpressionBuilder.call,
    core.SharedRead: ExpressionBuilder.shared,
    core.Unary: ExpressionBuilder.unary,
    core.Binary: ExpressionBuilder.binary,
    core.Convert: ExpressionBuilder.convert,
}
