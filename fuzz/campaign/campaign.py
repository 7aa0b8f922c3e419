"""The campaign: draws shaders, asks every oracle, judges, reduces and saves, until its budget is spent.

Workers draw shaders and ask the oracles (`fuzz.campaign.worker`). This module counts their answers, in the order in
which the shaders were drawn. It hands every disagreement to the recorder (`fuzz.campaign.recorder`). The results of
each task, or part of a task, are one transaction; a resumed run continues after the last (`fuzz.findings.state`).
"""

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz import new_id, today
from wgsl_fuzz.fuzz.campaign.counters import EVERYTHING, Concern, Counters
from wgsl_fuzz.fuzz.campaign.garbage import Collector, rare_collections
from wgsl_fuzz.fuzz.campaign.monitor import Monitor
from wgsl_fuzz.fuzz.campaign.pool import InProcessPool, WorkerPool, WorkersLost
from wgsl_fuzz.fuzz.campaign.recorder import Recorder
from wgsl_fuzz.fuzz.campaign.reduce_task import ReductionResult
from wgsl_fuzz.fuzz.campaign.worker import ShaderResult, Task, TaskResult
from wgsl_fuzz.fuzz.cases.case import Given
from wgsl_fuzz.fuzz.cases.plan import Budget, Plan, shader_seed
from wgsl_fuzz.fuzz.cases.stages import BOOKKEEPING, JUDGING
from wgsl_fuzz.fuzz.findings.directory import PENDING, RunDirectory, StorageError
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.known import KnownBuckets
from wgsl_fuzz.fuzz.findings.records import DRAWN, RELATED, BucketCount, RunRecord, ShaderOrigin
from wgsl_fuzz.fuzz.internal_errors import FAULTS, described
from wgsl_fuzz.fuzz.judging.answers import ask_in_parts
from wgsl_fuzz.fuzz.judging.judge import judge
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError, own_names

__all__ = ["Budget", "Campaign", "Counters", "Plan", "shader_seed"]

QUIET = 4
"""While shaders are drawn, every fourth answer to a task may start the reduction of a further finding of a raw bucket.

The first finding of a raw bucket does not wait for such a turn.
"""


class ReductionQueue:
    """The findings of a run that are to be reduced by its workers."""

    def __init__(self, workers: WorkerPool) -> None:
        self.at_work = 0
        """The number of reductions that workers are running."""
        self._workers = workers
        self._waiting: dict[Hashable, list[Finding]] = {}
        """Oldest first. Findings under one key are reduced together."""
        self._answers = 0

    @property
    def left(self) -> int:
        """The number of reductions that run or wait."""
        return self.at_work + len(self._waiting)

    def put(self, findings: Sequence[Finding]) -> None:
        """Adds findings to the queue. A finding on a text that is already queued joins the finding there."""
        for saved in findings:
            self._waiting.setdefault(_reduction_key(saved), []).append(saved)

    def begin_some(self) -> None:
        """Starts reductions after an answer to a task. At most half of the workers reduce at a time."""
        self._answers += 1
        self._begin(max(1, self._workers.threads // 2), quietly=self._answers % QUIET != 0)

    def begin_more(self, *, hurry: bool) -> None:
        """Starts reductions after all drawing. In a `hurry`, only the first finding of each raw bucket is reduced."""
        if hurry:
            self._waiting = {key: self._waiting[key] for key in self._firsts()}
        self._begin(max(1, self._workers.threads), quietly=False)

    def _firsts(self) -> Iterator[Hashable]:
        """The keys under which the first finding of a raw bucket waits."""
        return (key for key, findings in self._waiting.items() if any(one.nth == 1 for one in findings))

    def _begin(self, most: int, *, quietly: bool) -> None:
        while self.at_work < most:
            key = next(self._firsts(), None if quietly else next(iter(self._waiting), None))
            if key is None:
                return
            findings = sorted(self._waiting.pop(key), key=lambda one: (one.nth != 1, one.record.target))
            self._workers.reduce(tuple(findings))
            self.at_work += 1


def _reduction_key(saved: Finding) -> Hashable:
    """A key that is equal for findings of several targets on one drawn text with one kind and cause.

    A finding that only one spelling shows, or that compares two texts, is never reduced with another.
    """
    record, place = saved.record, saved.record.place
    if record.forms is not None or RELATED in saved.files:
        return saved.number
    return place.index, place.file, place.relation, record.kind, record.cause, saved.files.get(DRAWN)


AT_ONCE = 8
"""The number of given shaders that are judged between two checks of the deadline."""
HURRIED_SECONDS = 2.0
"""How long a reduction may continue after the deadline."""
PATIENCE_SECONDS = 3.5
"""How long an answer of a target is awaited after the deadline."""
_TIMER_SECONDS = 0.1


class OutOfTime(BaseException):
    """An answer did not come in time after the deadline. A BaseException, so that no target's code catches it."""


class Deadline:
    """The end of one run: `seconds` after `started` (monotonic), or earlier if `stopped` returns True.

    Entered, it raises OutOfTime inside `waiting` when that takes too long. This needs a main thread and POSIX;
    elsewhere a run may outlast its time by one answer of each target.
    """

    def __init__(self, started: float, seconds: float | None, stopped: Callable[[], bool]) -> None:
        self.at = None if seconds is None else started + seconds
        self._stopped = stopped
        self._stopped_at: float | None = None
        self._waiting = False

    @property
    def late(self) -> float:
        """How many seconds ago the run should have ended; negative while it goes on."""
        now = time.monotonic()
        if self._stopped_at is None and self._stopped():
            self._stopped_at = now
        ends = [at for at in (self.at, self._stopped_at) if at is not None]
        return now - min(ends) if ends else -1.0

    @property
    def over(self) -> bool:
        """Whether the run is to end."""
        return self.late >= 0

    @property
    def hurried(self) -> bool:
        """Whether running reductions must end as well."""
        return self.late > HURRIED_SECONDS

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A context for a call that may take long; OutOfTime can interrupt it."""
        self._waiting = True
        try:
            yield
        finally:
            self._waiting = False

    def __enter__(self) -> "Deadline":
        self._armed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if self._armed:
            self._before = signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, _TIMER_SECONDS, _TIMER_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        if self._armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        if self._waiting and self.late > PATIENCE_SECONDS:
            self._waiting = False
            raise OutOfTime


TASK = 256
"""The largest number of shaders in a task."""
RECORD_SECONDS = 10.0
"""How often `run.json` is rewritten from the state."""
SHOW_SECONDS = 0.5
"""How often the status is shown while this process itself reduces findings."""


class Campaign:
    """One run. `status` is called after each task, each reduction and each batch of given shaders.

    `stopped` is called between tasks. The `given` shaders are judged first; `seeds` names the folders they are from.
    """

    def __init__(
        self,
        targets: Sequence[Target],
        directory: RunDirectory,
        *,
        plan: Plan | None = None,
        seed: int = 0,
        workers: WorkerPool | None = None,
        given: Sequence[Given] = (),
        seeds: Sequence[str] = (),
        known: KnownBuckets | None = None,
        known_file: str | None = None,
        concern: Concern = EVERYTHING,
        status: Callable[[Counters], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.plan = Plan(seed) if plan is None else plan
        self.targets = {t.name: t for t in targets}
        self.without_analysis = frozenset(t.name for t in targets if not t.checks_uniformity)
        self.directory = directory
        self.workers: WorkerPool = InProcessPool(self.plan, targets) if workers is None else workers
        self.monitor = Monitor(self.plan, self.workers, targets)
        self.known, self.known_file = known or KnownBuckets(), known_file
        self.concern = concern
        self.counters = Counters(answers={name: {} for name in self.targets})
        self.lost: str | None = None
        """Why the run ended before its time, if its workers were lost."""
        self.finished = False
        """Whether the run ended normally or by Ctrl-C. It stays False in the record of a killed run."""
        self.recorder = Recorder(self.plan, self.targets, directory, self.counters, concern.excluded, self.known)
        self._first, self._seeds = given, tuple(seeds)
        self._status, self._stopped = status, stopped
        self._tasks: deque[Task] = deque()
        """The tasks that workers have not fully answered, oldest first."""
        self.reductions, self._collector = ReductionQueue(self.workers), Collector()
        self._next, self._recorded, self._shown = 0, 0.0, 0.0
        self._date, self._resumed, self._budget = today(), False, Budget()
        self._id: str | None = new_id()
        self._deadline = Deadline(0.0, None, stopped)

    def record(self) -> RunRecord:
        """The run's record (docs/design.md, "Determinism"), with the counts so far."""
        c = self.counters
        return RunRecord(
            version=__version__,
            id=self._id,
            date=self._date,
            generator=self.plan.generator,
            seed=self.plan.seed,
            profile=self.plan.language,
            plan=self.plan,
            budget=self._budget,
            targets={name: t.origin for name, t in self.targets.items()},
            specs=own_names(self.targets.values()),
            without_uniformity=tuple(sorted(self.without_analysis)),
            seeds=self._seeds,
            given=c.given,
            finished=self.finished,
            workers=dict(self.workers.workers),
            misses=c.misses,
            predicted=c.expected,
            faults=dict(sorted(c.faults.items())),
            known_file=self.known_file,
            like=self.known.like,
            programs=c.programs,
            seconds=round(c.seconds, 3),
            reference=c.reference,
            semantics=c.outcomes,
            answers=c.answers,
            findings=c.findings,
            buckets=tuple(BucketCount(key, n, self.known.issue_of(key)) for key, n in c.keys.items()),
        )

    def resume(self, record: RunRecord) -> None:
        """Continues the run of this record. Raises StorageError if its folder does not allow that."""
        course = self.plan.course
        self.directory.reopen(record.programs + (0 if course is None else course.first))
        self._resumed, self._date, self._id = True, record.date or self._date, record.id
        self.counters.restore(record)
        self.recorder.settle(self.directory.saved("1"))
        self._next = self.counters.programs
        self.reductions.put(list(self.directory.saved("reduction = ?", PENDING)))

    def run(self, budget: Budget) -> Counters:
        """Runs until the budget is spent or `stopped`; every finding is saved on return, and reduced if time allows."""
        self._budget = self._total_budget(budget)
        self.counters.whole = self._budget.programs
        self.counters.started = time.monotonic() - self.counters.before
        self._deadline = Deadline(self.counters.started, self._budget.seconds, self._stopped)
        self.recorder.waiting = self._deadline.waiting
        with rare_collections(), self._deadline:
            try:
                if not self._resumed:
                    self.directory.create()
                self.monitor.begin(self.directory.path)
                self.directory.commit(self.record())
                self.directory.publish()
                self._measure()
                try:
                    with suppress(OutOfTime):
                        self._work()
                except WorkersLost as error:
                    self.lost = str(error)
                self.finished = self.lost is None
                self._measure()
                self._commit()
            finally:
                self.workers.close()
                with suppress(StorageError):  # an earlier StorageError propagates
                    self.directory.publish()
                self.directory.close()
        return self.counters

    def _work(self) -> None:
        self._ask_given()
        while self._submit_task():
            while len(self._tasks) >= self.workers.window and not self._over:
                self._receive()
        while self._tasks and not self._over:
            self.reductions.begin_more(hurry=False)  # nothing else is left for a worker that is done
            self._receive()
        self._finish_reductions()

    @property
    def _over(self) -> bool:
        """Whether drawing ends: by the deadline, by `stopped`, or because the run found what `concern` looks for."""
        return self._deadline.over or self.concern.is_over(self.counters, self.known)

    def _ask_given(self) -> None:
        """Judges the given shaders that an earlier part of the run did not reach. They do not change what is drawn."""
        self.monitor.clock.enter(JUDGING)
        while (some := self._first[self.counters.given :][:AT_ONCE]) and not self._over:
            with self._committed_if_broken_off():
                self._ask(some)
            self.counters.given += len(some)
            self._commit()
            self._status(self.counters)

    def _ask(self, some: Sequence[Given]) -> None:
        """Asks about given shaders, and files what is wrong. If that is broken off, what was filed by then stays."""
        cases = [given.case(self.plan.convergence) for given in some]
        with self._deadline.waiting():
            answers = dict(ask_in_parts([case.text for case in cases], [*self.targets.values()]))
        for i, (given, case) in enumerate(zip(some, cases, strict=True)):
            said = {name: of_target[i] for name, of_target in answers.items()}
            try:
                for disagreement in judge(case, said, self.without_analysis):
                    self.recorder.file_disagreement(case, disagreement, said, ShaderOrigin(file=given.path))
            except FAULTS as fault:
                self.counters.faults[described(fault)] += 1
            self.recorder.count_faults([case])

    def _total_budget(self, budget: Budget) -> Budget:
        """The budget of the whole run: `budget` added to what the parts before a `--resume` used."""
        seconds = None if budget.seconds is None else budget.seconds + self.counters.before
        programs, course = None if budget.programs is None else budget.programs + self._next, self.plan.course
        if course is not None:
            left = course.count - course.first
            programs = left if programs is None else min(programs, left)
        return Budget(seconds, programs)

    # ------------------------------------------------------------------------------------------------ the tasks

    def _submit_task(self) -> bool:
        """Submits one more task to the workers. Returns False if the budget is spent."""
        first, programs = self._next, self._budget.programs
        count = TASK if programs is None else min(TASK, programs - first)
        if count <= 0 or self._over:
            return False
        task = Task(first, count, deadline=self._deadline.at)
        self._next += count
        self._tasks.append(task)
        self.workers.give(task)
        return True

    def _receive(self) -> None:
        """Receives the next part of the answer to the oldest task, or a finished reduction."""
        self.monitor.clock.enter(None)
        with self._deadline.waiting():
            done = self.workers.take(self._tick)
        self.monitor.clock.enter(BOOKKEEPING)
        self.monitor.take_in(done)
        self.counters.faults.update(done.faults)
        if isinstance(done, ReductionResult):
            self.reductions.at_work -= 1
            self.recorder.complete(done)
            self._commit()
        elif done.count:  # else it came too late
            with self._committed_if_broken_off():
                self._file(done)
            self._commit()
            self.reductions.begin_some()
            self._collector.count(done.count)
        self._status(self.counters)

    def _file(self, done: TaskResult) -> None:
        """Files the findings of a part of the oldest task, and counts its shaders, in order."""
        task, c = self._tasks[0], self.counters
        assert done.first == c.programs, "parts come in the order of their shaders"
        for drawn, twin in _with_twins(done.judged):
            if twin is not None or not drawn.is_undisputed:
                self.monitor.clock.enter(JUDGING)
                # If this is interrupted, a resumed run draws and judges the shader again.
                self.recorder.file_result(drawn, twin)
                self._collector.look()
                self.monitor.clock.enter(BOOKKEEPING)
            c.count(drawn.verdict, drawn.outcome, drawn.answers)
        c.misses += done.misses
        c.waited.update(done.waited)
        c.waited_for += done.count
        if c.programs == task.first + task.count:
            self._tasks.popleft()

    # ------------------------------------------------------------------------------------------- persistence

    def _commit(self) -> None:
        """Commits the counts and findings so far; a later kill does not lose them."""
        c = self.counters
        self.directory.commit(self.record())
        if c.seconds - self._recorded > RECORD_SECONDS:
            self._recorded = c.seconds
            self.directory.publish()
        if self.monitor.is_due(c.seconds):
            self._measure()
        self.reductions.put(self.recorder.to_reduce)
        self.recorder.to_reduce.clear()
        c.to_reduce = self.reductions.left - self.reductions.at_work

    def _measure(self) -> None:
        """Writes a sample of rate, memory and findings to `stats.jsonl`."""
        state = self.directory.state
        new = sum(self.counters.is_new(key, self.known) is not False for key in self.counters.keys)
        left = state.value("SELECT count(*) FROM finding WHERE reduction = ?", PENDING)
        self.monitor.sample(self.counters, new, left)

    @contextmanager
    def _committed_if_broken_off(self) -> Iterator[None]:
        """A context for calls of targets: counts and findings are committed before a TargetError propagates."""
        try:
            yield
        except (OutOfTime, TargetError):
            self._commit()
            raise

    # ------------------------------------------------------------------------------------------------ reductions

    def _finish_reductions(self) -> None:
        """Reduces the findings that wait; after the deadline, only what HURRIED_SECONDS allow."""
        self.workers.drop()
        self._tasks.clear()
        while not self._deadline.hurried:
            self.reductions.begin_more(hurry=self._deadline.over)
            self.counters.reducing = self.reductions.left
            if not self.reductions.at_work:
                return
            self._status(self.counters)
            self._receive()

    def _tick(self) -> bool:
        """Shows the status, as no task does so meanwhile; returns whether a reduction in this process must end."""
        now = time.monotonic()
        if now - self._shown > SHOW_SECONDS:
            self._shown = now
            self._status(self.counters)
        return self._deadline.hurried


def _with_twins(judged: Sequence[ShaderResult]) -> Iterator[tuple[ShaderResult, ShaderResult | None]]:
    """Each shader that was drawn, and the one that a relation made of it, if any: a twin follows its shader."""
    following = [*judged[1:], None]
    for one, after in zip(judged, following, strict=True):
        if one.relation is None:
            yield one, after if after is not None and after.relation is not None else None
