"""Template list discovery (3.9 #template-lists-sec), on tokens: which `<` and `>` enclose a template list."""

from collections.abc import Sequence
from itertools import compress

OPEN, CLOSE = "template list <", "template list >"
"""What the text of a token `<` or `>` becomes that encloses a template list."""

_ENDING = frozenset("=;{:") | {"", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="}
"""What no template list contains, the end of the text included."""
_LONGER = {(">", ">"): ">>", (">", "="): ">=", (">>", "="): ">>="}
"""Tokens that begin with `>`, put together from what `mark` leaves."""


def mark(texts: list[str], starts: Sequence[int], words: frozenset[str]) -> None:
    """Replaces the tokens that enclose template lists. `words` are the identifiers and keywords among the texts.

    Each `>` is a token of its own here; the last token is empty. The specification walks through the whole text.
    Where no list is open nothing before counts, so this begins anew at each `<` behind a word.
    """
    at = 0
    for _ in range(texts.count("<")):
        try:
            at = texts.index("<", at)
        except ValueError:
            return
        at = _mark_from(at, texts, starts, words) if texts[at - 1] in words else at + 1


def _mark_from(at: int, texts: list[str], starts: Sequence[int], words: frozenset[str]) -> int:
    """Goes from a `<` to where no list is open; returns the index behind that."""
    pending, depth = [(at, 0)], 0
    while pending:
        at += 1
        text = texts[at]
        if text == ">":
            if pending[-1][1] == depth:
                texts[pending.pop()[0]], texts[at] = OPEN, CLOSE
            elif texts[at + 1] == "=" and starts[at + 1] == starts[at] + 1:
                at += 1
        elif text == "<":
            if texts[at - 1] in words:
                pending.append((at, depth))
        elif text == "(" or text == "[":
            depth += 1
        elif text in _ENDING:
            break
        elif text == ")" or text == "]" or text == "&&" or text == "||":
            while pending and pending[-1][1] >= depth:
                pending.pop()
            depth -= text == ")" or text == "]"
    return at + 1


def join(texts: list[str], starts: list[int], ends: list[int]) -> tuple[list[str], list[int], list[int]]:
    """Puts `>>`, `>=` and `>>=` together, from the `>` that close no list."""
    kept = bytearray(b"\1") * len(texts)
    for at in [index for index, text in enumerate(texts) if text == ">"]:
        behind = at + 1
        while kept[at] and ends[at] == starts[behind] and (longer := _LONGER.get((texts[at], texts[behind]))):
            texts[at], ends[at], kept[behind] = longer, ends[behind], 0
            behind += 1
    if all(kept):
        return texts, starts, ends
    return list(compress(texts, kept)), list(compress(starts, kept)), list(compress(ends, kept))
