"""Small modules that name resolution accepts or refuses, as current Tint does."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.resolve import resolve

TABLES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
DIFFERS = TABLES["differs"]
TEXTS = {name: table for name, table in TABLES.items() if name != "differs"}
ACCEPTED: list[str] = [text for table in TEXTS.values() for text in table["accepted"]]
REFUSED: list[tuple[str, str]] = [(text, problem) for table in TEXTS.values() for text, problem in table["refused"]]
REFUSED_BY_TINT: list[str] = [text for text, _ in DIFFERS["refused_by_tint"]]
ACCEPTED_BY_BOTH: list[str] = [*ACCEPTED, *DIFFERS["accepted_by_tint"]]


def check(text: str) -> None:
    resolution = resolve(parse(text))
    analysis = BehaviourAnalysis()
    for function in resolution.functions:
        analysis.check(function)


def test_there_are_many_and_each_once() -> None:
    texts = [*ACCEPTED_BY_BOTH, *REFUSED_BY_TINT, *(text for text, _ in REFUSED)]
    assert len(texts) == len(set(texts)) > 350


@pytest.mark.parametrize("text", [*ACCEPTED_BY_BOTH, *REFUSED_BY_TINT])
def test_accepted(text: str) -> None:
    check(text)


@pytest.mark.parametrize(("text", "problem"), REFUSED)
def test_refused(text: str, problem: str) -> None:
    with pytest.raises(ResolveProblem) as raised:
        check(text)
    assert raised.value.message == problem
    assert 0 <= raised.value.start < len(text)


def test_current_tint_agrees() -> None:
    refused = [*REFUSED_BY_TINT, *(text for text, _ in REFUSED)]
    answers = ask_tint([*ACCEPTED_BY_BOTH, *refused])
    expected = [False] * len(ACCEPTED_BY_BOTH) + [True] * len(refused)
    differing = [
        (text, answer.message)
        for text, answer, invalid in zip([*ACCEPTED_BY_BOTH, *refused], answers, expected, strict=True)
        if (answer.verdict is Verdict.INVALID) != invalid
    ]
    assert differing == []
