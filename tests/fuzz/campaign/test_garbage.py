"""What a campaign's process does not need any more is found, and the system gets it back."""

import platform
from weakref import ref

import psutil
import pytest

from wgsl_fuzz.fuzz.campaign.garbage import COLLECT_EVERY, GROWN, Collector, rare_collections

MIB = 1 << 20


class _Cycle:
    def __init__(self) -> None:
        self.itself = self


def test_a_collector_collects_every_so_many_shaders_and_only_where_python_does_not() -> None:
    collector = Collector()
    with rare_collections():
        cycle = ref(_Cycle())
        collector.count(COLLECT_EVERY - 1)
        assert cycle() is not None
        collector.count(1)
        assert cycle() is None


def test_a_collector_collects_at_once_where_the_process_has_grown() -> None:
    with rare_collections():
        collector = Collector()
        cycle = ref(_Cycle())
        collector.look()
        assert cycle() is not None
        needed = b"1" * (2 * GROWN)
        collector.look()
        assert cycle() is None
        cycle = ref(_Cycle())
        collector.look()  # not again for the same
        assert cycle() is not None
    assert len(needed) == 2 * GROWN


def resident() -> float:
    """Resident memory of this process, in MiB."""
    size: int = psutil.Process().memory_info().rss
    return size / MIB


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries give memory back by themselves")
def test_what_was_needed_for_a_moment_is_given_back() -> None:
    before = resident()
    needed = [bytes(4096) for _ in range(64 * MIB // 4096)]
    kept = needed[-1]  # the C library gives back by itself what stands behind everything that is in use
    del needed
    assert resident() > before + 32
    with rare_collections():
        Collector().count(COLLECT_EVERY)
    assert resident() < before + 16
    assert len(kept) == 4096
