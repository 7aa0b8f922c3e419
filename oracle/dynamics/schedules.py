"""Schedules: whose turn it is, and how long it lasts."""

import random
import sys
from collections.abc import Callable, Sequence
from enum import Enum


class Order(Enum):
    """Whose turn it is, of the threads that can take one."""

    IN_ORDER = "in order"
    REVERSED = "reversed"
    ROUND_ROBIN = "round-robin"
    RANDOM = "random"


Scheduler = Callable[[list[int]], tuple[int, int]]
"""From the threads that can take a turn, ascending, to one of them and the most steps of its turn (0: as above)."""


UNTIL_IT_WAITS = sys.maxsize
Schedule = tuple[Scheduler, bool]
"""A scheduler, and whether the threads that it is given are all that decides its answer."""


def scheduler_of(order: Order, seed: int) -> Schedule:
    rng = random.Random(seed) if order is Order.RANDOM else None
    last = -1

    def turn(threads: list[int]) -> tuple[int, int]:
        nonlocal last
        if order is Order.IN_ORDER or len(threads) == 1:
            return threads[0], UNTIL_IT_WAITS
        if order is Order.REVERSED:
            return threads[-1], UNTIL_IT_WAITS
        last = rng.choice(threads) if rng is not None else next((i for i in threads if i > last), threads[0])
        return last, 0

    return turn, order in (Order.IN_ORDER, Order.REVERSED)


def preferring(first: Sequence[int]) -> Schedule:
    """Each thread until it waits, these before the others."""

    def turn(threads: list[int]) -> tuple[int, int]:
        return next((i for i in first if i in threads), threads[0]), UNTIL_IT_WAITS

    return turn, True


def recorded(schedule: Sequence[tuple[int, int]]) -> Schedule:
    """The recorded turns; where they do not fit (another shader than they were recorded on), in order."""
    turns = iter(schedule)

    def following(threads: list[int]) -> tuple[int, int]:
        return next((turn for turn in turns if turn[0] in threads), (threads[0], 0))

    return following, False
