"""What the parser says of a text that is no WGSL, and where: `§` stands before the token that the message is about."""

import tomllib
from pathlib import Path

import pytest

from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import Source, SyntaxProblem


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


def test_line_and_column() -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse("// é\r\nfn f() {\n\tlet a = 1\n}\n")
    assert Source("// é\r\nfn f() {\n\tlet a = 1\n}\n").position(caught.value.start) == (4, 1)
