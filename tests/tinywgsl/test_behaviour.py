"""Fig. 8: what must hold of any statement; `test_against_transcription.py` holds each line against the paper."""

import pytest
from hypothesis import given

from wgsl_fuzz.strategies import SMALL_TINY, TINY, shaders
from wgsl_fuzz.tinywgsl import ast, behaviour

RETURNS = ast.Return(ast.Literal(0, ast.Type.U32))


@given(shaders(TINY))
def test_loops_only_go_on_or_return(shader: ast.Shader) -> None:
    """Proof of Theorem 4.1: "the behaviour of all loops is a subset of {Next, Return}"."""
    behaviours = behaviour.BehaviourAnalysis()
    for f in shader.all_functions:
        assert not behaviours.block(f.body) & ~(behaviour.NEXT | behaviour.RETURN)
        for s in ast.walk(f.body):
            if isinstance(s, ast.Loop):
                assert not behaviours.statement(s) & ~(behaviour.NEXT | behaviour.RETURN)
                assert not behaviour.NEXT & behaviours.block(
                    s.body
                )  # restriction (3), as the loop rule's line 13 notes


@given(shaders(TINY))
def test_what_follows_a_block_that_cannot_end_is_dead(shader: ast.Shader) -> None:
    for f in shader.all_functions:
        for s in ast.walk(f.body):
            for ss in ast.blocks_of(s):
                b = behaviour.BehaviourAnalysis().block(ss)
                returns = behaviour.BehaviourAnalysis().block((*ss, RETURNS))
                assert returns == ((b & ~behaviour.NEXT) | behaviour.RETURN if behaviour.NEXT & b else b)


@given(shaders(SMALL_TINY))
def test_what_is_remembered_is_what_would_be_computed(shader: ast.Shader) -> None:
    """One analysis for a whole shader answers as a new one for each question, also when asked again."""
    behaviours = behaviour.BehaviourAnalysis()
    statements = [s for f in shader.all_functions for s in ast.walk(f.body)]
    for s in [*statements, *reversed(statements)]:
        assert behaviours.statement(s) == behaviour.BehaviourAnalysis().statement(s)
        assert [behaviours.block(ss) for ss in ast.blocks_of(s)] == [
            behaviour.BehaviourAnalysis().block(ss) for ss in ast.blocks_of(s)
        ]


def test_behind_a_loop_that_is_left_comes_next_whatever_its_continuing_does() -> None:
    """No well-formed shader shows it: a continuing that never ends is an error of its own."""
    endless = ast.Loop(1, (ast.Continue(2),), ())
    assert (
        behaviour.BehaviourAnalysis().statement(ast.Loop(3, (ast.Break(), ast.Continue(4)), (endless,)))
        == behaviour.NEXT
    )


@pytest.mark.parametrize(
    ("b", "words"),
    [
        (0, "{}"),
        (behaviour.NEXT, "{Next}"),
        (behaviour.NEXT | behaviour.RETURN | behaviour.BREAK | behaviour.CONTINUE, "{Break, Continue, Next, Return}"),
    ],
)
def test_spell(b: behaviour.Behaviours, words: str) -> None:
    assert behaviour.spell(b) == words
