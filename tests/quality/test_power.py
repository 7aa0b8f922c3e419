"""The benchmark of the generator's power counts right, and the power is there."""

import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import power
from tests.quality.paper_mutants import DOUBLE, KILLABLE
from wgsl_fuzz.fuzz.cases.plan import MIXED, TINY, Plan
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms

PLAN = Plan(3, language=MIXED)
NAMES = (
    "if/condition/dropped",
    "loop/head/no-entry",
    "call/parameter/not-required",
    "table/workgroupBarrier/no-requirement",
)
OF_PAPER = ("if/line-2/then-under-cf", "barrier/edge/dropped", DOUBLE[0].name, "loop/line-12/map-of-head")
COUNT = 40


def start(names: tuple[str, ...] = NAMES) -> power.Progress:
    return power.Progress(0, dict.fromkeys(names, math.inf))


def test_a_kill_is_the_first_shader_of_the_campaign_that_the_variant_decides() -> None:
    progress = power.after_round("wgsl", PLAN, start(), COUNT, 1)
    decided = [deciding_arms(case.resolution, only=NAMES) for case in power.cases_of(PLAN, range(COUNT))]
    assert progress.seen == COUNT
    assert progress.kills == {
        name: next((i for i, names in enumerate(decided, 1) if name in names), math.inf) for name in NAMES
    }
    assert any(math.isfinite(kill) for kill in progress.kills.values())


def test_a_kill_of_a_mutant_of_the_papers_rules_is_the_first_shader_whose_verdict_differs() -> None:
    plan = Plan(3, language=TINY)
    kills = power.after_round("paper", plan, start(OF_PAPER), COUNT, 1).kills
    drawn = [case.core for case in power.cases_of(plan, range(COUNT)) if case.core is not None]
    assert any(math.isfinite(count) for count in kills.values())
    for m in (*KILLABLE, *DOUBLE):
        if m.name in OF_PAPER:
            differs = [i for i, s in enumerate(drawn, 1) if analyse(s, m.rules).verdict is not analyse(s).verdict]
            assert kills[m.name] == (differs[0] if differs else math.inf)


def test_neither_rounds_nor_a_stop_nor_workers_change_the_kills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = power.after_round("wgsl", PLAN, start(), COUNT, 1)
    monkeypatch.setattr(power, "over_parts", lambda work, parts: [work(part) for part in parts])
    monkeypatch.setattr(power, "ROUND", 4)
    in_parts = start()
    while in_parts.seen < COUNT:
        in_parts = power.after_round("wgsl", PLAN, in_parts, COUNT, 3)
        power.write_state(tmp_path / "state.json", in_parts)
        in_parts = power.read_state(tmp_path / "state.json")
    assert in_parts == whole


@pytest.mark.parametrize(
    ("options", "words", "names"),
    [
        ("--modules 9 --language tiny", "within 9: ", NAMES),
        ("--modules 4 --seed 1 --seed 2 --rules paper", "2 seeds", OF_PAPER),
    ],
)
def test_the_tables_are_printed(options: str, words: str, names: tuple[str, ...]) -> None:
    arguments = [*options.split(), "--only", ",".join(names), "--workers", "1"]
    result = CliRunner().invoke(power.main, arguments, catch_exceptions=False)
    assert (result.exit_code, words in result.output) == (0, True)


def killed(rules: str, plan: Plan, names: tuple[str, ...]) -> power.Progress:
    progress = start(names)
    while progress.seen < 5000 and progress.living:
        progress = power.after_round(rules, plan, progress, 5000, 1)
    return progress


@pytest.mark.slow
@pytest.mark.parametrize("seed", [20261121, 20261122, 20261123])
def test_every_branch_of_the_papers_rules_decides_one_of_5000_shaders(seed: int) -> None:
    assert killed("paper", Plan(seed, language=TINY), tuple(m.name for m in KILLABLE)).living == []


@pytest.mark.slow
def test_nearly_every_arm_decides_one_of_5000_shaders() -> None:
    assert len(killed("wgsl", Plan(1, language=MIXED), power.NAMES["wgsl"]()).living) <= 15


@pytest.mark.slow
def test_few_shaders_repeat_another_or_are_trivial() -> None:
    shares = power.shares_of(power.shaders_of(Plan(1, language=TINY)), 20_000)
    assert shares.duplicates / shares.shaders <= 0.02
    assert shares.trivial / shares.shaders < 0.03
    assert 20 <= shares.statements <= 40
