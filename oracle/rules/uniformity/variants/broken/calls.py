"""Broken variants of calls of a user's functions by their tags (15.2.7)."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Demand, Role
from wgsl_fuzz.oracle.rules.uniformity.tags import NO_RULES, Origin, ParameterTags, Required
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.rows import row
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, TYPES, BuiltinFunction, Rule, Scope
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.resolution import Access
from wgsl_fuzz.wgsl.syntax import Call, Expression, Function, Identifier, Let, Parameter

OTHER_RULE = {
    Rule.SYNCHRONIZATION: Rule.DERIVATIVE,
    Rule.DERIVATIVE: Rule.SYNCHRONIZATION,
    Rule.SUBGROUP: Rule.SYNCHRONIZATION,
}
_BOTH = frozenset(Scope)


def _row(changed_row: BuiltinFunction, what: str, branch: str, effect: Effect, equivalent: str = "") -> Variant:
    return rows.changed(
        f"table/{changed_row.name}/{what}",
        f"{changed_row.name}: {branch}",
        effect,
        rows.S.function_row,
        lambda function_row, self, name: changed_row if name == changed_row.name else function_row(name),
        equivalent=equivalent,
    )


def _of(row: BuiltinFunction) -> Iterator[Variant]:
    """Each tag of one row."""
    if row.rule is not None:
        # Without the rule, results of subgroup functions depend on their arguments.
        effect = rows.EITHER if row.rule is Rule.SUBGROUP else rows.LAXER
        yield _row(replace(row, rule=None), "no-requirement", "call site tag", effect)
        yield _row(replace(row, rule=OTHER_RULE[row.rule]), "other-rule", f"rule {row.rule}", rows.EITHER)
    if row.required:
        yield _row(replace(row, required=()), "no-parameter", f"parameter {row.required[0]} is required", rows.LAXER)
        yield _row(
            replace(row, required=(1 - row.required[0],)), "other-parameter", "which one is required", rows.EITHER
        )
    if row.rule is Rule.SUBGROUP and not row.required and row.name != "subgroupElect":
        yield _row(replace(row, required=(0,)), "parameter-required", "no parameter tag", rows.STRICTER)
    if row.rule is None and not row.constant:
        yield _row(replace(row, rule=Rule.SYNCHRONIZATION), "required", "no call site tag", rows.STRICTER)
    if not row.non_uniform_in and not row.constant and row.result and row.name != "textureLoad":
        yield _row(replace(row, non_uniform_in=_BOTH), "non-uniform", "no ReturnValueMayBeNonUniform", rows.STRICTER)
    if row.name == "subgroupShuffle":
        yield _row(replace(row, required=(1,)), "second-required", "no parameter tag", rows.STRICTER)
    for scope in Scope:
        if scope in row.non_uniform_in and row.result:
            without = replace(row, non_uniform_in=row.non_uniform_in - {scope})
            yield _row(without, f"uniform-in-{scope}", f"ReturnValueMayBeNonUniform in {scope}", rows.LAXER)
        elif row.rule is Rule.SUBGROUP:
            more = replace(row, non_uniform_in=row.non_uniform_in | {scope})
            yield _row(more, f"non-uniform-in-{scope}", f"no ReturnValueMayBeNonUniform in {scope}", rows.STRICTER)


TABLE_VARIANTS: tuple[Variant, ...] = tuple(variant for row in FUNCTIONS.values() for variant in _of(row))


# ------------------------------------------------------------------------------------------------------ builtin calls


Arguments = Callable[[ScopeAnalysis, Node, list[Node]], tuple[Node, list[Node]]]


def _result(word: str, what: str, branch: str, effect: Effect, of: Arguments) -> Variant:
    """A variant of R -> {CF, arg_1, ...} for constructors, or for ordinary built-in functions."""

    class Depending(ScopeAnalysis):
        def depending(self, e: Call, cf: Node, arguments: list[Node]) -> Node:
            if (e.callee.name in TYPES) is (word == "constructor"):
                cf, arguments = of(self, cf, arguments)
            return super().depending(e, cf, arguments)

    return row(f"builtin/{word}/{what}", branch, effect, Depending)


def _results(word: str) -> Iterator[Variant]:
    """R -> CF and R -> arg_i."""
    yield _result(
        word, "no-control-flow", "R -> CF", rows.LAXER, lambda self, cf, arguments: (rows.nothing(self), arguments)
    )
    yield _result(word, "no-first-argument", "R -> arg_1", rows.LAXER, lambda self, cf, arguments: (cf, arguments[1:]))
    yield _result(
        word, "only-first-argument", "R -> arg_i", rows.LAXER, lambda self, cf, arguments: (cf, arguments[:1])
    )
    yield _result(
        word,
        "non-uniform",
        "R -> NU if there is a tag",
        rows.STRICTER,
        lambda self, cf, arguments: (MAY_BE_NON_UNIFORM, arguments),
    )


def _texture_load(name: str, effect: Effect, of: Callable[[Access | None], bool]) -> Variant:
    return rows.changed(
        f"builtin/texture-load/{name}",
        "textureLoad of a read_write storage texture: R -> NU",
        effect,
        rows.S.is_non_uniform,
        lambda is_non_uniform, self, e, row: (
            of(self.resolution.texture_access(e.arguments[0])) if row.name == "textureLoad" else is_non_uniform(e, row)
        ),
    )


def _unseen(name: str, kind: type) -> Variant:
    """A variant that does not know what texture a let, or a parameter, stands for."""

    class Unseen(ScopeAnalysis):
        def is_non_uniform(self, e: Call, row: BuiltinFunction) -> bool:
            texture = e.arguments[0] if e.arguments else None
            unseen = isinstance(texture, Identifier) and isinstance(self.resolution.declaration(texture), kind)
            return super().is_non_uniform(e, row) and not (row.name == "textureLoad" and unseen)

    return row(
        f"builtin/texture-load/{name}", "textureLoad of a read_write storage texture: R -> NU", rows.LAXER, Unseen
    )


def _severity(name: str, effect: Effect, of: Callable[[Severity, Rule], Severity]) -> Variant:
    """A variant of the severity of what a built-in function requires."""

    class Severities(ScopeAnalysis):
        def builtin_requirement(self, row: BuiltinFunction) -> Required | None:
            required = super().builtin_requirement(row)
            if required is None or row.rule is None:
                return required
            severity = of(required.severity, row.rule)
            return None if severity is Severity.OFF else replace(required, severity=severity)

    return row(f"builtin/severity/{name}", "R.S -> CF, S the severity in force", effect, Severities)


_ERROR, _WARNING, _INFO, _OFF = Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.OFF

BUILTIN_CALL_VARIANTS: tuple[Variant, ...] = (
    *_results("constructor"),
    *_results("ordinary"),
    _texture_load("uniform", rows.LAXER, lambda access: False),
    _texture_load("of-any-storage-texture", rows.STRICTER, lambda access: access is not None),
    _texture_load("of-any-texture", rows.STRICTER, lambda access: True),
    _texture_load("of-plain-textures", rows.EITHER, lambda access: access is None),
    _unseen("not-through-lets", Let),
    _unseen("not-through-parameters", Parameter),
    _severity("warnings-are-errors", rows.STRICTER, lambda s, rule: _ERROR if s is _WARNING else s),
    _severity("infos-are-errors", rows.STRICTER, lambda s, rule: _ERROR if s is _INFO else s),
    _severity("infos-are-warnings", rows.EITHER, lambda s, rule: _WARNING if s is _INFO else s),
    _severity("warnings-are-infos", rows.EITHER, lambda s, rule: _INFO if s is _WARNING else s),
    _severity("warnings-are-off", rows.LAXER, lambda s, rule: _OFF if s is _WARNING else s),
    _severity("infos-are-off", rows.LAXER, lambda s, rule: _OFF if s is _INFO else s),
    _severity("synchronisation-warns", rows.LAXER, lambda s, rule: _WARNING if rule is Rule.SYNCHRONIZATION else s),
    rows.changed(
        "builtin/severity/rules-forgotten",
        "PTS joins PTS(R.S)",
        rows.EITHER,
        rows.S.builtin_requirement,
        lambda requirement, self, row: (r := requirement(row)) and replace(r, rules=NO_RULES),
    ),
    rows.changed(
        "builtin/scope/all-rules",
        "the requirements of the scope at hand",
        rows.STRICTER,
        rows.S.is_rule_of_scope,
        lambda is_rule, self, rule: True,
    ),
    rows.changed(
        "builtin/scope/subgroup-rules-in-both",
        "the requirements of the scope at hand",
        rows.STRICTER,
        rows.S.is_rule_of_scope,
        lambda is_rule, self, rule: rule is Rule.SUBGROUP or is_rule(rule),
    ),
    rows.changed(
        "builtin/scope/other-rules-in-both",
        "the requirements of the scope at hand",
        rows.STRICTER,
        rows.S.is_rule_of_scope,
        lambda is_rule, self, rule: rule is not Rule.SUBGROUP or is_rule(rule),
    ),
    rows.changed(
        "builtin/scope/other-scope",
        "the requirements of the scope at hand",
        rows.EITHER,
        rows.S.is_rule_of_scope,
        lambda is_rule, self, rule: (rule is Rule.SUBGROUP) == (self.scope is Scope.WORKGROUP),
    ),
    rows.changed(
        "builtin/scope/results-independent-in-both",
        "R -> arg_i in the scope of workgroups",
        rows.LAXER,
        rows.S.result_depends_on,
        lambda depends, self, row, arguments: [] if row.rule is Rule.SUBGROUP else arguments,
        equivalent="In the scope of workgroups the result of each of these functions may be non-uniform anyway.",
    ),
    rows.changed(
        "builtin/scope/other-results-independent",
        "R -> arg_i of functions of other rules",
        rows.LAXER,
        rows.S.result_depends_on,
        lambda depends, self, row, arguments: [] if self.scope is Scope.SUBGROUP else arguments,
    ),
)


# -------------------------------------------------------------------------------------------------------------- calls


def _required(name: str, branch: str, effect: Effect, of: Callable[[Required], Required | None]) -> Variant:
    """A variant of the tag of call sites where a user's function is called."""

    class Requiring(ScopeAnalysis):
        def require(
            self, required: Required, target: Node, e: Call, demand: Demand = Demand.CONTROL_FLOW, i: int | None = None
        ) -> None:
            user = self.resolution.function(e) is not None
            other = of(required) if user and demand is Demand.CONTROL_FLOW else required
            if other is not None:
                super().require(other, target, e, demand, i)

    return rows.row(name, branch, effect, Requiring)


def _parameter(name: str, branch: str, effect: Effect, of: Callable[[ParameterTags], ParameterTags]) -> Variant:
    """A variant of what the tags of a parameter say of its argument."""
    return rows.changed(
        f"call/parameter/{name}",
        branch,
        effect,
        rows.S.argument,
        lambda argument, self, e, i, tags, result, arguments, contents: argument(
            e, i, of(tags), result, arguments, contents
        ),
    )


def _arguments_chained(analysis: ScopeAnalysis, e: Call, cf: Node) -> list[Node]:
    values = []
    for a in e.arguments:
        values.append(cf := analysis.value(a, cf))
    return values


class FilteredByCallers(ScopeAnalysis):
    """The filters around a call of a user's function apply to what the function requires."""

    def require(
        self, required: Required, target: Node, e: Call, demand: Demand = Demand.CONTROL_FLOW, i: int | None = None
    ) -> None:
        """The severity in force here, for the first of the rules."""
        if self.resolution.function(e) is not None:
            severity = self.filters.severity(min(required.rules))
            required = replace(required, severity=severity)
        if required.severity is not Severity.OFF:
            super().require(required, target, e, demand, i)


class ResultsWithoutControlFlow(ScopeAnalysis):
    """The result of a user's function has no edge to control flow at the call."""

    def result(self, e: Call, f: Function, cf: Node) -> Node:
        """Without an edge."""
        return self.graph.growing(Role.RESULT, e, f)


class ResultsAlwaysNonUniform(ScopeAnalysis):
    """The result of a user's function may be non-uniform whatever its tag is."""

    def user_call(self, e: Call, f: Function, cf: Node, arguments: list[Node]) -> Node:
        """One more edge."""
        result = super().user_call(e, f, cf, arguments)
        self.graph.add_edge(result, MAY_BE_NON_UNIFORM)
        return result


class ControlFlowAlwaysRequired(ScopeAnalysis):
    """A user's function requires uniform control flow whatever its tag is."""

    def user_call(self, e: Call, f: Function, cf: Node, arguments: list[Node]) -> Node:
        """In the name of synchronisation."""
        self.require(Required(Severity.ERROR, frozenset({Rule.SYNCHRONIZATION})), cf, e)
        return super().user_call(e, f, cf, arguments)


def _contents(name: str, branch: str, address: bool, value: bool) -> Variant:
    """A variant of con_i -> {arg_i, M[x]}."""

    class Contents(ScopeAnalysis):
        def contents(self, e: Call, i: int, argument: Node) -> Node:
            old = self.M[id(self.resolution.root(e.arguments[i]))]
            successors = [*([argument] if address else []), *([old] if value else [])]
            return self.graph.fresh(Role.ARGUMENT_CONTENTS, e.arguments[i], "", *successors)

    return rows.row(name, branch, rows.LAXER, Contents)


Left = Callable[[ScopeAnalysis, Expression, Node, int, VariableMap], list[Node]]


def _left(name: str, branch: str, effect: Effect, of: Left, *, equivalent: str = "") -> Variant:
    """A variant of W -> the old M[x] and the address."""
    return rows.changed(
        f"call/written/{name}",
        branch,
        effect,
        rows.S.left_behind,
        lambda left, self, pointer, address, x, written: of(self, pointer, address, x, written),
        equivalent=equivalent,
    )


def _is_full(analysis: ScopeAnalysis, pointer: Expression) -> bool:
    return analysis.resolution.is_full(pointer)


USER_CALL_VARIANTS: tuple[Variant, ...] = (
    rows.changed(
        "call/arguments/right-to-left",
        "arg_i from left to right",
        rows.EITHER,
        rows.S.arguments,
        lambda arguments, self, e, cf: [self.value(a, cf) for a in reversed(e.arguments)][::-1],
    ),
    rows.changed(
        "call/arguments/chained",
        "arg_i all from the same CF",
        rows.STRICTER,
        rows.S.arguments,
        lambda arguments, self, e, cf: _arguments_chained(self, e, cf),
    ),
    _required("call/control-flow/not-required", "R.S -> CF", rows.LAXER, lambda required: None),
    _required(
        "call/control-flow/as-error", "R.S of the tag's S", rows.STRICTER, lambda r: replace(r, severity=Severity.ERROR)
    ),
    _required(
        "call/control-flow/as-warning",
        "R.S of the tag's S",
        rows.LAXER,
        lambda r: replace(r, severity=Severity.WARNING),
    ),
    _required(
        "call/control-flow/without-rules", "PTS joins PTS(R.S)", rows.EITHER, lambda r: replace(r, rules=NO_RULES)
    ),
    rows.row(
        "call/control-flow/always-required", "R.S -> CF if there is a tag", rows.STRICTER, ControlFlowAlwaysRequired
    ),
    rows.row(
        "call/control-flow/filtered-by-callers",
        "filters around the call of the built-in",
        rows.EITHER,
        FilteredByCallers,
    ),
    rows.row("call/result/no-control-flow", "R -> CF", rows.LAXER, ResultsWithoutControlFlow),
    rows.row("call/result/always-non-uniform", "R -> NU if there is a tag", rows.STRICTER, ResultsAlwaysNonUniform),
    rows.changed(
        "call/result/never-non-uniform",
        "R -> NU",
        rows.LAXER,
        rows.S.returns_non_uniform,
        lambda returns_non_uniform, self, tags: False,
    ),
    _parameter("not-required", "R.S -> arg_i", rows.LAXER, lambda t: t if t.of_contents else replace(t, required=None)),
    _parameter(
        "contents-not-required", "R.S -> con_i", rows.LAXER, lambda t: replace(t, required=None) if t.of_contents else t
    ),
    _parameter("contents-as-address", "R.S -> con_i", rows.LAXER, lambda t: replace(t, of_contents=False)),
    _parameter(
        "required-as-error",
        "R.S of the tag's S",
        rows.STRICTER,
        lambda t: replace(t, required=replace(t.required, severity=Severity.ERROR)) if t.required else t,
    ),
    _parameter(
        "required-as-warning",
        "R.S of the tag's S",
        rows.LAXER,
        lambda t: replace(t, required=replace(t.required, severity=Severity.WARNING)) if t.required else t,
    ),
    _parameter(
        "required-without-rules",
        "PTS joins PTS(R.S)",
        rows.EITHER,
        lambda t: replace(t, required=replace(t.required, rules=NO_RULES)) if t.required else t,
    ),
    _parameter("not-returned", "R -> arg_i", rows.LAXER, lambda t: replace(t, returned=False)),
    _parameter("always-returned", "R -> arg_i if there is a tag", rows.STRICTER, lambda t: replace(t, returned=True)),
    _parameter("contents-not-returned", "R -> con_i", rows.LAXER, lambda t: replace(t, returned_contents=False)),
    rows.changed(
        "call/parameter/contents-always-returned",
        "R -> con_i if there is a tag",
        rows.STRICTER,
        rows.S.argument,
        lambda argument, self, e, i, tags, result, arguments, contents: argument(
            e, i, replace(tags, returned_contents=i in contents), result, arguments, contents
        ),
    ),
    _contents("call/contents/no-address", "con_i -> arg_i", False, True),
    _contents("call/contents/no-value", "con_i -> M[x]", True, False),
    rows.changed(
        "call/written/never",
        "M[x] = W",
        rows.EITHER,
        rows.S.write_back,
        lambda write_back, self, e, f, tags, cf, arguments, contents: None,
    ),
    rows.changed(
        "call/written/uniform",
        "W -> NU",
        rows.LAXER,
        rows.S.written,
        lambda written, self, tags, cf, arguments, contents: written(
            replace(tags, written_non_uniform=False), cf, arguments, contents
        ),
    ),
    rows.changed(
        "call/written/always-non-uniform",
        "W -> NU if there is a tag",
        rows.STRICTER,
        rows.S.written,
        lambda written, self, tags, cf, arguments, contents: [MAY_BE_NON_UNIFORM],
    ),
    rows.changed(
        "call/written/no-control-flow",
        "W -> CF",
        rows.LAXER,
        rows.S.written,
        lambda written, self, tags, cf, arguments, contents: written(tags, rows.nothing(self), arguments, contents),
        equivalent="What a function leaves behind a pointer depends on the address, if it was written, or on what was "
        "there before: both have a path to CF.",
    ),
    rows.changed(
        "call/written/no-arguments",
        "W -> arg_j recorded",
        rows.LAXER,
        rows.S.origin,
        lambda origin, self, o, arguments, contents: (
            origin(o, arguments, contents) if o.contents else rows.nothing(self)
        ),
    ),
    rows.changed(
        "call/written/no-contents",
        "W -> con_j recorded",
        rows.LAXER,
        rows.S.origin,
        lambda origin, self, o, arguments, contents: (
            rows.nothing(self) if o.contents else origin(o, arguments, contents)
        ),
    ),
    rows.changed(
        "call/written/addresses-for-contents",
        "W -> con_j recorded",
        rows.LAXER,
        rows.S.origin,
        lambda origin, self, o, arguments, contents: origin(Origin(o.parameter), arguments, contents),
    ),
    rows.changed(
        "call/written/from-everything",
        "W -> what is recorded",
        rows.STRICTER,
        rows.S.written,
        lambda written, self, tags, cf, arguments, contents: [
            *written(tags, cf, arguments, contents),
            *arguments,
            *contents.values(),
        ],
    ),
    _left(
        "full-keeps",
        "full pointer: not W -> M[x]",
        rows.STRICTER,
        lambda self, pointer, address, x, written: [self.M[x], address],
    ),
    _left(
        "partial-forgets",
        "partial pointer: W -> M[x]",
        rows.LAXER,
        lambda self, pointer, address, x, written: (
            ([self.M[x]] if x in written else []) if _is_full(self, pointer) else [address]
        ),
    ),
    _left(
        "partial-forgets-address",
        "partial pointer: W -> arg_i",
        rows.LAXER,
        lambda self, pointer, address, x, written: [self.M[x]] if x in written or not _is_full(self, pointer) else [],
        equivalent="The old value or the address is recorded for O_i anyway, and the old value has an edge to arg_i.",
    ),
    _left(
        "second-pointer-replaces",
        "two pointers to x: W -> both",
        rows.LAXER,
        lambda self, pointer, address, x, written: [] if _is_full(self, pointer) else [self.M[x], address],
    ),
)
