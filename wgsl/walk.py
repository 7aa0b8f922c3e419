"""How to walk a tree of WGSL, derived from the fields of its nodes, so no other module lists them."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import TypeVar, get_args, get_type_hints

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


def statements_below(root: syntax.Node) -> list[syntax.Statement]:
    """The statements, blocks among them, below a node, in no particular order; without a look at any expression."""
    found: list[syntax.Statement] = []
    stack = [root]
    while stack:
        current = stack.pop()
        cls = type(current)
        names = _statement_fields.get(cls)
        if names is None:
            names = _statement_fields[cls] = _towards_statements(cls)
        for name in names:
            value = getattr(current, name)
            below: tuple[syntax.Node, ...] = value if isinstance(value, tuple) else () if value is None else (value,)
            stack += below
            found += [node for node in below if type(node) in _STATEMENTS]  # type: ignore[misc]
    return found


_STATEMENTS: frozenset[object] = frozenset(get_args(syntax.Statement))


_statement_fields: dict[type, tuple[str, ...]] = {}


def _towards_statements(cls: type[syntax.Node]) -> tuple[str, ...]:
    """The fields of a class that may hold statements, or a clause that does."""
    hints, wanted = get_type_hints(cls, vars(syntax)), _STATEMENTS | {syntax.Clause, syntax.Function}
    return tuple(f.name for f in fields(cls) if wanted & _classes_in(hints[f.name]))


def _classes_in(hint: object) -> set[object]:
    return {hint}.union(*map(_classes_in, get_args(hint)))


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
