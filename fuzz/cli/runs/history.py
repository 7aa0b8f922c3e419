"""The commands `merge` and `prune`: several runs as one history, and old ones deleted, whose findings that has."""

import re
import shutil
import time
from pathlib import Path
from shlex import quote

import click

from wgsl_fuzz.fuzz.cli.options import RunFolder
from wgsl_fuzz.fuzz.command_line import show_problem
from wgsl_fuzz.fuzz.files import refusals_named
from wgsl_fuzz.fuzz.findings.directory import FINDINGS, PART, REPLAYS, RUN
from wgsl_fuzz.fuzz.findings.known import FILE
from wgsl_fuzz.fuzz.findings.loading import check_whole, is_in_use, read_run, told_of
from wgsl_fuzz.fuzz.findings.records import HistoryRecord, RunRecord
from wgsl_fuzz.fuzz.findings.state import LOCK, STATE
from wgsl_fuzz.fuzz.findings.stats import STATS
from wgsl_fuzz.fuzz.output import echo, notice
from wgsl_fuzz.fuzz.present.wording import count, size
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.merging import DECISIONS
from wgsl_fuzz.fuzz.triage.merging import merge as merge_runs

_KEEP = re.compile("([0-9]{1,6})(d?)")
_OURS = (LOCK, RUN, FINDINGS, STATS, FILE, DECISIONS, REPLAYS, PART, STATE)
"""How the names of a run's files begin. The state goes last: until then the folder is a run, and can be pruned."""
DAY = 24 * 3600


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=RunFolder())
@click.option(
    "--out",
    "-o",
    "output",
    required=True,
    type=click.Path(path_type=Path),
    help="The history: a new folder, or one to add to.",
)
def merge(runs: tuple[Path, ...], output: Path) -> None:
    """Put several runs into one history.

    The runs may be of several nights, machines, seeds and builds, and histories themselves. What -o holds already
    stays. A run that is given twice counts once; of one that went on since, the longer one counts. `triage`, `report`,
    `status` and `replay` read a history like a run. It cannot be resumed. What the page of `wgsl-fuzz page` saved of a
    run is one, too: it is unpacked beside its file.

    Exit status: 0, or 2 if a part of a run is damaged; the rest was merged.
    """
    merged = merge_runs(runs, output)
    record, findings = merged.record, count(sum(merged.record.findings.values()), "finding")
    came = f"{merged.added:,} added, {merged.there:,} there already"
    echo(f"{output}: {count(len(record.runs), 'run')} ({came}), {count(record.programs, 'shader')}, {findings}")
    echo(f"next: wgsl-fuzz triage {quote(str(output))}")
    check_whole("merge", merged.broken)


def _kept(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[int, bool]:
    """A number, and whether it is one of days."""
    found = _KEEP.fullmatch(value)
    if found is None:
        raise click.BadParameter(f"{value!r} is neither a number of runs (10) nor of days (30d)")
    return int(found[1]), bool(found[2])


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--keep", required=True, metavar="N", callback=_kept, help="Keep the newest N runs, or with Nd those of N days."
)
@click.option(
    "--out",
    "-o",
    "history",
    type=click.Path(path_type=Path),
    help="The history that takes what they found: a new folder, or one to add to.",
)
def prune(folder: Path, keep: tuple[int, bool], history: Path | None) -> None:
    """Delete old runs, whose findings go into a history.

    Without -o it says what it would delete. A run is as old as what it wrote last. Runs under way, damaged ones,
    histories, and files that are no run's are never deleted.

    Exit status: 0, or 2 if a run is damaged.
    """
    if not folder.is_dir():
        raise Problem(f"there is no folder {folder}")
    runs, problems = list[tuple[Path, RunRecord]](), list[Problem]()
    states = [state for state in folder.glob(f"*/{STATE}") if not (state.is_symlink() or state.parent.is_symlink())]
    for run in sorted((state.parent for state in states), key=lambda run: (_written(run), run), reverse=True):
        try:
            if not isinstance(record := read_run(run), HistoryRecord):
                runs.append((run, record))
        except Problem as problem:
            problems.append(problem)
    number, of_days = keep
    before = time.time() - number * DAY
    old = [one for one in runs if _written(one[0]) < before] if of_days else runs[number:]
    old = [one for one in old if not is_in_use(one[0])]
    for run, record in old:
        whole = sum(file.lstat().st_size for file in run.rglob("*") if file.is_file())
        told = f"{run}: {count(sum(record.findings.values()), 'finding')}, {size(whole)}"
        echo(f"{told}: {'would be deleted' if history is None else _pruned(run, history)}")
    echo(f"{count(len(old), 'run')} older than what is kept")
    if history is None and old:
        again = f"wgsl-fuzz prune {quote(str(folder))} --keep {number}{'d' * of_days} -o HISTORY"
        notice(f"to do it: {again}; HISTORY takes what they found")
    if problems:
        for damaged in problems[:-1]:
            show_problem(damaged)
        raise problems[-1]


def _written(run: Path) -> float:
    return (run / STATE).stat().st_mtime


def _pruned(run: Path, history: Path) -> str:
    """Deletes a run that the history has whole; what became of it, in words. Raises Problem."""
    merged = merge_runs([run], history)
    if merged.broken:
        return f"kept, {told_of(str(run), merged.broken)}"
    if is_in_use(run):
        return "kept, somebody resumed it"
    with refusals_named(f"delete {run}"):
        for path in (path for name in _OURS for path in run.glob(f"{name}*")):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    if left := sorted(path.name for path in run.iterdir()):
        return f"deleted, but for what is no run's: {', '.join(left)}"
    run.rmdir()
    return "deleted"
