"""Types of values as the semantics holds them: a composite is a row of scalars, its cells."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from wgsl_fuzz.tinywgsl.ast import Type
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Alias, Expression, Identifier, Node, Struct


class Assumption(Exception):
    """Lowering has to begin again, knowing something about the module."""


class Discards(Assumption):
    """The shader discards, and so whether a write happens is open."""


class FilteredResult(Assumption):
    """What a call under a diagnostic filter gives matters, and so it has to be synchronised all the same."""


class OverrideInSize(Assumption):
    """The size of an array or of the workgroup is an override without a default."""


class CannotRun(Exception):
    """A construct that the semantics cannot run, in words, and its place in the text."""

    def __init__(self, what: str, at: Node | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.start = -1 if at is None else at.start


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar type by its name; `int` and `float` are those of literals without a suffix."""

    name: str

    @property
    def core(self) -> Type:
        """The type of TinyWGSL that holds it: bits for floats."""
        return _CORE.get(self.name, Type.U32)

    @property
    def abstract(self) -> bool:
        """Whether only constants have it."""
        return self.name == "int" or self.name == "float"

    @property
    def floating(self) -> bool:
        """Whether it is f32 or f16."""
        return self.name == "f32" or self.name == "f16"


_CORE = {"u32": Type.U32, "i32": Type.I32, "bool": Type.BOOL, "int": Type.I32, "float": Type.I32}

U32, I32, BOOL, F32 = Scalar("u32"), Scalar("i32"), Scalar("bool"), Scalar("f32")
INT, FLOAT = Scalar("int"), Scalar("float")


@dataclass(frozen=True, slots=True)
class Vector:
    """`vecN<T>`."""

    size: int
    scalar: Scalar


@dataclass(frozen=True, slots=True)
class Matrix:
    """`matCxR<T>`: columns, one behind the other."""

    columns: int
    rows: int
    scalar: Scalar


@dataclass(frozen=True, slots=True)
class Array:
    """`array<E, N>`; without a count it is sized at run time."""

    element: "ValueType"
    count: int | None


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure: of the built-in functions' results, or declared."""

    name: str
    members: "tuple[tuple[str, ValueType], ...]"


@dataclass(frozen=True, slots=True)
class Atomic:
    """`atomic<T>`."""

    scalar: Scalar


@dataclass(frozen=True, slots=True)
class Handle:
    """A texture or a sampler."""

    name: str
    arguments: tuple[Expression, ...] = ()


ValueType = Scalar | Vector | Matrix | Array | Structure | Atomic | Handle


@lru_cache(maxsize=4096)
def scalars(type: ValueType) -> tuple[Scalar, ...]:
    """The types of the cells; none for an array that is sized at run time."""
    match type:
        case Scalar():
            return (type,)
        case Vector():
            return (type.scalar,) * type.size
        case Matrix():
            return (type.scalar,) * (type.columns * type.rows)
        case Atomic():
            return (type.scalar,)
        case Array():
            if (type.count or 0) * size(type.element) > _MOST_CELLS:
                raise CannotRun(f"a variable of more than {_MOST_CELLS} scalars")
            return scalars(type.element) * (type.count or 0)
        case Structure():
            return tuple([scalar for _, member in type.members for scalar in scalars(member)])
        case Handle():
            return ()


_MOST_CELLS = 1 << 16


@lru_cache(maxsize=4096)
def size(type: ValueType) -> int:
    """The number of cells."""
    if isinstance(type, Array):
        return (type.count or 0) * size(type.element)
    return len(scalars(type))


def has_array(type: ValueType) -> bool:
    """Whether there is an array in it."""
    if isinstance(type, Structure):
        return any(has_array(member) for _, member in type.members)
    return isinstance(type, Array)


def element_of(type: ValueType) -> ValueType:
    """The type of `value[i]`."""
    match type:
        case Vector():
            return type.scalar
        case Matrix():
            return Vector(type.rows, type.scalar)
        case Array():
            return type.element
        case _:
            raise CannotRun("an index into what has no elements")


def count_of(type: ValueType) -> int | None:
    """How many elements there are; None: that is known at run time only."""
    match type:
        case Vector():
            return type.size
        case Matrix():
            return type.columns
        case Array():
            return type.count
        case _:
            return 1


def with_scalar(type: ValueType, scalar: Scalar) -> ValueType:
    """A scalar, vector or matrix of the same shape."""
    match type:
        case Vector():
            return Vector(type.size, scalar)
        case Matrix():
            return Matrix(type.columns, type.rows, scalar)
        case _:
            return scalar


def scalar_of(type: ValueType) -> Scalar:
    """The scalar type of a scalar, vector, matrix or atomic."""
    if isinstance(type, Scalar):
        return type
    if isinstance(type, Vector | Matrix | Atomic):
        return type.scalar
    raise CannotRun("a value of a composite type as an operand")


def concrete(type: ValueType) -> ValueType:
    """The type that a variable gets from an initialiser of a type."""
    match type:
        case Scalar():
            return {"int": I32, "float": F32}.get(type.name, type)
        case Vector() | Matrix():
            return with_scalar(type, {"int": I32, "float": F32}.get(type.scalar.name, type.scalar))
        case Array():
            return Array(concrete(type.element), type.count)
        case Structure():
            return Structure(type.name, tuple([(name, concrete(member)) for name, member in type.members]))
        case _:
            return type


_LETTERS = {"i": I32, "u": U32, "f": F32, "h": Scalar("f16")}


@lru_cache(maxsize=512)
def shape(name: str) -> tuple[str, int, int, Scalar | None] | None:
    """`vec` or `mat`, columns, rows, and the scalar, of a predeclared name such as `vec3` or `mat2x3f`."""
    scalar = _LETTERS.get(name[-1])
    stem = name if scalar is None else name[:-1]
    if len(stem) == 4 and stem.startswith("vec") and stem[3] in "234":
        return "vec", 1, int(stem[3]), scalar
    if len(stem) == 6 and stem.startswith("mat") and stem[4] == "x":
        return "mat", int(stem[3]), int(stem[5]), scalar
    return None


def shaped(found: tuple[str, int, int, Scalar | None], scalar: Scalar) -> ValueType:
    """The vector or matrix type of a shape."""
    kind, columns, rows, _ = found
    return Vector(rows, scalar) if kind == "vec" else Matrix(columns, rows, scalar)


_SCALARS = frozenset({"u32", "i32", "bool", "f32", "f16"})


class TypeReader:
    """Types by the names that stand for them."""

    def __init__(self, resolution: Resolution, integer: Callable[[Expression], int]) -> None:
        self._resolution = resolution
        self._integer = integer
        """The value of a constant expression, for the sizes of arrays."""
        self._known: dict[int, ValueType] = {}

    def named(self, name: Identifier) -> ValueType:
        """The type that a name in the text stands for. Raises CannotRun for one that no value has."""
        found = self._known.get(id(name))
        if found is None:
            found = self._known[id(name)] = self._read(name)
        return found

    def _read(self, name: Identifier) -> ValueType:
        declared = self._resolution.declaration(name)
        if isinstance(declared, Alias):
            return self.named(declared.type)
        if isinstance(declared, Struct):
            return Structure(declared.name, tuple([(m.name, self.named(m.type)) for m in declared.members]))
        if name.name in _SCALARS:
            return Scalar(name.name)
        found = shape(name.name)
        if found is not None:
            scalar = found[3] or self._scalar(name)
            return shaped(found, scalar)
        if name.name == "array" and name.template:
            count = self._integer(name.template[1]) if len(name.template) > 1 else None
            return Array(self._argument(name), count)
        if name.name == "atomic":
            return Atomic(self._scalar(name))
        if name.name.startswith(("texture_", "sampler")):
            return Handle(name.name, name.template)
        if name.name == "buffer":
            return Array(U32, self._integer(name.template[0]) // 4 if name.template else None)
        raise CannotRun(f"the type {name.name}", name)

    def _argument(self, name: Identifier) -> ValueType:
        argument = name.template[0] if name.template else None
        if not isinstance(argument, Identifier):
            raise CannotRun(f"the type {name.name} without its parameters", name)
        return self.named(argument)

    def _scalar(self, name: Identifier) -> Scalar:
        found = self._argument(name)
        if not isinstance(found, Scalar):
            raise CannotRun(f"the type {name.name} of what is no scalar", name)
        return found
