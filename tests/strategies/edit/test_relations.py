"""Relations of modules: the reference and current Tint keep every one of them, and all of them apply somewhere."""

from collections.abc import Iterator, Sequence
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies.edit.parents import KINDS, NOT_REFUSED, VALID, accepts, parent_near, parent_of, texts
from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.fuzz.cases.case import drawn_case
from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.fuzz.judging.judge import cause_of_broken
from wgsl_fuzz.fuzz.judging.kinds import Cause
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit import relations
from wgsl_fuzz.strategies.edit.relations import RELATION, applied
from wgsl_fuzz.strategies.under_hypothesis import DrawnBy
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.walk import descendants

NAMES = [relation.name for relation in relations.RELATIONS]


def twins(relation: relations.Relation, seeds: range) -> Iterator[tuple[Resolution, Resolution]]:
    """Some parents of each kind in turn, with what a relation makes of them, where it applies."""
    for seed in seeds:
        for kind in KINDS:
            parent = parent_of(kind, seed)
            twin = relations.applied(relation, parent, RandomSource(seed))
            if twin is not None:
                yield parent, twin


@pytest.mark.parametrize(
    ("seeds", "most", "least"),
    [(range(50), 36, 6), pytest.param(range(1000, 1400), 10**9, 50, marks=pytest.mark.slow)],
    ids=["some", "many"],
)
@pytest.mark.parametrize("name", NAMES)
def test_the_reference_keeps_each_relation(name: str, seeds: range, most: int, least: int) -> None:
    relation = relations.RELATION[name]
    found = list(islice(twins(relation, seeds), most))
    for parent, twin in found:
        kept = relation.implication.holds(accepts(parent), accepts(twin))
        assert kept, print_module(parent.module) + print_module(twin.module)
    assert len(found) >= least


def _is_known(relation: relations.Relation, answers: Sequence[tuple[Resolution, Answer]]) -> bool:
    """Whether departures of Tint that are known give the wrong one of the verdicts that break a relation."""
    cases = [(drawn_case(shader), answer) for shader, answer in answers]
    return cause_of_broken(relation.name, "tint@0.6.2", cases) != Cause(relation=relation.name)


@pytest.mark.parametrize("count", [2, pytest.param(60, marks=pytest.mark.slow)])
def test_tint_keeps_the_relations(count: int) -> None:
    made = [(one, parent, twin) for one in relations.RELATIONS for parent, twin in twins(one, range(count))]
    befores = ask_tint([print_module(parent.module) for _, parent, _ in made])
    afters = ask_tint([print_module(twin.module) for _, _, twin in made])
    for (relation, parent, twin), before, after in zip(made, befores, afters, strict=True):
        if before.verdict in VALID:
            assert after.verdict in NOT_REFUSED, (relation.name, after.message)
            accepted = before.verdict is Verdict.ACCEPTS, after.verdict is Verdict.ACCEPTS
            kept = relation.implication.holds(*accepted) or _is_known(relation, ((parent, before), (twin, after)))
            assert kept, (relation.name, after.message)


def test_all_relations_are_drawn() -> None:
    """In a drawn order, until one applies."""
    left = set(NAMES)
    for seed in range(3000):
        twin = relations.related_shader(parent_of(KINDS[seed % len(KINDS)], seed % 100), RandomSource(seed))
        assert twin is not None
        left.discard(twin.relation.name)
        if not left:
            return
    pytest.fail(f"never drawn: {left}")


@given(st.integers(0, len(texts()) - 1), st.data())
def test_a_twin_is_another_valid_module_and_its_text_parses_to_it(index: int, data: st.DataObject) -> None:
    parent = parent_near(index)
    before = print_module(parent.module)
    twin = data.draw(DrawnBy(lambda source: relations.related_shader(parent, source)))
    assert print_module(parent.module) == before
    if twin is not None:
        assert twin.module != parent.module
        assert parse(print_module(twin.module)) == twin.module
        nodes = [id(node) for node in descendants(twin.module)]
        assert len(nodes) == len(set(nodes))


def test_names_are_unique_and_sentences_say_what_is_implied() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for relation in relations.RELATIONS:
        both_ways = "does not change the verdict" in relation.sentence
        assert both_ways is (relation.implication is relations.Implication.SAME)


# ------------------------------------------------------------------------------------------------------- by example


HEAD = "@compute @workgroup_size(64)\nfn main(@builtin(local_invocation_index) n: u32) {\n"


def twin_text(name: str, text: str, seed: int = 0) -> str:
    """What a relation makes of a text, on one line; empty if it does not apply."""
    twin = relations.applied(relations.RELATION[name], resolve(parse(text)), RandomSource(seed))
    return "" if twin is None else " ".join(print_module(twin.module).split())


def twin_of(name: str, body: str, seed: int = 0, above: str = "") -> str:
    """What a relation makes of the body of an entry point, as far as it is in that body."""
    text = twin_text(name, f"{above} {HEAD}{body}\n}}\n", seed)
    return text[text.index("{", text.index("fn main")) + 2 : -2] if text else ""


@pytest.mark.parametrize(
    ("name", "body", "expected"),
    [
        ("switch-for-if", "if n == 0u { return; }", "switch (u32(n == 0u)) { case 1u: { return; } default: { } }"),
        (
            "if-for-switch",
            "switch n { case 1u, 2u { return; } default { _ = n; } }",
            "let s = n; if (s == 1u || s == 2u) { return; } else { _ = n; }",
        ),
        (
            "loop-for-for",
            "for (var i = 0u; i < 4u; i++) { continue; }",
            "{ var i = 0u; loop { if (!(i < 4u)) { break; } { continue; } continuing { i++; } } }",
        ),
        ("for-for-while", "while n < 4u { }", "for (; n < 4u;) { }"),
        ("compound", "var x = n; x += 2u;", "var x = n; x = x + 2u;"),
        ("negated", "if n == 0u { return; }", "if (!(n == 0u)) { } else { return; }"),
        ("short-circuit", "let y = n > 0u && n < 4u;", "var t = n > 0u; if (t) { t = n < 4u; } let y = t;"),
        (
            "loop-around",
            "if n == 0u { return; }",
            "loop { if (n == 0u) { return; } break; continuing { workgroupBarrier(); } }",
        ),
        (
            "continuing-moved",
            "var x = n; loop { let y = x; continue; continuing { x = y; break if x > 2u; } }",
            "var x = n; loop { let y = x; { x = y; if (x > 2u) { break; } } }",
        ),
        (
            "no-source",
            "if n == 0u { workgroupBarrier(); }",
            "let zero = u32(); if (zero == 0u) { workgroupBarrier(); }",
        ),
        ("literal-for-source", "if n == 0u { return; }", "if (1u == 0u) { return; }"),
        ("literal-for-source", "var x = 1u; x /= n;", "let zero = u32(); var x = 1u; x /= zero;"),
        ("source-for-expression", "if n == 0u { return; }", "if (n == n) { return; }"),
        ("source-for-expression", "let y = true;", "let y = bool(n);"),
        ("mirrored", "let y = n > 0u && n < 4u;", "let y = n < 4u && n > 0u;"),
        ("let-in-struct", "let x = n; let y = x + x;", "let x = S(n); let y = x.m + x.m;"),
        ("let-in-array", "let x = n;", "let x = array<u32, 1>(n);"),
    ],
)
def test_examples(name: str, body: str, expected: str) -> None:
    assert expected in {twin_of(name, body, seed) for seed in range(30)}


def test_a_pointer_stands_in_front_of_the_statement_that_uses_it() -> None:
    found = twin_of("pointer-let", "var x = 1u; if n == 0u { x = 2u; }")
    assert found == "var x = 1u; if (n == 0u) { let p = &x; *p = 2u; }"


def test_an_outlined_function_gets_what_it_changes_by_pointer() -> None:
    body = "var x = 1u; { x = n; }"
    found = {twin_of("outlined", body, seed) for seed in range(30)}
    assert "var x = 1u; outlined(&x, n);" in found


def test_a_call_becomes_the_body_of_its_callee() -> None:
    callee = "fn f(v: u32) -> u32 { var n = v; n += 1u; return n; }"
    twins = {twin_of("inlined", body, above=callee) for body in ("var x = n; x = f(x) + 1u;",)}
    assert twins == {"var x = n; let v1: u32 = x; var r: u32; { var n = v1; n += 1u; r = n; } x = r + 1u;"}
    assert twin_of("inlined", "var x = n; x += f(x) + 1u;", above=callee) == ""  # `x` is loaded before the call
    assert (
        twin_of("inlined", "f(n);", above="var<private> g: u32; fn f(v: u32) { g = v; }")
        == "let v1: u32 = n; { g = v1; }"
    )


def test_a_body_goes_nowhere_where_its_names_mean_something_else() -> None:
    callee = "var<private> g: u32; fn f(v: u32) { g = v; }"
    assert twin_of("inlined", "var g = n; f(g);", above=callee) == ""
    assert twin_of("inlined", "{ var g = n; } f(n);", above=callee) != ""
    assert twin_of("inlined", "f(n);", above="fn f(v: u32) { if v == 0u { return; } }") == ""


def test_a_pointer_parameter_becomes_a_let() -> None:
    found = twin_of("inlined-pointers", "var x = n; f(&x);", above="fn f(p: ptr<function, u32>) { *p = 1u; }")
    assert found == "var x = n; let p1: ptr<function, u32> = &x; { *p1 = 1u; }"
    of_part = "var x: array<u32, 2>; let p = &x[1]; f({});"  # in the callee the other parts are not kept
    for argument, applies in (("&x[0]", False), ("p", False), ("&*p", False), ("&y", True)):
        text = f"var y = n; {of_part.format(argument)}"
        assert bool(twin_of("inlined-pointers", text, above="fn f(p: ptr<function, u32>) { *p = 1u; }")) is applies


def test_no_filter_at_a_loops_body_is_around_its_continuing() -> None:
    text = "@fragment fn main() { loop { continuing { _ = dpdx(1.0); break if true; } } }"
    made = [applied(RELATION["filter-around-nothing"], resolve(parse(text)), RandomSource(seed)) for seed in range(40)]
    printed = {print_module(twin.module) for twin in made if twin is not None}
    assert printed
    assert not any("(off, derivative_uniformity)" in twin for twin in printed)


def test_one_more_value_is_written_to_memory_that_the_stage_has() -> None:
    text = f"var<workgroup> w: u32; fn f() {{ }} @fragment fn frag() {{ f(); }} {HEAD} f(); }}"
    found = {twin_text("unread", text, seed) for seed in range(20)}
    assert all("w = " in twin[twin.index("fn main") :] for twin in found)


# --------------- Most relations of modules are broken by some wrong analysis, which they would find without a reference


BREAKING_HEAD = """
fn store(p: ptr<function, u32>, v: u32) { *p = v; }
fn exchange(p: ptr<function, u32>, v: u32) -> u32 { let old = *p; *p = v; return old; }
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) n: u32) { var x = 0u; var a: array<u32, 2>; let p = &x; """
BODIES = {
    "an index behind a switch": "switch (n) { case 0u: { workgroupBarrier(); } default: { return; } } a[0] = n;",
    "a call in a switch": (
        "switch (x) { case 0u: { if (n == 0u && exchange(p, 0u) == 0u) { x = a[1]; } } default: {} } "
        "workgroupBarrier();"
    ),
    "a barrier under a conjunction": "if (x == 0u && n == 0u) { workgroupBarrier(); x = a[1]; } a[0] = n;",
    "a call under a conjunction": "if (n == 0u && exchange(p, 0u) == 0u) { store(p, 0u); } workgroupBarrier(); return;",
    "a call in a disjunction": (
        "if (x == 0u || exchange(&x, n) == 0u) { a[1] = x; } else { workgroupBarrier(); x = 0u; }"
    ),
    "a return behind a barrier": "if (true) { workgroupBarrier(); if (n == 0u) { return; } }",
    "a store in one branch": "x = n; if (x == 0u) { store(&x, n); } else { workgroupBarrier(); }",
}
"""Bodies of `main` behind BREAKING_HEAD, by what they hold."""

WITNESSES: dict[str, tuple[str, str]] = {
    "barrier-added": ("B/callstatement/return", "atomic-index rejected"),
    "commuted": ("B/let/return", "subgroup-shuffle-xor-mask rejected"),
    "compound": ("assign/control-flow/non-uniform", "form-full-let-of-let-updated accepted"),
    "continuing-moved": (
        "loop/values/continuing-without-end",
        "history-5419-values-of-unreachable-continuing rejected",
    ),
    "conversion": ("builtin/constructor/no-first-argument", "an index behind a switch"),
    "discard": ("discard/control-flow/non-uniform", "overload-gather-depth-cube-array accepted"),
    "empty-if": ("if/after/always-ends", "builtin-tanh accepted"),
    "error-directive": ("filter/default/derivative_uniformity-warns", "texture-sample-grad-needs-nothing rejected"),
    "filter-around-nothing": ("filter/rule/any", "quad-broadcast rejected"),
    "for-for-while": ("while/condition/dropped", "subgroup-value-in-variable rejected"),
    "if-around": ("expr/literal/no-control-flow", "arm-base-runs-before-divergence-of-index rejected"),
    "inlined": ("call/result/never-non-uniform", "arm-same-name-in-two-functions rejected"),
    "inlined-pointers": ("pointer/full/lets-never", "arm-compound-reads-old-non-uniform-value-first accepted"),
    "let-in-array": ("builtin/constructor/non-uniform", "sync-uniform-load-address accepted"),
    "literal-for-source": ("let/control-flow/non-uniform", "arm-num-subgroups-in-subgroup-scope accepted"),
    "loop-around": ("before-2025-12-01/10c", "a return behind a barrier"),
    "loop-for-for": ("empty/control-flow/non-uniform", "derivative-in-loop accepted"),
    "mirrored": ("expr/binary/no-right", "syntax-trailing-commas rejected"),
    "module-variable-in-struct": ("expr/member/never-loads", "value-variable-shadows-module-variable rejected"),
    "named": ("B/let/next-or-return", "a call in a switch"),
    "negated": ("if/else/not-analysed", "a barrier under a conjunction"),
    "no-source": ("switch/selector/non-uniform", "an index behind a switch"),
    "outlined": ("call/parameter/not-required", "form-index-of-address-loaded rejected"),
    "pointer-let": ("expr/unary/no-pointer", "form-index-of-address-loaded rejected"),
    "rest-in-else": ("list/control-flow/each-from-start", "sync-workgroup-barrier-behind-return rejected"),
    "short-circuit": ("B/assign/next-or-return", "a call under a conjunction"),
    "source-for-expression": ("name/module-variable/workgroup-uniform", "arm-flow-of-const rejected"),
    "switch-around": ("switch/selector/non-uniform", "value-uniform-read-in-divergent-flow accepted"),
    "switch-for-if": ("switch/selector/non-uniform", "handle-storage-texture-dimensions accepted"),
    "unread": ("assign/control-flow/non-uniform", "arm-flow-of-const accepted"),
    "unread-variable": ("B/variable/return", "atomic-sub-in-subgroup-scope rejected"),
    "unused-function": ("module/functions/first-tags", "a call in a disjunction"),
    "variable-in-array": ("expr/index/no-base", "a store in one branch"),
    "variable-in-struct": ("expr/member/never-loads", "form-full-parentheses-loaded rejected"),
}
"""By relation: a broken variant, and a parent: a pair and its side, or one of BODIES.

The others ask for what no variant does: they are about names, order, aliases, or code that is not analysed at all.
"""
MOST_TRIES = 40


def breaking_parent(name: str) -> Resolution:
    if name in BODIES:
        return resolve(parse(f"{BREAKING_HEAD}{BODIES[name]} }}"))
    wanted, _, side = name.partition(" ")
    pair = next(pair for pair in load() if pair.name == wanted)
    return resolve(parse(pair.accepted if side == "accepted" else pair.rejected))


@pytest.mark.parametrize("name", WITNESSES)
def test_a_broken_variant_breaks_the_relation(name: str) -> None:
    variant, parent_name = WITNESSES[name]
    rules, parent, relation = all_variants()[variant].rules, breaking_parent(parent_name), RELATION[name]
    before = accepts(parent, rules)
    for seed in range(MOST_TRIES):
        twin = applied(relation, parent, RandomSource(seed))
        if twin is None:
            continue
        assert relation.implication.holds(accepts(parent), accepts(twin))
        try:
            after = accepts(twin, rules)
        except WgslError:
            continue
        if not relation.implication.holds(before, after):
            return
    pytest.fail(f"{variant} keeps {name}")
