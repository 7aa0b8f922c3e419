"""The command `report`: a run as a page to look at."""

from pathlib import Path

import click

from fuzz.files import write_bytes
from fuzz.options import output_option
from fuzz.problems import Problem
from fuzz.stored import load_run
from fuzz.triage_damage import damaged, sound


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@output_option()
def report(run: Path, output: Path | None) -> None:
    """Write a run's folder as one HTML page: what was found, why, and how to see it again.

    The page needs no network and no scripts; it can be sent by mail.
    """
    stored = sound(load_run(run))
    from fuzz.report import report_page  # jinja2 is slow to import, and few commands draw

    written = report_page(stored)
    if output is None:
        click.echo(written, nl=False)
    else:
        write_bytes(output, written.encode())
    if line := damaged(stored):
        raise Problem(line)
