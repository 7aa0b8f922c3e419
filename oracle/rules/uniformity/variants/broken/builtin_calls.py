"""Broken variants of calls of built-in functions (15.2.7): edges, scopes and severities."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM
from wgsl_fuzz.oracle.rules.uniformity.tags import NO_RULES, Required
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.rows import row
from wgsl_fuzz.wgsl.builtins import TYPES, BuiltinFunction, Rule, Scope
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.resolution import Access
from wgsl_fuzz.wgsl.syntax import Call, Identifier, Let, Parameter

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
