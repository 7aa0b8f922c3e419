"""Lowering to TinyWGSL, held against what its printer writes; and what is no TinyWGSL, why, and where."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies.drawn import shaders
from tests.tinywgsl.wellformed import renumbered
from tests.wgsl.reading import ParseError, parse
from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolve import read

TABLES = tomllib.loads(Path(__file__).with_name("lowerings.toml").read_text(encoding="utf-8"))
LOWERED = {row["name"]: row for row in TABLES["lowered"]}

PRELUDE = """
@group(0) @binding(0) var<storage, read_write> A: array<u32, 4>;
var<workgroup> W: array<i32, 8>;
var<workgroup> w: i32;
fn f(fx: u32) -> u32 { return fx; }
fn g(gx: u32, gy: u32) -> u32 { return gx + gy; }
fn p() -> bool { return true; }
fn v() { workgroupBarrier(); }
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lid: u32) {"""
MAIN = "@compute @workgroup_size(1) fn main() { }"


def in_main(statements: str) -> str:
    return f"{PRELUDE} {statements} }}"


@pytest.mark.parametrize("name", LOWERED)
def test_statements_are_lowered(name: str) -> None:
    shader = parse(in_main(LOWERED[name]["statements"]))
    printed = print_shader(shader)
    assert shader == renumbered(shader), "the IDs are canonical"
    assert parse(printed) == shader, "what is printed comes back"
    body = printed[printed.index("lid: u32) {\n") + len("lid: u32) {\n") : printed.rindex("}")]
    assert dedent(body) == LOWERED[name]["expected"]


def shader_of(text: str) -> str:
    shader = parse(text)
    printed = print_shader(shader)
    assert parse(printed) == shader
    return printed


def function(text: str, name: str) -> ast.Function:
    return next(f for f in parse(text).all_functions if f.name == name)


def test_void_functions_return_zero() -> None:
    text = "fn h(x: u32) { if x == 0u { return; } }" + MAIN
    assert function(text, "h").result is ast.Type.U32
    assert shader_of(text).count("return 0u;") == 2
    assert shader_of("fn h() { return; }" + MAIN).count("return") == 1


@pytest.mark.parametrize(
    "body",
    [
        "var y = y_in; y = y_in;",  # used again
        "{ var y = y_in; }",  # not at the top level
        "let y = y_in;",
        "var y = y_in + 1u;",
        "for (var y = y_in; ; ) { break; }",
    ],
)
def test_what_is_no_copy_of_a_parameter(body: str) -> None:
    f = function(f"fn h(y_in: u32) {{ {body} }}" + MAIN, "h")
    assert f.params == (ast.Variable("y_in", ast.Type.U32),)
    assert f.locals == (ast.Variable("y", ast.Type.U32),)


def test_copies_of_parameters_leave_their_name_to_others() -> None:
    text = "fn h(y_in: u32) { var y = y_in; y = 1u; } fn k() { var y_in: u32; y_in = 1u; }" + MAIN
    assert function(text, "k").locals == (ast.Variable("y_in", ast.Type.U32),)


def test_locals_of_two_functions_are_told_apart() -> None:
    text = "fn h(x: u32) -> u32 { return x; } fn k(x: u32) -> u32 { let x_1 = x; return x_1; }" + MAIN
    k = function(text, "k")
    assert k.params == (ast.Variable("x_2", ast.Type.U32),)
    assert k.locals == (ast.Variable("x_1", ast.Type.U32),)


def test_a_local_may_not_be_called_lid_or_main_or_like_a_type() -> None:
    names = [v.name for v in function("fn h() { var lid = 1u; var main = 1u; var f32 = 1u; }" + MAIN, "h").locals]
    assert names == ["lid_1", "main_1", "f32_1"]


def test_names_of_wgsl_that_the_text_hides_are_not_hidden_in_the_ast() -> None:
    text = "fn storage() { storageBarrier(); } fn workgroupBarrier() -> bool { return true; }" + MAIN
    text = text.replace("main() { }", "main() { let storage = workgroupBarrier(); textureBarrier(); }")
    shader = parse(text)
    assert [f.name for f in shader.functions] == ["storage_1", "workgroupBarrier_1"]
    assert [v.name for v in shader.main.locals] == ["storage"]
    assert shader.main.body == (ast.Call(2, "storage", "workgroupBarrier_1", ()), ast.Barrier(3))
    assert shader_of(text)


@pytest.mark.parametrize("type", ["vec3<u32>", "vec3u", "vec3<u32,>"])
@pytest.mark.parametrize("size", ["4", "4, 1", "4, 1, 1"])
def test_local_invocation_id_is_lid(type: str, size: str) -> None:
    text = f"@compute @workgroup_size({size}) fn main(@builtin(local_invocation_id) id: {type}) {{ let x = id.x; }}"
    indexed = "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { let x = i; }"
    assert parse(text) == parse(indexed)


def test_the_workgroup_size_is_the_product() -> None:
    assert parse("const n = 2u; @compute @workgroup_size(n, n + 1u, 2) fn main() { }").workgroup_size == 12


def test_shared_scalars_and_sizes() -> None:
    text = """
    const n = m * 2;  const m: i32 = 2i;  alias Row = array<u32, n>;  alias U = u32;
    var<workgroup> s: U;  var<workgroup> r: Row;  var<workgroup> b: array<bool, (8 >> 1)>;
    @group(0) @binding(0) var<storage, read_write,> d: array<i32>;
    @compute @workgroup_size(1) fn main() { s += 1; r[s] = s; d[3] = i32(s); b[0] = s < r[0]; }
    """
    assert [(a.name, a.size) for a in parse(text).arrays] == [("s", 1), ("r", 4), ("b", 4), ("d", 0)]
    printed = shader_of(text)
    assert "s[0u] = s[0u] + 1u;\n  r[s[0u]] = s[0u];" in printed
    assert "b[0i] = s[0u] < r[0i];" in printed


def test_constants_are_replaced() -> None:
    text = "const a = 1u + 1u; const b = a < 3u; const c = -1i / 2i; const_assert b && a == 2u;" + MAIN.replace(
        "{ }", "{ const d = c; let x = a; let y = b; let z = d; let w = i32(-2147483648) % 3i; }"
    )
    values = [s.value for s in parse(text).main.body if isinstance(s, ast.Assign)][:3]
    assert values == [ast.Literal(2, ast.Type.U32), ast.Literal(True, ast.Type.BOOL), ast.Literal(0, ast.Type.I32)]


# --------------------------------------------------------------------------------------------------------- refusals

REFUSED = {in_main(text): message for text, message in TABLES["refused_in_main"].items()}
REFUSED |= {f"{text}\n{MAIN}": message for text, message in TABLES["refused_at_module_scope"].items()}
REFUSED |= TABLES["refused_as_a_whole"]


@pytest.mark.parametrize("marked", REFUSED)
def test_what_is_no_tinywgsl_is_refused_at_its_place(marked: str) -> None:
    before, _, after = marked.partition("§")
    with pytest.raises(ParseError) as caught:
        parse(before + after)
    error = caught.value
    assert error.message == REFUSED[marked]
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    assert str(error) == f"line {line}, column {column}: {error.message}"


def shader_or_error(text: str) -> ast.Shader | ParseError:
    """What `parse` answers; any exception but ParseError fails the test."""
    try:
        return parse(text)
    except ParseError as error:
        return error


SPELLED = """
    { } ( ) [ ] < > = == ; , : . + - * / % & | ^ ! ~ && || << >> += ++ -> @ _ // /* */ 1u 2i 3 0x7 1.5 # é
    fn var let const if else loop while for continuing break continue return true false u32 i32 bool array
    workgroup storage read_write compute workgroup_size builtin local_invocation_index f A x y lid switch vec3
    workgroupBarrier
"""
WORDS = [*SPELLED.split(), "break if", "\n"]


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_any_words_have_an_answer(words: list[str]) -> None:
    shader_or_error(" ".join(words))
    shader_or_error(in_main(" ".join(words)))


RICH = in_main(
    "var x = f(lid) + A[0u]; for (var i = 0; i < 4; i++) { if x < 1u && p() { continue; } "
    "loop { x += 1u; continuing { w = -w; break if !(x == 2u); } } } A[x & 3u] ^= 1u; while x != 3u { v(); } return;"
)


@given(st.data())
def test_damaged_shaders_have_an_answer(data: st.DataObject) -> None:
    """A shader with a piece cut out, replaced or repeated: a ParseError, or a shader that can be printed and read."""
    start = data.draw(st.integers(0, len(RICH)))
    end = data.draw(st.integers(start, min(len(RICH), start + 12)))
    piece = data.draw(st.one_of(st.just(""), st.sampled_from(WORDS), st.just(RICH[start:end] * 2)))
    answer = shader_or_error(RICH[:start] + piece + RICH[end:])
    if isinstance(answer, ast.Shader):
        assert parse(print_shader(answer)) == answer


DEEP: dict[str, Callable[[int], str]] = {
    "negations": lambda n: "let b = " + "!" * n + "true;",
    "indices": lambda n: "let b = " + "A[" * n + "0" + "]" * n + ";",
    "conversions": lambda n: "let b = " + "u32(" * n + "lid" + ")" * n + ";",
    "calls": lambda n: "let b = " + "f(" * n + "lid" + ")" * n + ";",
    "sums before calls": lambda n: "let b = (A[0]" + " + lid" * n + ") * f(lid);",
    "sums in arguments": lambda n: "f(lid" + " + lid" * n + ");",
    "sums in targets": lambda n: "A[lid" + " + lid" * n + "] = 1u;",
    "conjunctions before calls": lambda n: "let b = true" + " && true" * n + " && p();",
    "right sums": lambda n: "let b = " + "lid + (" * n + "lid" + ")" * n + ";",
    "short circuits": lambda n: "let b = " + "true && (" * n + "p()" + ")" * n + ";",
    "shifts": lambda n: "let b = 1 << ((1u" + " + 1u" * n + ") % 8u);",
    "ifs": lambda n: "if true { " * n + "}" * n,
    "else ifs": lambda n: "if true { }" + " else if true { }" * n,
    "continuings": lambda n: "loop { break; continuing { " * n + "}}" * n,
}


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize("depth", [90, 99, 110, 395, 600])
def test_nesting_is_limited_and_does_not_overflow(name: str, depth: int) -> None:
    answer = shader_or_error(in_main(DEEP[name](depth)))
    if depth <= 90 // (2 if name == "continuings" else 1):
        assert isinstance(answer, ast.Shader), answer
    if depth >= 600:
        assert isinstance(answer, ParseError)


# ------------------------------------------------------------------------------- trees that several texts or none have


def test_a_minus_is_part_of_the_literal_only_right_before_it() -> None:
    assert parse(in_main("w = -5i;")) == parse(in_main("w = - /* */ 5i;"))
    assert parse(in_main("w = -5i;")) != parse(in_main("w = -(5i);"))


# ------------------------------------ Where lowered statements stand in the text, and spelling that makes no difference


def test_positions_of_what_stands_in_the_text_and_of_what_does_not() -> None:
    text = """fn g() { }
@compute @workgroup_size(1) fn main() {
  var x = 1u; /* a
  comment */ g();
  while x == 1u {
    x++;
  }
  if x == 2u { } else if x == 3u { g(); }
}
"""
    lowered, source = lower(read(text)), Source(text)
    assert lowered.shader == parse(text)
    found = [source.position(lowered.starts[id(s)]) for f in lowered.shader.all_functions for s in ast.walk(f.body)]
    assert found == [
        (1, 10),  # the `return 0u` of g stands at its closing brace
        (3, 3),
        (4, 14),
        (5, 3),  # while
        (5, 3),  # its if
        (5, 3),  # its break
        (6, 5),
        (7, 3),  # its continue, which goes without saying
        (8, 3),
        (8, 23),
        (8, 36),
    ]


@given(shaders())
def test_every_statement_is_an_object_of_its_own_and_stands_within_its_parent(shader: ast.Shader) -> None:
    lowered = lower(read(print_shader(shader)))
    seen = [id(s) for f in lowered.shader.all_functions for s in ast.walk(f.body)]
    assert len(seen) == len(set(seen))
    for f in lowered.shader.all_functions:
        for s in ast.walk(f.body):
            for inner in ast.blocks_of(s):
                for child in inner:
                    assert lowered.starts[id(child)] >= lowered.starts[id(s)]


@given(shaders(), st.randoms(use_true_random=False))
def test_declarations_may_stand_in_any_order(shader: ast.Shader, random: Random) -> None:
    text = print_shader(shader)
    parts = re.findall(r"(?ms)^(?:@group|var<).*?;$|^(?:fn |@compute).*?^\}", text)
    assert len(parts) == len(shader.arrays) + len(shader.all_functions)
    random.shuffle(parts)
    shuffled = parse("\n".join(parts))
    assert {a.name: a for a in shuffled.arrays} == {a.name: a for a in shader.arrays}
    assert {f.name: f.params for f in shuffled.functions} == {f.name: f.params for f in shader.functions}
    declared: set[str] = set()
    for f in shuffled.all_functions:
        assert all(s.function in declared for s in ast.walk(f.body) if isinstance(s, ast.Call))
        declared.add(f.name)
