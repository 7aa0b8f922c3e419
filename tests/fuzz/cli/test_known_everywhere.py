"""A bug of which no rule is the cause is known wherever its target is asked, once a bucket of a run is marked."""

from pathlib import Path

import orjson
import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.fakes import Reader, play
from wgsl_fuzz.fuzz.cli import certify
from wgsl_fuzz.fuzz.conformance.rows import Level
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES

URL = "https://example.org/1"
COMMANDS = (("conformance", "--level", "wgsl", "-t", "mine"), ("replay", "-t", "mine"))


@pytest.mark.parametrize(("odd", "answer"), [("while", Verdict.ACCEPTS), ("switch", Verdict.REJECTS)])
def test_what_is_no_rule_is_known_in_rows_and_cases(
    odd: str, answer: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [odd]
    target = Reader(lambda text: Answer(answer) if any(word in text for word in words) else None, name="mine")
    play(monkeypatch, lambda _: target)
    known, run = tmp_path / "known.toml", tmp_path / "run"
    campaign = ("-t", "mine", "--programs", "24", "--seed", "3", "-j", "1", "--no-corpus")
    assert wgsl_fuzz(*campaign, "-o", run).exit_code == 1
    marked = wgsl_fuzz("triage", run, "--known-file", known, "--mark-known", "1", URL)
    assert (marked.exit_code, "no rule" in known.read_text()) == (0, True), marked.output
    for command in COMMANDS:
        assert wgsl_fuzz(*command).exit_code == 1
        result = wgsl_fuzz(*command, "--known-file", known)
        assert result.exit_code == 0, result.stdout
    words.append("loop {")
    for command in COMMANDS:
        assert wgsl_fuzz(*command, "--known-file", known).exit_code == 1


def test_what_is_wrong_about_the_plain_shader_alone_is_not_known_by_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cause is a rule, in rows that have the word, too."""
    words = ["while", "== 0u) {\n        workgroupBarrier();"]
    target = Reader(lambda text: Answer(Verdict.ACCEPTS) if any(word in text for word in words) else None, name="mine")
    play(monkeypatch, lambda _: target)
    (tmp_path / "known.toml").write_text(f'[[known]]\nbucket = "mine no rule | `while`"\nissue = "{URL}"\n')
    row = ("conformance", "--level", "wgsl", "-t", "mine", "--row", "while/condition/dropped")
    assert wgsl_fuzz(*row, "--known-file", tmp_path / "known.toml").exit_code == 1
    words.pop()
    assert wgsl_fuzz(*row, "--known-file", tmp_path / "known.toml").exit_code == 0


def test_rows_and_cases_of_a_certificate_are_with_the_bucket_of_its_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certify, "ALL_FAMILIES", {"loop-body": ALL_FAMILIES["loop-body"]})
    monkeypatch.setattr(certify, "DRAWN", {True: 48})
    monkeypatch.setattr(certify, "LEVEL", Level.WGSL)
    play(monkeypatch, lambda _: Reader(lambda text: Answer(Verdict.ACCEPTS) if "while" in text else None, name="mine"))
    folder, known = tmp_path / "certificate", tmp_path / "known.toml"
    command = ("certify", "--quick", "-t", "mine", "-j", "1", "-o", folder)
    assert wgsl_fuzz(*command).exit_code == 1
    (one,) = orjson.loads((folder / "certificate.json").read_bytes())["differences"]
    assert "no rule" in one["bucket"]
    assert {"conformance", "corpus", "campaign"} <= one["parts"].keys()
    assert wgsl_fuzz("triage", folder / "all", "--known-file", known, "--mark-known", "1", URL).exit_code == 0
    assert wgsl_fuzz(*command, "--known-file", known).exit_code == 0
