"""Mutants of UG_expr (Fig. 9) and of section 4.2's rules for statements other than loops and calls."""

from oracle.rules.mutants.model import Effect, Mutant, of_analysis

_LAXER, _STRICTER, _EITHER = Effect.LAXER, Effect.STRICTER, Effect.EITHER

_LITERAL = "case Literal():\n                return cf"
_READ = "Role.READ, self.statement, x, cf, M[x])"
_BINARY = "e, v1, v2)"
_SOURCE = "return graph.fresh(Role.SOURCE, self.statement, e, MAY_BE_NON_UNIF)"
_OPERAND = "e, self.expr(M, cf, e.operand))"
_SHARED_READ = "case Lid() | SharedRead():  # a shared read's index is not analysed, as in Fig. 9\n"

EXPRESSION_MUTANTS: tuple[Mutant, ...] = (
    of_analysis(
        "expr/lid/is-uniform",
        "lid: MayBeNonUnif",
        _LAXER,
        _SOURCE,
        f"{_SOURCE[:-16]}cf if type(e) is Lid else {_SOURCE[-16:]}",
    ),
    of_analysis(
        "expr/shared-read/is-uniform",
        "x[e]: MayBeNonUnif",
        _LAXER,
        _SOURCE,
        f"{_SOURCE[:-16]}cf if type(e) is SharedRead else {_SOURCE[-16:]}",
    ),
    of_analysis(
        "expr/shared-read/index-analysed",
        "x[e]: the index is not analysed",
        _STRICTER,
        _SHARED_READ,
        f"case SharedRead():\n                return graph.fresh(Role.SOURCE, self.statement, e, MAY_BE_NON_UNIF, "
        f"self.expr(M, cf, e.index))\n            {_SHARED_READ}",
        equivalent="what depends on the read reaches MayBeNonUnif anyway: more paths from there change no error, and "
        "the summary of a result that is non-uniform only gains parameters that no longer matter.",
    ),
    of_analysis(
        "expr/literal/no-edge-to-cf",
        "l: cf",
        _LAXER,
        _LITERAL,
        _LITERAL.replace("return cf", "return graph.fresh(Role.OPERATION, self.statement, e)"),
    ),
    of_analysis("expr/literal/is-non-uniform", "l: cf", _STRICTER, _LITERAL, _LITERAL.replace("cf", "MAY_BE_NON_UNIF")),
    of_analysis("expr/local/no-edge-to-cf", "x: (v_res, cf)", _LAXER, _READ, _READ.replace("cf, ", "")),
    of_analysis("expr/local/no-edge-to-variable", "x: (v_res, M(x))", _LAXER, _READ, _READ.replace(", M[x]", "")),
    of_analysis("expr/binary/no-edge-to-left", "e1 op e2: (v_res, v1)", _LAXER, _BINARY, "e, v2)"),
    of_analysis("expr/binary/no-edge-to-right", "e1 op e2: (v_res, v2)", _LAXER, _BINARY, "e, v1)"),
    of_analysis(
        "expr/binary/edge-to-cf",
        "e1 op e2: no (v_res, cf)",
        _STRICTER,
        _BINARY,
        "e, v1, v2, cf)",
        equivalent="the operands' literals and reads have an edge to cf, and its other leaves one to MayBeNonUnif.",
    ),
    of_analysis(
        "expr/unary/no-edge-to-operand",
        "op e: (v_res, v1)",
        _LAXER,
        _OPERAND,
        "e, cf if type(e) is Unary else self.expr(M, cf, e.operand))",
    ),
    of_analysis(
        "expr/convert/no-edge-to-operand",
        "T(e): (v_res, v1)",
        _LAXER,
        _OPERAND,
        "e, cf if type(e) is Convert else self.expr(M, cf, e.operand))",
    ),
)

_STEP = "M, cf = self.stmt(M, M_b, M_c, cf, s)"
_REACHABLE = "if not NEXT & self.behaviours.statement(s):"
_ASSIGN = "return {**M, x: self.expr(M, cf, e)}, cf"
_SHARED = "case SharedAssign():\n                return M, cf"
_BARRIER = "self.graph.demand(cf, s)\n                return M, cf"
_RETURN = "self.graph.add_edge(VALUE_RETURN, self.expr(M, cf, e))"
_CONTINUE = "self.flow(M_c, M)"
_BREAK = "case Break():\n                self.flow(M_b, M)"

SIMPLE_MUTANTS: tuple[Mutant, ...] = (
    of_analysis("list/head/variables-not-threaded", "s : ss: M1", _EITHER, _STEP, _STEP.replace("M, cf =", "_, cf =")),
    of_analysis(
        "list/head/control-flow-not-threaded", "s : ss: cf1", _LAXER, _STEP, _STEP.replace("M, cf =", "M, _ =")
    ),
    of_analysis("list/tail/dead-analysed", "if Next ∉ B(s) then head only", _STRICTER, _REACHABLE, "if False:"),
    of_analysis("list/tail/live-not-analysed", "else the tail", _EITHER, _REACHABLE, "if True:"),
    of_analysis(
        "assign/map/not-updated",
        "x = e: M[x ↦ v]",
        _EITHER,
        _ASSIGN,
        "self.expr(M, cf, e)\n                return M, cf",
    ),
    of_analysis(
        "assign/map/old-value-stays",
        "x = e: M[x ↦ v]",
        _STRICTER,
        _ASSIGN,
        "return {**M, x: self.graph.fresh(Role.OPERATION, s, e, self.expr(M, cf, e), M[x])}, cf",
    ),
    of_analysis(
        "assign/value/under-CfStart",
        "x = e: UG_expr(..., cf, e)",
        _LAXER,
        _ASSIGN,
        _ASSIGN.replace("M, cf, e", "M, CF_START, e"),
    ),
    of_analysis(
        "shared-assign/graph/value-demanded",
        "x[e1] = e2: no edges",
        _STRICTER,
        _SHARED,
        _SHARED.replace("return", "self.graph.demand(self.expr(M, cf, s.value), s)\n                return"),
    ),
    of_analysis(
        "shared-assign/graph/control-flow-demanded",
        "x[e1] = e2: no edges",
        _STRICTER,
        _SHARED,
        _SHARED.replace("return", "self.graph.demand(cf, s)\n                return"),
    ),
    of_analysis(
        "shared-assign/graph/expressions-analysed",
        "x[e1] = e2: e1 and e2 are not analysed",
        _STRICTER,
        _SHARED,
        _SHARED.replace("return", "self.expr(M, cf, s.index), self.expr(M, cf, s.value)\n                return"),
        equivalent="nothing has an edge to the nodes added.",
    ),
    of_analysis("barrier/edge/dropped", "barrier: (MustBeUnif, cf)", _LAXER, _BARRIER, "return M, cf"),
    of_analysis(
        "barrier/edge/to-CfStart", "barrier: (MustBeUnif, cf)", _LAXER, _BARRIER, _BARRIER.replace("(cf", "(CF_START")
    ),
    of_analysis("return/edge/dropped", "return e: (ValueReturn, v)", _LAXER, _RETURN, "pass"),
    of_analysis(
        "return/edge/from-MustBeUnif",
        "return e: (ValueReturn, v)",
        _EITHER,
        _RETURN,
        _RETURN.replace("VALUE_RETURN", "MUST_BE_UNIF"),
    ),
    of_analysis(
        "return/value/under-CfStart",
        "return e: UG_expr(..., cf, e)",
        _LAXER,
        _RETURN,
        _RETURN.replace("cf", "CF_START"),
    ),
    of_analysis("break/edges/dropped", "break: (M_b(x), M(x))", _LAXER, _BREAK, "case Break():"),
    of_analysis(
        "break/edges/to-the-continuing", "break: (M_b(x), M(x))", _EITHER, _BREAK, _BREAK.replace("M_b", "M_c")
    ),
    of_analysis("continue/edges/dropped", "continue: (M_c(x), M(x))", _LAXER, _CONTINUE, "pass"),
    of_analysis("continue/edges/to-the-exit", "continue: (M_c(x), M(x))", _EITHER, _CONTINUE, "self.flow(M_b, M)"),
)

_THEN = "self.stmts(M, M_b, M_c, v, s.then)  # line 2"
_ELSE = "self.stmts(M, M_b, M_c, v, s.orelse)  # line 3"
_THEN_ENDS = "if NEXT & self.behaviours.block(s.then):  # line 6"
_ELSE_ENDS = "if NEXT & self.behaviours.block(s.orelse):  # line 7"
_ONLY_NEXT = "if self.behaviours.statement(s) == NEXT:  # line 8"
_LINE_8 = "return M_after, cf\n"
_CF_AFTER = "Role.CF_AFTER_IF, s, None, cf_then, cf_else)"

IF_MUTANTS: tuple[Mutant, ...] = (
    of_analysis(
        "if/line-1/condition-under-CfStart",
        "UG_expr(..., cf, e)",
        _LAXER,
        "v = self.expr(M, cf, s.condition)",
        "v = self.expr(M, CF_START, s.condition)",
    ),
    of_analysis("if/line-2/then-under-cf", "UG_stmt(..., v, ss1)", _LAXER, _THEN, _THEN.replace(" v,", " cf,")),
    of_analysis("if/line-3/else-under-cf", "UG_stmt(..., v, ss2)", _LAXER, _ELSE, _ELSE.replace(" v,", " cf,")),
    of_analysis(
        "if/line-3/else-after-then", "UG_stmt(..., M, ..., ss2)", _EITHER, _ELSE, _ELSE.replace("(M,", "(M_then,")
    ),
    of_analysis("if/line-6/edges-dropped", "(M_after(x), M_then(x))", _LAXER, _THEN_ENDS, "if False:"),
    of_analysis("if/line-6/always", "Next ∈ B(ss1)", _STRICTER, _THEN_ENDS, "if True:"),
    of_analysis("if/line-7/edges-dropped", "(M_after(x), M_else(x))", _LAXER, _ELSE_ENDS, "if False:"),
    of_analysis("if/line-7/always", "Next ∈ B(ss2)", _STRICTER, _ELSE_ENDS, "if True:"),
    of_analysis(
        "if/line-7/variables-of-entry",
        "(M_after(x), M_else(x))",
        _EITHER,
        "self.flow(M_after, M_else)",
        "self.flow(M_after, M)",
    ),
    of_analysis("if/line-8/always", "if B(if) = {Next}", _LAXER, _ONLY_NEXT, "if True:  # line 8"),
    of_analysis("if/line-8/never", "if B(if) = {Next}", _STRICTER, _ONLY_NEXT, "if False:  # line 8"),
    of_analysis(
        "if/line-8/if-it-may-end", "if B(if) = {Next}", _LAXER, _ONLY_NEXT, _ONLY_NEXT.replace("== NEXT", "& NEXT")
    ),
    of_analysis(
        "if/line-8/not-if-it-breaks",
        "if B(if) = {Next}, otherwise also by Break",
        _LAXER,
        _ONLY_NEXT,
        _ONLY_NEXT.replace("== NEXT", "in (NEXT, NEXT | BREAK)"),
    ),
    of_analysis(
        "if/line-8/not-if-it-continues",
        "if B(if) = {Next}, otherwise also by Continue",
        _LAXER,
        _ONLY_NEXT,
        _ONLY_NEXT.replace("== NEXT", "in (NEXT, NEXT | CONTINUE)"),
    ),
    of_analysis(
        "if/line-8/not-if-it-returns",
        "if B(if) = {Next}, otherwise also by Return",
        _LAXER,
        _ONLY_NEXT,
        _ONLY_NEXT.replace("== NEXT", "in (NEXT, NEXT | RETURN)"),
    ),
    of_analysis("if/line-8/map-of-entry", "M_after", _EITHER, _LINE_8, "return M, cf\n"),
    of_analysis("if/line-8/result-is-condition", "cf", _STRICTER, _LINE_8, "return M_after, v\n"),
    of_analysis(
        "if/line-9/map-of-entry",
        "M_after",
        _EITHER,
        f"return M_after, self.graph.fresh({_CF_AFTER}",
        f"return M, self.graph.fresh({_CF_AFTER}",
    ),
    of_analysis("if/line-9/no-edge-to-then", "(cf', cf_then)", _LAXER, _CF_AFTER, _CF_AFTER.replace("cf_then, ", "")),
    of_analysis("if/line-9/no-edge-to-else", "(cf', cf_else)", _LAXER, _CF_AFTER, _CF_AFTER.replace(", cf_else", "")),
    of_analysis(
        "if/line-9/only-the-condition",
        "(cf', cf_then), (cf', cf_else)",
        _LAXER,
        _CF_AFTER,
        _CF_AFTER.replace("cf_then, cf_else", "v"),
    ),
    of_analysis(
        "if/line-9/edge-to-condition",
        "no (cf', v)",
        _STRICTER,
        _CF_AFTER,
        _CF_AFTER.replace("cf_else", "cf_else, v"),
        equivalent="cf_then has a path to v or to MayBeNonUnif: every rule returns a control flow that does.",
    ),
)
