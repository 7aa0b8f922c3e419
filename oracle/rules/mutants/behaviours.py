"""Mutants of B, Fig. 8."""

from oracle.rules.mutants.model import Mutant, of_behaviour

_HEAD = "b = (b & ~NEXT) | self.statement(s)"
_UNREACHABLE = "if not NEXT & b:"
_BRANCHES = "self.block(s.then) | self.block(s.orelse)"
_SECOND = "return union & ~(CONTINUE | NEXT)"
_THIRD = "return (union | NEXT) & ~(BREAK | CONTINUE)"


def _is(kind: str, b: str, other: str) -> tuple[str, str]:
    """A row of the table of simple statements, and another one in its place."""
    return f"    {kind}: {b},", f"    {kind}: {other},"


BEHAVIOUR_MUTANTS: tuple[Mutant, ...] = (
    of_behaviour("B/list/empty-is-nothing", "B([]) = {Next}", "b = NEXT\n        for", "b = 0\n        for"),
    of_behaviour(
        "B/list/next-of-head-stays",
        "B(s : ss) = (B(s) ∖ {Next}) ∪ B(ss)",
        f"{_HEAD}\n            {_UNREACHABLE}",
        "b |= self.statement(s)\n            if not NEXT & self.statement(s):",
    ),
    of_behaviour("B/list/head-lost", "B(s : ss) = (B(s) ∖ {Next}) ∪ B(ss)", _HEAD, "b = self.statement(s)"),
    of_behaviour("B/list/tail-lost", "B(s : ss) = ... ∪ B(ss) if Next ∈ B(s)", _UNREACHABLE, "if True:"),
    of_behaviour("B/list/dead-tail-counts", "B(s : ss) = B(s) if Next ∉ B(s)", _UNREACHABLE, "if False:"),
    of_behaviour("B/assign/is-nothing", "B(x = e) = {Next}", *_is("Assign", "NEXT", "0")),
    of_behaviour("B/shared-assign/is-nothing", "B(x[e1] = e2) = {Next}", *_is("SharedAssign", "NEXT", "0")),
    of_behaviour("B/barrier/is-nothing", "B(barrier) = {Next}", *_is("Barrier", "NEXT", "0")),
    of_behaviour("B/call/is-nothing", "B(x = f(...)) = {Next}", *_is("Call", "NEXT", "0")),
    of_behaviour("B/break/is-next", "B(break) = {Break}", *_is("Break", "BREAK", "NEXT")),
    of_behaviour("B/continue/is-next", "B(continue) = {Continue}", *_is("Continue", "CONTINUE", "NEXT")),
    of_behaviour("B/return/is-next", "B(return e) = {Return}", *_is("Return", "RETURN", "NEXT")),
    of_behaviour("B/if/then-lost", "B(if) = B(ss1) ∪ B(ss2)", _BRANCHES, "self.block(s.orelse)"),
    of_behaviour("B/if/else-lost", "B(if) = B(ss1) ∪ B(ss2)", _BRANCHES, "self.block(s.then)"),
    of_behaviour("B/if/both-branches-must", "B(if) = B(ss1) ∪ B(ss2)", _BRANCHES, _BRANCHES.replace("|", "&")),
    of_behaviour("B/loop/body-lost", "B1 ∪ B2", "union = b1 | self", "union = self"),
    of_behaviour("B/loop/continuing-lost", "B1 ∪ B2", "union = b1 | self.block(s.continuing)", "union = b1"),
    of_behaviour(
        "B/loop/case-1-never",
        "if B1 = {Return} then B1 (the change of Fig. 10b)",
        "if b1 == RETURN and self.return_only_loop:",
        "if False:",
    ),
    of_behaviour(
        "B/loop/case-1-if-it-may-return",
        "if B1 = {Return} then B1",
        "if b1 == RETURN and",
        "if RETURN & b1 and",
    ),
    of_behaviour("B/loop/case-2-never", "if Break ∉ B1 ∪ B2", "if not BREAK & leaves:", "if False:"),
    of_behaviour("B/loop/case-2-always", "if Break ∉ B1 ∪ B2", "if not BREAK & leaves:", "if True:"),
    of_behaviour(
        "B/loop/case-2-by-the-body-only",
        "if Break ∉ B1 ∪ B2 (Fig. 8 prints B1)",
        "leaves = b1 if self.to_the_letter else union",
        "leaves = b1",
    ),
    of_behaviour(
        "B/loop/case-2-by-the-continuing-only",
        "if Break ∉ B1 ∪ B2",
        "leaves = b1 if self.to_the_letter else union",
        "leaves = self.block(s.continuing)",
    ),
    of_behaviour("B/loop/case-2-continue-stays", "(B1 ∪ B2) ∖ {Continue, Next}", _SECOND, "return union & ~NEXT"),
    of_behaviour("B/loop/case-2-next-stays", "(B1 ∪ B2) ∖ {Continue, Next}", _SECOND, "return union & ~CONTINUE"),
    of_behaviour(
        "B/loop/case-3-no-next",
        "(B1 ∪ B2 ∪ {Next}) ∖ {Break, Continue}",
        _THIRD,
        "return union & ~(BREAK | CONTINUE)",
        equivalent="Next ∈ B2 always: a continuing has no return and no jump but a final `break if` (restriction 7), "
        "and a loop in it, unable to return, has a break or cannot be left.",
    ),
    of_behaviour(
        "B/loop/case-3-break-stays",
        "(B1 ∪ B2 ∪ {Next}) ∖ {Break, Continue}",
        _THIRD,
        "return (union | NEXT) & ~CONTINUE",
    ),
    of_behaviour(
        "B/loop/case-3-continue-stays",
        "(B1 ∪ B2 ∪ {Next}) ∖ {Break, Continue}",
        _THIRD,
        "return (union | NEXT) & ~BREAK",
    ),
)
