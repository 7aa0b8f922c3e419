"""What a shader leaves in memory: by the semantics, for shaders of which every run leaves the same.

A device's storage shows nothing of a variable that no shader writes there: `observed` has shaders tell it.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.dynamics.runs import run_to_the_end
from wgsl_fuzz.oracle.dynamics.stores import Pool, given
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl import ast as core

BOUNDS = Bounds(steps=20_000, lockstep=False)
"""Equal threads are followed, too: they may race."""
STEPS = 20_000
"""Longer runs are not held against a device."""
WORD = 4
"""Bytes of an element."""
AT_RUN_TIME = 8
"""Elements of an array that is sized by its buffer."""

Cells = Mapping[str, tuple[int, ...]]
"""By storage array, the values of its elements."""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Workgroups of the entry point `main`: WGSL, and what the buffer of each binding of group 0 holds at first."""

    code: str
    buffers: Mapping[int, bytes]
    workgroups: int = 1


@dataclass(frozen=True, slots=True)
class Expected:
    """A shader's storage arrays before and after, by the semantics."""

    shader: core.Shader
    before: Cells
    after: Cells
    needs_zeroed: bool
    """Whether workgroup memory is read that nobody has written: WGSL has it zero."""

    @property
    def buffers(self) -> list[bytes]:
        """What the arrays hold at first, in their order."""
        rows = [self.before[a.name] for a in storage_of(self.shader)]
        return [b"".join((value & 0xFFFFFFFF).to_bytes(WORD, "little") for value in row) for row in rows]

    def read(self, memory: Mapping[int, bytes]) -> dict[str, tuple[int | None, ...]]:
        """A device's memory as values; None for an element that it does not hold. `memory` is by the arrays' order."""
        cells: dict[str, tuple[int | None, ...]] = {}
        for i, array in enumerate(storage_of(self.shader)):
            said = memory.get(i, b"")
            words = [said[at : at + WORD] for at in range(0, WORD * len(self.after[array.name]), WORD)]
            signed = array.type is core.Type.I32
            cells[array.name] = tuple(
                int.from_bytes(w, "little", signed=signed) if len(w) == WORD else None for w in words
            )
        return cells

    def differences(self, memory: Mapping[int, bytes]) -> list[str]:
        """Where a device's memory is another, as `A[3]: 1, not 0`."""
        found = []
        for name, seen in self.read(memory).items():
            for at, (value, expected) in enumerate(zip(seen, self.after[name], strict=True)):
                if value is None or (value - expected) & 0xFFFFFFFF:
                    found.append(f"{name}[{at}]: {'nothing' if value is None else value}, not {expected}")
        return found


def storage_of(shader: core.Shader) -> list[core.SharedArray]:
    """The arrays that a host sees, in the order of their bindings."""
    return [array for array in shader.arrays if array.space is core.Space.STORAGE]


def is_certain(shader: core.Shader) -> bool:
    """Whether every run converges and ends, and none races: so each leaves the same memory, if within bounds.

    `memory_left` takes a hundredth of the time.

    Convergence is the paper's, the strictest: what converges under it is safe under every other notion.
    """
    explored = explore(shader, bounds=BOUNDS)
    return explored.outcome is Outcome.CONVERGES and not explored.races and explored.endless is None


def memory_left(shader: core.Shader, seed: int) -> Expected | None:
    """What one run leaves; None if it diverges, does not end, or leaves the bounds of an array, or without storage."""
    if not storage_of(shader):
        return None
    draw = Pool(shader).draw(random.Random(seed), zeroed=True)
    before = {a.name: tuple(draw(a.name, i) for i in range(size_of(a))) for a in storage_of(shader)}
    σ = run_to_the_end(shader, given(shader, before), STEPS)
    if σ is None:
        return None
    sizes = {array.name: size_of(array) for array in shader.arrays}
    if any(not 0 <= index < sizes[name] for name, index in σ.cells):
        return None
    after = {
        name: tuple(σ.cells.get((name, i), value) for i, value in enumerate(values)) for name, values in before.items()
    }
    spaces = {array.name: array.space for array in shader.arrays}
    return Expected(shader, before, after, any(spaces[name] is core.Space.WORKGROUP for name, _ in σ.read))


def size_of(array: core.SharedArray) -> int:
    """How many elements it has."""
    return array.size or AT_RUN_TIME


def observed(shader: core.Shader) -> tuple[core.Shader, dict[str, str]] | None:
    """The same shader, whose threads store the variables of `main` before they end; and what each element then holds.

    Each thread has elements of its own in a new storage array, so what converges without a race still does. None if
    `main` has no variables.
    """
    variables = shader.main.locals
    if not variables:
        return None
    used = {array.name for array in shader.arrays} | {v.name for f in shader.all_functions for v in f.locals + f.params}
    used |= {f.name for f in shader.all_functions}
    name = next(name for n in count() if (name := f"observed{n or ''}") not in used)
    array = core.SharedArray(name, core.Type.U32, shader.workgroup_size * len(variables), core.Space.STORAGE)
    main = replace(shader.main, body=(*_storing(shader.main.body, name, variables), *_stores(name, variables)))
    names = {
        f"{name}[{thread * len(variables) + i}]": f"`{variable.name}` of thread {thread}"
        for thread in range(shader.workgroup_size)
        for i, variable in enumerate(variables)
    }
    return replace(shader, arrays=(*shader.arrays, array), main=main), names


def _storing(body: core.Block, name: str, variables: tuple[core.Variable, ...]) -> core.Block:
    """The statements, with the stores before each `return`."""
    return tuple(new for s in body for new in _with_stores(s, name, variables))


def _with_stores(s: core.Stmt, name: str, variables: tuple[core.Variable, ...]) -> Iterator[core.Stmt]:
    match s:
        case core.If():
            yield replace(s, then=_storing(s.then, name, variables), orelse=_storing(s.orelse, name, variables))
        case core.Loop():
            yield replace(s, body=_storing(s.body, name, variables))  # a continuing does not return
        case core.Return():
            yield from _stores(name, variables)
            yield s
        case _:
            yield s


def _stores(name: str, variables: tuple[core.Variable, ...]) -> Iterator[core.Stmt]:
    """What stores the variables of a thread; they are unsigned there."""
    first = core.Binary("*", core.Lid(), core.Literal(len(variables), core.Type.U32))
    for i, variable in enumerate(variables):
        value: core.Expr = core.Local(variable.name, variable.type)
        if variable.type is not core.Type.U32:
            value = core.Convert(core.Type.U32, value)
        yield core.SharedAssign(name, core.Binary("+", first, core.Literal(i, core.Type.U32)), value)
