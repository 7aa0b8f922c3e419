"""What edits ask about a shader: types, uses of names, and where values, references and constants stand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cached_property
from typing import get_args

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.resolution import Access, Declared, Resolution
from wgsl_fuzz.wgsl.rewrite import Misfit, Place, places
from wgsl_fuzz.wgsl.types import (
    BOOL,
    F16,
    F32,
    FLOAT,
    I32,
    INT,
    U32,
    Array,
    Matrix,
    Scalar,
    Structure,
    Type,
    ValueTypes,
    Vector,
    written,
)
from wgsl_fuzz.wgsl.walk import descendants


class Mode(Enum):
    """What an expression is where it stands."""

    VALUE = auto()
    REFERENCE = auto()
    """A variable or a part of one: on the left of an assignment, behind `&`."""
    CONSTANT = auto()
    """A value that has to be known before the shader runs."""
    STATEMENT = auto()
    """A call that is a statement."""
    WORD = auto()
    """A type, a function's name, an argument of an attribute."""


_EXPRESSIONS = get_args(w.Expression)


class Context:
    """One module and what its names mean, with what several edits want to know of it."""

    def __init__(self, resolution: Resolution) -> None:
        self.resolution = resolution
        self.module: w.Module = resolution.module
        self.types = ValueTypes(resolution)
        self.skipping = False
        """Whether the next neighbours are not looked at: the module itself takes their place."""

    @cached_property
    def places(self) -> list[Place]:
        """Every node with its place."""
        return list(places(self.module))

    def with_nodes(self, place: Place, *new: w.Node) -> w.Module:
        """The module with other nodes at a place; raises Misfit."""
        return self.module if self.skipping else place.with_nodes(*new)

    @cached_property
    def blocks(self) -> list[tuple[Place, w.Block]]:
        """Every block with its place; those of the last function first, as entry points stand there."""
        found = [(p, p.node) for p in self.places if isinstance(p.node, w.Block)]
        functions = {id(d): i for i, d in enumerate(self.module.declarations)}
        return sorted(found, key=lambda item: -functions.get(id(self.declaration_around(item[0])), 0))

    @cached_property
    def expressions(self) -> list[tuple[Place, w.Expression, Mode]]:
        """Every expression with its place and what it is there."""
        return [(p, e, self.modes[id(e)]) for p in self.places if isinstance(e := p.node, _EXPRESSIONS)]

    @cached_property
    def modes(self) -> dict[int, Mode]:
        """By the identity of an expression: what it is where it stands."""
        found: dict[int, Mode] = {}
        for place in self.places:  # parents first
            if isinstance(place.node, _EXPRESSIONS):
                found[id(place.node)] = _mode(place, found.get(id(place.parent), Mode.VALUE))
        return found

    @cached_property
    def _places_by_node(self) -> dict[int, Place]:
        """By the identity of a node: its place."""
        return {id(p.node): p for p in self.places}

    def place_of(self, n: w.Node) -> Place:
        """The place of a node."""
        return self._places_by_node[id(n)]

    def around(self, nodes: Iterable[w.Node]) -> frozenset[int]:
        """The identities of some nodes, of those around them, and of those around what uses what they declare."""
        found: set[int] = set()
        for n in nodes:
            for place in (self.place_of(n), *self.uses.get(id(n), ())):
                found.update([id(outer.node) for outer in place.outwards()])
        return frozenset(found)

    @cached_property
    def has_addresses(self) -> bool:
        """Whether there is a `&e`."""
        return any(isinstance(p.node, w.Unary) and p.node.operator == "&" for p in self.places)

    @cached_property
    def uses(self) -> dict[int, list[Place]]:
        """By the identity of a declaration: where its name stands."""
        found: dict[int, list[Place]] = {}
        for place in self.places:
            if isinstance(place.node, w.Identifier):
                declared = self.resolution.declaration(place.node)
                if declared is not None:
                    found.setdefault(id(declared), []).append(place)
        return found

    @cached_property
    def calls(self) -> dict[int, list[Place]]:
        """By the identity of a function: its calls."""
        found: dict[int, list[Place]] = {}
        for place in self.places:
            if isinstance(place.node, w.Call):
                function = self.resolution.function(place.node)
                if function is not None:
                    found.setdefault(id(function), []).append(place)
        return found

    @cached_property
    def _around_uses(self) -> dict[int, list[frozenset[int]]]:
        """By the identity of a declaration: for each use of its name the identities of all nodes around it."""
        return {
            declared: [frozenset(id(outer.node) for outer in place.outwards()) for place in found]
            for declared, found in self.uses.items()
        }

    def is_missed(self, gone: Sequence[w.Node]) -> bool:
        """Whether something else uses a name that one of some nodes declares: the module is not valid without them."""
        without = {id(n) for n in gone}
        uses = self._around_uses
        return any(without.isdisjoint(around) for n in gone for around in uses.get(id(n), ()))

    def declared(self, e: w.Expression) -> Declared | None:
        """What a name stands for."""
        return self.resolution.declaration(e) if isinstance(e, w.Identifier) else None

    def declaration_around(self, place: Place) -> object:
        """The declaration at module scope in which something stands."""
        while place.above is not None and place.above.above is not None:
            place = place.above
        return place.node

    def named_values(self, place: Place) -> Iterator[w.Variable | w.Let | w.Parameter | w.Const]:
        """The values with names that may be visible at a place: inputs, variables, then locals declared before it."""
        function = self.declaration_around(place)
        if isinstance(function, w.Function):
            yield from function.parameters
        yield from (d for d in self.module.declarations if isinstance(d, w.Variable | w.Const))
        if isinstance(function, w.Function):
            for n in descendants(function):
                if n is place.node:
                    return
                if isinstance(n, w.Variable | w.Let):
                    yield n

    def zero(self, type: Type | None) -> w.Expression:
        """The zero value of a type; raises Misfit."""
        if type is None:
            raise Misfit
        if type in ZEROS:
            return w.Literal(ZEROS[type][-1])
        if not self.constructible(type):
            raise Misfit
        return w.Call(written(type, short=True), ())

    def constructible(self, type: Type) -> bool:
        """Whether `T()` is a value of this type."""
        match type:
            case Structure():
                return all(self.constructible(member) for _, member in type.members)
            case Array():
                return (type.count is not None or type.text != "") and self.constructible(type.element)
            case _:
                return isinstance(type, Scalar | Vector | Matrix)

    def base(self, e: w.Expression) -> Declared | None:
        """The declaration of the name with which a chain of `.m`, `[i]`, `*` and `&` begins."""
        while True:
            if isinstance(e, w.Index | w.Member):
                e = e.base
            elif isinstance(e, w.Unary) and e.operator in "*&":
                e = e.operand
            else:
                return self.declared(e)

    def is_writable(self, variable: w.Variable) -> bool:
        """Whether something may be assigned to a variable."""
        return self.resolution.access(variable) is not Access.READ

    def is_constructor(self, call: w.Call) -> bool:
        """Whether a type is called."""
        return self.resolution.function(call) is None and self.resolution.builtin(call) is None

    def has_effects(self, e: w.Expression) -> bool:
        """Whether something is called that is not a pure function of its arguments."""
        for n in descendants(e):
            if isinstance(n, w.Call):
                builtin = self.resolution.builtin(n)
                if self.resolution.function(n) is not None or (builtin is not None and not builtin.constant):
                    return True
        return False


_WORD_FIELDS = frozenset({"callee", "type", "result", "template"})
_WORDS = frozenset({w.Attribute, w.ConstAssert})
_CONSTANTS = frozenset({w.Const, w.Override, w.Clause})


def _mode(place: Place, outer: Mode) -> Mode:
    """What an expression is, by where it stands; `outer` is the mode of the expression around it."""
    assert place.above is not None, "something is around it"
    parent, field = place.above.node, place.field
    cls = parent.__class__
    if outer is Mode.WORD or field in _WORD_FIELDS or cls in _WORDS:
        return Mode.WORD
    if outer is Mode.CONSTANT or cls in _CONSTANTS:
        return Mode.CONSTANT
    if cls is w.Variable and isinstance(place.above.parent, w.Module):
        return Mode.CONSTANT
    if cls is w.CallStatement:
        return Mode.STATEMENT
    if cls is w.Assign or cls is w.Increment:
        return Mode.REFERENCE if field == "left" else Mode.VALUE
    if isinstance(parent, w.Unary):
        return Mode.REFERENCE if parent.operator == "&" else Mode.VALUE
    return outer if field == "base" else Mode.VALUE


ZEROS: Mapping[Type | None, tuple[str, ...]] = {
    BOOL: ("true", "false"),
    U32: ("0u",),
    I32: ("0i",),
    F32: ("0f",),
    F16: ("0h",),
    INT: ("0",),
    FLOAT: ("0.0",),
}
"""By type: the simplest literals."""


NUMBERS = frozenset({U32, I32, F32, F16})
