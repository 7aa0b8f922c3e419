"""What can be wrong with a WGSL text, and where."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

LINE_ENDS = "\n\x0b\x0c\r\x85\u2028\u2029"


_T = TypeVar("_T")

MOST = 20
"""The most problems reported for one text."""


class WgslError(Exception):
    """A text is no valid WGSL, or has what we do not know. `start` is an offset into the text, from 0."""

    def __init__(self, message: str, start: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.more: tuple[WgslError, ...] = ()
        """What else is wrong with the text, as far as that could be told; the first problem has them all."""

    @property
    def all(self) -> "tuple[WgslError, ...]":
        """This one and those that were found behind it."""
        return (self, *self.more)


class SyntaxProblem(WgslError):
    """The text does not follow the grammar."""


class ResolveProblem(WgslError):
    """A name is unknown, declared twice, used where it must not be, or part of a circle."""


class NameProblem(ResolveProblem):
    """A name is unknown or of the wrong kind. It is reported once, not for every use."""


class LoweringProblem(WgslError):
    """The text may be valid, but is no TinyWGSL, or breaks a rule that TinyWGSL shares with WGSL."""


class Unsupported(WgslError):
    """The text may be valid, but the reference does not know this construct: it gives no verdict."""


def first_of(problems: Sequence[WgslError]) -> WgslError:
    """The first of the problems found, at least one, with others of them: to be raised."""
    told: dict[tuple[int, str], WgslError] = {}
    for one in (one for problem in problems for one in problem.all):
        told.setdefault((-1 if isinstance(one, NameProblem) else one.start, one.message), one)
    first, *others = told.values()
    first.more = tuple(others[: MOST - 1])
    return first


def in_each(items: Iterable[_T], check: Callable[[_T], object]) -> None:
    """Checks all items, though some are wrong. Raises the first of the problems that `check` has raised."""
    problems: list[WgslError] = []
    for item in items:
        try:
            check(item)
        except WgslError as problem:
            problems.append(problem)
    if problems:
        raise first_of(problems)


class Source:
    """A text, and its lines; given a function that writes it, it is written when it is first asked for."""

    def __init__(self, given: str | Callable[[], str]) -> None:
        self._given = given

    @cached_property
    def text(self) -> str:
        """The text."""
        return self._given if isinstance(self._given, str) else self._given()

    @cached_property
    def _line_starts(self) -> list[int]:
        text, starts = self.text, [0]
        for i, character in enumerate(text):
            if character in LINE_ENDS and not (character == "\r" and text[i + 1 : i + 2] == "\n"):
                starts.append(i + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1
