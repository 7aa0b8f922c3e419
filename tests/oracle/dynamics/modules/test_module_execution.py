"""The outcomes of modules, against those of the shaders that they are, and against the reference."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.cases.module_case import drawn_module, read_module
from wgsl_fuzz.fuzz.cases.pairs import load, load_applications, load_combinations
from wgsl_fuzz.oracle.dynamics.exploration import explore
from wgsl_fuzz.oracle.dynamics.modules.execution import ModuleExecution, execute
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.choices.profile import DEFAULT, SMALL
from wgsl_fuzz.strategies.modules.modules import draw_module
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolve import resolve

CORPUS = Path(__file__).resolve().parents[4] / "corpus"
SHADERS = st.builds(draw_shader, st.integers(0, 10**9), st.sampled_from([SMALL, DEFAULT]))
DECIDED = (Outcome.DIVERGES, Outcome.CONVERGES)


def executed(text: str, *, thorough: bool = False) -> ModuleExecution:
    return execute(resolve(parse(text)), thorough=thorough)


def agrees(shader: Shader) -> None:
    """The module that a shader's text is has the shader's outcome, where exploring decides both."""
    of_shader = explore(shader).outcome
    of_module = executed(print_shader(shader), thorough=True)
    assert of_module.cannot is None
    if of_shader in DECIDED and of_module.outcome in DECIDED:
        assert of_module.outcome is of_shader


@given(SHADERS)
@settings(max_examples=40)
def test_a_shader_of_tinywgsl_has_the_same_outcome_as_a_module(shader: Shader) -> None:
    agrees(shader)


@pytest.mark.slow
@given(SHADERS)
@settings(max_examples=2000)
def test_many_shaders_of_tinywgsl_have_the_same_outcome_as_modules(shader: Shader) -> None:
    agrees(shader)


ACCEPTED = [
    *((pair.name, pair.accepted) for pair in load()),
    *((c.name, c.text) for c in load_combinations() if c.verdict is Verdict.ACCEPTS),
    *load_applications().items(),
]


FIRST_OF_8 = [pytest.param(0), *(pytest.param(i, marks=pytest.mark.full) for i in range(1, 8))]
"""One part everywhere, the others where there is time."""


@pytest.mark.parametrize("part", FIRST_OF_8)
def test_what_the_reference_accepts_does_not_diverge(part: int) -> None:
    diverging = []
    for name, text in ACCEPTED[part::8]:
        case = read_module(text)
        if case.verdict is Verdict.ACCEPTS and execute(case.resolution).outcome is Outcome.DIVERGES:
            diverging.append(name)
    assert diverging == []


def test_most_of_what_the_reference_rejects_diverges() -> None:
    rejected = [pair.rejected for pair in load() if pair.refusal is Verdict.REJECTS]
    found = [executed(text).outcome for text in rejected[::5]]
    assert sum(outcome is Outcome.DIVERGES for outcome in found) > len(found) // 2


@pytest.mark.parametrize(
    "case",
    [
        "tint-last-pointer-counts",
        "tint-contents-at-argument",
        "tint-old-value-before-right-side",
        "tint-buffer-view-loaded",
    ],
)
def test_what_tint_took_for_uniform_diverges(case: str) -> None:
    text = (CORPUS / case / "shader.wgsl").read_text(encoding="utf-8")
    found = executed(text)
    assert found.outcome is Outcome.DIVERGES
    lines = text.splitlines()
    barriers = [number for number, line in enumerate(lines, 1) if "workgroupBarrier" in line]
    assert f"waits at the barrier in line {barriers[0]}" in "\n".join(found.describe(text))


@pytest.mark.parametrize("case", ["tint-contents-at-argument-uniform", "tint-old-value-before-right-side-uniform"])
def test_what_tint_takes_for_uniform_rightly_converges(case: str) -> None:
    found = executed((CORPUS / case / "shader.wgsl").read_text(encoding="utf-8"), thorough=True)
    assert found.outcome is Outcome.CONVERGES


def as_drawn(seeds: range) -> None:
    """A drawn tree is executed as its text is."""
    for profile in MODULE_PROFILES.values():
        for seed in seeds:
            drawn = drawn_module(draw_module(seed, profile), seed)
            done, read = execute(drawn.resolution, seed=seed), execute(drawn.placed.resolution, seed=seed)
            assert replace(done, offsets=read.offsets) == read


def test_drawn_modules_are_executed_as_their_texts_are() -> None:
    as_drawn(range(12))


@pytest.mark.slow
def test_many_drawn_modules_are_executed_as_their_texts_are() -> None:
    as_drawn(range(12, 2000))
