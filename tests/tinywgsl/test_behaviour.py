"""Fig. 8: what must hold of any statement; `test_against_transcription.py` holds each line against the paper."""

import pytest
from hypothesis import given

from wgsl_fuzz.strategies import DEFAULT, SMALL, shaders
from wgsl_fuzz.tinywgsl.ast import (
    Literal,
    Loop,
    Return,
    Shader,
    Type,
    blocks_of,
    walk,
)
from wgsl_fuzz.tinywgsl.behaviour import (
    BREAK,
    CONTINUE,
    NEXT,
    RETURN,
    BehaviourAnalysis,
    Behaviours,
    spell,
)

RETURNS = Return(Literal(0, Type.U32))


@given(shaders(DEFAULT))
def test_loops_only_go_on_or_return(shader: Shader) -> None:
    """Proof of Theorem 4.1: "the behaviour of all loops is a subset of {Next, Return}"."""
    behaviours = BehaviourAnalysis()
    for f in shader.all_functions:
        assert not behaviours.block(f.body) & ~(NEXT | RETURN)
        for s in walk(f.body):
            if isinstance(s, Loop):
                assert not behaviours.statement(s) & ~(NEXT | RETURN)
                assert not NEXT & behaviours.block(s.body)  # restriction (3), as the loop rule's line 13 notes


@given(shaders(DEFAULT))
def test_what_follows_a_block_that_cannot_end_is_dead(shader: Shader) -> None:
    for f in shader.all_functions:
        for s in walk(f.body):
            for ss in blocks_of(s):
                b = BehaviourAnalysis().block(ss)
                returns = BehaviourAnalysis().block((*ss, RETURNS))
                assert returns == ((b & ~NEXT) | RETURN if NEXT & b else b)


@given(shaders(SMALL))
def test_what_is_remembered_is_what_would_be_computed(shader: Shader) -> None:
    """One analysis for a whole shader answers as a new one for each question, also when asked again."""
    behaviours = BehaviourAnalysis()
    statements = [s for f in shader.all_functions for s in walk(f.body)]
    for s in [*statements, *reversed(statements)]:
        assert behaviours.statement(s) == BehaviourAnalysis().statement(s)
        assert [behaviours.block(ss) for ss in blocks_of(s)] == [BehaviourAnalysis().block(ss) for ss in blocks_of(s)]


@pytest.mark.parametrize(
    ("b", "words"),
    [(0, "{}"), (NEXT, "{Next}"), (NEXT | RETURN | BREAK | CONTINUE, "{Break, Continue, Next, Return}")],
)
def test_spell(b: Behaviours, words: str) -> None:
    assert spell(b) == words
