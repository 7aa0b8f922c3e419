"""What the benchmarks measure is still there: they are run by hand, and name what they wrap."""

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.jobs import CEILING, CLUSTER, JOBS, ONE, THREADS, Arm, Cost, arms_for, main, page, together
from benchmarks.throughput import STAGES, WHOLE_STAGES
from tests.fuzz.campaign.clusters import SETTINGS


@pytest.mark.parametrize(("owner", "name"), [(owner, name) for owner, name, _ in STAGES])
def test_every_stage_of_a_campaign_is_there(owner: object, name: str) -> None:
    assert name in vars(owner)


def test_what_is_counted_with_all_within_it_is_a_stage() -> None:
    assert {stage for _, _, stage in STAGES} >= WHOLE_STAGES


def cost(rate: float, ours: float = 1.0, compilers: float = 1.0) -> Cost:
    return Cost(rate, 1000, ours / 4, 3 * ours / 4, compilers, 4.0, 0.5, 0.1)


def ratio(page: Iterable[str], what: str) -> float:
    (line,) = (line for line in page if line.strip().startswith(what))
    return float(line.split()[-1])


@given(st.permutations([0.5, 1.0, 4.0]), st.sampled_from([2, 4]))
def test_a_ratio_is_of_the_same_round_and_a_slow_round_is_none(speeds: list[float], n: int) -> None:
    """The machine is slower in some rounds, and each ratio is what it was in all of them."""
    arms = arms_for([n], cluster=True)
    ours = {ONE: 1.0, CEILING: 1.0, JOBS: 1.25, CLUSTER: 2.0, THREADS: 1.5}
    rates = {ONE: 100.0, CEILING: 200.0, JOBS: 150.0, CLUSTER: 120.0, THREADS: 135.0}
    told = list(page([{arm: cost(speed * rates[arm.kind], ours[arm.kind]) for arm in arms} for speed in speeds]))
    assert ratio(told, "what the machine can") == 2.0
    assert ratio(told, f"--jobs {n} by one  ") == 1.5
    assert ratio(told, f"--jobs {n} by {n} campaigns, a core each  ") == 0.75
    assert ratio(told, f"{n} workers of a cluster by --jobs {n}  ") == 0.8
    assert ratio(told, f"{n} threads of one worker by --jobs {n}  ") == 0.9
    assert ratio(told, f"--jobs {n} by one in what is not the compiler") == n * 0.8
    assert ratio(told, f"--jobs {n} by {n} campaigns, a core each in the same") == 0.8


def test_campaigns_side_by_side_are_one_cost() -> None:
    both = together([cost(100.0), replace(cost(50.0), last=2.0)])
    assert (both.rate, both.programs, both.core_seconds, both.last) == (150.0, 2000, 8.0, 2.0)
    assert (both.ours, both.idle, both.others) == (cost(1.0).ours, cost(1.0).idle, cost(1.0).others)


def test_a_machine_that_does_other_work_is_named() -> None:
    quiet = dict.fromkeys(arms_for([2], cluster=False), Cost(1.0, 1, 1.0, 1.0, 1.0, 4.0, 1.0, 0.0))
    assert not any("others took" in line for line in page([quiet]))
    busy = quiet | {Arm(ONE): replace(quiet[Arm(ONE)], idle_seconds=0.0)}
    assert any("others took up to 25 %" in line for line in page([quiet, busy]))


def test_what_is_alone_on_a_core_is_pinned_there() -> None:
    for arm in arms_for([2, 4], cluster=True):
        cores = arm.pinned([3, 5, 7, 9])
        assert sorted(core for own in cores for core in own) == [3, 5, 7, 9][: arm.number]
        assert {len(own) for own in cores} == {1 if arm.kind in (ONE, CEILING) else arm.number}


def test_a_clusters_workers_are_set_as_the_page_recommends() -> None:
    page = (Path(__file__).parents[1] / "docs/cluster.md").read_text(encoding="utf-8")
    assert [name for name, value in SETTINGS.items() if f"{name}={value}" not in page] == []


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="pins processes to cores")
def test_a_round_is_measured() -> None:
    options = ["--programs", "300", "--target", "rules:without-10a", "--rounds", "1", "--no-cluster", "--jobs", "2"]
    result = CliRunner().invoke(main, options)
    assert result.exit_code == 0, result.output
    told = result.stdout.splitlines()
    assert told[0].startswith("tiny: 300 shaders a campaign")
    assert any(line.startswith("one campaign on one core") for line in told)
