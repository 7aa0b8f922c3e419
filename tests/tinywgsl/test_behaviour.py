"""Fig. 8: an example for each line that fails if the line is broken, and what must hold of any statement."""

import pytest
from hypothesis import given

from tests.quality.paper_mutants import departing
from wgsl_fuzz.oracle.rules.analysis import analysis_under
from wgsl_fuzz.strategies import DEFAULT, SMALL, shaders
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Block,
    Break,
    Call,
    Continue,
    If,
    Literal,
    Loop,
    Return,
    Shader,
    SharedAssign,
    Stmt,
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
    UnionBehaviourAnalysis,
    spell,
)

E = Literal(0, Type.U32)
ASSIGN = Assign("x", E)
BARRIER = Barrier(1)
CONTINUES = Continue(2)
BREAKS = Break()
RETURNS = Return(E)


def if_(then: Block, orelse: Block = ()) -> If:
    return If(Literal(1, Type.BOOL), then, orelse)


def loop(body: Block, continuing: Block = ()) -> Loop:
    return Loop(3, body, continuing)


BREAK_IF = if_((BREAKS,))


@pytest.mark.parametrize(
    ("ss", "expected"),
    [
        ((), NEXT),
        ((ASSIGN,), NEXT),
        ((ASSIGN, BARRIER), NEXT),
        ((ASSIGN, RETURNS), RETURN),  # Next of the head goes
        ((BREAK_IF, RETURNS), BREAK | RETURN),  # what else the head may do stays
        ((BREAK_IF, CONTINUES), BREAK | CONTINUE),
        ((BREAK_IF, ASSIGN), BREAK | NEXT),  # Next of the tail stays
        ((BREAKS, RETURNS), BREAK),  # a tail out of reach does not count
        ((RETURNS, ASSIGN), RETURN),
        ((if_((BREAKS,), (RETURNS,)), CONTINUES), BREAK | RETURN),
    ],
)
def test_statement_lists(ss: Block, expected: Behaviours) -> None:
    assert BehaviourAnalysis().block(ss) == expected


@pytest.mark.parametrize(
    ("s", "expected"),
    [
        (ASSIGN, NEXT),
        (SharedAssign("a", E, E), NEXT),
        (BARRIER, NEXT),
        (Call(4, "x", "f", (E,)), NEXT),
        (BREAKS, BREAK),
        (CONTINUES, CONTINUE),
        (RETURNS, RETURN),
        (Return(None), RETURN),
    ],
)
def test_simple_statements(s: Stmt, expected: Behaviours) -> None:
    assert BehaviourAnalysis().statement(s) == expected


@pytest.mark.parametrize(
    ("then", "orelse", "expected"),
    [
        ((), (), NEXT),
        ((BREAKS,), (), BREAK | NEXT),
        ((), (BREAKS,), BREAK | NEXT),
        ((RETURNS,), (RETURNS,), RETURN),
        ((CONTINUES,), (RETURNS,), CONTINUE | RETURN),
    ],
)
def test_if_is_the_union_of_its_branches(then: Block, orelse: Block, expected: Behaviours) -> None:
    assert BehaviourAnalysis().statement(if_(then, orelse)) == expected


MAY_RETURN = if_((RETURNS,))


@pytest.mark.parametrize(
    ("body", "continuing", "expected"),
    [
        # B1 = {Return}: B1, whatever the continuing says.
        ((RETURNS, CONTINUES), (BREAK_IF,), RETURN),
        # Break is in neither: the union without Continue and Next.
        ((CONTINUES,), (), 0),
        ((CONTINUES,), (ASSIGN,), 0),
        ((MAY_RETURN, CONTINUES), (), RETURN),
        ((MAY_RETURN, CONTINUES), (ASSIGN,), RETURN),
        # Break is in B1: the union and Next, without Break and Continue.
        ((BREAKS, CONTINUES), (), NEXT),
        ((BREAK_IF, CONTINUES), (), NEXT),
        ((BREAK_IF, RETURNS), (), NEXT | RETURN),
        ((if_((BREAKS,), (RETURNS,)), CONTINUES), (), NEXT | RETURN),
        ((BREAK_IF, MAY_RETURN, CONTINUES), (), NEXT | RETURN),
        ((BREAKS, CONTINUES), (loop((CONTINUES,)),), NEXT),  # Next is added, it does not come from B2
        # Break is in B2 only: likewise, by docs/paper-notes.md, note 1.
        ((CONTINUES,), (BREAK_IF,), NEXT),
        ((MAY_RETURN, CONTINUES), (BREAK_IF,), NEXT | RETURN),
        # An inner loop's `break` and `continue` are its own; its `return` is not.
        ((loop((BREAKS, CONTINUES)), CONTINUES), (), 0),
        ((loop((BREAK_IF, RETURNS)), CONTINUES), (), RETURN),
        ((loop((CONTINUES,), (BREAK_IF,)), BREAKS, CONTINUES), (), NEXT),
    ],
)
def test_loops(body: Block, continuing: Block, expected: Behaviours) -> None:
    assert BehaviourAnalysis().statement(loop(body, continuing)) == expected


def test_without_the_change_of_fig_10b_a_break_out_of_reach_counts() -> None:
    returning = loop((RETURNS, CONTINUES), (BREAK_IF,))
    assert UnionBehaviourAnalysis().statement(returning) == NEXT | RETURN
    unbroken = loop((RETURNS, CONTINUES))
    assert UnionBehaviourAnalysis().statement(unbroken) == RETURN


@pytest.mark.parametrize(
    ("body", "expected"),
    [((CONTINUES,), BREAK), ((MAY_RETURN, CONTINUES), BREAK | RETURN), ((BREAK_IF, CONTINUES), NEXT)],
)
def test_to_the_letter_only_a_break_of_the_body_leads_on(body: Block, expected: Behaviours) -> None:
    """As printed, Fig. 8 even lets the Break of a `break if` out of its loop."""
    letter = analysis_under(departing(["B/loop/case-2-by-the-body-only"])).behaviour_analysis()
    assert letter.statement(loop(body, (BREAK_IF,))) == expected


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
