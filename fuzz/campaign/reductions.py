"""Which finding is reduced next: the first of each raw bucket at once, the others while nothing is lost by it."""

from collections import deque
from collections.abc import Sequence

from wgsl_fuzz.fuzz.campaign.guide import recipe_of
from wgsl_fuzz.fuzz.campaign.pending import ReductionTask, given_text
from wgsl_fuzz.fuzz.campaign.pool import WorkerPool
from wgsl_fuzz.fuzz.cases.plan import FRESH
from wgsl_fuzz.fuzz.findings.directory import RunDirectory, SavedFinding

QUIET = 4
"""One reduction is begun for so many answers to tasks, beside those of the first finding of each raw bucket."""


class ReductionQueue:
    """The findings of a run that are to be reduced by its workers."""

    def __init__(self, workers: WorkerPool, directory: RunDirectory) -> None:
        self.at_work = 0
        """How many reductions the workers have."""
        self._workers, self._directory = workers, directory
        self._firsts: deque[SavedFinding] = deque()
        self._others: deque[SavedFinding] = deque()
        self._answers = 0

    def put(self, findings: Sequence[SavedFinding]) -> None:
        """Puts findings in line."""
        for saved in findings:
            (self._firsts if saved.nth == 1 else self._others).append(saved)

    def begin_some(self) -> None:
        """Begins reductions after an answer to a task: at most half of the workers have one at a time."""
        self._answers += 1
        self._begin(max(1, self._workers.window // 4), quietly=self._answers % QUIET != 0)

    def begin_more(self, *, hurry: bool) -> None:
        """Begins reductions when nothing is drawn any more; only what matters most in a `hurry`."""
        if hurry:
            self._others.clear()
        self._begin(max(1, self._workers.window // 2), quietly=False)

    def _begin(self, most: int, *, quietly: bool) -> None:
        while self.at_work < most and (self._firsts or (self._others and not quietly)):
            saved = (self._firsts or self._others).popleft()
            index = saved.record.place.index
            recipe = FRESH if index is None else recipe_of(index, self._directory.state)
            self._workers.reduce(ReductionTask(saved, recipe, given_text(saved.record)))
            self.at_work += 1
