"""Which finding is reduced next: the first of each raw bucket at once, the others while nothing is lost by it.

Findings of several targets on one text, of one kind and cause, are reduced together.
"""

from collections.abc import Hashable, Sequence

from wgsl_fuzz.fuzz.campaign.pool import WorkerPool
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import DRAWN, RELATED

QUIET = 4
"""One reduction is begun for so many answers to tasks, beside those of the first finding of each raw bucket."""

_Line = dict[Hashable, list[Finding]]
"""Findings that wait, those that are reduced together under one key; in the order in which they came."""


class ReductionQueue:
    """The findings of a run that are to be reduced by its workers."""

    def __init__(self, workers: WorkerPool) -> None:
        self.at_work = 0
        """How many reductions the workers have."""
        self._workers = workers
        self._firsts: _Line = {}
        self._others: _Line = {}
        self._answers = 0

    @property
    def left(self) -> int:
        """How many reductions are at work or wait."""
        return self.at_work + len(self._firsts) + len(self._others)

    def put(self, findings: Sequence[Finding]) -> None:
        """Puts findings in line; one on a text that waits already goes with the other."""
        for saved in findings:
            key = _together(saved)
            if saved.nth == 1 and key in self._others:
                self._firsts[key] = self._others.pop(key)
            line = self._firsts if saved.nth == 1 or key in self._firsts else self._others
            line.setdefault(key, []).append(saved)

    def begin_some(self) -> None:
        """Begins reductions after an answer to a task: at most half of the workers have one at a time."""
        self._answers += 1
        self._begin(max(1, self._workers.threads // 2), quietly=self._answers % QUIET != 0)

    def begin_more(self, *, hurry: bool) -> None:
        """Begins reductions when nothing is drawn any more; only what matters most in a `hurry`."""
        if hurry:
            self._others.clear()
        self._begin(max(1, self._workers.threads), quietly=False)

    def _begin(self, most: int, *, quietly: bool) -> None:
        while self.at_work < most and (self._firsts or (self._others and not quietly)):
            line = self._firsts or self._others
            saved, *others = sorted(line.pop(next(iter(line))), key=lambda one: (one.nth != 1, one.record.target))
            self._workers.reduce((saved, *others))
            self.at_work += 1


def _together(saved: Finding) -> Hashable:
    """Equal for findings of several targets on one text of one place in the run, of one kind and cause.

    What only a spelling shows, and what is of two texts, is a matter of its own target.
    """
    record, place = saved.record, saved.record.place
    if record.forms is not None or RELATED in saved.files:
        return saved.number
    return place.index, place.file, place.relation, record.kind, record.cause, saved.files.get(DRAWN)
