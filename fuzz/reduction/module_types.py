"""Types of expressions, as texts: a reduction puts only values of one type for each other.

A text is `u32`, `vec3<f32>`, `array<S, 4>`, `ptr<function, u32>`; `int` and `float` are those of literals without a
suffix. Of a reference it is the store type. None: the type is not known, and nothing is put for such a value.
"""

from collections.abc import Mapping

from wgsl_fuzz.fuzz.reduction.module_type_texts import arguments_of, head_of, vector
from wgsl_fuzz.wgsl.expression_types import ValueTypes
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Const, Expression, Identifier, Let, Override, Parameter, Struct, Variable
from wgsl_fuzz.wgsl.types import Declared
from wgsl_fuzz.wgsl.value_types import ValueType

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


def type_text(e: Expression, resolution: Resolution) -> str | None:
    """`u32`, `vec3<f32>`, the name of a structure; None where the type is not known here."""
    return Typing(resolution).of(e)


class Typing:
    """The types in one module; each expression is looked at once."""

    def __init__(self, resolution: Resolution) -> None:
        self._types = ValueTypes(resolution)
        self._structs = {d.name: d for d in resolution.module.declarations if isinstance(d, Struct)}

    def of(self, e: Expression) -> str | None:
        """The type of an expression; of a reference the store type."""
        return _text(self._types.of(e))

    def named(self, type: Identifier | None) -> str | None:
        """A type in the text, aliases seen through, the long names of vectors and matrices."""
        return _text(self._types.named(type))

    def declared(self, declared: Declared) -> str | None:
        """The type of what is declared: that of the value, or the store type; None for types and functions."""
        if not isinstance(declared, Variable | Let | Const | Override | Parameter):
            return None
        return _text(self._types.declared(declared))

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


def _text(type: ValueType | None) -> str | None:
    return None if type is None else str(type)
