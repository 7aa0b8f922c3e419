"""A graphics adapter in a child process: it runs a compute shader, and says what is in its storage buffers then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import orjson

from wgsl_fuzz.oracle.targets.line_server import LineServer
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.targets.python_child import child_command, child_environment
from wgsl_fuzz.oracle.verdict import Answer, Verdict

HINT = "pip install 'wgsl-fuzz[execute]'"
_CHILD = "wgsl_fuzz.oracle.devices.wgpu_child"


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
    timed_out: bool = False


Memory = dict[int, bytes]
"""What the buffers hold at the end, by binding."""
Result = Memory | Lost


class Device:
    """The adapter that wgpu chooses. A dispatch that ends neither in memory nor in an error within `timeout` seconds
    ends the child, and another takes its place. Raises TargetError if there is no adapter.
    """

    def __init__(self, timeout: float = 10.0) -> None:
        if find_spec("wgpu") is None:
            raise TargetError(f"execution needs wgpu: {HINT}")
        words = partial(Answer, Verdict.INVALID)
        self._server = LineServer(child_command(_CHILD), words, timeout=timeout, env=child_environment())
        self.adapter = str(self._server.banner.get("adapter", "unknown"))
        """Which one it is, as it calls itself."""
        self.has_subgroups = bool(self._server.banner.get("subgroups"))
        """Whether it has subgroup operations."""
        self.zeroes_workgroup_memory = self._zeroes()
        """Whether workgroup memory is zero at first, as WGSL has it."""

    def _zeroes(self) -> bool:
        """Tries it: shaders fill their workgroup memory with ones, on all of the device's cores, and others look."""
        ones = Dispatch(_WORKGROUP.format("w[i] = 0xffffffffu; s[i] = w[63u - i];"), {0: bytes(256)})
        looks = Dispatch(_WORKGROUP.format("s[i] = w[i];"), {0: bytes(256)})
        return all(result == {0: bytes(256)} for result in self.run([ones] * 32 + [looks] * 8)[32:])

    def run(self, dispatches: Sequence[Dispatch]) -> list[Result]:
        """The results, in order."""
        outcomes = [_outcomes(answer) for answer in self._server.ask([_asked(d, 1) for d in dispatches])]
        return [found if isinstance(found, Lost) else found[0][0] for found in outcomes]

    def repeat(self, dispatch: Dispatch, times: int) -> list[tuple[Memory, int]] | Lost:
        """What a dispatch leaves when it is run so often: each result once, with how often it was.

        The time limit is that of all of them.
        """
        (answer,) = self._server.ask([_asked(dispatch, times)])
        return _outcomes(answer)

    def close(self) -> None:
        """Ends the child."""
        self._server.close()


def _asked(dispatch: Dispatch, times: int) -> str:
    buffers = {str(i): b.hex() for i, b in dispatch.buffers.items()}
    request = {"code": dispatch.code, "buffers": buffers, "workgroups": dispatch.workgroups, "times": times}
    return orjson.dumps(request).decode()


def _outcomes(answer: Answer) -> list[tuple[Memory, int]] | Lost:
    if answer.verdict is not Verdict.INVALID:
        return Lost(f"{answer.verdict.value} {answer.message}".strip(), answer.verdict is Verdict.TIMED_OUT)
    try:
        said = orjson.loads(answer.message)
        if "error" in said:
            return Lost(str(said["error"]))
        found = [({int(i): bytes.fromhex(b) for i, b in memory.items()}, int(n)) for memory, n in said["outcomes"]]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        return Lost("the adapter's process said nonsense")
    return found or Lost("the adapter's process said nonsense")
