"""The words in which every oracle answers (docs/words.md)."""

from dataclasses import dataclass
from enum import Enum


class OracleError(Exception):
    """An oracle cannot be used at all: one line for the user."""


class Verdict(Enum):
    """A static answer: of an analysis or a compiler. A device says whether it leaves the right memory."""

    ACCEPTS = "accepts"
    REJECTS = "rejects"
    """Rejected for a uniformity violation."""
    INVALID = "invalid"
    """Rejected for any other reason, or for one that the adapter cannot classify."""
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"
    UNSUPPORTED = "unsupported"
    """The compiler says that it does not know a construct; its description says how. It is no finding. A device says it
    of a shader that is not run on one.
    """
    MISCOMPILES = "miscompiles"
    """Of a device: it leaves another memory than every run of the semantics."""


def as_verdict(said: object) -> Verdict:
    """The verdict that a function's result means. Raises TypeError if it means none."""
    if isinstance(said, Verdict):
        return said
    if isinstance(said, bool):
        return Verdict.ACCEPTS if said else Verdict.REJECTS
    words = [verdict.value for verdict in Verdict]
    if said not in words:
        raise TypeError(f"{said!r} is no verdict: True, False, or one of {', '.join(words)}")
    return Verdict(said)


class Outcome(Enum):
    """A dynamic answer: of the semantics."""

    DIVERGES = "diverges"
    CONVERGES = "converges"
    """Every schedule and store within the stated bounds was explored."""
    NOT_SEEN = "not-seen"
    """Only sampled: no divergence was seen."""
    OUT_OF_STEPS = "out-of-steps"


@dataclass(frozen=True, slots=True)
class Answer:
    """A target's verdict on one text, with the compiler's own words (empty when it accepts)."""

    verdict: Verdict
    message: str = ""
