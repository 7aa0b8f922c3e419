"""What counts as convergence: when two threads that wait at barriers are together. The notion is a value.

The paper's is the most conservative one of the languages that WGSL is compiled to (section 2.3); it names the study of
maximal reconvergence as future work (section 8). Here are its own notion and those of two other systems. Each asks for
the same barrier instruction; they differ in what else of a thread's past has to be the same. Each holds of fewer pairs
of threads than the next one in `NOTIONS`: what converges under one converges under those after it, up to the barriers
at which the runs part.
"""

from collections.abc import Callable
from dataclasses import dataclass

from wgsl_fuzz.oracle.dynamics.semantics import Agreement, ControlStack, Element, Histories, LoopElement, barrier_of


@dataclass(frozen=True, slots=True)
class Notion:
    """A notion of convergence: its name, what it asks for in words, and the same as a predicate of control stacks.

    `stacks` must be an equivalence: executors compare an arriving thread with only one of those that wait.
    """

    name: str
    words: str
    stacks: Callable[[Histories, ControlStack, ControlStack], bool]

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], "Notion"], tuple[str]]:
        """By name: one object for each notion in each process."""
        return Notion.parse, (self.name,)

    @classmethod
    def parse(cls, name: str) -> "Notion":
        """The notion of a name; raises ValueError if there is none."""
        if name not in NOTIONS:
            raise ValueError(f"{name!r}, not one of {', '.join(NOTIONS)}")
        return NOTIONS[name]

    @property
    def sentence(self) -> str:
        """What it asks for, in a sentence."""
        return f"What counts as convergence is {self.name}: {self.words}."

    def agreement(self, histories: Histories) -> Agreement:
        """The predicate of two threads, for a program with these histories."""
        return lambda T_i, T_j: barrier_of(T_i) == barrier_of(T_j) and self.stacks(histories, T_i.κ, T_j.κ)


def _same_stacks(_: Histories, κ_i: ControlStack, κ_j: ControlStack) -> bool:
    """κ_i = κ_j (Fig. 6, BARRIER-SYNC)."""
    return κ_i == κ_j


def _same_blocks(histories: Histories, κ_i: ControlStack, κ_j: ControlStack) -> bool:
    """The same calls, and the same loops in the same iterations.

    Threads that leave an iteration by different `continue`s merge before its `continuing`; those that take different
    branches of an `if`, or leave a loop by different `break`s, merge behind it. So this is all that a path leaves.
    """
    while κ_i is not None and κ_j is not None:
        one, κ_i = κ_i
        other, κ_j = κ_j
        if one.id != other.id:
            return False
        if _iterations(histories, one) != _iterations(histories, other):
            return False
    return κ_i is κ_j


def _iterations(histories: Histories, element: Element) -> int:
    """How many iterations of a loop are behind a thread; 0 for a call."""
    return histories.length(element.cs) if isinstance(element, LoopElement) else 0


def _any_stacks(_: Histories, _κ_i: ControlStack, _κ_j: ControlStack) -> bool:
    """Nothing else is asked for."""
    return True


CONTROL_STACKS = Notion("control-stacks", "the same calls, loops and `continue`s, as the paper asks", _same_stacks)
"""The paper's (section 3.2, Fig. 6)."""
DYNAMIC_BLOCKS = Notion("dynamic-blocks", "the same calls, loops and iterations: maximal reconvergence", _same_blocks)
"""Of *SIMT-Step Execution* (section 3), after SPIR-V: a barrier's dynamic block is executed by all threads."""
SAME_BARRIER = Notion("same-barrier", "the same barrier instruction and nothing else, as WSL asks", _any_stacks)
"""Of the WSL specification ("Barriers and discard"): all threads are at the same control barrier instruction."""

NOTIONS = {notion.name: notion for notion in (CONTROL_STACKS, DYNAMIC_BLOCKS, SAME_BARRIER)}
"""By name, from the strictest to the most lenient."""
