"""WGSL text -> tokens, and tokens -> positions.

A token is its own text; the last token is empty. Where a token stands is worked out only for those that are asked for:
most are not, and finding out for all would cost more than the parser does.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from wgsl_fuzz.tinywgsl.ast import Literal, Type
from wgsl_fuzz.tinywgsl.values import I32_MAX, U32_MAX

I64_MAX = 2**63 - 1
"""The largest integer without a suffix."""


class ParseError(Exception):
    """Why a text is no TinyWGSL shader, and where: `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.message = message
        self.line = line
        self.column = column


_LINE_ENDS = "\n\x0b\x0c\r\x85\u2028\u2029"
_BLANKS = _LINE_ENDS + "\t \u200e\u200f"
# Any character beyond ASCII may be part of a name; the parser asks `str.isidentifier`.
_FOREIGN = "\x80-\x84\x86-\u200d\u2010-\u2027\u202a-\U0010ffff"


def _token(letters: str) -> re.Pattern[str]:
    """One token after blanks; what is most frequent comes first."""
    return re.compile(
        rf"[{_BLANKS}]*([{letters}][{letters}0-9]*"
        r"|[(){};,:\[\]@]"
        r"|0[xX][0-9a-fA-F.]*(?:[pP][+-]?[0-9]+)?[0-9a-zA-Z_]*"
        r"|\.?[0-9](?:[eE][+-]|[0-9a-zA-Z_.])*"
        r"|<<=|>>=|[-+*/%&|^!=<>]=|->|&&|\|\||\+\+|--|<<|>>"
        rf"|[^{_BLANKS}])"
    )


_TOKEN = _token("a-zA-Z_" + _FOREIGN)
_ASCII_TOKEN = _token("a-zA-Z_")
_LINE_END = re.compile(f"\r\n|[{_LINE_ENDS}]")
_COMMENT = re.compile(rf"//[^{_LINE_ENDS}]*|/\*")
_BLOCK_COMMENT_EDGE = re.compile(r"/\*|\*/")
_NOT_LINE_END = re.compile(f"[^{_LINE_ENDS}]")

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)([iu]?)")
_FLOAT = re.compile(
    r"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eEfh]))(?:[eE][+-]?[0-9]+)?[fh]?"
    r"|0[xX][0-9a-fA-F]*(?=[.pP0-9a-fA-F])[0-9a-fA-F]*(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?[0-9]+)?[fh]?"
)


class TokenStream:
    """A text cut into `tokens`; raises ParseError for a comment that does not end."""

    def __init__(self, text: str) -> None:
        text = _blank_comments(text) if "/*" in text or "//" in text else text
        self.text = text.rstrip(_BLANKS)
        self.token = _ASCII_TOKEN if text.isascii() else _TOKEN
        self.tokens: list[str] = self.token.findall(self.text)
        self.tokens.append("")

    def error(self, message: str, index: int) -> ParseError:
        """The error at the token of this index."""
        return ParseError(message, *self.positions([index])[index])

    def positions(self, indices: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Line and column, both from 1, of the tokens of these indices."""
        wanted = set(indices)
        starts = {i: match.start(1) for i, match in enumerate(self.token.finditer(self.text)) if i in wanted}
        end = len(self.text)
        found: dict[int, tuple[int, int]] = {}
        line, line_start = 1, 0
        ends = _LINE_END.finditer(self.text)
        next_end = next(ends, None)
        for i in sorted(wanted):
            start = starts.get(i, end)
            while next_end is not None and next_end.end() <= start:
                line, line_start = line + 1, next_end.end()
                next_end = next(ends, None)
            found[i] = (line, start - line_start + 1)
        return found


def _blank_comments(text: str) -> str:
    """The text with its comments (`//`, and `/* */` which nest) overwritten by spaces, line ends kept."""
    parts: list[str] = []
    done = 0
    while (opening := _COMMENT.search(text, done)) is not None:
        start, end = opening.span()
        if opening.group() == "/*":
            end = _end_of_block_comment(text, start)
        parts += (text[done:start], _NOT_LINE_END.sub(" ", text[start:end]))
        done = end
    return "".join([*parts, text[done:]])


def _end_of_block_comment(text: str, start: int) -> int:
    depth, end = 0, start
    while (edge := _BLOCK_COMMENT_EDGE.search(text, end)) is not None:
        depth += 1 if edge.group() == "/*" else -1
        end = edge.end()
        if depth == 0:
            return end
    line_ends = [m.end() for m in _LINE_END.finditer(text, 0, start)]
    raise ParseError("comment without an end", len(line_ends) + 1, start - (line_ends[-1] if line_ends else 0) + 1)


@lru_cache(maxsize=4096)
def number(token: str) -> Literal | int:
    """The value of a token that starts like a number: an `int` if it has no suffix. Raises ValueError with a reason."""
    match = _INTEGER.fullmatch(token)
    if match is None:
        if _FLOAT.fullmatch(token):
            raise ValueError("floating point is outside TinyWGSL")
        raise ValueError(f"'{shorten(token)}' is not a number")
    digits, suffix = match.groups()
    # Python refuses to convert thousands of digits; none of these would fit.
    value = int(digits, 0) if len(digits) <= 40 else I64_MAX + 1
    limit = {"": I64_MAX, "u": U32_MAX, "i": I32_MAX}[suffix]
    if value > limit:
        raise ValueError(f"{shorten(token)} does not fit {'a 64-bit integer' if not suffix else suffix + '32'}")
    return value if not suffix else Literal(value, Type.U32 if suffix == "u" else Type.I32)


def shorten(token: str) -> str:
    """A token as messages show it."""
    return token if len(token) <= 40 else token[:37] + "..."
