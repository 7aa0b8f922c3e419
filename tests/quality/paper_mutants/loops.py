"""Variants of section 4.2's rule for loops."""

from collections.abc import Callable

from tests.quality.paper_mutants.rows import EITHER, LAXER, STRICTER, Rule, U, changed, row
from wgsl_fuzz.oracle.rules.analysis import LoopContext, State, UniformityAnalysis, VariableMap
from wgsl_fuzz.oracle.rules.graph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.tinywgsl.ast import Loop, is_break_if
from wgsl_fuzz.tinywgsl.behaviour import BREAK, CONTINUE, RETURN, Behaviours


class LoopMapsWithoutEntry(UniformityAnalysis):
    """Line 5 dropped."""

    def loop_maps(self, M: VariableMap, s: Loop) -> tuple[VariableMap, VariableMap, VariableMap]:
        M_head, M_exit, M_cont = super().loop_maps(M, s)
        for v in M_head.values():
            self.graph.successors[v].clear()
        return M_head, M_exit, M_cont


class BreakIfIgnored(UniformityAnalysis):
    """Control flow behind a `break if` is what it was before it."""

    def continuing(self, loop: LoopContext, M_afterBody: VariableMap, cf_afterBody: Node) -> State:
        """Line 8, with the final `break if` as a jump only."""
        if not loop.ss2 or not is_break_if(loop.ss2[-1]):
            return super().continuing(loop, M_afterBody, cf_afterBody)
        M, cf = super().continuing(loop._replace(ss2=loop.ss2[:-1]), M_afterBody, cf_afterBody)
        self.flow(loop.M_exit, M)
        return M, cf


def _line(b1: Behaviours) -> int:
    """Which of lines 10 to 13 is the case."""
    if b1 == BREAK:
        return 10
    if not b1 & ~(BREAK | RETURN):
        return 11
    return 12 if RETURN & b1 else 13


_10, _12, _13 = BREAK, CONTINUE | RETURN, CONTINUE
"""An example of B(ss1) that selects each line. One that selects line 11 selects 12 or 13 with Continue added."""


def _case(name: str, branch: str, effect: Effect, taken: Callable[[Behaviours], Behaviours]) -> Variant:
    """Another of lines 10 to 13 gives the map and the control flow; the graph stays that of the loop's own B(ss1)."""
    return changed(name, branch, effect, U.after_loop, loop=lambda loop: loop._replace(b1=taken(loop.b1)))


def _result(line: int, what: str, branch: str, effect: Effect, state: Rule, equivalent: str = "") -> Variant:
    """Another result of one of lines 10 to 13."""
    name, where = f"loop/line-{line}/{what}", lambda loop: _line(loop.b1) == line
    return changed(name, branch, effect, U.after_loop, state, where=where, equivalent=equivalent)


LOOP_VARIANTS: tuple[Variant, ...] = (
    row("loop/line-5/edges-dropped", "(M_head(x), M(x))", LAXER, LoopMapsWithoutEntry),
    changed(
        "10c",
        "if Continue ∈ B(ss1) (the change of Fig. 10c)",
        STRICTER,
        U.has_back_edge,
        lambda: True,
        place="loop/line-6",
        issue=5364,
    ),
    changed("loop/line-6/never-fresh", "cf_head = cf'", LAXER, U.has_back_edge, lambda: False),
    changed(
        "loop/line-7/variables-of-entry",
        "UG_stmt(..., M_head, ...)",
        LAXER,
        U.loop_body,
        loop=lambda loop: loop._replace(M_head=loop.M),
    ),
    changed(
        "loop/line-7/body-under-cf",
        "UG_stmt(..., cf_head, ss1)",
        LAXER,
        U.loop_body,
        loop=lambda loop: loop._replace(cf_head=loop.cf),
    ),
    changed(
        "loop/line-7/maps-swapped",
        "UG_stmt(..., M_exit, M_cont, ...)",
        EITHER,
        U.loop_body,
        loop=lambda loop: loop._replace(M_exit=loop.M_cont, M_cont=loop.M_exit),
    ),
    changed(
        "loop/line-7/breaks-lost",
        "UG_stmt(..., M_exit, ...)",
        LAXER,
        U.loop_body,
        loop=lambda loop: loop._replace(M_exit={}),
    ),
    changed(
        "loop/line-7/continues-lost",
        "UG_stmt(..., M_cont, ...)",
        LAXER,
        U.loop_body,
        loop=lambda loop: loop._replace(M_cont={}),
    ),
    changed(
        "loop/line-8/never-analysed",
        "UG_stmt(..., ss2)",
        EITHER,
        U.continuing,
        lambda loop, cf_afterBody: (loop.M_cont, cf_afterBody),
    ),
    changed(
        "10d",
        "lines 10, 11: E_afterBody (the change of Fig. 10d)",
        STRICTER,
        U.reaches_continuing,
        lambda: True,
        place="loop/line-8",
        issue=5364,
    ),
    changed(
        "loop/line-8/variables-of-head",
        "UG_stmt(..., M_cont, ...)",
        EITHER,
        U.continuing,
        loop=lambda loop: loop._replace(M_cont=loop.M_head),
    ),
    changed(
        "loop/line-8/variables-of-body-end",
        "UG_stmt(..., M_cont, ...)",
        EITHER,
        U.continuing,
        loop=lambda loop, M_afterBody: loop._replace(M_cont=M_afterBody),
    ),
    changed(
        "loop/line-8/under-head",
        "UG_stmt(..., cf_afterBody, ss2)",
        LAXER,
        U.continuing,
        cf_afterBody=lambda loop: loop.cf_head,
    ),
    changed(
        "loop/line-8/under-cf",
        "UG_stmt(..., cf_afterBody, ss2)",
        LAXER,
        U.continuing,
        cf_afterBody=lambda loop: loop.cf,
    ),
    changed(
        "loop/line-8/break-if-has-no-edges",
        "UG_stmt(..., M_exit, ...)",
        LAXER,
        U.continuing,
        loop=lambda loop: loop._replace(M_exit={}),
    ),
    row(
        "10a",
        "cf_afterCont after `break if` (the change of Fig. 10a)",
        LAXER,
        BreakIfIgnored,
        place="loop/line-8",
        issue=5277,
    ),
    changed(
        "loop/line-8/continue-map-passed",
        "UG_stmt(..., ∅, ...)",
        STRICTER,
        U.continuing,
        lambda self, loop, cf_afterBody: self.stmts(loop.M_cont, loop.M_exit, loop.M_cont, cf_afterBody, loop.ss2),
        equivalent="a continuing has no `continue` but those of loops in it (restriction 7), which have their own map.",
    ),
    changed("loop/line-9/no-edges-to-continuing", "(M_head(x), M_afterCont(x))", LAXER, U.back_edges, M_afterCont={}),
    changed(
        "loop/line-9/edges-to-its-start",
        "(M_head(x), M_afterCont(x))",
        EITHER,
        U.back_edges,
        M_afterCont=lambda loop, M_afterCont: M_afterCont and loop.M_cont,
    ),
    changed(
        "loop/line-9/no-edge-to-cf",
        "(cf_head, cf)",
        LAXER,
        U.back_edges,
        loop=lambda loop, cf_afterCont: loop._replace(cf=cf_afterCont),
    ),
    changed(
        "loop/line-9/no-edge-to-end", "(cf_head, cf_afterCont)", LAXER, U.back_edges, cf_afterCont=lambda loop: loop.cf
    ),
    changed(
        "loop/line-9/edge-to-body-end",
        "(cf_head, cf_afterCont)",
        LAXER,
        U.continuing,
        lambda cf_afterBody, result: (result[0], cf_afterBody),
    ),
    _case("loop/line-10/never", "if B(ss1) = {Break}", STRICTER, lambda b1: BREAK | RETURN if _line(b1) == 10 else b1),
    _case("loop/line-10/if-it-may-break", "if B(ss1) = {Break}", LAXER, lambda b1: _10 if BREAK & b1 else b1),
    _case("loop/line-10/without-continue", "if B(ss1) = {Break}", LAXER, lambda b1: b1 if CONTINUE & b1 else _10),
    _result(10, "map-of-head", "M_exit", EITHER, lambda loop: (loop.M_head, loop.cf)),
    _case(
        "loop/line-11/never", "if B(ss1) ⊆ {Break, Return}", LAXER, lambda b1: b1 | CONTINUE if _line(b1) == 11 else b1
    ),
    _case(
        "loop/line-11/not-for-return",
        "{Return} ⊆ {Break, Return}",
        LAXER,
        lambda b1: b1 | CONTINUE if _line(b1) == 11 and b1 != BREAK | RETURN else b1,
    ),
    _case(
        "loop/line-11/for-return-only",
        "{Break, Return} ⊆ {Break, Return}",
        LAXER,
        lambda b1: b1 | CONTINUE if _line(b1) == 11 and b1 != RETURN else b1,
    ),
    _result(
        11,
        "map-of-head",
        "M_exit",
        EITHER,
        lambda loop, cf_afterBody: (loop.M_head, loop.cf_head if loop.has_back_edge else cf_afterBody),
    ),
    _case("loop/line-12/never", "if {Continue, Return} ⊆ B(ss1)", LAXER, lambda b1: _13 if _line(b1) == 12 else b1),
    _case("loop/line-12/always", "if {Continue, Return} ⊆ B(ss1)", STRICTER, lambda b1: _12 if _line(b1) == 13 else b1),
    _case(
        "loop/line-12/only-with-break",
        "{Continue, Return} ⊆ {Continue, Return}",
        LAXER,
        lambda b1: _13 if _line(b1) == 12 and not BREAK & b1 else b1,
    ),
    _case(
        "loop/line-12/only-without-break",
        "{Continue, Return} ⊆ {Break, Continue, Return}",
        LAXER,
        lambda b1: _13 if _line(b1) == 12 and BREAK & b1 else b1,
    ),
    _case(
        "loop/line-12/for-break-too",
        "line 13 for {Break, Continue}",
        STRICTER,
        lambda b1: _12 if _line(b1) == 13 and BREAK & b1 else b1,
    ),
    _result(12, "map-of-head", "M_exit", EITHER, lambda loop: (loop.M_head, loop.cf_head)),
    _result(
        12,
        "control-flow-of-body-end",
        "cf_head",
        STRICTER,
        lambda loop, cf_afterBody: (loop.M_exit, cf_afterBody),
        equivalent="cf_afterBody has a path to cf_head, and cf_head by line 9 one to cf_afterBody, or they have one to "
        "MayBeNonUnif, which then both have.",
    ),
    _result(13, "map-of-head", "M_exit", EITHER, lambda loop: (loop.M_head, loop.cf)),
    _result(13, "map-of-entry", "M_exit", EITHER, lambda loop: (loop.M, loop.cf)),
    _result(13, "control-flow-of-head", "cf", STRICTER, lambda loop: (loop.M_exit, loop.cf_head)),
)
