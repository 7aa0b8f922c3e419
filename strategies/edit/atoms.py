"""Expressions without operators that a place offers: variables, members, elements, what is loaded from memory."""

from collections.abc import Iterator
from dataclasses import dataclass

from wgsl_fuzz.strategies.edit.places import InsertionPoint, InsertionPoints
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.builtins import INPUTS, Stage
from wgsl_fuzz.wgsl.resolution import Access, Declared, Resolution, Space
from wgsl_fuzz.wgsl.rewrite import fresh

_DEPTH = 2
"""So many members or elements deep."""


@dataclass(frozen=True, slots=True)
class Atom:
    """An expression, to be copied for each use; what it is part of; whether it varies among invocations."""

    expression: w.Expression
    type: vt.Type
    declared: Declared
    writable: bool = False
    constant: bool = False
    source: bool = False

    def new(self) -> w.Expression:
        """The expression in fresh nodes."""
        return fresh(self.expression)


def atoms(places: InsertionPoints, place: InsertionPoint) -> list[Atom]:
    """What a place offers, in the order of the declarations; of a structure also its members, and so on."""
    found: list[Atom] = []
    for name, declared in place.visible.items():
        usable = name != place.hides and _may_be_used(places.resolution, place, declared)
        root = _root(places, name, declared) if usable else None
        if root is not None:
            found += _with_parts(root, _DEPTH)
    return found


def values(places: InsertionPoints, place: InsertionPoint, type: vt.Type) -> list[Atom]:
    """The atoms of a type that can be loaded."""
    return [atom for atom in atoms(places, place) if atom.type == type]


def one(type: vt.Type) -> w.Expression | None:
    """A literal of a type."""
    texts = {vt.BOOL: "true", vt.I32: "1i", vt.U32: "1u", vt.F32: "1.0f"}
    return w.Literal(texts[type]) if type in texts else None


def _may_be_used(resolution: Resolution, place: InsertionPoint, declared: Declared) -> bool:
    """Whether every stage that reaches the place may use a variable."""
    if not isinstance(declared, w.Variable):
        return True
    stages, space = resolution.stages(place.function), resolution.space(declared)
    if space is Space.WORKGROUP:
        return stages <= {Stage.COMPUTE}
    return space is not Space.STORAGE or resolution.access(declared) is Access.READ or Stage.VERTEX not in stages


def _root(places: InsertionPoints, name: str, declared: Declared) -> Atom | None:
    resolution, type = places.resolution, places.types.declared(declared)
    if type is None or isinstance(type, vt.Handle) or vt.is_abstract(type):
        return None
    e = w.Identifier(name)
    if isinstance(declared, w.Variable):
        space, access = resolution.space(declared), resolution.access(declared)
        writable = access is Access.READ_WRITE
        return Atom(e, type, declared, writable, source=writable and space is not Space.FUNCTION)
    if isinstance(declared, w.Const | w.Override):
        return Atom(e, type, declared, constant=True)
    if isinstance(declared, w.Let | w.Parameter):
        if isinstance(type, vt.Pointer):
            return _behind(e, type, declared)
        return Atom(e, type, declared, source=_varies(resolution, declared))
    return None


def _behind(pointer: w.Expression, type: vt.Pointer, declared: Declared) -> Atom:
    writable = type.access is Access.READ_WRITE
    source = writable and type.space is not Space.FUNCTION
    return Atom(w.Unary("*", pointer), type.store, declared, writable, source=source)


def _varies(resolution: Resolution, declared: w.Let | w.Parameter) -> bool:
    if not isinstance(declared, w.Parameter):
        return False
    name = resolution.builtin_input(declared)
    return name is not None and any(key[0] == name and not row.uniform_in for key, row in INPUTS.items())


def _with_parts(whole: Atom, depth: int) -> Iterator[Atom]:
    """An atom if it can be loaded, then its parts."""
    type = whole.type
    if isinstance(type, vt.Atomic):
        if type.size == 1:  # one of a vector can only be stored to
            load = w.Call(w.Identifier("atomicLoad"), (w.Unary("&", fresh(whole.expression)),))
            yield Atom(load, type.element, whole.declared, source=True)
        return
    if vt.is_constructible(type):
        yield whole
    if depth == 0 or whole.constant:
        return
    for e, inner in parts_of(whole.expression, type):
        part = Atom(e, inner, whole.declared, whole.writable, source=whole.source)
        yield from _with_parts(part, depth - 1)


def parts_of(whole: w.Expression, type: vt.Type) -> Iterator[tuple[w.Expression, vt.Type]]:
    """The first two components, the first element or the members of an expression of some type, and their types."""
    match type:
        case vt.Vector(_, element):
            for component in "xy":
                yield w.Member(fresh(whole), component), element
        case vt.Array(element):
            yield w.Index(fresh(whole), w.Literal("0")), element
        case vt.Structure(_, members):
            for name, inner in members:
                yield w.Member(fresh(whole), name), inner
