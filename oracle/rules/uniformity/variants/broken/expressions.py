"""Broken variants of expressions, pointers and assignments (15.2.5, 15.2.8)."""

from collections.abc import Callable

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.resolution import Resolution

Row = Callable[[ScopeAnalysis, w.Binary, Node], Node]


def _operation(name: str, branch: str, effect: Effect, rule: Row, operators: str = "") -> Variant:
    """A variant of the row of an operation on two values; `operators` are && and ||, or one of them, or none."""

    def of(analysis: ScopeAnalysis, e: w.Binary, cf: Node, _: bool) -> Node | None:
        short = e.operator in ("&&", "||")
        return rule(analysis, e, cf) if (e.operator in operators.split() if short else not operators) else None

    return rows.changed_expr(name, branch, effect, w.Binary, of)


def _right_first(analysis: ScopeAnalysis, e: w.Binary, cf: Node) -> Node:
    v2 = analysis.value(e.right, cf)
    return analysis.both(e, analysis.value(e.left, cf), v2)


def _left_only(analysis: ScopeAnalysis, e: w.Binary, cf: Node) -> Node:
    v1 = analysis.value(e.left, cf)
    analysis.value(e.right, cf)
    return v1


def _right_only(analysis: ScopeAnalysis, e: w.Binary, cf: Node) -> Node:
    analysis.value(e.left, cf)
    return analysis.value(e.right, cf)


def _right_under_left(analysis: ScopeAnalysis, e: w.Binary, cf: Node) -> Node:
    v1 = analysis.value(e.left, cf)
    return analysis.both(e, v1, analysis.value(e.right, v1))


def _as_other_operations(analysis: ScopeAnalysis, e: w.Binary, cf: Node) -> Node:
    v1 = analysis.value(e.left, cf)
    return analysis.both(e, v1, analysis.value(e.right, cf))


def _short_circuit(
    analysis: ScopeAnalysis, e: w.Binary, cf: Node, right: Callable[[Node], Node], value: Callable[[Node, Node], Node]
) -> Node:
    """The row of && and ||, with another control flow of the right operand or another value."""
    v1 = analysis.condition(e, e.left, cf)
    before = analysis.M
    analysis.M = before.copy()
    v2 = analysis.value(e.right, right(v1))
    analysis.M = analysis.after_short_circuit(e, before)
    return value(v1, v2)


def _short(
    name: str,
    branch: str,
    effect: Effect,
    right: Callable[[Node, Node], Node] = lambda cf, v1: v1,
    value: Callable[[ScopeAnalysis, w.Binary, Node, Node], Node] = lambda analysis, e, v1, v2: v2,
) -> Variant:
    def rule(analysis: ScopeAnalysis, e: w.Binary, cf: Node) -> Node:
        return _short_circuit(analysis, e, cf, lambda v1: right(cf, v1), lambda v1, v2: value(analysis, e, v1, v2))

    return _operation(f"expr/short-circuit/{name}", branch, effect, rule, "&& ||")


def _copied_too_late(analysis: ScopeAnalysis, e: w.Binary, cf: Node) -> Node:
    """The variables before the right operand are taken behind it: nothing is left to join."""
    return analysis.value(e.right, analysis.condition(e, e.left, cf))


def _index(e: w.Index, analysis: ScopeAnalysis, cf: Node, index: bool, base: bool) -> Node:
    """The row of an index, with only one of its edges."""
    v1 = analysis.value(e.index, cf)
    v2 = analysis.expr(e.base, cf, True)
    return analysis.both(e, v1 if index else v2, v2 if base else v1)


def _joined(name: str, branch: str, of: Callable[[list[VariableMap]], list[VariableMap]]) -> Variant:
    """A variant of where paths meet: only some of the values."""
    return rows.changed(
        f"values/join/{name}",
        branch,
        rows.LAXER,
        rows.S.join,
        lambda join, self, role, syntax, maps: join(role, syntax, of(maps)),
    )


def _of(operators: str, e: w.Unary) -> bool:
    return e.operator in operators.split()


LOAD_VARIANTS: tuple[Variant, ...] = (
    rows.changed(
        "expr/load/never",
        "a value is loaded",
        rows.LAXER,
        rows.S.value,
        lambda value, self, e, cf: self.expr(e, cf, False),
    ),
    rows.changed(
        "expr/load/of-pointers",
        "a pointer is a value",
        rows.STRICTER,
        rows.S.value,
        lambda v, self, e, cf: self.expr(e, cf, True),
    ),
    rows.changed_expr(
        "expr/address-of/loads",
        "& takes no value",
        rows.STRICTER,
        w.Unary,
        lambda self, e, cf, loaded: self.expr(e.operand, cf, True) if _of("&", e) else None,
    ),
    rows.changed_expr(
        "expr/indirection/always-loads",
        "* takes no value by itself",
        rows.STRICTER,
        w.Unary,
        lambda self, e, cf, loaded: self.expr(e.operand, cf, True) if _of("*", e) else None,
    ),
    rows.changed_expr(
        "expr/indirection/never-loads",
        "* of a view that is loaded",
        rows.LAXER,
        w.Unary,
        lambda self, e, cf, loaded: self.expr(e.operand, cf, False) if _of("*", e) else None,
    ),
    rows.changed_expr(
        "expr/member/always-loads",
        "e.name takes no value by itself",
        rows.STRICTER,
        w.Member,
        lambda self, e, cf, loaded: self.expr(e.base, cf, True),
    ),
    rows.changed_expr(
        "expr/member/never-loads",
        "e.name of a view that is loaded",
        rows.LAXER,
        w.Member,
        lambda self, e, cf, loaded: self.expr(e.base, cf, False),
    ),
)

EXPRESSION_VARIANTS: tuple[Variant, ...] = (
    *LOAD_VARIANTS,
    rows.changed_expr(
        "expr/literal/no-control-flow",
        "literal: CF",
        rows.LAXER,
        w.Literal,
        lambda self, e, cf, loaded: rows.nothing(self),
    ),
    rows.changed_expr(
        "expr/literal/non-uniform",
        "literal: CF",
        rows.STRICTER,
        w.Literal,
        lambda self, e, cf, loaded: MAY_BE_NON_UNIFORM,
    ),
    rows.changed_expr(
        "expr/unary/no-operand",
        "- ! ~ e: as e",
        rows.LAXER,
        w.Unary,
        lambda self, e, cf, loaded: cf if _of("- ! ~", e) else None,
    ),
    rows.changed_expr(
        "expr/unary/no-pointer",
        "* & e: as e",
        rows.LAXER,
        w.Unary,
        lambda self, e, cf, loaded: cf if _of("* &", e) else None,
    ),
    rows.changed_expr("expr/member/no-base", "e.name: as e", rows.LAXER, w.Member, lambda self, e, cf, loaded: cf),
    _operation("expr/binary/no-left", "R -> V1", rows.LAXER, _right_only),
    _operation("expr/binary/no-right", "R -> V2", rows.LAXER, _left_only),
    _operation("expr/binary/right-first", "e1, then e2", rows.EITHER, _right_first),
    _operation("expr/binary/right-under-left", "e2 from the same CF", rows.STRICTER, _right_under_left),
    _short("right-from-start", "e2 from V1", rows.LAXER, right=lambda cf, v1: cf),
    _short("value-of-left", "value V2", rows.LAXER, value=lambda self, e, v1, v2: v1),
    _operation("expr/short-circuit/and-as-others", "e1 && e2", rows.EITHER, _as_other_operations, "&&"),
    _operation("expr/short-circuit/or-as-others", "e1 || e2", rows.EITHER, _as_other_operations, "||"),
    _operation("expr/short-circuit/copied-too-late", "M before e2", rows.EITHER, _copied_too_late, "&& ||"),
    rows.changed(
        "expr/short-circuit/right-changes-nothing",
        "M after e2",
        rows.EITHER,
        rows.S.after_short_circuit,
        lambda after, self, e, before: before,
    ),
    rows.changed(
        "expr/index/no-index",
        "R -> V1",
        rows.LAXER,
        rows.S.index,
        lambda index, self, e, cf, loaded: _index(e, self, cf, False, True) if loaded else index(e, cf, loaded),
    ),
    rows.changed(
        "expr/index/no-index-of-address",
        "R -> V1, of a view that is not loaded",
        rows.LAXER,
        rows.S.index,
        lambda index, self, e, cf, loaded: index(e, cf, True) if loaded else self.expr(e.base, cf, False),
    ),
    rows.changed(
        "expr/index/no-base",
        "R -> V2",
        rows.LAXER,
        rows.S.index,
        lambda index, self, e, cf, loaded: _index(e, self, cf, True, False) if loaded else index(e, cf, loaded),
    ),
    rows.changed(
        "expr/index/always-loads",
        "e2 as it is used",
        rows.STRICTER,
        rows.S.index,
        lambda index, self, e, cf, loaded: index(e, cf, True),
    ),
    rows.changed(
        "expr/index/never-loads",
        "e2 as it is used",
        rows.LAXER,
        rows.S.index,
        lambda index, self, e, cf, loaded: index(e, cf, False),
    ),
    rows.changed(
        "expr/index/base-under-index",
        "e2 from the same CF",
        rows.STRICTER,
        rows.S.index,
        lambda index, self, e, cf, loaded: self.expr(e.base, self.value(e.index, cf), loaded),
    ),
    rows.changed(
        "expr/view/no-buffer",
        "what the view is of",
        rows.LAXER,
        rows.S.viewed,
        lambda viewed, self, e, cf: self.call(e, cf),
    ),
    rows.changed(
        "expr/view/no-call",
        "the call that makes the view",
        rows.LAXER,
        rows.S.viewed,
        lambda viewed, self, e, cf: self.named(e, self.resolution.root(e), cf, True),
    ),
    _joined("first", "the value of every path but the first", lambda maps: maps[:1]),
    _joined("last", "the value of every path but the last", lambda maps: maps[-1:]),
    rows.changed(
        "values/join/none-of-others",
        "the variables that only some paths have",
        rows.STRICTER,
        rows.S.join,
        lambda join, self, role, syntax, maps: {
            **dict.fromkeys(maps[0], MAY_BE_NON_UNIFORM),
            **join(role, syntax, maps),
        },
        equivalent="A variable that only some paths have was declared inside of the statement: no name reaches it.",
    ),
    rows.changed(
        "expr/short-circuit/value-of-both",
        "value V2",
        rows.STRICTER,
        rows.S.short_circuit,
        lambda short_circuit, self, e, cf: _both(self, e, cf),
        equivalent="Every node for a value has a path to the control flow it is evaluated from, here V1.",
    ),
)


def _both(analysis: ScopeAnalysis, e: w.Binary, cf: Node) -> Node:
    return _short_circuit(analysis, e, cf, lambda v1: v1, lambda v1, v2: analysis.both(e, v1, v2))


# ----------------------------------------------------------------------------------------------------------- pointers


R = Resolution


def _base(e: w.Expression, kind: type) -> w.Expression:
    """Without what stands behind it, `&` and `*`."""
    while True:
        if isinstance(e, w.Unary) and e.operator in "&*":
            e = e.operand
        elif isinstance(e, kind) and isinstance(e, w.Index | w.Member):
            e = e.base
        else:
            return e


def _is_let(resolution: Resolution, e: w.Expression) -> bool:
    e = _base(e, w.Index)
    return isinstance(e, w.Identifier) and isinstance(resolution.declaration(e), w.Let)


POINTER_VARIANTS: tuple[Variant, ...] = (
    rows.changed_meaning(
        "pointer/full/members",
        "e.name is partial, even the only member",
        rows.LAXER,
        R.is_full,
        lambda is_full, self, expression: is_full(_base(expression, w.Member)),
    ),
    rows.changed_meaning(
        "pointer/full/elements",
        "e2[e1] is partial, even the only element",
        rows.LAXER,
        R.is_full,
        lambda is_full, self, expression: is_full(_base(expression, w.Index)),
    ),
    rows.changed_meaning(
        "pointer/full/lets-always",
        "a let of a partial pointer is partial",
        rows.LAXER,
        R.is_full,
        lambda is_full, self, expression: is_full(expression) or _is_let(self, _base(expression, w.Unary)),
    ),
    rows.changed_meaning(
        "pointer/full/lets-never",
        "a let of a full pointer is full",
        rows.STRICTER,
        R.is_full,
        lambda is_full, self, expression: is_full(expression) and not _is_let(self, _base(expression, w.Unary)),
    ),
    rows.changed_meaning(
        "pointer/full/names-only",
        "*p of a full pointer, &r of a full reference are full",
        rows.STRICTER,
        R.is_full,
        lambda is_full, self, expression: is_full(expression) and isinstance(expression, w.Identifier),
    ),
    rows.changed_meaning(
        "pointer/is-pointer/not-lets",
        "a let of a pointer is a pointer",
        rows.EITHER,
        R.is_pointer,
        lambda is_pointer, self, expression: is_pointer(expression) and not _is_let(self, expression),
    ),
    rows.changed_meaning(
        "pointer/is-pointer/not-parameters",
        "a pointer parameter is a pointer",
        rows.EITHER,
        R.is_pointer,
        lambda is_pointer, self, expression: (
            is_pointer(expression) and (not isinstance(expression, w.Identifier) or _is_let(self, expression))
        ),
    ),
    rows.changed_meaning(
        "pointer/is-pointer/not-views",
        "a view of a buffer is a pointer",
        rows.EITHER,
        R.is_pointer,
        lambda is_pointer, self, expression: is_pointer(expression) and not isinstance(expression, w.Call),
    ),
)


# -------------------------------------------------------------------------------------------------------- assignments


class OtherOrder(ScopeAnalysis):
    """`e1 = e2`: the right side, then the left."""

    def assignment(self, s: w.Assign | w.Increment, cf: Node) -> Node:
        """A compound one reads the left side between them."""
        operands = [self.value(s.right, cf)] if isinstance(s, w.Assign) else []
        left = self.left_side(s.left, cf)
        if isinstance(s, w.Increment) or s.operator != "=":
            operands.append(self.old_value(s.left, cf))
        root = self.resolution.root(s.left)
        if id(root) in self.M:
            self.M[id(root)] = self.assigned(s, id(root), cf, left, operands)
        return cf


class OldValueLast(ScopeAnalysis):
    """`e1 op= e2` reads the left side behind the right one."""

    def assigned(self, s: w.Assign | w.Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
        """With the value of now in place of the old one."""
        if isinstance(s, w.Assign) and s.operator != "=":
            operands = [self.old_value(s.left, cf), *operands[1:]]
        return super().assigned(s, x, cf, left, operands)


class RightSideDropped(ScopeAnalysis):
    """The right side is analysed, and has no edge."""

    def assigned(self, s: w.Assign | w.Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
        """Without its node, the last one."""
        return super().assigned(s, x, cf, left, operands[:-1] if isinstance(s, w.Assign) else operands)


class RightSideNotAnalysed(ScopeAnalysis):
    """The right side of an assignment is not analysed."""

    def assignment(self, s: w.Assign | w.Increment, cf: Node) -> Node:
        """The left side alone."""
        if isinstance(s, w.Assign):
            left, root = self.left_side(s.left, cf), self.resolution.root(s.left)
            if id(root) in self.M:
                self.M[id(root)] = self.assigned(s, id(root), cf, left, [])
            return cf
        return super().assignment(s, cf)


class ThroughPointersNothing(ScopeAnalysis):
    """An assignment through a pointer changes no variable."""

    def assignment(self, s: w.Assign | w.Increment, cf: Node) -> Node:
        """Only what begins with a name does."""
        kept, left = self.M.copy(), s.left
        after = super().assignment(s, cf)
        while isinstance(left, w.Member):
            left = left.base
        if isinstance(left, w.Unary):
            self.M = kept
        return after


def _assigned(name: str, branch: str, effect: Effect, of: Callable[[set[Node], Node, Node], set[Node]]) -> Variant:
    """A variant of the edges of L; `of` gets the successors, control flow and the old value."""

    class Edges(ScopeAnalysis):
        tells_nodes_apart = True

        def assigned(self, s: w.Assign | w.Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
            successors = of({cf, left, *operands, *self.kept(s.left)}, cf, self.M[x])
            return self.graph.fresh(Role.ASSIGNED, s, self.subjects[x], *successors)

    return rows.row(name, branch, effect, Edges)


ASSIGNMENT_VARIANTS: tuple[Variant, ...] = (
    _assigned("assign/left/no-control-flow", "L -> CF", rows.LAXER, lambda nodes, cf, old: nodes - {cf}),
    _assigned(
        "assign/left/full-keeps", "full reference: L -> V alone", rows.STRICTER, lambda nodes, cf, old: nodes | {old}
    ),
    _assigned(
        "assign/left/non-uniform",
        "L -> what it depends on",
        rows.STRICTER,
        lambda nodes, cf, old: nodes | {MAY_BE_NON_UNIFORM},
    ),
    rows.changed(
        "assign/left/partial-forgets",
        "partial reference: L -> Vout(prev)",
        rows.LAXER,
        rows.S.kept,
        lambda kept, self, e: [],
    ),
    rows.changed(
        "assign/left/not-analysed", "L = lhs(e1, cf)", rows.EITHER, rows.S.left_side, lambda left_side, self, e, cf: cf
    ),
    rows.changed(
        "assign/left/loaded",
        "the left side is not loaded",
        rows.STRICTER,
        rows.S.left_side,
        lambda left_side, self, e, cf: self.expr(e, cf, not isinstance(e, w.Identifier)),
    ),
    rows.row("assign/right/dropped", "L -> V", rows.LAXER, RightSideDropped),
    rows.row("assign/right/not-analysed", "V = expr(e2, cf)", rows.EITHER, RightSideNotAnalysed),
    rows.row("assign/order/right-first", "the left side, then the right", rows.EITHER, OtherOrder),
    rows.row("assign/variable/not-through-pointers", "Vin(next) -> V(e), *p = e", rows.EITHER, ThroughPointersNothing),
    rows.changed(
        "assign/variable/unchanged",
        "Vin(next) -> V(e)",
        rows.EITHER,
        rows.S.assigned,
        lambda assigned, self, s, x, cf, left, operands: self.M[x],
    ),
    rows.changed(
        "compound/old-value/dropped",
        "e1 op= e2 as e1 = e1 op e2",
        rows.LAXER,
        rows.S.assigned,
        lambda assigned, self, s, x, cf, left, operands: assigned(
            s, x, cf, left, operands[1:] if isinstance(s, w.Assign) and s.operator != "=" else operands
        ),
    ),
    rows.changed(
        "increment/old-value/dropped",
        "e1++ as e1 += 1",
        rows.LAXER,
        rows.S.assigned,
        lambda assigned, self, s, x, cf, left, operands: assigned(
            s, x, cf, left, operands if isinstance(s, w.Assign) else []
        ),
    ),
    rows.row("compound/old-value/last", "the old value, then e2", rows.EITHER, OldValueLast),
)
