"""Uniformity analysis, section 4.2, rule by rule.

The paper threads (V, E) through its functions; here `graph` is one mutable `Graph` per function and each rule returns
what else the paper's rule returns: a node for expressions, (M', cf') for statements. LocIdent is the set of locals
of the function at hand: the other functions' locals are disjoint (restriction 2) and cannot matter to it.

A rule is cut into methods where a variant of it overrides one (`tests/quality/paper_mutants`); the line numbers are the
paper's.
"""

from collections.abc import Iterable
from functools import cache
from typing import ClassVar, NamedTuple

from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN, Graph, Node
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.behaviour import BREAK, CONTINUE, NEXT, RETURN, Behaviours, CoreBehaviourAnalysis
from wgsl_fuzz.wgsl.resolution import Resolution

VariableMap = dict[str, Node]
"""M: from LocIdent to uniformity nodes, in the order of declaration. Never changed once another rule can see it."""

State = tuple[VariableMap, Node]
"""(M', cf'): what the analysis of statements returns beside the graph."""

Reached = bytearray
"""Row of E*: which nodes have a path from one node."""


@core.node
class Summary:
    """The four facts of section 4.2 that calls of a function need; parameters are counted from 0."""

    callSiteUnif: bool
    paramsReqToBeUnif: frozenset[int]
    paramAffectsReturnUnif: frozenset[int]
    returnNonUnif: bool


@core.node
class PaperResult:
    """The graph, the summary and whether there is a path from MustBeUnif to MayBeNonUnif."""

    function: core.Function
    graph: Graph
    summary: Summary
    violates: bool


@core.node
class Analysis:
    """UG_shader's answer: the functions analysed, in order; the last one violates if the verdict is REJECTS."""

    verdict: Verdict
    functions: tuple[PaperResult, ...]


class LoopContext(NamedTuple):
    """What lines 1 to 6 of the rule for `loop {ss1 continuing {ss2}}` make for the lines after them."""

    loop: core.Loop
    b1: Behaviours
    """B(ss1)."""
    M: VariableMap
    cf: Node
    M_head: VariableMap
    M_exit: VariableMap
    M_cont: VariableMap
    cf_head: Node
    has_back_edge: bool
    """Whether cf_head is a node of its own."""
    ss2: core.Block


class UniformityAnalysis:
    """UG_shader, UG_func, UG_stmt (section 4.2) and UG_expr (Fig. 9) of one shader. A subclass may replace a rule."""

    __slots__ = ("F", "behaviours", "graph")

    behaviour_analysis: ClassVar[type[CoreBehaviourAnalysis]] = CoreBehaviourAnalysis
    """The function B (Fig. 8)."""

    graph: Graph
    """Of the function at hand."""

    def __init__(self) -> None:
        self.F: dict[str, Summary] = {}
        """The summaries of the functions that are analysed."""
        self.behaviours = self.behaviour_analysis()

    # ------------------------------------------------------------------------------- UG_shader, UG_func, section 4.2

    def shader(self, shader: core.Shader) -> Analysis:
        """UG_shader: ACCEPTS if every function, in order, is free of error; otherwise REJECTS."""
        results: list[PaperResult] = []
        for f in self.functions(shader):
            result = self.function(f)
            results.append(result)
            if result.violates:
                return Analysis(Verdict.REJECTS, tuple(results))
            self.remember(f, result.summary)
        return Analysis(Verdict.ACCEPTS, tuple(results))

    def functions(self, shader: core.Shader) -> Iterable[core.Function]:
        """The functions of P, in order: callees before their callers."""
        return shader.all_functions

    def function(self, f: core.Function) -> PaperResult:
        """UG_func."""
        self.graph = Graph()
        M_init = self.initial(f)  # lines 1-4
        self.function_body(M_init, f)  # line 5
        required = self.graph.reachable(MUST_BE_UNIF)
        returned = self.graph.reachable(VALUE_RETURN)
        summary = self.summary(f, M_init, required, returned)  # lines 6-9
        return PaperResult(f, self.graph, summary, bool(required[MAY_BE_NON_UNIF]))  # line 11

    def initial(self, f: core.Function) -> VariableMap:
        """M_init (lines 1-4). `lid` has no node in it: its rule never looks it up."""
        M_init = {v.name: self.graph.fresh() for v in f.params}
        for v in f.locals:  # line 3
            M_init[v.name] = self.graph.fresh(CF_START)
        return M_init

    def function_body(self, M_init: VariableMap, f: core.Function) -> None:
        """Line 5."""
        self.stmts(M_init, {}, {}, CF_START, f.body)

    def summary(self, f: core.Function, M_init: VariableMap, required: Reached, returned: Reached) -> Summary:
        """Lines 6-9; `required` is the row of E* of MustBeUnif, `returned` that of ValueReturn."""
        return Summary(
            callSiteUnif=bool(required[CF_START]),  # line 6
            paramsReqToBeUnif=frozenset([i for i, v in enumerate(f.params) if required[M_init[v.name]]]),  # line 7
            paramAffectsReturnUnif=frozenset([i for i, v in enumerate(f.params) if returned[M_init[v.name]]]),  # line 8
            returnNonUnif=bool(returned[MAY_BE_NON_UNIF]),  # line 9
        )

    def remember(self, f: core.Function, summary: Summary) -> None:
        """F' = F[f ↦ summary] (line 10)."""
        self.F[f.name] = summary

    # -------------------------------------------------------------------------------------------- UG_expr, Fig. 9

    def expr(self, M: VariableMap, cf: Node, e: core.Expr) -> Node:
        """UG_expr: the node that represents the uniformity of `e`."""
        graph = self.graph
        match e:
            case core.Literal():
                return cf
            case core.Local():
                return graph.fresh(cf, M[e.name])
            case core.Binary():
                v1 = self.expr(M, cf, e.left)
                v2 = self.expr(M, cf, e.right)
                return graph.fresh(v1, v2)
            case core.Lid() | core.SharedRead():
                return MAY_BE_NON_UNIF  # the index of a shared read is not analysed
            case core.Unary() | core.Convert():  # operators of one operand, which Fig. 4 leaves out
                return graph.fresh(self.expr(M, cf, e.operand))

    # ------------------------------------------------------------------------------------- UG_stmt, section 4.2

    def stmts(self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, ss: core.Block) -> State:
        """UG_stmt of a list: the tail is analysed only if it is reachable, Next ∈ B(s)."""
        for s in ss:
            M, cf = self.stmt(M, M_b, M_c, cf, s)
            if not NEXT & self.behaviours.statement(s):
                break
        return M, cf

    def stmt(self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, s: core.Stmt) -> State:
        """UG_stmt of one statement."""
        match s:
            case core.Assign():
                return {**M, s.name: self.expr(M, cf, s.value)}, cf
            case core.SharedAssign():
                return M, cf
            case core.If():
                return self.conditional(M, M_b, M_c, cf, s)
            case core.Loop():
                return self.loop(M, cf, s)
            case core.Call():
                return self.call(M, cf, s)
            case core.Barrier():
                self.graph.demand(cf)
                return M, cf
            case core.Continue():
                self.flow(M_c, M)
                return M, cf
            case core.Break():
                self.flow(M_b, M)
                return M, cf
            case core.Return():
                if s.value is not None:  # a plain `return` of main has no value to tie (docs/paper-notes.md, note 6)
                    self.graph.add_edge(VALUE_RETURN, self.expr(M, cf, s.value))
                return M, cf

    def flow(self, to: VariableMap, M: VariableMap) -> None:
        """The edges {(to(x), M(x)) | x ∈ LocIdent}; none if one of the two is ∅. All maps have the x in one order."""
        successors = self.graph.successors
        for v, w in zip(to.values(), M.values()):
            successors[v].append(w)

    # ---- if (e) {ss1} else {ss2}

    def conditional(self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, s: core.If) -> State:
        """UG_stmt of `if (e) {ss1} else {ss2}`."""
        v = self.condition(M, cf, s)  # line 1
        (M_then, cf_then), (M_else, cf_else) = self.branches(M, M_b, M_c, cf, v, s)  # lines 2, 3
        M_after = self.after_if(M, M_then, M_else, s)  # lines 4-7
        return M_after, self.cf_after_if(cf, v, cf_then, cf_else, s)  # lines 8, 9

    def condition(self, M: VariableMap, cf: Node, s: core.If) -> Node:
        """Line 1: the node of the condition."""
        return self.expr(M, cf, s.condition)

    def branches(
        self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, v: Node, s: core.If
    ) -> tuple[State, State]:
        """Lines 2 and 3: both branches are analysed under the condition `v`."""
        then = self.stmts(M, M_b, M_c, v, s.then)
        return then, self.stmts(M, M_b, M_c, v, s.orelse)

    def after_if(self, M: VariableMap, M_then: VariableMap, M_else: VariableMap, s: core.If) -> VariableMap:
        """M_after (lines 4-7): each branch that can reach its end flows on."""
        M_after = self.graph.fresh_map(M)  # lines 4, 5
        if NEXT & self.behaviours.block(s.then):  # line 6
            self.flow(M_after, M_then)
        if NEXT & self.behaviours.block(s.orelse):  # line 7
            self.flow(M_after, M_else)
        return M_after

    def cf_after_if(self, cf: Node, v: Node, cf_then: Node, cf_else: Node, s: core.If) -> Node:
        """Control flow after it (lines 8, 9): as before if both branches always reach their end."""
        if self.behaviours.statement(s) == NEXT:  # line 8
            return cf
        return self.graph.fresh(cf_then, cf_else)  # line 9

    # ---- x = f(e1, ..., en)

    def call(self, M: VariableMap, cf: Node, s: core.Call) -> State:
        """UG_stmt of `x = f(e1, ..., en)`."""
        v = self.arguments(M, cf, s)  # line 1
        summary = self.callee(s)  # line 2
        self.demands(cf, v, summary, s)  # line 4
        v_res = self.result(cf, v, summary, s)  # lines 3, 5, 6
        return {**M, s.name: v_res}, cf  # line 7

    def arguments(self, M: VariableMap, cf: Node, s: core.Call) -> list[Node]:
        """v_1, ..., v_n (line 1)."""
        return [self.expr(M, cf, e) for e in s.arguments]

    def callee(self, s: core.Call) -> Summary:
        """F(f) (line 2)."""
        return self.F[s.function]

    def demands(self, cf: Node, v: list[Node], summary: Summary, s: core.Call) -> None:
        """Line 4: what the callee demands of its call site and of its arguments."""
        if summary.callSiteUnif:
            self.graph.demand(cf)
        for i in sorted(summary.paramsReqToBeUnif):
            self.graph.demand(v[i])

    def result(self, cf: Node, v: list[Node], summary: Summary, s: core.Call) -> Node:
        """v_res (lines 3, 5, 6): what the value of the call depends on."""
        v_res = self.graph.fresh(cf)  # lines 3, 6
        for i in sorted(summary.paramAffectsReturnUnif):  # line 5
            self.graph.add_edge(v_res, v[i])
        if summary.returnNonUnif:
            self.graph.add_edge(v_res, MAY_BE_NON_UNIF)
        return v_res

    # ---- loop {ss1 continuing {ss2}}

    def loop(self, M: VariableMap, cf: Node, s: core.Loop) -> State:
        """UG_stmt of `loop {ss1 continuing {ss2}}`; what no case of lines 10-13 returns is not built."""
        b1 = self.behaviours.block(s.body)
        M_head, M_exit, M_cont = self.loop_maps(M, s)  # lines 1-5
        has_back_edge = self.has_back_edge(b1)
        cf_head = self.graph.fresh() if has_back_edge else cf  # line 6
        loop = LoopContext(s, b1, M, cf, M_head, M_exit, M_cont, cf_head, has_back_edge, s.continuing)
        M_afterBody, cf_afterBody = self.loop_body(loop)  # line 7
        if self.reaches_continuing(b1):
            M_afterCont, cf_afterCont = self.continuing(loop, M_afterBody, cf_afterBody)  # line 8
            self.back_edges(loop, M_afterCont, cf_afterCont)  # line 9
        else:  # lines 10, 11 return E_afterBody: no edge is added, but by variants with a back edge
            self.back_edges(loop, {}, cf_afterBody)
        return self.after_loop(loop, cf_afterBody)  # lines 10-13

    def loop_maps(self, M: VariableMap, s: core.Loop) -> tuple[VariableMap, VariableMap, VariableMap]:
        """M_head, M_exit and M_cont (lines 1-5)."""
        M_head = self.graph.fresh_map(M)  # line 2
        M_exit = self.graph.fresh_map(M)  # line 3
        M_cont = self.graph.fresh_map(M)  # line 4
        self.flow(M_head, M)  # line 5
        return M_head, M_exit, M_cont

    def has_back_edge(self, b1: Behaviours) -> bool:
        """Whether control flow at the head depends on the loop's end, in a node of its own (line 6)."""
        return bool(CONTINUE & b1)

    def loop_body(self, loop: LoopContext) -> State:
        """Line 7."""
        return self.stmts(loop.M_head, loop.M_exit, loop.M_cont, loop.cf_head, loop.loop.body)

    def reaches_continuing(self, b1: Behaviours) -> bool:
        """Whether ss2 counts: lines 10 and 11 return E_afterBody, which has nothing of it.

        The paper asks whether B(ss1) ⊆ {Break, Return}. That is the same: a body never ends with Next (restriction 3).
        """
        return bool(CONTINUE & b1)

    def continuing(self, loop: LoopContext, M_afterBody: VariableMap, cf_afterBody: Node) -> State:
        """Line 8: (M_afterCont, cf_afterCont). What flows into ss2 is M_cont, not M_afterBody."""
        return self.stmts(loop.M_cont, loop.M_exit, {}, cf_afterBody, loop.ss2)

    def back_edges(self, loop: LoopContext, M_afterCont: VariableMap, cf_afterCont: Node) -> None:
        """Line 9; of a loop that does not iterate, M_afterCont is ∅ and this adds nothing."""
        self.flow(loop.M_head, M_afterCont)
        if loop.has_back_edge:
            self.graph.successors[loop.cf_head] += (loop.cf, cf_afterCont)

    def after_loop(self, loop: LoopContext, cf_afterBody: Node) -> State:
        """Lines 10-13."""
        b1, M_exit = loop.b1, loop.M_exit
        if b1 == BREAK:  # line 10
            return M_exit, loop.cf
        if not b1 & ~(BREAK | RETURN):  # line 11; only variants have a back edge here
            return M_exit, loop.cf_head if loop.has_back_edge else cf_afterBody
        if RETURN & b1:  # line 12; Continue is in b1 as well, or line 11 were the case
            return M_exit, loop.cf_head
        return M_exit, loop.cf  # line 13


# ----------------------------------------------------------------------------------------------------- under a rule set


@cache
def analysis_under(rules: Rules) -> type[UniformityAnalysis]:
    """The analysis with the pieces that `rules` replace; the paper's for none."""
    pieces = rules.replacements[::-1]
    own = [cls for cls in pieces if issubclass(cls, UniformityAnalysis)]
    B = [cls for cls in pieces if issubclass(cls, CoreBehaviourAnalysis)]
    analysis = type("UniformityAnalysis", (*own, UniformityAnalysis), {}) if own else UniformityAnalysis
    if not B:
        return analysis
    return type("UniformityAnalysis", (analysis,), {"behaviour_analysis": type("CoreBehaviourAnalysis", (*B,), {})})


def analyse(shader: core.Shader, rules: Rules = UNCHANGED) -> Analysis:
    """UG_shader (section 4.2) under `rules`: ACCEPTS if every function, in order, is free of error, else REJECTS."""
    return analysis_under(rules)().shader(shader)


def verdict_of(shader: core.Shader, rules: Rules = UNCHANGED) -> Verdict:
    """The verdict alone."""
    return analyse(shader, rules).verdict


def paper_verdict(resolution: Resolution, rules: Rules = UNCHANGED) -> Verdict | None:
    """The verdict on a module, asked about its core; None where it has none, and `core_of` says why."""
    shader = core_of(resolution).shader
    return None if shader is None else verdict_of(shader, rules)
