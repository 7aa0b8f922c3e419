"""Variants of B, Fig. 8. Another reachability adds edges here and takes them away there."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from tests.quality.paper_mutants.rows import row
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import replacing
from wgsl_fuzz.tinywgsl import behaviour
from wgsl_fuzz.tinywgsl.ast import Assign, Barrier, Block, Break, Call, Continue, Loop, Return, SharedAssign, Stmt

_P = ParamSpec("_P")
_R = TypeVar("_R")
B = behaviour.BehaviourAnalysis


def _changed(
    name: str,
    branch: str,
    piece: Callable[Concatenate[behaviour.BehaviourAnalysis, _P], _R],
    rule: Callable[Concatenate[Callable[_P, _R], behaviour.BehaviourAnalysis, _P], _R],
    equivalent: str = "",
) -> Variant:
    return row(name, branch, Effect.EITHER, replacing(piece, rule, behaviour.BehaviourAnalysis), equivalent=equivalent)


def _is(name: str, branch: str, kind: type[Stmt], b: behaviour.Behaviours) -> Variant:
    """Another row of the table of simple statements."""
    return _changed(name, branch, B.statement, lambda statement, self, s: b if isinstance(s, kind) else statement(s))


def _list(
    name: str,
    branch: str,
    step: Callable[[behaviour.Behaviours, behaviour.Behaviours], behaviour.Behaviours],
    *,
    dead: bool = False,
) -> Variant:
    """A list whose head so far, and next statement, have another behaviour together; `dead`: with what is dead."""

    class Sequence(behaviour.BehaviourAnalysis):
        def sequence(self, ss: Block) -> behaviour.Behaviours:
            b = behaviour.NEXT
            for s in ss:
                of_next = self.statement(s)
                b = step(b, of_next)
                if not behaviour.NEXT & of_next and not dead:
                    break
            return b

    return row(name, branch, Effect.EITHER, Sequence)


def _loop(
    name: str, branch: str, counted: Callable[[behaviour.Behaviours, behaviour.Behaviours], behaviour.Behaviours]
) -> Variant:
    """A loop whose second and third case take something else for B1 ∪ B2."""

    class Union(behaviour.BehaviourAnalysis):
        def loop(self, s: Loop) -> behaviour.Behaviours:
            b1 = self.block(s.body)
            if self.only_returns(b1):
                return behaviour.RETURN
            union = counted(b1, self.block(s.continuing))
            return self.left_loop(union) if self.breaks(union, union) else self.endless_loop(union)

    return row(name, branch, Effect.EITHER, Union)


BEHAVIOUR_VARIANTS: tuple[Variant, ...] = (
    _changed(
        "B/list/empty-is-nothing", "B([]) = {Next}", B.sequence, lambda sequence, self, ss: sequence(ss) if ss else 0
    ),
    _list("B/list/next-of-head-stays", "B(s : ss) = (B(s) ∖ {Next}) ∪ B(ss)", lambda b, of_next: b | of_next),
    _list("B/list/head-lost", "B(s : ss) = (B(s) ∖ {Next}) ∪ B(ss)", lambda b, of_next: of_next),
    _changed(
        "B/list/tail-lost",
        "B(s : ss) = ... ∪ B(ss) if Next ∈ B(s)",
        B.sequence,
        lambda sequence, self, ss: sequence(ss[:1]),
    ),
    _list(
        "B/list/dead-tail-counts",
        "B(s : ss) = B(s) if Next ∉ B(s)",
        lambda b, of_next: (b & ~behaviour.NEXT) | of_next,
        dead=True,
    ),
    _is("B/assign/is-nothing", "B(x = e) = {Next}", Assign, 0),
    _is("B/shared-assign/is-nothing", "B(x[e1] = e2) = {Next}", SharedAssign, 0),
    _is("B/barrier/is-nothing", "B(barrier) = {Next}", Barrier, 0),
    _is("B/call/is-nothing", "B(x = f(...)) = {Next}", Call, 0),
    _is("B/break/is-next", "B(break) = {Break}", Break, behaviour.NEXT),
    _is("B/continue/is-next", "B(continue) = {Continue}", Continue, behaviour.NEXT),
    _is("B/return/is-next", "B(return e) = {Return}", Return, behaviour.NEXT),
    _changed("B/if/then-lost", "B(if) = B(ss1) ∪ B(ss2)", B.conditional, lambda _, self, s: self.block(s.orelse)),
    _changed("B/if/else-lost", "B(if) = B(ss1) ∪ B(ss2)", B.conditional, lambda _, self, s: self.block(s.then)),
    _changed(
        "B/if/both-branches-must",
        "B(if) = B(ss1) ∪ B(ss2)",
        B.conditional,
        lambda _, self, s: self.block(s.then) & self.block(s.orelse),
    ),
    _loop("B/loop/body-lost", "B1 ∪ B2", lambda b1, b2: b2),
    _loop("B/loop/continuing-lost", "B1 ∪ B2", lambda b1, b2: b1),
    row(
        "10b",
        "if B1 = {Return} then B1 (the change of Fig. 10b)",
        Effect.EITHER,
        behaviour.UnionBehaviourAnalysis,
        place="B/loop",
        issue=5100,
    ),
    _changed(
        "B/loop/case-1-if-it-may-return",
        "if B1 = {Return} then B1",
        B.only_returns,
        lambda _, self, b1: bool(behaviour.RETURN & b1),
    ),
    _changed("B/loop/case-2-never", "if Break ∉ B1 ∪ B2", B.breaks, lambda _, self, b1, b2: True),
    _changed("B/loop/case-2-always", "if Break ∉ B1 ∪ B2", B.breaks, lambda _, self, b1, b2: False),
    _changed(
        "B/loop/case-2-by-the-body-only",  # as printed: code behind a loop that only a `break if` leaves is dead
        "if Break ∉ B1 ∪ B2 (Fig. 8 prints B1)",
        B.breaks,
        lambda breaks, self, b1, b2: breaks(b1, b1),
    ),
    _changed(
        "B/loop/case-2-by-the-continuing-only",
        "if Break ∉ B1 ∪ B2",
        B.breaks,
        lambda breaks, self, b1, b2: breaks(b2, b2),
    ),
    _changed(
        "B/loop/case-2-continue-stays",
        "(B1 ∪ B2) ∖ {Continue, Next}",
        B.endless_loop,
        lambda _, self, union: union & ~behaviour.NEXT,
    ),
    _changed(
        "B/loop/case-2-next-stays",
        "(B1 ∪ B2) ∖ {Continue, Next}",
        B.endless_loop,
        lambda _, self, union: union & ~behaviour.CONTINUE,
    ),
    _changed(
        "B/loop/case-3-no-next",
        "(B1 ∪ B2 ∪ {Next}) ∖ {Break, Continue}",
        B.left_loop,
        lambda _, self, union: union & ~(behaviour.BREAK | behaviour.CONTINUE),
        equivalent="Next ∈ B2 always: a continuing has no return and no jump but a final `break if` (restriction 7), "
        "and a loop in it, unable to return, has a break or cannot be left.",
    ),
    _changed(
        "B/loop/case-3-break-stays",
        "(B1 ∪ B2 ∪ {Next}) ∖ {Break, Continue}",
        B.left_loop,
        lambda _, self, union: (union | behaviour.NEXT) & ~behaviour.CONTINUE,
    ),
    _changed(
        "B/loop/case-3-continue-stays",
        "(B1 ∪ B2 ∪ {Next}) ∖ {Break, Continue}",
        B.left_loop,
        lambda _, self, union: (union | behaviour.NEXT) & ~behaviour.BREAK,
    ),
)
