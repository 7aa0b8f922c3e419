"""Litmus tests of SIMT-Step on a device: what it leaves in memory, beside what the models allow."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from wgsl_fuzz.oracle.devices.device import Lost, Memory
from wgsl_fuzz.oracle.devices.memory import WORD, Dispatch
from wgsl_fuzz.oracle.simt_step.litmus import Litmus, buffers_of, print_litmus, told
from wgsl_fuzz.oracle.simt_step.rules import Bounds, explore

PART = 100
"""Iterations that share a time limit."""

Outcome = tuple[tuple[str, tuple[int, ...]], ...]
"""What the buffers of a test hold at the end, with their names, in the order of their bindings."""

_ARRANGEMENT = """enable subgroups;
@group(0) @binding(0) var<storage, read_write> lanes: array<u32, {size}>;
@group(0) @binding(1) var<storage, read_write> members: array<u32, {size}>;
@compute @workgroup_size({size})
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32) {{
  lanes[i] = lane;
  members[i] = subgroupBallot(true).x;
}}
"""


class Repeater(Protocol):
    """What tests need of a device."""

    adapter: str
    has_subgroups: bool

    def repeat(self, dispatch: Dispatch, times: int) -> list[tuple[Memory, int]] | Lost:
        """What a dispatch leaves when it is run so often."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a model allows of a test.

    gap: the bound that was reached, empty if none was; else there may be more outcomes.
    ends: whether every execution ends. An iteration of a loop has dynamic blocks of its own, so no state comes twice
        in an execution: one without an end reaches a bound.
    """

    outcomes: frozenset[Outcome]
    ends: bool
    gap: str


def allowance(test: Litmus, model: str, bounds: Bounds | None = None) -> Allowance:
    """What a model allows of a test, of all executions within bounds. Raises KeyError for a model that is none."""
    P = test.machine(model)
    found = explore(P, bounds, every_order=False)
    outcomes = set[Outcome]()
    for S in found.finals:
        left = {a: P.array(S, a) for a in test.arrays}
        left |= {f"out_{r}": tuple(P.eval(r, σ.R) for σ in S.Σ) for r in told(test)}
        outcomes.add(tuple((name, tuple(v & 0xFFFFFFFF for v in values)) for name, values in left.items()))
    return Allowance(frozenset(outcomes), not found.gap and not found.stuck, found.gap)


@dataclass(frozen=True, slots=True)
class Histogram:
    """What a device left, and how often.

    unended: whether some of it did not end in time; no more was run then.
    refused: why it does not run the test, empty if it does.
    """

    outcomes: Mapping[Outcome, int]
    unended: bool = False
    refused: str = ""


def histogram(device: Repeater, test: Litmus, iterations: int) -> Histogram:
    """Runs a test so often, in parts that have the device's time limit each. Memory is 0 at first."""
    buffers = buffers_of(test)
    dispatch = Dispatch(
        print_litmus(test), {i: bytes(WORD * n) for i, n in enumerate(buffers.values())}, test.subgroups
    )
    seen = Counter[Outcome]()
    for begun in range(0, iterations, PART):
        result = device.repeat(dispatch, min(PART, iterations - begun))
        if isinstance(result, Lost):
            return Histogram(seen, result.timed_out, "" if result.timed_out else result.reason)
        for memory, times in result:
            seen[tuple((name, _words(memory.get(i, b""))) for i, name in enumerate(buffers))] += times
    return Histogram(seen)


def misfit(device: Repeater, test: Litmus) -> str:
    """Why the threads of the test's workgroups are not what the models take for a subgroup; empty if they are.

    Nobody knows of a device without subgroup operations. It is taken at its word then, if the test has none.
    """
    if not device.has_subgroups:
        return (
            "the device has no subgroup operations" if "subgroup" in print_litmus(test).partition("fn main")[2] else ""
        )
    size = test.size
    result = device.repeat(Dispatch(_ARRANGEMENT.format(size=size), {0: bytes(WORD * size), 1: bytes(WORD * size)}), 1)
    if isinstance(result, Lost):
        return result.reason
    lanes, members = (_words(result[0][0].get(i, b"")) for i in (0, 1))
    fits = lanes == tuple(range(size)) and members == ((1 << size) - 1,) * size
    return "" if fits else f"{size} threads of a workgroup are not one subgroup of this device"


def _words(data: bytes) -> tuple[int, ...]:
    return tuple(int.from_bytes(data[at : at + WORD], "little") for at in range(0, len(data), WORD))
