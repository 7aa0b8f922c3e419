"""The part of a campaign that runs on every core: draw, hand to the targets, ask our own oracles, collect, judge.

A worker answers tasks; what it sends back is small and says what is wrong with the answers about each shader. While a
target works on one batch the worker draws, analyses and executes the next.
"""

import os
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from queue import SimpleQueue

import psutil

from wgsl_fuzz.fuzz.campaign.garbage import Collector, collect_rarely
from wgsl_fuzz.fuzz.campaign.reduce_task import Reduced, Reducer, Together
from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.faults import FAULTS, note_fault
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import ALL, Plan, is_sampled
from wgsl_fuzz.fuzz.cases.stages import (
    ANALYSING,
    ASKING,
    BOOKKEEPING,
    DRAWING,
    EXECUTING,
    JUDGING,
    PRINTING,
    StageClock,
)
from wgsl_fuzz.fuzz.judging.judge import Disagreement, difference_of_references, judge
from wgsl_fuzz.oracle.devices.device import is_device
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import Restarted, Target
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict

CLOSE_SECONDS = 0.2
"""How long a target that takes a sample may take to end what it was asked."""


@dataclass(slots=True)
class _Part:
    """What a target that takes a sample was asked of a batch: the places of the texts, and the answers to come."""

    places: tuple[int, ...]
    answers: "Future[list[Answer]]"


@dataclass(slots=True)
class Asked:
    """A batch of texts that targets were asked about."""

    count: int
    waited: dict[str, float]
    """Seconds for which each target was waited for, so far."""
    parts: dict[str, _Part] = field(default_factory=dict)
    """Of the targets that take a sample."""
    answers: dict[str, list[Answer]] | None = None
    """Answers of unsampled targets; None until they were collected."""

    @property
    def waited_for_samples(self) -> float:
        """Seconds for which those were waited for that take a sample."""
        return sum(self.waited.get(name, 0.0) for name in self.parts)

    @property
    def is_answered(self) -> bool:
        """Whether nobody has to be waited for any more."""
        return self.answers is not None and all(part.answers.done() for part in self.parts.values())


class Questions:
    """Runs targets; `samples` has the sampling rate of each sampled target, by name."""

    def __init__(self, targets: Sequence[Target], samples: Mapping[str, int]) -> None:
        self._all = [target for target in targets if samples.get(target.name, 1) <= 1]
        self._sampled = {t.name: samples[t.name] for t in targets if t not in self._all}
        self._threads = {target.name: _TargetThread(target) for target in targets if target.name in self._sampled}

    def submit(self, indices: Sequence[int], texts: Sequence[str]) -> Asked:
        """Hands over a batch; each text has the place in the run of its shader."""
        asked = Asked(len(texts), {})
        for name, thread in self._threads.items():
            places = tuple(i for i, index in enumerate(indices) if is_sampled(index, self._sampled[name]))
            if places:
                asked.parts[name] = _Part(places, thread.ask([texts[i] for i in places]))
        for target in self._all:
            begun = time.monotonic()
            target.submit(texts)
            asked.waited[target.name] = time.monotonic() - begun
        return asked

    def settle(self, asked: Asked) -> None:
        """Wait for unsampled targets: once for each batch, in order of submission."""
        asked.answers = {}
        for target in self._all:
            begun = time.monotonic()
            asked.answers[target.name] = target.collect()
            asked.waited[target.name] += time.monotonic() - begun

    def collect(self, asked: Asked) -> list[dict[str, Answer]]:
        """What is said of each text of a settled batch, by the targets that were asked about it. Raises TargetError."""
        assert asked.answers is not None, "settled"
        said = [{name: of_target[i] for name, of_target in asked.answers.items()} for i in range(asked.count)]
        for name, part in asked.parts.items():
            begun = time.monotonic()
            for i, answer in zip(part.places, part.answers.result(), strict=True):
                said[i][name] = answer
            asked.waited[name] = time.monotonic() - begun
        return said

    def close(self) -> None:
        """Forgets what was asked and not answered yet; the targets stay open."""
        for thread in self._threads.values():
            thread.close()


class _TargetThread:
    """Asks one target, batch after batch, in a thread that ends with the process."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._asked: SimpleQueue[tuple[list[str], Future[list[Answer]]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def ask(self, texts: list[str]) -> "Future[list[Answer]]":
        """The answers to these texts, some time; its result raises what the target does."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        answers: Future[list[Answer]] = Future()
        self._asked.put((texts, answers))
        return answers

    def close(self) -> None:
        """Ends the thread after the batch at hand, which is waited for a moment."""
        if self._thread is None:
            return
        with suppress(Exception):
            while True:
                self._asked.get_nowait()
        self._asked.put(None)
        self._thread.join(CLOSE_SECONDS)
        self._thread = None

    def _work(self) -> None:
        while (asked := self._asked.get()) is not None:
            texts, answers = asked
            try:
                self._target.submit(texts)
                answers.set_result(self._target.collect())
            except BaseException as error:
                answers.set_exception(error)


BATCH = 64
"""The most texts handed to a target at once."""
AHEAD = 8
"""So many batches may be under way while a target that takes a sample still has the oldest of them."""
PATIENCE = 1.0
"""Seconds that a batch may keep us waiting: a compiler that hangs gets smaller ones, lest it outlast the budget."""
TASK_SECONDS = 1.0
"""A task that takes longer is given back half done: so much of it is lasting, and someone may stop the run."""
EXECUTE_EVERY = 16
"""One accepted shader in so many is executed; disputed ones are in any case."""
PAPER_EVERY = 16
"""The paper is asked about one TinyWGSL shader in so many, and about each one with a finding that is saved."""
ON_DEVICE_EVERY = 4
"""One accepted shader of TinyWGSL in so many is offered to devices, which take those that are certain."""


@dataclass(frozen=True, slots=True)
class Task:
    """Shaders to be drawn and asked about: `count` from index `first`."""

    first: int
    count: int
    deadline: float | None = None
    """When no more shaders are to be drawn, in monotonic seconds: one clock for all processes of a machine."""


@dataclass(slots=True)
class ShaderResult:
    """What was said of one shader."""

    index: int
    verdict: Verdict
    outcome: Outcome | None
    """The semantics', of shaders that the reference accepts and that were run."""
    statements: int
    key: int
    """Equal for equal texts."""
    answers: dict[str, Answer]
    relation: str | None = None
    """If this is the transformed shader and not the drawn one: by which relation."""
    paper: Verdict | None = None
    """The verdict of the paper's analysis, if it was asked about the shader, and the shader is TinyWGSL."""
    text: str = ""
    """Of a shader with something to judge, and of both of a pair."""
    spelled: bool = False
    """Whether the text has drawn surface forms."""
    findings: tuple[Disagreement, ...] | None = None
    """What is wrong with the answers, but for those of `lenient` targets; None if that was not asked, or failed."""

    def lenient(self, silent: frozenset[str]) -> list[str]:
        """Which of the targets without a uniformity analysis (`silent`) accept what the reference rejects."""
        if self.verdict is not Verdict.REJECTS:
            return []
        return [n for n in sorted(self.answers) if n in silent and self.answers[n].verdict is Verdict.ACCEPTS]

    def to_judge(self, but: Collection[str]) -> dict[str, Answer] | None:
        """The answers but for these, in the order of the targets' names; None if there is nothing to judge."""
        answers = {name: self.answers[name] for name in sorted(self.answers) if name not in but}
        agreed = all([answer.verdict in (self.verdict, Verdict.UNSUPPORTED) for answer in answers.values()])
        return None if agreed and not self.diverges and not self.references_differ else answers

    @property
    def diverges(self) -> bool:
        """Whether the semantics refutes the reference."""
        return self.outcome is Outcome.DIVERGES

    @property
    def references_differ(self) -> bool:
        """Whether the paper judges the shader otherwise than the specification."""
        return self.paper not in (None, self.verdict)

    @property
    def is_undisputed(self) -> bool:
        """Whether the semantics and all targets go with the reference, so that there is nothing to judge."""
        return (
            not self.diverges
            and not self.references_differ
            and all([answer.verdict is self.verdict for answer in self.answers.values()])
        )


@dataclass(slots=True)
class TaskResult:
    """A task's answer; `count` is less than was asked for if it took too long."""

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
    """Faults of our own on these shaders, in words."""


_Shaders = list[tuple[int, Case, str | None]]
"""Each with its place in the run, the case, and the relation of a transformed one."""


@dataclass(slots=True)
class _Batch:
    """Shaders on their way to the targets."""

    cases: _Shaders
    asked: Asked
    on_devices: list[int]
    """The places, in `cases`, of the shaders that devices were given."""
    ran: dict[str, dict[int, Answer]] = field(default_factory=dict)
    """What each device said of them, by these places."""


class Worker:
    """Works on tasks with targets of its own."""

    def __init__(self, plan: Plan, targets: Sequence[Target]) -> None:
        self.clock = StageClock()
        self.drawer = CampaignGenerator(plan, self.clock)
        self.targets = [target for target in targets if not is_device(target.name)]
        self.devices = [target for target in targets if is_device(target.name)]
        self._questions = Questions(self.targets, dict(plan.samples))
        self.restarts = RestartLedger(targets)
        self._silent = frozenset(target.name for target in targets if not target.checks_uniformity)
        self._executes_all = plan.execute == ALL
        self._size = 1
        self._collector = Collector()

    def work(self, task: Task) -> TaskResult:
        """Draws and asks about the shaders of a task, in order."""
        begun = time.monotonic()
        self.clock.enter(BOOKKEEPING)
        done = TaskResult(task.first, 0)
        flying: deque[_Batch] = deque()
        missed = self.drawer.misses
        ends = begun + TASK_SECONDS if task.deadline is None else min(begun + TASK_SECONDS, task.deadline)
        while done.count < task.count and time.monotonic() < ends:
            size = min(self._size, task.count - done.count)
            indices = range(task.first + done.count, task.first + done.count + size)
            done.count += size
            flying.append(self._launch(indices))
            if len(flying) > 1:
                self._settle(flying[-2])
            while len(flying) > 1 and (flying[0].asked.is_answered or len(flying) > AHEAD):
                done.judged += self._land(flying.popleft(), done)
        while flying:
            done.judged += self._land(flying.popleft(), done)
        done.misses = self.drawer.misses - missed
        self._collector.count(done.count)
        self.clock.enter(None)
        done.spent, done.restarts = self.clock.taken(), self.restarts.news()
        done.faults, self.drawer.faults = self.drawer.faults, Counter()
        return done

    def close(self) -> None:
        """Ends what the worker itself has begun; the targets stay open."""
        self._questions.close()

    def _launch(self, indices: range) -> _Batch:
        """Draws a batch, hands it to the targets, and asks our own oracles while they work."""
        cases: _Shaders = []
        self.clock.enter(DRAWING)
        for index in indices:
            case = self.drawer.case(index)
            cases.append((index, case, None))
            twin = self.drawer.related(index, case)
            if twin is not None:
                cases.append((index, *twin))
        self.clock.enter(PRINTING)
        texts = [case.text for _, case, _ in cases]
        self.clock.enter(ASKING)
        asked = self._questions.submit([index for index, _, _ in cases], texts)
        self.clock.enter(ANALYSING)
        accepted = [(index, case) for index, case, _ in cases if case.verdict is Verdict.ACCEPTS]
        self.clock.enter(EXECUTING)
        for index, case in accepted:
            if self._executes_all or is_sampled(index, EXECUTE_EVERY):
                with self._faults_noted():
                    _ = case.execution
                self._collector.look()
        on_devices = self._offer(cases, texts) if self.devices else []
        self.clock.enter(BOOKKEEPING)
        return _Batch(cases, asked, on_devices)

    def _settle(self, batch: _Batch) -> None:
        """Collect the batch's answers from unsampled targets. Idempotent."""
        if batch.asked.answers is None:
            self.clock.enter(ASKING)
            self._questions.settle(batch.asked)
            for device in self.devices:
                begun = time.monotonic()
                batch.ran[device.name] = dict(zip(batch.on_devices, device.collect(), strict=True))
                batch.asked.waited[device.name] = time.monotonic() - begun
            self.clock.enter(BOOKKEEPING)
            self._size = next_size(self._size, sum(batch.asked.waited.values()))

    def _offer(self, cases: _Shaders, texts: Sequence[str]) -> list[int]:
        """Offers some of the shaders to the devices; which ones."""
        chosen = [
            i
            for i, (index, case, _) in enumerate(cases)
            if case.verdict is Verdict.ACCEPTS
            and (self._executes_all or is_sampled(index, ON_DEVICE_EVERY))
            and case.core is not None
        ]
        for device in self.devices:
            device.submit([texts[i] for i in chosen])
        return chosen

    def _land(self, batch: _Batch, done: TaskResult) -> list[ShaderResult]:
        """Collects a batch's answers."""
        self._settle(batch)
        self.clock.enter(ASKING)
        answers = self._questions.collect(batch.asked)
        self.clock.enter(BOOKKEEPING)
        if batch.asked.waited_for_samples > PATIENCE:
            self._size = next_size(self._size, batch.asked.waited_for_samples)
        done.waited.update(batch.asked.waited)
        landed: list[ShaderResult] = []
        for i, ((index, case, relation), said) in enumerate(zip(batch.cases, answers, strict=True)):
            given = {name: _brief(answer, case.verdict) for name, answer in said.items()}
            if batch.ran:
                given |= {name: of_device[i] for name, of_device in batch.ran.items() if i in of_device}
            judged = ShaderResult(index, case.verdict, _outcome(case), case.statements, case.key, given, relation)
            if is_sampled(index, PAPER_EVERY):
                with self._faults_noted():
                    judged.paper = case.paper
            self._judge(case, judged)
            if relation is not None:
                _keep_text(batch.cases[i - 1][1], landed[-1])
            if relation is not None or not judged.is_undisputed:
                _keep_text(case, judged)
            landed.append(judged)
        return landed

    def _judge(self, case: Case, judged: ShaderResult) -> None:
        """Says what is wrong with the answers, so that the campaign has but to count that, mostly."""
        if judged.is_undisputed or (answers := judged.to_judge(judged.lenient(self._silent))) is None:
            return
        self.clock.enter(JUDGING)
        with suppress(*FAULTS):  # the campaign judges again, and notes them
            found = judge(case, answers, self._silent, valid=True)
            judged.findings = (*found, *(difference_of_references(case) if judged.references_differ else ()))
        self._collector.look()
        self.clock.enter(BOOKKEEPING)

    @contextmanager
    def _faults_noted(self) -> Iterator[None]:
        """A context in which a question about a shader may fail: that is noted, and the campaign goes on without."""
        try:
            yield
        except FAULTS as fault:
            note_fault(self.drawer.faults, fault)


class RestartLedger:
    """How often the children of some targets were replaced, and what of that was told already."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self._targets = [target for target in targets if isinstance(target, Restarted)]
        self._told = {target.name: Counter(target.restarted) for target in self._targets}

    def news(self) -> dict[str, Counter[str]]:
        """By target and reason, since this was asked last."""
        news = {}
        for target in self._targets:
            now = Counter(target.restarted)
            if more := now - self._told[target.name]:
                news[target.name] = more
                self._told[target.name] = now
        return news


def next_size(size: int, waited: float) -> int:
    """How many texts to hand over next, if the last batch of `size` texts was waited for so many seconds."""
    return max(1, size // 4) if waited > PATIENCE else min(BATCH, size * 2)


def _outcome(case: Case) -> Outcome | None:
    """What the semantics says of a case, if it was asked and can run it."""
    if case.verdict is not Verdict.ACCEPTS:
        return None
    return case.outcome


def _keep_text(case: Case, judged: ShaderResult) -> None:
    judged.text, judged.spelled = case.text, case.spelled


_ACCEPTS, _REJECTS = Answer(Verdict.ACCEPTS), Answer(Verdict.REJECTS)


def _brief(answer: Answer, reference: Verdict) -> Answer:
    """The answer without its message if nobody needs it: most belong to shaders that all reject."""
    if answer.verdict is reference:
        return _ACCEPTS if reference is Verdict.ACCEPTS else _REJECTS
    return answer


try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

RECYCLED = 2048
"""Tasks for each worker before others take over from these and their compilers, and ..."""
LARGEST = 1 << 30
"""... how many bytes of memory a worker may have used before that."""


class Workplace:
    """A worker and a reducer in a process that does nothing else. Raises TargetError if a target cannot be opened."""

    def __init__(self, plan: Plan, names: Sequence[str], timeout: float) -> None:
        collect_rarely()
        self._closing, self._lock = False, threading.Lock()
        self.targets = [open_target(name, timeout=timeout) for name in names]
        self._worker, self._reducer = Worker(plan, self.targets), Reducer(plan, self.targets)

    def work(self, task: Task) -> TaskResult:
        """As `Worker.work`."""
        return self._worker.work(task)

    def reduce(self, findings: Together) -> Reduced:
        """As `Reducer.reduce`."""
        return replace(self._reducer.reduce(findings), restarts=self._worker.restarts.news())

    def close(self) -> None:
        """Ends the compilers, and deletes what they leave."""
        self._closing = True
        with self._lock, suppress(Exception):
            for target in self.targets:
                target.close()

    def leave(self) -> None:
        """Ends the process at once, but for its compilers and their files; one that ends already is left to it."""
        if not self._closing:
            self.close()
            os._exit(1)


def memory_used() -> int:
    """The most bytes of memory that this process ever used; what it uses now where nobody says that."""
    if resource is None:
        memory = psutil.Process().memory_info()
        return int(getattr(memory, "peak_wset", memory.rss))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
