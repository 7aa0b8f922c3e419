"""What is no TinyWGSL, why, and where: `§` stands before the construct that the message is about."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wgsl.reading import ParseError, parse
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader

PRELUDE = """\
@group(0) @binding(0) var<storage, read_write> A: array<u32, 4>;
var<workgroup> w: i32;
fn f(fx: u32) -> u32 { return fx; }
fn p(px: bool, py: bool) -> bool { return px && py; }
fn v() { }
"""
MAIN = "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lid: u32) {\n  BODY\n}\n"


def refusal(marked: str) -> str:
    """The message for a text; checks that it is about the marked place."""
    before, _, after = marked.partition("§")
    with pytest.raises(ParseError) as caught:
        parse(before + after)
    error = caught.value
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    assert (error.line, error.column) == (line, column), error
    assert str(error) == f"line {line}, column {column}: {error.message}"
    return error.message


IN_A_FUNCTION = {
    # constructs outside TinyWGSL
    "§switch lid { default { } }": "switch is outside TinyWGSL",
    "var x: §f32;": "f32 is outside TinyWGSL",
    "var x: §vec2<u32>;": "vec2 is outside TinyWGSL",
    "var x: §array<u32, 2>;": "values of array type are outside TinyWGSL",
    "let x = §A;": "A is an array: values of array type are outside TinyWGSL",
    "let x = §1.5;": "floating point is outside TinyWGSL",
    "let x = §1f;": "floating point is outside TinyWGSL",
    "let x = §0x1.8p3;": "floating point is outside TinyWGSL",
    "let x = §.5f;": "floating point is outside TinyWGSL",
    "let x = §&w;": "pointers are outside TinyWGSL",
    "let x = §min(1u, 2u);": "min is outside TinyWGSL",
    "let x = §bitcast<u32>(1i);": "bitcast is outside TinyWGSL",
    "§@diagnostic(off, derivative_uniformity) if true { }": "attributes of statements are outside TinyWGSL",
    # names
    "let §loop = 1;": "expected the name of a value, found the keyword 'loop'",
    "let §await = 1;": "'await' is a reserved word",
    "let §__x = 1;": "an identifier must not start with two underscores",
    "let §_ = 1;": "expected the name of a value, found '_'",
    # types
    "var x = 1u; x = §1i;": "expected u32, found i32",
    "var x = 1u; x = §true;": "expected u32, found bool",
    "var x = true; x = §1;": "expected bool, found an integer",
    "if §lid { }": "expected bool, found u32",
    "let x = §1u + 1i;": "+ does not take u32 and i32",
    "let x = §true + 1;": "+ does not take bool and an integer",
    "let x = §true < false;": "< does not take bool and bool",
    "let x = §lid && true;": "&& does not take u32 and bool",
    "let x = §1 && true;": "&& does not take an integer and bool",
    "let x = §lid << 1i;": "<< does not take u32 and i32",
    "let x = §true << 1u;": "<< does not take bool and u32",
    "let x = §true ^ false;": "^ does not take bool and bool",
    "let x = §-lid;": "- does not take u32",
    "let x = §!lid;": "! does not take u32",
    "let x = §!1;": "! does not take an integer",
    "let x = §~true;": "~ does not take bool",
    "var x = true; §x++;": "+ does not take bool and an integer",
    "let x = A[§true];": "the index of a shared array is bool",
    "let x = f(§1i);": "expected u32, found i32",
    "let x: bool = §1;": "expected bool, found an integer",
    "w = §1u;": "expected i32, found u32",
    "§w[0] = 1;": "w is no shared array",
    # what cannot be assigned
    # numbers
    "let x = §4294967296u;": "4294967296u does not fit u32",
    "let x = -§2147483648i;": "2147483648i does not fit i32",
    "let x = §2147483648;": "2147483648 does not fit i32",
    "let x = §lid + -1;": "-1 does not fit u32",
    "let x = u32(§-1);": "-1 does not fit u32",
    "let x = §007;": "an integer must not have leading zeros",
    "let x = 0§x;": "expected ';' behind the value, found 'x'",
    "let x = §9223372036854775807 + 1;": "9223372036854775808 does not fit a 64-bit integer",
    "let x = §1 / 0;": "constant divisor of zero",
    "let x = §1 << 64;": "constant shift by 64 or more",
    "const x = §1u / 0u;": "constant divisor of zero",
    "const x = §1u << 32u;": "constant shift by 32 or more",
    "const_assert §1 > 2;": "const_assert fails",
    "const_assert §1;": "expected bool",
    # precedence
    "let x = 0 < 1 §< 2;": "'<' behind '<' needs parentheses around one of the two",
    "let x = lid == 1u §== true;": "'==' behind '==' needs parentheses around one of the two",
    "let x = true && true §|| true;": "'||' behind '&&' needs parentheses around one of the two",
    "let x = lid & 1u §| 2u;": "'|' behind '&' needs parentheses around one of the two",
    "let x = lid & 1u §== 2u;": "'==' behind '&' needs parentheses around one of the two",
    "let x = lid == 1u §& 2u;": "'&' behind '==' needs parentheses around one of the two",
    "let x = lid + 1u §& 2u;": "'&' behind '+' needs parentheses around one of the two",
    "let x = lid + 1u §<< 2u;": "'<<' behind '+' needs parentheses around one of the two",
    "let x = lid << 1u §+ 2u;": "'+' behind '<<' needs parentheses around one of the two",
    "let x = lid << 1u §<< 2u;": "'<<' behind '<<' needs parentheses around one of the two",
    "let x = lid & 1u §+ 2u;": "'+' behind '&' needs parentheses around one of the two",
    "let x = p(lid < 1u, 2u >§= lid);": "expected ')' behind the arguments, found '='",
    # places
    "§break if true;": "'break if' may only end a continuing block",
    "loop { §break if true; }": "'break if' may only end a continuing block",
    "loop { continuing { break if true; §w = 1; } }": "expected a statement or '}', found 'w'",
    "loop { continuing { { §break if true; } } }": "'break if' may only end a continuing block",
    "loop { continuing { } §break; }": "expected a statement or '}', found 'break'",
    "loop { if true { §continuing { } } }": "'continuing' may only end the body of a loop",
    "while true { §continuing { } }": "'continuing' may only end the body of a loop",
    "§continuing { }": "'continuing' may only end the body of a loop",
    # syntax
    "let x §;": "expected '=' behind the name and type of a value, found ';'",
    "let x = §;": "expected an expression, found ';'",
    "let x = (1 §;": "expected ')' behind the expression in parentheses, found ';'",
    "if true §w = 1;": "expected '{' before the body of 'if', found 'w'",
    "§else { }": "expected a statement, found 'else'",
    "let x = §#;": "invalid character '#'",
    "§😀 = 1;": "invalid character '😀'",
    "for (var i = 0; i < 2; i §< 3) { }": "expected an assignment, an increment or a call, found '<'",
    "for (var i = 0; i < 2§) { }": "expected ';' behind the condition of 'for', found ')'",
}


@pytest.mark.parametrize("statements", IN_A_FUNCTION)
def test_refused_in_a_function(statements: str) -> None:
    assert refusal(PRELUDE + MAIN.replace("BODY", statements)) == IN_A_FUNCTION[statements]


EMPTY = "@compute @workgroup_size(1) fn main() { }"
AT_MODULE_SCOPE = {
    "§var<private> x: u32;": "x in the address space private is outside TinyWGSL",
    "§@group(0) @binding(0) var<uniform> x: u32;": "x in the address space uniform is outside TinyWGSL",
    "§@group(0) @binding(0) var t: texture_2d<f32>;": "t in the address space handle is outside TinyWGSL",
    "§@group(0) @binding(0) var<storage> x: u32;": "var<storage, read> is outside TinyWGSL",
    "§struct S { x: u32 }": "struct is outside TinyWGSL",
    "§override n = 1;": "override is outside TinyWGSL",
    "§enable f16;": "enable is outside TinyWGSL",
    "§requires packed_4x8_integer_dot_product;": "requires is outside TinyWGSL",
    "§diagnostic(off, derivative_uniformity);": "diagnostic is outside TinyWGSL",
    "§x = 1;": "expected a declaration, found 'x'",
    "var<workgroup> x: §atomic<u32>;": "atomic is outside TinyWGSL",
    "var<workgroup> x: array<§array<u32, 2>, 2>;": "arrays of arrays are outside TinyWGSL",
    "var<workgroup> x: array<u32, §0>;": "the size of an array must be a positive integer",
    "var<workgroup> x: array<u32, §true>;": "the size of an array must be a positive integer",
    "§var<workgroup> x: array<u32>;": "only a storage array is sized at run time",
    "§@group(0) @binding(0) var<storage, read_write> x: array<bool, 2>;": "bool cannot be in storage",
    "@group(§-1) @binding(0) var<storage, read_write> x: u32;": "-1 does not fit u32",
}


@pytest.mark.parametrize("text", AT_MODULE_SCOPE)
def test_refused_at_module_scope(text: str) -> None:
    assert refusal(text + "\n" + EMPTY) == AT_MODULE_SCOPE[text]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("§", "no @compute entry point"),
        ("fn f() { }§", "no @compute entry point"),
        (EMPTY + "\n§@compute @workgroup_size(1) fn other() { }", "more than one entry point"),
        (EMPTY[:-2] + "§", "expected a statement or '}', found the end of the text"),
        (EMPTY + " §/* /* */ ", "the block comment does not end"),
        ("@compute §@workgroup_size(0) fn main() { }", "@workgroup_size takes one to three positive integers"),
        ("@compute §@workgroup_size fn main() { }", "'@workgroup_size' takes 1 to 3 arguments, found 0"),
        (
            "@compute @workgroup_size(1) fn main(§@builtin(workgroup_id) x: vec3u) { }",
            "the parameter x of the entry point is outside TinyWGSL",
        ),
        (
            "@compute @workgroup_size(2, 2) fn main(§@builtin(local_invocation_id) x: vec3u) { }",
            "local_invocation_id of a workgroup that is not (N, 1, 1) is outside TinyWGSL",
        ),
        (
            "@compute @workgroup_size(2) fn main(@builtin(local_invocation_id) x: vec3u) { let y = §x.y; }",
            "of x only x.x is inside TinyWGSL",
        ),
    ],
)
def test_refused_as_a_whole(text: str, message: str) -> None:
    assert refusal(text) == message


def test_lines_end_as_wgsl_says() -> None:
    assert refusal("\n" * 3 + "§?") == "invalid character '?'"
    for end in ("\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"):
        with pytest.raises(ParseError) as caught:
            parse(f"//x{end}/* {end} */ ?")
        assert (caught.value.line, caught.value.column) == (3, 5)


# ------------------------------------------------------------------------------------------------- no other exception


def shader_or_error(text: str) -> Shader | ParseError:
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


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    answer = shader_or_error(text)
    if isinstance(answer, ParseError):
        assert answer.line >= 1
        assert answer.column >= 1


@given(st.binary())
def test_any_bytes_have_an_answer(data: bytes) -> None:
    shader_or_error(data.decode("latin-1"))
    shader_or_error(data.decode("utf-8", errors="surrogateescape"))


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_any_words_have_an_answer(words: list[str]) -> None:
    shader_or_error(" ".join(words))
    shader_or_error(PRELUDE + MAIN.replace("BODY", " ".join(words)))


RICH = PRELUDE + MAIN.replace(
    "BODY",
    "var x = f(lid) + A[0u]; for (var i = 0; i < 4; i++) { if p(x < 1u, true) && p(true, false) { continue; } "
    "loop { x += 1u; continuing { w = -w; break if !(x == 2u); } } } A[x & 3u] ^= 1u; while x != 3u { v(); } return;",
)


@given(st.data())
def test_damaged_shaders_have_an_answer(data: st.DataObject) -> None:
    """A shader with a piece cut out, replaced or repeated: a ParseError, or a shader that can be printed and read."""
    start = data.draw(st.integers(0, len(RICH)))
    end = data.draw(st.integers(start, min(len(RICH), start + 12)))
    piece = data.draw(st.one_of(st.just(""), st.sampled_from(WORDS), st.just(RICH[start:end] * 2)))
    answer = shader_or_error(RICH[:start] + piece + RICH[end:])
    if isinstance(answer, Shader):
        assert parse(print_shader(answer)) == answer


DEEP: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: "w = " + "(" * n + "1" + ")" * n + ";",
    "negations": lambda n: "let b = " + "!" * n + "true;",
    "indices": lambda n: "let b = " + "A[" * n + "0" + "]" * n + ";",
    "conversions": lambda n: "let b = " + "u32(" * n + "lid" + ")" * n + ";",
    "calls": lambda n: "let b = " + "f(" * n + "lid" + ")" * n + ";",
    "sums": lambda n: "let b = lid" + " + lid" * n + ";",
    "sums before calls": lambda n: "let b = (A[0]" + " + lid" * n + ") * f(lid);",
    "sums in arguments": lambda n: "f(lid" + " + lid" * n + ");",
    "sums in targets": lambda n: "A[lid" + " + lid" * n + "] = 1u;",
    "conjunctions before calls": lambda n: "let b = true" + " && true" * n + " && p(true, true);",
    "right sums": lambda n: "let b = " + "lid + (" * n + "lid" + ")" * n + ";",
    "short circuits": lambda n: "let b = " + "true && (" * n + "p(true, true)" + ")" * n + ";",
    "shifts": lambda n: "let b = 1 << ((1u" + " + 1u" * n + ") % 8u);",
    "ifs": lambda n: "if true { " * n + "}" * n,
    "else ifs": lambda n: "if true { }" + " else if true { }" * n,
    "loops": lambda n: "loop { break; " * n + "}" * n,
    "continuings": lambda n: "loop { break; continuing { " * n + "}}" * n,
    "blocks": lambda n: "{" * n + "}" * n,
    "open parentheses": lambda n: "w = " + "(" * n,
    "open ifs": lambda n: "if true { " * n,
    "comments": lambda n: "/*" * n + "*/" * n,
}
UNLIMITED = {"comments"}


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize("depth", [30, 90, 99, 110, 395, 600, 3000, 30000])
def test_nesting_is_limited_and_does_not_overflow(name: str, depth: int) -> None:
    text = PRELUDE + MAIN.replace("BODY", DEEP[name](depth))
    answer = shader_or_error(text)
    if depth <= 90 // (2 if name == "continuings" else 1) and not name.startswith("open"):
        assert isinstance(answer, Shader), answer
    if depth >= 600 and name not in UNLIMITED:
        assert isinstance(answer, ParseError)


def test_constants_may_be_declared_in_any_order() -> None:
    def chain(n: int) -> str:
        return "".join(f"const c{i} = c{i + 1}; " for i in range(n)) + f"const c{n} = 1u;\n" + EMPTY

    assert isinstance(parse(chain(3000)), Shader)


def test_long_chains_of_functions_are_sorted() -> None:
    functions = "".join(f"fn f{i}() {{ f{i + 1}(); }}\n" for i in range(3000))
    shader = parse(functions + "fn f3000() { }\n" + EMPTY)
    assert [f.name for f in shader.functions[:2]] == ["f3000", "f2999"]


def test_many_digits() -> None:
    assert isinstance(shader_or_error(EMPTY.replace("{ }", "{ let x = " + "1" * 10000 + "; }")), ParseError)
