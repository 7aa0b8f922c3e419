"""Raises the recursion limit for deep trees."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_T = TypeVar("_T")

_FRAMES = 6000
"""More stack than the deepest tree that the parser makes can need."""


def deep(work: Callable[[], _T]) -> _T:
    """The result of a function that recurses; it is called again with more stack if the first was too little."""
    try:
        return work()
    except RecursionError:
        with room():
            return work()


@contextmanager
def room() -> Iterator[None]:
    """While this is open, there is more stack: for what cannot be called again, since it makes choices."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + _FRAMES)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
