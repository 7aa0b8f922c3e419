"""Where a text is wrong, in the one form that all commands have: `FILE:LINE:COLUMN: MESSAGE`."""

import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from wgsl_fuzz.wgsl.lexer import token_at, without_comments
from wgsl_fuzz.wgsl.problems import Source, SyntaxProblem, Unsupported, WgslError

UNSUPPORTED = "unsupported"
"""The word for a text with a construct that the reference does not know."""
_DIALECTS = {
    r"#[ \t]*\{?\w+\}?": "of a preprocessor, as naga_oil has it: lint what the preprocessor writes",
    r"\{\{[^{};\n]+\}\}|\$\{[^}\n]*\}|\$\w+|<%|\{%": "of a template: lint the text with its values filled in",
    r"@(?:if|elif|else)\b|\bimport [\w:]+|\b\w+::\w+": "WESL: lint what its linker writes (`wesl compile`)",
    r"\[\[ *\w+": "WGSL of 2021: write `@vertex` for `[[stage(vertex)]]`, `@group(0)` for `[[group(0)]]`",
}
"""What stands in texts that are made into WGSL, and in no WGSL."""


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
    """All that an error says of a text; of a dialect of WGSL, which it is."""
    if isinstance(error, SyntaxProblem):
        with suppress(SyntaxProblem):  # a comment that does not end
            plain = without_comments(text)
            for sign, what in _DIALECTS.items():
                if found := re.search(sign, plain):
                    return [placed(text, f"`{found[0].strip()}` is {what}", found.start())]
    return [
        placed(text, f"{UNSUPPORTED}: {one.message}" if isinstance(one, Unsupported) else one.message, one.start)
        for one in error.all
    ]


def place_json(source: Source, span: tuple[int, int]) -> dict[str, int]:
    """A place in a text, from 1."""
    (line, column), (end_line, end_column) = map(source.position, span)
    return {"line": line, "column": column, "end line": end_line, "end column": end_column}
