"""`wgsl-fuzz reproduce`: the list of claims, numbers in every form, exit statuses."""

from functools import partial

import orjson
import pytest

from tests.fuzz.campaign.clusters import ROOT
from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cli.rules.reproduce import CLAIMS, Claim, measured
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES

reproduce = partial(wgsl_fuzz, "reproduce")
SLOW = {"campaign", "power"}


@pytest.mark.parametrize(
    "claim", [pytest.param(c, id=c.name, marks=[pytest.mark.full] if c.name in SLOW else []) for c in CLAIMS]
)
def test_every_claim_holds_at_its_quick_size(claim: Claim) -> None:
    found = measured(claim, quick=True)
    assert claim.bounds.keys() <= found["measured"].keys()
    assert found["holds"], found


def test_without_a_name_the_claims_are_listed() -> None:
    said = reproduce()
    assert said.exit_code == 0
    assert [line.partition(",")[0] for line in said.output.splitlines()[::2]] == [claim.name for claim in CLAIMS]
    assert {one["claim"] for one in orjson.loads(reproduce("--format", "json").stdout)} == {c.name for c in CLAIMS}


def test_numbers_in_every_form() -> None:
    said = orjson.loads(reproduce("figures", "--quick", "--format", "json").stdout)
    assert {"generator", "seed", "date", "machine"} < said.keys()
    (one,) = said["claims"]
    assert (one["claim"], one["measured"], one["holds"]) == ("figures", {"figures": 4, "decided": 4}, True)


def test_a_claim_that_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.rules.reproduce.FIGURES", {"10a": FIGURES["10a"]})
    said = reproduce("figures")
    assert said.exit_code == 1
    assert "DOES NOT HOLD" in said.stdout


def test_the_page_has_every_claim() -> None:
    page = (ROOT / "docs/for-researchers.md").read_text(encoding="utf-8")
    assert [claim.name for claim in CLAIMS if f"| `{claim.name}` |" not in page] == []
