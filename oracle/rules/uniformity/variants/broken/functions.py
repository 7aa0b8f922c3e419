"""Broken variants of calls (15.2.7), of the steps for one function (15.2.3), and of diagnostic filters (2.3)."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Direction, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import SUBGROUPS, FunctionResult, ScopeAnalysis, is_in
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, MAY_BE_NON_UNIFORM, Demand, Reached, Role
from wgsl_fuzz.oracle.rules.uniformity.tags import NO_RULES, Origin, ParameterTags, Required
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import EITHER, LAXER, STRICTER, S, broken, having, nothing, row
from wgsl_fuzz.wgsl import builtins as b
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.diagnostics import Filters, Severity
from wgsl_fuzz.wgsl.resolution import Access, Resolution
from wgsl_fuzz.wgsl.walk import descendants

_ERROR, _WARNING, _INFO, _OFF = Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.OFF


def _with(required: Required | None, **others: Any) -> Required | None:
    """A requirement, if there is any, with other rules or another severity."""
    return required and replace(required, **others)


def _required(what: str, branch: str, way: Direction, rule: Callable[..., None] | None = None, **given: Any) -> Variant:
    """A variant of the tag of call sites where a user's function is called."""
    return broken(f"call/control-flow/{what}", branch, way).by(
        S.require,
        rule,
        where=lambda self, e, demand: demand is Demand.CONTROL_FLOW and self.resolution.function(e) is not None,
        **given,
    )


def _argument(name: str, branch: str, way: Direction, of: Callable[[ParameterTags], ParameterTags]) -> Variant:
    """A variant of what the tags of a parameter say of its argument."""
    return broken(f"call/parameter/{name}", branch, way).by(S.argument, tags=of)


def _demanded(what: str, branch: str, way: Direction, **others: Any) -> Variant:
    """A variant of what the tag of a parameter requires."""
    return _argument(
        f"required-{what}", branch, way, lambda tags: replace(tags, required=_with(tags.required, **others))
    )


def _arguments_chained(self: S, e: w.Call, cf: Node) -> list[Node]:
    values = []
    for a in e.arguments:
        values.append(cf := self.value(a, cf))
    return values


def _filtered_by_callers(
    piece: Callable[..., None], self: S, required: Required, target: Node, e: w.Call, demand: Demand, i: int | None
) -> None:
    """The severity in force at the call, for the first of the rules."""
    severity = self.filters.severity(min(required.rules))
    if severity is not Severity.OFF:
        piece(replace(required, severity=severity), target, e, demand, i)


def _always_non_uniform(result: Node, self: S) -> Node:
    self.graph.add_edge(result, MAY_BE_NON_UNIFORM)
    return result


def _always_required(
    piece: Callable[..., Node], self: S, e: w.Call, f: w.Function, cf: Node, arguments: list[Node]
) -> Node:
    """In the name of synchronisation."""
    self.require(Required(Severity.ERROR, frozenset({b.Rule.SYNCHRONIZATION})), cf, e)
    return piece(e, f, cf, arguments)


def _contents(name: str, branch: str, of: Callable[[Node, Node], Node]) -> Variant:
    """A variant of con_i -> {arg_i, M[x]}: of one of them alone."""

    def contents(self: S, e: w.Call, i: int, argument: Node) -> Node:
        old = self.M[id(self.resolution.root(e.arguments[i]))]
        return self.graph.fresh(Role.ARGUMENT_CONTENTS, e.arguments[i], "", of(argument, old))

    return broken(name, branch, LAXER).by(S.contents, contents)


def _left(name: str, branch: str, way: Direction, of: Callable[..., list[Node]]) -> Variant:
    """A variant of W -> the old M[x] and the address."""
    return broken(f"call/written/{name}", branch, way).by(S.left_behind, of)


def _is_full(self: S, pointer: w.Expression) -> bool:
    return self.resolution.is_full(pointer)


USER_CALL_VARIANTS: tuple[Variant, ...] = (
    broken("call/arguments/right-to-left", "arg_i from left to right", EITHER).by(
        S.arguments, lambda self, e, cf: [self.value(a, cf) for a in reversed(e.arguments)][::-1]
    ),
    broken("call/arguments/chained", "arg_i all from the same CF", STRICTER).by(S.arguments, _arguments_chained),
    _required("not-required", "R.S -> CF", LAXER, lambda: None),
    _required("as-error", "R.S of the tag's S", STRICTER, required=lambda required: _with(required, severity=_ERROR)),
    _required("as-warning", "R.S of the tag's S", LAXER, required=lambda required: _with(required, severity=_WARNING)),
    _required("without-rules", "PTS joins PTS(R.S)", EITHER, required=lambda required: _with(required, rules=NO_RULES)),
    broken("call/control-flow/always-required", "R.S -> CF if there is a tag", STRICTER).by(
        S.user_call, _always_required
    ),
    broken("call/control-flow/filtered-by-callers", "filters around the call of the built-in", EITHER).by(
        S.require, _filtered_by_callers, where=lambda self, e: self.resolution.function(e) is not None
    ),
    broken("call/result/no-control-flow", "R -> CF", LAXER).by(
        S.result, lambda self, e, f: self.graph.growing(Role.RESULT, e, f)
    ),
    broken("call/result/always-non-uniform", "R -> NU if there is a tag", STRICTER).by(
        S.user_call, _always_non_uniform
    ),
    broken("call/result/never-non-uniform", "R -> NU", LAXER).by(S.returns_non_uniform, lambda: False),
    _argument(
        "not-required", "R.S -> arg_i", LAXER, lambda tags: tags if tags.of_contents else replace(tags, required=None)
    ),
    _argument(
        "contents-not-required",
        "R.S -> con_i",
        LAXER,
        lambda tags: replace(tags, required=None) if tags.of_contents else tags,
    ),
    _argument("contents-as-address", "R.S -> con_i", LAXER, lambda tags: replace(tags, of_contents=False)),
    _demanded("as-error", "R.S of the tag's S", STRICTER, severity=_ERROR),
    _demanded("as-warning", "R.S of the tag's S", LAXER, severity=_WARNING),
    _demanded("without-rules", "PTS joins PTS(R.S)", EITHER, rules=NO_RULES),
    _argument("not-returned", "R -> arg_i", LAXER, lambda tags: replace(tags, returned=False)),
    _argument("always-returned", "R -> arg_i if there is a tag", STRICTER, lambda tags: replace(tags, returned=True)),
    _argument("contents-not-returned", "R -> con_i", LAXER, lambda tags: replace(tags, returned_contents=False)),
    broken("call/parameter/contents-always-returned", "R -> con_i if there is a tag", STRICTER).by(
        S.argument, tags=lambda i, tags, contents: replace(tags, returned_contents=i in contents)
    ),
    _contents("call/contents/no-address", "con_i -> arg_i", lambda argument, old: old),
    _contents("call/contents/no-value", "con_i -> M[x]", lambda argument, old: argument),
    broken("call/written/never", "M[x] = W", EITHER).by(S.write_back, lambda: None),
    broken("call/written/uniform", "W -> NU", LAXER).by(
        S.written, tags=lambda tags: replace(tags, written_non_uniform=False)
    ),
    broken("call/written/always-non-uniform", "W -> NU if there is a tag", STRICTER).by(
        S.written, lambda: [MAY_BE_NON_UNIFORM]
    ),
    broken("call/written/no-arguments", "W -> arg_j recorded", LAXER).by(
        S.origin, nothing, where=lambda o: not o.contents
    ),
    broken("call/written/no-contents", "W -> con_j recorded", LAXER).by(S.origin, nothing, where=lambda o: o.contents),
    broken("call/written/addresses-for-contents", "W -> con_j recorded", LAXER).by(
        S.origin, o=lambda o: Origin(o.parameter)
    ),
    broken("call/written/from-everything", "W -> what is recorded", STRICTER).by(
        S.written, lambda result, arguments, contents: [*result, *arguments, *contents.values()]
    ),
    _left("full-keeps", "full pointer: not W -> M[x]", STRICTER, lambda self, address, x: [self.M[x], address]),
    _left(
        "partial-forgets",
        "partial pointer: W -> M[x]",
        LAXER,
        lambda self, pointer, address, x, written: (
            ([self.M[x]] if x in written else []) if _is_full(self, pointer) else [address]
        ),
    ),
    _left(
        "second-pointer-replaces",
        "two pointers to x: W -> both",
        LAXER,
        lambda self, pointer, address, x: [] if _is_full(self, pointer) else [self.M[x], address],
    ),
)


def _results(word: str) -> Iterator[Variant]:
    """R -> CF and R -> arg_i, of constructors or of ordinary built-in functions."""

    def of(what: str, branch: str, way: Direction, **given: Any) -> Variant:
        return broken(f"builtin/{word}/{what}", branch, way).by(
            S.depending, where=lambda e: (e.callee.name in b.TYPES) is (word == "constructor"), **given
        )

    yield of("no-control-flow", "R -> CF", LAXER, cf=nothing)
    yield of("no-first-argument", "R -> arg_1", LAXER, arguments=lambda arguments: arguments[1:])
    yield of("only-first-argument", "R -> arg_i", LAXER, arguments=lambda arguments: arguments[:1])
    yield of("non-uniform", "R -> NU if there is a tag", STRICTER, cf=MAY_BE_NON_UNIFORM)


def _texture_load(name: str, way: Direction, of: Callable[[Access | None], bool]) -> Variant:
    return broken(f"builtin/texture-load/{name}", "textureLoad of a read_write storage texture: R -> NU", way).by(
        S.is_non_uniform,
        lambda self, e: of(self.resolution.texture_access(e.arguments[0])),
        where=lambda row: row.name == "textureLoad",
    )


def _unseen(name: str, kind: type) -> Variant:
    """A variant that does not know what texture a let, or a parameter, stands for."""

    def is_unseen(self: S, e: w.Call, row: b.BuiltinFunction) -> bool:
        texture = e.arguments[0] if row.name == "textureLoad" else None
        return isinstance(texture, w.Identifier) and isinstance(self.resolution.declaration(texture), kind)

    branch = "textureLoad of a read_write storage texture: R -> NU"
    return broken(f"builtin/texture-load/{name}", branch, LAXER).by(S.is_non_uniform, lambda: False, where=is_unseen)


def _severity(name: str, way: Direction, of: Callable[[Severity, b.Rule], Severity]) -> Variant:
    """A variant of the severity of what a built-in function requires."""

    def required(result: Required | None, row: b.BuiltinFunction) -> Required | None:
        if result is None or row.rule is None:
            return result
        severity = of(result.severity, row.rule)
        return None if severity is Severity.OFF else replace(result, severity=severity)

    return broken(f"builtin/severity/{name}", "R.S -> CF, S the severity in force", way).by(
        S.builtin_requirement, required
    )


BUILTIN_CALL_VARIANTS: tuple[Variant, ...] = (
    *_results("constructor"),
    *_results("ordinary"),
    _texture_load("uniform", LAXER, lambda access: False),
    _texture_load("of-any-storage-texture", STRICTER, lambda access: access is not None),
    _texture_load("of-any-texture", STRICTER, lambda access: True),
    _texture_load("of-plain-textures", EITHER, lambda access: access is None),
    _unseen("not-through-lets", w.Let),
    _unseen("not-through-parameters", w.Parameter),
    _severity("warnings-are-errors", STRICTER, lambda s, rule: _ERROR if s is _WARNING else s),
    _severity("infos-are-errors", STRICTER, lambda s, rule: _ERROR if s is _INFO else s),
    _severity("infos-are-warnings", EITHER, lambda s, rule: _WARNING if s is _INFO else s),
    _severity("warnings-are-infos", EITHER, lambda s, rule: _INFO if s is _WARNING else s),
    _severity("warnings-are-off", LAXER, lambda s, rule: _OFF if s is _WARNING else s),
    _severity("infos-are-off", LAXER, lambda s, rule: _OFF if s is _INFO else s),
    _severity("synchronisation-warns", LAXER, lambda s, rule: _WARNING if rule is b.Rule.SYNCHRONIZATION else s),
    broken("builtin/severity/rules-forgotten", "PTS joins PTS(R.S)", EITHER).by(
        S.builtin_requirement, lambda result: _with(result, rules=NO_RULES)
    ),
    broken("builtin/scope/all-rules", "the requirements of the scope at hand", STRICTER).by(
        S.is_rule_of_scope, lambda: True
    ),
    broken("builtin/scope/subgroup-rules-in-both", "the requirements of the scope at hand", STRICTER).by(
        S.is_rule_of_scope, lambda result, rule: rule in b.SUBGROUP_RULES or result
    ),
    broken("builtin/scope/other-rules-in-both", "the requirements of the scope at hand", STRICTER).by(
        S.is_rule_of_scope, lambda result, rule: rule not in b.SUBGROUP_RULES or result
    ),
    broken("builtin/scope/other-scope", "the requirements of the scope at hand", EITHER).by(
        S.is_rule_of_scope, lambda self, rule: (rule in b.SUBGROUP_RULES) == (self.scope is b.Scope.WORKGROUP)
    ),
    broken("builtin/scope/other-results-independent", "R -> arg_i of functions of other rules", LAXER).by(
        S.result_depends_on, lambda self, arguments: [] if self.scope is b.Scope.SUBGROUP else arguments
    ),
)


_OTHER_RULE = {
    b.Rule.SYNCHRONIZATION: b.Rule.DERIVATIVE,
    b.Rule.DERIVATIVE: b.Rule.SYNCHRONIZATION,
    b.Rule.SUBGROUP: b.Rule.SYNCHRONIZATION,
    b.Rule.MATRIX: b.Rule.DERIVATIVE,
}
_BOTH = frozenset(b.Scope)


def _table_row(changed_row: b.BuiltinFunction, what: str, branch: str, way: Direction) -> Variant:
    rule = "proposal" if changed_row.extension in b.PROPOSALS else "table"
    return broken(f"{rule}/{changed_row.name}/{what}", f"{changed_row.name}: {branch}", way).by(
        S.function_row, lambda: changed_row, of=changed_row.name
    )


def _of_row(row: b.BuiltinFunction) -> Iterator[Variant]:
    """Each tag of one row."""
    if row.rule is not None:
        # Without the rule, results of subgroup functions depend on their arguments.
        way = EITHER if row.rule is b.Rule.SUBGROUP else LAXER
        yield _table_row(replace(row, rule=None), "no-requirement", "call site tag", way)
        yield _table_row(replace(row, rule=_OTHER_RULE[row.rule]), "other-rule", f"rule {row.rule}", EITHER)
    if row.required:
        yield _table_row(replace(row, required=()), "no-parameter", f"parameter {row.required[0]} is required", LAXER)
    if len(row.required) == 1 and row.rule is not b.Rule.MATRIX:
        yield _table_row(
            replace(row, required=(1 - row.required[0],)), "other-parameter", "which one is required", EITHER
        )
    for i in row.required[: len(row.required) if len(row.required) > 1 else 0]:
        without = replace(row, required=tuple(j for j in row.required if j != i))
        yield _table_row(without, f"no-parameter-{i}", f"parameter {i} is required", LAXER)
    if row.rule is b.Rule.SUBGROUP and not row.required and row.name != "subgroupElect":
        yield _table_row(replace(row, required=(0,)), "parameter-required", "no parameter tag", STRICTER)
    if row.rule is None and not row.constant:
        yield _table_row(replace(row, rule=b.Rule.SYNCHRONIZATION), "required", "no call site tag", STRICTER)
    if not row.non_uniform_in and not row.constant and row.result and row.name != "textureLoad":
        yield _table_row(replace(row, non_uniform_in=_BOTH), "non-uniform", "no ReturnValueMayBeNonUniform", STRICTER)
    if row.name == "subgroupShuffle":
        yield _table_row(replace(row, required=(1,)), "second-required", "no parameter tag", STRICTER)
    for scope in b.Scope:
        if scope in row.non_uniform_in and row.result:
            without = replace(row, non_uniform_in=row.non_uniform_in - {scope})
            yield _table_row(without, f"uniform-in-{scope}", f"ReturnValueMayBeNonUniform in {scope}", LAXER)
        elif row.rule is b.Rule.SUBGROUP:
            more = replace(row, non_uniform_in=row.non_uniform_in | {scope})
            yield _table_row(more, f"non-uniform-in-{scope}", f"no ReturnValueMayBeNonUniform in {scope}", STRICTER)


TABLE_VARIANTS: tuple[Variant, ...] = tuple(
    variant for row in (*b.FUNCTIONS.values(), b.MATRIX_CONSTRUCTOR) for variant in _of_row(row)
)


def _names_only(self: S, e: w.Call) -> bool:
    found = self.resolution.type(e)
    return found is not None and found.name in b.MATRIX_TYPES


def _warning_by_default(asked: b.Rule, name: str) -> Variant:
    return broken(name, f"{asked}: error by default", LAXER).by(
        Filters.severity,
        lambda: Severity.WARNING,
        where=lambda self, rule: rule == asked and rule not in self.innermost,
    )


PROPOSAL_VARIANTS: tuple[Variant, ...] = (
    broken("proposal/zero/not-required", "var x: T with subgroup matrices: a constructor", LAXER).by(
        S.zero, lambda: None
    ),
    broken("proposal/composite/not-required", "T() with subgroup matrices in it: a constructor", LAXER).by(
        S.makes_matrices, _names_only
    ),
    broken("proposal/binding-array/index-forgotten", "b[i] -> i, of a binding array", LAXER).by(
        S.index,
        lambda self, e, cf, loaded: self.expr(e.base, cf, loaded),
        where=lambda self, e: (found := self.resolution.type(e.base)) is not None and found.name == "binding_array",
    ),
    _warning_by_default(b.Rule.MATRIX, "proposal/filter/warns"),
    broken("proposal/filter/off", f"a filter of {b.Rule.MATRIX}", STRICTER).by(
        Filters.severity, lambda: Severity.ERROR, where=lambda rule: rule == b.Rule.MATRIX
    ),
)


def _scopes(name: str, branch: str, way: Direction, of: Callable[[Resolution], tuple[b.Scope, ...]]) -> Variant:
    scopes = classmethod(lambda _, resolution: of(resolution))
    return row(f"module/scope/{name}", branch, way, type("Scopes", (ScopeAnalysis,), {"scopes": scopes}))


def _first_tags(result: FunctionResult, self: S, f: w.Function) -> FunctionResult:
    """All functions with as many parameters, and pointers in the same places, have the tags of the first.

    Entry points have none to give: nothing calls them.
    """
    pointers = [self.is_contents(p) for p in f.parameters]
    called = (g for g in self.resolution.functions if id(g) in self.F and not self.resolution.entry_stage(g))
    known = [self.F[id(g)] for g in called if [self.is_contents(p) for p in g.parameters] == pointers]
    return replace(result, tags=known[0]) if known else result


def _severities(word: str, branch: str, way: Direction, *severities: Severity) -> Variant:
    """Tags are made of these severities, in this order."""
    return row(f"tag/severity/{word}", branch, way, type("Severities", (ScopeAnalysis,), {"severities": severities}))


Level = tuple[Required, Reached]


def _parameter(what: str, branch: str, way: Direction, of: Callable[..., ParameterTags]) -> Variant:
    """A variant of the tags of one parameter."""
    return broken(f"tag/parameter/{what}", branch, way).by(S.parameter_tags, of)


def _by(levels: list[Level], node: Node | None) -> Required | None:
    return next((level for level, reached in levels if is_in(reached, node)), None)


def _last_level(result: ParameterTags, p: w.Parameter, entries: VariableMap, levels: list[Level]) -> ParameterTags:
    """Whether it is the contents that are required, by any severity."""
    return replace(result, of_contents=any(is_in(reached, entries.get(id(p))) for _, reached in levels))


def _origins(name: str, way: Direction, of: Callable[[list[Origin], int], list[Origin]]) -> Variant:
    """A variant of which parameters are recorded for O_i."""

    return broken(f"tag/recorded/{name}", "O_i: record all j with P_j or C_j reachable", way).by(
        S.origins, lambda result, self: iter(of([*result], len(self.function.parameters)))
    )


PARAMETER_TAGS: tuple[Variant, ...] = (
    _parameter(
        "value-not-required",
        "P_i in RS: ParameterRequiredToBeUniform.S",
        LAXER,
        lambda result, p, entries, levels: (
            result if (by := _by(levels, entries.get(id(p)))) is result.required else replace(result, required=by)
        ),
    ),
    _parameter(
        "contents-not-required",
        "C_i in RS: ParameterContentsRequiredToBeUniform.S",
        LAXER,
        lambda self, result, p, levels: replace(
            result, required=_by(levels, self.parameters[id(p)]), of_contents=False
        ),
    ),
    _parameter("never-contents", "C_i in RS: the tag is of the contents", LAXER, having(of_contents=False)),
    _parameter(
        "always-contents",
        "C_i not in RS: the tag is of the address",
        STRICTER,
        lambda result, p, entries: replace(result, of_contents=id(p) in entries),
    ),
    _parameter("contents-by-any-severity", "C_i in RS of this severity", STRICTER, _last_level),
    _parameter("not-returned", "P_i reachable from VR: the parameter return tag", LAXER, having(returned=False)),
    _parameter("always-returned", "P_i reachable from VR: the parameter return tag", STRICTER, having(returned=True)),
    _parameter(
        "contents-always-returned",
        "C_i reachable from VR",
        STRICTER,
        lambda result, p, entries: replace(result, returned_contents=id(p) in entries),
    ),
    _parameter(
        "contents-returned-with-address",
        "C_i reachable from VR",
        STRICTER,
        lambda result, p, entries: replace(
            result, returned_contents=result.returned_contents or (result.returned and id(p) in entries)
        ),
    ),
    _parameter(
        "written-uniform",
        "NU reachable from O_i: the pointer parameter tag",
        LAXER,
        having(written_non_uniform=False),
    ),
    _parameter(
        "written-always-non-uniform",
        "NU reachable from O_i: the pointer parameter tag",
        STRICTER,
        having(written_non_uniform=True),
    ),
    _origins("no-values", LAXER, lambda found, n: [o for o in found if o.contents]),
    _origins("no-contents", LAXER, lambda found, n: [o for o in found if not o.contents]),
    _origins("first-only", LAXER, lambda found, n: found[:1]),
    _origins("every-value", STRICTER, lambda found, n: [*found, *(Origin(j) for j in range(n))]),
)


FUNCTION_VARIANTS: tuple[Variant, ...] = (
    _scopes("workgroup-only", "with subgroups: two complete runs", LAXER, lambda resolution: (b.Scope.WORKGROUP,)),
    _scopes("subgroup-only", "with subgroups: two complete runs", LAXER, lambda resolution: (b.Scope.SUBGROUP,)),
    _scopes(
        "subgroup-if-enabled",
        "with subgroups: two complete runs",
        LAXER,
        lambda resolution: (b.Scope.SUBGROUP if "subgroups" in resolution.extensions else b.Scope.WORKGROUP,),
    ),
    _scopes(
        "not-if-implied",
        "with subgroups, named or implied: two complete runs",
        LAXER,
        lambda resolution: (b.Scope.WORKGROUP, *([b.Scope.SUBGROUP] if _names_subgroups(resolution) else [])),
    ),
    broken("module/functions/reached-only", "every function of the module", LAXER).by(
        S.analyse_function, having(violations=()), where=lambda self, f: not self.resolution.stages(f)
    ),
    broken("module/functions/entry-points-only", "every function of the module", LAXER).by(
        S.analyse_function, having(violations=()), where=lambda self, f: not self.resolution.entry_stage(f)
    ),
    broken("module/functions/first-tags", "the tags of each function", EITHER).by(S.analyse_function, _first_tags),
    broken("function/end/no-return", "falling off the end: as return", LAXER).by(S.fall_off_end, lambda: None),
    broken("function/end/only-by-return", "return: O_i -> M[p_i]", LAXER).by(S.leave_function, lambda: None),
    _severities("lowest-first", "the highest severity", EITHER, _INFO, _WARNING, _ERROR),
    _severities("no-errors", "S = error, warning, info in turn", LAXER, _WARNING, _INFO),
    _severities("no-warnings", "S = error, warning, info in turn", LAXER, _ERROR, _INFO),
    _severities("no-infos", "S = error, warning, info in turn", LAXER, _ERROR, _WARNING),
    broken("tag/severity/failed-ones-too", "no tags of a severity that failed", EITHER).by(S.levels, failed=set()),
    broken("tag/severity/none-if-any-failed", "no tags of a severity that failed", LAXER).by(
        S.levels, lambda: [], where=lambda failed: failed
    ),
    broken("tag/rules/forgotten", "PTS(R.S) of the tag", EITHER).by(S.rules_at, lambda: frozenset()),
    broken("tag/rules/of-every-severity", "PTS(R.S) of the tag", EITHER).by(
        S.rules_at, lambda piece: frozenset(r for s in Severity for r in piece(s))
    ),
    broken("tag/call-site/never", "CF0 in RS", LAXER).by(S.tags, having(call_site=None)),
    broken("tag/result/uniform", "NU reachable from VR", LAXER).by(S.tags, having(result_non_uniform=False)),
    broken("tag/result/non-uniform", "NU reachable from VR", STRICTER).by(S.tags, having(result_non_uniform=True)),
    broken("tag/result/without-start", "a body begins with CF0", LAXER).by(
        S.block, cf=lambda self, cf: self.graph.fresh(Role.SPECIAL, None, "CF_start") if cf == CF_START else cf
    ),
    *PARAMETER_TAGS,
)


def _names_subgroups(resolution: Resolution) -> bool:
    return any(isinstance(d, w.Enable) and SUBGROUPS in d.names for d in resolution.module.directives)


class Ignoring(Filters):
    """Filters of which some attributes are ignored, by identity."""

    ignored: frozenset[int] = frozenset()

    def push(self, attributes: w.Attributes) -> None:
        super().push(() if id(attributes) in self.ignored else attributes)


def _ignoring(name: str, branch: str, kind: type, at: str | Callable[[Any], list[w.Attributes]]) -> Variant:
    """A variant that ignores the filters of a kind of node; `at` says which of its attributes these are."""
    of = at if callable(at) else lambda node: [attrgetter(at)(node)]

    class Ignorant(ScopeAnalysis):
        def __init__(self, resolution: Resolution, scope: b.Scope | None) -> None:
            super().__init__(resolution, scope)
            nodes = (n for f in resolution.functions for n in descendants(f) if isinstance(n, kind))
            self.filters = Ignoring(resolution.module.directives)
            self.filters.ignored = frozenset(id(attributes) for n in nodes for attributes in of(n) if attributes)

    return row(f"filter/{name}", branch, EITHER, Ignorant)


def _of_blocks(*statements: w.Node | None) -> list[w.Attributes]:
    return [s.attributes for s in statements if isinstance(s, w.Block)]


def _outside(self: S, ranges: int, piece: Callable[[], Node]) -> Node:
    """A piece, outside of the innermost ranges of filters."""
    inner = self.filters
    self.filters = inner.outside(ranges)
    node = piece()
    self.filters = inner
    return node


def _condition_outside(name: str, branch: str, kind: type, ranges: int = 1) -> Variant:
    """A condition is evaluated outside of the range of its statement's filters."""
    return broken(f"filter/{name}", branch, EITHER).by(
        S.condition,
        lambda piece, self, syntax, e, cf: _outside(self, ranges, partial(piece, syntax, e, cf)),
        of=kind,
        where=lambda syntax: syntax.attributes,
    )


def _continuing_outside(name: str, branch: str, kind: type, ranges: int) -> Variant:
    """A `continuing`, or an update, stands outside of the range of filters that are as many as `ranges` up."""
    return broken(f"filter/{name}", branch, EITHER).by(
        S.continuing,
        lambda piece, self, s, cf: _outside(self, ranges, partial(piece, s, cf)),
        of=kind,
        where=lambda s: isinstance(s, w.Loop) or s.attributes,
    )


def _initial_outside(self: S, s: Any, cf: Node) -> Node:
    self.filters.pop()
    cf = self.stmt(s.initial, cf)
    self.filters.push(s.attributes)
    return self.loop(s, cf)


def _in_body(self: S, s: w.While | w.For, piece: Callable[[], Node]) -> Node:
    """A piece, in the range of the filters of the loop's body."""
    self.filters.push(s.body.attributes)
    node = piece()
    self.filters.pop()
    return node


class NoDirectives(ScopeAnalysis):
    """Directives are ignored."""

    def __init__(self, resolution: Resolution, scope: b.Scope | None) -> None:
        super().__init__(resolution, scope)
        self.filters = Filters()


def _never_ends(result: FunctionResult, self: S, f: w.Function) -> FunctionResult:
    self.filters.push(f.attributes)
    return result


def _any_rule(self: Filters) -> Severity:
    others = [r for r in b.Rule if r is not b.Rule.SYNCHRONIZATION]
    return min((Filters.severity(self, r) for r in others), key=[*Severity][::-1].index)


def _outer_wins(piece: Callable[[w.Attributes], None], self: Filters, attributes: w.Attributes) -> None:
    outer = self.innermost
    piece(attributes)
    self.innermost = {**self.innermost, **outer}


FILTER_VARIANTS: tuple[Variant, ...] = (
    row("filter/directive/ignored", "diagnostic(...); covers the module", EITHER, NoDirectives),
    broken("filter/attribute/ignored", "@diagnostic(...) covers its range", EITHER).by(Filters.push, attributes=()),
    _ignoring("function/ignored", "before a function", w.Function, "attributes"),
    _ignoring("function-body/ignored", "before a function's body", w.Function, "body.attributes"),
    _ignoring("block/ignored", "before a compound statement", w.Block, lambda n: _of_blocks(*n.statements)),
    _ignoring("if/ignored", "before if", w.If, "attributes"),
    _ignoring("branch/ignored", "before a branch's body", w.If, lambda n: _of_blocks(n.then, n.orelse)),
    _ignoring("switch/ignored", "before switch", w.Switch, "attributes"),
    _ignoring("switch-body/ignored", "before the brace of a switch", w.Switch, "body_attributes"),
    _ignoring("clause/ignored", "before a clause's body", w.Switch, lambda n: _of_blocks(*(c.body for c in n.clauses))),
    _ignoring("loop/ignored", "before loop", w.Loop, "attributes"),
    _ignoring("loop-body/ignored", "before a loop's brace", w.Loop, "body.attributes"),
    _ignoring("while/ignored", "before while", w.While, "attributes"),
    _ignoring("while-body/ignored", "before the body of while", w.While, "body.attributes"),
    _ignoring("for/ignored", "before for", w.For, "attributes"),
    _ignoring("for-body/ignored", "before the body of for", w.For, "body.attributes"),
    _ignoring("continuing/ignored", "before a continuing", w.Loop, lambda n: _of_blocks(n.continuing)),
    _continuing_outside("loop-body/not-in-continuing", "before a loop's brace: the continuing is inside", w.Loop, 1),
    _condition_outside("if/not-on-condition", "before if: all its branches and conditions", w.If),
    _condition_outside("switch/not-on-selector", "before switch", w.Switch),
    _condition_outside("while/not-on-condition", "before while", w.While, 2),
    _condition_outside("for/not-on-condition", "before for", w.For, 2),
    broken("filter/for/not-on-initial", "before for", EITHER).by(
        S.for_loop, _initial_outside, where=lambda s: s.initial is not None and s.attributes
    ),
    _continuing_outside("for/not-on-update", "before for", w.For, 2),
    broken("filter/for-body/on-update", "before the body of for", EITHER).by(
        S.continuing, lambda piece, self, s, cf: _in_body(self, s, partial(piece, s, cf)), of=w.For
    ),
    broken("filter/body/on-condition", "before the body of while or for", EITHER).by(
        S.condition,
        lambda piece, self, syntax, e, cf: _in_body(self, syntax, partial(piece, syntax, e, cf)),
        of=w.While | w.For,
    ),
    broken("filter/function/never-ends", "before a function", EITHER).by(S.analyse_function, _never_ends),
    broken("filter/range/never-ends", "the smallest enclosing range", EITHER).by(Filters.pop, lambda: None),
    broken("filter/range/outermost", "the smallest enclosing range", EITHER).by(Filters.push, _outer_wins),
    broken("filter/rule/any", "a filter of the same rule", EITHER).by(
        Filters.severity, _any_rule, where=lambda rule: rule is not b.Rule.SYNCHRONIZATION
    ),
    _warning_by_default(b.Rule.DERIVATIVE, f"filter/default/{b.Rule.DERIVATIVE}-warns"),
    _warning_by_default(b.Rule.SUBGROUP, f"filter/default/{b.Rule.SUBGROUP}-warns"),
)
