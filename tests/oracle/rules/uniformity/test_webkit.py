"""The rule sets of WebKit's analysis, as predicted: each departure shows, and what the front end does not know."""

import re
from itertools import islice

import pytest

from tests.quality.module_mutants import SIDES, pairs, resolution, witnesses
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, WGSL_RULE_SETS, judge_wgsl
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit import WEBKIT_VARIANTS
from wgsl_fuzz.oracle.targets.families.rules import answer_whole
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.problems import ResolveProblem, Unsupported
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

NEWER, OLDER = WGSL_RULE_SETS["webkit"], WGSL_RULE_SETS["webkit-92829e9"]


def in_main(body: str, above: str = "") -> str:
    return (
        f"{above}\n@compute @workgroup_size(64)\n"
        "fn main(@builtin(local_invocation_index) N: u32, @builtin(workgroup_id) group: vec3u) {\n"
        f"let U = group.x;\n{body}\n}}"
    )


def said(text: str, rules: Rules) -> Verdict:
    return answer_whole(rules, text).verdict


# ------------------------------------------------------------------------------------------------------- departures


@pytest.mark.parametrize("variant", WEBKIT_VARIANTS, ids=[v.name for v in WEBKIT_VARIANTS])
def test_each_departure_alone_or_with_those_that_it_names_shows_on_its_pair(variant: Variant) -> None:
    others = Rules(DEPARTURES[name] for name in re.findall(r"webkit/[\w-]*\w", variant.equivalent))
    assert bool(others) == bool(variant.equivalent)
    names = [name for name in (variant.name.replace("/", "-"), witnesses().get(variant.name, "")) if name in pairs()]
    texts = [text for name in names for side in SIDES if (text := resolution(name, side)) is not None]
    assert any(judged(text, others) is not judged(text, Rules(others | {variant})) for text in texts)


def judged(text: Resolution, rules: Rules) -> Verdict:
    try:
        return judge_wgsl(text, rules).verdict
    except ResolveProblem:
        return Verdict.INVALID


@pytest.mark.parametrize("profile", MODULE_PROFILES)
def test_without_departures_the_rules_are_those_of_the_specification(profile: str) -> None:
    front_end = Rules(NEWER - {*DEPARTURES.values()})
    assert len(front_end) == 1
    modules = (resolve(draw_module(seed, MODULE_PROFILES[profile])) for seed in range(40))
    for module in islice(modules, 40):
        try:
            found = judge_wgsl(module, front_end)
        except Unsupported:
            continue
        assert found.verdict is judge_wgsl(module, UNCHANGED).verdict


# ---------------------------------------------------------------------------------------------------------- verdicts

VERDICTS = {
    "a condition made of a name": ("RA", "let ok = U == 0u; if N == 0u { if ok { workgroupBarrier(); } }"),
    "a condition with a literal": ("RR", "if N == 0u { if U == 0u { workgroupBarrier(); } }"),
    "a store forgotten behind an if": ("AA", "g = U; if U == 0u { g = N; } if g == 0u { workgroupBarrier(); }"),
    "a store taken for certain behind a loop": (
        "AA",
        "g = N; while U == 7u { g = U; } if g == U { workgroupBarrier(); }",
    ),
    "`*&` in a break if": ("AA", "var x = N; loop { workgroupBarrier(); continuing { break if *&x == 0u; } }"),
    "a member of an address": ("RR", "var x: S; x.m = N; if (&x).m == 0u { workgroupBarrier(); }"),
    "a member through a let": ("AA", "var x: S; x.m = N; let p = &x; if p.m == 0u { workgroupBarrier(); }"),
    "empty statements": ("AA", "loop { ; break; continuing { ; } }"),
    "a warning in the first scope": (
        "RR",
        "if N == 0u { @diagnostic(warning, derivative_uniformity) { workgroupBarrier(); } }",
    ),
}
"""What the newer and the older rules say: A, accepts, or R, rejects."""


@pytest.mark.parametrize("case", VERDICTS)
def test_the_rule_sets_give_the_verdicts_that_are_known_by_hand(case: str) -> None:
    verdicts, body = VERDICTS[case]
    text = in_main(body, "var<private> g: u32; struct S { m: u32 }")
    assert "".join(said(text, rules).value[0].upper() for rules in (NEWER, OLDER)) == verdicts


# --------------------------------------------------------------------------------------------------------- front end

UNKNOWN = {
    "extension": in_main("", "enable dual_source_blending;"),
    "feature": in_main("", "requires buffer_view;"),
    "input": in_main("", "enable primitive_index;\n@fragment fn f(@builtin(primitive_index) i: u32) {}"),
    "buffer view": in_main("_ = bufferLength(&b);", "@group(0) @binding(0) var<storage> b: buffer;"),
    "call in a for": in_main("for (f(); U == 0u; ) { return; }", "fn f() {}"),
    "phony in a for": in_main("for (; U == 0u; _ = U) { return; }"),
    "left side in a for": in_main("var x = 0u; let p = &x; for (; U == 0u; *p = 1u) { return; }"),
    "parentheses in a for": in_main("var x = 0u; for (; U == 0u; (x) = 1u) { return; }"),
    "behaviours": "fn f() -> u32 { loop { return 1u; continuing { break if true; } } }",
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_the_front_end_does_not_know_has_no_verdict(what: str) -> None:
    assert said(UNKNOWN[what], UNCHANGED) in (Verdict.ACCEPTS, Verdict.REJECTS)
    assert [said(UNKNOWN[what], rules) for rules in (NEWER, OLDER)] == [Verdict.UNSUPPORTED] * 2


def test_only_the_newer_one_knows_subgroups() -> None:
    text = in_main("if N == 0u { _ = subgroupAdd(1u); }", "enable subgroups;")
    assert (said(text, NEWER), said(text, OLDER)) == (Verdict.REJECTS, Verdict.UNSUPPORTED)
