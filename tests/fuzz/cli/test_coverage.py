"""The command `coverage`, alone and as lines for other commands."""

import orjson
import pytest
from click.testing import CliRunner, Result

from wgsl_fuzz.fuzz.cases.drawer import Drawer
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.cli.coverage import coverage, coverage_json, coverage_lines
from wgsl_fuzz.oracle.rules.coverage import Coverage
from wgsl_fuzz.oracle.rules.variants import CHANGES, KILLABLE


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(coverage, [str(a) for a in arguments])


def of_seeds(count: int, seed: int, profile: str) -> Coverage:
    drawer = Drawer(Plan(seed, profile))
    return Coverage().extend(drawer.case(i).shader for i in range(count))


def test_the_table_shows_each_branch_once_and_the_never_decided_first() -> None:
    result = invoke("-n", 30, "--seed", 7)
    assert result.exit_code == 0, result.output
    covered = of_seeds(30, 7, "default")
    head, empty, columns, *rows = result.output.splitlines()
    assert (
        head == f"{len(KILLABLE) - len(covered.never())} of {len(KILLABLE)} branches decide at least one of 30 shaders"
    )
    assert (empty, columns.split()[:2]) == ("", ["broken", "branch"])
    assert sorted(row.split()[0] for row in rows) == sorted(m.name for m in KILLABLE)
    counts = [int(row.split()[1]) for row in rows]
    assert counts == sorted(counts)
    assert [row.split()[2] == "never" for row in rows] == [count == 0 for count in counts]
    assert {row.split()[0]: int(row.split()[1]) for row in rows} == {m.name: covered.decided[m.name] for m in KILLABLE}
    assert all(row.split()[2] == f"{int(row.split()[1]) / 30:.2%}" for row in rows if "never" not in row.split())


@pytest.mark.parametrize("profile", ["default", "small"])
def test_json(profile: str) -> None:
    result = invoke("-n", 25, "--seed", 3, "--profile", profile, "--json")
    assert result.exit_code == 0, result.output
    answer = orjson.loads(result.output)
    assert (answer["shaders"], answer["seed"], answer["profile"]) == (25, 3, profile)
    decided = {branch["name"]: branch["decided"] for branch in answer["branches"]}
    covered = of_seeds(25, 3, profile)
    assert decided == {m.name: covered.decided[m.name] for m in KILLABLE}
    assert answer["never"] == [name for name, count in decided.items() if not count]
    assert all(b["rule"] and b["line"] and b["branch"] for b in answer["branches"])
    named = [b for b in answer["branches"] if b["name"] not in CHANGES]
    assert all(b["name"].startswith(f"{b['rule']}/{b['line']}/") for b in named)


def test_the_same_seed_gives_the_same_table_and_another_one_another() -> None:
    assert invoke("-n", 20, "--seed", 1).output == invoke("-n", 20, "--seed", 1).output
    assert invoke("-n", 20, "--seed", 1).output != invoke("-n", 20, "--seed", 2).output


def test_lines_of_no_shaders() -> None:
    assert coverage_lines(Coverage())[0].startswith("0 of ")
    assert coverage_json(Coverage())["never"] == [m.name for m in KILLABLE]


@pytest.mark.parametrize("arguments", [("-n", 0), ("--profile", "none"), ("--seed", -1)])
def test_a_request_at_fault_exits_with_2(arguments: tuple[object, ...]) -> None:
    assert invoke(*arguments).exit_code == 2
