"""Section 4.2's rules for expressions and statements other than loops, under every variant at once.

A rule reads as in `oracle.rules.bitset.analysis`, with each variant of it in its own lane (`lanes`). It may be applied
under some variants only: `live` has their lanes. What it does in the others must not be seen.
`oracle.rules.variants` has the variants one by one, and says of each which line it changes.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from wgsl_fuzz.oracle.rules.bitset.lane_behaviours import SIMPLE, BehaviourSets
from wgsl_fuzz.oracle.rules.bitset.lanes import BUT, EVERY, ONLY, Lanes, Masks, VariantSet, source
from wgsl_fuzz.oracle.rules.bitset.sources import CF_START, MAY_BE_NON_UNIF
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Convert,
    Expr,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    SharedAssign,
    Stmt,
    Unary,
)

VariableMap = dict[str, Lanes]
"""M. A rule changes the one that it is handed into M'."""

_MAY_BE_NON_UNIF = source(MAY_BE_NON_UNIF)


def at_cf_start(name: str) -> Lanes:
    """CfStart under one variant."""
    return source(CF_START, ONLY[name])


def non_uniform(name: str) -> Lanes:
    """MayBeNonUnif under one variant."""
    return source(MAY_BE_NON_UNIF, ONLY[name])


@dataclass(slots=True)
class LaneSummary:
    """The four facts of section 4.2, each as the variants under which it holds."""

    place: int
    """Which function it is, in order."""
    callSiteUnif: VariantSet
    paramsReqToBeUnif: list[VariantSet]
    paramAffectsReturnUnif: list[VariantSet]
    returnNonUnif: VariantSet


class Jumps:
    """M_exit and M_cont of the loop around, and in which lanes `break` and `continue` flow to which of them."""

    __slots__ = ("M_cont", "M_exit", "break_to_cont", "break_to_exit", "continue_to_cont", "continue_to_exit")

    def __init__(self, M_exit: VariableMap, M_cont: VariableMap, break_to_exit: Lanes = 0) -> None:
        self.M_exit, self.M_cont = M_exit, M_cont
        self.break_to_exit = break_to_exit
        self.break_to_cont = self.continue_to_cont = self.continue_to_exit = 0


def write(M: VariableMap, x: str, v: Lanes, written: Lanes) -> None:
    """M[x ↦ v] in some lanes."""
    M[x] = M[x] & ~written | v & written


def flow(to: VariableMap, M: VariableMap, lanes: Lanes) -> None:
    """The edges {(to(x), M(x)) | x ∈ LocIdent} in some lanes."""
    for x, v in M.items():
        to[x] |= v & lanes


class LaneStatements(ABC):
    """UG_expr and UG_stmt in a function, under every variant."""

    __slots__ = ("F", "behaviours", "masks", "place", "required", "returned")

    def __init__(
        self, F: dict[str, LaneSummary], place: int, behaviours: dict[int, BehaviourSets], masks: Masks
    ) -> None:
        """`F` has the summaries of the functions before; `place` is which function it is, in order."""
        self.F, self.place, self.behaviours, self.masks = F, place, behaviours, masks
        self.required: Lanes = 0
        """What MustBeUnif leads to."""
        self.returned: Lanes = 0
        """What ValueReturn leads to."""

    # -------------------------------------------------------------------------------------------- UG_expr, Fig. 9

    def expr(self, M: VariableMap, cf: Lanes, e: Expr) -> Lanes:
        """UG_expr."""
        but, on = self.masks.but, self.masks.on
        if type(e) is Local:
            return cf & but["expr/local/no-edge-to-cf"] | M[e.name] & but["expr/local/no-edge-to-variable"]
        if type(e) is Literal:
            edges = cf & but["expr/literal/no-edge-to-cf"] & but["expr/literal/is-non-uniform"]
            return edges | non_uniform("expr/literal/is-non-uniform")
        if type(e) is Binary:
            left = self.expr(M, cf, e.left) & but["expr/binary/no-edge-to-left"]
            return left | self.expr(M, cf, e.right) & but["expr/binary/no-edge-to-right"]
        if type(e) is Unary or type(e) is Convert:
            lost = "expr/unary/no-edge-to-operand" if type(e) is Unary else "expr/convert/no-edge-to-operand"
            return self.expr(M, cf, e.operand) & but[lost] | cf & on[lost]
        uniform = "expr/lid/is-uniform" if type(e) is Lid else "expr/shared-read/is-uniform"
        return _MAY_BE_NON_UNIF & but[uniform] | cf & on[uniform]

    # ------------------------------------------------------------------------------------- UG_stmt, section 4.2

    def stmts(self, M: VariableMap, jumps: Jumps, cf: Lanes, live: Lanes, ss: Block) -> tuple[Lanes, Lanes]:
        """UG_stmt of a list: cf', and the lanes in which its end was come to."""
        but, on = self.masks.but, self.masks.on
        for s in ss:
            written = live & but["list/head/variables-not-threaded"]
            cf_next = self.stmt(M, jumps, cf, live, written, s)
            if cf_next is not cf:
                threaded = live & but["list/head/control-flow-not-threaded"]
                cf = cf & ~threaded | cf_next & threaded
            goes_on = self.masks.spread(self.behaviours_of(s).next)
            live &= (goes_on | on["list/tail/dead-analysed"]) & but["list/tail/live-not-analysed"]
        return cf, live

    def behaviours_of(self, s: Stmt) -> BehaviourSets:
        """B(s)."""
        return self.behaviours[id(s)] if type(s) is If or type(s) is Loop else SIMPLE[type(s)]

    def stmt(self, M: VariableMap, jumps: Jumps, cf: Lanes, live: Lanes, written: Lanes, s: Stmt) -> Lanes:
        """UG_stmt of one statement: cf'. M changes in the lanes `written`."""
        but, on = self.masks.but, self.masks.on
        if type(s) is Assign:
            cf_value = cf & but["assign/value/under-CfStart"] | at_cf_start("assign/value/under-CfStart")
            v = self.expr(M, cf_value, s.value) | M[s.name] & on["assign/map/old-value-stays"]
            write(M, s.name, v, written & but["assign/map/not-updated"])
        elif type(s) is If:
            return self.conditional(M, jumps, cf, live, written, s)
        elif type(s) is Barrier:
            demanded = cf & but["barrier/edge/dropped"] & but["barrier/edge/to-CfStart"]
            self.required |= (demanded | at_cf_start("barrier/edge/to-CfStart")) & live
        elif type(s) is Call:
            return self.call(M, cf, live, written, s)
        elif type(s) is Loop:
            return self.loop(M, cf, live, written, s)
        elif type(s) is SharedAssign:
            v = self.expr(M, cf, s.value) & on["shared-assign/graph/value-demanded"]
            self.required |= (v | cf & on["shared-assign/graph/control-flow-demanded"]) & live
        elif isinstance(s, Return):
            self.return_(M, cf, live, s)
        else:
            self.jump(M, jumps, live, s)
        return cf

    def return_(self, M: VariableMap, cf: Lanes, live: Lanes, s: Return) -> None:
        """UG_stmt of `return e`."""
        if s.value is not None:
            but, on = self.masks.but, self.masks.on
            cf_value = cf & but["return/value/under-CfStart"] | at_cf_start("return/value/under-CfStart")
            v = self.expr(M, cf_value, s.value) & live
            self.returned |= v & but["return/edge/dropped"] & but["return/edge/from-MustBeUnif"]
            self.required |= v & on["return/edge/from-MustBeUnif"]

    def jump(self, M: VariableMap, jumps: Jumps, live: Lanes, s: Stmt) -> None:
        """UG_stmt of `break` and `continue`: the edges {(to(x), M(x)) | x ∈ LocIdent}."""
        but, on = self.masks.but, self.masks.on
        if type(s) is Break:
            kept = but["break/edges/dropped"] & but["break/edges/to-the-continuing"]
            to_exit = jumps.break_to_exit & kept
            to_cont = jumps.break_to_cont | jumps.continue_to_cont & on["break/edges/to-the-continuing"]
        else:
            kept = but["continue/edges/dropped"] & but["continue/edges/to-the-exit"]
            to_cont = jumps.continue_to_cont & kept
            to_exit = jumps.continue_to_exit | jumps.break_to_exit & on["continue/edges/to-the-exit"]
        for to, lanes in ((jumps.M_exit, to_exit & live), (jumps.M_cont, to_cont & live)):
            if lanes:
                flow(to, M, lanes)

    # ---- if (e) {ss1} else {ss2}

    def conditional(self, M: VariableMap, jumps: Jumps, cf: Lanes, live: Lanes, written: Lanes, s: If) -> Lanes:
        """UG_stmt of `if (e) {ss1} else {ss2}`: cf'."""
        but, on, spread = self.masks.but, self.masks.on, self.masks.spread
        of_condition = cf & but["if/line-1/condition-under-CfStart"] | at_cf_start("if/line-1/condition-under-CfStart")
        v = self.expr(M, of_condition, s.condition)  # line 1
        M_then = M.copy()
        under_then = v & but["if/line-2/then-under-cf"] | cf & on["if/line-2/then-under-cf"]
        cf_then, _ = self.stmts(M_then, jumps, under_then, live, s.then)  # line 2
        own, after_then = but["if/line-3/else-after-then"], on["if/line-3/else-after-then"]
        M_else = {x: v_M & own | M_then[x] & after_then for x, v_M in M.items()}
        under_else = v & but["if/line-3/else-under-cf"] | cf & on["if/line-3/else-under-cf"]
        cf_else, _ = self.stmts(M_else, jumps, under_else, live, s.orelse)  # line 3
        b = self.behaviours[id(s)]
        then, orelse = self.behaviours[id(s.then)].next, self.behaviours[id(s.orelse)].next
        then = then & BUT["if/line-6/edges-dropped"] | ONLY["if/line-6/always"]
        orelse = orelse & BUT["if/line-7/edges-dropped"] | ONLY["if/line-7/always"]
        of_entry = orelse & ONLY["if/line-7/variables-of-entry"]
        from_then, from_else, from_M = spread(then), spread(orelse ^ of_entry), spread(of_entry)
        as_before = b.goes_on & ONLY["if/line-8/map-of-entry"] | ~b.goes_on & ONLY["if/line-9/map-of-entry"]
        written &= ~spread(as_before)
        for x, v_M in M.items():  # lines 4-7
            write(M, x, M_then[x] & from_then | M_else[x] & from_else | v_M & from_M, written)
        return self.cf_after_if(cf, v, cf_then, cf_else, b)

    def cf_after_if(self, cf: Lanes, v: Lanes, cf_then: Lanes, cf_else: Lanes, b: BehaviourSets) -> Lanes:
        """Lines 8, 9."""
        but, on, spread = self.masks.but, self.masks.on, self.masks.spread
        line_8 = b.goes_on & BUT["if/line-8/never"] | ONLY["if/line-8/always"]
        line_8 |= b.next & ONLY["if/line-8/if-it-may-end"]
        line_8 |= b.next & ONLY["if/line-8/not-if-it-breaks"] & ~(b.continue_ | b.return_)
        line_8 |= b.next & ONLY["if/line-8/not-if-it-continues"] & ~(b.break_ | b.return_)
        line_8 |= b.next & ONLY["if/line-8/not-if-it-returns"] & ~(b.break_ | b.continue_)
        condition = line_8 & ONLY["if/line-8/result-is-condition"]
        only_condition = "if/line-9/only-the-condition"
        after = cf_then & but["if/line-9/no-edge-to-then"] | cf_else & but["if/line-9/no-edge-to-else"]
        after = after & but[only_condition] | v & on[only_condition]
        return cf & spread(line_8 ^ condition) | v & spread(condition) | after & spread(EVERY ^ line_8)

    # ---- x = f(e1, ..., en)

    def callee(self, s: Call) -> tuple[LaneSummary, VariantSet]:
        """F(f) (line 2), and the variants under which it is known."""
        summary = self.F[s.function]
        known = BUT["shader/order/callers-first"]
        return summary, known if summary.place == self.place - 1 else known & BUT["shader/order/last-summary-only"]

    def call(self, M: VariableMap, cf: Lanes, live: Lanes, written: Lanes, s: Call) -> Lanes:
        """UG_stmt of `x = f(e1, ..., en)`: cf'."""
        v = [self.expr(M, cf, e) for e in s.arguments]  # line 1
        summary, known = self.callee(s)
        self.demands(cf, v, live, summary, known)  # line 4
        v_res = self.result(cf, v, summary, known)  # lines 3, 5, 6
        write(M, s.name, v_res, written & self.masks.but["call/line-7/map-not-updated"])  # line 7
        is_result = "call/line-7/control-flow-is-result"
        return cf & self.masks.but[is_result] | v_res & self.masks.on[is_result]

    def demands(self, cf: Lanes, v: list[Lanes], live: Lanes, summary: LaneSummary, known: VariantSet) -> None:
        """Line 4: what the callee demands of its call site and of its arguments."""
        but, spread = self.masks.but, self.masks.spread
        at_start, affecting = "call/line-4/call-site-at-CfStart", "call/line-4/demand-on-affecting-arguments"
        call_site = summary.callSiteUnif & known & BUT["call/line-4/no-demand-on-call-site"]
        call_site |= ONLY["call/line-4/demand-on-every-call-site"]
        demanded = (cf & but[at_start] | at_cf_start(at_start)) & spread(call_site)
        for i, v_i in enumerate(self.mixed(v, "call/line-4/demand-on-wrong-argument")):
            of_i = summary.paramsReqToBeUnif[i] & known & BUT["call/line-4/no-demand-on-arguments"] & BUT[affecting]
            of_i |= summary.paramAffectsReturnUnif[i] & known & ONLY[affecting]
            demanded |= v_i & spread(of_i | ONLY["call/line-4/demand-on-every-argument"])
        self.required |= demanded & live

    def result(self, cf: Lanes, v: list[Lanes], summary: LaneSummary, known: VariantSet) -> Lanes:
        """v_res (lines 3, 5, 6)."""
        non_uniform = summary.returnNonUnif & known & BUT["call/line-5/no-edge-to-MayBeNonUnif"]
        non_uniform |= ONLY["call/line-5/always-to-MayBeNonUnif"]
        v_res = cf & self.masks.but["call/line-6/no-edge-to-cf"] | source(MAY_BE_NON_UNIF, non_uniform)
        for i, v_i in enumerate(self.mixed(v, "call/line-5/edge-to-wrong-argument")):
            of_i = summary.paramAffectsReturnUnif[i] & known & BUT["call/line-5/no-edges-to-arguments"]
            v_res |= v_i & self.masks.spread(of_i | ONLY["call/line-5/edges-to-every-argument"])
        return v_res

    def mixed(self, v: list[Lanes], reversing: str) -> list[Lanes]:
        """The nodes of the arguments, under one variant in the other order."""
        but, on = self.masks.but[reversing], self.masks.on[reversing]
        return [v_i & but | v_j & on for v_i, v_j in zip(v, v[::-1])]

    @abstractmethod
    def loop(self, M: VariableMap, cf: Lanes, live: Lanes, written: Lanes, s: Loop) -> Lanes:
        """UG_stmt of `loop {ss1 continuing {ss2}}`: cf'."""
