"""What fails a campaign is a choice: `--fail-on`, `--exclude`, `--stop-on-first`."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.fuzz.fakes import FakeTarget, without
from wgsl_fuzz.fuzz.cli.main import main
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.records import REDUCED
from wgsl_fuzz.fuzz.judging.judge import Kind


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The target `lenient` has faults of the kinds unsound and too-lenient, `strict` of the kind too-strict."""

    def open_target(name: str, **_: Any) -> FakeTarget:
        return FakeTarget(without("10a" if name == "lenient" else "10c"), name=name)

    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.answers.open_target", open_target)


def ran(tmp_path: Path, target: str, *options: str) -> Result:
    out = ["--out", str(tmp_path / "run"), "--programs", "120", "--seed", "5", "--jobs", "1", "--language", "tiny"]
    return CliRunner().invoke(main, ["--target", target, *out, *options])


def _kinds(tmp_path: Path) -> set[Kind]:
    return {found.kind for found in load_run(tmp_path / "run").findings}


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ((), 1),
        (("--fail-on", "too-strict"), 1),
        (("--fail-on", "crash,too-strict"), 1),
        (("--fail-on", "unsound,too-lenient"), 0),
        (("--fail-on", "unsound", "--fail-on", "too-strict"), 1),
        (("--exclude", "too-strict"), 0),
        (("--exclude", "unsound,crash"), 1),
    ],
)
def test_only_what_counts_fails_a_run(tmp_path: Path, options: tuple[str, ...], status: int) -> None:
    result = ran(tmp_path, "strict", *options)
    assert result.exit_code == status, result.output
    assert (_kinds(tmp_path) == set()) is ("--exclude" in options and status == 0)


def test_what_is_excluded_is_not_saved(tmp_path: Path) -> None:
    assert ran(tmp_path, "lenient", "--exclude", "unsound").exit_code == 1
    drawn = {found.record.first.kind for found in load_run(tmp_path / "run").findings}
    assert drawn == {Kind.TOO_LENIENT}


def test_the_first_finding_that_counts_ends_the_run(tmp_path: Path) -> None:
    assert ran(tmp_path, "strict", "--stop-on-first", "--programs", "100000").exit_code == 1
    run = load_run(tmp_path / "run")
    assert run.record.programs < 100_000
    assert {found.record.describes for found in run.findings} == {REDUCED}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--fail-on", "unsond"), "'unsond' is no kind of finding"),
        (("--exclude", ""), "'' is no kind of finding"),
        (("--fail-on", "crash", "--exclude", "crash,hang"), "nothing could be found"),
    ],
)
def test_a_request_at_fault_is_one_line(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    result = ran(tmp_path, "strict", *options)
    assert result.exit_code == 2
    assert words in result.output
    assert len(result.output.splitlines()) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("target", "options", "verdict"),
    [
        ("strict", (), "2 new raw buckets, 0 known: exit status 1"),
        ("strict", ("--fail-on", "crash"), "2 new raw buckets, 0 known: exit status 0"),
        ("strict", ("--exclude", "too-strict"), "0 new raw buckets, 0 known: exit status 0"),
        ("strict", ("--known-file", "{known}"), "0 new raw buckets, 2 known: exit status 0"),
    ],
)
def test_the_verdict_is_the_last_line_on_standard_output(
    tmp_path: Path, target: str, options: tuple[str, ...], verdict: str
) -> None:
    known = tmp_path / "known.toml"
    known.write_text('[[known]]\nbucket = "strict *"\nissue = "https://example.org/1"\n')
    result = ran(tmp_path, target, *(option.format(known=known) for option in options))
    assert result.stdout.splitlines()[-1] == verdict
    assert result.exit_code == int(verdict[-1])
