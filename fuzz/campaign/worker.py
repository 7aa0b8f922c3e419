"""The part of a campaign that runs on every core: it draws shaders, runs targets and our own oracles, and judges.

A worker answers tasks with small results: verdicts and disagreements, and texts only where something is to be judged.
While a target works on one batch, the worker draws, analyses and executes the next.
"""

import time
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from wgsl_fuzz.fuzz.campaign.garbage import Collector
from wgsl_fuzz.fuzz.campaign.reduce_finding import FindingReducer
from wgsl_fuzz.fuzz.campaign.reduce_task import HurryUp, ReductionResult, ReductionTask
from wgsl_fuzz.fuzz.cases import stages
from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.course import CourseGenerator
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import ALL, Plan, is_sampled
from wgsl_fuzz.fuzz.internal_errors import FAULTS, described
from wgsl_fuzz.fuzz.judging.judge import difference_of_references, judge
from wgsl_fuzz.fuzz.judging.kinds import Disagreement
from wgsl_fuzz.oracle.devices.device import is_device
from wgsl_fuzz.oracle.targets.protocol import Restarted, Target
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict

BATCH = 64
"""The most texts handed to a target at once."""
PATIENCE = 1.0
"""If a batch takes more seconds, the next is smaller, so that a hanging compiler does not outlast the budget."""
TASK_SECONDS = 1.0
"""A longer task is returned in part, so that its results can be committed and the run can be stopped."""
MANY_STEPS = 1000
"""An execution of no more steps needs little memory."""
EXECUTE_EVERY = 16
"""One accepted shader in so many is executed; disputed shaders always are."""
PAPER_EVERY = 16
"""The paper's analysis runs on one TinyWGSL shader in so many, and on each shader with a saved finding."""
IN_FULL_EVERY = 16
"""Of shaders on which a target's known departures explain its verdict, one in so many is executed."""
ON_DEVICE_EVERY = 4
"""One accepted TinyWGSL shader in so many is offered to devices, which run only shaders with one possible result."""


# ---------------------------------------------------------------------------------------------- tasks and their answers


@dataclass(frozen=True, slots=True)
class Task:
    """A range of shaders to draw and judge: `count` shaders from index `first`."""

    first: int
    count: int
    deadline: float | None = None
    """When no more shaders are to be drawn, in monotonic seconds: one clock for all processes of a machine."""


@dataclass(slots=True)
class ShaderResult:
    """The oracles' answers about one shader."""

    index: int
    verdict: Verdict
    outcome: Outcome | None
    """The answer of the semantics; None unless the reference accepts the shader and it was executed."""
    answers: dict[str, Answer]
    relation: str | None = None
    """The relation that made this shader, if it is a twin."""
    paper: Verdict | None = None
    """The verdict of the paper's analysis, if it ran and the shader has a core."""
    text: str = ""
    """The text, if there is something to judge or the shader has a twin or is one; else empty."""
    spelled: bool = False
    """Whether the text has drawn surface forms."""
    findings: tuple[Disagreement, ...] | None = None
    """The disagreements but those of targets without an analysis; None if none were looked for, or judging failed."""
    faults: tuple[str, ...] = ()
    """Internal errors of our oracles on it, which the task's answer counts."""

    def accepting_without_analysis(self, without_analysis: frozenset[str]) -> list[str]:
        """Which of the targets without a uniformity analysis accept what the reference rejects."""
        if self.verdict is not Verdict.REJECTS:
            return []
        return [n for n in sorted(self.answers) if n in without_analysis and self.answers[n].verdict is Verdict.ACCEPTS]

    def to_judge(self, but: Collection[str]) -> dict[str, Answer] | None:
        """The answers of all targets except `but`, sorted by name; None if there is nothing to judge."""
        answers = {name: self.answers[name] for name in sorted(self.answers) if name not in but}
        agreed = all([answer.verdict in (self.verdict, Verdict.UNSUPPORTED) for answer in answers.values()])
        return None if agreed and not self.diverges and not self.references_differ else answers

    @property
    def diverges(self) -> bool:
        """Whether the semantics refutes the reference."""
        return self.outcome is Outcome.DIVERGES

    @property
    def references_differ(self) -> bool:
        """Whether the paper's analysis and section 15.2 give different verdicts."""
        return self.paper not in (None, self.verdict)

    @property
    def is_undisputed(self) -> bool:
        """Whether the semantics, the paper and all targets agree with the reference."""
        return (
            not self.diverges
            and not self.references_differ
            and all([answer.verdict is self.verdict for answer in self.answers.values()])
        )


@dataclass(slots=True)
class TaskResult:
    """A task's answer. `count` is less than the task's if the task took longer than TASK_SECONDS."""

    first: int
    count: int
    judged: list[ShaderResult] = field(default_factory=list)
    misses: int = 0
    waited: Counter[str] = field(default_factory=Counter)
    """Seconds that each target kept the worker waiting."""
    spent: dict[str, float] = field(default_factory=dict)
    """Processor seconds of this process by stage."""
    restarts: dict[str, Counter[str]] = field(default_factory=dict)
    """How often the child of a target was replaced since the last answer, by the reason."""
    faults: Counter[str] = field(default_factory=Counter)
    """Internal errors on these shaders, by description."""


# ----------------------------------------------------------------------------------------------------------- the worker


_Shaders = list[tuple[int, Case, str | None]]
"""Index in the run, case, and for a twin the relation."""


@dataclass(slots=True)
class _Batch:
    """Shaders that the targets are working on."""

    cases: _Shaders
    answers: list[dict[str, Answer]]
    """By target, about each of `cases`."""
    on_devices: list[int] = field(default_factory=list)
    """The positions in `cases` of the shaders that devices run."""
    waited: dict[str, float] = field(default_factory=dict)
    """Seconds spent waiting for each target so far."""


class Worker:
    """Answers tasks and reduces findings, with targets that it alone uses."""

    def __init__(self, plan: Plan, targets: Sequence[Target]) -> None:
        self.clock = stages.StageClock()
        self.generator = CampaignGenerator(plan, self.clock) if plan.course is None else CourseGenerator(plan.course)
        self._enumerates = plan.course is not None
        self.reducer, self._restarts = FindingReducer(plan, targets), RestartLedger(targets)
        self._devices = [target for target in targets if is_device(target.name)]
        self._compilers = [target for target in targets if not is_device(target.name)]
        self._without_analysis = frozenset(target.name for target in targets if not target.checks_uniformity)
        self._executes_all, self._known_first = plan.execute == ALL, plan.known_first
        self._size = 1
        self._collector = Collector()

    def work(self, task: Task) -> TaskResult:
        """Draws and judges the shaders of a task, in order."""
        begun = time.monotonic()
        self.clock.enter(stages.BOOKKEEPING)
        done = TaskResult(task.first, 0)
        batch: _Batch | None = None
        missed = self.generator.misses
        ends = begun + TASK_SECONDS if task.deadline is None else min(begun + TASK_SECONDS, task.deadline)
        while done.count < task.count and time.monotonic() < ends:
            size = min(self._size, task.count - done.count)
            indices = range(task.first + done.count, task.first + done.count + size)
            done.count += size
            before, batch = batch, self._start_batch(indices)
            if before is not None:
                done.judged += self._finish_batch(before, done)
        if batch is not None:
            done.judged += self._finish_batch(batch, done)
        done.misses = self.generator.misses - missed
        self._collector.count(done.count)
        self.clock.enter(None)
        done.spent, done.restarts = self.clock.taken(), self._restarts.news()
        done.faults, self.generator.faults = self.generator.faults, Counter()
        return done

    def reduce(self, findings: ReductionTask, hurry: HurryUp = lambda: False) -> ReductionResult:
        """Reduces findings that belong together."""
        return replace(self.reducer.work(findings, hurry), restarts=self._restarts.news())

    def _start_batch(self, indices: range) -> _Batch:
        """Draws a batch, submits it to the targets, and runs our own oracles meanwhile."""
        cases: _Shaders = []
        self.clock.enter(stages.DRAWING)
        for index, case in zip(indices, self.generator.cases(indices), strict=True):
            cases.append((index, case, None))
            twin = self.generator.related(index, case)
            if twin is not None:
                cases.append((index, *twin))
        self.clock.enter(stages.PRINTING)
        are_asked = self._compilers or self._devices
        texts = [case.text if are_asked else "" for _, case, _ in cases]
        self.clock.enter(stages.ASKING)
        batch = _Batch(cases, [{} for _ in cases])
        for target in self._compilers:
            begun = time.monotonic()
            target.submit(texts)
            batch.waited[target.name] = time.monotonic() - begun
        self.clock.enter(stages.ANALYSING)
        accepted = [(index, case) for index, case, _ in cases if case.verdict is Verdict.ACCEPTS]
        self.clock.enter(stages.EXECUTING)
        for index, case in accepted:
            chosen = self._executes_all or is_sampled(index, EXECUTE_EVERY)
            if chosen and case.execute().steps > MANY_STEPS:
                self._collector.look()
        batch.on_devices = self._offer(cases, texts) if self._devices else []
        self.clock.enter(stages.BOOKKEEPING)
        return batch

    def _offer(self, cases: _Shaders, texts: Sequence[str]) -> list[int]:
        """Submits a sample of the accepted TinyWGSL shaders to the devices; returns their positions."""
        chosen = [
            i
            for i, (index, case, _) in enumerate(cases)
            if case.verdict is Verdict.ACCEPTS
            and (self._executes_all or is_sampled(index, ON_DEVICE_EVERY))
            and case.core is not None
        ]
        for device in self._devices:
            device.submit([texts[i] for i in chosen])
        return chosen

    def _finish_batch(self, batch: _Batch, done: TaskResult) -> list[ShaderResult]:
        """Collects all answers to a batch, and judges them. Raises TargetError."""
        self.clock.enter(stages.ASKING)
        for targets, places in ((self._compilers, range(len(batch.cases))), (self._devices, batch.on_devices)):
            for target in targets:
                begun = time.monotonic()
                answers = target.collect()
                batch.waited[target.name] = batch.waited.get(target.name, 0.0) + time.monotonic() - begun
                for i, answer in zip(places, answers, strict=True):
                    batch.answers[i][target.name] = answer
        self.clock.enter(stages.BOOKKEEPING)
        self._size = next_size(self._size, sum(batch.waited.values()))
        done.waited.update(batch.waited)
        results: list[ShaderResult] = []
        for i, ((index, case, relation), said) in enumerate(zip(batch.cases, batch.answers, strict=True)):
            given = {name: _brief(answer, case.verdict) for name, answer in said.items()}
            outcome = case.outcome if case.verdict is Verdict.ACCEPTS else None
            judged = ShaderResult(index, case.verdict, outcome, given, relation)
            try:
                if self._enumerates or is_sampled(index, PAPER_EVERY):
                    judged.paper = case.paper
            except FAULTS as fault:
                judged.faults = (described(fault),)
            if relation is not None:
                _keep_text(batch.cases[i - 1][1], results[-1])
                _keep_text(case, judged)
            if not judged.is_undisputed:
                self._judge(case, judged)
                _keep_text(case, judged)
            judged.faults += case.faults
            self.generator.faults.update(judged.faults)
            results.append(judged)
        return results

    def _judge(self, case: Case, judged: ShaderResult) -> None:
        """Finds the disagreements, so that the main process mostly only counts them."""
        answers = judged.to_judge(judged.accepting_without_analysis(self._without_analysis))
        if answers is None:
            return
        self.clock.enter(stages.JUDGING)
        with suppress(*FAULTS):  # the main process judges again, and notes the fault
            known_first = self._known_first and not is_sampled(judged.index, IN_FULL_EVERY)
            without, done = self._without_analysis, case.executed
            found = judge(case, answers, without, valid=True, execution=done, known_first=known_first)
            judged.findings = (*found, *(difference_of_references(case) if judged.references_differ else ()))
        self._collector.look()
        self.clock.enter(stages.BOOKKEEPING)


def next_size(size: int, waited: float) -> int:
    """The next batch size, if a batch of `size` texts took `waited` seconds of waiting."""
    return max(1, size // 4) if waited > PATIENCE else min(BATCH, size * 2)


def _keep_text(case: Case, judged: ShaderResult) -> None:
    judged.text, judged.spelled = case.text, case.spelled


_ACCEPTS, _REJECTS = Answer(Verdict.ACCEPTS), Answer(Verdict.REJECTS)


def _brief(answer: Answer, reference: Verdict) -> Answer:
    """The answer; without its message if the target agrees with the reference, as most do."""
    if answer.verdict is reference:
        return _ACCEPTS if reference is Verdict.ACCEPTS else _REJECTS
    return answer


class RestartLedger:
    """Counts how often targets' child processes were replaced, and which of these were reported."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self._targets = [target for target in targets if isinstance(target, Restarted)]
        self._reported = {target.name: Counter(target.restarted) for target in self._targets}

    def news(self) -> dict[str, Counter[str]]:
        """The restarts since the last call, by target and reason."""
        news = {}
        for target in self._targets:
            now = Counter(target.restarted)
            if more := now - self._reported[target.name]:
                news[target.name] = more
                self._reported[target.name] = now
        return news
