"""The steps of a module's witness, in words of its text."""

import re

import pytest

from wgsl_fuzz.fuzz.cases.case import drawn_case
from wgsl_fuzz.fuzz.present.divergence import effect, witness_lines
from wgsl_fuzz.oracle.dynamics.modules.execution import execute
from wgsl_fuzz.oracle.dynamics.steps import ModuleStep, head, steps_of_module
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.strategies.generate.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolve import resolve

SOME = {"tiny": (5, 6), "compute": (8, 11), "fragment": (12, 16), "subgroups": (26, 29), "all": (2, 4)}
"""Of each profile seeds that are quick, and some of which diverge."""


def steps_in(text: str) -> list[ModuleStep]:
    resolution = resolve(parse(text))
    done = execute(resolution, thorough=True)
    assert done.outcome is Outcome.DIVERGES
    return steps_of_module(resolution, done, text)


def told(text: str, thread: int) -> list[str]:
    return [f"{s.line}: {s.code} {effect(s)}".rstrip() for s in steps_in(text) if s.thread == thread]


@pytest.mark.parametrize("profile", MODULE_PROFILES)
@pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_steps_of_drawn_modules_stand_in_the_text(profile: str, many: bool) -> None:
    seen = 0
    for seed in range(30, 1000) if many else range(*SOME[profile]):
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
    ("type", "load", "texel"),
    [
        ("texture_2d<f32>", "textureLoad(t, vec2i(-1, 3), 2).y", "t[-1, 3, level 2].y"),
        ("texture_2d<f32>", "textureLoad(t, vec2u(40, 3), 0).x", "t[40, 3].x"),
        ("texture_1d<f32>", "textureLoad(t, 7, 0).w", "t[7].w"),
        ("texture_3d<f32>", "textureLoad(t, vec3(1, 2, 3), 1).x", "t[1, 2, 3, level 1].x"),
        ("texture_2d_array<f32>", "textureLoad(t, vec2(4, 5), 2, 0).x", "t[4, 5, 2].x"),
        ("texture_multisampled_2d<f32>", "textureLoad(t, vec2(4, 5), 3).z", "t[4, 5, sample 3].z"),
        ("texture_2d<f32>", "textureGather(0, t, s, vec2f()).x", "a sample of t.x"),
    ],
)
def test_a_texel_is_told_by_its_coordinates(type: str, load: str, texel: str) -> None:
    text = f"""@group(0) @binding(0) var t: {type};
@group(0) @binding(1) var s: sampler;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {{
  if {load} == 0.25 && lid == 0u {{ workgroupBarrier(); }}
}}
"""
    module = resolve(parse(text))
    assert f"  {texel} = 0.25" in execute(module, thorough=True).describe(text)


def test_threads_meet_at_the_barriers_behind_which_they_go_on() -> None:
    """In `break if i == 0u` they part: one waits at the second barrier, the other at the first one again."""
    body = "loop { workgroupBarrier(); continuing { break if i == 0u; } } workgroupBarrier();"
    steps = steps_in(f"@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {{ {body} }}")
    assert [(step.thread, step.code) for step in steps if step.meets] == [
        (0, "workgroupBarrier()"),
        (1, "workgroupBarrier()"),
    ]


def test_the_store_is_told_in_words_of_the_text() -> None:
    text = """@group(0) @binding(0) var<storage> s: array<vec2f>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if s[1].x == 2.5 && lid == 0u { workgroupBarrier(); }
}
"""
    module = resolve(parse(text))
    told = execute(module, thorough=True).describe(text)
    assert told[1:3] == ["store: zero, but for:", "  s[1].x = 2.5"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("if x { y(); }", "if x"),
        ("i++) { }", "i++"),
        ("x = 1u; y = 2u;", "x = 1u"),
        ("for (var i = 0u; i < f({1}); i++) {", "for (var i = 0u; i < f({1}); i++)"),
        ("let x = y // why", "let x = y"),
        ("break if x; }", "break if x"),
    ],
)
def test_the_head_of_a_statement(text: str, words: str) -> None:
    assert head(text, 0) == words
