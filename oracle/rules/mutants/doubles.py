"""Double mutants: a single one, and a second patch that mends it for most programs. They are harder to kill."""

from oracle.rules.mutants.calls import CALL_MUTANTS, FUNCTION_MUTANTS
from oracle.rules.mutants.loops import LOOP_MUTANTS
from oracle.rules.mutants.model import ANALYSIS, Effect, Mutant, Patch
from oracle.rules.mutants.statements import EXPRESSION_MUTANTS, IF_MUTANTS, SIMPLE_MUTANTS

_SINGLE = {
    m.name: m
    for m in (
        *EXPRESSION_MUTANTS,
        *SIMPLE_MUTANTS,
        *IF_MUTANTS,
        *CALL_MUTANTS,
        *LOOP_MUTANTS,
        *FUNCTION_MUTANTS,
    )
}


def _mended(single: str, but: str, old: str, new: str) -> Mutant:
    """The mutant `single` and a patch that mends it where `but` says."""
    broken = _SINGLE[single]
    patches = (*broken.patches, Patch(ANALYSIS, old, new))
    return Mutant(f"{single}-but-{but}", broken.branch, Effect.EITHER, patches)


_OPERATION = ("e, v1, v2)", "e, v1, v2, cf)")
_ASSIGN = (
    "return {**M, x: self.expr(M, cf, e)}, cf",
    "return {**M, x: self.graph.fresh(Role.OPERATION, s, e, self.expr(M, cf, e), cf)}, cf",
)
_CONDITION = (
    "v = self.expr(M, cf, s.condition)",
    "v = self.graph.fresh(Role.OPERATION, s, s.condition, self.expr(M, cf, s.condition), cf)",
)
_ARGUMENTS = "for i in sorted(summary.paramAffectsReturnUnif):  # line 5"
_THEN = "M_then, cf_then = self.stmts"
_AFTER = "if self.behaviours.statement(s) == NEXT:  # line 8"
_CONTINUING = "M_afterCont, cf_end = self.continuing"
_LINE_10 = "if b1 == BREAK:  # line 10"
_ITERATE = "self.flow(M_head, M_afterCont)  # line 9"

DOUBLE: tuple[Mutant, ...] = (
    _mended("expr/local/no-edge-to-cf", "operations-have-one", *_OPERATION),
    _mended("expr/local/no-edge-to-cf", "assignments-have-one", *_ASSIGN),
    _mended("expr/local/no-edge-to-cf", "conditions-have-one", *_CONDITION),
    _mended("expr/literal/no-edge-to-cf", "operations-have-one", *_OPERATION),
    _mended("expr/literal/no-edge-to-cf", "conditions-have-one", *_CONDITION),
    _mended(
        "barrier/edge/dropped",
        "not-directly-in-then",
        _THEN,
        f"any(type(b) is Barrier for b in s.then) and self.graph.demand(v, s)\n        {_THEN}",
    ),
    _mended(
        "if/line-6/edges-dropped",
        "not-without-an-else",
        _AFTER,
        f"if not s.orelse and NEXT & self.behaviours.block(s.then):\n"
        f"            self.flow(M_after, M_then)\n        {_AFTER}",
    ),
    _mended(
        "if/line-7/edges-dropped",
        "not-of-an-empty-else",
        _AFTER,
        f"if not s.orelse:\n            self.flow(M_after, M_else)\n        {_AFTER}",
    ),
    _mended(
        "call/line-4/no-demand-on-call-site",
        "with-arguments",
        _ARGUMENTS,
        f"if v and summary.callSiteUnif:\n            self.graph.demand(cf, s)\n        {_ARGUMENTS}",
    ),
    _mended(
        "call/line-6/no-edge-to-cf",
        "with-arguments",
        _ARGUMENTS,
        f"for _ in v:\n            self.graph.add_edge(v_res, cf)\n        {_ARGUMENTS}",
    ),
    _mended(
        "loop/line-5/edges-dropped", "not-if-it-iterates", _ITERATE, f"{_ITERATE}\n            self.flow(M_head, M)"
    ),
    _mended(
        "loop/line-9/no-edge-to-end",
        "with-a-break-in-the-body",
        _LINE_10,
        f"if BREAK & b1 and back_edge:\n            self.graph.add_edge(cf_head, cf_end)\n        {_LINE_10}",
    ),
    _mended(
        "loop/line-7/breaks-lost",
        "the-head-flows-to-the-exit",
        "cf_end = cf_afterBody",
        "cf_end = cf_afterBody\n        self.flow(M_exit, M_head)",
    ),
    _mended(
        "loop/line-7/continues-lost",
        "the-body-end-flows-to-the-continuing",
        _CONTINUING,
        f"self.flow(M_cont, M_afterBody)\n            {_CONTINUING}",
    ),
)
