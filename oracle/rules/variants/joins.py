"""Variants of compilers and drafts that break no branch of the paper: they add edges where values of variables meet."""

from wgsl_fuzz.oracle.rules.analysis import LoopContext, State, UniformityAnalysis, VariableMap
from wgsl_fuzz.oracle.rules.graph import Node
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.variants.rows import EITHER, STRICTER, row
from wgsl_fuzz.tinywgsl.ast import If
from wgsl_fuzz.tinywgsl.behaviour import CONTINUE, NEXT

SECTION = "WGSL, Function-scope Variable Value Analysis (13.2.5 in the draft of 2023, 15.2.5 today)"
"""The section of the specification that says which values of variables meet where: `#func-var-value-analysis`."""


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
        """Line 8."""
        M_afterCont, cf_afterCont = super().continuing(loop, M_afterBody, cf_afterBody)
        self.flow(loop.M_exit, M_afterCont)
        return M_afterCont, cf_afterCont


class UnbrokenLoopKeepsVariables(UniformityAnalysis):
    """Behind a loop without a reachable `break`, variables are what they are at its head.

    It matters only where code after such a loop does: where the change of Fig. 10b is not in, or with the joins. With
    `joins-at-exit`, every loop whose continuing is analysed counts as left.
    """

    def after_loop(self, loop: LoopContext, cf_afterBody: Node) -> State:
        """Lines 10-13."""
        broken = any(self.graph.successors[v] for v in loop.M_exit.values())
        kept = loop.M_head if CONTINUE & loop.b1 else loop.M
        return super().after_loop(loop if broken else loop._replace(M_exit=kept), cf_afterBody)


class JumpingStatementsKeepVariables(UniformityAnalysis):
    """Behind an `if` of which no branch reaches its end, variables are what they were before it.

    Nothing is analysed there: it matters where the variables at the end of a loop's body flow on nevertheless.
    """

    def after_if(self, M: VariableMap, M_then: VariableMap, M_else: VariableMap, s: If) -> VariableMap:
        """Lines 4-7."""
        M_after = super().after_if(M, M_then, M_else, s)
        return M_after if NEXT & self.behaviours.statement(s) else M


JOIN_VARIANTS: tuple[Variant, ...] = (
    row(
        "joins-at-continuing",
        "UG_stmt(..., M_cont, ..., ss2)",
        STRICTER,
        JoinsAtContinuing,
        place="loop/line-8",
        does="joins variables at a loop's continuing",
        about="Variables at the end of a loop's body flow to its `continuing`, even if a `return` or `break` stands "
        f"before that end; in the paper only what jumps there does. {SECTION}, joined them as well until December 2025 "
        "(gpuweb pull request 5419); now it asks for Next among the behaviours of the body.",
    ),
    row(
        "joins-at-empty-continuing",
        "UG_stmt(..., M_cont, ..., ss2)",
        STRICTER,
        JoinsAtEmptyContinuing,
        place="loop/line-8",
        does="joins variables at the end of a loop without a continuing",
        about="Variables at the end of a loop's body flow to its next iteration if the `continuing` is empty or "
        "missing, even if a `return` or `break` stands before that end; in the paper only what jumps there does. "
        f"{SECTION}, joined them as well until December 2025 (gpuweb pull request 5419); now it asks for Next among "
        "the behaviours of the body. Tint up to 0.6.2 does so.",
    ),
    row(
        "joins-at-exit",
        "M_exit",
        STRICTER,
        JoinsAtExit,
        place="loop/line-8",
        does="joins variables at a loop's exit",
        about="Variables at the end of a `continuing` flow behind the loop, even if no thread leaves the loop there; "
        "in the paper only what jumps there does. The draft of WGSL of 2023 joins them (13.2.5).",
    ),
    row(
        "unbroken-loop-keeps-variables",
        "M_exit",
        EITHER,
        UnbrokenLoopKeepsVariables,
        place="loop/line-13",
        does="keeps variables behind a loop that no break leaves",
        about="Behind a loop without a reachable `break` variables are what they are at its head: what they were "
        f"before it and what flows back. Tint does so; the paper and {SECTION} give them no value there.",
    ),
    row(
        "jumping-statements-keep-variables",
        "M_after",
        EITHER,
        JumpingStatementsKeepVariables,
        place="if/line-6",
        equivalent="Alone nothing reads the variables behind such an `if`: the code there is dead, and the end of a "
        "loop's body flows nowhere.",
        does="keeps variables behind an `if` whose branches all jump",
        about="Behind an `if` of which no branch reaches its end, variables are what they were before it. Tint does "
        f"so, and the same behind a block and a `switch`; the paper and {SECTION} give them no value there.",
    ),
)
"""`joins-at-empty-continuing` and those that keep variables are Tint's, the others the draft's."""
