"""Broken variants of the rows of simple statements (15.2.6) and of what they do to values (15.2.5)."""

from collections.abc import Callable, Iterator

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, MAY_BE_NON_UNIFORM, VALUE_RETURN
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.rows import (
    EITHER,
    LAXER,
    STRICTER,
    S,
    changed,
    changed_stmt,
    nothing,
    row,
)
from wgsl_fuzz.wgsl.behaviours import NEXT
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Block,
    Break,
    BreakIf,
    CallStatement,
    Const,
    ConstAssert,
    Continue,
    Discard,
    Empty,
    Increment,
    Let,
    Phony,
    Return,
    Statement,
    Variable,
)

Before = Callable[[Statement, Node], Node]


class Uniform(ScopeAnalysis):
    """A let holds what is uniform where its function begins."""

    def stmt(self, s: Statement, cf: Node) -> Node:
        """CF_start."""
        after = super().stmt(s, cf)
        if isinstance(s, Let) and not self.resolution.is_pointer(s.value):
            self.lets[id(s)] = CF_START
        return after


class PointerLetsHoldNothing(ScopeAnalysis):
    """A let of pointer type forgets the indices in its initialiser."""

    def stmt(self, s: Statement, cf: Node) -> Node:
        """The control flow at the let."""
        after = super().stmt(s, cf)
        if isinstance(s, Let) and self.resolution.is_pointer(s.value):
            self.lets[id(s)] = cf
        return after


def _let_not_analysed(before: Before, analysis: ScopeAnalysis, s: Let, cf: Node) -> Node:
    analysis.lets[id(s)] = cf
    return cf


def _variable(of: Callable[[ScopeAnalysis, Variable, Node], Node | None]) -> Callable[..., Node]:
    """The row of `var`, with another value; None: the row's own."""

    def rule(before: Before, analysis: ScopeAnalysis, s: Variable, cf: Node) -> Node:
        before(s, cf)
        value = of(analysis, s, cf)
        if value is not None:
            analysis.M[id(s)] = value
        return cf

    return rule


def _variable_not_analysed(before: Before, analysis: ScopeAnalysis, s: Variable, cf: Node) -> Node:
    analysis.subjects[id(s)] = s
    analysis.M[id(s)] = cf
    return cf


def _flow_forgotten() -> Iterator[Variant]:
    """The control flow after each simple statement is that before it: forgotten."""
    kinds = (
        Assign,
        Increment,
        Let,
        Variable,
        Phony,
        CallStatement,
        Discard,
        Empty,
        Const,
        ConstAssert,
        Break,
        Continue,
    )
    for kind in (*kinds, Return, Block):
        word = kind.__name__.lower()
        yield changed_stmt(
            f"{word}/control-flow/forgotten",
            f"{kind.__name__}: the control flow {'of its last statement' if kind is Block else 'before it'}",
            LAXER,
            kind,
            lambda before, self, s, cf: nothing(self) if before(s, cf) >= 0 else cf,
        )


def _flow_non_uniform() -> Iterator[Variant]:
    """The control flow after each simple statement is taken as non-uniform."""
    for kind in (Assign, Increment, Let, Variable, Phony, CallStatement, Discard, Empty, Const, ConstAssert):
        yield changed_stmt(
            f"{kind.__name__.lower()}/control-flow/non-uniform",
            f"{kind.__name__}: the control flow before it",
            STRICTER,
            kind,
            lambda before, self, s, cf: MAY_BE_NON_UNIFORM if before(s, cf) >= 0 else cf,
        )


def _values_restored(before: Before, analysis: ScopeAnalysis, s: Statement, cf: Node) -> Node:
    values = analysis.M.copy()
    after = before(s, cf)
    analysis.M = values
    return after


def _all_statements(analysis: ScopeAnalysis, statements: tuple[Statement, ...], cf: Node) -> Node:
    for s in statements:
        cf = analysis.stmt(s, cf)
    return cf


def _each_from_start(analysis: ScopeAnalysis, statements: tuple[Statement, ...], cf: Node) -> Node:
    for s in statements:
        analysis.stmt(s, cf)
        if not NEXT & analysis.behaviours.behaviour(s):
            break
    return cf


def _return(name: str, branch: str, effect: Effect, steps: tuple[str, ...]) -> Variant:
    """A variant of the row of `return`, which does these steps in this order."""

    def rule(before: Before, analysis: ScopeAnalysis, s: Return, cf: Node) -> Node:
        value: Node | None = None
        for step in steps:
            if step == "value" and s.value is not None:
                value = analysis.value(s.value, cf)
            elif step == "edge" and value is not None:
                analysis.graph.add_edge(VALUE_RETURN, value)
            elif step == "contents":
                analysis.leave_function()
        return cf

    return changed_stmt(f"return/{name}", branch, effect, Return, rule)


SIMPLE_VARIANTS: tuple[Variant, ...] = (
    row("let/value/uniform", "let x = e: x is V", LAXER, Uniform),
    row("let/value/pointer-without-indices", "let p = &e: the address", LAXER, PointerLetsHoldNothing),
    changed_stmt("let/value/not-analysed", "let x = e: V = expr(e, cf)", EITHER, Let, _let_not_analysed),
    changed_stmt("variable/value/not-analysed", "var x = e: V = expr(e, cf)", EITHER, Variable, _variable_not_analysed),
    changed_stmt(
        "variable/value/no-initialiser",
        "var x = e: Vin(next) -> V",
        LAXER,
        Variable,
        _variable(lambda self, s, cf: None if s.value is None else cf),
    ),
    changed_stmt(
        "variable/value/zero-is-non-uniform",
        "var x: T: Vin(next) -> CF",
        STRICTER,
        Variable,
        _variable(lambda self, s, cf: MAY_BE_NON_UNIFORM if s.value is None else None),
    ),
    Variant(
        "variable/value/zero-without-control-flow",
        "variable/value",
        "var x: T: Vin(next) -> CF",
        LAXER,
        changed_stmt(
            "", "", LAXER, Variable, _variable(lambda self, s, cf: nothing(self) if s.value is None else None)
        ).replacements,
        equivalent="Each use of x stands in the block of its declaration, where control flow depends on that at the "
        "declaration, and the read depends on control flow at the use.",
    ),
    changed_stmt("phony/value/not-analysed", "_ = e: V = expr(e, cf)", EITHER, Phony, lambda before, self, s, cf: cf),
    changed_stmt(
        "callstatement/call/not-analysed", "f(..): call", EITHER, CallStatement, lambda before, self, s, cf: cf
    ),
    changed_stmt("block/statements/not-analysed", "{s}", EITHER, Block, lambda before, self, s, cf: cf),
    changed_stmt("block/values/restored", "{s}: values as s leaves them", EITHER, Block, _values_restored),
    *_flow_forgotten(),
    *_flow_non_uniform(),
    changed(
        "list/next/dead-code-analysed",
        "s1 s2: s2 only if Next in B1",
        STRICTER,
        S.stmts,
        lambda stmts, self, statements, cf: _all_statements(self, statements, cf),
    ),
    changed(
        "list/next/first-only",
        "s1 s2: s2 if Next in B1",
        EITHER,
        S.stmts,
        lambda stmts, self, statements, cf: stmts(statements[:1], cf),
    ),
    changed(
        "list/control-flow/each-from-start",
        "s2 from the control flow after s1",
        LAXER,
        S.stmts,
        lambda stmts, self, statements, cf: _each_from_start(self, statements, cf),
    ),
    _return("value/not-analysed", "return e: V = expr(e, cf)", EITHER, ("contents",)),
    _return("value/dropped", "return e: VR -> V", LAXER, ("value", "contents")),
    _return("contents/dropped", "return: O_i -> M[p_i]", LAXER, ("value", "edge")),
    changed_stmt(
        "breakif/condition/not-analysed", "break if e: V = expr(e, cf)", EITHER, BreakIf, lambda before, self, s, cf: cf
    ),
    changed(
        "breakif/control-flow/no-edge",
        "break if e: E -> V, and so CF",
        LAXER,
        S.break_if,
        lambda break_if, self, s, cf: nothing(self) if break_if(s, cf) >= 0 else cf,
    ),
)
