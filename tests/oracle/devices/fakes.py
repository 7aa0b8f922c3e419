"""Devices played by the semantics, some with a planted fault: `device:tests.oracle.devices.fakes:NAME`."""

import os
import time
from collections.abc import Mapping

from wgsl_fuzz.oracle.devices.memory import STEPS, WORD, Expected, storage_of
from wgsl_fuzz.oracle.dynamics.execution import run_to_the_end
from wgsl_fuzz.oracle.dynamics.stores import given
from wgsl_fuzz.wgsl.reading import parse

Buffers = Mapping[int, bytes]

FAITHFUL, MINUS, SLEEPS, DIES = (
    f"device:tests.oracle.devices.fakes:{name}" for name in ("faithful", "minus_is_plus", "sleeps", "dies")
)


def faithful(code: str, buffers: Buffers) -> dict[int, bytes]:
    """What the semantics leaves; all as it was where a run does not end."""
    shader = parse(code)
    sizes = {array.name: array.size or 0 for array in storage_of(shader)}
    before = {name: (0,) * size for name, size in sizes.items()}
    before = Expected(shader, before, before, False).read(buffers)  # type: ignore[assignment]
    σ = run_to_the_end(shader, given(shader, before), STEPS)
    if σ is None:
        return dict(buffers)
    return {
        i: b"".join(
            (σ.cells.get((name, at), value) & 0xFFFFFFFF).to_bytes(WORD, "little") for at, value in enumerate(values)
        )
        for i, (name, values) in enumerate(before.items())
    }


def minus_is_plus(code: str, buffers: Buffers) -> dict[int, bytes]:
    """Takes `-` between operands for `+`."""
    return faithful(code.replace(" - ", " + "), buffers)


def sleeps(code: str, buffers: Buffers) -> dict[int, bytes]:
    """Never comes to the end of a shader with `-`."""
    if " - " in code:
        time.sleep(3600)
    return faithful(code, buffers)


def dies(code: str, buffers: Buffers) -> dict[int, bytes]:
    """Dies of a shader with `-`."""
    if " - " in code:
        os._exit(7)
    return faithful(code, buffers)
