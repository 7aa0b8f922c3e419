"""Where variables are held, and how values get there."""

from collections.abc import Callable

from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.operations import binary, chosen, converted, u32, zero
from wgsl_fuzz.oracle.dynamics.modules.output import Cells, Output
from wgsl_fuzz.oracle.dynamics.modules.places import (
    Locals,
    Memory,
    MemoryRef,
    Swizzled,
    Value,
    array_name,
    loaded,
    shared_index,
)
from wgsl_fuzz.tinywgsl.ast import Assign, Expr, If, SharedAssign, Stmt
from wgsl_fuzz.tinywgsl.ast import Space as CoreSpace
from wgsl_fuzz.wgsl import types as vt

MOST_LOCALS = 16
"""A thread's array of more scalars is held in a shared array, each thread having its own part."""
MOST_CELLS = 256
"""A value of more scalars is not copied."""


class Variables:
    """Declares variables, and assigns to places."""

    def __init__(self, out: Output) -> None:
        self.out = out
        self.guard: Callable[[], Expr | None] = lambda: None
        """What says whether a write to shared memory happens at all, if that is open: not in a helper invocation."""

    def local(self, name: str, type: vt.Type) -> MemoryRef:
        """A variable of the function at hand."""
        if t.has_array(type) and t.size(type) > MOST_LOCALS:
            return self._in_memory(name, type)
        unique = self.out.name(name)
        self.out.variables[unique] = Cells(name, type)
        row = enumerate(t.scalars(type))
        cells = [self.out.local(f"{unique}.{i}", scalar.core, mutable=True) for i, scalar in row]
        return MemoryRef(Locals(tuple(cells)), type)

    def private(self, name: str, type: vt.Type) -> MemoryRef:
        """A variable that all functions of a thread share."""
        if t.has_array(type) and t.size(type) > MOST_LOCALS:
            return self._in_memory(name, type)
        unique = self.out.name(name)
        self.out.variables[unique] = Cells(name, type)
        cells = [self.out.global_(f"{unique}.{i}", scalar.core) for i, scalar in enumerate(t.scalars(type))]
        return MemoryRef(Locals(tuple(cells)), type)

    def _in_memory(self, name: str, type: vt.Type) -> MemoryRef:
        root = Memory(self.out.name(name), stride=t.size(type))
        self.out.variables[root.name] = Cells(name, type, t.size(type))
        for scalar in dict.fromkeys(t.scalars(type)):
            self.out.array(root, scalar, CoreSpace.STORAGE, 0)
        return MemoryRef(root, type)

    def shared(self, name: str, type: vt.Type, space: CoreSpace, *, constant: bool = False) -> MemoryRef:
        """A variable that all threads share; `constant`: no thread writes to it."""
        root = Memory(self.out.name(name), constant=constant)
        self.out.variables[root.name] = Cells(name, type)
        for scalar in dict.fromkeys(_all_scalars(type)):
            self.out.array(root, scalar, space, t.size(type))
        return MemoryRef(root, type)

    # ------------------------------------------------------------------------------------------------------ assignment

    def assign(self, target: MemoryRef | Swizzled, value: Value) -> None:
        """`target = value`, both evaluated. A value of several cells is read before the first cell is written."""
        if isinstance(target, Swizzled):
            self._assign_components(target, value)
            return
        if t.size(target.type) > MOST_CELLS:
            raise t.CannotRun(f"a value of more than {MOST_CELLS} scalars")
        value = fitted(value, target.type)
        if len(value.cells) > 1:
            value = self.out.settled(value)
            target = self._settled_place(target)
        if isinstance(target.root, Memory):
            self._assign_shared(target, target.root, value)
        elif target.index is None:
            for own, cell in zip(target.root.cells[target.offset :], value.cells):
                self.out.put(Assign(own.name, cell))
        else:
            self._assign_chosen(target, target.root, value)

    def _settled_place(self, place: MemoryRef) -> MemoryRef:
        if place.index is None:
            return place
        return MemoryRef(place.root, place.type, place.offset, self.out.named_cell(place.index), place.choices)

    def _assign_shared(self, target: MemoryRef, root: Memory, value: Value) -> None:
        guard = self.guard() if not root.stride else None
        writes: list[Stmt] = []
        for i, scalar in enumerate(t.scalars(target.type)):
            writes.append(SharedAssign(array_name(root, scalar), shared_index(target, i), value.cells[i]))
        self.guarded(guard, writes)

    def guarded(self, guard: Expr | None, writes: list[Stmt]) -> None:
        """Statements that happen if the guard holds."""
        if guard is not None:
            writes = [If(guard, tuple(writes), ())]
        for write in writes:
            self.out.put(write)

    def _assign_chosen(self, target: MemoryRef, root: Locals, value: Value) -> None:
        """The element that an index chooses among locals: each is assigned its own value or the new one."""
        target = self._settled_place(target)
        value = self.out.named(value)
        assert target.index is not None
        for choice in target.choices:
            here = binary("==", target.index, u32(choice))
            for i, cell in enumerate(value.cells):
                old = root.cells[target.offset + choice + i]
                self.out.put(Assign(old.name, chosen(here, cell, old)))

    def _assign_components(self, target: Swizzled, value: Value) -> None:
        place = self._settled_place(target.place)
        assert isinstance(place.type, vt.Vector)
        value = self.out.settled(fitted(value, vt.Vector(len(target.components), place.type.element)))
        for i, cell in zip(target.components, value.cells):
            one = MemoryRef(place.root, place.type.element, place.offset + i, place.index, place.choices)
            self.assign(one, Value(place.type.element, (cell,)))

    def read(self, target: MemoryRef | Swizzled) -> Value:
        """The value in a place."""
        if isinstance(target, Swizzled):
            whole = loaded(target.place)
            assert isinstance(whole.type, vt.Vector)
            cells = tuple([whole.cells[i] for i in target.components])
            return Value(vt.Vector(len(cells), whole.type.element), cells)
        if t.size(target.type) > MOST_CELLS:
            raise t.CannotRun(f"a value of more than {MOST_CELLS} scalars")
        if isinstance(target.type, vt.Handle) or (isinstance(target.type, vt.Array) and target.type.count is None):
            raise t.CannotRun("a value that has no size")
        return loaded(target)


def _all_scalars(type: vt.Type) -> tuple[vt.Scalar, ...]:
    """The scalar types in a type, runtime-sized arrays included."""
    match type:
        case vt.Array():
            return _all_scalars(type.element)
        case vt.Structure():
            return tuple([scalar for _, inner in type.members for scalar in _all_scalars(inner)])
        case _:
            return t.scalars(type)


def zeros(type: vt.Type) -> Value:
    """The zero value of a type."""
    return Value(type, tuple([zero(scalar) for scalar in t.scalars(type)]))


def fitted(value: Value, type: vt.Type) -> Value:
    """A value as one of a type, to which it converts by itself: constants become concrete."""
    if value.type == type:
        return value
    source, target = t.scalars(value.type), t.scalars(type)
    if isinstance(value.type, vt.Atomic) or len(source) != len(target):
        raise t.CannotRun("a value whose type is not worked out")
    cells = []
    for cell, old, new in zip(value.cells, source, target):
        if old != new and not old.is_abstract:
            raise t.CannotRun("a value whose type is not worked out")
        cells.append(converted(cell, old, new))
    return Value(type, tuple(cells))
