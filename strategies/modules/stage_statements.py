"""Rows of statements that only some stages have: derivatives, subgroup operations, `discard`, stores to textures."""

from collections.abc import Sequence

from wgsl_fuzz.strategies.modules.builtin_calls import call_of, statement_of
from wgsl_fuzz.strategies.modules.builtin_families import FAMILIES, STORES, Family, arguments_of, chosen
from wgsl_fuzz.strategies.modules.drawer import Drawer
from wgsl_fuzz.strategies.modules.environment import Name, Role
from wgsl_fuzz.strategies.modules.rows import Place, StatementRow
from wgsl_fuzz.strategies.modules.statements import declare_variable
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.syntax import Assign, Call, CallStatement, Discard, Expression, Identifier, Let, Phony, Statement
from wgsl_fuzz.wgsl.types import Handle, Type, type_of

_FRAGMENT = frozenset({Stage.FRAGMENT})
_NOT_VERTEX = frozenset({Stage.FRAGMENT, Stage.COMPUTE})


def _kept(drawer: Drawer, e: Expression, type: Type) -> Sequence[Statement]:
    """What does something with a result."""
    kind = drawer.source.integer(0, 3)
    found = drawer.any_target(type) if kind == 1 else None
    if found is not None:
        entry, path, _ = found
        drawer.assigned(entry.name, path, type)
        return (Assign("=", drawer.target(entry.name, path), e),)
    if kind == 2:
        return (declare_variable(drawer, type, e),)
    if kind == 3:
        name = drawer.env.declare(Name(drawer.local("l"), type, Role.LET))
        return (Let(name.name, None, e),)
    return (Phony(e),)


def _trigger(drawer: Drawer, family: Family) -> Sequence[Statement]:
    row = chosen(drawer, family)
    arguments = None if row is None else arguments_of(drawer, row, 2)
    return () if row is None or arguments is None else _kept(drawer, call_of(row, arguments), type_of(row.result))


def derivative(drawer: Drawer, place: Place) -> Sequence[Statement]:  # noqa: ARG001
    """`x = dpdx(e);`."""
    return _trigger(drawer, FAMILIES["derivative"])


def sample(drawer: Drawer, place: Place) -> Sequence[Statement]:  # noqa: ARG001
    """`x = textureSample(t, s, e);`."""
    return _trigger(drawer, FAMILIES["sample"])


def subgroup(drawer: Drawer, place: Place) -> Sequence[Statement]:  # noqa: ARG001
    """`x = subgroupAdd(e);`."""
    return _trigger(drawer, FAMILIES["subgroup"])


def texture_barrier(drawer: Drawer, place: Place) -> Sequence[Statement]:  # noqa: ARG001
    """`textureBarrier();`."""
    return (CallStatement(Call(Identifier("textureBarrier"), ())),)


def texture_store(drawer: Drawer, place: Place) -> Sequence[Statement]:  # noqa: ARG001
    """`textureStore(t, at, e);`."""
    row = chosen(drawer, STORES)
    arguments = None if row is None else arguments_of(drawer, row, 2)
    return () if row is None or arguments is None else (statement_of(row, arguments),)


def discard(drawer: Drawer, place: Place) -> Sequence[Statement]:  # noqa: ARG001
    """`discard;`."""
    return (Discard(),)


def handle_let(drawer: Drawer, place: Place) -> Sequence[Statement]:  # noqa: ARG001
    """`let t = texture;`."""
    handles = [name for name in drawer.env.names if isinstance(name.type, Handle)]
    if not handles or not drawer.newest:
        return ()
    whole = drawer.source.pick(handles)
    name = drawer.env.declare(Name(drawer.local("t"), whole.type, Role.LET))
    return (Let(name.name, None, Identifier(whole.name)),)


STATEMENTS: tuple[StatementRow[Drawer], ...] = (
    StatementRow("texture-store", 2, texture_store, stages=_NOT_VERTEX),
    StatementRow("discard", 2, discard, stages=_FRAGMENT),
    StatementRow("handle-let", 1, handle_let),
)

TRIGGERS: tuple[StatementRow[Drawer], ...] = (
    StatementRow("texture-barrier", 0, texture_barrier, stages=frozenset({Stage.COMPUTE})),
    StatementRow("derivative-call", 0, derivative, stages=_FRAGMENT),
    StatementRow("sample-call", 0, sample, stages=_FRAGMENT),
    StatementRow("subgroup-call", 0, subgroup, stages=_NOT_VERTEX),
)
