"""Internal errors of wgsl-fuzz: a campaign records them and continues, a command ends with status 2."""

import traceback
from pathlib import Path

_OF_VALUES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
FAULTS = (AssertionError, MemoryError, RecursionError, *_OF_VALUES)
"""What a fault of our own shows as. A target's errors, a full disk and Ctrl-C are none."""
FAULT = "our own program failed on it: {}"
"""For people: why something is not known of a shader."""


def described(fault: BaseException) -> str:
    """A fault in a line: what was raised in which function, with the file and the line in it."""
    frames = traceback.extract_tb(fault.__traceback__)
    if not frames:
        return type(fault).__name__
    last = frames[-1]
    file = "/".join(Path(last.filename).parts[-3:])
    return f"{type(fault).__name__} in {last.name} ({file}, line {last.lineno})"
