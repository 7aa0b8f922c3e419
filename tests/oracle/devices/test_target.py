"""A device as a target: what it is given, what it answers, and what becomes of one that dies or goes on for ever."""

import re
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from tests.oracle.devices.fakes import DIES, FAITHFUL, MINUS, SLEEPS, PlayedDevice, lost, minus_is_plus, played
from tests.oracle.targets.watching import ask
from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.core import behaviour_faults
from wgsl_fuzz.oracle.devices.device import (
    MEMORIES,
    NO_CORE,
    NOT_ZEROED,
    NOTHING_SEEN,
    REJECTED,
    UNCERTAIN,
    DeviceTarget,
    Lost,
    is_device,
)
from wgsl_fuzz.oracle.devices.memory import STEPS, is_certain, memory_left, observed
from wgsl_fuzz.oracle.dynamics.exploration import explore
from wgsl_fuzz.oracle.dynamics.runs import run_to_the_end
from wgsl_fuzz.oracle.dynamics.stores import given
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.strategies import TINY, draw_shader
from wgsl_fuzz.wgsl.lower.raising import print_shader

A = "@group(0) @binding({}) var<storage, read_write> {}: array<u32, 4>;\n"
SMALLER = replace(TINY, statements=(3, 15))
HEAD = A.format(0, "A") + "var<workgroup> W: array<u32, 4>;\n"
MAIN = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32)"


def text(body: str, head: str = HEAD) -> str:
    return f"{head}{MAIN} {{ {body} }}"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("A[0u] = lid;", UNCERTAIN),  # a race
        ("var x: u32; loop { if (x == 1u) { break; } A[lid] = 1u; }", UNCERTAIN),
        ("var x: u32; A[4u + lid] = 1u;", UNCERTAIN),  # out of bounds
        ("var x: u32; x = W[4u + lid]; A[lid] = x;", UNCERTAIN),
        ("if (lid == 0u) { workgroupBarrier(); }", REJECTED),
        ("workgroupBarrier();", NOTHING_SEEN),
        ("A[lid] = sin(1.0);", NO_CORE),
    ],
)
def test_what_is_not_certain_is_not_run(body: str, why: str) -> None:
    device = PlayedDevice()
    assert ask(DeviceTarget("wgpu@played", "", device), text(body)) == [Answer(Verdict.UNSUPPORTED, why)]
    assert device.given == []


def test_a_divergence_that_the_rules_overlook_is_not_run_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.oracle.devices.device.paper_verdict", lambda _: Verdict.ACCEPTS)
    device = PlayedDevice()
    diverges = text("var x: u32; if (lid == 0u) { workgroupBarrier(); } A[lid] = 1u;")
    assert ask(DeviceTarget("wgpu@played", "", device), diverges) == [Answer(Verdict.UNSUPPORTED, UNCERTAIN)]
    assert device.given == []


def test_workgroup_memory_that_nobody_wrote_is_left_to_devices_that_zero_it() -> None:
    reads = text("A[lid] = W[lid] + 1u;")
    assert ask(DeviceTarget("wgpu@played", "", PlayedDevice(zeroes=False)), reads)[0].message == NOT_ZEROED
    assert ask(played(), reads) == [Answer(Verdict.ACCEPTS)]


@for_all(st.integers(0, 10**9))
def test_only_what_is_certain_comes_to_a_device_and_leaves_the_memory_of_the_semantics(seed: int) -> None:
    device = PlayedDevice()
    drawn = print_shader(draw_shader(seed, SMALLER))
    (answer,) = ask(DeviceTarget("wgpu@played", "", device), drawn)
    assert answer.verdict in (Verdict.ACCEPTS, Verdict.UNSUPPORTED)
    assert bool(device.given) is (answer.verdict is Verdict.ACCEPTS)
    for code in {one.code for one in device.given}:
        found = explore(parse(code))
        assert (found.outcome, found.races, found.endless) == (Outcome.CONVERGES, (), None)


def test_a_tenth_of_what_is_drawn_is_run() -> None:
    texts = [print_shader(draw_shader(seed, SMALLER)) for seed in range(100)]
    assert sum(answer.verdict is Verdict.ACCEPTS for answer in ask(played(), *texts)) >= 10


@for_all(st.integers(0, 10**9))
def test_observing_a_shader_changes_no_verdict_and_none_of_its_memory(seed: int) -> None:
    drawn = draw_shader(seed, SMALLER)
    seen = observed(drawn)
    if seen is None:
        assert not drawn.main.locals
        return
    shader, names = seen
    assert not list(behaviour_faults(parse(print_shader(shader))))
    assert analyse(shader).verdict is analyse(drawn).verdict
    assert len(names) == drawn.workgroup_size * len(drawn.main.locals) == shader.arrays[-1].size
    if (left := memory_left(drawn, 0)) is not None:
        σ = run_to_the_end(shader, given(shader, left.before), 2 * STEPS)
        assert σ is not None
        for name, values in left.after.items():
            assert tuple(σ.cells.get((name, i), left.before[name][i]) for i in range(len(values))) == values
        assert is_certain(shader) or not is_certain(drawn)


def test_variables_are_stored_before_each_return() -> None:
    drawn = parse(text("var x: u32; x = lid + 3u; if (lid == 0u) { return; } x = 9u;", ""))
    seen = observed(drawn)
    assert seen is not None
    left = memory_left(seen[0], 0)
    assert left is not None
    assert left.after == {"observed": (3, 9)}
    assert seen[1] == {"observed[0]": "`x` of thread 0", "observed[1]": "`x` of thread 1"}


def test_a_planted_fault_is_told_cell_by_cell() -> None:
    target = played(minus_is_plus)
    right, wrong, variable = ask(
        target, text("A[lid] = lid + 1u;"), text("A[lid] = lid - 3u;"), text("var x: u32; x = lid - 3u;", "")
    )
    assert right == Answer(Verdict.ACCEPTS)
    assert wrong.verdict is variable.verdict is Verdict.MISCOMPILES
    lines = wrong.message.splitlines()
    assert lines[0] == "a played device: 2 elements of storage not as the semantics leaves it"
    assert lines[2].startswith("  expected: A = 4294967293, 4294967294, ")
    assert lines[3].startswith("  on the device: A = 3, 4, ")
    assert lines[4:] == ["  A[0]: 3, not 4294967293", "  A[1]: 4, not 4294967294"]
    assert "  `x` of thread 1: 4, not 4294967294" in variable.message
    assert "    observed[(lid * 1u) + 0u] = x;" in variable.message.splitlines()


def test_arrays_are_found_by_their_bindings() -> None:
    head = A.format(3, "B") + A.format(1, "A")
    swapped = PlayedDevice(lambda _code, buffers: {3: buffers[3], 1: (7).to_bytes(4, "little") * 2 + buffers[1][8:]})
    target = DeviceTarget("wgpu@played", "", swapped)
    assert ask(target, text("A[lid] = 7u;", head)) == [Answer(Verdict.ACCEPTS)]
    assert {tuple(one.buffers) for one in swapped.given} == {(3, 1)}
    assert len(swapped.given) == len(MEMORIES)
    elsewhere = text("A[lid] = 7u;", head.replace("@group(0)", "@group(1)"))
    assert ask(target, elsewhere)[0].verdict is Verdict.UNSUPPORTED


def test_what_the_devices_compiler_refuses_is_no_finding() -> None:
    target = played(lambda _code, _buffers: Lost("no such thing"))
    assert ask(target, text("A[lid] = 1u;")) == [Answer(Verdict.UNSUPPORTED, "no such thing")]


@pytest.mark.parametrize("verdict", [Verdict.CRASHED, Verdict.TIMED_OUT])
def test_a_lost_device_is_no_miscompilation(verdict: Verdict) -> None:
    target = played(lost(verdict))
    first, second = ask(target, text("A[lid] = lid - 3u;"), text("A[lid] = 3u;"))
    assert (first.verdict, second.verdict) == (verdict, Verdict.ACCEPTS)


@pytest.mark.parametrize(
    ("spec", "verdict"),
    [
        (FAITHFUL, Verdict.ACCEPTS),
        (MINUS, Verdict.MISCOMPILES),
        pytest.param(DIES, Verdict.CRASHED, marks=pytest.mark.full),
        pytest.param(SLEEPS, Verdict.TIMED_OUT, marks=pytest.mark.full),
    ],
)
def test_a_function_is_a_device_in_a_process_of_its_own(spec: str, verdict: Verdict) -> None:
    with closing(open_target(spec, timeout=2.0)) as target:
        assert isinstance(target, DeviceTarget)
        assert (target.name, is_device(target.name)) == (spec, True)
        first, second = ask(target, text("A[lid] = lid - 3u;"), text("A[lid] = 3u;"))
        assert (first.verdict, second.verdict) == (verdict, Verdict.ACCEPTS)
        assert bool(target.restarted) is (verdict in (Verdict.CRASHED, Verdict.TIMED_OUT))


@pytest.mark.parametrize("spec", ["device:nowhere:f", "device:tests.oracle.devices.fakes:nothing", "device:one"])
def test_what_is_no_function_is_no_device(spec: str) -> None:
    with pytest.raises(TargetError, match=re.escape(spec)):
        open_target(spec)


def test_the_adapter_here_is_a_device_under_its_name() -> None:
    try:
        target = open_target("wgpu", timeout=60.0)
    except TargetError as error:
        pytest.skip(str(error))
    try:
        assert target.name.startswith("wgpu@")
        assert isinstance(target, DeviceTarget)
        shaders = [draw_shader(seed, SMALLER) for seed in range(12)]
        said = ask(target, *map(print_shader, shaders), text("A[lid] = lid - 3u;"))
        assert said[-1] == Answer(Verdict.ACCEPTS)
        assert {answer.verdict for answer in said} == {Verdict.ACCEPTS, Verdict.UNSUPPORTED}
    finally:
        target.close()


def test_an_adapter_of_another_name_is_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.oracle.devices.device.Device", lambda _: PlayedDevice())
    monkeypatch.setattr("wgsl_fuzz.oracle.devices.device.installed_wgpu", lambda: "PyPI wgpu 1.0")
    assert open_target("wgpu").name == open_target("wgpu@a-played-device").name == "wgpu@a-played-device"
    for spec in ("wgpu@another", "wgpu:path"):
        with pytest.raises(TargetError, match=f"{spec} is not here: the adapter of this machine is wgpu@a-played"):
            open_target(spec)
