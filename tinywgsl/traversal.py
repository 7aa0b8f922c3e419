"""How to walk and rebuild nodes, derived from the types of their fields: nobody else lists what a node contains.

`ast` declares the nodes and gives typed names to what is derived here; `rewrite` builds on both. A field's type says
what it holds: blocks, expressions, a name in some role, an ID, or plain data. What a class needs is worked out when its
first node comes, so that a step of a walk costs one look-up.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from enum import Enum
from itertools import islice
from operator import attrgetter
from typing import (
    Annotated,
    Any,
    Generic,
    NamedTuple,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True)
def node(cls: type[_T]) -> type[_T]:
    """Class decorator: a slotted dataclass with value equality and hash; mypy treats its fields as frozen."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


class Holds(Enum):
    """What a field holds; from `READ` on, a name, and in which role."""

    BLOCK = "a block"
    EXPRESSION = "an expression"
    OPTIONAL = "an expression or None"
    EXPRESSIONS = "a tuple of expressions"
    ID = "the ID of a statement"
    VALUE = "the value of a literal"
    OPERATOR = "an operator"
    TYPE = "a type"
    READ = "a local that is read"
    ASSIGNED = "a local that is assigned"
    ARRAY_READ = "a shared array that is read"
    ARRAY_WRITTEN = "a shared array that is written"
    CALLED = "a function that is called"


Id = Annotated[int, Holds.ID]
Value = Annotated[int, Holds.VALUE]
Operator = Annotated[str, Holds.OPERATOR]
ReadLocal = Annotated[str, Holds.READ]
AssignedLocal = Annotated[str, Holds.ASSIGNED]
ReadArray = Annotated[str, Holds.ARRAY_READ]
WrittenArray = Annotated[str, Holds.ARRAY_WRITTEN]
CalledFunction = Annotated[str, Holds.CALLED]

EXPRESSIONS = (Holds.EXPRESSION, Holds.OPTIONAL, Holds.EXPRESSIONS)
NAMES = (Holds.READ, Holds.ASSIGNED, Holds.ARRAY_READ, Holds.ARRAY_WRITTEN, Holds.CALLED)

Getter = Callable[[Any], tuple[Any, ...]]
"""From a node to some of what it holds, in the order of its fields."""
Setter = Callable[[Any, Iterable[Any]], Any]
"""From a node, and as many other parts as the getter gives, to the node with those instead."""


class ByClass(dict[type, _T], Generic[_T]):
    """What `derive` makes of a class, kept from the first node of it on."""

    def __init__(self, derive: Callable[[type], _T]) -> None:
        super().__init__()
        self._derive = derive

    def __missing__(self, cls: type) -> _T:
        made = self[cls] = self._derive(cls)
        return made


class Parts(NamedTuple):
    """What fields of some kinds hold, for nodes of any class."""

    get: ByClass[Getter | None]
    """None for a class without such a field: most walks have nothing to do there."""
    put: ByClass[Setter]


class Traversal:
    """The parts of the nodes of one syntax."""

    def __init__(self, block: Any, expression: Any, type: Any) -> None:
        """The types of the fields that hold a block, an expression or a type; others are `Annotated`."""
        self._known = {
            block: Holds.BLOCK,
            expression: Holds.EXPRESSION,
            expression | None: Holds.OPTIONAL,
            tuple[expression, ...]: Holds.EXPRESSIONS,
            type: Holds.TYPE,
        }
        self.fields = ByClass(self._fields)
        """By class: what each field holds."""

    def parts(self, *kinds: Holds) -> Parts:
        """The getters and setters of what fields of these kinds hold; to be kept, not asked for at each node."""
        return Parts(
            ByClass(lambda cls: _getter(self.fields[cls], kinds)),
            ByClass(lambda cls: _setter(cls, self.fields[cls], kinds)),
        )

    def _fields(self, cls: type) -> dict[str, Holds]:
        """Raises TypeError for a field of which nothing is known: it would be left out of every walk."""
        hints = get_type_hints(cls, include_extras=True)
        return {field.name: self._held(cls, field.name, hints[field.name]) for field in fields(cls)}

    def _held(self, cls: type, name: str, hint: Any) -> Holds:
        if get_origin(hint) is Annotated:
            return next(mark for mark in get_args(hint) if isinstance(mark, Holds))
        known = self._known.get(hint)
        if known is None:
            raise TypeError(f"{cls.__name__}.{name}: nothing is known of fields that hold {hint}")
        return known


def gather_lists(nodes: Iterable[_T], lists: Parts, found: list[_T]) -> None:
    """Appends these nodes to `found`, each with all in its `lists`, however deep, right behind it.

    Nested generators, here and below, would take twice the time.
    """
    getters = lists.get
    for node in nodes:
        found.append(node)
        get = getters[node.__class__]
        if get is not None:
            for inner in get(node):
                if inner:
                    gather_lists(inner, lists, found)


def gather_nodes(node: _T, inside: Parts, found: list[_T]) -> None:
    """Appends a node to `found`, and all that is inside it."""
    found.append(node)
    get = inside.get[node.__class__]
    if get is not None:
        for inner in get(node):
            gather_nodes(inner, inside, found)


def gather_parts(node: Any, wanted: Parts, inside: Parts, found: list[Any]) -> None:
    """Appends the wanted parts of a node to `found`, and those of all that is inside it."""
    get = wanted.get[node.__class__]
    if get is not None:
        found += get(node)
    get = inside.get[node.__class__]
    if get is not None:
        for inner in get(node):
            gather_parts(inner, wanted, inside, found)


def _getter(held: dict[str, Holds], kinds: tuple[Holds, ...]) -> Getter | None:
    wanted = {name: holds for name, holds in held.items() if holds in kinds}
    if not wanted:
        return None
    get: Getter = attrgetter(*wanted)
    if {Holds.OPTIONAL, Holds.EXPRESSIONS}.isdisjoint(wanted.values()):
        return get if len(wanted) > 1 else lambda node: (get(node),)
    if list(wanted.values()) == [Holds.EXPRESSIONS]:
        return get
    parts = [(attrgetter(name), holds) for name, holds in wanted.items()]
    return lambda node: tuple([part for get, holds in parts for part in _parts(get(node), holds)])


def _parts(value: Any, holds: Holds) -> tuple[Any, ...]:
    if holds is Holds.EXPRESSIONS:
        return value  # type: ignore[no-any-return]
    return () if holds is Holds.OPTIONAL and value is None else (value,)


def _setter(cls: Any, held: dict[str, Holds], kinds: tuple[Holds, ...]) -> Setter:
    names = list(held)
    changed = [i for i, holds in enumerate(held.values()) if holds in kinds]
    if not changed:
        return lambda node, _: node
    every = attrgetter(*names)
    values: Getter = every if len(names) > 1 else lambda node: (every(node),)
    start, end = changed[0], changed[-1] + 1
    inside = list(held.values())[start:end]
    if len(changed) == end - start and {Holds.OPTIONAL, Holds.EXPRESSIONS}.isdisjoint(inside):
        return _between(cls, names[:start], names[end:])

    def rebuilt(node: Any, new: Iterable[Any]) -> Any:
        left = iter(new)
        pairs = zip(values(node), held.values(), strict=True)
        return cls(*[_taken(value, holds, left) if holds in kinds else value for value, holds in pairs])

    return rebuilt


def _between(cls: Any, before: list[str], behind: list[str]) -> Setter:
    """The setter of neighbouring fields that hold one part each."""
    if not before and not behind:
        return lambda _, new: cls(*new)
    get = attrgetter(*before, *behind)
    if len(before) + len(behind) == 1:
        return (lambda node, new: cls(get(node), *new)) if before else (lambda node, new: cls(*new, get(node)))
    i = len(before)

    def rebuilt(node: Any, new: Iterable[Any]) -> Any:
        values = get(node)
        return cls(*values[:i], *new, *values[i:])

    return rebuilt


def _taken(old: Any, holds: Holds, left: Iterator[Any]) -> Any:
    """What stands instead of the value of a field, taken from the parts that are left."""
    if holds is Holds.EXPRESSIONS:
        return tuple(islice(left, len(old)))
    return None if holds is Holds.OPTIONAL and old is None else next(left)
