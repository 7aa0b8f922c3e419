"""Shaders as lists of highlighted lines: with notes below the lines that matter, or as a difference of two."""

import difflib
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from markupsafe import Markup, escape

_BARRIERS = ("workgroupBarrier", "storageBarrier")
_CLASSES = (
    ("Comment", "c"),
    ("Literal.Number", "n"),
    ("Keyword", "k"),
    ("Name.Decorator", "d"),
    ("Name.Builtin", "b"),
)
"""Of a lexer's token types, by how their names start, the classes of the style sheet."""


@dataclass(frozen=True, slots=True)
class Note:
    """Words below a line; `style` is a class: demand, path, root, target, part, wait. Without words it only marks."""

    style: str
    words: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line to show. `sign` is `-` or `+` in a difference; `style` is that of its first note."""

    number: int
    code: Markup
    notes: tuple[Note, ...] = ()
    sign: str = ""

    @property
    def style(self) -> str:
        """The class of the line."""
        return self.notes[0].style if self.notes else ""


def listing(text: str, notes: Mapping[int, Sequence[Note]]) -> list[Line]:
    """The lines of a shader, with the notes given by line number."""
    return [Line(n, code, tuple(notes.get(n, ()))) for n, code in enumerate(highlighted(text), 1)]


def difference(one: str, other: str) -> list[Line]:
    """`one` turned into `other`, line by line: `-` is in `one` only, `+` in `other` only; numbers are those of each."""
    ours, theirs = one.splitlines(), other.splitlines()
    our_code, their_code = highlighted(one), highlighted(other)
    lines = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [Line(n + 1, our_code[n]) for n in range(a, b)]
            continue
        lines += [Line(n + 1, our_code[n], sign="-") for n in range(a, b)]
        lines += [Line(n + 1, their_code[n], sign="+") for n in range(c, d)]
    return lines


def highlighted(text: str) -> list[Markup]:
    """Each line of `text.splitlines()` as HTML, escaped, with classes for tokens."""
    plain = text.splitlines()
    lines = [Markup("")]
    for token, value in _lexer().get_tokens("\n".join(plain)):
        style = "bar" if value in _BARRIERS else _style(str(token))
        for i, part in enumerate(value.split("\n")):
            if i:
                lines.append(Markup(""))
            if part:
                lines[-1] += Markup('<span class="{}">{}</span>').format(style, part) if style else escape(part)
    return lines[: len(plain)] + [Markup("")] * (len(plain) - len(lines))


def _style(token: str) -> str:
    return next((style for name, style in _CLASSES if token.startswith(f"Token.{name}")), "")


@cache
def _lexer() -> Any:
    lexers: Any = importlib.import_module("pygments.lexers")  # here and by name: it is untyped, and slow to load
    return lexers.get_lexer_by_name("wgsl", stripnl=False)
