"""What a campaign shows: a live table in a terminal, a plain line every few seconds elsewhere, and the last lines."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import Protocol

from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.findings.directory import StorageError
from wgsl_fuzz.fuzz.findings.known import KnownBuckets
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.stats import soundness_line
from wgsl_fuzz.fuzz.judging.judge import BucketKey, Kind
from wgsl_fuzz.fuzz.output import Console
from wgsl_fuzz.fuzz.present.wording import clock, count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.triage import bucketed
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Verdict

EVERY = 5.0
"""Seconds between plain lines."""
SLOW = 0.1
"""A target that takes so many seconds for a shader is said to be slow; ..."""
HOLDS_UP, MUCH = 0.02, 4
"""... among several targets one that takes so long, and so many times as long as all others."""
SPARED = 0.002
"""Seconds that such a target may take of each shader, to be no burden to the others."""


class Status(Protocol):
    """Shows counters; called as often as the campaign likes."""

    def __call__(self, counters: Counters) -> None:
        """Shows the campaign's counters."""


@contextmanager
def shown(
    console: Console, targets: list[Target], drawn: str, samples: Mapping[str, int] | None = None
) -> Iterator[Status]:
    """The status for this terminal, or for none; `samples` has the targets that are asked about one in so many."""
    part = {name: f"; asked about one shader in {every:,}" for name, every in (samples or {}).items()}
    origins = {t.name: t.origin + part.get(t.name, "") for t in targets}
    if not console.is_terminal:
        for name, origin in origins.items():
            console.print(f"target {name}: {origin}; {drawn}", soft_wrap=True)
        yield _PlainLines(console)
        return
    with Live(console=console, refresh_per_second=4, transient=True) as live:

        def update(counters: Counters) -> None:
            live.update(_screen(counters, origins, drawn))

        yield update


@contextmanager
def changing_line(doing: str) -> Iterator[Callable[[str], None]]:
    """A line on standard error that changes, on a terminal only: what is being done, and how far it is."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status(doing) as status:
        yield lambda line: status.update(f"{doing}: {line}")


class _PlainLines:
    def __init__(self, console: Console) -> None:
        self.console = console
        self.last = time.monotonic()
        self.told: set[str] = set()
        self.reducing = False

    def __call__(self, counters: Counters) -> None:
        for name, words in slow_targets(counters).items():
            if name not in self.told:
                self.told.add(name)
                self.console.print(words, soft_wrap=True)
        begins, self.reducing = bool(counters.reducing) and not self.reducing, bool(counters.reducing)
        if begins or time.monotonic() - self.last >= EVERY:
            self.last = time.monotonic()
            self.console.print(line(counters), soft_wrap=True)


def line(c: Counters) -> str:
    """One line: programs, rate, share accepted by the reference, findings."""
    found = ", ".join(f"{n} {kind.value}" for kind, n in c.findings.most_common()) or "no finding"
    return (
        f"{c.seconds:7.1f} s  {count(c.programs, 'program')}  {c.programs / max(c.seconds, 1e-9):.0f}/s  "
        f"{_percent(c.reference[Verdict.ACCEPTS], c.reference.total())} accepted  {found}{reducing(c)}"
    )


def reducing(c: Counters) -> str:
    """That nothing is drawn any more, and how much is left to do; nothing before that and afterwards."""
    return f"; reducing: {count(c.reducing, 'reduction')} left" if c.reducing else ""


def slow_targets(c: Counters) -> dict[str, str]:
    """A sentence on each target that takes long, with the rate to be expected."""
    taken = {name: seconds / c.waited_for for name, seconds in c.waited.items() if c.waited_for}
    told = {}
    for name, seconds in taken.items():
        holds_up = len(taken) > 1 and seconds >= max(HOLDS_UP, MUCH * (sum(taken.values()) - seconds))
        if seconds >= SLOW or holds_up:
            taken_by_one = f"{seconds:.1f} s" if seconds >= SLOW else f"{1000 * seconds:.0f} ms"
            rate = f"{taken_by_one} a shader, about {60 / seconds:,.0f} shaders a minute in each process"
            told[name] = f"{name} is slow: {rate}"
            if holds_up and sum(c.answers[name].values()) == c.programs:
                told[name] += f"; --sample {name}=1/{_sample(seconds)} would not hold up the others"
    return told


def _sample(seconds: float) -> int:
    """Of how many shaders a target may be asked about one."""
    every = 1
    while seconds > SPARED * every:
        every *= 2
    return every


def _screen(c: Counters, origins: dict[str, str], drawn: str) -> RenderableType:
    head = Text.assemble(
        ("wgsl-fuzz", "bold"),
        f"  {clock(c.seconds)}  {count(c.programs, 'program')}  {c.programs / max(c.seconds, 1e-9):,.0f}/s  ",
        f"{_percent(c.reference[Verdict.ACCEPTS], c.reference.total())} accepted  {drawn}",
    )
    parts: list[RenderableType] = [head, verdict_table(c, origins)]
    if c.buckets:
        ago = "" if c.last_finding is None else f"  (the last {clock(time.monotonic() - c.last_finding)} ago)"
        kinds = ", ".join(f"{n} {kind.value}" for kind, n in c.findings.most_common())
        parts += [Text(f"findings: {kinds}{ago}{reducing(c)}", style="bold red"), bucket_table(c)]
    else:
        parts.append(Text("no finding yet", style="green"))
    parts += [Text(words, style="yellow") for words in slow_targets(c).values()]
    parts.append(Text("Ctrl-C ends the run and keeps everything", style="dim"))
    return Group(*parts)


def verdict_table(c: Counters, origins: dict[str, str]) -> Table:
    """Each oracle's verdicts."""
    table = Table(box=None, pad_edge=False)
    table.add_column("oracle")
    seen = set(c.reference).union(*c.answers.values())
    shown = [verdict for verdict in Verdict if verdict is not Verdict.UNSUPPORTED or verdict in seen]
    for verdict in shown:
        table.add_column(verdict.value, justify="right")
    table.add_column("which is", style="dim")
    table.add_row("reference", *_counts(c.reference, shown), "section 15.2 of the WGSL specification")
    for name, origin in origins.items():
        table.add_row(name, *_counts(c.answers[name], shown), origin)
    table.add_row("semantics", *[""] * len(shown), soundness_line(c.soundness))
    return table


def _counts(counts: dict[Verdict, int], shown: Sequence[Verdict]) -> list[str]:
    return [f"{counts.get(verdict, 0):,}" if counts.get(verdict, 0) else "-" for verdict in shown]


def bucket_table(c: Counters) -> Table:
    """The findings by raw bucket."""
    table = Table(box=None, pad_edge=False)
    table.add_column("bucket")
    table.add_column("found", justify="right")
    for key, n in c.buckets.most_common(12):
        table.add_row(str(key), f"{n:,}")
    return table


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


SAVED = 200
"""Of so many findings it takes a moment to say how many buckets `triage` makes of them."""
NAMED = 3
"""So many buckets are named in a line; the others are counted."""
_KINDS = [None, *Kind]


def closing_lines(c: Counters, out: str, known: KnownBuckets, left: str, status: int) -> Iterator[str]:
    """The lines; `left` says what was not done, and is empty if the run came to its end."""
    new, old = new_and_known(c.buckets, known)
    yield line(c).strip()
    yield soundness_line(c.soundness)
    if left:
        yield left
    there = None if left or not c.buckets else _shown_by_triage(Path(out))
    joined = "" if there in (None, len(c.buckets)) else f"; by cause, triage shows {count(there or 0, 'bucket')} in all"
    yield f"new: {_named(new)}{joined}"
    yield f"known: {_named(old)}"
    more = "" if c.buckets else " -o report.html"
    yield f"to look: wgsl-fuzz {'triage' if c.buckets else 'report'} {quote(out)}{more}"
    yield from faults_lines(c.faults)
    yield verdict_line(c.buckets, known, status)


def faults_lines(faults: Mapping[str, int]) -> Iterator[str]:
    """That wgsl-fuzz itself failed, and where first by name; nothing if it did not."""
    if faults:
        named = ", ".join(f"{name} ({n:,})" for name, n in sorted(faults.items())[:NAMED])
        more = f" and {len(faults) - NAMED:,} more" if len(faults) > NAMED else ""
        yield f"faults of wgsl-fuzz itself, which the run went on from (please report them): {named}{more}"


def _shown_by_triage(out: Path) -> int | None:
    """How many buckets `triage` makes of those of a run; None if that is not quickly told."""
    with suppress(StorageError, Problem):
        run = load_run(out)
        return len(bucketed(run)) if len(run.findings) <= SAVED else None
    return None


def verdict_line(buckets: Counter[BucketKey], known: KnownBuckets, status: int) -> str:
    """How many of a run's raw buckets are new, how many are known, and the exit status that follows."""
    new, old = new_and_known(buckets, known)
    return f"{count(len(new), 'new raw bucket')}, {len(old):,} known: exit status {status}"


def new_and_known(buckets: Counter[BucketKey], known: KnownBuckets) -> tuple[Counter[BucketKey], Counter[BucketKey]]:
    """The buckets that are tied to no issue, and those that are."""
    new = Counter({key: n for key, n in buckets.items() if known.issue_of(key) is None})
    return new, buckets - new


def _named(buckets: Counter[BucketKey]) -> str:
    """The most severe buckets with the number of their findings, and how many more there are."""
    if not buckets:
        return "nothing"
    ordered = sorted(buckets.items(), key=lambda item: (_KINDS.index(item[0].kind), -item[1], str(item[0])))
    names = [f"{key} ({n:,})" for key, n in ordered]
    more = [f"and {len(names) - NAMED:,} more"] if len(names) > NAMED else []
    return ", ".join(names[:NAMED] + more)
