"""Reductions as tasks, done in whatever process is free: which findings are reduced, and what a task gives."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.judging import kinds

HurryUp = Callable[[], bool]
ALIKE = 3
"""So many findings of one raw bucket are reduced if their cause is known: of further ones the 4th, 8th, 16th, ..."""
SAYS_LITTLE = (kinds.UNEXPLAINED, kinds.COUNTEREXAMPLE, kinds.ANOTHER_MEMORY)
"""Causes under which there may be several faults, which only reduced shaders tell apart."""


ITS_TURN = "queued; `--resume` reduces it"
UNREADABLE = "the reference does not know its text any more"
LOST = "the process that reduced it died each time"
"""Why a finding is not reduced."""


def is_reduced(found: kinds.Disagreement, nth: int, known: bool = False) -> bool:
    """Whether the nth finding of a raw bucket is worth reducing, from 1 on; only the first if its cause is `known`, and
    no known crash: it costs a new process for each question.
    """
    if known:
        return nth == 1 and found.kind not in (kinds.Kind.CRASH, kinds.Kind.HANG)
    if nth <= ALIKE:
        return True
    return found.kind in kinds.HAVE_FINE_KEYS and (found.cause in SAYS_LITTLE or nth.bit_count() == 1)


def why_unreduced(found: kinds.Disagreement, nth: int, known: bool = False) -> str:
    """Why the nth finding of a raw bucket is not reduced when it is found, in words."""
    if is_reduced(found, nth, known):
        return ITS_TURN
    if known and found.kind in (kinds.Kind.CRASH, kinds.Kind.HANG):
        return "the target's words are known; with `--no-known` it is reduced"
    if known:
        return f"it is number {nth} of its kind and known cause, of which the first is reduced"
    chosen = (
        "1st, 2nd, 3rd, 4th, 8th, 16th and so on are" if found.kind in kinds.HAVE_FINE_KEYS else f"first {ALIKE} are"
    )
    return f"it is number {nth} of its kind and cause, of which the {chosen} reduced"


ReductionTask = tuple[Finding, ...]
"""Saved findings to reduce together: of several targets, with one text, kind and cause. The shader that the first is
reduced to may show the others as well."""


@dataclass(frozen=True, slots=True)
class ReductionResult:
    """The result of a reduction."""

    findings: ReductionTask
    completed: dict[int, Finding] = field(default_factory=dict)
    """By its number, each finding that was reduced. The others stay as drawn."""
    broken_off: bool = False
    """Whether the run ended first: the reduction is still to be done."""
    why: str = UNREADABLE
    """Why findings without a reduced record stay as drawn."""
    spent: float = 0.0
    """Processor seconds of the process that reduced it."""
    restarts: dict[str, Counter[str]] = field(default_factory=dict)
    """As of TaskResult."""
    faults: Counter[str] = field(default_factory=Counter)
    """As of TaskResult."""
