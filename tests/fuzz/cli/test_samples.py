"""`--sample`: what it takes, what it says, and that a target named in two ways is one."""

from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.fakes import FakeTarget
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.cli.runs.progress import slow_targets
from wgsl_fuzz.fuzz.cli.runs.samples import LEAST, Sample, sample_for, samples_of
from wgsl_fuzz.fuzz.cli.runs.status import status_lines, status_of
from wgsl_fuzz.fuzz.findings.loading import read_campaign
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.verdict import Verdict

TWO = {"rules:a": FakeTarget(name="rules:a"), "tint": FakeTarget(name="tint@0.6.2")}


def chosen(*asked: Sample) -> tuple[tuple[str, int], ...]:
    return samples_of(asked, TWO, Plan(1), lambda _: None)


def test_a_target_goes_by_what_it_is_called() -> None:
    for name in ("tint", "tint@0.6.2"):
        assert chosen((name, 16)) == (("tint@0.6.2", 16),)
    assert chosen(("a", 2)) == (("rules:a", 2),)
    assert chosen(("a", 1)) == ()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ([("naga", 2)], "no --target is called so"),
        ([("tint", 2), ("tint@0.6.2", 4)], "two samples"),
        ([("tint", 2), ("a", 4)], "at least one target"),
    ],
)
def test_what_cannot_be_is_a_problem(asked: list[Sample], words: str) -> None:
    with pytest.raises(Problem, match=words):
        chosen(*asked)


@given(st.floats(1e-6, 100), st.floats(1e-4, 1))
def test_auto_takes_the_largest_sample_that_costs_no_more_than_all_else(own: float, others: float) -> None:
    every = sample_for(own, others)
    assert every & (every - 1) == 0
    assert own <= others * every or every == LEAST
    assert every == 1 or own > others * every / 2


def test_auto_is_measured() -> None:
    said: list[str] = []
    samples_of([("tint", None)], TWO, Plan(1), said.append)
    assert len(said) == 1
    assert said[0].startswith("tint@0.6.2 takes ")


def test_a_target_that_holds_the_others_up_is_told_of() -> None:
    counters = Counters(answers={"quick": {Verdict.ACCEPTS: 10}, "slow": {Verdict.ACCEPTS: 10}})
    counters.programs = counters.waited_for = 10
    counters.waited.update({"quick": 0.1, "slow": 1.0})
    assert slow_targets(counters).keys() == {"slow"}
    assert "--sample slow=1/64" in slow_targets(counters)["slow"]
    counters.answers["slow"] = {Verdict.ACCEPTS: 2}  # a sample already
    assert "--sample" not in slow_targets(counters)["slow"]


def test_the_run_says_what_was_asked(tmp_path: Path) -> None:
    out = tmp_path / "run"
    targets = ["--target", "rules:paper", "--target", "rules:wgsl-2023-01-28"]
    options = [*targets, "--sample", "wgsl-2023-01-28=1/8", "--programs", "32"]
    result = wgsl_fuzz(*options, "--seed", "1", "--jobs", "1", "--out", out)
    assert result.exit_code in (0, 1), result.output
    record, plan = read_campaign(out)
    asked = sum(record.answers["rules:wgsl-2023-01-28"].values())
    assert plan.samples == (("rules:wgsl-2023-01-28", 8),)
    assert 0 < asked < 32
    assert f"rules:wgsl-2023-01-28 (a sample: {asked})" in "\n".join(status_lines(status_of(out)))
    assert orjson.loads((out / "run.json").read_bytes())["plan"]["samples"] == [["rules:wgsl-2023-01-28", 8]]
    again = wgsl_fuzz("--resume", out, "--sample", "paper=1/2")
    assert again.exit_code == 2
