"""Each kind of edits of modules by examples: what is one edit away from a text."""

import tomllib
from pathlib import Path

import pytest

from tests.fuzz.reduction.neighbours import made
from wgsl_fuzz.fuzz.cases.case import count_statements
from wgsl_fuzz.fuzz.reduction.context import Context
from wgsl_fuzz.fuzz.reduction.names import plain_names, plainly_spelled, renamed, with_plain_order
from wgsl_fuzz.fuzz.reduction.pairs import moved, next_iterations, pairs, put
from wgsl_fuzz.fuzz.reduction.search import EDIT_KINDS, EditKind, reduce, valid
from wgsl_fuzz.fuzz.reduction.size import size
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution

MAIN = "@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) N: u32) {{ {} }}"

EDITS: list[tuple[str, str, str]] = [
    (name, *(text.replace("MAIN {", MAIN.partition("{{")[0] + "{") for text in row))
    for name, rows in tomllib.loads(Path(__file__).with_name("edits.toml").read_text(encoding="utf-8")).items()
    for row in rows
]


def found(text: str) -> Resolution:
    resolution = valid(parse(text))
    assert resolution is not None, text
    return resolution


def away(text: str, kind: EditKind) -> set[str]:
    """The texts one edit away."""
    return {print_module(module) for module in made(kind, Context(found(text)))}


@pytest.mark.parametrize(("name", "before", "after"), EDITS, ids=[f"{i}-{row[0]}" for i, row in enumerate(EDITS)])
def test_one_edit_leads_to_it(name: str, before: str, after: str) -> None:
    wanted = print_module(parse(after))
    assert valid(parse(after)) is not None
    assert size(parse(after)) < size(parse(before)), "the search would not take it"
    assert wanted in away(before, EDIT_KINDS[name]), "\n".join(sorted(away(before, EDIT_KINDS[name])))


def test_every_sort_has_an_example() -> None:
    assert EDIT_KINDS.keys() - {row[0] for row in EDITS} == {"declarations"}


TWO_EDITS: list[tuple[EditKind, str, str]] = [
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


@pytest.mark.parametrize(("kind", "before", "after"), TWO_EDITS)
def test_two_edits_lead_to_it(kind: EditKind, before: str, after: str) -> None:
    assert print_module(parse(after)) in away(before, kind)


def test_a_directive_that_nothing_needs_goes() -> None:
    directives = "enable subgroups, f16; requires subgroup_id; diagnostic(off, derivative_uniformity);"
    text = f"{directives} fn f() -> f16 {{ return 1h; }}"
    small = reduce(found(text), lambda candidate: "f16" in print_module(candidate.module).partition("fn")[2])
    assert small.text.split() == ["enable", "f16;", "fn", "f()", "->", "f16", "{", "return", "0h;", "}"]


def test_a_size_that_is_named_does_not_become_zero() -> None:
    text = "const n = 4; override m: u32; var<private> a: array<u32, n>; @compute @workgroup_size(m) fn main() { }"
    for after in away(text, EDIT_KINDS["names"]):
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
