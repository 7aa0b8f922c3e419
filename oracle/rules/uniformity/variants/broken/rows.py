"""What the tables of broken variants are made with."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import Role
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.builtins import Scope
from wgsl_fuzz.wgsl.diagnostics import Filters
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Expression, Statement

LAXER, STRICTER, EITHER = Effect.LAXER, Effect.STRICTER, Effect.EITHER

S = ScopeAnalysis

_P = ParamSpec("_P")
_R = TypeVar("_R")
_A = TypeVar("_A")
_E = TypeVar("_E", bound=Expression)
_S = TypeVar("_S", bound=Statement)


def replacing(
    piece: Callable[Concatenate[_A, _P], _R], rule: Callable[Concatenate[Callable[_P, _R], _A, _P], _R], base: type[_A]
) -> type[_A]:
    """A subclass of `base` with `rule` in place of the method `piece`; `rule` is handed what it replaces."""

    @wraps(piece)
    def method(self: _A, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return rule(getattr(super(cls, self), piece.__name__), self, *args, **kwargs)

    cls = type(f"{base.__name__}With_{piece.__name__}", (base,), {piece.__name__: method})
    return cls


def row(name: str, branch: str, effect: Effect, *replacements: type, equivalent: str = "") -> Variant:
    """A variant whose place is in its name."""
    return Variant(name, name.rpartition("/")[0], branch, effect, replacements, equivalent=equivalent)


def changed(
    name: str,
    branch: str,
    effect: Effect,
    piece: Callable[Concatenate[ScopeAnalysis, _P], _R],
    rule: Callable[Concatenate[Callable[_P, _R], ScopeAnalysis, _P], _R],
    *,
    equivalent: str = "",
) -> Variant:
    """A variant of one piece of the analysis: `rule` in its place, which is handed the piece and its arguments."""
    return row(name, branch, effect, replacing(piece, rule, ScopeAnalysis), equivalent=equivalent)


def changed_behaviours(
    name: str,
    branch: str,
    effect: Effect,
    piece: Callable[Concatenate[BehaviourAnalysis, _P], _R],
    rule: Callable[Concatenate[Callable[_P, _R], BehaviourAnalysis, _P], _R],
    *,
    equivalent: str = "",
) -> Variant:
    """A variant of one rule of behaviours."""
    return row(name, branch, effect, replacing(piece, rule, BehaviourAnalysis), equivalent=equivalent)


def changed_meaning(
    name: str,
    branch: str,
    effect: Effect,
    piece: Callable[Concatenate[Resolution, _P], _R],
    rule: Callable[Concatenate[Callable[_P, _R], Resolution, _P], _R],
    *,
    equivalent: str = "",
) -> Variant:
    """A variant of what the analysis asks about names, spaces, access modes, roots and pointers."""
    meaning = replacing(piece, rule, Resolution)

    class Meaning(ScopeAnalysis):
        def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
            other = meaning.__new__(meaning)
            vars(other).update(vars(resolution))
            super().__init__(other, scope)

    return row(name, branch, effect, Meaning, equivalent=equivalent)


def changed_filters(
    name: str,
    branch: str,
    effect: Effect,
    piece: Callable[Concatenate[Filters, _P], _R],
    rule: Callable[Concatenate[Callable[_P, _R], Filters, _P], _R],
) -> Variant:
    """A variant of the diagnostic filters."""
    filters = replacing(piece, rule, Filters)

    class Filtering(ScopeAnalysis):
        def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
            super().__init__(resolution, scope)
            self.filters = filters(resolution.module.directives)

    return row(name, branch, effect, Filtering)


def changed_expr(
    name: str,
    branch: str,
    effect: Effect,
    kind: type[_E],
    rule: Callable[[ScopeAnalysis, _E, Node, bool], Node | None],
    *,
    equivalent: str = "",
) -> Variant:
    """A variant of the row of one kind of expression; where `rule` gives None, the row stays."""

    class Case(ScopeAnalysis):
        def expr(self, e: Expression, cf: Node, loaded: bool) -> Node:
            other = rule(self, e, cf, loaded) if isinstance(e, kind) else None
            return super().expr(e, cf, loaded) if other is None else other

    return row(name, branch, effect, Case, equivalent=equivalent)


def changed_stmt(
    name: str,
    branch: str,
    effect: Effect,
    kind: type[_S],
    rule: Callable[[Callable[[Statement, Node], Node], ScopeAnalysis, _S, Node], Node],
    *,
    equivalent: str = "",
) -> Variant:
    """A variant of the row of one kind of statement; `rule` is handed the row that it replaces."""

    class Case(ScopeAnalysis):
        def stmt(self, s: Statement, cf: Node) -> Node:
            return rule(super().stmt, self, s, cf) if isinstance(s, kind) else super().stmt(s, cf)

    return row(name, branch, effect, Case, equivalent=equivalent)


def nothing(analysis: ScopeAnalysis) -> Node:
    """A node without edges: it is uniform."""
    return analysis.graph.fresh(Role.OPERATION, None, None)
