"""The command `explain`: why a shader is rejected, in words or as a picture."""

from pathlib import Path

import click

from fuzz.cli.options import only_one, output_option
from fuzz.files import read_text, write_bytes
from fuzz.judging.answers import WORDS, examine
from fuzz.output import echo, in_terminal
from fuzz.problems import Problem
from oracle.explain.dot import draw
from oracle.explain.path import account


@click.command()
@click.argument("file")
@click.option("--svg", is_flag=True, help="The uniformity graph as a picture.")
@click.option("--html", is_flag=True, help="A page with source, words and picture; needs no network.")
@click.option("--dot", is_flag=True, help="The uniformity graph as DOT text.")
@output_option()
@click.option(
    "--function", metavar="NAME", help="Explain or draw only this function.  [default: the one rejected, else all]"
)
@click.option("--full", is_flag=True, help="Draw the nodes too that decide nothing, pale.")
def explain(file: str, svg: bool, html: bool, dot: bool, output: Path | None, function: str | None, full: bool) -> None:
    """Why a shader is rejected: the path from the barrier to the source of non-uniformity.

    Of a shader that is accepted: what each function demands of its callers, and whether its result may differ between
    threads.
    """
    form = only_one({"--svg": svg, "--html": html, "--dot": dot})
    if full and form is None:
        raise Problem("--full is about the picture: it goes with --svg, --html or --dot")
    if form in ("--svg", "--html") and output is None and in_terminal():
        raise Problem(f"{form} is nothing to read in a terminal: give -o FILE or redirect")
    text = read_text(file)
    one = examine(text)
    case = one.case
    if case is None:
        raise Problem(f"{file}: {one.message}")
    if form is None:
        if function is not None:
            from fuzz.present.picture import pictured  # says so if there is no such function

            pictured(case, function)
        lines = account(case.analysis, function, one.positions, text)
        written = "\n".join([f"{file}: {WORDS[case.verdict]}", *[f"  {line}" for line in lines]]) + "\n"
    else:
        from fuzz.present.picture import page, pictured, to_svg  # jinja2 is slow to import, and few commands draw

        shown = pictured(case, function)
        if form == "--html":
            written = page(Path(file).name, text, case, one.positions, shown, full)
        else:
            written = draw(shown, one.positions, full=full)
    if form == "--svg":
        written = to_svg(written)
    if output is None:
        echo(written, nl=False)
    else:
        write_bytes(output, written.encode())
