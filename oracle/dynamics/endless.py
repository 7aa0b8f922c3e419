"""Runs that never end: what exploring knows of them, as it meets states again. The paper counts none as divergence."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from wgsl_fuzz.oracle.dynamics.semantics import Thread, barrier_of
from wgsl_fuzz.tinywgsl.ast import Loop


@dataclass(frozen=True, slots=True)
class Endless:
    """Runs that no schedule brings to an end; that is no divergence (Definition 3.2)."""

    waits: tuple[int, int] | None = None
    """A thread that waits at a barrier meanwhile, and the barrier's ID; None: no run met has one."""
    loops: tuple[int, int] | None = None
    """The first thread that comes back to a loop for ever, and the loop's ID; None: all pass barriers for ever."""


def endless_of(threads: Sequence[Thread], spinning: Set[int]) -> Endless:
    """What to say of a state in which some threads spin, standing at a loop, and the others wait or have ended."""
    barriers = {i: barrier_of(T) for i, T in enumerate(threads) if i not in spinning}
    waits = next(((i, barrier) for i, barrier in barriers.items() if barrier is not None), None)
    first = min(spinning)
    ss = threads[first].ss
    assert ss is not None, "a thread that has ended does not spin"
    assert isinstance(ss[0], Loop), "states are compared at loops"
    return Endless(waits, (first, ss[0].id))


def has_cycle(followers: Mapping[int, Sequence[int]]) -> bool:
    """Whether some number leads back to itself."""
    before = Counter(after for ahead in followers.values() for after in ahead)
    free = [number for number in followers if not before[number]]
    while free:
        for after in followers.get(free.pop(), ()):
            before[after] -= 1
            if not before[after]:
                free.append(after)
    return any(before.values())
