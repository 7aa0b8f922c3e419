"""What walks give: no node and no name is left out."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args

import pytest
from hypothesis import given

from wgsl_fuzz.strategies import shaders
from wgsl_fuzz.tinywgsl import ast


def nodes_in(value: Any) -> Iterator[Any]:
    """The nodes anywhere in a value, found without any knowledge of the nodes."""
    if isinstance(value, tuple):
        for part in value:
            yield from nodes_in(part)
    elif is_dataclass(value):
        yield value
        for field in fields(value):
            yield from nodes_in(getattr(value, field.name))


@given(shaders())
def test_a_walk_leaves_nothing_out(shader: ast.Shader) -> None:
    for f in shader.all_functions:
        found = list(nodes_in(f.body))
        assert [id(s) for s in ast.walk(f.body)] == [id(s) for s in found if isinstance(s, ast.Stmt)]
        assert sorted(id(e) for e in ast.expressions_in(f.body)) == sorted(
            id(e) for e in found if isinstance(e, ast.Expr)
        )


@given(shaders())
def test_names_and_numbers_are_found(shader: ast.Shader) -> None:
    for f in shader.all_functions:
        found = list(nodes_in(f.body))
        written = [
            s.array if isinstance(s, ast.SharedAssign) else s.name
            for s in found
            if isinstance(s, ast.Assign | ast.Call | ast.SharedAssign)
        ]
        assert [name for s in ast.walk(f.body) if (name := ast.written_by(s))] == written
        locals_ = [node.name for node in found if isinstance(node, ast.Local | ast.Assign | ast.Call)]
        assert sorted(ast.locals_in(f.body)) == sorted(locals_)
        for e in (e for s in ast.walk(f.body) for e in ast.expressions_of(s)):
            reads = [n for n in nodes_in(e) if isinstance(n, ast.Local | ast.SharedRead)]
            assert [*ast.read_in(e)] == [n.name if isinstance(n, ast.Local) else n.array for n in reads]
        assert [ast.id_of(s) for s in ast.walk(f.body)] == [getattr(s, "id", None) for s in ast.walk(f.body)]


@pytest.mark.parametrize("cls", get_args(ast.Stmt))
def test_statements_are_grouped_by_what_they_hold(cls: type) -> None:
    assert sum(cls in get_args(group) for group in (ast.Simple, ast.Compound, ast.Jump)) == 1
    has_blocks = any(field.type in (ast.Block, "Block") for field in fields(cls))
    assert has_blocks == (cls in get_args(ast.Compound))
