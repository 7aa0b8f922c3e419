"""The search for the repair of a shader: edits are tried until the reference accepts, those that change least first."""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.repair.edit import Cost, Edit
from wgsl_fuzz.fuzz.repair.guarding import evened, guarded
from wgsl_fuzz.fuzz.repair.hoisting import hoisted, selected, silenced, with_gradients, with_level
from wgsl_fuzz.fuzz.repair.meaning import Meaning, compared
from wgsl_fuzz.fuzz.repair.patch import applied, changed_lines
from wgsl_fuzz.fuzz.repair.shader import Broken
from wgsl_fuzz.fuzz.repair.sources import declared_read_only, loaded_uniformly, sources
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.problems import WgslError

TRIED = 300
"""The most texts that one search analyses."""


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


def repairs(case: Case, tried: int = TRIED) -> Iterator[Repair]:
    """The repairs of a rejected shader, those that change its meaning least first; of those the shortest.

    What running both shaders refutes is left out.
    """
    return (repair for repair in accepted(case, tried) if not is_refuted(repair))


def is_refuted(repair: Repair) -> bool:
    """Whether running both shaders shows that a repair does not do what its edits say."""
    differs = repair.meaning is Meaning.OTHER and repair.cost < Cost.RESULT
    return differs or repair.meaning is Meaning.DIVERGES


def accepted(case: Case, tried: int = TRIED) -> Iterator[Repair]:
    """Edits with which the reference accepts a shader, in the order of `repairs`."""
    order = count()
    queue: list[tuple[int, int, int, Case, tuple[Edit, ...]]] = [(0, 0, next(order), case, ())]
    seen = {case.text}
    while queue:
        _, _, _, now, edits = heappop(queue)
        if now.analysis.verdict is Verdict.ACCEPTS:
            if edits:
                yield Repair(case.text, now.text, edits, compared(case, now))
            continue
        shader = Broken(now)
        for edit in proposals(shader):
            after = applied(now.text, edit.patches)
            if after in seen or len(seen) > tried:
                continue
            seen.add(after)
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
