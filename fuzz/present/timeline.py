"""A time line as people read it: lines for one text, a table for several, and a picture."""

from collections.abc import Sequence
from dataclasses import dataclass

import jinja2

from wgsl_fuzz.fuzz.judging.judge import Kind, unimplemented
from wgsl_fuzz.fuzz.regression.replay import CaseResult
from wgsl_fuzz.fuzz.regression.timeline import Build, Change, History, Timeline

RIGHT, BEYOND = "ok", "-"
_SHORT = {Kind.TOO_STRICT: "strict", Kind.TOO_LENIENT: "lenient", Kind.UNSOUND: "UNSOUND"}
"""What stands in a narrow column; the other kinds are short enough."""
_COLOURS = {
    None: ("#2f855a", "as the reference"),
    Kind.UNSOUND: ("#9b2c2c", "unsound"),
    Kind.TOO_LENIENT: ("#c05621", "too lenient"),
    Kind.TOO_STRICT: ("#b7791f", "too strict"),
    Kind.INVALID: ("#6b46c1", "refused"),
    Kind.CRASH: ("#1a202c", "crash or hang"),
}
_GREY = ("#718096", "not built yet")
"""Likewise of what a build does not know yet: a construct, or the analysis as a whole."""
"""Of each kind its colour and its words in the legend; kinds that are not here have the last one's."""
_ROW, _COLUMN, _NAME, _HEAD = 20, 88, 300, 44


def word_in_table(answer: CaseResult) -> str:
    """What a build does with a text, in one word."""
    kind = _kind(answer)
    if _is_beyond(answer):
        return BEYOND
    return RIGHT if kind is None else _SHORT.get(kind, kind.value)


def _is_beyond(answer: CaseResult) -> bool:
    """Whether what the text asks for is not built yet: one of its constructs, or the analysis as a whole."""
    unknown = answer.kind is None and answer.said != answer.expected
    return unknown or answer.bucket == unimplemented(answer.oracle)


def _kind(answer: CaseResult) -> Kind | None:
    return None if answer.kind is None else Kind(answer.kind)


def lines_of(history: History, builds: Sequence[Build]) -> list[str]:
    """What each build says of one text, a line a build."""
    date, name = (max(len(text) for text in texts) for texts in zip(*((b.date, b.spec) for b in builds), strict=True))
    said = max(len(answer.said) for answer in history.answers)
    lines = []
    for build, answer in zip(builds, history.answers, strict=True):
        kind = "" if answer.kind is None else answer.kind
        lines.append(f"  {build.date:{date}}  {build.spec:{name}}  {answer.said:{said}}  {kind}".rstrip())
    return lines


def change_line(change: Change, builds: Sequence[Build]) -> str:
    """Between which two builds the verdict changed, from what to what, and what became of the text by it."""
    dates = {build.spec: f" ({build.date})" if build.date else "" for build in builds}
    before, after = change.before, change.after
    where = f"between {before.oracle}{dates[before.oracle]} and {after.oracle}{dates[after.oracle]}"
    return f"{change.word} {where}: {before.said} -> {after.said}, expected {after.expected}"


def told(timeline: Timeline) -> list[History]:
    """Those that have something to tell: the others are `ok` or `-` in every build."""
    return [h for h in timeline.histories if h.changes or any(a.disagrees and not _is_beyond(a) for a in h.answers)]


def table(timeline: Timeline) -> list[str]:
    """A row a text, a column a build, in one word each; texts without anything to tell are counted only."""
    shown = told(timeline)
    heads = [build.spec.rpartition("@")[2].removeprefix("rules:") for build in timeline.builds]
    rows = [["", *(build.date for build in timeline.builds)], ["", *heads]]
    rows += [[h.entry.name, *(word_in_table(answer) for answer in h.answers)] for h in shown]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    rest = len(timeline.histories) - len(shown)
    return [*lines, *([rest_line(rest, timeline)] if rest else [])]


@dataclass(frozen=True, slots=True)
class Cell:
    """A field of the picture, in pixels."""

    x: int
    y: int
    colour: str
    word: str
    title: str


def svg(timeline: Timeline) -> str:
    """The table as a picture, with a legend; it has a background of its own, for light and dark pages."""
    shown = told(timeline)
    cells = [
        Cell(_NAME + column * _COLUMN, _HEAD + row * _ROW, _colour(answer), word_in_table(answer), _title(answer))
        for row, history in enumerate(shown)
        for column, answer in enumerate(history.answers)
    ]
    used = {cell.colour for cell in cells}
    loader = jinja2.PackageLoader("wgsl_fuzz.fuzz.present", "templates")
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template("timeline.svg").render(
        builds=timeline.builds,
        names=[history.entry.name for history in shown],
        rest=rest_line(len(timeline.histories) - len(shown), timeline),
        cells=cells,
        legend=[(colour, words) for colour, words in (*_COLOURS.values(), _GREY) if colour in used],
        row=_ROW,
        column=_COLUMN,
        name=_NAME,
        head=_HEAD,
        width=_NAME + _COLUMN * len(timeline.builds) + 12,
        height=_HEAD + _ROW * len(shown) + 56,
    )


def rest_line(rest: int, timeline: Timeline) -> str:
    """What is said of the texts without a row; nothing if there are none."""
    beyond = any(_is_beyond(answer) for history in timeline.histories for answer in history.answers)
    return f"{rest} more: {f'{RIGHT} or {BEYOND}' if beyond else RIGHT} in every build" if rest else ""


def _colour(answer: CaseResult) -> str:
    if _is_beyond(answer):
        return _GREY[0]
    return _COLOURS.get(_kind(answer), _COLOURS[Kind.CRASH])[0]


def _title(answer: CaseResult) -> str:
    return f"{answer.entry.name}, {answer.oracle}: {answer.said}, expected {answer.expected}"
