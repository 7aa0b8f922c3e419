"""What is said of functions: no more and no less than their tags."""

from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.oracle.explain.facts import ENTRY_POINT, NOTHING, REJECTED, START, facts_of
from wgsl_fuzz.oracle.explain.text import listed
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import Source, WgslError
from wgsl_fuzz.wgsl.resolve import resolve


def facts(text: str) -> dict[str, list[str]]:
    resolution = resolve(parse(text))
    found = facts_of(analyse_wgsl(resolution), resolution, Source(text))
    return {one.function.name: [fact.sentence for fact in one.facts] for one in found}


def test_a_fact_for_each_tag() -> None:
    told = facts(
        """var<private> g: u32;
fn a(v: u32) -> u32 { return v; }
fn b(p: ptr<function, u32>, q: ptr<function, u32>, v: u32) { *p = *q + v; *q = g; }
fn c(p: ptr<function, u32>) -> u32 { if *p == 0u { workgroupBarrier(); } return g; }
fn d() -> u32 { return 1u; }
@compute @workgroup_size(1) fn main() { var x: u32; _ = c(&x); }
"""
    )
    barrier = "because of `workgroupBarrier()` on line 4 (error: synchronization)"
    assert told == {
        "a": [NOTHING, "its result depends on `v`"],
        "b": [
            NOTHING,
            "what argument 1, `p`, points to depends after the call on what `q` points to and `v`",
            "what argument 2, `q`, points to may be non-uniform after the call, because of `g` on line 3",
        ],
        "c": [
            f"it must be called in uniform control flow, {barrier}",
            f"what argument 1, `p`, points to must be uniform, {barrier}",
            "its result may be non-uniform whatever its arguments are, because of `g` on line 4",
            "what argument 1, `p`, points to depends after the call on what `p` points to",
        ],
        "d": [NOTHING, "its result depends on no argument"],
        "main": [f"{START}, because of `c(&x)` on line 6 (error: synchronization)"],
    }


def test_what_holds_in_one_scope_only_says_so() -> None:
    told = facts(
        """enable subgroups;
fn f(v: u32) -> u32 { return subgroupAdd(v); }
@compute @workgroup_size(1) fn main() { _ = f(1u); }
"""
    )
    requirement, *results = sorted(told["f"], key=lambda sentence: not sentence.startswith("it must"))
    assert requirement.endswith("(scope: subgroup)")
    assert [result[-17:] for result in results] == ["scope: workgroup)", "(scope: subgroup)"]
    assert NOTHING not in told["f"]


def test_every_function_of_every_text_has_facts() -> None:
    for pair in load():
        for text in (pair.accepted, pair.rejected):
            try:
                told = facts(text)
            except WgslError:
                continue
            assert all(told.values()), pair.name
            main = told.get("main", [ENTRY_POINT])
            assert main[0] in (ENTRY_POINT, REJECTED) or all(fact.startswith(START) for fact in main), pair.name


def test_a_function_that_is_rejected_says_so() -> None:
    told = facts("var<private> g: u32;\nfn f() -> u32 { if g == 0u { workgroupBarrier(); } return 1u; }")
    assert told == {"f": [REJECTED, "its result depends on no argument"]}


def test_lists() -> None:
    assert [listed("a"), listed("ab"), listed("abc")] == ["a", "a and b", "a, b and c"]
