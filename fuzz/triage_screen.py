"""The triage by keys: the list of buckets, a page on each, and a line that asks what a decision needs."""

import re
from pathlib import Path

import click
from rich.console import Console

from fuzz.export import FORMS, export, export_corpus
from fuzz.files import write_bytes
from fuzz.findings import StorageError
from fuzz.problems import Problem
from fuzz.triage import Triage
from fuzz.triage_text import detail, overview, table

_SUFFIX = {"markdown": ".md", "cts": ".spec.ts", "tint": ".cc"}
_UP, _DOWN = ("\x1b[A", "\x1bOA", "p"), ("\x1b[B", "\x1bOB", "n")
_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO.|.", re.DOTALL)
_LEAVE = ("\x1b", "\x7f", "\x08", "\x1b[D", "\x1bOD")
_KEYS = "up/down or p/n: move   enter: look   k: known   e: export   d: drop   u: undo   q: quit"
_KEYS_DETAIL = "p/n: bucket   space/b: page   esc: list   k: known   e: export   d: drop   u: undo   q: quit"


def keys_in(typed: str) -> list[str]:
    """The keys of what was read at once: a fast typist's several."""
    return _KEY.findall(typed)


class Screen:
    """Shows a triage until `q`; every key is one method."""

    def __init__(self, triage: Triage, console: Console) -> None:
        self.triage = triage
        self.console = console
        self.selected = 0
        self.looking = False
        self.top = 0
        """The first line shown of a page."""
        self.message = ""

    def run(self) -> None:
        """Until `q`, Ctrl-C or the end of the input."""
        with self.console.screen(hide_cursor=True):
            while True:
                self.draw()
                try:
                    typed = click.getchar()
                except (EOFError, KeyboardInterrupt):
                    return
                for key in keys_in(typed):
                    if key in ("q", "\x03", "\x04"):
                        return
                    self.press(key)

    def draw(self) -> None:
        """The page or the list, cut to the terminal, and the keys below."""
        width, height = self.console.size
        shown = detail(self.triage, self.selected) if self.looking else table(self.triage, self.selected)
        head = [] if self.looking else [*overview(self.triage)[:3], ""]
        room = max(1, height - len(head) - 3)
        with self.console.capture() as capture:
            self.console.print(shown)
        lines = capture.get().splitlines()
        if not self.looking:
            self.top = max(0, min(self.selected + 2 - room // 2, len(lines) - room))
        self.top = max(0, min(self.top, len(lines) - room))
        visible = lines[self.top : self.top + room]
        more = f"   ({self.top + len(visible)} of {len(lines)} lines)" if len(lines) > room else ""
        keys = (_KEYS_DETAIL if self.looking else _KEYS) + more
        out = [line[:width] for line in head] + visible + [""] * (room - len(visible))
        self.console.file.write("\x1b[H\x1b[2J" + "\n".join([*out, self.message[:width], keys[:width]]))
        self.console.file.flush()
        self.message = ""

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
        click.echo()
        try:
            return str(click.prompt(question, default=default, show_default=bool(default)))
        except (EOFError, KeyboardInterrupt):
            raise click.Abort from None
        finally:
            self.console.show_cursor(False)

    def _known(self) -> None:
        url = self._ask("URL of the issue")
        note = self._ask("a note, or nothing", default="")
        self.triage.mark_known(self.selected, url, note)
        self.message = f"#{self.selected + 1} is known; written to {self.triage.known_file}"

    def _drop(self) -> None:
        self.triage.drop(self.selected, self._ask("why nobody need look at it"))
        self.message = f"#{self.selected + 1} is dropped; u takes it back"

    def _undo(self) -> None:
        self.message = "taken back" if self.triage.undo() else "nothing to take back in this session"

    def _export(self) -> None:
        bucket = self.triage.buckets[self.selected]
        form = self._ask("form: " + ", ".join(FORMS), default=FORMS[0])
        form = next((name for name in FORMS if name.startswith(form)), "")
        if not form:
            raise Problem("no such form")
        if form == "corpus":
            self.message = f"written: {export_corpus(bucket, Path(self._ask('the corpus folder', default='corpus')))}"
            return
        path = Path(self._ask("to the file", default=f"bucket-{self.selected + 1}{_SUFFIX[form]}"))
        if path.exists():
            raise Problem(f"{path} is already there")
        write_bytes(path, export(bucket, form).encode())
        self.message = f"written: {path}"
