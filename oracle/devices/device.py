"""A graphics adapter in a child process: it runs a compute shader, and says what is in its storage buffers then.

A Python function can stand in its place: it is given the WGSL and the buffers, and gives the buffers at the end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import orjson

from wgsl_fuzz.oracle.targets.children.line_server import LineServer
from wgsl_fuzz.oracle.targets.protocol import TargetError, TargetRequest
from wgsl_fuzz.oracle.verdict import Answer, Verdict

HINT = "pip install 'wgsl-fuzz[execute]'"
WGPU, FUNCTION = "wgpu", "device"
"""How the names of devices begin: the adapter that wgpu chooses, and a function in its place."""
_CHILD = "wgsl_fuzz.oracle.devices.device_child"

_WORKGROUP = """@group(0) @binding(0) var<storage, read_write> s: array<u32, 64>;
var<workgroup> w: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{ {} }}
"""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Workgroups of the entry point `main`: WGSL, and what the buffer of each binding of group 0 holds at first."""

    code: str
    buffers: Mapping[int, bytes]
    workgroups: int = 1


@dataclass(frozen=True, slots=True)
class Lost:
    """A dispatch without a result: why, in words."""

    reason: str
    verdict: Verdict = Verdict.INVALID
    """CRASHED or TIMED_OUT if the device died of it, or gave no answer in time; INVALID if it refused."""

    @property
    def timed_out(self) -> bool:
        """Whether it gave no answer in time."""
        return self.verdict is Verdict.TIMED_OUT


Memory = dict[int, bytes]
"""What the buffers hold at the end, by binding."""
Result = Memory | Lost


class Device:
    """The adapter that wgpu chooses, or a `function` in a module (`MODULE:FUNCTION`). A dispatch that ends neither in
    memory nor in an error within `timeout` seconds ends the child, and another takes its place. Raises TargetError if
    there is no adapter, or no such function.
    """

    def __init__(self, timeout: float = 10.0, function: str | None = None) -> None:
        words = partial(Answer, Verdict.INVALID)
        request = TargetRequest("", WGPU, timeout=timeout)
        if function is not None:
            child = [_CHILD, *function.split(":")]
            self.server = LineServer.of_python(request, child, words, scratch=False)
        elif find_spec("wgpu") is None:
            raise TargetError(f"execution needs wgpu: {HINT}")
        else:
            self.server = LineServer.of_python(request, [_CHILD], words)
        self.adapter = str(self.server.banner.get("adapter", "unknown"))
        """Which one it is, as it calls itself."""
        self.has_subgroups = bool(self.server.banner.get("subgroups"))
        """Whether it has subgroup operations."""
        self.zeroes_workgroup_memory = function is not None or self._zeroes()
        """Whether workgroup memory is zero at first, as WGSL has it; taken for granted of a function."""

    def _zeroes(self) -> bool:
        """Tries it: shaders fill their workgroup memory with ones, on all of the device's cores, and others look."""
        ones = Dispatch(_WORKGROUP.format("w[i] = 0xffffffffu; s[i] = w[63u - i];"), {0: bytes(256)})
        looks = Dispatch(_WORKGROUP.format("s[i] = w[i];"), {0: bytes(256)})
        return all(result == {0: bytes(256)} for result in self.run([ones] * 32 + [looks] * 8)[32:])

    def submit(self, dispatches: Sequence[Dispatch]) -> None:
        """Hands over a batch; returns at once."""
        self.server.submit([_asked(dispatch, 1) for dispatch in dispatches])

    def collect(self) -> list[Result]:
        """The results of the oldest batch not yet collected, in order."""
        outcomes = [_outcomes(answer) for answer in self.server.collect()]
        return [found if isinstance(found, Lost) else found[0][0] for found in outcomes]

    def run(self, dispatches: Sequence[Dispatch]) -> list[Result]:
        """The results, in order; nothing else must be in flight."""
        self.submit(dispatches)
        return self.collect()

    def repeat(self, dispatch: Dispatch, times: int) -> list[tuple[Memory, int]] | Lost:
        """What a dispatch leaves when it is run so often: each result once, with how often it was.

        The time limit is that of all of them.
        """
        (answer,) = self.server.ask([_asked(dispatch, times)])
        return _outcomes(answer)

    def close(self) -> None:
        """Ends the child."""
        self.server.close()


def _asked(dispatch: Dispatch, times: int) -> str:
    buffers = {str(i): b.hex() for i, b in dispatch.buffers.items()}
    request = {"code": dispatch.code, "buffers": buffers, "workgroups": dispatch.workgroups, "times": times}
    return orjson.dumps(request).decode()


def _outcomes(answer: Answer) -> list[tuple[Memory, int]] | Lost:
    if answer.verdict is not Verdict.INVALID:
        return Lost(f"{answer.verdict.value} {answer.message}".strip(), answer.verdict)
    try:
        said = orjson.loads(answer.message)
        if "error" in said:
            return Lost(str(said["error"]))
        found = [({int(i): bytes.fromhex(b) for i, b in memory.items()}, int(n)) for memory, n in said["outcomes"]]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        return Lost("the adapter's process said nonsense", Verdict.CRASHED)
    return found or Lost("the adapter's process said nonsense", Verdict.CRASHED)
