"""Types of values, and of expressions and declarations as far as they are known; no type checker."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import assert_never

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtin_signatures import Signature, function_signatures, texture_signatures, unsigned
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, SCALARS
from wgsl_fuzz.wgsl.printer import expression_text
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.types import Declared


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


def spelled(type: ValueType) -> w.Identifier:
    """A type as it is written, in fresh nodes; not for pointers."""
    if type.element is None:
        return w.Identifier(type.name)
    size = (w.Literal(type.size),) if type.size else ()
    return w.Identifier(type.name, (spelled(type.element), *size))


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
    """The type of `e[i]`, given the type of `e`; None if it has no elements or is unknown."""
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


# --------------------------------------------------------------------------------------------------- expression types


Types = Sequence[ValueType | None]

_OF_FLOATS = frozenset({"F", "V"})
_COMPONENTS = {"TB": BOOL, "TI": I32, "TU": U32, "TF": F32}
_OF_MATRICES = frozenset({"determinant", "transpose"})
_TEXELS = {"uint": U32, "sint": I32}


@cache
def _by_function() -> Mapping[str, tuple[Signature, ...]]:
    found: dict[str, list[Signature]] = {}
    for signature in (*function_signatures(), *texture_signatures()):
        found.setdefault(signature.function, []).append(signature)
    return {name: tuple(signatures) for name, signatures in found.items()}


def result_type(function: str, types: Types, template: ValueType | None = None, member: str = "") -> ValueType | None:
    """The type of a call, or of a member of its result; None: it is not known, or the result has no name.

    `types` are those of the arguments; `template` is the type in `bitcast<type>`. A component of a vector is no member.
    """
    if function == "bitcast":
        return None if member else template
    if function in _OF_MATRICES:
        return None if member or not types or types[0] is None else _of_matrix(function, types[0])
    found = {_result(s, types) for s in _fitting(function, types) if s.member == member} - {None}
    return found.pop() if len(found) == 1 else None


def _of_matrix(function: str, matrix: ValueType) -> ValueType | None:
    """Of functions whose signatures name some matrices, for any: the columns become the rows."""
    if not matrix.is_matrix:
        return None
    return (
        matrix.component
        if function == "determinant"
        else ValueType(f"mat{matrix.name[5]}x{matrix.name[3]}", matrix.element)
    )


def _fitting(function: str, types: Types) -> Iterator[Signature]:
    """The signatures that take so many arguments, and such a texture or pointer."""
    for signature in _by_function().get(function, ()):
        if len(signature.parameters) == len(types):
            words = [unsigned(parameter) for parameter in signature.parameters]
            if all(_may_be(word, type) for word, type in zip(words, types, strict=True)):
                yield signature


def _may_be(word: str, type: ValueType | None) -> bool:
    """Whether an argument of a type may be for a parameter, as far as textures and pointers tell."""
    head = word.partition("<")[0]
    if type is not None and head.startswith("texture_"):
        return type.name == head
    return type is None or not head.startswith(("ptr", "sampler")) or type.name == head


def _result(signature: Signature, types: Types) -> ValueType | None:
    word = signature.result
    if not word:
        return None
    first = unsigned(signature.parameters[0]) if signature.parameters else ""
    if first.startswith("ptr<") and word == "T":
        return _stored(types[0])
    texture = next((t for t in types if t is not None and t.name.startswith("texture_")), None)
    if texture is not None:
        return _of_texture(signature, texture)
    if any(u.startswith("texture_") for u in signature.parameters):
        return None
    if word not in ("T", "E", *_COMPONENTS):
        # f16 has no signatures of its own
        halves = any(t is not None and t.component == F16 for t in types)
        return None if halves and value_type(word).component == F32 else value_type(word)
    of = _variable(signature, types)
    if of is None:
        return None
    if word == "E":
        return of.component
    return of if word == "T" else of.with_component(_COMPONENTS[word])


def _variable(signature: Signature, types: Types) -> ValueType | None:
    """What `T` is in a call; an abstract type only if the call may be evaluated before the shader runs."""
    given = [t for p, t in zip(signature.parameters, types, strict=True) if unsigned(p) == "T"]
    if not given or any(t is None for t in given):
        known = [t for t in given if t is not None and not t.is_abstract]
        return known[0] if known else None
    of = given[0]
    for type in given[1:]:
        of = joined(of, type)
    if of is not None and of.component == INT and signature.of in _OF_FLOATS:
        of = of.with_component(FLOAT)
    return of if of is None or FUNCTIONS[signature.function].constant else concrete(of)


def _stored(pointer: ValueType | None) -> ValueType | None:
    """What is loaded through a pointer, atomics seen through."""
    inner = None if pointer is None or pointer.name != "ptr" else pointer.element
    return inner.element if inner is not None and inner.name == "atomic" else inner


def _of_texture(signature: Signature, texture: ValueType) -> ValueType | None:
    """The result type of a texture function: texels have the sampled type, or the format's."""
    type = value_type(signature.result)
    if signature.function not in ("textureLoad", "textureGather") or not type.is_vector:
        return type
    if texture.name.startswith("texture_storage_"):
        return ValueType("vec4", _TEXELS.get(texture.size.partition(" ")[0][-4:], F32))
    return ValueType("vec4", texture.element or F32)


_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})


class ValueTypes:
    """The types of the declarations and expressions of a module; None: not known here."""

    def __init__(self, resolution: Resolution) -> None:
        self._resolution = resolution
        self._known: dict[int, ValueType | None] = {}

    def of(self, expression: w.Expression) -> ValueType | None:
        """The type of an expression."""
        key = id(expression)
        if key not in self._known:
            self._known[key] = self._of(expression)
        return self._known[key]

    def declared(self, declared: Declared) -> ValueType | None:
        """The type of what a name stands for; of a function, of its result."""
        key = id(declared)
        if key not in self._known:
            self._known[key] = self._declared(declared)
        return self._known[key]

    def named(self, name: w.Identifier | None) -> ValueType | None:
        """The type that is written, aliases seen through."""
        if name is None:
            return None
        declared = self._resolution.declaration(name)
        return _predeclared(self, name) if declared is None else self.declared(declared)

    def member(self, struct: w.Struct, name: str) -> ValueType | None:
        """The type of a member of a structure."""
        return next((self.named(m.type) for m in struct.members if m.name == name), None)

    def struct(self, type: ValueType) -> w.Struct | None:
        """The structure of a type."""
        found = (d for d in self._resolution.module.declarations if isinstance(d, w.Struct) and d.name == type.name)
        return next(found, None)

    def is_constructible(self, type: ValueType | None) -> bool:
        """Whether a variable in a function may have this type."""
        if type is None or type.is_abstract:
            return False
        if type.is_scalar or type.is_vector or type.name.startswith("mat"):
            return True
        if type.name == "array":
            return type.size.isdigit() and type.size != "0" and self.is_constructible(type.element)
        struct = self.struct(type)
        return struct is not None and all(self.is_constructible(self.named(m.type)) for m in struct.members)

    # ----------------------------------------------------------------------------------------------------- in private

    def _declared(self, d: Declared) -> ValueType | None:
        if isinstance(d, w.Struct):
            return ValueType(d.name)
        if isinstance(d, w.Function):
            return self.named(d.result)
        if isinstance(d, w.Alias | w.Parameter) or d.type is not None:
            return self.named(d.type)
        if d.value is None:
            return None
        found = self.of(d.value)
        return found if found is None or isinstance(d, w.Const) else concrete(found)

    def _of(self, e: w.Expression) -> ValueType | None:
        match e:
            case w.Literal():
                return literal_type(e.text)
            case w.Identifier():
                declared = self._resolution.declaration(e)
                return None if declared is None else self.declared(declared)
            case w.Unary():
                return self._unary(e)
            case w.Binary():
                return self._binary(e)
            case w.Index():
                return element(pointee(self.of(e.base)))
            case w.Member():
                return self._member(e)
            case w.Call():
                return self._call(e)
            case _:
                assert_never(e)

    def _unary(self, e: w.Unary) -> ValueType | None:
        inner = self.of(e.operand)
        if inner is None or e.operator not in "&*":
            return inner
        if e.operator == "*":
            return pointee(inner)
        root = self._resolution.root(e.operand)
        if isinstance(root, w.Parameter):
            pointer = self._resolution.pointer(root)
            assert pointer is not None, "a root that is a parameter is a pointer"
            return ValueType("ptr", inner, f"{pointer.space} {pointer.access}")
        if root is None:
            return None
        return ValueType("ptr", inner, f"{self._resolution.space(root)} {self._resolution.access(root)}")

    def _binary(self, e: w.Binary) -> ValueType | None:
        if e.operator in ("&&", "||"):
            return BOOL
        left, right = self.of(e.left), self.of(e.right)
        if e.operator in ("<<", ">>"):
            return left
        if e.operator not in _COMPARISONS:
            return combined(e.operator, left, right)
        both = joined(left, right)
        return None if both is None else both.with_component(BOOL)

    def _member(self, e: w.Member) -> ValueType | None:
        if isinstance(e.base, w.Call) and self._resolution.builtin(e.base) is not None:
            found = self._builtin(e.base, e.name)
            if found is not None:
                return found
        base = pointee(self.of(e.base))
        if base is None:
            return None
        if base.is_vector:
            return base.element if len(e.name) == 1 else ValueType(f"vec{len(e.name)}", base.element)
        struct = self.struct(base)
        return None if struct is None else self.member(struct, e.name)

    def _call(self, e: w.Call) -> ValueType | None:
        declared = self._resolution.declaration(e.callee)
        if declared is not None:
            return self.declared(declared)
        if self._resolution.builtin(e) is not None:
            return self._builtin(e)
        name = e.callee.name
        if e.callee.template or name in SCALARS or not e.arguments or name[-1] in SHORT:
            return self.named(e.callee)
        return self._inferred(name, [self.of(a) for a in e.arguments])

    def _inferred(self, name: str, types: list[ValueType | None]) -> ValueType | None:
        """The type of a constructor without a template list."""
        is_array = name == "array"
        known = [t if is_array else t.component for t in types if t is not None]
        if len(known) < len(types):
            return None
        inner: ValueType | None = known[0]
        for type in known[1:]:
            inner = joined(inner, type)
        if inner is None or is_array:
            return None if inner is None else ValueType(name, inner, str(len(types)))
        is_matrix = name.startswith("mat")
        return (
            ValueType(name, FLOAT if is_matrix and inner == INT else inner) if is_matrix or name[:3] == "vec" else None
        )

    def _builtin(self, e: w.Call, member: str = "") -> ValueType | None:
        """The type of a call of a built-in function, or of a member of its result."""
        template = next((t for t in e.callee.template if isinstance(t, w.Identifier)), None)
        types = [self.of(a) for a in e.arguments]
        return result_type(e.callee.name, types, self.named(template), member)


def _predeclared(types: ValueTypes, name: w.Identifier) -> ValueType | None:
    word, template = name.name, name.template
    if word[-1] in SHORT and word[:3] in ("vec", "mat"):
        return ValueType(word[:-1], SHORT[word[-1]])
    if not template:
        return ValueType(word)
    if word == "ptr":
        return _written_pointer(types, template)
    if word.startswith("texture_storage_"):
        return ValueType(word, size=" ".join(_text(a) for a in template))
    inner = template[0]
    of_element = types.named(inner) if isinstance(inner, w.Identifier) else None
    if of_element is None:
        return None
    return ValueType(word, of_element, _text(template[1]) if len(template) > 1 else "")


def _written_pointer(types: ValueTypes, template: tuple[w.Expression, ...]) -> ValueType | None:
    inner = template[1]
    store = types.named(inner) if isinstance(inner, w.Identifier) else None
    if store is None:
        return None
    space = _text(template[0])
    usual = "read" if space in ("uniform", "storage") else "read_write"
    return ValueType("ptr", store, f"{space} {_text(template[2]) if len(template) > 2 else usual}")


def _text(e: w.Expression) -> str:
    """The number of an array's elements, or an enumerant; a number's suffix does not count."""
    return e.text.rstrip("iu") if isinstance(e, w.Literal) else expression_text(e)
