"""Mutants of modules: valid, near their parent, and a function of the choices."""

from collections import Counter
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies.edit.parents import NOT_REFUSED, STEP, VALID, accepts, parent_near, texts
from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.mutation import MOST_STATEMENTS, MUTATIONS, mutated, randomly_mutated
from wgsl_fuzz.strategies.edit.relations import related_shader
from wgsl_fuzz.strategies.under_hypothesis import DrawnBy
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Access, Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Assign, Increment, Module, Parameter, Statement, Variable
from wgsl_fuzz.wgsl.walk import descendants


def parents(seed: int) -> tuple[Resolution, Resolution]:
    """A parent and a donor."""
    return parent_near(seed * STEP), parent_near(seed * STEP * 7 + 1)


def new_of(parent: Resolution, seed: int, donor: Resolution) -> Module:
    return randomly_mutated(parent, RandomSource(seed), donor).module


@pytest.mark.parametrize("seeds", [range(100), pytest.param(range(5000), marks=pytest.mark.slow)], ids=["some", "many"])
def test_tint_finds_no_mutant_invalid(seeds: range) -> None:
    mutants: list[str] = []
    befores: list[str] = []
    for seed in seeds:
        parent, donor = parents(seed)
        befores.append(print_module(parent.module))
        mutants.append(print_module(new_of(parent, seed, donor)))
    for before, after, text in zip(ask_tint(befores), ask_tint(mutants), mutants, strict=True):
        if before.verdict in VALID:
            assert after.verdict in NOT_REFUSED, (after.message, text)


@given(st.integers(0, len(texts()) - 1), st.integers(0, len(texts()) - 1), st.data())
def test_a_mutant_is_a_module_whose_text_parses_to_it(parent: int, donor: int, data: st.DataObject) -> None:
    of = parent_near(parent)
    before = print_module(of.module)
    new = data.draw(DrawnBy(lambda source: randomly_mutated(of, source, parent_near(donor)).module))
    assert print_module(of.module) == before
    assert parse(print_module(new)) == new
    assert resolve(new).module is new
    nodes = [id(node) for node in descendants(new)]
    assert len(nodes) == len(set(nodes))


def test_mutants_differ_from_their_mothers_and_from_each_other() -> None:
    parent, donor = parents(3)
    mutants = {print_module(new_of(parent, seed, donor)) for seed in range(60)}
    assert print_module(parent.module) not in mutants
    assert len(mutants) > 50


@pytest.mark.parametrize("name", MUTATIONS)
def test_each_mutation_applies_somewhere(name: str) -> None:
    parent, donor = resolve(parse(EVERYTHING)), resolve(parse(EVERYTHING.replace("inner", "other")))
    assert any(mutated(name, parent, RandomSource(seed), donor) is not None for seed in range(60))


def test_mutations_change_verdicts_both_ways() -> None:
    changes: Counter[tuple[bool, bool]] = Counter()
    for seed in range(150):
        parent, donor = parents(seed)
        changes[accepts(parent), accepts(randomly_mutated(parent, RandomSource(seed), donor))] += 1
    assert changes[True, False] > 8
    assert changes[False, True] > 8


def test_descendants_stay_within_bounds() -> None:
    """A module that is mutated again and again does not grow without end."""
    module, donor = parents(5)
    for seed in range(80):
        module = randomly_mutated(module, RandomSource(seed), donor)
    assert sum(isinstance(node, Statement) for node in descendants(module.module)) < 2 * MOST_STATEMENTS
    assert ask_tint([print_module(module.module)])[0].verdict in VALID


def test_a_deep_module_can_be_mutated_and_related() -> None:
    nested = "{ " * 250 + "workgroupBarrier();" + " }" * 250
    parent = resolve(parse(f"@compute @workgroup_size(1) fn main() {{ {nested} }}"))
    for seed in range(2):
        assert randomly_mutated(parent, RandomSource(seed)) is not parent
        assert related_shader(parent, RandomSource(seed)) is not None


EVERYTHING = """\
struct S { a: u32, b: vec2u }
var<private> g: u32;
var<workgroup> w: array<u32, 4>;
@group(0) @binding(0) var<storage, read_write> sb: array<u32>;
fn inner(p: ptr<function, u32>, v: u32) -> u32 {
    if v == 0u { return 1u; }
    *p = v;
    return *p;
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) n: u32, @builtin(workgroup_id) id: vec3u) {
    var x = 0u;
    var y = id.x;
    var v = vec2u(n, y);
    var s = S(n, v);
    v = s.b;
    x += 1u;
    x = y;
    y = n;
    let both = n > 1u && y < 4u;
    if both { x = inner(&y, n) + y; } else { y = x + g; }
    switch x {
        case 1u { g = y; }
        case 2u, 3u { x = 1u; }
        default { y = 0u; }
    }
    loop {
        x = n;
        if x < y { break; }
        y = x;
        continuing { x++; break if y > 3u; }
    }
    while x < 4u { x += 1u; if y == 2u { continue; } v = vec2u(x, x); }
    for (var i = 0u; i < 4u; i++) { w[i] = sb[n]; }
    workgroupBarrier();
}
"""


HIDING = """\
@group(0) @binding(0) var<storage, read> a: u32;
@group(0) @binding(1) var<storage, read_write> b: u32;
@group(0) @binding(2) var<uniform> c: vec4u;
@group(0) @binding(3) var<storage> d: u32;
var<private> g: u32;
fn f(p: ptr<function, u32>) { *p = 1u; }
fn r(p: ptr<storage, u32>) -> u32 { return *p; }
fn w(p: ptr<storage, u32, read_write>) { *p = 1u; let q = p; *q = 2u; }
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) n: u32) {
    if n > 0u { var a = 1u; a = 2u; a++; let p = &a; *p = 1u; }
    for (var d = 0u; d < 2u; d++) { b = n; w(&b); d += 1u; { var c = vec4u(); c.x = 1u; } }
    { var b = 1u; let q: ptr<function, u32> = &b; *q = 2u; f(&b); }
    g = r(&d) + a + c.x;
}
"""
"""Variables of a function hide those of the module with the same types, of which some can only be read."""


@cache
def mutants_where_names_are_hidden() -> dict[str, Resolution]:
    parent = resolve(parse(HIDING))
    drawn = [mutated(name, parent, RandomSource(seed), parent) for name in MUTATIONS for seed in range(25)]
    return {print_module(new.module): new for new in drawn if new is not None}


def test_no_mutation_writes_to_what_can_only_be_read() -> None:
    for text, new in mutants_where_names_are_hidden().items():
        for root in (new.root(e.left) for e in new.effects if isinstance(e, Assign | Increment)):
            memory = new.pointer(root) if isinstance(root, Parameter) else None
            access = new.access(root) if isinstance(root, Variable) else memory.access if memory is not None else None
            assert access is Access.READ_WRITE, text


def test_tint_finds_no_mutant_invalid_where_names_are_hidden() -> None:
    texts = list(mutants_where_names_are_hidden())
    for text, answer in zip(texts, ask_tint(texts), strict=True):
        assert answer.verdict in VALID, (answer.message, text)


def test_a_value_of_a_hidden_name_is_not_put_into_the_head_of_a_loop() -> None:
    parent = resolve(
        parse(
            "struct S { a: i32 } var<private> g: S; var<private> h: S;"
            "@compute @workgroup_size(1) fn main() { for (var g = 0i; g < 2i; g = g + 1i) { } }"
        )
    )
    heads = set[str]()
    for seed in range(300):
        for name in ("replace", "taint"):
            new = mutated(name, parent, RandomSource(seed))
            if new is not None:
                heads.add(print_module(new.module))
    assert any("< h.a" in head for head in heads)
    assert not [head for head in heads if "g.a" in head]


def test_no_mutation_loads_an_atomic_that_can_only_be_stored_to() -> None:
    parent = resolve(
        parse(
            "enable atomic_vec2u_min_max; @group(0) @binding(0) var<storage, read_write> a: atomic<vec2u>;"
            "@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {"
            " var v = vec2u(1u); v = vec2u(2u); atomicStoreMin(&a, v); if v.x + 1u == 0u { return; } }"
        )
    )
    mutants = [new for seed in range(60) if (new := mutated("taint", parent, RandomSource(seed))) is not None]
    assert len(mutants) > 20
    assert not [new for new in mutants if "atomicLoad" in print_module(new.module)]
