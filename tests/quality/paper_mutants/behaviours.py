"""Variants of B, Fig. 8. Another reachability adds edges here and takes them away there."""

from collections.abc import Callable

from tests.quality.paper_mutants.rows import EITHER, B, at, changed, figure, row
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.tinywgsl.ast import Assign, Barrier, Block, Break, Call, Continue, Loop, Return, SharedAssign, Stmt
from wgsl_fuzz.tinywgsl.behaviour import (
    BREAK,
    CONTINUE,
    NEXT,
    RETURN,
    Behaviours,
    CoreBehaviourAnalysis,
    UnionBehaviourAnalysis,
)


def _is(name: str, branch: str, kind: type[Stmt], b: Behaviours) -> Variant:
    """Another row of the table of simple statements."""
    return changed(name, branch, EITHER, B.statement, lambda: b, of=kind)


def _list(
    name: str, branch: str, step: Callable[[Behaviours, Behaviours], Behaviours], *, dead: bool = False
) -> Variant:
    """A list whose head so far, and next statement, have another behaviour together; `dead`: with what is dead."""

    class Sequence(CoreBehaviourAnalysis):
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

    class Union(CoreBehaviourAnalysis):
        def loop(self, s: Loop) -> Behaviours:
            b1 = self.block(s.body)
            if self.only_returns(b1):
                return RETURN
            union = counted(b1, self.block(s.continuing))
            return self.left_loop(union) if self.breaks(union, union) else self.endless_loop(union)

    return row(name, branch, EITHER, Union)


def _of_loop(name: str, branch: str, rule: Callable[[Behaviours], Behaviours], equivalent: str = "") -> Variant:
    """The second or third case of the rule for loops, with another result."""
    piece = B.endless_loop if "case-2" in name else B.left_loop
    return changed(f"B/loop/{name}", branch, EITHER, piece, lambda union: rule(union), equivalent=equivalent)


_if, _breaks, _returning = at("B/if", B.conditional), at("B/loop", B.breaks), at("B/loop", B.only_returns)
_OF_LIST, _OF_IF = "B(s : ss) = (B(s) ∖ {Next}) ∪ B(ss)", "B(if) = B(ss1) ∪ B(ss2)"
_CASE_2, _CASE_3 = "(B1 ∪ B2) ∖ {Continue, Next}", "(B1 ∪ B2 ∪ {Next}) ∖ {Break, Continue}"
BEHAVIOUR_VARIANTS: tuple[Variant, ...] = (
    changed("B/list/empty-is-nothing", "B([]) = {Next}", EITHER, B.sequence, lambda: 0, where=lambda ss: not ss),
    _list("B/list/next-of-head-stays", _OF_LIST, lambda b, of_next: b | of_next),
    _list("B/list/head-lost", _OF_LIST, lambda b, of_next: of_next),
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
    _if("then-lost", _OF_IF, EITHER, lambda self, s: self.block(s.orelse)),
    _if("else-lost", _OF_IF, EITHER, lambda self, s: self.block(s.then)),
    _if("both-branches-must", _OF_IF, EITHER, lambda self, s: self.block(s.then) & self.block(s.orelse)),
    _loop("B/loop/body-lost", "B1 ∪ B2", lambda b1, b2: b2),
    _loop("B/loop/continuing-lost", "B1 ∪ B2", lambda b1, b2: b1),
    figure("10b", "B/loop", "if B1 = {Return} then B1", EITHER, 5100, UnionBehaviourAnalysis),
    _returning("case-1-if-it-may-return", "if B1 = {Return} then B1", EITHER, lambda b1: bool(RETURN & b1)),
    _breaks("case-2-never", "if Break ∉ B1 ∪ B2", EITHER, lambda: True),
    _breaks("case-2-always", "if Break ∉ B1 ∪ B2", EITHER, lambda: False),
    # as printed: code behind a loop that only a `break if` leaves is dead
    _breaks("case-2-by-the-body-only", "if Break ∉ B1 ∪ B2 (Fig. 8 prints B1)", EITHER, b2=lambda b1: b1),
    _breaks("case-2-by-the-continuing-only", "if Break ∉ B1 ∪ B2", EITHER, b1=lambda b2: b2),
    _of_loop("case-2-continue-stays", _CASE_2, lambda union: union & ~NEXT),
    _of_loop("case-2-next-stays", _CASE_2, lambda union: union & ~CONTINUE),
    _of_loop(
        "case-3-no-next",
        _CASE_3,
        lambda union: union & ~(BREAK | CONTINUE),
        "Next ∈ B2 always: a continuing has no return and no jump but a final `break if` (restriction 7), and a loop "
        "in it, unable to return, has a break or cannot be left.",
    ),
    _of_loop("case-3-break-stays", _CASE_3, lambda union: (union | NEXT) & ~CONTINUE),
    _of_loop("case-3-continue-stays", _CASE_3, lambda union: (union | NEXT) & ~BREAK),
)
