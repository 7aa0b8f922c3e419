"""Constructors and conversions: `vec3(1, xy)`, `array(a, b)`, `S(a, b)`, `u32(x)`, `bitcast<T>(e)`."""

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules.arithmetic import same_scalars
from wgsl_fuzz.oracle.dynamics.modules.places import Value
from wgsl_fuzz.oracle.dynamics.modules.problems import CannotRun
from wgsl_fuzz.oracle.dynamics.modules.types import (
    BOOL,
    INT,
    Array,
    Matrix,
    Scalar,
    Structure,
    TypeReader,
    ValueType,
    Vector,
    concrete,
    scalar_of,
    scalars,
    shape,
    shaped,
    size,
)
from wgsl_fuzz.oracle.dynamics.modules.variables import fitted, zeros
from wgsl_fuzz.tinywgsl.ast import Expr
from wgsl_fuzz.wgsl.syntax import Call, Identifier


def constructed(types: TypeReader, e: Call, values: list[Value], *, predeclared: bool) -> Value:
    """What a constructor makes of its arguments; `predeclared`: its name is not declared in the module."""
    name = e.callee
    if predeclared and not name.template:
        inferred = _inferred(name.name, values)
        if inferred is not None:
            return made(inferred, values)
    return made(types.named(name), values)


def _inferred(name: str, values: list[Value]) -> ValueType | None:
    """The type of `vec3(...)`, `mat2x2(...)` and `array(...)`; None for a name that says it all."""
    if name == "array":
        values = _alike(values)
        return Array(values[0].type, len(values))
    found = shape(name)
    if found is None or found[3] is not None:
        return None
    if not values:
        return shaped(found, INT)
    scalar = scalar_of(same_scalars([Value(s, (ops.zero(s),)) for v in values for s in [scalar_of(v.type)]])[0].type)
    return shaped(found, scalar)


def _alike(values: list[Value]) -> list[Value]:
    """Elements of one type: what is concrete in one of them is in all."""
    best = next((v.type for v in values if not any(s.abstract for s in scalars(v.type))), None)
    if best is None and all(isinstance(v.type, Scalar | Vector | Matrix) for v in values):
        return same_scalars(values)
    return [fitted(v, best) for v in values] if best is not None else values


def made(type: ValueType, values: list[Value]) -> Value:
    """A value of a type, made of arguments."""
    if not values:
        return zeros(type)
    match type:
        case Scalar():
            return Value(type, (ops.converted(values[0].scalar, scalar_of(values[0].type), type),))
        case Vector() | Matrix():
            return _of_components(type, values)
        case Array():
            if len(values) != type.count:
                raise CannotRun("an array of another number of elements")
            return Value(type, tuple([cell for v in values for cell in fitted(v, type.element).cells]))
        case Structure():
            parts = [fitted(v, inner) for v, (_, inner) in zip(values, type.members, strict=True)]
            return Value(type, tuple([cell for part in parts for cell in part.cells]))
        case _:
            raise CannotRun("a constructor of what has none")


def _of_components(type: Vector | Matrix, values: list[Value]) -> Value:
    scalar = type.scalar
    if len(values) == 1 and isinstance(values[0].type, Scalar) and isinstance(type, Vector):
        return Value(type, fitted(values[0], scalar).cells * type.size)
    cells: list[Expr] = []
    for value in values:
        own = scalar_of(value.type)
        cells += [ops.converted(cell, own, scalar) for cell in value.cells]
    if len(cells) != size(type):
        raise CannotRun("a constructor with another number of components")
    return Value(type, tuple(cells))


def bitcast(types: TypeReader, name: Identifier, value: Value) -> Value:
    """`bitcast<T>(e)` between types of 32 bits."""
    argument = name.template[0]
    assert isinstance(argument, Identifier), "a type is an identifier"
    target = types.named(argument)
    value = fitted(value, concrete(value.type))
    names = {s.name for s in (*scalars(value.type), *scalars(target))}
    if "f16" in names or len(value.cells) != size(target) or scalar_of(target) == BOOL:
        raise CannotRun("bitcast of f16")
    core = scalar_of(target).core
    return Value(target, tuple([ops.convert(core, cell) for cell in value.cells]))
