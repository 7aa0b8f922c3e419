"""The benchmark of the power of the generator of modules counts right."""

import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks import module_power as power
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import MIXED, Plan
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms

PLAN = Plan(3, language=MIXED)
NAMES = (
    "if/condition/dropped",
    "loop/head/no-entry",
    "call/parameter/not-required",
    "table/workgroupBarrier/no-requirement",
)
COUNT = 40


def start() -> Any:
    return power.Progress(0, dict.fromkeys(NAMES, math.inf))


def test_a_kill_is_the_first_module_of_the_campaign_that_the_variant_decides() -> None:
    progress = power.after_round(PLAN, start(), COUNT, 1)
    modules = power.modules_of(PLAN, range(COUNT))
    decided = [deciding_arms(module, only=NAMES) for module in modules]
    assert progress.seen == COUNT
    assert progress.kills == {
        name: next((i for i, names in enumerate(decided, 1) if name in names), math.inf) for name in NAMES
    }
    assert any(math.isfinite(kill) for kill in progress.kills.values())


def test_the_modules_are_those_of_the_campaign() -> None:
    drawer = CampaignGenerator(PLAN)
    places = range(0, COUNT, 3)
    drawn = [module.module for module in power.modules_of(PLAN, places)]
    assert drawn == [drawer.case(place).resolution.module for place in places]


def test_neither_rounds_nor_a_stop_nor_workers_change_the_kills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = power.after_round(PLAN, start(), COUNT, 1)
    monkeypatch.setattr(power, "over_parts", lambda work, parts: [work(part) for part in parts])
    monkeypatch.setattr(power, "ROUND", 4)
    in_parts = start()
    while in_parts.seen < COUNT:
        in_parts = power.after_round(PLAN, in_parts, COUNT, 3)
        power.write_state(tmp_path / "state.json", in_parts)
        in_parts = power.read_state(tmp_path / "state.json")
    assert in_parts == whole


@pytest.mark.parametrize("part", [["--modules", "9"], ["--decisive", "9", "--rarest", "1"]])
def test_each_part_prints_its_table(part: list[str]) -> None:
    only = [] if "--decisive" in part else ["--only", ",".join(NAMES)]
    arguments = [*part, *only, "--language", "tiny", "--workers", "1"]
    result = CliRunner().invoke(power.main, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    words = {"--modules": "within 9: ", "--decisive": "decide none"}
    assert [name for name, text in words.items() if text in result.output] == [part[0]]


@pytest.mark.slow
def test_nearly_every_arm_decides_one_of_five_thousand_modules_of_a_campaign() -> None:
    progress = power.Progress(0, dict.fromkeys(power.NAMES, math.inf))
    while progress.seen < 5000:
        progress = power.after_round(Plan(1, language=MIXED), progress, 5000, 1)
    assert len(progress.living) <= 15
