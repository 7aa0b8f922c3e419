"""Tree -> text: four spaces a level, one statement a line. Parsing the text gives the tree again."""

from collections.abc import Callable, Mapping
from typing import Any

from wgsl_fuzz.wgsl.deep import deep
from wgsl_fuzz.wgsl.print_expressions import attributes_text, expression_text, list_text, template_text
from wgsl_fuzz.wgsl.syntax import (
    Alias,
    Assign,
    Block,
    Break,
    BreakIf,
    CallStatement,
    Clause,
    Const,
    ConstAssert,
    Continue,
    Declaration,
    DefaultSelector,
    Diagnostic,
    Directive,
    Discard,
    Empty,
    Enable,
    Expression,
    For,
    Function,
    Identifier,
    If,
    Increment,
    Let,
    Loop,
    Module,
    Override,
    Parameter,
    Phony,
    Requires,
    Return,
    Statement,
    Struct,
    StructMember,
    Switch,
    Variable,
    While,
)

_INDENT = "    "


def print_module(module: Module) -> str:
    """The text of a module, with a line end behind the last line."""
    return deep(lambda: _module(module))


def print_statement(statement: Statement) -> str:
    """The text of a statement, without a line end behind it."""
    return deep(lambda: "\n".join(_statement(statement, "")))


def print_expression(expression: Expression) -> str:
    """The text of an expression, without parentheses around it."""
    return deep(lambda: expression_text(expression))


def _module(module: Module) -> str:
    lines = [_line(directive) for directive in module.directives]
    before: Directive | Declaration | None = module.directives[-1] if module.directives else None
    for declaration in module.declarations:
        long = isinstance(declaration, (Function, Struct)) or isinstance(before, (Function, Struct, Directive))
        if before is not None and long:
            lines.append("")
        lines += _declaration(declaration)
        before = declaration
    return "".join(f"{line}\n" for line in lines)


def _declaration(declaration: Declaration) -> list[str]:
    if isinstance(declaration, Struct):
        return [f"struct {declaration.name} {{", *(f"{_INDENT}{_typed(m)}," for m in declaration.members), "}"]
    if isinstance(declaration, Function):
        return _function(declaration)
    return [_line(declaration)]


def _function(f: Function) -> list[str]:
    attributes = attributes_text(f.attributes).rstrip()
    parameters = ", ".join(map(_typed, f.parameters))
    result = f" -> {attributes_text(f.result_attributes)}{expression_text(f.result)}" if f.result else ""
    head = f"fn {f.name}({parameters}){result}"
    return [*([attributes] if attributes else []), *_block(head, f.body, "")]


def _typed(named: StructMember | Parameter) -> str:
    return f"{attributes_text(named.attributes)}{named.name}: {expression_text(named.type)}"


# ---------------------------------------------------------------------------------------------------- single lines


def _line(node: Any) -> str:
    """A construct that ends in `;`."""
    return f"{_LINES[type(node)](node)};"


def _value(word: str, name: str, type: Identifier | None, value: Expression | None) -> str:
    shown_type = f": {expression_text(type)}" if type else ""
    shown_value = f" = {expression_text(value)}" if value else ""
    return f"{word} {name}{shown_type}{shown_value}"


def _variable(s: Variable) -> str:
    return attributes_text(s.attributes) + _value(f"var{template_text(s.template)}", s.name, s.type, s.value)


def _override(s: Override) -> str:
    return attributes_text(s.attributes) + _value("override", s.name, s.type, s.value)


def _diagnostic(s: Diagnostic) -> str:
    return f"diagnostic({s.severity}, {s.rule})"


def _return(s: Return) -> str:
    return "return" if s.value is None else f"return {expression_text(s.value)}"


def _call(s: CallStatement) -> str:
    return expression_text(s.call)


_LINES: Mapping[type, Callable[[Any], str]] = {
    Enable: lambda s: f"enable {', '.join(s.names)}",
    Requires: lambda s: f"requires {', '.join(s.names)}",
    Diagnostic: _diagnostic,
    Variable: _variable,
    Let: lambda s: _value("let", s.name, s.type, s.value),
    Const: lambda s: _value("const", s.name, s.type, s.value),
    Override: _override,
    Alias: lambda s: f"alias {s.name} = {expression_text(s.type)}",
    ConstAssert: lambda s: f"const_assert {expression_text(s.condition)}",
    Assign: lambda s: f"{expression_text(s.left)} {s.operator} {expression_text(s.right)}",
    Phony: lambda s: f"_ = {expression_text(s.value)}",
    Increment: lambda s: f"{expression_text(s.left)}{s.operator}",
    CallStatement: _call,
    BreakIf: lambda s: f"break if {expression_text(s.condition)}",
    Break: lambda _: "break",
    Continue: lambda _: "continue",
    Return: _return,
    Discard: lambda _: "discard",
    Empty: lambda _: "",
}
"""By class, its text without the `;`."""


# ---------------------------------------------------------------------------------------------------- statements


def _statement(s: Statement, indent: str) -> list[str]:
    """The lines of a statement."""
    match s:
        case Block():
            return _block("", s, indent)
        case If():
            return _if(s, indent)
        case Switch():
            return _switch(s, indent)
        case Loop():
            return _loop(s, indent)
        case While():
            return _block(f"{attributes_text(s.attributes)}while ({expression_text(s.condition)})", s.body, indent)
        case For():
            return _block(_for_head(s), s.body, indent)
        case _:
            return [f"{indent}{_line(s)}"]


def _statements(block: Block, indent: str) -> list[str]:
    return [line for s in block.statements for line in _statement(s, indent + _INDENT)]


def _open(head: str, block: Block) -> str:
    """The first line of a construct with a block."""
    return f"{head}{' ' if head else ''}{attributes_text(block.attributes)}{{"


def _block(head: str, block: Block, indent: str) -> list[str]:
    return [indent + _open(head, block), *_statements(block, indent), f"{indent}}}"]


def _if(s: If, indent: str) -> list[str]:
    """Goes through a chain of `else if` without recursion."""
    lines: list[str] = []
    head = f"{attributes_text(s.attributes)}if ({expression_text(s.condition)})"
    part: If | Block | None = s
    while isinstance(part, If):
        lines += _block(head, part.then, indent)
        part = part.orelse
        if part is None:
            return lines
        head = "} else" if isinstance(part, Block) else f"}} else if ({expression_text(part.condition)})"
        lines.pop()
    return lines if part is None else lines + _block(head, part, indent)


def _switch(s: Switch, indent: str) -> list[str]:
    head = f"{attributes_text(s.attributes)}switch ({expression_text(s.selector)})"
    lines = [f"{indent}{head} {attributes_text(s.body_attributes)}{{"]
    for clause in s.clauses:
        lines += _block(_clause_head(clause), clause.body, indent + _INDENT)
    return [*lines, f"{indent}}}"]


def _clause_head(clause: Clause) -> str:
    if not clause.selectors:
        return "default:"
    # The word `default` is printed as a name.
    selectors = [Identifier("default") if isinstance(s, DefaultSelector) else s for s in clause.selectors]
    return f"case {list_text(selectors)}:"


def _loop(s: Loop, indent: str) -> list[str]:
    lines = _block(f"{attributes_text(s.attributes)}loop", s.body, indent)
    if s.continuing is not None:
        lines[-1:-1] = _block("continuing", s.continuing, indent + _INDENT)
    return lines


def _for_head(s: For) -> str:
    initial, update = ("" if part is None else _LINES[type(part)](part) for part in (s.initial, s.update))
    condition = "" if s.condition is None else f" {expression_text(s.condition)}"
    return f"{attributes_text(s.attributes)}for ({initial};{condition};{' ' if update else ''}{update})"
