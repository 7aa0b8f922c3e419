"""What `lower` makes of trees that several texts have, and of trees that no text has."""

import pytest

from tests.wgsl.reading import ParseError, parse
from wgsl_fuzz.wgsl.lexer import pieces
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.parser import parse as parse_wgsl
from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import (
    Attribute,
    Block,
    Expression,
    Function,
    Identifier,
    Literal,
    Module,
    Phony,
    Unary,
    Variable,
)

TEXT = "var<workgroup> A: array<i32, 4>; @compute @workgroup_size(2) fn main(@builtin({}) id: {}) {{ var x = 1i; {} }}"


def text_of(statements: str) -> str:
    return TEXT.format("local_invocation_id", "vec3u", statements)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("(x) = 2i;", "x = 2i;"),
        ("(A)[0] = 2i;", "A[0] = 2i;"),
        ("(x)++;", "x++;"),
        ("x = i32((id).x);", "x = i32(id.x);"),
        ("x = 2i--x;", "x = 2i - -x;"),
        ("var<function,> y = 1;", "var y = 1;"),
    ],
)
def test_parentheses_and_commas_leave_no_trace(written: str, plain: str) -> None:
    assert parse(text_of(written)) == parse(text_of(plain))


def test_a_minus_is_part_of_the_literal_only_right_before_it() -> None:
    assert parse(text_of("x = -5i;")) == parse(text_of("x = - /* */ 5i;"))
    assert parse(text_of("x = -5i;")) != parse(text_of("x = -(5i);"))


@pytest.mark.parametrize("word", ["handle", "signed", "ComputeShader"])
def test_words_that_were_reserved_once_are_refused(word: str) -> None:
    parse_wgsl(text_of(f"let {word} = 1;"))
    with pytest.raises(ParseError, match=f"{word} was reserved in the draft of 2023"):
        parse(text_of(f"let {word} = 1;"))


def test_functions_that_are_called_early_are_sorted_with_their_starts() -> None:
    text = "@compute @workgroup_size(2) fn main() { } fn a() { b(); } fn b() { workgroupBarrier(); }"
    lowered = lower(resolve(parse_wgsl(text)))
    assert [f.name for f in lowered.shader.functions] == ["b", "a"]
    barrier = lowered.shader.functions[0].body[0]
    assert lowered.starts[id(barrier)] == text.index("workgroupBarrier")


def made(value: Expression) -> Module:
    """A tree without places that evaluates `value`."""
    attributes = (Attribute("compute"), Attribute("workgroup_size", (Literal("2"),)))
    body = Block((Variable("x", None, Literal("true")), Phony(value)))
    return Module((), (Function("main", (), body, attributes=attributes),))


def test_trees_without_places_are_lowered_and_measured() -> None:
    value: Expression = Identifier("x")
    assert lower(resolve(made(value))).shader.workgroup_size == 2
    for _ in range(500):
        value = Unary("!", value)
    with pytest.raises(LoweringProblem, match="nested operators") as caught:
        lower(resolve(made(value)))
    assert caught.value.start == -1


def test_pieces_are_tokens_whether_they_can_be_any_or_not() -> None:
    expected = "a >>= 1 ; array < vec2 < u32 >> # 007"
    assert " ".join(pieces("a>>=1; /* b */ array<vec2<u32>> # 007")) == expected
