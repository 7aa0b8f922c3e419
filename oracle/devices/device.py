"""A graphics adapter in a child process, and it as a target: whether it leaves the memory that the semantics does.

A Python function can stand in its place: it is given the WGSL and the buffers, and gives the buffers at the end. What
may diverge never comes to a device: each text is held against the rules and the semantics here, whoever asks.
"""

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec

import orjson

from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.devices.memory import Dispatch, Expected, is_certain, memory_left, observed, storage_of
from wgsl_fuzz.oracle.rules.analysis import paper_verdict
from wgsl_fuzz.oracle.targets.children.line_server import LineServer
from wgsl_fuzz.oracle.targets.families.naga import installed_wgpu
from wgsl_fuzz.oracle.targets.protocol import (
    Availability,
    Target,
    TargetError,
    TargetFamily,
    TargetInfo,
    TargetRequest,
    register,
)
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lexer import pieces
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolve import resolve

HINT = "pip install 'wgsl-fuzz[execute]'"
WGPU, FUNCTION = "wgpu", "device"
"""How the names of devices begin: the adapter that wgpu chooses, and a function in its place."""
_CHILD = "wgsl_fuzz.oracle.devices.device_child"

_WORKGROUP = """@group(0) @binding(0) var<storage, read_write> s: array<u32, 64>;
var<workgroup> w: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{ {} }}
"""


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


MEMORIES = (0, 1)
"""Seeds of what storage holds at first: each shader is run on so many memories."""
MOST_CELLS = 12
"""So many elements that differ are named; of longer arrays the values are left out."""

NO_CORE, REJECTED, NOTHING_SEEN, UNCERTAIN, NOT_ZEROED = (
    "it is not TinyWGSL",
    "the rules reject it",
    "it changes no storage and has no variables: nothing of it could be seen",
    "a run may diverge, race, not end, or leave the bounds of an array",
    "it reads workgroup memory that nobody wrote, which this device leaves as it was",
)
"""Why a shader is not run on a device."""

FAULTS = (ArithmeticError, AssertionError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
"""What a fault of the semantics shows as."""


def is_device(name: str) -> bool:
    """Whether a target of this name, or opened by this spec, is a device."""
    return re.split("[@:]", name, maxsplit=1)[0] in (WGPU, FUNCTION)


@dataclass(frozen=True, slots=True)
class _Trial:
    """A text to be run on one memory, and what is expected of it."""

    code: str
    expected: Expected
    bindings: tuple[int, ...]
    """Of the storage arrays, in their order."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What the elements hold of an array that is not the shader's own; empty if the shader is run as it is."""

    @property
    def dispatch(self) -> Dispatch:
        """What the device is given."""
        return Dispatch(self.code, dict(zip(self.bindings, self.expected.buffers, strict=True)))

    def difference(self, result: Mapping[int, bytes]) -> list[str]:
        """In what a device's memory differs, in words; empty if it does not."""
        left = {i: result.get(binding, b"") for i, binding in enumerate(self.bindings)}
        lines = difference_in_words(self.expected, left, self.names)
        if not lines or not self.names:
            return lines
        return [*lines, "the variables were stored for that; what was run:", *indented(self.code.splitlines())]


class DeviceTarget:
    """A device; ACCEPTS means that it leaves the memory of the semantics, UNSUPPORTED that the text is not run on one.

    A text that kills the device is CRASHED, one that outlasts the time limit TIMED_OUT. One that its compiler refuses
    is UNSUPPORTED, too: what is wrong with compilers is found by naming them as targets.
    """

    checks_uniformity = True
    """It is given nothing that breaks the rules."""

    def __init__(self, name: str, origin: str, device: Device) -> None:
        self.name, self.origin, self.device = name, origin, device
        self._batches: deque[list[list[_Trial] | str]] = deque()

    @property
    def restarted(self) -> Mapping[str, int]:
        """How often the child was replaced, by the reason."""
        return self.device.server.restarted

    def submit(self, texts: Sequence[str]) -> None:
        """Submits the texts that can be run."""
        batch = [self._trials(text) for text in texts]
        self.device.submit([trial.dispatch for trials in batch if not isinstance(trials, str) for trial in trials])
        self._batches.append(batch)

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch."""
        batch, results = self._batches.popleft(), deque(self.device.collect())
        return [
            Answer(Verdict.UNSUPPORTED, trials)
            if isinstance(trials, str)
            else self._answer(trials, [results.popleft() for _ in trials])
            for trials in batch
        ]

    def close(self) -> None:
        """Ends the child."""
        self.device.close()

    def _trials(self, text: str) -> list[_Trial] | str:
        """What is to be run for a text, or why nothing is."""
        try:
            resolution = resolve(parse(text))
        except WgslError:
            return NO_CORE
        shader = core_of(resolution).shader
        if shader is None:
            return NO_CORE
        if paper_verdict(resolution) is not Verdict.ACCEPTS:
            return REJECTED
        trials = [*_as_it_is(shader, text), *_observed(shader)]
        if not trials:
            return UNCERTAIN if shader.main.locals else NOTHING_SEEN
        if not self.device.zeroes_workgroup_memory and any(one.expected.needs_zeroed for one in trials):
            return NOT_ZEROED
        try:
            return trials if is_certain(shader) else UNCERTAIN
        except FAULTS as fault:  # it is ours, and no campaign may end by it
            return f"exploring it fails ({type(fault).__name__})"

    def _answer(self, trials: Sequence[_Trial], results: Sequence[Result]) -> Answer:
        """What a shader's results come to: the first that is not as expected."""
        for trial, result in zip(trials, results, strict=True):
            if isinstance(result, Lost):
                refused = result.verdict is Verdict.INVALID
                return Answer(Verdict.UNSUPPORTED if refused else result.verdict, result.reason)
            if lines := trial.difference(result):
                return Answer(Verdict.MISCOMPILES, "\n".join([f"{self.device.adapter}: {lines[0]}", *lines[1:]]))
        return Answer(Verdict.ACCEPTS)


def _as_it_is(shader: Shader, text: str) -> list[_Trial]:
    """The text on each memory; none if it leaves all as it was, or what it leaves is not certain."""
    bindings = _bindings(text)
    if not storage_of(shader) or len(set(bindings)) != len(storage_of(shader)):
        return []
    left = [memory_left(shader, seed) for seed in MEMORIES]
    known = [one for one in left if one is not None]
    changes = any(one.before != one.after for one in known)
    return [_Trial(text, one, bindings) for one in known] if changes and len(known) == len(left) else []


def _observed(shader: Shader) -> list[_Trial]:
    """The plain print on each memory, with the variables of `main` stored at the end."""
    seen = observed(shader)
    left = [] if seen is None else [memory_left(seen[0], seed) for seed in MEMORIES]
    known = [one for one in left if one is not None]
    if seen is None or len(known) < len(left):
        return []
    code = print_shader(seen[0])
    return [_Trial(code, one, tuple(range(len(one.buffers))), seen[1]) for one in known]


def indented(lines: Sequence[str]) -> list[str]:
    """Lines that belong to the one before them."""
    return [f"  {line}" for line in lines]


def difference_in_words(expected: Expected, memory: Mapping[int, bytes], names: Mapping[str, str]) -> list[str]:
    """The differences between a device's memory and the semantics', element by element.

    `names` are those of elements that people know by another name.
    """
    differences = expected.differences(memory)
    if not differences:
        return []
    which = "1 element" if len(differences) == 1 else f"{len(differences)} elements"
    lines = [f"{which} of storage not as the semantics leaves it"]
    unknown = {element.partition("[")[0] for element in names}
    memories = (("before", expected.before), ("expected", expected.after), ("on the device", expected.read(memory)))
    for when, cells in memories:
        lines += [f"  {when}: {name} = {_values(values)}" for name, values in cells.items() if name not in unknown]
    for line in differences[:MOST_CELLS]:
        element, colon, rest = line.partition(":")
        lines.append(f"  {names.get(element, element)}{colon}{rest}")
    more = len(differences) - MOST_CELLS
    return lines + ([f"  and {more} more"] if more > 0 else [])


def _values(values: Sequence[int | None]) -> str:
    shown = ", ".join("nothing" if value is None else str(value) for value in values[:MOST_CELLS])
    return shown + (", ..." if len(values) > MOST_CELLS else "")


_BINDING = re.compile(r"@ binding \( (\d+)[iu]? \)")
_GROUP = re.compile(r"@ group \( (\d+)[iu]? \)")


def _bindings(text: str) -> tuple[int, ...]:
    """The bindings of a text's storage arrays, in the order of these; none if any is not in group 0."""
    tokens = " ".join(pieces(text))
    if any(int(group) for group in _GROUP.findall(tokens)):
        return ()
    return tuple(int(binding) for binding in _BINDING.findall(tokens))


# -------------------------------------------------------------------------------------------------------------- opening


def open_wgpu(request: TargetRequest) -> Target:
    """`wgpu`, or `wgpu@ADAPTER` if the adapter here has that name. Raises TargetError."""
    device = Device(request.timeout)
    # `llvmpipe` of `llvmpipe (LLVM 15.0.6, 256 bits) (Vulkan)`
    short = re.sub(r"[^a-z0-9]+", "-", device.adapter.partition("(")[0].lower()).strip("-")
    name = f"{WGPU}@{short or 'unknown'}"
    if request.path is not None or (request.version is not None and request.spec != name):
        device.close()
        raise TargetError(f"{request.spec} is not here: the adapter of this machine is {name}")
    return DeviceTarget(name, f"{device.adapter}, {installed_wgpu()}", device)


def open_function(request: TargetRequest) -> Target:
    """`device:MODULE:FUNCTION`, in a process of its own. Raises TargetError."""
    function = request.path or ""
    if not re.fullmatch(r"[\w.]+:[\w.]+", function):
        raise TargetError(f"not a device: {request.spec!r}; write {FUNCTION}:MODULE:FUNCTION")
    try:
        device = Device(request.timeout, function)
    except TargetError as error:
        raise TargetError(f"{request.spec}: {error}") from error
    return DeviceTarget(request.spec, device.adapter, device)


def wgpu_infos() -> Sequence[TargetInfo]:
    """Whether wgpu is installed; that there is an adapter shows when it is opened."""
    if find_spec("wgpu") is None:
        return [TargetInfo(WGPU, "a graphics adapter", Availability.MISSING, reason=HINT)]
    return [TargetInfo(WGPU, f"a graphics adapter, by {installed_wgpu()}", Availability.INSTALLED)]


register(TargetFamily(WGPU, open_wgpu, wgpu_infos, title="Wgpu"))
_OF_USER = TargetInfo(f"{FUNCTION}:MODULE:FUNCTION", "a function of yours as a device", Availability.INSTALLED)
register(TargetFamily(FUNCTION, open_function, lambda: [_OF_USER]))
