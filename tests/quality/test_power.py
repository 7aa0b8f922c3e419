"""The benchmark of the generator's power counts right, and the power is there."""

import math
from itertools import islice

import pytest
from click.testing import CliRunner

from benchmarks import power
from tests.quality.paper_mutants import DOUBLE, KILLABLE
from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.rules.analysis import analyse


def test_a_kill_is_the_first_shader_whose_verdict_differs() -> None:
    names = ("if/line-2/then-under-cf", "barrier/edge/dropped", DOUBLE[0].name, "loop/line-12/map-of-head")
    kills = power.kills_of(3, 40, names)
    assert set(kills) == set(names)
    assert any(math.isfinite(count) for count in kills.values())
    drawn = list(islice(power.shaders_of(3), 40))
    for m in (*KILLABLE, *DOUBLE):
        if m.name in names:
            differs = [i for i, s in enumerate(drawn, 1) if analyse(s, m.rules).verdict is not analyse(s).verdict]
            assert kills[m.name] == (differs[0] if differs else math.inf)


def test_rows_have_the_hardest_first_and_a_survivor_is_the_hardest() -> None:
    runs: list[dict[str, float]] = [
        {"a": 1, "b": 5, "c": math.inf},
        {"a": 3, "b": 9, "c": 7},
        {"a": 2, "b": 6, "c": math.inf},
    ]
    assert [tuple(row) for row in power.rows_of(runs)] == [("c", math.inf, math.inf), ("b", 6, 9), ("a", 2, 3)]


def test_shares_are_counted() -> None:
    main = "@compute @workgroup_size(2)\nfn main(@builtin(local_invocation_index) lid: u32) {\n"
    trivial = parse(main + "var x: u32; x = 1u; workgroupBarrier(); }")
    again = parse(main + "var y: u32; y = 2u; workgroupBarrier(); }")
    rejected = parse(main + "if (lid == 0u) { workgroupBarrier(); } workgroupBarrier(); }")
    shares = power.shares_of(iter([trivial, again, rejected, rejected]), 3)
    assert shares == power.Shares(shaders=3, duplicates=1, trivial=2, uniform=2, statements=2)


@pytest.mark.parametrize("part", ["kills", "decisive", "shares"])
def test_each_part_prints_its_table(part: str) -> None:
    arguments = ["--seeds", "1", "--cap", "4", "--decisive", "4", "--shares", "8", "--workers", "1"]
    result = CliRunner().invoke(power.main, [*arguments, "--part", part], catch_exceptions=False)
    assert result.exit_code == 0
    words = {"kills": "survive 4 shaders", "decisive": "decide nothing", "shares": "statements, median"}
    assert [name for name, text in words.items() if text in result.output] == [part]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [20261121, 20261122, 20261123])
def test_every_branch_decides_one_of_5000_shaders(seed: int) -> None:
    kills = power.kills_of(seed, 5_000, [m.name for m in KILLABLE])
    assert [name for name, count in kills.items() if math.isinf(count)] == []


@pytest.mark.slow
def test_few_shaders_repeat_another_or_are_trivial() -> None:
    shares = power.shares_of(power.shaders_of(1), 20_000)
    assert shares.duplicates / shares.shaders <= 0.02
    assert shares.trivial / shares.shaders < 0.03
    assert 20 <= shares.statements <= 40
