"""Each normalisation of the parser, held against what the printer makes of its result."""

from textwrap import dedent

import pytest

from tests.wgsl.reading import parse
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Call,
    Function,
    If,
    Literal,
    Local,
    Loop,
    Type,
    Unary,
    Variable,
    renumbered,
)
from wgsl_fuzz.tinywgsl.printer import print_shader

PRELUDE = """
@group(0) @binding(0) var<storage, read_write> A: array<u32, 4>;
var<workgroup> W: array<i32, 8>;
fn f(fx: u32) -> u32 { return fx; }
fn g(gx: u32, gy: u32) -> u32 { return gx + gy; }
fn p() -> bool { return true; }
fn v() { workgroupBarrier(); }
"""


def body_of(statements: str) -> str:
    """The printed body of a `main` with these statements."""
    text = (
        PRELUDE + "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lid: u32) {" + statements + "}"
    )
    shader = parse(text)
    printed = print_shader(shader)
    assert shader == renumbered(shader), "the IDs are canonical"
    assert parse(printed) == shader, "what is printed comes back"
    return dedent(printed[printed.index("lid: u32) {\n") + len("lid: u32) {\n") : printed.rindex("}")])


CASES = {
    "while": (
        "var x = 0u; while x < lid { x = 1u; }",
        """
        var x: u32;
        x = 0u;
        loop {
          if (!(x < lid)) {
            break;
          }
          x = 1u;
          continue;
        }
        """,
    ),
    "while, double negation": (
        "while (!(lid == 1u)) { }",
        """
        loop {
          if (lid == 1u) {
            break;
          }
          continue;
        }
        """,
    ),
    "for": (
        "for (var i = 0; i < 4; i++) { if i == 2 { continue; } workgroupBarrier(); }",
        """
        var i: i32;
        i = 0i;
        loop {
          if (!(i < 4i)) {
            break;
          }
          if (i == 2i) {
            continue;
          }
          workgroupBarrier();
          continue;
          continuing {
            i = i + 1i;
          }
        }
        """,
    ),
    "for without parts": (
        "for (;;) { break; }",
        """
        loop {
          break;
          continue;
        }
        """,
    ),
    "for, the update sees the init but not the body": (
        "for (var i = 0u; i < 2u; i += 3u) { let i = true; }",
        """
        var i: u32;
        var i_1: bool;
        i = 0u;
        loop {
          if (!(i < 2u)) {
            break;
          }
          i_1 = true;
          continue;
          continuing {
            i = i + 3u;
          }
        }
        """,
    ),
    "for with calls everywhere": (
        "for (v(); p(); v()) { let x = f(lid); }",
        """
        var t1: u32;
        var t2: bool;
        var x: u32;
        var t3: u32;
        t1 = v();
        loop {
          t2 = p();
          if (!t2) {
            break;
          }
          x = f(lid);
          continue;
          continuing {
            t3 = v();
          }
        }
        """,
    ),
    "else if": (
        "if lid == 0u { storageBarrier(); } else if (lid == 1u) { textureBarrier(); } else { }",
        """
        if (lid == 0u) {
          workgroupBarrier();
        } else {
          if (lid == 1u) {
            workgroupBarrier();
          }
        }
        """,
    ),
    "else if with a call": (
        "if lid == 0u { } else if p() { workgroupBarrier(); }",
        """
        var t1: bool;
        if (lid == 0u) {
        } else {
          t1 = p();
          if (t1) {
            workgroupBarrier();
          }
        }
        """,
    ),
    "compound assignment of a local": (
        "var x = 1u; var y = 2i; x += lid; x <<= 1; y -= 3; x &= 7; x--; y *= -2;",
        """
        var x: u32;
        var y: i32;
        x = 1u;
        y = 2i;
        x = x + lid;
        x = x << 1u;
        y = y - 3i;
        x = x & 7u;
        x = x - 1u;
        y = y * -2i;
        """,
    ),
    "compound assignment of an element": (
        "A[lid & 3u] += 1; W[1]++; A[A[0u] % 4] ^= A[1u];",
        """
        A[lid & 3u] = A[lid & 3u] + 1u;
        W[1i] = W[1i] + 1i;
        A[A[0u] % 4u] = A[A[0u] % 4u] ^ A[1u];
        """,
    ),
    "compound assignment with a call in the index": (
        "A[f(lid)] += 1u;",
        """
        var t1: u32;
        t1 = f(lid);
        A[t1] = A[t1] + 1u;
        """,
    ),
    "compound assignment with a call on the right": (
        "A[0u] += f(1u);",
        """
        var t1: u32;
        var t2: u32;
        t2 = A[0u];
        t1 = f(1u);
        A[0u] = t2 + t1;
        """,
    ),
    "let and var with types": (
        "let a: u32 = 5; var b: i32 = 5; let c = 5; var d: bool; var<function> e = true; const h = 2; let i = h + lid;",
        """
        var a: u32;
        var b: i32;
        var c: i32;
        var d: bool;
        var e: bool;
        var i: u32;
        a = 5u;
        b = 5i;
        c = 5i;
        e = true;
        i = 2u + lid;
        """,
    ),
    "var in a loop starts again": (
        "loop { var x: u32; if true { var b: bool; } break; continuing { var i: i32; } }",
        """
        var x: u32;
        var b: bool;
        var i: i32;
        loop {
          x = 0u;
          if (true) {
            b = false;
          }
          break;
          continue;
          continuing {
            i = 0i;
          }
        }
        """,
    ),
    "break if": (
        "loop { continuing { ; break if p() } }".replace("p() }", "p(); }"),
        """
        var t1: bool;
        loop {
          continue;
          continuing {
            t1 = p();
            break if t1;
          }
        }
        """,
    ),
    "calls in expressions, in order": (
        "let x = A[0u] + f(A[1u]) * f(f(lid));",
        """
        var t1: u32;
        var t2: u32;
        var t3: u32;
        var t4: u32;
        var x: u32;
        t4 = A[0u];
        t1 = f(A[1u]);
        t2 = f(lid);
        t3 = f(t2);
        x = t4 + (t1 * t3);
        """,
    ),
    "arguments keep their values": (
        "var x: u32; x = g(A[0u], f(2u));",
        """
        var x: u32;
        var t1: u32;
        var t2: u32;
        t2 = A[0u];
        t1 = f(2u);
        x = g(t2, t1);
        """,
    ),
    "an index keeps its value": (
        "A[A[1u] & 3u] = f(2u);",
        """
        var t1: u32;
        var t2: u32;
        t2 = A[1u] & 3u;
        t1 = f(2u);
        A[t2] = t1;
        """,
    ),
    "a call as a statement": (
        "f(lid); _ = f(1u); v(); _ = A[0u]; _ = f(2) + 1;",
        """
        var t1: u32;
        var t2: u32;
        var t3: u32;
        var t4: u32;
        t1 = f(lid);
        t2 = f(1u);
        t3 = v();
        t4 = f(2u);
        """,
    ),
    "a call behind &&": (
        "if lid == 0u && p() { }",
        """
        var t1: bool;
        t1 = lid == 0u;
        if (t1) {
          t1 = p();
        }
        if (t1) {
        }
        """,
    ),
    "a call behind ||": (
        "let b = lid == 0u || f(1u) == 2u;",
        """
        var t1: u32;
        var t2: bool;
        var b: bool;
        t2 = lid == 0u;
        if (!t2) {
          t1 = f(1u);
          t2 = t1 == 2u;
        }
        b = t2;
        """,
    ),
    "a call before || stays a value": (
        "let b = p() || lid == 0u;",
        """
        var t1: bool;
        var b: bool;
        t1 = p();
        b = t1 || (lid == 0u);
        """,
    ),
    "a call in a while condition": (
        "while p() { }",
        """
        var t1: bool;
        loop {
          t1 = p();
          if (!t1) {
            break;
          }
          continue;
        }
        """,
    ),
    "temporaries avoid the text's names": (
        "var t1 = 0u; t1 = f(1u) + 1u; { let t2 = t1; }",
        """
        var t1: u32;
        var t3: u32;
        var t2: u32;
        t1 = 0u;
        t3 = f(1u);
        t1 = t3 + 1u;
        t2 = t1;
        """,
    ),
    "blocks and empty statements": (
        "{ { ; } let x = 1u; { let x = x; } } ;; let x = true;",
        """
        var x: u32;
        var x_1: u32;
        var x_2: bool;
        x = 1u;
        x_1 = x;
        x_2 = true;
        """,
    ),
    "shadowing a function and an array": (
        "let f = A[0u]; let A = f;",
        """
        var f_1: u32;
        var A_1: u32;
        f_1 = A[0u];
        A_1 = f_1;
        """,
    ),
    "literals": (
        "var a = -5i; a = -(5i); a = i32(-2147483648); var b = u32(5); b = u32(5u); b = 0xFFu; a = -0x10; b = u32();",
        """
        var a: i32;
        var b: u32;
        a = -5i;
        a = -(5i);
        a = i32(-2147483648);
        b = 5u;
        b = u32(5u);
        b = 255u;
        a = -16i;
        b = 0u;
        """,
    ),
    "numbers without a suffix are exact": (
        "const big = 3000000000 * 2 / 2; var x = 1u; x = big; x = 1 << 3; x = 1 << 3u; x += -1 + 2; let y = 1 << lid;",
        """
        var x: u32;
        var y: i32;
        x = 1u;
        x = 3000000000u;
        x = 8u;
        x = 8u;
        x = x + 1u;
        y = 1i << lid;
        """,
    ),
    "precedence": (
        "let a = lid + 1u * 2u << 0u == 1u;".replace(" << 0u", "")
        + "let b = lid - 1u - 2u; let c = lid << 1u < 3u && a && !a;",
        """
        var a: bool;
        var b: u32;
        var c: bool;
        a = (lid + (1u * 2u)) == 1u;
        b = (lid - 1u) - 2u;
        c = (((lid << 1u) < 3u) && a) && !a;
        """,
    ),
    "&& stays && without calls": (
        "let a = lid == 0u || A[0u] == 1u;",
        """
        var a: bool;
        a = (lid == 0u) || (A[0u] == 1u);
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_desugars(name: str) -> None:
    statements, expected = CASES[name]
    assert body_of(statements) == dedent(expected).lstrip("\n")


def shader_of(text: str) -> str:
    shader = parse(text)
    printed = print_shader(shader)
    assert parse(printed) == shader
    return printed


def function(text: str, name: str) -> Function:
    return next(f for f in parse(text).all_functions if f.name == name)


MAIN = "@compute @workgroup_size(1) fn main() { }"


def test_void_functions_return_zero() -> None:
    f = function("fn h(x: u32) { if x == 0u { return; } }" + MAIN, "h")
    assert f.result is Type.U32
    printed = shader_of("fn h(x: u32) { if x == 0u { return; } }" + MAIN)
    assert printed.count("return 0u;") == 2
    assert shader_of("fn h() { return; }" + MAIN).count("return") == 1


def test_an_assigned_parameter_loses_its_copy() -> None:
    f = function("fn h(y_in: u32, z: u32) -> u32 { var y = y_in; y = z; return y; }" + MAIN, "h")
    assert f.params == (Variable("y", Type.U32), Variable("z", Type.U32))
    assert f.locals == ()
    assert f.body[0] == Assign("y", Local("z", Type.U32))


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
    assert f.params == (Variable("y_in", Type.U32),)
    assert f.locals == (Variable("y", Type.U32),)


def test_copies_of_parameters_leave_their_name_to_others() -> None:
    text = "fn h(y_in: u32) { var y = y_in; y = 1u; } fn k() { var y_in: u32; y_in = 1u; }" + MAIN
    assert function(text, "k").locals == (Variable("y_in", Type.U32),)


def test_locals_of_two_functions_are_told_apart() -> None:
    text = "fn h(x: u32) -> u32 { return x; } fn k(x: u32) -> u32 { let x_1 = x; return x_1; }" + MAIN
    k = function(text, "k")
    assert k.params == (Variable("x_2", Type.U32),)
    assert k.locals == (Variable("x_1", Type.U32),)


def test_a_local_may_not_be_called_lid_or_main_or_like_a_type() -> None:
    names = [v.name for v in function("fn h() { var lid = 1u; var main = 1u; var f32 = 1u; }" + MAIN, "h").locals]
    assert names == ["lid_1", "main_1", "f32_1"]


def test_names_of_wgsl_that_the_text_hides_are_not_hidden_in_the_ast() -> None:
    text = "fn storage() { storageBarrier(); } fn workgroupBarrier() -> bool { return true; }" + MAIN
    text = text.replace("main() { }", "main() { let storage = workgroupBarrier(); textureBarrier(); }")
    shader = parse(text)
    assert [f.name for f in shader.functions] == ["storage_1", "workgroupBarrier_1"]
    assert [v.name for v in shader.main.locals] == ["storage"]
    assert shader.main.body == (Call(2, "storage", "workgroupBarrier_1", ()), Barrier(3))
    assert shader_of(text)


def test_functions_are_sorted_stably() -> None:
    text = "fn a() { c(); } fn b() { } fn c() { d(); } fn d() { } fn e() { a(); }" + MAIN
    assert [f.name for f in parse(text).functions] == ["d", "c", "a", "b", "e"]
    assert shader_of(text)
    in_order = "fn d() { } fn c() { d(); } fn z() { } fn b() { d(); }"
    assert [f.name for f in parse(MAIN + in_order).functions] == ["d", "c", "z", "b"]


def test_the_ids_are_canonical_after_sorting() -> None:
    shader = parse("fn a() { workgroupBarrier(); b(); } fn b() { loop { break; } }" + MAIN)
    assert shader == renumbered(shader)


def test_the_entry_point_may_have_any_name_and_params() -> None:
    text = (
        "@workgroup_size(8,) @compute fn go(@builtin(local_invocation_index) i: u32,) { main(i); } fn main(x: u32) { }"
    )
    shader = parse(text)
    assert (shader.main.name, shader.workgroup_size) == ("main", 8)
    assert [f.name for f in shader.functions] == ["main_1"]


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
    values = [s.value for s in parse(text).main.body if isinstance(s, Assign)][:3]
    assert values == [Literal(2, Type.U32), Literal(True, Type.BOOL), Literal(0, Type.I32)]


def test_comments_and_blanks_count_for_nothing() -> None:
    plain = "var<workgroup> a: array<u32, 2>; @compute @workgroup_size(1) fn main() { a[0] = 1u; if true { } }"
    spaced = plain.replace(" ", " /* a /* nested */ * / // */\u2028\t\u200e").replace(";", " ; // */ /* \r\n")
    assert parse(spaced) == parse(plain)


def test_names_beyond_ascii() -> None:
    text = MAIN.replace("{ }", "{ var Δέλτα = 1u; Δέλτα += 1u; let 朝焼け = Δέλτα; }")
    assert [v.name for v in parse(text).main.locals] == ["Δέλτα", "朝焼け"]


def test_a_negated_condition_is_not_negated_again() -> None:
    shader = parse(MAIN.replace("{ }", "{ var b = true; for (; !b; ) { } while !!b { } }"))
    loops = [s for s in shader.main.body if isinstance(s, Loop)]
    b = Local("b", Type.BOOL)
    conditions = [s.condition for loop in loops for s in loop.body if isinstance(s, If)]
    assert conditions == [b, Unary("!", b)]
