"""Built-in functions without effect: rows by name."""

from collections.abc import Callable

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules.arithmetic import columns_of, dot, of_each, same_scalars, same_shapes
from wgsl_fuzz.oracle.dynamics.modules.output import Output
from wgsl_fuzz.oracle.dynamics.modules.packing import PACKING
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
    scalars,
    with_scalar,
)
from wgsl_fuzz.oracle.dynamics.modules.variables import fitted
from wgsl_fuzz.tinywgsl.ast import Expr, Literal
from wgsl_fuzz.wgsl.builtins import words

Row = Callable[[Output, list[Value]], Value]


def numeric(out: Output, name: str, values: list[Value]) -> Value:
    """The result of a built-in function that only computes."""
    row = _ROWS.get(name) or PACKING.get(name)
    if row is not None:
        return row(out, values)
    if name in _REAL:
        values = [_real(v) for v in values]
    if name in _EACH:
        integer = name in _EACH_INTEGER
        return of_each(name, fitted(values[0], concrete(values[0].type)) if integer else values[0])
    if name in _PAIRS:
        return pairwise(name, *values)
    raise CannotRun(f"the built-in function {name}")


def _real(value: Value) -> Value:
    """A constant integer as the argument of a function of the reals."""
    return fitted(value, with_scalar(value.type, FLOAT)) if scalar_of(value.type) == INT else value


_EACH_REAL = words(
    """acos acosh asin asinh atan atanh ceil cos cosh degrees exp exp2 floor fract inverseSqrt log log2 quantizeToF16
    radians round saturate sin sinh sqrt tan tanh trunc"""
)
_EACH_INTEGER = words(
    """countOneBits countLeadingZeros countTrailingZeros firstLeadingBit firstTrailingBit reverseBits"""
)
_EACH = _EACH_REAL | _EACH_INTEGER | words("abs sign")
"""Functions of one scalar, on each component."""
_REAL = _EACH_REAL | words("atan2 pow step")
"""Functions of floats alone, but for those that have a row."""
_PAIRS = words("min max pow atan2 step")


def pairwise(op: str, left: Value, right: Value) -> Value:
    """A function of two scalars, on each pair of components."""
    left, right = same_shapes(same_scalars([left, right]))
    scalar = scalar_of(left.type)
    cells = [ops.operate(op, scalar, a, b) for a, b in zip(left.cells, right.cells, strict=True)]
    return Value(left.type, tuple(cells))


# --------------------------------------------------------------------------------------------------------------- rows


def _all(_: Output, values: list[Value]) -> Value:
    found: Expr = ops.TRUE
    for cell in values[0].cells:
        found = cell if found == ops.TRUE else ops.binary("&&", found, cell)
    return Value(BOOL, (found,))


def _any(_: Output, values: list[Value]) -> Value:
    found: Expr = ops.FALSE
    for cell in values[0].cells:
        found = cell if found == ops.FALSE else ops.binary("||", found, cell)
    return Value(BOOL, (found,))


def _select(out: Output, values: list[Value]) -> Value:
    orelse, then = same_scalars(values[:2])
    condition = out.named(values[2])
    if not isinstance(condition.scalar, Literal):
        orelse, then = (fitted(v, concrete(v.type)) for v in (orelse, then))
    conditions = condition.cells if isinstance(condition.type, Vector) else condition.cells * len(then.cells)
    cells = [ops.chosen(c, a, b) for c, a, b in zip(conditions, then.cells, orelse.cells, strict=True)]
    return Value(then.type, tuple(cells))


def _clamp(_: Output, values: list[Value]) -> Value:
    value, least, most = same_shapes(same_scalars(values))
    return pairwise("min", pairwise("max", value, least), most)


def _dot(_: Output, values: list[Value]) -> Value:
    left, right = same_scalars(values)
    scalar = scalar_of(left.type)
    return Value(scalar, (dot(scalar, left.cells, right.cells),))


def _length(out: Output, values: list[Value]) -> Value:
    value = _real(values[0])
    scalar = scalar_of(value.type)
    if isinstance(value.type, Scalar):
        return of_each("abs", value)
    value = out.named(value)
    return Value(scalar, (ops.apply("sqrt", scalar, dot(scalar, value.cells, value.cells)),))


def _arith(op: str, left: Value, right: Value) -> Value:
    return pairwise(op, left, right)


def _distance(out: Output, values: list[Value]) -> Value:
    left, right = same_scalars([_real(v) for v in values])
    return _length(out, [_arith("-", left, right)])


def _normalize(out: Output, values: list[Value]) -> Value:
    value = out.named(_real(values[0]))
    length = out.named(_length(out, [value]))
    return _arith("/", value, length)


def _cross(out: Output, values: list[Value]) -> Value:
    left, right = (out.named(v) for v in same_scalars([_real(v) for v in values]))
    scalar, a, b = scalar_of(left.type), left.cells, right.cells

    def minus(i: int, j: int) -> Expr:
        one, other = ops.operate("*", scalar, a[i], b[j]), ops.operate("*", scalar, a[j], b[i])
        return ops.operate("-", scalar, one, other)

    return Value(left.type, (minus(1, 2), minus(2, 0), minus(0, 1)))


def _fma(_: Output, values: list[Value]) -> Value:
    a, b, c = same_scalars([_real(v) for v in values])
    return _arith("+", _arith("*", a, b), c)


def _mix(out: Output, values: list[Value]) -> Value:
    a, b, t = same_shapes(same_scalars([_real(v) for v in values]))
    t = out.named(t)
    one = Value(scalar_of(t.type), (ops.one(scalar_of(t.type)),))
    return _arith("+", _arith("*", a, _arith("-", one, t)), _arith("*", b, t))


def _reflect(out: Output, values: list[Value]) -> Value:
    a, n = (out.named(v) for v in same_scalars([_real(v) for v in values]))
    scalar = scalar_of(a.type)
    two = ops.operate("+", scalar, ops.one(scalar), ops.one(scalar))
    factor = Value(scalar, (ops.operate("*", scalar, two, dot(scalar, a.cells, n.cells)),))
    return _arith("-", a, _arith("*", out.named(factor), n))


def _smoothstep(out: Output, values: list[Value]) -> Value:
    low, high, x = same_shapes(same_scalars([_real(v) for v in values]))
    low = out.named(low)
    t = out.named(of_each("saturate", _arith("/", _arith("-", x, low), _arith("-", high, low))))
    scalar = scalar_of(t.type)
    two = Value(scalar, (ops.operate("+", scalar, ops.one(scalar), ops.one(scalar)),))
    three = Value(scalar, (ops.operate("+", scalar, two.scalar, ops.one(scalar)),))
    return _arith("*", _arith("*", t, t), _arith("-", three, _arith("*", two, t)))


def _transpose(_: Output, values: list[Value]) -> Value:
    columns = columns_of(values[0])
    assert isinstance(values[0].type, Matrix)
    type = values[0].type
    cells = tuple([column[i] for i in range(type.rows) for column in columns])
    return Value(Matrix(type.rows, type.columns, type.scalar), cells)


def _extract_bits(out: Output, values: list[Value]) -> Value:
    """`extractBits(e, offset, count)`: a signed one keeps its sign."""
    value = fitted(values[0], concrete(values[0].type))
    offset, count = (out.named_cell(fitted(v, U32).scalar) for v in values[1:])
    offset = out.named_cell(ops.binary("min", offset, ops.u32(32)))
    count = out.named_cell(ops.binary("min", count, ops.binary("-", ops.u32(32), offset)))
    left = ops.binary("-", ops.u32(32), ops.binary("+", offset, count))
    right = ops.binary("-", ops.u32(32), count)
    nothing = ops.binary("==", count, ops.u32(0))
    zero = ops.zero(scalar_of(value.type))
    cells = [ops.binary(">>", ops.binary("<<", cell, left), right) for cell in value.cells]
    return Value(value.type, tuple([ops.chosen(nothing, zero, cell) for cell in cells]))


_ROWS: dict[str, Row] = {
    "all": _all,
    "any": _any,
    "select": _select,
    "clamp": _clamp,
    "dot": _dot,
    "length": _length,
    "distance": _distance,
    "normalize": _normalize,
    "cross": _cross,
    "fma": _fma,
    "mix": _mix,
    "reflect": _reflect,
    "smoothstep": _smoothstep,
    "transpose": _transpose,
    "extractBits": _extract_bits,
}


# ------------------------------------------------------------------------------------------------- what is not known


def unknown(out: Output, name: str, type: ValueType) -> Value:
    """A value of a type that is not computed, and found where it matters."""
    return Value(type, tuple([out.unknown(name, scalar.core) for scalar in scalars(type)]))
