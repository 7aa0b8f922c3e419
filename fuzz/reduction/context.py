"""What edits ask about a shader: types, uses of names, and where values, references and constants stand."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cached_property, lru_cache, partial
from typing import get_args

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.resolution import Declared, Resolution
from wgsl_fuzz.wgsl.rewrite import Change, Misfit, Nodes, Place, expression, places, rewritten, rewritten_below
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


EXPRESSIONS: tuple[type[w.Expression], ...] = get_args(w.Expression)
"""The classes of expressions: what is asked of every node is asked sooner of these than of their union."""


Edit = Callable[[], w.Module]
"""The module that an edit makes, or the module as it was; raises Misfit where it does not fit."""


Named = w.Variable | w.Let | w.Const | w.Override | w.Parameter
_NAMED = frozenset(get_args(Named))


class Context:
    """One module and what its names mean, with what several edits want to know of it."""

    def __init__(self, resolution: Resolution) -> None:
        self.resolution = resolution
        self.module: w.Module = resolution.module
        self.types = vt.ValueTypes(resolution)

    @cached_property
    def places(self) -> list[Place]:
        """Every node with its place."""
        return list(places(self.module))

    def edit(self, change_of: Callable[..., Change], *about: object) -> Edit:
        """The module with what the change that `change_of` gives for this context makes of it."""
        return partial(self._edited, change_of, about)

    def _edited(self, change_of: Callable[..., Change], about: tuple[object, ...]) -> w.Module:
        module = rewritten_below(self.module, change_of(self, *about))
        return _collapsed(module) if self.has_addresses and module is not self.module else module

    @cached_property
    def blocks(self) -> list[tuple[Place, w.Block]]:
        """Every block with its place; those of the last function first, as entry points stand there."""
        found = [(p, p.node) for p in self.places if isinstance(p.node, w.Block)]
        functions = {id(d): i for i, d in enumerate(self.module.declarations)}
        return sorted(found, key=lambda item: -functions.get(id(self.declaration_around(item[0])), 0))

    @cached_property
    def expressions(self) -> list[tuple[Place, w.Expression, Mode]]:
        """Every expression with its place and what it is there."""
        return [(p, e, self.modes[id(e)]) for p in self.places if isinstance(e := p.node, EXPRESSIONS)]

    @cached_property
    def modes(self) -> dict[int, Mode]:
        """By the identity of an expression: what it is where it stands."""
        found: dict[int, Mode] = {}
        for place in self.places:  # parents first
            if isinstance(place.node, EXPRESSIONS):
                found[id(place.node)] = _mode(place, found.get(id(place.parent), Mode.VALUE))
        return found

    @cached_property
    def place_of(self) -> dict[int, Place]:
        """By the identity of a node: its place."""
        return {id(p.node): p for p in self.places}

    def around(self, nodes: Iterable[w.Node]) -> frozenset[int]:
        """The identities of some nodes, of those around them, and of those around what uses what they declare."""
        found: set[int] = set()
        for n in nodes:
            for place in (self.place_of[id(n)], *self.uses.get(id(n), ())):
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

    def given(self, parameter: object) -> dict[int, int]:
        """By the identity of each call of its function: which argument is for a parameter; empty for anything else."""
        parameters = ((f, i) for f in self.resolution.functions for i, p in enumerate(f.parameters) if p is parameter)
        return {call: i for f, i in parameters for call in self.calls_of(f)}

    def calls_of(self, f: w.Function) -> frozenset[int]:
        """The identities of the calls of a function."""
        return frozenset([id(callee.parent) for callee in self.uses.get(id(f), ())])

    def is_missed(self, gone: Sequence[w.Node]) -> bool:
        """Whether something else uses a name that one of some nodes declares: the module is not valid without them."""
        uses = self.resolution.uses
        declared = [id(n) for n in gone if id(n) in uses]
        if not declared:
            return False
        names = (n for root in gone for n in descendants(root) if isinstance(n, w.Identifier))
        inside = Counter([id(self.declared(name)) for name in names])
        return any(inside[d] < uses[d] for d in declared)

    @cached_property
    def named(self) -> list[Named]:
        """The declarations of values, the last ones first; those of module scope last."""
        found = [p for p in reversed(self.places) if p.node.__class__ in _NAMED]
        inner = [p.node for p in found if p.field != "declarations"]
        return [*inner, *[p.node for p in found if p.field == "declarations"]]  # type: ignore[list-item]

    @cached_property
    def pointer_lets(self) -> list[w.Let]:
        """The lets that are pointers, in the order of the text."""
        return [d for d in self.resolution.declared if isinstance(d, w.Let) and self.resolution.is_pointer(d.value)]

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
        yield from (d for d in self.module.declarations if isinstance(d, (w.Variable, w.Const)))
        if isinstance(function, w.Function):
            for n in descendants(function):
                if n is place.node:
                    return
                if isinstance(n, (w.Variable, w.Let)):
                    yield n

    def zero(self, type: vt.Type | None) -> w.Expression:
        """The zero value of a type; raises Misfit."""
        if type is None:
            raise Misfit
        if type in ZEROS:
            return w.Literal(ZEROS[type][-1])
        if not constructible(type):
            raise Misfit
        return w.Call(vt.written(type, short=True), ())

    def base(self, e: w.Expression) -> Declared | None:
        """The declaration of the name with which a chain of `.m`, `[i]`, `*` and `&` begins."""
        while True:
            if isinstance(e, (w.Index, w.Member)):
                e = e.base
            elif isinstance(e, w.Unary) and e.operator in "*&":
                e = e.operand
            else:
                return self.declared(e)

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


def _collapsed(module: w.Module) -> w.Module:
    """The module with `e` for `*&e`, and `e.m` for `(&e).m`."""

    def change(n: w.Node) -> Nodes | None:
        match n:
            case w.Unary("*", w.Unary("&", inner)):
                return rewritten(inner, change)
            case w.Member(w.Unary("&", inner), name):
                return w.Member(expression(inner, change), name)
            case w.Index(w.Unary("&", inner), index):
                return w.Index(expression(inner, change), expression(index, change))
        return None

    return rewritten_below(module, change)


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


ZEROS: Mapping[vt.Type | None, tuple[str, ...]] = {
    vt.BOOL: ("true", "false"),
    vt.U32: ("0u",),
    vt.I32: ("0i",),
    vt.F32: ("0f",),
    vt.F16: ("0h",),
    vt.INT: ("0",),
    vt.FLOAT: ("0.0",),
}
"""By type: the simplest literals."""


NUMBERS = frozenset({vt.U32, vt.I32, vt.F32, vt.F16})


@lru_cache(maxsize=4096)
def constructible(type: vt.Type) -> bool:
    """Whether `T()` is a value of this type."""
    match type:
        case vt.Structure():
            return all(constructible(member) for _, member in type.members)
        case vt.Array():
            return (type.count is not None or type.text != "") and constructible(type.element)
        case _:
            return isinstance(type, vt.Scalar | vt.Vector | vt.Matrix)
