"""Broken variants of diagnostic filters (2.3): their ranges, and which of them is in force."""

from collections.abc import Callable

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.rows import (
    EITHER,
    LAXER,
    S,
    broken,
    row,
)
from wgsl_fuzz.wgsl import syntax as wgsl
from wgsl_fuzz.wgsl.builtins import Rule, Scope
from wgsl_fuzz.wgsl.diagnostics import Filters, Severity
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.walk import descendants


class Ignoring(Filters):
    """Filters of which some attributes are ignored, by identity."""

    ignored: frozenset[int] = frozenset()

    def push(self, attributes: wgsl.Attributes) -> None:
        """Pushes nothing in place of those."""
        super().push(() if id(attributes) in self.ignored else attributes)


def _ignoring(name: str, branch: str, of: Callable[[wgsl.Node], list[wgsl.Attributes]]) -> Variant:
    """A variant that ignores the filters of some nodes; `of` gives these attributes of one node."""

    class Ignorant(ScopeAnalysis):
        def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
            super().__init__(resolution, scope)
            self.filters = Ignoring(resolution.module.directives)
            self.filters.ignored = frozenset(
                id(attributes)
                for f in resolution.functions
                for node in descendants(f)
                for attributes in of(node)
                if attributes
            )

    return row(f"filter/{name}", branch, EITHER, Ignorant)


def _body_of(kind: type) -> Callable[[wgsl.Node], list[wgsl.Attributes]]:
    return lambda node: (
        [node.body.attributes] if isinstance(node, kind) and isinstance(node, wgsl.Loop | wgsl.While | wgsl.For) else []
    )


def _own(kind: type) -> Callable[[wgsl.Node], list[wgsl.Attributes]]:
    return lambda node: (
        [node.attributes]
        if isinstance(node, kind) and isinstance(node, wgsl.If | wgsl.Switch | wgsl.Loop | wgsl.While | wgsl.For)
        else []
    )


def _continuing(node: wgsl.Node) -> list[wgsl.Attributes]:
    return [node.continuing.attributes] if isinstance(node, wgsl.Loop) and node.continuing is not None else []


def _branches(node: wgsl.Node) -> list[wgsl.Attributes]:
    if not isinstance(node, wgsl.If):
        return []
    return [node.then.attributes, *([node.orelse.attributes] if isinstance(node.orelse, wgsl.Block) else [])]


def _statements(node: wgsl.Node) -> list[wgsl.Attributes]:
    return [s.attributes for s in node.statements if isinstance(s, wgsl.Block)] if isinstance(node, wgsl.Block) else []


def _outside(name: str, branch: str, kind: type) -> Variant:
    """A condition is evaluated outside of the range of its statement's filters."""

    class Outside(ScopeAnalysis):
        def condition(self, syntax: wgsl.Node, e: wgsl.Expression, cf: Node) -> Node:
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

        def stmt(self, s: wgsl.Statement, cf: Node) -> Node:
            snapshot = Filters(self.resolution.module.directives)
            vars(snapshot).update(_inner=vars(self.filters)["_inner"], _outer=[])
            self.around[id(s)] = snapshot
            return super().stmt(s, cf)

    return row(f"filter/{name}", branch, EITHER, Outside)


class ForHeaderOutside(ScopeAnalysis):
    """The initial statement of `for` stands outside of the range of its filters."""

    def for_loop(self, s: wgsl.For, cf: Node) -> Node:
        """Takes the filters off for it."""
        if s.initial is None or not s.attributes:
            return super().for_loop(s, cf)
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

    def outside(piece: Callable[..., Node], self: S, s: wgsl.For | wgsl.Loop, cf: Node) -> Node:
        inner = self.filters
        self.filters = _around(inner, ranges)
        cf = piece(s, cf)
        self.filters = inner
        return cf

    return broken(name, branch, EITHER).by(
        S.continuing, outside, of=kind, where=lambda s: isinstance(s, wgsl.Loop) or s.attributes
    )


class UpdateInBody(ScopeAnalysis):
    """The update of `for` stands in the range of the filters of the body."""

    def continuing(self, s: wgsl.While | wgsl.For | wgsl.Loop, cf: Node) -> Node:
        """Puts them on."""
        self.filters.push(s.body.attributes if isinstance(s, wgsl.For) else ())
        cf = super().continuing(s, cf)
        self.filters.pop()
        return cf


class ConditionInBody(ScopeAnalysis):
    """The condition of `while` or `for` stands in the range of the filters of the body."""

    def condition(self, syntax: wgsl.Node, e: wgsl.Expression, cf: Node) -> Node:
        """Puts them on."""
        self.filters.push(syntax.body.attributes if isinstance(syntax, wgsl.While | wgsl.For) else ())
        v = super().condition(syntax, e, cf)
        self.filters.pop()
        return v


class NoDirectives(ScopeAnalysis):
    """Directives are ignored."""

    def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
        super().__init__(resolution, scope)
        self.filters = Filters()


class CalleesInRange(ScopeAnalysis):
    """The filters of one function stay in force in the next."""

    def analyse_function(self, f: wgsl.Function) -> FunctionResult:
        """Those of the function itself."""
        result = super().analyse_function(f)
        self.filters.push(f.attributes)
        return result


def _any_rule(self: Filters) -> Severity:
    others = [r for r in Rule if r is not Rule.SYNCHRONIZATION]
    return min((Filters.severity(self, r) for r in others), key=[*Severity][::-1].index)


def _outer_wins(piece: Callable[[wgsl.Attributes], None], self: Filters, attributes: wgsl.Attributes) -> None:
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
    _ignoring(
        "function/ignored",
        "before a function",
        lambda node: [node.attributes] if isinstance(node, wgsl.Function) else [],
    ),
    _ignoring(
        "function-body/ignored",
        "before a function's body",
        lambda node: [node.body.attributes] if isinstance(node, wgsl.Function) else [],
    ),
    _ignoring("block/ignored", "before a compound statement", _statements),
    _ignoring("if/ignored", "before if", _own(wgsl.If)),
    _ignoring("branch/ignored", "before a branch's body", _branches),
    _ignoring("switch/ignored", "before switch", _own(wgsl.Switch)),
    _ignoring(
        "switch-body/ignored",
        "before the brace of a switch",
        lambda node: [node.body_attributes] if isinstance(node, wgsl.Switch) else [],
    ),
    _ignoring(
        "clause/ignored",
        "before a clause's body",
        lambda node: [c.body.attributes for c in node.clauses] if isinstance(node, wgsl.Switch) else [],
    ),
    _ignoring("loop/ignored", "before loop", _own(wgsl.Loop)),
    _ignoring("loop-body/ignored", "before a loop's brace", _body_of(wgsl.Loop)),
    _ignoring("while/ignored", "before while", _own(wgsl.While)),
    _ignoring("while-body/ignored", "before the body of while", _body_of(wgsl.While)),
    _ignoring("for/ignored", "before for", _own(wgsl.For)),
    _ignoring("for-body/ignored", "before the body of for", _body_of(wgsl.For)),
    _ignoring("continuing/ignored", "before a continuing", _continuing),
    _continuing_outside(
        "filter/loop-body/not-in-continuing", "before a loop's brace: the continuing is inside", wgsl.Loop, 1
    ),
    _outside("if/not-on-condition", "before if: all its branches and conditions", wgsl.If),
    _outside("switch/not-on-selector", "before switch", wgsl.Switch),
    _outside("while/not-on-condition", "before while", wgsl.While),
    _outside("for/not-on-condition", "before for", wgsl.For),
    row("filter/for/not-on-initial", "before for", EITHER, ForHeaderOutside),
    _continuing_outside("filter/for/not-on-update", "before for", wgsl.For, 2),
    row("filter/for-body/on-update", "before the body of for", EITHER, UpdateInBody),
    row("filter/body/on-condition", "before the body of while or for", EITHER, ConditionInBody),
    row("filter/function/never-ends", "before a function", EITHER, CalleesInRange),
    broken("filter/range/never-ends", "the smallest enclosing range", EITHER).by(Filters.pop, lambda: None),
    broken("filter/range/outermost", "the smallest enclosing range", EITHER).by(Filters.push, _outer_wins),
    broken("filter/rule/any", "a filter of the same rule", EITHER).by(
        Filters.severity, _any_rule, where=lambda rule: rule is not Rule.SYNCHRONIZATION
    ),
    _warning_by_default(Rule.DERIVATIVE),
    _warning_by_default(Rule.SUBGROUP),
)
