"""Running a campaign from the command line: targets, workers, the screen, Ctrl-C, and what is left at the end."""

import errno
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from shutil import disk_usage
from sqlite3 import DatabaseError

from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.campaign.cluster import ClusterPool
from wgsl_fuzz.fuzz.campaign.counters import EVERYTHING, Concern
from wgsl_fuzz.fuzz.campaign.dask_connection import SchedulerError
from wgsl_fuzz.fuzz.campaign.pool import InProcessPool, ProcessPool, WorkerPool
from wgsl_fuzz.fuzz.cases.case import Given, read_case
from wgsl_fuzz.fuzz.cases.plan import MIX, MIXED, TINY, Plan
from wgsl_fuzz.fuzz.cli.options import MOST_WORKERS
from wgsl_fuzz.fuzz.cli.runs.metrics import served, with_buckets
from wgsl_fuzz.fuzz.cli.runs.progress import closing_lines, shown
from wgsl_fuzz.fuzz.cli.runs.signals import StopSignal
from wgsl_fuzz.fuzz.files import read_text, wgsl_files
from wgsl_fuzz.fuzz.findings.directory import RunDirectory, StorageError
from wgsl_fuzz.fuzz.findings.known import known_or_shipped
from wgsl_fuzz.fuzz.findings.loading import damage_named, load_run, pending_of, read_campaign
from wgsl_fuzz.fuzz.findings.records import SHADER, RunRecord
from wgsl_fuzz.fuzz.findings.schema import RecordError
from wgsl_fuzz.fuzz.findings.state import STATE
from wgsl_fuzz.fuzz.internal_errors import FAULTS
from wgsl_fuzz.fuzz.judging.answers import TIMEOUT, distinct, is_device, opened
from wgsl_fuzz.fuzz.output import Console, echo, notice
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.problems import INTERRUPTED, PROBLEM, Problem
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.oracle.rules.analyses import is_ours
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX
from wgsl_fuzz.oracle.targets.families.rules import PREFIX as RULES
from wgsl_fuzz.oracle.targets.families.rules import reads_modules
from wgsl_fuzz.oracle.targets.protocol import (
    Restarted,
    Target,
    TargetError,
    families,
    is_description,
    normal_path,
    split_name,
)

_BY_PATH = frozenset({RULES, *(family.prefix for family in families() if family.own)})
"""Families whose targets may be files."""


def resumed_targets(folder: Path, record: RunRecord, given: Sequence[str]) -> tuple[str, ...]:
    """What opens the targets of a run's record; raises Problem if `given` names others, or not the user's programs.

    A run's folder is data, which someone else may have made. So a compiler's command or description, a function or a
    rule file is named once more; builds that we fetch, and analyses of our own, are not.
    """
    recorded = tuple(record.specs.get(name, name) for name in record.targets)
    allowed = {_normal(spec) for spec in given}
    # `tint` means the build that the run began with.
    families = {spec.partition("@")[0] for spec in recorded if not {":", "="} & set(spec)}
    for spec in allowed - {*recorded, *record.targets, *map(_opens, recorded), *families}:
        raise Problem(f"the run asks {', '.join(recorded) or 'no target'}: begin another run for {spec}")
    missing = [spec for spec in recorded if starts_a_program(spec) and not {spec, _opens(spec)} & allowed]
    if missing:
        raise Problem(
            f"the run in {folder} starts programs of this machine: to allow it, add {target_options(missing)}"
        )
    return recorded


def target_options(specs: Sequence[str]) -> str:
    """What the command line must say besides --resume: the programs among these targets."""
    return " ".join(f"--target {quote(spec)}" for spec in specs if starts_a_program(spec))


def starts_a_program(spec: str) -> bool:
    """Whether a target runs what its name says, and not a build that we fetched or an analysis of ours."""
    opens = _opens(spec)
    if opens.endswith(SUFFIX) or is_description(opens):
        return True
    prefix, colon, _ = opens.partition(":")
    return bool(colon) and "@" not in prefix and prefix != RULES


def _opens(spec: str) -> str:
    """The spec without the user's name for it."""
    return split_name(spec)[1]


def _normal(spec: str) -> str:
    """The spec as records have it."""
    name, opens = split_name(spec)
    prefix, colon, path = opens.partition(":")
    if is_description(opens):
        opens = normal_path(opens)
    elif colon and prefix in _BY_PATH and ("/" in path or path.endswith(SUFFIX)):
        short = normal_path(path)
        opens = f"{prefix}:{short if '/' in short or prefix == RULES else f'./{short}'}"
    return opens if name is None else f"{name}={opens}"


NAMED = 5
"""So many files that cannot be read are named."""


FEW = 2000
"""Programs that one process is done with before others have started."""


def language_for(names: Sequence[str], asked: str | None = None) -> str:
    """What is drawn for these targets: what is asked for, else all that they read. Raises Problem."""
    compilers = [name for name in names if not is_device(name)]
    of_tiny = next((name for name in compilers if not reads_modules(name)), None)
    language = asked or (MIXED if compilers and of_tiny is None else TINY)
    if language != TINY and of_tiny is not None:
        raise Problem(f"{of_tiny} is about TinyWGSL: it does not go with --language {language}")
    return language


def given_shaders(
    seeds: Iterable[Path], say: Callable[[str], object], plan: Plan, *, compared: bool = False
) -> list[Given]:
    """The shaders, the corpus's first; `say` hears how many a folder has, and what is passed over.

    Of TinyWGSL the corpus has those of its cases that have a core. If several targets are `compared`, texts that the
    reference does not know come last, and are not passed over. Raises Problem for a folder without a *.wgsl.
    """
    cases = [case for case in load_cases() if plan.language != TINY or case.is_tiny] if plan.corpus else []
    shaders, unknown = [Given(normal_path(str(case.folder / SHADER)), case.text) for case in cases], list[Given]()
    for folder in seeds:
        files, passed_over = wgsl_files(folder), list[Path]()
        for file in files:
            try:
                case = read_case(read_text(file))
            except (Problem, *FAULTS):
                case = None
            if case is None or (case.problem and not compared):
                passed_over.append(file.relative_to(folder))
            else:
                (unknown if case.problem else shaders).append(Given(normal_path(str(file)), case.text))
        say(_told(folder, len(files), passed_over))
    return [*shaders, *unknown]


def _told(folder: Path, files: int, passed_over: Sequence[Path]) -> str:
    told = f"{folder}: {count(files - len(passed_over), 'shader')} to ask about first"
    if not passed_over:
        return told
    names = ", ".join(map(str, passed_over[:NAMED])) + (", ..." if len(passed_over) > NAMED else "")
    return f"{told}; {count(len(passed_over), 'file')} passed over, not known to the reference: {names}"


FOUND = 1
_FULL = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT), "disk is full")
"""What systems and SQLite say of a full disk; SQLite may also speak of an I/O error."""


@dataclass(frozen=True, slots=True)
class CampaignRequest:
    """A campaign as asked for; `record` is that of the run to be resumed, if any."""

    names: tuple[str, ...]
    plan: Plan
    out: Path
    jobs: int | str | None
    """How many worker processes, or the address of a Dask cluster that works for the run; None: as many as pay."""
    known: Path | None = None
    like: str | None = None
    """The build of which all that is known is known of the targets of its family."""
    record: RunRecord | None = None
    concern: Concern = EVERYTHING
    seeds: tuple[Path, ...] = ()
    """Folders of shaders to be asked about first."""
    timeout: float = TIMEOUT
    """Seconds for a target's answer."""
    metrics: int | None = None
    """The port at which what the run does is served, if it is."""
    quiet: bool = False
    """Whether only the end says something."""

    @property
    def specs(self) -> list[str]:
        """The targets' names as `open_target` understands them, in any process: our own analyses have a prefix."""
        return [f"rules:{name}" if is_ours(name) else name for name in self.names]

    def rest(self) -> Budget:
        """What is left of the budget of the run to be resumed; raises Problem if nothing is."""
        if self.record is None or (given := self.record.budget) is None:
            return Budget()
        left = Budget(
            None if given.seconds is None else given.seconds - self.record.seconds,
            None if given.programs is None else given.programs - self.record.programs,
        )
        if (left.seconds is not None and left.seconds <= 0) or (left.programs is not None and left.programs <= 0):
            if pending_of(self.out) or self.plan.course is not None:
                return Budget(programs=0)  # findings are reduced, and nothing is drawn; or only the end is said again
            raise Problem(f"the run in {self.out} has come to its end; --hours, --programs, ... take it further")
        return left


def resumed(
    folder: Path,
    targets: Sequence[str],
    jobs: int | str | None,
    timeout: float,
    *,
    known: Path | None = None,
    concern: Concern = EVERYTHING,
) -> CampaignRequest:
    """The request that goes on with the run in a folder; `targets` are those named once more. Raises Problem."""
    record, plan = read_campaign(folder)
    names = resumed_targets(folder, record, targets)
    seeds = tuple(Path(name) for name in record.seeds if Path(name).is_dir())
    if known is None and record.known_file is not None and not (known := Path(record.known_file)).is_file():
        raise Problem(f"{known}, the known-file of {folder}, is not there: give it, or another, with --known-file")
    return CampaignRequest(names, plan, folder, jobs, known, record.like, record, concern, seeds, timeout)


def campaign(request: CampaignRequest, budget: Budget, tell: Callable[[str], object] = echo) -> int:
    """Runs a campaign and shows it; the exit status. `tell` is given what there is to say at the end.

    An error on the way has a note that says how to go on.
    """
    try:
        return _campaign(request, budget, tell)
    except Exception as error:
        found, further = f"what was found is in {request.out}", _further(request)
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, OSError | DatabaseError):
            cause = cause.__cause__
        # What was begun may be removed by now.
        is_full = cause is not None and request.out.is_dir() and disk_usage(request.out).free < 1 << 20
        if is_full or any(words in str(error) for words in _FULL):
            begun = (request.out / STATE).is_file()
            then = f"{found}; free some space, then {further}" if begun else "free some space, and begin again"
            raise Problem(f"{error}; {then}") from error
        if request.out.is_dir():
            error.add_note(f"{found}; to go on: {further}")
        raise


def _campaign(request: CampaignRequest, budget: Budget, tell: Callable[[str], object]) -> int:
    console = Console(stderr=True, quiet=request.quiet)
    if not console.is_terminal:
        console = Console(stderr=True, width=160, quiet=request.quiet)  # rich would wrap at 80 in a log

    def say(line: str) -> None:
        console.print(line, soft_wrap=True)

    stop = StopSignal(say, "judging what was drawn")
    known = known_or_shipped(request.known, *[request.out] * (request.record is not None), like=request.like)
    heard = say if request.record is None else lambda _: None
    drawn = request.plan.course is None
    given = given_shaders(request.seeds, heard, request.plan, compared=len(request.names) > 1) if drawn else []
    with served(request.metrics, say) as feed, opened(request.specs, say, request.timeout) as specs:
        under_test = distinct(specs)
        if budget == Budget():
            end = "its first new finding or Ctrl-C" if request.concern.stop_on_first else "Ctrl-C"
            say(f"no budget: it runs until {end}; --minutes or --programs set one")
        with shown(console, under_test, _drawn(request.plan)) as status:
            work = Campaign(
                under_test,
                RunDirectory(request.out),
                plan=request.plan,
                workers=_workers(request, budget, specs, under_test, say),
                given=given,
                seeds=[str(folder) for folder in request.seeds],
                known=known,
                known_file=None if request.known is None else str(Path.cwd() / normal_path(str(request.known))),
                concern=request.concern,
                status=status,
                stopped=lambda: stop.requested,
            )
            feed.sample = lambda: with_buckets(work.monitor.latest, request.out)
            _run(work, request, budget, stop)
    cut_short = PROBLEM if work.lost else INTERRUPTED if stop.requested else 0
    triage = Triage.of(load_run(request.out))
    fails = any(request.concern.counts(key) for bucket in triage.new for key in bucket.raw)
    ends_with = FOUND if fails else cut_short
    left = _left(request, budget, work, stop)
    tell("\n".join(closing_lines(work.counters, triage, left, ends_with)))
    return ends_with


def _run(work: Campaign, request: CampaignRequest, budget: Budget, stop: StopSignal) -> None:
    """Begins the run or goes on with it. Raises Problem, naming what the disk may lack, or if it judged nothing."""
    with stop:
        stop.record = work.directory.publish
        try:
            if request.record is not None:
                with damage_named(request.out, STATE):
                    work.resume(request.record)
            work.run(budget)
        except RecordError as error:
            raise Problem(error.about(request.out / STATE)) from error
        except (StorageError, TargetError) as error:
            for saved in work.counters.saved:
                notice(f"{saved.record.bucket}: {saved.record.draw_again or saved.record.place.file}")
            raise Problem(str(error)) from error
    if not (work.counters.programs or work.counters.given or work.counters.saved or stop.requested or work.lost):
        dead = [one.name for one in work.targets.values() if isinstance(one, Restarted) and one.restarted]
        why = f"; {' and '.join(dead)} had to be restarted again and again" if dead else ""
        raise Problem(f"nothing was judged: the first answers took longer than the run may{why}")


def _further(request: CampaignRequest) -> str:
    """The command that goes on with the run, with all that decides what is known."""
    known = {"--like": request.like, "--known-file": request.known}
    options = [f"{name} {quote(str(value))}" for name, value in known.items() if value is not None]
    words = ["wgsl-fuzz --resume", quote(str(request.out)), target_options(request.specs), *options]
    return " ".join(filter(None, words))


def _left(request: CampaignRequest, budget: Budget, work: Campaign, stop: StopSignal) -> str:
    """What the run did not do, and what goes on with it; nothing if it came to its end and reduced all it found."""
    further = _further(request)
    c = work.counters
    if work.lost is not None:
        again = f"; with the cluster, add --jobs {quote(str(request.jobs))}"
        return f"Broken off after {c.programs:,} shaders: {work.lost}; to go on: {further}{again}"
    as_drawn = f"{count(n, 'finding')} not reduced in time" if (n := pending_of(request.out)) else ""
    if not stop.requested:
        return f"{as_drawn}; to reduce: {further}" if as_drawn else ""
    before = 0.0 if request.record is None else request.record.seconds
    asked = [
        *([f"{c.whole:,} shaders"] if c.whole is not None else []),
        *([f"{before + budget.seconds:,.0f} s"] if budget.seconds is not None else []),
    ]
    of = f" of {' and '.join(asked)}" if asked else ""
    done = f"Interrupted after {c.programs:,} shaders in {c.seconds:.0f} s{of}"
    return "; ".join(filter(None, [done, as_drawn, f"to go on: {further}"]))


def _workers(
    request: CampaignRequest,
    budget: Budget,
    specs: dict[str, Target],
    targets: list[Target],
    say: Callable[[str], object],
) -> WorkerPool:
    few = request.record is None and budget.programs is not None and budget.programs < FEW
    jobs = request.jobs or (1 if few else min(os.cpu_count() or 1, MOST_WORKERS))
    if jobs == 1:
        return InProcessPool(request.plan, targets)
    # `tint` by what was opened: a fallback is then taken without being said again.
    by_name = {target.name: target.name if spec == "tint" else spec for spec, target in specs.items()}
    names = list(by_name.values())
    if isinstance(jobs, int):
        return ProcessPool(request.plan, names, jobs, request.timeout)
    try:
        return ClusterPool(jobs, request.plan, names, targets, request.timeout, say)
    except SchedulerError as error:
        raise Problem(str(error)) from error


def _drawn(plan: Plan) -> str:
    """What is drawn, for people: `seed 1; languages compute, tiny, ...`."""
    if plan.course is not None:
        return f"{plan.course.described}, up to {count(plan.course.max_statements, 'statement')}"
    mixed = plan.language == MIXED
    return f"seed {plan.seed}; language{'s' * mixed} {', '.join(dict.fromkeys(MIX)) if mixed else plan.language}"
