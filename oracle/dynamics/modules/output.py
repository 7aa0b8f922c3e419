"""The shader that lowering a module makes: its arrays and functions, and the statements of the function at hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wgsl_fuzz.oracle.dynamics.modules.places import Memory, Place, Value, array_name
from wgsl_fuzz.oracle.dynamics.modules.problems import CannotRun
from wgsl_fuzz.oracle.dynamics.modules.types import Scalar, ValueType
from wgsl_fuzz.oracle.dynamics.states import ExchangeArray
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Block,
    Call,
    Expr,
    Function,
    Literal,
    Local,
    SharedArray,
    SharedRead,
    Space,
    Stmt,
    Type,
    Variable,
    operands_of,
    type_of,
)


@dataclass(frozen=True, slots=True)
class Cells:
    """A variable of the text, as cells."""

    name: str
    type: ValueType
    stride: int = 0
    """In memory: the cells of each thread, or of each texel; 0 if there is one such variable."""
    of_threads: bool = True
    """Whether the stride is that of threads."""
    element: Callable[[int], str] | None = None
    """What the element with a number is called, if it has a name of its own: a texel."""


MOST_STATEMENTS = 20_000
"""A module of more statements, calls of one function with different pointers counted apart, is not run."""


class Output:
    """What has been put out so far. Names are unique in the whole shader (restriction 2), and so are IDs."""

    def __init__(self) -> None:
        self.arrays: dict[str, SharedArray] = {}
        self.functions: list[Function] = []
        self.globals: list[Variable] = []
        """Locals of `main` that every function uses: private variables, and what is not known."""
        self.statements: list[Stmt] = []
        self.locals: list[Variable] = []
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

    def local(self, name: str, type: Type, *, mutable: bool) -> Local:
        """Declares a local of the function at hand; `mutable`: its value can change between two reads."""
        self.locals.append(Variable(name, type))
        if mutable:
            self._mutable.add(name)
        return Local(name, type)

    def global_(self, name: str, type: Type) -> Local:
        """Declares a local of `main` that every function uses."""
        self.globals.append(Variable(name, type))
        self._mutable.add(name)
        return Local(name, type)

    def temporary(self, type: Type) -> Local:
        """A local that is assigned once."""
        return self.local(self.name("t"), type, mutable=False)

    def exchange(self, root: Memory, scalar: Scalar) -> None:
        """Declares the array through which threads exchange values of a scalar type."""
        name = array_name(root, scalar)
        self.arrays.setdefault(name, ExchangeArray(name, scalar.core, 0, Space.WORKGROUP))

    def array(self, root: Memory, scalar: Scalar, space: Space, count: int) -> None:
        """Declares the shared array of a variable for one scalar type."""
        name = array_name(root, scalar)
        if name not in self.arrays:
            self.arrays[name] = SharedArray(name, scalar.core, count, space)
            if root.constant:
                self._constant.add(name)

    # ------------------------------------------------------------------------------------------------------ statements

    def put(self, s: Stmt) -> None:
        """Appends a statement."""
        self._put += 1
        if self._put > MOST_STATEMENTS:
            raise CannotRun(f"more than {MOST_STATEMENTS} statements")
        self.places[id(s)] = self.at
        self.statements.append(s)

    def open(self) -> list[Stmt]:
        """Begins a block; returns the one around it, which `close` needs."""
        outer, self.statements = self.statements, []
        return outer

    def close(self, outer: list[Stmt]) -> Block:
        """Ends a block; returns its statements."""
        inner, self.statements = self.statements, outer
        return tuple(inner)

    def call(self, function: str, result: Type, arguments: Sequence[Expr]) -> Local:
        """Puts a call; returns the local that takes its result."""
        taker = self.temporary(result)
        self.put(Call(self.new_id(), taker.name, function, tuple(arguments)))
        return taker

    def mark(self) -> int:
        """A place among the statements, for `kept`."""
        return len(self.statements)

    def kept(self, value: Value, mark: int) -> Value:
        """A value as it was at a mark: what statements put since could change is read into temporaries there."""
        if len(self.statements) == mark:
            return value
        return Value(value.type, tuple([self._kept(cell, mark) for cell in value.cells]))

    def kept_place(self, place: Place, mark: int) -> Place:
        """The same for the index of a place."""
        if place.index is None or len(self.statements) == mark:
            return place
        return Place(place.root, place.type, place.offset, self._kept(place.index, mark), place.choices)

    def _kept(self, cell: Expr, mark: int) -> Expr:
        if not self.varies(cell):
            return cell
        kept = self.temporary(type_of(cell))
        keeping = Assign(kept.name, cell)
        self.places[id(keeping)] = self.at
        self.statements.insert(mark, keeping)
        return kept

    def bound(self, name: str, value: Value) -> Value:
        """The same value, computed once and by a name of the text."""
        value = self.named(value)
        of = Cells(name, value.type)
        for i, cell in enumerate(value.cells):
            if isinstance(cell, Local):
                self.cells.setdefault(cell.name, (of, i))
        return value

    def named(self, value: Value) -> Value:
        """The same value, computed once: for what is used more than once."""
        return Value(value.type, tuple([self.named_cell(cell) for cell in value.cells]))

    def named_cell(self, cell: Expr) -> Expr:
        """The same for one scalar."""
        if isinstance(cell, Literal) or (isinstance(cell, Local) and cell.name not in self._mutable):
            return cell
        kept = self.temporary(type_of(cell))
        self.put(Assign(kept.name, cell))
        return kept

    def settled(self, value: Value) -> Value:
        """A value that later assignments cannot change."""
        return Value(value.type, tuple([self.named_cell(cell) if self.varies(cell) else cell for cell in value.cells]))

    def varies(self, cell: Expr) -> bool:
        """Whether a statement could change what an expression gives."""
        todo = [cell]
        while todo:
            e = todo.pop()
            if isinstance(e, SharedRead) and e.array not in self._constant:
                return True
            if isinstance(e, Local) and e.name in self._mutable:
                return True
            todo += operands_of(e)
        return False

    def unknown(self, what: str, type: Type) -> Expr:
        """A value that cannot be computed: a local that nobody assigns, which `relevance` finds where it matters."""
        name = f"{UNKNOWN}{what}:{type.value}"
        if not any(v.name == name for v in self.globals):
            self.globals.append(Variable(name, type))
        return Local(name, type)


def stem(name: str) -> str:
    """What the text calls what has a unique name."""
    return name.rpartition(".")[0]


UNKNOWN = "?"
