"""Resource monitor of a campaign: writes memory, processor time and rates to stats.jsonl."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.campaign.pool import InProcessPool, WorkerPool
from wgsl_fuzz.fuzz.campaign.reduce_task import ReductionResult
from wgsl_fuzz.fuzz.campaign.remote import CHILD
from wgsl_fuzz.fuzz.campaign.worker import RestartLedger, TaskResult
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.cases.stages import REDUCING, StageClock
from wgsl_fuzz.fuzz.findings.stats import CAMPAIGN, COMPILERS, EVERY, WORKERS, Resident, StatsLine, StatsLog, added
from wgsl_fuzz.oracle.targets.protocol import Target

_Look = tuple[int, int, float, float, bool]
"""One process: its parent, bytes of memory, seconds of its own and of children that it waited for; whether it works."""


class ProcessTree:
    """This process and all that it started, by their roles.

    What a worker and its compilers did between the last look at them and their end is not known.
    """

    def __init__(self) -> None:
        self._own = psutil.Process()
        self._seen: dict[psutil.Process, tuple[float, float]] = {}
        """Of this process and of each worker there was the seconds of its own, and of the compilers below it."""

    def usage(self) -> tuple[dict[str, list[int]], dict[str, float]]:
        """What the processes of the run use, by their role; to look at all takes some milliseconds.

        First the bytes of memory of each that lives, the largest first; then the seconds so far, those of processes
        that ended included.
        """
        found = {one: look for one in (self._own, *self._own.children(recursive=True)) if (look := _look(one))}
        workers = {one.pid for one, (*_, is_worker) in found.items() if is_worker}
        by_pid = {one.pid: one for one in found}
        resident, below = defaultdict[str, list[int]](list), defaultdict[psutil.Process, float](float)
        own: dict[psutil.Process, float] = {}
        for one, (_, size, seconds, waited, _) in found.items():
            base = one
            while base != self._own and base.pid not in workers:
                base = by_pid.get(found[base][0], self._own)
            if one != base:
                below[base] += seconds + waited
            else:
                own[base] = seconds
                below[base] += 0.0 if workers and base == self._own else waited
            role = COMPILERS if one != base else CAMPAIGN if one == self._own else WORKERS
            resident[role].append(size)
        for base in own:  # nothing that was seen before is taken back
            before = self._seen.get(base, (0.0, 0.0))
            self._seen[base] = max(own[base], before[0]), max(below[base], before[1])
        processor: dict[str, float] = {}
        for base, (of_base, of_compilers) in self._seen.items():
            role = CAMPAIGN if base == self._own else WORKERS
            processor = added(processor, {role: of_base, COMPILERS: of_compilers})
        return {role: sorted(sizes, reverse=True) for role, sizes in resident.items()}, processor


def _look(process: psutil.Process) -> _Look | None:
    """What there is to say of a process; nothing of one that has ended."""
    try:
        with process.oneshot():
            times = process.cpu_times()
            own, waited = times.user + times.system, times.children_user + times.children_system
            return process.ppid(), process.memory_info().rss, own, waited, CHILD in process.cmdline()
    except psutil.Error:
        return None


class Monitor:
    """Measures one run. `clock` is that of the campaign's own stages."""

    def __init__(self, plan: Plan, workers: WorkerPool, targets: Sequence[Target]) -> None:
        self.clock = StageClock()
        self.latest: StatsLine | None = None
        """The latest sample. Other threads may read it."""
        self._plan, self._workers = plan, workers
        own = [] if isinstance(workers, InProcessPool) else targets  # else the worker tells of them
        self._restarts, self._ledger = {WORKERS: Counter[str]()}, RestartLedger(own)
        self._told: Counter[str] = Counter()
        self._stages: dict[str, float] = {}
        self._tree = ProcessTree()
        self._log: StatsLog | None = None
        self._before = StatsLine(seconds=0.0, programs=0)
        """What earlier parts of the run came to."""

    def begin(self, folder: Path) -> None:
        """Goes on with the stats in a run's folder. Raises StorageError."""
        self._log = StatsLog(folder)
        if self._log.last is not None:
            self._before = self._log.last
            self._stages = added(self._stages, self._before.stages)
            self._count({name: Counter(restarts) for name, restarts in self._before.restarts.items()})

    def take_in(self, done: TaskResult | ReductionResult) -> None:
        """Counts what a worker spent on its answer."""
        if isinstance(done, ReductionResult):
            self._stages = added(self._stages, {REDUCING: done.spent})
        else:
            self._stages = added(self._stages, done.spent)
        self._count(done.restarts)

    def is_due(self, seconds: float) -> bool:
        """Whether it is time for a sample."""
        return self.latest is None or seconds - self.latest.seconds >= EVERY

    def sample(self, counters: Counters, new_buckets: int, to_reduce: int) -> None:
        """Measures, and writes it down."""
        assert self._log is not None, "begun"
        self._stages = added(self._stages, self.clock.taken())
        self._count(self._ledger.news())
        pool = Counter(self._workers.restarts)
        self._count({WORKERS: pool - self._told})
        self._told = pool
        (resident, processor), before, last = self._tree.usage(), self._before, self.latest or self._before
        seconds, programs = round(counters.seconds, 1), counters.programs
        passed = seconds - last.seconds
        self.latest = StatsLine(
            seconds=seconds,
            programs=programs,
            rate=round(max(0, programs - last.programs) / passed, 2) if passed > 0 and self.latest else None,
            languages=self._plan.languages_of(programs),
            soundness=counters.soundness,
            findings={kind.value: n for kind, n in counters.findings.items()},
            buckets=len(counters.keys),
            new_buckets=new_buckets,
            to_reduce=to_reduce,
            memory={role: Resident.of(sizes) for role, sizes in resident.items()},
            processor=_rounded(added(before.processor, processor)),
            stages=_rounded(self._stages),
            restarts={name: dict(of_name) for name, of_name in self._restarts.items() if of_name},
        )
        self._log.add(self.latest)

    def _count(self, restarts: Mapping[str, Counter[str]]) -> None:
        for name, more in restarts.items():
            self._restarts.setdefault(name, Counter()).update(more)


def _rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    return {name: round(one, 3) for name, one in seconds.items()}
