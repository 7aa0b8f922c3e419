"""Literals, constructors and conversions, and operators on vectors and matrices, component by component."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.operations import FALSE, TRUE, u32
from wgsl_fuzz.oracle.dynamics.modules.output import ExecutableOutput, Value, fitted, zeros
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


def same_scalars(values: list[Value]) -> list[Value]:
    """Values with constants converted to the scalar type that they have in common."""
    row = [t.scalar_of(value.type) for value in values]
    best = next((s for s in row if not s.is_abstract), vt.FLOAT if vt.FLOAT in row else row[0])
    return [fitted(v, vt.with_component(v.type, best)) if t.scalar_of(v.type) != best else v for v in values]


def same_shapes(values: list[Value]) -> list[Value]:
    """Values with scalars repeated where others are vectors."""
    shape = next((v.type for v in values if isinstance(v.type, vt.Vector)), None)
    if shape is None:
        return values
    return [Value(shape, v.cells * shape.size) if isinstance(v.type, vt.Scalar) else v for v in values]


def combined(out: ExecutableOutput, op: str, left: Value, right: Value) -> Value:
    """`left op right`."""
    if op in SHIFTS:
        return _shifted(op, left, right)
    left, right = same_scalars([left, right])
    if isinstance(left.type, vt.Matrix) or isinstance(right.type, vt.Matrix):
        return _of_matrices(out, op, left, right)
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


def _of_matrices(out: ExecutableOutput, op: str, left: Value, right: Value) -> Value:
    if op != "*" or isinstance(left.type, vt.Scalar) or isinstance(right.type, vt.Scalar):
        return _by_component(op, left, right)
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


def _by_component(op: str, left: Value, right: Value) -> Value:
    shape = left.type if isinstance(left.type, vt.Matrix) else right.type
    cells = max(len(left.cells), len(right.cells))
    a = left.cells * (cells // len(left.cells))
    b = right.cells * (cells // len(right.cells))
    scalar = t.scalar_of(shape)
    return Value(shape, tuple([ops.operate(op, scalar, x, y) for x, y in zip(a, b, strict=True)]))


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
    if text in ("true", "false"):
        return Value(vt.BOOL, (TRUE if text == "true" else FALSE,))
    number, suffix = number_of(text)
    if isinstance(number, int):
        type = {"u": vt.U32, "i": vt.I32, "": vt.INT}[suffix]
        return Value(type, (Literal(number, type.core),))
    if not suffix:
        return Value(vt.FLOAT, (Literal(number, Type.I32),))  # type: ignore[arg-type]
    scalar = vt.F32 if suffix == "f" else vt.Scalar("f16")
    return Value(scalar, (u32(bits_of(number, scalar.name)),))


def constructed(typed: Callable[[Identifier], vt.Type], e: Call, values: list[Value], *, predeclared: bool) -> Value:
    """What a constructor makes of its arguments; `predeclared`: its name is not declared in the module."""
    name = e.callee
    if predeclared and not name.template:
        inferred = _inferred(name.name, values)
        if inferred is not None:
            return made(inferred, values)
    return made(typed(name), values)


def _inferred(name: str, values: list[Value]) -> vt.Type | None:
    """The type of `vec3(...)`, `mat2x2(...)` and `array(...)`; None for a name that says it all."""
    if name == "array":
        values = _alike(values)
        return vt.Array(values[0].type, len(values))
    if vt.shaped(name) is not None:
        return None
    found = [t.scalar_of(v.type) for v in values] or [vt.INT]
    return vt.shaped(name, t.scalar_of(same_scalars([Value(s, (ops.zero(s),)) for s in found])[0].type))


def _alike(values: list[Value]) -> list[Value]:
    """Elements of one type: what is concrete in one of them is in all."""
    best = next((v.type for v in values if not any(s.is_abstract for s in t.scalars(v.type))), None)
    if best is None and all(isinstance(v.type, vt.Scalar | vt.Vector | vt.Matrix) for v in values):
        return same_scalars(values)
    return [fitted(v, best) for v in values] if best is not None else values


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


Row = Callable[[ExecutableOutput, list[Value]], Value]


def _float(number: float) -> Expr:
    return ops.u32(bits_of(number, "f32"))


def _concrete(value: Value, scalar: vt.Scalar) -> Value:
    """A value whose constants are of a scalar type."""
    return fitted(value, vt.with_component(value.type, scalar)) if t.scalar_of(value.type).is_abstract else value


# ------------------------------------------------------------------------------------------------------------ packing


def _packed(cells: list[Expr], width: int) -> Value:
    """The low bits of each cell, the first cell lowest."""
    found: Expr = ops.u32(0)
    for i, cell in enumerate(cells):
        bits = ops.binary("&", ops.convert(Type.U32, cell), ops.u32(2**width - 1))
        part = ops.binary("<<", bits, ops.u32(width * i))
        found = part if i == 0 else ops.binary("|", found, part)
    return Value(vt.U32, (found,))


def _parts(out: ExecutableOutput, word: Value, width: int, *, signed: bool) -> list[Expr]:
    """The parts of a word as u32, or as i32 with their signs."""
    cell = out.named_cell(fitted(word, vt.U32).scalar)
    found = []
    for shift in range(0, 32, width):
        high = ops.binary("<<", cell, ops.u32(32 - width - shift))
        found.append(ops.binary(">>", ops.convert(Type.I32, high) if signed else high, ops.u32(32 - width)))
    return found


def _pack_integers(scalar: vt.Scalar, bounds: tuple[int, int] | None) -> Row:
    def row(_: ExecutableOutput, values: list[Value]) -> Value:
        cells = list(_concrete(values[0], scalar).cells)
        if bounds is not None:
            least, most = (Literal(b, scalar.core) for b in bounds)
            cells = [ops.binary("min", ops.binary("max", cell, least), most) for cell in cells]
        return _packed(cells, 8)

    return row


def _unpack_integers(scalar: vt.Scalar) -> Row:
    return lambda out, values: Value(vt.Vector(4, scalar), tuple(_parts(out, values[0], 8, signed=scalar == vt.I32)))


def _dot_packed(scalar: vt.Scalar) -> Row:
    def row(out: ExecutableOutput, values: list[Value]) -> Value:
        a, b = (tuple(_parts(out, value, 8, signed=scalar == vt.I32)) for value in values)
        return Value(scalar, (dot(scalar, a, b),))

    return row


def _pack_norm(width: int, *, signed: bool) -> Row:
    """`pack4x8unorm` and its like: rounded by `floor(0.5 + most * clamp(e))`."""
    most = float(2 ** (width - signed) - 1)

    def row(_: ExecutableOutput, values: list[Value]) -> Value:
        cells = []
        for cell in _concrete(values[0], vt.F32).cells:
            least = _float(-1.0 if signed else 0.0)
            bounded = ops.operate("min", vt.F32, ops.operate("max", vt.F32, cell, least), _float(1.0))
            scaled = ops.operate("+", vt.F32, _float(0.5), ops.operate("*", vt.F32, _float(most), bounded))
            cells.append(ops.converted(ops.apply("floor", vt.F32, scaled), vt.F32, vt.I32))
        return _packed(cells, width)

    return row


def _unpack_norm(width: int, *, signed: bool) -> Row:
    most, scalar = float(2 ** (width - signed) - 1), vt.I32 if signed else vt.U32

    def row(out: ExecutableOutput, values: list[Value]) -> Value:
        numbers = [ops.converted(part, scalar, vt.F32) for part in _parts(out, values[0], width, signed=signed)]
        cells = [ops.operate("max", vt.F32, ops.operate("/", vt.F32, n, _float(most)), _float(-1.0)) for n in numbers]
        return Value(vt.Vector(32 // width, vt.F32), tuple(cells))

    return row


_F16 = vt.Scalar("f16")


def _unpack_floats(out: ExecutableOutput, values: list[Value]) -> Value:
    cells = [ops.converted(part, _F16, vt.F32) for part in _parts(out, values[0], 16, signed=False)]
    return Value(vt.Vector(2, vt.F32), tuple(cells))


def _insert_bits(out: ExecutableOutput, values: list[Value]) -> Value:
    """`insertBits(e, new, offset, count)`."""
    e, new = (fitted(v, vt.concrete(v.type)) for v in same_scalars(values[:2]))
    offset, count = _bit_field(out, values[2:])
    ones = ops.binary(">>", ops.u32(2**32 - 1), ops.binary("-", ops.u32(32), count))
    shifted = ops.binary("<<", ops.chosen(ops.binary("==", count, ops.u32(0)), ops.u32(0), ones), offset)
    core = t.scalar_of(e.type).core
    mask = out.named_cell(ops.convert(core, shifted))
    cells = [
        ops.binary("|", ops.binary("&", a, ops.unary("~", mask)), ops.binary("&", ops.binary("<<", b, offset), mask))
        for a, b in zip(e.cells, new.cells, strict=True)
    ]
    return Value(e.type, tuple(cells))


# ------------------------------------------------------------------------------------------------------------- floats


def _reals(values: list[Value]) -> list[Value]:
    """Values of one concrete scalar type of floats."""
    made = [fitted(v, vt.with_component(v.type, vt.FLOAT)) if t.scalar_of(v.type) == vt.INT else v for v in values]
    return [fitted(v, vt.concrete(v.type)) for v in same_scalars(made)]


def _modf(out: ExecutableOutput, values: list[Value]) -> Value:
    value = out.named(_reals(values)[0])
    scalar = t.scalar_of(value.type)
    whole = out.named(of_each("trunc", value))
    fract = tuple([ops.operate("-", scalar, a, b) for a, b in zip(value.cells, whole.cells)])
    return Value(vt.Structure("modf", (("fract", value.type), ("whole", value.type))), fract + whole.cells)


def _frexp(out: ExecutableOutput, values: list[Value]) -> Value:
    value = out.named(_reals(values)[0])
    scalar = t.scalar_of(value.type)
    exponents = vt.with_component(value.type, vt.I32)
    fract = of_each("fraction", value).cells
    exp = tuple([ops.converted(ops.apply("exponent", scalar, cell), scalar, vt.I32) for cell in value.cells])
    return Value(vt.Structure("frexp", (("fract", value.type), ("exp", exponents))), fract + exp)


def _ldexp(_: ExecutableOutput, values: list[Value]) -> Value:
    value = _reals(values[:1])[0]
    scalar = t.scalar_of(value.type)
    powers = [ops.converted(cell, vt.I32, scalar) for cell in _concrete(values[1], vt.I32).cells]
    pairs = zip(value.cells, powers, strict=True)
    return Value(value.type, tuple([ops.operate("ldexp", scalar, a, b) for a, b in pairs]))


def _face_forward(out: ExecutableOutput, values: list[Value]) -> Value:
    first, second, third = _reals(values)
    first, scalar = out.named(first), t.scalar_of(first.type)
    product = dot(scalar, second.cells, third.cells)
    behind = out.named_cell(ops.operate("<", scalar, product, ops.zero(scalar)))
    negative = of_each("-", first).cells
    return Value(first.type, tuple([ops.chosen(behind, a, b) for a, b in zip(first.cells, negative)]))


def _refract(out: ExecutableOutput, values: list[Value]) -> Value:
    ray, normal, ratio = (out.named(v) for v in _reals(values))
    scalar, eta = t.scalar_of(ray.type), ratio.scalar

    def of(op: str, a: Expr, b: Expr) -> Expr:
        return ops.operate(op, scalar, a, b)

    one, cosine = ops.one(scalar), out.named_cell(dot(scalar, normal.cells, ray.cells))
    k = out.named_cell(of("-", one, of("*", of("*", eta, eta), of("-", one, of("*", cosine, cosine)))))
    total = out.named_cell(of("<", k, ops.zero(scalar)))
    factor = out.named_cell(of("+", of("*", eta, cosine), ops.apply("sqrt", scalar, k)))
    bent = [of("-", of("*", eta, a), of("*", factor, n)) for a, n in zip(ray.cells, normal.cells)]
    return Value(ray.type, tuple([ops.chosen(total, ops.zero(scalar), cell) for cell in bent]))


def _determinant(out: ExecutableOutput, values: list[Value]) -> Value:
    value = out.named(_reals(values)[0])
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


_PACKING: dict[str, Row] = {
    "pack4xI8": _pack_integers(vt.I32, None),
    "pack4xU8": _pack_integers(vt.U32, None),
    "pack4xI8Clamp": _pack_integers(vt.I32, (-128, 127)),
    "pack4xU8Clamp": _pack_integers(vt.U32, (0, 255)),
    "unpack4xI8": _unpack_integers(vt.I32),
    "unpack4xU8": _unpack_integers(vt.U32),
    "dot4I8Packed": _dot_packed(vt.I32),
    "dot4U8Packed": _dot_packed(vt.U32),
    "pack4x8snorm": _pack_norm(8, signed=True),
    "pack4x8unorm": _pack_norm(8, signed=False),
    "pack2x16snorm": _pack_norm(16, signed=True),
    "pack2x16unorm": _pack_norm(16, signed=False),
    "unpack4x8snorm": _unpack_norm(8, signed=True),
    "unpack4x8unorm": _unpack_norm(8, signed=False),
    "unpack2x16snorm": _unpack_norm(16, signed=True),
    "unpack2x16unorm": _unpack_norm(16, signed=False),
    "pack2x16float": lambda _, values: _packed(
        [ops.converted(cell, vt.F32, _F16) for cell in _concrete(values[0], vt.F32).cells], 16
    ),
    "unpack2x16float": _unpack_floats,
    "insertBits": _insert_bits,
    "modf": _modf,
    "frexp": _frexp,
    "ldexp": _ldexp,
    "faceForward": _face_forward,
    "refract": _refract,
    "determinant": _determinant,
}
"""By name."""


_UNFIT = (AssertionError, IndexError, KeyError, TypeError, ValueError)
"""What operands of wrong types or numbers lead to: nobody has checked the types of a text."""


def unless_ill_typed(work: Callable[[], Result], what: str, place: Expression) -> Result:
    """What `work` computes of some operands. Raises CannotRun if their types do not fit."""
    try:
        return work()
    except _UNFIT as error:
        raise t.CannotRun(f"{what} on values of these types", place) from error


def numeric(out: ExecutableOutput, name: str, values: list[Value]) -> Value:
    """The result of a built-in function that only computes."""
    row = _ROWS.get(name)
    if row is not None:
        return row(out, values)
    if name in _REAL:
        values = [_real(v) for v in values]
    if name in _EACH:
        integer = name in _EACH_INTEGER
        return of_each(name, fitted(values[0], vt.concrete(values[0].type)) if integer else values[0])
    if name in _PAIRS:
        return pairwise(name, *values)
    raise t.CannotRun(f"the built-in function {name}")


def _real(value: Value) -> Value:
    """A constant integer as the argument of a function of the reals."""
    return fitted(value, vt.with_component(value.type, vt.FLOAT)) if t.scalar_of(value.type) == vt.INT else value


_EACH_REAL = REAL_UNARY.keys() - words("- abs sign fraction exponent")
_EACH_INTEGER = {name for name in UNARY if "." not in name} - words("abs sign")
_EACH = _EACH_REAL | _EACH_INTEGER | words("abs sign")
"""Functions of one scalar, on each component."""
_REAL = _EACH_REAL | words("atan2 pow step")
"""Functions of floats alone, but for those that have a row."""
_PAIRS = words("min max pow atan2 step")


def pairwise(op: str, left: Value, right: Value) -> Value:
    """A function of two scalars, on each pair of components."""
    left, right = same_shapes(same_scalars([left, right]))
    scalar = t.scalar_of(left.type)
    cells = [ops.operate(op, scalar, a, b) for a, b in zip(left.cells, right.cells, strict=True)]
    return Value(left.type, tuple(cells))


# --------------------------------------------------------------------------------------------------------------- rows


def _joined(op: str, neutral: Expr) -> Row:
    """`all` and `any`."""

    def row(_: ExecutableOutput, values: list[Value]) -> Value:
        found = neutral
        for cell in values[0].cells:
            found = cell if found == neutral else ops.binary(op, found, cell)
        return Value(vt.BOOL, (found,))

    return row


def _bit_field(out: ExecutableOutput, values: list[Value]) -> tuple[Expr, Expr]:
    """An offset and a count of bits, within a word."""
    offset, count = (out.named_cell(fitted(v, vt.U32).scalar) for v in values)
    offset = out.named_cell(ops.binary("min", offset, ops.u32(32)))
    return offset, out.named_cell(ops.binary("min", count, ops.binary("-", ops.u32(32), offset)))


def _select(out: ExecutableOutput, values: list[Value]) -> Value:
    orelse, then = same_scalars(values[:2])
    condition = out.named(values[2])
    if not isinstance(condition.scalar, Literal):
        orelse, then = (fitted(v, vt.concrete(v.type)) for v in (orelse, then))
    conditions = condition.cells if isinstance(condition.type, vt.Vector) else condition.cells * len(then.cells)
    cells = [ops.chosen(c, a, b) for c, a, b in zip(conditions, then.cells, orelse.cells, strict=True)]
    return Value(then.type, tuple(cells))


def _clamp(_: ExecutableOutput, values: list[Value]) -> Value:
    value, least, most = same_shapes(same_scalars(values))
    return pairwise("min", pairwise("max", value, least), most)


def _dot(_: ExecutableOutput, values: list[Value]) -> Value:
    left, right = same_scalars(values)
    scalar = t.scalar_of(left.type)
    return Value(scalar, (dot(scalar, left.cells, right.cells),))


def _length(out: ExecutableOutput, values: list[Value]) -> Value:
    value = _real(values[0])
    scalar = t.scalar_of(value.type)
    if isinstance(value.type, vt.Scalar):
        return of_each("abs", value)
    value = out.named(value)
    return Value(scalar, (ops.apply("sqrt", scalar, dot(scalar, value.cells, value.cells)),))


def _on_reals(rule: Callable[..., Value]) -> Row:
    """A row of operands that are all floats of one type: their vectors, and scalars beside these, have one shape."""
    return lambda out, values: rule(out, *same_shapes(same_scalars([_real(v) for v in values])))


def _normalize(out: ExecutableOutput, values: list[Value]) -> Value:
    value = out.named(_real(values[0]))
    length = out.named(_length(out, [value]))
    return pairwise("/", value, length)


def _cross(out: ExecutableOutput, left: Value, right: Value) -> Value:
    left, right = out.named(left), out.named(right)
    scalar, a, b = t.scalar_of(left.type), left.cells, right.cells

    def minus(i: int, j: int) -> Expr:
        one, other = ops.operate("*", scalar, a[i], b[j]), ops.operate("*", scalar, a[j], b[i])
        return ops.operate("-", scalar, one, other)

    return Value(left.type, (minus(1, 2), minus(2, 0), minus(0, 1)))


def _mix(out: ExecutableOutput, a: Value, b: Value, weight: Value) -> Value:
    weight, scalar = out.named(weight), t.scalar_of(weight.type)
    one = Value(scalar, (ops.one(scalar),))
    return pairwise("+", pairwise("*", a, pairwise("-", one, weight)), pairwise("*", b, weight))


def _reflect(out: ExecutableOutput, a: Value, n: Value) -> Value:
    a, n = out.named(a), out.named(n)
    scalar = t.scalar_of(a.type)
    two = ops.operate("+", scalar, ops.one(scalar), ops.one(scalar))
    factor = Value(scalar, (ops.operate("*", scalar, two, dot(scalar, a.cells, n.cells)),))
    return pairwise("-", a, pairwise("*", out.named(factor), n))


def _smoothstep(out: ExecutableOutput, low: Value, high: Value, x: Value) -> Value:
    low = out.named(low)
    at = out.named(of_each("saturate", pairwise("/", pairwise("-", x, low), pairwise("-", high, low))))
    scalar = t.scalar_of(at.type)
    two = Value(scalar, (ops.operate("+", scalar, ops.one(scalar), ops.one(scalar)),))
    three = Value(scalar, (ops.operate("+", scalar, two.scalar, ops.one(scalar)),))
    return pairwise("*", pairwise("*", at, at), pairwise("-", three, pairwise("*", two, at)))


def _transpose(_: ExecutableOutput, values: list[Value]) -> Value:
    columns = columns_of(values[0])
    assert isinstance(values[0].type, vt.Matrix)
    type = values[0].type
    cells = tuple([column[i] for i in range(type.rows) for column in columns])
    return Value(vt.Matrix(type.rows, type.columns, type.element), cells)


def _extract_bits(out: ExecutableOutput, values: list[Value]) -> Value:
    """`extractBits(e, offset, count)`: a signed one keeps its sign."""
    value = fitted(values[0], vt.concrete(values[0].type))
    offset, count = _bit_field(out, values[1:])
    left = ops.binary("-", ops.u32(32), ops.binary("+", offset, count))
    right = ops.binary("-", ops.u32(32), count)
    nothing = ops.binary("==", count, ops.u32(0))
    zero = ops.zero(t.scalar_of(value.type))
    cells = [ops.binary(">>", ops.binary("<<", cell, left), right) for cell in value.cells]
    return Value(value.type, tuple([ops.chosen(nothing, zero, cell) for cell in cells]))


_ROWS: dict[str, Row] = {
    **_PACKING,
    "all": _joined("&&", TRUE),
    "any": _joined("||", FALSE),
    "select": _select,
    "clamp": _clamp,
    "dot": _dot,
    "length": _length,
    "distance": _on_reals(lambda out, a, b: _length(out, [pairwise("-", a, b)])),
    "normalize": _normalize,
    "cross": _on_reals(_cross),
    "fma": _on_reals(lambda _, a, b, c: pairwise("+", pairwise("*", a, b), c)),
    "mix": _on_reals(_mix),
    "reflect": _on_reals(_reflect),
    "smoothstep": _on_reals(_smoothstep),
    "transpose": _transpose,
    "extractBits": _extract_bits,
}


# ------------------------------------------------------------------------------------------------- what is not known


def unknown(out: ExecutableOutput, name: str, type: vt.Type) -> Value:
    """A value of a type that is not computed, and found where it matters."""
    return Value(type, tuple([out.unknown(name, scalar.core) for scalar in t.scalars(type)]))
