"""Values that depend on what the shared store holds at first, and the initial stores under which a path is taken.

A value is a number, or an expression over initial cells: `SharedRead(x, Literal(i))` stands for what x[i] holds at
first. Nothing is chosen until a condition or an index depends on it; then only as far as needed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product
from typing import Any, ClassVar

from wgsl_fuzz.oracle.dynamics.compiled import compiled
from wgsl_fuzz.oracle.dynamics.semantics import AtomicUpdate, LocalStore
from wgsl_fuzz.oracle.dynamics.stores import RunStore
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.ast import type_of
from wgsl_fuzz.tinywgsl.values import binary, convert, unary

Cell = tuple[str, int]
"""An array and an index."""
Group = tuple[tuple[Cell, ...], tuple[tuple[int, ...], ...]]
"""Cells whose initial values depend on each other, and the combinations that are left."""

MOST_STORES = 20_000
"""More combinations of initial values are not told apart at one condition."""
MOST_STORES_TOLD_APART = 60_000
"""More combinations are not looked at in one exploration: it would take seconds, and few need a tenth of them."""
MOST_NODES = 24
"""A larger expression is decided rather than kept, unless σ says otherwise."""


class UndecidedValue(Exception):
    """A rule needs the value of an expression over initial cells, and there is more than one."""

    def __init__(self, e: core.Expr) -> None:
        super().__init__(e)
        self.expression = e


class TooMuch(Exception):
    """A path is not followed any further; the argument says which bound is reached."""


_Values = Mapping[int, Mapping[Cell, Group]]
"""By each value that an expression can have: what is left of the cells that it depends on."""


class Tally:
    """How many combinations of initial values an exploration has looked at, and what it has found of them.

    Equal groups are one object, and so are equal expressions, so that two can be told apart by identity.
    """

    __slots__ = ("_cells", "_equal", "_fresh", "_groups", "_kept", "_reads", "_sizes", "stores", "told_apart")

    def __init__(self) -> None:
        self.stores = 0
        self.told_apart: dict[tuple[int, ...], _Values] = {}
        """By the identities of an expression and of the groups that it depends on."""
        self._groups: dict[Group, Group] = {}
        self._fresh: dict[Cell, Group] = {}
        self._reads: dict[Cell, core.Expr] = {}
        self._sizes: dict[int, int] = {}
        """By identity, the parts of expressions over initial cells."""
        self._kept: dict[tuple[object, ...], core.Expr] = {}
        """By the expression of the shader, and its operands: what it comes to."""
        self._equal: dict[core.Expr, core.Expr] = {}
        """The one object for all equal expressions."""
        self._cells: dict[int, tuple[core.Expr, tuple[Cell, ...]]] = {}
        """By identity, expressions and the initial cells in them."""

    def read(self, cell: Cell, type: core.Type) -> core.Expr:
        """What a cell holds at first, always the same object."""
        found = self._reads.get(cell)
        if found is None:
            found = self._reads[cell] = core.SharedRead(cell[0], core.Literal(cell[1], core.Type.I32), type)
            self._sizes[id(found)] = 2
        return found

    def kept(self, e: core.Binary | core.Unary | core.Convert, *operands: Any) -> core.Expr:
        """What an expression of the shader comes to with these operands, always the same object."""
        asked = id(e), *[v if isinstance(v, int) else (id(v),) for v in operands]
        found = self._kept.get(asked)
        if found is None:
            made = _put_together(e, *operands)
            found = self._kept[asked] = self._equal.setdefault(made, made)
            if found is made:
                self._sizes[id(found)] = sum(1 for _ in core.walk_expr(found))
        return found

    def size(self, e: core.Expr) -> int:
        """How many expressions one of these is made of."""
        return self._sizes[id(e)]

    def cells(self, e: core.Expr) -> tuple[Cell, ...]:
        """The initial cells that one of these depends on."""
        known = self._cells.get(id(e))
        if known is None:
            cells = [
                (part.array, part.index.value)
                for part in core.walk_expr(e)
                if isinstance(part, core.SharedRead) and isinstance(part.index, core.Literal)
            ]
            known = self._cells[id(e)] = e, tuple(dict.fromkeys(cells))
        return known[1]

    def group(self, cells: tuple[Cell, ...], worlds: tuple[tuple[int, ...], ...]) -> Group:
        """The one group of these cells and combinations."""
        group = cells, worlds
        return self._groups.setdefault(group, group)

    def untouched(self, cell: Cell, pool: Sequence[int]) -> Group:
        """The group of a cell that nothing has depended on."""
        group = self._fresh.get(cell)
        if group is None:
            group = self._fresh[cell] = self.group((cell,), tuple([(v,) for v in pool]))
        return group


@dataclass(eq=False)
class Memory:
    """σ of an exploration: the cells written, and for the others the initial values that the path so far allows."""

    arrays: Mapping[str, core.Type]
    pools: Mapping[core.Type, Sequence[int]]
    relevant: Set[str]
    cells: Mapping[Cell, Any] = field(default_factory=dict)
    groups: Mapping[Cell, Group] = field(default_factory=dict)
    log: list[tuple[Cell, bool]] = field(default_factory=list)
    """Accesses since someone cleared it, and whether they are writes; common to all stores of an exploration."""
    tally: Tally = field(default_factory=Tally)
    """Common to them as well."""
    most_nodes: ClassVar[int] = MOST_NODES

    def get(self, array: str, index: Any) -> Any:
        """`σ(x, i)`: a number where it is settled, or an expression; 0 or false for what has no influence."""
        cell = (array, self.the_value(index))
        self.log.append((cell, False))
        value = self.cells.get(cell)
        if value is not None:
            return value
        type = self.arrays[array]
        if array not in self.relevant:
            return False if type is core.Type.BOOL else 0
        cells, worlds = self._group(cell)
        return worlds[0][0] if len(cells) == len(worlds) == 1 else self.tally.read(cell, type)

    def updated(self, array: str, index: Any, value: Any) -> "Memory":
        """`σ[(x, i) ↦ v]`."""
        cell = (array, self.the_value(index))
        self.log.append((cell, True))
        return self._with({**self.cells, cell: value}, self.groups)

    def split(self, e: core.Expr) -> dict[int, "Memory"]:
        """By each value that `e` can have, the memory in which it has that value. Raises TooMuch."""
        values = self._values(e)
        if len(values) == 1:
            return {next(iter(values)): self}
        return {value: self._with(self.cells, {**self.groups, **left}) for value, left in values.items()}

    def the_value(self, e: Any) -> int:
        """The one value that a number or an expression can have. Raises UndecidedValue if there are more."""
        if isinstance(e, int):
            return e
        values = self._values(e)
        if len(values) > 1:
            raise UndecidedValue(e)
        return next(iter(values))

    @cached_property
    def key(self) -> object:
        """Equal for two memories from which the same is to come."""
        relevant = self.relevant
        cells = frozenset([(cell, as_key(v)) for cell, v in self.cells.items() if cell[0] in relevant])
        return cells, frozenset(map(id, self.groups.values()))

    def example(self, small: frozenset[str]) -> dict[Cell, int]:
        """Initial values that fit the path; of those, one with as many zeros as can be in the arrays `small`."""
        values: dict[Cell, int] = {}
        for cells, worlds in set(self.groups.values()):
            best = min(worlds, key=lambda world: sum(1 for c, v in zip(cells, world) if v and c[0] in small))
            values |= zip(cells, best)
        return values

    def _with(self, cells: Mapping[Cell, Any], groups: Mapping[Cell, Group]) -> "Memory":
        return Memory(self.arrays, self.pools, self.relevant, cells, groups, self.log, self.tally)

    def _group(self, cell: Cell) -> Group:
        return self.groups.get(cell) or self.tally.untouched(cell, self.pools[self.arrays[cell[0]]])

    def _values(self, e: core.Expr) -> _Values:
        """The values of `e`; of equal questions only the first is worked out."""
        groups = {id(group): group for group in map(self._group, self.tally.cells(e))}
        asked = id(e), *groups
        values = self.tally.told_apart.get(asked)
        if values is None:
            values = self.tally.told_apart[asked] = self._told_apart(e, list(groups.values()))
        return values

    def _told_apart(self, e: core.Expr, groups: Sequence[Group]) -> _Values:
        """The combinations of all cells that `e` depends on, by its values."""
        count = 1
        for _, worlds in groups:
            count *= len(worlds)
        self.tally.stores += count
        if count > MOST_STORES or self.tally.stores > MOST_STORES_TOLD_APART:
            raise TooMuch("too many combinations of initial values")
        cells = tuple([cell for group in groups for cell in group[0]])
        by_value: dict[int, list[tuple[int, ...]]] = {}
        value_in = _evaluator(e, cells)
        for parts in product(*[worlds for _, worlds in groups]):
            world = sum(parts, ())
            by_value.setdefault(value_in(world), []).append(world)
        return {value: self._left(cells, worlds) for value, worlds in by_value.items()}

    def _left(self, cells: tuple[Cell, ...], worlds: Sequence[tuple[int, ...]]) -> dict[Cell, Group]:
        if len(worlds) == 1:  # what is settled depends on nothing
            return {c: self.tally.group((c,), ((v,),)) for c, v in zip(cells, worlds[0])}
        return dict.fromkeys(cells, self.tally.group(cells, tuple(worlds)))


def as_key(value: Any) -> Any:
    """Equal for equal values of one exploration: equal expressions are one object, which nothing need look into."""
    return value if isinstance(value, int) else (id(value),)


def _evaluator(e: core.Expr, cells: tuple[Cell, ...]) -> Callable[[tuple[int, ...]], int]:
    """The value of an expression over initial cells as a function of what these hold."""
    store, run = RunStore(no_cell), compiled(e)

    def value(world: tuple[int, ...]) -> int:
        store.cells = dict(zip(cells, world))
        found: int = run(store, {}, 0)
        return found

    return value


def no_cell(array: str, index: int) -> int:
    """The store of an evaluation that is given all cells that it needs."""
    raise AssertionError(f"{array}[{index}] is not among the cells that an expression depends on")


def residual(e: core.Expr, σ: Any, τ: LocalStore, lid: int) -> Any:
    """`(σ, τ)(e)`, a number or an expression over initial cells. Raises UndecidedValue if an index is no number."""
    return _RESIDUAL[e.__class__](e, σ, τ, lid)


def _binary(e: core.Binary, σ: Any, τ: LocalStore, lid: int) -> Any:
    left, right = e.left, e.right
    a = _RESIDUAL[left.__class__](left, σ, τ, lid)
    b = _RESIDUAL[right.__class__](right, σ, τ, lid)
    if isinstance(a, int) and isinstance(b, int):
        return binary(e.op, a, b, type_of(left))
    return _decided_if_large(σ.tally.kept(e, a, b), σ)


def _unary(e: core.Unary, σ: Any, τ: LocalStore, lid: int) -> Any:
    a = residual(e.operand, σ, τ, lid)
    if isinstance(a, int):
        return unary(e.op, a, type_of(e.operand))
    return _decided_if_large(σ.tally.kept(e, a), σ)


def _convert(e: core.Convert, σ: Any, τ: LocalStore, lid: int) -> Any:
    a = residual(e.operand, σ, τ, lid)
    return convert(a, e.type) if isinstance(a, int) else _decided_if_large(σ.tally.kept(e, a), σ)


# By class: a chain of tests would cost more than most expressions do.
_RESIDUAL: dict[type, Callable[[Any, Any, LocalStore, int], Any]] = {
    core.Local: lambda e, _σ, τ, _lid: τ[e.name],
    core.Literal: lambda e, _σ, _τ, _lid: e.value,
    core.Lid: lambda _e, _σ, _τ, lid: lid,
    core.Binary: _binary,
    core.SharedRead: lambda e, σ, τ, lid: σ.get(e.array, residual(e.index, σ, τ, lid)),
    core.Unary: _unary,
    core.Convert: _convert,
}


def _quoted(value: Any, e: core.Expr) -> core.Expr:
    """A value of `e` as an expression."""
    return core.Literal(value, type_of(e)) if isinstance(value, int) else value


def _put_together(e: core.Binary | core.Unary | core.Convert, *operands: Any) -> core.Expr:
    """An expression with other operands, numbers or expressions."""
    match e:
        case core.Binary():
            return core.Binary(e.op, _quoted(operands[0], e.left), _quoted(operands[1], e.right))
        case core.Unary():
            return core.Unary(e.op, operands[0])
        case core.Convert():
            return core.Convert(e.type, operands[0])


def _decided_if_large(e: core.Expr, σ: Memory) -> Any:
    return e if σ.tally.size(e) <= σ.most_nodes else σ.the_value(e)


# ----------------------------------------------------------------------------------- what can influence control flow


def read_by(s: core.Stmt) -> Iterator[str]:
    """The locals and arrays that the expressions of a statement itself read, and what an atomic update replaces."""
    if isinstance(s, AtomicUpdate):
        yield s.array
    for e in core.expressions_of(s):
        yield from core.read_in(e)


class Relevance:
    """The locals and arrays whose values can influence control flow, and the loops whose history a barrier can show.

    A backward slice of a well-formed shader, flow-insensitive and by name (restriction 2 makes names unique). What is
    left out is executed all the same, but neither compared nor chosen: no barrier is reached otherwise for it.
    It is a least fixpoint: statements that matter make what they read matter, and that makes more statements matter.
    """

    def __init__(self, shader: core.Shader) -> None:
        self.functions = {f.name: f for f in shader.functions}
        self.barrier_loops = frozenset(_barrier_loops(shader))
        self.names: set[str] = set()
        self.results: set[str] = set()
        """Functions whose result matters."""
        self.bodies: dict[str, tuple[int, bool]] = {}
        """By function, what `_body_matters` said, and how many names mattered then."""
        self.apart: dict[int, bool] = {}
        """By identity, what `sets_apart` said of a statement."""
        waiting = [(f.name, s, (*read_by(s),)) for f in shader.all_functions for s in core.walk(f.body)]
        before = -1
        while before != len(self.names) + len(self.results):
            before = len(self.names) + len(self.results)
            # From the end on, then from the start: what is found follows a chain of assignments or calls in one pass.
            waiting = [(f, s, read) for f, s, read in reversed(waiting) if not self._visit(f, s, read)]

    def _visit(self, function: str, s: core.Stmt, read: tuple[str, ...]) -> bool:
        """Whether nothing that is found later can make more of what a statement reads matter."""
        match s:
            case core.If():
                needed = self._matters(s)
            case core.Call():
                if s.name in self.names:
                    self.results.add(s.function)
                for p, e in zip(self.functions[s.function].params, s.arguments):
                    if p.name in self.names:
                        self.names.update(core.read_in(e))
                return False
            case core.Return():
                needed = function in self.results
            case _:
                needed = self._is_written(s)
        if needed:
            self.names.update(read)
        return needed or not read

    def _is_written(self, s: core.Stmt) -> bool:
        """Whether `s` itself assigns or writes a name that matters."""
        return not self.names.isdisjoint(_written_by(s))

    def _matters(self, s: core.Stmt) -> bool:
        """Whether skipping `s` could lead to other barriers; jumps and loops (they may not end) always count."""
        match s:
            case core.If():
                return any(self._matters(inner) for block in core.blocks_of(s) for inner in block)
            case core.Call():
                return s.name in self.names or self._body_matters(s.function)
            case _:
                return not _written_by(s) or self._is_written(s)

    def _body_matters(self, function: str) -> bool:
        """The same of a call's body: looked at again only when more names matter."""
        at, matters = self.bodies.get(function, (-1, False))
        if not matters and at != len(self.names):
            body = self.functions[function].body
            inner = body[:-1] if body and isinstance(body[-1], core.Return) else body
            matters = any(self._matters(s) for s in inner)
            self.bodies[function] = len(self.names), matters
        return matters

    def sets_apart(self, s: core.Stmt) -> bool:
        """Whether a statement can make equal threads differ: it or what it contains or calls lets `lid` influence
        control flow, or writes to an array that does. Equal threads that are to execute no such statement do the same.
        """
        known = self.apart.get(id(s))
        if known is None:
            called = self.functions[s.function].body if isinstance(s, core.Call) else ()
            known = self._sets_apart(s) or any(map(self.sets_apart, (*chain(*core.blocks_of(s)), *called)))
            self.apart[id(s)] = known
        return known

    def _sets_apart(self, s: core.Stmt) -> bool:
        match s:
            case core.If():
                return self._matters(s) and _reads_lid(s.condition)
            case core.Call():
                params = self.functions[s.function].params
                return any(p.name in self.names and _reads_lid(e) for p, e in zip(params, s.arguments))
            case _:
                in_memory = isinstance(s, core.SharedAssign) and s.array in self.names
                return in_memory or (self._is_written(s) and any(map(_reads_lid, core.expressions_of(s))))


def _written_by(s: core.Stmt) -> tuple[str, ...]:
    """The names that a statement itself assigns or writes."""
    name = core.written_by(s)
    return () if name is None else (name, s.name) if isinstance(s, AtomicUpdate) else (name,)


def _reads_lid(e: core.Expr) -> bool:
    return any(isinstance(part, core.Lid) for part in core.walk_expr(e))


def _barrier_loops(shader: core.Shader) -> Iterator[int]:
    """The loops in which a barrier can be reached, also through calls. Functions come before their callers."""
    with_barrier: set[str] = set()

    def reaches(s: core.Stmt) -> bool:
        return isinstance(s, core.Barrier) or (isinstance(s, core.Call) and s.function in with_barrier)

    for f in shader.all_functions:
        for s in core.walk(f.body):
            if isinstance(s, core.Loop) and any(reaches(inner) for inner in core.walk((s,))):
                yield s.id
        if any(reaches(s) for s in core.walk(f.body)):
            with_barrier.add(f.name)
