"""Running a module: each entry point is lowered and run as a TinyWGSL shader; the worst outcome counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wgsl_fuzz.oracle.dynamics.execution import Execution, sample
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.dynamics.modules.literals import literal
from wgsl_fuzz.oracle.dynamics.modules.lowering import LoweredModule, declared_threads, lower_module
from wgsl_fuzz.oracle.dynamics.modules.problems import CannotRun
from wgsl_fuzz.oracle.dynamics.modules.types import BOOL, F32, FLOAT
from wgsl_fuzz.oracle.dynamics.witness import Witness
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl.ast import Literal as CoreLiteral
from wgsl_fuzz.tinywgsl.ast import Type
from wgsl_fuzz.tinywgsl.functions import bits_of
from wgsl_fuzz.tinywgsl.values import I32_MAX, U32_MAX, wrap
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Function, Literal
from wgsl_fuzz.wgsl.walk import descendants

RUNS, STEPS = 2, 1_200
"""How often a module is run, and for how many steps at most."""
THOROUGH_RUNS, THOROUGH_STEPS = 48, 10_000
"""The same if it matters, and exploring leaves it open."""
BOUNDS = Bounds(steps=20_000)
"""Of exploring."""
FEW_THREADS = 4
"""Of a larger workgroup so many run, unless it matters."""
RUNS_OF_MANY = 8
"""Of a larger workgroup there are fewer runs."""
MANY_THREADS = 64
"""Of a workgroup that is still larger so many run, if it matters."""
EXPLORED_THREADS = 8
"""Larger workgroups are explored with `FEW_EXPLORED` threads."""
FEW_EXPLORED = 2


@dataclass(frozen=True, slots=True)
class ModuleExecution:
    """What came of running a module: the worst outcome of its entry points."""

    outcome: Outcome
    steps: int = 0
    witness: Witness | None = None
    entry: str = ""
    """The entry point that the outcome is of."""
    cannot: str | None = None
    """What of an entry point could not be run; the outcome is then that of the others."""
    offsets: Mapping[int, int] = field(default_factory=dict)
    """By the ID of a statement in the witness, its place in the text."""

    def describe(self, text: str) -> list[str]:
        """The witness for people, with lines of the text; empty if there is none."""
        if self.witness is None:
            return []
        source = Source(text)

        def line_of(id: int) -> int | None:
            offset = self.offsets.get(id, -1)
            return None if offset < 0 else source.position(offset)[0]

        return self.witness.describe(line_of)


def values_worth_trying(resolution: Resolution) -> dict[Type, list[int]]:
    """By type, ascending: 0, 1, the maximum, and each literal of the text and its neighbours, also of the other sign.

    Where there are floats, the bits of 1 and -1 as well. Numbers that lowering adds are left out.
    """
    near: set[int] = set()
    bits: set[int] = set()
    for node in descendants(resolution.module):
        if isinstance(node, Literal):
            value = literal(node.text)
            number = value.scalar
            assert isinstance(number, CoreLiteral), "a literal is a literal"
            if value.type == FLOAT or value.type == F32:
                found = bits_of(number.value, "f32") if value.type == FLOAT else number.value
                bits |= {wrap(found + d, Type.U32) for d in (-1, 0, 1)} | {bits_of(1.0, "f32"), bits_of(-1.0, "f32")}
            elif value.type != BOOL:
                near |= {sign * number.value + d for sign in (1, -1) for d in (-1, 0, 1)}
    unsigned = {wrap(v, Type.U32) for v in near if v >= 0}
    return {
        Type.U32: sorted({0, 1, U32_MAX} | unsigned | bits),
        Type.I32: sorted({0, 1, I32_MAX} | {wrap(v, Type.I32) for v in near}),
        Type.BOOL: [False, True],
    }


_WORST_LAST = (Outcome.CONVERGES, Outcome.NOT_SEEN, Outcome.OUT_OF_STEPS, Outcome.DIVERGES)


def execute(
    resolution: Resolution, *, entry: Function | None = None, seed: int = 0, thorough: bool = False
) -> ModuleExecution:
    """Runs the entry points of a module (or one of them): sampled, and if `thorough` explored first.

    A pure function of its arguments. Without an entry point that can be run the outcome is NOT_SEEN, of no steps.
    """
    entries = [f for f in resolution.functions if resolution.entry_stage(f) is not None]
    found = [_entry(resolution, f, seed, thorough) for f in ([entry] if entry is not None else entries)]
    if not found:
        return ModuleExecution(Outcome.NOT_SEEN, cannot="a module without an entry point")
    worst = max(found, key=lambda execution: _WORST_LAST.index(execution.outcome))
    cannot = next((execution.cannot for execution in found if execution.cannot), None)
    steps = sum(execution.steps for execution in found)
    outcome = worst.outcome
    if cannot is not None and outcome is Outcome.CONVERGES:
        outcome = Outcome.NOT_SEEN
    return ModuleExecution(outcome, steps, worst.witness, worst.entry, cannot, worst.offsets)


def _entry(resolution: Resolution, entry: Function, seed: int, thorough: bool) -> ModuleExecution:
    if resolution.entry_stage(entry) is Stage.VERTEX:
        return ModuleExecution(Outcome.CONVERGES, entry=entry.name)  # it has nothing that threads meet at
    try:
        declared = declared_threads(resolution, entry)
        runs = _thorough if thorough else _quick
        lowered, execution = runs(resolution, entry, declared, seed)
    except CannotRun as problem:
        return ModuleExecution(Outcome.NOT_SEEN, entry=entry.name, cannot=problem.what)
    witness = execution.witness
    if witness is not None and any(stop.barrier in lowered.lenient for stop in witness.stops):
        return ModuleExecution(Outcome.NOT_SEEN, execution.steps, entry=entry.name, cannot=_FILTERED)
    return ModuleExecution(execution.outcome, execution.steps, witness, entry.name, None, lowered.offsets)


_FILTERED = "what a call under a diagnostic filter gives in divergent control flow"


def _quick(resolution: Resolution, entry: Function, declared: int, seed: int) -> tuple[LoweredModule, Execution]:
    n = declared if declared <= EXPLORED_THREADS else FEW_THREADS
    lowered = lower_module(resolution, entry, n)
    return lowered, sample(lowered.shader, runs=RUNS, seed=seed, threads=(n,), steps=STEPS)


def _thorough(resolution: Resolution, entry: Function, declared: int, seed: int) -> tuple[LoweredModule, Execution]:
    n = declared if declared <= EXPLORED_THREADS else FEW_EXPLORED
    fewer = lower_module(resolution, entry, n)
    explored = explore(fewer.shader, threads=n, values=values_worth_trying(resolution), bounds=BOUNDS)
    of_fewer = Execution(explored.outcome, explored.steps, explored.witness)
    if explored.outcome in (Outcome.DIVERGES, Outcome.CONVERGES) and n == declared:
        return fewer, of_fewer
    n = min(declared, MANY_THREADS)
    lowered = lower_module(resolution, entry, n)
    runs = THOROUGH_RUNS if n <= EXPLORED_THREADS else RUNS_OF_MANY
    found = sample(lowered.shader, runs=runs, seed=seed, threads=(n,), steps=THOROUGH_STEPS)
    # A run of all threads is worth more than one of a few.
    if explored.outcome is Outcome.DIVERGES and found.outcome is not Outcome.DIVERGES:
        return fewer, of_fewer
    return lowered, found
