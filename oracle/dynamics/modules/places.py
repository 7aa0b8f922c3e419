"""Values as rows of scalar expressions, and places in memory: a root, a constant offset, and a computed one."""

from dataclasses import dataclass

from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.operations import binary, convert, one_of, u32
from wgsl_fuzz.tinywgsl.ast import Binary, Expr, Lid, Literal, Local, SharedRead, Type
from wgsl_fuzz.wgsl import types as vt


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a type: its cells."""

    type: vt.Type
    cells: tuple[Expr, ...]

    @property
    def scalar(self) -> Expr:
        """The only cell of a scalar."""
        return self.cells[0]


@dataclass(frozen=True, slots=True)
class Locals:
    """A variable whose cells are locals of TinyWGSL; a thread's locals can be read in every function, by name."""

    cells: tuple[Local, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """A variable in shared arrays, one for each scalar type that it has; `stride` cells for each thread, or 0."""

    name: str
    stride: int = 0
    constant: bool = False
    """Nothing writes to it."""


Root = Locals | Memory


@dataclass(frozen=True, slots=True)
class MemoryRef:
    """What a reference or a pointer stands for."""

    root: Root
    type: vt.Type
    offset: int = 0
    index: Expr | None = None
    """To be added to the offset, a u32."""
    choices: tuple[int, ...] = (0,)
    """The values that `index` can have; empty if they are not known."""


@dataclass(frozen=True, slots=True)
class Swizzled:
    """Several components of a vector on the left side of an assignment."""

    place: MemoryRef
    components: tuple[int, ...]


def member(place: MemoryRef, name: str) -> MemoryRef:
    """`place.name` of a structure, or one component of a vector."""
    offset, type = member_of(place.type, name)
    return MemoryRef(place.root, type, place.offset + offset, place.index, place.choices)


def member_of(type: vt.Type, name: str) -> tuple[int, vt.Type]:
    """The offset and the type of `.name`."""
    if isinstance(type, vt.Structure):
        offset = 0
        for own, inner in type.members:
            if own == name:
                return offset, inner
            offset += t.size(inner)
    if isinstance(type, vt.Vector) and len(name) == 1:
        return component(name), type.element
    raise t.CannotRun(f"the member {name}")


def component(letter: str) -> int:
    """The number of a component: `x` or `r` is 0."""
    return "xyzwrgba".index(letter) % 4


def element(place: MemoryRef, index: Expr) -> MemoryRef:
    """`place[index]`; an index that is out of bounds leads to another element, as an implementation may choose."""
    type, count = t.element_of(place.type), t.count_of(place.type)
    stride = t.size(type)
    if isinstance(index, Literal):
        at = index.value % count if count is not None else index.value
        return MemoryRef(place.root, type, place.offset + at * stride, place.index, place.choices)
    scaled = within(index, count)
    if stride != 1:
        scaled = binary("*", scaled, u32(stride))
    choices = () if count is None else tuple(range(0, count * stride, stride))
    if place.index is None:
        return MemoryRef(place.root, type, place.offset, scaled, choices)
    both = tuple(sorted({a + b for a in place.choices for b in choices}))
    return MemoryRef(place.root, type, place.offset, binary("+", place.index, scaled), both)


def within(index: Expr, count: int | None) -> Expr:
    """An index as a u32 within bounds."""
    index = convert(Type.U32, index)
    if count is None or _is_masked(index, count):
        return index
    return binary("&", index, u32(count - 1)) if count & (count - 1) == 0 else binary("%", index, u32(count))


def _is_masked(index: Expr, count: int) -> bool:
    """Whether it is in bounds as it is written: `i & mask` or `i % n`."""
    if not isinstance(index, Binary) or not isinstance(index.right, Literal):
        return isinstance(index, Lid) and count >= _MOST_THREADS
    return (index.op == "&" and index.right.value < count) or (index.op == "%" and 0 < index.right.value <= count)


_MOST_THREADS = 1 << 16


def array_name(root: Memory, scalar: vt.Scalar) -> str:
    """The shared array for the cells of a scalar type."""
    return f"{root.name}:{scalar.core.value}"


def shared_index(place: MemoryRef, cell: int) -> Expr:
    """The index of a cell of a place in shared arrays."""
    assert isinstance(place.root, Memory)
    at: Expr = u32(place.offset + cell)
    if place.index is not None:
        at = place.index if place.offset + cell == 0 else binary("+", place.index, at)
    if place.root.stride:
        own = binary("*", Lid(), u32(place.root.stride))
        at = own if at == u32(0) else binary("+", own, at)
    return at


def loaded(place: MemoryRef) -> Value:
    """The value in a place."""
    root, row = place.root, t.scalars(place.type)
    if isinstance(root, Memory):
        reads = [
            SharedRead(array_name(root, scalar), shared_index(place, i), scalar.core) for i, scalar in enumerate(row)
        ]
        return Value(place.type, tuple(reads))
    cells = root.cells[place.offset :]
    if place.index is None:
        return Value(place.type, cells[: len(row)])
    picked = [one_of(place.index, [(choice, cells[choice + i]) for choice in place.choices]) for i in range(len(row))]
    return Value(place.type, tuple(picked))


def element_value(value: Value, index: Expr) -> Value:
    """`value[index]` of a value that is in no variable."""
    type, count = t.element_of(value.type), t.count_of(value.type)
    assert count, "values have a size"
    stride = t.size(type)
    if isinstance(index, Literal):
        at = index.value % count * stride
        return Value(type, value.cells[at : at + stride])
    index = within(index, count)
    row = [one_of(index, [(i, value.cells[i * stride + k]) for i in range(count)]) for k in range(stride)]
    return Value(type, tuple(row))
