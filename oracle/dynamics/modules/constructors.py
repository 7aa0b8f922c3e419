"""Literals, constructors and conversions, and operators on vectors and matrices, component by component."""

import re
from functools import lru_cache

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.operations import FALSE, TRUE, u32
from wgsl_fuzz.oracle.dynamics.modules.output import Output
from wgsl_fuzz.oracle.dynamics.modules.places import Value
from wgsl_fuzz.oracle.dynamics.modules.variables import fitted, zeros
from wgsl_fuzz.tinywgsl.ast import COMPARISONS, SHIFTS, Expr, Literal, Type
from wgsl_fuzz.tinywgsl.functions import bits_of
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.syntax import Call, Identifier


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


def combined(out: Output, op: str, left: Value, right: Value) -> Value:
    """`left op right`."""
    if op in SHIFTS:
        return _shifted(op, left, right)
    left, right = same_scalars([left, right])
    if isinstance(left.type, vt.Matrix) or isinstance(right.type, vt.Matrix):
        return _of_matrices(out, op, left, right)
    left, right = same_shapes([left, right])
    scalar = t.scalar_of(left.type)
    cells = [ops.operate(op, scalar, a, b) for a, b in zip(left.cells, right.cells, strict=True)]
    return Value(vt.with_component(left.type, vt.BOOL) if op in COMPARISONS else left.type, tuple(cells))


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


def _of_matrices(out: Output, op: str, left: Value, right: Value) -> Value:
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


_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)([iu]?)")


@lru_cache(maxsize=4096)
def literal(text: str) -> Value:
    """The value of a literal as it is written."""
    if text in ("true", "false"):
        return Value(vt.BOOL, (TRUE if text == "true" else FALSE,))
    found = _INTEGER.fullmatch(text)
    if found is not None:
        number = int(found[1], 0) if found[1][:2] in ("0x", "0X") else int(found[1])
        type = {"u": vt.U32, "i": vt.I32, "": vt.INT}[found[2]]
        return Value(type, (Literal(number, type.core),))
    suffix = text[-1] if text[-1] in "fh" and not _is_hex_digit(text) else ""
    real = _real(text[: len(text) - len(suffix)])
    if not suffix:
        return Value(vt.FLOAT, (Literal(real, Type.I32),))  # type: ignore[arg-type]
    scalar = vt.F32 if suffix == "f" else vt.Scalar("f16")
    return Value(scalar, (u32(bits_of(real, scalar.name)),))


def _is_hex_digit(text: str) -> bool:
    """Whether the last letter belongs to a hexadecimal number: `0x1.f`, but not `0x1p3f`."""
    return text[:2].lower() == "0x" and "p" not in text.lower()


def _real(text: str) -> float:
    if text[:2].lower() == "0x":
        return float.fromhex(text)
    return float(text)


def constructed(types: t.TypeReader, e: Call, values: list[Value], *, predeclared: bool) -> Value:
    """What a constructor makes of its arguments; `predeclared`: its name is not declared in the module."""
    name = e.callee
    if predeclared and not name.template:
        inferred = _inferred(name.name, values)
        if inferred is not None:
            return made(inferred, values)
    return made(types.named(name), values)


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


def bitcast(types: t.TypeReader, name: Identifier, value: Value) -> Value:
    """`bitcast<T>(e)` between types of 32 bits."""
    argument = name.template[0]
    assert isinstance(argument, Identifier), "a type is an identifier"
    target = types.named(argument)
    value = fitted(value, vt.concrete(value.type))
    names = {s.name for s in (*t.scalars(value.type), *t.scalars(target))}
    if "f16" in names or len(value.cells) != t.size(target) or t.scalar_of(target) == vt.BOOL:
        raise t.CannotRun("bitcast of f16")
    core = t.scalar_of(target).core
    return Value(target, tuple([ops.convert(core, cell) for cell in value.cells]))
