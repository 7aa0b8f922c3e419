"""What fails a campaign is a choice: `--fail-on`, `--exclude`, `--stop-on-first`."""

from pathlib import Path

import pytest
from click.testing import Result

from tests.fuzz.campaign.conftest import ask_few_questions
from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.fakes import FakeTarget, play, without
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.records import REDUCED
from wgsl_fuzz.fuzz.judging.judge import Kind


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The target `lenient` has faults of the kinds unsound and too-lenient, `strict` of the kind too-strict."""
    play(monkeypatch, lambda name: FakeTarget(without("10a" if name == "lenient" else "10c"), name=name))
    ask_few_questions(monkeypatch)


def ran(tmp_path: Path, target: str, *options: str) -> Result:
    out = ["--out", str(tmp_path / "run"), "--programs", "120", "--seed", "5", "--jobs", "1", "--language", "tiny"]
    return wgsl_fuzz("--target", target, *out, *options)


def _kinds(tmp_path: Path) -> set[Kind]:
    return {found.kind for found in load_run(tmp_path / "run").findings}


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        ("", "2 new raw buckets, 0 known: exit status 1"),
        ("--fail-on too-strict", "2 new raw buckets, 0 known: exit status 1"),
        ("--fail-on crash,too-strict", "2 new raw buckets, 0 known: exit status 1"),
        ("--fail-on unsound,too-lenient", "2 new raw buckets, 0 known: exit status 0"),
        ("--fail-on unsound --fail-on too-strict", "2 new raw buckets, 0 known: exit status 1"),
        ("--exclude too-strict", "0 new raw buckets, 0 known: exit status 0"),
        ("--exclude unsound,crash", "2 new raw buckets, 0 known: exit status 1"),
        ("--known-file known.toml", "0 new raw buckets, 2 known: exit status 0"),
    ],
)
def test_only_what_counts_fails_a_run_as_the_last_line_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, verdict: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("known.toml").write_text('[[known]]\nbucket = "strict *"\nissue = "https://example.org/1"\n')
    result = ran(tmp_path, "strict", *options.split())
    assert result.stdout.splitlines()[-1] == verdict
    assert result.exit_code == int(verdict[-1]), result.output
    assert (_kinds(tmp_path) == set()) is (options == "--exclude too-strict")


def test_what_is_excluded_is_not_saved(tmp_path: Path) -> None:
    assert ran(tmp_path, "lenient", "--exclude", "unsound").exit_code == 1
    drawn = {found.record.first.kind for found in load_run(tmp_path / "run").findings}
    assert drawn == {Kind.TOO_LENIENT}


def test_the_first_finding_that_counts_ends_the_run(tmp_path: Path) -> None:
    assert ran(tmp_path, "strict", "--stop-on-first", "--programs", "100000").exit_code == 1
    run = load_run(tmp_path / "run")
    assert run.record.programs < 100_000
    assert {found.record.describes for found in run.findings} == {REDUCED}
