"""Rule coverage: what decides a shader, and that every short cut on the way is safe."""

from dataclasses import replace

import pytest
from hypothesis import given

from wgsl_fuzz.oracle.rules.analysis import analyse
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
    coverage = Coverage().extend(drawn[:30])
    names = [coverage.add(shader) for shader in drawn[30:]]
    each = [deciding(shader) for shader in drawn]
    assert names == each[30:]
    assert coverage.shaders == 60
    for mutant, decided in coverage.rows():
        assert decided == sum(mutant.name in names for names in each)


def test_rows_are_all_branches_with_the_never_decided_first() -> None:
    coverage = Coverage().extend(draw_shader(seed, LOOPY) for seed in range(40))
    rows = coverage.rows()
    assert {m.name for m, _ in rows} == {m.name for m in KILLABLE}
    assert [decided for _, decided in rows] == sorted(decided for _, decided in rows)
    assert coverage.never() == [m for m, decided in rows if not decided]
    assert 0 < len(coverage.never()) < len(rows)


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
