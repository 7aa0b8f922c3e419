"""Sets that know how many members they have and give the nth without building the others."""

import zlib
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Generic, TypeVar

_A = TypeVar("_A")
_B = TypeVar("_B")
_T = TypeVar("_T")

KEPT = 1024
"""Unions of at most so many members are built once: they are the parts of all larger ones."""


class CountedSet(ABC, Generic[_T]):
    """A finite set in a fixed order; `count` is exact and costs nothing."""

    __slots__ = ("count",)

    count: int

    @abstractmethod
    def nth(self, i: int) -> _T:
        """The member at 0 <= i < count; other numbers are the caller's error."""

    def __iter__(self) -> Iterator[_T]:
        return map(self.nth, range(self.count))


class ListedSet(CountedSet[_T]):
    """The members themselves."""

    __slots__ = ("_members",)

    def __init__(self, members: Sequence[_T]) -> None:
        self._members = members
        self.count = len(members)

    def nth(self, i: int) -> _T:
        """The member at 0 <= i < count."""
        return self._members[i]


class PackedSet(CountedSet[str]):
    """Texts that are much alike, which take little memory together."""

    __slots__ = ("_packed",)

    def __init__(self, members: Iterable[str]) -> None:
        texts = [*members]
        self._packed = zlib.compress("\0".join(texts).encode())
        self.count = len(texts)

    def nth(self, i: int) -> str:
        """The member at 0 <= i < count."""
        return _unpacked(self._packed)[i]


@lru_cache(maxsize=2)
def _unpacked(packed: bytes) -> list[str]:
    return zlib.decompress(packed).decode().split("\0")


class UnionSet(CountedSet[_T]):
    """The members of disjoint sets, one set after another."""

    __slots__ = ("_ends", "_members", "_parts")

    def __init__(self, parts: Sequence[CountedSet[_T]]) -> None:
        self._parts = [part for part in parts if part.count]
        self._ends = list(accumulate(part.count for part in self._parts))
        self._members: list[_T] | None = None
        self.count = self._ends[-1] if self._ends else 0

    def nth(self, i: int) -> _T:
        """The member at 0 <= i < count."""
        if self.count <= KEPT:
            if self._members is None:
                self._members = [member for part in self._parts for member in part]
            return self._members[i]
        k = bisect_right(self._ends, i)
        return self._parts[k].nth(i - self._ends[k] + self._parts[k].count)


class ProductSet(CountedSet[_T], Generic[_A, _B, _T]):
    """What `build` makes of each pair; different pairs must give different members."""

    __slots__ = ("_build", "_last", "_left", "_right")

    def __init__(self, left: CountedSet[_A], right: CountedSet[_B], build: Callable[[_A, _B], _T]) -> None:
        self._left = left
        self._right = right
        self._build = build
        self._last: tuple[int, _A] | None = None
        """The left member that was asked for last, and its number: the next pair mostly has it, too."""
        self.count = left.count * right.count

    def nth(self, i: int) -> _T:
        """The member at 0 <= i < count."""
        a, b = divmod(i, self._right.count)
        if self._last is None or self._last[0] != a:
            self._last = a, self._left.nth(a)
        return self._build(self._last[1], self._right.nth(b))


def mapped(members: CountedSet[_A], build: Callable[[_A], _T]) -> CountedSet[_T]:
    """What `build` makes of each member; it must be injective."""
    return ProductSet(members, ListedSet([()]), lambda member, _: build(member))
