"""Stub, to be replaced by the branch `arms`."""

from collections.abc import Collection

from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.resolution import Resolution


def deciding_arms(
    resolution: Resolution, verdict: Verdict | None = None, *, only: Collection[str] | None = None
) -> list[str]:
    return []


ARMS: tuple[str, ...] = ()
