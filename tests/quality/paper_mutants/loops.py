"""Variants of section 4.2's rule for loops."""

from collections.abc import Callable

from tests.quality.paper_mutants.rows import EITHER, LAXER, STRICTER, Rule, U, at, changed, figure, instead, row
from wgsl_fuzz.oracle.rules.analysis import LoopContext, State, UniformityAnalysis, VariableMap
from wgsl_fuzz.oracle.rules.graph import Node
from wgsl_fuzz.oracle.rules.rule_set import Direction, Variant
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


def _case(line: int, what: str, branch: str, way: Direction, taken: Callable[[Behaviours], Behaviours]) -> Variant:
    """Another of lines 10 to 13 gives the map and the control flow; the graph stays that of the loop's own B(ss1)."""
    name = f"loop/line-{line}/{what}"
    return changed(name, branch, way, U.after_loop, loop=lambda loop: loop._replace(b1=taken(loop.b1)))


def _instead(line: int, b: Behaviours, only: Callable[[Behaviours], object] = lambda b1: True) -> Rule:
    """Another B(ss1) where that of a loop selects a line; `only` some of these."""
    return lambda b1: b if _line(b1) == line and only(b1) else b1


def _not_11(what: str, branch: str, instead_of: Callable[[Behaviours], bool]) -> Variant:
    """Line 12 or 13 in place of line 11, for some B(ss1)."""
    return _case(11, what, branch, LAXER, lambda b1: b1 | CONTINUE if _line(b1) == 11 and instead_of(b1) else b1)


def _result(line: int, what: str, branch: str, way: Direction, state: Rule, equivalent: str = "") -> Variant:
    """Another result of one of lines 10 to 13."""
    name, where = f"loop/line-{line}/{what}", lambda loop: _line(loop.b1) == line
    return changed(name, branch, way, U.after_loop, state, where=where, equivalent=equivalent)


def _other(**parts: str) -> Rule:
    """The loop with some parts replaced by others of these names; an empty name stands for an empty map."""
    return lambda loop: loop._replace(**{name: getattr(loop, of) if of else {} for name, of in parts.items()})


_body, _continuing = at("loop/line-7", U.loop_body), at("loop/line-8", U.continuing)
_back, _back_again = at("loop/line-9", U.back_edges), at("loop/line-9", U.continuing)
_BOTH, _ALL = "{Continue, Return}", "{Break, Continue, Return}"
_10_OR, _11_OR, _12_OR = "B(ss1) = {Break}", "B(ss1) ⊆ {Break, Return}", f"{_BOTH} ⊆ B(ss1)"
_INTO, _BACK = "UG_stmt(..., M_cont, ...)", "(M_head(x), M_afterCont(x))"

LOOP_VARIANTS: tuple[Variant, ...] = (
    row("loop/line-5/edges-dropped", "(M_head(x), M(x))", LAXER, LoopMapsWithoutEntry),
    figure("10c", "loop/line-6", "if Continue ∈ B(ss1)", STRICTER, 5364, instead(U.has_back_edge, lambda: True)),
    changed("loop/line-6/never-fresh", "cf_head = cf'", LAXER, U.has_back_edge, lambda: False),
    _body("variables-of-entry", "UG_stmt(..., M_head, ...)", LAXER, loop=_other(M_head="M")),
    _body("body-under-cf", "UG_stmt(..., cf_head, ss1)", LAXER, loop=_other(cf_head="cf")),
    _body("maps-swapped", "UG_stmt(..., M_exit, M_cont, ...)", EITHER, loop=_other(M_exit="M_cont", M_cont="M_exit")),
    _body("breaks-lost", "UG_stmt(..., M_exit, ...)", LAXER, loop=_other(M_exit="")),
    _body("continues-lost", "UG_stmt(..., M_cont, ...)", LAXER, loop=_other(M_cont="")),
    _continuing("never-analysed", "UG_stmt(..., ss2)", EITHER, lambda loop, cf_afterBody: (loop.M_cont, cf_afterBody)),
    figure(
        "10d", "loop/line-8", "lines 10, 11: E_afterBody", STRICTER, 5364, instead(U.reaches_continuing, lambda: True)
    ),
    _continuing("variables-of-head", _INTO, EITHER, loop=_other(M_cont="M_head")),
    _continuing(
        "variables-of-body-end", _INTO, EITHER, loop=lambda loop, M_afterBody: loop._replace(M_cont=M_afterBody)
    ),
    _continuing("under-head", "UG_stmt(..., cf_afterBody, ss2)", LAXER, cf_afterBody=lambda loop: loop.cf_head),
    _continuing("under-cf", "UG_stmt(..., cf_afterBody, ss2)", LAXER, cf_afterBody=lambda loop: loop.cf),
    _continuing("break-if-has-no-edges", "UG_stmt(..., M_exit, ...)", LAXER, loop=_other(M_exit="")),
    figure("10a", "loop/line-8", "cf_afterCont after `break if`", LAXER, 5277, BreakIfIgnored),
    _continuing(
        "continue-map-passed",
        "UG_stmt(..., ∅, ...)",
        STRICTER,
        lambda self, loop, cf_afterBody: self.stmts(loop.M_cont, loop.M_exit, loop.M_cont, cf_afterBody, loop.ss2),
        equivalent="a continuing has no `continue` but those of loops in it (restriction 7), which have their own map.",
    ),
    _back("no-edges-to-continuing", _BACK, LAXER, M_afterCont={}),
    _back("edges-to-its-start", _BACK, EITHER, M_afterCont=lambda loop, M_afterCont: M_afterCont and loop.M_cont),
    _back("no-edge-to-cf", "(cf_head, cf)", LAXER, loop=lambda loop, cf_afterCont: loop._replace(cf=cf_afterCont)),
    _back("no-edge-to-end", "(cf_head, cf_afterCont)", LAXER, cf_afterCont=lambda loop: loop.cf),
    _back_again(
        "edge-to-body-end", "(cf_head, cf_afterCont)", LAXER, lambda cf_afterBody, result: (result[0], cf_afterBody)
    ),
    _case(10, "never", f"if {_10_OR}", STRICTER, _instead(10, BREAK | RETURN)),
    _case(10, "if-it-may-break", f"if {_10_OR}", LAXER, lambda b1: _10 if BREAK & b1 else b1),
    _case(10, "without-continue", f"if {_10_OR}", LAXER, lambda b1: b1 if CONTINUE & b1 else _10),
    _result(10, "map-of-head", "M_exit", EITHER, lambda loop: (loop.M_head, loop.cf)),
    _not_11("never", f"if {_11_OR}", lambda b1: True),
    _not_11("not-for-return", "{Return} ⊆ {Break, Return}", lambda b1: b1 != BREAK | RETURN),
    _not_11("for-return-only", "{Break, Return} ⊆ {Break, Return}", lambda b1: b1 != RETURN),
    _result(
        11,
        "map-of-head",
        "M_exit",
        EITHER,
        lambda loop, cf_afterBody: (loop.M_head, loop.cf_head if loop.has_back_edge else cf_afterBody),
    ),
    _case(12, "never", f"if {_12_OR}", LAXER, _instead(12, _13)),
    _case(12, "always", f"if {_12_OR}", STRICTER, _instead(13, _12)),
    _case(12, "only-with-break", f"{_BOTH} ⊆ {_BOTH}", LAXER, _instead(12, _13, lambda b1: not BREAK & b1)),
    _case(12, "only-without-break", f"{_BOTH} ⊆ {_ALL}", LAXER, _instead(12, _13, lambda b1: BREAK & b1)),
    _case(12, "for-break-too", "line 13 for {Break, Continue}", STRICTER, _instead(13, _12, lambda b1: BREAK & b1)),
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
