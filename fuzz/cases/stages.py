"""Where the processor time of a campaign goes: a clock for each stage of the work."""

import time
from collections import Counter

DRAWING, PRINTING, ANALYSING, EXECUTING = "drawing", "printing", "analysing", "executing"
ASKING, JUDGING, REDUCING, BOOKKEEPING = "asking targets", "judging", "reducing", "bookkeeping"
STAGES = (DRAWING, PRINTING, ANALYSING, EXECUTING, ASKING, JUDGING, REDUCING, BOOKKEEPING)
"""The stages, in the order in which a shader goes through them. Of ASKING only our part: compilers are processes."""


_now = getattr(time, "thread_time_ns", time.process_time_ns)
"""WebAssembly has no clock for each thread."""


class StageClock:
    """Processor time of one thread by stage, each without the stages entered meanwhile."""

    def __init__(self) -> None:
        self._spent: Counter[str] = Counter()
        self._stage: str | None = None
        self._since = 0

    def enter(self, stage: str | None) -> str | None:
        """From now on the thread is in this stage, or in none that counts; the stage that it was in."""
        now, before = _now(), self._stage
        if before is not None:
            self._spent[before] += now - self._since
        self._stage, self._since = stage, now
        return before

    def taken(self) -> dict[str, float]:
        """Seconds by stage since this was asked last."""
        self.enter(self._stage)
        spent = {stage: ns / 1e9 for stage, ns in self._spent.items()}
        self._spent.clear()
        return spent
