"""The reference analysis against a literal transcription of the paper, which shares no code with it."""

from dataclasses import replace

import pytest
from hypothesis import given

from tests.oracle.rules import paper_transcription
from tests.oracle.rules.paper_transcription import ug_shader
from tests.strategies.drawn import shaders
from wgsl_fuzz.oracle.rules.analysis import Summary, analyse
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import SMALL_TINY, TINY, ModuleProfile, draw_shader
from wgsl_fuzz.tinywgsl.ast import Loop, Shader, blocks_of, walk
from wgsl_fuzz.tinywgsl.behaviour import CoreBehaviourAnalysis, spell

BRANCHY = replace(TINY, statements=(20, 50), returns=80, calm=0)
"""Larger shaders with more early returns."""
SMALL = replace(SMALL_TINY, statements=(3, 10))
"""Of fewer statements too few are rejected."""


def _from_zero(summary: paper_transcription.Summary) -> Summary:
    """The transcription counts parameters from 1, as the paper does; the analysis from 0."""
    return Summary(
        summary.call_site_unif,
        frozenset(i - 1 for i in summary.params_req_to_be_unif),
        frozenset(i - 1 for i in summary.param_affects_return_unif),
        summary.return_non_unif,
    )


def _agree(shader: Shader) -> bool:
    """Asserts that both say the same of `shader`; returns whether it is rejected."""
    table, violator = ug_shader(shader)
    analysis = analyse(shader)
    assert analysis.verdict is (Verdict.ACCEPTS if violator is None else Verdict.REJECTS)
    assert [(r.function.name, r.summary) for r in analysis.functions] == [(f, _from_zero(s)) for f, s in table.items()]
    assert [r.function.name for r in analysis.functions if r.violates] == [violator] * (violator is not None)
    return violator is not None


MANY = {"default": (TINY, 10_000), "branchy": (BRANCHY, 8_000), "small": (SMALL, 2_000)}


@pytest.mark.parametrize(
    ("profile", "seeds"),
    [
        pytest.param(SMALL, range(200), id="some small"),
        pytest.param(TINY, range(350), id="some default"),
        pytest.param(BRANCHY, range(400), id="some branchy"),
        *(pytest.param(p, range(1_000, 1_000 + n), id=name, marks=pytest.mark.slow) for name, (p, n) in MANY.items()),
    ],
)
def test_agrees_on_seeds(profile: ModuleProfile, seeds: range) -> None:
    """Both verdicts must occur often, or agreement says little."""
    assert 0.05 < sum(_agree(draw_shader(seed, profile)) for seed in seeds) / len(seeds) < 0.95


@given(shaders(BRANCHY))
def test_behaviours_agree(shader: Shader) -> None:
    """Fig. 8 for every statement and block, reachable or not."""
    behaviours = CoreBehaviourAnalysis()
    for f in shader.all_functions:
        for s in walk(f.body):
            assert spell(behaviours.statement(s)) == _spell(paper_transcription.b(s))
            for ss in blocks_of(s):
                assert spell(behaviours.block(ss)) == _spell(paper_transcription.b_list(ss))


def test_the_branchy_profile_reaches_every_line_of_the_loop_rule() -> None:
    bodies = {
        paper_transcription.b_list(s.body)
        for seed in range(150)
        for f in draw_shader(seed, BRANCHY).all_functions
        for s in walk(f.body)
        if isinstance(s, Loop)
    }
    assert len(bodies) == 7, "every set of jumps but the empty one"


def _spell(behaviours: frozenset[str]) -> str:
    return "{" + ", ".join(sorted(behaviours)) + "}"
