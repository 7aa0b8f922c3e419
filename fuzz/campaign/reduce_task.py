"""Reductions as tasks: a finding is drawn again from its place in the run, and reduced, in whatever process is free.

What comes of it depends on the finding's record and on the targets alone: not on when it is reduced, nor on what else
the process did before. A finding that cannot be drawn again stays as drawn.
"""

import gc
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from wgsl_fuzz.fuzz.campaign.garbage import Collector
from wgsl_fuzz.fuzz.campaign.reduce_finding import FindingReducer, HurryUp, OtherTargets, hold_against_neighbours
from wgsl_fuzz.fuzz.cases.faults import FAULTS, described
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.module_case import SILENT, FiledCase, Given, UnreadCase
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.files import read_text
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import DRAWN, FindingRecord
from wgsl_fuzz.fuzz.judging.judge import (
    ANOTHER_MEMORY,
    COUNTEREXAMPLE,
    HAVE_FINE_KEYS,
    UNEXPLAINED,
    Disagreement,
    Kind,
)
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.problems import WgslError

ALIKE = 3
"""So many findings of one raw bucket are reduced if their cause is known: of further ones the 4th, 8th, 16th, ..."""
SAYS_LITTLE = (UNEXPLAINED, COUNTEREXAMPLE, ANOTHER_MEMORY)
"""Causes under which there may be several faults, which only reduced shaders tell apart."""


ITS_TURN = "queued; `--resume` reduces it"
OTHER_TEXT = "regenerating the shader gave a different text"
FAULT = "our own program failed on it: {}"
LOST = "the process that reduced it died each time"
"""Why a finding is not reduced."""


def is_reduced(found: Disagreement, nth: int) -> bool:
    """Whether the nth finding of a raw bucket is worth reducing, from 1 on."""
    if nth <= ALIKE:
        return True
    return found.kind in HAVE_FINE_KEYS and (found.cause in SAYS_LITTLE or nth.bit_count() == 1)


def why_unreduced(found: Disagreement, nth: int) -> str:
    """Why the nth finding of a raw bucket is not reduced when it is found, in words."""
    if is_reduced(found, nth):
        return ITS_TURN
    chosen = "1st, 2nd, 3rd, 4th, 8th, 16th and so on are" if found.kind in HAVE_FINE_KEYS else f"first {ALIKE} are"
    return f"it is number {nth} of its raw bucket, of which the {chosen} reduced"


@dataclass(frozen=True, slots=True)
class ReductionTask:
    """A saved finding that is to be reduced."""

    saved: Finding
    given: str | None = None
    """The text of its file, if it is of one that can be read: another machine has not the file."""
    others: tuple[Finding, ...] = ()
    """Those of other targets on the same text, of the same kind and cause: what is reached for it may do for them."""

    @property
    def together(self) -> tuple[Finding, ...]:
        """All findings that it is about."""
        return (self.saved, *self.others)


@dataclass(frozen=True, slots=True)
class Reduced:
    """What came of a reduction."""

    task: ReductionTask
    completed: dict[int, tuple[FindingRecord, dict[str, str]]] = field(default_factory=dict)
    """By the number of each finding that was reduced: its record and further files. The others stay as drawn."""
    broken_off: bool = False
    """It is still to be done: the run came to its end."""
    why: str = OTHER_TEXT
    """Why something stays as drawn, if it does."""
    spent: float = 0.0
    """Processor seconds of the process that reduced it."""
    restarts: dict[str, Counter[str]] = field(default_factory=dict)
    """As of TaskResult."""
    faults: Counter[str] = field(default_factory=Counter)
    """As of TaskResult."""


class Reducer:
    """Reduces findings of a run, with targets of its own to ask."""

    def __init__(self, plan: Plan, targets: Sequence[Target]) -> None:
        by_name = {target.name: target for target in targets}
        without_uniformity = frozenset(t.name for t in targets if not t.checks_uniformity)
        self._drawer, self._targets, self._silent = CampaignGenerator(plan), by_name, without_uniformity
        self._reducer = FindingReducer(by_name, without_uniformity, self._drawer)
        self._collector = Collector()

    def reduce(self, task: ReductionTask, hurry: HurryUp = lambda: False) -> Reduced:
        """Draws a finding again and reduces it, and those that go with it; a run that is to `hurry` breaks it off."""
        begun = time.thread_time()
        try:
            reduced = self._reduced(task, hurry)
        except FAULTS as fault:
            said = described(fault)
            reduced = Reduced(task, why=FAULT.format(said), faults=Counter([said]))
        self._collector.look()
        return replace(reduced, spent=time.thread_time() - begun)

    def _reduced(self, task: ReductionTask, hurry: HurryUp) -> Reduced:
        case, index = drawn_again(task, self._drawer), task.saved.record.place.index or 0
        found = _disagreement(task.saved.record)
        if case is None or found is None:
            return Reduced(task)
        first = self._reducer.reduce(case, found, index, hurry)
        reached = [(task.saved, first)]
        for saved in task.others:
            if not hurry() and (other := _disagreement(saved.record)) is not None:
                again = self._reducer.shared(case, other, first) or self._reducer.reduce(case, other, index, hurry)
                reached.append((saved, again))
        if hurry():
            return Reduced(task, broken_off=True)
        others = OtherTargets(self._targets, self._silent)
        for saved, done in reached:
            hold_against_neighbours(done, self._targets.get(saved.record.target))
            others.complete(done)
        if not gc.isenabled():
            gc.collect(1)  # what outlived an earlier collection waits for the one of all
        return Reduced(task, {saved.number: (done.record(saved.record), done.files) for saved, done in reached})


def drawn_again(task: ReductionTask, drawer: CampaignGenerator) -> FiledCase | None:
    """The shader of a finding; None if its place in the run, or its file, gives another text than was saved."""
    record = task.saved.record
    if record.place.file is None:
        case = _regenerated(record, drawer)
    else:
        case = _read_again(record, record.place.file, task.given, drawer.plan)
    spelled_and_plain = () if case is None else (case, case.plain)
    return next((one for one in spelled_and_plain if one.text == task.saved.files.get(DRAWN)), None)


def _regenerated(record: FindingRecord, drawer: CampaignGenerator) -> FiledCase | None:
    """The shader at the place of a finding; None if the place is not known."""
    index = record.place.index
    if index is None or record.place.seed != drawer.plan.seed:
        return None
    case = drawer.case(index)
    if record.place.relation is not None and record.kind is not Kind.METAMORPHIC:
        twin = drawer.related(index, case)
        return None if twin is None else twin[0]
    return case


def given_text(record: FindingRecord) -> str | None:
    """The text of the file that a finding is of; None if it is of none, or of one that cannot be read any more."""
    with suppress(Problem):
        return None if record.place.file is None else read_text(record.place.file)
    return None


def _read_again(record: FindingRecord, file: str, text: str | None, plan: Plan) -> FiledCase | None:
    """The shader of a file; None if it is not there any more."""
    if text is None:
        return None
    if record.reference == SILENT:
        return UnreadCase(text)
    try:
        return Given(file, text).case(plan.convergence)
    except WgslError:
        return None


def _disagreement(record: FindingRecord) -> Disagreement | None:
    """What a finding's record says of its target; None if that is no verdict."""
    said = (record.related_verdicts or {}) if record.kind is Kind.METAMORPHIC else record.verdicts
    word = said.get(record.target)
    if word not in {verdict.value for verdict in Verdict}:
        return None
    return Disagreement(record.target, record.kind, Answer(Verdict(word), record.message), record.cause)
