"""Broken variants of diagnostic filters (2.3): their ranges, and which of them is in force."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import EITHER, LAXER, S, broken, row
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Rule, Scope
from wgsl_fuzz.wgsl.diagnostics import Filters, Severity
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.walk import descendants


class Ignoring(Filters):
    """Filters of which some attributes are ignored, by identity."""

    ignored: frozenset[int] = frozenset()

    def push(self, attributes: w.Attributes) -> None:
        super().push(() if id(attributes) in self.ignored else attributes)


def _ignoring(name: str, branch: str, kind: type, at: str | Callable[[Any], list[w.Attributes]]) -> Variant:
    """A variant that ignores the filters of a kind of node; `at` says which of its attributes these are."""
    of = at if callable(at) else lambda node: [attrgetter(at)(node)]

    class Ignorant(ScopeAnalysis):
        def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
            super().__init__(resolution, scope)
            nodes = (n for f in resolution.functions for n in descendants(f) if isinstance(n, kind))
            self.filters = Ignoring(resolution.module.directives)
            self.filters.ignored = frozenset(id(attributes) for n in nodes for attributes in of(n) if attributes)

    return row(f"filter/{name}", branch, EITHER, Ignorant)


def _of_blocks(*statements: w.Node | None) -> list[w.Attributes]:
    return [s.attributes for s in statements if isinstance(s, w.Block)]


def _outside(name: str, branch: str, kind: type) -> Variant:
    """A condition is evaluated outside of the range of its statement's filters."""

    class Outside(ScopeAnalysis):
        def condition(self, syntax: w.Node, e: w.Expression, cf: Node) -> Node:
            if not isinstance(syntax, kind):
                return super().condition(syntax, e, cf)
            inner = self.filters
            self.filters = self.around[id(syntax)]
            v = super().condition(syntax, e, cf)
            self.filters = inner
            return v

        @property
        def around(self) -> dict[int, Filters]:
            found: dict[int, Filters] = self.__dict__.setdefault("_around", {})
            return found

        def stmt(self, s: w.Statement, cf: Node) -> Node:
            snapshot = Filters(self.resolution.module.directives)
            vars(snapshot).update(_inner=vars(self.filters)["_inner"], _outer=[])
            self.around[id(s)] = snapshot
            return super().stmt(s, cf)

    return row(f"filter/{name}", branch, EITHER, Outside)


def _initial_outside(self: S, s: Any, cf: Node) -> Node:
    self.filters.pop()
    cf = self.stmt(s.initial, cf)
    self.filters.push(s.attributes)
    return self.loop(s, cf)


def _around(filters: Filters, ranges: int) -> Filters:
    """The filters in force outside of the innermost ranges."""
    outer = Filters()
    vars(outer)["_inner"] = vars(filters)["_outer"][-ranges]
    return outer


def _continuing_outside(name: str, branch: str, kind: type, ranges: int) -> Variant:
    """A `continuing`, or an update, stands outside of the range of filters that are as many as `ranges` up."""

    def outside(piece: Callable[..., Node], self: S, s: w.For | w.Loop, cf: Node) -> Node:
        inner = self.filters
        self.filters = _around(inner, ranges)
        cf = piece(s, cf)
        self.filters = inner
        return cf

    return broken(name, branch, EITHER).by(
        S.continuing, outside, of=kind, where=lambda s: isinstance(s, w.Loop) or s.attributes
    )


def _update_in_body(piece: Callable[..., Node], self: S, s: w.For, cf: Node) -> Node:
    self.filters.push(s.body.attributes)
    cf = piece(s, cf)
    self.filters.pop()
    return cf


def _condition_in_body(piece: Callable[..., Node], self: S, syntax: w.While | w.For, e: w.Expression, cf: Node) -> Node:
    self.filters.push(syntax.body.attributes)
    v = piece(syntax, e, cf)
    self.filters.pop()
    return v


class NoDirectives(ScopeAnalysis):
    """Directives are ignored."""

    def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
        super().__init__(resolution, scope)
        self.filters = Filters()


def _never_ends(result: FunctionResult, self: S, f: w.Function) -> FunctionResult:
    self.filters.push(f.attributes)
    return result


def _any_rule(self: Filters) -> Severity:
    others = [r for r in Rule if r is not Rule.SYNCHRONIZATION]
    return min((Filters.severity(self, r) for r in others), key=[*Severity][::-1].index)


def _outer_wins(piece: Callable[[w.Attributes], None], self: Filters, attributes: w.Attributes) -> None:
    outer = vars(self)["_inner"]
    piece(attributes)
    vars(self)["_inner"] = {**vars(self)["_inner"], **outer}


def _warning_by_default(asked: Rule) -> Variant:
    return broken(f"filter/default/{asked}-warns", f"{asked}: error by default", LAXER).by(
        Filters.severity,
        lambda: Severity.WARNING,
        where=lambda self, rule: rule == asked and rule not in vars(self)["_inner"],
    )


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
    _continuing_outside(
        "filter/loop-body/not-in-continuing", "before a loop's brace: the continuing is inside", w.Loop, 1
    ),
    _outside("if/not-on-condition", "before if: all its branches and conditions", w.If),
    _outside("switch/not-on-selector", "before switch", w.Switch),
    _outside("while/not-on-condition", "before while", w.While),
    _outside("for/not-on-condition", "before for", w.For),
    broken("filter/for/not-on-initial", "before for", EITHER).by(
        S.for_loop, _initial_outside, where=lambda s: s.initial is not None and s.attributes
    ),
    _continuing_outside("filter/for/not-on-update", "before for", w.For, 2),
    broken("filter/for-body/on-update", "before the body of for", EITHER).by(S.continuing, _update_in_body, of=w.For),
    broken("filter/body/on-condition", "before the body of while or for", EITHER).by(
        S.condition, _condition_in_body, of=w.While | w.For
    ),
    broken("filter/function/never-ends", "before a function", EITHER).by(S.analyse_function, _never_ends),
    broken("filter/range/never-ends", "the smallest enclosing range", EITHER).by(Filters.pop, lambda: None),
    broken("filter/range/outermost", "the smallest enclosing range", EITHER).by(Filters.push, _outer_wins),
    broken("filter/rule/any", "a filter of the same rule", EITHER).by(
        Filters.severity, _any_rule, where=lambda rule: rule is not Rule.SYNCHRONIZATION
    ),
    _warning_by_default(Rule.DERIVATIVE),
    _warning_by_default(Rule.SUBGROUP),
)
