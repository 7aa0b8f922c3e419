"""Mutants of section 4.2's rule for loops."""

from oracle.rules.mutants.model import Effect, Mutant, of_analysis

_LAXER, _STRICTER, _EITHER = Effect.LAXER, Effect.STRICTER, Effect.EITHER

_BACK_EDGE = "back_edge = iterates or not self.rules.back_edge_if_iterates"
_BODY = "self.stmts(M_head, M_exit, M_cont, cf_head, s.body)  # line 7"
_REACHABLE = "if iterates or not self.rules.skip_unreachable_continuing:"
_CONTINUING = "self.continuing(M_cont, M_exit, cf_afterBody, s.continuing)  # line 8"
_BREAK_IF = "if self.rules.break_if_edge or not ss or not is_break_if(ss[-1]):"
_STMTS = "return self.stmts(M, M_b, {}, cf, ss)"
_ITERATE = "self.graph.successors[cf_head] += (cf, cf_end)"
_IF_10 = "if b1 == BREAK:  # line 10"
_10 = f"{_IF_10}\n            return M_exit, cf\n"
_IF_11 = "if not b1 & ~(BREAK | RETURN):  # line 11"
_11 = "return M_exit, cf_head if back_edge else cf_afterBody"
_IF_12 = "if RETURN & b1:  # line 12"
_12 = f"{_IF_12}\n            return M_exit, cf_head\n"
_13 = "return M_exit, cf  # line 13"


def _returns(lines: str, map: str, control_flow: str) -> str:
    """`lines` with another map and control flow returned."""
    head, _, tail = lines.partition("M_exit, cf")
    return f"{head}{map}, {control_flow}{tail.removeprefix('_head')}"


LOOP_MUTANTS: tuple[Mutant, ...] = (
    of_analysis("loop/line-5/edges-dropped", "(M_head(x), M(x))", _LAXER, "self.flow(M_head, M)  # line 5", "pass"),
    of_analysis(
        "loop/line-6/always-fresh",
        "if Continue ∈ B(ss1) (the change of Fig. 10c)",
        _STRICTER,
        _BACK_EDGE,
        "back_edge = True",
    ),
    of_analysis("loop/line-6/never-fresh", "cf_head = cf'", _LAXER, _BACK_EDGE, "back_edge = False"),
    of_analysis(
        "loop/line-7/variables-of-entry", "UG_stmt(..., M_head, ...)", _LAXER, _BODY, _BODY.replace("M_head", "M")
    ),
    of_analysis(
        "loop/line-7/body-under-cf", "UG_stmt(..., cf_head, ss1)", _LAXER, _BODY, _BODY.replace("cf_head", "cf")
    ),
    of_analysis(
        "loop/line-7/maps-swapped",
        "UG_stmt(..., M_exit, M_cont, ...)",
        _EITHER,
        _BODY,
        _BODY.replace("M_exit, M_cont", "M_cont, M_exit"),
    ),
    of_analysis("loop/line-7/breaks-lost", "UG_stmt(..., M_exit, ...)", _LAXER, _BODY, _BODY.replace("M_exit", "{}")),
    of_analysis(
        "loop/line-7/continues-lost", "UG_stmt(..., M_cont, ...)", _LAXER, _BODY, _BODY.replace("M_cont", "{}")
    ),
    of_analysis(
        "loop/line-8/never-analysed",
        "UG_stmt(..., ss2)",
        _EITHER,
        f"M_afterCont, cf_end = {_CONTINUING}",
        "M_afterCont, cf_end = M_cont, cf_afterBody",
    ),
    of_analysis(
        "loop/line-8/always-analysed",
        "lines 10, 11: E_afterBody (the change of Fig. 10d)",
        _STRICTER,
        _REACHABLE,
        "if True:",
    ),
    of_analysis(
        "loop/line-8/variables-of-head",
        "UG_stmt(..., M_cont, ...)",
        _EITHER,
        _CONTINUING,
        _CONTINUING.replace("M_cont", "M_head"),
    ),
    of_analysis(
        "loop/line-8/variables-of-body-end",
        "UG_stmt(..., M_cont, ...)",
        _EITHER,
        _CONTINUING,
        _CONTINUING.replace("M_cont", "M_afterBody"),
    ),
    of_analysis(
        "loop/line-8/under-head",
        "UG_stmt(..., cf_afterBody, ss2)",
        _LAXER,
        _CONTINUING,
        _CONTINUING.replace("cf_afterBody", "cf_head"),
    ),
    of_analysis(
        "loop/line-8/under-cf",
        "UG_stmt(..., cf_afterBody, ss2)",
        _LAXER,
        _CONTINUING,
        _CONTINUING.replace("cf_afterBody", "cf"),
    ),
    of_analysis(
        "loop/line-8/break-if-has-no-edges", "UG_stmt(..., M_exit, ...)", _LAXER, _STMTS, _STMTS.replace("M_b", "{}")
    ),
    of_analysis(
        "loop/line-8/break-if-keeps-control-flow",
        "cf_afterCont after `break if` (the change of Fig. 10a)",
        _LAXER,
        _BREAK_IF,
        "if not ss or not is_break_if(ss[-1]):",
    ),
    of_analysis(
        "loop/line-8/continue-map-passed",
        "UG_stmt(..., ∅, ...)",
        _STRICTER,
        _STMTS,
        _STMTS.replace("{}", "M"),
        equivalent="a continuing has no `continue` but those of loops in it (restriction 7), which have their own map.",
    ),
    of_analysis(
        "loop/line-9/no-edges-to-continuing",
        "(M_head(x), M_afterCont(x))",
        _LAXER,
        "self.flow(M_head, M_afterCont)  # line 9",
        "pass",
    ),
    of_analysis(
        "loop/line-9/edges-to-its-start",
        "(M_head(x), M_afterCont(x))",
        _EITHER,
        "self.flow(M_head, M_afterCont)  # line 9",
        "self.flow(M_head, M_cont)",
    ),
    of_analysis(
        "loop/line-9/no-edge-to-cf", "(cf_head, cf)", _LAXER, _ITERATE, _ITERATE.replace("cf, cf_end", "cf_end,")
    ),
    of_analysis(
        "loop/line-9/no-edge-to-end", "(cf_head, cf_afterCont)", _LAXER, _ITERATE, _ITERATE.replace("cf, cf_end", "cf,")
    ),
    of_analysis(
        "loop/line-9/edge-to-body-end",
        "(cf_head, cf_afterCont)",
        _LAXER,
        _ITERATE,
        _ITERATE.replace("cf_end", "cf_afterBody"),
    ),
    of_analysis("loop/line-10/never", "if B(ss1) = {Break}", _STRICTER, _IF_10, "if False:"),
    of_analysis("loop/line-10/if-it-may-break", "if B(ss1) = {Break}", _LAXER, _IF_10, "if BREAK & b1:"),
    of_analysis("loop/line-10/without-continue", "if B(ss1) = {Break}", _LAXER, _IF_10, "if not CONTINUE & b1:"),
    of_analysis("loop/line-10/map-of-head", "M_exit", _EITHER, _10, _returns(_10, "M_head", "cf")),
    of_analysis("loop/line-11/never", "if B(ss1) ⊆ {Break, Return}", _LAXER, _IF_11, "if False:"),
    of_analysis(
        "loop/line-11/not-for-return", "{Return} ⊆ {Break, Return}", _LAXER, _IF_11, "if b1 == BREAK | RETURN:"
    ),
    of_analysis(
        "loop/line-11/for-return-only", "{Break, Return} ⊆ {Break, Return}", _LAXER, _IF_11, "if b1 == RETURN:"
    ),
    of_analysis("loop/line-11/map-of-head", "M_exit", _EITHER, _11, _11.replace("M_exit", "M_head")),
    of_analysis("loop/line-12/never", "if {Continue, Return} ⊆ B(ss1)", _LAXER, _IF_12, "if False:"),
    of_analysis("loop/line-12/always", "if {Continue, Return} ⊆ B(ss1)", _STRICTER, _IF_12, "if True:"),
    of_analysis(
        "loop/line-12/only-with-break",
        "{Continue, Return} ⊆ {Continue, Return}",
        _LAXER,
        _IF_12,
        "if RETURN & b1 and BREAK & b1:",
    ),
    of_analysis(
        "loop/line-12/only-without-break",
        "{Continue, Return} ⊆ {Break, Continue, Return}",
        _LAXER,
        _IF_12,
        "if RETURN & b1 and not BREAK & b1:",
    ),
    of_analysis(
        "loop/line-12/for-break-too", "line 13 for {Break, Continue}", _STRICTER, _IF_12, "if (RETURN | BREAK) & b1:"
    ),
    of_analysis("loop/line-12/map-of-head", "M_exit", _EITHER, _12, _returns(_12, "M_head", "cf_head")),
    of_analysis(
        "loop/line-12/control-flow-of-body-end",
        "cf_head",
        _STRICTER,
        _12,
        _returns(_12, "M_exit", "cf_afterBody"),
        equivalent="cf_afterBody has a path to cf_head, and cf_head by line 9 one to cf_afterBody, or they have one to "
        "MayBeNonUnif, which then both have.",
    ),
    of_analysis("loop/line-13/map-of-head", "M_exit", _EITHER, _13, _returns(_13, "M_head", "cf")),
    of_analysis("loop/line-13/map-of-entry", "M_exit", _EITHER, _13, _returns(_13, "M", "cf")),
    of_analysis("loop/line-13/control-flow-of-head", "cf", _STRICTER, _13, _returns(_13, "M_exit", "cf_head")),
)
