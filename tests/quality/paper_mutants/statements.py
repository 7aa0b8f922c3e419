"""Variants of UG_expr (Fig. 9) and of section 4.2's rules for statements other than loops and calls."""

from collections.abc import Callable

from tests.quality.paper_mutants.rows import EITHER, LAXER, STRICTER, U, changed, changed_expr, changed_stmt, row
from wgsl_fuzz.oracle.rules.analysis import State, UniformityAnalysis, VariableMap
from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN, Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.behaviour import BREAK, CONTINUE, NEXT, RETURN, Behaviours


def _operation(self: UniformityAnalysis, *operands: Node) -> Node:
    return self.graph.fresh(*operands)


EXPRESSION_VARIANTS: tuple[Variant, ...] = (
    changed_expr("expr/lid/is-uniform", "lid: MayBeNonUnif", LAXER, core.Lid, lambda self, M, cf, e: cf),
    changed_expr(
        "expr/shared-read/is-uniform", "x[e]: MayBeNonUnif", LAXER, core.SharedRead, lambda self, M, cf, e: cf
    ),
    changed_expr(
        "expr/shared-read/index-analysed",
        "x[e]: the index is not analysed",
        STRICTER,
        core.SharedRead,
        lambda self, M, cf, e: self.graph.fresh(MAY_BE_NON_UNIF, self.expr(M, cf, e.index)),
        equivalent="what depends on the read reaches MayBeNonUnif anyway: more paths from there change no error, and "
        "the summary of a result that is non-uniform only gains parameters that no longer matter.",
    ),
    changed_expr("expr/literal/no-edge-to-cf", "l: cf", LAXER, core.Literal, lambda self, M, cf, e: _operation(self)),
    changed_expr(
        "expr/literal/is-non-uniform", "l: cf", STRICTER, core.Literal, lambda self, M, cf, e: MAY_BE_NON_UNIF
    ),
    changed_expr("expr/local/no-edge-to-cf", "x: (v_res, cf)", LAXER, core.Local, lambda self, M, cf, e: M[e.name]),
    changed_expr("expr/local/no-edge-to-variable", "x: (v_res, M(x))", LAXER, core.Local, lambda self, M, cf, e: cf),
    changed_expr(
        "expr/binary/no-edge-to-left",
        "e1 op e2: (v_res, v1)",
        LAXER,
        core.Binary,
        lambda self, M, cf, e: self.expr(M, cf, e.right),
    ),
    changed_expr(
        "expr/binary/no-edge-to-right",
        "e1 op e2: (v_res, v2)",
        LAXER,
        core.Binary,
        lambda self, M, cf, e: self.expr(M, cf, e.left),
    ),
    changed_expr(
        "expr/binary/edge-to-cf",
        "e1 op e2: no (v_res, cf)",
        STRICTER,
        core.Binary,
        lambda self, M, cf, e: _operation(self, self.expr(M, cf, e.left), self.expr(M, cf, e.right), cf),
        equivalent="the operands' literals and reads have an edge to cf, and its other leaves one to MayBeNonUnif.",
    ),
    changed_expr("expr/unary/no-edge-to-operand", "op e: (v_res, v1)", LAXER, core.Unary, lambda self, M, cf, e: cf),
    changed_expr(
        "expr/convert/no-edge-to-operand", "T(e): (v_res, v1)", LAXER, core.Convert, lambda self, M, cf, e: cf
    ),
)


class DeadTails(UniformityAnalysis):
    """The tail of a list is analysed whether it is reachable or not."""

    def stmts(self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, ss: core.Block) -> State:
        for s in ss:
            M, cf = super().stmts(M, M_b, M_c, cf, (s,))
        return M, cf


def _demanded(
    name: str,
    branch: str,
    effect: Effect,
    kind: type[core.Barrier] | type[core.SharedAssign],
    node: Callable[[UniformityAnalysis, VariableMap, Node, core.Barrier | core.SharedAssign], Node],
) -> Variant:
    """A statement that demands uniformity of `node`."""

    def rule(self: UniformityAnalysis, M: VariableMap, cf: Node, s: core.Barrier | core.SharedAssign) -> VariableMap:
        self.graph.demand(node(self, M, cf, s))
        return M

    return changed_stmt(name, branch, effect, kind, rule)


def _returned(name: str, branch: str, effect: Effect, source: Node, under: Callable[[Node], Node]) -> Variant:
    """A `return` that ties its value, analysed under another control flow, to `source`."""

    def rule(self: UniformityAnalysis, M: VariableMap, cf: Node, s: core.Return) -> VariableMap:
        if s.value is not None:
            self.graph.add_edge(source, self.expr(M, under(cf), s.value))
        return M

    return changed_stmt(name, branch, effect, core.Return, rule)


def _jump(
    name: str,
    effect: Effect,
    kind: type[core.Stmt],
    maps: Callable[[VariableMap, VariableMap], tuple[VariableMap, VariableMap]],
) -> Variant:
    """A jump that flows to other maps than M_b and M_c."""

    class Jump(UniformityAnalysis):
        def stmt(self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, s: core.Stmt) -> State:
            M_b, M_c = maps(M_b, M_c) if isinstance(s, kind) else (M_b, M_c)
            return super().stmt(M, M_b, M_c, cf, s)

    branch = "break: (M_b(x), M(x))" if kind is core.Break else "continue: (M_c(x), M(x))"
    return row(name, branch, effect, Jump)


SIMPLE_VARIANTS: tuple[Variant, ...] = (
    changed(
        "list/head/variables-not-threaded",
        "s : ss: M1",
        EITHER,
        U.stmt,
        lambda stmt, self, M, M_b, M_c, cf, s: (M, stmt(M, M_b, M_c, cf, s)[1]),
    ),
    changed(
        "list/head/control-flow-not-threaded",
        "s : ss: cf1",
        LAXER,
        U.stmt,
        lambda stmt, self, M, M_b, M_c, cf, s: (stmt(M, M_b, M_c, cf, s)[0], cf),
    ),
    row("list/tail/dead-analysed", "if Next ∉ B(s) then head only", STRICTER, DeadTails),
    changed(
        "list/tail/live-not-analysed",
        "else the tail",
        EITHER,
        U.stmts,
        lambda stmts, self, M, M_b, M_c, cf, ss: stmts(M, M_b, M_c, cf, ss[:1]),
    ),
    changed_stmt("assign/map/not-updated", "x = e: M[x ↦ v]", EITHER, core.Assign, lambda self, M, cf, s: M),
    changed_stmt(
        "assign/map/old-value-stays",
        "x = e: M[x ↦ v]",
        STRICTER,
        core.Assign,
        lambda self, M, cf, s: {
            **M,
            s.name: self.graph.fresh(self.expr(M, cf, s.value), M[s.name]),
        },
    ),
    changed_stmt(
        "assign/value/under-CfStart",
        "x = e: UG_expr(..., cf, e)",
        LAXER,
        core.Assign,
        lambda self, M, cf, s: {**M, s.name: self.expr(M, CF_START, s.value)},
    ),
    _demanded(
        "shared-assign/graph/value-demanded",
        "x[e1] = e2: no edges",
        STRICTER,
        core.SharedAssign,
        lambda self, M, cf, s: self.expr(M, cf, s.value) if isinstance(s, core.SharedAssign) else cf,
    ),
    _demanded(
        "shared-assign/graph/control-flow-demanded",
        "x[e1] = e2: no edges",
        STRICTER,
        core.SharedAssign,
        lambda self, M, cf, s: cf,
    ),
    changed_stmt(
        "shared-assign/graph/expressions-analysed",
        "x[e1] = e2: e1 and e2 are not analysed",
        STRICTER,
        core.SharedAssign,
        lambda self, M, cf, s: (self.expr(M, cf, s.index), self.expr(M, cf, s.value), M)[-1],
        equivalent="nothing has an edge to the nodes added.",
    ),
    changed_stmt("barrier/edge/dropped", "barrier: (MustBeUnif, cf)", LAXER, core.Barrier, lambda self, M, cf, s: M),
    _demanded(
        "barrier/edge/to-CfStart", "barrier: (MustBeUnif, cf)", LAXER, core.Barrier, lambda self, M, cf, s: CF_START
    ),
    changed_stmt("return/edge/dropped", "return e: (ValueReturn, v)", LAXER, core.Return, lambda self, M, cf, s: M),
    _returned("return/edge/from-MustBeUnif", "return e: (ValueReturn, v)", EITHER, MUST_BE_UNIF, lambda cf: cf),
    _returned("return/value/under-CfStart", "return e: UG_expr(..., cf, e)", LAXER, VALUE_RETURN, lambda cf: CF_START),
    _jump("break/edges/dropped", LAXER, core.Break, lambda M_b, M_c: ({}, M_c)),
    _jump("break/edges/to-the-continuing", EITHER, core.Break, lambda M_b, M_c: (M_c, M_c)),
    _jump("continue/edges/dropped", LAXER, core.Continue, lambda M_b, M_c: (M_b, {})),
    _jump("continue/edges/to-the-exit", EITHER, core.Continue, lambda M_b, M_c: (M_b, M_b)),
)


class ThenAlways(UniformityAnalysis):
    """Line 6 without its condition."""

    def after_if(self, M: VariableMap, M_then: VariableMap, M_else: VariableMap, s: core.If) -> VariableMap:
        M_after = super().after_if(M, M_then, M_else, s)
        self.flow(M_after, M_then)
        return M_after


class ElseAlways(UniformityAnalysis):
    """Line 7 without its condition."""

    def after_if(self, M: VariableMap, M_then: VariableMap, M_else: VariableMap, s: core.If) -> VariableMap:
        M_after = super().after_if(M, M_then, M_else, s)
        self.flow(M_after, M_else)
        return M_after


class EdgeToCondition(UniformityAnalysis):
    """Line 9 with one edge more."""

    def cf_after_if(self, cf: Node, v: Node, cf_then: Node, cf_else: Node, s: core.If) -> Node:
        node = super().cf_after_if(cf, v, cf_then, cf_else, s)
        if self.behaviours.statement(s) != NEXT:
            self.graph.add_edge(node, v)
        return node


def _line_8(
    name: str, branch: str, effect: Effect, only: Callable[[Behaviours], bool], *, result: str = "cf"
) -> Variant:
    """An `if` behind which, for some more B(if), control flow is as before, or that of the condition."""

    class Line8(UniformityAnalysis):
        def cf_after_if(self, cf: Node, v: Node, cf_then: Node, cf_else: Node, s: core.If) -> Node:
            if only(self.behaviours.statement(s)):
                return cf if result == "cf" else v
            return super().cf_after_if(cf, v, cf_then, cf_else, s)

    return row(name, branch, effect, Line8)


def _after_if(
    name: str,
    branch: str,
    effect: Effect,
    maps: Callable[[VariableMap, VariableMap, VariableMap], tuple[VariableMap, VariableMap]],
) -> Variant:
    """An `if` whose branches flow on otherwise; `maps` gets M, M_then and M_else."""
    return changed(
        name,
        branch,
        effect,
        U.after_if,
        lambda after_if, self, M, M_then, M_else, s: after_if(M, *maps(M, M_then, M_else), s),
    )


def _line_9(name: str, branch: str, ends: Callable[[Node, Node, Node], tuple[Node, Node]]) -> Variant:
    """An `if` behind which control flow depends on fewer nodes; `ends` gets v, cf_then and cf_else."""
    return changed(
        name,
        branch,
        LAXER,
        U.cf_after_if,
        lambda cf_after_if, self, cf, v, cf_then, cf_else, s: cf_after_if(cf, v, *ends(v, cf_then, cf_else), s),
    )


def _map_of_entry(name: str, of_line: Callable[[Behaviours], bool]) -> Variant:
    """An `if` behind which variables are as before it, for some B(if)."""

    class MapOfEntry(UniformityAnalysis):
        def conditional(self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, s: core.If) -> State:
            M_after, cf_after = super().conditional(M, M_b, M_c, cf, s)
            return M if of_line(self.behaviours.statement(s)) else M_after, cf_after

    return row(name, "M_after", EITHER, MapOfEntry)


IF_VARIANTS: tuple[Variant, ...] = (
    changed(
        "if/line-1/condition-under-CfStart",
        "UG_expr(..., cf, e)",
        LAXER,
        U.condition,
        lambda condition, self, M, cf, s: condition(M, CF_START, s),
    ),
    changed(
        "if/line-2/then-under-cf",
        "UG_stmt(..., v, ss1)",
        LAXER,
        U.branches,
        lambda _, self, M, M_b, M_c, cf, v, s: (
            self.stmts(M, M_b, M_c, cf, s.then),
            self.stmts(M, M_b, M_c, v, s.orelse),
        ),
    ),
    changed(
        "if/line-3/else-under-cf",
        "UG_stmt(..., v, ss2)",
        LAXER,
        U.branches,
        lambda _, self, M, M_b, M_c, cf, v, s: (
            self.stmts(M, M_b, M_c, v, s.then),
            self.stmts(M, M_b, M_c, cf, s.orelse),
        ),
    ),
    changed(
        "if/line-3/else-after-then",
        "UG_stmt(..., M, ..., ss2)",
        EITHER,
        U.branches,
        lambda _, self, M, M_b, M_c, cf, v, s: (
            then := self.stmts(M, M_b, M_c, v, s.then),
            self.stmts(then[0], M_b, M_c, v, s.orelse),
        ),
    ),
    _after_if("if/line-6/edges-dropped", "(M_after(x), M_then(x))", LAXER, lambda M, M_then, M_else: ({}, M_else)),
    row("if/line-6/always", "Next ∈ B(ss1)", STRICTER, ThenAlways),
    _after_if("if/line-7/edges-dropped", "(M_after(x), M_else(x))", LAXER, lambda M, M_then, M_else: (M_then, {})),
    row("if/line-7/always", "Next ∈ B(ss2)", STRICTER, ElseAlways),
    _after_if("if/line-7/variables-of-entry", "(M_after(x), M_else(x))", EITHER, lambda M, M_then, M_else: (M_then, M)),
    _line_8("if/line-8/always", "if B(if) = {Next}", LAXER, lambda b: True),
    changed(
        "if/line-8/never",
        "if B(if) = {Next}",
        STRICTER,
        U.cf_after_if,
        lambda _, self, cf, v, cf_then, cf_else, s: self.graph.fresh(cf_then, cf_else),
    ),
    _line_8("if/line-8/if-it-may-end", "if B(if) = {Next}", LAXER, lambda b: bool(b & NEXT)),
    _line_8(
        "if/line-8/not-if-it-breaks", "if B(if) = {Next}, otherwise also by Break", LAXER, lambda b: b == NEXT | BREAK
    ),
    _line_8(
        "if/line-8/not-if-it-continues",
        "if B(if) = {Next}, otherwise also by Continue",
        LAXER,
        lambda b: b == NEXT | CONTINUE,
    ),
    _line_8(
        "if/line-8/not-if-it-returns",
        "if B(if) = {Next}, otherwise also by Return",
        LAXER,
        lambda b: b == NEXT | RETURN,
    ),
    _map_of_entry("if/line-8/map-of-entry", lambda b: b == NEXT),
    _line_8("if/line-8/result-is-condition", "cf", STRICTER, lambda b: b == NEXT, result="v"),
    _map_of_entry("if/line-9/map-of-entry", lambda b: b != NEXT),
    _line_9("if/line-9/no-edge-to-then", "(cf', cf_then)", lambda v, cf_then, cf_else: (cf_else, cf_else)),
    _line_9("if/line-9/no-edge-to-else", "(cf', cf_else)", lambda v, cf_then, cf_else: (cf_then, cf_then)),
    _line_9("if/line-9/only-the-condition", "(cf', cf_then), (cf', cf_else)", lambda v, cf_then, cf_else: (v, v)),
    row(
        "if/line-9/edge-to-condition",
        "no (cf', v)",
        STRICTER,
        EdgeToCondition,
        equivalent="cf_then has a path to v or to MayBeNonUnif: every rule returns a control flow that does.",
    ),
)
