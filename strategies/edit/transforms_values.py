"""Relations' transformations of values: computed earlier, by a branch, behind a pointer, in a structure or an array."""

from collections.abc import Callable
from dataclasses import replace

from wgsl_fuzz.strategies.edit.places import InsertionPoint, Part, Role
from wgsl_fuzz.strategies.edit.subject import Subject, calls_functions, can_come_first, is_inert
from wgsl_fuzz.strategies.edit.tree import Change, copied, has_filter, rebuilt
from wgsl_fuzz.wgsl.resolution import Space
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Binary,
    Block,
    Call,
    Const,
    Declaration,
    Expression,
    Identifier,
    If,
    Increment,
    Index,
    Let,
    Literal,
    Member,
    Module,
    Override,
    Parameter,
    Struct,
    StructMember,
    Unary,
    Variable,
)
from wgsl_fuzz.wgsl.value_types import ValueType, spelled
from wgsl_fuzz.wgsl.walk import descendants


def named(subject: Subject) -> Module | None:
    """`let t = e;` in front of a statement, and `t` instead of its part `e`."""

    def wanted(place: InsertionPoint, part: Part, all_parts: list[Part]) -> bool:
        type = subject.types.of(part.expression)
        if isinstance(part.expression, Literal) or not subject.types.is_constructible(type):
            return False
        if _is_filtered(place):
            return False
        return can_come_first(subject.resolution, place.statement, part, all_parts)

    found = subject.pick_part(wanted)
    if found is None:
        return None
    place, part = found
    type = subject.types.of(part.expression)
    assert type is not None, "its type was asked for"
    t = subject.fresh("t")
    let = Let(t, spelled(type) if subject.source.percent(50) else None, part.expression)
    return subject.with_spliced(place, 1, let, rebuilt(place.statement, {id(part.expression): Identifier(t)}))


def _is_filtered(place: InsertionPoint) -> bool:
    """Whether a filter of the statement would no longer hold for what moves in front of it."""
    return has_filter(getattr(place.statement, "attributes", ()))


def short_circuit_as_if(subject: Subject) -> Module | None:
    """`var t = a; if t { t = b; }` in front of a statement, and `t` instead of its part `a && b`; likewise `a || b`."""

    def wanted(place: InsertionPoint, part: Part, all_parts: list[Part]) -> bool:
        e = part.expression
        if not isinstance(e, Binary) or e.operator not in ("&&", "||") or _is_filtered(place):
            return False
        return can_come_first(subject.resolution, place.statement, part, all_parts)

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


_MIRRORED = {op: op for op in ("+", "*", "&", "|", "^", "==", "!=", "&&", "||")}
_MIRRORED |= {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def mirrored(subject: Subject) -> Module | None:
    """`b op a` instead of `a op b`, or `b > a` instead of `a < b`; neither calls a function."""

    def wanted(_: InsertionPoint, part: Part, __: list[Part]) -> bool:
        e = part.expression
        if not isinstance(e, Binary) or e.operator not in _MIRRORED or part.role is Role.FIXED:
            return False
        types = subject.types.of(e.left), subject.types.of(e.right)
        if any(t is None or t.name.startswith("mat") for t in types):
            return False
        if e.operator in ("&&", "||"):  # what one requires depends on the other
            return is_inert(subject.resolution, e)
        return not calls_functions(subject.resolution, e)

    found = subject.pick_part(wanted)
    if found is None:
        return None
    e = found[1].expression
    assert isinstance(e, Binary), "only operators were asked for"
    return subject.changed({id(e): Binary(_MIRRORED[e.operator], e.right, e.left)})


def conversion_around(subject: Subject) -> Module | None:
    """`T(e)` instead of `e`, a value of the scalar or vector type T."""

    def wanted(_: InsertionPoint, part: Part, __: list[Part]) -> bool:
        type = subject.types.of(part.expression)
        return part.role is Role.VALUE and type is not None and type.is_scalar

    found = subject.pick_part(wanted)
    if found is None:
        return None
    e = found[1].expression
    type = subject.types.of(e)
    assert type is not None, "its type was asked for"
    return subject.changed({id(e): Call(spelled(type), (e,))})


# -------------------------------------------------------------------------------------------------------- pointers


def pointer_let(subject: Subject) -> Module | None:
    """`let p = &x;` in front of a statement, and `*p` in it instead of one `x`; `x` may be a member or an element."""

    def wanted(place: InsertionPoint, part: Part, _: list[Part]) -> bool:
        return part.role in (Role.VALUE, Role.REFERENCE) and _has_address(subject, place, part.expression)

    found = subject.pick_part(wanted)
    if found is None:
        return None
    place, part = found
    e, parent = part.expression, part.parent
    p = subject.fresh("p")
    old: Expression = e
    new: Expression = Unary("*", Identifier(p))
    if isinstance(parent, Unary) and parent.operator == "&" and subject.source.percent(50):
        old, new = parent, Identifier(p)
    elif isinstance(parent, Member | Index) and e is parent.base and subject.source.percent(50):
        new = Identifier(p)
    let = Let(p, None, Unary("&", copied(e)))
    return subject.with_spliced(place, 1, let, rebuilt(place.statement, {id(old): new}))


def _has_address(subject: Subject, place: InsertionPoint, e: Expression) -> bool:
    """Whether the address of an expression may be taken, and what it is does not change before the statement."""
    resolution = subject.resolution
    if not resolution.is_view(e) or resolution.is_pointer(e):
        return False
    while not isinstance(e, Identifier):
        if isinstance(e, Unary) and e.operator == "*":
            e = e.operand
            break
        if not isinstance(e, Member | Index):
            return False
        base = subject.types.of(e.base)
        if base is None or base.is_vector or (base.name == "ptr" and (base.element is None or base.element.is_vector)):
            return False
        if isinstance(e, Index) and not _is_fixed(subject, e.index):
            return False
        e = e.base
    declared = resolution.declaration(e) if isinstance(e, Identifier) else None
    if declared is None or place.visible.get(declared.name) is not declared:  # the variable of a `for`
        return False
    if isinstance(declared, Variable):
        return resolution.space(declared) is not Space.HANDLE
    return isinstance(declared, Let | Parameter)


def _is_fixed(subject: Subject, index: Expression) -> bool:
    if isinstance(index, Literal):
        return True
    declared = subject.resolution.declaration(index) if isinstance(index, Identifier) else None
    return isinstance(declared, Const | Override | Let | Parameter)


# ------------------------------------------------------------------------------------------- structures and arrays


def let_in_struct(subject: Subject) -> Module | None:
    """`let x = S(e);` and `x.m` instead of `let x = e;` and `x`."""
    return _in_struct(subject, _lets(subject))


def let_in_array(subject: Subject) -> Module | None:
    """`let x = array<T, 1>(e);` and `x[0]` instead of `let x = e;` and `x`."""
    return _in_array(subject, _lets(subject))


def variable_in_struct(subject: Subject) -> Module | None:
    """A variable of a structure of one member instead of a variable."""
    return _in_struct(subject, _variables(subject))


def variable_in_array(subject: Subject) -> Module | None:
    """A variable of an array of one element instead of a variable."""
    return _in_array(subject, _variables(subject))


def variable_of_module_in_struct(subject: Subject) -> Module | None:
    """The same for a variable in private or workgroup memory, which has no values in an analysis."""
    spaces = (Space.PRIVATE, Space.WORKGROUP)
    found = [d for d in subject.module.declarations if isinstance(d, Variable)]
    return _in_struct(subject, [d for d in found if subject.resolution.space(d) in spaces])


def untouched_variable_in_struct(subject: Subject) -> Module | None:
    """A variable of a structure instead of one that is never assigned and whose address is never taken."""
    touched: set[int] = set()
    for node in descendants(subject.module):
        target = node.left if isinstance(node, Assign | Increment) else None
        if isinstance(node, Unary) and node.operator == "&":
            target = node.operand
        root = None if target is None else subject.resolution.root(target)
        if root is not None:
            touched.add(id(root))
    return _in_struct(subject, [d for d in _variables(subject) if id(d) not in touched])


def _lets(subject: Subject) -> list[Variable | Let]:
    found = [n for f in subject.functions() for n in descendants(f) if isinstance(n, Let)]
    return [n for n in found if not subject.resolution.is_pointer(n.value)]


def _variables(subject: Subject) -> list[Variable | Let]:
    return [n for f in subject.functions() for n in descendants(f) if isinstance(n, Variable)]


def _in_struct(subject: Subject, candidates: list[Variable | Let]) -> Module | None:
    picked = _picked(subject, candidates)
    if picked is None:
        return None
    declared, type = picked
    name, member = subject.fresh("S"), subject.fresh("m")
    struct = Struct(name, (StructMember(member, spelled(type)),))
    return _wrapped(subject, declared, lambda: Identifier(name), lambda e: Member(e, member), struct)


def _in_array(subject: Subject, candidates: list[Variable | Let]) -> Module | None:
    picked = _picked(subject, candidates)
    if picked is None:
        return None
    declared, type = picked
    whole = ValueType("array", type, "1")
    index = subject.source.pick(["0", "0u", "0i"])
    return _wrapped(subject, declared, lambda: spelled(whole), lambda e: Index(e, Literal(index)))


def _picked(subject: Subject, candidates: list[Variable | Let]) -> tuple[Variable | Let, ValueType] | None:
    typed = [(d, subject.types.declared(d)) for d in candidates]
    known = [(d, t) for d, t in typed if t is not None and subject.types.is_constructible(t)]
    return subject.source.pick(known) if known else None


def _wrapped(
    subject: Subject,
    declared: Variable | Let,
    type: Callable[[], Identifier],
    part: Callable[[Expression], Expression],
    *above: Declaration,
) -> Module:
    """The module with a declaration of another type, and part of what it declares for every use of its name."""
    resolution = subject.resolution
    changes: dict[int, Change] = {
        id(node): part(Identifier(node.name))
        for node in descendants(subject.module)
        if isinstance(node, Identifier) and resolution.declaration(node) is declared
    }
    value = None if declared.value is None else Call(type(), (declared.value,))
    if isinstance(declared, Variable):
        changes[id(declared)] = replace(declared, type=type(), value=value)
    elif value is not None:
        changes[id(declared)] = replace(declared, type=None, value=value)
    return subject.changed(changes, *above)
