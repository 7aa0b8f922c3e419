"""Whether a repaired shader does what the original did: both are run, where the semantics can run them."""

import random
from enum import Enum
from functools import cache

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.oracle.devices.memory import STEPS, storage_of
from wgsl_fuzz.oracle.dynamics.modules.lowering import lower_module
from wgsl_fuzz.oracle.dynamics.modules.types import CannotRun
from wgsl_fuzz.oracle.dynamics.runs import run_to_the_end
from wgsl_fuzz.oracle.dynamics.stores import Initial, Pool
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


def compared(before: Case, after: Case) -> Meaning:
    """What the runs of two shaders have in common: storage after each entry point, on the same memory before."""
    run = after.execution
    if run.outcome is Outcome.DIVERGES:
        return Meaning.DIVERGES
    seen = run.outcome in (Outcome.CONVERGES, Outcome.NOT_SEEN) and not run.cannot
    found = Meaning.CONVERGES if seen else Meaning.UNKNOWN
    for one, other in zip(_lowered(before), _lowered(after), strict=False):
        if {a.name for a in storage_of(one)} != {a.name for a in storage_of(other)}:
            continue
        for seed in range(MEMORIES):
            same = _same_memory(one, other, seed)
            if same is False:
                return Meaning.OTHER
            found = Meaning.SAME if same else found
    return found


def _same_memory(one: Shader, other: Shader, seed: int) -> bool | None:
    """Whether both leave the same storage; None: the original diverges, does not end, or changes nothing."""
    memory = _memory(one, seed)
    runs = run_to_the_end(one, memory, STEPS), run_to_the_end(other, memory, 2 * STEPS)
    if runs[0] is None:
        return None
    if runs[1] is None:
        return False
    names = {a.name for a in storage_of(one)}
    places = [place for place in {**runs[0].cells, **runs[1].cells} if place[0] in names]
    left = [[run.cells.get(place, memory(*place)) for place in places] for run in runs if run is not None]
    changes = any(memory(*place) != value for place, value in zip(places, left[0], strict=True))
    return (True if changes else None) if left[0] == left[1] else False


def _memory(shader: Shader, seed: int) -> Initial:
    """Arbitrary values, small ones more often; workgroup memory is zero. The same for both shaders."""
    return cache(Pool(shader).draw(random.Random(seed), zeroed=True))


def _lowered(case: Case) -> list[Shader]:
    """What the semantics runs for each entry point; none if it does not have all of one."""
    try:
        return [lower_module(case.resolution, entry).shader for entry in case.resolution.entry_points]
    except CannotRun:
        return []
