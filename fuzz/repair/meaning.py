"""Whether a repaired shader does what the original did: both are run, where the semantics can run them."""

import random
from enum import Enum

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.oracle.devices.memory import STEPS, memory_left, storage_of
from wgsl_fuzz.oracle.dynamics.modules.lowering import lower_module
from wgsl_fuzz.oracle.dynamics.modules.types import CannotRun
from wgsl_fuzz.oracle.dynamics.runs import run_to_the_end
from wgsl_fuzz.oracle.dynamics.stores import given
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl.ast import Shader

MEMORIES = 8
"""How many contents of memory both shaders are run on."""


class Meaning(Enum):
    """What running both shaders shows."""

    SAME = "Run on 8 memories, it leaves what the original leaves wherever that converges."
    CONVERGES = "It was run, and no run diverged."
    OTHER = "It leaves other memory than the original."
    DIVERGES = "It diverges."
    UNKNOWN = "It was not run: the semantics does not have all of it."


def compared(before: ModuleCase, after: ModuleCase) -> Meaning:
    """What the runs of two shaders have in common: storage after each entry point, on the same memory before."""
    if after.outcome is Outcome.DIVERGES:
        return Meaning.DIVERGES
    seen = after.outcome in (Outcome.CONVERGES, Outcome.NOT_SEEN) and not after.execution.cannot
    found = Meaning.CONVERGES if seen else Meaning.UNKNOWN
    for one, other in zip(_lowered(before), _lowered(after), strict=False):
        if {a.name for a in storage_of(one)} - {a.name for a in storage_of(other)}:
            continue
        for seed in random.Random(0).sample(range(1000), MEMORIES):
            same = _same_memory(one, other, seed)
            if same is False:
                return Meaning.OTHER
            found = Meaning.SAME if same else found
    return found


def _same_memory(one: Shader, other: Shader, seed: int) -> bool | None:
    """Whether both leave the same storage; None: the original diverges, does not end, or leaves the bounds."""
    left = memory_left(one, seed)
    if left is None:
        return None
    run = run_to_the_end(other, given(other, left.before), 2 * STEPS)
    if run is None:
        return False
    return all(
        run.cells.get((name, i), left.before[name][i]) == value
        for name, values in left.after.items()
        for i, value in enumerate(values)
    )


def _lowered(case: ModuleCase) -> list[Shader]:
    """What the semantics runs for each entry point; none if it does not have all of one."""
    resolution = case.resolution
    entries = [f for f in resolution.functions if resolution.entry_stage(f) is not None]
    try:
        return [lower_module(resolution, entry).shader for entry in entries]
    except CannotRun:
        return []
