"""Types of values as data: what an expression has, or what a reference stands for."""

from dataclasses import dataclass
from functools import lru_cache

from wgsl_fuzz.wgsl.builtins import SCALARS
from wgsl_fuzz.wgsl.syntax import Identifier, Literal


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type: of a value, of what a reference stands for, or of a pointer."""

    name: str
    """`u32`, `vec3`, `mat2x2`, `array`, `ptr`, `atomic`, the name of a structure; `int` and `float` are abstract."""
    element: "ValueType | None" = None
    size: str = ""
    """Of an array, the number of its elements as it is written; of a pointer, address space and access mode."""

    @property
    def is_abstract(self) -> bool:
        """Whether it has no type at run time, as `1` and `vec2(1.5)`."""
        return self.name in ("int", "float") or (self.element is not None and self.element.is_abstract)

    @property
    def is_scalar(self) -> bool:
        """Whether it is bool or a number."""
        return self.name in SCALARS

    @property
    def is_vector(self) -> bool:
        """Whether it is a vector."""
        return self.name.startswith("vec")

    @property
    def is_matrix(self) -> bool:
        """Whether it is a matrix."""
        return self.name.startswith("mat")

    @property
    def component(self) -> "ValueType":
        """Of a vector or a matrix the type of a component; of any other type itself."""
        return self.element if self.element is not None and (self.is_vector or self.is_matrix) else self

    def with_component(self, component: "ValueType") -> "ValueType":
        """A vector or a scalar of another component, with as many of them."""
        return ValueType(self.name, component) if self.is_vector else component

    def __str__(self) -> str:
        """As it is written; a pointer without the access mode that it has in any case."""
        if self.name == "ptr":
            space, _, access = self.size.partition(" ")
            return f"ptr<{space}, {self.element}{f', {access}' if space == 'storage' and access else ''}>"
        words = [str(self.element)] if self.element is not None else []
        words += [self.size.replace(" ", ", ")] if self.size and self.name.startswith("texture") else []
        words += [self.size] if self.size and self.name == "array" else []
        return f"{self.name}<{', '.join(words)}>" if words else self.name


BOOL, I32, U32, F32, F16 = (ValueType(name) for name in ("bool", "i32", "u32", "f32", "f16"))
INT, FLOAT = ValueType("int"), ValueType("float")
SHORT = {"i": I32, "u": U32, "f": F32, "h": F16}
"""By the suffix of a literal, or of the short name of a vector or matrix."""
_CONCRETE = {"int": I32, "float": F32}


def concrete(type: ValueType) -> ValueType:
    """The type that a variable gets from a value of this one."""
    if type.name in _CONCRETE:
        return _CONCRETE[type.name]
    if type.element is not None and type.is_abstract:
        return ValueType(type.name, concrete(type.element), type.size)
    return type


def spelled(type: ValueType) -> Identifier:
    """A type as it is written, in fresh nodes; not for pointers."""
    if type.element is None:
        return Identifier(type.name)
    size = (Literal(type.size),) if type.size else ()
    return Identifier(type.name, (spelled(type.element), *size))


@lru_cache(maxsize=1024)
def value_type(text: str) -> ValueType:
    """The type that a text of a signature names: `vec3f`, `vec2<bool>`, `mat2x3f`."""
    head, _, inner = text.partition("<")
    if inner:
        return ValueType(head, value_type(inner.removesuffix(">")))
    if head[:3] in ("vec", "mat"):
        return ValueType(head[:-1], SHORT[head[-1]])
    return ValueType(head)


def literal_type(text: str) -> ValueType:
    """The type of a literal."""
    if text in ("true", "false"):
        return BOOL
    hexadecimal = text[:2] in ("0x", "0X")
    if text[-1] in "iu":
        return SHORT[text[-1]]
    if text[-1] in "fh" and (not hexadecimal or "p" in text.lower()):
        return SHORT[text[-1]]
    floating = "p" in text.lower() or "." in text if hexadecimal else any(c in text for c in ".eE")
    return FLOAT if floating else INT


def pointee(type: ValueType | None) -> ValueType | None:
    """What a pointer leads to; any other type as it is."""
    return type.element if type is not None and type.name == "ptr" else type


def element(type: ValueType | None) -> ValueType | None:
    """The type of `e[i]`, by that of `e`; None: it has no elements, or is not known."""
    if type is None or not type.is_matrix:
        return None if type is None else type.element
    return ValueType(f"vec{type.name[-1]}", type.element)


def joined(one: ValueType | None, other: ValueType | None) -> ValueType | None:
    """The type of two operands that must have the same; an abstract one becomes the other's."""
    if one is None or other is None or one == other:
        return one if one == other else None
    if one.name == other.name and one.element is not None and one.size == other.size:
        inner = joined(one.element, other.element)
        return None if inner is None else ValueType(one.name, inner, one.size)
    if other == INT or (other == FLOAT and one != INT):
        one, other = other, one
    if one not in (INT, FLOAT) or other.element is not None:
        return None
    return (
        other if other.name in ("float", "f32", "f16") or (one == INT and other.is_scalar and other != BOOL) else None
    )


def combined(operator: str, left: ValueType | None, right: ValueType | None) -> ValueType | None:
    """The type of an arithmetic operation: of equal types, or between vectors, matrices and numbers."""
    if left is None or right is None:
        return None
    component = joined(left.component, right.component)
    if component is None:
        return None
    if left.is_matrix and right.is_matrix and operator == "*":
        return ValueType(f"mat{right.name[3]}x{left.name[5]}", component)
    if left.is_matrix and right.is_vector:
        return ValueType(f"vec{left.name[5]}", component)
    if left.is_vector and right.is_matrix:
        return ValueType(f"vec{right.name[3]}", component)
    if left.element is not None and right.element is not None and left.name != right.name:
        return None
    wide = left if left.element is not None else right
    return component if wide.element is None else ValueType(wide.name, component, wide.size)
