"""Values that depend on what the shared store holds at first, and the initial stores under which a path is taken.

A value is a number, or an expression over initial cells: `SharedRead(x, Literal(i))` stands for what x[i] holds at
first. Nothing is chosen until a condition or an index depends on it; then only as far as needed.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any, assert_never

from wgsl_fuzz.oracle.dynamics.semantics import LocalStore, evaluate
from wgsl_fuzz.tinywgsl.ast import (
    OPERANDS,
    Binary,
    Convert,
    Expr,
    Lid,
    Literal,
    Local,
    SharedRead,
    Type,
    Unary,
    type_of,
    walk_expr,
)
from wgsl_fuzz.tinywgsl.values import binary, convert, unary

Cell = tuple[str, int]
"""An array and an index."""
Group = tuple[tuple[Cell, ...], tuple[tuple[int, ...], ...]]
"""Cells whose initial values depend on each other, and the combinations that are left."""

MOST_STORES = 20_000
"""More combinations of initial values are not told apart at one condition."""
MOST_STORES_TOLD_APART = 60_000
"""More combinations are not looked at in one exploration: it would take seconds, and few need a tenth of them."""
MOST_PARTS = 24
"""A larger expression is decided rather than kept."""


class UndecidedValue(Exception):
    """A rule needs the value of an expression over initial cells, and there is more than one."""

    def __init__(self, e: Expr) -> None:
        super().__init__(e)
        self.expression = e


class TooManyStores(Exception):
    """Too many combinations of initial values decide one condition, or all conditions together."""


class Tally:
    """How many combinations of initial values an exploration has looked at."""

    __slots__ = ("stores",)

    def __init__(self) -> None:
        self.stores = 0


class Memory:
    """σ of an exploration: the cells written, and for the others the initial values that the path so far allows."""

    def __init__(
        self,
        arrays: Mapping[str, Type],
        pools: Mapping[Type, Sequence[int]],
        relevant: frozenset[str],
        cells: Mapping[Cell, Any] | None = None,
        groups: Mapping[Cell, Group] | None = None,
        log: list[tuple[Cell, bool]] | None = None,
        tally: Tally | None = None,
    ) -> None:
        self.arrays = arrays
        self.pools = pools
        self.relevant = relevant
        self.cells = cells or {}
        self.groups = groups or {}
        self.log = [] if log is None else log
        """Accesses since someone cleared it, and whether they are writes; common to all stores of an exploration."""
        self.tally = tally or Tally()
        """Common to them as well."""

    def get(self, array: str, index: int) -> Any:
        """`σ(x, i)`: a number where it is settled, or an expression; 0 or false for what has no influence."""
        cell = (array, index)
        self.log.append((cell, False))
        value = self.cells.get(cell)
        if value is not None:
            return value
        type = self.arrays[array]
        if array not in self.relevant:
            return False if type is Type.BOOL else 0
        cells, worlds = self._group(cell)
        return worlds[0][0] if len(cells) == len(worlds) == 1 else SharedRead(array, Literal(index, Type.I32), type)

    def updated(self, array: str, index: int, value: Any) -> "Memory":
        """`σ[(x, i) ↦ v]`."""
        self.log.append(((array, index), True))
        return self._with({**self.cells, (array, index): value}, self.groups)

    def split(self, e: Expr) -> dict[int, "Memory"]:
        """By each value that `e` can have, the memory in which it has that value. Raises TooManyStores."""
        cells, worlds = self._joint(e)
        by_value: dict[int, list[tuple[int, ...]]] = {}
        for world in worlds:
            by_value.setdefault(evaluate(e, _World(dict(zip(cells, world))), {}, 0), []).append(world)
        if len(by_value) == 1:
            return {next(iter(by_value)): self}
        return {value: self._restricted(cells, left) for value, left in by_value.items()}

    def the_value(self, e: Expr) -> int:
        """The one value that `e` can have. Raises UndecidedValue if there are more."""
        values = self.split(e)
        if len(values) > 1:
            raise UndecidedValue(e)
        return next(iter(values))

    @cached_property
    def key(self) -> object:
        """Equal for two memories from which the same is to come."""
        cells = frozenset([(cell, v) for cell, v in self.cells.items() if cell[0] in self.relevant])
        return cells, frozenset(self.groups.values())

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
        group = self.groups.get(cell)
        return ((cell,), tuple([(v,) for v in self.pools[self.arrays[cell[0]]]])) if group is None else group

    def _joint(self, e: Expr) -> Group:
        """The combinations of all cells that `e` depends on."""
        needed = [
            (part.array, part.index.value)
            for part in walk_expr(e)
            if isinstance(part, SharedRead) and isinstance(part.index, Literal)
        ]
        groups = list(dict.fromkeys([self._group(cell) for cell in needed]))
        count = 1
        for _, worlds in groups:
            count *= len(worlds)
        self.tally.stores += count
        if count > MOST_STORES or self.tally.stores > MOST_STORES_TOLD_APART:
            raise TooManyStores
        cells = tuple([cell for group in groups for cell in group[0]])
        return cells, tuple([sum(parts, ()) for parts in product(*[worlds for _, worlds in groups])])

    def _restricted(self, cells: tuple[Cell, ...], worlds: list[tuple[int, ...]]) -> "Memory":
        if len(worlds) == 1:  # what is settled depends on nothing
            alone: dict[Cell, Group] = {c: ((c,), ((v,),)) for c, v in zip(cells, worlds[0])}
            return self._with(self.cells, {**self.groups, **alone})
        group = (cells, tuple(worlds))
        return self._with(self.cells, {**self.groups, **dict.fromkeys(cells, group)})


class _World:
    """One initial store, for `evaluate`."""

    def __init__(self, values: Mapping[Cell, int]) -> None:
        self.values = values

    def get(self, array: str, index: int) -> int:
        return self.values[array, index]

    def updated(self, _array: str, _index: int, _value: int) -> "_World":
        raise AssertionError("expressions have no effect")


def residual(e: Expr, σ: Any, τ: LocalStore, lid: int) -> Any:
    """`(σ, τ)(e)`, a number or an expression over initial cells. Raises UndecidedValue if an index is no number."""
    match e:
        case Local():
            return τ[e.name]
        case Literal():
            return e.value
        case Lid():
            return lid
        case Binary():
            a, b = residual(e.left, σ, τ, lid), residual(e.right, σ, τ, lid)
            type = type_of(e.left)
            if isinstance(a, int) and isinstance(b, int):
                return binary(e.op, a, b, type)
            return _kept(Binary(e.op, _quoted(a, type), _quoted(b, type_of(e.right))), σ)
        case SharedRead():
            index = residual(e.index, σ, τ, lid)
            return σ.get(e.array, index if isinstance(index, int) else σ.the_value(index))
        case Unary():
            a = residual(e.operand, σ, τ, lid)
            type = type_of(e.operand)
            return unary(e.op, a, type) if isinstance(a, int) else _kept(Unary(e.op, a), σ)
        case Convert():
            a = residual(e.operand, σ, τ, lid)
            return convert(a, e.type) if isinstance(a, int) else _kept(Convert(e.type, a), σ)
        case _:
            assert_never(e)


def _quoted(value: Any, type: Type) -> Expr:
    return Literal(value, type) if isinstance(value, int) else value


def _kept(e: Expr, σ: Memory) -> Any:
    return e if _parts(e) <= MOST_PARTS else σ.the_value(e)


def _parts(e: Expr) -> int:
    """How many expressions it is made of; without generators, for this is asked at every step on unknowns."""
    get = OPERANDS.get[e.__class__]
    return 1 if get is None else 1 + sum([_parts(part) for part in get(e)])
