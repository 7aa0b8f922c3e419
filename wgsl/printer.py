"""Tree -> text, one statement a line. Parsing the text gives the tree again, whatever the layout."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from wgsl_fuzz.tinywgsl.ast import ARITHMETIC, BITWISE, COMPARISONS, LOGICAL, SHIFTS
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.walk import with_more_stack

Choice = Callable[[], bool] | None
"""Asked at each place whether to do something there; None never does it."""


def always() -> bool:
    """Does it everywhere."""
    return True


@dataclass(frozen=True, slots=True)
class Layout:
    """Indentation, and the parentheses, commas and semicolons that may be there or not."""

    indent: str = "    "
    bare_operand: Choice = always
    """No parentheses around the operand of a binary operator, where the precedences of both allow that."""
    bare_argument: Choice = always
    """No parentheses around a binary operation in a list."""
    bare_in_unary: Choice = always
    """No parentheses around a literal or a unary operation behind a unary operator."""
    bare_condition: Choice = None
    """No parentheses around a condition."""
    more_parentheses: Choice = None
    """Parentheses around any value."""
    last_comma: Choice = None
    """A comma behind the last of a list."""
    empty_declaration: Choice = None
    """A `;` behind a declaration."""


USUAL = Layout()
"""For people."""
CORE = Layout(indent="  ", bare_operand=None, bare_argument=None, bare_in_unary=None)
"""No precedence rule of WGSL matters."""


# -------------------------------------------------------------------------------------------------- print expressions


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


def expression_text(e: w.Expression) -> str:
    """An expression, with no parentheses around it, in the usual layout."""
    return ExpressionPrinter(USUAL).text(e)


class ExpressionPrinter:
    """Writes expressions in one layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._comma, self._bare = layout.last_comma, layout.bare_operand

    def text(self, e: w.Expression) -> str:
        """An expression, with no parentheses around it."""
        # Not `match`, which takes twice the time.
        if isinstance(e, w.Identifier):
            return e.name + self.template(e.template) if e.template else e.name
        if isinstance(e, w.Literal):
            return e.text
        if isinstance(e, w.Binary):
            left, right = _BARE[e.operator]
            return f"{self._operand(e.left, left)} {e.operator} {self._operand(e.right, right)}"
        if isinstance(e, w.Call):
            return f"{self.text(e.callee)}({self._arguments(e.arguments)})"
        if isinstance(e, w.Index):
            return f"{self._base(e.base)}[{self.value(e.index)}]"
        if isinstance(e, w.Unary):
            return e.operator + self._in_unary(e)
        if isinstance(e, w.Member):
            return f"{self._base(e.base)}.{e.name}"
        assert_never(e)

    value = text
    """An expression where a subclass may set parentheses around it that nothing needs."""

    def items(self, expressions: Sequence[w.Expression]) -> str:
        """Expressions with commas between."""
        return self._list(expressions, [self.text(e) for e in expressions])

    def comma(self) -> str:
        """What stands behind the last of a list."""
        return "," if self._comma and self._comma() else ""

    def attributes(self, attributes: w.Attributes, separator: str = " ") -> str:
        """Attributes, each with a separator behind it."""
        if not attributes:
            return ""
        return "".join(
            f"@{a.name}({self.items(a.arguments)}{self.comma()}){separator}" if a.arguments else f"@{a.name}{separator}"
            for a in attributes
        )

    def template(self, expressions: Sequence[w.Expression]) -> str:
        """A template list, or nothing. What could end it within a parameter stands in parentheses."""
        if not expressions:
            return ""
        parts = [
            f"({self.text(e)})" if isinstance(e, w.Binary) and e.operator not in ARITHMETIC else self.text(e)
            for e in expressions
        ]
        return f"<{', '.join(parts)}{self.comma()}>"

    def _arguments(self, expressions: Sequence[w.Expression]) -> str:
        if not expressions:
            return ""
        return self._list(expressions, [self.value(e) for e in expressions]) + self.comma()

    def _list(self, expressions: Sequence[w.Expression], texts: list[str]) -> str:
        """`a < b, c > d` would have a template list: its first part gets parentheses."""
        greater = False
        for i in range(len(texts) - 1, -1, -1):
            greater_here, e = ">" in texts[i], expressions[i]
            if isinstance(e, w.Binary):
                bare = self.layout.bare_argument
                if (greater and "<" in texts[i] and _ends_in_less(e)) or not (bare and bare()):
                    texts[i] = f"({texts[i]})"
            greater = greater or greater_here
        return ", ".join(texts)

    def _operand(self, e: w.Expression, bare: frozenset[str]) -> str:
        if not isinstance(e, w.Binary):
            return self.value(e)
        return self.text(e) if e.operator in bare and self._bare and self._bare() else f"({self.value(e)})"

    def _in_unary(self, e: w.Unary) -> str:
        """The operand of a unary operator."""
        operand = e.operand
        match operand:
            case w.Literal() if e.operator == "-":
                # Only the parentheses tell the negation of a literal from a negative one.
                return operand.text if operand.end == e.end else f"({operand.text})"
            case w.Binary():
                return f"({self.value(operand)})"
            case w.Unary() | w.Literal():
                # `--x` and `&&x` read as one operator.
                doubled = isinstance(operand, w.Unary) and e.operator == operand.operator in ("-", "&")
                bare = self.layout.bare_in_unary
                is_bool = isinstance(operand, w.Literal) and operand.text in ("true", "false")
                parenthesised = doubled or (not is_bool and not (bare and bare()))
                return f"({self.value(operand)})" if parenthesised else self.value(operand)
            case _:
                return self.value(operand)

    def _base(self, e: w.Expression) -> str:
        """What stands before `.` or `[`. `1.x` would begin with another number."""
        return f"({self.value(e)})" if isinstance(e, (w.Binary, w.Unary, w.Literal)) else self.text(e)


def _ends_in_less(e: w.Expression) -> bool:
    """Whether no operator or bracket behind its last bare `<` ends the search for a template list."""
    while isinstance(e, w.Binary) and e.operator in LOGICAL:
        e = e.right
    return isinstance(e, w.Binary) and e.operator == "<"


# ------------------------------------------------------------------------------------------------------------ printer


def print_module(module: w.Module) -> str:
    """The text of a module in the usual layout, with a line end behind the last line."""
    return with_more_stack(lambda: module_text(module, USUAL))


def print_expression(expression: w.Expression) -> str:
    """The text of an expression, without parentheses around it."""
    return with_more_stack(lambda: expression_text(expression))


def module_text(module: w.Module, layout: Layout) -> str:
    """As `print_module`, in a layout; raises RecursionError if the tree is deeper than the stack.

    `with_more_stack` may print twice, and so ask a layout twice.
    """
    printer = _Printer(layout) if layout.more_parentheses is None else _ParenthesisPrinter(layout)
    printer.module(module)
    return "\n".join([*printer.lines, ""])


class _Printer(ExpressionPrinter):
    """Writes declarations and statements into `lines`."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.lines: list[str] = []
        self.indent = layout.indent

    def module(self, module: w.Module) -> None:
        lines, empty = self.lines, self.layout.empty_declaration
        for directive in module.directives:
            lines.append(self.line(directive))
        before: w.Directive | w.Declaration | None = module.directives[-1] if module.directives else None
        for declaration in module.declarations:
            if before is not None and (isinstance(declaration, _LONG) or isinstance(before, _APART)):
                lines.append("")
            if isinstance(declaration, w.Function):
                self.function(declaration)
            elif isinstance(declaration, w.Struct):
                members = [f"{self.indent}{self.typed(m)}," for m in declaration.members]
                lines += [f"struct {declaration.name} {{", *members, "}"]
            else:
                lines.append(self.line(declaration))
            if empty and empty():
                lines.append(";")
            before = declaration

    def function(self, f: w.Function) -> None:
        attributes = self.attributes(f.attributes)
        if attributes:
            self.lines.append(attributes[:-1])
        parameters = ", ".join([self.typed(p) for p in f.parameters]) + (self.comma() if f.parameters else "")
        result = f" -> {self.attributes(f.result_attributes)}{self.text(f.result)}" if f.result else ""
        self.block(f"fn {f.name}({parameters}){result}", f.body, "")

    def typed(self, named: w.StructMember | w.Parameter) -> str:
        return f"{self.attributes(named.attributes)}{named.name}: {self.text(named.type)}"

    # ------------------------------------------------------------------------------------------------- single lines

    def line(self, node: Any) -> str:
        """A construct that ends in `;`."""
        return f"{_LINES[type(node)](self, node)};"

    def declared(self, word: str, name: str, type: w.Identifier | None, value: w.Expression | None) -> str:
        shown_type = f": {self.text(type)}" if type else ""
        return f"{word} {name}{shown_type} = {self.value(value)}" if value else f"{word} {name}{shown_type}"

    def variable(self, s: w.Variable) -> str:
        return self.attributes(s.attributes) + self.declared(f"var{self.template(s.template)}", s.name, s.type, s.value)

    # --------------------------------------------------------------------------------------------------- statements

    def statements(self, statements: Sequence[w.Statement], indent: str) -> None:
        """The lines of statements."""
        for s in statements:
            line = _LINES.get(type(s))
            if line is not None:
                self.lines.append(f"{indent}{line(self, s)};")
            else:
                _COMPOUND[type(s)](self, s, indent)

    def block(self, head: str, block: w.Block, indent: str) -> None:
        self.open(head, block, indent)
        self.lines.append(f"{indent}}}")

    def open(self, head: str, block: w.Block, indent: str) -> None:
        """All lines of a construct with a block but the last brace."""
        self.lines.append(f"{indent}{head}{' ' if head else ''}{self.attributes(block.attributes)}{{")
        self.statements(block.statements, indent + self.indent)

    def condition(self, e: w.Expression) -> str:
        """A condition, or the selector of a `switch`."""
        bare = self.layout.bare_condition
        text = self.value(e)
        return text if bare and bare() else f"({text})"

    def if_(self, s: w.If, indent: str) -> None:
        """Goes through a chain of `else if` without recursion."""
        head = f"{self.attributes(s.attributes)}if {self.condition(s.condition)}"
        part: w.If | w.Block | None = s
        while isinstance(part, w.If):
            self.open(head, part.then, indent)
            part = part.orelse
            head = f"}} else if {self.condition(part.condition)}" if isinstance(part, w.If) else "} else"
        if part is not None:
            self.open(head, part, indent)
        self.lines.append(f"{indent}}}")

    def switch(self, s: w.Switch, indent: str) -> None:
        head = f"{self.attributes(s.attributes)}switch {self.condition(s.selector)}"
        self.lines.append(f"{indent}{head} {self.attributes(s.body_attributes)}{{")
        for clause in s.clauses:
            self.block(self.clause_head(clause), clause.body, indent + self.indent)
        self.lines.append(f"{indent}}}")

    def clause_head(self, clause: w.Clause) -> str:
        if not clause.selectors:
            return "default:"
        # The word `default` is printed as a name.
        selectors = [w.Identifier("default") if isinstance(s, w.DefaultSelector) else s for s in clause.selectors]
        return f"case {self.items(selectors)}{self.comma()}:"

    def loop(self, s: w.Loop, indent: str) -> None:
        self.open(f"{self.attributes(s.attributes)}loop", s.body, indent)
        if s.continuing is not None:
            self.block("continuing", s.continuing, indent + self.indent)
        self.lines.append(f"{indent}}}")

    def while_(self, s: w.While, indent: str) -> None:
        self.block(f"{self.attributes(s.attributes)}while {self.condition(s.condition)}", s.body, indent)

    def for_(self, s: w.For, indent: str) -> None:
        initial, update = ["" if part is None else _LINES[type(part)](self, part) for part in (s.initial, s.update)]
        condition = "" if s.condition is None else f" {self.value(s.condition)}"
        head = f"for ({initial};{condition};{' ' if update else ''}{update})"
        self.block(self.attributes(s.attributes) + head, s.body, indent)


class _ParenthesisPrinter(_Printer):
    """Sets more parentheses than the grammar needs."""

    def value(self, e: w.Expression) -> str:
        text, more = self.text(e), self.layout.more_parentheses
        return f"({text})" if more and more() else text


_LONG = (w.Function, w.Struct)
_APART = (w.Function, w.Struct, w.Enable, w.Requires, w.Diagnostic)
"""Blank lines stand before the first, and behind these."""

_LINES: Mapping[type, Callable[[_Printer, Any], str]] = {
    w.Enable: lambda _, s: f"enable {', '.join(s.names)}",
    w.Requires: lambda _, s: f"requires {', '.join(s.names)}",
    w.Diagnostic: lambda _, s: f"diagnostic({s.severity}, {s.rule})",
    w.Variable: _Printer.variable,
    w.Let: lambda p, s: p.declared("let", s.name, s.type, s.value),
    w.Const: lambda p, s: p.declared("const", s.name, s.type, s.value),
    w.Override: lambda p, s: p.attributes(s.attributes) + p.declared("override", s.name, s.type, s.value),
    w.Alias: lambda p, s: f"alias {s.name} = {p.text(s.type)}",
    w.ConstAssert: lambda p, s: f"const_assert {p.value(s.condition)}",
    w.Assign: lambda p, s: f"{p.text(s.left)} {s.operator} {p.value(s.right)}",
    w.Phony: lambda p, s: f"_ = {p.value(s.value)}",
    w.Increment: lambda p, s: f"{p.text(s.left)}{s.operator}",
    w.CallStatement: lambda p, s: p.text(s.call),
    w.BreakIf: lambda p, s: f"break if {p.value(s.condition)}",
    w.Break: lambda *_: "break",
    w.Continue: lambda *_: "continue",
    w.Return: lambda p, s: "return" if s.value is None else f"return {p.value(s.value)}",
    w.Discard: lambda *_: "discard",
    w.Empty: lambda *_: "",
}
"""By class, its text without the `;`."""

_COMPOUND: Mapping[type, Callable[[_Printer, Any, str], None]] = {
    w.Block: lambda p, s, indent: p.block("", s, indent),
    w.If: _Printer.if_,
    w.Switch: _Printer.switch,
    w.Loop: _Printer.loop,
    w.While: _Printer.while_,
    w.For: _Printer.for_,
}
