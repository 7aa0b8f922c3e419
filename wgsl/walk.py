"""How to walk a tree of WGSL, derived from the fields of its nodes: nobody else lists what a node contains."""

from collections.abc import Iterator
from dataclasses import fields

from wgsl_fuzz.wgsl.syntax import Node

_PLAIN = frozenset({"start", "end", "text", "name", "names", "operator", "severity", "rule"})
"""The fields that hold no nodes."""

_inner_fields: dict[type, tuple[str, ...]] = {}
"""By class, from its first node on."""


def inner_fields(cls: type[Node]) -> tuple[str, ...]:
    """The fields of a class that may hold nodes."""
    names = _inner_fields.get(cls)
    if names is None:
        names = _inner_fields[cls] = tuple(f.name for f in fields(cls) if f.name not in _PLAIN)
    return names


def children(parent: Node) -> Iterator[Node]:
    """The nodes directly below one, in the order of its fields."""
    for name in inner_fields(type(parent)):
        value = getattr(parent, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from value


def descendants(root: Node) -> Iterator[Node]:
    """A node and all nodes below it, parents first; without recursion, so of any depth."""
    stack = [root]
    while stack:
        current = stack.pop()
        yield current
        stack += reversed(list(children(current)))
