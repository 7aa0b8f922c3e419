"""What a campaign shows: a live table in a terminal, a plain line every minute elsewhere, and the last lines."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from shlex import quote

from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Column, Table
from rich.text import Text

from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cases.plan import ALL
from wgsl_fuzz.fuzz.findings.stats import soundness_line
from wgsl_fuzz.fuzz.judging.kinds import BucketKey
from wgsl_fuzz.fuzz.output import Console
from wgsl_fuzz.fuzz.present.wording import clock, count, verb, verdict_rows
from wgsl_fuzz.fuzz.triage.triage import Bucket, Triage
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Verdict

EVERY = 60.0
"""Seconds between plain lines."""
SLOW = 0.1
"""A target that takes so many seconds for a shader is said to be slow; ..."""
HOLDS_UP, MUCH = 0.02, 4
"""... among several targets one that takes so long, and so many times as long as all others."""


ProgressStatus = Callable[[Counters], None]
"""Shows the campaign's counters; called as often as the campaign likes."""


@contextmanager
def shown(console: Console, targets: list[Target], drawn: str) -> Iterator[ProgressStatus]:
    """The status for this terminal, or for none."""
    origins = {t.name: t.origin for t in targets}
    if not console.is_terminal:
        for name, origin in origins.items():
            console.print(f"target {name}: {origin}; {drawn}", soft_wrap=True)
        yield _plain_lines(console)
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


def _plain_lines(console: Console) -> ProgressStatus:
    told: set[str] = set()
    last, was_reducing = time.monotonic(), False

    def show(counters: Counters) -> None:
        nonlocal last, was_reducing
        for name, words in slow_targets(counters).items():
            if name not in told:
                told.add(name)
                console.print(words, soft_wrap=True)
        begins, was_reducing = bool(counters.reducing) and not was_reducing, bool(counters.reducing)
        if begins or time.monotonic() - last >= EVERY:
            last = time.monotonic()
            console.print(line(counters), soft_wrap=True)

    return show


def line(c: Counters) -> str:
    """One line: programs, rate, share accepted by the reference, findings."""
    found = ", ".join(f"{n} {kind.value}" for kind, n in c.findings.most_common()) or "no finding"
    return (
        f"{c.seconds:7.1f} s  {count(c.programs, 'shader')}{_of(c)}  {c.programs / max(c.seconds, 1e-9):.0f}/s  "
        f"{_percent(c.reference[Verdict.ACCEPTS], c.reference.total())} accepted  {found}{reducing(c)}"
        + (f"; before these {count(c.given, 'given shader')}" if c.given else "")
    )


def _of(c: Counters) -> str:
    """How many there are to judge, as long as that is more."""
    return f" of {c.whole:,}" if c.whole is not None and c.programs < c.whole else ""


def reducing(c: Counters) -> str:
    """How many reductions wait, or are left to do once nothing is drawn any more; nothing if there are none."""
    if c.reducing is None:
        return f"; {count(c.to_reduce, 'reduction')} {verb(c.to_reduce, 'waits', 'wait')}" if c.to_reduce else ""
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
            if holds_up:
                told[name] += "; a campaign of its own, with the same --seed, would not hold up the others"
    return told


def _screen(c: Counters, origins: dict[str, str], drawn: str) -> RenderableType:
    head = Text.assemble(
        ("wgsl-fuzz", "bold"),
        f"  {clock(c.seconds)}  {count(c.programs, 'shader')}{_of(c)}  {c.programs / max(c.seconds, 1e-9):,.0f}/s  ",
        f"{_percent(c.reference[Verdict.ACCEPTS], c.reference.total())} accepted  {drawn}",
    )
    parts: list[RenderableType] = [head, verdict_table(c, origins), Text(soundness_line(c.soundness))]
    if c.keys:
        ago = "" if c.last_finding is None else f"  (the last {clock(time.monotonic() - c.last_finding)} ago)"
        kinds = ", ".join(f"{n} {kind.value}" for kind, n in c.findings.most_common())
        buckets = Table("bucket", Column("found", justify="right"), box=None, pad_edge=False)
        for key, n in c.keys.most_common(12):
            buckets.add_row(str(key), f"{n:,}")
        parts += [Text(f"findings: {kinds}{ago}{reducing(c)}", style="bold red"), buckets]
    else:
        parts.append(Text("no finding yet", style="green"))
    parts += [Text(words, style="yellow") for words in slow_targets(c).values()]
    parts.append(Text("Ctrl-C ends the run and keeps everything", style="dim"))
    return Group(*parts)


def verdict_table(c: Counters, origins: dict[str, str]) -> Table:
    """The verdicts of the reference and of each target."""
    (first, *verdicts), *rows = verdict_rows(c.reference, {name: c.answers[name] for name in origins})
    columns = (Column(verdict, justify="right") for verdict in verdicts)
    table = Table(first, *columns, Column("which is", style="dim"), box=None, pad_edge=False)
    for row, origin in zip(rows, ["section 15.2 of the WGSL specification", *origins.values()], strict=True):
        table.add_row(*row, origin)
    return table


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


NAMED = 3
"""So many buckets are named in a line; the others are counted."""


def closing_lines(c: Counters, work: Triage, left: str, status: int) -> Iterator[str]:
    """The lines; `left` says what was not done, and is empty if the run came to its end."""
    yield line(c).strip()
    plan = work.run.record.plan
    if plan is not None and (plan.execute == ALL or plan.course is not None):
        yield soundness_line(c.soundness)
    if plan is not None and plan.course is not None:
        for name, counts in c.answers.items():
            yield f"{name}: " + ", ".join(
                f"{counts[verdict]:,} {verdict.value}" for verdict in Verdict if verdict in counts
            )
    if c.expected:
        yield f"only counted, as known bugs of the target predict them: {count(c.expected, 'finding')}"
    if left:
        yield left
    yield f"new: {_named(work.new)}"
    yield f"known: {_named(work.met_again)}"
    more = "" if work.buckets else " -o report.html"
    yield f"next: wgsl-fuzz {'triage' if work.buckets else 'report'} {quote(str(work.run.path))}{more}"
    yield from faults_lines(c.faults)
    yield verdict_line(work, status)


def faults_lines(faults: Mapping[str, int]) -> Iterator[str]:
    """That wgsl-fuzz itself failed, and where first by name; nothing if it did not."""
    if faults:
        named = ", ".join(f"{name} ({n:,})" for name, n in sorted(faults.items())[:NAMED])
        more = f" and {len(faults) - NAMED:,} more" if len(faults) > NAMED else ""
        yield f"faults of wgsl-fuzz itself, which the run went on from (please report them): {named}{more}"


def verdict_line(work: Triage, status: int) -> str:
    """How many buckets of a run are new, how many are not, and the exit status that follows if it is not 0."""
    said = [f"{count(len(work.new), 'new fault')}." if work.new else "Nothing new."]
    if work.new and not status:
        said = [f"{count(len(work.new), 'new fault')}, none of a kind that --fail-on names."]
    if old := len(work.met_again):
        said.append(f"{count(old, 'known fault')} {'was' if old == 1 else 'were'} met again.")
    return " ".join([*said, *([f"Exit status {status}."] if status else [])])


def _named(buckets: Sequence[Bucket]) -> str:
    """The most severe buckets with the number of their findings, and how many more there are."""
    names = [f"{name_of(bucket)} ({bucket.count:,})" for bucket in buckets]
    more = [f"and {len(names) - NAMED:,} more"] if len(names) > NAMED else []
    return ", ".join(names[:NAMED] + more) or "nothing"


def name_of(bucket: Bucket) -> str:
    """A bucket's name, which says its kind."""
    key = bucket.key
    return str(replace(key, kind=bucket.kind) if isinstance(key, BucketKey) and not bucket.is_missing_analysis else key)
