"""What tests of compilers in processes share: asking a target, and looking on at processes."""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from wgsl_fuzz.oracle.verdict import Answer


class Asked(Protocol):
    """What is asked in batches."""

    def submit(self, texts: Sequence[str], /) -> None: ...

    def collect(self) -> list[Answer]: ...


def script(path: Path, source: str) -> Path:
    """A program in Python, at that path."""
    path.write_text(f"#!{sys.executable}\n{source}", encoding="utf-8")
    path.chmod(0o755)
    return path


def ask(target: Asked, *texts: str) -> list[Answer]:
    """The answers to one batch."""
    target.submit(texts)
    return target.collect()


def answers_in_flight(target: Asked, batches: Iterable[list[str]]) -> list[Answer]:
    """The answers to all batches, asked as a campaign asks: two batches in flight."""
    found, flying = list[Answer](), 0
    for batch in batches:
        target.submit(batch)
        flying += 1
        if flying > 1:
            found += target.collect()
            flying -= 1
    for _ in range(flying):
        found += target.collect()
    return found


def lives(process: int) -> bool:
    """Whether a process exists and is no zombie, as /proc has it."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    return False


def comes(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Waits until something has happened; whether it has."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()
