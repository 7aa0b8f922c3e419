"""UG_shader, UG_func, UG_stmt and UG_expr of section 4.2 in one walk: verdicts and summaries, and no graph.

It answers as `oracle.rules.analysis` does, which is the reference and explains its answers. Instead of a node a rule
returns the set of what the node leads to (`sources`). Behaviours (Fig. 8) come out of the same walk. The line numbers
are the paper's.
"""

from wgsl_fuzz.oracle.rules.analysis import Summary, analyse
from wgsl_fuzz.oracle.rules.bitset.departures import Departures, departures_of
from wgsl_fuzz.oracle.rules.bitset.sources import CF_START, FIRST_PARAMETER, MAY_BE_NON_UNIF, bits
from wgsl_fuzz.oracle.rules.rule_set import PAPER, Rules
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import (
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
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    Unary,
    is_break_if,
)
from wgsl_fuzz.tinywgsl.behaviour import (
    BREAK,
    CONTINUE,
    NEXT,
    RETURN,
    BehaviourAnalysis,
    Behaviours,
    UnionBehaviourAnalysis,
)

Sources = int
"""What a node leads to: a set of bits."""

VariableMap = dict[str, Sources]
"""M. A rule changes the one that it is handed into M'."""

_CF_START: Sources = 1 << CF_START
_MAY_BE_NON_UNIF: Sources = 1 << MAY_BE_NON_UNIF


REMEMBERED = 1024
"""How many functions are remembered with what is found out about them."""
_REMEMBERED: dict[tuple[object, ...], tuple[Function, Summary | None]] = {}
"""By the departures, the function and the summaries of those before it: what its analysis depends on."""
_SUMMARIES: dict[Summary, Summary] = {}
"""One object for equal summaries, which are few."""


def verdict_of(shader: Shader, rules: Rules = PAPER) -> Verdict:
    """The verdict of `analyse` on a well-formed shader under `rules`, several times as fast if they are departures.

    Any other variant is a class that only the analysis rule by rule knows: that is asked then.
    """
    departures = departures_of(rules)
    return analyse(shader, rules).verdict if departures is None else BitsetAnalysis(departures).shader(shader)


class Jumps:
    """M_exit and M_cont of the loop around: what each `break` and `continue` flows to; None before the first."""

    __slots__ = ("M_cont", "M_exit")

    def __init__(self, M_exit: VariableMap | None = None) -> None:
        self.M_exit = M_exit
        self.M_cont: VariableMap | None = None


def joined(to: VariableMap | None, M: VariableMap) -> VariableMap:
    """The edges {(to(x), M(x)) | x ∈ LocIdent}."""
    if to is None:
        return M.copy()
    return {x: v | M[x] for x, v in to.items()}


# ------------------------------------------------------------------------------------------------- UG_expr, Fig. 9


def expr(M: VariableMap, cf: Sources, e: Expr) -> Sources:
    """UG_expr."""
    if type(e) is Local:
        return cf | M[e.name]
    if type(e) is Literal:
        return cf
    if type(e) is Binary:
        return expr(M, cf, e.left) | expr(M, cf, e.right)
    if type(e) is Unary or type(e) is Convert:
        return expr(M, cf, e.operand)
    return _MAY_BE_NON_UNIF  # `lid`, or a shared read


class BitsetAnalysis:
    """The analysis of one shader under departures from the paper's rules."""

    __slots__ = ("F", "departures", "heads", "required", "returned")

    def __init__(self, departures: Departures) -> None:
        self.departures = departures
        self.F: dict[str, Summary] = {}
        """The summaries of the functions that are analysed and free of error."""
        self.required: Sources = 0
        """What MustBeUnif leads to."""
        self.returned: Sources = 0
        """What ValueReturn leads to."""
        self.heads: list[Sources] = []
        """What each node of a loop's head leads to, in the order of their bits; the first ones are no heads."""

    # ------------------------------------------------------------------------------------- UG_shader, UG_func

    def shader(self, shader: Shader) -> Verdict:
        """UG_shader: ACCEPTS if every function, in order, is free of error; otherwise REJECTS."""
        for f in shader.functions:
            summary = self.remembered(f)
            if summary is None:
                return Verdict.REJECTS
            self.F[f.name] = summary
        return Verdict.REJECTS if self.violates(shader.main) else Verdict.ACCEPTS

    def remembered(self, f: Function) -> Summary | None:
        """The summary of a function, None if it has an error: campaigns put the same object into many shaders."""
        key = (self.departures, id(f), *self.F, *map(id, self.F.values()))
        known = _REMEMBERED.get(key)
        if known is None:
            if len(_REMEMBERED) >= REMEMBERED:
                _REMEMBERED.clear()
            summary = None if self.violates(f) else self.summary(f)
            if summary is not None:
                summary = _SUMMARIES.setdefault(summary, summary)
            known = _REMEMBERED[key] = f, summary  # the function lives on, so no other one gets its `id`
        return known[1]

    def violates(self, f: Function) -> bool:
        """UG_func but for the summary: whether a path leads from MustBeUnif to MayBeNonUnif (line 11)."""
        first = FIRST_PARAMETER + len(f.params)
        self.heads = [0] * first
        self.required = self.returned = 0
        M_init = {v.name: _CF_START for v in f.locals}  # lines 3, 4
        for v, bit in zip(f.params, bits(FIRST_PARAMETER, first)):  # lines 1, 2
            M_init[v.name] = bit
        self.stmts(M_init, Jumps(), _CF_START, f.body)  # line 5
        if not self.required & _MAY_BE_NON_UNIF:
            self.required = self.closed(self.required, first)
        return bool(self.required & _MAY_BE_NON_UNIF)

    def summary(self, f: Function) -> Summary:
        """Lines 6-9, of a function that is free of error."""
        first = FIRST_PARAMETER + len(f.params)
        required, returned = self.required, self.closed(self.returned, first)
        parameters = [*enumerate(bits(FIRST_PARAMETER, first))]
        return Summary(
            callSiteUnif=bool(required & _CF_START),
            paramsReqToBeUnif=frozenset([i for i, bit in parameters if required & bit]),
            paramAffectsReturnUnif=frozenset([i for i, bit in parameters if returned & bit]),
            returnNonUnif=bool(returned & _MAY_BE_NON_UNIF),
        )

    def closed(self, reached: Sources, first: int) -> Sources:
        """A set with all that the heads of loops in it lead to; heads are the bits from `first` on."""
        heads = self.heads
        todo = reached >> first
        while todo:
            i = todo.bit_length() - 1
            new = heads[first + i] & ~reached
            reached |= new
            todo = todo ^ (1 << i) | new >> first
        return reached

    # ------------------------------------------------------------------------------------- UG_stmt, section 4.2

    def stmts(self, M: VariableMap, jumps: Jumps, cf: Sources, ss: Block) -> tuple[Sources, Behaviours]:
        """UG_stmt of a list: cf' and B(ss). The tail is analysed only if it is reachable."""
        b = NEXT
        for s in ss:
            if type(s) is Assign:
                M[s.name] = expr(M, cf, s.value)
            elif type(s) is If:
                cf, of = self.conditional(M, jumps, cf, s)
                b |= of
                if not NEXT & of:
                    return cf, b ^ NEXT
            elif type(s) is Barrier:
                self.required |= cf
            elif type(s) is Call:
                M[s.name] = self.call(M, cf, s)
            elif type(s) is Return:
                if s.value is not None:
                    self.returned |= expr(M, cf, s.value)
                return cf, b ^ NEXT | RETURN
            elif type(s) is Continue:
                jumps.M_cont = joined(jumps.M_cont, M)
                return cf, b ^ NEXT | CONTINUE
            elif type(s) is Break:
                jumps.M_exit = joined(jumps.M_exit, M)
                return cf, b ^ NEXT | BREAK
            elif type(s) is Loop:
                cf, of = self.loop(M, cf, s)
                b |= of
                if not NEXT & of:
                    return cf, b ^ NEXT
        return cf, b

    def conditional(self, M: VariableMap, jumps: Jumps, cf: Sources, s: If) -> tuple[Sources, Behaviours]:
        """UG_stmt of `if (e) {ss1} else {ss2}`: cf' and its behaviours."""
        v = expr(M, cf, s.condition)  # line 1
        M_then, M_before = M.copy(), M.copy() if self.departures.jumping_statements_keep else None
        cf_then, then = self.stmts(M_then, jumps, v, s.then)  # line 2
        cf_else, orelse = self.stmts(M, jumps, v, s.orelse) if s.orelse else (v, NEXT)  # line 3
        if NEXT & then & orelse:  # lines 4-7, where M is M_else
            for x, v_then in M_then.items():
                M[x] |= v_then
        elif NEXT & then:
            M.update(M_then)
        elif not NEXT & orelse:
            M.update(M_before or dict.fromkeys(M, 0))
        b = then | orelse
        return cf if b == NEXT else cf_then | cf_else, b  # lines 8, 9

    def call(self, M: VariableMap, cf: Sources, s: Call) -> Sources:
        """UG_stmt of `x = f(e1, ..., en)`: v_res, to which M' maps x (line 7)."""
        v = [expr(M, cf, e) for e in s.arguments]  # line 1
        summary = self.F[s.function]  # line 2
        if summary.callSiteUnif:  # line 4
            self.required |= cf
        for i in summary.paramsReqToBeUnif:
            self.required |= v[i]
        v_res = cf | _MAY_BE_NON_UNIF if summary.returnNonUnif else cf  # lines 3, 5, 6
        for i in summary.paramAffectsReturnUnif:
            v_res |= v[i]
        return v_res

    # ---- loop {ss1 continuing {ss2}}

    def loop(self, M: VariableMap, cf: Sources, s: Loop) -> tuple[Sources, Behaviours]:
        """UG_stmt of `loop {ss1 continuing {ss2}}`: cf' and its behaviours.

        Each variable has a node at the head, and control flow has one even if it needs none: with an edge to cf alone.
        """
        own, jumps = self.departures, Jumps()
        head = len(self.heads)  # the first of this loop's nodes
        self.heads += M.values()  # line 5
        self.heads.append(cf)
        *M_head, cf_head = bits(head, len(self.heads))  # lines 2, 6
        M_body = dict(zip(M, M_head))
        cf_body, b1 = self.stmts(M_body, jumps, cf_head, s.body)  # line 7
        iterates = bool(CONTINUE & b1)
        if iterates or own.continuing_always:
            M_cont, cf_end, b2 = self.continuing(M_body, jumps, cf_body, s.continuing)  # line 8
            for i, v in enumerate(M_cont.values(), head):  # line 9
                self.heads[i] |= v
        else:
            cf_end, b2 = cf_body, self.unreached(s.continuing)
        has_back_edge = iterates or own.always_back_edge
        if has_back_edge:
            self.heads[head + len(M)] |= cf_end
        if jumps.M_exit is not None:  # lines 10-13
            M.update(jumps.M_exit)
        elif not own.unbroken_loop_keeps:
            M.update(dict.fromkeys(M, 0))
        elif iterates:
            M.update(zip(M, M_head))
        return self.cf_after_loop(cf, cf_head, cf_head if has_back_edge else cf_body, b1), self.behaviours(b1, b2)

    def continuing(
        self, M_body: VariableMap, jumps: Jumps, cf_body: Sources, ss2: Block
    ) -> tuple[VariableMap, Sources, Behaviours]:
        """Line 8: M_afterCont, cf_afterCont and B(ss2). A `break` there flows to M_exit, a `continue` nowhere."""
        own = self.departures
        M = dict.fromkeys(M_body, 0) if jumps.M_cont is None else jumps.M_cont
        if own.joins_at_continuing or (own.joins_at_empty_continuing and not ss2):
            M = joined(M, M_body)
        inner = Jumps(jumps.M_exit)
        ignored = own.break_if_ignored and bool(ss2) and is_break_if(ss2[-1])
        cf, b2 = self.stmts(M, inner, cf_body, ss2[:-1] if ignored else ss2)
        if ignored:
            inner.M_exit = joined(inner.M_exit, M)
            b2 |= BREAK if NEXT & b2 else 0
        jumps.M_exit = joined(inner.M_exit, M) if own.joins_at_exit else inner.M_exit
        return M, cf, b2

    def cf_after_loop(self, cf: Sources, cf_head: Sources, cf_end: Sources, b1: Behaviours) -> Sources:
        """Lines 10-13."""
        if b1 == BREAK:  # line 10
            return cf
        if not b1 & ~(BREAK | RETURN):  # line 11
            return cf_end
        return cf_head if RETURN & b1 else cf  # lines 12, 13

    def behaviours(self, b1: Behaviours, b2: Behaviours) -> Behaviours:
        """B of a loop (Fig. 8, last rule)."""
        if b1 == RETURN and not self.departures.union_behaviours:
            return RETURN
        union = b1 | b2
        return (union | NEXT) & ~(BREAK | CONTINUE) if BREAK & union else union & ~(CONTINUE | NEXT)

    def unreached(self, ss2: Block) -> Behaviours:
        """B of a continuing that is not analysed (lines 10, 11)."""
        if not ss2:
            return NEXT
        return (UnionBehaviourAnalysis() if self.departures.union_behaviours else BehaviourAnalysis()).block(ss2)
