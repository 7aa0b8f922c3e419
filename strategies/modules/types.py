"""The types that are drawn: a model of WGSL's, small enough to ask what a value or a variable may be.

Types compare by value, but for structures, which are themselves. `written` makes fresh nodes, since no node may stand
in a module twice.
"""

from dataclasses import dataclass

from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.syntax import Expression, Identifier, Literal


@dataclass(frozen=True, slots=True)
class Scalar:
    """`u32`, `i32`, `f32` or `bool`."""

    name: str


@dataclass(frozen=True, slots=True)
class Vector:
    """`vecN<T>`."""

    size: int
    element: Scalar


@dataclass(frozen=True, slots=True)
class Matrix:
    """`matCxR<f32>`."""

    columns: int
    rows: int

    @property
    def column(self) -> Vector:
        """The type of `m[i]`."""
        return Vector(self.rows, F32)


@dataclass(frozen=True, slots=True)
class Array:
    """`array<T, N>`; without a count it is sized at run time, and only a storage buffer may end in it."""

    element: "Type"
    count: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """A declared structure."""

    name: str
    members: "tuple[tuple[str, Type], ...]"


@dataclass(frozen=True, slots=True)
class Atomic:
    """`atomic<T>`."""

    element: Scalar


@dataclass(frozen=True, slots=True)
class Pointer:
    """`ptr<space, store, access>`."""

    space: Space
    store: "Type"
    access: Access


@dataclass(frozen=True, slots=True)
class Handle:
    """A texture or a sampler: its name, and the words of its template."""

    name: str
    arguments: tuple[str, ...] = ()


Type = Scalar | Vector | Matrix | Array | Structure | Atomic | Pointer | Handle

U32, I32, F32, BOOL = Scalar("u32"), Scalar("i32"), Scalar("f32"), Scalar("bool")
SCALARS = (U32, I32, F32, BOOL)
SCALAR_OF = {scalar.name: scalar for scalar in SCALARS}
"""There is one object of each, so that `is` tells them apart."""
NUMBERS = (U32, I32, F32)
INTEGERS = (U32, I32)

READABLE_SPACES = frozenset({Space.UNIFORM, Space.STORAGE, Space.HANDLE})


def default_access(space: Space) -> Access:
    """The access mode of a variable or pointer that writes none."""
    return Access.READ if space in READABLE_SPACES else Access.READ_WRITE


def written(type: Type) -> Identifier:
    """The type as a fresh node, as the language spells it out."""
    match type:
        case Scalar() | Structure():
            return Identifier(type.name)
        case Vector():
            return Identifier(f"vec{type.size}", (written(type.element),))
        case Matrix():
            return Identifier(f"mat{type.columns}x{type.rows}", (written(F32),))
        case Array():
            count: tuple[Expression, ...] = () if type.count is None else (Literal(f"{type.count}u"),)
            return Identifier("array", (written(type.element), *count))
        case Atomic():
            return Identifier("atomic", (written(type.element),))
        case Pointer():
            access = () if type.space is not Space.STORAGE else (Identifier(type.access.value),)
            return Identifier("ptr", (Identifier(type.space.value), written(type.store), *access))
        case Handle():
            return Identifier(type.name, tuple([Identifier(word) for word in type.arguments]))


def short_name(type: Type) -> str | None:
    """`vec3u`, `mat2x2f`: the predeclared alias of a vector or a matrix."""
    if isinstance(type, Matrix):
        return f"mat{type.columns}x{type.rows}f"
    if isinstance(type, Vector) and type.element is not BOOL:
        return f"vec{type.size}{type.element.name[0]}"
    return None


def is_constructible(type: Type) -> bool:
    """Whether there are values of the type that a `let`, a parameter or a private variable can have."""
    if isinstance(type, Array):
        return type.count is not None and is_constructible(type.element)
    if isinstance(type, Structure):
        return all(is_constructible(member) for _, member in type.members)
    return isinstance(type, Scalar | Vector | Matrix)


def is_host_shareable(type: Type) -> bool:
    """Whether a buffer may hold it: no bool is in it."""
    if isinstance(type, Array | Vector):
        return is_host_shareable(type.element)
    if isinstance(type, Structure):
        return all(is_host_shareable(member) for _, member in type.members)
    return type is not BOOL
