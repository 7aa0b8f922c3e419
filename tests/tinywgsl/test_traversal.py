"""What is derived from the fields of nodes: nothing is left out, and rebuilding gives back what there was."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_args

import pytest
from hypothesis import given

from wgsl_fuzz.strategies import shaders
from wgsl_fuzz.tinywgsl.ast import (
    ARRAYS,
    ASSIGNED,
    CALLED,
    LOCALS,
    NODES,
    Assign,
    Block,
    Call,
    Compound,
    Expr,
    Jump,
    Lid,
    Literal,
    Local,
    Loop,
    Shader,
    SharedAssign,
    SharedRead,
    Simple,
    Stmt,
    Type,
    blocks_of,
    expressions_in,
    expressions_of,
    id_of,
    names_in,
    names_in_block,
    operands_of,
    walk,
    walk_outside_loops,
)
from wgsl_fuzz.tinywgsl.rewrite import with_blocks, with_expressions, with_names_as, with_operands
from wgsl_fuzz.tinywgsl.traversal import EXPRESSIONS, NAMES, Holds, Id, Traversal, node

ALL_NAMES = NODES.parts(*NAMES)
CLASSES = (*get_args(Stmt), *get_args(Expr))


def nodes_in(value: Any) -> Iterator[Any]:
    """The nodes anywhere in a value, found without any knowledge of the nodes."""
    if isinstance(value, tuple):
        for part in value:
            yield from nodes_in(part)
    elif is_dataclass(value):
        yield value
        for field in fields(value):
            yield from nodes_in(getattr(value, field.name))


def bodies(shader: Shader) -> list[Block]:
    return [f.body for f in shader.all_functions]


def statements(shader: Shader) -> Iterator[Stmt]:
    for body in bodies(shader):
        yield from walk(body)


@given(shaders())
def test_a_walk_leaves_nothing_out(shader: Shader) -> None:
    for body in bodies(shader):
        found = list(nodes_in(body))
        assert [id(s) for s in walk(body)] == [id(s) for s in found if isinstance(s, Stmt)]
        assert sorted(id(e) for e in expressions_in(body)) == sorted(id(e) for e in found if isinstance(e, Expr))


@given(shaders())
def test_with_its_own_parts_a_node_stays_what_it_is(shader: Shader) -> None:
    for s in statements(shader):
        assert with_blocks(s, blocks_of(s)) == s
        assert with_expressions(s, expressions_of(s)) == s
        for e in expressions_in((s,)):
            assert with_operands(e, operands_of(e)) == e


@given(shaders())
def test_other_parts_come_back_from_the_node_that_has_them(shader: Shader) -> None:
    for s in statements(shader):
        others: list[Expr] = [Literal(i, Type.U32) for i, _ in enumerate(expressions_of(s))]
        changed = with_expressions(s, others)
        assert list(expressions_of(changed)) == others
        assert (blocks_of(changed), id_of(changed), type(changed)) == (blocks_of(s), id_of(s), type(s))
        blocks: list[Block] = [((s,) * i) for i, _ in enumerate(blocks_of(s), start=1)]
        assert list(blocks_of(with_blocks(s, blocks))) == blocks
        names = [f"n{i}" for i, _ in enumerate(names_in(s, ALL_NAMES))]
        assert list(names_in(with_names_as(s, ALL_NAMES, names), ALL_NAMES)) == names


@pytest.mark.parametrize("cls", CLASSES)
def test_every_field_is_of_one_kind(cls: type) -> None:
    """And what all getters give, one kind after another, is what the node is made of."""
    held = NODES.fields[cls]
    assert list(held) == [field.name for field in fields(cls)]
    assert {name for name, holds in held.items() if holds is Holds.ID} <= {"id"}


@pytest.mark.parametrize("cls", CLASSES)
def test_statements_are_grouped_by_what_they_hold(cls: type) -> None:
    """A statement with blocks is `Compound`; an expression is in no group."""
    has_blocks = Holds.BLOCK in NODES.fields[cls].values()
    assert has_blocks == (cls in get_args(Compound))
    groups = [group for group in (Simple, Compound, Jump) if cls in get_args(group)]
    assert len(groups) == (cls in get_args(Stmt))


@given(shaders())
def test_names_are_found_by_their_roles(shader: Shader) -> None:
    for body in bodies(shader):
        found = list(nodes_in(body))
        assigned = [s.name for s in found if isinstance(s, Assign | Call)]
        assert list(names_in_block(body, ASSIGNED)) == assigned
        used = {e.name for e in found if isinstance(e, Local)}
        assert set(names_in_block(body, LOCALS)) == used | set(assigned)
        arrays = {e.array for e in found if isinstance(e, SharedRead | SharedAssign)}
        assert set(names_in_block(body, ARRAYS)) == arrays
        assert list(names_in_block(body, CALLED)) == [s.function for s in found if isinstance(s, Call)]


@given(shaders())
def test_a_walk_outside_loops_stops_at_them(shader: Shader) -> None:
    for body in bodies(shader):
        inside = {id(s) for loop in walk(body) if isinstance(loop, Loop) for ss in blocks_of(loop) for s in walk(ss)}
        expected = [id(s) for s in walk(body) if id(s) not in inside]
        assert [id(s) for s in walk_outside_loops(body)] == expected


# ------------------------------------------------------------------------------------------------- any other syntax


@node
class Mixed:
    """Everything at once, and not in order."""

    first: Expr | None
    id: Id
    block: Block
    name: Annotated[str, Holds.READ]
    rest: tuple[Expr, ...]
    last: Expr


@node
class Unknown:
    """A field that nobody would walk."""

    pairs: tuple[tuple[Expr, Expr], ...]


def test_parts_of_all_kinds_are_taken_in_order() -> None:
    parts = NODES.parts(*EXPRESSIONS)
    get, put = parts.get[Mixed], parts.put[Mixed]
    assert get is not None
    one, two, three = (Literal(i, Type.U32) for i in (1, 2, 3))
    mixed = Mixed(None, 7, (), "x", (one, two), three)
    assert get(mixed) == (one, two, three)
    assert put(mixed, (three, two, one)) == Mixed(None, 7, (), "x", (three, two), one)
    assert get(Mixed(Lid(), 7, (), "x", (), three)) == (Lid(), three)
    assert put(Mixed(Lid(), 7, (), "x", (), three), (one, two)) == Mixed(one, 7, (), "x", (), two)
    held = NODES.parts(Holds.ID, Holds.READ).put[Mixed]
    assert held(mixed, (8, "y")) == Mixed(None, 8, (), "y", (one, two), three)


def test_a_field_of_no_known_kind_is_refused() -> None:
    """Else every walk would pass it by in silence."""
    with pytest.raises(TypeError, match=r"Unknown\.pairs"):
        Traversal(Block, Expr, Type).parts(Holds.BLOCK).get[Unknown]
