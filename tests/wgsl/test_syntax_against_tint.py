"""The parser takes what current Tint takes, and refuses what Tint refuses for syntax: on thousands of broken texts."""

import re
from collections.abc import Iterable, Iterator

import pytest

from tests.wgsl.current_tint import ask_tint
from tests.wgsl.mutants import mutants
from tests.wgsl.texts import VALID
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.lexer import KEYWORDS, RESERVED, RESERVED_WORDS
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import SyntaxProblem

SYNTAX = re.compile(
    r"""expected\ (?!'[^']*'\ for\ '[^']*'$)  # "expected '<' for 'atomic'" is the resolver's
    | invalid\ (character|expression|feature\ name|type\ alias|type\ for) | missing\ (expression|closing|initializer)
    | (incomplete\ exponent|integer\ literal\ cannot\ have|integer\ or\ float\ hex\ literal\ has\ no)
    | mixing\ | parsed\ as\ template\ list | prefix\ increment | unable\ to\ | unexpected\ (token|attributes)$
    | unterminated\ | statement\ found\ outside | module-scope\ '\w+'\ is\ invalid | directives\ must\ come
    | identifiers\ must\ not\ start | '.*'\ is\ a\ reserved\ keyword
    | \w+\ (attribute|directives)\ (doesn't|don't)\ take\ parenthesis | const\ attribute\ may\ not\ appear
    | '\w+'\ declaration\ does\ not\ accept\ attributes
    | \w+\ expects\ (at\ (least|most)\ )?\d\ argument""",
    re.VERBOSE,
)
"""How the messages of Tint's parser begin. Its resolver words its own differently."""

EITHER = re.compile(
    r"expected (builtin|extension|interpolation)|feature '.*' is not supported"
    r"|value cannot be (exactly )?represented|switch statement must have a default"
)
"""Messages of Tint's parser on names and values, which we leave to later parts: a name may be no identifier at all.

The last is the resolver's, of a switch without any clause.
"""


def answers(texts: Iterable[str]) -> Iterator[tuple[str, Answer]]:
    """The texts, each with Tint's answer."""
    asked = list(texts)
    return zip(asked, ask_tint(asked), strict=True)


def refusal(text: str) -> str | None:
    """Why our parser refuses a text, if it does."""
    try:
        parse(text)
    except SyntaxProblem as problem:
        return problem.message
    return None


def complaint(text: str, answer: Answer) -> str | None:
    """What is wrong with our parser's answer, if something is."""
    ours = refusal(text)
    if answer.verdict is not Verdict.INVALID:
        return None if ours is None else f"Tint takes it; {ours}"
    message = answer.message.splitlines()[0].partition(" error: ")[2]
    if EITHER.match(message):
        return None
    if SYNTAX.match(message):
        return None if ours is not None else f"not refused; Tint: {message}"
    # Some reserved words reach Tint's resolver, and `&&` on a left side, where it takes an address twice.
    if ours is None or ours.endswith("is a reserved word") or "found '&&'" in ours:
        return None
    return f"{ours}; for Tint it is no matter of syntax: {message}"


def test_tint_takes_the_valid_texts() -> None:
    for text, answer in answers(VALID):
        assert answer.verdict is Verdict.ACCEPTS, (text, answer.message)
        parse(text)


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_mutants_are_taken_and_refused_as_by_tint(count: int) -> None:
    taken = refused = 0
    wrong: list[tuple[str, str]] = []
    for text, answer in answers(mutants(20_261_122, count)):
        if found := complaint(text, answer):
            wrong.append((found, text))
        taken += answer.verdict is not Verdict.INVALID
        refused += answer.verdict is Verdict.INVALID
    assert not wrong
    assert taken > count // 30
    assert refused > count // 2


def test_tint_refuses_keywords_and_reserved_words_as_names_and_no_others() -> None:
    words = sorted(KEYWORDS | RESERVED | RESERVED_WORDS)
    for text, answer in answers(f"fn f() {{ let {word} = 1; }}" for word in words):
        refused = text.split()[4] in KEYWORDS | RESERVED_WORDS
        assert [answer.verdict is Verdict.INVALID, refusal(text) is not None] == [refused] * 2, text


TRUNCATIONS = [text[:end] for text in VALID for end in range(0, len(text), 7)]


def test_beginnings_are_taken_and_refused_as_by_tint() -> None:
    wrong = [(found, text) for text, answer in answers(TRUNCATIONS) if (found := complaint(text, answer))]
    assert not wrong
