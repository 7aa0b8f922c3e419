"""Running a module: each entry point is lowered and run as a TinyWGSL shader; the worst outcome counts."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, Exploration, Race, explore
from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.calls import BARRIER
from wgsl_fuzz.oracle.dynamics.modules.lowering import LoweredModule, declared_threads, shader_to_run
from wgsl_fuzz.oracle.dynamics.modules.numeric import literal
from wgsl_fuzz.oracle.dynamics.parting import STEPS as PARTING_STEPS
from wgsl_fuzz.oracle.dynamics.parting import separate
from wgsl_fuzz.oracle.dynamics.runs import STEPS, RunResult, replay, sample, shrunk
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.dynamics.stores import values_worth_trying as values_of_core
from wgsl_fuzz.oracle.dynamics.witness import InitialValue, Witness, cell_in_words
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl.ast import Literal as CoreLiteral
from wgsl_fuzz.tinywgsl.ast import Type
from wgsl_fuzz.tinywgsl.functions import bits_of
from wgsl_fuzz.tinywgsl.values import I32_MAX, U32_MAX, wrap
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Function, Literal
from wgsl_fuzz.wgsl.types import BOOL, F32, FLOAT
from wgsl_fuzz.wgsl.walk import descendants

RUNS = 2
"""How often a shader is run in a quick run."""
THOROUGH_RUNS, THOROUGH_STEPS = 48, 10_000
"""The same in a thorough run that exploring leaves open, and the most steps of each run."""
STEPS_AT_FIRST = 4_000
"""Steps after which no other run begins before exploring, if only the outcome is needed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is enough for nearly all shaders of a kind, and takes no seconds."""

    steps: int
    """The most steps of one quick run: a run that goes on never ends."""
    in_all: int
    """After so many steps of thorough runs no other run begins: 48 runs that never end would take seconds."""
    explored: Bounds
    few_threads: int
    """In a quick run, a workgroup of more than EXPLORED_THREADS is run with at most so many threads."""
    many_threads: int
    """The most threads of a thorough run."""
    runs_of_many: int
    """How often a workgroup of so many threads is run."""


OF_CORES = Limits(600, 60_000, Bounds(steps=20_000), 256, 256, THOROUGH_RUNS)
OF_OTHERS = Limits(1_200, 120_000, Bounds(steps=10_000), 4, 64, 8)
"""They have nearly twice the steps for the same, and more state."""
EXPLORED_THREADS = 8
"""Larger workgroups are explored with `FEW_EXPLORED` threads."""
MANY = 16
"""With more threads a step costs more, and exploring may take fewer."""
FEW_EXPLORED = 2
FEW_IN_SUBGROUP = 2
"""Where several subgroups are tried, they have so many threads: fewer than WGSL allows, lest exploring be too much."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much a thorough run does; what is open depends on the size of the workgroup, and takes a second or so."""

    threads: int = 0
    """N instead of the workgroup size; 0: that."""
    runs: int = 0
    """Stores and schedules sampled; 0: open."""
    steps: int = THOROUGH_STEPS
    """At most, in one run."""
    parting: int = PARTING_STEPS
    """Steps of the search for inputs that part threads."""
    explored: Bounds | None = None
    """Where exploring gives up; None: after a second or so.

    Of a core equal threads are then followed too, so that all races are met, and workgroups of any size are explored.
    """


FOR_ONE_SHADER = Effort(0, 64, STEPS, 200_000, Bounds(steps=20 * STEPS, turn=STEPS))
"""Who asks for one shader waits a few seconds: `run`, and `check --oracle semantics`."""


@dataclass(frozen=True, slots=True)
class Execution:
    """What came of running a module: the worst outcome of its entry points."""

    outcome: Outcome
    steps: int = 0
    witness: Witness | None = None
    entry: str = ""
    """The entry point that the outcome is of."""
    cannot: str | None = None
    """Why an entry point could not be run; the outcome is then that of the other entry points."""
    fault: str = ""
    """The internal error that the execution ended by, described; empty: none."""
    lowered: LoweredModule | None = field(default=None, repr=False, compare=False)
    """What was run."""
    subgroup_size: int = 0
    """Of the runs with this outcome; 0: all threads were one subgroup."""
    cells: Mapping[tuple[str, int], str] = field(default_factory=dict)
    """By array and index, a cell of the witness's store and its value in words of the text."""
    asked_size: int = 0
    """What lowering was given as the size of subgroups."""
    is_explored: bool = False
    """Whether exploring gave the outcome, not single runs."""
    exploration: Exploration | None = field(default=None, compare=False)
    """What exploring found besides: races and runs that never end, and why it is no proof; None: it was not done."""
    threads: int = 0
    """How many threads the entry point is run by, if it was."""

    def lines(self, text: str) -> dict[int, int]:
        """By the ID of a statement that was run, its line."""
        source, offsets = Source(text), {} if self.lowered is None else self.lowered.in_text.offsets
        return {id: source.position(offset)[0] for id, offset in offsets.items() if offset >= 0}

    def meeting(self, barrier: int) -> str:
        """What people call the barrier with an ID."""
        return BARRIER if self.lowered is None else self.lowered.in_text.meetings.get(barrier, BARRIER)

    def cell(self, cell: InitialValue) -> str:
        """A cell of the witness's store and its value, in words of the text."""
        return self.cells.get((cell.array, cell.index), cell_in_words(cell))

    def describe(self, text: str, *, schedule: bool = True) -> list[str]:
        """The witness for people, on demand without its schedule, with lines of the text; empty if there is none."""
        if self.witness is None:
            return []
        lines = self.witness.describe(self.lines(text).get, self.meeting, self.cell, schedule=schedule)
        subgroups = f", in subgroups of {self.subgroup_size}" if self.subgroup_size else ""
        return [lines[0] + subgroups, *lines[1:]]


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
    resolution: Resolution,
    *,
    entry: Function | None = None,
    seed: int = 0,
    thorough: bool = False,
    subgroup_size: int = 0,
    notion: Notion = CONTROL_STACKS,
    any_witness: bool = False,
    effort: "Effort | None" = None,
) -> Execution:
    """Runs the entry points of a module (or one of them): sampled, and if `thorough` explored first.

    Where the size of subgroups can matter, one of all threads is tried, then several of `FEW_IN_SUBGROUP`; or only
    those of a `subgroup_size`, a power of two. `notion` is what counts as convergence. `any_witness` gives the same
    outcome with another witness: a few runs come before exploring, which is sooner where exploring is in vain. A pure
    function of its arguments. Without an entry point that can be run the outcome is NOT_SEEN, of no steps.
    """
    how = effort or Effort()
    entries = [entry] if entry else resolution.entry_points
    points = [_EntryPoint(resolution, f, seed, thorough, notion, any_witness, how) for f in entries]
    found = [_entry(point, subgroup_size) for point in points]
    if not found:
        return Execution(Outcome.NOT_SEEN, cannot="a module without an entry point")
    if len(found) == 1:
        return found[0]
    worst = max(found, key=lambda execution: _WORST_LAST.index(execution.outcome))
    cannot = next((execution.cannot for execution in found if execution.cannot), None)
    steps = sum(execution.steps for execution in found)
    outcome = worst.outcome
    if cannot is not None and outcome is Outcome.CONVERGES:
        outcome = Outcome.NOT_SEEN
    return replace(worst, outcome=outcome, steps=steps, cannot=cannot)


def _entry(point: "_EntryPoint", subgroup_size: int) -> Execution:
    entry = point.entry
    if point.resolution.entry_stage(entry) is Stage.VERTEX:
        return Execution(Outcome.CONVERGES, entry=entry.name)  # it has nothing that threads meet at
    try:
        runs = _runs(point, subgroup_size)
    except t.CannotRun as problem:
        return Execution(Outcome.NOT_SEEN, entry=entry.name, cannot=problem.what)
    except RecursionError:
        return Execution(Outcome.NOT_SEEN, entry=entry.name, cannot="values, statements or calls so deep in each other")
    steps = sum(run.steps for run in runs)
    worst = max(runs, key=lambda run: _WORST_LAST.index(run.outcome))
    lowered, witness = worst.lowered, worst.witness
    assert lowered is not None, "it was run"
    if witness is not None and not lowered.counts(witness):
        return Execution(Outcome.NOT_SEEN, steps, entry=entry.name, cannot=_FILTERED)
    return replace(
        worst,
        steps=steps,
        entry=entry.name,
        cells=_cells(lowered, witness),
        subgroup_size=lowered.subgroup_size if lowered.asks_about_subgroups else 0,
        exploration=_told(lowered, worst.exploration),
        threads=point.threads,
    )


def _told(lowered: LoweredModule, found: Exploration | None) -> Exploration | None:
    """The races in words of the text; of a shader that was made to be run none, for atomics are plain cells there."""
    if found is None or not found.races:
        return found
    races: list[Race] = []
    for race in found.races if lowered.is_core else ():
        words = lowered.in_text.words.of(str(race), 0)
        assert words is not None, "the text has a name for each array of its core"
        races.append(replace(race, array=words[0].partition("[")[0], cell=words[0]))
    return replace(found, races=tuple(races))


def _cells(lowered: LoweredModule, witness: Witness | None) -> dict[tuple[str, int], str]:
    return {} if witness is None else {(c.array, c.index): lowered.in_text.words.at_first(c) for c in witness.store}


def simplest(execution: Execution, resolution: Resolution) -> Execution | None:
    """The same outcome with a witness that is simple to read, by all threads of the workgroup if that will do.

    The module may be an equal one whose nodes have other places. None if the divergence is none of it.
    """
    known = execution.witness
    if known is None:
        return execution
    for entry in [f for f in resolution.functions if f.name == execution.entry]:
        for threads in dict.fromkeys((execution.threads, known.threads)):
            with suppress(t.CannotRun):  # operations of large subgroups
                lowered = shader_to_run(resolution, entry, threads, execution.asked_size)
                words, given = lowered.in_text.words, replace(known, threads=threads)
                witness = shrunk(lowered.shader, given, words.simple, lowered.counts)
                if lowered.counts(witness) and replay(lowered.shader, witness).witness == witness:
                    return replace(execution, lowered=lowered, witness=witness, cells=_cells(lowered, witness))
    return None


_FILTERED = "what a call under a diagnostic filter gives in divergent control flow"


@dataclass(frozen=True, slots=True)
class _EntryPoint:
    """What is to be run, and how much."""

    resolution: Resolution
    entry: Function
    seed: int
    thorough: bool
    notion: Notion
    any_witness: bool
    effort: Effort

    @property
    def threads(self) -> int:
        """How many threads it has, or is to be run by."""
        return self.effort.threads or declared_threads(self.resolution, self.entry)

    @property
    def limits(self) -> Limits:
        return OF_OTHERS if core_of(self.resolution).shader is None else OF_CORES

    def lowered(self, threads: int, subgroup_size: int) -> LoweredModule:
        return shader_to_run(self.resolution, self.entry, threads, subgroup_size)

    def values(self, lowered: LoweredModule) -> dict[Type, list[int]]:
        """Those worth trying in shared memory, if there is any."""
        if not lowered.shader.arrays:
            return {}
        return values_of_core(lowered.shader) if lowered.is_core else values_worth_trying(self.resolution)


def _run(
    lowered: LoweredModule, found: RunResult | Exploration, size: int, exploration: Exploration | None = None
) -> Execution:
    """What came of runs with subgroups of one size, as it is before the text is looked at."""
    outcome, steps, witness, explored = found.outcome, found.steps, found.witness, found is exploration
    return Execution(
        outcome, steps, witness, lowered=lowered, asked_size=size, is_explored=explored, exploration=exploration
    )


def _runs(point: _EntryPoint, subgroup_size: int) -> list[Execution]:
    """The runs with one subgroup, and with several where that can matter; or with those of one size."""
    declared = point.threads
    run = _thorough if point.thorough else _quick
    first = run(point, declared, subgroup_size)
    found = [first]
    if (
        subgroup_size
        or (first.lowered is not None and not first.lowered.asks_about_subgroups)
        or first.outcome is Outcome.DIVERGES
        or declared < 2 * FEW_IN_SUBGROUP
        or point.resolution.entry_stage(point.entry) is Stage.FRAGMENT
    ):
        return found
    with suppress(t.CannotRun):  # quads need larger ones
        found.append(run(point, declared, FEW_IN_SUBGROUP))
    return found


def _quick(point: _EntryPoint, declared: int, size: int) -> Execution:
    limits = point.limits
    n = declared if declared <= EXPLORED_THREADS else min(declared, limits.few_threads)
    lowered = point.lowered(n, size)
    found = sample(lowered.shader, runs=RUNS, seed=point.seed, threads=n, steps=limits.steps, notion=point.notion)
    return _run(lowered, found, size)


def _thorough(point: _EntryPoint, declared: int, size: int) -> Execution:
    """Few threads are explored. If that leaves it open, or of many threads, inputs are looked for that part them."""
    many = point.effort.threads or min(declared, point.limits.many_threads)
    if point.any_witness:
        lowered = point.lowered(many, size)
        found = _sampled(point, lowered, many, STEPS_AT_FIRST)
        # A witness at a lenient barrier says nothing, and exploring may find another one.
        if found.outcome is Outcome.DIVERGES and not lowered.lenient:
            return _run(lowered, found, size)
    whole = declared <= EXPLORED_THREADS or (point.effort.explored is not None and point.limits is OF_CORES)
    explored = _explored(point, declared, size) if whole else None
    exploration = None if explored is None else explored.exploration
    if explored is not None and explored.outcome in (Outcome.DIVERGES, Outcome.CONVERGES):
        return explored
    if (parted := _parted(point, declared, size)) is not None:
        return replace(parted, exploration=exploration)
    if not whole:
        explored = _explored(point, max(FEW_EXPLORED, min(2 * size, EXPLORED_THREADS)), size)
    lowered = point.lowered(many, size)
    found = _sampled(point, lowered, many, point.limits.in_all)
    # A run of all threads is worth more than one of a few.
    if found.outcome is not Outcome.DIVERGES and explored and explored.outcome is Outcome.DIVERGES:
        return explored
    return _run(lowered, found, size, exploration)


def _explored(point: _EntryPoint, n: int, size: int) -> Execution:
    """All runs within bounds."""
    lowered = point.lowered(n, size)
    given, values = point.effort.explored, point.values(lowered)
    bounds = point.limits.explored
    if given is not None and n >= point.threads:
        bounds = replace(given, steps=given.steps * MANY // max(n, MANY))
    found = explore(lowered.shader, threads=n, values=values, bounds=bounds, notion=point.notion)
    if given and lowered.is_core and not found.gaps:  # else following equal threads too would leave no less open
        bounds = replace(bounds, lockstep=False)
        full = explore(lowered.shader, threads=n, values=values, bounds=bounds, notion=point.notion)
        found = replace(found, races=full.races, endless=full.endless or found.endless) if full.gaps else full
    return _run(lowered, found, size, found)


def _parted(point: _EntryPoint, declared: int, size: int) -> Execution | None:
    """A divergence of all threads on inputs that part them, if the search finds one and it counts."""
    try:
        lowered = point.lowered(declared, size)
    except t.CannotRun:  # operations of large subgroups
        return None
    found = separate(
        lowered.shader,
        threads=declared,
        pools=point.values(lowered),
        simple=lowered.in_text.words.simple,
        seed=point.seed,
        steps=point.effort.parting,
        notion=point.notion,
    )
    return _run(lowered, found, size) if found.witness is not None and lowered.counts(found.witness) else None


def _sampled(point: _EntryPoint, lowered: LoweredModule, n: int, total: int) -> RunResult:
    """Runs of all threads, until one diverges or, unless their number is given, all have taken so many steps."""
    given = point.effort.runs
    runs = given or (THOROUGH_RUNS if n <= EXPLORED_THREADS else point.limits.runs_of_many)
    return sample(
        lowered.shader,
        runs=runs,
        seed=point.seed,
        threads=n,
        steps=point.effort.steps,
        total=None if given else total,
        notion=point.notion,
    )
