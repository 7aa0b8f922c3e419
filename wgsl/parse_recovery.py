"""Where the parser goes on behind a token that is wrong, so that one run tells of several problems.

Braces decide. Where they do not match within a declaration, nothing in it is read any more: one wrong token must not
be told as many.
"""

from collections.abc import Sequence

ONLY_OUTSIDE = frozenset({"fn", "struct", "alias", "override"})
"""The words that begin a declaration and nothing else: wherever they stand, reading may begin anew."""


class AbandonedDeclaration(Exception):
    """The rest of a declaration cannot be read: what is wrong with it is noted already."""


def next_declaration(texts: Sequence[str], at: int) -> int:
    """The first token from `at` on that begins a declaration wherever it stands; the last token if there is none."""
    end = len(texts) - 1
    return next((i for i in range(at, end) if texts[i] in ONLY_OUTSIDE), end)


def braces_match(texts: Sequence[str], first: int) -> bool:
    """Whether braces match in what begins at a token, up to the next declaration."""
    depth = 0
    for i in range(first, next_declaration(texts, first + 1)):
        if texts[i] == "{":
            depth += 1
        elif texts[i] == "}":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def behind_statement(texts: Sequence[str], first: int, at: int) -> int | None:
    """Where the next statement begins, or the block ends, if that which begins at `first` is wrong at `at`.

    None: a declaration begins before.
    """
    depth, semicolons = 0, "for" in texts[first : at + 1]
    for i in range(first, next_declaration(texts, at)):
        text = texts[i]
        if depth == 0 and i >= at:
            if text in ("}", "continuing"):
                return i
            if text == ";" and not semicolons:
                return i + 1
        depth += (text == "{") - (text == "}")
        if text == "}" and depth == 0 and i >= at and texts[i + 1] != "else":
            return i + 1
    return None


def behind_declaration(texts: Sequence[str], first: int, at: int, *, is_one: bool) -> int:
    """Where to look for the next declaration if that which begins at `first` is wrong at `at`.

    `is_one`: its first word is that of a declaration or directive.
    """
    end = next_declaration(texts, max(at, first + 1))
    if is_one and braces_match(texts, first):
        depth = 0
        for i in range(first, end):
            depth += (texts[i] == "{") - (texts[i] == "}")
            if depth == 0 and i >= at and texts[i] in (";", "}"):
                return i + 1
    return end
