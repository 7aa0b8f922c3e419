"""The interface of a target: texts in, one answer for each out, in order."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from wgsl_fuzz.oracle.verdict import Answer


class TargetError(Exception):
    """The target cannot be used at all (unknown name, not installed, no compiler there): one line for the user."""


class Target(Protocol):
    """A compiler or analysis under test.

    `submit` hands over a batch and returns at once; `collect` waits for the answers to the oldest batch not yet
    collected. A text that kills the compiler is answered CRASHED, one that exceeds its time TIMED_OUT; either way the
    target restarts by itself and answers the rest. Only what can never work raises TargetError.
    """

    @property
    def name(self) -> str:
        """The name in records: `tint@0.6.2`."""

    @property
    def origin(self) -> str:
        """Where this build comes from, for people: `npm webgpu 0.6.2 (Dawn of 2026-09-30)`."""

    @property
    def checks_uniformity(self) -> bool:
        """False: the target declares that it has no uniformity analysis (Naga today)."""

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch of WGSL texts."""

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch submitted, in order."""

    def close(self) -> None:
        """Ends the child processes. A closed target is not used again."""


CRASH, HANG, GARBLED = "crash", "hang", "garbled"
"""Why the child of a target was replaced: it died, it gave no answer in time, or none that could be read."""


@runtime_checkable
class Restarted(Protocol):
    """A target with a child process that is replaced when it is lost."""

    @property
    def name(self) -> str:
        """As of Target."""

    @property
    def restarted(self) -> Mapping[str, int]:
        """How often its child was replaced, by the reason: CRASH, HANG, GARBLED."""
