"""Broken variants of `loop`, `while` and `for` (15.2.6) and of their values (15.2.5)."""

from collections.abc import Callable

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import Changes, VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.wgsl.behaviours import BREAK, CONTINUE, NEXT, RETURN
from wgsl_fuzz.wgsl.syntax import Break, Continue, Expression, For, Function, Loop, While
from wgsl_fuzz.wgsl.syntax import Node as Syntax
from wgsl_fuzz.wgsl.walk import descendants


class ContinuingFromHead(ScopeAnalysis):
    """`continuing` begins with the control flow at the loop's head."""

    head_of: dict[int, Node]

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        """Keeps it."""
        self.head_of = {**getattr(self, "head_of", {}), id(s): cf}
        return super().loop_body(s, cf)

    def continuing(self, s: Iteration, cf: Node) -> Node:
        """From there."""
        return super().continuing(s, self.head_of[id(s)])


class BodyFromBefore(ScopeAnalysis):
    """The body begins with the control flow before the loop."""

    flow_before: Node

    def loop(self, s: Iteration, cf: Node) -> Node:
        """Keeps it."""
        self.flow_before = cf
        return super().loop(s, cf)

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        """From there."""
        return super().loop_body(s, self.flow_before)


class BodyWithOldValues(ScopeAnalysis):
    """The body begins with the values before the loop."""

    def heads(self, s: Iteration) -> VariableMap:
        """No node of a head."""
        return {}


class HeadsWithoutOldValues(ScopeAnalysis):
    """Values at the head have no edge to those before the loop."""

    def heads(self, s: Iteration) -> VariableMap:
        """Nodes without edges."""
        return {x: self.graph.growing(Role.HEAD, s, self.subjects[x]) for x in super().heads(s)}


class AssignmentsChangeNothing(ScopeAnalysis):
    """Only calls change variables in loops, or only assignments do."""

    by_calls = True

    def changes_in(self, f: Function) -> Changes:
        """What the other way changes is left out."""
        found = super().changes_in(f)
        loops = [n for n in descendants(f.body) if isinstance(n, Loop | While | For)]
        return found | {id(s): frozenset(self.left_of(s)) & {*found[id(s)]} for s in loops}

    def left_of(self, s: Iteration) -> set[int]:
        """The variables that calls change, or those that are assigned."""
        roots: set[int] = set()
        for n in descendants(s):
            arguments: tuple[Expression, ...] = getattr(n, "arguments", ()) if self.by_calls else ()
            left: Expression | None = None if self.by_calls else getattr(n, "left", None)
            for e in (*arguments, *([] if left is None else [left])):
                roots.add(id(self.resolution.root(e)))
        return roots


class CallsChangeNothing(AssignmentsChangeNothing):
    """Only assignments change variables in loops."""

    by_calls = False


class InnerLoopsChangeNothing(ScopeAnalysis):
    """What an inner loop changes is not counted for the loops around it."""

    def changes_in(self, f: Function) -> Changes:
        """Each loop without those in it."""
        found = super().changes_in(f)
        loops = [n for n in descendants(f.body) if isinstance(n, Loop | While | For)]
        inner = {id(s): {x for n in loops if n is not s and _is_in(n, s) for x in found[id(n)]} for s in loops}
        return found | {id(s): [x for x in found[id(s)] if x not in inner[id(s)]] for s in loops}


def _is_in(inner: Syntax, outer: Syntax) -> bool:
    return any(n is inner for n in descendants(outer))


def _behind(
    name: str,
    branch: str,
    effect: Effect,
    of: Callable[[int, Node, Node, Node], Node | None],
    *,
    equivalent: str = "",
) -> Variant:
    """A variant of the control flow after a loop; `of` gets B1, CF, CF1 and CF', and gives None for the rule's."""

    class Behind(ScopeAnalysis):
        def cf_after_loop(self, s: Iteration, cf: Node, cf1: Node, head: Node) -> Node:
            other = of(self.body_behaviours(s), cf, cf1, head)
            return super().cf_after_loop(s, cf, cf1, head) if other is None else other

    return rows.row(name, branch, effect, Behind, equivalent=equivalent)


def _goes_on(b1: int) -> bool:
    return bool(b1 & (NEXT | CONTINUE))


CONTROL_FLOW: tuple[Variant, ...] = (
    rows.changed(
        "loop/head/no-entry",
        "H -> CF",
        rows.LAXER,
        rows.S.cf_head,
        lambda cf_head, self, s, cf: self.graph.growing(Role.CF_HEAD, s, None),
    ),
    rows.changed(
        "loop/head/no-back-edge",
        "H -> CF2",
        rows.LAXER,
        rows.S.back_edges,
        lambda back_edges, self, b1, head, heads, cf2: back_edges(b1, head, heads, head),
    ),
    rows.changed(
        "loop/head/back-edge-only-by-next",
        "H if B1 meets {Next, Continue}",
        rows.LAXER,
        rows.S.has_back_edge,
        lambda has, self, b1: bool(b1 & NEXT),
    ),
    rows.changed(
        "loop/head/back-edge-only-by-continue",
        "H if B1 meets {Next, Continue}",
        rows.LAXER,
        rows.S.has_back_edge,
        lambda has, self, b1: bool(b1 & CONTINUE),
    ),
    rows.changed(
        "loop/head/non-uniform",
        "H -> {CF2, CF}",
        rows.STRICTER,
        rows.S.cf_head,
        lambda cf_head, self, s, cf: self.graph.growing(Role.CF_HEAD, s, None, MAY_BE_NON_UNIFORM),
    ),
    rows.row("loop/body/from-before", "CF1 = stmt(s1, H)", rows.LAXER, BodyFromBefore),
    rows.row("loop/continuing/from-head", "CF2 = stmt(s2, CF1)", rows.LAXER, ContinuingFromHead),
    rows.changed(
        "loop/continuing/not-analysed",
        "CF2 = stmt(s2, CF1)",
        rows.EITHER,
        rows.S.continuing,
        lambda continuing, self, s, cf: cf if isinstance(s, Loop) else continuing(s, cf),
    ),
    rows.changed(
        "loop/continuing/only-by-next",
        "s2 is analysed if B1 meets {Next, Continue}",
        rows.EITHER,
        rows.S.reaches_continuing,
        lambda reaches, self, b1: bool(b1 & NEXT),
    ),
    rows.changed(
        "loop/continuing/only-by-continue",
        "s2 is analysed if B1 meets {Next, Continue}",
        rows.EITHER,
        rows.S.reaches_continuing,
        lambda reaches, self, b1: bool(b1 & CONTINUE),
    ),
    _behind(
        "loop/after/goes-on-without-return-gives-head",
        "without Return in B1: CF",
        rows.STRICTER,
        lambda b1, cf, cf1, head: head if _goes_on(b1) else None,
    ),
    _behind(
        "loop/after/only-breaks-gives-body",
        "{Break}: CF",
        rows.STRICTER,
        lambda b1, cf, cf1, head: cf1 if b1 == BREAK else None,
    ),
    _behind("loop/after/always-before", "with Return in B1: CF1 or H", rows.LAXER, lambda b1, cf, cf1, head: cf),
    _behind(
        "loop/after/goes-on-with-return-gives-before",
        "with Return, and Next or Continue, in B1: H",
        rows.LAXER,
        lambda b1, cf, cf1, head: cf if b1 & RETURN and _goes_on(b1) else None,
    ),
    _behind(
        "loop/after/goes-on-with-return-gives-body",
        "with Return, and Next or Continue, in B1: H",
        rows.EITHER,
        lambda b1, cf, cf1, head: cf1 if b1 & RETURN and _goes_on(b1) else None,
        equivalent="CF1 has a path to H, from which the body begins, and H has one to CF1 by the back edge.",
    ),
    _behind(
        "loop/after/break-and-return-gives-before",
        "{Break, Return}: CF1",
        rows.LAXER,
        lambda b1, cf, cf1, head: cf if b1 == BREAK | RETURN else None,
    ),
)


VALUES: tuple[Variant, ...] = (
    rows.row("loop/values/no-entry", "Vin(s1) -> Vout(prev)", rows.LAXER, HeadsWithoutOldValues),
    rows.row("loop/values/no-heads", "Vin(s1) -> {Vout(prev), Vout(s2)}", rows.LAXER, BodyWithOldValues),
    rows.changed(
        "loop/values/no-back-edge",
        "Vin(s1) -> Vout(s2)",
        rows.LAXER,
        rows.S.back_edges,
        lambda back_edges, self, b1, head, heads, cf2: back_edges(b1, head, {}, cf2),
    ),
    rows.row(
        "loop/values/assignments-do-not-count", "Vin(s1) -> Vout(s2), x assigned", rows.LAXER, AssignmentsChangeNothing
    ),
    rows.row(
        "loop/values/calls-do-not-count", "Vin(s1) -> Vout(s2), x written by a call", rows.LAXER, CallsChangeNothing
    ),
    rows.row(
        "loop/values/inner-loops-do-not-count", "Vin(s1) -> Vout(s2), x of s1", rows.LAXER, InnerLoopsChangeNothing
    ),
    rows.changed(
        "loop/values/continuing-without-end",
        "Vin(s2) -> Vout(s1) if Next in B1",
        rows.EITHER,
        rows.S.flows_to_continuing,
        lambda flows, self, b1: False,
    ),
    rows.changed_stmt(
        "loop/values/continuing-without-continues",
        "Vin(s2) -> Vout of each continue",
        rows.EITHER,
        Continue,
        lambda before, self, s, cf: cf,
    ),
    rows.changed_stmt(
        "loop/values/exit-without-breaks",
        "Vin(next) -> Vout of each break",
        rows.EITHER,
        Break,
        lambda before, self, s, cf: cf,
    ),
    rows.changed(
        "loop/values/exit-without-end",
        "Vin(next) -> Vout(s2) if Break in B2",
        rows.EITHER,
        rows.S.is_left_at_end,
        lambda is_left, self, s, b1: False,
    ),
    rows.changed(
        "loop/values/exit-as-before",
        "Vin(next) -> Vout of what leaves",
        rows.EITHER,
        rows.S.behind_loop,
        lambda behind, self, s, b1, end, before: {**behind(s, b1, end, before), **before},
    ),
    rows.changed(
        "loop/values/exit-of-body",
        "Vin(next) -> Vout of each break",
        rows.STRICTER,
        rows.S.behind_loop,
        lambda behind, self, s, b1, end, before: _with_end(self, s, behind(s, b1, end, before), end),
    ),
)


def _with_end(analysis: ScopeAnalysis, s: Iteration, exits: VariableMap, end: VariableMap) -> VariableMap:
    return analysis.join(Role.EXIT, s, [exits, end])


class ConditionAfterBody(ScopeAnalysis):
    """The condition of `while` and `for` is that of a `break if` behind the body."""

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        """The body first."""
        if isinstance(s, Loop) or s.condition is None:
            return super().loop_body(s, cf)
        after = self.block(s.body, cf)
        after = self.condition(s, s.condition, after)
        self.breaks[-1].append(self.M.copy())
        return after


class ConditionsThatNeverBreak(ScopeAnalysis):
    """The variables at the condition of `while` and `for` do not leave."""

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        """Without the first `break`."""
        if isinstance(s, Loop) or s.condition is None:
            return super().loop_body(s, cf)
        return self.block(s.body, self.condition(s, s.condition, cf))


def _conditions(kind: type, word: str) -> tuple[Variant, ...]:
    """`if !c {break;}` at the start of `while` and `for`."""

    class Dropped(ScopeAnalysis):
        def condition(self, syntax: Syntax, e: Expression, cf: Node) -> Node:
            v = super().condition(syntax, e, cf)
            return cf if isinstance(syntax, kind) else v

    class Missing(ScopeAnalysis):
        def condition(self, syntax: Syntax, e: Expression, cf: Node) -> Node:
            return cf if isinstance(syntax, kind) else super().condition(syntax, e, cf)

    return (
        rows.row(f"{word}/condition/dropped", "s1 begins with if !c {break;}", rows.LAXER, Dropped),
        rows.row(f"{word}/condition/not-analysed", "V = expr(c, H)", rows.EITHER, Missing),
    )


class NoInitial(ScopeAnalysis):
    """The initial statement of `for` is not analysed, but for its name."""

    def for_loop(self, s: For, cf: Node) -> Node:
        """As if it were uniform."""
        if s.initial is not None:
            values, requirements = self.M.copy(), len(self.graph.requirements)
            self.stmt(s.initial, cf)
            del self.graph.requirements[requirements:]
            new = {x: cf for x in self.M if x not in values}
            self.M = {**values, **new}
        return self.loop(s, cf)


WHILE_FOR: tuple[Variant, ...] = (
    *_conditions(While, "while"),
    *_conditions(For, "for"),
    rows.row("while/condition/behind-body", "if !c {break;} before s1", rows.EITHER, ConditionAfterBody),
    rows.row(
        "while/condition/never-breaks", "Vin(next) -> Vout of the first break", rows.EITHER, ConditionsThatNeverBreak
    ),
    rows.changed(
        "while/condition/no-behaviour",
        "B1 of if !c {break;} and s1",
        rows.EITHER,
        rows.S.body_behaviours,
        lambda b1, self, s: self.behaviours.behaviour(s.body),
        equivalent="Break in B1 decides only between {Return} and {Break, Return}, which give the same control flow.",
    ),
    rows.row("for/initial/not-analysed", "{ i; loop ... }", rows.EITHER, NoInitial),
    rows.changed(
        "for/update/not-analysed",
        "continuing { u }",
        rows.EITHER,
        rows.S.continuing,
        lambda continuing, self, s, cf: cf if isinstance(s, For) else continuing(s, cf),
    ),
)

LOOP_VARIANTS: tuple[Variant, ...] = (*CONTROL_FLOW, *VALUES, *WHILE_FOR)
