"""Enumeration: every shader of some families up to a size, judged as in a campaign. A run can be stopped and resumed.

The run's folder has the layout of a campaign's (`fuzz.findings.directory`). In run.json `position` is the first shader
that is not judged yet. Findings are not reduced: shaders come smallest first, so the first of a bucket is small
already.

The counts of a batch, its findings and the position behind it are committed together (`fuzz.findings.state`). A run
that was killed goes on from there.
"""

import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz import new_id, today
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.campaign.garbage import Collector, rare_collections
from wgsl_fuzz.fuzz.campaign.recorder import drawn_record
from wgsl_fuzz.fuzz.campaign.worker import BATCH, next_size
from wgsl_fuzz.fuzz.cases.case import Case, drawn_case
from wgsl_fuzz.fuzz.findings import records
from wgsl_fuzz.fuzz.findings.directory import AS_DRAWN, FEW, RUN, RunDirectory, StorageError
from wgsl_fuzz.fuzz.findings.known import KnownBuckets
from wgsl_fuzz.fuzz.findings.loading import damage_named, read_enumeration
from wgsl_fuzz.fuzz.judging.account import account_of
from wgsl_fuzz.fuzz.judging.judge import Disagreement, difference_of_references, judge, unimplemented
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.core import from_core
from wgsl_fuzz.oracle.targets.protocol import Target, own_names, spec_of
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES, ENUMERATION_VERSION, Family
from wgsl_fuzz.strategies.enumerate.sets import CountedSet
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.raising import Leaves, print_core
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolve import resolve


class ShaderSequence:
    """The shaders of families up to a size, family after family, smallest first; a number is a place in it."""

    def __init__(self, families: Sequence[Family[Shader] | Family[str]], most: int) -> None:
        self.families = tuple(families)
        self.most = most
        self._shaders: list[CountedSet[Shader] | CountedSet[str]] = [family.up_to(most) for family in families]
        self._shared: dict[object, Leaves] = {}
        self._starts = [0, *accumulate(shaders.count for shaders in self._shaders)]
        self.count = self._starts[-1]

    def nth(self, position: int) -> Shader | str:
        """The shader at 0 <= position < count; of the whole language its text."""
        k, index = self._find(position)
        return self._shaders[k].nth(index)

    def case(self, position: int, *, thorough: bool = False) -> Case:
        """The same, to be judged; if `thorough`, explored also if the reference accepts it."""
        shader = self.nth(position)
        if isinstance(shader, str):
            return replace(drawn_case(resolve(parse(shader)), position), thorough=thorough)
        resolution = from_core(shader, self._shared)
        text = Source(lambda: print_core(resolution))
        return Case(text, resolution, seed=position, thorough=thorough, drawn=True)

    def where(self, position: int) -> tuple[str, int]:
        """Its family and its number there, which does not depend on the other families or on the bound."""
        k, number = self._find(position)
        return self.families[k].name, number

    def _find(self, position: int) -> tuple[int, int]:
        k = bisect_right(self._starts, position) - 1
        return k, position - self._starts[k]


@dataclass(frozen=True, slots=True)
class EnumerationRequest:
    """The positions of a sequence of shaders to go through: from `first`, up to but not including `end`."""

    course: ShaderSequence
    first: int
    end: int
    semantics: records.SemanticsMode = records.SemanticsMode.EXPLORE

    @property
    def plan(self) -> records.EnumerationPlan:
        """As the run's record has it."""
        return records.EnumerationPlan(
            version=ENUMERATION_VERSION,
            families=tuple(family.name for family in self.course.families),
            max_statements=self.course.most,
            count=self.course.count,
            first=self.first,
            end=self.end,
            semantics=self.semantics,
        )

    @classmethod
    def of(cls, plan: records.EnumerationPlan) -> "EnumerationRequest":
        """What a run's record asks for; KeyError for an unknown family, Problem if its numbers mean other shaders."""
        course = ShaderSequence([ALL_FAMILIES[name] for name in plan.families], plan.max_statements)
        if plan.version != ENUMERATION_VERSION or plan.count != course.count:
            raise Problem("the run was begun by a wgsl-fuzz that enumerates other shaders: begin again")
        return cls(course, plan.first, plan.end, plan.semantics)


def load_record(folder: Path) -> records.EnumerationRecord:
    """The record of an enumeration to go on with; raises Problem."""
    record = read_enumeration(folder)
    with damage_named(folder, RUN):
        _ = EnumerationRequest.of(record.enumeration)
    return record


RECORD_SECONDS = 10.0
"""How old the copy of the record for people may get."""

PROFILE = "enumerate"
"""Instead of the name of a profile, in records."""


@dataclass(slots=True)
class _Batch:
    first: int
    cases: list[Case]


class Enumeration:
    """One run. `status` is called after each batch; `stopped` is asked between batches."""

    def __init__(
        self,
        request: EnumerationRequest,
        targets: Sequence[Target],
        directory: RunDirectory,
        *,
        known: KnownBuckets | None = None,
        status: Callable[[Counters], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.request = request
        self.targets = {t.name: t for t in targets}
        self.without_uniformity = frozenset(t.name for t in targets if not t.checks_uniformity)
        self.directory = directory
        self._known = known or KnownBuckets()
        self.status = status
        self.stopped = stopped
        self.counters = Counters(answers={name: {} for name in self.targets})
        self._resumed = False
        self._date: str | None = today()
        self._id: str | None = new_id()
        self._recorded = 0.0
        self._size = BATCH // 8
        self._flying: deque[_Batch] = deque()
        self._collector = Collector()

    @property
    def position(self) -> int:
        """The first shader that is not judged yet."""
        return self.request.first + self.counters.programs

    @property
    def finished(self) -> bool:
        """Whether every shader asked for has been judged."""
        return self.position >= self.request.end

    def resume(self, record: records.EnumerationRecord) -> None:
        """Goes on from the record of an earlier run in the same folder; Problem if a target is another one."""
        now = {name: t.origin for name, t in self.targets.items()}
        for name in record.targets.keys() | now.keys():
            was, is_now = record.targets.get(name, "not asked"), now.get(name, "not asked")
            if was != is_now:
                raise Problem(f"{name} was {was} and is {is_now}: begin again")
        self.counters.restore(record)
        self.directory.reopen(self.position)
        self._resumed, self._date, self._id = True, record.date, record.id

    def record(self) -> records.EnumerationRecord:
        """The run's record (docs/design.md, "Determinism"), with the counts so far."""
        return records.EnumerationRecord(
            version=__version__,
            id=self._id,
            date=self._date,
            generator=ENUMERATION_VERSION,
            seed=0,
            profile=PROFILE,
            enumeration=self.request.plan,
            targets={name: target.origin for name, target in self.targets.items()},
            specs=own_names(self.targets.values()),
            finished=self.finished,
            position=self.position,
            **self.counters.fields(self._known),
        )

    def run(self) -> Counters:
        """Runs to the end or until `stopped`; every finding is saved on return. Raises StorageError, TargetError."""
        self.counters.started = time.monotonic() - self.counters.before
        if not self._resumed:
            self.directory.create()
        self._save_record()
        try:
            with rare_collections():
                self._go_through()
            self._save_record()
        finally:
            self.directory.close()
        return self.counters

    def _go_through(self) -> None:
        launched = self.position
        while launched < self.request.end and not self.stopped():
            size = min(self._size, self.request.end - launched)
            self._launch(launched, size)
            launched += size
            if len(self._flying) > 1:
                self._land()
        while self._flying:
            self._land()

    def _save_record(self) -> None:
        self._recorded = time.monotonic()
        self.directory.note_progress(self.counters.progress())
        self.directory.update(self.record())

    # ------------------------------------------------------------------------------------------------- batches

    def _launch(self, first: int, size: int) -> None:
        """Builds a batch, hands it to the targets, and asks our own oracles while they work."""
        thorough = self.request.semantics is records.SemanticsMode.EXPLORE
        course = self.request.course
        cases = [course.case(position, thorough=thorough) for position in range(first, first + size)]
        if self.targets:
            texts = [case.text for case in cases]
            for target in self.targets.values():
                target.submit(texts)
        self._flying.append(_Batch(first, cases))
        for case in cases:
            if case.verdict is Verdict.ACCEPTS and self._is_executed(case, {}):
                case.execute()

    def _land(self) -> None:
        """Collects the oldest batch's answers, judges them, and lets the position go past them."""
        batch = self._flying[0]
        begun = time.monotonic()
        answers = {name: target.collect() for name, target in self.targets.items()}
        self._size = next_size(self._size, time.monotonic() - begun)
        self._flying.popleft()
        for i, case in enumerate(batch.cases):
            given = {name: answers[name][i] for name in answers}
            self._judge(case, given, batch.first + i)
        self._collector.count(len(batch.cases))
        if time.monotonic() - self._recorded > RECORD_SECONDS:
            self._save_record()
        else:
            self.directory.commit(self.record())
        self.status(self.counters)

    def _judge(self, case: Case, given: Mapping[str, Answer], position: int) -> None:
        outcome = None
        if case.verdict is Verdict.ACCEPTS and self.request.semantics is not records.SemanticsMode.NONE:
            case.execute()
            outcome = case.outcome  # None if the semantics cannot run it
        self.counters.count(case.verdict, outcome, given)
        executed = self._is_executed(case, given)
        for found in [
            *judge(case, given, self.without_uniformity, valid=True, executed=executed),
            *difference_of_references(case),
        ]:
            self._found(case, found, given, position)

    def _is_executed(self, case: Case, given: Mapping[str, Answer]) -> bool:
        """Whether to run the semantics: not if disabled, or if only a target without analysis accepts."""
        if case.verdict is Verdict.ACCEPTS:
            return self.request.semantics is not records.SemanticsMode.NONE
        accepting = {name for name, answer in given.items() if answer.verdict is Verdict.ACCEPTS}
        known = {name for name in self.without_uniformity if self.directory.by_key[unimplemented(name)] >= FEW}
        return not accepting <= known

    # ------------------------------------------------------------------------------------------------ findings

    def _found(self, case: Case, found: Disagreement, given: Mapping[str, Answer], position: int) -> None:
        """Counts a finding, and files it unless the run that is resumed did."""
        self.counters.found(found)
        place = self._place(position)
        if self.directory.is_filed(place, found):
            return
        try:
            if self.directory.is_full(found):
                self.directory.count(found, place)
            else:
                specs = {name: spec_of(target) for name, target in self.targets.items()}
                record = self._finding(case, found, given, place)
                self.directory.save(record, {records.DRAWN: case.text}, specs, reduction=AS_DRAWN)
        except StorageError as error:  # what the disk does not take, the message does
            raise StorageError(f"{error}; found and not saved: {found.key}, {self._again(place)}") from error

    def _place(self, position: int) -> records.Place:
        """Where a shader comes from: `index` is its place in the run, `number` in its family."""
        family, number = self.request.course.where(position)
        return records.Place(seed=0, index=position, profile=PROFILE, family=family, number=number)

    def _again(self, place: records.Place) -> str:
        """The command that prints the shader again."""
        return (
            f"wgsl-fuzz enumerate --family {place.family} --max-statements {self.request.course.most} "
            f"--first {place.number} --programs 1 --format wgsl"
        )

    def _finding(
        self, case: Case, found: Disagreement, given: Mapping[str, Answer], place: records.Place
    ) -> records.FindingRecord:
        account, after = account_of(case, found), round(self.counters.seconds, 1)
        record = drawn_record(case, found, given, self.targets, place, after, account)
        record.generator, record.draw_again = ENUMERATION_VERSION, self._again(place)
        record.unreduced = "enumerations reduce nothing: shaders come smallest first"
        return record
