"""The search for the repair of a shader: edits are tried until the reference accepts, those that change least first."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from heapq import heappop, heappush
from itertools import count

from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.repair.edit import Cost, Edit, applied, changed_lines, diff
from wgsl_fuzz.fuzz.repair.guarding import evened, guarded
from wgsl_fuzz.fuzz.repair.hoisting import hoisted, selected, silenced, with_gradients, with_level
from wgsl_fuzz.fuzz.repair.shader import Broken
from wgsl_fuzz.fuzz.repair.sources import declared_read_only, loaded_uniformly, sources
from wgsl_fuzz.oracle.devices.memory import STEPS, storage_of
from wgsl_fuzz.oracle.dynamics.modules.lowering import lower_module
from wgsl_fuzz.oracle.dynamics.modules.types import CannotRun
from wgsl_fuzz.oracle.dynamics.runs import run_to_the_end
from wgsl_fuzz.oracle.dynamics.stores import Pool
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.problems import WgslError

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
    run = after.execute()
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
    # arbitrary values, small ones more often; workgroup memory is zero
    memory = cache(Pool(one).draw(random.Random(seed), zeroed=True))
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


def _lowered(case: Case) -> list[Shader]:
    """What the semantics runs for each entry point; none if it does not have all of one."""
    try:
        return [lower_module(case.resolution, entry).shader for entry in case.resolution.entry_points]
    except CannotRun:
        return []


TRIED = 300
"""The most texts that one search analyses."""
WORK = 500_000
"""The most characters of these texts together."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A text that the reference accepts, and the edits that led there."""

    before: str
    text: str
    edits: tuple[Edit, ...]
    meaning: Meaning = Meaning.UNKNOWN

    @property
    def cost(self) -> Cost:
        """What it changes in meaning, at most."""
        return max(edit.cost for edit in self.edits)


def repair_lines(name: str, repair: Repair) -> Iterator[str]:
    """A repair: what each edit does and changes, what running both shaders shows, and the diff."""
    yield f"{name}: repair:"
    for edit in repair.edits:
        yield f"  {edit.what}"
    yield from (f"  {effect}" for effect in dict.fromkeys(edit.effect for edit in repair.edits))
    if repair.meaning is not Meaning.UNKNOWN and repair.cost is not Cost.SILENT:
        yield f"  {repair.meaning.value}"
    yield from diff(name, repair.before, repair.text)


def repairs(case: Case, tried: int = TRIED) -> Iterator[Repair]:
    """The repairs of a rejected shader, those that change its meaning least first; of those the shortest.

    What running both shaders refutes is left out.
    """
    return (repair for repair in accepted(case, tried) if not is_refuted(repair))


def refusal(case: Case) -> str:
    """Why no repair of a shader is looked for; empty if one is. Each error takes an analysis of its own, or more."""
    errors, length = len(Broken(case).guilty), len(case.text)
    return "" if errors * length <= WORK else f"{errors} errors in {length} characters are too many"


def is_refuted(repair: Repair) -> bool:
    """Whether running both shaders shows that a repair does not do what its edits say."""
    differs = repair.meaning is Meaning.OTHER and repair.cost < Cost.RESULT
    return differs or repair.meaning is Meaning.DIVERGES


def accepted(case: Case, tried: int = TRIED) -> Iterator[Repair]:
    """Edits with which the reference accepts a shader, in the order of `repairs`."""
    order = count()
    queue: list[tuple[int, int, int, Case, tuple[Edit, ...]]] = [(0, 0, next(order), case, ())]
    seen, read = {case.text}, 0
    while queue:
        _, _, _, now, edits = heappop(queue)
        if now.analysis.verdict is Verdict.ACCEPTS:
            if edits:
                yield Repair(case.text, now.text, edits, compared(case, now))
            continue
        shader = Broken(now)
        for edit in proposals(shader):
            after = applied(now.text, edit.patches)
            if len(seen) > tried or read > WORK:
                break
            if after in seen:
                continue
            seen.add(after)
            read += len(after)
            better = _better(after, len(shader.guilty))
            if better is not None:
                path = (*edits, edit)
                cost = max(one.cost for one in path)
                heappush(queue, (cost, changed_lines(case.text, after), next(order), better, path))


def _better(text: str, guilty: int) -> Case | None:
    """The text read; None if it is no WGSL, or does not break fewer requirements than so many."""
    try:
        case = read_module(text)
        return case if len(Broken(case).guilty) < guilty else None
    except WgslError:
        return None


def proposals(shader: Broken) -> Iterator[Edit]:
    """Edits that may let the first requirement hold that does not."""
    guilty = shader.guilty[0]
    for label in sources(shader, guilty):
        yield from declared_read_only(shader, label)
        yield from loaded_uniformly(shader, label)
    for _, call in shader.calls(guilty):
        yield from hoisted(shader, call)
        yield from selected(shader, call)
        yield from with_gradients(shader, call)
        yield from guarded(shader, call)
        yield from evened(shader, call)
        yield from with_level(shader, call)
    function = guilty[0].function
    yield from silenced(shader, function, guilty[1].call)
