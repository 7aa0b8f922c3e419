"""A run's folder is data: what it names is not started unless the command line names it, too."""

import os
from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.runs import change_record, record_of
from wgsl_fuzz.fuzz.cli.runs.resuming import starts_a_program


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished campaign in `run`, and a program `planted` that leaves a mark if it is started."""
    monkeypatch.chdir(tmp_path)
    result = wgsl_fuzz("--target", "rules:paper", "--programs", "8", "--seed", "1", "--jobs", "1", "--out", "run")
    assert result.exit_code == 0, result.output
    planted = tmp_path / "planted"
    planted.write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n", encoding="utf-8")
    planted.chmod(0o755)
    (tmp_path / "planted.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\nVARIANTS = []\n", encoding="utf-8")
    (tmp_path / "planted.toml").write_text('name = "mine"\ncommand = ["./planted"]\n', encoding="utf-8")
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="the planted program is a script")
@pytest.mark.parametrize(
    "spec",
    [
        "tint:./planted",
        "naga:./planted",
        "python:planted:f",
        "rules:planted.py",
        "mine:x",
        "tint@a=tint:./planted",
        "planted.toml",
    ],
)
def test_a_program_that_a_folder_names_is_not_started(run: Path, spec: str) -> None:
    change_record(run / "run", record_of(run / "run").replace(b"rules:paper", spec.encode()))
    result = wgsl_fuzz("--resume", "run", "--programs", "8", "--jobs", "1")
    assert result.exit_code == 2
    assert f"to allow it, add --target {spec}" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (run / "mark").exists()
    wgsl_fuzz("--resume", "run", "--programs", "8", "--jobs", "1", "--target", spec)
    assert (run / "mark").exists() == ("planted" in spec)


def test_what_is_ours_or_fetched_needs_no_permission() -> None:
    for spec in ("tint", "tint@0.3.8", "tint@embedded", "naga", "rules:paper", "rules:wgsl-tint-0.6.2", "paper"):
        assert not starts_a_program(spec)


@pytest.mark.usefixtures("run")
def test_other_targets_need_another_run() -> None:
    result = wgsl_fuzz("--resume", "run", "--programs", "8", "--target", "rules:wgsl-2023-01-28")
    assert result.exit_code == 2
    assert "the run asks rules:paper: begin another run for rules:wgsl-2023-01-28" in result.stderr
    assert wgsl_fuzz("--resume", "run", "--programs", "8", "--jobs", "1", "--target", "rules:paper").exit_code == 0


def test_a_run_stays_with_the_build_that_it_began_with(run: Path) -> None:
    """Who types the target as at the start means that build."""
    change_record(run / "run", record_of(run / "run").replace(b"rules:paper", b"tint@0.0.0"))
    for given, said in (
        ("tint", "unknown Tint build '0.0.0'"),
        ("tint@0.6.2", "the run asks tint@0.0.0: begin another run for tint@0.6.2"),
        ("naga", "the run asks tint@0.0.0: begin another run for naga"),
    ):
        result = wgsl_fuzz("--resume", "run", "--programs", "8", "--jobs", "1", "--target", given)
        assert result.exit_code == 2
        assert said in result.stderr
        assert ("begin another run" in result.stderr) == (given != "tint")
