"""What a shader leaves in memory: by the semantics, for shaders of which every run leaves the same."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from wgsl_fuzz.oracle.devices.device import Dispatch
from wgsl_fuzz.oracle.dynamics.execution import run_to_the_end
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.dynamics.stores import Pool, given
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl.ast import Shader, SharedArray, Space
from wgsl_fuzz.tinywgsl.printer import print_shader

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
    def dispatch(self) -> Dispatch:
        """The same, to be run by a device."""
        buffers = {i: _bytes(self.before[a.name]) for i, a in enumerate(storage_of(self.shader))}
        return Dispatch(print_shader(self.shader), buffers)

    def differences(self, memory: Mapping[int, bytes]) -> list[str]:
        """Where a device's memory is another, as `A[3]: 1, not 0`."""
        found = []
        for i, array in enumerate(storage_of(self.shader)):
            said = memory.get(i, b"")
            for at, value in enumerate(self.after[array.name]):
                word = said[WORD * at : WORD * at + WORD]
                if word != _bytes((value,)):
                    seen = int.from_bytes(word, "little", signed=value < 0) if word else "nothing"
                    found.append(f"{array.name}[{at}]: {seen}, not {value}")
        return found


def storage_of(shader: Shader) -> list[SharedArray]:
    """The arrays that a host sees, in the order of their bindings."""
    return [array for array in shader.arrays if array.space is Space.STORAGE]


def expected_memory(shader: Shader, seed: int) -> Expected | None:
    """What the shader does to storage of arbitrary values; a pure function of its arguments.

    None where a device may do something else: a run may diverge, race, not end, or access an array out of its bounds,
    or nobody knows; and where nothing is to be seen, because there is no storage.
    """
    if not storage_of(shader):
        return None
    explored = explore(shader, bounds=BOUNDS)
    if explored.outcome is not Outcome.CONVERGES or explored.races or explored.endless is not None:
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
