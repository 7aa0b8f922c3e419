"""The shader that lowering a module makes: its arrays, functions and statements, and what the text calls them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.places import Memory, MemoryRef, Value, array_name
from wgsl_fuzz.oracle.dynamics.semantics import ExchangeArray
from wgsl_fuzz.oracle.dynamics.stores import SIMPLE
from wgsl_fuzz.oracle.dynamics.witness import InitialValue, cell_in_words, value_in_words
from wgsl_fuzz.tinywgsl import ast as tiny
from wgsl_fuzz.tinywgsl.functions import bits_of, float_of
from wgsl_fuzz.wgsl import types as vt


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


class Output:
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

    def exchange(self, root: Memory, scalar: vt.Scalar) -> None:
        """Declares the array through which threads exchange values of a scalar type."""
        name = array_name(root, scalar)
        self.arrays.setdefault(name, ExchangeArray(name, scalar.core, 0, tiny.Space.WORKGROUP))

    def array(self, root: Memory, scalar: vt.Scalar, space: tiny.Space, count: int) -> None:
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

    def unknown(self, what: str, type: tiny.Type) -> tiny.Expr:
        """A value that cannot be computed: a local that nobody assigns, which `relevance` finds where it matters."""
        name = f"{UNKNOWN}{what}:{type.value}"
        if not any(v.name == name for v in self.globals):
            self.globals.append(tiny.Variable(name, type))
        return tiny.Local(name, type)


def stem(name: str) -> str:
    """What the text calls what has a unique name."""
    return name.rpartition(".")[0]


UNKNOWN = "?"


class Words:
    """What the text calls the locals and cells of a lowered module (`Output.variables` and `Output.cells`)."""

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
