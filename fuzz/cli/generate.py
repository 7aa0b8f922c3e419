"""The commands `generate` and `mutate`: shaders, with the reference's verdict."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import orjson

from wgsl_fuzz.fuzz.cases.case import WORDS, Case
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.parents import mutated_shader, read_parents
from wgsl_fuzz.fuzz.cases.plan import TINY, Plan
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.files import make_folder, write_bytes
from wgsl_fuzz.fuzz.output import notice, write_code
from wgsl_fuzz.fuzz.present.wording import count as number
from wgsl_fuzz.fuzz.present.wording import verb
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.verdict import Verdict

NAMED = 5
"""So many files that are passed over are named."""


@click.command(cls=o.LargeCommand)
@o.count_option(1)
@o.SEED
@o.FIRST
@o.LANGUAGE
@o.REQUIRE
@o.format_option("jsonl", "wgsl", default="jsonl")
@o.SHADER_FOLDER
@click.option(
    "--text",
    "spelling",
    type=click.Choice(["plain", "drawn", "related"]),
    default="plain",
    show_default=True,
    help="Plain, as campaigns write it (in any surface form and layout), or what they transform some shaders into.",
)
def generate(
    count: int,
    seed: int,
    first: int,
    language: str | None,
    require: str | None,
    form: str,
    folder: Path | None,
    spelling: str,
) -> None:
    """Draw shaders, with the reference's verdict.

    A line {"code": ..., "verdict": "uniform" | "non-uniform"} each, or with --format wgsl the WGSL itself.
    Exit status: 0 all were drawn, 2 some were left out because no try had what was asked for.
    """
    if folder is not None:
        make_folder(folder)
    drawer = CampaignGenerator(Plan(seed, require, language=language or TINY))
    for index, case in _drawn(drawer, range(first, first + count), spelling == "related"):
        written = as_written((case.plain if spelling == "plain" else case).text, case.verdict, form)
        _hand_over(written, form, None if folder is None else folder / f"{seed}-{index:06}")
    if drawer.misses:
        left = f"{drawer.misses} of {number(count, 'shader')} {verb(drawer.misses, 'was', 'were')} left out"
        raise Problem(f"{left}: no try had what was asked for")


def _drawn(drawer: CampaignGenerator, indices: Sequence[int], related: bool) -> Iterator[tuple[int, Case]]:
    """The shaders in these places, or what they are transformed into; those are left out that no try gave."""
    for index in indices:
        missed = drawer.misses
        case = drawer.case(index)
        if drawer.misses > missed:
            continue
        if related:
            twin = drawer.related(index, case)
            if twin is None:
                raise Problem(f"shader {index} is not one that campaigns transform")
            case = twin[0]
        yield index, case


def as_written(code: str, verdict: Verdict, form: str, **more: str) -> str:
    """A shader with the reference's verdict: a line of JSON, which has `more`, or WGSL below a comment."""
    word = WORDS[verdict]
    return orjson.dumps({"code": code, "verdict": word} | more).decode() if form == "jsonl" else f"// {word}\n{code}"


def _hand_over(written: str, form: str, file: Path | None) -> None:
    """Writes a shader to standard output, or to a file whose suffix its form decides."""
    if file is None:
        write_code(written)
    else:
        write_bytes(file.with_suffix(".json" if form == "jsonl" else ".wgsl"), written.encode())


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE|DIR...", type=click.Path(path_type=Path))
@o.count_option(1)
@o.SEED
@o.format_option("jsonl", "wgsl", default="jsonl")
@o.SHADER_FOLDER
def mutate(paths: tuple[Path, ...], count: int, seed: int, form: str, folder: Path | None) -> None:
    """Change WGSL files a little, with the reference's verdict.

    The parents are any WGSL: files, and the *.wgsl in folders. Each mutant is valid if its parent is. A line
    {"code": ..., "verdict": "uniform" | "non-uniform", "parent": ...} each, or with --format wgsl the WGSL itself.
    To ask a target about them:

    \b
        wgsl-fuzz mutate shaders -n 1000 | wgsl-fuzz check - --target tint

    Exit status: 0, or 2 if there is no parent.
    """
    parents = read_parents(paths)
    for path, reason in parents.passed_over[:NAMED]:
        notice(f"passed over: {path}: {reason}")
    if len(parents.passed_over) > NAMED:
        notice(f"passed over: {number(len(parents.passed_over) - NAMED, 'file')} more")
    if not parents.found:
        raise Problem("no file can be a parent")
    if folder is not None:
        make_folder(folder)
    for index in range(count):
        parent, case = mutated_shader(parents, seed, index)
        written = as_written(case.source.text, case.verdict, form, parent=parent)
        _hand_over(written, form, None if folder is None else folder / f"{seed}-{index:06}")
