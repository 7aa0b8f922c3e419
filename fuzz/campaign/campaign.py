"""The campaign: draw, ask every oracle, judge, reduce, save; until the budget is spent or someone stops it.

Workers draw shaders and ask the oracles (`fuzz.campaign.worker`). This module counts their answers, in the order in
which the shaders were drawn. It hands every disagreement to the recorder (`fuzz.campaign.recorder`).
"""

import time
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from wgsl_fuzz.fuzz import project_version, today
from wgsl_fuzz.fuzz.campaign.concern import EVERYTHING, Concern
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.campaign.deadline import Deadline, OutOfTime
from wgsl_fuzz.fuzz.campaign.given_shaders import GivenShaders
from wgsl_fuzz.fuzz.campaign.pool import InProcessPool, WorkerPool
from wgsl_fuzz.fuzz.campaign.recorder import Origin, Recorder
from wgsl_fuzz.fuzz.campaign.steering import PROBE_EVERY, Steering
from wgsl_fuzz.fuzz.campaign.worker import ShaderResult, Task, TaskResult, rare_collections
from wgsl_fuzz.fuzz.cases.given import Given
from wgsl_fuzz.fuzz.cases.languages import AnyCase, PlanDrawer
from wgsl_fuzz.fuzz.cases.plan import FRESH, GROUP, Budget, Plan, Recipe, shader_seed
from wgsl_fuzz.fuzz.findings.directory import FEW, PARENTS, PROGRESS, RECIPES, RunDirectory, lines_of
from wgsl_fuzz.fuzz.findings.known import KnownBuckets
from wgsl_fuzz.fuzz.findings.loading import load_recipes, load_run
from wgsl_fuzz.fuzz.findings.records import CampaignRecord, ParentLine, RecipeLine
from wgsl_fuzz.fuzz.judging.cases import judge_case
from wgsl_fuzz.fuzz.judging.judge import NOT_IMPLEMENTED, Disagreement, Kind, unimplemented
from wgsl_fuzz.oracle.rules.analyses import REFERENCE
from wgsl_fuzz.oracle.rules.coverage import Coverage
from wgsl_fuzz.oracle.targets.named import own_names
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies import GENERATOR_VERSION
from wgsl_fuzz.strategies.edit.relations import RELATION, Relation, broken

__all__ = ["Budget", "Campaign", "Counters", "Plan", "shader_seed"]

TASK = 32 * GROUP
"""Shaders that a worker is given at once."""
RECORD_SECONDS = 10.0
"""How old the record on disk may get."""
SHOW_SECONDS = 0.5
"""How often the status is shown while findings are reduced."""
SEEN = 1 << 20
"""Texts that are remembered by their keys, to count duplicates: a table of this size, however long the run is."""


@dataclass(slots=True)
class _Hooks:
    """What the surroundings want to know, and whether they want to stop."""

    status: Callable[[Counters], None]
    stopped: Callable[[], bool]


class Campaign:
    """One run. `status` is called after each task and each finding; `stopped` is asked between tasks.

    `given` shaders are asked about first; `seeds` are the user's folders that they are from.
    """

    def __init__(
        self,
        targets: Sequence[Target],
        directory: RunDirectory,
        *,
        plan: Plan | None = None,
        seed: int = 0,
        workers: WorkerPool | None = None,
        steering: Steering | None = None,
        given: Sequence[Given] = (),
        seeds: Sequence[str] = (),
        known: KnownBuckets | None = None,
        concern: Concern = EVERYTHING,
        status: Callable[[Counters], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.plan = Plan(seed) if plan is None else plan
        self.targets = {t.name: t for t in targets}
        self.without_uniformity = frozenset(t.name for t in targets if not t.checks_uniformity)
        self.directory = directory
        self.workers: WorkerPool = InProcessPool(self.plan, targets) if workers is None else workers
        self.steering = steering
        self.known = known
        self.concern = concern
        self.counters = Counters(answers={name: {} for name in self.targets})
        self.coverage: Coverage | None = None
        """If given: which branches of the rules decide, over the shaders that are asked (1 of `worker.OFTEN`)."""
        self.finished = False
        """Whether the run came to its end, be it by Ctrl-C: False in the record of one that was killed."""
        self._drawer = PlanDrawer(self.plan)
        self.filing = Recorder(
            self.targets, self.without_uniformity, directory, self.counters, self._drawer, concern.excluded
        )
        self._first, self._seeds = GivenShaders(given, self.targets, self.without_uniformity), tuple(seeds)
        self._hooks = _Hooks(status, stopped)
        self._given: deque[Task] = deque()
        self._seen = array("q", [0]) * SEEN
        self._parents: dict[str, int] = {}
        self._recipes: dict[int, Recipe] = {}
        """Those of earlier parts of the run: a task that was broken off is drawn again as it was."""
        self._next, self._recorded = 0, 0.0
        self._date: str | None = today()
        self._resumed = False
        self._budget = Budget()
        self._deadline = Deadline(0.0, None, stopped)

    def record(self) -> CampaignRecord:
        """The run's record (docs/design.md, "Determinism"), with the counts so far."""
        c, known = self.counters, self.known
        return CampaignRecord(
            version=project_version(),
            date=self._date,
            generator=GENERATOR_VERSION,
            seed=self.plan.seed,
            profile=self.plan.profile,
            plan=self.plan,
            budget=self._budget,
            steered=self.steering is not None,
            targets={name: t.origin for name, t in self.targets.items()},
            specs=own_names(self.targets.values()),
            without_uniformity=tuple(sorted(self.without_uniformity)),
            seeds=self._seeds,
            given=c.given,
            finished=self.finished,
            programs=c.programs,
            statements=c.statements,
            duplicates=c.duplicates,
            misses=c.misses,
            seconds=round(c.seconds, 3),
            reference=c.reference,
            semantics=c.outcomes,
            answers=c.answers,
            findings=c.findings,
            buckets=c.buckets,
            known={} if known is None else {key: url for key in c.buckets if (url := known.issue_of(key))},
            coverage=None if self.coverage is None else self.coverage.decided,
            coverage_shaders=0 if self.coverage is None else self.coverage.shaders,
        )

    def resume(self, record: CampaignRecord) -> None:
        """Goes on where the run of this record ended; its folder must have been reopened."""
        self._resumed, self._date = True, record.date
        self._parents = {line.text: line.id for line in lines_of(self.directory.path / PARENTS, ParentLine)}
        self.counters.restore(record)
        # The folder may hold more than the record of a run that was killed, and those are not filed again.
        self.counters.findings, self.counters.buckets = +self.directory.filed_kinds, +self.directory.filed_buckets
        self._next = self.counters.programs
        path = self.directory.path
        self._recipes = load_recipes(path)
        self.filing.take_up(load_run(path).findings, self._recipes)
        if self.coverage is not None:
            self.coverage.decided.update(record.coverage or {})
            self.coverage.shaders = record.coverage_shaders

    def run(self, budget: Budget) -> Counters:
        """Runs until the budget is spent or `stopped`; every finding is saved on return, and reduced if time allows."""
        if not self._resumed:
            self.directory.create()
        self._budget = self._whole(budget)
        self.directory.update(self.record())
        self.counters.started = time.monotonic() - self.counters.before
        self._deadline = Deadline(self.counters.started, self._budget.seconds, self._hooks.stopped)
        self.filing.waiting = self._deadline.waiting
        with rare_collections(), self._deadline:
            try:
                with suppress(OutOfTime):
                    self._work()
                self.finished = True
            finally:
                self.workers.close()
                self.directory.update(self.record())
        return self.counters

    def _work(self) -> None:
        self._ask_given()
        while self._give():
            while len(self._given) >= self.workers.window:  # a slow task comes in parts: steering waits for all
                self._take()
        while self._given and not self._over:
            self._take()
        self._settle()

    @property
    def _over(self) -> bool:
        """Whether no more is to be drawn: the time is spent, someone stopped the run, or it found what it looks for."""
        return self._deadline.over or self.concern.is_over(self.counters, self.known or KnownBuckets())

    def _ask_given(self) -> None:
        """Asks about the given shaders, from where the last part of the run ended. What is drawn does not change."""
        while (some := self._first.after(self.counters.given)) and not self._over:
            self._first.ask(some, self.plan, self.filing)
            self.counters.given += len(some)
            self._hooks.status(self.counters)
            self._settle()

    # ------------------------------------------------------------------------------------------------ the tasks

    def _give(self) -> bool:
        """Hands out one more task, unless the budget is spent."""
        first, budget = self._next, self._budget
        count = TASK if budget.programs is None else min(TASK, budget.programs - first)
        if count <= 0 or self._over:
            return False
        self._next += count
        self._hand_out(self._advised(Task(first, count, deadline=self._deadline.at)))
        return True

    def _advised(self, task: Task) -> Task:
        """The task with what steering says of the groups that begin in these places."""
        if self.steering is None:
            return replace(task, coverage=self.coverage is not None)
        first, count = task.first, task.count
        recipes = []
        for group in range(-(-first // GROUP), -(-(first + count) // GROUP)):
            recipe = self._recipes.get(group)
            if recipe is None and (recipe := self.steering.recipe(group, self.plan.language_of(group))) is not None:
                self._note(group, recipe)
            if recipe is not None:
                recipes.append((group, recipe))
        return replace(
            task,
            recipes=tuple(recipes),
            coverage=self.coverage is not None,
            probe_every=PROBE_EVERY,
            probe_often=self.steering.shaders.rare(),
            probe_arms=self.steering.modules.rare(),
        )

    def _note(self, group: int, recipe: Recipe) -> None:
        """Keeps a recipe; of its parents each text once."""
        for text in recipe.parents:
            if text not in self._parents:
                self._parents[text] = len(self._parents)
                self.directory.note(PARENTS, ParentLine(self._parents[text], text))
        parents = tuple(self._parents[text] for text in recipe.parents)
        self.directory.note(RECIPES, RecipeLine(group=group, like=recipe.like, parents=parents))

    def _hand_out(self, task: Task, *, first: bool = False) -> None:
        self._given.appendleft(task) if first else self._given.append(task)
        self.workers.give(task, first=first)

    def _take(self) -> None:
        """Takes in the answer to the oldest task."""
        task = self._given.popleft()
        with self._deadline.waiting():
            done = self.workers.take()
        rest = task.count - done.count
        if rest and not self._over:
            self._hand_out(replace(task, first=task.first + done.count, count=rest), first=True)
        self._file(done, dict(task.recipes))  # what breaks this off leaves the task to be done again
        self._count(done)
        c = self.counters
        if c.seconds - self._recorded > RECORD_SECONDS:  # what kill -9 leaves behind
            self._recorded = c.seconds
            self.directory.update(self.record())
            self.directory.note(PROGRESS, c.progress())
        self._hooks.status(c)
        self._settle()

    def _whole(self, budget: Budget) -> Budget:
        """The budget of the run with all its parts: what this one adds to what earlier ones did."""
        seconds = None if budget.seconds is None else budget.seconds + self.counters.before
        return Budget(seconds, None if budget.programs is None else budget.programs + self._next)

    def _settle(self) -> None:
        """Reduces what was found."""
        shown = time.monotonic()

        def give_up() -> bool:
            nonlocal shown
            now = time.monotonic()
            if now - shown > SHOW_SECONDS:  # reducing may take long, and a screen that stands still looks dead
                shown = now
                self._hooks.status(self.counters)
            return self._deadline.hurried

        while self.filing.unreduced and not give_up():
            self.filing.complete_one(give_up)
            self._hooks.status(self.counters)

    # ---------------------------------------------------------------------------------------------- the answers

    def _file(self, done: TaskResult, recipes: dict[int, Recipe]) -> None:
        """Files what is wrong with the answers to a task, which may ask targets again."""
        drawn: ShaderResult | None = None
        for judged in done.judged:
            self._judge(judged, recipes)
            if judged.relation is None:
                drawn = judged
            else:
                assert drawn is not None, "a twin follows its shader"
                self._compare(drawn, judged, recipes)

    def _count(self, done: TaskResult) -> None:
        c = self.counters
        c.programs += done.count
        c.misses += done.misses
        c.waited.update(done.waited)
        c.waited_for += done.count
        for judged in done.judged:
            if judged.relation is not None:
                continue
            c.statements += judged.statements
            c.duplicates += self._seen[judged.key % SEEN] == judged.key
            self._seen[judged.key % SEEN] = judged.key
            c.count(judged)
            if self.steering is not None:
                self.steering.learn(judged)
            if self.coverage is not None and judged.covered is not None and judged.reference == REFERENCE:
                self.coverage.shaders += 1
                self.coverage.decided.update(judged.covered)

    def _judge(self, judged: ShaderResult, recipes: dict[int, Recipe]) -> None:
        """Files what is wrong with one shader's answers; most shaders need not be drawn again for that."""
        floods = [name for name, a in judged.answers.items() if self._is_flood(name, judged.verdict, a)]
        answers = {name: a for name, a in judged.answers.items() if name not in floods}
        for name in floods:
            found = Disagreement(name, Kind.TOO_LENIENT, judged.answers[name], NOT_IMPLEMENTED)
            self.filing.count(found, self._origin(judged, recipes))
        if not judged.diverges and all(a.verdict is judged.verdict for a in answers.values()):
            return
        case = self._case(judged, recipes)
        for found in judge_case(case, answers, self.without_uniformity):
            self.filing.found(case, found, judged.answers, self._origin(judged, recipes))

    def _is_flood(self, name: str, reference: Verdict, answer: Answer) -> bool:
        """Whether this is one more shader accepted by a target without an analysis, with enough of them saved."""
        lenient = reference is Verdict.REJECTS and answer.verdict is Verdict.ACCEPTS
        return lenient and name in self.without_uniformity and self.directory.by_key[unimplemented(name)] >= FEW

    def _compare(self, drawn: ShaderResult, twin: ShaderResult, recipes: dict[int, Recipe]) -> None:
        """Files broken metamorphic relations; the reference itself is judged like any target."""
        assert twin.relation is not None, "only twins are compared"
        if drawn.reference != REFERENCE:
            return  # what a target says of a module's twin is judged by itself
        relation = RELATION[twin.relation]
        before = {REFERENCE: Answer(drawn.verdict)} | drawn.answers
        after = {REFERENCE: Answer(twin.verdict)} | twin.answers
        for name, first in before.items():
            second = after[name]
            if name in self.without_uniformity or not _breaks(relation, first, second):
                continue
            case = self._case(drawn, recipes)
            if case.written is not None and name != REFERENCE:  # the twin is written plainly: compare like with like
                first = self.filing.ask(name, case.plain.text)
                if not _breaks(relation, first, second):
                    continue
            found = Disagreement(name, Kind.METAMORPHIC, second, relation.name)
            given = drawn.answers | {name: first}
            other = self._case(twin, recipes).text
            self.filing.found(case, found, given, self._origin(drawn, recipes), other)

    def _case(self, judged: ShaderResult, recipes: dict[int, Recipe]) -> AnyCase:
        """The shader that was judged, drawn again; executed, if that refuted the reference."""
        case = self._drawer.case(judged.index, recipes.get(judged.index // GROUP, FRESH))
        if judged.relation is not None:
            twin = self._drawer.related(judged.index, case)
            assert twin is not None, "drawn by the worker from the same choices"
            case = twin[0]
        if judged.diverges:
            _ = case.execution
        return case

    def _origin(self, judged: ShaderResult, recipes: dict[int, Recipe]) -> Origin:
        return Origin(self.plan, judged.index, judged.relation, judged.index // GROUP in recipes)


def _breaks(relation: Relation, first: Answer, second: Answer) -> bool:
    """Whether a target's answers to a shader and its twin break a relation: only verdicts can."""
    said = (Verdict.ACCEPTS, Verdict.REJECTS)
    if first.verdict not in said or second.verdict not in said:
        return False
    return broken(relation, first.verdict is Verdict.ACCEPTS, second.verdict is Verdict.ACCEPTS)
