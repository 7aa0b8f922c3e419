"""Values as rows of scalar expressions, and places in memory: a root, a constant offset, and a computed one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.operations import binary, convert, one_of, u32
from wgsl_fuzz.oracle.dynamics.semantics import ExchangeArray
from wgsl_fuzz.oracle.dynamics.stores import SIMPLE
from wgsl_fuzz.oracle.dynamics.witness import InitialValue, cell_in_words, value_in_words
from wgsl_fuzz.tinywgsl import ast as tiny
from wgsl_fuzz.tinywgsl.ast import Binary, Expr, Lid, Literal, Local, SharedRead, Type
from wgsl_fuzz.tinywgsl.functions import bits_of, float_of
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

    def __add__(self, other: "Value") -> "Value":
        return pairwise("+", self, other)

    def __sub__(self, other: "Value") -> "Value":
        return pairwise("-", self, other)

    def __mul__(self, other: "Value") -> "Value":
        return pairwise("*", self, other)

    def __truediv__(self, other: "Value") -> "Value":
        return pairwise("/", self, other)


@dataclass(frozen=True, slots=True)
class Locals:
    """A variable whose cells are locals of TinyWGSL; a thread's locals can be read in every function, by name."""

    cells: tuple[Local, ...]


@dataclass(frozen=True, slots=True)
class MemoryLayout:
    """A variable in shared arrays, one for each scalar type that it has; `stride` cells for each thread, or 0."""

    name: str
    stride: int = 0
    constant: bool = False
    """Nothing writes to it."""


Root = Locals | MemoryLayout


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
    """`place[index]`; an index that is out of bounds leads to the last element, as compilers make it."""
    type, count = t.element_of(place.type), t.count_of(place.type)
    stride = t.size(type)
    scaled = within(index, (MOST_SCALARS - place.offset) // max(stride, 1) if count is None else count)
    if isinstance(scaled, Literal):
        return MemoryRef(place.root, type, place.offset + int(scaled.value) * stride, place.index, place.choices)
    if stride != 1:
        scaled = binary("*", scaled, u32(stride))
    choices = () if count is None else tuple(range(0, count * stride, stride))
    if place.index is None:
        return MemoryRef(place.root, type, place.offset, scaled, choices)
    both = tuple(sorted({a + b for a in place.choices for b in choices}))
    return MemoryRef(place.root, type, place.offset, binary("+", place.index, scaled), both)


MOST_SCALARS = 1 << 30
"""What an array that is sized at run time holds at most: 4 GiB. So no index wraps around at 2^32."""


def within(index: Expr, count: int) -> Expr:
    """An index as a u32 within bounds: a larger one is that of the last of `count` elements."""
    index = convert(Type.U32, index)
    return index if _is_masked(index, count) else binary("min", index, u32(count - 1))


def _is_masked(index: Expr, count: int) -> bool:
    """Whether it is in bounds as it is written: `i & mask` or `i % n`."""
    if not isinstance(index, Binary) or not isinstance(index.right, Literal):
        return isinstance(index, Lid) and count >= _MOST_THREADS
    return (index.op == "&" and index.right.value < count) or (index.op == "%" and 0 < index.right.value <= count)


_MOST_THREADS = 1 << 16


def array_name(root: MemoryLayout, scalar: vt.Scalar) -> str:
    """The shared array for the cells of a scalar type."""
    return f"{root.name}:{scalar.core.value}"


def shared_index(place: MemoryRef, cell: int) -> Expr:
    """The index of a cell of a place in shared arrays."""
    assert isinstance(place.root, MemoryLayout)
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
    if isinstance(root, MemoryLayout):
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
    index = within(index, count)
    if isinstance(index, Literal):
        return Value(type, value.cells[int(index.value) * stride :][:stride])
    row = [one_of(index, [(i, value.cells[i * stride + k]) for i in range(count)]) for k in range(stride)]
    return Value(type, tuple(row))


@dataclass(frozen=True, slots=True)
class Cells:
    """A variable of the text, as cells."""

    name: str
    type: vt.Type
    stride: int = 0
    """In memory: the cells of each thread, or of each texel; 0 if there is one such variable."""
    of_threads: bool = True
    """Whether `stride` counts the cells of a thread, not of a texel."""
    element: Callable[[int], str] | None = None
    """What the element with a number is called, if it has a name of its own: a texel."""


MOST_STATEMENTS = 20_000
"""A module of more statements, calls of one function with different pointers counted apart, is not run."""


MOST_LOCALS = 16
"""A thread's array of more scalars is held in a shared array, each thread having its own part."""
MOST_CELLS = 256
"""A value of more scalars is not copied."""


class ExecutableOutput:
    """What has been put out so far. Names are unique in the whole shader (restriction 2), and so are IDs."""

    def __init__(self) -> None:
        self.arrays: dict[str, tiny.SharedArray] = {}
        self.functions: list[tiny.Function] = []
        self.globals: list[tiny.Variable] = []
        """Locals of `main` that every function uses: private variables, and what is not known."""
        self.statements: list[tiny.Stmt] = []
        self.locals: list[tiny.Variable] = []
        self.offsets: dict[int, int] = {}
        """By ID, where in the text its statement comes from."""
        self.meetings: dict[int, str] = {}
        """By ID of a barrier, what people call the place: `barrier`, "derivative `dpdx`"."""
        self.places: dict[int, int] = {}
        """By `id` of a statement, where in the text it comes from."""
        self.variables: dict[str, Cells] = {}
        """By the name of an array without its type, or of a local without its number: the variable it holds."""
        self.cells: dict[str, tuple[Cells, int]] = {}
        """By the name of a local: the let or parameter, and which cell of it."""
        self.guard: Callable[[], tiny.Expr | None] = lambda: None
        """What says whether a write to shared memory happens at all, if that is open: not in a helper invocation."""
        self.at = -1
        """The offset of the statement that is being lowered."""
        self._numbers: dict[str, int] = {}
        self._ids = 0
        self._put = 0
        self._mutable: set[str] = set()
        self._constant: set[str] = set()

    # --------------------------------------------------------------------------------------------------- names and IDs

    def name(self, stem: str) -> str:
        """A name that is not in use; no text of WGSL can have it."""
        number = self._numbers[stem] = self._numbers.get(stem, 0) + 1
        return f"{stem}.{number}"

    def new_id(self) -> int:
        """The next ID (restriction 4)."""
        self._ids += 1
        self.offsets[self._ids] = self.at
        return self._ids

    def local(self, name: str, type: tiny.Type, *, mutable: bool) -> tiny.Local:
        """Declares a local of the function at hand; `mutable`: its value can change between two reads."""
        self.locals.append(tiny.Variable(name, type))
        if mutable:
            self._mutable.add(name)
        return tiny.Local(name, type)

    def global_(self, name: str, type: tiny.Type) -> tiny.Local:
        """Declares a local of `main` that every function uses."""
        self.globals.append(tiny.Variable(name, type))
        self._mutable.add(name)
        return tiny.Local(name, type)

    def temporary(self, type: tiny.Type) -> tiny.Local:
        """A local that is assigned once."""
        return self.local(self.name("t"), type, mutable=False)

    def exchange(self, root: MemoryLayout, scalar: vt.Scalar) -> None:
        """Declares the array through which threads exchange values of a scalar type."""
        name = array_name(root, scalar)
        self.arrays.setdefault(name, ExchangeArray(name, scalar.core, 0, tiny.Space.WORKGROUP))

    def array(self, root: MemoryLayout, scalar: vt.Scalar, space: tiny.Space, count: int) -> None:
        """Declares the shared array of a variable for one scalar type."""
        name = array_name(root, scalar)
        if name not in self.arrays:
            self.arrays[name] = tiny.SharedArray(name, scalar.core, count, space)
            if root.constant:
                self._constant.add(name)

    # ------------------------------------------------------------------------------------------------------ statements

    def put(self, s: tiny.Stmt) -> None:
        """Appends a statement."""
        self._put += 1
        if self._put > MOST_STATEMENTS:
            raise t.CannotRun(f"more than {MOST_STATEMENTS} statements")
        self.places[id(s)] = self.at
        self.statements.append(s)

    def open(self) -> list[tiny.Stmt]:
        """Begins a block; returns the one around it, which `close` needs."""
        outer, self.statements = self.statements, []
        return outer

    def close(self, outer: list[tiny.Stmt]) -> tiny.Block:
        """Ends a block; returns its statements."""
        inner, self.statements = self.statements, outer
        return tuple(inner)

    def call(self, function: str, result: tiny.Type, arguments: Sequence[tiny.Expr]) -> tiny.Local:
        """Puts a call; returns the local that takes its result."""
        taker = self.temporary(result)
        self.put(tiny.Call(self.new_id(), taker.name, function, tuple(arguments)))
        return taker

    def mark(self) -> int:
        """A place among the statements, for `kept`."""
        return len(self.statements)

    def kept(self, value: Value, mark: int) -> Value:
        """A value as it was at a mark: what statements put since could change is read into temporaries there."""
        if len(self.statements) == mark:
            return value
        return Value(value.type, tuple([self._kept(cell, mark) for cell in value.cells]))

    def kept_place(self, place: MemoryRef, mark: int) -> MemoryRef:
        """The same for the index of a place."""
        if place.index is None or len(self.statements) == mark:
            return place
        return MemoryRef(place.root, place.type, place.offset, self._kept(place.index, mark), place.choices)

    def _kept(self, cell: tiny.Expr, mark: int) -> tiny.Expr:
        if not self.varies(cell):
            return cell
        kept = self.temporary(tiny.type_of(cell))
        keeping = tiny.Assign(kept.name, cell)
        self.places[id(keeping)] = self.at
        self.statements.insert(mark, keeping)
        return kept

    def bound(self, name: str, value: Value) -> Value:
        """The same value, computed once and by a name of the text."""
        value = self.named(value)
        of = Cells(name, value.type)
        for i, cell in enumerate(value.cells):
            if isinstance(cell, tiny.Local):
                self.cells.setdefault(cell.name, (of, i))
        return value

    def named(self, value: Value) -> Value:
        """The same value, computed once: for what is used more than once."""
        return Value(value.type, tuple([self.named_cell(cell) for cell in value.cells]))

    def named_cell(self, cell: tiny.Expr) -> tiny.Expr:
        """The same for one scalar."""
        if isinstance(cell, tiny.Literal) or (isinstance(cell, tiny.Local) and cell.name not in self._mutable):
            return cell
        kept = self.temporary(tiny.type_of(cell))
        self.put(tiny.Assign(kept.name, cell))
        return kept

    def settled(self, value: Value) -> Value:
        """A value that later assignments cannot change."""
        return Value(value.type, tuple([self.named_cell(cell) if self.varies(cell) else cell for cell in value.cells]))

    def varies(self, cell: tiny.Expr) -> bool:
        """Whether a statement could change what an expression gives."""
        todo = [cell]
        while todo:
            e = todo.pop()
            if isinstance(e, tiny.SharedRead) and e.array not in self._constant:
                return True
            if isinstance(e, tiny.Local) and e.name in self._mutable:
                return True
            todo += tiny.operands_of(e)
        return False

    # ---------------------------------------------------------------------------------------------------- variables

    def variable(self, name: str, type: vt.Type, *, private: bool = False) -> MemoryRef:
        """A variable of the function at hand; if `private`, one that all functions of a thread share."""
        if vt.holds(type, vt.Array) and t.size(type) > MOST_LOCALS:
            return self.in_memory(name, type)
        unique = self.name(name)
        self.variables[unique] = Cells(name, type)
        cells = []
        for i, scalar in enumerate(t.scalars(type)):
            cell = f"{unique}.{i}"
            cells.append(self.global_(cell, scalar.core) if private else self.local(cell, scalar.core, mutable=True))
        return MemoryRef(Locals(tuple(cells)), type)

    def in_memory(self, name: str, type: vt.Type, *, constant: bool = False) -> MemoryRef:
        """The same, held in memory of which each thread has its part."""
        root = MemoryLayout(self.name(name), stride=t.size(type), constant=constant)
        self.variables[root.name] = Cells(name, type, t.size(type))
        for scalar in dict.fromkeys(t.scalars(type)):
            self.array(root, scalar, tiny.Space.STORAGE, 0)
        return MemoryRef(root, type)

    def shared(self, name: str, type: vt.Type, space: tiny.Space, *, constant: bool = False) -> MemoryRef:
        """A variable that all threads share; `constant`: no thread writes to it."""
        root = MemoryLayout(self.name(name), constant=constant)
        self.variables[root.name] = Cells(name, type)
        for scalar in _all_scalars(type):
            self.array(root, scalar, space, t.size(type))
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
            value = self.settled(value)
            target = self.settled_place(target)
        if isinstance(target.root, MemoryLayout):
            self._assign_shared(target, target.root, value)
        elif target.index is None:
            for own, cell in zip(target.root.cells[target.offset :], value.cells):
                self.put(tiny.Assign(own.name, cell))
        else:
            self._assign_chosen(target, target.root, value)

    def settled_place(self, place: MemoryRef) -> MemoryRef:
        """The same for the index of a place."""
        if place.index is None:
            return place
        return MemoryRef(place.root, place.type, place.offset, self.named_cell(place.index), place.choices)

    def _assign_shared(self, target: MemoryRef, root: MemoryLayout, value: Value) -> None:
        guard = self.guard() if not root.stride else None
        writes: list[tiny.Stmt] = []
        for i, scalar in enumerate(t.scalars(target.type)):
            writes.append(tiny.SharedAssign(array_name(root, scalar), shared_index(target, i), value.cells[i]))
        self.guarded(guard, writes)

    def guarded(self, guard: tiny.Expr | None, writes: list[tiny.Stmt]) -> None:
        """Statements that happen if the guard holds."""
        if guard is not None:
            writes = [tiny.If(guard, tuple(writes), ())]
        for write in writes:
            self.put(write)

    def _assign_chosen(self, target: MemoryRef, root: Locals, value: Value) -> None:
        """The element that an index chooses among locals: each is assigned its own value or the new one."""
        target = self.settled_place(target)
        value = self.named(value)
        assert target.index is not None
        for choice in target.choices:
            here = ops.binary("==", target.index, ops.u32(choice))
            for i, cell in enumerate(value.cells):
                old = root.cells[target.offset + choice + i]
                self.put(tiny.Assign(old.name, ops.chosen(here, cell, old)))

    def _assign_components(self, target: Swizzled, value: Value) -> None:
        place = self.settled_place(target.place)
        assert isinstance(place.type, vt.Vector)
        value = self.settled(fitted(value, vt.Vector(len(target.components), place.type.element)))
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

    def unknown(self, what: str, type: tiny.Type) -> tiny.Expr:
        """A value that cannot be computed: a local that nobody assigns, which `relevance` finds where it matters."""
        name = f"{UNKNOWN}{what}:{type.value}"
        if not any(v.name == name for v in self.globals):
            self.globals.append(tiny.Variable(name, type))
        return tiny.Local(name, type)


def stem(name: str) -> str:
    """What the text calls what has a unique name."""
    return name.rpartition(".")[0]


@lru_cache(maxsize=4096)
def _all_scalars(type: vt.Type) -> tuple[vt.Scalar, ...]:
    """The scalar types in a type, each once, runtime-sized arrays included."""
    match type:
        case vt.Array():
            return _all_scalars(type.element)
        case vt.Structure():
            return tuple(dict.fromkeys(scalar for _, inner in type.members for scalar in _all_scalars(inner)))
        case _:
            return t.scalars(type)[:1]


def zeros(type: vt.Type) -> Value:
    """The zero value of a type."""
    return Value(type, tuple([ops.zero(scalar) for scalar in t.scalars(type)]))


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
        cells.append(ops.converted(cell, old, new))
    return Value(type, tuple(cells))


def same_scalars(values: list[Value]) -> list[Value]:
    """Values with constants converted to the scalar type that they have in common."""
    row = [t.scalar_of(value.type) for value in values]
    best = next((s for s in row if not s.is_abstract), vt.FLOAT if vt.FLOAT in row else row[0])
    return [fitted(v, vt.with_component(v.type, best)) if t.scalar_of(v.type) != best else v for v in values]


def same_shapes(values: list[Value]) -> list[Value]:
    """Values with scalars repeated where others are vectors or matrices."""
    shape = next((v.type for v in values if isinstance(v.type, vt.Vector | vt.Matrix)), None)
    if shape is None:
        return values
    return [Value(shape, v.cells * t.size(shape)) if isinstance(v.type, vt.Scalar) else v for v in values]


def pairwise(op: str, left: Value, right: Value) -> Value:
    """A function of two scalars, on each pair of components."""
    left, right = same_shapes(same_scalars([left, right]))
    scalar = t.scalar_of(left.type)
    cells = [ops.operate(op, scalar, a, b) for a, b in zip(left.cells, right.cells, strict=True)]
    return Value(left.type, tuple(cells))


UNKNOWN = "?"


class Words:
    """What the text calls the locals and cells of a lowered module (`variables` and `cells` of its output)."""

    def __init__(self, variables: Mapping[str, Cells], cells: Mapping[str, tuple[Cells, int]]) -> None:
        self.variables = variables
        self.cells = cells

    def of(self, name: str, value: int) -> tuple[str, str] | None:
        """`x.1.0` -> `x`, `v.1.1` -> `v.y`, `words.1:u32[3]` -> `words[3]`, with the value; None for what is added."""
        found = self._cell(name)
        if found is None:
            return None
        of, cell = found
        path, type = reached(of.type, cell % of.stride if of.stride else cell)
        words = (of.name if of.element is None else of.element(cell // of.stride)) + path
        if isinstance(type, vt.Scalar) and type.is_float:
            return words, str(float_of(value, type.name))
        return words, value_in_words(value)

    def at_first(self, cell: InitialValue) -> str:
        """A cell of the store with its value; of what each thread has, whose it is."""
        name = f"{cell.array}[{cell.index}]"
        words, found = self.of(name, cell.value), self._cell(name)
        if words is None or found is None:
            return cell_in_words(cell)
        of = found[0]
        whose = f" of thread {cell.index // of.stride}" if of.stride and of.of_threads else ""
        return f"{words[0]}{whose} = {words[1]}"

    def simple(self, array: str, index: int) -> Sequence[int]:
        """The values of a cell of the store from the simplest on.

        What counts something that is there is 1 at least, and of the workgroups the first one is simple.
        """
        found = self._cell(f"{array}[{index}]")
        if found is None:
            return SIMPLE[tiny.Type(array.rpartition(":")[2])]
        of, cell = found
        type = reached(of.type, cell % of.stride if of.stride else cell)[1]
        if isinstance(type, vt.Scalar) and type.is_float:
            return _floats(type.name)
        core = SIMPLE[type.core if isinstance(type, vt.Scalar) else tiny.Type(array.rpartition(":")[2])]
        if of.name.startswith("workgroup_i"):
            return core[:1]
        return core[1:] if of.name.startswith(_COUNTS) else core

    def _cell(self, name: str) -> tuple[Cells, int] | None:
        if name in self.cells:
            return self.cells[name]
        if name.endswith("]"):
            array, _, index = name[:-1].rpartition("[")
            memory = self.variables.get(array.rpartition(":")[0] or array)
            return None if memory is None else (memory, int(index))
        unique, _, number = name.rpartition(".")
        local = self.variables.get(unique)
        return None if local is None else (local, int(number))


_COUNTS = ("arrayLength(", "num_workgroups", "textureDimensions(", "textureNum")
"""How the names of variables begin that are never 0."""
_FLOATS = (0.0, 1.0, 0.5, 2.0, -1.0, *map(float, range(3, 9)), 0.25, 0.1, 10.0, 16.0, 100.0, 256.0, 1000.0)
_LARGE_FLOATS = (-0.5, -2.0, -10.0, -100.0, -1000.0, 1e4, 1e6, 1e9, -1e9)


@cache
def _floats(type: str) -> tuple[int, ...]:
    """Small round numbers, as bits."""
    return tuple([bits_of(value, type) for value in (*_FLOATS, *_LARGE_FLOATS)])


def reached(type: vt.Type, cell: int) -> tuple[str, vt.Type]:
    """How a cell of a value is reached, and its type: `.x`, `[2].y`, `.member`; nothing for a scalar."""
    match type:
        case vt.Structure():
            for name, inner in type.members:
                if cell < t.size(inner) or not t.size(inner):  # the last member may be sized at run time
                    path, found = reached(inner, cell)
                    return f".{name}{path}", found
                cell -= t.size(inner)
            return "", type
        case vt.Array() | vt.Matrix():
            number, rest = divmod(cell, t.size(t.element_of(type)))
            path, found = reached(t.element_of(type), rest)
            return f"[{number}]{path}", found
        case vt.Vector():
            return f".{'xyzw'[cell]}", type.element
        case vt.Atomic():
            return "", type.element
        case _:
            return "", type
