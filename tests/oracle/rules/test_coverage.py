"""Rule coverage: what decides a shader, and that every short cut on the way is safe."""

import re
from dataclasses import replace

import pytest
from hypothesis import given

from tests.quality.test_mutants import BY_MUTANT, BY_NAME
from tests.test_house import ROOT
from wgsl_fuzz.oracle.rules import coverage
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.bitset import lane_analysis
from wgsl_fuzz.oracle.rules.bitset.lane_analysis import TooManySources, rejecting
from wgsl_fuzz.oracle.rules.bitset.lanes import KNOWN, LANES, ONLY
from wgsl_fuzz.oracle.rules.coverage import Coverage, deciding
from wgsl_fuzz.oracle.rules.variants import KILLABLE
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import DEFAULT, SMALL, Profile, draw_shader, shaders
from wgsl_fuzz.tinywgsl.ast import Loop, Shader, walk
from wgsl_fuzz.wgsl.reading import parse

LOOPY = replace(
    SMALL,
    functions=(0, 2),
    statements=(4, 12),
    weights=(("assign", 20), ("barrier", 10), ("call", 15), ("if", 30), ("loop", 30), ("break", 15), ("return", 10)),
    main_returns=60,
)


NAMES_IN_RULES = re.compile(r'"(10[a-d]|[A-Za-z-]+/[A-Za-z0-9-]+/[A-Za-z0-9-]+)"')


def main(body: str) -> Shader:
    return parse(f"@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {{ {body} }}")


def by_brute_force(shader: Shader) -> list[str]:
    """Every mutant asked, without any short cut."""
    verdict = analyse(shader).verdict
    return [m.name for m in KILLABLE if analyse(shader, m.rules).verdict is not verdict]


@given(shaders(SMALL))
def test_no_short_cut_loses_a_branch_of_small_shaders(shader: Shader) -> None:
    assert deciding(shader) == by_brute_force(shader)


@pytest.mark.parametrize("profile", [DEFAULT, LOOPY], ids=["default", "loopy"])
def test_no_short_cut_loses_a_branch_of_seeds(profile: Profile) -> None:
    assert any([deciding_as_brute_force(draw_shader(seed, profile)) for seed in range(80)])


@pytest.mark.slow
@pytest.mark.parametrize("profile", [DEFAULT, LOOPY], ids=["default", "loopy"])
def test_no_short_cut_loses_a_branch_of_many_seeds(profile: Profile) -> None:
    assert any([deciding_as_brute_force(draw_shader(seed, profile)) for seed in range(1_000, 4_000)])


def deciding_as_brute_force(shader: Shader) -> bool:
    """Asserts that the two agree; whether anything decides the shader."""
    names = deciding(shader)
    assert names == by_brute_force(shader)
    return bool(names)


@pytest.mark.parametrize("name", BY_NAME)
def test_no_short_cut_loses_a_branch_of_a_witness(name: str) -> None:
    """Between them the witnesses are decided by every branch."""
    shader = BY_NAME[name].shader
    names = deciding(shader)
    assert names == by_brute_force(shader)
    assert {*names} >= {*BY_NAME[name].kills} & {v.name for v in KILLABLE}


def test_every_branch_has_a_lane() -> None:
    assert [v.name for v in LANES] == [v.name for v in KILLABLE]


def test_the_rules_on_lanes_have_the_variants_that_they_are_said_to_have() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "oracle/rules/bitset").glob("lane_*.py")]
    assert {name for text in texts for name in NAMES_IN_RULES.findall(text)} == KNOWN


def test_a_variant_without_a_lane_is_asked_on_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """As are all of them for a function with more loops and variables than lanes are made for."""
    shader = BY_NAME[BY_MUTANT["10a"]].shader
    known = deciding(shader)
    monkeypatch.setattr(coverage, "ONLY", {name: lane for name, lane in ONLY.items() if name != "10a"})
    monkeypatch.setattr(coverage, "LANES", LANES[1:])
    assert deciding(shader) == known
    monkeypatch.setattr(lane_analysis, "MOST_SOURCES", 2)
    assert deciding(shader) == known
    with pytest.raises(TooManySources):
        rejecting(shader)


@given(shaders(SMALL))
def test_a_known_verdict_changes_nothing(shader: Shader) -> None:
    assert deciding(shader, analyse(shader).verdict) == deciding(shader)


def test_what_decides_a_barrier_under_lid() -> None:
    names = deciding(main("if (lid == 0u) { workgroupBarrier(); }"))
    assert {"expr/lid/is-uniform", "if/line-2/then-under-cf", "barrier/edge/dropped", "func/line-11/never"} <= {*names}
    assert not [name for name in names if name.startswith(("loop", "call", "B/loop", "return"))]


def test_a_barrier_alone_is_accepted_by_nearly_any_rules() -> None:
    assert deciding(main("workgroupBarrier();")) == []
    assert deciding(main("")) == []


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("loop { if (lid == 0u) { break; } } workgroupBarrier();", "loop/line-13/control-flow-of-head"),
        ("loop { if (lid == 0u) { break; } else { break; } } workgroupBarrier();", "loop/line-10/never"),
        ("loop { if (lid == 0u) { break; } else { return; } } workgroupBarrier();", "loop/line-11/never"),
        ("loop { break; continuing { if (lid == 0u) { workgroupBarrier(); } } }", "10d"),
    ],
)
def test_the_lines_of_the_loop_rule_decide_their_cases(body: str, name: str) -> None:
    assert name in deciding(main(body))


def test_coverage_adds_up() -> None:
    drawn = [draw_shader(seed, LOOPY) for seed in range(60)]
    assert any(isinstance(s, Loop) for shader in drawn for s in walk(shader.main.body))
    counted = Coverage().extend(drawn[:30])
    names = [counted.add(shader) for shader in drawn[30:]]
    each = [deciding(shader) for shader in drawn]
    assert names == each[30:]
    assert counted.shaders == 60
    for mutant, decided in counted.rows():
        assert decided == sum(mutant.name in names for names in each)


def test_rows_are_all_branches_with_the_never_decided_first() -> None:
    counted = Coverage().extend(draw_shader(seed, LOOPY) for seed in range(40))
    rows = counted.rows()
    assert {m.name for m, _ in rows} == {m.name for m in KILLABLE}
    assert [decided for _, decided in rows] == sorted(decided for _, decided in rows)
    assert counted.never() == [m for m, decided in rows if not decided]
    assert 0 < len(counted.never()) < len(rows)


def test_coverage_of_nothing() -> None:
    assert len(Coverage().never()) == len(KILLABLE)


def test_both_verdicts_are_decided() -> None:
    accepts, rejects = (
        main("loop { if (lid == 0u) { break; } } workgroupBarrier();"),
        main("if (lid == 0u) { workgroupBarrier(); }"),
    )
    assert (analyse(accepts).verdict, analyse(rejects).verdict) == (Verdict.ACCEPTS, Verdict.REJECTS)
    assert deciding(accepts)
    assert deciding(rejects)
