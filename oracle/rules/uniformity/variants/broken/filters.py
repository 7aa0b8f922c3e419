"""Broken variants of diagnostic filters (2.3): their ranges, and which of them is in force."""

from collections.abc import Callable

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.wgsl.builtins import Rule, Scope
from wgsl_fuzz.wgsl.diagnostics import Filters, Severity
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Attributes, Block, Expression, For, Function, If, Loop, Statement, Switch, While
from wgsl_fuzz.wgsl.syntax import Node as Syntax
from wgsl_fuzz.wgsl.walk import descendants


class Ignoring(Filters):
    """Filters of which some attributes are ignored, by identity."""

    ignored: frozenset[int] = frozenset()

    def push(self, attributes: Attributes) -> None:
        """Pushes nothing in place of those."""
        super().push(() if id(attributes) in self.ignored else attributes)


def _ignoring(name: str, branch: str, of: Callable[[Syntax], list[Attributes]]) -> Variant:
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

    return rows.row(f"filter/{name}", branch, rows.EITHER, Ignorant)


def _body_of(kind: type) -> Callable[[Syntax], list[Attributes]]:
    return lambda node: (
        [node.body.attributes] if isinstance(node, kind) and isinstance(node, Loop | While | For) else []
    )


def _own(kind: type) -> Callable[[Syntax], list[Attributes]]:
    return lambda node: (
        [node.attributes] if isinstance(node, kind) and isinstance(node, If | Switch | Loop | While | For) else []
    )


def _continuing(node: Syntax) -> list[Attributes]:
    return [node.continuing.attributes] if isinstance(node, Loop) and node.continuing is not None else []


def _branches(node: Syntax) -> list[Attributes]:
    if not isinstance(node, If):
        return []
    return [node.then.attributes, *([node.orelse.attributes] if isinstance(node.orelse, Block) else [])]


def _statements(node: Syntax) -> list[Attributes]:
    return [s.attributes for s in node.statements if isinstance(s, Block)] if isinstance(node, Block) else []


def _outside(name: str, branch: str, kind: type) -> Variant:
    """A condition is evaluated outside of the range of its statement's filters."""

    class Outside(ScopeAnalysis):
        def condition(self, syntax: Syntax, e: Expression, cf: Node) -> Node:
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

        def stmt(self, s: Statement, cf: Node) -> Node:
            snapshot = Filters(self.resolution.module.directives)
            vars(snapshot).update(_inner=vars(self.filters)["_inner"], _outer=[])
            self.around[id(s)] = snapshot
            return super().stmt(s, cf)

    return rows.row(f"filter/{name}", branch, rows.EITHER, Outside)


class ForHeaderOutside(ScopeAnalysis):
    """The initial statement of `for` stands outside of the range of its filters."""

    def for_loop(self, s: For, cf: Node) -> Node:
        """Takes the filters off for it."""
        if s.initial is None or not s.attributes:
            return super().for_loop(s, cf)
        self.filters.pop()
        cf = self.stmt(s.initial, cf)
        self.filters.push(s.attributes)
        return self.loop(s, cf)


class UpdateOutside(ScopeAnalysis):
    """The update of `for` stands outside of the range of its filters."""

    def continuing(self, s: While | For | Loop, cf: Node) -> Node:
        """Puts those around on top."""
        if not isinstance(s, For) or not s.attributes:
            return super().continuing(s, cf)
        inner = self.filters
        self.filters = _around(inner, 2)
        cf = super().continuing(s, cf)
        self.filters = inner
        return cf


def _around(filters: Filters, ranges: int) -> Filters:
    """The filters in force outside of the innermost ranges."""
    outer = Filters()
    vars(outer)["_inner"] = vars(filters)["_outer"][-ranges]
    return outer


class ContinuingOutside(ScopeAnalysis):
    """A `continuing` stands outside of the range of the filters before the loop's brace."""

    def continuing(self, s: While | For | Loop, cf: Node) -> Node:
        """Takes them off for it."""
        if not isinstance(s, Loop):
            return super().continuing(s, cf)
        inner = self.filters
        self.filters = _around(inner, 1)
        cf = super().continuing(s, cf)
        self.filters = inner
        return cf


class UpdateInBody(ScopeAnalysis):
    """The update of `for` stands in the range of the filters of the body."""

    def continuing(self, s: While | For | Loop, cf: Node) -> Node:
        """Puts them on."""
        self.filters.push(s.body.attributes if isinstance(s, For) else ())
        cf = super().continuing(s, cf)
        self.filters.pop()
        return cf


class ConditionInBody(ScopeAnalysis):
    """The condition of `while` or `for` stands in the range of the filters of the body."""

    def condition(self, syntax: Syntax, e: Expression, cf: Node) -> Node:
        """Puts them on."""
        self.filters.push(syntax.body.attributes if isinstance(syntax, While | For) else ())
        v = super().condition(syntax, e, cf)
        self.filters.pop()
        return v


class OnlyDirectives(ScopeAnalysis):
    """Directives alone."""

    def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
        super().__init__(resolution, scope)
        self.filters = NoRanges(resolution.module.directives)


class NoRanges(Filters):
    """Filters without ranges."""

    def push(self, attributes: Attributes) -> None:
        """Nothing."""
        super().push(())


class NoDirectives(ScopeAnalysis):
    """Directives are ignored."""

    def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
        super().__init__(resolution, scope)
        self.filters = Filters()


class CalleesInRange(ScopeAnalysis):
    """The filters of one function stay in force in the next."""

    def analyse_function(self, f: Function) -> FunctionResult:
        """Those of the function itself."""
        result = super().analyse_function(f)
        self.filters.push(f.attributes)
        return result


def _any_rule(filters: Filters) -> Severity:
    others = [r for r in Rule if r is not Rule.SYNCHRONIZATION]
    return min((Filters.severity(filters, r) for r in others), key=[*Severity][::-1].index)


def _outer_wins(push: Callable[[Attributes], None], filters: Filters, attributes: Attributes) -> None:
    outer = vars(filters)["_inner"]
    push(attributes)
    vars(filters)["_inner"] = {**vars(filters)["_inner"], **outer}


def _warning_by_default(asked: Rule) -> Variant:
    return rows.changed_filters(
        f"filter/default/{asked}-warns",
        f"{asked}: error by default",
        rows.LAXER,
        Filters.severity,
        lambda severity, self, rule: (
            Severity.WARNING if rule == asked and rule not in vars(self)["_inner"] else severity(rule)
        ),
    )


FILTER_VARIANTS: tuple[Variant, ...] = (
    rows.row("filter/directive/ignored", "diagnostic(...); covers the module", rows.EITHER, NoDirectives),
    rows.row("filter/attribute/ignored", "@diagnostic(...) covers its range", rows.EITHER, OnlyDirectives),
    _ignoring(
        "function/ignored", "before a function", lambda node: [node.attributes] if isinstance(node, Function) else []
    ),
    _ignoring(
        "function-body/ignored",
        "before a function's body",
        lambda node: [node.body.attributes] if isinstance(node, Function) else [],
    ),
    _ignoring("block/ignored", "before a compound statement", _statements),
    _ignoring("if/ignored", "before if", _own(If)),
    _ignoring("branch/ignored", "before a branch's body", _branches),
    _ignoring("switch/ignored", "before switch", _own(Switch)),
    _ignoring(
        "switch-body/ignored",
        "before the brace of a switch",
        lambda node: [node.body_attributes] if isinstance(node, Switch) else [],
    ),
    _ignoring(
        "clause/ignored",
        "before a clause's body",
        lambda node: [c.body.attributes for c in node.clauses] if isinstance(node, Switch) else [],
    ),
    _ignoring("loop/ignored", "before loop", _own(Loop)),
    _ignoring("loop-body/ignored", "before a loop's brace", _body_of(Loop)),
    _ignoring("while/ignored", "before while", _own(While)),
    _ignoring("while-body/ignored", "before the body of while", _body_of(While)),
    _ignoring("for/ignored", "before for", _own(For)),
    _ignoring("for-body/ignored", "before the body of for", _body_of(For)),
    _ignoring("continuing/ignored", "before a continuing", _continuing),
    rows.row(
        "filter/loop-body/not-in-continuing",
        "before a loop's brace: the continuing is inside",
        rows.EITHER,
        ContinuingOutside,
    ),
    _outside("if/not-on-condition", "before if: all its branches and conditions", If),
    _outside("switch/not-on-selector", "before switch", Switch),
    _outside("while/not-on-condition", "before while", While),
    _outside("for/not-on-condition", "before for", For),
    rows.row("filter/for/not-on-initial", "before for", rows.EITHER, ForHeaderOutside),
    rows.row("filter/for/not-on-update", "before for", rows.EITHER, UpdateOutside),
    rows.row("filter/for-body/on-update", "before the body of for", rows.EITHER, UpdateInBody),
    rows.row("filter/body/on-condition", "before the body of while or for", rows.EITHER, ConditionInBody),
    rows.row("filter/function/never-ends", "before a function", rows.EITHER, CalleesInRange),
    rows.changed_filters(
        "filter/range/never-ends",
        "the smallest enclosing range",
        rows.EITHER,
        Filters.pop,
        lambda pop, self: None,
    ),
    rows.changed_filters(
        "filter/range/outermost",
        "the smallest enclosing range",
        rows.EITHER,
        Filters.push,
        lambda push, self, attributes: _outer_wins(push, self, attributes),
    ),
    rows.changed_filters(
        "filter/rule/any",
        "a filter of the same rule",
        rows.EITHER,
        Filters.severity,
        lambda severity, self, rule: severity(rule) if rule is Rule.SYNCHRONIZATION else _any_rule(self),
    ),
    _warning_by_default(Rule.DERIVATIVE),
    _warning_by_default(Rule.SUBGROUP),
)
