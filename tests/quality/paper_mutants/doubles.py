"""Double variants: a single one, and a class that mends it for most programs. They are harder to kill."""

from tests.quality.paper_mutants.calls import CALL_VARIANTS
from tests.quality.paper_mutants.joins import JoinsAtContinuing
from tests.quality.paper_mutants.loops import LOOP_VARIANTS
from tests.quality.paper_mutants.rows import U, flowed, instead, with_edge
from tests.quality.paper_mutants.statements import EXPRESSION_VARIANTS, IF_VARIANTS, SIMPLE_VARIANTS
from wgsl_fuzz.oracle.rules.analysis import VariableMap
from wgsl_fuzz.oracle.rules.rule_set import Direction, Variant
from wgsl_fuzz.tinywgsl.ast import Assign, Barrier, Binary, Block, walk
from wgsl_fuzz.tinywgsl.behaviour import BREAK, CONTINUE, NEXT, Behaviours

_SINGLE = {v.name: v for v in (*EXPRESSION_VARIANTS, *SIMPLE_VARIANTS, *IF_VARIANTS, *CALL_VARIANTS, *LOOP_VARIANTS)}


def _mended(single: str, but: str, mend: type) -> Variant:
    """The variant `single`, mended where `but` says."""
    broken = _SINGLE[single]
    return Variant(f"{single}-but-{but}", broken.place, broken.branch, Direction.EITHER, (*broken.replacements, mend))


_OPERATIONS = instead(
    U.expr, lambda self, cf, result: with_edge(self, result, cf), where=lambda e: isinstance(e, Binary)
)
"""Operations of two operands have an edge to control flow."""
_ASSIGNMENTS = instead(
    U.stmt,
    lambda self, cf, s, result: ({**result[0], s.name: self.graph.fresh(result[0][s.name], cf)}, result[1]),
    where=lambda s: isinstance(s, Assign),
)
"""Assigned values have an edge to control flow."""
_CONDITIONS = instead(U.condition, lambda self, cf, result: self.graph.fresh(result, cf))
"""Conditions have an edge to control flow."""
_BARRIERS_IN_THEN = instead(
    U.branches,
    lambda self, v, result: (self.graph.demand(v), result)[1],
    where=lambda s: any(isinstance(b, Barrier) for b in s.then),
)
"""A barrier directly in a `then` demands what it ought to."""
_THEN_WITHOUT_ELSE = instead(
    U.after_if,
    lambda self, M_then, result: flowed(self, result, M_then),
    where=lambda self, s: not s.orelse and NEXT & self.behaviours.block(s.then),
)
"""The `then` of an `if` without an `else` flows on."""
_EMPTY_ELSE = instead(
    U.after_if, lambda self, M_else, result: flowed(self, result, M_else), where=lambda s: not s.orelse
)
"""An empty `else` flows on."""
_CALL_SITES = instead(
    U.demands, lambda self, cf, result: self.graph.demand(cf), where=lambda v, summary: v and summary.callSiteUnif
)
"""A call with arguments demands what it ought to of its call site."""


def _entry_of_loops_with(jump: Behaviours) -> type:
    """Variables flow into a loop with such a jump in its body."""
    return instead(
        U.loop_maps,
        lambda self, M, result: (flowed(self, result[0], M), *result[1:]),
        where=lambda self, s: jump & self.behaviours.block(s.body),
    )


_END_OF_BROKEN_LOOPS = instead(
    U.back_edges,
    lambda self, loop, cf_afterCont, result: self.graph.add_edge(loop.cf_head, cf_afterCont),
    where=lambda loop: BREAK & loop.b1 and loop.has_back_edge,
)
"""Control flow at the head depends on the end of a loop with a break in its body."""
_UNASSIGNED_FLOW_TO_EXIT = instead(
    U.loop_body,
    lambda self, loop, result: (flowed(self, _without_assigned(loop.M_exit, loop.loop.body), loop.M_head), result)[1],
    where=lambda loop: BREAK & loop.b1,
)
"""Variables that a loop's body does not assign flow behind the loop."""


def _without_assigned(M: VariableMap, body: Block) -> VariableMap:
    assigned = {s.name for s in walk(body) if isinstance(s, Assign)}
    return {x: v for x, v in M.items() if x not in assigned}


DOUBLE_VARIANTS: tuple[Variant, ...] = (
    _mended("expr/local/no-edge-to-cf", "assignments-have-one", _ASSIGNMENTS),
    _mended("expr/literal/no-edge-to-cf", "operations-have-one", _OPERATIONS),
    _mended("expr/literal/no-edge-to-cf", "assignments-have-one", _ASSIGNMENTS),
    _mended("expr/literal/no-edge-to-cf", "conditions-have-one", _CONDITIONS),
    _mended("barrier/edge/dropped", "not-directly-in-then", _BARRIERS_IN_THEN),
    _mended("if/line-6/edges-dropped", "not-without-an-else", _THEN_WITHOUT_ELSE),
    _mended("if/line-7/edges-dropped", "not-of-an-empty-else", _EMPTY_ELSE),
    _mended("call/line-4/no-demand-on-call-site", "with-arguments", _CALL_SITES),
    _mended("loop/line-5/edges-dropped", "not-if-it-iterates", _entry_of_loops_with(CONTINUE)),
    _mended("loop/line-5/edges-dropped", "not-if-it-breaks", _entry_of_loops_with(BREAK)),
    _mended("loop/line-9/no-edge-to-end", "with-a-break-in-the-body", _END_OF_BROKEN_LOOPS),
    _mended("loop/line-7/breaks-lost", "not-of-unassigned-variables", _UNASSIGNED_FLOW_TO_EXIT),
    _mended("loop/line-7/continues-lost", "the-body-end-flows-to-the-continuing", JoinsAtContinuing),
)
