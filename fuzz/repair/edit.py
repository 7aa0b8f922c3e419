"""One proposed edit: the patches, and what it changes in meaning."""

from dataclasses import dataclass
from enum import IntEnum

from wgsl_fuzz.fuzz.repair.patch import Patch


class Cost(IntEnum):
    """What an edit changes in meaning, the least first."""

    SAME = 0
    """The shader computes the same, perhaps in vain for some invocations."""
    BINDING = 1
    """The program that runs the shader has to bind a resource otherwise."""
    WAITS = 2
    """Invocations wait for each other once more."""
    ASSUMED = 3
    """The shader computes the same if an assumption holds, which the effect names."""
    RESULT = 4
    """Some results differ: another mip level, or more invocations take part."""
    SILENT = 5
    """The shader stays as it is; the error is switched off."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A proposal, which need not be right: who makes it leaves it to the reference to accept it."""

    patches: tuple[Patch, ...]
    what: str
    """What it does, as an order: `take the sample above the \\`if\\` on line 5`."""
    cost: Cost
    effect: str
    """What changes in meaning, as a sentence."""
