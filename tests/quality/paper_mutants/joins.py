"""Variants of compilers and drafts that break no branch of the paper: they add edges where values of variables meet."""

from tests.quality.paper_mutants.rows import EITHER, STRICTER, row
from wgsl_fuzz.oracle.rules.analysis import LoopContext, State, UniformityAnalysis, VariableMap
from wgsl_fuzz.oracle.rules.graph import Node
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.tinywgsl.ast import If
from wgsl_fuzz.tinywgsl.behaviour import CONTINUE, NEXT


class JoinsAtContinuing(UniformityAnalysis):
    """Variables at the end of a loop's body flow to its `continuing`."""

    def continuing(self, loop: LoopContext, M_afterBody: VariableMap, cf_afterBody: Node) -> State:
        """Line 8. After an `if` without Next, M_afterBody has no edges: nothing flows where the draft says nothing."""
        self.flow(loop.M_cont, M_afterBody)
        return super().continuing(loop, M_afterBody, cf_afterBody)


class JoinsAtEmptyContinuing(UniformityAnalysis):
    """Variables at the end of a loop's body flow to the next iteration, if there is nothing in its `continuing`."""

    def continuing(self, loop: LoopContext, M_afterBody: VariableMap, cf_afterBody: Node) -> State:
        """Line 8. What flows into an empty ss2 flows out of it."""
        if not loop.ss2:
            self.flow(loop.M_cont, M_afterBody)
        return super().continuing(loop, M_afterBody, cf_afterBody)


class JoinsAtExit(UniformityAnalysis):
    """Variables at the end of a `continuing` flow behind the loop."""

    def continuing(self, loop: LoopContext, M_afterBody: VariableMap, cf_afterBody: Node) -> State:
        M_afterCont, cf_afterCont = super().continuing(loop, M_afterBody, cf_afterBody)
        self.flow(loop.M_exit, M_afterCont)
        return M_afterCont, cf_afterCont


class UnbrokenLoopKeepsVariables(UniformityAnalysis):
    """Behind a loop without a reachable `break`, variables are what they are at its head.

    It matters only where code after such a loop does: where the change of Fig. 10b is not in, or with the joins. With
    `joins-at-exit`, every loop whose continuing is analysed counts as left.
    """

    def after_loop(self, loop: LoopContext, cf_afterBody: Node) -> State:
        broken = any(self.graph.successors[v] for v in loop.M_exit.values())
        kept = loop.M_head if CONTINUE & loop.b1 else loop.M
        return super().after_loop(loop if broken else loop._replace(M_exit=kept), cf_afterBody)


class JumpingStatementsKeepVariables(UniformityAnalysis):
    """Behind an `if` of which no branch reaches its end, variables are what they were before it.

    Nothing is analysed there: it matters where the variables at the end of a loop's body flow on nevertheless.
    """

    def after_if(self, M: VariableMap, M_then: VariableMap, M_else: VariableMap, s: If) -> VariableMap:
        M_after = super().after_if(M, M_then, M_else, s)
        return M_after if NEXT & self.behaviours.statement(s) else M


_AT_CONTINUING = "UG_stmt(..., M_cont, ..., ss2)"
_DRAFT = "before-2025-12-01"
JOIN_VARIANTS: tuple[Variant, ...] = (
    row(f"{_DRAFT}/joins-at-continuing", _AT_CONTINUING, STRICTER, JoinsAtContinuing, place="loop/line-8"),
    row("tint/joins-at-empty-continuing", _AT_CONTINUING, STRICTER, JoinsAtEmptyContinuing, place="loop/line-8"),
    row(f"{_DRAFT}/joins-at-exit", "M_exit", STRICTER, JoinsAtExit, place="loop/line-8"),
    row("tint/unbroken-loop-keeps-variables", "M_exit", EITHER, UnbrokenLoopKeepsVariables, place="loop/line-13"),
    row(
        "tint/jumping-statements-keep-variables",
        "M_after",
        EITHER,
        JumpingStatementsKeepVariables,
        place="if/line-6",
        equivalent="Alone nothing reads the variables behind such an `if`: the code there is dead, and the end of a "
        "loop's body flows nowhere.",
    ),
)
"""`joins-at-empty-continuing` and those that keep variables are Tint's, the others the draft's."""
