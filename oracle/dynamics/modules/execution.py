"""Stub, to be replaced by the branch `exec`."""

from dataclasses import dataclass

from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.wgsl.resolution import Resolution


@dataclass(frozen=True)
class ModuleExecution:
    outcome: Outcome
    steps: int = 0
    witness: tuple[str, ...] = ()
    cannot: str | None = None


def execute(resolution: Resolution, *, seed: int = 0, thorough: bool = False) -> ModuleExecution:
    return ModuleExecution(Outcome.NOT_SEEN, cannot="anything")
