"""Shapes that people write: what is repaired, by which piece of text, and in the form of the file."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz.command import there, wgsl_fuzz
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.repair.edit import Cost
from wgsl_fuzz.fuzz.repair.search import accepted, best, choices
from wgsl_fuzz.oracle.verdict import Verdict

_COMPUTE = """
@group(0) @binding(0) var<uniform> size: vec4u;
@group(0) @binding(1) var<storage, read> src: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;
@group(0) @binding(3) var<storage, read_write> count: u32;
var<workgroup> tile: array<u32, 64>;
var<workgroup> total: atomic<u32>;
var<private> kept: vec3u;
struct In {
    @builtin(global_invocation_id) gid: vec3u,
    @builtin(local_invocation_index) lid: u32,
    @builtin(workgroup_id) wid: vec3u,
}
HELPER
@compute @workgroup_size(64)
fn main(PARAMETERS) {
    BODY
}
"""
_FRAGMENT = """
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
HELPER
@fragment
fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
    BODY
}
"""
_PARAMETERS = "@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lid: u32"
_REVERSED = "tile[lid] = src[gid.x]; workgroupBarrier(); dst[gid.x] = tile[63u - lid];"
_LEAVES = "if (gid.x >= size.x) { return; } "


def _laid_out(code: str) -> str:
    """Code with a line for each statement."""
    lines: list[str] = []
    depth = 0
    for line in re.sub(r"([{;}])(?![^(]*\)) *(?! else)", r"\1\n", code).splitlines():
        depth -= line.startswith("}")
        lines.append("    " * depth + line.strip())
        depth += line.endswith("{")
    return "\n".join(lines)


def _compute(body: str, helper: str = "", parameters: str = _PARAMETERS) -> str:
    body = _laid_out(body).replace("\n", "\n    ").rstrip()
    return _COMPUTE.replace("PARAMETERS", parameters).replace("BODY", body).replace("HELPER", _laid_out(helper))


def _fragment(body: str, helper: str = "") -> str:
    body = _laid_out(body).replace("\n", "\n    ").rstrip()
    return _FRAGMENT.replace("BODY", body).replace("HELPER", _laid_out(helper))


_REDUCE = """fn reduce(lid: u32) {
for (var s = 32u; s > 0u; s >>= 1u) { if (lid < s) { tile[lid] += tile[lid + s]; } workgroupBarrier(); } }"""
_WORK = """fn work(lid: u32) {
if (kept.z >= size.z) { return; } tile[lid] = kept.z; workgroupBarrier(); dst[lid] = tile[63u - lid]; }"""
_BY_MEMBER = """if (in.gid.y >= size.y) { return; }
tile[in.lid] = 1u; workgroupBarrier(); dst[in.lid] = tile[63u - in.lid];"""
_SORT = """if (lid >= size.x) { return; } tile[lid] = src[lid]; workgroupBarrier();
for (var k = 2u; k <= 64u; k <<= 1u) { for (var j = k >> 1u; j > 0u; j >>= 1u) {
let other = lid ^ j; if (other > lid) { let a = tile[lid]; let b = tile[other];
if ((a > b) == ((lid & k) == 0u)) { tile[lid] = b; tile[other] = a; } } workgroupBarrier(); } } dst[lid] = tile[lid];"""
_SCAN = """if (gid.x >= size.x) { return; } let keep = src[gid.x] > 0u; let place = subgroupExclusiveAdd(u32(keep));
if (keep) { dst[place] = src[gid.x]; }"""
_WHILE = """var i = 0.0; var c = vec4f();
while (c.x < uv.x) { c += textureSample((t), (s), (CODE)); i += c.y; } return c;"""
_MIX = """fn mix3(p: vec2f, w: f32) -> vec4f { var sum = vec4f();
if (w > 0.1) { sum += textureSample(t, s, p) * w; } if (w < 0.9) { sum += textureSample(t, s, p.yx); } return sum; }"""
_CONTINUES = """var v = 0.0; for (var i = 0; i < 4; i++) { if (uv.x > f32(i)) { continue; }
let d = length(uv) - f32(i); v += smoothstep(0.0, fwidth(d), d); } return vec4f(v);"""

_COMPUTES: dict[str, tuple[str, ...]] = {
    "y and z": (
        "if (gid.y >= size.y || gid.z > 2u) { return; } " + _REVERSED,
        "if (w.y >= size.y || w.z > 2u)",
        "",
        _PARAMETERS + ", @builtin(workgroup_id) w: vec3u",
    ),
    "a let of an id": ("let id = gid; if (id.y >= size.y) { return; } " + _REVERSED, "workgroup_id.y >="),
    "local z": (
        "if (l.z == size.x) { " + _REVERSED + " }",
        "if (0u == size.x)",
        "",
        _PARAMETERS + ", @builtin(local_invocation_id) l: vec3u",
    ),
    "an id to a helper": (
        "work(gid.z, lid);",
        "work(workgroup_id.z, lid)",
        _WORK.replace("lid: u32", "z: u32, lid: u32").replace("kept.z", "z"),
    ),
    "a member": (_BY_MEMBER, "fn main(in: In, @builtin(workgroup_id) workgroup_id: vec3u)", "", "in: In"),
    "a uniform member": (_BY_MEMBER.replace("in.gid.y", "in.wid.x"), "if (workgroup_id.x >=", "", "in: In"),
    "a private id": ("kept = gid; work(lid);", "fn work(lid: u32, workgroup_id: vec3u)", _WORK),
    "a private uniform": ("kept = size.xyz; if (kept.x == 0u) { return; } " + _REVERSED, "if (size.xyz.x == 0u)"),
    "a helper of barriers": (
        _LEAVES + _REVERSED.replace("workgroupBarrier", "meet"),
        "if (inside) {",
        "fn meet() { workgroupBarrier(); }",
    ),
    "a helper in an if": (
        "if (gid.x < size.x) { load(lid); dst[gid.x] = tile[lid]; }",
        "load(lid, inside);",
        "fn load(i: u32) { tile[i] = src[i]; workgroupBarrier(); }",
    ),
    "a helper twice": (
        "reduce(lid); " + _LEAVES + "tile[lid] = 1u; workgroupBarrier(); reduce(lid); dst[gid.x] = tile[0];",
        "reduce(lid, true);",
        _REDUCE,
    ),
    "a helper with a value": (
        _LEAVES + "let v = swap(src[gid.x], lid); dst[gid.x] = v;",
        "let v = swap(src[gid.x], lid, inside);",
        "fn swap(v: u32, lid: u32) -> u32 { tile[lid] = v; workgroupBarrier(); return tile[63u - lid]; }",
    ),
    "bitonic sort": (_SORT, "if (inside && other > lid) {"),
    "the opposite of a bit": ("if ((lid & 3u) == 0u) { return; } " + _REVERSED, "let inside = (lid & 3u) != 0u;"),
    "the opposite of both": (
        "if ((gid.x >= size.x && lid > 2u) || !(lid < size.y || lid == 3u)) { return; } " + _REVERSED,
        "let inside = (gid.x < size.x || lid <= 2u) && (lid < size.y || lid == 3u);",
    ),
    "one opposite after another": (
        "if (gid.x >= size.x) { return; } if (lid > 2u && lid == size.y) { return; } " + _REVERSED,
        "let inside1 = inside && (lid <= 2u || lid != size.y);",
    ),
    "nothing to guard": (
        "dst[gid.x] = 1u; if (gid.x >= size.x) { return; } workgroupBarrier();",
        "dst[gid.x] = 1u;\n    workgroupBarrier();\n}",
    ),
    "an atomic": (
        "atomicAdd(&total, 1u); workgroupBarrier(); while (atomicLoad(&total) < size.x) { workgroupBarrier(); }",
        "workgroupUniformLoad(&total)",
    ),
    "a buffer in a loop": (
        "let n = count; for (var i = 0u; i < n; i++) { workgroupBarrier(); } if (lid == 0u) { count++; }",
        "let loaded = workgroupUniformLoad(&for_all);",
    ),
}
_FRAGMENTS: dict[str, tuple[str, ...]] = {
    "a continue": (_CONTINUES, "v += smoothstep(0.0, width, d);"),
    "two in one expression": (
        "return vec4f(edge(uv.x));",
        "return derivative + derivative1;",
        "fn edge(m: f32) -> f32 { if (m > 0.0) { return dpdx(m) + dpdy(m); } return m; }",
    ),
    "two conditions": ("return mix3(uv, uv.x);", "let sampled1 = textureSample(t, s, p.yx);", _MIX),
    "helpers of a helper": (
        "return vec4f(pick(uv, uv.x, uv.y) + pick(uv, uv.y, uv.x));",
        "let result1 = two(p);",
        "fn one(p: vec2f) -> f32 { return textureSample(t, s, p).x; }"
        " fn two(p: vec2f) -> f32 { return one(p) + one(p * 2.0); }"
        " fn pick(p: vec2f, a: f32, b: f32) -> f32 {"
        " if (a > 0.0) { return two(p); } if (b > 0.0) { return one(p); } return 0.0; }",
    ),
    "the same twice": (
        "return vec4f(slope(uv.x));",
        "sum += derivative1;",
        "fn slope(x: f32) -> f32 { var sum = 0.0; if (x > 0.0) { sum += dpdx(x); } if (x > 1.0) { sum += dpdx(x); }"
        " return sum; }",
    ),
    "many conditions": (
        "return flags(uv, u32(uv.x));",
        "let sampled8 = textureSample(t, s, p * 8.0);",
        "fn flags(p: vec2f, f: u32) -> vec4f { var sum = vec4f();"
        + "".join(f" if ((f & {1 << i}u) != 0u) {{ sum += textureSample(t, s, p * {i}.0); }}" for i in range(9))
        + " return sum; }",
    ),
    "a variable moves along": (
        "if (uv.x > 0.5) { return vec4f(); } var p = uv * 2.0; p.x += 1.0; return textureSample(t, s, p);",
        "p.x += 1.0;\n    let sampled",
    ),
    "a shadowed name": (
        "let d = uv.x; if (d > 0.5) { let d = length(uv); return vec4f(fwidth(d) * d); } return vec4f(d);",
        "return vec4f(width * d1);",
    ),
    "a variable's own value": (
        "var n = uv; if (uv.x > 0.0) { n = bend(n); } return vec4f(n, n);",
        "let result = bend(n);",
        "fn bend(n: vec2f) -> vec2f { return n + fwidth(n); }",
    ),
}
_UNSAFE: dict[str, tuple[str, ...]] = {
    "in parentheses, gradients": (
        _WHILE.replace("CODE", "uv + vec2f(i)"),
        "textureSampleGrad((t), (s), (uv + vec2f(i)), dx, dy)",
    ),
    "in parentheses, a level": (_WHILE.replace("CODE", "vec2f(i)"), "textureSampleLevel((t), (s), (vec2f(i)), 0.0)"),
    "the filter of a helper": (
        "var i = 0.0; while (i < uv.x) { i += slope(i); } return vec4f(i);",
        "@diagnostic(off, derivative_uniformity)\nfn slope",
        "fn slope(x: f32) -> f32 { return dpdx(x) + 0.1; }",
    ),
}
"""The body of `main`, what its repair has, what is above it, and the parameters."""


def _whole(make: Callable[..., str], rows: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, str]]:
    return {name: (make(body, *more), piece) for name, (body, piece, *more) in rows.items()}


SAFE: dict[str, tuple[str, str]] = {
    **_whole(_compute, _COMPUTES),
    **_whole(_fragment, _FRAGMENTS),
    "a uniform member of one word": (
        "enable subgroups;"
        + _compute(_BY_MEMBER.replace("in.gid.y", "in.size"), parameters="in: In")
        .replace("wid: vec3u", "size: u32", 1)
        .replace("builtin(workgroup_id)", "builtin(subgroup_size)"),
        "@builtin(subgroup_size) subgroup_size: u32)",
    ),
    "stream compaction": (
        "enable subgroups;" + _compute(_SCAN),
        "subgroupExclusiveAdd(select(0u, u32(keep), gid.x < size.x))",
    ),
    "more threads": (_compute(_SORT).replace("64", "256"), "if (inside && other > lid) {"),
}
UNSAFE = _whole(_fragment, _UNSAFE)


@pytest.mark.parametrize(
    ("text", "piece", "is_safe"),
    [pytest.param(*row, safe, id=name) for rows, safe in ((SAFE, True), (UNSAFE, False)) for name, row in rows.items()],
)
def test_what_people_write_is_repaired(text: str, piece: str, is_safe: bool) -> None:
    case = read_module(text)
    assert case.verdict is Verdict.REJECTS
    repair = there(best(case))
    assert read_module(repair.text).verdict is Verdict.ACCEPTS
    assert repair.is_safe == is_safe
    assert piece in repair.text, repair.text


_FORMS: dict[str, Callable[[str], str]] = {
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "tabs": lambda text: text.replace("    ", "\t"),
    "two blanks": lambda text: text.replace("    ", "  "),
    "no parentheses": lambda text: re.sub(r"\bif \((.*)\) \{", r"if \1 {", text),
}


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("name", ["a helper in an if", "bitonic sort", "a variable moves along", "a private id"])
def test_a_repair_has_the_form_of_the_file(form: str, name: str) -> None:
    text, formed = SAFE[name][0], _FORMS[form]
    one, other = (there(best(read_module(given))) for given in (text, formed(text)))
    assert other.text == formed(one.text) != one.text


def test_comments_stay_with_their_statements() -> None:
    text = SAFE["a variable moves along"][0]
    text = text.replace("    if", "    // Outside.\n    if").replace("    var p", "    // Twice.\n    var p")
    repair = there(best(read_module(text)))
    assert "    // Twice.\n    var p = uv * 2.0;\n    p.x += 1.0;\n    let" in repair.text
    assert "p);\n    // Outside.\n    if (uv.x > 0.5) {" in repair.text


def test_blank_lines_stay_between_statements() -> None:
    text = _compute(_LEAVES + _REVERSED).replace("    workgroup", "\n    workgroup")
    text = text.replace("    dst", "\n    // Out.\n    dst").replace("- lid];", "- lid];\n\n    dst[gid.x] += 1u;")
    repair = there(best(read_module(text)))
    wanted = """
    }

    workgroupBarrier();

    if (inside) {
        // Out.
        dst[gid.x] = tile[63u - lid];

        dst[gid.x] += 1u;
    }
"""
    assert wanted in repair.text


@pytest.mark.parametrize("name", SAFE)
def test_comments_stay_once_but_for_those_of_jumps(name: str) -> None:
    lines: list[str] = []
    stay: list[str] = []
    for i, line in enumerate(SAFE[name][0].splitlines()):
        blanks = line.removesuffix(line.lstrip())
        if blanks and line.endswith((";", "{")) and "else" not in line:
            above, behind = f"/* above\n{blanks}{i} */" if i % 2 else f"// above {i}.", f" // behind {i}."
            if line.strip() not in ("return;", "continue;"):
                stay += [above] if line.endswith("{") else [above, behind]
            lines.append(blanks + above)
            line += behind if line.endswith(";") else ""
        lines.append(line)
    repaired = re.sub("\n +", "\n", next(accepted(read_module("\n".join(lines)))).text)
    assert [one for one in stay if repaired.count(re.sub("\n +", "\n", one)) != 1] == []


TAKEN_TWICE = """fn f(x: f32) -> f32 { return dpdx(x); }
@fragment fn main(@location(0) x: f32) -> @location(0) vec4f {
  if (x > 0.5) { return vec4f(f(x)); }
  return vec4f(f(2 * x) + dpdy(x));
}"""


@pytest.mark.parametrize(("text", "count"), [(SAFE["two conditions"][0], 2), (TAKEN_TWICE, 1)])
def test_edits_name_lines_of_the_file(text: str, count: int) -> None:
    repair = there(best(read_module(text)))
    assert len(repair.edits) > 1
    lines = [re.findall(r"`if` on line (\d+)", edit.what) for edit in repair.edits]
    assert all("if (" in text.splitlines()[int(line) - 1] for (line,) in lines)
    assert len({line for (line,) in lines}) == count


def test_a_view_of_workgroup_memory_stays() -> None:
    barrier = "if (*bufferView<u32>(&view, 0u) == 0u) { workgroupBarrier(); }"
    assert best(read_module("requires buffer_view; var<workgroup> view: buffer<64>; " + _compute(barrier))) is not None


_LOOP = "var i = 0.0; while (i < uv.x) { i += dpdx(i); } "
_PARTIAL = _fragment(_LOOP + "if (uv.x > 0.5) { return textureSample(t, s, uv); } return vec4f(i);")


def test_an_error_is_mended_though_another_is_not() -> None:
    first, *others = choices(read_module(_PARTIAL), 3)
    assert (first.errors, first.cost) == (0, Cost.SILENT)
    assert [(one.errors, one.is_safe) for one in others] == [(1, True)]
    assert "return sampled;" in others[0].text


def test_other_repairs_change_something_else(tmp_path: Path) -> None:
    path = tmp_path / "a.wgsl"
    path.write_text(_fragment("if (uv.x > 0.5) { return textureSample(t, s, uv); } return vec4f();"))
    shown = wgsl_fuzz("lint", path, "--fix", "show").stdout
    heads = re.findall(r"a\.wgsl: (.*repair):\n  (\w+)", shown)
    other = "another, unsafe repair"
    assert heads == [("safe repair", "evaluate"), (other, "sample"), (other, "switch")]
