"""What modules do, held against what they are known to leave in memory."""

import tomllib
from pathlib import Path

import pytest

from tests.oracle.dynamics.modules.final_memory import left_in_out, text_of
from tests.oracle.dynamics.test_fast_path import hold_against_the_rules
from tests.strategies.spelled import spelled
from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.dynamics.modules.execution import execute
from wgsl_fuzz.oracle.dynamics.modules.lowering import lower_module
from wgsl_fuzz.oracle.dynamics.modules.output import MOST_SCALARS
from wgsl_fuzz.oracle.dynamics.modules.types import CannotRun
from wgsl_fuzz.oracle.dynamics.runs import replay, sample
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import SMALL_TINY, draw_shader
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.relations import RELATIONS, Implication, applied
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import read, resolve

STORE = "fn store(p: ptr<function, u32>, v: u32) -> u32 { let old = *p; *p = v; return old; }"
PAIR = "struct Pair { a: u32, b: vec2u } struct Nest { p: array<Pair, 2>, c: u32 }"

ROWS = tomllib.loads(Path(__file__).with_name("left_in_memory.toml").read_text(encoding="utf-8"))["rows"]


@pytest.mark.parametrize(("above", "body", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_module_leaves_what_it_should(above: str, body: str, expected: list[int]) -> None:
    text = text_of(body, above.replace("STORE", STORE).replace("PAIR", PAIR))
    assert left_in_out(text, len(expected)) == expected


def test_each_thread_has_its_own_arrays() -> None:
    body = "var a: array<u32, 40>; a[lid + 3u] = lid + 1u; workgroupBarrier(); out[lid] = a[3] + 10u * a[4];"
    assert left_in_out(text_of(body), 2, threads=2) == [1, 20]


def test_atomics_count_every_thread() -> None:
    above = "var<workgroup> n: atomic<u32>;"
    body = "let x = atomicAdd(&n, 1u); out[x] = lid + 1u; let m = workgroupUniformLoad(&n); out[lid + 4u] = m;"
    assert sorted(left_in_out(text_of(body, above), 4, threads=4)) == [1, 2, 3, 4]
    assert left_in_out(text_of(body, above), 8, threads=4)[4:] == [4] * 4


def test_local_ids_of_a_workgroup_of_three_dimensions() -> None:
    body = "let i = id.x + 10u * id.y + 100u * id.z; out[index] = i;"
    text = text_of(body).replace("lid: u32", "index: u32, @builtin(local_invocation_id) id: vec3u")
    text = text.replace("workgroup_size(2)", "workgroup_size(2, 3, 2)")
    expected = [x + 10 * y + 100 * z for z in range(2) for y in range(3) for x in range(2)]
    assert left_in_out(text, 12, threads=12) == expected


def test_subgroups_exchange_values() -> None:
    body = (
        "out[lid] = subgroupAdd(lid + 1u); out[4u + lid] = subgroupExclusiveAdd(lid + 1u);"
        "out[8u + lid] = subgroupShuffleXor(lid, 1u); out[12u + lid] = subgroupBroadcast(lid, 2u);"
    )
    found = left_in_out("enable subgroups;\n" + text_of(body), 16, threads=4)
    assert found == [10] * 4 + [0, 1, 3, 6] + [1, 0, 3, 2] + [2] * 4


ILL_TYPED = """
vec3u(1u) * vec2u(1u) | select(vec2u(1u), vec3u(2u), true) | mat2x2f() * mat3x3f() | vec2u(1u) < vec3u(1u) | ~1.5
min(1) | dot(1.0) | clamp(1) | abs() | exp(true) | countOneBits(1.5) | frexp() | transpose(1) | bitcast<u32>()
cross(vec2f(), vec2f()) | vec2u(1u, 2u).z | vec2u(1u, 2u).xyz | subgroupAdd() | subgroupShuffle(1u)
"""


@pytest.mark.parametrize("value", [one.strip() for line in ILL_TYPED.strip().splitlines() for one in line.split("|")])
def test_what_has_wrong_types_cannot_run(value: str) -> None:
    with pytest.raises(CannotRun, match=r"on values of these types|the member"):
        left_in_out("enable subgroups;\n" + text_of(f"_ = {value};"), 1)


def test_uniform_buffers_are_read() -> None:
    above = "@group(0) @binding(1) var<uniform> u: vec2u;"
    store = {"u.1:u32": [5, 6]}
    assert left_in_out(text_of("out[lid] = u[lid] + u.y;", above), 2, threads=2, store=store) == [11, 12]


def shaders(resolution: Resolution, threads: int = 0, subgroup_size: int = 0) -> list[Shader]:
    entries = [f for f in resolution.functions if resolution.entry_stage(f) not in (None, "vertex")]
    found, refused = [], list[str]()
    for entry in entries:
        try:
            found.append(lower_module(resolution, entry, threads, subgroup_size).shader)
        except CannotRun as problem:  # a subgroup of more than 64 threads, say
            refused.append(problem.what)
    assert not [what for what in refused if "these types" in what], "what is drawn is well typed"
    return found


@pytest.mark.parametrize("profile", MODULE_PROFILES)
def test_drawn_modules_take_the_same_steps(profile: str) -> None:
    for seed in range(25):
        for shader in shaders(resolve(draw_module(seed, MODULE_PROFILES[profile]))):
            hold_against_the_rules(shader, seed, min(shader.workgroup_size, 3))


def test_drawn_subgroups_take_the_same_steps() -> None:
    for seed in range(40):
        for shader in shaders(resolve(draw_module(seed, MODULE_PROFILES["subgroups"])), 4, 2):
            hold_against_the_rules(shader, seed, min(shader.workgroup_size, 4))


def test_subgroups_are_run_by_the_rules() -> None:
    """A run of many schedules diverges only where the rules say so, and its witness can be had again."""
    seen = 0
    for seed in range(400):
        for shader in shaders(resolve(draw_module(seed, MODULE_PROFILES["subgroups"])), 4, 2):
            found = sample(shader, runs=3, seed=seed, threads=4, steps=600)
            if found.witness is not None:
                seen += 1
                assert replay(shader, found.witness).witness == found.witness
    assert seen > 3


DECIDED = (Outcome.DIVERGES, Outcome.CONVERGES)
SAME = [r for r in RELATIONS if r.implication is Implication.SAME and r.name != "unread"]
"""Without the relation that writes to memory: the rules know no values there, but an execution does."""
TEXTS = [text for pair in load() if pair.refusal is Verdict.REJECTS for text in (pair.rejected, pair.accepted)]
STEP = 53
"""From one text to the next: all rows of the corpus are seen."""


def decided(resolution: Resolution) -> Outcome | None:
    """The outcome of the first entry point, where there is one, and exploring two threads decides it."""
    entry = next((f for f in resolution.functions if resolution.entry_stage(f) is not None), None)
    if entry is None:
        return None
    try:
        shader = lower_module(resolution, entry, 2).shader
    except CannotRun:  # an element of a swizzle that is assigned to
        return None
    found = explore(shader, threads=2, bounds=Bounds(steps=4_000))
    return found.outcome if found.outcome in DECIDED else None


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 1500), marks=pytest.mark.slow)])
def test_a_spelling_has_the_outcome_of_its_shader(seeds: range) -> None:
    for seed in seeds:
        of_shader = explore(draw_shader(seed, SMALL_TINY), threads=2).outcome
        of_text = decided(read(spelled(seed, SMALL_TINY)))
        assert of_text is None or of_shader not in DECIDED or of_text is of_shader, seed


def check_relations(seeds: range) -> int:
    """Compares modules with their twins; returns how many were compared."""
    compared = 0
    for seed in seeds:
        mother = read(TEXTS[seed * STEP % len(TEXTS)])
        twin = applied(SAME[seed % len(SAME)], mother, RandomSource(seed))
        before, after = decided(mother), None if twin is None else decided(twin)
        if before is not None and after is not None:
            assert before is after, (SAME[seed % len(SAME)].name, seed)
            compared += 1
    return compared


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 1500), marks=pytest.mark.slow)])
def test_relations_that_change_nothing_keep_outcomes(seeds: range) -> None:
    assert check_relations(seeds) > len(seeds) // 8


EXECUTED = 100_000
CHUNK = 1_000
REASONS = {
    "a value of more than 256 scalars",
    "what a call under a diagnostic filter gives in divergent control flow",
    "what a stored subgroup matrix computes",
}
"""All that is known to keep an accepted module from being run."""


def run_whole(profile: str, seeds: range) -> int:
    """How many drawn modules are accepted and run whole: none of them diverges, and few are left out."""
    whole, left_out = 0, list[str]()
    for seed in seeds:
        resolution = resolve(draw_module(seed, MODULE_PROFILES[profile]))
        if analyse_wgsl(resolution).verdict is Verdict.ACCEPTS:
            done = execute(resolution, seed=seed)
            assert done.outcome is not Outcome.DIVERGES, seed
            whole += done.cannot is None
            left_out += [done.cannot] if done.cannot else []
    standard = [why for why in left_out if not why.startswith("what a proposal adds: ")]
    assert {*standard} <= REASONS
    assert len(standard) <= len(seeds) // 20
    return whole


@pytest.mark.parametrize("profile", MODULE_PROFILES)
def test_no_accepted_module_diverges(profile: str) -> None:
    assert run_whole(profile, range(80)) > 13


@pytest.mark.slow
def test_none_of_a_hundred_thousand_accepted_modules_diverges() -> None:
    start = executed = 0
    while executed < EXECUTED:
        executed += sum(run_whole(profile, range(start, start + CHUNK)) for profile in MODULE_PROFILES)
        start += CHUNK


OUT_OF_BOUNDS = [
    ("array<vec4u>", "s[i << 30u].x != s[0].x"),
    ("array<mat4x4f>", "s[i << 28u][0].x != s[0][0].x"),
    ("S", "i == 1u && s.a[0u - i] != s.x"),
    ("array<vec2u, 2>", "s[2u * i].x != s[0].x"),
    ("array<vec2u, 3>", "array(s[0], s[1], s[2])[3u * i].x != s[0].x"),
]


@pytest.mark.parametrize(("type", "condition"), OUT_OF_BOUNDS, ids=[type for type, _ in OUT_OF_BOUNDS])
def test_no_index_wraps_around(type: str, condition: str) -> None:
    """An index out of bounds leads to the last element, and that of an array without a size is within 4 GiB."""
    text = f"""struct S {{ x: u32, a: array<u32> }}
@group(0) @binding(0) var<storage> s: {type};
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {{
  if {condition} {{ workgroupBarrier(); }}
}}"""
    witness = execute(read(text), thorough=True).witness
    assert witness is not None
    assert all(cell.index < MOST_SCALARS for cell in witness.store)
