"""The command `page`: the page that says in any browser why a shader is rejected, as files."""

from pathlib import Path

import click

from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.judging.answers import distinct, opened
from wgsl_fuzz.fuzz.output import echo, notice
from wgsl_fuzz.fuzz.present.playground.site import write_site
from wgsl_fuzz.fuzz.problems import Problem


@click.command()
@o.TARGET
@o.NEW_FOLDER
def page(names: tuple[str, ...], folder: Path) -> None:
    """Write the page "Why is my shader rejected?" for any web server.

    \b
        wgsl-fuzz page --out site
        wgsl-fuzz page --out site --target tint --target naga --target saved:safari.json

    Whoever opens it pastes a shader, and sees what the rules say of it, what that browser says, and why; a run that
    diverges, step by step; a repair. The rules run in the page, by Pyodide: the server only hands out files, and
    nothing is sent anywhere. A link carries the shader behind its `#`. A second tab asks that browser about each branch
    of the rules, as `conformance` does, and shows beside it what each --target answers now; a third one fuzzes it. What
    these two save is a target, saved:FILE; of a campaign it is a run for `merge` and `triage`, too.

    The first time it fetches Pyodide and Graphviz from npm. Exit status: 0 it was written, 2 it could not be.
    """
    try:
        with opened(names, notice) as specs:
            own = write_site(folder, distinct(specs), notice)
    except OSError as error:
        raise Problem(f"--out {folder}: {error.strerror or error}") from error
    echo(f"written: {folder}, with {own / 1e6:.1f} MB beside Pyodide's own")
    notice(f"To look at it: python3 -m http.server -b 127.0.0.1 -d {folder}")
