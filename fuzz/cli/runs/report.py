"""The command `report`: a run as a page to look at."""

from pathlib import Path

import click

from wgsl_fuzz.fuzz.cli.options import RunFolder, hand_over, output_option, since_option
from wgsl_fuzz.fuzz.files import check_writable
from wgsl_fuzz.fuzz.findings.loading import check_whole, load_run
from wgsl_fuzz.fuzz.output import echo, in_terminal
from wgsl_fuzz.fuzz.present.report.page import report_page

PAGE = "report.html"
"""The page's name in the run's folder."""


@click.command()
@click.argument("run", type=RunFolder())
@output_option()
@since_option("Hold it against an earlier run.")
def report(run: Path, output: Path | None, earlier: Path | None) -> None:
    """Write a run as one HTML page.

    It shows what was found, why, and how to see it again. The page needs no network and no scripts; it can be sent by
    mail. A terminal does not get it: RUN/report.html is written then, unless -o says where.

    Exit status: 0 the page was written, 2 there is no such run, or a part of it is damaged.
    """
    stored = load_run(run)
    before = None if earlier is None else load_run(earlier)
    told = output is None and in_terminal()
    if told:
        output = run / PAGE
        check_writable(output)
    hand_over(report_page(stored, before), output)
    if told:
        echo(f"written: {output}")
    check_whole(str(stored.path), stored.broken)
