"""Relations' transformations of expressions: computed earlier, by a branch, or with operands swapped."""

from wgsl_fuzz.strategies.modules.edit.places import Part, Place, Role
from wgsl_fuzz.strategies.modules.edit.subject import Subject, calls_functions, can_come_first
from wgsl_fuzz.strategies.modules.edit.tree import has_filter, rebuilt
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Binary,
    Block,
    Call,
    Identifier,
    If,
    Let,
    Literal,
    Module,
    Unary,
    Variable,
)
from wgsl_fuzz.wgsl.value_types import spelled


def named(subject: Subject) -> Module | None:
    """`let t = e;` in front of a statement, and `t` instead of its part `e`."""

    def wanted(place: Place, part: Part, all_parts: list[Part]) -> bool:
        type = subject.types.of(part.expression)
        if isinstance(part.expression, Literal) or not subject.types.is_constructible(type):
            return False
        if _is_filtered(place):
            return False
        return can_come_first(subject.resolution, part, all_parts)

    found = subject.pick_part(wanted)
    if found is None:
        return None
    place, part = found
    type = subject.types.of(part.expression)
    assert type is not None, "its type was asked for"
    t = subject.fresh("t")
    let = Let(t, spelled(type) if subject.source.percent(50) else None, part.expression)
    return subject.with_spliced(place, 1, let, rebuilt(place.statement, {id(part.expression): Identifier(t)}))


def _is_filtered(place: Place) -> bool:
    """Whether a filter of the statement would no longer hold for what moves in front of it."""
    return has_filter(getattr(place.statement, "attributes", ()))


def short_circuit_as_if(subject: Subject) -> Module | None:
    """`var t = a; if t { t = b; }` in front of a statement, and `t` instead of its part `a && b`; likewise `a || b`."""

    def wanted(place: Place, part: Part, all_parts: list[Part]) -> bool:
        e = part.expression
        if not isinstance(e, Binary) or e.operator not in ("&&", "||") or _is_filtered(place):
            return False
        return can_come_first(subject.resolution, part, all_parts)

    found = subject.pick_part(wanted)
    if found is None:
        return None
    place, part = found
    e = part.expression
    assert isinstance(e, Binary), "only operators were asked for"
    t = subject.fresh("t")
    condition = Identifier(t) if e.operator == "&&" else Unary("!", Identifier(t))
    branch = If(condition, Block((Assign("=", Identifier(t), e.right),)))
    statement = rebuilt(place.statement, {id(e): Identifier(t)})
    return subject.with_spliced(place, 1, Variable(t, None, e.left), branch, statement)


_MIRRORED = {op: op for op in ("+", "*", "&", "|", "^", "==", "!=")}
_MIRRORED |= {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def mirrored(subject: Subject) -> Module | None:
    """`b op a` instead of `a op b`, or `b > a` instead of `a < b`; neither calls a function."""

    def wanted(_: Place, part: Part, __: list[Part]) -> bool:
        e = part.expression
        if not isinstance(e, Binary) or e.operator not in _MIRRORED or part.role is Role.FIXED:
            return False
        types = subject.types.of(e.left), subject.types.of(e.right)
        if any(t is None or t.name.startswith("mat") for t in types):
            return False
        return not calls_functions(subject.resolution, e)

    found = subject.pick_part(wanted)
    if found is None:
        return None
    e = found[1].expression
    assert isinstance(e, Binary), "only operators were asked for"
    return subject.changed({id(e): Binary(_MIRRORED[e.operator], e.right, e.left)})


def conversion_around(subject: Subject) -> Module | None:
    """`T(e)` instead of `e`, a value of the scalar or vector type T."""

    def wanted(_: Place, part: Part, __: list[Part]) -> bool:
        type = subject.types.of(part.expression)
        return part.role is Role.VALUE and type is not None and type.is_scalar

    found = subject.pick_part(wanted)
    if found is None:
        return None
    e = found[1].expression
    type = subject.types.of(e)
    assert type is not None, "its type was asked for"
    return subject.changed({id(e): Call(spelled(type), (e,))})
