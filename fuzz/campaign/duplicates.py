"""Texts of a run that are equal to an earlier one: how many there are, in bounded memory."""

from array import array
from collections.abc import Iterable

SEEN = 1 << 20
"""Texts that are remembered by their keys: a table of this size. After so many shaders it is empty again, so that a
resumed run has little to read."""
_EMPTY = array("q", [0]) * 4096


class SeenTexts:
    """The keys of the texts of the present SEEN shaders of a run. They come in the order of their indices."""

    def __init__(self) -> None:
        self._seen = array("q", [0]) * SEEN
        self._new: array[int] = array("q")
        self._first = 0

    def is_known(self, index: int, key: int) -> bool:
        """Whether a shader has the text of an earlier one; it counts as an earlier one from now on."""
        if index % SEEN == 0 and index:
            for at in range(0, SEEN, len(_EMPTY)):  # in place: a table that is replaced may leave a hole of its size
                self._seen[at : at + len(_EMPTY)] = _EMPTY
        known = self._seen[key % SEEN] == key
        self._seen[key % SEEN] = key
        if not self._new:
            self._first = index
        self._new.append(key)
        return known

    def taken(self) -> tuple[int, bytes] | None:
        """The keys since the last call, with the index of the first shader; None if there are none."""
        if not self._new:
            return None
        row = self._first, self._new.tobytes()
        self._new = array("q")
        return row

    def restore(self, rows: Iterable[bytes]) -> None:
        """Takes over the keys of the present SEEN shaders from an earlier part of the run."""
        for row in rows:
            for key in array("q", row):
                self._seen[key % SEEN] = key
