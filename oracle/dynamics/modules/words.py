"""The names and values of a lowered module in words of its text."""

from collections.abc import Mapping, Sequence
from functools import cache

from wgsl_fuzz.oracle.dynamics.modules.output import Cells
from wgsl_fuzz.oracle.dynamics.modules.types import (
    Array,
    Atomic,
    Matrix,
    Scalar,
    Structure,
    ValueType,
    Vector,
    element_of,
    size,
)
from wgsl_fuzz.oracle.dynamics.stores import SIMPLE
from wgsl_fuzz.oracle.dynamics.witness import InitialValue, cell_in_words, value_in_words
from wgsl_fuzz.tinywgsl.ast import Type
from wgsl_fuzz.tinywgsl.functions import bits_of, float_of


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
        if isinstance(type, Scalar) and type.floating:
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
            return SIMPLE[Type(array.rpartition(":")[2])]
        of, cell = found
        type = reached(of.type, cell % of.stride if of.stride else cell)[1]
        if isinstance(type, Scalar) and type.floating:
            return _floats(type.name)
        core = SIMPLE[type.core if isinstance(type, Scalar) else Type(array.rpartition(":")[2])]
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


def reached(type: ValueType, cell: int) -> tuple[str, ValueType]:
    """How a cell of a value is reached, and its type: `.x`, `[2].y`, `.member`; nothing for a scalar."""
    match type:
        case Structure():
            for name, inner in type.members:
                if cell < size(inner) or not size(inner):  # the last member may be sized at run time
                    path, found = reached(inner, cell)
                    return f".{name}{path}", found
                cell -= size(inner)
            return "", type
        case Array() | Matrix():
            number, rest = divmod(cell, size(element_of(type)))
            path, found = reached(element_of(type), rest)
            return f"[{number}]{path}", found
        case Vector():
            return f".{'xyzw'[cell]}", type.scalar
        case Atomic():
            return "", type.scalar
        case _:
            return "", type
