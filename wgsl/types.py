"""Types: one model of those of WGSL, and the types of expressions and declarations as far as they are known.

This is no type checker: where an operation is not valid, or not known, there is no type.
"""

import builtins
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from typing import assert_never

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import (
    FUNCTIONS,
    HANDLE_STEMS,
    MATRIX_TYPES,
    Signature,
    function_signatures,
    texture_signatures,
    unsigned,
)
from wgsl_fuzz.wgsl.lexer import number_of
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import expression_text
from wgsl_fuzz.wgsl.resolution import Access, Declared, Resolution, Space, default_access


class _Written:
    """What all types share: `str` gives the text."""

    __slots__ = ()

    def __str__(self) -> str:
        return expression_text(written(self))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Scalar(_Written):
    """`u32`, `i32`, `f32`, `f16` or `bool`; `int` and `float` are the types of literals without a suffix."""

    name: str

    @property
    def core(self) -> core.Type:
        """The type of TinyWGSL that holds it: bits for floats."""
        return _CORE.get(self.name, core.Type.U32)

    @property
    def is_abstract(self) -> bool:
        """Whether only constants have it."""
        return self.name == "int" or self.name == "float"

    @property
    def is_float(self) -> bool:
        """Whether it is f32 or f16."""
        return self.name == "f32" or self.name == "f16"


@dataclass(frozen=True, slots=True)
class Vector(_Written):
    """`vecN<T>`."""

    size: int
    element: Scalar


@dataclass(frozen=True, slots=True)
class Matrix(_Written):
    """`matCxR<T>`: columns, one behind the other."""

    columns: int
    rows: int
    element: Scalar

    @property
    def column(self) -> Vector:
        """The type of `m[i]`."""
        return Vector(self.rows, self.element)


@dataclass(frozen=True, slots=True)
class SubgroupMatrix(_Written):
    """`subgroup_matrix_left<T, columns, rows>`, or `_right`, or `_result`: a proposal."""

    name: str
    element: str
    """`u8` and `i8` among others."""
    columns: str
    """As the text of a const-expression."""
    rows: str

    @property
    def scalar(self) -> Scalar:
        """The type of a component in the shader."""
        return SCALAR_OF.get(self.element) or SCALAR_OF[f"{self.element[0]}32"]


@dataclass(frozen=True, slots=True)
class Array(_Written):
    """`array<T, N>`."""

    element: "Type"
    count: int | None
    """None: it is sized at run time, or by a constant expression that is not evaluated."""
    text: str = ""
    """That expression."""


@dataclass(frozen=True, slots=True)
class Structure(_Written):
    """A declared structure, or one that a built-in function gives."""

    name: str
    members: "tuple[tuple[str, Type], ...]"

    def __hash__(self) -> int:
        return hash(self.name)  # sooner than of all members


@lru_cache(maxsize=1 << 16)
def structure(name: str, members: "tuple[tuple[str, Type], ...]") -> Structure:
    """The one object for a structure: comparing two equal ones looks at each leaf, of which there may be 2**30."""
    return Structure(name, members)


@dataclass(frozen=True, slots=True)
class Atomic(_Written):
    """`atomic<T>`; of a vector by a proposal."""

    element: Scalar
    size: int = 1
    """The number of components."""


@dataclass(frozen=True, slots=True)
class Pointer(_Written):
    """`ptr<space, store, access>`."""

    space: Space
    store: "Type"
    access: Access


@dataclass(frozen=True, slots=True)
class Handle(_Written):
    """A texture or a sampler: its name, and the words of its template."""

    name: str
    arguments: tuple[str, ...] = ()


Type = Scalar | Vector | Matrix | SubgroupMatrix | Array | Structure | Atomic | Pointer | Handle
"""The type of a value, or of what a reference stands for."""
Types = Sequence[Type | None]
"""None: not known."""

U32, I32, F32, F16, BOOL = (Scalar(name) for name in ("u32", "i32", "f32", "f16", "bool"))
INT, FLOAT = Scalar("int"), Scalar("float")
SCALAR_OF = {scalar.name: scalar for scalar in (U32, I32, F32, F16, BOOL)}
_LETTERS = {"u": U32, "i": I32, "f": F32, "h": F16}
"""By the suffix of a literal, or of the short name of a vector or matrix."""
_CONCRETE = {INT: I32, FLOAT: F32}
_CORE = {
    "u32": core.Type.U32,
    "i32": core.Type.I32,
    "bool": core.Type.BOOL,
    "int": core.Type.I32,
    "float": core.Type.I32,
}

# --------------------------------------------------------------------------------------------------------- questions


def component(type: Type) -> Type:
    """The type of a component of a vector or a matrix; any other type itself."""
    return type.element if isinstance(type, Vector | Matrix) else type


def with_component(type: Type, scalar: Scalar) -> Type:
    """A scalar, vector or matrix of the same shape."""
    match type:
        case Vector():
            return Vector(type.size, scalar)
        case Matrix():
            return Matrix(type.columns, type.rows, scalar)
        case _:
            return scalar


def element_of(type: Type | None) -> Type | None:
    """The type of `e[i]`, given that of `e`; None if it has no elements or is unknown."""
    match type:
        case Matrix():
            return type.column
        case Vector() | Array():
            return type.element
        case Handle("binding_array", (element, _)):
            return type_of(element)
        case _:
            return None


def pointee(type: Type | None) -> Type | None:
    """What a pointer leads to; any other type as it is."""
    return type.store if isinstance(type, Pointer) else type


@lru_cache(maxsize=4096)
def concrete(type: Type) -> Type:
    """The type that a variable gets from a value of this one."""
    match type:
        case Scalar():
            return _CONCRETE.get(type, type)
        case Vector() | Matrix():
            return with_component(type, _CONCRETE.get(type.element, type.element))
        case Array():
            return Array(concrete(type.element), type.count, type.text)
        case Structure():
            return structure(type.name, tuple([(name, concrete(member)) for name, member in type.members]))
        case _:
            return type


def is_abstract(type: Type) -> bool:
    """Whether only constants have it: `1`, `vec2(1.5)`, `array(1, 2)`."""
    match type:
        case Scalar():
            return type.is_abstract
        case Vector() | Matrix() | Array():
            return is_abstract(type.element)
        case _:
            return False


@lru_cache(maxsize=4096)
def is_constructible(type: Type | None) -> bool:
    """Whether there are values of a type that a `let`, a parameter or a variable in a function can have."""
    match type:
        case Array():
            return type.count is not None and is_constructible(type.element)
        case Structure():
            return all(is_constructible(member) for _, member in type.members)
        case Scalar() | Vector() | Matrix() | SubgroupMatrix():
            return not is_abstract(type)
        case _:
            return False


@lru_cache(maxsize=4096)
def holds(type: Type, kind: builtins.type) -> bool:
    """Whether types of a kind are in it, or it is one."""
    if isinstance(type, kind):
        return True
    if isinstance(type, Structure):
        return any(holds(member, kind) for _, member in type.members)
    return isinstance(type, Array) and holds(type.element, kind)


# ------------------------------------------------------------------------------------------------------------- texts


def short_name(type: Type) -> str | None:
    """`vec3u`, `mat2x2f`: the predeclared alias of a vector or a matrix."""
    if not isinstance(type, Vector | Matrix) or type.element == BOOL or type.element.is_abstract:
        return None
    return f"{_stem(type)}{'h' if type.element == F16 else type.element.name[0]}"


def _stem(type: Vector | Matrix) -> str:
    return f"vec{type.size}" if isinstance(type, Vector) else f"mat{type.columns}x{type.rows}"


def written(type: Type, *, short: bool = False, suffix: str = "") -> w.Identifier:
    """A type in fresh nodes, since no node may stand in a module twice.

    `short` takes the predeclared aliases; `suffix` is that of the counts of arrays.
    """

    def inside(inner: Type) -> w.Identifier:
        return written(inner, short=short, suffix=suffix)

    match type:
        case Scalar() | Structure():
            return w.Identifier(type.name)
        case Vector() | Matrix():
            name = short_name(type) if short else None
            return w.Identifier(_stem(type), (inside(type.element),)) if name is None else w.Identifier(name)
        case SubgroupMatrix(name, element, columns, rows):
            return w.Identifier(name, (w.Identifier(element), w.Literal(columns), w.Literal(rows)))
        case Array():
            count = type.text if type.count is None else f"{type.count}{suffix}"
            return w.Identifier("array", (inside(type.element), *([w.Literal(count)] if count else [])))
        case Atomic():
            of = type.element if type.size == 1 else Vector(type.size, type.element)
            return w.Identifier("atomic", (inside(of),))
        case Pointer():
            access = [w.Identifier(type.access.value)] if type.space is Space.STORAGE else []
            return w.Identifier("ptr", (w.Identifier(type.space.value), inside(type.store), *access))
        case Handle():
            return w.Identifier(type.name, tuple([w.Identifier(word) for word in type.arguments]))


_SHAPE = re.compile(r"(?:vec([234])|mat([234])x([234]))([iufh])?")


@lru_cache(maxsize=512)
def shaped(name: str, scalar: Scalar | None = None) -> Vector | Matrix | None:
    """The type that `vec3f` or `mat2x3h` names; with a scalar, what `vec3` or `mat2x3` of it is; None: neither."""
    found = _SHAPE.fullmatch(name)
    if found is None:
        return None
    size, columns, rows, letter = found.groups()
    scalar = _LETTERS[letter] if letter else scalar
    if scalar is None:
        return None
    return Vector(int(size), scalar) if size else Matrix(int(columns), int(rows), scalar)


def literal_type(text: str) -> Scalar:
    """The type of a literal."""
    if text in ("true", "false"):
        return BOOL
    hexadecimal = text[:2] in ("0x", "0X")
    if text[-1] in "iu":
        return _LETTERS[text[-1]]
    if text[-1] in "fh" and (not hexadecimal or "p" in text.lower()):
        return _LETTERS[text[-1]]
    floating = "p" in text.lower() or "." in text if hexadecimal else any(c in text for c in ".eE")
    return FLOAT if floating else INT


def literal_count(e: w.Expression) -> int | None:
    """The count of an array that is a literal."""
    value = number_of(e.text)[0] if isinstance(e, w.Literal) and e.text not in ("true", "false") else None
    return value if isinstance(value, int) else None


class TypeReader:
    """Types by the names that stand for them."""

    def __init__(
        self,
        declaration: Callable[[w.Identifier], Declared | None],
        count: Callable[[w.Expression], int | None] = literal_count,
    ) -> None:
        self._declaration = declaration
        self._count = count
        self._structures: dict[int, Type | None] = {}

    def named(self, name: w.Expression | None) -> Type | None:
        """The type that a name stands for, aliases seen through; None: it is not known, or there is no name."""
        if not isinstance(name, w.Identifier):
            return None
        declared = self._declaration(name)
        if isinstance(declared, w.Alias):
            return self.named(declared.type)
        if isinstance(declared, w.Struct):
            return self.structure(declared)
        return self._predeclared(name.name, name.template)

    def structure(self, struct: w.Struct) -> Type | None:
        """The type that is declared; None if that of a member is not known."""
        if id(struct) not in self._structures:
            members = [(m.name, type) for m in struct.members if (type := self.named(m.type)) is not None]
            whole = len(members) == len(struct.members)
            self._structures[id(struct)] = structure(struct.name, tuple(members)) if whole else None
        return self._structures[id(struct)]

    def _predeclared(self, name: str, template: Sequence[w.Expression]) -> Type | None:
        if name in SCALAR_OF:
            return SCALAR_OF[name]
        if name == "binding_array":
            return Handle(name, (str(self.named(template[0])), expression_text(template[1])))
        if name.startswith(HANDLE_STEMS):
            return Handle(name, tuple([self._word(e) for e in template]))
        if not template:
            return shaped(name)
        if name in MATRIX_TYPES:
            counts = [(self._count(e), expression_text(e)) for e in template[1:]]
            columns, rows = (text if count is None else str(count) for count, text in counts)
            return SubgroupMatrix(name, self._component(template[0]), columns, rows)
        match name:
            case "array":
                inner = self.named(template[0])
                if inner is None or len(template) < 2:
                    return None if inner is None else Array(inner, None)
                count = self._count(template[1])
                return Array(inner, count, expression_text(template[1]) if count is None else "")
            case "ptr":
                store, space = self.named(template[1]), Space(self._word(template[0]))
                access = Access(self._word(template[2])) if len(template) > 2 else default_access(space)
                return None if store is None else Pointer(space, store, access)
            case _:
                inner = self.named(template[0])
                if name == "atomic" and isinstance(inner, Vector):
                    return Atomic(inner.element, inner.size)
                if not isinstance(inner, Scalar):
                    return None
                return Atomic(inner) if name == "atomic" else shaped(name, inner)

    def _component(self, e: w.Expression) -> str:
        """The type of the components of a subgroup matrix: a scalar, or one that only these have."""
        declared = self._declaration(e) if isinstance(e, w.Identifier) else None
        return self._component(declared.type) if isinstance(declared, w.Alias) else self._word(e)

    def _word(self, e: w.Expression) -> str:
        """An enumerant, or the name of a scalar type."""
        assert isinstance(e, w.Identifier), "enumerants and types are identifiers"
        found = self.named(e)
        return found.name if isinstance(found, Scalar) else e.name


@lru_cache(maxsize=2048)
def type_of(text: str) -> Type:
    """The type that a text names, such as `vec3f` or `ptr<workgroup, atomic<u32>>`; it names no structure."""
    (alias,) = parse(f"alias T = {text};").declarations
    assert isinstance(alias, w.Alias), "the text is one"
    found = TypeReader(lambda _: None).named(alias.type)
    assert found is not None, "a predeclared type"
    return found


# -------------------------------------------------------------------------------------------------------- operations


def joined(one: Type | None, other: Type | None) -> Type | None:
    """The type of two operands that must have the same; an abstract one becomes the other's."""
    match one, other:
        case None, _:
            return None
        case Vector(), Vector() if one.size == other.size:
            inner = joined(one.element, other.element)
            return with_component(one, inner) if isinstance(inner, Scalar) else None
        case Matrix(), Matrix() if (one.columns, one.rows) == (other.columns, other.rows):
            inner = joined(one.element, other.element)
            return with_component(one, inner) if isinstance(inner, Scalar) else None
        case Array(), Array() if (one.count, one.text) == (other.count, other.text):
            inner = joined(one.element, other.element)
            return None if inner is None else Array(inner, one.count, one.text)
        case Scalar(), Scalar() if one != other:
            if other == INT or (other == FLOAT and one != INT):
                one, other = other, one
            fits = one.is_abstract and (other.is_float or other == FLOAT or (one == INT and other != BOOL))
            return other if fits else None
        case _:
            return one if one == other else None


def combined(operator: str, left: Type | None, right: Type | None) -> Type | None:
    """The type of an arithmetic operation: of equal types, or between vectors, matrices and numbers."""
    if left is None or right is None:
        return None
    scalar = joined(component(left), component(right))
    if not isinstance(scalar, Scalar):
        return None
    match left, right:
        case Matrix(), Matrix() if operator == "*":
            return Matrix(right.columns, left.rows, scalar)
        case Matrix(), Vector():
            return Vector(left.rows, scalar)
        case Vector(), Matrix():
            return Vector(right.columns, scalar)
        case Scalar(), _:
            return with_component(right, scalar)
        case _:
            return with_component(left, scalar) if isinstance(right, Scalar) else joined(left, right)


def inferred(name: str, types: Types) -> Type | None:
    """The type that a constructor without a template list gives, by the types of its arguments, at least one."""
    if None in types:
        return None
    first, *others = types if name == "array" else [component(type) for type in types if type is not None]
    inner = reduce(joined, others, first)
    if name == "array":
        return None if inner is None else Array(inner, len(types))
    if inner == INT and name.startswith("mat"):
        inner = FLOAT
    return shaped(name, inner) if isinstance(inner, Scalar) else None


# --------------------------------------------------------------------------------------------------- expression types

_OF_FLOATS = frozenset({"F", "V"})
_COMPONENTS = {"TB": BOOL, "TI": I32, "TU": U32, "TF": F32}
_TEXELS = {"uint": U32, "sint": I32}


@cache
def _by_function() -> Mapping[str, tuple[Signature, ...]]:
    found: dict[str, list[Signature]] = {}
    for signature in (*function_signatures(), *texture_signatures()):
        found.setdefault(signature.function, []).append(signature)
    return {name: tuple(signatures) for name, signatures in found.items()}


def result_type(function: str, types: Types, template: Type | None = None, member: str = "") -> Type | None:
    """The type of a call, or of a member of its result; None: it is not known, or the result has no name.

    `types` are those of the arguments; `template` is the type in `bitcast<type>`. A component of a vector is no member.
    """
    if function in ("bitcast", "subgroupMatrixLoad"):
        return None if member else template
    if function.startswith("subgroupMatrix"):
        return None if member else _of_matrices(function, types, template)
    if not member and types and isinstance(types[0], Handle) and types[0].name == "texel_buffer":
        return texel(types[0]) if function == "textureLoad" else U32 if function == "textureDimensions" else None
    if function in ("determinant", "transpose"):  # their signatures name some matrices, and mean any
        matrix = types[0] if types and not member else None
        if not isinstance(matrix, Matrix):
            return None
        return matrix.element if function == "determinant" else Matrix(matrix.rows, matrix.columns, matrix.element)
    found = {_result(s, types) for s in _fitting(function, types) if s.member == member} - {None}
    return found.pop() if len(found) == 1 else None


def _of_matrices(function: str, types: Types, template: Type | None) -> Type | None:
    """The type of a call with subgroup matrices."""
    if function != "subgroupMatrixMultiply":
        of = {"subgroupMatrixStore": -1, "subgroupMatrixMultiplyAccumulate": 2}.get(function, 0)
        return types[of] if 0 <= of < len(types) else None
    match types, template:
        case [SubgroupMatrix(rows=rows), SubgroupMatrix(columns=columns)], Scalar(name):
            return SubgroupMatrix("subgroup_matrix_result", name, columns, rows)
        case _:
            return None


def _fitting(function: str, types: Types) -> Iterator[Signature]:
    """The signatures that take so many arguments, and such a texture or pointer."""
    for signature in _by_function().get(function, ()):
        if len(signature.parameters) == len(types):
            words = [unsigned(parameter) for parameter in signature.parameters]
            if all(_may_be(word, type) for word, type in zip(words, types, strict=True)):
                yield signature


def _may_be(word: str, type: Type | None) -> bool:
    """Whether an argument of a type may be for a parameter, as far as textures and pointers tell."""
    head = word.partition("<")[0]
    if type is None:
        return True
    if head.startswith(("texture_", "sampler")):
        return isinstance(type, Handle) and type.name == head
    return head != "ptr" or isinstance(type, Pointer)


def _result(signature: Signature, types: Types) -> Type | None:
    word = signature.result
    if not word:
        return None
    first = unsigned(signature.parameters[0]) if signature.parameters else ""
    if first.startswith("ptr<") and word == "T":
        inner = types[0].store if isinstance(types[0], Pointer) else None
        return inner.element if isinstance(inner, Atomic) else inner  # what is loaded through it
    texture = next((t for t in types if isinstance(t, Handle) and t.name.startswith("texture_")), None)
    if texture is not None:
        found = type_of(word)
        is_texel = signature.function in ("textureLoad", "textureGather") and isinstance(found, Vector)
        return texel(texture) if is_texel else found
    if any(u.startswith("texture_") for u in signature.parameters):
        return None
    if word not in ("T", "E", *_COMPONENTS):
        # f16 has no signatures of its own
        halves = any(t is not None and component(t) == F16 for t in types)
        found = type_of(word)
        return None if halves and component(found) == F32 else found
    of = _variable(signature, types)
    if of is None:
        return None
    if word == "E":
        return component(of)
    return of if word == "T" else with_component(of, _COMPONENTS[word])


def _variable(signature: Signature, types: Types) -> Type | None:
    """What `T` is in a call; an abstract type only if the call may be evaluated before the shader runs."""
    given = [t for p, t in zip(signature.parameters, types, strict=True) if unsigned(p) == "T"]
    if not given or any(t is None for t in given):
        known = [t for t in given if t is not None and not is_abstract(t)]
        return known[0] if known else None
    of = given[0]
    for type in given[1:]:
        of = joined(of, type)
    if of is not None and component(of) == INT and signature.of in _OF_FLOATS:
        of = with_component(of, FLOAT)
    return of if of is None or FUNCTIONS[signature.function].constant else concrete(of)


def texel(texture: Handle) -> Vector:
    """Of the sampled type, or the format's."""
    word = texture.arguments[0] if texture.arguments else "f32"
    return Vector(4, SCALAR_OF.get(word) or _TEXELS.get(word[-4:], F32))


class ValueTypes(TypeReader):
    """The types of the declarations and expressions of a module; None: not known here."""

    def __init__(self, resolution: Resolution) -> None:
        super().__init__(resolution.declaration)
        self._resolution = resolution
        self._known: dict[int, Type | None] = {}

    def of(self, expression: w.Expression) -> Type | None:
        """The type of an expression."""
        key = id(expression)
        if key not in self._known:
            self._known[key] = self._of(expression)
        return self._known[key]

    def declared(self, declared: Declared) -> Type | None:
        """The type of what a name stands for; of a function, of its result."""
        key = id(declared)
        if key not in self._known:
            self._known[key] = self._declared(declared)
        return self._known[key]

    def struct(self, type: Type) -> w.Struct | None:
        """The declaration of a structure; None for another type."""
        if not isinstance(type, Structure):
            return None
        found = (d for d in self._resolution.module.declarations if isinstance(d, w.Struct) and d.name == type.name)
        return next(found, None)

    # ----------------------------------------------------------------------------------------------------- in private

    def _declared(self, d: Declared) -> Type | None:
        if isinstance(d, w.Struct):
            return self.structure(d)
        if isinstance(d, w.Function):
            return self.named(d.result)
        if isinstance(d, w.Alias | w.Parameter) or d.type is not None:
            return self.named(d.type)
        if d.value is None:
            return None
        found = self.of(d.value)
        return found if found is None or isinstance(d, w.Const) else concrete(found)

    def _of(self, e: w.Expression) -> Type | None:
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
                return element_of(pointee(self.of(e.base)))
            case w.Member():
                return self._member(e)
            case w.Call():
                return self._call(e)
            case _:
                assert_never(e)

    def _unary(self, e: w.Unary) -> Type | None:
        inner = self.of(e.operand)
        if inner is None or e.operator not in "&*":
            return inner
        if e.operator == "*":
            return pointee(inner)
        root = self._resolution.root(e.operand)
        if isinstance(root, w.Parameter):
            pointer = self._resolution.pointer(root)
            assert pointer is not None, "a root that is a parameter is a pointer"
            return Pointer(pointer.space, inner, pointer.access)
        return None if root is None else Pointer(self._resolution.space(root), inner, self._resolution.access(root))

    def _binary(self, e: w.Binary) -> Type | None:
        if e.operator in ("&&", "||"):
            return BOOL
        left, right = self.of(e.left), self.of(e.right)
        if e.operator in ("<<", ">>"):
            return left
        if e.operator not in core.COMPARISONS:
            return combined(e.operator, left, right)
        both = joined(left, right)
        return None if both is None else with_component(both, BOOL)

    def _member(self, e: w.Member) -> Type | None:
        if isinstance(e.base, w.Call) and self._resolution.builtin(e.base) is not None:
            found = self._builtin(e.base, e.name)
            if found is not None:
                return found
        match pointee(self.of(e.base)):
            case Vector(_, element):
                return element if len(e.name) == 1 else Vector(len(e.name), element)
            case Structure(_, members):
                return dict(members).get(e.name)
            case _:
                return None

    def _call(self, e: w.Call) -> Type | None:
        declared = self._resolution.declaration(e.callee)
        if declared is not None:
            return self.declared(declared)
        if self._resolution.builtin(e) is not None:
            return self._builtin(e)
        name = e.callee.name
        if e.callee.template or not e.arguments or name in SCALAR_OF or shaped(name) is not None:
            return self.named(e.callee)
        return inferred(name, [self.of(a) for a in e.arguments])

    def _builtin(self, e: w.Call, member: str = "") -> Type | None:
        """The type of a call of a built-in function, or of a member of its result."""
        template = next((t for t in e.callee.template if isinstance(t, w.Identifier)), None)
        types = [self.of(a) for a in e.arguments]
        return result_type(e.callee.name, types, self.named(template), member)
