"""A module's witness step by step, in the words of its text: what its two threads executed, and where they parted.

A step is a statement of the text: all that lowering made of it, as long as the thread takes it in one go.
"""

from dataclasses import dataclass, field

from wgsl_fuzz.oracle.dynamics.modules.execution import ModuleExecution
from wgsl_fuzz.oracle.dynamics.modules.lowering import LoweredModule, shader_to_run
from wgsl_fuzz.oracle.dynamics.trace import Event, parting, trace
from wgsl_fuzz.oracle.dynamics.witness import Witness
from wgsl_fuzz.tinywgsl.ast import Barrier, Break, Continue, If, Return
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolution import Resolution

CONDITIONS = frozenset({"if", "for", "while", "break", "loop"})
"""The first words of statements whose condition is worth a word."""


@dataclass(slots=True)
class ModuleStep:
    """One statement that a thread executed."""

    thread: int
    line: int
    code: str
    place: tuple[object, ...]
    """The control point where it began: two threads with equal ones are at the same place."""
    reads: dict[str, str] = field(default_factory=dict)
    """What it read, in words of the text (`x`, `v.y`, `words[3]`), with the values."""
    writes: dict[str, str] = field(default_factory=dict)
    condition: bool | None = None
    """Which way its condition went."""
    parts: bool = False
    """Whether it is the last one from a place where both threads were."""
    meets: bool = False
    """Whether all threads were there, and went on."""


def steps_of_module(resolution: Resolution, done: ModuleExecution, text: str) -> list[ModuleStep]:
    """The steps of the two threads of a module's witness, in the order of its run; empty if there is none.

    The module is that of `text`: every node has its place.
    """
    witness = done.witness
    entry = next((f for f in resolution.functions if f.name == done.entry), None)
    if witness is None or entry is None:
        return []
    lowered = shader_to_run(resolution, entry, witness.threads, done.asked_size)
    return _Teller(lowered, text).steps(witness)


class _Teller:
    """Puts events together to steps."""

    def __init__(self, lowered: LoweredModule, text: str) -> None:
        self.lowered = lowered
        self.source = Source(text)
        self.words = lowered.words

    def steps(self, witness: Witness) -> list[ModuleStep]:
        """The steps of a run."""
        events = trace(self.lowered.shader, witness)
        parted = parting(witness, events) or ()
        found: list[ModuleStep] = []
        under_way: dict[int, tuple[object, ModuleStep]] = {}
        for event in events:
            at = self.lowered.places.get(id(event.statement), -1)
            known = under_way.get(event.thread)
            same = known is not None and (at < 0 or known[0] == (at, event.place[0]))
            if not same and (at < 0 or not self._is_written(event, at)):
                continue
            if known is None or not same:
                step = ModuleStep(event.thread, self.source.position(at)[0], head(self.source.text, at), event.place)
                known = under_way[event.thread] = (at, event.place[0]), step
                found.append(step)
            self._add(known[1], event)
            known[1].parts |= any(event is one for one in parted)
        return found

    def _is_written(self, event: Event, at: int) -> bool:
        """Whether a statement stands in the text: a `return` or a `continue` may go without saying."""
        s, text = event.statement, self.source.text
        if isinstance(s, Return | Continue):
            return text.startswith("return" if isinstance(s, Return) else "continue", at)
        return True

    def _add(self, step: ModuleStep, event: Event) -> None:
        s = event.statement
        for name, value in event.reads:
            read = self.words.of(name, value)
            if read is not None and read[0] not in step.writes:
                step.reads.setdefault(*read)
        first = step.code.partition(" ")[0].partition("(")[0]
        if isinstance(s, If) and first in CONDITIONS and event.result is not None:
            leaves = s.then == (Break(),) and first in ("for", "while")
            step.condition = bool(event.result[1]) != leaves
        elif isinstance(s, Barrier):
            step.meets = True
        elif event.result is not None and not isinstance(s, If | Return):
            step.writes.update([one] if (one := self.words.of(*event.result)) is not None else [])


def head(text: str, at: int) -> str:
    """The statement at a place of the text, on one line: of one with blocks what stands before them."""
    line = text[at:].partition("\n")[0].partition("//")[0]
    with_blocks = line.startswith(("if", "for", "while", "loop", "switch"))
    depth = 0
    for i, letter in enumerate(line):
        depth += (letter in "([") - (letter in ")]")
        if depth < 0 or (depth == 0 and letter == ("{" if with_blocks else ";")):
            return line[:i].strip()
    return line.strip()
