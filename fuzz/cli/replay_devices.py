"""Devices that a replay asks by itself: those against which something is recorded, where they are there."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from shlex import quote

from wgsl_fuzz.fuzz.cli.resuming import starts_a_program
from wgsl_fuzz.fuzz.judging.answers import is_device, open_oracle
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError


@contextmanager
def recorded_devices(recorded: Iterable[str], asked: Sequence[str], timeout: float) -> Iterator[list[Target]]:
    """The devices among the oracles of some records that are on this machine; of each other one, a line says why not.

    What is asked by name is left out. A function in the place of a device is a program, which no record starts.
    """
    opened: list[Target] = []
    try:
        for name in dict.fromkeys(name for name in recorded if is_device(name)):
            if name in asked or name.partition("@")[0] in asked:
                continue
            if starts_a_program(name):
                echo(f"not run again on {name}: to allow it, add --target {quote(name)}", err=True)
                continue
            try:
                opened.append(open_oracle(name, lambda line: echo(line, err=True), timeout))
            except TargetError as error:
                echo(f"not run again on {name}: {error}", err=True)
        yield opened
    finally:
        for target in opened:
            target.close()
