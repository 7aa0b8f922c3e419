"""The command `merge`: several runs as one history."""

from pathlib import Path
from shlex import quote

import click

from wgsl_fuzz.fuzz.cli.options import RunFolder, out_option
from wgsl_fuzz.fuzz.findings.loading import check_whole
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.triage.merging import merge as merge_runs


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=RunFolder())
@out_option("The history: a new folder, or one to add to.", "output", required=True)
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
