"""Edits on expressions: simpler ones of the same type, and the replacing of parts."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tinywgsl.ast import (
    Assign,
    Binary,
    Call,
    Convert,
    Expr,
    Function,
    If,
    Lid,
    Literal,
    Local,
    Return,
    Shader,
    SharedAssign,
    SharedRead,
    Stmt,
    Type,
    operands_of,
    type_of,
    walk_expr,
)

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
    least: int = False if type is Type.BOOL else 0
    if not (isinstance(e, Literal) and e.value == least):
        yield Literal(least, type)
    if not isinstance(e, Literal):
        yield Literal(True if type is Type.BOOL else 1, type)
        source = known.get(type)
        if source is not None and weight(source) < weight(e):
            yield source
    for part in operands_of(e):
        if type_of(part) is type:
            yield part
    for i, part in enumerate(operands_of(e)):
        for new in simpler(part, known):
            yield with_operand(e, i, new)


def with_operand(e: Expr, i: int, new: Expr) -> Expr:
    """`e` with its i-th operand replaced."""
    if isinstance(e, SharedRead):
        return replace(e, index=new)
    name = ("left", "right")[i] if isinstance(e, Binary) else "operand"
    return replace(e, **{name: new})  # type: ignore[arg-type]


def with_expression(s: Stmt, i: int, new: Expr) -> Stmt:
    """`s` with its i-th expression replaced."""
    match s:
        case Assign() | Return():
            return replace(s, value=new)
        case SharedAssign():
            return replace(s, index=new) if i == 0 else replace(s, value=new)
        case If():
            return replace(s, condition=new)
        case Call():
            return replace(s, arguments=(*s.arguments[:i], new, *s.arguments[i + 1 :]))
        case _:
            raise ValueError(f"{type(s).__name__} has no expression")


def with_local(e: Expr, name: str, value: Expr) -> Expr:
    """`e` with `value` wherever the local was read."""
    if isinstance(e, Local):
        return value if e.name == name else e
    for i, part in enumerate(operands_of(e)):
        new = with_local(part, name, value)
        if new is not part:
            e = with_operand(e, i, new)
    return e
