"""The nearest simpler shader that does not show what a reduced one shows, and the difference in words."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from wgsl_fuzz.fuzz.reduction.edits import Size, size
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader

_COMPARED = 8
"""How many of the neighbours that are nearest in size are compared line by line."""
_SHOWN = 3
"""More changes than this are counted only."""


def nearest_of(shader: Shader, others: Sequence[Shader]) -> Shader | None:
    """The one of `others` whose text differs least from `shader`'s; None if there is none."""
    statements = size(shader)[0]

    def apart(other: Shader) -> tuple[int, Size]:  # of what is as near, the plainest says most
        theirs = size(other)
        return statements - theirs[0], theirs

    text = print_shader(shader)
    close = sorted(dict.fromkeys(others), key=apart)[:_COMPARED]
    return min(close, key=lambda other: (_changed_lines(text, print_shader(other)), apart(other)), default=None)


def nearest_text(text: str, others: Sequence[str]) -> str | None:
    """The one of `others` with the fewest words that differ from a text, and the shortest; None if there is none."""
    close = sorted(dict.fromkeys(others), key=lambda other: abs(len(text) - len(other)))[: 4 * _COMPARED]
    words = _words(text)

    def apart(other: str) -> int:
        return sum(max(i2 - i1, j2 - j1) for _, i1, i2, j1, j2 in _changes(words, _words(other)))

    nearest: tuple[int, int, str] | None = None
    for least, other in sorted((_least_apart(words, _words(other)), other) for other in close):
        if nearest is not None and least > nearest[0]:
            break  # as all that follow
        found = apart(other), len(other), other
        nearest = found if nearest is None else min(nearest, found)
    return None if nearest is None else nearest[2]


def _least_apart(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words differ at least, wherever they stand."""
    mine, theirs = Counter(one), Counter(other)
    return max((mine - theirs).total(), (theirs - mine).total())


def _words(text: str) -> list[str]:
    return re.findall(r"\w+|\S", text)


def _changed_lines(one: str, other: str) -> int:
    return sum(max(i2 - i1, j2 - j1) for _, i1, i2, j1, j2 in _changes(one.splitlines(), other.splitlines()))


def _changes(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    matcher = SequenceMatcher(None, [s.strip() for s in one], [s.strip() for s in other], autojunk=False)
    return (change for change in matcher.get_opcodes() if change[0] != "equal")


def differences_in_words(shader: Shader, other: Shader) -> tuple[str, ...]:
    """What must be done to `shader` to get `other`: a line for each run of lines of the plain prints that differ."""
    return changes_in_words(print_shader(shader), print_shader(other))


def changes_in_words(text: str, other: str) -> tuple[str, ...]:
    """What must be done to a text to get another one, as `differences_in_words` says it."""
    one, two = text.splitlines(), other.splitlines()
    lines = []
    for tag, i1, i2, j1, j2 in _changes(one, two):
        gone = " ".join(s.strip() for s in one[i1:i2])
        come = " ".join(s.strip() for s in two[j1:j2])
        if not (gone.strip("} ") or come.strip("} ")):
            continue  # a brace goes with its head
        if tag == "delete":
            lines.append(f"without `{gone}` on line {i1 + 1}")
        elif tag == "insert":
            lines.append(f"with `{come}` after line {i1}")
        else:
            lines.append(f"with `{come}` instead of `{gone}` on line {i1 + 1}")
    if len(lines) > _SHOWN:
        return (*lines[: _SHOWN - 1], f"and {len(lines) - _SHOWN + 1} more changes")
    return tuple(lines)
