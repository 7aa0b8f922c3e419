"""Broken variants of functions (15.2.3), their behaviours (9.7)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import SUBGROUPS, FunctionResult, ScopeAnalysis, is_in
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, Reached, Role
from wgsl_fuzz.oracle.rules.uniformity.tags import FunctionTags, Origin, ParameterTags, Required
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BREAK, CONTINUE, NEXT, RETURN, BehaviourAnalysis, Behaviours, spell
from wgsl_fuzz.wgsl.builtins import Scope
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.resolution import Resolution


def _scopes(name: str, branch: str, effect: Effect, of: Callable[[Resolution], tuple[Scope, ...]]) -> Variant:
    class Scopes(ScopeAnalysis):
        @classmethod
        def scopes(cls, resolution: Resolution) -> tuple[Scope | None, ...]:
            return of(resolution)

    return rows.row(f"module/scope/{name}", branch, effect, Scopes)


class OnlyReachedFunctions(ScopeAnalysis):
    """Functions that no entry point reaches are not judged."""

    def analyse_function(self, f: w.Function) -> FunctionResult:
        """Without what does not hold in them."""
        result = super().analyse_function(f)
        return result if self.resolution.stages(f) else replace(result, violations=())


class OnlyEntryPoints(ScopeAnalysis):
    """Functions that are no entry points are not judged."""

    def analyse_function(self, f: w.Function) -> FunctionResult:
        """Without what does not hold in them."""
        result = super().analyse_function(f)
        return result if self.resolution.entry_stage(f) else replace(result, violations=())


class FirstCalleeForAll(ScopeAnalysis):
    """All functions with as many parameters, and pointers in the same places, have the tags of the first."""

    def analyse_function(self, f: w.Function) -> FunctionResult:
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
    of: Callable[[ScopeAnalysis, ParameterTags, w.Parameter, VariableMap, list[Level]], ParameterTags],
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
    analysis: ScopeAnalysis, tags: ParameterTags, p: w.Parameter, entries: VariableMap, levels: list[Level]
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
    return any(isinstance(d, w.Enable) and SUBGROUPS in d.names for d in resolution.module.directives)


# --------------------------------------------------------------------------------------------------------- behaviours


B = BehaviourAnalysis


def _simple(kind: type, is_: Behaviours, other: Behaviours, effect: Effect, equivalent: str = "") -> Variant:
    """Another set for one kind of statement without blocks."""
    word = kind.__name__.lower()
    what = "-or-".join(name.strip().lower() for name in spell(other)[1:-1].split(",")) or "nothing"
    return rows.changed_behaviours(
        f"B/{word}/{what}",
        f"B({word}) = {spell(is_)}",
        effect,
        B.behaviour,
        lambda behaviour, self, s: other if isinstance(s, kind) else behaviour(s),
        equivalent=equivalent,
    )


def _simples() -> Iterator[Variant]:
    for kind in (
        w.Empty,
        w.Variable,
        w.Let,
        w.Const,
        w.Assign,
        w.Increment,
        w.Phony,
        w.CallStatement,
        w.Discard,
        w.ConstAssert,
    ):
        yield _simple(kind, NEXT, NEXT | RETURN, rows.EITHER)
        yield _simple(kind, NEXT, RETURN, rows.EITHER)
    yield _simple(w.Return, RETURN, NEXT, rows.EITHER)
    yield _simple(w.Return, RETURN, NEXT | RETURN, rows.EITHER)
    yield _simple(w.Break, BREAK, NEXT, rows.EITHER)
    yield _simple(w.Break, BREAK, NEXT | BREAK, rows.EITHER)
    yield _simple(w.Continue, CONTINUE, NEXT, rows.EITHER)
    yield _simple(w.Continue, CONTINUE, NEXT | CONTINUE, rows.EITHER)
    yield _simple(w.BreakIf, NEXT | BREAK, NEXT, rows.EITHER)
    yield _simple(
        w.BreakIf, NEXT | BREAK, BREAK, rows.EITHER, "It is the last statement, and a loop with Break gets Next."
    )


BEHAVIOUR_VARIANTS: tuple[Variant, ...] = (
    *_simples(),
    rows.changed_behaviours(
        "B/list/keeps-next",
        "(B1 \\ Next) u B2",
        rows.EITHER,
        B.sequence,
        lambda sequence, self, s: sequence(s) | (NEXT if s.statements else 0),
    ),
    rows.changed_behaviours(
        "B/list/with-dead-code",
        "B1 if Next is not in it",
        rows.EITHER,
        B.sequence,
        lambda sequence, self, s: sequence(s) | _union(self, s.statements),
    ),
    rows.changed_behaviours(
        "B/list/first-only",
        "(B1 \\ Next) u B2",
        rows.EITHER,
        B.sequence,
        lambda sequence, self, s: self.behaviour(s.statements[0]) if s.statements else sequence(s),
    ),
    rows.changed_behaviours(
        "B/list/last-only",
        "(B1 \\ Next) u B2",
        rows.EITHER,
        B.sequence,
        lambda sequence, self, s: self.behaviour(s.statements[-1]) if s.statements else sequence(s),
    ),
    rows.changed_behaviours(
        "B/if/then-only",
        "B1 u B2",
        rows.EITHER,
        B.conditional,
        lambda conditional, self, s: self.behaviour(s.then),
    ),
    rows.changed_behaviours(
        "B/if/else-only",
        "B1 u B2",
        rows.EITHER,
        B.conditional,
        lambda conditional, self, s: NEXT if s.orelse is None else self.behaviour(s.orelse),
    ),
    rows.changed_behaviours(
        "B/if/no-else-never-next",
        "no else = else {}",
        rows.EITHER,
        B.conditional,
        lambda conditional, self, s: conditional(s) if s.orelse is not None else self.behaviour(s.then),
    ),
    rows.changed_behaviours(
        "B/if/else-if-may-be-missing",
        "else-if nests",
        rows.EITHER,
        B.conditional,
        lambda conditional, self, s: conditional(s) | (NEXT if isinstance(s.orelse, w.If) else 0),
    ),
    rows.changed_behaviours(
        "B/if/else-may-be-missing",
        "B1 u B2",
        rows.EITHER,
        B.conditional,
        lambda conditional, self, s: conditional(s) | NEXT,
    ),
    rows.changed_behaviours(
        "B/switch/first-only",
        "union",
        rows.EITHER,
        B.switch,
        lambda switch, self, s: _leaving(self.behaviour(s.clauses[0].body)),
    ),
    rows.changed_behaviours(
        "B/switch/last-only",
        "union",
        rows.EITHER,
        B.switch,
        lambda switch, self, s: _leaving(self.behaviour(s.clauses[-1].body)),
    ),
    rows.changed_behaviours(
        "B/switch/break-is-not-next",
        "if Break in it: u Next",
        rows.EITHER,
        B.switch,
        lambda switch, self, s: _union(self, (c.body for c in s.clauses)) & ~BREAK,
    ),
    rows.changed_behaviours(
        "B/switch/break-stays",
        "if Break in it: \\ Break",
        rows.EITHER,
        B.switch,
        lambda switch, self, s: switch(s) | (_union(self, (c.body for c in s.clauses)) & BREAK),
    ),
    rows.changed_behaviours(
        "B/switch/always-next",
        "union",
        rows.EITHER,
        B.switch,
        lambda switch, self, s: switch(s) | NEXT,
    ),
    rows.changed_behaviours(
        "B/loop/without-continuing",
        "B2 of the continuing",
        rows.EITHER,
        B.loop,
        lambda loop, self, s: self.of_loop(self.behaviour(s.body), NEXT),
    ),
    rows.changed_behaviours(
        "B/loop/any-continuing",
        "B2 must not contain Continue, Return",
        rows.EITHER,
        B.continuing,
        lambda continuing, self, s: self.behaviour(s),
        equivalent="Names are resolved before: no jump leaves a continuing but a break if.",
    ),
    rows.changed_behaviours(
        "B/loop/never-only-returns",
        "B1 = {Return}: {Return}",
        rows.EITHER,
        B.only_returns,
        lambda only_returns, self, b1: False,
    ),
    rows.changed_behaviours(
        "B/loop/returns-if-it-may",
        "B1 = {Return}: {Return}",
        rows.EITHER,
        B.only_returns,
        lambda only_returns, self, b1: bool(b1 & RETURN),
    ),
    rows.changed_behaviours(
        "B/loop/break-of-body-only",
        "Break in B1 u B2",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) if b1 & BREAK else of_loop(b1, b2 & ~BREAK),
    ),
    rows.changed_behaviours(
        "B/loop/break-of-continuing-only",
        "Break in B1 u B2",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1 & ~BREAK, b2) if b1 != BREAK else of_loop(b1, b2),
    ),
    rows.changed_behaviours(
        "B/loop/break-is-not-next",
        "Break in B1 u B2: u Next",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) & ~NEXT if (b1 | b2) & BREAK and b1 & RETURN else of_loop(b1, b2),
    ),
    rows.changed_behaviours(
        "B/loop/always-next",
        "without Break: (B1 u B2) \\ {Continue, Next}",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) | NEXT,
    ),
    rows.changed_behaviours(
        "B/loop/break-stays",
        "\\ {Break, Continue}",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) | ((b1 | b2) & BREAK),
    ),
    rows.changed_behaviours(
        "B/loop/continue-stays",
        "\\ {Break, Continue}",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) | (b1 & CONTINUE),
    ),
    rows.changed_behaviours(
        "B/loop/returns-forgotten",
        "(B1 u B2 u Next) \\ {Break, Continue}",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) & ~RETURN if (b1 | b2) & BREAK else of_loop(b1, b2),
    ),
    rows.changed_behaviours(
        "B/while/condition-never-breaks",
        "while c b = loop { if !c {break;} b }",
        rows.EITHER,
        B.while_loop,
        lambda while_loop, self, s: self.of_loop(self.behaviour(s.body), NEXT),
    ),
    rows.changed_behaviours(
        "B/for/condition-never-breaks",
        "for with a condition: if !c {break;}",
        rows.EITHER,
        B.for_loop,
        lambda for_loop, self, s: self.of_loop(self.behaviour(s.body), NEXT),
    ),
    rows.changed_behaviours(
        "B/for/always-breaks",
        "for without a condition gets no if",
        rows.EITHER,
        B.for_loop,
        lambda for_loop, self, s: self.of_loop(self.behind_condition(self.behaviour(s.body)), NEXT),
    ),
    rows.changed_behaviours(
        "B/function/any-result",
        "with a return type exactly {Return}; body within {Next, Return}",
        rows.LAXER,
        B.check,
        lambda check, self, function: _valid(self.behaviour(function.body)),
    ),
)


def _union(analysis: BehaviourAnalysis, statements: Iterable[w.Statement]) -> Behaviours:
    b = 0
    for s in statements:
        b |= analysis.behaviour(s)
    return b


def _leaving(b: Behaviours) -> Behaviours:
    return (b | NEXT) & ~BREAK if b & BREAK else b


def _valid(b: Behaviours) -> None:
    """Any set is."""
