"""Double variants: a single one, and a class that mends it for most programs. They are harder to kill."""

from tests.quality.paper_mutants.calls import CALL_VARIANTS
from tests.quality.paper_mutants.joins import JoinsAtContinuing
from tests.quality.paper_mutants.loops import LOOP_VARIANTS
from tests.quality.paper_mutants.statements import EXPRESSION_VARIANTS, IF_VARIANTS, SIMPLE_VARIANTS
from wgsl_fuzz.oracle.rules.analysis import LoopContext, State, Summary, UniformityAnalysis, VariableMap
from wgsl_fuzz.oracle.rules.graph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.tinywgsl.ast import Assign, Barrier, Binary, Call, Expr, If, Loop, Stmt
from wgsl_fuzz.tinywgsl.behaviour import BREAK, CONTINUE, NEXT

_SINGLE = {v.name: v for v in (*EXPRESSION_VARIANTS, *SIMPLE_VARIANTS, *IF_VARIANTS, *CALL_VARIANTS, *LOOP_VARIANTS)}


def _mended(single: str, but: str, mend: type[UniformityAnalysis]) -> Variant:
    """The variant `single`, mended where `but` says."""
    broken = _SINGLE[single]
    return Variant(f"{single}-but-{but}", broken.place, broken.branch, Effect.EITHER, (*broken.replacements, mend))


class OperationsUnderControlFlow(UniformityAnalysis):
    """Operations of two operands have an edge to control flow."""

    def expr(self, M: VariableMap, cf: Node, e: Expr) -> Node:
        v = super().expr(M, cf, e)
        if isinstance(e, Binary):
            self.graph.add_edge(v, cf)
        return v


class AssignmentsUnderControlFlow(UniformityAnalysis):
    """Assigned values have an edge to control flow."""

    def stmt(self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, s: Stmt) -> State:
        M1, cf1 = super().stmt(M, M_b, M_c, cf, s)
        if isinstance(s, Assign):
            M1 = {**M1, s.name: self.graph.fresh(M1[s.name], cf)}
        return M1, cf1


class ConditionsUnderControlFlow(UniformityAnalysis):
    """Conditions have an edge to control flow."""

    def condition(self, M: VariableMap, cf: Node, s: If) -> Node:
        return self.graph.fresh(super().condition(M, cf, s), cf)


class BarriersInThen(UniformityAnalysis):
    """A barrier directly in a `then` demands what it ought to."""

    def branches(
        self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, v: Node, s: If
    ) -> tuple[State, State]:
        if any(isinstance(b, Barrier) for b in s.then):
            self.graph.demand(v)
        return super().branches(M, M_b, M_c, cf, v, s)


class ThenWithoutElse(UniformityAnalysis):
    """The `then` of an `if` without an `else` flows on."""

    def after_if(self, M: VariableMap, M_then: VariableMap, M_else: VariableMap, s: If) -> VariableMap:
        M_after = super().after_if(M, M_then, M_else, s)
        if not s.orelse and NEXT & self.behaviours.block(s.then):
            self.flow(M_after, M_then)
        return M_after


class EmptyElse(UniformityAnalysis):
    """An empty `else` flows on."""

    def after_if(self, M: VariableMap, M_then: VariableMap, M_else: VariableMap, s: If) -> VariableMap:
        M_after = super().after_if(M, M_then, M_else, s)
        if not s.orelse:
            self.flow(M_after, M_else)
        return M_after


class CallSitesWithArguments(UniformityAnalysis):
    """A call with arguments demands what it ought to of its call site."""

    def demands(self, cf: Node, v: list[Node], summary: Summary, s: Call) -> None:
        super().demands(cf, v, summary, s)
        if v and summary.callSiteUnif:
            self.graph.demand(cf)


class ResultsWithArguments(UniformityAnalysis):
    """The result of a call with arguments depends on control flow."""

    def result(self, cf: Node, v: list[Node], summary: Summary, s: Call) -> Node:
        v_res = super().result(cf, v, summary, s)
        if v:
            self.graph.add_edge(v_res, cf)
        return v_res


class EntryOfIteration(UniformityAnalysis):
    """Variables flow into a loop that iterates."""

    def loop_maps(self, M: VariableMap, s: Loop) -> tuple[VariableMap, VariableMap, VariableMap]:
        M_head, M_exit, M_cont = super().loop_maps(M, s)
        if CONTINUE & self.behaviours.block(s.body):
            self.flow(M_head, M)
        return M_head, M_exit, M_cont


class EndOfBrokenLoops(UniformityAnalysis):
    """Control flow at the head depends on the end of a loop with a break in its body."""

    def back_edges(self, loop: LoopContext, M_afterCont: VariableMap, cf_afterCont: Node) -> None:
        super().back_edges(loop, M_afterCont, cf_afterCont)
        if BREAK & loop.b1 and loop.has_back_edge:
            self.graph.add_edge(loop.cf_head, cf_afterCont)


class HeadFlowsToExit(UniformityAnalysis):
    """Variables at the head of a loop flow behind it."""

    def loop_body(self, loop: LoopContext) -> State:
        self.flow(loop.M_exit, loop.M_head)
        return super().loop_body(loop)


DOUBLE_VARIANTS: tuple[Variant, ...] = (
    _mended("expr/local/no-edge-to-cf", "operations-have-one", OperationsUnderControlFlow),
    _mended("expr/local/no-edge-to-cf", "assignments-have-one", AssignmentsUnderControlFlow),
    _mended("expr/local/no-edge-to-cf", "conditions-have-one", ConditionsUnderControlFlow),
    _mended("expr/literal/no-edge-to-cf", "operations-have-one", OperationsUnderControlFlow),
    _mended("expr/literal/no-edge-to-cf", "conditions-have-one", ConditionsUnderControlFlow),
    _mended("barrier/edge/dropped", "not-directly-in-then", BarriersInThen),
    _mended("if/line-6/edges-dropped", "not-without-an-else", ThenWithoutElse),
    _mended("if/line-7/edges-dropped", "not-of-an-empty-else", EmptyElse),
    _mended("call/line-4/no-demand-on-call-site", "with-arguments", CallSitesWithArguments),
    _mended("call/line-6/no-edge-to-cf", "with-arguments", ResultsWithArguments),
    _mended("loop/line-5/edges-dropped", "not-if-it-iterates", EntryOfIteration),
    _mended("loop/line-9/no-edge-to-end", "with-a-break-in-the-body", EndOfBrokenLoops),
    _mended("loop/line-7/breaks-lost", "the-head-flows-to-the-exit", HeadFlowsToExit),
    _mended("loop/line-7/continues-lost", "the-body-end-flows-to-the-continuing", JoinsAtContinuing),
)
