"""What the benchmarks measure is still there: they are run by hand, and name what they wrap."""

from pathlib import Path

import pytest

from benchmarks.throughput import STAGES, WHOLE_STAGES
from tests.fuzz.campaign.clusters import SETTINGS


@pytest.mark.parametrize(("owner", "name"), [(owner, name) for owner, name, _ in STAGES])
def test_every_stage_of_a_campaign_is_there(owner: object, name: str) -> None:
    assert name in vars(owner)


def test_what_is_counted_with_all_within_it_is_a_stage() -> None:
    assert {stage for _, _, stage in STAGES} >= WHOLE_STAGES


def test_a_clusters_workers_are_set_as_the_page_recommends() -> None:
    page = (Path(__file__).parents[1] / "docs/cluster.md").read_text(encoding="utf-8")
    assert [name for name, value in SETTINGS.items() if f"{name}={value}" not in page] == []
