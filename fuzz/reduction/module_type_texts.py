"""Texts of types, taken apart and put together."""

import re
from functools import cache

from wgsl_fuzz.fuzz.reduction.module_tree import fresh
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.syntax import Alias, Identifier

ABSTRACT = frozenset({"int", "float"})

_LONG = re.compile(r"(vec[234]|mat[234]x[234])<(u32|i32|f32|f16)>")
_VECTOR = re.compile(r"vec([234])<(\w+)>")
_MATRIX = re.compile(r"mat[234]x([234])<(\w+)>")
_COMPARED_AS = {"int": "i32", "float": "f32"}


def vector(text: str) -> tuple[int, str] | None:
    """The width and the components' type of a vector type."""
    found = _VECTOR.fullmatch(text)
    return None if found is None else (int(found[1]), found[2])


def vector_of(width: int, component: str) -> str:
    """A vector type."""
    return f"vec{width}<{component}>"


def head_of(text: str) -> str:
    """The name before a template list."""
    return text.partition("<")[0]


def arguments_of(text: str) -> list[str]:
    """The template arguments, as texts."""
    inner = text.partition("<")[2].removesuffix(">")
    found, depth = [""], 0
    for c in inner:
        depth += (c in "<(") - (c in ">)")
        if c == "," and not depth:
            found.append("")
        else:
            found[-1] += c
    return [argument.strip() for argument in found]


def element_of(text: str) -> str | None:
    """The type of `e[i]` where `e` has this type."""
    known = vector(text)
    if known is not None:
        return known[1]
    matrix = _MATRIX.fullmatch(text)
    if matrix is not None:
        return vector_of(int(matrix[1]), matrix[2])
    return arguments_of(text)[0] if head_of(text) == "array" else None


def concrete(text: str) -> str:
    """What a variable has whose value has this type."""
    return _COMPARED_AS.get(text, text)


def joined(left: str | None, right: str | None, operator: str) -> str | None:
    """The type of an arithmetic operation: of two equal types, an abstract one and another, a vector and a scalar."""
    if left == right or left is None or right is None:
        is_product = operator == "*" and left is not None and left.startswith("mat")
        return left if left == right and not is_product else None
    for one, other in ((left, right), (right, left)):
        if one in ABSTRACT:
            return _with_abstract(one, other)
        known = vector(one)
        if known is not None and known[1] == other:
            return one
    return None


def _with_abstract(one: str, other: str) -> str | None:
    if other in ABSTRACT:
        return "float"
    known = vector(other)
    component = known[1] if known is not None else other
    return other if component in ("f32", "f16") or (one == "int" and component in ("u32", "i32")) else None


def type_node(text: str) -> Identifier:
    """A type as a tree of its own."""
    return fresh(_parsed(text))


@cache
def _parsed(text: str) -> Identifier:
    short = _LONG.sub(lambda found: f"{found[1]}{found[2][0] if found[2] != 'f16' else 'h'}", text)
    (alias,) = parse(f"alias T = {short};").declarations
    assert isinstance(alias, Alias), "the text is one"
    return alias.type
