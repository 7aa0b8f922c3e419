"""Edits on expressions: simpler ones of the same type."""

from collections.abc import Iterator, Mapping

from wgsl_fuzz.tinywgsl.ast import (
    Binary,
    Convert,
    Expr,
    Function,
    Lid,
    Literal,
    Local,
    Shader,
    SharedRead,
    Type,
    operands_of,
    type_of,
    walk_expr,
)
from wgsl_fuzz.tinywgsl.rewrite import one, with_operand, zero

NonUniform = Mapping[Type, Expr]
"""The simplest expression of each type that threads may see differently, as far as a function can have one."""


def weight(e: Expr) -> int:
    """What an expression counts in `size`, all its parts included."""
    return sum(_weight(inner) for inner in walk_expr(e))


def _weight(e: Expr) -> int:
    match e:
        case Literal():
            return 2 + min(abs(e.value), 8)
        case Local():
            return 12
        case Lid():
            return 11
        case SharedRead():
            return 20
        case _:
            return 16


_OF_MAIN: NonUniform = {
    Type.U32: Lid(),
    Type.I32: Convert(Type.I32, Lid()),
    Type.BOOL: Binary("==", Lid(), Literal(0, Type.U32)),
}


def non_uniform(shader: Shader, f: Function) -> NonUniform:
    """`lid` in `main`; elsewhere what is read from the shader's first arrays."""
    if f is shader.main:
        return _OF_MAIN
    reads: dict[Type, Expr] = {}
    for a in shader.arrays:
        reads.setdefault(a.type, SharedRead(a.name, Literal(0, Type.U32), a.type))
    other = next((e for type, e in reads.items() if type is not Type.BOOL), None)
    if other is not None and Type.BOOL not in reads:
        reads[Type.BOOL] = Binary("==", other, Literal(0, type_of(other)))
    return reads


def simpler(e: Expr, known: NonUniform) -> Iterator[Expr]:
    """Simpler expressions of the same type: a literal, what is non-uniform, a part, and then the same inside."""
    type = type_of(e)
    least = zero(type)
    if e != least:
        yield least
    if not isinstance(e, Literal):
        yield one(type)
        source = known.get(type)
        if source is not None and weight(source) < weight(e):
            yield source
    for part in operands_of(e):
        if type_of(part) is type:
            yield part
    for i, part in enumerate(operands_of(e)):
        for new in simpler(part, known):
            yield with_operand(e, i, new)
