"""The triage by keys: the list of buckets, a page on each, and a line that asks what a decision needs.

The keys that move and leave are those of less and vim.
"""

import re
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import wrap

import click
from rich.console import Group, RenderableType
from rich.text import Text

from wgsl_fuzz.fuzz.files import make_folder
from wgsl_fuzz.fuzz.output import Console, echo, printable
from wgsl_fuzz.fuzz.present.export import FORMS, exported, file_name
from wgsl_fuzz.fuzz.present.triage_text import check_url, detail, marked, overview, table
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.triage import Triage

_UP, _DOWN = ("\x1b[A", "\x1bOA", "k"), ("\x1b[B", "\x1bOB", "j")
_PREVIOUS, _NEXT = "p", "n"
_PAGE_UP, _PAGE_DOWN = ("b", "\x1b[5~"), (" ", "f", "\x1b[6~")
_TOP, _BOTTOM = ("g", "\x1b[H", "\x1bOH", "\x1b[1~"), ("G", "\x1b[F", "\x1bOF", "\x1b[4~")
_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO.|[\x00\xe0][HPKMIQGO]|.", re.DOTALL)
_OF_WINDOWS = dict(zip("HPKMIQGO", ("\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F")))
"""What a terminal of POSIX sends for the keys that Windows tells by such a letter after NUL or E0."""
_STYLED = re.compile(r"\x1b\[[0-9;]*m")
_FAR = 1_000_000
_QUIT, _HELP = ("q", "\x1b"), "?"
_LEAVE = (*_QUIT, "\x7f", "\x08", "\x1b[D", "\x1bOD")
_DECIDE = ("m: mark known", "e: export", "d: drop", "u: undo")
_KEYS = ("j/k: move", "enter: look", *_DECIDE, "?: help", "q: quit")
_KEYS_DETAIL = ("n/p: bucket", "j/k, space/b: scroll", *_DECIDE, "?: help", "q: list")
_HELP_LINES = (
    "j, down      next bucket; on a bucket's page one line down",
    "k, up        previous bucket; on a page one line up",
    "space, f     one screen down: also Page Down",
    "b            one screen up: also Page Up",
    "g, G         to the first bucket or line, to the last: also Home and End",
    "enter        the page of the bucket",
    "n, p         next bucket, previous bucket, also on a page",
    "m            mark as known: asks for the URL of the issue",
    "e            export: asks for the form and the place",
    "d            drop: asks for the reason; nothing is deleted",
    "u            undo the last decision of this session",
    "?            this help",
    "q, Esc       leave the help, the page, the triage",
)


def keys_in(typed: str) -> list[str]:
    """The keys of what was read at once: a fast typist's several."""
    return [_OF_WINDOWS.get(key[1:], key) if key[0] in "\x00\xe0" else key for key in _KEY.findall(typed)]


def footer(keys: Sequence[str], width: int) -> list[str]:
    """The keys and what they do in as many lines as it takes: no key is cut."""
    lines = [""]
    for key in keys:
        longer = f"{lines[-1]}   {key}".lstrip()
        if len(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(key)
    return lines


def _wrapped(lines: Iterable[str], width: int) -> list[str]:
    return [part for line in lines for part in wrap(line, max(1, width))]


def _row(lines: Sequence[str], number: int) -> int:
    """On which line of the list a bucket begins: long titles take several lines."""
    starts = (i for i, line in enumerate(lines) if re.match(rf" *#{number} ", _STYLED.sub("", line)))
    return next(starts, 0)


@contextmanager
def _on_resize(act: Callable[[], object]) -> Iterator[None]:
    """A context in which `act` is called whenever the terminal changes its size, where the system tells."""
    if not hasattr(signal, "SIGWINCH"):
        yield
        return
    before = signal.signal(signal.SIGWINCH, lambda *_: act())
    try:
        yield
    finally:
        signal.signal(signal.SIGWINCH, before)


class Screen:
    """Shows a triage until `q` or Esc in the list; every key is one method."""

    def __init__(self, triage: Triage, console: Console) -> None:
        self.triage = triage
        self.console = console
        self.selected = 0
        self.looking = False
        self.helping = False
        """Whether the keys are explained, above the list or a page."""
        self.top = 0
        """The first line shown of a page."""
        self.message = ""

    def run(self) -> None:
        """Until `q` or Esc in the list, Ctrl-C or the end of the input."""
        with self.console.screen(hide_cursor=True):
            while True:
                self.draw()
                try:
                    with _on_resize(self.draw):  # not while a question is asked: its line would be lost
                        typed = click.getchar()
                except (EOFError, KeyboardInterrupt):
                    return
                for key in keys_in(typed):
                    if key in ("\x03", "\x04") or (key in _QUIT and not self.looking and not self.helping):
                        return
                    self.press(key)

    def draw(self) -> None:
        """The page or the list, cut to the terminal, and the keys below."""
        width, height = self.console.size
        shown = self._page(width)
        head = [] if self.looking or self.helping else [*_wrapped(overview(self.triage)[:3], width)[: height // 3], ""]
        with self.console.capture() as capture:
            self.console.print(shown)
        lines = capture.get().splitlines()
        room = max(1, height - 1 - len(head) - len(self._below(width, len(lines), len(lines))))
        if not self.looking and not self.helping:
            self.top = _row(lines, self._number) + 1 - room // 2
        self.top = max(0, min(self.top, len(lines) - room))
        top = 0 if self.helping else self.top
        visible = lines[top : top + room]
        below = self._below(width, top + len(visible), len(lines) if len(lines) > room else 0)
        gap = [""] * (height - 1 - len(head) - len(visible) - len(below))
        self.console.file.write(
            "\x1b[H\x1b[2J" + "\n".join([*map(printable, head), *visible, *gap, *map(printable, below)])
        )
        self.console.file.flush()

    def _page(self, width: int) -> RenderableType:
        """What is on the screen, above the keys."""
        if self.helping:
            return Group(*(Text(line) for line in _HELP_LINES))
        return detail(self.triage, self.selected) if self.looking else table(self.triage, self.selected, width)

    def _below(self, width: int, last: int, lines: int) -> list[str]:
        """The message, the keys, and how far one has come; no `lines`: all of them are seen."""
        keys = [*(_KEYS_DETAIL if self.looking else _KEYS), *([f"(line {last} of {lines})"] if lines else [])]
        return [*(_wrapped([self.message], width)[:2] or [""]), *footer(keys, width)]

    @property
    def _number(self) -> int:
        """Of the bucket at hand."""
        return self.triage.number(self.triage.buckets[self.selected]) if self.triage.buckets else 0

    def press(self, key: str) -> None:
        """Does what a key says; what goes wrong is a message."""
        self.message = ""
        if self.helping or key == _HELP:
            self.helping = not self.helping
            return
        if not self.triage.buckets:
            return
        try:
            if key in ("m", "d", "e", "u"):
                {"m": self._known, "d": self._drop, "e": self._export, "u": self._undo}[key]()
            else:
                self._move(key)
        except click.Abort:
            self.message = "nothing done"
        except Problem as problem:
            self.message = problem.message

    def _move(self, key: str) -> None:
        last = len(self.triage.buckets) - 1
        if key in ("\r", "\n") and not self.looking:
            self.looking, self.top = True, 0
        elif key in _LEAVE:
            self.looking = False
        elif key in (_PREVIOUS, _NEXT):
            self.selected = max(0, min(last, self.selected + (1 if key == _NEXT else -1)))
            self.top = 0
        elif self.looking:
            self.top = max(0, self.top + self._step(key))
        else:
            self.selected = max(0, min(last, self.selected + self._step(key)))

    def _step(self, key: str) -> int:
        """How many lines or buckets a key moves on; 0 for one that moves nothing."""
        page = max(1, self.console.size.height - 5)
        steps = ((_DOWN, 1), (_UP, -1), (_PAGE_DOWN, page), (_PAGE_UP, -page), (_BOTTOM, _FAR), (_TOP, -_FAR))
        return next((step for keys, step in steps if key in keys), 0)

    def _ask(self, question: str, default: str | None = None) -> str:
        """What the user types below; Ctrl-C takes it back."""
        self.console.show_cursor(True)
        echo()
        try:
            return str(click.prompt(question, default=default, show_default=bool(default)))
        except (EOFError, KeyboardInterrupt):
            raise click.Abort from None
        finally:
            self.console.show_cursor(False)

    def _known(self) -> None:
        url = self._ask("URL of the issue")
        check_url(url)
        note = self._ask("a note, or nothing", default="")
        self.message = "; ".join(map(str.strip, marked(self.triage, self.selected, url, note)))

    def _drop(self) -> None:
        self.triage.drop(self.selected, self._ask("why nobody need look at it"))
        self.message = f"#{self._number} is dropped; u takes it back"

    def _undo(self) -> None:
        self.message = "taken back" if self.triage.undo() else "nothing to take back in this session"

    def _export(self) -> None:
        bucket = self.triage.buckets[self.selected]
        form = self._ask("form: " + ", ".join(FORMS), default=FORMS[0])
        form = next((name for name in FORMS if name.startswith(form)), "")
        if not form:
            raise Problem("no such form")
        corpus = form == "corpus"
        where = self._ask(
            "the corpus folder" if corpus else "to the file", "corpus" if corpus else file_name(bucket, form)
        )
        if not corpus and Path(where).is_file():
            raise Problem(f"{where} is already there")
        make_folder(Path(where).parent)
        self.message = f"written: {exported(bucket, form, Path(where))}"
