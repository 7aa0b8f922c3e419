"""What commands write to terminals and logs. Foreign text (a compiler's message, a path, a record) cannot act there.

A control character in it would move the cursor, set the window's title or write to the clipboard; square brackets in
it would be read as rich's markup. All output passes through `echo` or through a `Console` of this module.
"""

import csv
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any

import click
import rich.console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

_ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""C0 and C1 control characters but tab and line feed, what reorders or breaks the text around it, and halves of
characters, which cannot be written."""


STANDARD_OUTPUT = "standard output"


@contextmanager
def output_named(name: str) -> Iterator[None]:
    """For what writes to a stream: an OSError says which, as those of files do."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or name
        raise


def open_streams() -> None:
    """Opens standard streams that the caller closed (`>&-`) on the null device: files opened later would take their
    numbers. `sys.stdin` stays None if it was closed. What is written is UTF-8, also where the system has another
    encoding for files (Windows).
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=stream.errors)


def printable(text: str) -> str:
    """The text with each character that a terminal would act on written as JSON does: ESC is `\\u001b`."""
    return _ACTIVE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def echo(
    message: str | bytes = "", *, head: str = "", file: IO[Any] | None = None, nl: bool = True, err: bool = False
) -> None:
    """As `click.echo`, with the text made printable. JSON stays the same JSON: its strings know these escapes.

    `head` is text of our own before it, which may be styled.
    """
    text = message.decode() if isinstance(message, bytes) else message
    with output_named("standard error" if err else STANDARD_OUTPUT):
        click.echo(head + printable(text), file=file, nl=nl, err=err)


def notice(line: str) -> None:
    """A line on standard error, for people: progress, and what is left out."""
    echo(line, err=True)


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows with the same keys as lines of CSV, below a head."""
    written = io.StringIO()
    table = csv.DictWriter(written, rows[0] if rows else (), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return written.getvalue()


def columns(rows: Sequence[Sequence[str]], *, numbers: int = 0) -> list[str]:
    """Rows of cells as aligned lines; the last `numbers` cells are aligned on the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    signs = ["<"] * (len(widths) - numbers) + [">"] * numbers
    return [
        "  ".join(f"{cell:{sign}{width}}" for cell, sign, width in zip(row, signs, widths, strict=True)).rstrip()
        for row in rows
    ]


def markdown_row(cells: Sequence[str]) -> str:
    """A row of a table of Markdown."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def fenced(text: str, language: str = "") -> str:
    """A text as a block of Markdown, which nothing in the text ends."""
    fence = "`" * (1 + max(map(len, ["``", *re.findall("`+", text)])))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def inert(text: str) -> str:
    """A text for a line of Markdown: it mentions nobody and has no HTML, by an invisible character."""
    return re.sub(r"(?<!\w)@(?=\w)|<(?=[\w/!?])", "\\g<0>\u2060", text)


def write_code(code: str, *, nl: bool = True) -> None:
    """WGSL on standard output: letter by letter for files and programs, made printable on a terminal."""
    with output_named(STANDARD_OUTPUT):
        click.echo(printable(code) if in_terminal() else code, nl=nl)


class Console(rich.console.Console):
    """A console that takes text as it is: no markup, no highlighting, no control characters but its own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """As rich's, made printable before it is laid out."""
        return super().render_str(printable(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """As rich's, segment by segment: what came as a `Text` has not passed through `render_str`."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Raises the BrokenPipeError again: rich would end with status 1, which says that something was found."""
        raise


def in_terminal() -> bool:
    """Whether standard output is a terminal: pages and pictures are nothing to read there."""
    return sys.stdout.isatty()
