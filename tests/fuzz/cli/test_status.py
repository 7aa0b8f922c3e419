"""`status`: how a run is going, without a disturbance to it."""

import csv
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cases.plan import Budget
from wgsl_fuzz.fuzz.cli.runs import status
from wgsl_fuzz.fuzz.cli.runs.metrics import with_buckets
from wgsl_fuzz.fuzz.findings.loading import is_in_use
from wgsl_fuzz.fuzz.findings.records import RunRecord
from wgsl_fuzz.fuzz.findings.state import RunState
from wgsl_fuzz.fuzz.findings.stats import STATS, StatsLine, read_stats


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of 200 shaders that found something."""
    out = tmp_path_factory.mktemp("status") / "run"
    options = ["--language", "tiny", "--programs", 200, "--seed", 2, "--jobs", 1, "--out", out]
    assert wgsl_fuzz("--target", "rules:without-10a", *options).exit_code == 1
    return out


def test_a_run_that_ended_is_told_of(run: Path) -> None:
    result = wgsl_fuzz("status", run)
    assert result.exit_code == 0
    assert result.stdout.startswith("came to its end: 0:")
    assert "200 shaders" in result.stdout
    assert "targets: rules:without-10a" in result.stdout
    state = orjson.loads(wgsl_fuzz("status", run, "--format", "json").stdout)
    assert (state["running"], state["finished"], state["programs"], state["left"]) == (False, True, 200, 0.0)
    assert sum(state["findings"].values()) > 0
    assert state["new buckets"] == state["buckets"] > 0
    last = with_buckets(replace(read_stats(run)[-1], buckets=99, new_buckets=99), run)
    assert last is not None
    assert (last.new_buckets, last.buckets) == (state["new buckets"], state["buckets"])


def test_rates_are_a_table(run: Path) -> None:
    rows = [*csv.DictReader(io.StringIO(wgsl_fuzz("status", run, "--format", "csv").stdout))]
    assert (len(rows), rows[-1]["programs"]) == (len(read_stats(run)), "200")


def test_a_run_that_somebody_writes_to_is_running(run: Path) -> None:
    assert not is_in_use(run)
    state = RunState(run)
    try:
        assert is_in_use(run)
        assert orjson.loads(wgsl_fuzz("status", run, "--format", "json").stdout)["running"]
    finally:
        state.close()
    assert not is_in_use(run)


def test_what_the_run_used_is_told_of(run: Path) -> None:
    state = orjson.loads(wgsl_fuzz("status", run, "--format", "json").stdout)
    last = read_stats(run)[-1]
    assert state["sampled"] == last.seconds
    assert state["memory"]["campaign"]["bytes"] == last.memory["campaign"].bytes
    assert state["time"]["drawing"] > 0
    assert sum(state["time"].values()) == pytest.approx(sum(last.times.values()), abs=0.01)
    assert state["languages"] == {"tiny": {"programs": 200, "rate": state["rate"], "rate now": ANY}}
    lines = wgsl_fuzz("status", run).stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "came to its end",
        "targets",
        "accepted by the reference",
        "found",
        "memory",
        "time",
    ]


def test_a_run_without_stats_is_told_of_as_far_as_it_goes(run: Path, tmp_path: Path) -> None:
    old = Path(shutil.copytree(run, tmp_path / "old"))
    (old / STATS).unlink()
    state = orjson.loads(wgsl_fuzz("status", old, "--format", "json").stdout)
    assert {state[key] for key in ("sampled", "memory", "restarts", "time")} == {None}
    assert state["languages"]["tiny"]["rate now"] is None
    assert len(wgsl_fuzz("status", old).stdout.splitlines()) == 4


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text(max_size=5),
        lambda one: st.dictionaries(
            st.sampled_from(["seconds", "programs", "memory", "restarts", "workers", "bytes"]), one
        ),
    )
)
def test_no_stats_are_too_odd_to_be_told_of_or_left_out(run: Path, odd: Any) -> None:
    before = (run / STATS).read_bytes()
    try:
        for value in (odd, orjson.loads(before.splitlines()[-1]) | (odd if isinstance(odd, dict) else {})):
            (run / STATS).write_bytes(before + json.dumps(value).encode())
            assert status.status_lines(status.status_of(run))
    finally:
        (run / STATS).write_bytes(before)


@pytest.mark.parametrize(
    ("budget", "left"),
    [
        (Budget(seconds=100.0), 60.0),
        (Budget(programs=100), 40.0),
        (Budget(100.0, 60), 8.0),
        (Budget(seconds=30.0), 0.0),
        (Budget(), None),
    ],
)
def test_what_is_left_follows_from_the_rate(budget: Budget, left: float | None) -> None:
    record = RunRecord(version="1", budget=budget, programs=50, seconds=40.0)
    assert status._left(record, 40.0, 50) == left


def test_rates_and_buckets_are_those_of_the_stats() -> None:
    lines = [StatsLine(seconds=10.0 * i, programs=100 * i * i, buckets=min(i, 3)) for i in range(1, 21)]
    assert status._rate_now(lines) == (100 * 400 - 100 * 196) / 60
    assert status._rate_now(lines[:1]) is None
    assert status._since_new_bucket(lines, 205.0) == 175.0
    assert status._since_new_bucket([], 205.0) is None
