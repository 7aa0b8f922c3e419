"""Rule coverage: what decides a shader, and that every short cut on the way is safe."""

from dataclasses import replace

import pytest
from hypothesis import given

from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.coverage import deciding
from wgsl_fuzz.oracle.rules.variants import KILLABLE
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import SMALL, shaders
from wgsl_fuzz.tinywgsl.ast import Shader
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
def test_leaving_out_what_cannot_differ_loses_no_branch(shader: Shader) -> None:
    assert deciding(shader) == by_brute_force(shader)


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


def test_both_verdicts_are_decided() -> None:
    accepts, rejects = (
        main("loop { if (lid == 0u) { break; } } workgroupBarrier();"),
        main("if (lid == 0u) { workgroupBarrier(); }"),
    )
    assert (analyse(accepts).verdict, analyse(rejects).verdict) == (Verdict.ACCEPTS, Verdict.REJECTS)
    assert deciding(accepts)
    assert deciding(rejects)
