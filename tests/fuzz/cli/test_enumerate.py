"""The command `enumerate`."""

import re
from datetime import datetime
from functools import partial
from pathlib import Path

import orjson
import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.runs import change_record
from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.strategies.enumerate.families import MAIN

SMALL = ("--family", "main", "--max-statements", "3")


_enumerate = partial(wgsl_fuzz, "enumerate")


def test_without_a_target_the_reference_and_the_semantics_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.runs.progress.EVERY", -1)
    result = _enumerate(*SMALL, "--out", tmp_path / "run")
    assert result.exit_code == 0
    accepted = sum(analyse(shader).verdict.value == "accepts" for shader in MAIN.up_to(3))
    assert f"accepted by the reference: {accepted}; {accepted} proven to converge" in result.stdout
    assert "58 shaders" in result.stderr


@pytest.mark.parametrize(("target", "status"), [("rules:paper", 0), ("rules:without-10b", 0), ("rules:without-10a", 1)])
def test_the_exit_status_says_whether_something_was_found(tmp_path: Path, target: str, status: int) -> None:
    """Without 10a the smallest unsound shader has three statements; 10b takes more."""
    assert _enumerate(*SMALL, "--target", target, "--jobs", 2, "--out", tmp_path / "run").exit_code == status


def test_the_shipped_known_buckets_fail_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "known.toml").write_text('[[known]]\nbucket = "rules:whlsl-2019 *"\nissue = "https://example.org/1"\n')
    options = (*SMALL, "--target", "whlsl-2019")
    assert _enumerate(*options, "--out", tmp_path / "before").exit_code == 1
    monkeypatch.setattr("wgsl_fuzz.fuzz.findings.known.corpus_folder", lambda: tmp_path)
    assert _enumerate(*options, "--out", tmp_path / "run").exit_code == 0


def test_families_of_both_kinds_are_judged_by_one_reference(tmp_path: Path) -> None:
    options = ("--family", "loop-body", "--family", "main", "--max-statements", "3")
    result = _enumerate(*options, "--target", "rules:wgsl-tint-0.6.2", "--out", tmp_path / "run")
    assert result.exit_code == 1
    assert "too-strict tint/joins-at-empty-continuing (30)" in result.stdout
    page = tmp_path / "report.html"
    assert wgsl_fuzz("report", tmp_path / "run", "-o", page).exit_code == 0
    told = page.read_text(encoding="utf-8")
    assert "family loop-body, main. The same generator, family" in told
    again = re.sub("<[^>]*>", "", told)
    assert "enumerate --family loop-body --family main --max-statements 3 --first 0 --programs" in again
    assert "wgsl-tint-0.6.2: " in result.stdout
    folders = sorted((tmp_path / "run/findings").iterdir())
    for folder in (folders[0], folders[-1]):
        command = orjson.loads((folder / "finding.json").read_bytes())["draw again"].split()
        printed = wgsl_fuzz(*command[1:]).stdout
        assert printed.split("\n", 1)[1].removesuffix("\n") == (folder / "drawn.wgsl").read_text()


def test_shaders_are_printed_with_verdicts() -> None:
    result = _enumerate(*SMALL, "--format", "jsonl")
    lines = [orjson.loads(line) for line in result.stdout.splitlines()]
    assert len(lines) == 58
    for line in lines:
        assert (analyse(parse(line["code"])).verdict.value == "accepts") == (line["verdict"] == "uniform")
    assert (
        _enumerate(*SMALL, "--format", "jsonl", "--first", "50", "--programs", "3").stdout.splitlines()
        == (result.stdout.splitlines()[50:53])
    )


def test_a_run_is_resumed_from_its_record_alone(tmp_path: Path) -> None:
    out = tmp_path / "run"
    first = _enumerate(*SMALL, "--target", "rules:paper", "--out", out)
    record = orjson.loads((out / "run.json").read_bytes())
    assert datetime.fromisoformat(record["date"])
    change_record(out, orjson.dumps(record | {"programs": 20, "date": "2001-02-03"}))
    assert first.exit_code == 0
    for more in ((), (), ("--programs", 9)):  # a finished run has nothing left
        again = wgsl_fuzz("--resume", out, *more)
        assert (again.exit_code, "58 shaders" in again.stdout) == (0, True)
    after = orjson.loads((out / "run.json").read_bytes())
    assert (after["programs"], after["date"]) == (58, "2001-02-03")
