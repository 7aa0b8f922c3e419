"""The triage by keys: the list of buckets, a page on each, and a line that asks what a decision needs."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import wrap

import click

from wgsl_fuzz.fuzz.files import make_folder
from wgsl_fuzz.fuzz.findings.directory import StorageError
from wgsl_fuzz.fuzz.output import Console, echo, printable
from wgsl_fuzz.fuzz.present.export import FORMS, exported, file_name
from wgsl_fuzz.fuzz.present.triage_text import check_url, detail, overview, table
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.triage import Triage

_UP, _DOWN = ("\x1b[A", "\x1bOA", "p"), ("\x1b[B", "\x1bOB", "n")
_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO.|.", re.DOTALL)
_STYLED = re.compile(r"\x1b\[[0-9;]*m")
_LEAVE = ("q", "\x1b", "\x7f", "\x08", "\x1b[D", "\x1bOD")
_DECIDE = ("k: known", "e: export", "d: drop", "u: undo")
_KEYS = ("up/down: move", "enter: look", *_DECIDE, "q: quit")
_KEYS_DETAIL = ("p/n: bucket", "up/down, space/b: scroll", *_DECIDE, "q: list")


def keys_in(typed: str) -> list[str]:
    """The keys of what was read at once: a fast typist's several."""
    return _KEY.findall(typed)


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


class Screen:
    """Shows a triage until `q` in the list; every key is one method."""

    def __init__(self, triage: Triage, console: Console) -> None:
        self.triage = triage
        self.console = console
        self.selected = 0
        self.looking = False
        self.top = 0
        """The first line shown of a page."""
        self.message = ""

    def run(self) -> None:
        """Until `q` in the list, Ctrl-C or the end of the input."""
        with self.console.screen(hide_cursor=True):
            while True:
                self.draw()
                try:
                    typed = click.getchar()
                except (EOFError, KeyboardInterrupt):
                    return
                for key in keys_in(typed):
                    if key in ("\x03", "\x04") or (key == "q" and not self.looking):
                        return
                    self.press(key)

    def draw(self) -> None:
        """The page or the list, cut to the terminal, and the keys below."""
        width, height = self.console.size
        shown = detail(self.triage, self.selected) if self.looking else table(self.triage, self.selected, width)
        head = [] if self.looking else [*_wrapped(overview(self.triage)[:3], width)[: height // 3], ""]
        with self.console.capture() as capture:
            self.console.print(shown)
        lines = capture.get().splitlines()
        room = max(1, height - 1 - len(head) - len(self._below(width, len(lines), len(lines))))
        if not self.looking:
            self.top = _row(lines, self._number) + 1 - room // 2
        self.top = max(0, min(self.top, len(lines) - room))
        visible = lines[self.top : self.top + room]
        below = self._below(width, self.top + len(visible), len(lines) if len(lines) > room else 0)
        gap = [""] * (height - 1 - len(head) - len(visible) - len(below))
        self.console.file.write(
            "\x1b[H\x1b[2J" + "\n".join([*map(printable, head), *visible, *gap, *map(printable, below)])
        )
        self.console.file.flush()
        self.message = ""

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
        if not self.triage.buckets:
            return
        try:
            if key in ("k", "d", "e", "u"):
                {"k": self._known, "d": self._drop, "e": self._export, "u": self._undo}[key]()
            else:
                self._move(key)
        except click.Abort:
            self.message = "nothing done"
        except (Problem, StorageError) as problem:
            self.message = problem.message if isinstance(problem, Problem) else str(problem)

    def _move(self, key: str) -> None:
        page = max(1, self.console.size.height - 5)
        last = len(self.triage.buckets) - 1
        if key in ("\r", "\n") and not self.looking:
            self.looking, self.top = True, 0
        elif key in _LEAVE:
            self.looking = False
        elif self.looking and key in (" ", "\x1b[6~"):
            self.top += page
        elif self.looking and key in ("b", "\x1b[5~"):
            self.top -= page
        elif self.looking and key in (*_UP[:2], *_DOWN[:2]):
            self.top += 1 if key in _DOWN else -1
        elif key in _UP or key in _DOWN:
            self.selected = max(0, min(last, self.selected + (1 if key in _DOWN else -1)))
            self.top = 0

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
        self.triage.mark_known(self.selected, url, note)
        self.message = f"#{self._number} is known; written to {self.triage.known_file}"

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
