"""Repairs of shaders: those of applications, broken in the common ways, and drawn ones."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import count, islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.strategies.edit.parents import KINDS, parent_of
from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.repair.edit import Cost, Patch, applied, changed_lines
from wgsl_fuzz.fuzz.repair.search import (
    MEMORIES,
    Meaning,
    Repair,
    accepted,
    best,
    compared,
    is_refuted,
    lowered_entries,
    memory_of,
    races_in,
)
from wgsl_fuzz.oracle.devices.memory import STEPS, storage_of
from wgsl_fuzz.oracle.dynamics.runs import run_to_the_end
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.printer import print_module

HERE = Path(__file__).parent
SHADERS = sorted((HERE / "shaders").glob("*.wgsl"))
CHANGES_LITTLE = {"sample-in-loop": Cost.ASSUMED, "shadow-map": Cost.RESULT, "read-write-count": Cost.BINDING}
"""What the repairs of some shaders of applications change; those of all others keep the meaning."""

NOT_SHOWN = "loop-of-min"
"""Its invocations come to other barriers if some `continue`: what the original leaves then is another matter."""


def _read(path: Path) -> Case:
    return read_module(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", SHADERS, ids=[path.stem for path in SHADERS])
def test_shaders_of_applications_are_repaired(path: Path) -> None:
    case = _read(path)
    repair = best(case)
    assert repair is not None
    assert case.verdict is Verdict.REJECTS
    assert repair.text == (HERE / "repaired" / path.name).read_text(encoding="utf-8")
    assert repair.cost is CHANGES_LITTLE.get(path.stem, Cost.SAME)
    assert repair.is_safe == (repair.cost <= Cost.WAITS and path.stem != NOT_SHOWN)


@cache
def _rejected(kind: str, count: int) -> tuple[Case, ...]:
    """Drawn modules that the reference rejects, as they are printed."""
    cases = (read_module(print_module(parent_of(kind, seed).module)) for seed in range(26, 26 + 20 * count))
    return tuple(islice((case for case in cases if case.verdict is Verdict.REJECTS), count))


def _repaired(count: int) -> Iterator[tuple[Case, list[Repair]]]:
    for kind in KINDS:
        for case in _rejected(kind, count):
            yield case, list(islice(accepted(case), 3))


def test_the_reference_accepts_repairs_and_runs_refute_none() -> None:
    found = [(case, one) for case, many in _repaired(5) for one in many]
    assert len(found) > 20
    for case, one in found:
        assert one.original.text == case.text != one.text
        assert read_module(one.text).verdict is Verdict.ACCEPTS
        assert not is_refuted(one), one
    assert any(one.meaning is Meaning.SAME for _, one in found)


def test_repairs_come_in_the_order_of_what_they_change() -> None:
    for case, many in _repaired(5):
        ranks = [(one.cost, changed_lines(case.text, one.text)) for one in many]
        assert ranks == sorted(ranks)


@pytest.mark.full
def test_most_drawn_shaders_can_be_repaired() -> None:
    counted = [bool(many) for _, many in _repaired(500 // len(KINDS))]
    assert sum(counted) > 0.6 * len(counted)


def test_an_accepted_shader_needs_no_repair() -> None:
    assert not list(accepted(_read(HERE / "repaired" / "reduction.wgsl")))


def test_running_tells_other_meanings_apart() -> None:
    before = _read(HERE / "shaders" / "workgroup-flag.wgsl")
    text = (HERE / "repaired" / "workgroup-flag.wgsl").read_text(encoding="utf-8")
    assert compared(before, read_module(text)) is Meaning.SAME
    assert compared(before, read_module(text.replace("+= 1u", "+= 2u"))) is Meaning.OTHER
    assert compared(before, before) is Meaning.SAME
    diverging = _read(HERE / "shaders" / "reduction.wgsl")
    assert compared(diverging, diverging) is Meaning.DIVERGES


@given(st.text("abc", max_size=9), st.lists(st.integers(0, 9), max_size=6), st.text("xy", max_size=2))
def test_patches_replace_their_pieces_and_nothing_else(text: str, ends: list[int], new: str) -> None:
    ends = sorted(min(end, len(text)) for end in ends[: len(ends) // 2 * 2])
    pairs = list(zip(ends[::2], ends[1::2], strict=True))
    kept = [text[start:end] for start, end in zip([0, *ends[1::2]], [*ends[::2], len(text)], strict=True)]
    assert applied(text, [Patch(start, end, new) for start, end in pairs]) == new.join(kept)


# ------------------ A repair is safe only if it keeps what the shader does: small shaders, then drawn ones that are run


_COMPUTE = """
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
@group(0) @binding(2) var<storage, read_write> total: atomic<u32>;
var<workgroup> buf: array<u32, 4>;
fn meet() -> u32 { workgroupBarrier(); return 1u; }
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) { BODY }
"""
_FRAGMENT = """
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var<storage, read_write> scales: array<f32>;
@group(0) @binding(3) var texels: texture_storage_2d<r32float, read_write>;
var<private> scale: f32;
fn by(uv: vec2f) -> vec4f { return textureSample(t, s, uv * scale); }
fn by_buffer(uv: vec2f) -> vec4f { return textureSample(t, s, uv * first()); }
fn by_texel(uv: vec2f) -> vec4f { return textureSample(t, s, uv * textureLoad(texels, vec2u()).x); }
fn bump() -> f32 { scale += 1.0; return 0.0; }
fn climb(x: f32) -> f32 { var i = x; while (i != 1.0) { i += 1.0; } return i; }
fn first() -> f32 { return scales[0]; }
@fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f { if (uv.x > 0.5) { BODY } return vec4f(); }
"""
_SUBGROUP = """enable subgroups;
@group(0) @binding(0) var<storage, read> n: u32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) { BODY }
"""
_LOOP = (
    "for (var i = 0u; i < 2u; i++) {{ if (src[i * 2u + lid] == 0u) {{ {} }} workgroupBarrier(); {} }}"
    " dst[4u + lid] = 1u;"
)
_SUM = "var v = 0.0; for (var i = 0; i < 2; i++) { if (uv.y > 0.5) { continue; } v += CODE; }"
_STORE = "dst[i * 2u + lid] = 7u;"
_LEAVES = "if (src[lid] == 0u) { return; } "
_BOTH = "if (lid == 0u) {{ buf[0] = 5u; {}(); dst[0] = buf[1]; }} else {{ buf[1] = 6u; {}(); dst[1] = buf[0]; }}"
_STRIDED = "for (var i = lid; i < src[0]; i += 2u) { buf[lid] = i; workgroupBarrier(); dst[lid] += buf[lid]; }"

_NOT_SAFE = {
    _COMPUTE: {
        "a return in a loop": _LOOP.format("return;", _STORE),
        "a return in an inner loop": "for (var k = 0u; k < 2u; k++) { " + _LOOP.format("return;", _STORE) + " }",
        "other barriers": _BOTH.format("workgroupBarrier", "storageBarrier"),
        "a barrier above a store": "if (lid < src[0]) { buf[lid] = 5u; dst[lid] = buf[1u - lid] + meet(); }",
        "an atomic beside a load": _LEAVES
        + "buf[0] = 1u; let x = workgroupUniformLoad(&buf[0]) + atomicAdd(&total, 1u); dst[lid] = x;",
        "a loop that those outside never leave": _LEAVES
        + "var i = 0u; while (i < 2u) { workgroupBarrier(); dst[lid] = i; i++; }",
    },
    _FRAGMENT: {
        "a private variable": "scale = 2.0; return by(uv);",
        "a buffer, by a callee": "scales[0] = 2.0; return by_buffer(uv);",
        "what a derivative reads, changed beside it": _SUM.replace("CODE", "bump() + dpdx(scale)"),
        "a loop that those outside may not leave": _SUM.replace("CODE", "dpdx(climb(uv.y))"),
        "texels": "textureStore(texels, vec2u(), vec4f(2.0)); return by_texel(uv);",
    },
    _SUBGROUP: {
        "a choice before an identity": "if (i < n) { if (x[i] < 0.5 && subgroupAny(x[i] < 1.0)) { out[i] = 1.0; } }",
        "no identity": "if (i < n) { out[i] = subgroupMin(x[i]); }",
        "a subgroup behind `&&`": "if (i < n) { out[i] = f32(x[i] == 1.0 && subgroupAny(i == 1u)); }",
    },
}
_SAFE = {
    _COMPUTE: {
        "a continue": (_LOOP.format("continue;", _STORE), "let inside = src[i * 2u + lid] != 0u;"),
        "both arms": (_BOTH.format("workgroupBarrier", "workgroupBarrier"), "if (outside) {"),
        "a race of its own": (_LEAVES + "buf[lid] = 5u; workgroupBarrier(); dst[0] = lid;", "if (inside) {"),
        "both arms, which race": (
            _BOTH.format("workgroupBarrier", "workgroupBarrier").replace("dst[1]", "dst[0]"),
            "if (outside) {",
        ),
        "bounds that wrap around": (_STRIDED, "i >= base"),
    },
    _FRAGMENT: {"a sample": ("return by(uv);", "let result = by(uv);")},
    _SUBGROUP: {
        "a sum": ("if (i < n) { out[i] = subgroupAdd(x[i]); }", "subgroupAdd(select(0.0, x[i], i < n))"),
        "any, for an if": (
            "if (i < n) { if (subgroupAny(x[i] > 1.0)) { out[i] = 1.0; } }",
            "subgroupAny(select(false, x[i] > 1.0, i < n))",
        ),
        "in an else": ("if (i < n) { } else { out[i] = subgroupMul(x[i]); }", "select(1.0, x[i], i >= n)"),
        "a return before a subgroup": (
            "if (i < n) { if (x[i] == 1.0) { return; } out[i] = subgroupAdd(x[i]); }",
            "subgroupAdd(select(0.0, select(0.0, x[i], !(x[i] == 1.0)), i < n))",
        ),
        "a least integer": (
            "if (i < n) { out[i] = f32(subgroupMin(i32(x[i]))); }",
            "subgroupMin(select(2147483647, i32(x[i]), i < n))",
        ),
        "bits": (
            "if (i < n) { out[i] = f32(subgroupAnd(vec2u(i)).x); }",
            "subgroupAnd(select(vec2u(0xffffffffu), vec2u(i), i < n))",
        ),
    },
}
"""By what is around them, the bodies of shaders; of the safe ones what the repair has, too."""
ARE_NOT_SAFE = {name: head.replace("BODY", body) for head, of in _NOT_SAFE.items() for name, body in of.items()}
ARE_SAFE = {name: (head.replace("BODY", b), piece) for head, of in _SAFE.items() for name, (b, piece) in of.items()}


@pytest.mark.parametrize("name", ARE_NOT_SAFE)
def test_what_would_change_results_is_not_written(tmp_path: Path, name: str) -> None:
    text, path = ARE_NOT_SAFE[name], tmp_path / "a.wgsl"
    path.write_text(text)
    assert wgsl_fuzz("lint", path, "--fix", "write").exit_code == 1
    assert path.read_text() == text
    shown = wgsl_fuzz("lint", path, "--fix", "unsafe")
    assert (path.read_text() != text) == (": unsafe repair:" in shown.stdout) == (shown.exit_code == 0)


@pytest.mark.parametrize("name", ARE_SAFE)
def test_what_changes_nothing_is_written(tmp_path: Path, name: str) -> None:
    (text, piece), path = ARE_SAFE[name], tmp_path / "a.wgsl"
    path.write_text(text)
    done = wgsl_fuzz("lint", path, "--fix", "write")
    assert ": safe repair:" in done.stdout
    assert "both arms" not in name or "wherever" not in done.stdout  # the original never converges
    assert piece in path.read_text()


_MAIN = re.compile(r"@compute @workgroup_size\(.*?\)\nfn \w+\((.*)\)")
_INDEX = re.compile(r"@builtin\(local_invocation_index\) (\w+): u32")
_OPENED = re.compile(r"^ +(?!.*\bswitch\b).*\{$|^ *fn .*\{$", re.MULTILINE)
_TRACE = "@group(0) @binding(31) var<storage, read_write> blocks_seen: array<u32, 256>;\nvar<private> own_index: u32;\n"


def traced(text: str) -> str | None:
    """A compute shader in which each invocation writes down the blocks that it enters; None: its index has no name.

    Most drawn shaders leave nothing in memory: a repair of these could not differ.
    """
    numbers = count(1)
    seen = "blocks_seen[own_index]"
    text = _OPENED.sub(lambda m: f"{m[0]}\n{seen} = {seen} * 31u + {next(numbers)}u;", text)
    for main in reversed([*_MAIN.finditer(text)]):
        index = _INDEX.search(main[1])
        if index is None and "local_invocation_index" in text:
            return None
        name, begin = index[1] if index else "own_parameter", text.index("{", main.end()) + 1
        more = "" if index else f"{', ' * bool(main[1])}@builtin(local_invocation_index) {name}: u32"
        text = f"{text[: main.end(1)]}{more}{text[main.end(1) : begin]}\nown_index = {name};{text[begin:]}"
    head = re.match(r"((enable|requires|diagnostic)\b.*;\s*)*", text)
    assert head is not None, "all texts match"
    return text[: head.end()] + _TRACE + text[head.end() :]


def _drawn() -> Iterator[Case]:
    """Compute shaders that the reference rejects, and that leave a trace in memory."""
    for seed in count():
        for kind in KINDS:
            drawn = parent_of(kind, seed)
            if {drawn.entry_stage(f) for f in drawn.entry_points} == {Stage.COMPUTE}:
                text = traced(print_module(drawn.module))
                case = None if text is None else read_module(text)
                if case is not None and case.verdict is Verdict.REJECTS:
                    yield case


def _disagree(one: Shader, other: Shader, seed: int) -> bool | None:
    """Whether a shader leaves other storage; None: the original does not converge."""
    memory = memory_of(seed, one, other)
    first, second = run_to_the_end(one, memory, STEPS), run_to_the_end(other, memory, 2 * STEPS)
    if first is None or second is None:
        return None if first is None else True
    names = {array.name for array in storage_of(one)}
    cells = [place for place in {**first.cells, **second.cells} if place[0] in names]
    return any(first.cells.get(p, memory(*p)) != second.cells.get(p, memory(*p)) for p in cells)


@pytest.mark.parametrize(("first", "last"), [(0, 10), pytest.param(10, 300, marks=pytest.mark.slow)])
def test_safe_repairs_of_drawn_shaders_leave_what_the_original_leaves(first: int, last: int) -> None:
    seeds = [*range(4), *range(2 * MEMORIES, 3 * MEMORIES)]  # zeros, equal everywhere, others than before
    safe, runs = 0, []
    for case in islice(_drawn(), first, last):
        repair = best(case)
        if repair is None or not repair.is_safe:
            continue
        safe += 1
        for one, other in zip(lowered_entries(case), lowered_entries(read_module(repair.text)), strict=True):
            if one is not None and other is not None:
                runs += [(repair, _disagree(one.shader, other.shader, seed)) for seed in seeds]
                assert races_in(other) <= races_in(one, lenient=True), repair.text
    assert safe > (last - first) / 4
    assert sum(differs is not None for _, differs in runs) > last - first
    assert not [repair.text for repair, differs in runs if differs]
