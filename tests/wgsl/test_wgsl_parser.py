"""The parser: operators, statements, places, and that any text ends in a tree or a SyntaxProblem."""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wgsl.mutants import split
from tests.wgsl.reading import body as function
from tests.wgsl.reading import expression
from tests.wgsl.texts import VALID
from tests.wgsl.trees import modules
from wgsl_fuzz.wgsl import syntax
from wgsl_fuzz.wgsl.parser import DEPTH, parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import SyntaxProblem
from wgsl_fuzz.wgsl.walk import children, descendants


def body(text: str) -> tuple[syntax.Statement, ...]:
    return function(text).body.statements


def shape(e: syntax.Expression) -> str:
    """An expression with all its parentheses, and `/` before what is called or indexed."""
    match e:
        case syntax.Literal():
            return e.text
        case syntax.Identifier():
            return e.name + (f"<{shapes(e.template)}>" if e.template else "")
        case syntax.Unary():
            return f"({e.operator} {shape(e.operand)})"
        case syntax.Binary():
            return f"({shape(e.left)} {e.operator} {shape(e.right)})"
        case syntax.Index():
            return f"{shape(e.base)}[{shape(e.index)}]"
        case syntax.Member():
            return f"{shape(e.base)}.{e.name}"
        case syntax.Call():
            return f"{shape(e.callee)}/({shapes(e.arguments)})"


def shapes(expressions: Sequence[syntax.Expression]) -> str:
    return ", ".join(map(shape, expressions))


_LEVELS = [["*", "/", "%"], ["+", "-"], ["<<", ">>"], ["<", ">", "<=", ">=", "==", "!="], ["&&"], ["||"]]
_BITWISE = ["&", "|", "^"]
_OPERATORS = [operator for level in _LEVELS for operator in level] + _BITWISE


@pytest.mark.parametrize("first", _OPERATORS)
@pytest.mark.parametrize("second", _OPERATORS)
def test_two_operators_without_parentheses(first: str, second: str) -> None:
    """8.19 #operator-precedence-associativity, as a function of the levels of two operators."""
    levels = {operator: number for number, level in enumerate(_LEVELS) for operator in level}
    arithmetic = ["*", "/", "%", "+", "-"]

    def fits(inner: str, outer: str, left: bool) -> bool:
        if inner in _BITWISE or outer in _BITWISE:
            return inner == outer and left
        if outer in ("&&", "||"):
            return levels[inner] <= 3 or (inner == outer and left)
        if outer in _LEVELS[2] or (inner in _LEVELS[2] and outer in arithmetic):
            return False
        return levels[inner] < levels[outer] or (inner in arithmetic and levels[inner] == levels[outer] and left)

    # A template list would be found in `a < b > c` and `a < b >> c`.
    text = f"1 {first} 2 {second} 3"
    if fits(first, second, left=True):
        assert shape(expression(text)) == f"((1 {first} 2) {second} 3)"
    elif fits(second, first, left=False):
        assert shape(expression(text)) == f"(1 {first} (2 {second} 3))"
    else:
        with pytest.raises(SyntaxProblem):
            expression(text)


def test_empty_statements_behind_break_if_leave_no_trace() -> None:
    (loop,) = body("loop { continuing { ; break if a; ; ; } }")
    assert isinstance(loop, syntax.Loop)
    assert loop.continuing is not None
    assert isinstance(loop.continuing.statements[-1], syntax.BreakIf)
    assert len(loop.continuing.statements) == 2


# ------------------------------------------------------------------------------------------------------------ places


def check_places(module: syntax.Module, text: str) -> None:
    """Each node is inside its parent; nodes side by side do not overlap; expressions and statements read the same."""
    for parent in descendants(module):
        inside: list[syntax.Node] = sorted(children(parent), key=lambda node: (node.start, node.end))
        if isinstance(parent, syntax.Loop) and parent.continuing is not None:
            assert parent.body.start < parent.continuing.start < parent.continuing.end < parent.body.end
            inside.remove(parent.continuing)
        edges = [parent.start, *(edge for node in inside for edge in (node.start, node.end)), parent.end]
        assert parent.start >= 0
        assert edges == sorted(edges), (parent, edges)
        for node in inside:
            if isinstance(node, syntax.Expression):
                assert expression(text[node.start : node.end]) == node
            elif isinstance(parent, syntax.Block) and not isinstance(node, (syntax.Attribute, syntax.BreakIf)):
                assert body(text[node.start : node.end]) == (node,)


@pytest.mark.parametrize("text", VALID)
def test_places_in_the_valid_texts(text: str) -> None:
    check_places(parse(text), text)


@given(modules)
def test_places_in_random_texts(module: syntax.Module) -> None:
    text = print_module(module)
    check_places(parse(text), text)


# ------------------------------------------------------------------------------------------- whatever the text is


def taken(text: str) -> bool:
    problem = None
    try:
        parse(text)
    except SyntaxProblem as caught:
        problem = caught
    assert problem is None or (problem.message and 0 <= problem.start <= len(text))
    return problem is None


_WORDS = sorted({word for text in VALID for word in split(text)[0]})
ANY = {
    "characters": st.text(),
    "characters of WGSL": st.text("abxfn01.-+<>=(){}[];:,@/*&|!~ \n_eup"),
    "tokens": st.lists(st.sampled_from(_WORDS), max_size=40).map(" ".join),
}


@pytest.mark.parametrize("what", ANY)
@given(st.data())
def test_any_text_ends_in_a_tree_or_a_problem(what: str, data: st.DataObject) -> None:
    text = data.draw(ANY[what])
    taken(text)
    taken(f"fn f() {{ {text} }}")


N = 10_000
DEEP = {
    "parentheses": f"const x = {'(' * N}1{')' * N};",
    "minus": f"const x = {'- ' * N}1;",
    "minus without blanks": f"const x = {'-' * N}1;",
    "indices": f"const x = {'a[' * N}1{']' * N};",
    "calls": f"const x = {'f(' * N}{')' * N};",
    "templates": f"alias x = {'array<' * N}u32{'>' * N};",
    "blocks": f"fn f() {{ {'{' * N}{'}' * N} }}",
    "loops": f"fn f() {{ {'loop { ' * N}{'}' * N} }}",
    "continuing": f"fn f() {{ {'loop { continuing { ' * N}{'} } ' * N} }}",
    "switches": f"fn f() {{ {'switch a { default { ' * N}{'} } ' * N} }}",
    "else if": f"fn f() {{ if a {{ }} {'else if a { } ' * N} }}",
    "sum": f"const x = 1{' + 1' * N};",
    "conjunction": f"const x = a{' && a' * N};",
    "disjunction of bits": f"const x = a{' | a' * N};",
    "members": f"const x = a{'.b' * N};",
    "members on the left": f"fn f() {{ a{'.b' * N} = 1; }}",
    "pointers on the left": f"fn f() {{ {'*' * N}a = 1; }}",
    "parentheses on the left": f"fn f() {{ {'(' * N}a{')' * N} = 1; }}",
    "sum in a type": f"alias x = array<u32, 1{' + 1' * N}>;",
    "sum in a variable's template": f"var<1{' + 1' * N}> x: u32;",
    "sum in an attribute": f"@align(1{' + 1' * N}) fn f() {{ }}",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_what_is_nested_ten_thousand_deep_is_refused_and_says_so(text: str) -> None:
    with pytest.raises(SyntaxProblem, match=f"^more than {DEPTH} constructs inside each other$"):
        parse(text)


A_BIT_OF_EACH = """
    *&(a[-(b)]) = f<c>(&d)[1];
    { }
    if a { } else if b { } else { }
    loop { continuing { } }
    switch a { default { } }
    for (var a: array<b> = 1; ; ) { }
    @diagnostic(off, a) while a { }
"""

SHALLOW = {
    "parentheses": f"const x = {'(' * 500}1{')' * 500};",
    "sum": f"const x = 1{' + 1' * 500};",
    "blocks": f"fn f() {{ {'{' * 500}{'}' * 500} }}",
    "else if": f"fn f() {{ if a {{ }} {'else if a { } ' * 500} }}",
    "wide list": f"const x = f({'1 + 1, ' * N});",
    "wide sums": f"const x = f({'1 + 1 + a.b[c], ' * N});",
    "wide block": f"fn f() {{ {'a = 1; ' * N} }}",
    "a bit of each, often": f"fn f() {{ {A_BIT_OF_EACH * 600} }}",
}


@pytest.mark.parametrize("text", SHALLOW.values(), ids=SHALLOW.keys())
def test_what_is_nested_less_or_side_by_side_is_taken(text: str) -> None:
    again = print_module(parse(text))
    assert print_module(parse(again)) == again


def test_a_caller_deep_in_the_stack_gets_the_tree_too() -> None:
    def below(depth: int) -> syntax.Module:
        return below(depth - 1) if depth else parse(SHALLOW["parentheses"])

    assert below(sys.getrecursionlimit() - 300).declarations


LARGE = 300_000
HUGE = {
    "zeros": "0" * LARGE,
    "less": "a<" * (LARGE // 2),
    "less than": f"const x = {'a<' * (LARGE // 8)}",
    "greater": ">" * LARGE,
    "comments": "/*" * (LARGE // 2),
    "empty comments": "/**/" * (LARGE // 4),
    "one name": "é" * LARGE,
    "no name": "é" * LARGE + "€",
    "minus": f"const x = {'a--' * (LARGE // 8)}",
    "minus and blanks": ("--" + " " * 1000) * 1000,
    "points": "." * LARGE,
    "exponents": "1e" * (LARGE // 2),
    "hexadecimal": "0x" * (LARGE // 2),
    "attributes": "@compute" * (LARGE // 8),
    "blanks": " " * LARGE,
    "semicolons": ";" * (LARGE // 4),
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
def test_large_texts_end(text: str) -> None:
    taken(text)


# ----- What the parser says of a text that is no WGSL, and where: `§` stands before the token that the message is about


def refusal(marked: str) -> str:
    """The message for a text; checks that it is about the marked place."""
    before, sign, after = marked.partition("§")
    assert sign
    with pytest.raises(SyntaxProblem) as caught:
        parse(before + after)
    assert caught.value.start == len(before), caught.value.message
    return caught.value.message


TABLES = tomllib.loads(Path(__file__).with_name("messages.toml").read_text(encoding="utf-8"))
MESSAGES = TABLES["at_module_scope"] | {f"fn f() {{ {k} }}": said for k, said in TABLES["in_a_function"].items()}


@pytest.mark.parametrize("marked", MESSAGES)
def test_messages(marked: str) -> None:
    assert refusal(marked) == MESSAGES[marked]


def test_a_long_token_is_cut_short_in_messages() -> None:
    assert refusal(f"§{'a' * 100}") == f"expected a declaration, found '{'a' * 40}...'"
