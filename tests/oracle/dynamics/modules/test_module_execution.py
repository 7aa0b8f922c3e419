"""The outcomes of modules, against those of the shaders that they are, and against the reference."""

import re
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from wgsl_fuzz.fuzz.cases.case import Case, drawn_case, read_module
from wgsl_fuzz.fuzz.cases.pairs import load, load_applications, load_combinations
from wgsl_fuzz.fuzz.present.divergence import effect, endless_line, race_lines, witness_lines
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.dynamics.modules.execution import OF_CORES, Effort, Execution, execute, simplest
from wgsl_fuzz.oracle.dynamics.steps import ModuleStep, steps_of_module
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import SMALL_TINY, TINY, draw_shader
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.resolve import read, resolve

DECIDED = (Outcome.DIVERGES, Outcome.CONVERGES)


def executed(text: str, *, thorough: bool = False) -> Execution:
    return execute(read(text), thorough=thorough)


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(40, 2040), marks=pytest.mark.slow)])
def test_a_module_with_a_core_is_executed_by_it(seeds: range) -> None:
    """What exploring proves of the core, it proves of the module, with the same witness."""
    for seed in seeds:
        shader = draw_shader(seed, (SMALL_TINY, TINY)[seed % 2])
        of_core = explore(shader, bounds=OF_CORES.explored)
        of_module = executed(print_shader(shader), thorough=True)
        assert of_module.cannot is None
        if of_core.outcome in DECIDED:
            assert (of_module.outcome, of_module.witness) == (of_core.outcome, of_core.witness), seed


IN_WORDS = """var<workgroup> flag: u32;
fn f(x: u32) -> u32 {
  return x + flag;
}
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
  var x = 1u;
  {
    let x = f(id.x);
    while x > flag {
      workgroupBarrier();
      if x == 1u { break; }
    }
  }
  workgroupBarrier();
}
"""


def test_the_witness_of_a_core_is_told_in_words_of_the_text() -> None:
    """The core has other names where the text hides one, an array for each scalar, and `lid`."""
    case = read_module(IN_WORDS)
    lines = list(witness_lines(case, case.execute_placed()))
    assert lines[3:5] == [
        "thread 0 waits at the barrier on line 15",
        "thread 1 waits at the barrier on line 11, in round 1 of the loop on line 10",
    ]
    assert lines[5:8] == [
        "they part at line 10: while x > flag",
        "  thread 0: -> false (x = 0, flag = 0)",
        "  thread 1: -> true (x = 1, flag = 0)",
    ]
    assert "  thread 1  line 9: let x = f(id.x)  (id.x = 1)" in lines


LATE = """var<workgroup> counter: atomic<u32>;
@compute @workgroup_size(8) fn main() {
    let before = atomicMax(&counter, 4u);
    if (before == 1u) { workgroupBarrier(); }
}
"""
"""It diverges, and exploring ends at its bound before it sees that."""


def rejected_modules(count: int) -> Iterator[Case]:
    """Modules of each profile that the reference rejects, of so many drawn."""
    for profile in MODULE_PROFILES.values():
        drawn = (drawn_case(resolve(draw_module(seed, profile))) for seed in range(count))
        yield from (case for case in drawn if case.verdict is Verdict.REJECTS)


def test_runs_before_exploring_change_no_outcome() -> None:
    outcomes = set()
    for case in rejected_modules(4):
        usual, other = (execute(case.resolution, thorough=True, any_witness=any_) for any_ in (False, True))
        assert (other.outcome, other.cannot) == (usual.outcome, usual.cannot)
        outcomes.add(usual.outcome)
    assert len(outcomes) > 1


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.full) for part in (12, 24, 36))])
def test_an_execution_is_that_of_the_printed_text(monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    moved = 0
    for pair in [pair for pair in load() if pair.refusal is Verdict.REJECTS][part::48]:
        case = drawn_case(read(pair.rejected))
        if case.execute().witness is None:
            continue
        with monkeypatch.context() as patch:
            again = "wgsl_fuzz.fuzz.cases.case.execute"
            patch.setattr(again, lambda *_, **__: pytest.fail("a witness was looked for again"))
            placed = case.execute_placed()
        resolution = case.placed.resolution
        assert placed == simplest(execute(resolution, thorough=True), resolution)
        moved += 1
    assert moved > 3


def test_an_execution_of_another_module_is_not_moved() -> None:
    other = read(LATE.replace("== 1u", "== 7u"))
    done = executed(LATE, thorough=True)
    assert simplest(done, read(LATE)) is not None
    assert simplest(done, other) is None


ACCEPTED = [
    *((pair.name, pair.accepted) for pair in load()),
    *((c.name, c.text) for c in load_combinations() if c.verdict is Verdict.ACCEPTS),
    *load_applications().items(),
]


FIRST_OF_8 = [pytest.param(0), *(pytest.param(i, marks=pytest.mark.full) for i in range(1, 8))]
"""One part everywhere, the others where there is time."""


@pytest.mark.parametrize("part", FIRST_OF_8)
def test_what_the_reference_accepts_does_not_diverge(part: int) -> None:
    diverging = []
    for name, text in ACCEPTED[part::8]:
        case = read_module(text)
        if case.verdict is Verdict.ACCEPTS and execute(case.resolution).outcome is Outcome.DIVERGES:
            diverging.append(name)
    assert diverging == []


def test_most_of_what_the_reference_rejects_diverges() -> None:
    rejected = [p.rejected for p in load() if p.refusal is Verdict.REJECTS and p.file != "proposals"]
    found = [executed(text).outcome for text in rejected[::5]]
    assert sum(outcome is Outcome.DIVERGES for outcome in found) > len(found) // 2


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 2000), marks=pytest.mark.slow)])
def test_drawn_modules_are_executed_as_their_texts_are(seeds: range) -> None:
    for profile in MODULE_PROFILES.values():
        for seed in seeds:
            drawn = drawn_case(resolve(draw_module(seed, profile)), seed)
            done, again = execute(drawn.resolution, seed=seed), execute(drawn.placed.resolution, seed=seed)
            assert done == again
            if done.lowered is not None and again.lowered is not None:
                assert done.lowered.in_text.meetings == again.lowered.in_text.meetings


RACES = """var<workgroup> flag: u32;
var<workgroup> A: array<u32, 8>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  {
    let A = lid;
    flag = A;
  }
  A[0] = lid;
  A[1] = lid;
  workgroupBarrier();
  loop {
    if lid == 1u { break; }
    if lid == 7u { break; }
  }
  workgroupBarrier();
}
"""


def test_exploring_tells_of_races_and_of_runs_that_never_end() -> None:
    resolution = read(RACES)
    done = execute(resolution, thorough=True, effort=Effort(explored=Bounds()))
    assert done.exploration is not None
    assert done.outcome is Outcome.CONVERGES
    assert [line.partition("on ")[2] for line in race_lines(done.exploration.races)] == [
        "A[0], and 1 more like it on 2 cells of A",
        "flag",
        "",
    ]
    assert done.exploration.endless is not None
    assert "line 16 while thread 0 goes round the loop on line 12" in endless_line(
        done.exploration.endless, done.lines(RACES)
    )


def test_what_exploring_leaves_open_is_kept() -> None:
    """All runs of a larger workgroup are tried where bounds are given; else only a few of its threads are explored."""
    text = RACES.replace("workgroup_size(2)", "workgroup_size(16)")
    bounds = Bounds(steps=20)
    done = execute(read(text), thorough=True, effort=Effort(runs=1, explored=bounds))
    assert done.exploration is not None
    assert done.exploration.gaps == ("20 steps were not enough",)
    assert not done.is_explored


ABOVE = """enable subgroups;
@group(0) @binding(0) var<storage, read_write> sb: array<u32, 8>;
@group(0) @binding(1) var tex: texture_2d<f32>;
@group(0) @binding(2) var smp: sampler;
@group(0) @binding(3) var<uniform> un: u32;
var<workgroup> w: array<u32, 4>;
"""
FRAGMENT = "@fragment fn main(@location(0) v: f32, @location(1) @interpolate(flat) k: u32) {\n%s\n}\n"
COMPUTE = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {\n%s\n}\n"


FOUR = (
    "enable subgroups;\n@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lid: u32,\n"
    "  @builtin(subgroup_id) group: u32, @builtin(subgroup_invocation_id) lane: u32) {\n%s\n}\n"
)
TEXELS = (
    "@group(0) @binding(0) var texels: texel_buffer<r32uint, read_write>;"
    "@group(0) @binding(1) var fixed: texel_buffer<rgba8unorm, read>;"
    "fn first(t: texel_buffer<r32uint, read_write>) -> u32 { return textureLoad(t, 0u).x; }"
)


def of(frame: str, body: str, subgroup_size: int = 0) -> Execution:
    return execute(read(frame % body), thorough=True, subgroup_size=subgroup_size)


of_fragment, of_compute, of_four = partial(of, ABOVE + FRAGMENT), partial(of, ABOVE + COMPUTE), partial(of, FOUR)
of_pairs, of_texels = partial(of_four, subgroup_size=2), partial(of, TEXELS + COMPUTE)
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
    (of_fragment, "discard; sb[0] = k; let x = sb[0]; if x != sb[1] && un == 0u { _ = dpdx(v); }", False),
    (of_fragment, "sb[0] = k; let x = sb[0]; if x != sb[1] && un == 0u { _ = dpdx(v); }", True),
    (of_compute, "_ = workgroupUniformLoad(&w[lid]);", True),
    (of_compute, "_ = workgroupUniformLoad(&w[un]);", False),
    (of_compute, "if lid == 0u { _ = subgroupElect(); }", True),
    (of_compute, "if subgroupElect() { workgroupBarrier(); }", True),
    (of_compute, "if subgroupAll(lid < 4u) { workgroupBarrier(); }", False),
    (of_compute, "_ = subgroupShuffleUp(1u, lid);", True),
    (of_compute, "_ = subgroupShuffleUp(lid, 1u);", False),
    (of_compute, "if subgroupShuffle(lid, 1u) == 1u { workgroupBarrier(); }", False),
    (of_compute, "if subgroupExclusiveAdd(1u) == 1u { workgroupBarrier(); }", True),
    (of_texels, "if first(texels) == 1u { workgroupBarrier(); } textureStore(texels, 0u, vec4u(1u));", True),
    (of_texels, "if first(texels) == 1u { workgroupBarrier(); } textureStore(texels, 1u, vec4u(1u));", False),
    (of_texels, "let t = fixed; if textureLoad(t, 1i).w == 0.5 { workgroupBarrier(); }", False),
    (of_texels, "if textureLoad(fixed, lid).w == 0.5 { workgroupBarrier(); }", True),
    (of_texels, "if textureDimensions(texels) == 1u { workgroupBarrier(); }", False),
    (of_texels, "if textureDimensions(texels) == lid { workgroupBarrier(); }", True),
    (of_compute, "if lid == 0u { print(lid, sb[0]); } workgroupBarrier();", False),
    (of_compute, "if lid == 0u { print(subgroupAdd(1u)); }", True),
    (of_pairs, "if group == 0u { _ = subgroupAdd(1u); }", False),
    (of_pairs, "if group == 0u { workgroupBarrier(); }", True),
    (of_pairs, "if group == 0u { _ = subgroupAdd(1u); _ = subgroupAdd(2u); } workgroupBarrier();", False),
    (of_pairs, "if group == 0u { _ = subgroupAdd(1u); } else { workgroupBarrier(); }", True),
    (of_pairs, "if lane == 0u { _ = subgroupAdd(1u); }", True),
    (of_pairs, "if subgroupAdd(1u) == 2u { workgroupBarrier(); }", False),
    (of_pairs, "if subgroupAdd(lid) == 1u { workgroupBarrier(); }", True),
    (of_pairs, "if subgroupAdd(1u) == 0u { _ = subgroupAny(true); } _ = subgroupAdd(vec2u());", False),
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
"""Derivatives need the whole quad, whose helpers write nothing; subgroup operations the whole subgroup; last, two
subgroups of two threads. Of texels, those of texel buffers are shared memory.
"""


@pytest.mark.parametrize(("of", "body", "diverges"), DIVERGES, ids=[row[1] for row in DIVERGES])
def test_operations_need_all_that_they_are_of(of: Callable[[str], Execution], body: str, diverges: bool) -> None:
    found = of(body)
    assert found.cannot is None
    assert (found.outcome is Outcome.DIVERGES) is diverges


@pytest.mark.parametrize("body", [body for of, body, diverges in DIVERGES if of is of_pairs and diverges])
def test_the_steps_of_two_subgroups_end_where_their_threads_part(body: str) -> None:
    resolution = read(FOUR % body)
    found = execute(resolution, thorough=True, subgroup_size=2)
    steps = steps_of_module(resolution, found, FOUR % body)
    assert found.witness is not None
    assert {step.thread for step in steps} == {stop.thread for stop in found.witness.stops}


def test_a_workgroup_has_several_subgroups_where_no_operation_needs_them() -> None:
    text = "enable subgroups;\n@compute @workgroup_size(8) fn main(@builtin(subgroup_id) id: u32) {\n%s\n}"
    assert execute(read(text % "if id == 0u { workgroupBarrier(); }")).outcome is Outcome.DIVERGES
    accepted = text % "if id == 0u { _ = subgroupAdd(1u); }"
    assert execute(read(accepted)).outcome is not Outcome.DIVERGES


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
    found = execute(read(text.replace("workgroup_size(4)", "workgroup_size(3)")), subgroup_size=2)
    assert (found.outcome, found.cannot) == (Outcome.NOT_SEEN, None)


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("if lid == 0u { workgroupBarrier(); }", "waits at the barrier"),
        ("if lid == 0u { storageBarrier(); }", "waits at the `storageBarrier`"),
        ("if lid == 0u { _ = subgroupAdd(1u); }", "is at the subgroup operation `subgroupAdd`"),
        ("if lid == 0u { _ = quadSwapX(1u); }", "is at the quad operation `quadSwapX`"),
        ("if lid == 0u { _ = workgroupUniformLoad(&w); }", "waits at the `workgroupUniformLoad`"),
        ("if k == 3u { _ = dpdx(v); }", "is at the derivative `dpdx`"),
        ("if k == 3u { _ = textureSample(tex, smp, vec2f(v)); }", "is at the texture sample `textureSample`"),
    ],
)
def test_a_witness_says_what_threads_meet_at(body: str, place: str) -> None:
    text = ABOVE + (COMPUTE if "lid" in body else FRAGMENT) % body
    assert f"{place} on line 8" in " ".join(execute(read(text), thorough=True).describe(text))


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


def test_the_worst_entry_point_counts() -> None:
    text = (COMPUTE % "workgroupBarrier();").replace("main", "good") + COMPUTE % "if lid == 0u { workgroupBarrier(); }"
    found = execute(read(text))
    assert (found.outcome, found.entry) == (Outcome.DIVERGES, "main")


def test_what_cannot_be_run_is_said_by_name() -> None:
    found = of_compute("var a: array<u32, 1000>; a[lid] = 1u; if lid == 0u { workgroupBarrier(); }")
    assert (found.outcome, found.cannot) == (Outcome.NOT_SEEN, "a value of more than 256 scalars")


# ---------------------------------------------------------------- The steps of a module's witness, in words of its text


def steps_in(text: str) -> list[ModuleStep]:
    resolution = read(text)
    done = execute(resolution, thorough=True)
    assert done.outcome is Outcome.DIVERGES
    return steps_of_module(resolution, done, text)


def told(text: str, thread: int) -> list[str]:
    return [f"{s.line}: {s.code} {effect(s)}".rstrip() for s in steps_in(text) if s.thread == thread]


@pytest.mark.parametrize("profile", MODULE_PROFILES)
@pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_steps_of_drawn_modules_stand_in_the_text(profile: str, many: bool) -> None:
    seen = 0
    for seed in range(30, 2500):
        if seen and not many:
            break
        module = drawn_case(resolve(draw_module(seed, MODULE_PROFILES[profile])), seed).placed
        done = module.execute()
        if done.witness is None:
            continue
        seen += 1
        steps = steps_of_module(module.resolution, done, module.text)
        lines = module.text.splitlines()
        assert all(step.code and step.code in lines[step.line - 1] for step in steps)
        threads = {stop.thread for stop in done.witness.stops}
        assert {step.thread for step in steps} <= threads
        assert {step.thread for step in steps if step.parts} in (threads, set())
        meets = [step.place for step in steps if step.meets]
        assert all(meets.count(place) == 2 for place in meets), "one thread met nobody"
        assert len({step.line for step in steps if step.parts}) <= 1
        assert all(f"line {step.line}: " in "".join(witness_lines(module, done)) for step in steps[-3:])
        words = "".join([*done.describe(module.text), *map(effect, steps)])
        assert re.search(r"[a-z_]\.\d", words) is None, "a name of lowering"
    assert seen > (50 if many else 0)


def test_steps_are_statements_of_the_text_with_their_values() -> None:
    text = """struct S { a: vec2f, n: array<u32, 2> }
var<workgroup> w: S;
fn f(p: ptr<function, u32>, k: u32) -> u32 {
  *p += k;
  return *p;
}
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
  var x = 3u;
  let y = f(&x, id.x) + 1u;
  for (var i = 0u; i < 1u; i++) {
    w.a.y = 0.5;
    w.n[id.x] = i;
  }
  if y == 4u && w.a.y == 0.5 { workgroupBarrier(); }
}
"""
    first = told(text, 0)
    assert first == [
        "9: var x = 3u -> x = 3",
        "10: let y = f(&x, id.x) + 1u (id.x = 0)",
        "4: *p += k -> x = 3 (x = 3, k = 0)",
        "5: return *p (x = 3)",
        "10: let y = f(&x, id.x) + 1u -> y = 4",
        "11: var i = 0u -> i = 0",
        "11: for (var i = 0u; i < 1u; i++) -> true (i = 0)",
        "12: w.a.y = 0.5 -> w.a.y = 0.5",
        "13: w.n[id.x] = i -> w.n[0] = 0 (id.x = 0, i = 0)",
        "11: i++ -> i = 1 (i = 0)",
        "11: for (var i = 0u; i < 1u; i++) -> false (i = 1)",
        "15: if y == 4u && w.a.y == 0.5 -> true (y = 4, w.a.y = 0.5)",
    ]
    assert told(text, 1)[-1] == "15: if y == 4u && w.a.y == 0.5 -> false (y = 5, w.a.y = 0.5)"
    parted = [step for step in steps_in(text) if step.parts]
    assert [step.line for step in parted] == [15, 15]


@pytest.mark.parametrize(
    ("variable", "load", "told"),
    [
        ("<storage> t: array<vec2f>", "t[1].x", "t[1].x"),
        (" t: texture_2d<f32>", "textureLoad(t, vec2i(-1, 3), 2).y", "t[-1, 3, level 2].y"),
        (" t: texture_2d<f32>", "textureLoad(t, vec2u(40, 3), 0).x", "t[40, 3].x"),
        (" t: texture_1d<f32>", "textureLoad(t, 7, 0).w", "t[7].w"),
        (" t: texture_3d<f32>", "textureLoad(t, vec3(1, 2, 3), 1).x", "t[1, 2, 3, level 1].x"),
        (" t: texture_2d_array<f32>", "textureLoad(t, vec2(4, 5), 2, 0).x", "t[4, 5, 2].x"),
        (" t: texture_multisampled_2d<f32>", "textureLoad(t, vec2(4, 5), 3).z", "t[4, 5, sample 3].z"),
        (" t: texture_2d<f32>", "textureGather(0, t, s, vec2f()).x", "a sample of t.x"),
    ],
)
def test_the_store_is_told_in_words_of_the_text(variable: str, load: str, told: str) -> None:
    text = f"""@group(0) @binding(0) var{variable};
@group(0) @binding(1) var s: sampler;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {{
  if {load} == 0.25 && lid == 0u {{ workgroupBarrier(); }}
}}
"""
    module = read(text)
    words = execute(module, thorough=True).describe(text)
    assert f"  {told} = 0.25" in words[words.index("store: zero, but for:") :]


def test_threads_meet_at_the_barriers_behind_which_they_go_on() -> None:
    """In `break if i == 0u` they part: one waits at the second barrier, the other at the first one again."""
    body = "loop { workgroupBarrier(); continuing { break if i == 0u; } } workgroupBarrier();"
    steps = steps_in(f"@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {{ {body} }}")
    assert [(step.thread, step.code) for step in steps if step.meets] == [
        (0, "workgroupBarrier()"),
        (1, "workgroupBarrier()"),
    ]


SIZED = [
    ("@compute @workgroup_size(1024, 1024, 1024) fn main() {}", "more than 256 threads"),
    ("@compute @workgroup_size(65536, 65536, 65536) fn main() {}", "more than 256 threads"),
    ("@compute @workgroup_size(4294967295) fn main() {}", "more than 256 threads"),
    ("var<private> x = 1.5; @compute @workgroup_size(64, 64, 64) fn main() { x = 2; }", "more than 256 threads"),
    ("@compute @workgroup_size(257) fn main() {}", "more than 256 threads"),
    ("override n = 0; @compute @workgroup_size(n) fn main() {}", "a size that is no positive integer"),
    ("override n: u32; @compute @workgroup_size(1, n - n) fn main() {}", "a size that is no positive integer"),
    ("@compute @workgroup_size(min(0, 1)) fn main() {}", "a size that is no positive integer"),
]


@pytest.mark.parametrize(("text", "why"), SIZED)
def test_what_has_too_many_threads_or_no_size_is_not_run(text: str, why: str) -> None:
    for thorough in (False, True):
        found = executed(text, thorough=thorough)
        assert (found.outcome, found.steps) == (Outcome.NOT_SEEN, 0)
        assert (found.cannot or "").startswith(why)


def test_a_large_workgroup_is_run_by_as_many_threads_as_asked_for() -> None:
    for text, why in SIZED[:5]:
        assert why == "more than 256 threads"
        assert execute(read(text), thorough=True, effort=Effort(threads=4)).outcome is Outcome.CONVERGES
    assert executed("@compute @workgroup_size(256) fn main() {}").cannot is None
