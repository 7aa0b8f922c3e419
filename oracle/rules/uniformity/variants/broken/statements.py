"""Broken variants of the rows of simple statements (15.2.6) and of what they do to values (15.2.5)."""

from collections.abc import Callable, Iterator

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, MAY_BE_NON_UNIFORM, VALUE_RETURN
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import NEXT

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
