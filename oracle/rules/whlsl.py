"""The 2019 proposal of uniformity analysis, made for WHLSL (the e-mail), as an analysis of its own.

Its formal rules are followed, one function or `match` arm each. What the e-mail does not have is decided as follows:

- `loop {s1 continuing {s2}}` is `for(;e1;e2) s`: s is s1 without the `continue` that restriction (3) puts at its end
  (the e-mail's body falls off its end: Nothing), e1 is `!e` for a final `break if e`, else `true`, and e2 is the rest
  of s2, a block under CF'. Unlike an expression it can part threads (an inner loop), hence one more edge, CF' => {C2}.
- `continue` is in the e-mail's list of behaviours but has no rule: it gets that of `break`.
- Locals are declared where the function starts, with the literal zero: `tval x = 0; s1 ... sn`.
- Shared arrays are pointer-like: a read is `*e`, cannotBeUniform. An assignment to one validates its expressions; its
  edges would leave cannotBeUniform, and decide nothing. `lid` is cannotBeUniform.
- `&&` has the rule of `||`; other operators and conversions are calls of functions that return a uniform value for
  uniform arguments; a barrier is a call of a function with CF_mustBeUniform; `return;` returns a literal.

Where the pseudo-code and the formal rules differ:

- Reconvergence. In the formal rules a block that is left in one way only gives the control flow it was entered with;
  so does each of its tails. The pseudo-code has overwritten `cf` by then: its blocks give the control flow before
  their last statement, so that `{ if (lid == 0) {break} else {} break }` would not reconverge. Formal rules here.
- The formal rules unite behaviours as sets; two `Return` would then be two behaviours. The pseudo-code's `merge`, and
  "C is a set of constraints", say that there is one Return, whose C grows. Pseudo-code here.
- The formal call rule also ties the result to parameters that must be uniform anyway; no verdict hangs on it.

Every loop has the behaviours {Nothing, InfiniteLoop} or more and gives CF': no loop reconverges, and nothing around it
either. A variable has one node, whatever is assigned to it where; unreachable statements are validated too.

Unsound on the paper's semantics: {Continue} reconverges, so threads that `continue` at different statements count as
together (`if (lid == 0) {continue} else {continue}`), but the paper keeps them apart until the loop ends (Fig. 1c).
"""

from dataclasses import dataclass

from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN, Graph, Node
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl import ast as core

CANNOT_BE_UNIFORM = MAY_BE_NON_UNIF
"""The e-mail's name. Its mustBeUniform is MUST_BE_UNIF, the CF of a function CF_START, and its C VALUE_RETURN."""


NOTHING, BREAK, CONTINUE, INFINITE_LOOP, RETURN = (1 << bit for bit in range(5))
"""The ways in which control flow exits a statement, a bit each."""


@dataclass(frozen=True, slots=True)
class Behaviours:
    """A set B; `returned` is the C of its Return(C), empty without one."""

    ways: int
    returned: frozenset[Node] = frozenset()

    def __or__(self, other: "Behaviours") -> "Behaviours":
        """B1 ∪ B2, or `merge`: two Returns become one."""
        return Behaviours(self.ways | other.ways, self.returned | other.returned)

    def without(self, ways: int) -> "Behaviours":
        """B without some behaviours other than Return."""
        return Behaviours(self.ways & ~ways, self.returned)


Exit = tuple[Behaviours, Node]
"""(B, C): the ways out of a statement, and the node that must be uniform for control flow to be uniform after it."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What calls of a function need to know of it ("Function validation"); parameters are counted from 0."""

    CF_mustBeUniform: bool
    mustBeUniform: frozenset[int]
    canBeUniform_return: bool
    conditionallyUniform: frozenset[int]


def analyse_2019(shader: core.Shader) -> Verdict:
    """ "Top-level validation": ACCEPTS if every function is valid, called or not; otherwise REJECTS.

    Functions are declared before they are called, so the order of declaration takes the call-graph's leaves first.
    """
    functions: dict[str, Metadata] = {}
    for f in shader.all_functions:
        metadata = validate_function(functions, f)
        if metadata is None:
            return Verdict.REJECTS
        functions[f.name] = metadata
    return Verdict.ACCEPTS


def validate_function(functions: dict[str, Metadata], f: core.Function) -> Metadata | None:
    """ "Function validation", given the metadata of the functions that `f` calls; None is a validation error."""
    graph = Graph()
    ids = {v.name: graph.fresh() for v in f.params}
    for v in f.locals:  # {tval x = e; s1 ... sn}, where C1 of a literal is CF
        ids[v.name] = graph.fresh(CF_START)
    B, _ = _Rules(graph, functions, ids).block(CF_START, f.body)
    graph.successors[VALUE_RETURN] += sorted(B.returned)
    required = graph.reachable(MUST_BE_UNIF)
    if required[CANNOT_BE_UNIFORM]:
        return None
    returned = graph.reachable(VALUE_RETURN)
    params = [(i, ids[v.name]) for i, v in enumerate(f.params)]
    return Metadata(
        CF_mustBeUniform=bool(required[CF_START]),
        mustBeUniform=frozenset(i for i, x in params if required[x]),
        canBeUniform_return=bool(B.ways & RETURN) and not returned[CANNOT_BE_UNIFORM],
        # "ignoring any node that was already visited in the previous DFS"
        conditionallyUniform=frozenset(i for i, x in params if returned[x] and not required[x]),
    )


class _Rules:
    """The formal rules: `G, CF |- e : C, I` and `G, CF |- s : B, C, I`, where I goes into one graph per function."""

    __slots__ = ("functions", "graph", "ids")

    def __init__(self, graph: Graph, functions: dict[str, Metadata], ids: dict[str, Node]) -> None:
        self.graph = graph
        self.functions = functions
        self.ids = ids  # G, for variables: a node each

    # ------------------------------------------------------------------------------------------------- expressions

    def expr(self, CF: Node, e: core.Expr) -> Node:
        """G, CF |- e : C (validateExprRVal)."""
        match e:
            case core.Literal():  # G, CF |- Literal : CF
                return CF
            case core.Local(x):  # G, CF |- x : result, {result => {x_id, CF}}
                return self.graph.fresh(self.ids[x], CF)
            case core.Binary() if e.op in core.LOGICAL:
                return self.short_circuit(CF, e)
            case core.Binary():
                return self.operation(CF, e.left, e.right)
            case core.Unary() | core.Convert():
                return self.operation(CF, e.operand)
            case core.SharedRead():  # G, CF |- * e : cannotBeUniform
                self.expr(CF, e.index)
                return CANNOT_BE_UNIFORM
            case core.Lid():
                return CANNOT_BE_UNIFORM

    def short_circuit(self, CF: Node, e: core.Binary) -> Node:
        """G, CF |- e1 || e2 : C2, with e2 under CF' => {CF, C1}."""
        C1 = self.expr(CF, e.left)
        CF2 = self.graph.fresh(CF, C1)
        return self.expr(CF2, e.right)

    def operation(self, CF: Node, *operands: core.Expr) -> Node:
        """G, CF |- f(e1, ..., en) : result, for an f with canBeUniform_return and conditionallyUniform_i only."""
        C = [self.expr(CF, operand) for operand in operands]
        return self.graph.fresh(CF, *C)

    def call(self, CF: Node, s: core.Call) -> Node:
        """G, CF |- f(e1, ..., en) : result, for a function of the shader."""
        f = self.functions[s.function]
        C = [self.expr(CF, e) for e in s.arguments]
        if f.CF_mustBeUniform:
            self.graph.demand(CF)
        for i in sorted(f.mustBeUniform):
            self.graph.demand(C[i])
        if not f.canBeUniform_return:
            return CANNOT_BE_UNIFORM
        return self.graph.fresh(CF, *(C[i] for i in sorted(f.conditionallyUniform)))

    # -------------------------------------------------------------------------------------------------- statements

    def stmt(self, CF: Node, s: core.Stmt) -> Exit:
        """G, CF |- s : B, C (validateStmt), and the last rule: with one behaviour, control flow reconverges to CF."""
        B, C = self.rule(CF, s)
        return B, CF if B.ways.bit_count() == 1 else C

    def rule(self, CF: Node, s: core.Stmt) -> Exit:
        """The rule for `s` itself."""
        match s:
            case core.Assign(x, e):  # G, CF |- e1 = e2, {x_id => C2}
                self.graph.add_edge(self.ids[x], self.expr(CF, e))
                return Behaviours(NOTHING), CF
            case core.SharedAssign():  # G, CF |- * e1 = e2
                self.expr(CF, s.index)
                self.expr(CF, s.value)
                return Behaviours(NOTHING), CF
            case core.Call():  # G, CF |- x = f(e1, ..., en)
                self.graph.add_edge(self.ids[s.name], self.call(CF, s))
                return Behaviours(NOTHING), CF
            case core.Barrier():  # a call, with I = {mustBeUniform => {CF}}
                self.graph.demand(CF)
                return Behaviours(NOTHING), CF
            case core.If():
                return self.conditional(CF, s)
            case core.Loop():
                return self.loop(CF, s)
            case core.Break():  # G, CF |- break : {Break}, CF
                return Behaviours(BREAK), CF
            case core.Continue():  # as `break`
                return Behaviours(CONTINUE), CF
            case core.Return():
                return self.returning(CF, s), CF

    def conditional(self, CF: Node, s: core.If) -> Exit:
        """G, CF |- if(e) s1 else s2 : B1 ∪ B2, C', with the branches under CF' => {CF, C}, and C' => {C1, C2}."""
        C = self.expr(CF, s.condition)
        CF2 = self.graph.fresh(CF, C)
        B1, C1 = self.block(CF2, s.then)
        B2, C2 = self.block(CF2, s.orelse)
        return B1 | B2, self.graph.fresh(C1, C2)

    def loop(self, CF: Node, s: core.Loop) -> Exit:
        """G, CF |- for(;e1;e2) s : B \\ {Break, Continue} ∪ {Nothing, InfiniteLoop}, CF', CF' => {CF, C1, C3}."""
        CF2 = self.graph.fresh()
        e1, e2 = _for_of(s)
        C1 = self.expr(CF2, e1)
        _, C2 = self.block(CF2, e2)
        B, C3 = self.block(CF2, s.body[:-1])
        self.graph.successors[CF2] += (CF, C1, C2, C3)
        return B.without(BREAK | CONTINUE) | Behaviours(NOTHING | INFINITE_LOOP), CF2

    def returning(self, CF: Node, s: core.Return) -> Behaviours:
        """G, CF |- return e : {Return(result)}, result => {CF, C}."""
        C = CF if s.value is None else self.expr(CF, s.value)
        result = self.graph.fresh(CF, C)
        return Behaviours(RETURN, frozenset({result}))

    def block(self, CF: Node, ss: core.Block) -> Exit:
        """G, CF |- {s0 s1 ... sn} : B ∪ (B0 \\ {Nothing}), C, with {s1 ... sn} : B, C under C0; {} : {Nothing}, CF.

        From the last tail outwards, for each tail is a statement too, which reconverges if it is left in one way.
        """
        if not ss:
            return Behaviours(NOTHING), CF
        C = CF
        before: list[tuple[Node, Behaviours]] = []
        for s in ss:
            entry = C
            B, C = self.stmt(entry, s)
            before.append((entry, B))
        _, B = before.pop()
        for entry, B0 in reversed(before):
            B |= B0.without(NOTHING)
            if B.ways.bit_count() == 1:
                C = entry
        return B, C


def _for_of(s: core.Loop) -> tuple[core.Expr, core.Block]:
    """The e1 and the e2 of the `for(;e1;e2)` that stands for a loop."""
    last = s.continuing[-1] if s.continuing else None
    if isinstance(last, core.If) and core.is_break_if(last):
        return core.Unary("!", last.condition), s.continuing[:-1]
    return core.Literal(True, core.Type.BOOL), s.continuing
