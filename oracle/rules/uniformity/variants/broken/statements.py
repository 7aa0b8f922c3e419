"""Broken variants of statements (15.2.6), loops excepted."""

from collections.abc import Callable, Iterator

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, MAY_BE_NON_UNIFORM, VALUE_RETURN, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BREAK, NEXT, RETURN

Before = Callable[[w.Statement, Node], Node]


class Uniform(ScopeAnalysis):
    """A let holds what is uniform where its function begins."""

    def stmt(self, s: w.Statement, cf: Node) -> Node:
        """CF_start."""
        after = super().stmt(s, cf)
        if isinstance(s, w.Let) and not self.resolution.is_pointer(s.value):
            self.lets[id(s)] = CF_START
        return after


class PointerLetsHoldNothing(ScopeAnalysis):
    """A let of pointer type forgets the indices in its initialiser."""

    def stmt(self, s: w.Statement, cf: Node) -> Node:
        """The control flow at the let."""
        after = super().stmt(s, cf)
        if isinstance(s, w.Let) and self.resolution.is_pointer(s.value):
            self.lets[id(s)] = cf
        return after


def _let_not_analysed(before: Before, analysis: ScopeAnalysis, s: w.Let, cf: Node) -> Node:
    analysis.lets[id(s)] = cf
    return cf


def _variable(of: Callable[[ScopeAnalysis, w.Variable, Node], Node | None]) -> Callable[..., Node]:
    """The row of `var`, with another value; None: the row's own."""

    def rule(before: Before, analysis: ScopeAnalysis, s: w.Variable, cf: Node) -> Node:
        before(s, cf)
        value = of(analysis, s, cf)
        if value is not None:
            analysis.M[id(s)] = value
        return cf

    return rule


def _variable_not_analysed(before: Before, analysis: ScopeAnalysis, s: w.Variable, cf: Node) -> Node:
    analysis.subjects[id(s)] = s
    analysis.M[id(s)] = cf
    return cf


def _flow_forgotten() -> Iterator[Variant]:
    """The control flow after each simple statement is that before it: forgotten."""
    kinds = (
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
        w.Break,
        w.Continue,
    )
    for kind in (*kinds, w.Return, w.Block):
        word = kind.__name__.lower()
        yield rows.changed_stmt(
            f"{word}/control-flow/forgotten",
            f"{kind.__name__}: the control flow {'of its last statement' if kind is w.Block else 'before it'}",
            rows.LAXER,
            kind,
            lambda before, self, s, cf: rows.nothing(self) if before(s, cf) >= 0 else cf,
        )


def _flow_non_uniform() -> Iterator[Variant]:
    """The control flow after each simple statement is taken as non-uniform."""
    for kind in (
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
    ):
        yield rows.changed_stmt(
            f"{kind.__name__.lower()}/control-flow/non-uniform",
            f"{kind.__name__}: the control flow before it",
            rows.STRICTER,
            kind,
            lambda before, self, s, cf: MAY_BE_NON_UNIFORM if before(s, cf) >= 0 else cf,
        )


def _values_restored(before: Before, analysis: ScopeAnalysis, s: w.Statement, cf: Node) -> Node:
    values = analysis.M.copy()
    after = before(s, cf)
    analysis.M = values
    return after


def _all_statements(analysis: ScopeAnalysis, statements: tuple[w.Statement, ...], cf: Node) -> Node:
    for s in statements:
        cf = analysis.stmt(s, cf)
    return cf


def _each_from_start(analysis: ScopeAnalysis, statements: tuple[w.Statement, ...], cf: Node) -> Node:
    for s in statements:
        analysis.stmt(s, cf)
        if not NEXT & analysis.behaviours.behaviour(s):
            break
    return cf


def _return(name: str, branch: str, effect: Effect, steps: tuple[str, ...]) -> Variant:
    """A variant of the row of `return`, which does these steps in this order."""

    def rule(before: Before, analysis: ScopeAnalysis, s: w.Return, cf: Node) -> Node:
        value: Node | None = None
        for step in steps:
            if step == "value" and s.value is not None:
                value = analysis.value(s.value, cf)
            elif step == "edge" and value is not None:
                analysis.graph.add_edge(VALUE_RETURN, value)
            elif step == "contents":
                analysis.leave_function()
        return cf

    return rows.changed_stmt(f"return/{name}", branch, effect, w.Return, rule)


SIMPLE_VARIANTS: tuple[Variant, ...] = (
    rows.row("let/value/uniform", "let x = e: x is V", rows.LAXER, Uniform),
    rows.row("let/value/pointer-without-indices", "let p = &e: the address", rows.LAXER, PointerLetsHoldNothing),
    rows.changed_stmt("let/value/not-analysed", "let x = e: V = expr(e, cf)", rows.EITHER, w.Let, _let_not_analysed),
    rows.changed_stmt(
        "variable/value/not-analysed", "var x = e: V = expr(e, cf)", rows.EITHER, w.Variable, _variable_not_analysed
    ),
    rows.changed_stmt(
        "variable/value/no-initialiser",
        "var x = e: Vin(next) -> V",
        rows.LAXER,
        w.Variable,
        _variable(lambda self, s, cf: None if s.value is None else cf),
    ),
    rows.changed_stmt(
        "variable/value/zero-is-non-uniform",
        "var x: T: Vin(next) -> CF",
        rows.STRICTER,
        w.Variable,
        _variable(lambda self, s, cf: MAY_BE_NON_UNIFORM if s.value is None else None),
    ),
    Variant(
        "variable/value/zero-without-control-flow",
        "variable/value",
        "var x: T: Vin(next) -> CF",
        rows.LAXER,
        rows.changed_stmt(
            "",
            "",
            rows.LAXER,
            w.Variable,
            _variable(lambda self, s, cf: rows.nothing(self) if s.value is None else None),
        ).replacements,
        equivalent="Each use of x stands in the block of its declaration, where control flow depends on that at the "
        "declaration, and the read depends on control flow at the use.",
    ),
    rows.changed_stmt(
        "phony/value/not-analysed", "_ = e: V = expr(e, cf)", rows.EITHER, w.Phony, lambda before, self, s, cf: cf
    ),
    rows.changed_stmt(
        "callstatement/call/not-analysed", "f(..): call", rows.EITHER, w.CallStatement, lambda before, self, s, cf: cf
    ),
    rows.changed_stmt("block/statements/not-analysed", "{s}", rows.EITHER, w.Block, lambda before, self, s, cf: cf),
    rows.changed_stmt("block/values/restored", "{s}: values as s leaves them", rows.EITHER, w.Block, _values_restored),
    *_flow_forgotten(),
    *_flow_non_uniform(),
    rows.changed(
        "list/next/dead-code-analysed",
        "s1 s2: s2 only if Next in B1",
        rows.STRICTER,
        rows.S.stmts,
        lambda stmts, self, statements, cf: _all_statements(self, statements, cf),
    ),
    rows.changed(
        "list/next/first-only",
        "s1 s2: s2 if Next in B1",
        rows.EITHER,
        rows.S.stmts,
        lambda stmts, self, statements, cf: stmts(statements[:1], cf),
    ),
    rows.changed(
        "list/control-flow/each-from-start",
        "s2 from the control flow after s1",
        rows.LAXER,
        rows.S.stmts,
        lambda stmts, self, statements, cf: _each_from_start(self, statements, cf),
    ),
    _return("value/not-analysed", "return e: V = expr(e, cf)", rows.EITHER, ("contents",)),
    _return("value/dropped", "return e: VR -> V", rows.LAXER, ("value", "contents")),
    _return("contents/dropped", "return: O_i -> M[p_i]", rows.LAXER, ("value", "edge")),
    rows.changed_stmt(
        "breakif/condition/not-analysed",
        "break if e: V = expr(e, cf)",
        rows.EITHER,
        w.BreakIf,
        lambda before, self, s, cf: cf,
    ),
    rows.changed(
        "breakif/control-flow/no-edge",
        "break if e: E -> V, and so CF",
        rows.LAXER,
        rows.S.break_if,
        lambda break_if, self, s, cf: rows.nothing(self) if break_if(s, cf) >= 0 else cf,
    ),
)


# ----------------------------------------------------------------------------------------------------------- branches


Flow = Callable[[ScopeAnalysis, Node, Node], Node]


def _condition(name: str, branch: str, effect: Effect, kind: type, of: Flow) -> Variant:
    """A variant of the control flow of branches; `of` gets the control flow before and the condition."""

    class Case(ScopeAnalysis):
        def condition(self, syntax: w.Node, e: w.Expression, cf: Node) -> Node:
            v = super().condition(syntax, e, cf)
            return of(self, cf, v) if isinstance(syntax, kind) else v

    return rows.row(name, branch, effect, Case)


def _not_evaluated(name: str, branch: str, kind: type) -> Variant:
    return rows.changed(
        name,
        branch,
        rows.EITHER,
        rows.S.condition,
        lambda condition, self, syntax, e, cf: cf if isinstance(syntax, kind) else condition(syntax, e, cf),
    )


After = Callable[[Role, w.Statement, Node, list[Node]], Node]
Branches = tuple[list[Node], list[VariableMap]]


def _walked(
    analysis: ScopeAnalysis,
    branches: list[w.Statement],
    flows: list[Node | None],
    joined: Callable[[int, int], bool],
    restored: bool = True,
) -> Branches:
    """The branches, each from its control flow; one without is not analysed. `joined`: by number and behaviours."""
    before, ends, maps = analysis.M, [], []
    for i, (branch, flow) in enumerate(zip(branches, flows, strict=True)):
        if restored or not i:
            analysis.M = before.copy()
        else:
            analysis.M = analysis.M.copy()
        ends.append(_other(flows[1 - i]) if flow is None else analysis.stmt(branch, flow))
        if joined(i, analysis.behaviour(branch)):
            maps.append(analysis.M)
    return ends, maps


def _other(flow: Node | None) -> Node:
    return MAY_BE_NON_UNIFORM if flow is None else flow


def _alternatives(
    name: str,
    branch: str,
    effect: Effect,
    flows: Callable[[ScopeAnalysis, int, Node], list[Node | None]] = lambda self, n, v: [v] * n,
    joined: Callable[[int, int], bool] = lambda i, b: bool(NEXT & b),
    restored: bool = True,
    switches: bool = False,
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
            if self.switch_at_hand is not switches:
                return super().alternatives(branches, v, joined_)
            return _walked(self, branches, flows(self, len(branches), v), joined, restored)

    return rows.row(name, branch, effect, Walk)


def _after(name: str, branch: str, effect: Effect, at: Role, of: Callable[..., Node]) -> Variant:
    """A variant of the control flow after; `of` gets the rule, the analysis, the statement, CF and the ends."""
    return rows.changed(
        name,
        branch,
        effect,
        rows.S.after_branches,
        lambda after, self, role, s, cf, ends: of(after, self, s, cf, ends) if role is at else after(role, s, cf, ends),
    )


def _joined_at(name: str, branch: str, at: Role, of: Callable[[list[VariableMap]], list[VariableMap]]) -> Variant:
    """A variant of the edges of values behind a statement."""
    return rows.changed(
        name,
        branch,
        rows.LAXER,
        rows.S.join,
        lambda join, self, role, syntax, maps: join(role, syntax, of(maps) if role is at else maps),
    )


def _afters(word: str, role: Role) -> Iterator[Variant]:
    """Both statements have the same rule for the control flow after them."""

    def of(what: str, branch: str, effect: Effect, rule: Callable[..., Node]) -> Variant:
        return _after(f"{word}/after/{what}", branch, effect, role, rule)

    def ends_alone(after: After, self: ScopeAnalysis, s: w.Statement, cf: Node, ends: list[Node]) -> Node:
        return self.graph.fresh(role, s, None, *ends)

    def only_by_returns(after: After, self: ScopeAnalysis, s: w.Statement, cf: Node, ends: list[Node]) -> Node:
        return after(role, s, cf, ends) if self.behaviours.behaviour(s) & RETURN else cf

    yield of("always-before", "B = {Next}: CF, else E", rows.LAXER, lambda after, self, s, cf, ends: cf)
    yield of("always-ends", "B = {Next}: CF", rows.STRICTER, ends_alone)
    yield of("returns-only", "B = {Next}: CF, else E", rows.LAXER, only_by_returns)
    yield of("first-end", "E -> CF1", rows.LAXER, lambda after, self, s, cf, ends: after(role, s, cf, ends[1:]))
    yield of("last-end", "E -> CFn", rows.LAXER, lambda after, self, s, cf, ends: after(role, s, cf, ends[:-1]))
    yield of("no-ends", "E -> {CF1, ..., CFn}", rows.LAXER, lambda after, self, s, cf, ends: after(role, s, cf, []))


IF_VARIANTS: tuple[Variant, ...] = (
    _condition("if/condition/dropped", "s_k from V", rows.LAXER, w.If, lambda self, cf, v: cf),
    _condition("if/condition/non-uniform", "s_k from V", rows.STRICTER, w.If, lambda self, cf, v: MAY_BE_NON_UNIFORM),
    _condition("if/condition/nothing", "s_k from V", rows.LAXER, w.If, lambda self, cf, v: rows.nothing(self)),
    _not_evaluated("if/condition/not-analysed", "V = expr(e, cf)", w.If),
    _alternatives("if/then/not-analysed", "CF1 = stmt(s1, V)", rows.EITHER, lambda self, n, v: [None, v]),
    _alternatives("if/else/not-analysed", "CF2 = stmt(s2, V)", rows.EITHER, lambda self, n, v: [v, None]),
    _alternatives("if/then/from-start", "CF1 = stmt(s1, V)", rows.LAXER, lambda self, n, v: [rows.nothing(self), v]),
    _alternatives("if/else/from-start", "CF2 = stmt(s2, V)", rows.LAXER, lambda self, n, v: [v, rows.nothing(self)]),
    _alternatives("if/else/after-then", "Vin(s2) -> Vout(prev)", rows.EITHER, restored=False),
    _alternatives(
        "if/values/then-without-next",
        "Vin(next) -> Vout(s1) if Next in B1",
        rows.STRICTER,
        joined=lambda i, b: i == 0 or bool(NEXT & b),
    ),
    _alternatives(
        "if/values/else-without-next",
        "Vin(next) -> Vout(s2) if Next in B2",
        rows.STRICTER,
        joined=lambda i, b: i == 1 or bool(NEXT & b),
    ),
    _joined_at("if/values/no-then", "Vin(next) -> Vout(s1)", Role.AFTER_IF, lambda maps: maps[1:] or maps),
    _joined_at("if/values/no-else", "Vin(next) -> Vout(s2)", Role.AFTER_IF, lambda maps: maps[:1]),
    rows.changed(
        "if/else/missing-never-next",
        "no else = else {}",
        rows.EITHER,
        rows.S.behaviour,
        lambda behaviour, self, s: 0 if isinstance(s, w.Empty) else behaviour(s),
    ),
    *_afters("if", Role.CF_AFTER_IF),
)


class BreaksLeaveLoops(ScopeAnalysis):
    """A `break` in a switch is recorded at the loop around it."""

    def switch(self, s: w.Switch, cf: Node) -> Node:
        """Without a list of its own where there is a loop."""
        if not self.breaks:
            return super().switch(s, cf)
        v = self.condition(s, s.selector, cf)
        ends, maps = self.alternatives([clause.body for clause in s.clauses], v, self.joined_after_clause())
        self.M = self.join(Role.AFTER_SWITCH, s, maps) if maps else self.M
        return self.after_branches(Role.CF_AFTER_SWITCH, s, cf, ends)


class SwitchesThatBreakDiverge(ScopeAnalysis):
    """A switch with a `break` gives a node for control flow, whatever its behaviours are."""

    def after_branches(self, role: Role, s: w.Statement, cf: Node, ends: list[Node]) -> Node:
        """E if a clause may break."""
        if isinstance(s, w.Switch) and any(self.behaviours.behaviour(c.body) & BREAK for c in s.clauses):
            return self.graph.fresh(role, s, None, *ends)
        return super().after_branches(role, s, cf, ends)


SWITCH_VARIANTS: tuple[Variant, ...] = (
    _condition("switch/selector/dropped", "s_k from V", rows.LAXER, w.Switch, lambda self, cf, v: cf),
    _condition("switch/selector/nothing", "s_k from V", rows.LAXER, w.Switch, lambda self, cf, v: rows.nothing(self)),
    _condition(
        "switch/selector/non-uniform", "s_k from V", rows.STRICTER, w.Switch, lambda s, cf, v: MAY_BE_NON_UNIFORM
    ),
    _not_evaluated("switch/selector/not-analysed", "V = expr(e, cf)", w.Switch),
    _alternatives(
        "switch/clause/first-from-start",
        "CF1 = stmt(s1, V)",
        rows.LAXER,
        lambda self, n, v: [rows.nothing(self), *[v] * (n - 1)],
        switches=True,
    ),
    _alternatives(
        "switch/clause/others-from-start",
        "CFk = stmt(s_k, V)",
        rows.LAXER,
        lambda self, n, v: [v, *[rows.nothing(self)] * (n - 1)],
        switches=True,
    ),
    _alternatives("switch/clause/falls-through", "Vin(s_k) -> Vout(prev)", rows.EITHER, restored=False, switches=True),
    _alternatives(
        "switch/values/without-next",
        "Vin(next) -> Vout(s_k) where Next in B_k",
        rows.STRICTER,
        joined=lambda i, b: True,
        switches=True,
    ),
    _alternatives(
        "switch/values/no-ends",
        "Vin(next) -> Vout(s_k) where Next in B_k",
        rows.EITHER,
        joined=lambda i, b: False,
        switches=True,
    ),
    _joined_at("switch/values/no-first", "Vin(next) -> Vout(s_k)", Role.AFTER_SWITCH, lambda maps: maps[1:] or maps),
    _joined_at("switch/values/no-last", "Vin(next) -> Vout(s_k)", Role.AFTER_SWITCH, lambda maps: maps[:1]),
    rows.row("switch/breaks/of-the-loop", "Vin(next) -> Vout of each break that leaves", rows.EITHER, BreaksLeaveLoops),
    rows.row("switch/after/breaks-diverge", "B = {Next}: CF", rows.STRICTER, SwitchesThatBreakDiverge),
    *_afters("switch", Role.CF_AFTER_SWITCH),
)
