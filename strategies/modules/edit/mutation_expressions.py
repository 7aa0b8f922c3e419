"""Mutations of expressions and assignments: a part of a statement becomes another of the same type."""

from collections.abc import Collection
from dataclasses import replace

from wgsl_fuzz.strategies.modules.edit.atoms import Atom, atoms, one, values
from wgsl_fuzz.strategies.modules.edit.places import Part, Place, Role
from wgsl_fuzz.strategies.modules.edit.subject import Subject, is_declaration
from wgsl_fuzz.strategies.modules.edit.tree import copied
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Binary,
    Call,
    Const,
    Expression,
    Index,
    Let,
    Literal,
    Member,
    Module,
    Phony,
    Statement,
    Unary,
    Variable,
)
from wgsl_fuzz.wgsl.value_types import BOOL, F32, I32, U32, ValueType
from wgsl_fuzz.wgsl.walk import descendants

_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_COMMUTE = frozenset({"+", "*", "&", "|", "^", "==", "!=", "-", "&&", "||", *_COMPARISONS})
_TRUTH = frozenset({"&&", "||", *_COMPARISONS})
"""A literal among the operands of these makes no constant that a compiler refuses."""


def condition(subject: Subject, place: Place, inside: Statement | None = None) -> Expression:
    """A bool: a value of the place, or one compared with another or a literal; at times two of them.

    If it goes inside of a statement of the place, it names nothing that is hidden in there.
    """
    hidden = {n.name for n in descendants(inside) if isinstance(n, Variable | Let | Const)} if inside else set()
    first = _simple_condition(subject, place, hidden)
    if subject.source.percent(20):
        return Binary(subject.source.pick(("&&", "||")), first, _simple_condition(subject, place, hidden))
    return first


def _simple_condition(subject: Subject, place: Place, hidden: Collection[str] = ()) -> Expression:
    usable = [atom for atom in atoms(subject.places, place) if not atom.constant and atom.declared.name not in hidden]
    found = [atom for atom in usable if atom.type in (BOOL, U32, I32, F32)]
    if not found:
        return Literal("true")
    atom = subject.source.pick(found)
    if atom.type == BOOL:
        return atom.new() if subject.source.percent(70) else Unary("!", atom.new())
    others: list[Expression] = [a.new() for a in found if a.type == atom.type and a is not atom]
    literal = Literal({"u32": "1u", "i32": "1i", "f32": "1.0f"}[atom.type.name])
    right = subject.source.pick(others) if others and subject.source.percent(30) else literal
    return Binary(subject.source.pick(_COMPARISONS), atom.new(), right)


# --------------------------------------------------------------------------------------------- parts of statements


def _replaceable(subject: Subject, part: Part) -> ValueType | None:
    """The type of a part that another value of its type can stand for."""
    if part.role is not Role.VALUE:
        return None
    type = subject.types.of(part.expression)
    return type if subject.types.is_constructible(type) else None


def replaced_by_atom(subject: Subject) -> Module | None:
    """A value of the place instead of any expression of its type."""
    return _with_atom(subject, sources_only=False)


def tainted(subject: Subject) -> Module | None:
    """A source of non-uniformity instead of an expression of its type."""
    return _with_atom(subject, sources_only=True)


def _with_atom(subject: Subject, *, sources_only: bool) -> Module | None:
    found = subject.pick_part(lambda _, part, __: _replaceable(subject, part) is not None)
    if found is None:
        return None
    place, part = found
    type = _replaceable(subject, part)
    assert type is not None, "its type was asked for"
    fitting = [a for a in values(subject.places, place, type) if not a.constant and (a.source or not sources_only)]
    if not fitting:
        return None
    return subject.changed({id(part.expression): subject.source.pick(fitting).new()})


def tamed(subject: Subject) -> Module | None:
    """A literal instead of an expression, where that makes no constant that a compiler refuses."""

    def wanted(_: Place, part: Part, __: list[Part]) -> bool:
        type = _replaceable(subject, part)
        if type is None or one(type) is None or isinstance(part.expression, Literal):
            return False
        parent = part.parent
        if isinstance(parent, Call):
            return subject.resolution.function(parent) is not None
        return parent is None or (isinstance(parent, Binary) and parent.operator in _TRUTH)

    found = subject.pick_part(wanted)
    if found is None:
        return None
    e = found[1].expression
    type = subject.types.of(e)
    literal = None if type is None else one(type)
    return None if literal is None else subject.changed({id(e): literal})


def operands_swapped(subject: Subject) -> Module | None:
    """`b op a` instead of `a op b`; calls in them change places, too."""

    def wanted(_: Place, part: Part, __: list[Part]) -> bool:
        e = part.expression
        if not isinstance(e, Binary) or e.operator not in _COMMUTE or part.role is not Role.VALUE:
            return False
        left, right = subject.types.of(e.left), subject.types.of(e.right)
        return left is not None and left == right and not left.is_abstract and not left.name.startswith("mat")

    found = subject.pick_part(wanted)
    if found is None:
        return None
    e = found[1].expression
    assert isinstance(e, Binary), "only operators were asked for"
    if isinstance(e.left, Literal) or isinstance(e.right, Literal):
        return None
    return subject.changed({id(e): Binary(e.operator, e.right, e.left)})


def operator_changed(subject: Subject) -> Module | None:
    """Another comparison, or `||` instead of `&&`."""

    def wanted(_: Place, part: Part, __: list[Part]) -> bool:
        e = part.expression
        if not isinstance(e, Binary) or part.role is not Role.VALUE or e.operator not in _TRUTH:
            return False
        left = subject.types.of(e.left)
        return left in (U32, I32, F32) or (left == BOOL and e.operator in ("&&", "||"))

    found = subject.pick_part(wanted)
    if found is None:
        return None
    e = found[1].expression
    assert isinstance(e, Binary), "only operators were asked for"
    others = [op for op in (("&&", "||") if e.operator in ("&&", "||") else _COMPARISONS) if op != e.operator]
    return subject.changed({id(e): Binary(subject.source.pick(others), e.left, e.right)})


def short_circuited(subject: Subject) -> Module | None:
    """`e && c` or `c || e` instead of a bool `e`, with a condition of the place."""
    found = subject.pick_part(lambda _, part, __: _replaceable(subject, part) == BOOL)
    if found is None:
        return None
    place, part = found
    pair = [part.expression, _simple_condition(subject, place)]
    left, right = pair if subject.source.percent(50) else pair[::-1]
    return subject.changed({id(part.expression): Binary(subject.source.pick(("&&", "||")), left, right)})


# ----------------------------------------------------------------------------------------------------- assignments


def assignment_inserted(subject: Subject) -> Module | None:
    """`x = v;` anywhere, `x` any reference of the place that can be written."""
    if not subject.places.all:
        return None
    place = subject.source.pick(subject.places.all)
    targets = [a for a in atoms(subject.places, place) if a.writable]
    if not targets:
        return None
    target = subject.source.pick(targets)
    value = _value(subject, place, target)
    if value is None:
        return None
    return subject.with_spliced(place, 0, Assign("=", target.new(), value))


def _value(subject: Subject, place: Place, target: Atom) -> Expression | None:
    """A value for a target: another of its type, or a literal."""
    found: list[Expression] = [a.new() for a in values(subject.places, place, target.type)]
    literal = one(target.type)
    if literal is not None and (not found or subject.source.percent(30)):
        return literal
    return subject.source.pick(found) if found else None


def retargeted(subject: Subject) -> Module | None:
    """Another reference of the same type on the left of an assignment."""

    def targets(place: Place) -> list[Atom]:
        s = place.statement
        if not isinstance(s, Assign):
            return []
        type = subject.types.of(s.left)
        return [a for a in atoms(subject.places, place) if a.writable and a.type == type]

    place = subject.pick(lambda place: bool(targets(place)))
    if place is None:
        return None
    s = place.statement
    assert isinstance(s, Assign), "only assignments were asked for"
    return subject.with_spliced(place, 1, replace(s, left=subject.source.pick(targets(place)).new()))


def made_partial(subject: Subject) -> Module | None:
    """`x.m = (e).m` instead of `x = e`, of a vector, an array or a structure."""

    def wanted(place: Place) -> bool:
        s = place.statement
        if not isinstance(s, Assign) or s.operator != "=":
            return False
        left = subject.types.of(s.left)
        return left is not None and left == subject.types.of(s.right) and bool(_steps(subject, left))

    place = subject.pick(wanted)
    if place is None:
        return None
    s = place.statement
    assert isinstance(s, Assign), "only assignments were asked for"
    type = subject.types.of(s.left)
    step = subject.source.pick(_steps(subject, type)) if type is not None else ""
    new = Assign("=", _stepped(s.left, step), _stepped(s.right, step))
    return subject.with_spliced(place, 1, new)


def _steps(subject: Subject, type: ValueType) -> list[str]:
    """Names of members, or an empty one for an element."""
    if type.is_vector:
        return ["x", "y"]
    if type.name == "array" and subject.types.is_constructible(type):
        return [""]
    struct = subject.types.struct(type) if type.element is None and not type.is_scalar else None
    return [] if struct is None else [member.name for member in struct.members]


def _stepped(e: Expression, step: str) -> Expression:
    return Member(e, step) if step else Index(e, Literal("0"))


def made_compound(subject: Subject) -> Module | None:
    """`x += e` instead of `x = e`, or another such operator, and the other way round."""

    def wanted(place: Place) -> bool:
        s = place.statement
        if not isinstance(s, Assign) or s.operator not in ("=", "+=", "-=", "*="):
            return False
        type = subject.types.of(s.left)
        return type in (U32, I32, F32) and subject.types.of(s.right) == type

    place = subject.pick(wanted)
    if place is None:
        return None
    s = place.statement
    assert isinstance(s, Assign), "only assignments were asked for"
    operator = subject.source.pick(("+=", "-=", "*=")) if s.operator == "=" else "="
    return subject.with_spliced(place, 1, replace(s, operator=operator))


def value_ignored(subject: Subject) -> Module | None:
    """`_ = e;` instead of an assignment of `e`: the variable keeps its value."""

    def wanted(place: Place) -> bool:
        s = place.statement
        return isinstance(s, Assign) and not is_declaration(s) and subject.types.of(s.right) is not None

    place = subject.pick(wanted)
    if place is None:
        return None
    s = place.statement
    assert isinstance(s, Assign), "only assignments were asked for"
    return subject.with_spliced(place, 1, Phony(s.right))


def in_two_steps(subject: Subject) -> Module | None:
    """A second assignment of the same kind behind one, of another value."""
    place = subject.pick(lambda place: isinstance(place.statement, Assign))
    if place is None:
        return None
    s = place.statement
    assert isinstance(s, Assign), "only assignments were asked for"
    type = subject.types.of(s.left)
    found = [] if type is None else [a for a in values(subject.places, place, type) if not a.constant]
    if not found:
        return None
    new = Assign("=", copied(s.left), subject.source.pick(found).new())
    return subject.with_spliced(replace(place, index=place.index + 1), 0, new)
