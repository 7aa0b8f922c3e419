"""Regular expressions of users, searched in what compilers write: hostile text must not make them take for ever.

Each is searched line by line, in lines of bounded length. What may stand in one is bounded, too: no references back, no
repeated groups, and one open repetition, or two after a `^`. The time for a line then grows with the square of its
length at worst.
"""

import re
from functools import cache
from typing import Any

OPEN_LIMIT = 2
"""Open repetitions (`*`, `+`, `{2,}`) in a pattern, of which a beginning anywhere is one. Of alternatives the one with
the most counts."""
FEW = 16
"""A repetition of at most so many is not open."""
_SINGLE = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN"})
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})


@cache
def compiled(text: str) -> re.Pattern[str]:
    """The pattern, to be searched in single lines; raises ValueError with a reason if it is none, or is not allowed."""
    from re import _parser  # type: ignore[attr-defined]  # what re itself reads patterns with

    try:
        pattern = re.compile(text)
        sequence = _parser.parse(text)
        count = _open(sequence)
    except re.error as error:
        raise ValueError(f"is no regular expression: {error}") from error
    except (OverflowError, RecursionError) as error:
        raise ValueError("is no regular expression that can be read") from error
    if count + (not _is_anchored(sequence)) > OPEN_LIMIT:
        raise ValueError("has too many open repetitions (`*`, `+`): one is allowed, or two after a `^`")
    return pattern


def _is_anchored(sequence: Any) -> bool:
    return len(sequence) > 0 and str(sequence[0][0]) == "AT" and str(sequence[0][1]) == "AT_BEGINNING"


def _open(sequence: Any) -> int:
    """The open repetitions of a sequence; raises ValueError for what is not allowed."""
    return sum(_open_of(str(kind), argument) for kind, argument in sequence)


def _open_of(kind: str, argument: Any) -> int:
    if kind in _REPEATS:
        _least, most, body = argument
        if most > 1 and not _is_single(body):
            raise ValueError("repeats a group: only single characters and classes (`[a-z]*`) may be repeated")
        return _open(body) + (int(most) > FEW)
    if kind in ("GROUPREF", "GROUPREF_EXISTS"):
        raise ValueError("refers back to a group, which is not allowed")
    if kind in ("ASSERT", "ASSERT_NOT"):
        return _open(argument[1])
    if kind == "BRANCH":
        return max(map(_open, argument[1]))
    if kind == "SUBPATTERN":
        return _open(argument[-1])
    return _open(argument) if kind == "ATOMIC_GROUP" else 0


def _is_single(sequence: Any) -> bool:
    """Whether it stands for one character."""
    return len(sequence) == 1 and str(sequence[0][0]) in _SINGLE
