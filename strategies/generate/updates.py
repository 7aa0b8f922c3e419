"""Updates: `x += e` and `A[i]--`, which the nodes have as assignments that read what they write."""

from wgsl_fuzz.strategies.choices.source import Table
from wgsl_fuzz.strategies.generate.expressions import ExpressionDrawer
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Binary,
    Expr,
    Literal,
    Local,
    SharedArray,
    SharedAssign,
    SharedRead,
    Stmt,
    Type,
    Variable,
)

UPDATES = Table([("+", 5), ("-", 5), ("*", 1), ("&", 1), ("|", 1), ("^", 1)])
"""The operators of updates of numbers."""


def update(expressions: ExpressionDrawer, v: Variable) -> Stmt:
    """`x = x op e` for a number `x`."""
    expressions.used.add(v.name)
    return Assign(v.name, _updated(expressions, Local(v.name, v.type), v.type))


def update_of_element(expressions: ExpressionDrawer, array: SharedArray) -> Stmt:
    """`A[i] = A[i] op e` for an array of numbers."""
    index = expressions.index(array)
    value = _updated(expressions, SharedRead(array.name, index, array.type), array.type)
    return SharedAssign(array.name, index, value)


def _updated(expressions: ExpressionDrawer, e: Expr, type: Type) -> Expr:
    op = expressions.source.weighted(UPDATES)
    return Binary(op, e, Literal(1, type) if expressions.source.percent(60) else expressions.expr(type, 1))
