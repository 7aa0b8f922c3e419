"""Fragment shaders, subgroups, filters, several entry points, and what cannot be run."""

from collections.abc import Callable

import pytest

from wgsl_fuzz.oracle.dynamics.modules.execution import Execution, execute
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolve import resolve

ABOVE = """enable subgroups;
@group(0) @binding(0) var<storage, read_write> sb: array<u32, 8>;
@group(0) @binding(1) var tex: texture_2d<f32>;
@group(0) @binding(2) var smp: sampler;
@group(0) @binding(3) var<uniform> un: u32;
"""
FRAGMENT = "@fragment fn main(@location(0) v: f32, @location(1) @interpolate(flat) k: u32) {\n%s\n}\n"
COMPUTE = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {\n%s\n}\n"


def of_fragment(body: str) -> Execution:
    return execute(resolve(parse(ABOVE + FRAGMENT % body)), thorough=True)


def of_compute(body: str) -> Execution:
    return execute(resolve(parse(ABOVE + COMPUTE % body)), thorough=True)


FOUR = (
    "enable subgroups;\n@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lid: u32,\n"
    "  @builtin(subgroup_id) group: u32, @builtin(subgroup_invocation_id) lane: u32) {\n%s\n}\n"
)


def of_four(body: str, subgroup_size: int = 0) -> Execution:
    return execute(resolve(parse(FOUR % body)), thorough=True, subgroup_size=subgroup_size)


def of_pairs(body: str) -> Execution:
    return of_four(body, 2)


DIVERGES = [
    (of_fragment, "_ = dpdx(v);", False),
    (of_fragment, "if k == 3u { _ = dpdx(v); }", True),
    (of_fragment, "if un == 3u { _ = dpdx(v); }", False),
    (of_fragment, "if v > 0.5 { return; } _ = fwidth(v);", True),
    (of_fragment, "if v > 0.5 { discard; } _ = fwidth(v);", False),
    (of_fragment, "if k == 3u { _ = textureSample(tex, smp, vec2f(v)); }", True),
    (of_fragment, "if k == 3u { _ = textureSampleLevel(tex, smp, vec2f(v), 0); }", False),
    (of_fragment, "@diagnostic(off, derivative_uniformity) if k == 3u { _ = dpdx(v); }", False),
    (of_fragment, "@diagnostic(warning, subgroup_uniformity) if k == 3u { _ = dpdx(v); }", True),
    (of_fragment, "if k == 3u { _ = subgroupAdd(k); }", True),
    (of_fragment, "if subgroupAny(k == 3u) { _ = subgroupAdd(k); }", False),
    (of_fragment, "if dpdx(v) > 0.5 { _ = dpdy(v); }", True),
    (of_fragment, "let x = textureLoad(tex, vec2u(un), 0).x; if x > 0.5 { _ = dpdx(v); }", False),
    (of_fragment, "let x = textureLoad(tex, vec2u(k), 0).x; if x > 0.5 { _ = dpdx(v); }", True),
    (of_compute, "if lid == 0u { _ = subgroupElect(); }", True),
    (of_compute, "if subgroupElect() { workgroupBarrier(); }", True),
    (of_compute, "if subgroupAll(lid < 4u) { workgroupBarrier(); }", False),
    (of_compute, "_ = subgroupShuffleUp(1u, lid);", True),
    (of_compute, "_ = subgroupShuffleUp(lid, 1u);", False),
    (of_compute, "if subgroupShuffle(lid, 1u) == 1u { workgroupBarrier(); }", False),
    (of_compute, "if subgroupExclusiveAdd(1u) == 1u { workgroupBarrier(); }", True),
    (of_pairs, "if group == 0u { _ = subgroupAdd(1u); }", False),
    (of_pairs, "if group == 0u { workgroupBarrier(); }", True),
    (of_pairs, "if group == 0u { _ = subgroupAdd(1u); _ = subgroupAdd(2u); } workgroupBarrier();", False),
    (of_pairs, "if group == 0u { _ = subgroupAdd(1u); } else { workgroupBarrier(); }", True),
    (of_pairs, "if lane == 0u { _ = subgroupAdd(1u); }", True),
    (of_pairs, "if subgroupAdd(1u) == 2u { workgroupBarrier(); }", False),
    (of_pairs, "if subgroupAdd(lid) == 1u { workgroupBarrier(); }", True),
    (of_pairs, "if subgroupMax(lid) == 1u { _ = subgroupAny(true); }", False),
    (of_pairs, "if subgroupBroadcastFirst(lid) == group * 2u { workgroupBarrier(); }", False),
    (of_pairs, "if subgroupShuffleXor(lid, 1u) == (lid ^ 1u) { workgroupBarrier(); }", False),
    (of_pairs, "if subgroupShuffle(lid, 1u) == group * 2u + 1u { workgroupBarrier(); }", False),
    (of_pairs, "if subgroupInclusiveAdd(1u) == lane + 1u { workgroupBarrier(); }", False),
    (of_pairs, "if all(subgroupBallot(true) == vec4u(3u, 0, 0, 0)) { workgroupBarrier(); }", False),
    (of_pairs, "if subgroupElect() == (lane == 0u) { workgroupBarrier(); }", False),
    (of_pairs, "loop { _ = subgroupAll(true); if group == 0u { break; } }", False),
    (of_pairs, "for (var i = 0u; i < group + 1u; i++) { _ = subgroupAll(true); } workgroupBarrier();", False),
    (of_pairs, "for (var i = 0u; i < lane + 1u; i++) { _ = subgroupAll(true); } workgroupBarrier();", True),
]
"""Derivatives need the whole quad, subgroup operations the whole subgroup; last, two subgroups of two threads."""


@pytest.mark.parametrize(("of", "body", "diverges"), DIVERGES, ids=[row[1] for row in DIVERGES])
def test_operations_need_all_that_they_are_of(of: Callable[[str], Execution], body: str, diverges: bool) -> None:
    found = of(body)
    assert found.cannot is None
    assert (found.outcome is Outcome.DIVERGES) is diverges


def test_a_helper_writes_nothing() -> None:
    body = "discard; sb[0] = k; let x = sb[0]; if x != sb[1] && un == 0u { _ = dpdx(v); }"
    assert of_fragment(body).outcome is not Outcome.DIVERGES
    assert of_fragment(body.replace("discard;", "")).outcome is Outcome.DIVERGES


def test_a_workgroup_has_several_subgroups_where_no_operation_needs_them() -> None:
    text = "enable subgroups;\n@compute @workgroup_size(8) fn main(@builtin(subgroup_id) id: u32) {\n%s\n}"
    assert execute(resolve(parse(text % "if id == 0u { workgroupBarrier(); }"))).outcome is Outcome.DIVERGES
    accepted = text % "if id == 0u { _ = subgroupAdd(1u); }"
    assert execute(resolve(parse(accepted))).outcome is not Outcome.DIVERGES


def test_several_subgroups_are_tried_where_they_can_matter() -> None:
    found = of_four("if subgroupMin(lid) == 0u { workgroupBarrier(); }")
    assert (found.outcome, found.subgroup_size) == (Outcome.DIVERGES, 2)
    assert found.describe(FOUR)[0] == "4 threads, in subgroups of 2"
    assert of_four("if subgroupMin(lid) == 0u { workgroupBarrier(); }", 4).outcome is Outcome.CONVERGES
    assert of_four("_ = subgroupMin(lid);").outcome is Outcome.CONVERGES
    quads = of_four("if quadSwapX(1u) == 1u { workgroupBarrier(); }", 2)
    assert quads.cannot == "a quad operation in subgroups of less than a quad"


def test_a_subgroup_that_is_not_full() -> None:
    text = FOUR % "if subgroupAdd(1u) == 2u - group && subgroupAny(lane == 1u) != (group == 1u) { workgroupBarrier(); }"
    found = execute(resolve(parse(text.replace("workgroup_size(4)", "workgroup_size(3)"))), subgroup_size=2)
    assert (found.outcome, found.cannot) == (Outcome.NOT_SEEN, None)


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("if lid == 0u { workgroupBarrier(); }", "the barrier on line"),
        ("if lid == 0u { storageBarrier(); }", "the `storageBarrier` on line"),
        ("if lid == 0u { _ = subgroupAdd(1u); }", "the subgroup operation `subgroupAdd` on line"),
        ("if lid == 0u { _ = quadSwapX(1u); }", "the quad operation `quadSwapX` on line"),
        ("if lid == 0u { _ = workgroupUniformLoad(&w); }", "the `workgroupUniformLoad` on line"),
    ],
)
def test_a_witness_says_what_threads_meet_at(body: str, name: str) -> None:
    text = "enable subgroups;\nvar<workgroup> w: u32;\n" + COMPUTE % body
    found = execute(resolve(parse(text)))
    assert f"thread 0 waits at {name} 4" in found.describe(text)


@pytest.mark.parametrize(
    ("call", "name"),
    [("dpdx(v)", "derivative `dpdx`"), ("textureSample(tex, smp, vec2f(v))", "texture sample `textureSample`")],
)
def test_so_does_one_of_a_fragment_shader(call: str, name: str) -> None:
    text = ABOVE + FRAGMENT % f"if k == 3u {{ _ = {call}; }}"
    assert f"waits at the {name} on line 7" in " ".join(execute(resolve(parse(text)), thorough=True).describe(text))


def test_a_call_under_a_filter_is_no_place_to_meet() -> None:
    filtered = "@diagnostic(off, subgroup_uniformity) {{ if lid == 0u {{ x = subgroup{}; }} }}"
    idle = of_compute("var x = 0u; " + filtered.format("Add(1u)") + "sb[0] = x; if lid == 0u { workgroupBarrier(); }")
    assert (idle.outcome, idle.cannot) == (Outcome.DIVERGES, None)
    matters = of_compute("var x = 0u; " + filtered.format("Add(1u)") + "if x == 2u { workgroupBarrier(); }")
    assert matters.outcome is Outcome.NOT_SEEN
    assert "filter" in (matters.cannot or "")
    uniform = (
        "@diagnostic(off, subgroup_uniformity) { x = subgroupBroadcastFirst(lid); } if x == 0u { workgroupBarrier(); }"
    )
    assert of_compute("var x = 0u; " + uniform).outcome is Outcome.CONVERGES


def test_a_uniform_load_needs_one_pointer() -> None:
    above = "var<workgroup> w: array<u32, 4>;\n"
    text = above + ABOVE.replace("enable subgroups;\n", "") + COMPUTE
    assert execute(resolve(parse(text % "_ = workgroupUniformLoad(&w[lid]);"))).outcome is Outcome.DIVERGES
    assert execute(resolve(parse(text % "_ = workgroupUniformLoad(&w[un]);"))).outcome is not Outcome.DIVERGES


def test_the_worst_entry_point_counts() -> None:
    text = (COMPUTE % "workgroupBarrier();").replace("main", "good") + COMPUTE % "if lid == 0u { workgroupBarrier(); }"
    found = execute(resolve(parse(text)))
    assert (found.outcome, found.entry) == (Outcome.DIVERGES, "main")


def test_what_cannot_be_run_is_said_by_name() -> None:
    found = of_compute("var a: array<u32, 1000>; a[lid] = 1u; if lid == 0u { workgroupBarrier(); }")
    assert (found.outcome, found.cannot) == (Outcome.NOT_SEEN, "a value of more than 256 scalars")


def test_outcomes_depend_on_the_seed_alone() -> None:
    resolution = resolve(parse(ABOVE + FRAGMENT % "if k == 3u { _ = dpdx(v); }"))
    assert execute(resolution, seed=3) == execute(resolution, seed=3)
