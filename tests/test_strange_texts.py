"""Texts with strange numbers, and with declarations twice: each command answers, or says in a line what is wrong."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.wgsl.applications import applications, forms
from wgsl_fuzz.fuzz.cases.pairs import load, load_combinations
from wgsl_fuzz.wgsl.lexer import tokens
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import SyntaxProblem

NUMBERS = ("0", "-1", "1.5", "4294967295", "1e39")
COMMANDS = (
    "check FILE --format json",
    "check FILE --oracle wgsl --oracle semantics",
    "run FILE",
    "lint --fix show FILE",
    "explain FILE --format text",
    "explain FILE --format json",
    "explain FILE --format svg",
    "explain FILE --format dot",
    "explain FILE --format html",
    "mutate FILE -n 3 --seed 1",
)


@cache
def plain_texts() -> tuple[str, ...]:
    """The texts of `corpus/wgsl`."""
    pairs = [text for pair in load() for text in (pair.accepted, pair.rejected)]
    return (*applications().values(), *forms().values(), *pairs, *[one.text for one in load_combinations()])


@cache
def places_of(text: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Where the numbers and the declarations of a text are; none in one whose syntax is wrong."""
    found = tokens(text)
    numbers = found.literals - {"true", "false"}
    literals = [place for place in zip(found.starts, found.ends, found.texts, strict=True) if place[2] in numbers]
    with suppress(SyntaxProblem):
        return [place[:2] for place in literals], [(one.start, one.end) for one in parse(text).declarations]
    return [], []


def strange_texts() -> Iterator[str]:
    """Texts with one literal, or every one, replaced by a strange number, or with one declaration twice; endless."""
    random = Random(41)
    while True:
        text = random.choice(plain_texts())
        literals, declarations = places_of(text)
        if not declarations:
            continue
        site = random.randrange(-1, len(literals) + len(declarations))
        if site >= len(literals):
            start, end = declarations[site - len(literals)]
            yield f"{text[:end]}\n{text[start:end]}{text[end:]}"
            continue
        number = random.choice(NUMBERS)
        for start, end in reversed(literals if site < 0 else [literals[site]]):
            text = text[:start] + number + text[end:]
        yield text


@pytest.mark.parametrize(
    ("part", "every"),
    [(range(30), 3), *[pytest.param(range(n, n + 50), 1, marks=pytest.mark.slow) for n in range(0, 2000, 50)]],
    ids=lambda value: str(value).replace(" ", ""),
)
def test_commands_answer_strange_texts(part: range, every: int, tmp_path: Path) -> None:
    """Each text is given to one command in `every`, in turn."""
    file = tmp_path / "shader.wgsl"
    for at, text in zip(part, islice(strange_texts(), part.start, part.stop), strict=True):
        file.write_bytes(text.encode())
        for command in COMMANDS[at % every :: every]:
            result = wgsl_fuzz(*[file if word == "FILE" else word for word in command.split()])
            assert result.exit_code in (0, 1, 2), (command, text)
