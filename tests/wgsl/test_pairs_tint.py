"""Current Tint on every pair and combination: it agrees, or the pair says where it differs and who is right."""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.fuzz.cases.pairs import load, load_combinations
from wgsl_fuzz.oracle.targets.families import tint as builds
from wgsl_fuzz.oracle.verdict import Verdict

SCRIPT = Path(__file__).with_name("tint_messages.mjs")
TRIGGERED = re.compile(r"'(\w+)' (?:must only be called from|requires argument)")
SYNCHRONISATION = re.compile(r"\w+Barrier|workgroupUniformLoad")


def test_tint_gives_each_pair_its_verdicts() -> None:
    sides = [("accepted", pair, pair.accepted, Verdict.ACCEPTS) for pair in load()]
    sides += [("rejected", pair, pair.rejected, pair.refusal) for pair in load()]
    answers = ask_tint([text for _, _, text, _ in sides])
    differing = [
        (pair.name, side, answer.verdict.value, answer.message)
        for (side, pair, _, expected), answer in zip(sides, answers, strict=True)
        if answer.verdict is not pair.tint.get(side, expected)
    ]
    assert differing == []


def test_tint_gives_each_combination_its_verdict() -> None:
    shaders = load_combinations()
    answers = ask_tint([shader.text for shader in shaders])
    assert [
        (shader.name, answer.verdict.value, answer.message)
        for shader, answer in zip(shaders, answers, strict=True)
        if answer.verdict is not shader.verdict
    ] == []


def _rule(function: str) -> str:
    if SYNCHRONISATION.fullmatch(function):
        return "synchronization"
    return "subgroup_uniformity" if function.startswith(("subgroup", "quad")) else "derivative_uniformity"


def _messages(texts: Sequence[str]) -> list[frozenset[str]]:
    """The triggered diagnostics of each text, warnings too, as `severity rule`."""
    ask_tint(["const a = 1;"])  # or the test is skipped
    command = [*builds.find_node().node, str(SCRIPT), str(builds.BUILDS.build(builds.CURRENT).folder)]
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
