"""Devices played by the semantics, some with a planted fault: in this process, or as `device:MODULE:FUNCTION`."""

import os
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.devices.device import Device, DeviceTarget, Lost, Result
from wgsl_fuzz.oracle.devices.memory import STEPS, WORD, Dispatch, Expected, storage_of
from wgsl_fuzz.oracle.dynamics.runs import run_to_the_end
from wgsl_fuzz.oracle.dynamics.stores import given
from wgsl_fuzz.oracle.verdict import Verdict

Buffers = Mapping[int, bytes]

FAITHFUL, MINUS, SLEEPS, DIES = (
    f"device:tests.oracle.devices.fakes:{name}" for name in ("faithful", "minus_is_plus", "sleeps", "dies")
)


def faithful(code: str, buffers: Buffers) -> dict[int, bytes]:
    """What the semantics leaves; all as it was where a run does not end. Bindings are in the order of the arrays."""
    shader = parse(code)
    nothing = {array.name: (0,) * (array.size or 0) for array in storage_of(shader)}
    read = Expected(shader, nothing, nothing, False).read(dict(enumerate(buffers[i] for i in sorted(buffers))))
    before = {name: tuple(value or 0 for value in values) for name, values in read.items()}
    σ = run_to_the_end(shader, given(shader, before), STEPS)
    if σ is None:
        return dict(buffers)
    left = {name: [σ.cells.get((name, at), v) for at, v in enumerate(values)] for name, values in before.items()}
    return {
        i: b"".join((value & 0xFFFFFFFF).to_bytes(WORD, "little") for value in values)
        for i, values in zip(sorted(buffers), left.values(), strict=True)
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


class PlayedDevice(Device):
    """A function as a device in this process; `given` are the dispatches that came to it."""

    def __init__(self, function: Callable[[str, Buffers], Result] = faithful, *, zeroes: bool = True) -> None:
        self.adapter, self.zeroes_workgroup_memory = "a played device", zeroes
        self.given: list[Dispatch] = []
        self._function = function
        self._batches: deque[list[Result]] = deque()

    def submit(self, dispatches: Sequence[Dispatch]) -> None:
        self.given += dispatches
        self._batches.append([self._function(one.code, one.buffers) for one in dispatches])

    def collect(self) -> list[Result]:
        return self._batches.popleft()

    def close(self) -> None:
        pass


def played(function: Callable[[str, Buffers], Result] = faithful, name: str = "wgpu@played") -> DeviceTarget:
    """A device as a target in this process."""
    return DeviceTarget(name, "a function", PlayedDevice(function))


def lost(verdict: Verdict) -> Callable[[str, Buffers], Result]:
    """A device that is lost at a shader with `-`."""
    return lambda code, buffers: Lost("gone", verdict) if " - " in code else faithful(code, buffers)
