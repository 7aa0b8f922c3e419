"""Modules that do the same have one outcome: spellings of one shader, and twins of relations that change nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.dynamics.modules.lowering import lower_module
from wgsl_fuzz.oracle.dynamics.modules.types import CannotRun
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.choices.profile import SMALL
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.relations import RELATIONS, Implication, applied
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.spelling import spell

DECIDED = (Outcome.DIVERGES, Outcome.CONVERGES)
SAME = [r for r in RELATIONS if r.implication is Implication.SAME and r.name != "unread"]
"""Without the relation that writes to memory: the rules know no values there, but an execution does."""
TEXTS = [text for pair in load() if pair.refusal is Verdict.REJECTS for text in (pair.rejected, pair.accepted)]
STEP = 53
"""From one text to the next: all rows of the corpus are seen."""


def decided(resolution: Resolution) -> Outcome | None:
    """The outcome of the first entry point, where there is one, and exploring two threads decides it."""
    entry = next((f for f in resolution.functions if resolution.entry_stage(f) is not None), None)
    if entry is None:
        return None
    try:
        shader = lower_module(resolution, entry, 2).shader
    except CannotRun:  # an element of a swizzle that is assigned to
        return None
    found = explore(shader, threads=2, bounds=Bounds(steps=4_000))
    return found.outcome if found.outcome in DECIDED else None


def check_spelling(seed: int) -> None:
    shader = draw_shader(seed, SMALL)
    of_shader = explore(shader, threads=2).outcome
    of_text = decided(resolve(parse(spell(shader, RandomSource(seed)))))
    assert of_text is None or of_shader not in DECIDED or of_text is of_shader


@given(st.integers(0, 10**9))
@settings(max_examples=60)
def test_a_spelling_has_the_outcome_of_its_shader(seed: int) -> None:
    check_spelling(seed)


@pytest.mark.slow
@given(st.integers(0, 10**9))
@settings(max_examples=1500)
def test_many_spellings_have_the_outcomes_of_their_shaders(seed: int) -> None:
    check_spelling(seed)


def check_relations(seeds: range) -> int:
    """Compares modules with their twins; returns how many were compared."""
    compared = 0
    for seed in seeds:
        mother = resolve(parse(TEXTS[seed * STEP % len(TEXTS)]))
        twin = applied(SAME[seed % len(SAME)], mother, RandomSource(seed))
        before, after = decided(mother), None if twin is None else decided(twin)
        if before is not None and after is not None:
            assert before is after, (SAME[seed % len(SAME)].name, seed)
            compared += 1
    return compared


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 1500), marks=pytest.mark.slow)])
def test_relations_that_change_nothing_keep_outcomes(seeds: range) -> None:
    assert check_relations(seeds) > len(seeds) // 8
