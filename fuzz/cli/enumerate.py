"""The command `enumerate`: every shader up to a bound, through the same judge."""

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote

import click

from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.campaign.enumeration import Enumeration, EnumerationRequest, ShaderSequence, load_record
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.cli.generate import as_written
from wgsl_fuzz.fuzz.cli.runs.progress import EVERY, name_of, verdict_line
from wgsl_fuzz.fuzz.cli.runs.resuming import resumed_targets, target_options
from wgsl_fuzz.fuzz.cli.runs.signals import StopSignal
from wgsl_fuzz.fuzz.findings.directory import RunDirectory, StorageError
from wgsl_fuzz.fuzz.findings.known import check_build, known_or_shipped
from wgsl_fuzz.fuzz.findings.loading import damage_named, load_run
from wgsl_fuzz.fuzz.findings.records import EnumerationRecord, SemanticsMode
from wgsl_fuzz.fuzz.findings.state import STATE
from wgsl_fuzz.fuzz.findings.stats import soundness_line
from wgsl_fuzz.fuzz.judging.answers import distinct, opened
from wgsl_fuzz.fuzz.output import columns, echo, notice
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.since import triage_of
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES, USUAL

AT_ONCE = 5.0
"""Seconds between lines of progress in a terminal."""
_OF_RESUMING = ("resume", "names")
_USUAL = [family.name for family in USUAL]


@click.command(
    "enumerate",
    cls=o.LargeCommand,
    epilog="\n\n".join(f"{f.name}: its size is {f.size}. Alphabet: {f.alphabet}." for f in ALL_FAMILIES.values()),
)
@click.option(
    "--family",
    "families",
    multiple=True,
    type=click.Choice([*ALL_FAMILIES]),
    help=f"Repeats.  [default: {', '.join(_USUAL)}]",
)
@click.option("--max-statements", "most", type=click.IntRange(0, 8), default=4, show_default=True, help="The bound.")
@o.TARGET
@o.run_folder_option("TIME-enumerate")
@o.RESUME
@o.FIRST
@o.PROGRAMS
@o.format_option("text", "jsonl", "wgsl", "counts")
@click.pass_context
def enumerate_(
    context: click.Context,
    families: tuple[str, ...],
    most: int,
    names: tuple[str, ...],
    out: Path | None,
    resume: Path | None,
    first: int,
    programs: int | None,
    form: str,
) -> None:
    """Judge every shader of some families up to a size.

    The smallest come first, and no two are equal up to renaming. Each is judged as in a campaign: by the reference,
    the semantics, and every --target; with another --format than text they are only printed, or counted. A stopped or
    killed run goes on with --resume, and all else from its record.

    \b
        wgsl-fuzz enumerate --family single-loop --max-statements 4 --target tint

    Exit status: 0 nothing new was found, 1 something was, 2 the request or the set-up is at fault.
    """
    if resume is not None:
        o.allow_only(context, _OF_RESUMING, "--resume", "the run's record says what is to be done")
        context.exit(_resume(context, resume, names))
    course = ShaderSequence([ALL_FAMILIES[name] for name in dict.fromkeys(families or _USUAL)], most)
    if form == "counts":
        o.allow_only(context, ("families", "most", "form"), "--format counts", "nothing is judged")
        _show_counts(course)
        return
    if first >= course.count:
        raise Problem(f"--first {first} is beyond the end: there are {course.count} shaders")
    end = course.count if programs is None else min(course.count, first + programs)
    request = EnumerationRequest(course, first, end, SemanticsMode.EXPLORE)
    if form != "text":
        o.allow_only(
            context, ("families", "most", "first", "programs", "form"), f"--format {form}", "nothing is judged"
        )
        for case in map(course.case, range(first, end)):
            echo(as_written(case.text, case.verdict, form))
        return
    out = out or Path("wgsl-fuzz-out") / time.strftime("%Y%m%d-%H%M%S-enumerate")
    context.exit(_judge_all(context, request, tuple(dict.fromkeys(names)), out))


def _resume(context: click.Context, folder: Path, names: tuple[str, ...]) -> int:
    record = load_record(folder)
    asked = resumed_targets(folder, record, names)
    return _judge_all(context, EnumerationRequest.of(record.enumeration), asked, folder, record)


def _show_counts(course: ShaderSequence) -> None:
    sizes = range(course.most + 1)
    rows = [["size", *map(str, sizes), "all"]]
    for f in course.families:
        rows.append([f.name, *(f"{f.of_size(n).count:,}" for n in sizes), f"{f.up_to(course.most).count:,}"])
    for line in columns(rows, numbers=len(sizes) + 1):
        echo(line)
    echo(f"{course.count:,} shaders")


def _judge_all(
    context: click.Context,
    request: EnumerationRequest,
    names: tuple[str, ...],
    out: Path,
    record: EnumerationRecord | None = None,
) -> int:
    """Goes through the shaders and says what came of it; the exit status."""
    like = o.like_of(context, names, check_build)
    known = known_or_shipped(None, None if record is None else out, like)
    with opened(names, notice, o.timeout_of(context)) as specs, StopSignal(notice, "judging what was built") as stop:
        targets = distinct(specs)
        work = Enumeration(
            request,
            targets,
            RunDirectory(out),
            known=known,
            status=_Progress(request),
            stopped=lambda: stop.requested,
        )
        try:
            if record is not None:
                with damage_named(out, STATE):
                    work.resume(record)
            counters = work.run()
        except StorageError as error:
            raise Problem(str(error)) from error
    return _summary(counters, request, triage_of(load_run(out)), names)


class _Progress:
    """A line every few seconds, or every minute."""

    def __init__(self, request: EnumerationRequest) -> None:
        self._request = request
        self._last = self._begun = time.monotonic()
        self._every = AT_ONCE if sys.stderr.isatty() else EVERY
        self._from: int | None = None

    def __call__(self, counters: Counters) -> None:
        self._from = counters.programs if self._from is None else self._from
        now = time.monotonic()
        if now - self._last < self._every:
            return
        self._last = now
        rate = (counters.programs - self._from) / (now - self._begun)
        left = self._request.end - self._request.first - counters.programs
        notice(f"{_line(counters, self._request)}; {rate:.0f}/s, {left / max(rate, 1e-9):.0f} s to go")


def _line(counters: Counters, request: EnumerationRequest) -> str:
    done, whole = counters.programs, request.end - request.first
    found = ", ".join(f"{n:,} {kind.value}" for kind, n in counters.findings.most_common()) or "no finding"
    return f"{counters.seconds:.1f} s  {done:,} of {whole:,} shaders ({100 * done / max(whole, 1):.1f} %)  {found}"


def _summary(counters: Counters, request: EnumerationRequest, work: Triage, names: Sequence[str]) -> int:
    echo(_line(counters, request))
    rows = [
        (SECTION_15_2, _verdicts(counters.reference)),
        ("semantics", soundness_line(counters.soundness)),
        *((name, _verdicts(counts)) for name, counts in counters.answers.items()),
    ]
    for name, said in rows:
        echo(f"  {name:12} {said}")
    for bucket in work.buckets:
        echo(f"  {work.state(bucket)}: {name_of(bucket)}: {bucket.count:,}")
    out = work.run.path
    if counters.programs < request.end - request.first:
        further = f"wgsl-fuzz enumerate --resume {quote(str(out))} {target_options(names)}"
        echo(f"Not finished; go on with: {further.rstrip()}")
    if counters.buckets:
        echo(f"Findings: {out}/findings, and those beyond the first of a kind in {out}/{STATE}")
    status = int(bool(work.new))
    echo(verdict_line(work, status))
    return status


def _verdicts(counts: Mapping[Verdict, int]) -> str:
    told = [f"{counts[verdict]:,} {verdict.value}" for verdict in Verdict if verdict in counts]
    return ", ".join(told) or "not asked"
