"""Shared stores: those that a run starts with, and the one that it changes."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from wgsl_fuzz.oracle.dynamics.semantics import zero
from wgsl_fuzz.tinywgsl.ast import Literal, Shader, Space, Type, expressions_in
from wgsl_fuzz.tinywgsl.values import I32_MAX, U32_MAX, wrap

Initial = Callable[[str, int], int]
"""What a shared store holds at first, by array and index: any index, for the paper's σ is total."""

Simple = Callable[[str, int], Sequence[int]]
"""Of a cell, by array and index, values from the simplest on: what people like to read in a witness."""


def given(shader: Shader, values: Mapping[str, Sequence[int]]) -> Initial:
    """The store with the given values from index 0 on, and zeros elsewhere."""
    return given_cells(shader, {(x, i): v for x, vs in values.items() for i, v in enumerate(vs)})


def given_cells(shader: Shader, cells: Mapping[tuple[str, int], int]) -> Initial:
    """The store with the given cells, and zeros elsewhere."""
    default = {a.name: zero(a.type) for a in shader.arrays}
    return lambda x, i: cells.get((x, i), default[x])


class RunStore:
    """σ as one run owns it. A run never looks back, so cells are updated in place (see `semantics.Store`).

    Cells are asked of `initial` when they are first read: `read` ends as the store that the run needed.
    """

    __slots__ = ("cells", "initial", "read", "touched")

    def __init__(self, initial: Initial) -> None:
        self.initial = initial
        self.cells: dict[tuple[str, int], int] = {}
        self.read: dict[tuple[str, int], int] = {}
        self.touched = False
        """Whether any cell was read."""

    def get(self, array: str, index: int) -> int:
        """`σ(x, i)`."""
        self.touched = True
        key = (array, index)
        value = self.cells.get(key)
        if value is None:
            value = self.cells[key] = self.read[key] = self.initial(array, index)
        return value

    def updated(self, array: str, index: int, value: int) -> "RunStore":
        """`σ[(x, i) ↦ v]`, in place."""
        self.cells[array, index] = value
        return self


def values_worth_trying(shader: Shader) -> dict[Type, list[int]]:
    """By type, ascending: 0, 1, the maximum, and each literal of the shader and its neighbours; both truth values."""
    literals = {e.value for f in shader.all_functions for e in expressions_in(f.body) if isinstance(e, Literal)}
    near = {int(v) + d for v in literals for d in (-1, 0, 1)}
    return {
        Type.U32: sorted({0, 1, U32_MAX} | {wrap(v, Type.U32) for v in near}),
        Type.I32: sorted({0, 1, I32_MAX} | {wrap(v, Type.I32) for v in near}),
        Type.BOOL: [False, True],
    }


SIMPLE = {
    Type.U32: (*range(9), 10, 16, 32, 64, 100, 128, 256, 1000, 1024),
    Type.I32: (0, 1, -1, 2, -2, *range(3, 9), 10, 16, -10, 32, 64, 100, 256, 1000),
    Type.BOOL: (False, True),
}
"""By type, small round numbers, the simplest first."""


class Pool:
    """Draws stores of values worth trying in a shader, and of small ones."""

    def __init__(self, shader: Shader) -> None:
        self.shader = shader
        self.arrays = {a.name: a for a in shader.arrays}

    @cached_property
    def values(self) -> dict[Type, list[int]]:
        """Made when first needed: a run may read nothing."""
        return values_worth_trying(self.shader)

    def draw(self, rng: random.Random, zeroed: bool) -> Initial:
        """A store of arbitrary values; `zeroed`: but for workgroup memory."""

        def value(array: str, _index: int) -> int:
            declared = self.arrays[array]
            if declared.type is not Type.BOOL and rng.random() < 0.25:
                drawn = rng.randrange(16)
            else:
                drawn = rng.choice(self.values[declared.type])
            # Drawn in any case: the other cells should not change when this one does.
            return zero(declared.type) if zeroed and declared.space is Space.WORKGROUP else drawn

        return value
