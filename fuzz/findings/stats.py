"""What a run used and how fast it was, over time: `stats.jsonl` in its folder, which other programs may read meanwhile.

A line is added every EVERY seconds. Once there are MOST, old ones are thinned out: what is kept of them lies evenly
over time. So the file of a run of a month is as large as that of a run of a night.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

import orjson

from wgsl_fuzz.fuzz.cases.stages import STAGES
from wgsl_fuzz.fuzz.findings.directory import lines_of, write_atomically
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.findings.state import StorageError
from wgsl_fuzz.oracle.verdict import Outcome, Verdict

STATS = "stats.jsonl"
EVERY = 10.0
"""Seconds between two lines."""
MOST = 2048
"""Lines; half of these are left when old ones are thinned out."""
SHOWN = 16
"""Processes of a role whose memory is given one by one."""
LARGEST = float(1 << 62)
"""No number that a run writes is as large."""

REST = "the rest"
"""Where time goes that no stage accounts for: to start processes, and to the threads at their pipes."""
CAMPAIGN, WORKERS, COMPILERS = "campaign", "workers", "compilers"
ROLES = (CAMPAIGN, WORKERS, COMPILERS)
"""The processes of a run: the one that counts and files, those that draw and judge, and what these start."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Resident:
    """The resident memory of the processes of a role, in bytes."""

    processes: int
    bytes: int
    """Of all of them."""
    largest: tuple[int, ...] = ()
    """Of each, the largest first; of SHOWN at most."""

    @classmethod
    def of(cls, sizes: Sequence[int]) -> "Resident":
        """The memory of processes of these sizes."""
        return cls(processes=len(sizes), bytes=sum(sizes), largest=tuple(sorted(sizes, reverse=True)[:SHOWN]))


@dataclass(frozen=True, kw_only=True, slots=True)
class StatsLine:
    """A line of stats.jsonl. What is counted is of the whole run up to then, its earlier parts included."""

    seconds: float
    programs: int
    rate: float | None = None
    """Programs a second since the sample before."""
    languages: dict[str, int] = field(default_factory=dict)
    """Programs of each language."""
    soundness: dict[str, int] = field(default_factory=dict)
    """Of the shaders that the reference accepts (`fuzz.findings.stats`)."""
    findings: dict[str, int] = field(default_factory=dict)
    """By kind."""
    buckets: int = 0
    new_buckets: int = 0
    """Those that are not known."""
    to_reduce: int = 0
    memory: dict[str, Resident] = field(default_factory=dict)
    """By role."""
    processor: dict[str, float] = field(default_factory=dict)
    """Seconds of processor time by role."""
    stages: dict[str, float] = field(default_factory=dict)
    """Seconds of processor time by stage: of what campaign and workers did themselves."""
    restarts: dict[str, dict[str, int]] = field(default_factory=dict)
    """How often workers, or the child of a target, were replaced, by the reason."""

    @property
    def times(self) -> dict[str, float]:
        """Where the seconds of processor time went, all of them: stages, compilers, and what no stage accounts for."""
        stages = {stage: self.stages[stage] for stage in STAGES if stage in self.stages}
        ours = sum(self.processor.get(role, 0.0) for role in (CAMPAIGN, WORKERS))
        rest = {COMPILERS: self.processor.get(COMPILERS, 0.0), REST: max(0.0, ours - sum(stages.values()))}
        return stages | rest if stages or self.processor else {}

    @property
    def is_sound(self) -> bool:
        """Whether a run could have written these numbers."""
        numbers: list[float] = [self.seconds, self.programs, self.buckets, self.new_buckets, self.to_reduce]
        numbers += [0.0 if self.rate is None else self.rate, *self.languages.values(), *self.findings.values()]
        numbers += self.soundness.values()
        numbers += [*self.processor.values(), *self.stages.values()]
        for one in self.memory.values():
            numbers += [one.processes, one.bytes, *one.largest]
        for of_target in self.restarts.values():
            numbers += of_target.values()
        return all(isfinite(number) and 0 <= number < LARGEST for number in numbers)


def read_stats(folder: Path) -> list[StatsLine]:
    """The latest lines of a run, the oldest of them first; none for a run without them. What no run writes is left out:
    the end of a line that a kill cut off, say. The folder may be anybody's.
    """
    return [line for line in lines_of(folder / STATS, StatsLine) if line.is_sound][-2 * MOST :]


def thinned(lines: Sequence[StatsLine]) -> list[StatsLine]:
    """At most half of MOST of these lines, evenly over time, the first and the last among them."""
    step = EVERY
    while True:
        kept = [line for i, line in enumerate(lines) if not i or line.seconds // step != lines[i - 1].seconds // step]
        if len(kept) < MOST // 2:
            return kept if not lines or kept[-1] is lines[-1] else [*kept, lines[-1]]
        step *= 2


class StatsLog:
    """The stats of the run in a folder, to be added to by whoever holds its lock. Raises StorageError."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / STATS
        if self._path.is_symlink():
            raise StorageError(f"{self._path} is a link, which is not followed")
        lines = read_stats(folder)
        self.last = lines[-1] if lines else None
        """The line that was written last, perhaps by an earlier part of the run."""
        self._count = len(lines)
        if self._path.exists():
            self._replace(lines)  # the next line must not continue one that was cut off

    def add(self, line: StatsLine) -> None:
        """Writes a line."""
        self.last = line
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # no link, and no pipe to wait for
        try:
            number = os.open(self._path, flags, 0o644)
            with os.fdopen(number, "wb") as file:
                file.write(_text(line))
        except OSError as error:
            raise StorageError(f"cannot write {self._path}: {error.strerror}") from error
        self._count += 1
        if self._count >= MOST:
            self._replace(thinned(read_stats(self._path.parent)))

    def _replace(self, lines: Sequence[StatsLine]) -> None:
        write_atomically(self._path, b"".join(map(_text, lines)))
        self._count = len(lines)


def _text(line: StatsLine) -> bytes:
    return orjson.dumps(write(line)) + b"\n"


def added(before: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """Seconds by name, of two parts of a run."""
    return {name: before.get(name, 0.0) + more.get(name, 0.0) for name in {**before, **more}}


ACCEPTED, NOT_RUN = "accepted", "not run"
WORDS = {
    Outcome.CONVERGES: "proven",
    Outcome.NOT_SEEN: "sampled",
    Outcome.OUT_OF_STEPS: "out of steps",
    Outcome.DIVERGES: "diverging",
}
"""What an accepted shader is, by what the semantics says of it (docs/words.md)."""


def soundness_of(reference: Mapping[Verdict, int], semantics: Mapping[Outcome, int]) -> dict[str, int]:
    """How many shaders the reference accepts, and how many of these are what; from the two counts of a run.

    The others add up to `accepted`, unless a run was killed between two writes.
    """
    accepted = reference.get(Verdict.ACCEPTS, 0)
    counts = {word: semantics.get(outcome, 0) for outcome, word in WORDS.items()}
    return {ACCEPTED: accepted, **counts, NOT_RUN: max(0, accepted - sum(counts.values()))}


def soundness_line(counts: Mapping[str, int]) -> str:
    """`accepted by the reference: 948; 0 proven to converge, 769 sampled without a divergence, ...`."""
    more = {"proven": " to converge", "sampled": " without a divergence"}
    shown = {word: n for word, n in counts.items() if word != ACCEPTED and (n or word != WORDS[Outcome.DIVERGES])}
    parts = ", ".join(f"{n:,} {word}{more.get(word, '')}" for word, n in shown.items())
    return f"accepted by the reference: {counts[ACCEPTED]:,}; {parts}"
