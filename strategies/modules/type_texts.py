"""Types from texts, for tables: `vec3f`, `ptr<workgroup, atomic<u32>>`, `texture_2d<f32>`."""

import re
from collections.abc import Iterator
from functools import lru_cache

from wgsl_fuzz.strategies.modules.types import (
    F32,
    I32,
    SCALARS,
    U32,
    Array,
    Atomic,
    Handle,
    Matrix,
    Pointer,
    Type,
    Vector,
    default_access,
)
from wgsl_fuzz.wgsl.resolution import Access, Space

_TOKEN = re.compile(r"[<>,]|\w+")
_SCALARS = {scalar.name: scalar for scalar in SCALARS}
_SHORT = {"u": U32, "i": I32, "f": F32}
_MATRIX = re.compile(r"mat([234])x([234])f?")
_VECTOR = re.compile(r"vec([234])([iuf])?")

_Parts = tuple[str, "tuple[_Parts, ...]"]
"""A name and its template."""


@lru_cache(maxsize=2048)
def type_of(text: str) -> Type:
    """The type that a text names; it names no structure."""
    ((name, template),) = _parts(iter((*_TOKEN.findall(text), ">")))
    return _type(name, template)


def _parts(tokens: Iterator[str]) -> tuple[_Parts, ...]:
    """What stands before the `>` that ends a template."""
    found: list[_Parts] = []
    for token in tokens:
        if token == ">":
            break
        if token == "<":
            name, _ = found.pop()
            found.append((name, _parts(tokens)))
        elif token != ",":
            found.append((token, ()))
    return tuple(found)


def _type(name: str, template: tuple[_Parts, ...]) -> Type:
    if vector := _VECTOR.fullmatch(name):
        size, letter = vector.groups()
        return Vector(int(size), _SHORT[letter] if letter else _SCALARS[template[0][0]])
    if matrix := _MATRIX.fullmatch(name):
        return Matrix(int(matrix[1]), int(matrix[2]))
    if name == "array":
        return Array(_type(*template[0]), int(template[1][0].removesuffix("u")) if len(template) > 1 else None)
    if name == "atomic":
        return Atomic(_SCALARS[template[0][0]])
    if name == "ptr":
        space = Space(template[0][0])
        access = Access(template[2][0]) if len(template) > 2 else default_access(space)
        return Pointer(space, _type(*template[1]), access)
    if name.startswith(("texture_", "sampler")):
        return Handle(name, tuple(word for word, _ in template))
    return _SCALARS[name]
