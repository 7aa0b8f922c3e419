"""The command `explain`: why a shader is rejected, in words or as a picture."""

from pathlib import Path

import click

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cli.options import only_one, output_option, told_of_rules
from wgsl_fuzz.fuzz.cli.standard_input import name_of, read_wgsl
from wgsl_fuzz.fuzz.files import write_bytes
from wgsl_fuzz.fuzz.judging.answers import WORDS, Examination, examine
from wgsl_fuzz.fuzz.output import echo, in_terminal
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.explain.dot import draw
from wgsl_fuzz.oracle.explain.path import account
from wgsl_fuzz.oracle.rules.analyses import rules_named
from wgsl_fuzz.oracle.rules.analysis import Analysis, analyse
from wgsl_fuzz.tinywgsl.ast import Shader


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
@click.option("--rules", "name", metavar="RULES", help="By this rule set, or a file FILE.py, as of `diff`.")
def explain(
    file: str,
    svg: bool,
    html: bool,
    dot: bool,
    output: Path | None,
    function: str | None,
    full: bool,
    name: str | None,
) -> None:
    """Say why a shader is rejected, in words or as a picture.

    That is the path from the barrier to the source of non-uniformity. Of a shader that is accepted: what each function
    demands of its callers, and whether its result may differ between threads.

    FILE `-` is standard input. Exit status: 0, whatever the verdict; 2 FILE cannot be read or is not TinyWGSL.
    """
    form = only_one({"--svg": svg, "--html": html, "--dot": dot})
    if full and form is None:
        raise Problem("--full is about the picture: it goes with --svg, --html or --dot")
    if form in ("--svg", "--html") and output is None and in_terminal():
        raise Problem(f"{form} is nothing to read in a terminal: give -o FILE or redirect")
    one, file = examine(read_wgsl(file)), name_of(file)
    case = one.case
    if case is None:
        raise Problem(f"{file}: {one.message}")
    with told_of_rules(name or ""):
        if name is not None:
            case.analysis = _analysis_by(name, case.shader)
        written = _words(file, one, case, function) if form is None else _picture(file, form, one, case, function, full)
    if output is None:
        echo(written, nl=False)
    else:
        write_bytes(output, written.encode())


def _words(file: str, one: Examination, case: Case, function: str | None) -> str:
    if function is not None:
        from wgsl_fuzz.fuzz.present.picture import pictured  # says so if there is no such function

        pictured(case, function)
    lines = account(case.analysis, function, one.positions, one.text)
    return "\n".join([f"{file}: {WORDS[case.verdict]}", *[f"  {line}" for line in lines]]) + "\n"


def _picture(file: str, form: str, one: Examination, case: Case, function: str | None, full: bool) -> str:
    from wgsl_fuzz.fuzz.present.picture import page, pictured, to_svg  # jinja2 is slow to import, and few commands draw

    shown = pictured(case, function)
    if form == "--html":
        return page(Path(file).name, one.text, case, one.positions, shown, full)
    dot = draw(shown, one.positions, full=full)
    return to_svg(dot) if form == "--svg" else dot


def _analysis_by(name: str, shader: Shader) -> Analysis:
    """The analysis by a rule set other than the reference's. Raises Problem and RuleFileError."""
    rules = rules_named(name)
    if rules is None:
        raise Problem(f"{name} is no rule set of the paper's analysis: it has no uniformity graph")
    return analyse(shader, rules)
