"""A run's record, read in one place: what is damaged is one line in the same words, whichever command reads it."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.runs import MadeUpRun, change_record, record_of
from wgsl_fuzz.fuzz.findings.loading import read_campaign, read_run
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.problems import Problem

READERS: list[list[str]] = [
    ["--resume", "{run}"],
    ["enumerate", "--resume", "{run}"],
    ["generate", "--run", "{run}"],
    ["triage", "{run}"],
    ["report", "{run}"],
    ["status", "{run}"],
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def command(run: Path, words: list[str]) -> Result:
    return wgsl_fuzz(*[word.replace("{run}", str(run)) for word in words])


@pytest.mark.parametrize("reader", READERS, ids=" ".join)
@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "it is not JSON"),
        ('{"version": ', "it is not JSON"),
        ("[]", "it is no JSON object"),
        ("{}", "there is no 'version'"),
        ("\0", "it is not JSON"),
    ],
)
def test_a_damaged_record_is_the_same_one_line_everywhere(
    tmp_path: Path, reader: list[str], content: str, fault: str
) -> None:
    MadeUpRun(tmp_path / "run").stored()
    change_record(tmp_path / "run", content.encode())
    result = command(tmp_path / "run", reader)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"wgsl-fuzz: {tmp_path}/run/run.sqlite is damaged: {fault}")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("reader", READERS, ids=" ".join)
def test_a_folder_without_a_record_is_the_same_one_line_everywhere(tmp_path: Path, reader: list[str]) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path, tmp_path / "missing", tmp_path / "file"):
        result = command(place, reader)
        assert result.exit_code == 2
        assert result.stderr == f"wgsl-fuzz: {place} is no run: it has no run.sqlite\n"


@pytest.mark.parametrize("runs", [1, 2, 3, 5])
def test_a_folder_of_runs_names_the_latest(tmp_path: Path, runs: int) -> None:
    for i in range(runs):
        (tmp_path / f"{i}").mkdir()
        (tmp_path / f"{i}/run.sqlite").touch()
        os.utime(tmp_path / f"{i}/run.sqlite", (i, i))
    result = command(tmp_path, ["triage", "{run}"])
    latest = ", ".join(str(tmp_path / f"{i}") for i in reversed(range(max(0, runs - 3), runs)))
    more = " and 2 more" if runs == 5 else ""
    said = f"wgsl-fuzz: {tmp_path} is no run: it has no run.sqlite; it holds runs, the latest first: {latest}{more}\n"
    assert (result.exit_code, result.stderr) == (2, said)


def whole(tmp_path: Path) -> dict[str, Any]:
    made = MadeUpRun(tmp_path / "run")
    made.stored()
    return made.record


def test_the_record_of_a_run_is_read(tmp_path: Path) -> None:
    record = whole(tmp_path)
    assert write(read_run(tmp_path / "run"), nulls=True) == record
    assert read_campaign(tmp_path / "run")[1].seed == 5


@given(data=st.data())
def test_whatever_a_value_becomes_it_is_read_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    tmp_path = tmp_path_factory.mktemp("run")
    record = whole(tmp_path)
    names = data.draw(st.lists(st.sampled_from(sorted(record)), min_size=1, max_size=3, unique=True))
    for name in names:
        if data.draw(st.booleans()):
            del record[name]
        else:
            record[name] = data.draw(JSON)
    change_record(tmp_path / "run", orjson.dumps(record))
    for read in (read_run, read_campaign):
        said = ""
        try:
            read(tmp_path / "run")
        except Problem as problem:
            said = problem.message
        assert not said or any(word in said for word in ("run.sqlite is damaged: ", "newer wgsl-fuzz", "generator"))
        assert len(said.splitlines()) <= 1


@pytest.mark.parametrize("counts", [{"reference": {"maybe": 1}}, {"answers": {"x": 1}}, {"buckets": [1]}, {"plan": {}}])
def test_a_campaign_with_damaged_counts_is_not_resumed(tmp_path: Path, counts: dict[str, Any]) -> None:
    made = MadeUpRun(tmp_path / "run", targets={"rules:paper": "ours"})
    made.record |= counts
    with suppress(Problem):
        made.stored()
    before = record_of(made.path)
    result = command(made.path, ["--resume", "{run}", "--programs", "1"])
    assert result.exit_code == 2
    assert "run.sqlite is damaged: " in result.stderr
    assert "Traceback" not in result.stderr
    assert record_of(made.path) == before


def test_a_run_of_the_other_kind_is_told_apart(tmp_path: Path) -> None:
    MadeUpRun(tmp_path / "campaign").stored()
    result = command(tmp_path / "campaign", ["enumerate", "--resume", "{run}"])
    assert f"go on with `wgsl-fuzz --resume {tmp_path}/campaign`" in result.stderr
    made = MadeUpRun(tmp_path / "enumeration", enumeration={})
    with suppress(Problem):
        made.stored()
    for reader in (["--resume", "{run}"], ["generate", "--run", "{run}"]):
        result = command(tmp_path / "enumeration", reader)
        assert result.exit_code == 2
        assert "is a run of enumerate" in result.stderr


@pytest.mark.parametrize("kind", ["campaign", "enumerate"])
def test_what_triage_tied_to_an_issue_fails_no_resumed_run(tmp_path: Path, kind: str) -> None:
    """Triage writes known.toml into the run's folder; --known-file names another."""
    run, known = tmp_path / "run", tmp_path / "known.toml"
    target, *request = "rules:whlsl-2019", "enumerate", "--family", "main", "--max-statements", "3", "--programs", "30"
    again = ["enumerate", "--resume", "{run}"]
    if kind == "campaign":
        target, *request = "rules:without-10a", "--language", "tiny", "--programs", "60", "--seed", "5", "--jobs", "1"
        again = ["--resume", "{run}", "--programs", "1", "--jobs", "1"]
    first = command(run, [*request, "--target", target, "--out", "{run}"])
    known.write_text(f'[[known]]\nbucket = "{target} *"\nissue = "https://example.org/1"\n')
    given = command(run, again if kind == "enumerate" else [*again, "--known-file", str(known)])
    known.rename(run / "known.toml")
    assert (first.exit_code, given.exit_code) == (1, int(kind == "enumerate"))
    assert command(run, again).exit_code == 0


def test_a_language_that_nobody_draws_is_one_line(tmp_path: Path) -> None:
    run = tmp_path / "run"
    command(run, ["--target", "rules:without-10b", "--programs", "8", "--jobs", "1", "--seed", "1", "--out", "{run}"])
    record = orjson.loads((run / "run.json").read_bytes())
    record["plan"]["language"] = "klingon"
    change_record(run, orjson.dumps(record))
    result = command(run, ["--resume", "{run}"])
    assert result.exit_code == 2
    assert "run.sqlite is damaged: 'plan: language' is 'klingon', not one of mixed, tiny" in result.stderr
    assert len(result.stderr.splitlines()) == 1
