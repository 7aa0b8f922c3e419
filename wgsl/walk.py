"""How to walk a tree of WGSL, derived from the fields of its nodes, so no other module lists them."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import TypeVar, get_args

from wgsl_fuzz.wgsl import syntax

_T = TypeVar("_T")

_PLAIN = frozenset({"start", "end", "text", "name", "names", "operator", "severity", "rule"})
"""The fields that hold no nodes."""

_inner_fields: dict[type, tuple[str, ...]] = {}
"""By class, from its first node on."""


def inner_fields(cls: type[syntax.Node]) -> tuple[str, ...]:
    """The fields of a class that may hold nodes."""
    names = _inner_fields.get(cls)
    if names is None:
        names = _inner_fields[cls] = tuple(f.name for f in fields(cls) if f.name not in _PLAIN)
    return names


def children(parent: syntax.Node) -> Iterator[syntax.Node]:
    """The nodes directly below one, in the order of its fields."""
    for name in inner_fields(type(parent)):
        value = getattr(parent, name)
        if isinstance(value, syntax.Node):
            yield value
        elif isinstance(value, tuple):
            yield from value


def descendants(root: syntax.Node) -> Iterator[syntax.Node]:
    """A node and all nodes below it, parents first; without recursion, so of any depth."""
    stack = [root]
    while stack:
        current = stack.pop()
        yield current
        for name in reversed(inner_fields(current.__class__)):
            value = getattr(current, name)
            if value.__class__ is tuple:
                stack += value[::-1]
            elif isinstance(value, syntax.Node):
                stack.append(value)


_STATEMENTS: frozenset[object] = frozenset(get_args(syntax.Statement))


def statements_below(root: syntax.Node) -> list[syntax.Statement]:
    """The statements, blocks among them, below a node, in no particular order; without a look into any expression."""
    found: list[syntax.Statement] = []
    stack = [root]
    while stack:
        for node in children(stack.pop()):
            if type(node) in _STATEMENTS:
                found.append(node)  # type: ignore[arg-type]
            elif not isinstance(node, syntax.Clause):
                continue
            stack.append(node)
    return found


def free_jumps(*roots: syntax.Node) -> Iterator[syntax.Break | syntax.Continue]:
    """The jumps in some nodes that belong to a loop or a switch around them."""
    stack: list[tuple[syntax.Node, bool, bool]] = [(root, True, True) for root in roots]
    while stack:
        node, breaks, continues = stack.pop()
        if (isinstance(node, syntax.Break) and breaks) or (isinstance(node, syntax.Continue) and continues):
            yield node
        elif isinstance(node, (syntax.Loop, syntax.While, syntax.For)):
            stack += ((child, False, False) for child in children(node))
        else:
            inner = breaks and not isinstance(node, syntax.Switch)
            stack += ((child, inner, continues) for child in children(node))


# --------------------------------------------------------------------------------------------------------- deep trees

_FRAMES = 6000
"""More stack than the deepest tree that the parser makes can need."""


def with_more_stack(work: Callable[[], _T]) -> _T:
    """The result of a function that recurses; it is called again with more stack if the first was too little."""
    try:
        return work()
    except RecursionError:
        with more_stack():
            return work()


@contextmanager
def more_stack() -> Iterator[None]:
    """While this is open, there is more stack: for what cannot be called again, since it makes choices."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + _FRAMES)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
