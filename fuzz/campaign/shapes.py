"""Shapes of the shaders of a run: how many are equal to an earlier one, in bounded memory."""

from array import array
from collections.abc import Iterable

SEEN = 1 << 20
"""Shapes that are remembered: a table of this size. After so many shaders it is empty again, so that a resumed run has
little to read."""


class Shapes:
    """The shapes of the present SEEN shaders of a run. They come in the order of their indices."""

    def __init__(self) -> None:
        self._seen = array("q", [0]) * SEEN
        self._new: array[int] = array("q")
        self._first = self._next = 0

    def is_known(self, index: int, shape: int) -> bool:
        """Whether a shader has the shape of an earlier one; it counts as an earlier one from now on."""
        if index % SEEN == 0 and index:
            self._seen = array("q", [0]) * SEEN
        known = self._seen[shape % SEEN] == shape
        self._seen[shape % SEEN] = shape
        if not self._new:
            self._first = index
        self._new.append(shape)
        return known

    def taken(self) -> tuple[int, bytes] | None:
        """The shapes since the last call, with the index of the first; None if there are none."""
        if not self._new:
            return None
        row = self._first, self._new.tobytes()
        self._new = array("q")
        return row

    def restore(self, rows: Iterable[bytes]) -> None:
        """Takes over the shapes of the present SEEN shaders from an earlier part of the run."""
        for row in rows:
            for shape in array("q", row):
                self._seen[shape % SEEN] = shape
