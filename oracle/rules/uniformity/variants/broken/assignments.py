"""Broken variants of assignments: the rows of left sides (15.2.8), of statements (15.2.6) and of values (15.2.5)."""

from collections.abc import Callable

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.rows import EITHER, LAXER, STRICTER, S, changed, row
from wgsl_fuzz.wgsl.syntax import Assign, Identifier, Increment, Member, Unary


class OtherOrder(ScopeAnalysis):
    """`e1 = e2`: the right side, then the left."""

    def assignment(self, s: Assign | Increment, cf: Node) -> Node:
        """A compound one reads the left side between them."""
        operands = [self.value(s.right, cf)] if isinstance(s, Assign) else []
        left = self.left_side(s.left, cf)
        if isinstance(s, Increment) or s.operator != "=":
            operands.append(self.old_value(s.left, cf))
        root = self.resolution.root(s.left)
        if id(root) in self.M:
            self.M[id(root)] = self.assigned(s, id(root), cf, left, operands)
        return cf


class OldValueLast(ScopeAnalysis):
    """`e1 op= e2` reads the left side behind the right one."""

    def assigned(self, s: Assign | Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
        """With the value of now in place of the old one."""
        if isinstance(s, Assign) and s.operator != "=":
            operands = [self.old_value(s.left, cf), *operands[1:]]
        return super().assigned(s, x, cf, left, operands)


class RightSideDropped(ScopeAnalysis):
    """The right side is analysed, and has no edge."""

    def assigned(self, s: Assign | Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
        """Without its node, the last one."""
        return super().assigned(s, x, cf, left, operands[:-1] if isinstance(s, Assign) else operands)


class RightSideNotAnalysed(ScopeAnalysis):
    """The right side of an assignment is not analysed."""

    def assignment(self, s: Assign | Increment, cf: Node) -> Node:
        """The left side alone."""
        if isinstance(s, Assign):
            left, root = self.left_side(s.left, cf), self.resolution.root(s.left)
            if id(root) in self.M:
                self.M[id(root)] = self.assigned(s, id(root), cf, left, [])
            return cf
        return super().assignment(s, cf)


class ThroughPointersNothing(ScopeAnalysis):
    """An assignment through a pointer changes no variable."""

    def assignment(self, s: Assign | Increment, cf: Node) -> Node:
        """Only what begins with a name does."""
        kept, left = self.M.copy(), s.left
        after = super().assignment(s, cf)
        while isinstance(left, Member):
            left = left.base
        if isinstance(left, Unary):
            self.M = kept
        return after


def _assigned(name: str, branch: str, effect: Effect, of: Callable[[set[Node], Node, Node], set[Node]]) -> Variant:
    """A variant of the edges of L; `of` gets the successors, control flow and the old value."""

    class Edges(ScopeAnalysis):
        tells_nodes_apart = True

        def assigned(self, s: Assign | Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
            successors = of({cf, left, *operands, *self.kept(s.left)}, cf, self.M[x])
            return self.graph.fresh(Role.ASSIGNED, s, self.subjects[x], *successors)

    return row(name, branch, effect, Edges)


ASSIGNMENT_VARIANTS: tuple[Variant, ...] = (
    _assigned("assign/left/no-control-flow", "L -> CF", LAXER, lambda nodes, cf, old: nodes - {cf}),
    _assigned("assign/left/full-keeps", "full reference: L -> V alone", STRICTER, lambda nodes, cf, old: nodes | {old}),
    _assigned(
        "assign/left/non-uniform",
        "L -> what it depends on",
        STRICTER,
        lambda nodes, cf, old: nodes | {MAY_BE_NON_UNIFORM},
    ),
    changed(
        "assign/left/partial-forgets",
        "partial reference: L -> Vout(prev)",
        LAXER,
        S.kept,
        lambda kept, self, e: [],
    ),
    changed("assign/left/not-analysed", "L = lhs(e1, cf)", EITHER, S.left_side, lambda left_side, self, e, cf: cf),
    changed(
        "assign/left/loaded",
        "the left side is not loaded",
        STRICTER,
        S.left_side,
        lambda left_side, self, e, cf: self.expr(e, cf, not isinstance(e, Identifier)),
    ),
    row("assign/right/dropped", "L -> V", LAXER, RightSideDropped),
    row("assign/right/not-analysed", "V = expr(e2, cf)", EITHER, RightSideNotAnalysed),
    row("assign/order/right-first", "the left side, then the right", EITHER, OtherOrder),
    row("assign/variable/not-through-pointers", "Vin(next) -> V(e), *p = e", EITHER, ThroughPointersNothing),
    changed(
        "assign/variable/unchanged",
        "Vin(next) -> V(e)",
        EITHER,
        S.assigned,
        lambda assigned, self, s, x, cf, left, operands: self.M[x],
    ),
    changed(
        "compound/old-value/dropped",
        "e1 op= e2 as e1 = e1 op e2",
        LAXER,
        S.assigned,
        lambda assigned, self, s, x, cf, left, operands: assigned(
            s, x, cf, left, operands[1:] if isinstance(s, Assign) and s.operator != "=" else operands
        ),
    ),
    changed(
        "increment/old-value/dropped",
        "e1++ as e1 += 1",
        LAXER,
        S.assigned,
        lambda assigned, self, s, x, cf, left, operands: assigned(
            s, x, cf, left, operands if isinstance(s, Assign) else []
        ),
    ),
    row("compound/old-value/last", "the old value, then e2", EITHER, OldValueLast),
)
