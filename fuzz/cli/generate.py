"""The command `generate`: shaders, with the reference's verdict."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import orjson

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import TINY
from wgsl_fuzz.fuzz.cli.options import (
    FIRST,
    LANGUAGE,
    REQUIRE,
    SEED,
    SHADER_FOLDER,
    allow_only,
    checked_language,
    count_option,
    format_option,
    plan_of,
)
from wgsl_fuzz.fuzz.files import make_folder, write_bytes
from wgsl_fuzz.fuzz.findings.loading import read_campaign
from wgsl_fuzz.fuzz.judging.answers import WORDS
from wgsl_fuzz.fuzz.output import write_code
from wgsl_fuzz.fuzz.present.wording import count as number
from wgsl_fuzz.fuzz.present.wording import verb
from wgsl_fuzz.fuzz.problems import Problem

_OF_A_RUN = ("count", "first", "form", "folder", "as_drawn", "related", "run")
"""What goes with `generate --run`."""


@click.command()
@count_option(1)
@SEED
@FIRST
@LANGUAGE
@REQUIRE
@format_option("jsonl", "wgsl", default="jsonl")
@SHADER_FOLDER
@click.option("--as-drawn", is_flag=True, help="As a campaign writes them: one in eight in drawn surface forms.")
@click.option("--related", is_flag=True, help="What campaigns transform some shaders into, instead of the shaders.")
@click.option("--run", type=click.Path(path_type=Path), metavar="DIR", help="This run's.")
@click.pass_context
def generate(
    context: click.Context,
    count: int,
    seed: int,
    first: int,
    language: str | None,
    require: tuple[str, ...],
    form: str,
    folder: Path | None,
    as_drawn: bool,
    related: bool,
    run: Path | None,
) -> None:
    """Draw shaders, with the reference's verdict.

    A line {"code": ..., "verdict": "uniform" | "non-uniform"} each, or with --format wgsl the WGSL itself.
    Exit status: 0 all were drawn, 2 some were left out because no try had what was asked for.
    """
    if run is not None:
        allow_only(context, _OF_A_RUN, "--run", "its record says what was drawn")
        plan = read_campaign(run)[1]
    else:
        plan = plan_of(seed, checked_language(language, require, TINY), require)
    if folder is not None:
        make_folder(folder)
    drawer = CampaignGenerator(plan)
    for index, case in _drawn(drawer, range(first, first + count), related):
        code = (case if as_drawn else case.plain).text
        verdict = WORDS[case.verdict]
        line = orjson.dumps({"code": code, "verdict": verdict}).decode() if form == "jsonl" else f"// {verdict}\n{code}"
        if folder is None:
            write_code(line)
        else:
            name = f"{plan.seed}-{index:06}.{'json' if form == 'jsonl' else 'wgsl'}"
            write_bytes(folder / name, line.encode())
    if drawer.misses:
        raise _left_out(drawer.misses, count)


def _left_out(misses: int, count: int) -> Problem:
    left = f"{misses} of {number(count, 'shader')} {verb(misses, 'was', 'were')} left out"
    return Problem(f"{left}: no try had what was asked for")


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
