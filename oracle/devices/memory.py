"""What a shader leaves in memory: by the semantics, for shaders of which every run leaves the same."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from wgsl_fuzz.oracle.devices.device import Dispatch
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.dynamics.runs import run_to_the_end
from wgsl_fuzz.oracle.dynamics.stores import Pool, given
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl.ast import Shader, SharedArray, Space, Type
from wgsl_fuzz.wgsl.lower.raising import print_shader

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
class Expected:
    """A shader's storage arrays before and after, by the semantics."""

    shader: Shader
    before: Cells
    after: Cells
    needs_zeroed: bool
    """Whether workgroup memory is read that nobody has written: WGSL has it zero."""

    @property
    def buffers(self) -> list[bytes]:
        """What the arrays hold at first, in their order."""
        return [_bytes(self.before[a.name]) for a in storage_of(self.shader)]

    @property
    def dispatch(self) -> Dispatch:
        """The plain print, to be run by a device."""
        return Dispatch(print_shader(self.shader), dict(enumerate(self.buffers)))

    def read(self, memory: Mapping[int, bytes]) -> dict[str, tuple[int | None, ...]]:
        """A device's memory as values; None for an element that it does not hold. `memory` is by the arrays' order."""
        cells: dict[str, tuple[int | None, ...]] = {}
        for i, array in enumerate(storage_of(self.shader)):
            said = memory.get(i, b"")
            words = [said[at : at + WORD] for at in range(0, WORD * len(self.after[array.name]), WORD)]
            signed = array.type is Type.I32
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


def storage_of(shader: Shader) -> list[SharedArray]:
    """The arrays that a host sees, in the order of their bindings."""
    return [array for array in shader.arrays if array.space is Space.STORAGE]


def expected_memory(shader: Shader, seed: int) -> Expected | None:
    """What the shader does to storage of arbitrary values; a pure function of its arguments.

    None where a device may do something else: a run may diverge, race, not end, or access an array out of its bounds,
    or nobody knows; and where nothing is to be seen, because there is no storage.
    """
    left = memory_left(shader, seed)  # asked first: it takes a hundredth of exploring
    return left if left is not None and is_certain(shader) else None


def is_certain(shader: Shader) -> bool:
    """Whether every run converges and ends, and none races: so each leaves the same memory, if within bounds.

    Convergence is the paper's, the strictest: what converges under it is safe under every other notion.
    """
    explored = explore(shader, bounds=BOUNDS)
    return explored.outcome is Outcome.CONVERGES and not explored.races and explored.endless is None


def memory_left(shader: Shader, seed: int) -> Expected | None:
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
    return Expected(shader, before, after, any(spaces[name] is Space.WORKGROUP for name, _ in σ.read))


def size_of(array: SharedArray) -> int:
    """How many elements it has."""
    return array.size or AT_RUN_TIME


def _bytes(values: tuple[int, ...]) -> bytes:
    return b"".join((value & 0xFFFFFFFF).to_bytes(WORD, "little") for value in values)
