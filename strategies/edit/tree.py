"""Rewriting trees of WGSL: what is left alone is shared with the tree that was there, what is copied is fresh."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from wgsl_fuzz.wgsl.deep import deep
from wgsl_fuzz.wgsl.syntax import Attribute, Attributes, Block, Identifier, Member, Module, Node, Statement
from wgsl_fuzz.wgsl.walk import descendants, inner_fields

_N = TypeVar("_N", bound=Node)

Change = Node | tuple[Node, ...] | None
"""What takes the place of a node: another; in a list some or none; None in a field that may be empty."""


def rebuilt(root: _N, changes: Mapping[int, Change]) -> _N:
    """The tree with nodes replaced, by identity. No change is looked for inside of what takes a place.

    A replacement may contain the node that it replaces. A caller with nested changes applies one after the other.
    """
    return deep(lambda: cast(_N, _rebuilt(root, changes)))


def _rebuilt(node: Node, changes: Mapping[int, Change]) -> Node:
    values: dict[str, Any] = {}
    for name in inner_fields(node.__class__):
        old = getattr(node, name)
        if old.__class__ is tuple:
            items = _items(old, changes)
            if items is not None:
                values[name] = items
        elif old is not None:
            new = changes[id(old)] if id(old) in changes else _rebuilt(old, changes)
            if new is not old:
                values[name] = new
    return replace(node, **values) if values else node


def _items(old: tuple[Node, ...], changes: Mapping[int, Change]) -> tuple[Node, ...] | None:
    """What stands for some nodes; None: they do themselves."""
    items: list[Node] = []
    is_same = True
    for item in old:
        new = changes[id(item)] if id(item) in changes else _rebuilt(item, changes)
        is_same = is_same and new is item
        if isinstance(new, tuple):
            items += new
        elif new is not None:
            items.append(new)
    return None if is_same else tuple(items)


def copied(node: _N) -> _N:
    """The same tree of fresh nodes."""
    return deep(lambda: cast(_N, _copied(node)))


def _copied(node: Node) -> Node:
    values: dict[str, Any] = {}
    for name in inner_fields(node.__class__):
        old = getattr(node, name)
        if isinstance(old, Node):
            values[name] = _copied(old)
        elif isinstance(old, tuple) and old and isinstance(old[0], Node):
            values[name] = tuple([_copied(item) for item in old])
    return replace(node, **values)


def with_statements(block: Block, index: int, count: int, *new: Statement) -> Block:
    """A block with other statements instead of some from an index on."""
    ss = block.statements
    return replace(block, statements=(*ss[:index], *new, *ss[index + count :]))


def all_names(module: Module) -> set[str]:
    """Every word that a module uses as a name, members of structures included."""
    found: set[str] = set()
    for node in descendants(module):
        name = getattr(node, "name", None)
        if isinstance(name, str):
            found.add(name)
    return found


def fresh_name(wish: str, taken: set[str]) -> str:
    """A name that is not taken, and is from now on."""
    name, k = wish, 0
    while name in taken:
        k += 1
        name = f"{wish}{k}"
    taken.add(name)
    return name


def diagnostic(severity: str, rule: str) -> Attribute:
    """`@diagnostic(severity, rule)`; a rule may be `a.b`."""
    first, dot, second = rule.partition(".")
    named: Identifier | Member = Member(Identifier(first), second) if dot else Identifier(first)
    return Attribute("diagnostic", (Identifier(severity), named))


def has_filter(attributes: Attributes) -> bool:
    """Whether a diagnostic filter is among some attributes."""
    return any(a.name == "diagnostic" for a in attributes)


def filters_inside(node: Node) -> bool:
    """Whether a diagnostic filter is anywhere in a tree."""
    return any(isinstance(inner, Attribute) and inner.name == "diagnostic" for inner in descendants(node))


def contains(node: Node, wanted: Node) -> bool:
    """Whether a node is the other, or above it."""
    return any(inner is wanted for inner in descendants(node))
