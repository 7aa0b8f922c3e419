"""What is derived from the fields of nodes: nothing is left out, and rebuilding gives back what there was."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_args

import pytest
from hypothesis import given

from wgsl_fuzz.strategies import shaders
from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.tinywgsl.rewrite import with_blocks, with_expressions, with_names_as, with_operands
from wgsl_fuzz.tinywgsl.traversal import EXPRESSIONS, NAMES, Holds, Id, Traversal, node

ALL_NAMES = ast.NODES.parts(*NAMES)
CLASSES = (*get_args(ast.Stmt), *get_args(ast.Expr))


def nodes_in(value: Any) -> Iterator[Any]:
    """The nodes anywhere in a value, found without any knowledge of the nodes."""
    if isinstance(value, tuple):
        for part in value:
            yield from nodes_in(part)
    elif is_dataclass(value):
        yield value
        for field in fields(value):
            yield from nodes_in(getattr(value, field.name))


def bodies(shader: ast.Shader) -> list[ast.Block]:
    return [f.body for f in shader.all_functions]


def statements(shader: ast.Shader) -> Iterator[ast.Stmt]:
    for body in bodies(shader):
        yield from ast.walk(body)


@given(shaders())
def test_a_walk_leaves_nothing_out(shader: ast.Shader) -> None:
    for body in bodies(shader):
        found = list(nodes_in(body))
        assert [id(s) for s in ast.walk(body)] == [id(s) for s in found if isinstance(s, ast.Stmt)]
        assert sorted(id(e) for e in ast.expressions_in(body)) == sorted(
            id(e) for e in found if isinstance(e, ast.Expr)
        )


@given(shaders())
def test_with_its_own_parts_a_node_stays_what_it_is(shader: ast.Shader) -> None:
    for s in statements(shader):
        assert with_blocks(s, ast.blocks_of(s)) == s
        assert with_expressions(s, ast.expressions_of(s)) == s
        for e in ast.expressions_in((s,)):
            assert with_operands(e, ast.operands_of(e)) == e


@given(shaders())
def test_other_parts_come_back_from_the_node_that_has_them(shader: ast.Shader) -> None:
    for s in statements(shader):
        others: list[ast.Expr] = [ast.Literal(i, ast.Type.U32) for i, _ in enumerate(ast.expressions_of(s))]
        changed = with_expressions(s, others)
        assert list(ast.expressions_of(changed)) == others
        assert (ast.blocks_of(changed), ast.id_of(changed), type(changed)) == (ast.blocks_of(s), ast.id_of(s), type(s))
        blocks: list[ast.Block] = [((s,) * i) for i, _ in enumerate(ast.blocks_of(s), start=1)]
        assert list(ast.blocks_of(with_blocks(s, blocks))) == blocks
        names = [f"n{i}" for i, _ in enumerate(ast.names_in(s, ALL_NAMES))]
        assert list(ast.names_in(with_names_as(s, ALL_NAMES, names), ALL_NAMES)) == names


@pytest.mark.parametrize("cls", CLASSES)
def test_every_field_is_of_one_kind(cls: type) -> None:
    """And what all getters give, one kind after another, is what the node is made of."""
    held = ast.NODES.fields[cls]
    assert list(held) == [field.name for field in fields(cls)]
    assert {name for name, holds in held.items() if holds is Holds.ID} <= {"id"}


@pytest.mark.parametrize("cls", CLASSES)
def test_statements_are_grouped_by_what_they_hold(cls: type) -> None:
    """A statement with blocks is `Compound`; an expression is in no group."""
    has_blocks = Holds.BLOCK in ast.NODES.fields[cls].values()
    assert has_blocks == (cls in get_args(ast.Compound))
    groups = [group for group in (ast.Simple, ast.Compound, ast.Jump) if cls in get_args(group)]
    assert len(groups) == (cls in get_args(ast.Stmt))


@given(shaders())
def test_names_are_found_by_their_roles(shader: ast.Shader) -> None:
    for body in bodies(shader):
        found = list(nodes_in(body))
        assigned = [s.name for s in found if isinstance(s, ast.Assign | ast.Call)]
        assert list(ast.names_in_block(body, ast.ASSIGNED)) == assigned
        used = {e.name for e in found if isinstance(e, ast.Local)}
        assert set(ast.names_in_block(body, ast.LOCALS)) == used | set(assigned)
        arrays = {e.array for e in found if isinstance(e, ast.SharedRead | ast.SharedAssign)}
        assert set(ast.names_in_block(body, ast.ARRAYS)) == arrays
        assert list(ast.names_in_block(body, ast.CALLED)) == [s.function for s in found if isinstance(s, ast.Call)]


@given(shaders())
def test_a_walk_outside_loops_stops_at_them(shader: ast.Shader) -> None:
    for body in bodies(shader):
        inside = {
            id(s)
            for loop in ast.walk(body)
            if isinstance(loop, ast.Loop)
            for ss in ast.blocks_of(loop)
            for s in ast.walk(ss)
        }
        expected = [id(s) for s in ast.walk(body) if id(s) not in inside]
        assert [id(s) for s in ast.walk_outside_loops(body)] == expected


# ------------------------------------------------------------------------------------------------- any other syntax


@node
class Mixed:
    """Everything at once, and not in order."""

    first: ast.Expr | None
    id: Id
    block: ast.Block
    name: Annotated[str, Holds.READ]
    rest: tuple[ast.Expr, ...]
    last: ast.Expr


@node
class Unknown:
    """A field that nobody would walk."""

    pairs: tuple[tuple[ast.Expr, ast.Expr], ...]


def test_parts_of_all_kinds_are_taken_in_order() -> None:
    parts = ast.NODES.parts(*EXPRESSIONS)
    get, put = parts.get[Mixed], parts.put[Mixed]
    assert get is not None
    one, two, three = (ast.Literal(i, ast.Type.U32) for i in (1, 2, 3))
    mixed = Mixed(None, 7, (), "x", (one, two), three)
    assert get(mixed) == (one, two, three)
    assert put(mixed, (three, two, one)) == Mixed(None, 7, (), "x", (three, two), one)
    assert get(Mixed(ast.Lid(), 7, (), "x", (), three)) == (ast.Lid(), three)
    assert put(Mixed(ast.Lid(), 7, (), "x", (), three), (one, two)) == Mixed(one, 7, (), "x", (), two)
    held = ast.NODES.parts(Holds.ID, Holds.READ).put[Mixed]
    assert held(mixed, (8, "y")) == Mixed(None, 8, (), "y", (one, two), three)


def test_a_field_of_no_known_kind_is_refused() -> None:
    """Else every walk would pass it by in silence."""
    with pytest.raises(TypeError, match=r"Unknown\.pairs"):
        Traversal(ast.Block, ast.Expr, ast.Type).parts(Holds.BLOCK).get[Unknown]
