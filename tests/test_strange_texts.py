"""Texts with strange numbers, and with declarations twice: each command answers, or says in a line what is wrong."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.wgsl.applications import applications, forms
from wgsl_fuzz.fuzz.cases.pairs import load, load_combinations
from wgsl_fuzz.wgsl.lexer import tokens
from wgsl_fuzz.wgsl.parser import parse

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
    "--convergence control-stacks explain FILE",
    "mutate FILE -n 3 --seed 1",
)


@cache
def plain_texts() -> tuple[str, ...]:
    """The texts of `corpus/wgsl`."""
    pairs = [text for pair in load() for text in (pair.accepted, pair.rejected)]
    return (*applications().values(), *forms().values(), *pairs, *[one.text for one in load_combinations()])


def strange_texts(count: int) -> Iterator[str]:
    """Texts with one literal, or every one, replaced by a strange number, or with one declaration twice."""
    random = Random(41)
    for _ in range(count):
        text = random.choice(plain_texts())
        found, declared = tokens(text), parse(text).declarations
        numbers = found.literals - {"true", "false"}
        literals = [at for at, word in enumerate(found.texts) if word in numbers]
        site = random.randrange(-1, len(literals) + len(declared))
        if site >= len(literals):
            one = declared[site - len(literals)]
            yield f"{text[: one.end]}\n{text[one.start : one.end]}{text[one.end :]}"
            continue
        number = random.choice(NUMBERS)
        for at in reversed(literals if site < 0 else [literals[site]]):
            text = text[: found.starts[at]] + number + text[found.ends[at] :]
        yield text


@pytest.mark.parametrize(("count", "every"), [(30, 3), pytest.param(2000, 1, marks=pytest.mark.slow)])
def test_commands_answer_strange_texts(count: int, every: int, tmp_path: Path) -> None:
    """Each text is given to one command in `every`, in turn."""
    file = tmp_path / "shader.wgsl"
    for at, text in enumerate(strange_texts(count)):
        file.write_bytes(text.encode())
        for command in COMMANDS[at % every :: every]:
            result = wgsl_fuzz(*[file if word == "FILE" else word for word in command.split()])
            assert result.exit_code in (0, 1, 2), (command, text)
