"""Delta debugging on text: for a text that our parser refuses, or whose plain print does not show the finding."""

from collections.abc import Callable

from wgsl_fuzz.wgsl.lexer import pieces
from wgsl_fuzz.wgsl.problems import SyntaxProblem

_CLOSING = {"{": "}", "(": ")", "[": "]"}
_BREAKS = ("{", "}", ";")


def reduce_text(
    text: str,
    interesting: Callable[[str], bool],
    *,
    give_up: Callable[[], bool] = lambda: False,
    progress: Callable[[str], None] = lambda _: None,
) -> str:
    """A text from which no line, token or bracketed group can be taken; `interesting` must hold for `text` itself."""

    def asked(candidate: str) -> bool:
        shown = not give_up() and interesting(candidate)
        if shown:
            progress(candidate)
        return shown

    lines = _without_chunks(text.splitlines(), lambda kept: asked("\n".join(kept) + "\n"))
    text = "\n".join(lines) + "\n" if len(lines) < len(text.splitlines()) else text
    try:
        tokens = pieces(text)
    except SyntaxProblem:  # a comment without an end
        return text
    if not asked(_laid_out(tokens)):
        return text
    while True:
        fewer = _without_groups(tokens, lambda kept: asked(_laid_out(kept)))
        fewer = _without_chunks(fewer, lambda kept: asked(_laid_out(kept)))
        if len(fewer) == len(tokens):
            return _laid_out(tokens)
        tokens = fewer


def _without_chunks(items: list[str], asked: Callable[[list[str]], bool]) -> list[str]:
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


def _without_groups(tokens: list[str], asked: Callable[[list[str]], bool]) -> list[str]:
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


def _closing(tokens: list[str], start: int) -> int | None:
    """Where the bracket at `start` is closed; None if there is none, or if it is not."""
    closing = _CLOSING.get(tokens[start])
    depth = 0
    for i in range(start, len(tokens)) if closing else ():
        depth += (tokens[i] == tokens[start]) - (tokens[i] == closing)
        if depth == 0:
            return i
    return None


def _laid_out(tokens: list[str]) -> str:
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
