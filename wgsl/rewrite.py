"""Trees of WGSL taken apart and put together again: places, rewriting, copies. Nothing is changed in place."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from wgsl_fuzz.wgsl.syntax import Block, Expression, For, If, Loop, Module, Node, Statement, Switch, While
from wgsl_fuzz.wgsl.walk import inner_fields, with_more_stack

_N = TypeVar("_N", bound=Node)

Nodes = Node | tuple[Node, ...]
"""What takes the place of a node: another; in a list, or in a field that may be empty, some or none."""
Change = Callable[[Node], Nodes | None]
"""What stands for a node: another one, none or several where many may stand; None: look at what is in it."""

_OPTIONAL = frozenset({"orelse", "initial", "update", "continuing"})
"""The fields that may hold no statement."""
_HEAD, _COMPOUND = ("initial", "update"), Block | If | Switch | Loop | While | For
"""What a `for` has beside its condition, and what cannot stand there."""


class Misfit(Exception):
    """An edit does not fit a tree: there is no such neighbour."""


@dataclass(slots=True, eq=False)
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
        n = place.node
        for name in reversed(inner_fields(n.__class__)):
            value = getattr(n, name)
            if value.__class__ is tuple:
                for i in range(len(value) - 1, -1, -1):
                    stack.append(Place(value[i], place, name, i))
            elif value is not None:
                stack.append(Place(value, place, name))


def with_fields(n: _N, **changed: Any) -> _N:
    """A copy of a node with other fields."""
    names: tuple[str, ...] = type(n).__match_args__  # all but the place in the text, which is given by name only
    values = [changed[name] if name in changed else getattr(n, name) for name in names]
    return type(n)(*values, start=n.start, end=n.end)


def fresh(n: _N) -> _N:
    """A copy of a node and of all that is in it: no node may stand in a module twice."""
    return with_more_stack(lambda: _fresh(n))


def _fresh(n: _N) -> _N:
    changed: dict[str, object] = {}
    for name in inner_fields(type(n)):
        if value := getattr(n, name):
            changed[name] = _fresh(value) if isinstance(value, Node) else tuple([_fresh(inner) for inner in value])
    return with_fields(n, **changed)


def rebuilt(root: _N, changes: Mapping[int, Nodes]) -> _N:
    """A tree with nodes replaced, by identity. No change is looked for inside of what takes a place.

    A replacement may contain the node that it replaces. A caller with nested changes applies one after the other.
    """
    return with_more_stack(lambda: rewritten_below(root, lambda n: changes.get(id(n))))


def rewritten(n: Node, change: Change) -> Node | tuple[Node, ...]:
    """A tree with what `change` makes of its nodes, parents first. Raises Misfit."""
    instead = change(n)
    return instead if instead is not None else rewritten_below(n, change)


def rewritten_below(n: _N, change: Change) -> _N:
    """A node with what `change` makes of those below it; itself if that is nothing."""
    changed: dict[str, object] = {}
    for name in inner_fields(type(n)):
        value = getattr(n, name)
        if not value:
            continue
        if value.__class__ is tuple:
            several = _several(value, change)
            if several is not None:
                changed[name] = several
        else:
            new = change(value)
            if new is None:
                new = rewritten_below(value, change)
            if new is not value:
                changed[name] = _single(name, new if isinstance(new, tuple) else (new,))
    return with_fields(n, **changed) if changed else n


def _several(nodes: tuple[Node, ...], change: Change) -> tuple[Node, ...] | None:
    """What stands for some nodes; None: they do themselves."""
    several: list[Node] = []
    is_same = True
    for n in nodes:
        new = change(n)
        if new is None:
            new = rewritten_below(n, change)
        is_same = is_same and new is n
        if isinstance(new, tuple):
            several += new
        else:
            several.append(new)
    return None if is_same else tuple(several)


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
    if len(new) == 1 and not (field in _HEAD and isinstance(new[0], _COMPOUND)):
        return new[0]
    if not new and field in _OPTIONAL:
        return None
    if field == "orelse" and all(isinstance(n, Statement) for n in new):
        return Block(new)  # type: ignore[arg-type]
    raise Misfit


def fresh_name(wish: str, taken: set[str]) -> str:
    """A name that is not taken, and is from now on."""
    name, k = wish, 0
    while name in taken:
        k += 1
        name = f"{wish}{k}"
    taken.add(name)
    return name
