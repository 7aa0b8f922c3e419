"""The near twins of a shader's text: every text that one small edit leads to. Most are no shaders; the caller asks."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from wgsl_fuzz.wgsl.builtins import words

_VALUE = re.compile(r"(?<![@\w.])(?:[A-Za-z_]\w*|\d\w*)\b(?!\s*[:(<])")
_KEYWORDS = words("fn var let const if else loop while for switch case default break continue return continuing")
_KEYWORDS |= words("struct true")
_DECLARED = re.compile(r"(\w+)\s*: ")
_COMMON = ("0u", "1u", "true")
_LINES = ("workgroupBarrier();", "return;", "break;", "continue;")
"""What stands in a line of its own, in place of another line or before it."""


def twins(text: str) -> Iterator[str]:
    """Texts that differ in one value, one statement, one `if` around statements, or one jump; none twice."""
    seen = {text}
    lines = text.splitlines()
    for other in (*_values(text), *_by_line(lines)):
        if other not in seen:
            seen.add(other)
            yield other


def distance(one: str, other: str) -> int:
    """How many words differ."""
    mine, theirs = (re.findall(r"\w+|\S", text) for text in (one, other))
    changes = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in changes if tag != "equal")


def _values(text: str) -> Iterator[str]:
    """One name or literal replaced by another one."""
    body = re.search(r"^(fn|@compute|@fragment|@vertex)", text, re.MULTILINE)
    start = 0 if body is None else body.start()
    found = [m for m in _VALUE.finditer(text, start) if m[0] not in _KEYWORDS]
    declared = _DECLARED.findall(text, start)
    others = dict.fromkeys((*_COMMON, *declared, *(m[0] for m in found)))
    for m in found:
        for other in others:
            yield text[: m.start()] + other + text[m.end() :]


def _by_line(lines: list[str]) -> Iterator[str]:
    for i, line in enumerate(lines):
        bare, indent = line.strip(), line[: len(line) - len(line.lstrip())]
        if bare.endswith(";") and not bare.startswith(("var<", "@", "enable")):
            yield _joined(lines[:i], lines[i + 1 :])
        for new in _LINES:
            if bare.endswith(";") and bare != new:
                yield _joined(lines[:i], [indent + new], lines[i + 1 :])
            if indent and new != bare:
                yield _joined(lines[:i], [indent + new], lines[i:])
        if bare == "}" and indent:
            for new in _LINES:  # behind the last statement of a block
                yield _joined(lines[:i], [indent + "  " + new], lines[i:])
        if bare.endswith("{") and indent:
            end = block_end(lines, i, indent)
            yield _joined(lines[:i], lines[end + 1 :])
            yield _joined(lines[:i], lines[i + 1 : end], lines[end + 1 :])


def block_end(lines: list[str], start: int, indent: str) -> int:
    """The line that closes the block which begins on line `start`."""
    return next((i for i in range(start + 1, len(lines)) if lines[i].startswith(indent + "}")), start)


def _joined(*parts: list[str]) -> str:
    return "\n".join(line for part in parts for line in part) + "\n"
