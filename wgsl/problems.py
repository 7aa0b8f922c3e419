"""What can be wrong with a WGSL text, and where."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

LINE_ENDS = "\n\x0b\x0c\r\x85\u2028\u2029"


class WgslError(Exception):
    """A text is no valid WGSL, or has what we do not know. `start` is an offset into the text, from 0."""

    def __init__(self, message: str, start: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start


class SyntaxProblem(WgslError):
    """The text does not follow the grammar."""


class ResolveProblem(WgslError):
    """A name is unknown, declared twice, used where it must not be, or part of a circle."""


class LoweringProblem(WgslError):
    """The text may be valid, but is no TinyWGSL, or breaks a rule that TinyWGSL shares with WGSL."""


class Unsupported(WgslError):
    """The text may be valid, but the reference does not know this construct: it gives no verdict."""


@dataclass(frozen=True)
class Source:
    """A text, and its lines."""

    text: str

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
