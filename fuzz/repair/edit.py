"""Edits of a shader's text: pieces are replaced, everything else stays as its author wrote it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from enum import IntEnum
from itertools import accumulate
from operator import itemgetter


@dataclass(frozen=True, slots=True)
class Patch:
    """A replacement of the characters from `start` to `end`; with both equal, an insertion."""

    start: int
    end: int
    text: str


def applied(text: str, patches: Iterable[Patch]) -> str:
    """The text with all patches, which do not overlap; insertions at one place stand in the order given.

    Their lines end as those of the text.
    """
    line_end = "\r\n" if "\r\n" in text else "\n"
    for patch in sorted(reversed(list(patches)), key=lambda p: (p.start, p.end), reverse=True):
        text = text[: patch.start] + line_end.join(patch.text.split("\n")) + text[patch.end :]
    return text


def changed_lines(before: str, after: str) -> int:
    """How many lines a diff would remove and add."""
    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return sum(line[0] in "+-" and line[:3] not in ("+++", "---") for line in lines)


def diff(name: str, before: str, after: str) -> Iterator[str]:
    """A unified diff that `patch -p0` applies, without line ends."""
    return unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm="", n=2)


def changes(before: str, after: str) -> Iterator[Patch]:
    """The lines that differ, replaced."""
    lines, others = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    for tag, i, k, first, last in SequenceMatcher(None, lines, others, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Patch(starts[i], starts[k], "".join(others[first:last]))


def with_lines_of(original: str, now: str, sentence: str) -> str:
    """A sentence about lines of a text, with the numbers that these lines have in the original."""
    if now == original:
        return sentence
    lines, others = now.splitlines(), original.splitlines()
    parts = SequenceMatcher(None, lines, others, autojunk=False).get_opcodes()

    def number(match: re.Match[str]) -> str:
        line = int(match[0]) - 1
        part = next((part for part in parts if part[1] <= line < part[2]), None)
        if part is None:  # quoted of a message, say
            return match[0]
        tag, i, _, first, last = part
        if tag == "equal":
            return str(first + line - i + 1)
        alike = (SequenceMatcher(None, lines[line], other).ratio() for other in others[first:last])
        return str(first + max(enumerate(alike), key=itemgetter(1), default=(0, 0))[0] + 1)

    return re.sub(r"(?<=on line )\d+", number, sentence)


def line_start(text: str, offset: int) -> int:
    """Where the line begins that an offset is on."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def line_end(text: str, offset: int) -> int:
    """Where the line ends that an offset is on, without what ends it."""
    ends = [at for sign in "\r\n" if (at := text.find(sign, offset)) >= 0]
    return min(ends, default=len(text))


def indentation(text: str, offset: int) -> str:
    """The blanks at the start of the line that an offset is on."""
    line = text[line_start(text, offset) : offset]
    return line.removesuffix(line.lstrip(" \t"))


def unwrapped(condition: str) -> str:
    """A condition without parentheses around all of it."""
    inner, depth = condition[1:-1], 0
    for sign in inner:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return condition
    return inner if condition[0] + condition[-1] == "()" and not depth else condition


class Cost(IntEnum):
    """What an edit changes in meaning, the least first."""

    SAME = 0
    """The shader computes the same, perhaps in vain for some invocations."""
    BINDING = 1
    """The program that runs the shader has to bind a resource otherwise."""
    WAITS = 2
    """Invocations wait for each other once more."""
    ASSUMED = 3
    """The shader computes the same if an assumption holds, which the effect names."""
    RESULT = 4
    """Some results differ: another mip level, or more invocations take part."""
    SILENT = 5
    """The shader stays as it is; the error is switched off."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A proposal, which need not be right: who makes it leaves it to the reference to accept it."""

    patches: tuple[Patch, ...]
    what: str
    """What it does, as an order: `take the sample above the \\`if\\` on line 5`."""
    cost: Cost
    effect: str
    """What changes in meaning, as a sentence."""
    is_proven: bool = False
    """Whether its form shows that nothing else changes; of other edits only runs can show it."""
