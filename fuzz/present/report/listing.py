"""Shaders as lists of highlighted lines: with notes below the lines that matter, or as a difference of two."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from wgsl_fuzz.fuzz.present.highlighting import highlighted


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
