"""Reductions as tasks: a finding's text is read again, and reduced, in whatever process is free.

The result depends on the finding's record and the targets alone: not on the time of the reduction, nor on earlier work
of the process.
"""

import gc
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from wgsl_fuzz.fuzz.campaign.garbage import Collector
from wgsl_fuzz.fuzz.campaign.reduce_finding import FindingReducer, HurryUp, OtherTargets, RightAnswers
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import DRAWN
from wgsl_fuzz.fuzz.internal_errors import FAULT, FAULTS, described
from wgsl_fuzz.fuzz.judging import kinds
from wgsl_fuzz.oracle.targets.protocol import Target

ALIKE = 3
"""So many findings of one raw bucket are reduced if their cause is known: of further ones the 4th, 8th, 16th, ..."""
SAYS_LITTLE = (kinds.UNEXPLAINED, kinds.COUNTEREXAMPLE, kinds.ANOTHER_MEMORY)
"""Causes under which there may be several faults, which only reduced shaders tell apart."""


ITS_TURN = "queued; `--resume` reduces it"
UNREADABLE = "the reference does not know its text any more"
ENUMERATED = "enumerations reduce nothing: shaders come smallest first"
LOST = "the process that reduced it died each time"
"""Why a finding is not reduced."""


def is_reduced(found: kinds.Disagreement, nth: int, known: bool = False) -> bool:
    """Whether the nth finding of a raw bucket is worth reducing, from 1 on; only the first if its cause is `known`."""
    if known:
        return nth == 1
    if nth <= ALIKE:
        return True
    return found.kind in kinds.HAVE_FINE_KEYS and (found.cause in SAYS_LITTLE or nth.bit_count() == 1)


def why_unreduced(found: kinds.Disagreement, nth: int, known: bool = False) -> str:
    """Why the nth finding of a raw bucket is not reduced when it is found, in words."""
    if is_reduced(found, nth, known):
        return ITS_TURN
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


class Reducer:
    """Reduces saved findings of a run, with targets that it alone uses."""

    def __init__(self, plan: Plan, targets: Sequence[Target]) -> None:
        by_name = {target.name: target for target in targets}
        without_analysis = frozenset(t.name for t in targets if not t.checks_uniformity)
        self._targets, self._without_analysis = by_name, without_analysis
        generator = CampaignGenerator(plan)
        self._reducer = FindingReducer(by_name, without_analysis, generator)
        self._right = RightAnswers(by_name, generator)
        self._collector = Collector()

    def reduce(self, findings: ReductionTask, hurry: HurryUp = lambda: False) -> ReductionResult:
        """Reduces findings that belong together. If `hurry` returns True, the reduction is abandoned."""
        begun, self._reducer.faults = time.thread_time(), Counter()
        try:
            reduced = self._reduced(findings, hurry)
        except FAULTS as fault:
            said = described(fault)
            reduced = ReductionResult(findings, why=FAULT.format(said), faults=Counter([said]))
        self._collector.look()
        faults = reduced.faults + self._reducer.faults
        return replace(reduced, faults=faults, spent=time.thread_time() - begun)

    def _reduced(self, findings: ReductionTask, hurry: HurryUp) -> ReductionResult:
        saved, *further = findings
        if saved.case(DRAWN).reference != saved.record.reference or not saved.record.has_verdict:
            return ReductionResult(findings)
        reached = [self._reducer.reduce(saved, hurry)]
        for other in further:
            if not hurry() and other.record.has_verdict:
                other.cases = saved.cases  # the text is the same
                reached.append(self._reducer.shared(other, reached[0]) or self._reducer.reduce(other, hurry))
        if hurry():
            return ReductionResult(findings, broken_off=True)
        others = OtherTargets(self._targets, self._without_analysis, self._right)
        for done in reached:
            others.complete(done)
        if not gc.isenabled():
            gc.collect(1)  # what outlived an earlier collection waits for the one of all
        return ReductionResult(findings, {done.number: done for done in reached})
