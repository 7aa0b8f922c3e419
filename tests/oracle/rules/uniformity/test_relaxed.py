"""The relaxations of the rules: what each accepts and the rules reject, and what it must not accept."""

from pathlib import Path

import pytest

from wgsl_fuzz.fuzz.cases.case import read_case, read_module
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, DYNAMIC_BLOCKS, Notion
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl, judge_wgsl
from wgsl_fuzz.oracle.rules.uniformity.variants.relaxed import RELAXED
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.wgsl.resolve import read

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.wgsl"))
_IDS = "@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lid: u32"
_ENTRY = f"@compute @workgroup_size(2) fn main({_IDS}) "
_PAIR = "struct Pair { a: u32, b: vec2u } "
_GUARD = "fn guard(id: vec3u, n: u32) -> bool { return id.y < n; } "
_PRIVATE = "var<private> p: u32; var<private> q: array<u32, 2>; "
_STORAGE = (
    "@group(0) @binding(0) var<storage, read_write> data: array<u32, 4>; @group(0) @binding(1) "
    "var<storage, read_write> more: array<u32>; @group(0) @binding(2) var<storage, read_write> count: atomic<u32>; "
)
_SET = "fn put(x: u32) { p = x; } fn held() -> u32 { return p; } "

GAINED = {
    "relaxed/components": (
        "MAIN { if gid.y == 0 { workgroupBarrier(); } }",
        "MAIN { let id = gid.zxy; if id.z == 0 || id.r == 1 { workgroupBarrier(); } }",
        "MAIN { var id = gid; id.x = 1; if gid[1] == id.x { workgroupBarrier(); } }",
        "MAIN { var id = gid; loop { if id.y > 3 { break; } id.x += lid; id.y += 1; workgroupBarrier(); } }",
        "MAIN { let id = vec2i(vec3i(gid).yz); if id.x == id.y { workgroupBarrier(); } }",
        _GUARD + "MAIN { if guard(gid, 3) { workgroupBarrier(); } }",
        "struct In { @builtin(local_invocation_id) own: vec3u, @builtin(workgroup_id) group: vec3u } "
        "fn f(in: In) -> u32 { return in.own.z + in.group.x; } "
        "@compute @workgroup_size(2) fn main(in: In) { if in.group.x + f(in) == 1 { workgroupBarrier(); } }",
        f"@compute @workgroup_size(1) fn main({_IDS}) {{ if lid + gid.x == 0 {{ workgroupBarrier(); }} }}",
        f"const W = 1; override n: u32 = W; @compute @workgroup_size(W, 2, n) fn main({_IDS}) "
        "{ if gid.x == gid.z { workgroupBarrier(); } }",
    ),
    "relaxed/parts": (
        _PAIR + "MAIN { var v: Pair; v.a = lid; if v.b.x == 0 { workgroupBarrier(); } }",
        _PAIR + "MAIN { var v = Pair(lid, vec2u(1, lid)); v.b[1] = 2; if v.b.y == 0 { workgroupBarrier(); } }",
        "MAIN { var a: array<u32, 4>; for (var i = 0; i < 2; i++) { a[2] += lid; a[1] += 1; } "
        "if a[1] == 0 { workgroupBarrier(); } }",
        _PAIR + "fn f(v: Pair) { if v.a == 0 { workgroupBarrier(); } } MAIN { f(Pair(0, vec2u(lid))); }",
        "MAIN { var v = vec2u(lid); if lid == 0 { v.x = 1; } v = vec2u(0, v.x); if v.x == 1 { workgroupBarrier(); } }",
    ),
    "relaxed/private-followed": (
        _PRIVATE + _SET + "MAIN { put(3); if held() == 0 { workgroupBarrier(); } }",
        _PRIVATE + "MAIN { if p == 0 { workgroupBarrier(); } p = lid; q[0] = p; }",
        _PRIVATE + "fn f(x: ptr<private, u32>) { *x = 1; } MAIN { p = lid; f(&p); if p == 1 { workgroupBarrier(); } }",
        _PRIVATE + _SET + "fn g(p: u32) { if held() == p { workgroupBarrier(); } } MAIN { put(1); g(2); p = lid; }",
    ),
    "relaxed/meeting-again": (
        "MAIN { for (var i = 0; i < 3; i++) { workgroupBarrier(); if lid == 0 { continue; } _ = i; } }",
        "MAIN { var i = 0; loop { if i == 3 { break; } switch lid { case 0: { continue; } default: {} } "
        "continuing { i++; workgroupBarrier(); } } }",
    ),
    "relaxed/never-written": (
        _STORAGE + "MAIN { if data[1] + arrayLength(&more) == more[0] { workgroupBarrier(); } }",
        "var<workgroup> v: u32; var<private> p = 3u; MAIN { if v == p { workgroupBarrier(); } }",
    ),
    "relaxed/never-reached": (
        "MAIN { if 1 > 2 { if lid == 0 { storageBarrier(); } } else if lid == 0 { return; } }",
        "MAIN { for (; 1 == 2;) { if lid == 0 { storageBarrier(); } } }",
        "fn f(x: u32) { if x == 0 { workgroupBarrier(); } } fn g(x: ptr<private, u32>) { f(*x); } MAIN {}",
    ),
}
"""By variant: what the rules reject, and it accepts; MAIN is the head of the entry point."""

REJECTED = {
    "relaxed/components": (
        "MAIN { if gid.x == 0 { workgroupBarrier(); } }",
        "MAIN { var id = gid; id.y = lid; if id.y == 0 { workgroupBarrier(); } }",
        "MAIN { var id = gid; if lid == 0 { id.y = 1; } if id.y == 0 { workgroupBarrier(); } }",
        "MAIN { var id = gid; loop { if id.y == 3 { break; } id.y += lid; workgroupBarrier(); } }",
        "MAIN { var id = gid; id[lid] = lid; if id.y == 0 { workgroupBarrier(); } }",
        "MAIN { var id = gid; let all = &id; *all = gid.zxy; if id.y == 0 { workgroupBarrier(); } }",
        "fn f(v: ptr<function, vec3u>) -> bool { *v = (*v).yxz; return true; } MAIN "
        "{ var id = gid; _ = lid == 0 && f(&id); if id.y == 0 { workgroupBarrier(); } }",
        _GUARD + "MAIN { if guard(gid.zxy, 3) { workgroupBarrier(); } }",
        _GUARD + "MAIN { if guard(gid, lid) { workgroupBarrier(); } }",
        f"@compute @workgroup_size(1, 2) fn main({_IDS}) {{ if lid == 0 {{ workgroupBarrier(); }} }}",
        f"override n = 2; @compute @workgroup_size(1, n) fn main({_IDS}) {{ if gid.y == 0 {{ workgroupBarrier(); }} }}",
    ),
    "relaxed/parts": (
        _PAIR + "MAIN { var v: Pair; v.b[1] = lid; if v.b.y == 0 { workgroupBarrier(); } }",
        _PAIR + "MAIN { var v = Pair(0, vec2u(lid)); v.b.x = 1; if any(v.b == vec2u()) { workgroupBarrier(); } }",
        "MAIN { var a: array<u32, 4>; a[lid] = 1; if a[1] == 0 { workgroupBarrier(); } }",
        "MAIN { var a: array<u32, 4>; a[1] = lid; for (var i = 0; i < 2; i++) { a[0] = a[1]; } "
        "if a[0] == 0 { workgroupBarrier(); } }",
        "MAIN { var v: vec2u; v.x = lid; v = v.yx; if v.y == 0 { workgroupBarrier(); } }",
        "MAIN { var v: vec2f; v.x = f32(lid); v *= mat2x2f(1, 1, 1, 1); if v.y == 0 { workgroupBarrier(); } }",
        "MAIN { var v: vec2u; let w = &v.x; *w = lid; if v.x == 0 { workgroupBarrier(); } }",
        _PAIR + "fn f(v: Pair) { if v.a == 0 { workgroupBarrier(); } } MAIN { f(Pair(lid, vec2u())); }",
    ),
    "relaxed/private-followed": (
        _PRIVATE + _SET + "MAIN { put(lid); if held() == 0 { workgroupBarrier(); } }",
        _PRIVATE + _SET + "MAIN { if lid == 0 { put(3); } if held() == 0 { workgroupBarrier(); } }",
        _PRIVATE + "fn f(x: ptr<private, u32>) { *x = q[0]; } "
        "MAIN { q[lid] = 1; f(&p); if p == 1 { workgroupBarrier(); } }",
        _PRIVATE + _SET + "fn g(p: u32) { if held() == p { workgroupBarrier(); } } MAIN { p = lid; g(2); }",
    ),
    "relaxed/meeting-again": (
        "MAIN { for (var i = 0; i < 3; i++) { if lid == 0 { continue; } workgroupBarrier(); } }",
        "MAIN { for (var i = 0; i < 3; i++) { workgroupBarrier(); if lid == 0 { continue; } if i == 1 { break; } } }",
        "MAIN { for (var i = 0; i < 3; i++) { workgroupBarrier(); if lid == 0 { continue; } if i == 1 { return; } } }",
        "MAIN { for (var i = 0; i < 3; i++) { workgroupBarrier(); if lid == 0 { continue; } else { break; } } }",
        "MAIN { for (var i = 0u; i < 3; i++) { workgroupBarrier(); if lid == 0 { continue; } i += 1; } }",
    ),
    "relaxed/never-written": (
        _STORAGE + "MAIN { if data[1] == 0 { workgroupBarrier(); } data[lid] = 1; }",
        _STORAGE + "fn f(x: ptr<storage, array<u32>, read_write>, i: u32) { x[i] = i; } "
        "MAIN { f(&more, lid); if more[lid] == 0 { workgroupBarrier(); } }",
        _STORAGE + "MAIN { if data[lid] == 0 { workgroupBarrier(); } }",
    ),
    "relaxed/never-reached": (
        "override o = true; MAIN { if o { if lid == 0 { return; } } storageBarrier(); }",
        "MAIN { if 2 > 1 { if lid == 0 { return; } } else { return; } storageBarrier(); }",
        "fn f(x: u32) { if x == 0 { workgroupBarrier(); } } MAIN { for (f(lid); 1 == 2;) {} }",
    ),
}
"""By variant: what it rejects as the rules do; each may diverge."""


def _listed(texts: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(name, text.replace("MAIN ", _ENTRY)) for name, several in texts.items() for text in several]


def _verdict(text: str, *names: str) -> Verdict:
    """Of these relaxations together, on sets and on the graph."""
    resolution, rules = read(text), Rules(RELAXED[name] for name in names)
    verdict = judge_wgsl(resolution, rules).verdict
    assert analyse_wgsl(resolution, rules).verdict is verdict
    return verdict


def _outcome(text: str, notion: Notion = CONTROL_STACKS) -> Outcome | None:
    case = read_case(text, notion, thorough=False)
    case.execute()
    return case.outcome


@pytest.mark.parametrize(("name", "text"), _listed(GAINED))
def test_gains(name: str, text: str) -> None:
    """It accepts what the rules reject, alone and with all others.

    That does not diverge, but for one relaxation that is refuted by the paper's notion of convergence.
    """
    assert [_verdict(text), _verdict(text, name), _verdict(text, *RELAXED)] == [Verdict.REJECTS] + 2 * [Verdict.ACCEPTS]
    outcomes = {notion: _outcome(text, notion) for notion in (CONTROL_STACKS, DYNAMIC_BLOCKS)}
    refuted = {CONTROL_STACKS} if name == "relaxed/meeting-again" else set()
    assert {notion for notion, outcome in outcomes.items() if outcome is Outcome.DIVERGES} == refuted


@pytest.mark.parametrize(("name", "text"), _listed(REJECTED))
def test_rejects(name: str, text: str) -> None:
    """It rejects what may diverge, alone and with all others; and explains why."""
    assert [_verdict(text, name), _verdict(text, *RELAXED)] == 2 * [Verdict.REJECTS]
    for rules in (RELAXED[name].rules, Rules(RELAXED.values())):
        assert read_module(text, rules).explanations


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels_of_one_row(path: Path) -> None:
    """What works on one row in each workgroup is gained by `components`, and converges."""
    text = path.read_text(encoding="utf-8")
    assert [_verdict(text), _verdict(text, "relaxed/components")] == [Verdict.REJECTS, Verdict.ACCEPTS]
    small = text.replace("128", "2").replace("64u", "1u")
    assert _outcome(small) in (Outcome.CONVERGES, Outcome.NOT_SEEN)
