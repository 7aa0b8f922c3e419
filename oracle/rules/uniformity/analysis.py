"""The uniformity analysis of a module (15.2.3): functions in order of calls, statements (15.2.6), and tags."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import ClassVar

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.expressions import Changes, ExpressionRules, NoValues, VariableMap, changes_in
from wgsl_fuzz.oracle.rules.uniformity.graph import (
    CF_START,
    MAY_BE_NON_UNIFORM,
    VALUE_RETURN,
    Reached,
    Requirement,
    Role,
    UniformityGraph,
)
from wgsl_fuzz.oracle.rules.uniformity.tags import FunctionTags, Origin, ParameterTags, Required, TriggerRules
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BREAK, CONTINUE, NEXT, RETURN, BehaviourAnalysis
from wgsl_fuzz.wgsl.builtins import Scope
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.problems import in_each
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.walk import with_more_stack

Iteration = w.Loop | w.While | w.For


_NOTHING = w.Empty()
"""The body of a missing `else`."""
SUBGROUPS = "subgroups"
"""The name of the extension that adds subgroup operations."""


@core.node
class FunctionResult:
    """The graph of one function in one scope, its tags, and which of its requirements do not hold."""

    function: w.Function
    scope: Scope | None
    graph: UniformityGraph
    tags: FunctionTags
    violations: tuple[Requirement, ...]


@core.node
class ModuleAnalysis:
    """The verdict on a module: REJECTS if a requirement of severity error does not hold."""

    verdict: Verdict
    functions: tuple[FunctionResult, ...]
    """The results of each scope, callees first."""

    @property
    def violations(self) -> Iterator[tuple[FunctionResult, Requirement]]:
        """The requirements that do not hold, of any severity."""
        return ((result, violation) for result in self.functions for violation in result.violations)


class ScopeAnalysis(ExpressionRules):
    """The analysis of all functions of a module in one scope: the rows of 15.2.5 and 15.2.6, and the tags.

    Each branch of a rule is a method, even where two have one body: variants of the rules override them one by one
    (`oracle.rules.uniformity.variants`). `CF`, `V`, `s1`, `B1` and so on are the names of the specification.
    """

    behaviours: BehaviourAnalysis
    exits: VariableMap
    """Value_return_i_contents (O_i), by `id` of the parameter."""
    breaks: list[list[VariableMap]]
    """For each enclosing statement that a `break` may leave: the variables at its breaks."""
    continues: list[list[VariableMap]]
    """For each enclosing loop: the variables at its `continue`s."""

    behaviour_analysis: ClassVar[type[BehaviourAnalysis]] = BehaviourAnalysis
    """The analysis of behaviours (9.7)."""

    graph_type: ClassVar[type[UniformityGraph]] = UniformityGraph
    """The graph that the rules build, or `sets.SourceSets` in its place."""

    tells_nodes_apart: ClassVar[bool] = False
    """Whether the rules compare nodes by identity: then `sets.SourceSets` cannot replace the graph."""

    severities: ClassVar[tuple[Severity, ...]] = (Severity.ERROR, Severity.WARNING, Severity.INFO)
    """The severities of requirements, highest first."""

    def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
        super().__init__(resolution, scope)
        B = self.behaviour_analysis
        self.behaviours = resolution.once(B, B)

    @classmethod
    def scopes(cls, resolution: Resolution) -> tuple[Scope | None, ...]:
        """The scopes to analyse. Without subgroup operations nothing is required in the scope of subgroups."""
        return (Scope.WORKGROUP, Scope.SUBGROUP) if SUBGROUPS in resolution.extensions else (Scope.WORKGROUP,)

    @classmethod
    def goes_on(cls, results: Sequence[FunctionResult]) -> bool:
        """Whether the next scope is analysed, given the results of the scopes before it."""
        return True

    def module(self) -> list[FunctionResult]:
        """The results of all functions, callees first. Raises ResolveProblem for behaviours that are not allowed."""
        in_each(self.resolution.functions, self.behaviours.check)
        results = []
        for f in self.resolution.functions:
            result = self.analyse_function(f)
            self.F[id(f)] = result.tags
            results.append(result)
        return results

    def analyse_function(self, f: w.Function) -> FunctionResult:
        """15.2.3, steps for one function."""
        self.start_function(f)
        self.parameters = {id(p): self.at_entry(Role.PARAMETER, p) for p in f.parameters}
        pointers = [p for p in f.parameters if self.is_contents(p)]
        entries = {id(p): self.at_entry(Role.CONTENTS_AT_ENTRY, p) for p in pointers}
        self.exits = {id(p): self.graph.growing(Role.CONTENTS_AT_EXIT, p, p) for p in pointers}
        self.M = self.values_at_entry(entries)
        self.filters.push(f.attributes)
        self.block(f.body, CF_START)
        self.filters.pop()
        if self.end_is_reached(f):
            self.fall_off_end()
        non_uniform = self.graph.non_uniform()
        violations = tuple(r for r in self.graph.requirements if non_uniform(r.target))
        return FunctionResult(f, self.scope, self.graph, self.tags(f, entries, violations), violations)

    def start_function(self, f: w.Function) -> None:
        """Makes the state that belongs to one function; a variant adds its own here."""
        self.function = f
        self.graph = self.graph_type()
        self.changes = self.changes_in(f)
        self.breaks, self.continues, self.lets = [], [], {}
        self.subjects = {id(p): p for p in f.parameters}

    def at_entry(self, role: Role, p: w.Parameter) -> Node:
        """The value of a parameter, or what it points to, when the function is called."""
        return self.graph.growing(role, p, p)

    def values_at_entry(self, contents: VariableMap) -> VariableMap:
        """The variables when the function is called: the contents of its pointer parameters."""
        return contents.copy()

    def changes_in(self, f: w.Function) -> Changes:
        """Which variables each loop of a function may change."""
        key = changes_in, type(self.resolution), id(f)  # a variant may resolve names differently
        return self.resolution.once(key, lambda: changes_in(f, self.resolution))

    def end_is_reached(self, f: w.Function) -> bool:
        """Whether the end of its body is reached: Next is among its behaviours."""
        return bool(self.behaviours.behaviour(f.body) & NEXT)

    def fall_off_end(self) -> None:
        """The end of a body is like a `return`."""
        self.leave_function()

    # ---------------------------------------------------------------------------------------------------- statements

    def stmts(self, statements: tuple[w.Statement, ...], cf: Node) -> Node:
        """s1 s2: s2 is analysed only if Next is among the behaviours of s1."""
        for s in statements:
            cf = self.stmt(s, cf)
            if not NEXT & self.behaviours.behaviour(s):
                break
        return cf

    def block(self, s: w.Block, cf: Node) -> Node:
        """`{s}`."""
        if not s.attributes:
            return self.stmts(s.statements, cf)
        self.filters.push(s.attributes)
        cf = self.stmts(s.statements, cf)
        self.filters.pop()
        return cf

    def stmt(self, s: w.Statement, cf: Node) -> Node:
        """One statement: the control flow after it. The diagnostic filters of a compound one are in force in it."""
        rule: Callable[[w.Statement, Node], Node] = getattr(self, _STATEMENTS[s.__class__])
        if not isinstance(s, _COMPOUND) or not s.attributes:
            return rule(s, cf)
        self.filters.push(s.attributes)
        cf = rule(s, cf)
        self.filters.pop()
        return cf

    def without_rule(self, _: w.Statement, cf: Node) -> Node:
        """Statements that leave control flow and variables as they are."""
        return cf

    def let_statement(self, s: w.Let, cf: Node) -> Node:
        """`let x = e`."""
        self.lets[id(s)] = self.value(s.value, cf)
        return cf

    def var_statement(self, s: w.Variable, cf: Node) -> Node:
        """`var x = e`, or `var x`, whose zero depends on the control flow."""
        self.subjects[id(s)] = s
        self.M[id(s)] = cf if s.value is None else self.value(s.value, cf)
        if s.value is None and s.type is not None and self.resolution.has_matrices:
            zero = w.Call(s.type, (), start=s.start, end=s.end)
            self.zero(self.resolution.once((w.Variable, id(s)), lambda: zero), cf)  # one node in each analysis
        return cf

    def zero(self, e: w.Call, cf: Node) -> None:
        """The zero of a variable, `T()`, which counts where subgroup matrices are in it (a proposal)."""
        self.call(e, cf)

    def phony(self, s: w.Phony, cf: Node) -> Node:
        """`_ = e`."""
        self.value(s.value, cf)
        return cf

    def call_statement(self, s: w.CallStatement, cf: Node) -> Node:
        """A call without a use of its result."""
        self.call(s.call, cf)
        return cf

    def break_(self, _: w.Break, cf: Node) -> Node:
        """`break`."""
        self.breaks[-1].append(copy(self.M))  # variants for older texts still assign to `self.M` after a `break`
        return cf

    def continue_(self, _: w.Continue, cf: Node) -> Node:
        """`continue`."""
        self.continues[-1].append(self.M)
        return cf

    # ------------------------------------------------------------------------------------------------- assignments

    def assignment(self, s: w.Assign | w.Increment, cf: Node) -> Node:
        """`e1 = e2`, `e1 op= e2`, `e1++`: the left side, then the right; a compound one reads the left side first."""
        left = self.left_side(s.left, cf)
        operands = [] if isinstance(s, w.Assign) and s.operator == "=" else [self.old_value(s.left, cf)]
        if isinstance(s, w.Assign):
            operands.append(self.value(s.right, cf))
        root = self.resolution.root(s.left)
        if id(root) in self.M:
            self.M[id(root)] = self.assigned(s, id(root), cf, left, operands)
        return cf

    def assigned(self, s: w.Assign | w.Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
        """The value of a variable after an assignment: L -> {CF, the right side, every index, the value it keeps}."""
        return self.graph.fresh(Role.ASSIGNED, s, self.subjects[x], *{cf, left, *operands, *self.kept(s.left)})

    def left_side(self, e: w.Expression, cf: Node) -> Node:
        """The address of a left side: control flow and every index."""
        return self.expr(e, cf, False)

    def old_value(self, e: w.Expression, cf: Node) -> Node:
        """The value of a left side that is evaluated already."""
        return self.named(e, self.resolution.root(e), cf, True)

    def kept(self, e: w.Expression) -> list[Node]:
        """What of the old value an assignment keeps: all of it if the reference is partial."""
        return [] if self.replaces_all(e) else [self.M[id(self.resolution.root(e))]]

    def replaces_all(self, e: w.Expression) -> bool:
        """Whether an assignment to `e` leaves nothing of its root variable: it is a full reference."""
        return self.resolution.is_full(e)

    def meet(self, role: Role, s: w.Statement, maps: list[VariableMap], before: VariableMap) -> VariableMap:
        """The variables where paths with these `maps` meet. Without a path the code is dead, without values."""
        if maps:
            return self.join(role, s, maps)
        return NoValues({x: self.graph.fresh(role, s, self.subjects[x]) for x in before})

    # ----------------------------------------------------------------------------------------------------- branches

    def conditional(self, s: w.If, cf: Node) -> Node:
        """`if e s1 else s2`."""
        v, before = self.condition(s, s.condition, cf), self.M
        branches: list[w.Statement] = [s.then, _NOTHING if s.orelse is None else s.orelse]
        ends, maps = self.alternatives(branches, v)
        self.M = self.meet(Role.AFTER_IF, s, maps, before)
        return self.after_branches(Role.CF_AFTER_IF, s, cf, ends)

    def alternatives(
        self, branches: list[w.Statement], v: Node, joined: int = NEXT
    ) -> tuple[list[Node], list[VariableMap]]:
        """The control flow at the end of each branch, and the variables of those that have a behaviour of `joined`."""
        before, ends, maps = self.M, [], []
        for branch in branches:
            self.M = before.copy()
            ends.append(self.stmt(branch, v))
            if joined & self.behaviour(branch):
                maps.append(self.M)
        return ends, maps

    def behaviour(self, s: w.Statement) -> int:
        """The behaviours of a statement; {Next} for a missing `else`."""
        return NEXT if isinstance(s, w.Empty) else self.behaviours.behaviour(s)

    def after_branches(self, role: Role, s: w.Statement, cf: Node, ends: list[Node]) -> Node:
        """CF if the behaviour is {Next}; otherwise E -> the control flow at the end of each branch."""
        return cf if self.behaviours.behaviour(s) == NEXT else self.graph.fresh(role, s, None, *dict.fromkeys(ends))

    def switch(self, s: w.Switch, cf: Node) -> Node:
        """`switch e {...}`: as `if`, with a branch for each clause; selectors are not analysed."""
        v, before = self.condition(s, s.selector, cf), self.M
        self.filters.push(self.body_filters(s))
        self.breaks.append([])
        ends, maps = self.alternatives([clause.body for clause in s.clauses], v, self.joined_after_clause())
        maps += self.breaks.pop()
        self.filters.pop()
        self.M = self.meet(Role.AFTER_SWITCH, s, maps, before)
        return self.after_branches(Role.CF_AFTER_SWITCH, s, cf, ends)

    def joined_after_clause(self) -> int:
        """The behaviours of a clause whose variables at its end flow on. The letter has Break among them."""
        return NEXT

    def body_filters(self, s: w.Switch | Iteration) -> w.Attributes:
        """The filters at the braces of a `switch`, and of a `loop`: these have its `continuing` inside."""
        return s.body_attributes if isinstance(s, w.Switch) else s.body.attributes if isinstance(s, w.Loop) else ()

    # -------------------------------------------------------------------------------------------------------- loops

    def for_loop(self, s: w.For, cf: Node) -> Node:
        """`for (i; c; u) b` is `{ i; loop { if !c {break;} b continuing {u} } }`."""
        if s.initial is not None:
            cf = self.stmt(s.initial, cf)
        return self.loop(s, cf)

    def loop(self, s: Iteration, cf: Node) -> Node:
        """`loop s1 continuing s2`, by the behaviours of s1 (B1)."""
        b1 = self.body_behaviours(s)
        before = self.M
        head = self.cf_head(s, cf) if self.has_back_edge(b1) else cf
        heads = self.heads(s) if self.flows_back(b1) else {}
        self.M = {**before, **heads}
        self.breaks.append([])
        self.continues.append([])
        self.filters.push(self.body_filters(s))
        cf1 = cf2 = self.loop_body(s, head)
        if self.analyses_continuing(s, b1):
            self.M = self.at_continuing(s, b1)
            cf2 = self.continuing(s, cf1)
        if self.flows_back(b1):
            self.back_edges(b1, head, heads, cf2)
        self.filters.pop()
        self.continues.pop()
        self.M = self.behind_loop(s, b1, self.M, before)
        return self.cf_after_loop(s, cf, cf1, head)

    def body_behaviours(self, s: Iteration) -> int:
        """B1, the behaviours of s1. In `while` and `for`, s1 begins with `if !c {break;}`."""
        b1 = self.behaviours.behaviour(s.body)
        return b1 if isinstance(s, w.Loop) or s.condition is None else self.behaviours.behind_condition(b1)

    def has_back_edge(self, b1: int) -> bool:
        """Whether control flow at the head depends on the loop's end: then CF' is a new node."""
        return bool(b1 & (NEXT | CONTINUE))

    def cf_head(self, s: Iteration, cf: Node) -> Node:
        """CF' -> CF."""
        return self.graph.growing(Role.CF_HEAD, s, None, cf)

    def heads(self, s: Iteration) -> VariableMap:
        """Vin(s1) -> Vout(prev): a new node for each variable that the loop may change; others keep theirs."""
        changed = [(x, self.M[x]) for x in self.may_change(s) if x in self.M]
        return {x: self.graph.growing(Role.HEAD, s, self.subjects[x], node) for x, node in changed}

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        """s1. In `while` and `for` it begins with `if !c {break;}`."""
        match s:
            case w.Loop():
                return self.stmts(s.body.statements, cf)
            case w.While() | w.For():
                if s.condition is not None:
                    cf = self.condition(s, s.condition, cf)
                    self.breaks[-1].append(self.M.copy())
                return self.block(s.body, cf)

    def reaches_continuing(self, b1: int) -> bool:
        """Whether s2 is reached."""
        return bool(b1 & (NEXT | CONTINUE))

    def analyses_continuing(self, s: Iteration, b1: int) -> bool:
        """Whether s2 is analysed: if it is reached."""
        return self.reaches_continuing(b1)

    def flows_back(self, b1: int) -> bool:
        """Whether values flow from the end of an iteration to the next: if s2 is reached."""
        return self.reaches_continuing(b1)

    def at_continuing(self, s: Iteration, b1: int) -> VariableMap:
        """Vin(s2) -> Vout(s1) if Next is in B1, and Vout of each `continue`."""
        maps = [self.M] if self.flows_to_continuing(b1) else []
        return self.meet(Role.CONTINUING, s, [*maps, *self.jumps_to_continuing()], self.M)

    def jumps_to_continuing(self) -> list[VariableMap]:
        """Vout of each `continue`."""
        return self.continues[-1]

    def flows_to_continuing(self, b1: int) -> bool:
        """Whether the variables at the end of s1 are those at the start of s2."""
        return bool(b1 & NEXT)

    def _declare_unreached(self, body: w.Block, cf: Node) -> None:
        """What s1 declares where it is not analysed: older rules analyse s2 all the same, which may name it."""
        for x in body.statements:
            if isinstance(x, w.Let):
                self.lets.setdefault(id(x), cf)
            elif isinstance(x, w.Variable):
                self.subjects[id(x)] = x
                self.M.setdefault(id(x), cf)

    def continuing(self, s: Iteration, cf: Node) -> Node:
        """s2."""
        match s:
            case w.Loop():
                self._declare_unreached(s.body, cf)
                return cf if s.continuing is None else self.block(s.continuing, cf)
            case w.For():
                return cf if s.update is None else self.stmt(s.update, cf)
            case w.While():
                return cf

    def back_edges(self, b1: int, head: Node, heads: VariableMap, cf2: Node) -> None:
        """CF' -> CF2, and Vin(s1) -> Vout(s2)."""
        if self.has_back_edge(b1):
            self.graph.add_edge(head, cf2)
        for x, node in heads.items():
            self.graph.add_edge(node, self.M[x])

    def behind_loop(self, s: Iteration, b1: int, end: VariableMap, before: VariableMap) -> VariableMap:
        """Vin(next) -> Vout of each `break` in s1 that leaves, and Vout(s2) if Break is in B2."""
        maps = self.breaks.pop()
        if self.reaches_continuing(b1) and self.is_left_at_end(s, b1):
            maps.append(end)
        return self.meet(Role.EXIT, s, maps, before)

    def is_left_at_end(self, s: Iteration, b1: int) -> bool:
        """Whether Break is in B2: the loop may be left by a `break if`. The letter asks B1."""
        return (
            isinstance(s, w.Loop) and s.continuing is not None and bool(self.behaviours.behaviour(s.continuing) & BREAK)
        )

    def cf_after_loop(self, s: Iteration, cf: Node, cf1: Node, head: Node) -> Node:
        """By B1: {Break}: CF. {Return} or {Break, Return}: CF1. Otherwise CF' if Return is in B1, else CF."""
        b1 = self.body_behaviours(s)
        if not b1 & RETURN:
            return cf
        return head if b1 & (NEXT | CONTINUE) else cf1

    def break_if(self, s: w.BreakIf, cf: Node) -> Node:
        """`break if e`: E -> V."""
        return self.graph.fresh(Role.CF_BREAK_IF, s, None, self.value(s.condition, cf))

    # ------------------------------------------------------------------------------------------------------- return

    def return_(self, s: w.Return, cf: Node) -> Node:
        """`return e`: Value_return -> V, and the contents of pointer parameters at this point."""
        if s.value is not None:
            self.graph.add_edge(VALUE_RETURN, self.value(s.value, cf))
        self.leave_function()
        return cf

    def leave_function(self) -> None:
        """Value_return_i_contents -> the present contents of parameter i."""
        for x, node in self.exits.items():
            self.graph.add_edge(node, self.M[x])

    # --------------------------------------------------------------------------------------------------------- tags

    def tags(self, f: w.Function, entries: VariableMap, violations: tuple[Requirement, ...]) -> FunctionTags:
        """Steps 1 to 3 of 15.2.3: the tags, from the nodes that the special nodes reach."""
        levels = self.levels({r.severity for r in violations})
        returned = self.graph.reached_from((VALUE_RETURN,))
        call_site = next((required for required, reached in levels if reached(CF_START)), None)
        parameters = tuple(self.parameter_tags(p, entries, levels, returned) for p in f.parameters)
        return FunctionTags(call_site, bool(returned(MAY_BE_NON_UNIFORM)), parameters)

    def levels(self, failed: set[Severity]) -> list[tuple[Required, Reached]]:
        """The nodes reached from RequiredToBeUniform.S, for each S with requirements and without a violation."""
        return [
            (Required(s, self.rules_at(s)), self.graph.required(s))
            for s in self.severities
            if s not in failed and any(r.severity is s for r in self.graph.requirements)
        ]

    def rules_at(self, severity: Severity) -> TriggerRules:
        """The potential-trigger set of RequiredToBeUniform.S."""
        return frozenset(rule for r in self.graph.requirements if r.severity is severity for rule in r.rules)

    def parameter_tags(
        self, p: w.Parameter, entries: VariableMap, levels: list[tuple[Required, Reached]], returned: Reached
    ) -> ParameterTags:
        """The tags of one parameter."""
        value, contents = self.parameters[id(p)], entries.get(id(p))
        required = next((level for level, reached in levels if reached(value) or is_in(reached, contents)), None)
        written = self.graph.reached_from(() if contents is None else (self.exits[id(p)],))
        return ParameterTags(
            required=required,
            of_contents=any(is_in(reached, contents) for level, reached in levels if level is required),
            returned=bool(returned(value)),
            returned_contents=is_in(returned, contents),
            written_non_uniform=bool(written(MAY_BE_NON_UNIFORM)),
            written_from=() if contents is None else tuple(self.origins(entries, written)),
        )

    def origins(self, entries: VariableMap, reached: Reached) -> Iterator[Origin]:
        """The parameters whose value or contents are reached."""
        for j, q in enumerate(self.function.parameters):
            if is_in(reached, entries.get(id(q))):
                yield Origin(j, contents=True)
            if reached(self.parameters[id(q)]):
                yield Origin(j)


_COMPOUND = (w.If, w.Switch, w.For, w.Loop, w.While)
_STATEMENTS: dict[type, str] = {
    **dict.fromkeys((w.Assign, w.Increment), "assignment"),
    w.Let: "let_statement",
    w.Variable: "var_statement",
    w.Phony: "phony",
    w.CallStatement: "call_statement",
    w.Block: "block",
    w.If: "conditional",
    w.Switch: "switch",
    w.For: "for_loop",
    **dict.fromkeys((w.Loop, w.While), "loop"),
    w.Break: "break_",
    w.Continue: "continue_",
    w.BreakIf: "break_if",
    w.Return: "return_",
    **dict.fromkeys((w.Empty, w.Const, w.ConstAssert, w.Discard), "without_rule"),
}
"""The rules of 15.2.6, by class."""


def is_in(reached: Reached, node: Node | None) -> bool:
    """Whether a node, if it exists, is reached."""
    return node is not None and bool(reached(node))


def _in_each_scope(resolution: Resolution, analysis: type[ScopeAnalysis]) -> list[FunctionResult]:
    results: list[FunctionResult] = []
    for scope in analysis.scopes(resolution):
        if analysis.goes_on(results):
            results += analysis(resolution, scope).module()
    return results


def analyse_module(resolution: Resolution, analysis: type[ScopeAnalysis] = ScopeAnalysis) -> ModuleAnalysis:
    """The uniformity analysis of a resolved module. Raises Unsupported for a construct that is not known."""
    results = with_more_stack(lambda: _in_each_scope(resolution, analysis))
    failed = any(v.severity is Severity.ERROR for r in results for v in r.violations)
    return ModuleAnalysis(Verdict.REJECTS if failed else Verdict.ACCEPTS, tuple(results))
