"""The command `coverage`."""

from collections import Counter
from functools import partial

import orjson
import pytest

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms, deciding_arms

NAMES = [arm.name for arm in arms()]


invoke = partial(wgsl_fuzz, "coverage")


def decided_by(plan: Plan, count: int) -> Counter[str]:
    drawer = CampaignGenerator(plan)
    return Counter(name for index in range(count) for name in deciding_arms(drawer.case(index).resolution))


def test_the_table_shows_each_branch_once_and_the_never_decided_first() -> None:
    result = invoke("-n", 5, "--seed", 7, "--language", "mixed")
    assert result.exit_code == 0, result.output
    decided = decided_by(Plan(7, language="mixed"), 5)
    head, empty, columns, *rows = result.output.splitlines()
    assert head == f"{len(decided)} of {len(NAMES)} branches decide at least one of 5 shaders"
    assert (empty, columns.split()[:2]) == ("", ["broken", "branch"])
    assert sorted(row.split()[0] for row in rows) == sorted(NAMES)
    counts = [int(row.split()[1]) for row in rows]
    assert counts == sorted(counts)
    assert [row.split()[2] == "never" for row in rows] == [count == 0 for count in counts]
    assert {row.split()[0]: int(row.split()[1]) for row in rows} == {name: decided[name] for name in NAMES}
    assert all(row.split()[2] == f"{int(row.split()[1]) / 5:.2%}" for row in rows if "never" not in row.split())


@pytest.mark.parametrize("language", ["tiny", "compute"])
def test_json(language: str) -> None:
    result = invoke("-n", 5, "--seed", 3, "--language", language, "--format", "json")
    assert result.exit_code == 0, result.output
    answer = orjson.loads(result.output)
    assert (answer["shaders"], answer["seed"], answer["language"]) == (5, 3, language)
    decided = {branch["name"]: branch["decided"] for branch in answer["branches"]}
    expected = decided_by(Plan(3, language=language), 5)
    assert decided == {name: expected[name] for name in NAMES}
    assert answer["never"] == [name for name, count in decided.items() if not count]
    assert all(branch["rule"] and branch["branch"] for branch in answer["branches"])
