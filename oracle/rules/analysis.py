"""Uniformity analysis, section 4.2, rule by rule.

The paper threads (V, E) through its functions; here `graph` is one mutable `Graph` per function and each rule returns
what else the paper's rule returns: a node for expressions, (M', cf') for statements. LocIdent is the set of locals
of the function at hand: the other functions' locals are disjoint (restriction 2) and cannot matter to it.
"""

from dataclasses import dataclass

from oracle.rules.behaviour import behaviour_analysis
from oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN, Graph, Node, Role
from oracle.rules.revisions import PAPER, Rules
from oracle.verdict import Verdict
from tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    Convert,
    Expr,
    Function,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    SharedAssign,
    SharedRead,
    Stmt,
    Unary,
    is_break_if,
)
from tinywgsl.behaviour import BREAK, CONTINUE, NEXT, RETURN, BehaviourAnalysis

VariableMap = dict[str, Node]
"""M: from LocIdent to uniformity nodes, in the order of declaration. Never changed once another rule can see it."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The four facts of section 4.2 that calls of a function need; parameters are counted from 0."""

    callSiteUnif: bool
    paramsReqToBeUnif: frozenset[int]
    paramAffectsReturnUnif: frozenset[int]
    returnNonUnif: bool


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """The graph, the summary and whether there is a path from MustBeUnif to MayBeNonUnif."""

    function: Function
    graph: Graph
    summary: Summary
    violates: bool


@dataclass(frozen=True, slots=True)
class Analysis:
    """UG_shader's answer: the functions analysed, in order; the last one violates if the verdict is REJECTS."""

    verdict: Verdict
    functions: tuple[FunctionResult, ...]


def analyse(shader: Shader, rules: Rules = PAPER) -> Analysis:
    """UG_shader (section 4.2): ACCEPTS if every function, in order, is free of error; otherwise REJECTS."""
    F: dict[str, Summary] = {}
    results: list[FunctionResult] = []
    behaviours = behaviour_analysis(rules)
    for f in shader.all_functions:
        result = analyse_function(F, f, rules, behaviours)
        results.append(result)
        if result.violates:
            return Analysis(Verdict.REJECTS, tuple(results))
        F[f.name] = result.summary
    return Analysis(Verdict.ACCEPTS, tuple(results))


def analyse_function(F: dict[str, Summary], f: Function, rules: Rules, behaviours: BehaviourAnalysis) -> FunctionResult:
    """UG_func (section 4.2). `lid` has no node in M: its rule never looks it up."""
    graph = Graph()
    M_init: VariableMap = {v.name: graph.fresh(Role.INITIAL, None, v.name) for v in f.params}
    for v in f.locals:  # line 3
        M_init[v.name] = graph.fresh(Role.INITIAL, None, v.name, CF_START)
    _Rules(graph, F, rules, behaviours).stmts(M_init, {}, {}, CF_START, f.body)  # line 5
    required = graph.reachable(MUST_BE_UNIF)
    returned = graph.reachable(VALUE_RETURN)
    summary = Summary(
        callSiteUnif=bool(required[CF_START]),  # line 6
        paramsReqToBeUnif=frozenset(i for i, v in enumerate(f.params) if required[M_init[v.name]]),  # line 7
        paramAffectsReturnUnif=frozenset(i for i, v in enumerate(f.params) if returned[M_init[v.name]]),  # line 8
        returnNonUnif=bool(returned[MAY_BE_NON_UNIF]),  # line 9
    )
    return FunctionResult(f, graph, summary, violates=bool(required[MAY_BE_NON_UNIF]))  # line 11


class _Rules:
    """UG_expr (Fig. 9) and UG_stmt (section 4.2) over one function's graph."""

    __slots__ = ("F", "behaviours", "graph", "rules", "statement")

    def __init__(self, graph: Graph, F: dict[str, Summary], rules: Rules, behaviours: BehaviourAnalysis) -> None:
        self.graph = graph
        self.F = F
        self.rules = rules
        self.behaviours = behaviours
        self.statement: Stmt | None = None  # the one being analysed: for labels only

    # -------------------------------------------------------------------------------------------- UG_expr, Fig. 9

    def expr(self, M: VariableMap, cf: Node, e: Expr) -> Node:
        """UG_expr: the node that represents the uniformity of `e`."""
        graph = self.graph
        match e:
            case Literal():
                return cf
            case Local(x):
                return graph.fresh(Role.READ, self.statement, x, cf, M[x])
            case Binary():
                v1 = self.expr(M, cf, e.left)
                v2 = self.expr(M, cf, e.right)
                return graph.fresh(Role.OPERATION, self.statement, e, v1, v2)
            case Lid() | SharedRead():  # a shared read's index is not analysed, as in Fig. 9
                return graph.fresh(Role.SOURCE, self.statement, e, MAY_BE_NON_UNIF)
            case Unary() | Convert():  # operators of one operand, which Fig. 4 leaves out
                return graph.fresh(Role.OPERATION, self.statement, e, self.expr(M, cf, e.operand))

    # ------------------------------------------------------------------------------------- UG_stmt, section 4.2

    def stmts(
        self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, ss: Block
    ) -> tuple[VariableMap, Node]:
        """UG_stmt of a list: the tail is analysed only if it is reachable, Next ∈ B(s)."""
        for s in ss:
            M, cf = self.stmt(M, M_b, M_c, cf, s)
            if not NEXT & self.behaviours.statement(s):
                break
        return M, cf

    def stmt(self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, s: Stmt) -> tuple[VariableMap, Node]:
        """UG_stmt of one statement."""
        self.statement = s
        match s:
            case Assign(x, e):
                return {**M, x: self.expr(M, cf, e)}, cf
            case SharedAssign():
                return M, cf
            case If():
                return self.conditional(M, M_b, M_c, cf, s)
            case Loop():
                return self.loop(M, cf, s)
            case Call():
                return self.call(M, cf, s)
            case Barrier():
                self.graph.demand(cf, s)
                return M, cf
            case Continue():
                self.flow(M_c, M)
                return M, cf
            case Break():
                self.flow(M_b, M)
                return M, cf
            case Return(e):
                if e is not None:  # a plain `return` of main (docs/paper-notes.md, note 6) has no value to tie
                    self.graph.add_edge(VALUE_RETURN, self.expr(M, cf, e))
                return M, cf

    def flow(self, to: VariableMap, M: VariableMap) -> None:
        """The edges {(to(x), M(x)) | x ∈ LocIdent}; none if `to` is ∅. All maps have the x in one order."""
        successors = self.graph.successors
        for v, w in zip(to.values(), M.values()):
            successors[v].append(w)

    def conditional(
        self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, s: If
    ) -> tuple[VariableMap, Node]:
        """UG_stmt of `if (e) {ss1} else {ss2}`."""
        v = self.expr(M, cf, s.condition)  # line 1
        M_then, cf_then = self.stmts(M, M_b, M_c, v, s.then)  # line 2
        M_else, cf_else = self.stmts(M, M_b, M_c, v, s.orelse)  # line 3
        M_after = self.graph.fresh_map(Role.AFTER_IF, s, M)  # lines 4, 5
        if NEXT & self.behaviours.block(s.then):  # line 6
            self.flow(M_after, M_then)
        if NEXT & self.behaviours.block(s.orelse):  # line 7
            self.flow(M_after, M_else)
        if self.behaviours.statement(s) == NEXT:  # line 8
            return M_after, cf
        return M_after, self.graph.fresh(Role.CF_AFTER_IF, s, None, cf_then, cf_else)  # line 9

    def call(self, M: VariableMap, cf: Node, s: Call) -> tuple[VariableMap, Node]:
        """UG_stmt of `x = f(e1, ..., en)`."""
        v = [self.expr(M, cf, e) for e in s.arguments]  # line 1
        summary = self.F[s.function]  # line 2
        v_res = self.graph.fresh(Role.RESULT, s, s.name, cf)  # lines 3, 6
        if summary.callSiteUnif:  # line 4
            self.graph.demand(cf, s)
        for i in sorted(summary.paramsReqToBeUnif):
            self.graph.demand(v[i], s, i)
        for i in sorted(summary.paramAffectsReturnUnif):  # line 5
            self.graph.add_edge(v_res, v[i])
        if summary.returnNonUnif:
            self.graph.add_edge(v_res, MAY_BE_NON_UNIF)
        return {**M, s.name: v_res}, cf  # line 7

    def loop(self, M: VariableMap, cf: Node, s: Loop) -> tuple[VariableMap, Node]:
        """UG_stmt of `loop {ss1 continuing {ss2}}`; what no case of lines 10-13 returns is not built."""
        b1 = self.behaviours.block(s.body)
        iterates = bool(CONTINUE & b1)
        back_edge = iterates or not self.rules.back_edge_if_iterates
        M_head = self.graph.fresh_map(Role.HEAD, s, M)  # line 2
        M_exit = self.graph.fresh_map(Role.EXIT, s, M)  # line 3
        M_cont = self.graph.fresh_map(Role.CONT, s, M)  # line 4
        self.flow(M_head, M)  # line 5
        cf_head = self.graph.fresh(Role.CF_HEAD, s, None) if back_edge else cf  # line 6
        M_afterBody, cf_afterBody = self.stmts(M_head, M_exit, M_cont, cf_head, s.body)  # line 7
        cf_end = cf_afterBody
        if iterates or not self.rules.skip_unreachable_continuing:
            M_afterCont, cf_end = self.continuing(M_cont, M_exit, cf_afterBody, s.continuing)  # line 8
            self.flow(M_head, M_afterCont)  # line 9
            if self.rules.joins_at_continuing:
                self.flow(M_cont, M_afterBody)
            if self.rules.joins_at_exit:
                self.flow(M_exit, M_afterCont)
        if back_edge:
            self.graph.successors[cf_head] += (cf, cf_end)
        if self.rules.unbroken_loop_keeps_variables and not any(self.graph.successors[v] for v in M_exit.values()):
            M_exit = M
        if b1 == BREAK:  # line 10
            return M_exit, cf
        if not b1 & ~(BREAK | RETURN):  # line 11
            return M_exit, cf_head if back_edge else cf_afterBody
        if RETURN & b1:  # line 12
            return M_exit, cf_head
        return M_exit, cf  # line 13

    def continuing(self, M: VariableMap, M_b: VariableMap, cf: Node, ss: Block) -> tuple[VariableMap, Node]:
        """Line 8 of the loop rule; without the change of Fig. 10a a final `break if` leaves control flow as it was."""
        if self.rules.break_if_edge or not ss or not is_break_if(ss[-1]):
            return self.stmts(M, M_b, {}, cf, ss)
        M, cf = self.stmts(M, M_b, {}, cf, ss[:-1])
        self.flow(M_b, M)
        return M, cf
