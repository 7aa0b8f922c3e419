"""Broken variants of the rows of statements without branches (15.2.6), and of what they do to values (15.2.5)."""

from collections.abc import Callable, Iterator

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, MAY_BE_NON_UNIFORM, VALUE_RETURN, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import EITHER, LAXER, STRICTER, S, broken, nothing
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import NEXT


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


def _assigned(name: str, branch: str, effect: Effect, of: Callable[[set[Node], Node, Node], set[Node]]) -> Variant:
    """A variant of the edges of L; `of` gets the successors, control flow and the old value."""

    def edges(self: S, s: w.Assign | w.Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
        successors = of({cf, left, *operands, *self.kept(s.left)}, cf, self.M[x])
        return self.graph.fresh(Role.ASSIGNED, s, self.subjects[x], *successors)

    return broken(name, branch, effect).by(S.assigned, edges, apart=True)


ASSIGNMENT_VARIANTS: tuple[Variant, ...] = (
    _assigned("assign/left/no-control-flow", "L -> CF", LAXER, lambda nodes, cf, old: nodes - {cf}),
    _assigned("assign/left/full-keeps", "full reference: L -> V alone", STRICTER, lambda nodes, cf, old: nodes | {old}),
    _assigned(
        "assign/left/non-uniform",
        "L -> what it depends on",
        STRICTER,
        lambda nodes, cf, old: nodes | {MAY_BE_NON_UNIFORM},
    ),
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
        yield broken(
            f"{word}/control-flow/forgotten",
            f"{kind.__name__}: the control flow {'of its last statement' if kind is w.Block else 'before it'}",
            LAXER,
        ).by(S.stmt, lambda result, self: nothing(self), of=kind)


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
        yield broken(
            f"{kind.__name__.lower()}/control-flow/non-uniform",
            f"{kind.__name__}: the control flow before it",
            STRICTER,
        ).by(S.stmt, lambda result: MAY_BE_NON_UNIFORM, of=kind)


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


def _return(name: str, branch: str, effect: Effect, steps: tuple[str, ...]) -> Variant:
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

    return broken(f"return/{name}", branch, effect).by(S.stmt, rule, of=w.Return)


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
    broken(
        "variable/value/zero-without-control-flow",
        "var x: T: Vin(next) -> CF",
        LAXER,
        equivalent="Each use of x stands in the block of its declaration, where control flow depends on that at the "
        "declaration, and the read depends on control flow at the use.",
    ).by(S.stmt, _variable(lambda self, s, cf: nothing(self) if s.value is None else None), of=w.Variable),
    broken("phony/value/not-analysed", "_ = e: V = expr(e, cf)", EITHER).by(S.stmt, lambda cf: cf, of=w.Phony),
    broken("callstatement/call/not-analysed", "f(..): call", EITHER).by(S.stmt, lambda cf: cf, of=w.CallStatement),
    broken("block/statements/not-analysed", "{s}", EITHER).by(S.stmt, lambda cf: cf, of=w.Block),
    broken("block/values/restored", "{s}: values as s leaves them", EITHER).by(S.stmt, _values_restored, of=w.Block),
    *_flow_forgotten(),
    *_flow_non_uniform(),
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
