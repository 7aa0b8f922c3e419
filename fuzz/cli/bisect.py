"""The command `bisect`: between which builds a verdict changed."""

from collections.abc import Iterator
from pathlib import Path

import click
import orjson

from wgsl_fuzz.fuzz.cli.options import format_option, hand_over, output_option, timeout_of
from wgsl_fuzz.fuzz.cli.runs.progress import changing_line
from wgsl_fuzz.fuzz.files import read_text
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.plurals import count, verb
from wgsl_fuzz.fuzz.present.timeline import change_line, lines_of, svg, table
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.replay import ReplayText, load_entries
from wgsl_fuzz.fuzz.regression.timeline import Timeline, builds_of, histories, installed_only, within

FEW = 3
"""So many texts have a line for each build; of more there is a table."""


@click.command("bisect")
@click.argument("files", nargs=-1, metavar="[FILE|DIR]...", type=click.Path(path_type=Path))
@click.option(
    "--target",
    "-t",
    "names",
    multiple=True,
    default=("tint",),
    show_default=True,
    metavar="NAME",
    help="tint, naga, wgsl (texts of the specification), webkit (a model): all builds of it; or one build; repeats.",
)
@click.option(
    "--range", "span", metavar="A..B", help="Builds (0.3.8..0.4.0) or dates (2025-09..); A or B may be empty."
)
@click.option("--installed", is_flag=True, help="Fetch no build that is not here.")
@format_option("text", "json", "svg")
@output_option()
@click.pass_context
def bisect(
    context: click.Context,
    files: tuple[Path, ...],
    names: tuple[str, ...],
    span: str | None,
    installed: bool,
    form: str,
    output: Path | None,
) -> None:
    """Tell between which builds a verdict changed.

    Every build that can be had is asked, in order of date: a verdict may change more than once. A DIR is a corpus as
    of `replay`, or has *.wgsl files; without FILE or DIR it is the shipped corpus. A build of yours
    (-t tint -t tint:out/tint) comes last.

    Exit status: 0 no verdict changed, 1 one did, 2 the request or the set-up is at fault, or a file cannot be judged.
    """
    builds = builds_of(names)
    if span is not None:
        builds = within(builds, *_ends(span))
    if installed:
        builds = installed_only(builds)
    if not builds:
        raise Problem("none of these builds is installed here: see `wgsl-fuzz targets`")
    with changing_line("asking") as show:
        timeline = histories(_entries(files), builds, lambda line: echo(line, err=True), timeout_of(context), show)
    _say_what_is_left_out(timeline)
    if form == "json":
        written = orjson.dumps(_json(timeline)).decode() + "\n"
    else:
        written = svg(timeline) if form == "svg" else "\n".join(_lines(timeline)) + "\n"
    hand_over(written, output)
    changed = any(history.changes for history in timeline.histories)
    context.exit(2 if timeline.unreadable else int(changed))


def _ends(span: str) -> tuple[str, str]:
    first, dots, last = span.partition("..")
    if not dots:
        raise Problem(f"--range: {span!r} is not A..B")
    return first, last


def _entries(files: tuple[Path, ...]) -> list[ReplayText]:
    """The texts, each under a name of its own. Raises Problem for a file that cannot be read."""
    if not files:
        return load_entries(None)
    entries: list[ReplayText] = []
    for file in files:
        entries += load_entries(file) if file.is_dir() else [ReplayText(str(file), file, read_text(file), None)]
    return entries


def _say_what_is_left_out(timeline: Timeline) -> None:
    for name, reason in timeline.missing.items():
        echo(f"wgsl-fuzz: {name} is left out: {reason}", err=True)
    for line in timeline.unreadable:
        echo(f"wgsl-fuzz: cannot be judged: {line}", err=True)


def _lines(timeline: Timeline) -> Iterator[str]:
    """The table or, of a few texts, their answers; then what changed."""
    few = len(timeline.histories) <= FEW
    if not few:
        yield from (*table(timeline), "")
    for history in timeline.histories:
        name = history.entry.name
        yield from [name, *lines_of(history, timeline.builds)] if few else []
        yield from (f"{name}: {change_line(change, timeline.builds)}" for change in history.changes)
    changed = sum(bool(history.changes) for history in timeline.histories)
    texts, builds = count(len(timeline.histories), "text"), count(len(timeline.builds), "build")
    yield f"{changed} of {texts} {verb(changed, 'changes', 'change')} verdict between {builds}"


def _json(timeline: Timeline) -> dict[str, object]:
    return {
        "builds": [{"target": build.spec, "date": build.date or None} for build in timeline.builds],
        "texts": [
            {
                "name": history.entry.name,
                "path": str(history.entry.path),
                "expected": history.answers[0].expected,
                "answers": {a.oracle: {"says": a.said, "kind": a.kind} for a in history.answers},
                "changes": [
                    {"word": c.word, "before": c.before.oracle, "after": c.after.oracle} for c in history.changes
                ],
            }
            for history in timeline.histories
        ],
        "missing": timeline.missing,
        "unreadable": timeline.unreadable,
    }
