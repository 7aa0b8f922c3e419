"""Broken variants of the steps for one function and for the module (15.2.3): scopes, order, tags."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import SUBGROUPS, FunctionResult, ScopeAnalysis, is_in
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, Reached, Role
from wgsl_fuzz.oracle.rules.uniformity.tags import FunctionTags, Origin, ParameterTags, Required
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.wgsl.builtins import Scope
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Enable, Function, Parameter


def _scopes(name: str, branch: str, effect: Effect, of: Callable[[Resolution], tuple[Scope, ...]]) -> Variant:
    class Scopes(ScopeAnalysis):
        @classmethod
        def scopes(cls, resolution: Resolution) -> tuple[Scope | None, ...]:
            return of(resolution)

    return rows.row(f"module/scope/{name}", branch, effect, Scopes)


class OnlyReachedFunctions(ScopeAnalysis):
    """Functions that no entry point reaches are not judged."""

    def analyse_function(self, f: Function) -> FunctionResult:
        """Without what does not hold in them."""
        result = super().analyse_function(f)
        return result if self.resolution.stages(f) else replace(result, violations=())


class OnlyEntryPoints(ScopeAnalysis):
    """Functions that are no entry points are not judged."""

    def analyse_function(self, f: Function) -> FunctionResult:
        """Without what does not hold in them."""
        result = super().analyse_function(f)
        return result if self.resolution.entry_stage(f) else replace(result, violations=())


class FirstCalleeForAll(ScopeAnalysis):
    """All functions with as many parameters, and pointers in the same places, have the tags of the first."""

    def analyse_function(self, f: Function) -> FunctionResult:
        """Takes the tags of one that is known."""
        result = super().analyse_function(f)
        pointers = [self.is_contents(p) for p in f.parameters]
        alike = (g for g in self.resolution.functions if [self.is_contents(p) for p in g.parameters] == pointers)
        known = [self.F[id(g)] for g in alike if id(g) in self.F]
        return replace(result, tags=known[0]) if known else result


class LowestSeverityFirst(ScopeAnalysis):
    """A tag has the lowest severity."""

    severities = (Severity.INFO, Severity.WARNING, Severity.ERROR)


def _severities(word: str, severities: tuple[Severity, ...]) -> Variant:
    """A severity is left out when tags are made."""

    class Severities(ScopeAnalysis):
        pass

    Severities.severities = severities
    return rows.row(f"tag/severity/{word}", "S = error, warning, info in turn", rows.LAXER, Severities)


def _tags(name: str, branch: str, effect: Effect, of: Callable[[FunctionTags], FunctionTags]) -> Variant:
    return rows.changed(
        name, branch, effect, rows.S.tags, lambda tags, self, f, entries, violations: of(tags(f, entries, violations))
    )


Level = tuple[Required, Reached]


def _parameter(
    what: str,
    branch: str,
    effect: Effect,
    of: Callable[[ScopeAnalysis, ParameterTags, Parameter, VariableMap, list[Level]], ParameterTags],
    *,
    equivalent: str = "",
) -> Variant:
    """A variant of the tags of one parameter."""
    return rows.changed(
        f"tag/parameter/{what}",
        branch,
        effect,
        rows.S.parameter,
        lambda parameter, self, p, entries, levels, returned: of(
            self, parameter(p, entries, levels, returned), p, entries, levels
        ),
        equivalent=equivalent,
    )


def _by(levels: list[Level], node: Node | None) -> Required | None:
    return next((level for level, reached in levels if is_in(reached, node)), None)


def _last_level(
    analysis: ScopeAnalysis, tags: ParameterTags, p: Parameter, entries: VariableMap, levels: list[Level]
) -> ParameterTags:
    """Whether it is the contents that are required, by any severity."""
    return replace(tags, of_contents=any(is_in(reached, entries.get(id(p))) for _, reached in levels))


def _origins(name: str, effect: Effect, of: Callable[[list[Origin], int], list[Origin]]) -> Variant:
    """A variant of which parameters are recorded for O_i."""

    class Recorded(ScopeAnalysis):
        def origins(self, entries: VariableMap, reached: Reached) -> Iterator[Origin]:
            return iter(of([*super().origins(entries, reached)], len(self.function.parameters)))

    return rows.row(f"tag/recorded/{name}", "O_i: record all j with P_j or C_j reachable", effect, Recorded)


PARAMETER_TAGS: tuple[Variant, ...] = (
    _parameter(
        "value-not-required",
        "P_i in RS: ParameterRequiredToBeUniform.S",
        rows.LAXER,
        lambda self, t, p, entries, levels: (
            t if (by := _by(levels, entries.get(id(p)))) is t.required else replace(t, required=by)
        ),
    ),
    _parameter(
        "contents-not-required",
        "C_i in RS: ParameterContentsRequiredToBeUniform.S",
        rows.LAXER,
        lambda self, t, p, entries, levels: replace(t, required=_by(levels, self.parameters[id(p)]), of_contents=False),
    ),
    _parameter(
        "never-contents",
        "C_i in RS: the tag is of the contents",
        rows.LAXER,
        lambda self, t, p, entries, levels: replace(t, of_contents=False),
    ),
    _parameter(
        "always-contents",
        "C_i not in RS: the tag is of the address",
        rows.STRICTER,
        lambda self, t, p, entries, levels: replace(t, of_contents=id(p) in entries),
    ),
    _parameter("contents-by-any-severity", "C_i in RS of this severity", rows.STRICTER, _last_level),
    _parameter(
        "not-returned",
        "P_i reachable from VR: the parameter return tag",
        rows.LAXER,
        lambda self, t, p, entries, levels: replace(t, returned=False),
    ),
    _parameter(
        "always-returned",
        "P_i reachable from VR: the parameter return tag",
        rows.STRICTER,
        lambda self, t, p, entries, levels: replace(t, returned=True),
    ),
    _parameter(
        "contents-always-returned",
        "C_i reachable from VR",
        rows.STRICTER,
        lambda self, t, p, entries, levels: replace(t, returned_contents=id(p) in entries),
    ),
    _parameter(
        "address-returned-with-contents",
        "C_i before P_i",
        rows.STRICTER,
        lambda self, t, p, entries, levels: replace(t, returned=t.returned or t.returned_contents),
        equivalent="The contents at the call have an edge to the argument: what depends on them depends on it.",
    ),
    _parameter(
        "contents-returned-with-address",
        "C_i reachable from VR",
        rows.STRICTER,
        lambda self, t, p, entries, levels: replace(
            t, returned_contents=t.returned_contents or (t.returned and id(p) in entries)
        ),
    ),
    _parameter(
        "written-uniform",
        "NU reachable from O_i: the pointer parameter tag",
        rows.LAXER,
        lambda self, t, p, entries, levels: replace(t, written_non_uniform=False),
    ),
    _parameter(
        "written-always-non-uniform",
        "NU reachable from O_i: the pointer parameter tag",
        rows.STRICTER,
        lambda self, t, p, entries, levels: replace(t, written_non_uniform=True),
    ),
    _origins("no-values", rows.LAXER, lambda found, n: [o for o in found if o.contents]),
    _origins("no-contents", rows.LAXER, lambda found, n: [o for o in found if not o.contents]),
    _origins("first-only", rows.LAXER, lambda found, n: found[:1]),
    _origins("every-value", rows.STRICTER, lambda found, n: [*found, *(Origin(j) for j in range(n))]),
)

FUNCTION_VARIANTS: tuple[Variant, ...] = (
    _scopes("workgroup-only", "with subgroups: two complete runs", rows.LAXER, lambda resolution: (Scope.WORKGROUP,)),
    _scopes("subgroup-only", "with subgroups: two complete runs", rows.LAXER, lambda resolution: (Scope.SUBGROUP,)),
    _scopes(
        "subgroup-if-enabled",
        "with subgroups: two complete runs",
        rows.LAXER,
        lambda resolution: (Scope.SUBGROUP if "subgroups" in resolution.extensions else Scope.WORKGROUP,),
    ),
    _scopes(
        "not-if-implied",
        "with subgroups, named or implied: two complete runs",
        rows.LAXER,
        lambda resolution: (Scope.WORKGROUP, *([Scope.SUBGROUP] if _names_subgroups(resolution) else [])),
    ),
    rows.row("module/functions/reached-only", "every function of the module", rows.LAXER, OnlyReachedFunctions),
    rows.row("module/functions/entry-points-only", "every function of the module", rows.LAXER, OnlyEntryPoints),
    rows.row("module/functions/first-tags", "the tags of each function", rows.EITHER, FirstCalleeForAll),
    rows.changed(
        "function/end/no-return",
        "falling off the end: as return",
        rows.LAXER,
        rows.S.fall_off_end,
        lambda fall_off_end, self: None,
    ),
    rows.changed(
        "function/end/only-by-return",
        "return: O_i -> M[p_i]",
        rows.LAXER,
        rows.S.leave_function,
        lambda leave_function, self: None,
    ),
    rows.row("tag/severity/lowest-first", "the highest severity", rows.EITHER, LowestSeverityFirst),
    _severities("no-errors", (Severity.WARNING, Severity.INFO)),
    _severities("no-warnings", (Severity.ERROR, Severity.INFO)),
    _severities("no-infos", (Severity.ERROR, Severity.WARNING)),
    rows.changed(
        "tag/severity/failed-ones-too",
        "no tags of a severity that failed",
        rows.EITHER,
        rows.S.levels,
        lambda levels, self, failed: levels(set()),
    ),
    rows.changed(
        "tag/severity/none-if-any-failed",
        "no tags of a severity that failed",
        rows.LAXER,
        rows.S.levels,
        lambda levels, self, failed: [] if failed else levels(failed),
    ),
    rows.changed(
        "tag/rules/forgotten",
        "PTS(R.S) of the tag",
        rows.EITHER,
        rows.S.rules_at,
        lambda rules_at, self, severity: frozenset(),
    ),
    rows.changed(
        "tag/rules/of-every-severity",
        "PTS(R.S) of the tag",
        rows.EITHER,
        rows.S.rules_at,
        lambda rules_at, self, severity: frozenset(r for s in Severity for r in rules_at(s)),
    ),
    _tags("tag/call-site/never", "CF0 in RS", rows.LAXER, lambda t: replace(t, call_site=None)),
    rows.changed(
        "tag/call-site/whatever-is-required",
        "CF0 in RS",
        rows.STRICTER,
        rows.S.tags,
        lambda tags, self, f, entries, violations: replace(
            tags(f, entries, violations),
            call_site=next((level for level, _ in self.levels({r.severity for r in violations})), None),
        ),
        equivalent="What requires an argument requires control flow as well, and that has a path to CF_start.",
    ),
    rows.changed(
        "tag/call-site/by-parameters",
        "CF0 in RS",
        rows.STRICTER,
        rows.S.tags,
        lambda tags, self, f, entries, violations: _with_parameters(tags(f, entries, violations)),
        equivalent="What requires an argument requires control flow as well, and that has a path to CF_start.",
    ),
    _tags("tag/result/uniform", "NU reachable from VR", rows.LAXER, lambda t: replace(t, result_non_uniform=False)),
    _tags(
        "tag/result/non-uniform", "NU reachable from VR", rows.STRICTER, lambda t: replace(t, result_non_uniform=True)
    ),
    rows.changed(
        "tag/result/without-start",
        "a body begins with CF0",
        rows.LAXER,
        rows.S.block,
        lambda block, self, s, cf: block(s, self.graph.fresh(Role.SPECIAL, None, "CF_start") if cf == CF_START else cf),
    ),
    *PARAMETER_TAGS,
)


def _with_parameters(tags: FunctionTags) -> FunctionTags:
    required = next((p.required for p in tags.parameters if p.required is not None), None)
    return replace(tags, call_site=tags.call_site or required)


def _names_subgroups(resolution: Resolution) -> bool:
    return any(isinstance(d, Enable) and SUBGROUPS in d.names for d in resolution.module.directives)
