"""The campaign: draw, ask every oracle, judge, reduce, save; until the budget is spent or someone stops it.

While the targets work on one batch the next one is drawn, analysed and executed: one core each.
"""

import gc
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from fuzz import project_version
from fuzz.findings import LIMIT, Origin, RunDirectory, Saved, StorageError, reproduce
from fuzz.judge import REFERENCE, VERDICTS_DIFFER, Disagreement, Kind, judge, rules_of, unimplemented
from fuzz.oracles import Case, account
from fuzz.reduce import reduce
from oracle.analysis import analyse
from oracle.coverage import Coverage
from oracle.execution import Execution
from oracle.targets.protocol import Target
from oracle.verdict import Answer, Outcome, Verdict
from strategies import GENERATOR_VERSION, PROFILES, draw_shader
from tinywgsl.ast import Shader, count_statements

BATCH = 64
"""The most shaders handed over at once."""
PATIENCE = 1.0
"""Seconds that a batch may keep us waiting: a compiler that hangs gets smaller ones, lest it outlast the budget."""
REDUCE_SECONDS = 30.0
"""No finding is reduced for longer: a compiler that hangs answers slowly."""
COLLECT_EVERY = 512
"""Shaders between two searches for cyclic garbage: executed shaders leave some behind."""
RECORD_SECONDS = 10.0
"""How old the record on disk may get."""
HURRIED_SECONDS = 3.0
"""For all findings together once the run is to stop; the rest stay as drawn."""


@dataclass(frozen=True, slots=True)
class Budget:
    """When a campaign ends: after so many seconds or programs, whichever comes first; None: no limit."""

    seconds: float | None = None
    programs: int | None = None


@dataclass(slots=True)
class Counters:
    """What a campaign has done so far."""

    started: float = field(default_factory=time.monotonic)
    programs: int = 0
    statements: int = 0
    duplicates: int = 0
    reference: Counter[Verdict] = field(default_factory=Counter)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    answers: dict[str, Counter[Verdict]] = field(default_factory=dict)
    findings: Counter[str] = field(default_factory=Counter)
    buckets: Counter[str] = field(default_factory=Counter)
    saved: list[Saved] = field(default_factory=list)
    last_finding: float | None = None

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started


@dataclass(slots=True)
class _Batch:
    first: int
    cases: list[Case]


class Campaign:
    """One run. `status` is called after each batch and each finding; `stopped` is asked between batches."""

    def __init__(
        self,
        targets: Sequence[Target],
        directory: RunDirectory,
        *,
        seed: int,
        profile: str = "default",
        status: Callable[[Counters], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.targets = {t.name: t for t in targets}
        self.without_uniformity = frozenset(t.name for t in targets if not t.checks_uniformity)
        self.directory = directory
        self.seed = seed
        self.profile = profile
        self.status = status
        self.stopped = stopped
        self.counters = Counters(answers={name: Counter() for name in self.targets})
        self.finished = False
        """Whether the run came to its end, be it by Ctrl-C: False in the record of one that was killed."""
        self.coverage: Coverage | None = None
        """If given: which branches of the rules decide, over one shader of each batch (asking costs 40 verdicts)."""
        self._seen: set[int] = set()
        self._recorded = 0.0
        self._size = BATCH // 8
        self._flying: deque[_Batch] = deque()
        self._unreduced: deque[tuple[Case, Disagreement, Saved]] = deque()

    def record(self) -> dict[str, Any]:
        """The run's record (DESIGN, section 5), with the counts so far."""
        c = self.counters
        return {
            "version": project_version(),
            "generator": GENERATOR_VERSION,
            "seed": self.seed,
            "profile": self.profile,
            "targets": {name: t.origin for name, t in self.targets.items()},
            "finished": self.finished,
            "programs": c.programs,
            "duplicates": c.duplicates,
            "seconds": round(c.seconds, 3),
            "reference": {v.value: n for v, n in c.reference.items()},
            "semantics": {o.value: n for o, n in c.outcomes.items()},
            "answers": {name: {v.value: n for v, n in counts.items()} for name, counts in c.answers.items()},
            "buckets": dict(c.buckets),
            "coverage": None if self.coverage is None else self.coverage.decided,
        }

    def run(self, budget: Budget) -> Counters:
        """Runs until the budget is spent or `stopped`; every finding is saved and reduced on return."""
        self.directory.create(self.record())
        self.counters.started = time.monotonic()
        drawn = 0
        gc.freeze()  # what is there now stays,
        gc.disable()  # and shaders are trees: looking for cycles in them at every turn costs a third of the time
        try:
            while not self._spent(budget, drawn):
                size = self._size if budget.programs is None else min(self._size, budget.programs - drawn)
                self._launch(drawn, size)
                drawn += size
                if len(self._flying) > 1:
                    self._land()
                if self._unreduced:
                    self._settle()
            self._settle()
            self.finished = True
        finally:
            gc.enable()
            gc.unfreeze()
            self.directory.update(self.record())
        return self.counters

    def _spent(self, budget: Budget, drawn: int) -> bool:
        if self.stopped() or (budget.programs is not None and drawn >= budget.programs):
            return True
        return budget.seconds is not None and self.counters.seconds >= budget.seconds

    # ------------------------------------------------------------------------------------------------- batches

    def _launch(self, first: int, size: int) -> None:
        """Draws a batch, hands it to the targets, and asks our own oracles while they work."""
        cases = []
        for index in range(first, first + size):
            seed = shader_seed(self.seed, index)
            case = Case(draw_shader(seed, PROFILES[self.profile]), seed)
            key = hash(case.text)
            self.counters.duplicates += key in self._seen
            self._seen.add(key)
            cases.append(case)
        for target in self.targets.values():
            target.submit([case.text for case in cases])
        self._flying.append(_Batch(first, cases))
        for case in cases:
            if case.verdict is Verdict.ACCEPTS:
                _ = case.execution

    def _land(self) -> None:
        """Collects the oldest batch's answers and judges them."""
        c = self.counters
        batch = self._flying[0]
        begun = time.monotonic()
        answers = {name: target.collect() for name, target in self.targets.items()}
        waited = time.monotonic() - begun
        self._size = max(1, self._size // 4) if waited > PATIENCE else min(BATCH, self._size * 2)
        self._flying.popleft()
        for i, case in enumerate(batch.cases):
            given = {name: answers[name][i] for name in answers}
            c.reference[case.verdict] += 1
            if case.verdict is Verdict.ACCEPTS:
                c.outcomes[case.execution.outcome] += 1
            for name, answer in given.items():
                c.answers[name][answer.verdict] += 1
            execute = partial(self._execution, case, given)
            for found in judge(case.shader, case.verdict, execute, given, self.without_uniformity):
                self._found(case, found, given, batch.first + i)
        c.programs += len(batch.cases)
        if self.coverage is not None:
            self.coverage.add(batch.cases[0].shader, batch.cases[0].verdict)
        if batch.first // COLLECT_EVERY != (batch.first + len(batch.cases)) // COLLECT_EVERY:
            gc.collect()
        if c.seconds - self._recorded > RECORD_SECONDS:  # what kill -9 leaves behind
            self._recorded = c.seconds
            self.directory.update(self.record())
        self.status(c)

    def _execution(self, case: Case, given: dict[str, Answer]) -> Execution:
        """The semantics' answer; not asked when only targets without an analysis accept, and that is known by now."""
        if case.verdict is Verdict.REJECTS:
            accepting = {name for name, answer in given.items() if answer.verdict is Verdict.ACCEPTS}
            known = {name for name in self.without_uniformity if self.directory.by_key[unimplemented(name)] >= LIMIT}
            if accepting <= known:
                return Execution(Outcome.NOT_SEEN, 0)
        return case.execution

    def _settle(self) -> None:
        """Lands every batch in flight and reduces what was found: reducing needs the targets to itself."""
        while self._flying:
            self._land()
        begun = time.monotonic()

        def give_up() -> bool:
            return self.stopped() and time.monotonic() - begun > HURRIED_SECONDS

        while self._unreduced and not give_up():
            self._reduce(*self._unreduced.popleft(), give_up)
            self.status(self.counters)

    # ------------------------------------------------------------------------------------------------ findings

    def _found(self, case: Case, found: Disagreement, given: dict[str, Answer], index: int) -> None:
        c = self.counters
        c.findings[found.kind.value] += 1
        c.buckets[found.key] += 1
        c.last_finding = time.monotonic()
        origin = Origin(self.seed, index, self.profile, GENERATOR_VERSION)
        try:
            if not self.directory.wants(found):
                self.directory.count(found, origin)
                return
            saved = self.directory.save(found, case.text, self._finding(case, found, given, origin))
        except StorageError as error:  # what the disk does not take, the message does
            raise StorageError(f"{error}; found and not saved: {found.key}, {draw_again(origin)}") from error
        c.saved.append(saved)
        self._unreduced.append((case, found, saved))

    def _finding(self, case: Case, found: Disagreement, given: dict[str, Answer], origin: Origin) -> dict[str, Any]:
        return {
            "version": project_version(),
            "kind": found.kind.value,
            "target": found.target,
            "bucket": found.key,
            "cause": found.cause,
            "seed": origin.seed,
            "index": origin.index,
            "profile": origin.profile,
            "generator": origin.generator,
            "describes": "drawn.wgsl",
            "threads": case.shader.workgroup_size,
            "targets": {name: t.origin for name, t in self.targets.items()},
            "verdicts": case.verdicts() | {name: answer.verdict.value for name, answer in given.items()},
            "message": found.answer.message,
            "statements": {"drawn": count_statements(case.shader)},
            "explanation": account(case, found),
            "draw again": draw_again(origin),
        }

    def _reduce(self, case: Case, found: Disagreement, saved: Saved, hurry: Callable[[], bool]) -> None:
        """Reduces a finding to a shader that shows the same kind and cause, and completes its record."""
        begun = time.monotonic()
        last: list[tuple[Case, Disagreement]] = [(case, found)]

        def shows_it(shader: Shader) -> bool:
            candidate = Case(shader, case.seed)
            again = self._again(candidate, found, case.verdict)
            if again is not None:
                last[0] = (candidate, again)
            return again is not None

        def give_up() -> bool:
            return hurry() or time.monotonic() - begun > REDUCE_SECONDS

        reduction = reduce(case.shader, shows_it, give_up=give_up)
        least, shown = last[0] if last[0][0].shader == reduction.shader else (Case(reduction.shader, case.seed), found)
        if shown.kind is Kind.TOO_LENIENT and least.execution.outcome is Outcome.DIVERGES:
            shown = self._worse(shown, saved)
        _ = least.execution  # for the record
        more = {
            "kind": shown.kind.value,
            "bucket": shown.key,
            "describes": "reduced.wgsl",
            "threads": least.shader.workgroup_size,
            "verdicts": least.verdicts() | {found.target: shown.answer.verdict.value},
            "message": shown.answer.message,
            "statements": {"drawn": count_statements(case.shader), "reduced": count_statements(least.shader)},
            "explanation": account(least, shown),
            "reproduce": reproduce(found.target, str(saved.folder / "reduced.wgsl")),
            "drawn": {name: saved.record[name] for name in ("kind", "threads", "verdicts", "message")},
        }
        self.directory.complete(saved, more, least.text)

    def _worse(self, lenient: Disagreement, saved: Saved) -> Disagreement:
        """A finding counted as too lenient whose reduced shader diverges: unsound after all."""
        unsound = replace(lenient, kind=Kind.UNSOUND)
        for counts, before, after in (
            (self.counters.findings, lenient.kind.value, unsound.kind.value),
            (self.counters.buckets, lenient.key, unsound.key),
        ):
            counts[before] -= 1
            counts[after] += 1
            if not counts[before]:
                del counts[before]
        self.directory.rename(saved, unsound)
        return unsound

    def _again(self, candidate: Case, found: Disagreement, reference: Verdict) -> Disagreement | None:
        """The same finding on another shader, if it shows it; the semantics is asked only about unsoundness."""
        if found.kind in VERDICTS_DIFFER and candidate.verdict is not reference:
            return None
        rules = rules_of(found.cause)  # asked first: most candidates fail here, before any compiler is troubled
        if rules is not None and analyse(candidate.shader, rules).verdict is not found.answer.verdict:
            return None
        given: dict[str, Answer] = {}
        if found.target != REFERENCE:
            target = self.targets[found.target]
            target.submit([candidate.text])
            given = {found.target: target.collect()[0]}

        def execute() -> Execution:
            return candidate.execution if found.kind is Kind.UNSOUND else Execution(Outcome.NOT_SEEN, 0)

        for again in judge(candidate.shader, candidate.verdict, execute, given, self.without_uniformity):
            if again.target == found.target and again.kind is found.kind and again.cause == found.cause:
                return again
        return None


def shader_seed(run_seed: int, index: int) -> int:
    """The seed of a run's shader: runs with different seeds share none."""
    return (run_seed << 40) + index


def draw_again(origin: Origin) -> str:
    """The command that draws a shader of a run again."""
    return (
        f"wgsl-fuzz generate -n 1 --seed {origin.seed} --first {origin.index} --profile {origin.profile} --format wgsl"
    )
