"""Where a text is wrong, in the one form that all commands have: `FILE:LINE:COLUMN: MESSAGE`."""

from dataclasses import asdict, dataclass
from typing import Any

from wgsl_fuzz.wgsl.lexer import token_at
from wgsl_fuzz.wgsl.problems import Source, Unsupported, WgslError

UNSUPPORTED = "unsupported"
"""The word for a text with a construct that the reference does not know."""


@dataclass(frozen=True, slots=True)
class PlacedProblem:
    """What is wrong at one place of a text; the place is that of a token."""

    message: str
    line: int
    column: int
    """Both from 1."""
    offset: int
    length: int
    """In characters; the offset is from 0, and the end of a text has no length."""

    def told(self, file: str) -> str:
        """As compilers write it, for people and editors."""
        return f"{file}:{self.line}:{self.column}: {self.message}"

    @property
    def sentence(self) -> str:
        """With its place in words."""
        return f"line {self.line}, column {self.column}: {self.message}"

    @property
    def json(self) -> dict[str, Any]:
        """As `check --format json` has it."""
        return asdict(self)


def placed(text: str, message: str, offset: int) -> PlacedProblem:
    """A problem with its place."""
    line, column = Source(text).position(offset)
    return PlacedProblem(message, line, column, offset, len(token_at(text, offset)))


def problems_of(text: str, error: WgslError) -> list[PlacedProblem]:
    """All that an error says of a text."""
    return [
        placed(text, f"{UNSUPPORTED}: {one.message}" if isinstance(one, Unsupported) else one.message, one.start)
        for one in error.all
    ]
