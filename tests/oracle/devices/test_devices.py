"""Real execution: what is given to a device, what is expected of it, and what it does where there is an adapter."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.oracle.dynamics.running import execute
from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.devices.device import Device, Lost
from wgsl_fuzz.oracle.devices.litmus import allowance, histogram, misfit
from wgsl_fuzz.oracle.devices.memory import Dispatch, Expected, expected_memory, storage_of
from wgsl_fuzz.oracle.dynamics.exploration import explore
from wgsl_fuzz.oracle.dynamics.runs import Order
from wgsl_fuzz.oracle.simt_step.litmus import BASE, LITMUS, variant
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.strategies import RACE_FREE, draw_shader
from wgsl_fuzz.tinywgsl.ast import Shader

CALM = replace(RACE_FREE, statements=(3, 15), swarm=False, motifs=0, memory=(("storage", 2),), shared_writes=60)
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


@pytest.mark.parametrize(
    "body",
    [
        "A[0u] = lid;",
        "if (lid == 0u) { workgroupBarrier(); }",
        "loop { A[lid] = 1u; continue; }",
        "A[4u + lid] = 1u;",
        "x = W[4u + lid];",
    ],
    ids=["races", "diverges", "never ends", "writes out of bounds", "reads out of bounds"],
)
def test_what_may_end_in_another_way_is_given_to_no_device(body: str) -> None:
    assert expected_memory(shader(body), 0) is None


def test_without_storage_there_is_nothing_to_see() -> None:
    assert expected_memory(parse("@compute @workgroup_size(2) fn main() { workgroupBarrier(); }"), 0) is None


def test_the_memory_expected_is_that_of_the_semantics() -> None:
    expected = expected_memory(SWAP, 3)
    assert expected is not None
    a, b, *rest = expected.before["A"]
    assert expected.after["A"] == ((b + 1) % 2**32, (a + 1) % 2**32, *rest)
    assert not expected.needs_zeroed
    reads = expected_memory(shader("A[lid] = W[lid];"), 3)
    assert reads is not None
    assert reads.needs_zeroed


@given(st.integers(0, 10**9))
def test_a_shader_is_given_to_a_device_only_if_its_memory_is_certain(seed: int) -> None:
    drawn = draw_shader(seed, CALM)
    if expected_memory(drawn, seed) is not None:
        found = explore(drawn)
        assert (found.outcome, found.races, found.endless) == (Outcome.CONVERGES, (), None)
        for order in Order:
            assert execute(drawn, order=order, seed=seed).outcome is not Outcome.DIVERGES


@given(st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_differences_are_named_by_element(at: int, value: int) -> None:
    expected = Expected(SWAP, {"A": (1, 2, 3, 4)}, {"A": (1, 2, 3, 4)}, False)
    words = [1, 2, 3, 4]
    assert expected.differences({0: b"".join(w.to_bytes(4, "little") for w in words)}) == []
    same, words[at] = words[at] == value, value
    found = expected.differences({0: b"".join(w.to_bytes(4, "little") for w in words)})
    assert found == ([] if same else [f"A[{at}]: {value}, not {at + 1}"])
    assert len(expected.differences({})) == 4


def test_a_device_leaves_the_memory_of_the_semantics(device: Device) -> None:
    drawn = (expected_memory(draw_shader(seed, CALM), seed) for seed in range(100, 220))
    fit = [e for e in drawn if e is not None and (device.zeroes_workgroup_memory or not e.needs_zeroed)]
    assert sum(one.before != one.after for one in fit) > 10
    for one, result in zip(fit, device.run([one.dispatch for one in fit]), strict=True):
        assert not isinstance(result, Lost)
        assert one.differences(result) == [], one.dispatch.code


def test_what_a_device_refuses_is_said_and_the_next_is_run(device: Device) -> None:
    expected = expected_memory(SWAP, 3)
    assert expected is not None
    refused, done = device.run([Dispatch("fn main() { nothing }", {0: bytes(16)}), expected.dispatch])
    assert isinstance(refused, Lost)
    assert "nothing" in refused.reason or "error" in refused.reason.lower()
    assert not isinstance(done, Lost)
    assert len(storage_of(SWAP)) == len(done) == 1


def test_a_device_does_of_litmus_tests_what_the_weakest_model_allows(device: Device) -> None:
    fit = [test for test in (*BASE, variant(LITMUS["sso-wr"], 5)) if not misfit(device, test)]
    for test in fit:
        seen = histogram(device, test, 10)
        assert not seen.refused
        assert seen.outcomes.keys() <= allowance(test, "SSO").outcomes, test.name
    assert fit or not device.has_subgroups


@pytest.mark.usefixtures("device")
def test_check_compares_a_file_with_a_device() -> None:
    text = f"{HEAD}@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {{ A[lid] = 5u; }}"
    done = wgsl_fuzz("check", "-", "--oracle", "wgpu", stdin=text)
    assert (done.exit_code, "accepts" in done.stdout) == (0, True), done.output
    refused = wgsl_fuzz("check", "-", "--oracle", "wgpu", stdin=text.replace("A[lid]", "A[0u]"))
    assert "a run may diverge, race, not end, or leave the bounds of an array" in refused.stdout
