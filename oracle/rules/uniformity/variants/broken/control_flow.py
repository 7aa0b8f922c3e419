"""Broken variants of branches and loops (15.2.6), and of where the values of variables meet (15.2.5)."""

from collections.abc import Callable, Iterator
from typing import Any

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import Changes, VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import EITHER, LAXER, STRICTER, S, broken, nothing, row
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BREAK, CONTINUE, NEXT, RETURN
from wgsl_fuzz.wgsl.walk import descendants

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

    return row(name, branch, effect, Walk)


def _joined_at(name: str, branch: str, at: Role, of: Callable[[list[VariableMap]], list[VariableMap]]) -> Variant:
    """A variant of the edges of values behind a statement."""
    return broken(name, branch, LAXER).by(S.join, maps=of, where=lambda role: role is at)


def _afters(word: str, at: Role) -> Iterator[Variant]:
    """Both statements have the same rule for the control flow after them."""

    def of(what: str, branch: str, effect: Effect, rule: Callable[..., Node] | None = None, **given: Any) -> Variant:
        given = {"where": lambda role: role is at, **given}
        return broken(f"{word}/after/{what}", branch, effect).by(S.after_branches, rule, **given)

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


IF_VARIANTS: tuple[Variant, ...] = (
    broken("if/condition/dropped", "s_k from V", LAXER).by(S.condition, lambda result, cf: cf, of=w.If),
    broken("if/condition/non-uniform", "s_k from V", STRICTER).by(
        S.condition, lambda result: MAY_BE_NON_UNIFORM, of=w.If
    ),
    broken("if/condition/nothing", "s_k from V", LAXER).by(S.condition, lambda result, self: nothing(self), of=w.If),
    broken("if/condition/not-analysed", "V = expr(e, cf)", EITHER).by(S.condition, lambda cf: cf, of=w.If),
    _alternatives("if/then/not-analysed", "CF1 = stmt(s1, V)", EITHER, lambda self, n, v: [None, v]),
    _alternatives("if/else/not-analysed", "CF2 = stmt(s2, V)", EITHER, lambda self, n, v: [v, None]),
    _alternatives("if/then/from-start", "CF1 = stmt(s1, V)", LAXER, lambda self, n, v: [nothing(self), v]),
    _alternatives("if/else/from-start", "CF2 = stmt(s2, V)", LAXER, lambda self, n, v: [v, nothing(self)]),
    _alternatives("if/else/after-then", "Vin(s2) -> Vout(prev)", EITHER, restored=False),
    _alternatives(
        "if/values/then-without-next",
        "Vin(next) -> Vout(s1) if Next in B1",
        STRICTER,
        joined=lambda i, b: i == 0 or bool(NEXT & b),
    ),
    _alternatives(
        "if/values/else-without-next",
        "Vin(next) -> Vout(s2) if Next in B2",
        STRICTER,
        joined=lambda i, b: i == 1 or bool(NEXT & b),
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
    broken("switch/selector/dropped", "s_k from V", LAXER).by(S.condition, lambda result, cf: cf, of=w.Switch),
    broken("switch/selector/nothing", "s_k from V", LAXER).by(
        S.condition, lambda result, self: nothing(self), of=w.Switch
    ),
    broken("switch/selector/non-uniform", "s_k from V", STRICTER).by(
        S.condition, lambda result: MAY_BE_NON_UNIFORM, of=w.Switch
    ),
    broken("switch/selector/not-analysed", "V = expr(e, cf)", EITHER).by(S.condition, lambda cf: cf, of=w.Switch),
    _alternatives(
        "switch/clause/first-from-start",
        "CF1 = stmt(s1, V)",
        LAXER,
        lambda self, n, v: [nothing(self), *[v] * (n - 1)],
        switches=True,
    ),
    _alternatives(
        "switch/clause/others-from-start",
        "CFk = stmt(s_k, V)",
        LAXER,
        lambda self, n, v: [v, *[nothing(self)] * (n - 1)],
        switches=True,
    ),
    _alternatives("switch/clause/falls-through", "Vin(s_k) -> Vout(prev)", EITHER, restored=False, switches=True),
    _alternatives(
        "switch/values/without-next",
        "Vin(next) -> Vout(s_k) where Next in B_k",
        STRICTER,
        joined=lambda i, b: True,
        switches=True,
    ),
    _alternatives(
        "switch/values/no-ends",
        "Vin(next) -> Vout(s_k) where Next in B_k",
        EITHER,
        joined=lambda i, b: False,
        switches=True,
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

    head_of: dict[int, Node]

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        self.head_of = {**getattr(self, "head_of", {}), id(s): cf}
        return super().loop_body(s, cf)

    def continuing(self, s: Iteration, cf: Node) -> Node:
        return super().continuing(s, self.head_of[id(s)])


class BodyFromBefore(ScopeAnalysis):
    """The body begins with the control flow before the loop."""

    flow_before: Node

    def loop(self, s: Iteration, cf: Node) -> Node:
        self.flow_before = cf
        return super().loop(s, cf)

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        return super().loop_body(s, self.flow_before)


class AssignmentsChangeNothing(ScopeAnalysis):
    """Only calls change variables in loops, or only assignments do."""

    by_calls = True

    def changes_in(self, f: w.Function) -> Changes:
        """What the other way changes is left out."""
        found = super().changes_in(f)
        loops = [n for n in descendants(f.body) if isinstance(n, w.Loop | w.While | w.For)]
        return found | {id(s): [x for x in found[id(s)] if x in self.left_of(s)] for s in loops}

    def left_of(self, s: Iteration) -> set[int]:
        """The variables that calls change, or those that are assigned."""
        roots: set[int] = set()
        for n in descendants(s):
            arguments: tuple[w.Expression, ...] = getattr(n, "arguments", ()) if self.by_calls else ()
            left: w.Expression | None = None if self.by_calls else getattr(n, "left", None)
            for e in (*arguments, *([] if left is None else [left])):
                roots.add(id(self.resolution.root(e)))
        return roots


class CallsChangeNothing(AssignmentsChangeNothing):
    """Only assignments change variables in loops."""

    by_calls = False


class InnerLoopsChangeNothing(ScopeAnalysis):
    """What an inner loop changes is not counted for the loops around it."""

    def changes_in(self, f: w.Function) -> Changes:
        """Each loop without those in it."""
        found = super().changes_in(f)
        loops = [n for n in descendants(f.body) if isinstance(n, w.Loop | w.While | w.For)]
        inner = {id(s): {x for n in loops if n is not s and _is_in(n, s) for x in found[id(n)]} for s in loops}
        return found | {id(s): [x for x in found[id(s)] if x not in inner[id(s)]] for s in loops}


def _is_in(inner: w.Node, outer: w.Node) -> bool:
    return any(n is inner for n in descendants(outer))


def _behind(
    name: str, branch: str, effect: Effect, when: Callable[[int], bool], rule: Callable[..., Node], equivalent: str = ""
) -> Variant:
    """A variant of the control flow after a loop for some B1."""
    return broken(f"loop/after/{name}", branch, effect, equivalent).by(
        S.cf_after_loop, rule, where=lambda self, s: when(self.body_behaviours(s))
    )


def _goes_on(b1: int) -> bool:
    return bool(b1 & (NEXT | CONTINUE))


def _goes_on_or_returns(b1: int) -> bool:
    return bool(b1 & RETURN) and _goes_on(b1)


CONTROL_FLOW: tuple[Variant, ...] = (
    broken("loop/head/no-entry", "H -> CF", LAXER).by(
        S.cf_head, lambda self, s: self.graph.growing(Role.CF_HEAD, s, None)
    ),
    broken("loop/head/no-back-edge", "H -> CF2", LAXER).by(S.back_edges, cf2=lambda head: head),
    broken("loop/head/back-edge-only-by-next", "H if B1 meets {Next, Continue}", LAXER).by(
        S.has_back_edge, lambda b1: bool(b1 & NEXT)
    ),
    broken("loop/head/back-edge-only-by-continue", "H if B1 meets {Next, Continue}", LAXER).by(
        S.has_back_edge, lambda b1: bool(b1 & CONTINUE)
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
        _goes_on_or_returns,
        lambda cf: cf,
    ),
    _behind(
        "goes-on-with-return-gives-body",
        "with Return, and Next or Continue, in B1: H",
        EITHER,
        _goes_on_or_returns,
        lambda cf1: cf1,
        equivalent="CF1 has a path to H, from which the body begins, and H has one to CF1 by the back edge.",
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
    row("loop/values/assignments-do-not-count", "Vin(s1) -> Vout(s2), x assigned", LAXER, AssignmentsChangeNothing),
    row("loop/values/calls-do-not-count", "Vin(s1) -> Vout(s2), x written by a call", LAXER, CallsChangeNothing),
    row("loop/values/inner-loops-do-not-count", "Vin(s1) -> Vout(s2), x of s1", LAXER, InnerLoopsChangeNothing),
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


def _conditions(kind: type, word: str) -> Iterator[Variant]:
    """`if !c {break;}` at the start of `while` and `for`."""
    yield broken(f"{word}/condition/dropped", "s1 begins with if !c {break;}", LAXER).by(
        S.condition, lambda result, cf: cf, of=kind
    )
    yield broken(f"{word}/condition/not-analysed", "V = expr(c, H)", EITHER).by(S.condition, lambda cf: cf, of=kind)


class NoInitial(ScopeAnalysis):
    """The initial statement of `for` is not analysed, but for its name."""

    def for_loop(self, s: w.For, cf: Node) -> Node:
        if s.initial is not None:
            values, requirements = self.M.copy(), len(self.graph.requirements)
            self.stmt(s.initial, cf)
            del self.graph.requirements[requirements:]
            new = {x: cf for x in self.M if x not in values}
            self.M = {**values, **new}
        return self.loop(s, cf)


WHILE_FOR: tuple[Variant, ...] = (
    *_conditions(w.While, "while"),
    *_conditions(w.For, "for"),
    broken("while/condition/behind-body", "if !c {break;} before s1", EITHER).by(
        S.loop_body, _condition_after_body, where=_has_condition
    ),
    broken("while/condition/never-breaks", "Vin(next) -> Vout of the first break", EITHER).by(
        S.loop_body, lambda self, s, cf: self.block(s.body, self.condition(s, s.condition, cf)), where=_has_condition
    ),
    broken(
        "while/condition/no-behaviour",
        "B1 of if !c {break;} and s1",
        EITHER,
        equivalent="Break in B1 decides only between {Return} and {Break, Return}, which give the same control flow.",
    ).by(S.body_behaviours, lambda self, s: self.behaviours.behaviour(s.body)),
    row("for/initial/not-analysed", "{ i; loop ... }", EITHER, NoInitial),
    broken("for/update/not-analysed", "continuing { u }", EITHER).by(S.continuing, lambda cf: cf, of=w.For),
)

LOOP_VARIANTS: tuple[Variant, ...] = (*CONTROL_FLOW, *VALUES, *WHILE_FOR)
