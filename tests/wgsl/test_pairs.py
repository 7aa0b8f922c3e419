"""The pairs themselves: names, texts, and what their fields promise."""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.wgsl.current_tint import ask_tint
from tools import new_pairs
from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.fuzz.cases.pairs import RULES, Pair, load, load_combinations, module
from wgsl_fuzz.oracle.targets.families import tint as builds
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, Rule

PAIRS = load()
MESSAGE = re.compile(rf"(error|warning|info) ({'|'.join(RULES)})")
ROW = re.compile(r"(\d+(\.\d+)* )?#[a-z0-9-]+: \S")


def test_every_name_stands_once() -> None:
    names = [pair.name for pair in PAIRS] + [shader.name for shader in load_combinations()]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)] == []


def test_no_text_stands_twice() -> None:
    """A pair says something that no other says: the same text on the same side may return, the same pair may not."""
    texts = Counter((pair.accepted, pair.rejected) for pair in PAIRS)
    assert [both for both, count in texts.items() if count > 1] == []


def _sides(pair: Pair) -> tuple[tuple[str, Verdict], ...]:
    return (("accepted", Verdict.ACCEPTS), ("rejected", pair.refusal))


def test_other_verdicts_are_other() -> None:
    """What Tint, the letter or the rules before a change say is written down only where it differs."""
    for pair in PAIRS:
        for table in (pair.tint, pair.letter, pair.before):
            assert table.keys() <= {"accepted", "rejected"}, pair.name
            assert all(table.get(side) is not verdict for side, verdict in _sides(pair)), pair.name
        assert bool(pair.tint) == bool(pair.who), pair.name
        assert pair.change or not pair.before, pair.name


def test_rows_changes_and_messages_are_in_form() -> None:
    for pair in PAIRS:
        assert ROW.match(pair.row), (pair.name, pair.row)
        assert not pair.change or re.match(r"\d{4}-\d\d-\d\d \d+", pair.change), pair.name
        messages = pair.accepted_messages | (pair.rejected_messages or frozenset())
        assert all(MESSAGE.fullmatch(message) for message in messages), pair.name
        assert not any(message.startswith("error") for message in pair.accepted_messages), pair.name
        if pair.rejected_messages is not None:
            assert any(message.startswith("error") for message in pair.rejected_messages), pair.name


@pytest.mark.parametrize("name", [name for name, row in FUNCTIONS.items() if row.rule is Rule.SUBGROUP])
def test_pairs_that_follow_from_a_row_have_their_verdicts(name: str) -> None:
    for ending, _, *bodies in new_pairs.texts(FUNCTIONS[name]):
        verdicts = [read_case(module(body, enable=("subgroups",))).verdict for body in bodies]
        assert verdicts == [Verdict.ACCEPTS, Verdict.REJECTS], ending


# ------------ Current Tint on every pair and combination: it agrees, or the pair says where it differs and who is right


SCRIPT = Path(__file__).with_name("tint_messages.mjs")
TRIGGERED = re.compile(
    r"'?(\w+)\S* (?:must only be called from|(?:constructor )?requires argument|that contain subgroup)"
)
SYNCHRONISATION = re.compile(r"\w+Barrier|workgroupUniformLoad")


def test_tint_gives_pairs_and_combinations_their_verdicts() -> None:
    asked = [(p.name, getattr(p, side), p.tint.get(side, verdict)) for p in load() for side, verdict in _sides(p)]
    asked += [(shader.name, shader.text, shader.verdict) for shader in load_combinations()]
    answers = ask_tint([text for _, text, _ in asked])
    assert [
        (name, text, answer.verdict.value, answer.message)
        for (name, text, expected), answer in zip(asked, answers, strict=True)
        if answer.verdict is not expected
    ] == []


def _rule(function: str) -> str:
    if SYNCHRONISATION.fullmatch(function):
        return "synchronization"
    if function.startswith("subgroupMatrix") or function not in FUNCTIONS:  # a constructor, or "variables"
        return "subgroup_matrix_uniformity"
    return "subgroup_uniformity" if function.startswith(("subgroup", "quad")) else "derivative_uniformity"


def _messages(texts: Sequence[str]) -> list[frozenset[str]]:
    """The triggered diagnostics of each text, warnings too, as `severity rule`."""
    ask_tint(["const a = 1;"])  # or the test is skipped
    command = [*builds.find_node()[0], str(SCRIPT), str(builds.BUILDS.place(builds.CURRENT))]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, timeout=120, check=True)
    answers: list[list[tuple[str, int, str]]] = json.loads(done.stdout.rpartition("\x1e")[2])
    return [
        frozenset(f"{kind} {_rule(found[1])}" for kind, _, text in messages if (found := TRIGGERED.match(text)))
        for messages in answers
    ]


def test_tint_gives_accepted_texts_their_messages() -> None:
    pairs = [pair for pair in load() if "accepted" not in pair.tint]
    answers = _messages([pair.accepted for pair in pairs])
    assert [
        (pair.name, sorted(said)) for pair, said in zip(pairs, answers, strict=True) if said != pair.accepted_messages
    ] == []


def test_tint_gives_rejected_texts_errors_of_their_rules() -> None:
    """Not all of them: Tint does not go on to the second scope when the first one has an error."""
    pairs = [
        (pair, pair.rejected_messages) for pair in load() if pair.rejected_messages and "rejected" not in pair.tint
    ]
    answers = _messages([pair.rejected for pair, _ in pairs])
    assert [
        (pair.name, sorted(said))
        for (pair, expected), said in zip(pairs, answers, strict=True)
        if not (said <= expected and any(message.startswith("error") for message in said))
    ] == []
