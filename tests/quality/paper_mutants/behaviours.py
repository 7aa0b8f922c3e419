"""Variants of B, Fig. 8. Another reachability adds edges here and takes them away there."""

from collections.abc import Callable

from tests.quality.paper_mutants.rows import EITHER, B, changed, row
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.tinywgsl.ast import Assign, Barrier, Block, Break, Call, Continue, Loop, Return, SharedAssign, Stmt
from wgsl_fuzz.tinywgsl.behaviour import (
    BREAK,
    CONTINUE,
    NEXT,
    RETURN,
    BehaviourAnalysis,
    Behaviours,
    UnionBehaviourAnalysis,
)


def _is(name: str, branch: str, kind: type[Stmt], b: Behaviours) -> Variant:
    """Another row of the table of simple statements."""
    return changed(name, branch, EITHER, B.statement, lambda: b, of=kind)


def _list(
    name: str,
    branch: str,
    step: Callable[[Behaviours, Behaviours], Behaviours],
    *,
    dead: bool = False,
) -> Variant:
    """A list whose head so far, and next statement, have another behaviour together; `dead`: with what is dead."""

    class Sequence(BehaviourAnalysis):
        def sequence(self, ss: Block) -> Behaviours:
            b = NEXT
            for s in ss:
                of_next = self.statement(s)
                b = step(b, of_next)
                if not NEXT & of_next and not dead:
                    break
            return b

    return row(name, branch, EITHER, Sequence)


def _loop(name: str, branch: str, counted: Callable[[Behaviours, Behaviours], Behaviours]) -> Variant:
    """A loop whose second and third case take something else for B1 ∪ B2."""

    class Union(BehaviourAnalysis):
        def loop(self, s: Loop) -> Behaviours:
            b1 = self.block(s.body)
            if self.only_returns(b1):
                return RETURN
            union = counted(b1, self.block(s.continuing))
            return self.left_loop(union) if self.breaks(union, union) else self.endless_loop(union)

    return row(name, branch, EITHER, Union)


BEHAVIOUR_VARIANTS: tuple[Variant, ...] = (
    changed("B/list/empty-is-nothing", "B([]) = {Next}", EITHER, B.sequence, lambda: 0, where=lambda ss: not ss),
    _list("B/list/next-of-head-stays", "B(s : ss) = (B(s) ∖ {Next}) ∪ B(ss)", lambda b, of_next: b | of_next),
    _list("B/list/head-lost", "B(s : ss) = (B(s) ∖ {Next}) ∪ B(ss)", lambda b, of_next: of_next),
    changed("B/list/tail-lost", "B(s : ss) = ... ∪ B(ss) if Next ∈ B(s)", EITHER, B.sequence, ss=lambda ss: ss[:1]),
    _list(
        "B/list/dead-tail-counts",
        "B(s : ss) = B(s) if Next ∉ B(s)",
        lambda b, of_next: (b & ~NEXT) | of_next,
        dead=True,
    ),
    _is("B/assign/is-nothing", "B(x = e) = {Next}", Assign, 0),
    _is("B/shared-assign/is-nothing", "B(x[e1] = e2) = {Next}", SharedAssign, 0),
    _is("B/barrier/is-nothing", "B(barrier) = {Next}", Barrier, 0),
    _is("B/call/is-nothing", "B(x = f(...)) = {Next}", Call, 0),
    _is("B/break/is-next", "B(break) = {Break}", Break, NEXT),
    _is("B/continue/is-next", "B(continue) = {Continue}", Continue, NEXT),
    _is("B/return/is-next", "B(return e) = {Return}", Return, NEXT),
    changed("B/if/then-lost", "B(if) = B(ss1) ∪ B(ss2)", EITHER, B.conditional, lambda self, s: self.block(s.orelse)),
    changed("B/if/else-lost", "B(if) = B(ss1) ∪ B(ss2)", EITHER, B.conditional, lambda self, s: self.block(s.then)),
    changed(
        "B/if/both-branches-must",
        "B(if) = B(ss1) ∪ B(ss2)",
        EITHER,
        B.conditional,
        lambda self, s: self.block(s.then) & self.block(s.orelse),
    ),
    _loop("B/loop/body-lost", "B1 ∪ B2", lambda b1, b2: b2),
    _loop("B/loop/continuing-lost", "B1 ∪ B2", lambda b1, b2: b1),
    row(
        "10b",
        "if B1 = {Return} then B1 (the change of Fig. 10b)",
        EITHER,
        UnionBehaviourAnalysis,
        place="B/loop",
        issue=5100,
    ),
    changed(
        "B/loop/case-1-if-it-may-return",
        "if B1 = {Return} then B1",
        EITHER,
        B.only_returns,
        lambda b1: bool(RETURN & b1),
    ),
    changed("B/loop/case-2-never", "if Break ∉ B1 ∪ B2", EITHER, B.breaks, lambda: True),
    changed("B/loop/case-2-always", "if Break ∉ B1 ∪ B2", EITHER, B.breaks, lambda: False),
    changed(
        "B/loop/case-2-by-the-body-only",  # as printed: code behind a loop that only a `break if` leaves is dead
        "if Break ∉ B1 ∪ B2 (Fig. 8 prints B1)",
        EITHER,
        B.breaks,
        b2=lambda b1: b1,
    ),
    changed("B/loop/case-2-by-the-continuing-only", "if Break ∉ B1 ∪ B2", EITHER, B.breaks, b1=lambda b2: b2),
    changed(
        "B/loop/case-2-continue-stays",
        "(B1 ∪ B2) ∖ {Continue, Next}",
        EITHER,
        B.endless_loop,
        lambda union: union & ~NEXT,
    ),
    changed(
        "B/loop/case-2-next-stays",
        "(B1 ∪ B2) ∖ {Continue, Next}",
        EITHER,
        B.endless_loop,
        lambda union: union & ~CONTINUE,
    ),
    changed(
        "B/loop/case-3-no-next",
        "(B1 ∪ B2 ∪ {Next}) ∖ {Break, Continue}",
        EITHER,
        B.left_loop,
        lambda union: union & ~(BREAK | CONTINUE),
        equivalent="Next ∈ B2 always: a continuing has no return and no jump but a final `break if` (restriction 7), "
        "and a loop in it, unable to return, has a break or cannot be left.",
    ),
    changed(
        "B/loop/case-3-break-stays",
        "(B1 ∪ B2 ∪ {Next}) ∖ {Break, Continue}",
        EITHER,
        B.left_loop,
        lambda union: (union | NEXT) & ~CONTINUE,
    ),
    changed(
        "B/loop/case-3-continue-stays",
        "(B1 ∪ B2 ∪ {Next}) ∖ {Break, Continue}",
        EITHER,
        B.left_loop,
        lambda union: (union | NEXT) & ~BREAK,
    ),
)
