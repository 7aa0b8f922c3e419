"""From the rows of built-in functions to nodes of a tree."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from wgsl_fuzz.strategies.modules.builtin_rows import BuiltinRow
from wgsl_fuzz.wgsl.syntax import Call, CallStatement, Expression, Identifier, Literal, Member, Phony, Statement

_TOKEN = re.compile(r"[<>,]|\w+")


def type_name(text: str) -> Identifier:
    """The type that a text names, in fresh nodes: `ptr<workgroup, atomic<u32>>`."""
    (found,) = _parts(iter(_tokens(text)))
    assert isinstance(found, Identifier), "a type is a name"
    return found


@lru_cache(maxsize=1024)
def _tokens(text: str) -> tuple[str, ...]:
    return (*_TOKEN.findall(text), ">")


def _parts(tokens: Iterator[str]) -> tuple[Expression, ...]:
    """The names and numbers up to the `>` that ends their list."""
    found: list[Expression] = []
    for token in tokens:
        if token == ">":
            break
        if token == "<":
            last = found.pop()
            assert isinstance(last, Identifier), "a template list stands behind a name"
            found.append(Identifier(last.name, _parts(tokens)))
        elif token != ",":
            found.append(Literal(token) if token[0].isdigit() else Identifier(token))
    return tuple(found)


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
    template = (type_name(row.template),) if row.template else ()
    return Call(Identifier(row.function, template), tuple(arguments))
