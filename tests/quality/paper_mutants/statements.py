"""Variants of UG_expr (Fig. 9) and of section 4.2's rules for statements other than loops and calls."""

from collections.abc import Callable

from tests.quality.paper_mutants.rows import EITHER, LAXER, STRICTER, Rule, U, at, changed, flowed, row, with_edge
from wgsl_fuzz.oracle.rules.analysis import State, UniformityAnalysis, VariableMap
from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN, Node
from wgsl_fuzz.oracle.rules.rule_set import Direction, Variant
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.behaviour import BREAK, CONTINUE, NEXT, RETURN, Behaviours


def _of(kind: type[core.Expr], place: str) -> Callable[..., Variant]:
    """What makes variants of one case of Fig. 9."""
    return at(f"expr/{place}", U.expr, where=lambda e: isinstance(e, kind))


_lid, _read, _literal = _of(core.Lid, "lid"), _of(core.SharedRead, "shared-read"), _of(core.Literal, "literal")
_local, _binary, _unary = _of(core.Local, "local"), _of(core.Binary, "binary"), _of(core.Unary, "unary")

EXPRESSION_VARIANTS: tuple[Variant, ...] = (
    _lid("is-uniform", "lid: MayBeNonUnif", LAXER, lambda cf: cf),
    _read("is-uniform", "x[e]: MayBeNonUnif", LAXER, lambda cf: cf),
    _read(
        "index-analysed",
        "x[e]: the index is not analysed",
        STRICTER,
        lambda self, M, cf, e: self.graph.fresh(MAY_BE_NON_UNIF, self.expr(M, cf, e.index)),
        equivalent="what depends on the read reaches MayBeNonUnif anyway: more paths from there change no error, and "
        "the summary of a result that is non-uniform only gains parameters that no longer matter.",
    ),
    _literal("no-edge-to-cf", "l: cf", LAXER, lambda self: self.graph.fresh()),
    _literal("is-non-uniform", "l: cf", STRICTER, lambda: MAY_BE_NON_UNIF),
    _local("no-edge-to-cf", "x: (v_res, cf)", LAXER, lambda M, e: M[e.name]),
    _local("no-edge-to-variable", "x: (v_res, M(x))", LAXER, lambda cf: cf),
    _binary("no-edge-to-left", "e1 op e2: (v_res, v1)", LAXER, lambda self, M, cf, e: self.expr(M, cf, e.right)),
    _binary("no-edge-to-right", "e1 op e2: (v_res, v2)", LAXER, lambda self, M, cf, e: self.expr(M, cf, e.left)),
    _binary(
        "edge-to-cf",
        "e1 op e2: no (v_res, cf)",
        STRICTER,
        lambda self, M, cf, e: self.graph.fresh(self.expr(M, cf, e.left), self.expr(M, cf, e.right), cf),
        equivalent="the operands' literals and reads have an edge to cf, and its other leaves one to MayBeNonUnif.",
    ),
    _unary("no-edge-to-operand", "op e: (v_res, v1)", LAXER, lambda cf: cf),
    _of(core.Convert, "convert")("no-edge-to-operand", "T(e): (v_res, v1)", LAXER, lambda cf: cf),
)


class DeadTails(UniformityAnalysis):
    """The tail of a list is analysed whether it is reachable or not."""

    def stmts(self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, ss: core.Block) -> State:
        for s in ss:
            M, cf = super().stmts(M, M_b, M_c, cf, (s,))
        return M, cf


def _of_kind(place: str, kind: type[core.Stmt]) -> Callable[..., Variant]:
    """What makes variants of the rule of one kind of statement."""
    return at(place, U.stmt, where=lambda s: isinstance(s, kind))


def _demanding(self: UniformityAnalysis, node: Node, M: VariableMap, cf: Node) -> State:
    """The state, with a demand that a node is uniform."""
    self.graph.demand(node)
    return M, cf


def _returned(source: Node, under: Callable[[Node], Node]) -> Rule:
    """Ties the value of a `return`, analysed under another control flow, to `source`."""

    def rule(self: UniformityAnalysis, M: VariableMap, cf: Node, s: core.Return) -> State:
        if s.value is not None:
            self.graph.add_edge(source, self.expr(M, under(cf), s.value))
        return M, cf

    return rule


_assign, _shared = _of_kind("assign", core.Assign), _of_kind("shared-assign/graph", core.SharedAssign)
_barrier, _return = _of_kind("barrier/edge", core.Barrier), _of_kind("return", core.Return)
_break, _continue = _of_kind("break/edges", core.Break), _of_kind("continue/edges", core.Continue)
_DEMANDS, _RETURNS, _NO_EDGES = "barrier: (MustBeUnif, cf)", "return e: (ValueReturn, v)", "x[e1] = e2: no edges"
SIMPLE_VARIANTS: tuple[Variant, ...] = (
    changed("list/head/variables-not-threaded", "s : ss: M1", EITHER, U.stmt, lambda M, result: (M, result[1])),
    changed("list/head/control-flow-not-threaded", "s : ss: cf1", LAXER, U.stmt, lambda cf, result: (result[0], cf)),
    row("list/tail/dead-analysed", "if Next ∉ B(s) then head only", STRICTER, DeadTails),
    changed("list/tail/live-not-analysed", "else the tail", EITHER, U.stmts, ss=lambda ss: ss[:1]),
    _assign("map/not-updated", "x = e: M[x ↦ v]", EITHER, lambda M, cf: (M, cf)),
    _assign(
        "map/old-value-stays",
        "x = e: M[x ↦ v]",
        STRICTER,
        lambda self, M, cf, s: ({**M, s.name: self.graph.fresh(self.expr(M, cf, s.value), M[s.name])}, cf),
    ),
    _assign(
        "value/under-CfStart",
        "x = e: UG_expr(..., cf, e)",
        LAXER,
        lambda self, M, cf, s: ({**M, s.name: self.expr(M, CF_START, s.value)}, cf),
    ),
    _shared(
        "value-demanded",
        _NO_EDGES,
        STRICTER,
        lambda self, M, cf, s: _demanding(self, self.expr(M, cf, s.value), M, cf),
    ),
    _shared("control-flow-demanded", _NO_EDGES, STRICTER, lambda self, M, cf: _demanding(self, cf, M, cf)),
    _shared(
        "expressions-analysed",
        "x[e1] = e2: e1 and e2 are not analysed",
        STRICTER,
        lambda self, M, cf, s: (self.expr(M, cf, s.index), self.expr(M, cf, s.value), (M, cf))[-1],
        equivalent="nothing has an edge to the nodes added.",
    ),
    _barrier("dropped", _DEMANDS, LAXER, lambda M, cf: (M, cf)),
    _barrier("to-CfStart", _DEMANDS, LAXER, lambda self, M, cf: _demanding(self, CF_START, M, cf)),
    _return("edge/dropped", _RETURNS, LAXER, lambda M, cf: (M, cf)),
    _return("edge/from-MustBeUnif", _RETURNS, EITHER, _returned(MUST_BE_UNIF, lambda cf: cf)),
    _return(
        "value/under-CfStart", "return e: UG_expr(..., cf, e)", LAXER, _returned(VALUE_RETURN, lambda cf: CF_START)
    ),
    _break("dropped", "break: (M_b(x), M(x))", LAXER, M_b={}),
    _break("to-the-continuing", "break: (M_b(x), M(x))", EITHER, M_b=lambda M_c: M_c),
    _continue("dropped", "continue: (M_c(x), M(x))", LAXER, M_c={}),
    _continue("to-the-exit", "continue: (M_c(x), M(x))", EITHER, M_c=lambda M_b: M_b),
)


def _line_8(name: str, branch: str, way: Direction, only: Callable[[Behaviours], bool], result: Rule) -> Variant:
    """An `if` behind which, for some more B(if), control flow is `result`."""
    return changed(name, branch, way, U.cf_after_if, result, where=lambda self, s: only(self.behaviours.statement(s)))


def _as_before(name: str, branch: str, only: Callable[[Behaviours], bool]) -> Variant:
    """Control flow is as before the `if`."""
    return _line_8(name, branch, LAXER, only, lambda cf: cf)


def _not_if(verb: str, behaviour: str, b: Behaviours) -> Variant:
    """Control flow is as before the `if` also where its behaviours have one more."""
    branch = f"if B(if) = {{Next}}, otherwise also by {behaviour}"
    return _as_before(f"if/line-8/not-if-it-{verb}", branch, lambda found: found == NEXT | b)


def _map_of_entry(name: str, of_line: Callable[[Behaviours], bool]) -> Variant:
    """An `if` behind which variables are as before it, for some B(if)."""
    where = lambda self, s: of_line(self.behaviours.statement(s))  # noqa: E731
    return changed(name, "M_after", EITHER, U.conditional, lambda M, result: (M, result[1]), where=where)


_branches, _after, _control = at("if", U.branches), at("if", U.after_if), at("if", U.cf_after_if)
IF_VARIANTS: tuple[Variant, ...] = (
    changed("if/line-1/condition-under-CfStart", "UG_expr(..., cf, e)", LAXER, U.condition, cf=CF_START),
    _branches(
        "line-2/then-under-cf",
        "UG_stmt(..., v, ss1)",
        LAXER,
        lambda self, M, M_b, M_c, cf, v, s: (self.stmts(M, M_b, M_c, cf, s.then), self.stmts(M, M_b, M_c, v, s.orelse)),
    ),
    _branches(
        "line-3/else-under-cf",
        "UG_stmt(..., v, ss2)",
        LAXER,
        lambda self, M, M_b, M_c, cf, v, s: (self.stmts(M, M_b, M_c, v, s.then), self.stmts(M, M_b, M_c, cf, s.orelse)),
    ),
    _branches(
        "line-3/else-after-then",
        "UG_stmt(..., M, ..., ss2)",
        EITHER,
        lambda self, M, M_b, M_c, cf, v, s: (
            then := self.stmts(M, M_b, M_c, v, s.then),
            self.stmts(then[0], M_b, M_c, v, s.orelse),
        ),
    ),
    _after("line-6/edges-dropped", "(M_after(x), M_then(x))", LAXER, M_then={}),
    _after("line-6/always", "Next ∈ B(ss1)", STRICTER, lambda self, M_then, result: flowed(self, result, M_then)),
    _after("line-7/edges-dropped", "(M_after(x), M_else(x))", LAXER, M_else={}),
    _after("line-7/always", "Next ∈ B(ss2)", STRICTER, lambda self, M_else, result: flowed(self, result, M_else)),
    _after("line-7/variables-of-entry", "(M_after(x), M_else(x))", EITHER, M_else=lambda M: M),
    _as_before("if/line-8/always", "if B(if) = {Next}", lambda b: True),
    _control(
        "line-8/never", "if B(if) = {Next}", STRICTER, lambda self, cf_then, cf_else: self.graph.fresh(cf_then, cf_else)
    ),
    _as_before("if/line-8/if-it-may-end", "if B(if) = {Next}", lambda b: bool(b & NEXT)),
    _not_if("breaks", "Break", BREAK),
    _not_if("continues", "Continue", CONTINUE),
    _not_if("returns", "Return", RETURN),
    _map_of_entry("if/line-8/map-of-entry", lambda b: b == NEXT),
    _line_8("if/line-8/result-is-condition", "cf", STRICTER, lambda b: b == NEXT, lambda v: v),
    _map_of_entry("if/line-9/map-of-entry", lambda b: b != NEXT),
    _control("line-9/no-edge-to-then", "(cf', cf_then)", LAXER, cf_then=lambda cf_else: cf_else),
    _control("line-9/no-edge-to-else", "(cf', cf_else)", LAXER, cf_else=lambda cf_then: cf_then),
    _control(
        "line-9/only-the-condition", "(cf', cf_then), (cf', cf_else)", LAXER, cf_then=lambda v: v, cf_else=lambda v: v
    ),
    _control(
        "line-9/edge-to-condition",
        "no (cf', v)",
        STRICTER,
        lambda self, v, result: with_edge(self, result, v),
        where=lambda self, s: self.behaviours.statement(s) != NEXT,
        equivalent="cf_then has a path to v or to MayBeNonUnif: every rule returns a control flow that does.",
    ),
)
