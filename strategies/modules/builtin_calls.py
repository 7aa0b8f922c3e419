"""From the rows of built-in functions to nodes of a tree."""

from collections.abc import Sequence

from wgsl_fuzz.strategies.modules.builtin_rows import BuiltinRow
from wgsl_fuzz.wgsl.syntax import Call, CallStatement, Expression, Identifier, Member, Phony, Statement
from wgsl_fuzz.wgsl.types import type_of, written


def call_of(row: BuiltinRow, arguments: Sequence[Expression]) -> Expression:
    """The call of a row, of which a member is taken if its result has no name. It has a result."""
    call: Expression = _call(row, arguments)
    return Member(call, row.member) if row.member else call


def statement_of(row: BuiltinRow, arguments: Sequence[Expression]) -> Statement:
    """The call as a statement; `_ = call;` if the result must be used."""
    if row.builtin.must_use or row.member:
        return Phony(call_of(row, arguments))
    return CallStatement(_call(row, arguments))


def _call(row: BuiltinRow, arguments: Sequence[Expression]) -> Call:
    template = (written(type_of(row.template)),) if row.template else ()
    return Call(Identifier(row.function, template), tuple(arguments))
