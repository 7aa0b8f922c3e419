"""A bug of which no rule is the cause is known wherever its target is asked, once a bucket of a run is marked."""

from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.fakes import Reader, play
from wgsl_fuzz.oracle.verdict import Answer, Verdict


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
    marked = wgsl_fuzz("triage", run, "--known-file", known, "--mark-known", "1", "https://example.org/1")
    assert (marked.exit_code, "no rule" in known.read_text()) == (0, True), marked.output
    for command in (("conformance", "--level", "wgsl"), ("replay",)):
        assert wgsl_fuzz(*command, "-t", "mine").exit_code == 1
        result = wgsl_fuzz(*command, "-t", "mine", "--known-file", known)
        assert result.exit_code == 0, result.stdout
    words.append("loop {")
    for command in (("conformance", "--level", "wgsl"), ("replay",)):
        assert wgsl_fuzz(*command, "-t", "mine", "--known-file", known).exit_code == 1
