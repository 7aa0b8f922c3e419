"""Real execution: what is given to a device, what is expected of it, and what it does where there is an adapter."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.devices.device import Device, Lost
from wgsl_fuzz.oracle.devices.litmus import allowance, histogram, misfit
from wgsl_fuzz.oracle.devices.memory import Dispatch, Expected, is_certain, memory_left, storage_of
from wgsl_fuzz.oracle.simt_step.litmus import BASE
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.strategies import RACE_FREE, draw_shader
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.raising import print_shader

HEAD = "@group(0) @binding(0) var<storage, read_write> A: array<u32, 4>;\nvar<workgroup> W: array<u32, 4>;\n"


def shader(body: str) -> Shader:
    main = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32)"
    return parse(f"{HEAD}{main} {{ var x: u32; {body} }}")


SWAP = shader("W[lid] = A[lid]; workgroupBarrier(); x = W[1u - lid]; A[lid] = x + 1u;")


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    try:
        opened = Device(timeout=60)
    except TargetError as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


def test_the_memory_expected_is_that_of_the_semantics() -> None:
    expected = memory_left(SWAP, 3)
    assert expected is not None
    a, b, *rest = expected.before["A"]
    assert expected.after["A"] == ((b + 1) % 2**32, (a + 1) % 2**32, *rest)
    assert not expected.needs_zeroed
    reads = memory_left(shader("A[lid] = W[lid];"), 3)
    assert reads is not None
    assert reads.needs_zeroed


@given(st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_differences_are_named_by_element(at: int, value: int) -> None:
    expected = Expected(SWAP, {"A": (1, 2, 3, 4)}, {"A": (1, 2, 3, 4)}, False)
    words = [1, 2, 3, 4]
    assert expected.differences({0: b"".join(w.to_bytes(4, "little") for w in words)}) == []
    same, words[at] = words[at] == value, value
    found = expected.differences({0: b"".join(w.to_bytes(4, "little") for w in words)})
    assert found == ([] if same else [f"A[{at}]: {value}, not {at + 1}"])
    assert len(expected.differences({})) == 4


def plain(expected: Expected) -> Dispatch:
    """The plain print, to be run by a device."""
    return Dispatch(print_shader(expected.shader), dict(enumerate(expected.buffers)))


def test_a_device_leaves_the_memory_of_the_semantics(device: Device) -> None:
    drawn = (
        (shader, memory_left(shader, seed)) for seed in range(100, 300) for shader in [draw_shader(seed, RACE_FREE)]
    )
    certain = [left for shader, left in drawn if left is not None and is_certain(shader)]
    fit = [one for one in certain if device.zeroes_workgroup_memory or not one.needs_zeroed]
    assert sum(one.before != one.after for one in fit) > 10
    for one, result in zip(fit, device.run([plain(one) for one in fit]), strict=True):
        assert not isinstance(result, Lost)
        assert one.differences(result) == [], plain(one).code


def test_what_a_device_refuses_is_said_and_the_next_is_run(device: Device) -> None:
    expected = memory_left(SWAP, 3)
    assert expected is not None
    refused, done = device.run([Dispatch("fn main() { nothing }", {0: bytes(16)}), plain(expected)])
    assert isinstance(refused, Lost)
    assert "nothing" in refused.reason or "error" in refused.reason.lower()
    assert not isinstance(done, Lost)
    assert len(storage_of(SWAP)) == len(done) == 1


def test_a_device_does_of_litmus_tests_what_the_weakest_model_allows(device: Device) -> None:
    fit = [test for test in BASE if not misfit(device, test)]
    for test in fit:
        seen = histogram(device, test, 10)
        assert not seen.refused
        assert seen.outcomes.keys() <= allowance(test, "SSO").outcomes, test.name
    assert fit or not device.has_subgroups
