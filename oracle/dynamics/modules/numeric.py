"""Literals, constructors and conversions, and operators on vectors and matrices, component by component."""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import TypeVar

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.operations import FALSE, TRUE, u32
from wgsl_fuzz.oracle.dynamics.modules.output import (
    ExecutableOutput,
    Value,
    fitted,
    pairwise,
    same_scalars,
    same_shapes,
    zeros,
)
from wgsl_fuzz.tinywgsl.ast import COMPARISONS, SHIFTS, Expr, Literal, Type
from wgsl_fuzz.tinywgsl.functions import REAL_UNARY, UNARY, bits_of
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.builtins import words
from wgsl_fuzz.wgsl.lexer import number_of
from wgsl_fuzz.wgsl.syntax import Call, Expression, Identifier

Result = TypeVar("Result")


def of_each(function: str, value: Value) -> Value:
    """A function of one operand on each component."""
    scalar = t.scalar_of(value.type)
    return Value(value.type, tuple([ops.apply(function, scalar, cell) for cell in value.cells]))


def combined(out: ExecutableOutput, op: str, left: Value, right: Value) -> Value:
    """`left op right`."""
    if op in SHIFTS:
        return _shifted(op, left, right)
    left, right = same_scalars([left, right])
    shapes = {left.type.__class__, right.type.__class__}
    if op == "*" and vt.Matrix in shapes and vt.Scalar not in shapes:
        return _product(out, left, right)
    found = pairwise(op, left, right)
    return Value(vt.with_component(found.type, vt.BOOL), found.cells) if op in COMPARISONS else found


def _shifted(op: str, left: Value, right: Value) -> Value:
    """The amount of a shift is u32, whatever the type of the left side."""
    if not t.scalar_of(right.type).is_abstract and t.scalar_of(left.type).is_abstract:
        left = fitted(left, vt.concrete(left.type))
    if not t.scalar_of(left.type).is_abstract:
        right = fitted(right, vt.with_component(right.type, vt.U32))
    elif t.scalar_of(left.type) != vt.INT:
        raise t.CannotRun("a shift of what is no integer")
    scalar = t.scalar_of(left.type)
    return Value(left.type, tuple([ops.operate(op, scalar, a, b) for a, b in zip(left.cells, right.cells)]))


# ---------------------------------------------------------------------------------------------------------- matrices


def _product(out: ExecutableOutput, left: Value, right: Value) -> Value:
    """Of two matrices, or of a matrix and a vector."""
    left, right = out.named(left), out.named(right)
    columns, rows = columns_of(left), columns_of(right)
    scalar = t.scalar_of(left.type)
    if isinstance(left.type, vt.Vector):  # a row times a matrix
        cells = [dot(scalar, left.cells, column) for column in rows]
        return Value(vt.Vector(len(cells), scalar), tuple(cells))
    height = len(columns[0])
    row_vectors = [tuple([column[i] for column in columns]) for i in range(height)]
    found = [dot(scalar, row, column) for column in rows for row in row_vectors]
    type: vt.Type = vt.Vector(height, scalar)
    if isinstance(right.type, vt.Matrix):
        type = vt.Matrix(right.type.columns, height, scalar)
    return Value(type, tuple(found))


def columns_of(value: Value) -> list[tuple[Expr, ...]]:
    """The columns of a matrix; a vector is one column."""
    height = value.type.rows if isinstance(value.type, vt.Matrix) else len(value.cells)
    return [value.cells[i : i + height] for i in range(0, len(value.cells), height)]


def dot(scalar: vt.Scalar, a: tuple[Expr, ...], b: tuple[Expr, ...]) -> Expr:
    """The sum of the products."""
    products = [ops.operate("*", scalar, x, y) for x, y in zip(a, b, strict=True)]
    found = products[0]
    for product in products[1:]:
        found = ops.operate("+", scalar, found, product)
    return found


@lru_cache(maxsize=4096)
def literal(text: str) -> Value:
    """The value of a literal as it is written."""
    scalar = vt.literal_type(text)
    number = text == "true" if scalar == vt.BOOL else number_of(text)[0]
    if scalar.is_float:
        return Value(scalar, (u32(bits_of(number, scalar.name)),))
    return Value(scalar, (Literal(number, scalar.core),))  # type: ignore[arg-type]


def constructed(typed: Callable[[Identifier], vt.Type], e: Call, values: list[Value], *, predeclared: bool) -> Value:
    """What a constructor makes of its arguments; `predeclared`: its name is not declared in the module."""
    name = e.callee
    infers = name.name == "array" or (vt.shaped(name.name) is None and vt.shaped(name.name, vt.INT) is not None)
    if not predeclared or name.template or not infers:
        return made(typed(name), values)
    type = vt.inferred(name.name, [v.type for v in values] or [vt.INT])
    if type is None:
        raise t.CannotRun(f"{name.name} of values of different types")
    return made(type, values)


def made(type: vt.Type, values: list[Value]) -> Value:
    """A value of a type, made of arguments."""
    if not values:
        return zeros(type)
    match type:
        case vt.Scalar():
            return Value(type, (ops.converted(values[0].scalar, t.scalar_of(values[0].type), type),))
        case vt.SubgroupMatrix():
            scalar = fitted(values[0], type.scalar).scalar
            return Value(type, (ops.converted(scalar, type.scalar, vt.U32),))
        case vt.Vector() | vt.Matrix():
            return _of_components(type, values)
        case vt.Array():
            if len(values) != type.count:
                raise t.CannotRun("an array of another number of elements")
            return Value(type, tuple([cell for v in values for cell in fitted(v, type.element).cells]))
        case vt.Structure():
            parts = [fitted(v, inner) for v, (_, inner) in zip(values, type.members, strict=True)]
            return Value(type, tuple([cell for part in parts for cell in part.cells]))
        case _:
            raise t.CannotRun("a constructor of what has none")


def _of_components(type: vt.Vector | vt.Matrix, values: list[Value]) -> Value:
    scalar = type.element
    if len(values) == 1 and isinstance(values[0].type, vt.Scalar) and isinstance(type, vt.Vector):
        return Value(type, fitted(values[0], scalar).cells * type.size)
    cells: list[Expr] = []
    for value in values:
        own = t.scalar_of(value.type)
        cells += [ops.converted(cell, own, scalar) for cell in value.cells]
    if len(cells) != t.size(type):
        raise t.CannotRun("a constructor with another number of components")
    return Value(type, tuple(cells))


def bitcast(typed: Callable[[Identifier], vt.Type], name: Identifier, value: Value) -> Value:
    """`bitcast<T>(e)` between types of 32 bits."""
    argument = name.template[0]
    assert isinstance(argument, Identifier), "a type is an identifier"
    target = typed(argument)
    value = fitted(value, vt.concrete(value.type))
    names = {s.name for s in (*t.scalars(value.type), *t.scalars(target))}
    if "f16" in names or len(value.cells) != t.size(target) or t.scalar_of(target) == vt.BOOL:
        raise t.CannotRun("bitcast of f16")
    core = t.scalar_of(target).core
    return Value(target, tuple([ops.convert(core, cell) for cell in value.cells]))


Row = Callable[..., Value]
"""From the output and the arguments to the result."""


def _f32(number: float) -> Value:
    return Value(vt.F32, (u32(bits_of(number, "f32")),))


def _number(number: int, like: Value) -> Value:
    """A number as a scalar of the type of another value's components."""
    scalar = t.scalar_of(like.type)
    return Value(scalar, (ops.converted(Literal(number, Type.I32), vt.INT, scalar),))


def _concrete(value: Value, scalar: vt.Scalar) -> Value:
    """A value whose constants are of a scalar type."""
    return fitted(value, vt.with_component(value.type, scalar)) if t.scalar_of(value.type).is_abstract else value


def _converted(value: Value, scalar: vt.Scalar) -> Value:
    """A value, each of its components converted."""
    own = t.scalar_of(value.type)
    return Value(vt.with_component(value.type, scalar), tuple([ops.converted(c, own, scalar) for c in value.cells]))


def _clamped(value: Value, least: Value, most: Value) -> Value:
    return pairwise("min", pairwise("max", value, least), most)


def _dot(a: Value, b: Value) -> Value:
    scalar = t.scalar_of(a.type)
    return Value(scalar, (dot(scalar, a.cells, b.cells),))


# --------------------------------------------------------------------------------------------------------------- bits

_F16 = vt.Scalar("f16")


def _packed(value: Value, width: int) -> Value:
    """The low bits of each component, the first one lowest."""
    found: Expr = u32(0)
    for i, cell in enumerate(value.cells):
        bits = ops.binary("&", ops.convert(Type.U32, cell), u32(2**width - 1))
        part = ops.binary("<<", bits, u32(width * i))
        found = part if i == 0 else ops.binary("|", found, part)
    return Value(vt.U32, (found,))


def _parts(width: int, scalar: vt.Scalar, out: ExecutableOutput, word: Value) -> Value:
    """The parts of a word, as u32, or as i32 with their signs."""
    cell = out.named_cell(fitted(word, vt.U32).scalar)
    high = [ops.binary("<<", cell, u32(32 - width - shift)) for shift in range(0, 32, width)]
    cells = [ops.binary(">>", ops.convert(scalar.core, part), u32(32 - width)) for part in high]
    return Value(vt.Vector(len(cells), scalar), tuple(cells))


def _dot_packed(scalar: vt.Scalar, out: ExecutableOutput, a: Value, b: Value) -> Value:
    return _dot(_parts(8, scalar, out, a), _parts(8, scalar, out, b))


def _pack_clamped(scalar: vt.Scalar, _: ExecutableOutput, value: Value) -> Value:
    least = -128 if scalar == vt.I32 else 0
    bounds = [Value(scalar, (Literal(bound, scalar.core),)) for bound in (least, least + 255)]
    return _packed(_clamped(_concrete(value, scalar), *bounds), 8)


def _pack_norm(width: int, most: float, least: float, _: ExecutableOutput, value: Value) -> Value:
    """`pack4x8unorm` and its like: rounded by `floor(0.5 + most * clamp(e))`."""
    bounded = _clamped(_concrete(value, vt.F32), _f32(least), _f32(1.0))
    return _packed(_converted(of_each("floor", _f32(0.5) + _f32(most) * bounded), vt.I32), width)


def _unpack_norm(width: int, most: float, scalar: vt.Scalar, out: ExecutableOutput, word: Value) -> Value:
    numbers = _converted(_parts(width, scalar, out, word), vt.F32)
    return pairwise("max", numbers / _f32(most), _f32(-1.0))


def _unpack_floats(out: ExecutableOutput, word: Value) -> Value:
    return _converted(Value(vt.Vector(2, _F16), _parts(16, vt.U32, out, word).cells), vt.F32)


def _packing() -> Iterator[tuple[str, Row]]:
    for letter, scalar in (("I", vt.I32), ("U", vt.U32)):
        yield f"pack4x{letter}8", partial(lambda scalar, _, value: _packed(_concrete(value, scalar), 8), scalar)
        yield f"pack4x{letter}8Clamp", partial(_pack_clamped, scalar)
        yield f"unpack4x{letter}8", partial(_parts, 8, scalar)
        yield f"dot4{letter}8Packed", partial(_dot_packed, scalar)
        sign, signed = ("s", True) if letter == "I" else ("u", False)
        for width in (8, 16):
            name, most = f"pack{32 // width}x{width}{sign}norm", float(2 ** (width - signed) - 1)
            yield name, partial(_pack_norm, width, most, -1.0 if signed else 0.0)
            yield f"un{name}", partial(_unpack_norm, width, most, scalar)


def _bit_field(out: ExecutableOutput, *values: Value) -> tuple[Expr, Expr]:
    """An offset and a count of bits, within a word."""
    offset, count = (out.named_cell(fitted(v, vt.U32).scalar) for v in values)
    offset = out.named_cell(ops.binary("min", offset, u32(32)))
    return offset, out.named_cell(ops.binary("min", count, ops.binary("-", u32(32), offset)))


def _insert_bits(out: ExecutableOutput, e: Value, new: Value, *field: Value) -> Value:
    """`insertBits(e, new, offset, count)`."""
    e, new = (fitted(v, vt.concrete(v.type)) for v in same_scalars([e, new]))
    offset, count = _bit_field(out, *field)
    ones = ops.binary(">>", u32(2**32 - 1), ops.binary("-", u32(32), count))
    shifted = ops.binary("<<", ops.chosen(ops.binary("==", count, u32(0)), u32(0), ones), offset)
    mask = out.named_cell(ops.convert(t.scalar_of(e.type).core, shifted))
    cells = [
        ops.binary("|", ops.binary("&", a, ops.unary("~", mask)), ops.binary("&", ops.binary("<<", b, offset), mask))
        for a, b in zip(e.cells, new.cells, strict=True)
    ]
    return Value(e.type, tuple(cells))


def _extract_bits(out: ExecutableOutput, value: Value, *field: Value) -> Value:
    """`extractBits(e, offset, count)`: a signed one keeps its sign."""
    value = fitted(value, vt.concrete(value.type))
    offset, count = _bit_field(out, *field)
    left = ops.binary("-", u32(32), ops.binary("+", offset, count))
    right = ops.binary("-", u32(32), count)
    nothing = ops.binary("==", count, u32(0))
    zero = ops.zero(t.scalar_of(value.type))
    cells = [ops.binary(">>", ops.binary("<<", cell, left), right) for cell in value.cells]
    return Value(value.type, tuple([ops.chosen(nothing, zero, cell) for cell in cells]))


# ------------------------------------------------------------------------------------------------------------- floats


def _real(value: Value) -> Value:
    """A constant integer as the argument of a function of the reals."""
    return fitted(value, vt.with_component(value.type, vt.FLOAT)) if t.scalar_of(value.type) == vt.INT else value


def _of_reals(rule: Row) -> Row:
    """A row of operands that are all floats of one type: their vectors, and scalars beside these, have one shape."""
    return lambda out, *values: rule(out, *same_shapes(same_scalars([_real(v) for v in values])))


def _of_concrete(rule: Row) -> Row:
    """A row of operands that are all floats of one concrete type."""
    return lambda out, *values: rule(
        out, *[fitted(v, vt.concrete(v.type)) for v in same_scalars([_real(v) for v in values])]
    )


def _modf(out: ExecutableOutput, value: Value) -> Value:
    value = out.named(value)
    whole = out.named(of_each("trunc", value))
    members = ("fract", value.type), ("whole", value.type)
    return Value(vt.Structure("modf", members), (value - whole).cells + whole.cells)


def _frexp(out: ExecutableOutput, value: Value) -> Value:
    value = out.named(value)
    exponents = _converted(of_each("exponent", value), vt.I32)
    members = ("fract", value.type), ("exp", exponents.type)
    return Value(vt.Structure("frexp", members), of_each("fraction", value).cells + exponents.cells)


def _ldexp(_: ExecutableOutput, value: Value, exponents: Value) -> Value:
    value = fitted(_real(value), vt.concrete(_real(value).type))
    return pairwise("ldexp", value, _converted(_concrete(exponents, vt.I32), t.scalar_of(value.type)))


def _face_forward(out: ExecutableOutput, first: Value, second: Value, third: Value) -> Value:
    first, scalar = out.named(first), t.scalar_of(first.type)
    behind = out.named_cell(ops.operate("<", scalar, _dot(second, third).scalar, ops.zero(scalar)))
    negative = of_each("-", first).cells
    return Value(first.type, tuple([ops.chosen(behind, a, b) for a, b in zip(first.cells, negative)]))


def _refract(out: ExecutableOutput, *values: Value) -> Value:
    ray, normal, eta = map(out.named, values)
    one, cosine, zero = _number(1, ray), out.named(_dot(normal, ray)), _number(0, ray).scalar
    k = out.named(one - eta * eta * (one - cosine * cosine))
    total = out.named_cell(ops.operate("<", t.scalar_of(ray.type), k.scalar, zero))
    factor = out.named(eta * cosine + of_each("sqrt", k))
    return Value(ray.type, tuple([ops.chosen(total, zero, cell) for cell in (eta * ray - factor * normal).cells]))


def _determinant(out: ExecutableOutput, value: Value) -> Value:
    value = out.named(value)
    assert isinstance(value.type, vt.Matrix), "determinant takes a matrix"
    scalar = value.type.element

    def of(columns: list[tuple[Expr, ...]]) -> Expr:
        """By the first column; a term for each row, with the sign of its number."""
        if len(columns) == 1:
            return columns[0][0]
        found: Expr | None = None
        for i, cell in enumerate(columns[0]):
            term = ops.operate("*", scalar, cell, of([c[:i] + c[i + 1 :] for c in columns[1:]]))
            found = term if found is None else ops.operate("-" if i % 2 else "+", scalar, found, term)
        assert found is not None, "a matrix has rows"
        return found

    return Value(scalar, (of(columns_of(value)),))


def _length(out: ExecutableOutput, value: Value) -> Value:
    if isinstance(value.type, vt.Scalar):
        return of_each("abs", value)
    value = out.named(value)
    return of_each("sqrt", _dot(value, value))


def _normalize(out: ExecutableOutput, value: Value) -> Value:
    value = out.named(value)
    return value / out.named(_length(out, value))


def _cross(out: ExecutableOutput, a: Value, b: Value) -> Value:
    a, b = out.named(a), out.named(b)

    def turned(v: Value, by: int) -> Value:
        return Value(v.type, tuple([v.cells[(i + by) % 3] for i in range(3)]))

    return turned(a, 1) * turned(b, 2) - turned(a, 2) * turned(b, 1)


def _mix(out: ExecutableOutput, a: Value, b: Value, weight: Value) -> Value:
    weight = out.named(weight)
    return a * (_number(1, weight) - weight) + b * weight


def _reflect(out: ExecutableOutput, a: Value, n: Value) -> Value:
    a, n = out.named(a), out.named(n)
    return a - out.named(_number(2, a) * _dot(a, n)) * n


def _smoothstep(out: ExecutableOutput, low: Value, high: Value, x: Value) -> Value:
    low = out.named(low)
    at = out.named(of_each("saturate", (x - low) / (high - low)))
    return at * at * (_number(3, at) - _number(2, at) * at)


# --------------------------------------------------------------------------------------------------------------- rows


def _joined(op: str, neutral: Expr) -> Row:
    """`all` and `any`."""

    def row(_: ExecutableOutput, value: Value) -> Value:
        found = neutral
        for cell in value.cells:
            found = cell if found == neutral else ops.binary(op, found, cell)
        return Value(vt.BOOL, (found,))

    return row


def _select(out: ExecutableOutput, orelse: Value, then: Value, condition: Value) -> Value:
    orelse, then = same_scalars([orelse, then])
    condition = out.named(condition)
    if not isinstance(condition.scalar, Literal):
        orelse, then = (fitted(v, vt.concrete(v.type)) for v in (orelse, then))
    conditions = condition.cells if isinstance(condition.type, vt.Vector) else condition.cells * len(then.cells)
    cells = [ops.chosen(c, a, b) for c, a, b in zip(conditions, then.cells, orelse.cells, strict=True)]
    return Value(then.type, tuple(cells))


def _transpose(_: ExecutableOutput, value: Value) -> Value:
    type, columns = value.type, columns_of(value)
    assert isinstance(type, vt.Matrix)
    cells = tuple([column[i] for i in range(type.rows) for column in columns])
    return Value(vt.Matrix(type.rows, type.columns, type.element), cells)


_ROWS: dict[str, Row] = {
    **dict(_packing()),
    "pack2x16float": lambda _, value: _packed(_converted(_concrete(value, vt.F32), _F16), 16),
    "unpack2x16float": _unpack_floats,
    "insertBits": _insert_bits,
    "extractBits": _extract_bits,
    "modf": _of_concrete(_modf),
    "frexp": _of_concrete(_frexp),
    "ldexp": _ldexp,
    "faceForward": _of_concrete(_face_forward),
    "refract": _of_concrete(_refract),
    "determinant": _of_concrete(_determinant),
    "all": _joined("&&", TRUE),
    "any": _joined("||", FALSE),
    "select": _select,
    "clamp": lambda _, *values: _clamped(*same_shapes(same_scalars([*values]))),
    "dot": lambda _, *values: _dot(*same_scalars([*values])),
    "length": _of_reals(_length),
    "distance": _of_reals(lambda out, a, b: _length(out, a - b)),
    "normalize": _of_reals(_normalize),
    "cross": _of_reals(_cross),
    "fma": _of_reals(lambda _, a, b, c: a * b + c),
    "mix": _of_reals(_mix),
    "reflect": _of_reals(_reflect),
    "smoothstep": _of_reals(_smoothstep),
    "transpose": _transpose,
}
"""By name."""
_EACH_REAL = REAL_UNARY.keys() - words("- abs sign fraction exponent")
_EACH_INTEGER = {name for name in UNARY if "." not in name} - words("abs sign")
_EACH = _EACH_REAL | _EACH_INTEGER | words("abs sign")
"""Functions of one scalar, on each component."""
_REAL = _EACH_REAL | words("atan2 pow step")
"""Functions of floats alone, but for those that have a row."""
_PAIRS = words("min max pow atan2 step")


def numeric(out: ExecutableOutput, name: str, values: list[Value]) -> Value:
    """The result of a built-in function that only computes."""
    row = _ROWS.get(name)
    if row is not None:
        return row(out, *values)
    if name in _REAL:
        values = [_real(v) for v in values]
    if name in _EACH:
        integer = name in _EACH_INTEGER
        return of_each(name, fitted(values[0], vt.concrete(values[0].type)) if integer else values[0])
    if name in _PAIRS:
        return pairwise(name, *values)
    raise t.CannotRun(f"the built-in function {name}")


_UNFIT = (AssertionError, IndexError, KeyError, TypeError, ValueError)
"""What operands of wrong types or numbers lead to: nobody has checked the types of a text."""


def unless_ill_typed(work: Callable[[], Result], what: str, place: Expression) -> Result:
    """What `work` computes of some operands. Raises CannotRun if their types do not fit."""
    try:
        return work()
    except _UNFIT as error:
        raise t.CannotRun(f"{what} on values of these types", place) from error


def unknown(out: ExecutableOutput, name: str, type: vt.Type) -> Value:
    """A value of a type that is not computed, and found where it matters."""
    return Value(type, tuple([out.unknown(name, scalar.core) for scalar in t.scalars(type)]))
