"""Types of expressions, as texts, as far as a reduction needs them: to put only values of one type for each other.

A text is `u32`, `vec3<f32>`, `array<S, 4>`, `ptr<function, u32>`; `int` and `float` are those of literals without a
suffix. Of a reference it is the store type. None: the type is not known here, and nothing is put for such a value.
"""

import re
from collections.abc import Mapping
from typing import assert_never

from wgsl_fuzz.fuzz.reduction.module_result_types import builtin_result
from wgsl_fuzz.fuzz.reduction.module_type_texts import (
    ABSTRACT,
    arguments_of,
    concrete,
    element_of,
    head_of,
    joined,
    long_name,
    vector,
    vector_of,
)
from wgsl_fuzz.wgsl.print_expressions import expression_text
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Alias,
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
    Struct,
    Unary,
    Variable,
)
from wgsl_fuzz.wgsl.types import Declared

ZEROS: Mapping[str, tuple[str, ...]] = {
    "bool": ("true", "false"),
    "u32": ("0u",),
    "i32": ("0i",),
    "f32": ("0f",),
    "f16": ("0h",),
    "int": ("0",),
    "float": ("0.0",),
}
"""By type: the simplest literals."""

_SUFFIXES = {"u": "u32", "i": "i32", "f": "f32", "h": "f16"}
_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})
_INFERRED = re.compile(r"vec[234]|mat[234]x[234]|array")


def type_text(e: Expression, resolution: Resolution) -> str | None:
    """`u32`, `vec3<f32>`, the name of a structure; None where the type is not known here."""
    return Typing(resolution).of(e)


class Typing:
    """The types in one module; each expression is looked at once."""

    def __init__(self, resolution: Resolution) -> None:
        self._resolution = resolution
        self._known: dict[int, str | None] = {}
        self._structs = {d.name: d for d in resolution.module.declarations if isinstance(d, Struct)}

    def of(self, e: Expression) -> str | None:
        """The type of an expression; of a reference the store type."""
        if id(e) not in self._known:
            self._known[id(e)] = self._of(e)
        return self._known[id(e)]

    def named(self, type: Identifier | None) -> str | None:
        """A type in the text, aliases seen through, the long names of vectors and matrices."""
        if type is None:
            return None
        declared = self._resolution.declaration(type)
        if isinstance(declared, Alias):
            return self.named(declared.type)
        if not type.template:
            return long_name(type.name)
        inner = [self.named(e) if isinstance(e, Identifier) else expression_text(e) for e in type.template]
        return f"{type.name}<{', '.join(text or '' for text in inner)}>"

    def declared(self, declared: Declared) -> str | None:
        """The type of what is declared: that of the value, or the store type; None for types and functions."""
        if not isinstance(declared, Variable | Let | Const | Override | Parameter):
            return None
        if declared.type is not None:
            return self.named(declared.type)
        found = None if declared.value is None else self.of(declared.value)
        return found if isinstance(declared, Const) or found is None else concrete(found)

    def struct(self, text: str | None) -> Struct | None:
        """The structure that a text names."""
        return None if text is None else self._structs.get(text)

    def constructible(self, text: str) -> bool:
        """Whether `T()` is a value of this type."""
        head = head_of(text)
        if head in self._structs:
            types = [self.named(m.type) for m in self._structs[head].members]
            return all(t is not None and self.constructible(t) for t in types)
        if head == "array":
            inner = arguments_of(text)
            return len(inner) == 2 and self.constructible(inner[0])
        return text in ZEROS or vector(text) is not None or head.startswith("mat")

    def _of(self, e: Expression) -> str | None:
        match e:
            case Literal():
                return _of_literal(e.text)
            case Identifier():
                declared = self._resolution.declaration(e)
                return None if declared is None else self.declared(declared)
            case Unary():
                return self._of_unary(e)
            case Binary():
                return self._of_binary(e)
            case Index():
                base = self.of(e.base)
                return None if base is None else element_of(_pointee(base))
            case Member():
                return self._of_member(e)
            case Call():
                return self._of_call(e)
            case _:
                assert_never(e)

    def _of_unary(self, e: Unary) -> str | None:
        inner = self.of(e.operand)
        if inner is None or e.operator in "!-~":
            return inner
        if e.operator == "*":
            return _pointee(inner)
        root = self._resolution.root(e.operand)
        if isinstance(root, Variable):
            return f"ptr<{self._resolution.space(root)}, {inner}>"
        pointer = None if root is None else self._resolution.pointer(root)
        return None if pointer is None else f"ptr<{pointer.space}, {inner}>"

    def _of_binary(self, e: Binary) -> str | None:
        if e.operator in ("&&", "||"):
            return "bool"
        left, right = self.of(e.left), self.of(e.right)
        if e.operator in ("<<", ">>"):
            return left
        both = joined(left, right, e.operator)
        if e.operator not in _COMPARISONS or both is None:
            return both
        known = vector(both)
        return "bool" if known is None else vector_of(known[0], "bool")

    def _of_member(self, e: Member) -> str | None:
        base = self.of(e.base)
        if base is None:
            return None
        base = _pointee(base)
        known = vector(base)
        if known is not None:
            return known[1] if len(e.name) == 1 else vector_of(len(e.name), known[1])
        struct = self._structs.get(base)
        member = None if struct is None else next((m for m in struct.members if m.name == e.name), None)
        return self.named(member.type) if member is not None else None

    def _of_call(self, e: Call) -> str | None:
        declared = self._resolution.declaration(e.callee)
        if isinstance(declared, Function):
            return self.named(declared.result)
        types = [self.of(a) for a in e.arguments]
        builtin = self._resolution.builtin(e)
        if builtin is not None:
            template = next((t for t in e.callee.template if isinstance(t, Identifier)), None)
            return builtin_result(builtin.name, types, self.named(template))
        if e.callee.template or declared is not None or not _INFERRED.fullmatch(e.callee.name):
            return self.named(e.callee)
        return _inferred(e.callee.name, types)


def _inferred(callee: str, types: list[str | None]) -> str | None:
    """The type of a constructor without a template list."""
    first = types[0] if types else None
    if first is None or any(t is None for t in types):
        return None
    if callee == "array":
        return f"array<{first}, {len(types)}>" if len(set(types)) == 1 and first not in ABSTRACT else None
    scalars = {known[1] if (known := vector(t or "")) is not None else t for t in types}
    certain = scalars - ABSTRACT
    if len(certain) == 1 and callee.startswith("vec"):
        return f"{callee}<{certain.pop()}>"
    return None


def _of_literal(text: str) -> str | None:
    if text in ("true", "false"):
        return "bool"
    is_hex = text.startswith(("0x", "0X"))
    if text[-1] in "ui" or (text[-1] in "fh" and not is_hex):
        return _SUFFIXES[text[-1]]
    if is_hex:
        return None if {*text} & {*".pP"} else "int"
    return "float" if {*text} & {*".eE"} else "int"


def _pointee(text: str) -> str:
    return arguments_of(text)[1] if head_of(text) == "ptr" else text
