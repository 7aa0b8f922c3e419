"""Rewriting the TinyWGSL tree: a statement or an expression with other parts."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from wgsl_fuzz.tinywgsl.ast import BLOCKS, OPERANDS, Block, Expr, Stmt, expressions_of, operands_of
from wgsl_fuzz.tinywgsl.traversal import Parts

_N = TypeVar("_N", Stmt, Expr)


def with_blocks(s: Stmt, blocks: Sequence[Block]) -> Stmt:
    """`s` with other blocks, as many as `blocks_of` gives."""
    new: Stmt = BLOCKS.put[s.__class__](s, blocks)
    return new


def with_expressions(s: Stmt, es: Sequence[Expr]) -> Stmt:
    """`s` with other expressions, as many as `expressions_of` gives."""
    new: Stmt = OPERANDS.put[s.__class__](s, es)
    return new


def with_expression(s: Stmt, i: int, new: Expr) -> Stmt:
    """`s` with its i-th expression replaced."""
    es = expressions_of(s)
    return with_expressions(s, (*es[:i], new, *es[i + 1 :]))


def with_operands(e: Expr, es: Sequence[Expr]) -> Expr:
    """`e` with other operands, as many as `operands_of` gives."""
    new: Expr = OPERANDS.put[e.__class__](e, es)
    return new


def with_operand(e: Expr, i: int, new: Expr) -> Expr:
    """`e` with its i-th operand replaced."""
    es = operands_of(e)
    return with_operands(e, (*es[:i], new, *es[i + 1 :]))


def mapped(e: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """`e` with every outermost expression for which `change` gives one replaced by it; `e` itself if there is none."""
    new = change(e)
    if new is not None:
        return new
    for i, operand in enumerate(operands_of(e)):
        inner = mapped(operand, change)
        if inner is not operand:
            e = with_operand(e, i, inner)
    return e


def with_mapped_expressions(s: Stmt, change: Callable[[Expr], Expr | None]) -> Stmt:
    """`s` with all its own expressions `mapped`, itself if none changes; blocks inside stay as they are."""
    for i, e in enumerate(expressions_of(s)):
        new = mapped(e, change)
        if new is not e:
            s = with_expression(s, i, new)
    return s


def with_names_as(node: _N, names: Parts, new: Sequence[str]) -> _N:
    """A statement or an expression with other names of its own, as many as `names_in` gives."""
    return names.put[node.__class__](node, new)  # type: ignore[no-any-return]
