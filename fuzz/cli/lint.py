"""The command `lint`: what is wrong in the shaders of a project, and how to mend it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from wgsl_fuzz.fuzz.cli.options import DASH, format_option, hand_over, name_of, output_option, read_wgsl
from wgsl_fuzz.fuzz.command_line import show_problem
from wgsl_fuzz.fuzz.files import wgsl_files, write_bytes
from wgsl_fuzz.fuzz.output import notice
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.problems import PROBLEM, Problem
from wgsl_fuzz.fuzz.repair.lints import LintedFile, as_github, as_json, as_sarif, as_text, is_error, linted

SHOW, WRITE, UNSAFE = "show", "write", "unsafe"
NO_ERRORS = "no errors; types are not checked: `wgsl-fuzz check --oracle tint` checks them"
_WITH_REPAIR = ("github", "sarif")
"""The forms that have the recommended repair without `--fix`: those who read them do not ask again."""


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option("text", "json", "github", "sarif")
@output_option()
@click.option(
    "--fix",
    type=click.Choice((SHOW, WRITE, UNSAFE)),
    help="Show repairs, write those shown to keep the shader's meaning, or write all.",
)
@click.pass_context
def lint(context: click.Context, files: tuple[str, ...], form: str, output: Path | None, fix: str | None) -> None:
    """Report errors in shaders, as compilers do.

    The lines are `file:line:column: error: ...`. The reference reads each file, and judges its uniformity by section
    15.2 of the specification. A folder stands for the files `*.wgsl` in it, `-` for standard input. A repair is the
    edit that changes least in meaning with which the reference accepts the shader: safe, if it is shown to change none.

    Exit status: 0 nothing is wrong, 1 there are errors, 2 a file cannot be read.
    """
    if fix in (WRITE, UNSAFE) and DASH in files:
        raise Problem(f"--fix {fix} cannot write to standard input: use --fix show")
    done: list[LintedFile] = []
    lines: list[str] = []
    status = 0
    repairs = 3 if fix == SHOW else int(fix is not None or form in _WITH_REPAIR)
    for file in _found(files):
        try:
            one = linted(name_of(file), read_wgsl(file), repairs=repairs)
        except (Problem, RecursionError) as error:  # the other files are judged all the same
            deep = Problem(f"{name_of(file)}: its functions call each other too deeply")
            show_problem(error if isinstance(error, Problem) else deep)
            status = PROBLEM
            continue
        if fix is not None and one.is_rejected and not one.repairs:
            notice(f"{one.name}: no repair was {f'looked for: {one.refusal}' if one.refusal else 'found'}")
        lines += [as_json(one)] if form == "json" else as_github(one) if form == "github" else as_text(one)
        if fix in (WRITE, UNSAFE):
            one = _written(file, one, unsafe=fix == UNSAFE)
        done.append(one)
        status = max(status, int(any(map(is_error, one.lints))))
    if form == "sarif":
        lines = [as_sarif(done)]
    hand_over(lines, output)
    if form == "text" and done:
        errors = sum(is_error(lint) for one in done for lint in one.lints)
        notice(f"{count(len(done), 'file')}: {count(errors, 'error') if errors else NO_ERRORS}")
    context.exit(status)


def _found(files: Sequence[str]) -> Iterator[str]:
    """The files that are named, and those in folders that are named. Raises Problem for a folder without any."""
    for file in files:
        if file == DASH or not Path(file).is_dir():
            yield file
            continue
        yield from map(str, wgsl_files(Path(file)))


def _written(file: str, one: LintedFile, *, unsafe: bool) -> LintedFile:
    """Writes a repair that is safe, or any; what then is wrong in the file."""
    if not one.repairs:
        return one
    repair = one.repairs[0] if unsafe else next((r for r in one.repairs if r.is_safe), None)
    if repair is None:
        notice(f"{file}: not written: the repair is unsafe; look at it first, `--fix unsafe` writes it")
        return one
    write_bytes(Path(file), repair.text.encode())
    notice(f"{file}: written")
    return linted(one.name, repair.text)
