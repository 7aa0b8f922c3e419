"""Rows of subgroup matrices, a proposal: what loads them, multiplies them and stores them."""

from collections.abc import Sequence

from wgsl_fuzz.strategies.choices.source import Odds
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.profile import ExpressionRow, Site, StatementRow
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.resolution import Access, Space

CELLS = vt.Array(vt.F32, 256)
"""The type of workgroup memory that matrices are loaded from."""
_SIDES = ("left", "right", "result")
MATRICES = Odds(
    [(vt.SubgroupMatrix(f"subgroup_matrix_{side}", "f32", "8", "8"), 4) for side in _SIDES]
    + [(vt.SubgroupMatrix(f"subgroup_matrix_{side}", "u32", "8", "8"), 1) for side in _SIDES]
)
"""The types of matrices that are drawn."""


def _memory(drawer: Drawer) -> w.Expression | None:
    entries = drawer.env.addressable(Space.WORKGROUP, Access.READ_WRITE, CELLS)
    if not entries:
        return None
    entry = drawer.source.pick(entries)
    drawer.current.touch(entry.name, read=True, write=True)
    return drawer.address(entry, drawer.source.pick(entry.paths))


def _major(drawer: Drawer) -> w.Identifier:
    return w.Identifier(drawer.source.pick(("row_major", "col_major")))


def _offset(drawer: Drawer) -> w.Expression:
    e = drawer.expression(vt.U32, 1) if drawer.source.percent(40) else w.Literal("0u")
    return w.Literal("0u") if drawer.is_constant(e) else e  # compilers refuse what is known to be out of bounds


def _other(type: vt.SubgroupMatrix, side: str) -> vt.SubgroupMatrix:
    return vt.SubgroupMatrix(f"subgroup_matrix_{side}", type.element, type.columns, type.rows)


def _load(drawer: Drawer, type: vt.SubgroupMatrix, memory: w.Expression) -> w.Expression:
    callee = w.Identifier("subgroupMatrixLoad", (drawer.type_name(type), _major(drawer)))
    return w.Call(callee, (memory, _offset(drawer), w.Literal("8u")))


def matrix(drawer: Drawer, type: vt.Type, depth: int) -> w.Expression | None:
    """A matrix that is loaded, multiplied, accumulated, or changed by a scalar."""
    assert isinstance(type, vt.SubgroupMatrix), "the row fits matrices"
    source = drawer.source
    if type.element == "f32" and source.percent(30) and (memory := _memory(drawer)) is not None:
        return _load(drawer, type, memory)
    if type.name.endswith("result") and source.percent(70):
        left, right = (drawer.expression(_other(type, side), depth - 1) for side in ("left", "right"))
        if source.percent(50):
            return w.Call(w.Identifier("subgroupMatrixMultiply", (w.Identifier(type.element),)), (left, right))
        accumulator = drawer.expression(type, depth - 1)
        return w.Call(w.Identifier("subgroupMatrixMultiplyAccumulate"), (left, right, accumulator))
    name = w.Identifier(f"subgroupMatrixScalar{source.pick(('Add', 'Subtract', 'Multiply'))}")
    return w.Call(name, (drawer.expression(type, depth - 1), drawer.expression(type.scalar, depth - 1)))


def matrix_call(drawer: Drawer, place: Site) -> Sequence[w.Statement]:  # noqa: ARG001
    """`subgroupMatrixStore<row_major>(&w, 0u, m, 8u);`, or `_ = m;` of a matrix that is made."""
    drawer.need("subgroup_matrix")
    type = drawer.source.weighted(MATRICES)
    memory = _memory(drawer) if type.element == "f32" and drawer.source.percent(60) else None
    if memory is None:
        e = matrix(drawer, type, 2)
        return () if e is None else (w.Phony(e),)
    callee = w.Identifier("subgroupMatrixStore", (_major(drawer),))
    return (w.CallStatement(w.Call(callee, (memory, _offset(drawer), drawer.expression(type, 1), w.Literal("8u")))),)


EXPRESSIONS = (ExpressionRow("matrix", 8, lambda type: isinstance(type, vt.SubgroupMatrix), matrix),)
TRIGGERS = (StatementRow("matrix-call", 0, matrix_call, stages=frozenset({Stage.COMPUTE})),)
