"""Each sort of edits of modules by examples: what is one edit away from a text."""

import pytest

from wgsl_fuzz.fuzz.reduction.context import Context
from wgsl_fuzz.fuzz.reduction.names import plain_names, plainly_spelled, renamed, with_plain_order
from wgsl_fuzz.fuzz.reduction.pairs import moved, next_iterations, pairs, put
from wgsl_fuzz.fuzz.reduction.search import SORTS, Sort, reduce, valid
from wgsl_fuzz.fuzz.reduction.size import count_statements, size
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution

MAIN = "@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) N: u32) {{ {} }}"
POINTER = "fn f(p: ptr<function, u32>, b: u32) {{ {} }} " + MAIN
TWO = "fn f() -> u32 { return 1u; } "

EDITS: list[tuple[str, str, str]] = [
    (
        "slices",
        "var<private> a: u32; fn f() { a = 1u; } fn g() -> u32 { _ = 1; return 1u; } "
        + MAIN.format(
            "var x = 0u; loop { x = N; if x == a { break; } _ = 2; } let y = g(); f(); "
            "if x == 0u { _ = 3; workgroupBarrier(); } _ = y;"
        ),
        "var<private> a: u32; fn f() { a = 1u; } "
        + MAIN.format("var x = 0u; loop { x = N; if x == a { break; } } f(); if x == 0u { workgroupBarrier(); }"),
    ),
    ("unused", "var<private> a: u32; fn f() {} " + MAIN.format("let x = 1;"), MAIN.format("")),
    ("entry points", "@fragment fn g() {} " + MAIN.format(""), MAIN.format("")),
    ("empty bodies", "fn f() -> u32 { let x = 1u; return x; }", "fn f() -> u32 { return 0u; }"),
    ("functions", TWO + MAIN.format("var x = f();"), MAIN.format("var x = 0u;")),
    ("statements", MAIN.format("if N == 0u { _ = 1; _ = 2; }"), MAIN.format("if N == 0u { }")),
    ("replaced statements", MAIN.format("if N == 0u { _ = 1; } else { _ = 2; }"), MAIN.format("if N == 0u { _ = 2; }")),
    ("replaced statements", MAIN.format("loop { _ = 1; if N == 0u { break; } }"), MAIN.format("_ = 1; if N == 0u { }")),
    ("replaced statements", MAIN.format("while N < 4u { _ = 1; }"), MAIN.format("if N < 4u { _ = 1; }")),
    (
        "replaced statements",
        MAIN.format("for (var i = 0; i < 4; i++) { _ = 1; }"),
        MAIN.format("var i = 0; while i < 4 { _ = 1; i++; }"),
    ),
    (
        "replaced statements",
        MAIN.format("switch N { case 1u: { _ = 1; break; } default: { _ = 2; } }"),
        MAIN.format("if N == 1u { _ = 1; } else { _ = 2; }"),
    ),
    (
        "replaced statements",
        MAIN.format("switch N { case 1u: { } case 2u: { _ = 1; } default: { } }"),
        MAIN.format("switch N { case 1u: { } default: { } }"),
    ),
    (
        "replaced statements",
        MAIN.format("if N == 1u && N == 2u { _ = 1; }"),
        MAIN.format("if N == 1u { if N == 2u { _ = 1; } }"),
    ),
    ("replaced statements", MAIN.format("var x = 1u; x += N;"), MAIN.format("var x = 1u; x = x + N;")),
    ("replaced statements", MAIN.format("var x = 1u; x++;"), MAIN.format("var x = 1u; x = 1;")),
    ("replaced statements", TWO + MAIN.format("var x = f() + 1u;"), TWO + MAIN.format("f();")),
    (
        "replaced statements",
        MAIN.format("if N == 0u { _ = 1; return; } _ = 2;"),
        MAIN.format("if N == 0u { _ = 1; } else { _ = 2; }"),
    ),
    (
        "else if",
        MAIN.format("if N == 0u { } else if N == 1u { _ = 1; } else { _ = 2; }"),
        MAIN.format("if N == 0u { } else { _ = 2; }"),
    ),
    ("names", MAIN.format("var x = vec2u(); x.y = N; let p = &x; (*p)[0] = 1u; _ = x.x;"), MAIN.format("_ = 0u;")),
    (
        "names",
        "fn f(a: u32, b: u32) -> u32 { return b; } " + MAIN.format("_ = f(1u, N);"),
        "fn f(b: u32) -> u32 { return b; } " + MAIN.format("_ = f(N);"),
    ),
    (
        "calls",
        POINTER.format("let x = b; *p = x; ", "var y = 0u; f(&y, N);"),
        MAIN.format("var y = 0u; let x_1 = N; y = x_1;"),
    ),
    ("calls", TWO + MAIN.format("if f() == 0u { _ = 1; }"), MAIN.format("if 1u == 0u { _ = 1; }")),
    (
        "calls",
        "fn f() -> u32 { workgroupBarrier(); return 1u; } " + MAIN.format("if f() == 0u { _ = 1; }"),
        MAIN.format("workgroupBarrier(); if 1u == 0u { _ = 1; }"),
    ),
    ("named values", MAIN.format("let x = N + 1u; _ = x * x;"), MAIN.format("_ = (N + 1u) * (N + 1u);")),
    ("named values", MAIN.format("var x = 0u; let p = &x; *p = N;"), MAIN.format("var x = 0u; x = N;")),
    ("assigned values", MAIN.format("var x = 0u; x = N; _ = x;"), MAIN.format("var x = 0u; _ = N;")),
    ("parts", "@diagnostic(off, derivative_uniformity) fn f() {}", "fn f() {}"),
    ("parts", "@compute @workgroup_size(8, 8) fn f() {}", "@compute @workgroup_size(1) fn f() {}"),
    (
        "replaced statements",
        MAIN.format("loop { _ = 1; continuing { _ = 2; break if N == 0u; } }"),
        MAIN.format("loop { _ = 1; _ = 2; continuing { break if N == 0u; } }"),
    ),
    (
        "results",
        "@fragment fn main() -> @location(0) vec4f { discard; return vec4f(); }",
        "@fragment fn main() { discard; return; }",
    ),
    ("results", TWO + MAIN.format("_ = f();"), "fn f() { return; } " + MAIN.format("f();")),
    (
        "pointers",
        POINTER.format("*p = b;", "var y = 0u; f(&y, N);"),
        "fn f(p: u32, b: u32) { } " + MAIN.format("var y = 0u; f(y, N);"),
    ),
    (
        "pointers",
        "var<private> g: u32; fn f(p: ptr<private, u32>) { *p = 1u; } " + MAIN.format("f(&g);"),
        "var<private> g: u32; fn f() { g = 1u; } " + MAIN.format("f();"),
    ),
    (
        "members",
        "struct S { a: u32, b: f32 } " + MAIN.format("var x = S(N, 1f); x.b = 2f; _ = x.b; _ = x.a;"),
        "struct S { a: u32, } " + MAIN.format("var x = S(N); _ = 0f; _ = x.a;"),
    ),
    ("structures", "struct S { a: u32 } " + MAIN.format("var x = S(N); _ = x.a;"), MAIN.format("var x = N; _ = x;")),
    (
        "inputs",
        "struct S { @builtin(front_facing) a: bool } @fragment fn main(s: S) { _ = s.a; }",
        "@fragment fn main(@builtin(front_facing) s_a: bool) { _ = s_a; }",
    ),
    (
        "elements",
        MAIN.format("var x = vec3u(); x.y = N; _ = x;"),
        MAIN.format("var x = 0u; x = N; _ = vec3u(x);"),
    ),
    ("elements", MAIN.format("var x: array<f32, 2>; x[N] = 1f;"), MAIN.format("var x: f32; x = 1f;")),
    ("aliases", "alias T = vec2<u32>; var<private> x: array<T, 2>;", "var<private> x: array<vec2<u32>, 2>;"),
    ("aliases", "var<private> x: vec2<f32>;", "var<private> x: vec2f;"),
    ("same types", MAIN.format("var x = 1u; var y = N; _ = y;"), MAIN.format("var x = 1u; x = N; _ = x;")),
    ("constants", MAIN.format("let x = vec2f(1f);"), MAIN.format("let x = vec2f();")),
    ("expressions", MAIN.format("let x = 1u + (2u * N);"), MAIN.format("let x = N;")),
    (
        "expressions",
        "var<private> a: S; var<private> b: u32; struct S { m: u32 } " + MAIN.format("let p = &a.m;"),
        "var<private> a: S; var<private> b: u32; struct S { m: u32 } " + MAIN.format("let p = &b;"),
    ),
    (
        "left sides",
        MAIN.format("var x = vec2u(); var y = 0u; x.y = N;"),
        MAIN.format("var x = vec2u(); var y = 0u; y = N;"),
    ),
    (
        "stage",
        "@fragment fn main(@builtin(sample_index) s: u32) -> @location(0) vec4f { _ = s; return vec4f(); }",
        "@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) s: u32) { _ = s; return; }",
    ),
    ("families", MAIN.format("storageBarrier();"), MAIN.format("workgroupBarrier();")),
    (
        "families",
        "fn f(x: f32) -> bool { return x * fwidth(x) >= x; }",
        "fn f(x: f32) -> bool { return x * dpdx(x) >= x; }",
    ),
    ("families", "fn f(x: f32) -> bool { return x * x >= x; }", "fn f(x: f32) -> bool { return x + x >= x; }"),
    ("families", "fn f(x: f32) -> bool { return x * x >= x; }", "fn f(x: f32) -> bool { return x * x == x; }"),
    ("families", MAIN.format("var x = N; x ^= 1u;"), MAIN.format("var x = N; x += 1u;")),
    ("families", MAIN.format("var x = N; x--;"), MAIN.format("var x = N; x++;")),
    (
        "plain inputs",
        "@compute @workgroup_size(1) fn main(@builtin(workgroup_index) s: u32) { }",
        "@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) s: u32) { }",
    ),
    ("declared plainly", "@group(0) @binding(1) var<storage> x: u32;", "var<private> x: u32;"),
    ("numbers", "fn f(x: i32) -> f32 { return cos(1f) + f32(x); }", "fn f(x: u32) -> f32 { return cos(1f) + f32(x); }"),
    ("numbers", "var<private> x: vec2f = vec2f(1.5f);", "var<private> x: vec2u = vec2u(1u);"),
]


def found(text: str) -> Resolution:
    resolution = valid(parse(text))
    assert resolution is not None, text
    return resolution


def away(text: str, sort: Sort) -> set[str]:
    """The texts one edit away."""
    return {print_module(module) for module in sort(Context(found(text)))}


@pytest.mark.parametrize(("name", "before", "after"), EDITS, ids=[f"{i}-{row[0]}" for i, row in enumerate(EDITS)])
def test_one_edit_leads_to_it(name: str, before: str, after: str) -> None:
    wanted = print_module(parse(after))
    assert valid(parse(after)) is not None
    assert size(parse(after)) < size(parse(before)), "the search would not take it"
    assert wanted in away(before, SORTS[name]), "\n".join(sorted(away(before, SORTS[name])))


def test_every_sort_has_an_example() -> None:
    assert SORTS.keys() - {row[0] for row in EDITS} == {"declarations"}


TWO_EDITS: list[tuple[Sort, str, str]] = [
    (pairs, MAIN.format("if N == 0u { _ = 1; } _ = 2;"), MAIN.format("if N == 0u { }")),
    (pairs, MAIN.format("loop { break; } _ = 2;"), MAIN.format("")),
    (moved, MAIN.format("while N == 0u { _ = 1; } _ = 2;"), MAIN.format("while N == 0u { _ = 2; }")),
    (put, MAIN.format("_ = 1; if N == 0u { _ = 2; }"), MAIN.format("if N == 0u { _ = 1; }")),
    (put, MAIN.format("if N == 0u { _ = 2; } _ = 1;"), MAIN.format("if N == 0u { _ = 1; }")),
    (
        next_iterations,
        MAIN.format("var x = 0u; loop { workgroupBarrier(); if N == 0u { x = 1u; } continuing { break if x == 1u; } }"),
        MAIN.format("var x = 0u; if N == 0u { x = 1u; } if x == 1u { workgroupBarrier(); }"),
    ),
]


@pytest.mark.parametrize(("sort", "before", "after"), TWO_EDITS)
def test_two_edits_lead_to_it(sort: Sort, before: str, after: str) -> None:
    assert print_module(parse(after)) in away(before, sort)


def test_a_directive_that_nothing_needs_goes() -> None:
    directives = "enable subgroups, f16; requires subgroup_id; diagnostic(off, derivative_uniformity);"
    text = f"{directives} fn f() -> f16 {{ return 1h; }}"
    small = reduce(found(text), lambda candidate: "f16" in print_module(candidate.module).partition("fn")[2])
    assert small.text.split() == ["enable", "f16;", "fn", "f()", "->", "f16", "{", "return", "0h;", "}"]


def test_a_size_that_is_named_does_not_become_zero() -> None:
    text = "const n = 4; override m: u32; var<private> a: array<u32, n>; @compute @workgroup_size(m) fn main() { }"
    for after in away(text, SORTS["names"]):
        assert ", 0" not in after
        assert "(0" not in after


def test_what_is_left_is_written_plainly() -> None:
    text = """
    fn main_() { if b[0u] == c[1i] { g(); } }
    @group(3) @binding(7) var<storage> b: array<u32, 2u>;
    fn g() { a = b[1]; }
    @group(1) @binding(2) var<storage> c: array<u32>;
    var<private> a: u32;
    """
    wanted = """
    @group(0) @binding(0) var<storage> A: array<u32, 2>;
    @group(0) @binding(1) var<storage> B: array<u32>;
    var<private> C: u32;
    fn f() { C = A[1]; }
    fn g() { if A[0] == B[1] { f(); } }
    """
    ordered = found(print_module(with_plain_order(found(text))))
    plain = plainly_spelled(renamed(ordered, plain_names(ordered)))
    assert print_module(plain) == print_module(parse(wanted))


def test_statements_are_counted_as_people_do() -> None:
    text = "var<private> a: u32; " + MAIN.format(
        "{ if N == 0u { a = 1u; } else if true { } } for (var i = 0; ; i++) { }"
    )
    # the block, two ifs, the assignment, the loop and its two parts
    assert count_statements(parse(text)) == 7
