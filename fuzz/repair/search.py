"""The search for the repair of a shader: edits are tried until the reference accepts, those that change least first."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property
from heapq import heappop, heappush
from itertools import count
from operator import itemgetter

from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.repair.edit import Cost, Edit, applied, changed_lines, diff, with_lines_of
from wgsl_fuzz.fuzz.repair.guarding import evened, guarded
from wgsl_fuzz.fuzz.repair.hoisting import hoisted, silenced, with_gradients, with_identity, with_level
from wgsl_fuzz.fuzz.repair.inputs import by_workgroup, in_parameter, through_private
from wgsl_fuzz.fuzz.repair.shader import Broken, Guilty
from wgsl_fuzz.fuzz.repair.sources import declared_read_only, loaded_by_one, loaded_uniformly, sources
from wgsl_fuzz.oracle.devices.memory import STEPS, storage_of
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.dynamics.modules.execution import EXPLORED_THREADS
from wgsl_fuzz.oracle.dynamics.modules.lowering import LoweredModule, lower_module
from wgsl_fuzz.oracle.dynamics.modules.types import CannotRun
from wgsl_fuzz.oracle.dynamics.runs import Order, run_to_the_end
from wgsl_fuzz.oracle.dynamics.stores import Initial, Pool, RunStore, given
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.tinywgsl.ast import Shader, walk
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.types import Atomic, holds

MEMORIES = 8
"""How many contents of memory both shaders are run on."""
EVEN = 3
"""In so many of them all elements of an array are equal: zero at first."""
_BOUNDS = Bounds(steps=10_000, lockstep=False)


class Meaning(Enum):
    """What running both shaders shows, the best first."""

    SAME = "Run on 8 memories, it leaves what the original leaves, wherever that ends."
    ALIKE = "Run on 8 memories, it leaves what the original leaves if barriers wait for nobody who is elsewhere."
    CONVERGES = "It was run, and no run diverged."
    UNKNOWN = "No run shows it: the semantics does not have all of it, or runs are too long."
    PARTED = "Where the original diverges, it leaves other memory."
    OTHER = "It leaves other memory than the original."
    RACES = "It has a data race that the original has not."
    DIVERGES = "It diverges."


_SHOWN = (Meaning.SAME, Meaning.ALIKE)
_ORDER = list(Meaning)


def compared(before: Case, after: Case) -> Meaning:
    """What the runs of two shaders have in common: memory after each entry point, on the same memory before."""
    run = after.execute()
    if run.outcome is Outcome.DIVERGES:
        return Meaning.DIVERGES
    seen = run.outcome in (Outcome.CONVERGES, Outcome.NOT_SEEN) and not run.cannot
    unknown = Meaning.CONVERGES if seen else Meaning.UNKNOWN
    pairs = list(zip(lowered_entries(before), lowered_entries(after), strict=False))
    found = [_meaning(*pair) or unknown for pair in pairs if pair[0] is None or pair[0] != pair[1] or len(pairs) == 1]
    if any(before.resolution.entry_stage(f) is not Stage.COMPUTE for f in before.resolution.entry_points):
        found += [unknown]  # memory is not all that it leaves
    return max(found, key=_ORDER.index, default=unknown)


def _meaning(one: LoweredModule | None, other: LoweredModule | None) -> Meaning | None:
    """What the runs of an entry point show; None: nothing, as no run changes memory, or the memory is another."""
    if one is None or other is None or not {*storage_of(other.shader)} <= {*storage_of(one.shader)}:
        return None
    shaders = one.shader, other.shader
    found = {m for seed in range(MEMORIES) if (m := _left(*shaders, memory_of(seed, *shaders))) is not None}
    worst = max(found, key=_ORDER.index, default=None)
    if worst in _SHOWN and (races := races_in(other)) and not races <= races_in(one, lenient=True):
        return Meaning.RACES
    return min(found, key=_ORDER.index) if worst in _SHOWN else worst


def _left(one: Shader, other: Shader, memory: Initial) -> Meaning | None:
    """How what a run leaves compares with what the original left; None: it does not end, or changes nothing."""
    steps = STEPS * max(1, one.workgroup_size // 16)
    names = {array.name for array in storage_of(one)}

    def original(order: Order) -> tuple[RunStore | None, bool]:
        run = run_to_the_end(one, memory, steps, order)
        return run or run_to_the_end(one, memory, steps, order, lenient=True), run is not None

    def differ(a: RunStore, b: RunStore) -> bool:
        places = (place for place in {**a.cells, **b.cells} if place[0] in names)
        return any(a.cells.get(place, memory(*place)) != b.cells.get(place, memory(*place)) for place in places)

    first, ends = original(Order.IN_ORDER)
    for order in (Order.IN_ORDER, Order.REVERSED):
        run = None if first is None else run_to_the_end(other, memory, 2 * steps, order)
        if first and run and order is Order.REVERSED and differ(first, run):
            first, ends = original(order)  # of a shader that races each order leaves something else
        if first is None:
            return None
        if run is None or differ(first, run):
            return Meaning.OTHER if ends else Meaning.PARTED
    changed = first is not None and any(memory(*p) != value for p, value in first.cells.items() if p[0] in names)
    writes = any(getattr(s, "array", "") in names for f in one.all_functions for s in walk(f.body))
    return None if writes and not changed else Meaning.SAME if ends else Meaning.ALIKE


def races_in(lowered: LoweredModule, *, lenient: bool = False) -> set[str]:
    """The arrays without atomics that have a data race, by all runs of few threads; `lenient`: diverging ones, too."""
    variables = lowered.in_text.words.variables
    n = min(lowered.shader.workgroup_size, EXPLORED_THREADS)
    races = {race.array for race in explore(lowered.shader, threads=n, bounds=replace(_BOUNDS, lenient=lenient)).races}
    return {n for n in races if (of := variables.get(n.rpartition(":")[0])) and not holds(of.type, Atomic)}


def memory_of(seed: int, *shaders: Shader) -> Initial:
    """Zeros, or values that are one for an array, or arbitrary ones; workgroup memory is zero."""
    arrays = {array.name: array for shader in shaders for array in shader.arrays}
    both = replace(shaders[0], arrays=tuple(arrays.values()))
    drawn = cache(Pool(both).draw(random.Random(seed), zeroed=True) if seed else given(both, {}))
    return (lambda array, _: drawn(array, 0)) if seed < EVEN else drawn


def lowered_entries(case: Case) -> Iterator[LoweredModule | None]:
    """What the semantics runs for each entry point; None for one that it does not have all of."""
    for entry in case.resolution.entry_points:
        try:
            yield lower_module(case.resolution, entry)
        except CannotRun:
            yield None


TRIED = 300
"""The most texts that one search analyses."""
WORK = 500_000
"""The most characters of these texts together."""
COMPARED = 8
"""The most repairs among which a safe one is looked for."""


@dataclass(frozen=True)
class Repair:
    """A text that the reference accepts, or with fewer errors, and the edits that led there."""

    original: Case
    case: Case
    edits: tuple[Edit, ...]

    @property
    def text(self) -> str:
        """The text with the edits."""
        return self.case.text

    @cached_property
    def errors(self) -> int:
        """How many errors are left."""
        return len(Broken(self.case).guilty)

    @cached_property
    def meaning(self) -> Meaning:
        """What running both texts shows."""
        found = compared(self.original, self.case)
        return Meaning.UNKNOWN if self.errors and found is Meaning.DIVERGES else found

    @property
    def cost(self) -> Cost:
        """What it changes in meaning, at most."""
        return max(edit.cost for edit in self.edits)

    @property
    def is_safe(self) -> bool:
        """Whether it is shown to keep what the shader does: by runs, or by the form of its edits."""
        proven = all(edit.is_proven for edit in self.edits) and self.meaning in (Meaning.CONVERGES, Meaning.UNKNOWN)
        shown = self.meaning in _SHOWN and not self.errors  # errors that are left may hide from runs what is new
        return self.cost <= Cost.WAITS and (proven or shown)


def repair_lines(name: str, repair: Repair, *, first: bool = True) -> Iterator[str]:
    """A repair in words, and the diff."""
    head, *words = repair_words(repair)
    yield f"{name}: {'' if first else 'another, '}{head}:"
    yield from (f"  {line}" for line in words)
    yield from diff(name, repair.original.text, repair.text)


def repair_words(repair: Repair) -> Iterator[str]:
    """Whether a repair is safe, what each edit does and changes, and what running both shaders shows."""
    part = f"partial repair (errors left: {repair.errors})" if repair.errors else "repair"
    yield f"{'safe' if repair.is_safe else 'unsafe'} {part}"
    yield from dict.fromkeys(edit.what for edit in repair.edits)
    yield from dict.fromkeys(edit.effect for edit in repair.edits)
    is_told = repair.cost > Cost.WAITS or repair.is_safe  # by the effects
    if repair.cost is not Cost.SILENT and not (repair.meaning is Meaning.UNKNOWN and is_told):
        yield repair.meaning.value


def best(case: Case) -> Repair | None:
    """The repair to recommend; None if there is none, or none is looked for."""
    return next(iter(choices(case, 1)), None)


def choices(case: Case, most: int) -> list[Repair]:
    """Some repairs of a rejected shader that change other things: a safe one first, then what changes least.

    What running both shaders refutes is left out. Where no repair is safe, or there is none, errors are mended one by
    one, as far as that goes.
    """
    chosen: dict[Cost, Repair] = {}
    tried: Counter[Cost] = Counter()
    if refusal(case):
        return []
    for repair in accepted(case):
        cost, known = repair.cost, chosen.get(repair.cost)
        if len(chosen) >= most and (cost > Cost.WAITS or any(r.is_safe for r in chosen.values())):
            break
        if tried[cost] < (COMPARED if cost <= Cost.WAITS else 1) and not (known and known.is_safe):
            tried[cost] += 1
            if not is_refuted(repair) and (known is None or repair.is_safe):
                chosen[cost] = repair
    found = sorted(chosen.values(), key=lambda r: (not r.is_safe, r.cost))[:most]
    if not found or not found[0].is_safe:
        partial = partly(case, proven=True) or (None if found else partly(case, proven=False))
        found += [partial] if partial and not is_refuted(partial) else []
    return sorted(found, key=lambda r: (r.errors > 0, not r.is_safe))


def refusal(case: Case) -> str:
    """Why no repair of a shader is looked for; empty if one is. Each error takes an analysis of its own, or more."""
    errors, length = len(Broken(case).guilty), len(case.text)
    return "" if errors * length <= WORK else f"{errors} errors in {length} characters are too many"


def is_refuted(repair: Repair) -> bool:
    """Whether running both shaders shows that a repair does not do what its edits say."""
    differs = repair.meaning is Meaning.OTHER and repair.cost < Cost.RESULT
    return differs or repair.meaning in (Meaning.RACES, Meaning.DIVERGES)


def accepted(case: Case) -> Iterator[Repair]:
    """Edits with which the reference accepts a shader: those that change its meaning least first, then the shortest."""
    order = count()
    queue: list[tuple[int, int, int, Case, tuple[Edit, ...]]] = [(0, 0, next(order), case, ())]
    search = _Search(case)
    while queue:
        _, _, _, now, edits = heappop(queue)
        if now.analysis.verdict is Verdict.ACCEPTS:
            if edits:
                yield Repair(case, now, edits)
            continue
        for cost, lines, edit, better in search.steps(now, 0):
            worst = max(cost, *(one.cost for one in edits), 0)
            heappush(queue, (worst, lines, next(order), better, (*edits, edit)))


def partly(case: Case, *, proven: bool) -> Repair | None:
    """Each error mended by the edit that changes least, the next where there is none; by any edit, or proven ones."""
    now, skipped = case, 0
    edits: tuple[Edit, ...] = ()
    search = _Search(case)
    while skipped < len(Broken(now).guilty):
        steps = [s for s in search.steps(now, skipped) if not proven or (s[2].is_proven and s[0] <= Cost.WAITS)]
        if not steps:
            skipped += 1
            continue
        _, _, edit, now = min(steps, key=itemgetter(0, 1))
        edits = (*edits, edit)
    return Repair(case, now, edits) if edits else None


class _Search:
    """Tries edits of a shader, up to a bound."""

    def __init__(self, case: Case) -> None:
        self.original, self.seen, self.read = case.text, {case.text}, 0

    def steps(self, now: Case, place: int) -> Iterator[tuple[Cost, int, Edit, Case]]:
        """The edits for one of the errors that leave fewer faults: cost, changed lines, edit, text.

        Where one is proven to change nothing and mends a call, others that should change nothing are not tried.
        """
        shader, mended = Broken(now), False
        for edit in proposals(shader, shader.guilty[place]):
            after = applied(now.text, edit.patches)
            if len(self.seen) > TRIED or self.read > WORK:
                break
            if after in self.seen or (mended and edit.cost is Cost.SAME):
                continue
            self.seen.add(after)
            self.read += len(after)
            try:
                better = Broken(read_module(after))
                if better.faults >= shader.faults:
                    continue
            except WgslError:
                continue
            mended |= edit.is_proven and edit.cost is Cost.SAME and better.faults[0] < shader.faults[0]
            said = replace(edit, what=with_lines_of(self.original, now.text, edit.what))
            yield edit.cost, changed_lines(self.original, after), said, better.case


def proposals(shader: Broken, guilty: Guilty) -> Iterator[Edit]:
    """Edits that may let a requirement hold that does not."""
    for label, function in sources(shader, guilty):
        for of_source in (
            declared_read_only,
            loaded_uniformly,
            loaded_by_one,
            by_workgroup,
            in_parameter,
            through_private,
        ):
            yield from of_source(shader, label, function)
    calls = list(shader.calls(guilty))
    first = next((call for _, call in calls if shader.resolution.builtin(call) is not None), None)  # each has its turn
    calls = [(f, call) for f, call in calls if call is first or shader.resolution.builtin(call) is None]
    for _, call in calls:
        for of_call in (with_identity, hoisted, with_gradients, guarded, evened, with_level):
            yield from of_call(shader, call)
    for function, call in calls:
        yield from silenced(shader, function, call)
