"""The rounds of a campaign: what steering may know, whatever the number of workers and however often a run is resumed.

A round is a range of shaders that only their indices decide. The recipes of a round depend on the rounds before its
predecessor, all of them complete. So a worker need not wait at the end of a round.
"""

from dataclasses import dataclass

from wgsl_fuzz.fuzz.cases.plan import GROUP

TASK = 32 * GROUP
"""The most shaders that a worker is given at once."""
SMALLEST, LARGEST = 8, 128
"""Tasks of the first round and of late ones: in between rounds double, so that steering begins early."""


@dataclass(frozen=True, slots=True)
class Round:
    """The shaders from `first` up to, not including, `end`."""

    number: int
    first: int
    end: int

    @property
    def groups(self) -> range:
        """The groups that begin in it."""
        return range(self.first // GROUP, self.end // GROUP)


def round_of(index: int) -> Round:
    """The round of the shader at a place of the run."""
    task = index // TASK
    if task >= LARGEST:
        first, size = task // LARGEST * LARGEST, LARGEST
    elif task < SMALLEST:
        first, size = 0, SMALLEST
    else:
        first = size = 1 << (task.bit_length() - 1)
    return Round(_number(first), first * TASK, (first + size) * TASK)


def _number(first: int) -> int:
    """The number of the round that begins with a task."""
    doubled = min(first, LARGEST).bit_length() - (SMALLEST - 1).bit_length()
    return max(0, doubled) + max(0, first // LARGEST - 1)


def task_at(first: int, end: int | None) -> int:
    """How many shaders the task from `first` on has in a run of `end` shaders: tasks begin at multiples of TASK."""
    count = TASK - first % TASK
    return count if end is None else max(0, min(count, end - first))
