"""Operators on vectors and matrices, component by component."""

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules.output import Output
from wgsl_fuzz.oracle.dynamics.modules.places import Value
from wgsl_fuzz.oracle.dynamics.modules.problems import CannotRun
from wgsl_fuzz.oracle.dynamics.modules.types import (
    BOOL,
    FLOAT,
    INT,
    U32,
    Matrix,
    Scalar,
    ValueType,
    Vector,
    concrete,
    scalar_of,
    with_scalar,
)
from wgsl_fuzz.oracle.dynamics.modules.variables import fitted
from wgsl_fuzz.tinywgsl.ast import COMPARISONS, SHIFTS, Expr


def of_each(function: str, value: Value) -> Value:
    """A function of one operand on each component."""
    scalar = scalar_of(value.type)
    return Value(value.type, tuple([ops.apply(function, scalar, cell) for cell in value.cells]))


def same_scalars(values: list[Value]) -> list[Value]:
    """Values with constants converted to the scalar type that they have in common."""
    row = [scalar_of(value.type) for value in values]
    best = next((s for s in row if not s.abstract), FLOAT if FLOAT in row else row[0])
    return [fitted(v, with_scalar(v.type, best)) if scalar_of(v.type) != best else v for v in values]


def same_shapes(values: list[Value]) -> list[Value]:
    """Values with scalars repeated where others are vectors."""
    shape = next((v.type for v in values if isinstance(v.type, Vector)), None)
    if shape is None:
        return values
    return [Value(shape, v.cells * shape.size) if isinstance(v.type, Scalar) else v for v in values]


def combined(out: Output, op: str, left: Value, right: Value) -> Value:
    """`left op right`."""
    if op in SHIFTS:
        return _shifted(op, left, right)
    left, right = same_scalars([left, right])
    if isinstance(left.type, Matrix) or isinstance(right.type, Matrix):
        return _of_matrices(out, op, left, right)
    left, right = same_shapes([left, right])
    scalar = scalar_of(left.type)
    cells = [ops.operate(op, scalar, a, b) for a, b in zip(left.cells, right.cells, strict=True)]
    return Value(with_scalar(left.type, BOOL) if op in COMPARISONS else left.type, tuple(cells))


def _shifted(op: str, left: Value, right: Value) -> Value:
    """The amount of a shift is u32, whatever the type of the left side."""
    if not scalar_of(right.type).abstract and scalar_of(left.type).abstract:
        left = fitted(left, concrete(left.type))
    if not scalar_of(left.type).abstract:
        right = fitted(right, with_scalar(right.type, U32))
    elif scalar_of(left.type) != INT:
        raise CannotRun("a shift of what is no integer")
    scalar = scalar_of(left.type)
    return Value(left.type, tuple([ops.operate(op, scalar, a, b) for a, b in zip(left.cells, right.cells)]))


# ---------------------------------------------------------------------------------------------------------- matrices


def _of_matrices(out: Output, op: str, left: Value, right: Value) -> Value:
    if op != "*" or isinstance(left.type, Scalar) or isinstance(right.type, Scalar):
        return _by_component(op, left, right)
    left, right = out.named(left), out.named(right)
    columns, rows = columns_of(left), columns_of(right)
    scalar = scalar_of(left.type)
    if isinstance(left.type, Vector):  # a row times a matrix
        cells = [dot(scalar, left.cells, column) for column in rows]
        return Value(Vector(len(cells), scalar), tuple(cells))
    height = len(columns[0])
    row_vectors = [tuple([column[i] for column in columns]) for i in range(height)]
    found = [dot(scalar, row, column) for column in rows for row in row_vectors]
    type: ValueType = Vector(height, scalar)
    if isinstance(right.type, Matrix):
        type = Matrix(right.type.columns, height, scalar)
    return Value(type, tuple(found))


def _by_component(op: str, left: Value, right: Value) -> Value:
    shape = left.type if isinstance(left.type, Matrix) else right.type
    cells = max(len(left.cells), len(right.cells))
    a = left.cells * (cells // len(left.cells))
    b = right.cells * (cells // len(right.cells))
    scalar = scalar_of(shape)
    return Value(shape, tuple([ops.operate(op, scalar, x, y) for x, y in zip(a, b, strict=True)]))


def columns_of(value: Value) -> list[tuple[Expr, ...]]:
    """The columns of a matrix; a vector is one column."""
    height = value.type.rows if isinstance(value.type, Matrix) else len(value.cells)
    return [value.cells[i : i + height] for i in range(0, len(value.cells), height)]


def dot(scalar: Scalar, a: tuple[Expr, ...], b: tuple[Expr, ...]) -> Expr:
    """The sum of the products."""
    products = [ops.operate("*", scalar, x, y) for x, y in zip(a, b, strict=True)]
    found = products[0]
    for product in products[1:]:
        found = ops.operate("+", scalar, found, product)
    return found
