"""Trees of WGSL taken apart and put together again: places, rewriting, copies. Nothing is changed in place."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from wgsl_fuzz.wgsl.syntax import Block, Expression, Module, Node, Statement

_N = TypeVar("_N", bound=Node)

Change = Callable[[Node], "Node | tuple[Node, ...] | None"]
"""What stands for a node: another one, none or several where many may stand; None: look at what is in it."""

_OPTIONAL = frozenset({"orelse", "initial", "update", "continuing"})
"""The fields that may hold no statement."""


class Misfit(Exception):
    """An edit does not fit a tree: there is no such neighbour."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A node, and where it stands in a module."""

    node: Node
    above: "Place | None" = None
    field: str = ""
    index: int = -1
    """In the tuple that the field holds; -1: it holds the node."""

    @property
    def parent(self) -> Node | None:
        """The node in which it stands."""
        return None if self.above is None else self.above.node

    def outwards(self) -> Iterator["Place"]:
        """Itself, then the places around it, the module last."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.above

    def with_nodes(self, *new: Node) -> Module:
        """The module with other nodes for this one; raises Misfit if one has to stand there, and there is not one."""
        place: Place = self
        while place.above is not None:
            parent = place.above.node
            value = getattr(parent, place.field)
            if place.index >= 0:
                now: object = (*value[: place.index], *new, *value[place.index + 1 :])
            else:
                now = _single(place.field, new)
            new = (with_fields(parent, **{place.field: now}),)
            place = place.above
        (module,) = new
        assert isinstance(module, Module), "places begin in a module"
        return module


def places(module: Module) -> Iterator[Place]:
    """Every node of a module with its place, parents first, in the order of the text."""
    stack = [Place(module)]
    while stack:
        place = stack.pop()
        yield place
        stack += reversed(list(below(place)))


def below(place: Place) -> Iterator[Place]:
    """The places directly below one."""
    for name, value in parts(place.node):
        if isinstance(value, Node):
            yield Place(value, place, name)
        else:
            yield from (Place(inner, place, name, i) for i, inner in enumerate(value))


def parts(n: Node) -> Iterator[tuple[str, Node | tuple[Node, ...]]]:
    """The fields of a node that hold nodes."""
    for name in _names(type(n)):
        value = getattr(n, name)
        if isinstance(value, Node) or (isinstance(value, tuple) and value and isinstance(value[0], Node)):
            yield name, value


_known_names: dict[type, tuple[str, ...]] = {}


def _names(cls: type[Node]) -> tuple[str, ...]:
    """The fields of a class besides the places in the text."""
    names = _known_names.get(cls)
    if names is None:
        names = _known_names[cls] = tuple(f.name for f in fields(cls) if f.name not in ("start", "end"))
    return names


def with_fields(n: _N, **changed: Any) -> _N:
    """A copy of a node with other fields."""
    return replace(n, **changed)


def fresh(n: _N) -> _N:
    """A copy of a node and of all that is in it: no node may stand in a module twice."""
    changed: dict[str, object] = {}
    for name, value in parts(n):
        changed[name] = fresh(value) if isinstance(value, Node) else tuple(fresh(inner) for inner in value)
    return with_fields(n, **changed)


def rewritten(n: Node, change: Change) -> Node | tuple[Node, ...]:
    """A tree with what `change` makes of its nodes, parents first. Raises Misfit."""
    instead = change(n)
    return instead if instead is not None else rewritten_below(n, change)


def rewritten_below(n: _N, change: Change) -> _N:
    """A node with what `change` makes of those below it; itself if that is nothing."""
    changed: dict[str, object] = {}
    for name, value in parts(n):
        if isinstance(value, Node):
            new = rewritten(value, change)
            if new is not value:
                changed[name] = _single(name, new if isinstance(new, tuple) else (new,))
        else:
            several: list[Node] = []
            for inner in value:
                new = rewritten(inner, change)
                several += new if isinstance(new, tuple) else (new,)
            if len(several) != len(value) or any(a is not b for a, b in zip(several, value, strict=True)):
                changed[name] = tuple(several)
    return with_fields(n, **changed) if changed else n


def expression(e: Expression, change: Change) -> Expression:
    """An expression rewritten."""
    new = rewritten(e, change)
    if not isinstance(new, Expression):
        raise Misfit
    return new


def statements(block: Block, change: Change) -> tuple[Statement, ...]:
    """The statements of a block rewritten."""
    return rewritten_below(block, change).statements


def _single(field: str, new: tuple[Node, ...]) -> Node | None:
    """What a field holds that has room for one node."""
    if len(new) == 1:
        return new[0]
    if not new and field in _OPTIONAL:
        return None
    if field == "orelse" and all(isinstance(n, Statement) for n in new):
        return Block(new)  # type: ignore[arg-type]
    raise Misfit
