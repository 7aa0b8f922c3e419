"""Cyclic garbage collection of a campaign's processes: rare, and returning freed memory to the system."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

COLLECT_EVERY = 4096
"""Shaders between two searches for cyclic garbage: spelled shaders leave some behind."""
SEARCH_ALL_EVERY = 16
"""One search in so many looks through what outlived earlier ones, too: nearly all of that is code and tables."""
GROWN = 4 << 20
"""Bytes of resident memory more than after the last search, for which the next one does not wait."""


class Collector:
    """Collects cyclic garbage every COLLECT_EVERY shaders in a process that `collect_rarely` keeps from doing so.

    It does so at once where the process has GROWN. One exploration may need 20 MB for a moment, and if what is to stay
    were put among its remains, these could not be given back.
    """

    def __init__(self) -> None:
        self._uncollected = self._collections = 0
        self._process = psutil.Process()
        self._resident = self._process.memory_info().rss

    def count(self, shaders: int) -> None:
        """So many more shaders were worked on."""
        self._uncollected += shaders
        if self._uncollected >= COLLECT_EVERY and not gc.isenabled():
            self._collect()

    def look(self) -> None:
        """Something was done that may have needed much memory."""
        if not gc.isenabled() and self._process.memory_info().rss > self._resident + GROWN:
            self._collect()

    def _collect(self) -> None:
        self._uncollected = 0
        self._collections += 1
        if self._collections % SEARCH_ALL_EVERY == 0:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
        give_back()
        self._resident = self._process.memory_info().rss


def collect_rarely() -> None:
    """From now on only a `Collector` collects cyclic garbage in this process.

    What exists already is seldom searched. Shaders are trees: to search them for cycles at Python's usual pace would
    find little and cost a third of the time.
    """
    gc.freeze()
    gc.disable()


@contextmanager
def rare_collections() -> Iterator[None]:
    """A context with `collect_rarely`."""
    collect_rarely()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def give_back() -> None:
    """Gives freed memory back to the operating system where the C library would keep it, as glibc does."""
    # musl and macOS have no such function, Windows no None.
    with suppress(ImportError, OSError, AttributeError, TypeError):
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
