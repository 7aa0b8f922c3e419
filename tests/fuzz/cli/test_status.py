"""`status`: how a run is going, without a disturbance to it."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result

from wgsl_fuzz.fuzz.cases.plan import Budget
from wgsl_fuzz.fuzz.cli.main import main
from wgsl_fuzz.fuzz.cli.status import _left, _rate_now, _since_new_bucket, status_lines
from wgsl_fuzz.fuzz.findings.loading import is_in_use
from wgsl_fuzz.fuzz.findings.records import CampaignRecord, ProgressLine
from wgsl_fuzz.fuzz.findings.state import RunState


def ran(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of 200 shaders that found something."""
    out = tmp_path_factory.mktemp("status") / "run"
    options = ["--language", "tiny", "--programs", 200, "--seed", 2, "--jobs", 1, "--out", out]
    assert ran("--target", "rules:without-10a", *options).exit_code == 1
    return out


def test_a_run_that_ended_is_told_of(run: Path) -> None:
    result = ran("status", run)
    assert result.exit_code == 0
    assert result.stdout.startswith("came to its end: 0:")
    assert "200 programs" in result.stdout
    assert "targets: rules:without-10a" in result.stdout
    state = orjson.loads(ran("status", run, "--watch", "--json").stdout)
    assert (state["running"], state["finished"], state["programs"], state["left"]) == (False, True, 200, 0.0)
    assert sum(state["findings"].values()) > 0
    assert state["new buckets"] == state["buckets"] > 0


def test_a_run_that_somebody_writes_to_is_running(run: Path) -> None:
    assert not is_in_use(run)
    state = RunState(run)
    try:
        assert is_in_use(run)
        assert orjson.loads(ran("status", run, "--json").stdout)["running"]
    finally:
        state.close()
    assert not is_in_use(run)


def test_what_is_no_run_is_one_line(tmp_path: Path) -> None:
    result = ran("status", tmp_path)
    assert result.exit_code == 2
    assert result.stderr == f"wgsl-fuzz: {tmp_path} is no run: it has no run.json\n"


def _record(programs: int, seconds: float, budget: Budget) -> CampaignRecord:
    return CampaignRecord(version="1", budget=budget, programs=programs, seconds=seconds)


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
    assert _left(_record(50, 40.0, budget), 40.0, 50) == left


def test_rates_and_buckets_are_those_of_the_progress() -> None:
    lines = [ProgressLine(10.0 * i, 100 * i * i, i, min(i, 3)) for i in range(1, 21)]
    assert _rate_now(lines) == (100 * 400 - 100 * 196) / 60
    assert _rate_now(lines[:1]) is None
    assert _since_new_bucket(lines, 205.0) == 175.0
    assert _since_new_bucket([], 205.0) is None
    state: dict[str, Any] = {
        "running": True, "finished": False, "seconds": 205.0, "programs": 40_000, "rate": 195.1, "rate now": 340.0,
        "left": 3700.0, "findings": {"unsound": 2}, "buckets": 3, "new buckets": 1, "since new bucket": 175.0,
        "to reduce": 1, "targets": ["tint@0.6.2"],
    }  # fmt: skip
    assert status_lines(state) == [
        "running: 3:25, 40,000 programs, 195 a second (340 now); 1:01:40 to go",
        "targets: tint@0.6.2",
        "found: 2 unsound; 3 buckets, 1 not known, the last new one 2:55 ago",
        "1 finding to reduce",
    ]
