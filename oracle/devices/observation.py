"""Shaders that tell what they did: a device's storage shows nothing of a variable that no shader writes there."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from wgsl_fuzz.tinywgsl.ast import (
    Binary,
    Block,
    Convert,
    Expr,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    SharedArray,
    SharedAssign,
    Space,
    Stmt,
    Type,
    Variable,
)


def observed(shader: Shader) -> tuple[Shader, dict[str, str]] | None:
    """The same shader, whose threads store the variables of `main` before they end; and what each element then holds.

    Each thread has elements of its own in a new storage array, so what converges without a race still does. None if
    `main` has no variables.
    """
    variables = shader.main.locals
    if not variables:
        return None
    used = {array.name for array in shader.arrays} | {v.name for f in shader.all_functions for v in f.locals + f.params}
    used |= {f.name for f in shader.all_functions}
    name = next(name for n in count() if (name := f"observed{n or ''}") not in used)
    array = SharedArray(name, Type.U32, shader.workgroup_size * len(variables), Space.STORAGE)
    main = replace(shader.main, body=(*_storing(shader.main.body, name, variables), *_stores(name, variables)))
    names = {
        f"{name}[{thread * len(variables) + i}]": f"`{variable.name}` of thread {thread}"
        for thread in range(shader.workgroup_size)
        for i, variable in enumerate(variables)
    }
    return replace(shader, arrays=(*shader.arrays, array), main=main), names


def _storing(body: Block, name: str, variables: tuple[Variable, ...]) -> Block:
    """The statements, with the stores before each `return`."""
    return tuple(new for s in body for new in _with_stores(s, name, variables))


def _with_stores(s: Stmt, name: str, variables: tuple[Variable, ...]) -> Iterator[Stmt]:
    match s:
        case If():
            yield replace(s, then=_storing(s.then, name, variables), orelse=_storing(s.orelse, name, variables))
        case Loop():
            yield replace(s, body=_storing(s.body, name, variables))  # a continuing does not return
        case Return():
            yield from _stores(name, variables)
            yield s
        case _:
            yield s


def _stores(name: str, variables: tuple[Variable, ...]) -> Iterator[Stmt]:
    """What stores the variables of a thread; they are unsigned there."""
    first = Binary("*", Lid(), Literal(len(variables), Type.U32))
    for i, variable in enumerate(variables):
        value: Expr = Local(variable.name, variable.type)
        if variable.type is not Type.U32:
            value = Convert(Type.U32, value)
        yield SharedAssign(name, Binary("+", first, Literal(i, Type.U32)), value)
