"""Delta debugging on text: for a text that our parser refuses, or whose plain print does not show the finding."""

from collections.abc import Callable
from typing import TypeVar

from wgsl_fuzz.wgsl.lexer import pieces_and_blanks
from wgsl_fuzz.wgsl.problems import SyntaxProblem

_CLOSING = {"{": "}", "(": ")", "[": "]"}
_BREAKS = ("{", "}", ";")
_T = TypeVar("_T")


class _Token(str):
    """A token with the blanks and comments that stood behind it."""

    blanks = ""


def reduce_text(
    text: str,
    interesting: Callable[[str], bool],
    *,
    give_up: Callable[[], bool] = lambda: False,
    progress: Callable[[str], None] = lambda _: None,
) -> str:
    """A text from which no line, statement, token or bracketed group can be taken; `text` must be interesting."""

    def asked(candidate: str) -> bool:
        shown = not give_up() and interesting(candidate)
        if shown:
            progress(candidate)
        return shown

    lines = _without_chunks(text.splitlines(), lambda kept: asked("\n".join(kept) + "\n"))
    text = "\n".join(lines) + "\n" if len(lines) < len(text.splitlines()) else text
    try:
        tokens = [_token(piece, blanks) for piece, blanks in pieces_and_blanks(text)]
    except SyntaxProblem:  # a comment without an end
        return text
    written = next((way for way in (_laid_out, _as_it_was, _with_comments) if asked(way(tokens))), None)
    if written is None:
        return text

    def shows(kept: list[_Token]) -> bool:
        return asked(written(kept))

    while True:
        fewer = _without_chunks(_without_groups(_without_statements(tokens, shows), shows), shows)
        if len(fewer) == len(tokens):
            return written(_without_comments(tokens, shows) if written is _with_comments else tokens)
        tokens = fewer


def _token(piece: str, blanks: str) -> _Token:
    token = _Token(piece)
    token.blanks = blanks
    return token


def _without_chunks(items: list[_T], asked: Callable[[list[_T]], bool]) -> list[_T]:
    """The items without every run that can be spared, longer runs first, last first."""
    chunk = max(1, len(items) // 2)
    while True:
        end = len(items)
        while end > 0:
            candidate = items[: max(0, end - chunk)] + items[end:]
            if asked(candidate):
                items = candidate
            end -= chunk
        if chunk == 1:
            return items
        chunk //= 2


def _without_statements(tokens: list[_Token], asked: Callable[[list[_Token]], bool]) -> list[_Token]:
    """Without statements, declarations and the parts of a head of `for`; last first."""
    for head in reversed(range(len(tokens))):
        if head == 0 or tokens[head - 1] in (*_BREAKS, "("):
            end = _end_of_statement(tokens, head)
            if end > head and asked(tokens[:head] + tokens[end:]):
                tokens = tokens[:head] + tokens[end:]
    return tokens


def _end_of_statement(tokens: list[_Token], head: int) -> int:
    """Where the statement that begins at `head` is over: behind its `;` or last `}`, or where something around it is.

    The `;` in a head of `for` stays, as that must have two.
    """
    before: list[str] = [*tokens[:head]]
    depth = 0
    for i in range(head, len(tokens)):
        if tokens[i] in _CLOSING:
            depth += 1
        elif tokens[i] == ";" and depth == 0:
            return i if before.count("(") > before.count(")") else i + 1
        elif tokens[i] in _CLOSING.values():
            depth -= 1
            if depth < 0:
                return i
            if depth == 0 and tokens[i] == "}" and tokens[i + 1 : i + 2] != ["else"]:
                return i + 1
    return len(tokens)


def _without_groups(tokens: list[_Token], asked: Callable[[list[_Token]], bool]) -> list[_Token]:
    """Without bracketed groups and what leads up to them; without a pair of brackets; last first."""
    start = len(tokens) - 1
    while start >= 0:
        close = _closing(tokens, start)
        if close is not None:
            head = start
            while head > 0 and tokens[head - 1] not in _BREAKS:
                head -= 1
            inside = tokens[start + 1 : close]
            before, after = tokens[:head], tokens[close + 1 :]
            for candidate in (
                before + after,
                before + inside + after,
                tokens[:start] + after,
                tokens[:start] + inside + after,
            ):
                if asked(candidate):
                    tokens = candidate
                    break
        start = min(start, len(tokens)) - 1
    return tokens


def _closing(tokens: list[_Token], start: int) -> int | None:
    """Where the bracket at `start` is closed; None if there is none, or if it is not."""
    closing = _CLOSING.get(tokens[start])
    depth = 0
    for i in range(start, len(tokens)) if closing else ():
        depth += (tokens[i] == tokens[start]) - (tokens[i] == closing)
        if depth == 0:
            return i
    return None


def _laid_out(tokens: list[_Token]) -> str:
    """One statement a line."""
    out: list[str] = []
    depth = 0
    line: list[str] = []
    for token in tokens:
        depth -= token == "}"
        line.append(token)
        if token in _BREAKS:
            out.append("  " * max(0, depth) + " ".join(line))
            line = []
        depth += token == "{"
    if line:
        out.append(" ".join(line))
    return "\n".join(out) + "\n"


def _as_it_was(tokens: list[_Token]) -> str:
    """With the blanks of the text, which may matter, but not its comments."""
    return "".join(token + _bare(token) for token in tokens)


def _with_comments(tokens: list[_Token]) -> str:
    """With its comments, too."""
    return "".join(token + token.blanks for token in tokens)


def _bare(token: _Token) -> str:
    """The blanks behind a token, or one of them where there is a comment."""
    if token.blanks.isspace():
        return token.blanks
    return "\n" if "\n" in token.blanks else token.blanks and " "


def _without_comments(tokens: list[_Token], asked: Callable[[list[_Token]], bool]) -> list[_Token]:
    """The tokens without each comment that can be spared."""
    for i, token in enumerate(tokens):
        bare = _token(token, _bare(token))
        if bare.blanks != token.blanks and asked([*tokens[:i], bare, *tokens[i + 1 :]]):
            tokens = [*tokens[:i], bare, *tokens[i + 1 :]]
    return tokens
