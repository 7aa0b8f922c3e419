"""The uniformity analysis of a module (15.2.3): each function after those that it calls, once for each scope."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.effects import Changes, changes_in
from wgsl_fuzz.oracle.rules.uniformity.graph import (
    CF_START,
    MAY_BE_NON_UNIFORM,
    VALUE_RETURN,
    Reached,
    Requirement,
    Role,
    UniformityGraph,
)
from wgsl_fuzz.oracle.rules.uniformity.rules import UniformityRules, VariableMap
from wgsl_fuzz.oracle.rules.uniformity.tags import FunctionTags, Origin, ParameterTags, Required, Rules
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.behaviours import NEXT, BehaviourAnalysis
from wgsl_fuzz.wgsl.builtins import Scope
from wgsl_fuzz.wgsl.deep import deep
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.problems import in_each
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Function, Parameter

SUBGROUPS = "subgroups"
"""The extension with the subgroup operations."""


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """The graph of one function in one scope, its tags, and which of its requirements do not hold."""

    function: Function
    scope: Scope | None
    graph: UniformityGraph
    tags: FunctionTags
    violations: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class ModuleAnalysis:
    """What the analysis says of a module: it rejects it if a requirement of severity error does not hold."""

    verdict: Verdict
    functions: tuple[FunctionResult, ...]
    """Of each scope, callees first."""

    @property
    def violations(self) -> Iterator[tuple[FunctionResult, Requirement]]:
        """The requirements that do not hold, of any severity."""
        return ((result, violation) for result in self.functions for violation in result.violations)


class ScopeAnalysis(UniformityRules):
    """The analysis of all functions of a module in one scope."""

    behaviour_analysis: ClassVar[type[BehaviourAnalysis]] = BehaviourAnalysis
    """The function B (9.7)."""

    graph_type: ClassVar[type[UniformityGraph]] = UniformityGraph
    """What the rules make nodes in."""

    tells_nodes_apart: ClassVar[bool] = False
    """Whether the rules compare nodes otherwise than by what they reach: then they need the graph."""

    severities: ClassVar[tuple[Severity, ...]] = (Severity.ERROR, Severity.WARNING, Severity.INFO)
    """Those of a requirement, the highest first."""

    def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
        super().__init__(resolution, scope)
        B = self.behaviour_analysis
        self.behaviours = resolution.notes.get(B) or resolution.notes.setdefault(B, B())

    @classmethod
    def scopes(cls, resolution: Resolution) -> tuple[Scope | None, ...]:
        """The scopes to analyse: without subgroup operations, that of subgroups requires nothing."""
        return (Scope.WORKGROUP, Scope.SUBGROUP) if SUBGROUPS in resolution.extensions else (Scope.WORKGROUP,)

    @classmethod
    def goes_on(cls, results: Sequence[FunctionResult]) -> bool:
        """Whether the next scope is analysed, by what those before it have found."""
        return True

    def module(self) -> list[FunctionResult]:
        """The functions, callees first. ResolveProblem for behaviours that are not allowed, with those of others."""
        in_each(self.resolution.functions, self.behaviours.check)
        results = []
        for f in self.resolution.functions:
            result = self.analyse_function(f)
            self.F[id(f)] = result.tags
            results.append(result)
        return results

    def analyse_function(self, f: Function) -> FunctionResult:
        """15.2.3, steps for one function."""
        self.function = f
        self.graph = self.graph_type()
        self.changes = self.changes_in(f)
        self.breaks, self.continues, self.lets = [], [], {}
        self.subjects = {id(p): p for p in f.parameters}
        self.parameters = {id(p): self.at_entry(Role.PARAMETER, p) for p in f.parameters}
        pointers = [p for p in f.parameters if self.is_contents(p)]
        entries = {id(p): self.at_entry(Role.CONTENTS_AT_ENTRY, p) for p in pointers}
        self.exits = {id(p): self.graph.growing(Role.CONTENTS_AT_EXIT, p, p) for p in pointers}
        self.M = self.values_at_entry(entries)
        self.filters.push(f.attributes)
        self.block(f.body, CF_START)
        self.filters.pop()
        if self.ends(f):
            self.fall_off_end()
        non_uniform = self.graph.non_uniform()
        violations = tuple(r for r in self.graph.requirements if non_uniform[r.target])
        return FunctionResult(f, self.scope, self.graph, self.tags(f, entries, violations), violations)

    def at_entry(self, role: Role, p: Parameter) -> Node:
        """The value of a parameter, or what it points to, when the function is called."""
        return self.graph.growing(role, p, p)

    def values_at_entry(self, contents: VariableMap) -> VariableMap:
        """The variables when the function is called: of its pointer parameters."""
        return contents.copy()

    def changes_in(self, f: Function) -> Changes:
        """Which variables each loop of a function may change."""
        # A variant may have another meaning of names.
        key = changes_in, type(self.resolution), id(f)
        notes = self.resolution.notes
        if key not in notes:
            notes[key] = changes_in(f, self.resolution)
        found: Changes = notes[key]
        return found

    def ends(self, f: Function) -> bool:
        """Whether the end of its body is reached: Next is among its behaviours."""
        return bool(self.behaviours.behaviour(f.body) & NEXT)

    def fall_off_end(self) -> None:
        """The end of a body is like a `return`."""
        self.leave_function()

    # --------------------------------------------------------------------------------------------------------- tags

    def tags(self, f: Function, entries: VariableMap, violations: tuple[Requirement, ...]) -> FunctionTags:
        """Steps 1 to 3: the tags, from what the special nodes reach."""
        levels = self.levels({r.severity for r in violations})
        returned = self.graph.reached_from((VALUE_RETURN,))
        call_site = next((required for required, reached in levels if reached[CF_START]), None)
        parameters = tuple(self.parameter(p, entries, levels, returned) for p in f.parameters)
        return FunctionTags(call_site, bool(returned[MAY_BE_NON_UNIFORM]), parameters)

    def levels(self, failed: set[Severity]) -> list[tuple[Required, Reached]]:
        """What RequiredToBeUniform.S reaches, for each severity S that something requires; none where it failed."""
        return [
            (Required(s, self.rules_at(s)), self.graph.required(s))
            for s in self.severities
            if s not in failed and any(r.severity is s for r in self.graph.requirements)
        ]

    def rules_at(self, severity: Severity) -> Rules:
        """The potential-trigger set of RequiredToBeUniform.S."""
        return frozenset(rule for r in self.graph.requirements if r.severity is severity for rule in r.rules)

    def parameter(
        self, p: Parameter, entries: VariableMap, levels: list[tuple[Required, Reached]], returned: Reached
    ) -> ParameterTags:
        """The tags of one parameter."""
        value, contents = self.parameters[id(p)], entries.get(id(p))
        required = next((level for level, reached in levels if reached[value] or is_in(reached, contents)), None)
        written = self.graph.reached_from(() if contents is None else (self.exits[id(p)],))
        return ParameterTags(
            required=required,
            of_contents=any(is_in(reached, contents) for level, reached in levels if level is required),
            returned=bool(returned[value]),
            returned_contents=is_in(returned, contents),
            written_non_uniform=bool(written[MAY_BE_NON_UNIFORM]),
            written_from=() if contents is None else tuple(self.origins(entries, written)),
        )

    def origins(self, entries: VariableMap, reached: Reached) -> Iterator[Origin]:
        """The parameters of which the value or the contents are reached."""
        for j, q in enumerate(self.function.parameters):
            if is_in(reached, entries.get(id(q))):
                yield Origin(j, contents=True)
            if reached[self.parameters[id(q)]]:
                yield Origin(j)


def is_in(reached: Reached, node: Node | None) -> bool:
    """Whether a node, if it exists, is reached."""
    return node is not None and bool(reached[node])


def _in_each_scope(resolution: Resolution, analysis: type[ScopeAnalysis]) -> list[FunctionResult]:
    results: list[FunctionResult] = []
    for scope in analysis.scopes(resolution):
        if analysis.goes_on(results):
            results += analysis(resolution, scope).module()
    return results


def analyse_module(resolution: Resolution, analysis: type[ScopeAnalysis] = ScopeAnalysis) -> ModuleAnalysis:
    """The uniformity analysis of a module whose names are resolved. Raises Unsupported for what it does not know."""
    results = deep(lambda: _in_each_scope(resolution, analysis))
    failed = any(v.severity is Severity.ERROR for r in results for v in r.violations)
    return ModuleAnalysis(Verdict.REJECTS if failed else Verdict.ACCEPTS, tuple(results))
