"""The command `bisect`: between which builds a verdict changed."""

from collections.abc import Iterator
from pathlib import Path

import click

from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.cli.runs.progress import changing_line
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Kind
from wgsl_fuzz.fuzz.output import columns, notice
from wgsl_fuzz.fuzz.present.wording import count, verb
from wgsl_fuzz.fuzz.problems import PROBLEM, Problem
from wgsl_fuzz.fuzz.regression.replay import CaseResult, load_texts
from wgsl_fuzz.fuzz.regression.timeline import Timeline, builds_of, change_word, histories, within

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
@o.format_option("text", "json")
@o.output_option()
@o.TIMEOUT_OPTION
@click.pass_context
def bisect(
    context: click.Context,
    files: tuple[Path, ...],
    names: tuple[str, ...],
    span: str | None,
    form: str,
    output: Path | None,
) -> None:
    """Find between which builds a verdict changed.

    Every build that can be had is asked, in order of date: a verdict may change more than once. A DIR is a corpus as
    of `replay`, or has *.wgsl files; without FILE or DIR it is the shipped corpus. A build of yours
    (-t tint -t tint:out/tint) comes last, whatever the --range.

    Exit status: 0 no verdict changed, 1 one did, 2 the request or the set-up is at fault, a file cannot be judged, or a
    build that was named cannot be opened.
    """
    builds = builds_of(names)
    if span is not None:
        first, dots, last = span.partition("..")
        if not dots:
            raise Problem(f"--range: {span!r} is not A..B")
        inside = within(builds, first, last)
        builds = [build for build in builds if build in inside or build.spec in names]
    cases = [case for file in files or (None,) for case in load_texts(file)]
    with changing_line("asking") as show:
        timeline = histories(cases, builds, notice, context.meta["timeout"], show)
    for name, reason in timeline.missing.items():
        notice(f"wgsl-fuzz: {name} is left out: {reason}")
    for line in timeline.unreadable:
        notice(f"wgsl-fuzz: cannot be judged: {line}")
    o.hand_over(o.as_json(_json(timeline)) if form == "json" else _report(timeline), output)
    changed = any(history.changes for history in timeline.histories)
    failed = timeline.unreadable or not timeline.missing.keys().isdisjoint(names)
    context.exit(PROBLEM if failed else int(changed))


def _report(timeline: Timeline) -> Iterator[str]:
    """The table or, of a few texts, what each build says; then between which builds what changed."""
    few = len(timeline.histories) <= FEW
    dates = {build.spec: f" ({build.date})" if build.date else "" for build in timeline.builds}
    if not few:
        yield from (*table(timeline), "")
    for history in timeline.histories:
        if few:
            yield history.case.name
            pairs = zip(timeline.builds, history.answers, strict=True)
            rows = [(build.date, build.spec, answer.said, answer.kind or "") for build, answer in pairs]
            yield from (f"  {line}" for line in columns(rows))
        for before, after in history.changes:
            where = f"between {before.oracle}{dates[before.oracle]} and {after.oracle}{dates[after.oracle]}"
            what = f"{before.said} -> {after.said}, expected {after.expected}"
            yield f"{history.case.name}: {change_word(before, after)} {where}: {what}"
    changed = sum(bool(history.changes) for history in timeline.histories)
    texts, builds = count(len(timeline.histories), "text"), count(len(timeline.builds), "build")
    yield f"{changed} of {texts} {verb(changed, 'changes', 'change')} verdict between {builds}"


def _json(timeline: Timeline) -> dict[str, object]:
    return {
        "builds": [{"target": build.spec, "date": build.date or None} for build in timeline.builds],
        "texts": [
            {
                "name": history.case.name,
                "path": str(history.case.path),
                "expected": history.answers[0].expected,
                "answers": {a.oracle: {"says": a.said, "kind": a.kind} for a in history.answers},
                "changes": [
                    {"word": change_word(a, b), "before": a.oracle, "after": b.oracle} for a, b in history.changes
                ],
            }
            for history in timeline.histories
        ],
        "missing": timeline.missing,
        "unreadable": timeline.unreadable,
    }


RIGHT, BEYOND = "ok", "-"
_SHORT = {Kind.TOO_STRICT.value: "strict", Kind.TOO_LENIENT.value: "lenient", Kind.UNSOUND.value: "UNSOUND"}
"""What stands in a narrow column; the other kinds are short enough."""


def _is_beyond(answer: CaseResult) -> bool:
    """Whether what the text asks for is not built yet: one of its constructs, or the analysis as a whole."""
    unknown = answer.kind is None and answer.said != answer.expected
    return unknown or answer.bucket == BucketKey.without_analysis(answer.oracle)


def table(timeline: Timeline) -> list[str]:
    """A row a text, a column a build, in one word each; of texts that are `ok` or `-` in every build the number."""
    texts = timeline.histories
    shown = [h for h in texts if h.changes or any(a.disagrees and not _is_beyond(a) for a in h.answers)]
    heads = [build.spec.rpartition("@")[2].removeprefix("rules:") for build in timeline.builds]
    rows = [["", *(build.date for build in timeline.builds)], ["", *heads]]
    for h in shown:
        words = ((a, RIGHT if a.kind is None else _SHORT.get(a.kind, a.kind)) for a in h.answers)
        rows.append([h.case.name, *(BEYOND if _is_beyond(answer) else word for answer, word in words)])
    others = f"{RIGHT} or {BEYOND}" if any(_is_beyond(answer) for h in texts for answer in h.answers) else RIGHT
    rest = len(texts) - len(shown)
    return [*columns(rows), *([f"{rest} more: {others} in every build"] if rest else [])]
