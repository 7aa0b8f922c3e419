"""The command `enumerate`: every shader up to a bound, through the same judge."""

import time
from collections.abc import Sequence
from pathlib import Path

import click

from wgsl_fuzz.fuzz.cases.case import read_judged
from wgsl_fuzz.fuzz.cases.course import ShaderSequence
from wgsl_fuzz.fuzz.cases.plan import Budget
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.cli.generate import as_written
from wgsl_fuzz.fuzz.cli.runs.campaign import CampaignRequest, campaign
from wgsl_fuzz.fuzz.files import read_text
from wgsl_fuzz.fuzz.findings.known import check_build
from wgsl_fuzz.fuzz.findings.records import SHADER
from wgsl_fuzz.fuzz.output import columns, echo, notice
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.corpus import CASE, load_cases
from wgsl_fuzz.oracle.targets.protocol import normal_path
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES, USUAL

_USUAL = [family.name for family in USUAL]


@click.command(
    "enumerate",
    cls=o.LargeCommand,
    epilog="\n\n".join(f"{f.name}: its size is {f.size}. Alphabet: {f.alphabet}." for f in ALL_FAMILIES.values()),
)
@click.option(
    "--family",
    "families",
    multiple=True,
    type=click.Choice([*ALL_FAMILIES]),
    help=f"Repeats.  [default: {', '.join(_USUAL)}]",
)
@click.option(
    "--near",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE|DIR|corpus",
    help="All that one mutation (some 300) and two (some 60,000) make of a shader, or each case of a corpus; repeats.",
)
@click.option("--max-statements", "most", type=click.IntRange(0, 8), default=4, show_default=True, help="The bound.")
@o.TARGET
@o.run_folder_option("TIME-enumerate")
@o.FIRST
@o.PROGRAMS
@o.format_option("text", "jsonl", "wgsl", "counts")
@o.JOBS
@o.TIMEOUT_OPTION
@o.LIKE
@o.KNOWN_FILE
@o.NO_KNOWN
@click.pass_context
def enumerate_(
    context: click.Context,
    families: tuple[str, ...],
    near: tuple[Path, ...],
    most: int,
    names: tuple[str, ...],
    out: Path | None,
    first: int,
    programs: int | None,
    form: str,
) -> None:
    """Judge every shader of some families up to a size.

    The smallest come first, and no two are equal up to renaming. Each is judged as in a campaign: by the reference,
    the semantics, and every --target; with another --format than text they are only printed, or counted. A stopped or
    killed run goes on with wgsl-fuzz --resume.

    The size of --near is the number of mutations. All are tried in all places; a condition that one inserts reads one
    value, in one form: analyses do not tell the forms apart, and a second value is a second mutation.

    \b
        wgsl-fuzz enumerate --family single-loop --max-statements 4 --target tint

    Exit status: 0 nothing new was found, 1 something was, 2 the request or the set-up is at fault.
    """
    named = dict.fromkeys(families or (() if near else _USUAL))
    course = ShaderSequence([ALL_FAMILIES[name] for name in named], most, _all_given(near, most))
    if form != "text":
        part = () if form == "counts" else ("first", "programs")
        o.allow_only(context, ("families", "near", "most", *part, "form"), f"--format {form}", "nothing is judged")
    if form == "counts":
        _show_counts(course)
        return
    if first >= course.count:
        raise Problem(f"--first {first} is beyond the end: there are {course.count} shaders")
    end = course.count if programs is None else min(course.count, first + programs)
    if form != "text":
        for case in map(course.case, range(first, end)):
            echo(as_written(case.text, case.verdict, form))
        return
    out = out or Path("wgsl-fuzz-out") / time.strftime("%Y%m%d-%H%M%S-enumerate")
    context.exit(_judged(context, course, range(first, end), names, out))


def _all_given(near: Sequence[Path], most: int) -> list[tuple[str, str]]:
    """The texts of --near, each once; says so if counting what is near them will take long. Raises Problem."""
    texts = list(dict.fromkeys(named_text for path in near for named_text in _given(path)))
    if most > 1 and texts:
        notice(f"counting two mutations of {count(len(texts), 'shader')}, minutes each; --max-statements 1 counts one")
    return texts


def _given(path: Path) -> list[tuple[str, str]]:
    """The shader in a file, or those of a corpus, each with the name of its file. Raises Problem."""
    files = [path]
    if path.is_dir() or (path == Path("corpus") and not path.exists()):
        files = [case.folder / SHADER for case in load_cases(path if path.is_dir() else None)]
        if not files:
            raise Problem(f"{path} is no corpus: it has no NAME/{CASE}")
    texts = [(normal_path(str(file)), read_text(file)) for file in files]
    for name, text in texts:
        _ = read_judged(text, name)
    return texts


def _judged(context: click.Context, course: ShaderSequence, part: range, names: Sequence[str], out: Path) -> int:
    """Judges a part of the shaders as a campaign does; the exit status."""
    request = CampaignRequest(
        tuple(dict.fromkeys(names)),
        course.plan(part.start, known_first=not context.meta["no_known"]),
        out,
        context.meta["jobs"],
        context.meta["known_file"],
        o.like_of(context, names, check_build),
        timeout=context.meta["timeout"],
    )
    return campaign(request, Budget(programs=len(part)))


def _show_counts(course: ShaderSequence) -> None:
    sizes = range(course.most + 1)
    rows = [["size", *map(str, sizes), "all"]]
    for f in course.families:
        rows.append([f.name, *(f"{f.of_size(n).count:,}" for n in sizes), f"{f.up_to(course.most).count:,}"])
    for line in columns(rows, numbers=len(sizes) + 1):
        echo(line)
    echo(f"{course.count:,} shaders")
