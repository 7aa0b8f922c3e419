"""Broken variants of statements (15.2.6), of where the values of variables meet (15.2.5), and of behaviours (9.7)."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Direction, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import Changes, VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, MAY_BE_NON_UNIFORM, VALUE_RETURN, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import EITHER, LAXER, STRICTER, S, broken, nothing, row
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BREAK, CONTINUE, NEXT, RETURN, BehaviourAnalysis, Behaviours, spell
from wgsl_fuzz.wgsl.walk import descendants


def _is_compound(s: w.Assign | w.Increment) -> bool:
    return isinstance(s, w.Assign) and s.operator != "="


def _right_first(self: S, s: w.Assign | w.Increment, cf: Node) -> Node:
    """A compound one reads the left side between them."""
    operands = [self.value(s.right, cf)] if isinstance(s, w.Assign) else []
    left = self.left_side(s.left, cf)
    if isinstance(s, w.Increment) or s.operator != "=":
        operands.append(self.old_value(s.left, cf))
    root = self.resolution.root(s.left)
    if id(root) in self.M:
        self.M[id(root)] = self.assigned(s, id(root), cf, left, operands)
    return cf


def _right_side_not_analysed(self: S, s: w.Assign, cf: Node) -> Node:
    left, root = self.left_side(s.left, cf), self.resolution.root(s.left)
    if id(root) in self.M:
        self.M[id(root)] = self.assigned(s, id(root), cf, left, [])
    return cf


def _not_through_pointers(piece: Callable[..., Node], self: S, s: w.Assign | w.Increment, cf: Node) -> Node:
    kept, left = self.M.copy(), s.left
    after = piece(s, cf)
    while isinstance(left, w.Member):
        left = left.base
    if isinstance(left, w.Unary):
        self.M = kept
    return after


def _assigned(name: str, branch: str, way: Direction, of: Callable[[set[Node], Node, Node], set[Node]]) -> Variant:
    """A variant of the edges of L; `of` gets the successors, control flow and the old value."""

    def edges(self: S, s: w.Assign | w.Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
        successors = of({cf, left, *operands, *self.kept(s.left)}, cf, self.M[x])
        return self.graph.fresh(Role.ASSIGNED, s, self.subjects[x], *successors)

    return broken(f"assign/left/{name}", branch, way).by(S.assigned, edges, apart=True)


ASSIGNMENT_VARIANTS: tuple[Variant, ...] = (
    _assigned("no-control-flow", "L -> CF", LAXER, lambda nodes, cf, old: nodes - {cf}),
    _assigned("full-keeps", "full reference: L -> V alone", STRICTER, lambda nodes, cf, old: nodes | {old}),
    _assigned("non-uniform", "L -> what it depends on", STRICTER, lambda nodes, cf, old: nodes | {MAY_BE_NON_UNIFORM}),
    broken("assign/left/partial-forgets", "partial reference: L -> Vout(prev)", LAXER).by(S.kept, lambda: []),
    broken("assign/left/not-analysed", "L = lhs(e1, cf)", EITHER).by(S.left_side, lambda cf: cf),
    broken("assign/left/loaded", "the left side is not loaded", STRICTER).by(
        S.left_side, lambda self, e, cf: self.expr(e, cf, not isinstance(e, w.Identifier))
    ),
    broken("assign/right/dropped", "L -> V", LAXER).by(
        S.assigned, operands=lambda operands: operands[:-1], of=w.Assign
    ),
    broken("assign/right/not-analysed", "V = expr(e2, cf)", EITHER).by(
        S.assignment, _right_side_not_analysed, of=w.Assign
    ),
    broken("assign/order/right-first", "the left side, then the right", EITHER).by(S.assignment, _right_first),
    broken("assign/variable/not-through-pointers", "Vin(next) -> V(e), *p = e", EITHER).by(
        S.assignment, _not_through_pointers
    ),
    broken("assign/variable/unchanged", "Vin(next) -> V(e)", EITHER).by(S.assigned, lambda self, x: self.M[x]),
    broken("compound/old-value/dropped", "e1 op= e2 as e1 = e1 op e2", LAXER).by(
        S.assigned, operands=lambda operands: operands[1:], where=_is_compound
    ),
    broken("increment/old-value/dropped", "e1++ as e1 += 1", LAXER).by(S.assigned, operands=lambda: [], of=w.Increment),
    broken("compound/old-value/last", "the old value, then e2", EITHER).by(
        S.assigned,
        operands=lambda self, s, cf, operands: [self.old_value(s.left, cf), *operands[1:]],
        where=_is_compound,
    ),
)


def _let(name: str, branch: str, pointers: bool, of: Callable[[Node], Node]) -> Variant:
    """A variant of what a let holds behind its statement."""

    def rule(result: Node, self: S, s: w.Let, cf: Node) -> Node:
        self.lets[id(s)] = of(cf)
        return result

    return broken(f"let/value/{name}", branch, LAXER).by(
        S.stmt, rule, of=w.Let, where=lambda self, s: self.resolution.is_pointer(s.value) is pointers
    )


def _let_not_analysed(piece: Callable[..., Node], self: S, s: w.Let, cf: Node) -> Node:
    self.lets[id(s)] = cf
    return cf


def _variable(of: Callable[[ScopeAnalysis, w.Variable, Node], Node | None]) -> Callable[..., Node]:
    """The row of `var`, with another value; None: the row's own."""

    def rule(piece: Callable[..., Node], self: S, s: w.Variable, cf: Node) -> Node:
        piece(s, cf)
        value = of(self, s, cf)
        if value is not None:
            self.M[id(s)] = value
        return cf

    return rule


def _variable_not_analysed(piece: Callable[..., Node], self: S, s: w.Variable, cf: Node) -> Node:
    self.subjects[id(s)] = s
    self.M[id(s)] = cf
    return cf


SIMPLE = (
    w.Assign,
    w.Increment,
    w.Let,
    w.Variable,
    w.Phony,
    w.CallStatement,
    w.Discard,
    w.Empty,
    w.Const,
    w.ConstAssert,
)
"""The statements that change no control flow."""


def _flow() -> Iterator[Variant]:
    """The control flow after each simple statement is that before it: forgotten, or taken as non-uniform."""
    for kind in (*SIMPLE, w.Break, w.Continue, w.Return, w.Block):
        branch = f"{kind.__name__}: the control flow {'of its last statement' if kind is w.Block else 'before it'}"
        yield broken(f"{kind.__name__.lower()}/control-flow/forgotten", branch, LAXER).by(
            S.stmt, lambda result, self: nothing(self), of=kind
        )
    for kind in SIMPLE:
        name = f"{kind.__name__.lower()}/control-flow/non-uniform"
        yield broken(name, f"{kind.__name__}: the control flow before it", STRICTER).by(
            S.stmt, lambda result: MAY_BE_NON_UNIFORM, of=kind
        )


def _values_restored(piece: Callable[..., Node], self: S, s: w.Statement, cf: Node) -> Node:
    values = self.M.copy()
    after = piece(s, cf)
    self.M = values
    return after


def _all_statements(self: S, statements: tuple[w.Statement, ...], cf: Node) -> Node:
    for s in statements:
        cf = self.stmt(s, cf)
    return cf


def _each_from_start(self: S, statements: tuple[w.Statement, ...], cf: Node) -> Node:
    for s in statements:
        self.stmt(s, cf)
        if not NEXT & self.behaviours.behaviour(s):
            break
    return cf


def _return(name: str, branch: str, way: Direction, steps: tuple[str, ...]) -> Variant:
    """A variant of the row of `return`, which does these steps in this order."""

    def rule(piece: Callable[..., Node], self: S, s: w.Return, cf: Node) -> Node:
        value: Node | None = None
        for step in steps:
            if step == "value" and s.value is not None:
                value = self.value(s.value, cf)
            elif step == "edge" and value is not None:
                self.graph.add_edge(VALUE_RETURN, value)
            elif step == "contents":
                self.leave_function()
        return cf

    return broken(f"return/{name}", branch, way).by(S.stmt, rule, of=w.Return)


SIMPLE_VARIANTS: tuple[Variant, ...] = (
    _let("uniform", "let x = e: x is V", False, lambda cf: CF_START),
    _let("pointer-without-indices", "let p = &e: the address", True, lambda cf: cf),
    broken("let/value/not-analysed", "let x = e: V = expr(e, cf)", EITHER).by(S.stmt, _let_not_analysed, of=w.Let),
    broken("variable/value/not-analysed", "var x = e: V = expr(e, cf)", EITHER).by(
        S.stmt, _variable_not_analysed, of=w.Variable
    ),
    broken("variable/value/no-initialiser", "var x = e: Vin(next) -> V", LAXER).by(
        S.stmt, _variable(lambda self, s, cf: None if s.value is None else cf), of=w.Variable
    ),
    broken("variable/value/zero-is-non-uniform", "var x: T: Vin(next) -> CF", STRICTER).by(
        S.stmt, _variable(lambda self, s, cf: MAY_BE_NON_UNIFORM if s.value is None else None), of=w.Variable
    ),
    broken("phony/value/not-analysed", "_ = e: V = expr(e, cf)", EITHER).by(S.stmt, lambda cf: cf, of=w.Phony),
    broken("callstatement/call/not-analysed", "f(..): call", EITHER).by(S.stmt, lambda cf: cf, of=w.CallStatement),
    broken("block/statements/not-analysed", "{s}", EITHER).by(S.stmt, lambda cf: cf, of=w.Block),
    broken("block/values/restored", "{s}: values as s leaves them", EITHER).by(S.stmt, _values_restored, of=w.Block),
    *_flow(),
    broken("list/next/dead-code-analysed", "s1 s2: s2 only if Next in B1", STRICTER).by(S.stmts, _all_statements),
    broken("list/next/first-only", "s1 s2: s2 if Next in B1", EITHER).by(
        S.stmts, statements=lambda statements: statements[:1]
    ),
    broken("list/control-flow/each-from-start", "s2 from the control flow after s1", LAXER).by(
        S.stmts, _each_from_start
    ),
    _return("value/not-analysed", "return e: V = expr(e, cf)", EITHER, ("contents",)),
    _return("value/dropped", "return e: VR -> V", LAXER, ("value", "contents")),
    _return("contents/dropped", "return: O_i -> M[p_i]", LAXER, ("value", "edge")),
    broken("breakif/condition/not-analysed", "break if e: V = expr(e, cf)", EITHER).by(
        S.stmt, lambda cf: cf, of=w.BreakIf
    ),
    broken("breakif/control-flow/no-edge", "break if e: E -> V, and so CF", LAXER).by(
        S.break_if, lambda result, self: nothing(self)
    ),
)


Branches = tuple[list[Node], list[VariableMap]]


def _walked(
    self: S,
    branches: list[w.Statement],
    flows: list[Node | None],
    joined: Callable[[int, int], bool],
    restored: bool = True,
) -> Branches:
    """The branches, each from its control flow; one without is not analysed. `joined`: by number and behaviours."""
    before, ends, maps = self.M, [], []
    for i, (branch, flow) in enumerate(zip(branches, flows, strict=True)):
        if restored or not i:
            self.M = before.copy()
        else:
            self.M = self.M.copy()
        ends.append(_other(flows[1 - i]) if flow is None else self.stmt(branch, flow))
        if joined(i, self.behaviour(branch)):
            maps.append(self.M)
    return ends, maps


def _other(flow: Node | None) -> Node:
    return MAY_BE_NON_UNIFORM if flow is None else flow


def _alternatives(
    name: str,
    branch: str,
    way: Direction,
    flows: Callable[[ScopeAnalysis, int, Node], list[Node | None]] = lambda self, n, v: [v] * n,
    joined: Callable[[int, int], bool] = lambda i, b: bool(NEXT & b),
    restored: bool = True,
) -> Variant:
    """A variant of the walk over the branches of `if`, or of `switch`."""

    class Walk(ScopeAnalysis):
        switch_at_hand = False

        def conditional(self, s: w.If, cf: Node) -> Node:
            self.switch_at_hand = False
            return super().conditional(s, cf)

        def joined_after_clause(self) -> int:
            self.switch_at_hand = True
            return super().joined_after_clause()

        def alternatives(self, branches: list[w.Statement], v: Node, joined_: int = NEXT) -> Branches:
            if self.switch_at_hand is not name.startswith("switch/"):
                return super().alternatives(branches, v, joined_)
            return _walked(self, branches, flows(self, len(branches), v), joined, restored)

    return row(name, branch, way, Walk)


def _and_branch(number: int) -> Callable[[int, int], bool]:
    """This one is joined, even without Next."""
    return lambda i, b: i == number or bool(NEXT & b)


def _joined_at(name: str, branch: str, at: Role, of: Callable[[list[VariableMap]], list[VariableMap]]) -> Variant:
    """A variant of the edges of values behind a statement."""
    return broken(name, branch, LAXER).by(S.join, maps=of, where=lambda role: role is at)


def _afters(word: str, at: Role) -> Iterator[Variant]:
    """Both statements have the same rule for the control flow after them."""

    def of(what: str, branch: str, way: Direction, rule: Callable[..., Node] | None = None, **given: Any) -> Variant:
        given = {"where": lambda role: role is at, **given}
        return broken(f"{word}/after/{what}", branch, way).by(S.after_branches, rule, **given)

    yield of("always-before", "B = {Next}: CF, else E", LAXER, lambda cf: cf)
    yield of("always-ends", "B = {Next}: CF", STRICTER, lambda self, s, ends: self.graph.fresh(at, s, None, *ends))
    yield of(
        "returns-only",
        "B = {Next}: CF, else E",
        LAXER,
        lambda cf: cf,
        where=lambda self, role, s: role is at and not self.behaviours.behaviour(s) & RETURN,
    )
    yield of("first-end", "E -> CF1", LAXER, ends=lambda ends: ends[1:])
    yield of("last-end", "E -> CFn", LAXER, ends=lambda ends: ends[:-1])
    yield of("no-ends", "E -> {CF1, ..., CFn}", LAXER, ends=lambda: [])


_CONDITIONS: dict[str, tuple[Direction, Callable[..., Node]]] = {
    "dropped": (LAXER, lambda result, cf: cf),
    "non-uniform": (STRICTER, lambda result: MAY_BE_NON_UNIFORM),
    "nothing": (LAXER, lambda result, self: nothing(self)),
    "not-analysed": (EITHER, lambda cf: cf),
}


def _conditions(
    place: str, kind: type, whats: str, under: str = "s_k from V", value: str = "V = expr(e, cf)"
) -> Iterator[Variant]:
    """What stands in the place of a condition; `under` and `value` are the branches of the rule."""
    for what in whats.split():
        way, rule = _CONDITIONS[what]
        branch = value if what == "not-analysed" else under
        yield broken(f"{place}/{what}", branch, way).by(S.condition, rule, of=kind)


IF_VARIANTS: tuple[Variant, ...] = (
    *_conditions("if/condition", w.If, "dropped non-uniform nothing not-analysed"),
    _alternatives("if/then/not-analysed", "CF1 = stmt(s1, V)", EITHER, lambda self, n, v: [None, v]),
    _alternatives("if/else/not-analysed", "CF2 = stmt(s2, V)", EITHER, lambda self, n, v: [v, None]),
    _alternatives("if/then/from-start", "CF1 = stmt(s1, V)", LAXER, lambda self, n, v: [nothing(self), v]),
    _alternatives("if/else/from-start", "CF2 = stmt(s2, V)", LAXER, lambda self, n, v: [v, nothing(self)]),
    _alternatives("if/else/after-then", "Vin(s2) -> Vout(prev)", EITHER, restored=False),
    _alternatives(
        "if/values/then-without-next", "Vin(next) -> Vout(s1) if Next in B1", STRICTER, joined=_and_branch(0)
    ),
    _alternatives(
        "if/values/else-without-next", "Vin(next) -> Vout(s2) if Next in B2", STRICTER, joined=_and_branch(1)
    ),
    _joined_at("if/values/no-then", "Vin(next) -> Vout(s1)", Role.AFTER_IF, lambda maps: maps[1:] or maps),
    _joined_at("if/values/no-else", "Vin(next) -> Vout(s2)", Role.AFTER_IF, lambda maps: maps[:1]),
    broken("if/else/missing-never-next", "no else = else {}", EITHER).by(S.behaviour, lambda: 0, of=w.Empty),
    *_afters("if", Role.CF_AFTER_IF),
)


def _breaks_leave_loops(self: S, s: w.Switch, cf: Node) -> Node:
    """A `break` in a switch is recorded at the loop around it."""
    v = self.condition(s, s.selector, cf)
    ends, maps = self.alternatives([clause.body for clause in s.clauses], v, self.joined_after_clause())
    self.M = self.join(Role.AFTER_SWITCH, s, maps) if maps else self.M
    return self.after_branches(Role.CF_AFTER_SWITCH, s, cf, ends)


def _may_break(self: S, s: w.Statement) -> bool:
    return isinstance(s, w.Switch) and any(self.behaviours.behaviour(c.body) & BREAK for c in s.clauses)


SWITCH_VARIANTS: tuple[Variant, ...] = (
    *_conditions("switch/selector", w.Switch, "dropped nothing non-uniform not-analysed"),
    _alternatives(
        "switch/clause/first-from-start",
        "CF1 = stmt(s1, V)",
        LAXER,
        lambda self, n, v: [nothing(self), *[v] * (n - 1)],
    ),
    _alternatives(
        "switch/clause/others-from-start",
        "CFk = stmt(s_k, V)",
        LAXER,
        lambda self, n, v: [v, *[nothing(self)] * (n - 1)],
    ),
    _alternatives("switch/clause/falls-through", "Vin(s_k) -> Vout(prev)", EITHER, restored=False),
    _alternatives(
        "switch/values/without-next", "Vin(next) -> Vout(s_k) where Next in B_k", STRICTER, joined=lambda i, b: True
    ),
    _alternatives(
        "switch/values/no-ends", "Vin(next) -> Vout(s_k) where Next in B_k", EITHER, joined=lambda i, b: False
    ),
    _joined_at("switch/values/no-first", "Vin(next) -> Vout(s_k)", Role.AFTER_SWITCH, lambda maps: maps[1:] or maps),
    _joined_at("switch/values/no-last", "Vin(next) -> Vout(s_k)", Role.AFTER_SWITCH, lambda maps: maps[:1]),
    broken("switch/breaks/of-the-loop", "Vin(next) -> Vout of each break that leaves", EITHER).by(
        S.switch, _breaks_leave_loops, where=lambda self: self.breaks
    ),
    broken("switch/after/breaks-diverge", "B = {Next}: CF", STRICTER).by(
        S.after_branches, lambda self, role, s, ends: self.graph.fresh(role, s, None, *ends), where=_may_break
    ),
    *_afters("switch", Role.CF_AFTER_SWITCH),
)


class ContinuingFromHead(ScopeAnalysis):
    """`continuing` begins with the control flow at the loop's head."""

    def start_function(self, f: w.Function) -> None:
        super().start_function(f)
        self.head_of: dict[int, Node] = {}

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        self.head_of[id(s)] = cf
        return super().loop_body(s, cf)

    def continuing(self, s: Iteration, cf: Node) -> Node:
        return super().continuing(s, self.head_of[id(s)])


class BodyFromBefore(ScopeAnalysis):
    """The body begins with the control flow before the loop."""

    tells_nodes_apart = True
    """A compiler's departure may add an edge to what the body begins with."""
    flow_before: Node

    def loop(self, s: Iteration, cf: Node) -> Node:
        self.flow_before = cf
        return super().loop(s, cf)

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        return super().loop_body(s, self.flow_before)


def _changes(what: str, x: str, counted: Callable[[S, Iteration, list[Iteration], Changes], set[int]]) -> Variant:
    """Only the variables that are `counted` change in a loop."""

    def rule(result: Changes, self: S, f: w.Function) -> Changes:
        loops = [n for n in descendants(f.body) if isinstance(n, w.Loop | w.While | w.For)]
        kept = {id(s): counted(self, s, loops, result) for s in loops}
        return result | {loop: [x for x in result[loop] if x in some] for loop, some in kept.items()}

    return broken(f"loop/values/{what}-do-not-count", f"Vin(s1) -> Vout(s2), x {x}", LAXER).by(S.changes_in, rule)


def _given_to_calls(self: S, s: Iteration, loops: list[Iteration], changes: Changes) -> set[int]:
    return {id(self.resolution.root(e)) for n in descendants(s) if isinstance(n, w.Call) for e in n.arguments}


def _assigned_to(self: S, s: Iteration, loops: list[Iteration], changes: Changes) -> set[int]:
    return {id(self.resolution.root(n.left)) for n in descendants(s) if isinstance(n, w.Assign | w.Increment)}


def _outside_of_inner_loops(self: S, s: Iteration, loops: list[Iteration], changes: Changes) -> set[int]:
    inside = {id(n) for n in descendants(s)} - {id(s)}
    return {*changes[id(s)]}.difference(*(changes[id(n)] for n in loops if id(n) in inside))


def _behind(
    name: str,
    branch: str,
    way: Direction,
    when: Callable[[int], bool],
    rule: Callable[..., Node],
) -> Variant:
    """A variant of the control flow after a loop for some B1."""
    return broken(f"loop/after/{name}", branch, way).by(
        S.cf_after_loop, rule, where=lambda self, s: when(self.body_behaviours(s))
    )


def _goes_on(b1: int) -> bool:
    return bool(b1 & (NEXT | CONTINUE))


CONTROL_FLOW: tuple[Variant, ...] = (
    broken("loop/head/no-entry", "H -> CF", LAXER).by(
        S.cf_head, lambda self, s: self.graph.growing(Role.CF_HEAD, s, None)
    ),
    broken("loop/head/no-back-edge", "H -> CF2", LAXER).by(S.back_edges, cf2=lambda head: head),
    broken("loop/head/back-edge-only-by-next", "H if B1 meets {Next, Continue}", LAXER).by(
        S.has_back_edge, lambda b1: bool(b1 & NEXT), apart=True
    ),
    broken("loop/head/back-edge-only-by-continue", "H if B1 meets {Next, Continue}", LAXER).by(
        S.has_back_edge, lambda b1: bool(b1 & CONTINUE), apart=True
    ),
    broken("loop/head/non-uniform", "H -> {CF2, CF}", STRICTER).by(
        S.cf_head, lambda self, s: self.graph.growing(Role.CF_HEAD, s, None, MAY_BE_NON_UNIFORM)
    ),
    row("loop/body/from-before", "CF1 = stmt(s1, H)", LAXER, BodyFromBefore),
    row("loop/continuing/from-head", "CF2 = stmt(s2, CF1)", LAXER, ContinuingFromHead),
    broken("loop/continuing/not-analysed", "CF2 = stmt(s2, CF1)", EITHER).by(S.continuing, lambda cf: cf, of=w.Loop),
    broken("loop/continuing/only-by-next", "s2 is analysed if B1 meets {Next, Continue}", EITHER).by(
        S.reaches_continuing, lambda b1: bool(b1 & NEXT)
    ),
    broken("loop/continuing/only-by-continue", "s2 is analysed if B1 meets {Next, Continue}", EITHER).by(
        S.reaches_continuing, lambda b1: bool(b1 & CONTINUE)
    ),
    _behind("goes-on-without-return-gives-head", "without Return in B1: CF", STRICTER, _goes_on, lambda head: head),
    _behind("only-breaks-gives-body", "{Break}: CF", STRICTER, lambda b1: b1 == BREAK, lambda cf1: cf1),
    _behind("always-before", "with Return in B1: CF1 or H", LAXER, lambda b1: True, lambda cf: cf),
    _behind(
        "goes-on-with-return-gives-before",
        "with Return, and Next or Continue, in B1: H",
        LAXER,
        lambda b1: bool(b1 & RETURN) and _goes_on(b1),
        lambda cf: cf,
    ),
    _behind(
        "break-and-return-gives-before", "{Break, Return}: CF1", LAXER, lambda b1: b1 == BREAK | RETURN, lambda cf: cf
    ),
)


VALUES: tuple[Variant, ...] = (
    broken("loop/values/no-entry", "Vin(s1) -> Vout(prev)", LAXER).by(
        S.heads, lambda result, self, s: {x: self.graph.growing(Role.HEAD, s, self.subjects[x]) for x in result}
    ),
    broken("loop/values/no-heads", "Vin(s1) -> {Vout(prev), Vout(s2)}", LAXER).by(S.heads, lambda: {}),
    broken("loop/values/no-back-edge", "Vin(s1) -> Vout(s2)", LAXER).by(S.back_edges, heads={}),
    _changes("assignments", "assigned", _given_to_calls),
    _changes("calls", "written by a call", _assigned_to),
    _changes("inner-loops", "of s1", _outside_of_inner_loops),
    broken("loop/values/continuing-without-end", "Vin(s2) -> Vout(s1) if Next in B1", EITHER).by(
        S.flows_to_continuing, lambda: False
    ),
    broken("loop/values/continuing-without-continues", "Vin(s2) -> Vout of each continue", EITHER).by(
        S.stmt, lambda cf: cf, of=w.Continue
    ),
    broken("loop/values/exit-without-breaks", "Vin(next) -> Vout of each break", EITHER).by(
        S.stmt, lambda cf: cf, of=w.Break
    ),
    broken("loop/values/exit-without-end", "Vin(next) -> Vout(s2) if Break in B2", EITHER).by(
        S.is_left_at_end, lambda: False
    ),
    broken("loop/values/exit-as-before", "Vin(next) -> Vout of what leaves", EITHER).by(
        S.behind_loop, lambda result, before: {**result, **before}
    ),
    broken("loop/values/exit-of-body", "Vin(next) -> Vout of each break", STRICTER).by(
        S.behind_loop, lambda result, self, s, end: self.join(Role.EXIT, s, [result, end])
    ),
)


def _has_condition(s: Iteration) -> bool:
    return not isinstance(s, w.Loop) and s.condition is not None


def _condition_after_body(self: S, s: Any, cf: Node) -> Node:
    after = self.condition(s, s.condition, self.block(s.body, cf))
    self.breaks[-1].append(self.M.copy())
    return after


def _initial_not_analysed(self: S, s: Any, cf: Node) -> Node:
    """But for its name."""
    values, requirements = self.M.copy(), len(self.graph.requirements)
    self.stmt(s.initial, cf)
    del self.graph.requirements[requirements:]
    new = {x: cf for x in self.M if x not in values}
    self.M = {**values, **new}
    return self.loop(s, cf)


WHILE_FOR: tuple[Variant, ...] = (
    *_conditions("while/condition", w.While, "dropped not-analysed", "s1 begins with if !c {break;}", "V = expr(c, H)"),
    *_conditions("for/condition", w.For, "dropped not-analysed", "s1 begins with if !c {break;}", "V = expr(c, H)"),
    broken("while/condition/behind-body", "if !c {break;} before s1", EITHER).by(
        S.loop_body, _condition_after_body, where=_has_condition
    ),
    broken("while/condition/never-breaks", "Vin(next) -> Vout of the first break", EITHER).by(
        S.loop_body, lambda self, s, cf: self.block(s.body, self.condition(s, s.condition, cf)), where=_has_condition
    ),
    broken("for/initial/not-analysed", "{ i; loop ... }", EITHER).by(
        S.for_loop, _initial_not_analysed, where=lambda s: s.initial is not None
    ),
    broken("for/update/not-analysed", "continuing { u }", EITHER).by(S.continuing, lambda cf: cf, of=w.For),
)

LOOP_VARIANTS: tuple[Variant, ...] = (*CONTROL_FLOW, *VALUES, *WHILE_FOR)


B = BehaviourAnalysis


def _simple(kind: type, is_: Behaviours, other: Behaviours, way: Direction) -> Variant:
    """Another set for one kind of statement without blocks."""
    word = kind.__name__.lower()
    what = "-or-".join(name.strip().lower() for name in spell(other)[1:-1].split(",")) or "nothing"
    return broken(f"B/{word}/{what}", f"B({word}) = {spell(is_)}", way).by(B.behaviour, lambda: other, of=kind)


def _simples() -> Iterator[Variant]:
    for kind in SIMPLE:
        yield _simple(kind, NEXT, NEXT | RETURN, EITHER)
        yield _simple(kind, NEXT, RETURN, EITHER)
    yield _simple(w.Return, RETURN, NEXT, EITHER)
    yield _simple(w.Return, RETURN, NEXT | RETURN, EITHER)
    yield _simple(w.Break, BREAK, NEXT, EITHER)
    yield _simple(w.Break, BREAK, NEXT | BREAK, EITHER)
    yield _simple(w.Continue, CONTINUE, NEXT, EITHER)
    yield _simple(w.Continue, CONTINUE, NEXT | CONTINUE, EITHER)
    yield _simple(w.BreakIf, NEXT | BREAK, NEXT, EITHER)


BEHAVIOUR_VARIANTS: tuple[Variant, ...] = (
    *_simples(),
    broken("B/list/keeps-next", "(B1 \\ Next) u B2", EITHER).by(
        B.sequence, lambda result, s: result | (NEXT if s.statements else 0)
    ),
    broken("B/list/with-dead-code", "B1 if Next is not in it", EITHER).by(
        B.sequence, lambda result, self, s: result | _union(self, s.statements)
    ),
    broken("B/list/first-only", "(B1 \\ Next) u B2", EITHER).by(
        B.sequence, lambda self, s: self.behaviour(s.statements[0]), where=lambda s: s.statements
    ),
    broken("B/list/last-only", "(B1 \\ Next) u B2", EITHER).by(
        B.sequence, lambda self, s: self.behaviour(s.statements[-1]), where=lambda s: s.statements
    ),
    broken("B/if/then-only", "B1 u B2", EITHER).by(B.conditional, lambda self, s: self.behaviour(s.then)),
    broken("B/if/else-only", "B1 u B2", EITHER).by(
        B.conditional, lambda self, s: NEXT if s.orelse is None else self.behaviour(s.orelse)
    ),
    broken("B/if/no-else-never-next", "no else = else {}", EITHER).by(
        B.conditional, lambda self, s: self.behaviour(s.then), where=lambda s: s.orelse is None
    ),
    broken("B/if/else-if-may-be-missing", "else-if nests", EITHER).by(
        B.conditional, lambda result, s: result | (NEXT if isinstance(s.orelse, w.If) else 0)
    ),
    broken("B/if/else-may-be-missing", "B1 u B2", EITHER).by(B.conditional, lambda result: result | NEXT),
    broken("B/switch/first-only", "union", EITHER).by(
        B.switch, lambda self, s: _leaving(self.behaviour(s.clauses[0].body))
    ),
    broken("B/switch/last-only", "union", EITHER).by(
        B.switch, lambda self, s: _leaving(self.behaviour(s.clauses[-1].body))
    ),
    broken("B/switch/break-is-not-next", "if Break in it: u Next", EITHER).by(
        B.switch, lambda self, s: _union(self, (c.body for c in s.clauses)) & ~BREAK
    ),
    broken("B/switch/break-stays", "if Break in it: \\ Break", EITHER).by(
        B.switch, lambda result, self, s: result | _union(self, (c.body for c in s.clauses)) & BREAK
    ),
    broken("B/switch/always-next", "union", EITHER).by(B.switch, lambda result: result | NEXT),
    broken("B/loop/without-continuing", "B2 of the continuing", EITHER).by(
        B.loop, lambda self, s: self.of_loop(self.behaviour(s.body), NEXT)
    ),
    broken("B/loop/never-only-returns", "B1 = {Return}: {Return}", EITHER).by(B.only_returns, lambda: False),
    broken("B/loop/returns-if-it-may", "B1 = {Return}: {Return}", EITHER).by(
        B.only_returns, lambda b1: bool(b1 & RETURN)
    ),
    broken("B/loop/break-of-body-only", "Break in B1 u B2", EITHER).by(
        B.of_loop, where=lambda b1: not b1 & BREAK, b2=lambda b2: b2 & ~BREAK
    ),
    broken("B/loop/break-of-continuing-only", "Break in B1 u B2", EITHER).by(
        B.of_loop, where=lambda b1: b1 != BREAK, b1=lambda b1: b1 & ~BREAK
    ),
    broken("B/loop/break-is-not-next", "Break in B1 u B2: u Next", EITHER).by(
        B.of_loop, lambda result: result & ~NEXT, where=lambda b1, b2: (b1 | b2) & BREAK and b1 & RETURN
    ),
    broken("B/loop/always-next", "without Break: (B1 u B2) \\ {Continue, Next}", EITHER).by(
        B.of_loop, lambda result: result | NEXT
    ),
    broken("B/loop/break-stays", "\\ {Break, Continue}", EITHER).by(
        B.of_loop, lambda result, b1, b2: result | (b1 | b2) & BREAK
    ),
    broken("B/loop/continue-stays", "\\ {Break, Continue}", EITHER).by(
        B.of_loop, lambda result, b1: result | b1 & CONTINUE
    ),
    broken("B/loop/returns-forgotten", "(B1 u B2 u Next) \\ {Break, Continue}", EITHER).by(
        B.of_loop, lambda result: result & ~RETURN, where=lambda b1, b2: (b1 | b2) & BREAK
    ),
    broken("B/while/condition-never-breaks", "while c b = loop { if !c {break;} b }", EITHER).by(
        B.while_loop, lambda self, s: self.of_loop(self.behaviour(s.body), NEXT)
    ),
    broken("B/for/condition-never-breaks", "for with a condition: if !c {break;}", EITHER).by(
        B.for_loop, lambda self, s: self.of_loop(self.behaviour(s.body), NEXT)
    ),
    broken("B/for/always-breaks", "for without a condition gets no if", EITHER).by(
        B.for_loop, lambda self, s: self.of_loop(self.behind_condition(self.behaviour(s.body)), NEXT)
    ),
    broken("B/function/any-result", "with a return type exactly {Return}; body within {Next, Return}", LAXER).by(
        B.check, lambda self, function: _valid(self.behaviour(function.body))
    ),
)


def _union(self: BehaviourAnalysis, statements: Iterable[w.Statement]) -> Behaviours:
    b = 0
    for s in statements:
        b |= self.behaviour(s)
    return b


def _leaving(b: Behaviours) -> Behaviours:
    return (b | NEXT) & ~BREAK if b & BREAK else b


def _valid(b: Behaviours) -> None:
    """Any set is."""
