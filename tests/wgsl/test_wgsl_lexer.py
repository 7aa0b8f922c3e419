"""Tokens: numbers, names, blanks, comments, and which `<` and `>` enclose a template list."""

import re

import pytest

from tests.wgsl.texts import VALID
from wgsl_fuzz.wgsl.lexer import CLOSE, OPEN, number_of, pieces, tokens
from wgsl_fuzz.wgsl.problems import SyntaxProblem

BLANKS = " \t\n\v\f\r\x85\u200e\u200f\u2028\u2029"


def texts_of(text: str) -> list[str]:
    return tokens(text).texts[:-1]


NUMBERS = """
    0 7 12 0u 0i 12u 12i 0x0 0X1F 0xAu 0xfi 0f 0h 1f 12h 0.0 .5 1. 1.f 1.5h 1e3 1e-3 1E+3f .5e1 1.e2h 00.5 01e2
    0x.8 0x1. 0x1.8 0x1p3 0x1P-3f 0x.8p+1h 0x1.p2
"""


@pytest.mark.parametrize("number", NUMBERS.split())
def test_a_number_is_one_token_and_a_literal(number: str) -> None:
    found = tokens(number)
    assert found.texts == [number, ""]
    assert found.literals == {number}


ENDS = """
    1u2 -> 1u 2 | 1x -> 1 x | 0x -> 0 x | 0xg -> 0 xg | 1e -> 1 e | 1e+ -> 1 e + | 0x1p -> 0x1 p | 1.5u -> 1.5 u
    0x1h -> 0x1 h | 1.2.3 -> 1.2 .3 | a.5 -> a .5 | 1..2 -> 1. .2 | 1.x -> 1. x
"""
"""A number ends where its pattern ends."""
LONGEST = """
    a--b => a - - b   a-- ; => a -- ;   a--/* */) => a -- )   a---b => a - - - b   a++b => a ++ b   a->b => a -> b
    a<<=b<=c<<d<e => a <<= b <= c << d < e   1>>=b>=c>>d>e => 1 >>= b >= c >> d > e   1>>>=2 => 1 >> >= 2
    1> >=2 => 1 > >= 2   a&&&b|||c => a && & b || | c   a===b!==c => a == = b != = c
    a^=b^c%=d%e => a ^= b ^ c %= d % e
"""
"""The longest operator is taken."""
TOKENS = [
    *(pair.strip().split(" -> ") for line in ENDS.strip().splitlines() for pair in line.split("|")),
    *(pair.split(" => ") for pair in re.split("   +|\n +", LONGEST.strip())),
]


@pytest.mark.parametrize(("text", "expected"), TOKENS)
def test_numbers_and_operators_end_where_they_must(text: str, expected: str) -> None:
    assert texts_of(text) == expected.split()


TEMPLATES = """
a ‹ b › c   a ( b ‹ c , d › ( e ) )   a ‹ b < < c ›   a ‹ b <= c ›   a ‹ ( b >= c ) ›   a ‹ ( b != c ) ›
a ‹ ( b == c ) ›   a ‹ b == c ›   a ‹ b != c ›
array ‹ i32 , select ( 2 , 3 , a > b ) ›   a [ b < d ] > ( )   a ‹ b [ c > d ] ›
array ‹ vec2 ‹ f32 ››   array ‹ vec2 ‹ f32 › › > 2   ( a < b && c > d   ( a < b || c > d   a < b ; c > d   a < b = c > d
a < b += c > d   a < b : c > d   a < b { c > d   ( a < b ) > c   a ‹ b ‹ c › ( ) ›   1 < b , c > d   ) < b , c > d
a ‹ b › = c   a ‹ b › == c   var ‹ private › x   a ‹ 1 < b › c   f ( a < b , c [ d >= e ] , g ) > h
f ( a ‹ b , c [ d >= e ] , g › ( h ) )   a ‹ ( b && c ) ›   a < b && c ‹ d ›
"""
"""The examples of 3.9 and their relatives: `‹` and `›` enclose template lists."""


@pytest.mark.parametrize("text", re.split("   |\n", TEMPLATES.strip()))
@pytest.mark.parametrize("blank", ["", " ", "/**/"])
def test_template_lists_are_found(text: str, blank: str) -> None:
    words = text.replace("< <", "<<").replace("››", "› ›").split()
    plain = {"‹": "<", "›": ">"}
    found = texts_of(blank.join(plain.get(word, word) for word in words))
    assert [{OPEN: "‹", CLOSE: "›"}.get(word, word) for word in found] == words


def test_whole_text_counts_for_the_depth() -> None:
    """What closes a bracket that was never opened ends every list."""
    assert OPEN not in texts_of(") a < b ) > c")
    assert OPEN in texts_of(") a < b > c")


def test_only_an_equals_sign_right_behind_belongs_to_the_greater_than() -> None:
    assert OPEN in texts_of("a < (b >= c) > d")
    assert OPEN not in texts_of("a < (b > = c) > d")


@pytest.mark.parametrize("text", VALID)
def test_tokens_and_blanks_and_comments_are_the_text(text: str) -> None:
    """Nothing but comments and blanks lies between tokens; the places are in order."""
    found = tokens(text)
    edges = [0, *(edge for pair in zip(found.starts, found.ends) for edge in pair)]
    assert edges == sorted(edges)
    assert edges[-1] == len(text)
    for index, between in enumerate(text[a:b] for a, b in zip(edges[::2], edges[1::2])):
        assert not between.strip(BLANKS) or "//" in between or "/*" in between, index
    for word, start, end in zip(found.texts, found.starts, found.ends):
        assert text[start:end] == (word[-1:] if word in (OPEN, CLOSE) else word)


def test_comments_nest_and_end_with_their_line() -> None:
    assert texts_of("a/* b /* c */ // d */e// f /* g\u2028h//i\x85j /*/ k*/ l*//m") == ["a", "e", "h", "j", "l", "*"]


TOO_LARGE = [
    *("2147483648i", "4294967296u", "9223372036854775808", "0xffffffffffffffff", "1" * 4301, "1e400", "0x1p999999999"),
    *("0x1p1024", "1e39f", "0x1p128f", "65536h", "1" * 4301 + "f", "1.0e999"),
]


@pytest.mark.parametrize(
    ("marked", "message"),
    [
        ("a §# b", "invalid character '#'"),
        ("a§\u00a0b", "invalid character '\\xa0'"),
        ("a1·§€b", "invalid character '€'"),
        ("é§\u200db", "invalid character '\\u200d'"),
        ("§\ufeffa", "a text of WGSL has no byte order mark (U+FEFF)"),
        ("§·a", "invalid character '·'"),
        ("a§\ud800", "invalid character '\\ud800'"),
        ("// a§\0", "null character"),
        ("a §/* /* */ b", "the block comment does not end"),
        ("§/*/", "the block comment does not end"),
        ("a §__b", "an identifier must not start with two underscores"),
        ("a b.§async", "'async' is a reserved word"),
        ("a §012 # __x", "an integer must not have leading zeros"),
        ("§00u", "an integer must not have leading zeros"),
        *[(f"a §{text}", "no type has a number as large as this literal") for text in TOO_LARGE],
    ],
)
def test_the_first_wrong_token_is_named(marked: str, message: str) -> None:
    before, _, after = marked.partition("§")
    with pytest.raises(SyntaxProblem) as caught:
        tokens(before + after)
    assert (caught.value.message, caught.value.start) == (message, len(before))


@pytest.mark.parametrize(
    ("text", "value", "suffix"),
    [
        ("2147483647i", 2**31 - 1, "i"),
        ("0xFFFFFFFFu", 2**32 - 1, "u"),
        ("9223372036854775807", 2**63 - 1, ""),
        ("0x1f", 31, ""),
        ("0x" + "0" * 5000 + "1", 1, ""),
        ("0x1.f", 1.9375, ""),
        ("0x1.8p1f", 3.0, "f"),
        ("0x0p99999999999999999999", 0.0, ""),
        ("1e-400", 0.0, ""),
        ("0." + "0" * 5000 + "1f", 0.0, "f"),
        ("1h", 1.0, "h"),
        ("5e0", 5.0, ""),
    ],
)
def test_the_values_of_literals(text: str, value: float, suffix: str) -> None:
    assert tokens(text).literals == {text}
    assert number_of(text) == (value, suffix)
    assert isinstance(number_of(text)[0], type(value))


@pytest.mark.parametrize("name", ["é", "a·b", "_a", "a__", "Δέλτα", "定数", "℘", "aͨ", "x_", "if_", "_1"])
def test_names(name: str) -> None:
    assert tokens(name).names == {name}


def test_keywords_and_an_underscore_are_no_names() -> None:
    found = tokens("if _ x true 1")
    assert found.names == {"x"}
    assert found.literals == {"true", "1"}


def test_pieces_are_tokens_whether_they_can_be_any_or_not() -> None:
    expected = "a >>= 1 ; array < vec2 < u32 >> # 007"
    assert " ".join(pieces("a>>=1; /* b */ array<vec2<u32>> # 007")) == expected
