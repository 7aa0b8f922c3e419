"""The command `prune`: which runs go, and that a history has what they found."""

import os
import shutil
import time
from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.runs import DIVERGING, STRICT, MadeUpRun, change_record, strict, unsound
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.state import STATE, RunState
from wgsl_fuzz.fuzz.triage.merging import merge

DAYS = {"old": 40, "middle": 20, "new": 1}
"""How long ago each run was written."""


@pytest.fixture
def nights(tmp_path: Path) -> Path:
    """A folder with three runs, and something that is no run."""
    folder = tmp_path / "the nights"
    for i, (name, days) in enumerate(DAYS.items()):
        run = MadeUpRun(folder / name, findings={"too-strict": 1, "unsound": 1})
        run.found(strict(index=i), drawn=STRICT, reduced=STRICT)
        run.found(unsound(index=i), drawn=DIVERGING, reduced=DIVERGING)
        run.stored()
        _written(folder / name, days)
    (folder / "notes").mkdir()
    return folder


def _written(run: Path, days: float) -> None:
    os.utime(run / STATE, (time.time() - days * 24 * 3600,) * 2)


def _left(nights: Path) -> set[str]:
    return {path.name for path in nights.iterdir()} - {"notes"}


@pytest.mark.parametrize(
    ("keep", "left"),
    [("0", set()), ("1", {"new"}), ("2", {"new", "middle"}), ("9", {*DAYS}), ("30d", {"new", "middle"}), ("0d", set())],
)
def test_the_newest_are_kept(nights: Path, tmp_path: Path, keep: str, left: set[str]) -> None:
    result = wgsl_fuzz("prune", nights, "--keep", keep, "-o", tmp_path / "history")
    assert result.exit_code == 0, result.output
    assert _left(nights) == left
    assert (nights / "notes").is_dir()
    assert result.stdout.count(": deleted") == 3 - len(left)


def test_without_a_history_nothing_is_deleted_and_it_is_said_what_would_be(nights: Path) -> None:
    result = wgsl_fuzz("prune", nights, "--keep", "1")
    assert (result.exit_code, _left(nights)) == (0, {*DAYS})
    told = [line for line in result.stdout.splitlines() if line.endswith("would be deleted")]
    assert [Path(line.partition(": ")[0]).name for line in told] == ["middle", "old"]
    assert all(": 2 findings, " in line for line in told)
    assert f"to do it: wgsl-fuzz prune '{nights}' --keep 1 -o HISTORY" in result.stderr


def test_the_history_has_all_that_was_found(nights: Path, tmp_path: Path) -> None:
    copies = shutil.copytree(nights, tmp_path / "copies")
    merge([copies / name for name in DAYS], tmp_path / "expected")
    wgsl_fuzz("prune", nights, "--keep", "0", "-o", tmp_path / "history")
    expected, found = load_run(tmp_path / "expected"), load_run(tmp_path / "history")
    assert {run.id for run in found.runs} == {run.id for run in expected.runs}
    assert [(one.folder.name, one.text, one.count) for one in found.findings] == [
        (one.folder.name, one.text, one.count) for one in expected.findings
    ]
    assert found.record.findings == expected.record.findings


def test_what_is_under_way_or_a_history_or_a_link_is_never_deleted(nights: Path, tmp_path: Path) -> None:
    history = nights / "history"
    wgsl_fuzz("prune", nights, "--keep", "30d", "-o", history)
    _written(history, 90)
    (nights / "link").symlink_to(shutil.copytree(nights / "new", tmp_path / "elsewhere"))
    state = RunState(nights / "middle")
    try:
        result = wgsl_fuzz("prune", nights, "--keep", "0", "-o", history)
    finally:
        state.close()
    assert result.exit_code == 0, result.output
    assert _left(nights) == {"middle", "history", "link"}
    assert (tmp_path / "elsewhere" / STATE).is_file()


def test_files_of_others_and_damaged_runs_stay(nights: Path, tmp_path: Path) -> None:
    (nights / "old" / "report.html").write_text("mine")
    change_record(nights / "middle", b"{}")
    _written(nights / "middle", 20)
    result = wgsl_fuzz("prune", nights, "--keep", "0", "-o", tmp_path / "history")
    assert result.exit_code == 2
    assert str(nights / "middle" / STATE) in result.stderr
    assert "deleted, but for what is no run's: report.html" in result.stdout
    assert [path.name for path in (nights / "old").iterdir()] == ["report.html"]
    assert (nights / "middle" / STATE).is_file()


@pytest.mark.parametrize("wrong", [("--keep", "x", "-o", "h"), ("--keep", "-1", "-o", "h"), ("-o", "h")])
def test_a_wrong_request_deletes_nothing(nights: Path, wrong: tuple[str, ...]) -> None:
    assert wgsl_fuzz("prune", nights, *wrong).exit_code == 2
    assert wgsl_fuzz("prune", nights / "nowhere", "--keep", "0").exit_code == 2
    assert wgsl_fuzz("prune", nights, "--keep", "0", "-o", nights / "new").exit_code == 2
    assert _left(nights) == {*DAYS}
