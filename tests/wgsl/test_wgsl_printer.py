"""The printer of WGSL: what it writes is read back as it was."""

import re
import sys
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wgsl.reading import expression as value
from tests.wgsl.reading import print_statement
from tests.wgsl.texts import VALID
from tests.wgsl.trees import expressions, modules
from wgsl_fuzz.fuzz.conformance.rows import SIDES, Level, load
from wgsl_fuzz.wgsl.lexer import tokens
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import Layout, always, module_text, print_expression, print_module
from wgsl_fuzz.wgsl.syntax import Block, Expression, Identifier, Module, Unary


@given(expressions)
def test_a_printed_expression_parses_to_itself(expression: Expression) -> None:
    assert value(print_expression(expression)) == expression


_choices = st.randoms(use_true_random=False).map(lambda random: lambda: random.random() < 0.5) | st.none()
layouts = st.builds(Layout, st.sampled_from(["", "  ", "\t"]), *[_choices] * (len(fields(Layout)) - 1))


@given(modules, layouts)
def test_a_module_parses_to_itself_in_any_layout(module: Module, layout: Layout) -> None:
    assert parse(module_text(module, layout)) == parse(print_module(module)) == module


@pytest.mark.parametrize("option", [field.name for field in fields(Layout) if field.name != "indent"])
def test_each_option_of_a_layout_shows(option: str) -> None:
    module = parse("fn f(a: u32) { if a < 1u { g(-1i + 2i * 3i, ~1u); } }")
    layouts = [Layout(**{option: choice}) for choice in (always, None)]  # type: ignore[arg-type]
    assert module_text(module, layouts[0]) != module_text(module, layouts[1])


def words(text: str) -> list[str]:
    """The tokens without parentheses, commas and colons, and without the `;` that leaves no trace at module scope."""
    return [word for word in tokens(text).texts if word not in ("(", ")", ",", ":", ";")]


@pytest.mark.parametrize("text", VALID)
def test_the_text_comes_back_up_to_parentheses_and_what_may_be_left_out(text: str) -> None:
    tree = parse(text)
    printed = print_module(tree)
    assert parse(printed) == tree
    assert words(printed) == words(text)


PRINTED = """
a + b * c - d / e   (a + b) * c   a - (b - c)   a / (b * c)   (a << b) + c   (a + b) << c   a << b < c + d
(a < b) == c   a && b < c && d   (a && b) || c   a && (b && c)   a & b & c   a & (b & c)   (a | b) & c
a & (b + c)   (a & b) == c
a - -b   -(-a)   -(1i)   -1i   -(-1i)   &(&a)   *&*a   !!a   ~-~a   a & &b   -(a + b)   (-a).b   (*a)[b]   *a[b]
(1).x   (a + b).x   f(a)[b].c   f(a < b, c, d)   f((a < b), c > d)   f(a > b, c < d)   f(a < b && c, d > e)
f((a && b < c), d > e)   f((a < b), c, d > e)   f((a < b), vec2<u32>())   a < (b >> c)   a > b >> c   a<b>
array<u32, 1 + 2 * 3>()   array<u32, (a < b)>()   array<u32, (a & b)>()   array<u32, f(a > b)>()
"""


@pytest.mark.parametrize("text", re.split("   |\n", PRINTED.strip()))
def test_parentheses_stand_where_they_are_needed(text: str) -> None:
    assert print_expression(value(text)) == text


@pytest.mark.parametrize("level", [Level.WGSL, Level.PROPOSALS], ids=lambda level: level.value)
def test_the_layout_is_that_of_the_rows_of_conformance(level: Level) -> None:
    texts = [row.text(side) for row in load(level).rows for side in SIDES]
    assert [text for text in texts if print_module(parse(text)) != text] == []


def test_a_deep_tree_is_printed_even_deep_in_the_stack() -> None:
    expression: Expression = Identifier("a")
    block = Block(())
    for _ in range(500):
        expression, block = Unary("-", expression), Block((block,))

    def below(depth: int) -> tuple[str, str]:
        return below(depth - 1) if depth else (print_expression(expression), print_statement(block))

    printed, braces = below(sys.getrecursionlimit() - 300)
    assert (printed.count("-"), braces.count("{")) == (500, 501)
