"""The command `explain`: why a shader is rejected, in words or as a picture."""

from pathlib import Path

import click

from fuzz.answers import WORDS, examine
from fuzz.picture import dot_text, page, to_svg
from fuzz.problems import Problem
from oracle.explanation import explain as explanation
from oracle.explanation import summaries


@click.command()
@click.argument("file")
@click.option("--svg", "form", flag_value="svg", help="The uniformity graph as a picture.")
@click.option("--html", "form", flag_value="html", help="A page with source, words and picture; needs no network.")
@click.option("--dot", "form", flag_value="dot", help="The uniformity graph as DOT text.")
@click.option("-o", "output", type=click.Path(path_type=Path), help="Write here instead of to standard output.")
@click.option("--function", metavar="NAME", help="Draw this function.  [default: the one rejected, else all]")
@click.option("--full", is_flag=True, help="Draw the nodes too that decide nothing, pale.")
def explain(file: str, form: str | None, output: Path | None, function: str | None, full: bool) -> None:
    """Why a shader is rejected: the path from the barrier to the source of non-uniformity.

    Of a shader that is accepted: what each function demands of its callers, and whether its result may differ between
    threads.
    """
    text = _read(file)
    one = examine(text)
    case = one.case
    if case is None:
        raise Problem(f"{file}: {one.message}")
    if form is None:
        lines = explanation(case.analysis, one.positions, text) or summaries(case.analysis, one.positions, text)
        written = "\n".join([f"{file}: {WORDS[case.verdict]}", *[f"  {line}" for line in lines]]) + "\n"
    else:
        written = dot_text(case, one.positions, function, full=full)
    if form in ("svg", "html"):
        written = to_svg(written)
    if form == "html":
        written = page(Path(file).name, text, case, one.positions, written)
    if output is None:
        click.echo(written, nl=False)
    else:
        _write(output, written)


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise Problem(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Problem(f"cannot read {file}: it is not UTF-8") from error


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise Problem(f"cannot write {path}: {error.strerror}") from error
