"""The lines of a campaign: five at its end, every command whole, numbers with their nouns."""

import os
import re
import shlex
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.conftest import ask_few_questions
from tests.fuzz.runs import MadeUpRun, change_record, record_of
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cli.runs.campaign import starts_a_program
from wgsl_fuzz.fuzz.cli.runs.progress import closing_lines, line
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Cause, Kind
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.triage.triage import Triage

COUNTS = st.dictionaries(
    st.sampled_from(Kind).map(lambda kind: BucketKey("t", kind, Cause(told="x"))), st.integers(1, 9)
)


def closing(folder: Path, buckets: dict[BucketKey, int], status: int) -> list[str]:
    """The lines of a run whose crashes are known."""
    made = MadeUpRun(folder)
    for key, n in buckets.items():
        made.counted += [(key, None)] * n
        made.count(key, **({"issue": "https://example.org/1"} if key.kind is Kind.CRASH else {}))
    return list(closing_lines(Counters(), Triage.of(made.stored()), "", status))


def test_given_shaders_are_told_without_saying_where_from() -> None:
    assert line(Counters(given=104)).endswith("no finding; before these 104 given shaders")
    assert "given" not in line(Counters())


@settings(max_examples=20)
@given(COUNTS, st.sampled_from([0, 1, 2, 130]))
def test_the_end_has_five_lines_and_counts_as_triage_status_and_report_do(
    buckets: dict[BucketKey, int], status: int
) -> None:
    with TemporaryDirectory(prefix="a run ") as name:
        lines = closing(Path(name), buckets, status)
        counts = orjson.loads(wgsl_fuzz("status", name, "--format", "json").stdout)
        told = wgsl_fuzz("triage", name, "--format", "text").stdout.splitlines()[0]
    assert len(lines) == 5
    assert shlex.split(lines[3])[3] == name
    assert not any("\n" in told for told in lines)
    known = sum(key.kind is Kind.CRASH for key in buckets)
    new = len(buckets) - known
    assert (counts["buckets"], counts["new buckets"]) == (len(buckets), new)
    assert f" in {count(len(buckets), 'bucket')}: " in told
    assert lines[-1].startswith(count(new, "new fault") if new else "Nothing new.")
    assert (f"{count(known, 'known fault')} w" in lines[-1]) == bool(known)
    assert (f"Exit status {status}." in lines[-1]) == bool(status)
    assert ("--fail-on" in lines[-1]) == (bool(new) and not status)


@pytest.mark.parametrize("further", [[], ["--programs", "8"]])
def test_the_result_is_on_standard_output_after_resume_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, further: list[str]
) -> None:
    ask_few_questions(monkeypatch)
    out = str(tmp_path / "run")
    begun = ["--target", "rules:without-10a", "--programs", "400", "--seed", "5", "--jobs", "1"]
    result = wgsl_fuzz(*begun, "--out", out)
    if further:
        result = wgsl_fuzz("--resume", out, "--jobs", "1", *further)
    told = result.stdout.splitlines()
    assert len(told) == 5, result.output
    assert told[1].startswith("new: rules:without-10a unsound before-2025-10-14/10a")
    assert told[3] == f"next: wgsl-fuzz triage {out}"
    assert re.search(r"^\d+ new faults?\. Exit status 1\.$", told[4])
    assert result.exit_code == 1
    assert not set(told) & set(result.stderr.splitlines())
    shown = wgsl_fuzz(*told[3].split()[2:])
    assert shown.exit_code == 1
    assert f" in {count(int(told[4].split()[0]), 'bucket')}: " in shown.stdout.splitlines()[0]
    assert "without-10a" in shown.stdout


@pytest.mark.parametrize("programs", ["8", "64"])
def test_a_quiet_run_says_only_what_it_found(programs: str, tmp_path: Path) -> None:
    asked = ["--target", "rules:without-10a", "--jobs", "1", "--seed", "1", "--programs", programs]
    loud = wgsl_fuzz(*asked, "--out", tmp_path / "run")
    shutil.rmtree(tmp_path / "run")
    quiet = wgsl_fuzz(*asked, "--out", tmp_path / "run", "--quiet")
    assert loud.stderr.startswith("target rules:without-10a")
    assert (quiet.stderr, quiet.exit_code) == ("", loud.exit_code)
    assert quiet.stdout.splitlines()[1:] == loud.stdout.splitlines()[1:]  # the first has the time


# --------------------------- A run's folder is data: what it names is not started unless the command line names it, too


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
        "device:planted:f",
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


def test_a_run_stays_with_the_build_that_it_began_with(run: Path) -> None:
    """Who types the target as at the start means that build."""
    change_record(run / "run", record_of(run / "run").replace(b"rules:paper", b"tint@0.0.0"))
    for named, said in (
        ("tint", "embedded; one of yours: tint@mine=tint:PATH"),
        ("tint", "unknown Tint build '0.0.0'"),
        ("tint@0.6.2", "the run asks tint@0.0.0: begin another run for tint@0.6.2"),
        ("naga", "the run asks tint@0.0.0: begin another run for naga"),
        ("rules:wgsl-2023-01-28", "the run asks tint@0.0.0: begin another run for rules:wgsl-2023-01-28"),
    ):
        result = wgsl_fuzz("--resume", "run", "--programs", "8", "--jobs", "1", "--target", named)
        assert result.exit_code == 2
        assert said in result.stderr
        assert ("begin another run" in result.stderr) == (named != "tint")
