"""The command `explain`: why a shader is rejected, in words or as a picture."""

from pathlib import Path

import click

from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.output import in_terminal
from wgsl_fuzz.fuzz.present.explanation import Explained, explained, json_of, lines_of
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.rules.analyses import rules_named
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2


@click.command()
@click.argument("file")
@o.format_option("text", "json", "svg", "dot", "html")
@o.output_option()
@click.option(
    "--function", metavar="NAME", help="Explain or draw only this function.  [default: the one rejected, else all]"
)
@click.option("--full", is_flag=True, help="Also draw nodes that decide nothing, pale.")
@click.option(
    "--rules", "name", metavar="RULES", help="By this variant of the specification's rules, or a file FILE.py."
)
def explain(
    file: str,
    form: str,
    output: Path | None,
    function: str | None,
    full: bool,
    name: str | None,
) -> None:
    """Explain why a shader is rejected, in words or as a picture.

    That is the path from the barrier to the source of non-uniformity, by section 15.2 of the specification or a variant
    of it (`--rules`). Of a shader that is accepted: what each function requires of its callers, and what its result
    depends on.

    FILE `-` is standard input. Exit status: 0, whatever the verdict; 2 FILE cannot be read or is no WGSL.
    """
    if full and form in ("text", "json"):
        raise Problem("--full is about the picture: it goes with --format svg, dot or html")
    if form in ("svg", "html") and output is None and in_terminal():
        raise Problem(f"--format {form} is nothing to read in a terminal: give -o FILE or redirect")
    text, file = o.read_wgsl(file), o.name_of(file)
    with o.told_of_rules(name or ""):
        rules = UNCHANGED if name is None else rules_named(name)
        if rules is None:
            advice = f"explain by `--rules {SECTION_15_2}` or a variant of it"
            raise Problem(f"{name} gives a verdict, but no reasons: {advice}")
        one = explained(file, text, rules, function)
        if form == "text":
            written = "".join(f"{line}\n" for line in lines_of(file, name or SECTION_15_2, one))
        elif form == "json":
            written = o.as_json(json_of(file, one))
        else:
            written = _picture(form, file, one, full)
    o.hand_over(written, output)


def _picture(form: str, file: str, one: Explained, full: bool) -> str:
    """The graphs as DOT text, as SVG or on a page."""
    from wgsl_fuzz.fuzz.present.picture import dot_of, page_of, to_svg  # jinja2 is slow to import

    if form == "html":
        return page_of(Path(file).name, one, full=full)
    dot = dot_of(one, full=full)
    return to_svg(dot) if form == "svg" else dot
