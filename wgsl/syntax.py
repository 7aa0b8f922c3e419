"""The syntax tree of WGSL: one class for each construct, in the words of the specification.

A node's `start` and `end` are offsets into the text that it was parsed from, and -1 in a tree that was made otherwise.
They do not count when nodes are compared. Parentheses, comments, optional commas and optional colons leave no trace:
the printer sets parentheses where the grammar needs them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

from wgsl_fuzz.tinywgsl.ast import ARITHMETIC, BITWISE, COMPARISONS, LOGICAL, SHIFTS

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(cls: type[_T]) -> type[_T]:
    """Class decorator: a slotted dataclass with value equality and hash; mypy treats its fields as frozen."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


@node
class Node:
    """Anything that has a place in the text."""

    start: int = field(default=-1, compare=False, repr=False, kw_only=True)
    """Offset of its first character, from 0."""
    end: int = field(default=-1, compare=False, repr=False, kw_only=True)
    """Offset behind its last character."""


# ------------------------------------------------------------------------------------------------------- expressions


@node
class Literal(Node):
    """A number, `true` or `false`, as it is written."""

    text: str


@node
class Identifier(Node):
    """A name, with its template list if it has one: `x`, `vec3<f32>`, `ptr<function, u32>`. Types are identifiers."""

    name: str
    template: "tuple[Expression, ...]" = ()


@node
class Unary(Node):
    """`-e`, `!e`, `~e`, `*e` (indirection) or `&e` (address-of)."""

    operator: str
    operand: "Expression"


@node
class Binary(Node):
    """`left operator right`; `&&` and `||` are among the operators."""

    operator: str
    left: "Expression"
    right: "Expression"


@node
class Index(Node):
    """`base[index]`."""

    base: "Expression"
    index: "Expression"


@node
class Member(Node):
    """`base.name`: a member of a structure, a component or a swizzle."""

    base: "Expression"
    name: str


@node
class Call(Node):
    """`callee(arguments)`: of a function, a type's constructor or a conversion."""

    callee: Identifier
    arguments: "tuple[Expression, ...]"


Expression = Literal | Identifier | Unary | Binary | Index | Member | Call

UNARY = frozenset("-!~*&")
LEVELS: Mapping[str, int] = {
    **dict.fromkeys(("*", "/", "%"), 5),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(SHIFTS, 3),
    **dict.fromkeys(COMPARISONS, 2),
    **dict.fromkeys(LOGICAL | BITWISE, 1),
}
"""How strongly an operator binds."""
MAY_FOLLOW: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(ARITHMETIC, ARITHMETIC | COMPARISONS | LOGICAL),
    **dict.fromkeys(SHIFTS, COMPARISONS | LOGICAL),
    **dict.fromkeys(COMPARISONS, ARITHMETIC | SHIFTS | LOGICAL),
    **{operator: ARITHMETIC | SHIFTS | COMPARISONS | {operator} for operator in LOGICAL},
    **{operator: frozenset({operator}) for operator in BITWISE},
}
"""By operator: those that may be the next one, without parentheses around one of the two."""


@node
class Attribute(Node):
    """`@name(arguments)`. The arguments of `@diagnostic` are identifiers; `a.b` is a `Member` there."""

    name: str
    arguments: tuple[Expression, ...] = ()


Attributes = tuple[Attribute, ...]

ATTRIBUTES: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("compute", "fragment", "invariant", "must_use", "vertex"), (0, 0)),
    **dict.fromkeys(("align", "binding", "blend_src", "group", "id", "location", "size", "subgroup_size"), (1, 1)),
    **dict.fromkeys(("builtin", "interpolate"), (1, 2)),
    "workgroup_size": (1, 3),
}
"""By name, how many arguments it takes at least and at most (12 #attributes)."""


# -------------------------------------------------------------------------------------------------------- statements


@node
class Block(Node):
    """`@attributes { statements }`."""

    statements: "tuple[Statement, ...]"
    attributes: Attributes = ()


@node
class Variable(Node):
    """`@attributes var<template> name: type = value;`, at module scope or in a function."""

    name: str
    type: Identifier | None = None
    value: Expression | None = None
    template: tuple[Expression, ...] = ()
    """The address space, and the access mode if it is written."""
    attributes: Attributes = ()


@node
class Let(Node):
    """`let name: type = value;`."""

    name: str
    type: Identifier | None
    value: Expression


@node
class Const(Node):
    """`const name: type = value;`, at module scope or in a function."""

    name: str
    type: Identifier | None
    value: Expression


@node
class Assign(Node):
    """`left operator right;` with `=` or a compound operator such as `+=`."""

    operator: str
    left: Expression
    right: Expression


@node
class Phony(Node):
    """`_ = value;`."""

    value: Expression


@node
class Increment(Node):
    """`left++;` or `left--;`."""

    operator: str
    left: Expression


@node
class CallStatement(Node):
    """`f(arguments);`."""

    call: Call


@node
class If(Node):
    """`@attributes if condition { then } else ...`; the last is a block, another `If`, or missing."""

    condition: Expression
    then: Block
    orelse: "Block | If | None" = None
    attributes: Attributes = ()


@node
class DefaultSelector(Node):
    """`default` among the selectors of a `case`."""


@node
class Clause(Node):
    """`case selectors { body }`; `default { body }` has no selectors."""

    selectors: tuple[Expression | DefaultSelector, ...]
    body: Block


@node
class Switch(Node):
    """`@attributes switch selector @body_attributes { clauses }`."""

    selector: Expression
    clauses: tuple[Clause, ...]
    attributes: Attributes = ()
    body_attributes: Attributes = ()


@node
class Loop(Node):
    """`@attributes loop body`, the body with a `continuing` block or without; it may end in a `BreakIf`."""

    body: Block
    continuing: Block | None = None
    attributes: Attributes = ()


@node
class While(Node):
    """`@attributes while condition body`."""

    condition: Expression
    body: Block
    attributes: Attributes = ()


@node
class For(Node):
    """`@attributes for (initial; condition; update) body`."""

    initial: "Variable | Let | Const | Assign | Phony | Increment | CallStatement | None"
    condition: Expression | None
    update: "Assign | Phony | Increment | CallStatement | None"
    body: Block
    attributes: Attributes = ()


@node
class BreakIf(Node):
    """`break if condition;`, the last statement of a `continuing` block."""

    condition: Expression


@node
class Break(Node):
    """`break;`."""


@node
class Continue(Node):
    """`continue;`."""


@node
class Return(Node):
    """`return value;` or `return;`."""

    value: Expression | None = None


@node
class Discard(Node):
    """`discard;`."""


@node
class ConstAssert(Node):
    """`const_assert condition;`, at module scope or in a function."""

    condition: Expression


@node
class Empty(Node):
    """`;` in a function."""


Statement = (
    Empty
    | Block
    | Variable
    | Let
    | Const
    | Assign
    | Phony
    | Increment
    | CallStatement
    | If
    | Switch
    | Loop
    | While
    | For
    | BreakIf
    | Break
    | Continue
    | Return
    | Discard
    | ConstAssert
)

# ------------------------------------------------------------------------------------- directives and declarations


@node
class Enable(Node):
    """`enable names;`."""

    names: tuple[str, ...]


@node
class Requires(Node):
    """`requires names;`."""

    names: tuple[str, ...]


@node
class Diagnostic(Node):
    """`diagnostic(severity, rule);` as a directive; a rule may be `a.b`."""

    severity: str
    rule: str


Directive = Enable | Requires | Diagnostic


@node
class Override(Node):
    """`@attributes override name: type = value;`."""

    name: str
    type: Identifier | None = None
    value: Expression | None = None
    attributes: Attributes = ()


@node
class Alias(Node):
    """`alias name = type;`."""

    name: str
    type: Identifier


@node
class StructMember(Node):
    """`@attributes name: type` in a structure."""

    name: str
    type: Identifier
    attributes: Attributes = ()


@node
class Struct(Node):
    """`struct name { members }`."""

    name: str
    members: tuple[StructMember, ...]


@node
class Parameter(Node):
    """`@attributes name: type` of a function."""

    name: str
    type: Identifier
    attributes: Attributes = ()


@node
class Function(Node):
    """`@attributes fn name(parameters) -> @result_attributes result body`."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    result: Identifier | None = None
    attributes: Attributes = ()
    result_attributes: Attributes = ()


Declaration = Variable | Const | Override | Alias | Struct | Function | ConstAssert


@node
class Module(Node):
    """A whole text: directives, then declarations in the order of the text."""

    directives: tuple[Directive, ...]
    declarations: tuple[Declaration, ...]
