"""What the rows of the table of variants are made with."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from wgsl_fuzz.oracle.rules.analysis import State, UniformityAnalysis, VariableMap
from wgsl_fuzz.oracle.rules.graph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import replacing
from wgsl_fuzz.tinywgsl.ast import Expr, Stmt

LAXER, STRICTER, EITHER = Effect.LAXER, Effect.STRICTER, Effect.EITHER

U = UniformityAnalysis

_P = ParamSpec("_P")
_R = TypeVar("_R")
_A = TypeVar("_A")
_E = TypeVar("_E", bound=Expr)
_S = TypeVar("_S", bound=Stmt)


def row(name: str, branch: str, effect: Effect, *replacements: type, place: str = "", **more: Any) -> Variant:
    """A variant; its place is in its name unless given."""
    return Variant(name, place or name.rpartition("/")[0], branch, effect, replacements, **more)


def changed(
    name: str,
    branch: str,
    effect: Effect,
    piece: Callable[Concatenate[UniformityAnalysis, _P], _R],
    rule: Callable[Concatenate[Callable[_P, _R], UniformityAnalysis, _P], _R],
    **more: Any,
) -> Variant:
    """A variant of one piece of the analysis: `rule` in its place, which is handed the piece and its arguments."""
    return row(name, branch, effect, replacing(piece, rule, UniformityAnalysis), **more)


def changed_expr(
    name: str,
    branch: str,
    effect: Effect,
    kind: type[_E],
    rule: Callable[[UniformityAnalysis, VariableMap, Node, _E], Node],
    **more: Any,
) -> Variant:
    """A variant of one case of Fig. 9."""

    class Case(UniformityAnalysis):
        def expr(self, M: VariableMap, cf: Node, e: Expr) -> Node:
            return rule(self, M, cf, e) if isinstance(e, kind) else super().expr(M, cf, e)

    return row(name, branch, effect, Case, **more)


def changed_stmt(
    name: str,
    branch: str,
    effect: Effect,
    kind: type[_S],
    rule: Callable[[UniformityAnalysis, VariableMap, Node, _S], VariableMap],
    **more: Any,
) -> Variant:
    """A variant of the rule of one simple statement, which says the map behind it; control flow stays as it was."""

    class Case(UniformityAnalysis):
        def stmt(self, M: VariableMap, M_b: VariableMap, M_c: VariableMap, cf: Node, s: Stmt) -> State:
            if not isinstance(s, kind):
                return super().stmt(M, M_b, M_c, cf, s)
            return rule(self, M, cf, s), cf

    return row(name, branch, effect, Case, **more)
