"""Relations' transformations of values: computed earlier, by a branch, behind a pointer, in a structure or an array."""

from collections.abc import Callable
from dataclasses import replace

from wgsl_fuzz.strategies.edit.places import InsertionPoint, Part, PartRole
from wgsl_fuzz.strategies.edit.subject import Subject, calls_functions, can_come_first, is_inert, touched
from wgsl_fuzz.strategies.edit.tree import has_filter
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.resolution import Space
from wgsl_fuzz.wgsl.rewrite import Nodes, fresh, rebuilt
from wgsl_fuzz.wgsl.types import Array, Matrix, Scalar, Type, Vector, is_constructible, pointee, written
from wgsl_fuzz.wgsl.walk import descendants


def named(subject: Subject) -> w.Module:
    """`let t = e;` in front of a statement, and `t` instead of its part `e`."""

    def wanted(place: InsertionPoint, part: Part) -> bool:
        type = subject.types.of(part.expression)
        if isinstance(part.expression, w.Literal) or not is_constructible(type):
            return False
        if _is_filtered(place):
            return False
        return can_come_first(subject.resolution, place.statement, part)

    place, part = subject.pick_part(wanted)
    type = subject.types.of(part.expression)
    assert type is not None, "its type was asked for"
    t = subject.fresh("t")
    let = w.Let(t, written(type) if subject.source.percent(50) else None, part.expression)
    return subject.with_spliced(place, 1, let, rebuilt(place.statement, {id(part.expression): w.Identifier(t)}))


def _is_filtered(place: InsertionPoint) -> bool:
    """Whether a filter of the statement would no longer hold for what moves in front of it."""
    return has_filter(getattr(place.statement, "attributes", ()))


def short_circuit_as_if(subject: Subject) -> w.Module:
    """`var t = a; if t { t = b; }` in front of a statement, and `t` instead of its part `a && b`; likewise `a || b`."""

    def wanted(place: InsertionPoint, part: Part) -> bool:
        e = part.expression
        if not isinstance(e, w.Binary) or e.operator not in ("&&", "||") or _is_filtered(place):
            return False
        return can_come_first(subject.resolution, place.statement, part)

    place, part = subject.pick_part(wanted)
    e = part.expression
    assert isinstance(e, w.Binary), "only operators were asked for"
    t = subject.fresh("t")
    condition = w.Identifier(t) if e.operator == "&&" else w.Unary("!", w.Identifier(t))
    branch = w.If(condition, w.Block((w.Assign("=", w.Identifier(t), e.right),)))
    statement = rebuilt(place.statement, {id(e): w.Identifier(t)})
    return subject.with_spliced(place, 1, w.Variable(t, None, e.left), branch, statement)


_MIRRORED = {op: op for op in ("+", "*", "&", "|", "^", "==", "!=", "&&", "||")}
_MIRRORED |= {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def mirrored(subject: Subject) -> w.Module:
    """`b op a` instead of `a op b`, or `b > a` instead of `a < b`; neither calls a function."""

    def wanted(_: InsertionPoint, part: Part) -> bool:
        e = part.expression
        if not isinstance(e, w.Binary) or e.operator not in _MIRRORED or part.role is PartRole.FIXED:
            return False
        types = subject.types.of(e.left), subject.types.of(e.right)
        if any(t is None or isinstance(t, Matrix) for t in types):
            return False
        if e.operator in ("&&", "||"):  # what one requires depends on the other
            return is_inert(subject.resolution, e)
        return not calls_functions(subject.resolution, e)

    e = subject.pick_part(wanted)[1].expression
    assert isinstance(e, w.Binary), "only operators were asked for"
    return subject.changed({id(e): w.Binary(_MIRRORED[e.operator], e.right, e.left)})


def conversion_around(subject: Subject) -> w.Module:
    """`T(e)` instead of `e`, a value of the scalar or vector type T."""

    def wanted(_: InsertionPoint, part: Part) -> bool:
        type = subject.types.of(part.expression)
        return part.role is PartRole.VALUE and isinstance(type, Scalar) and not type.is_abstract

    e = subject.pick_part(wanted)[1].expression
    type = subject.types.of(e)
    assert type is not None, "its type was asked for"
    return subject.changed({id(e): w.Call(written(type), (e,))})


# -------------------------------------------------------------------------------------------------------- pointers


def pointer_let(subject: Subject) -> w.Module:
    """`let p = &x;` in front of a statement, and `*p` in it instead of one `x`; `x` may be a member or an element."""

    def wanted(place: InsertionPoint, part: Part) -> bool:
        return part.role in (PartRole.VALUE, PartRole.REFERENCE) and _has_address(subject, place, part.expression)

    place, part = subject.pick_part(wanted)
    e, parent = part.expression, part.parent
    p = subject.fresh("p")
    old: w.Expression = e
    new: w.Expression = w.Unary("*", w.Identifier(p))
    if isinstance(parent, w.Unary) and parent.operator == "&" and subject.source.percent(50):
        old, new = parent, w.Identifier(p)
    elif isinstance(parent, w.Member | w.Index) and e is parent.base and subject.source.percent(50):
        new = w.Identifier(p)
    let = w.Let(p, None, w.Unary("&", fresh(e)))
    return subject.with_spliced(place, 1, let, rebuilt(place.statement, {id(old): new}))


def _has_address(subject: Subject, place: InsertionPoint, e: w.Expression) -> bool:
    """Whether the address of an expression may be taken, and what it is does not change before the statement."""
    resolution = subject.resolution
    if resolution.root(e) is None or resolution.is_pointer(e):
        return False
    while not isinstance(e, w.Identifier):
        if isinstance(e, w.Unary) and e.operator == "*":
            e = e.operand
            break
        if not isinstance(e, w.Member | w.Index):
            return False
        base = subject.types.of(e.base)
        if base is None or isinstance(pointee(base), Vector):
            return False
        if isinstance(e, w.Index) and not _is_fixed(subject, e.index):
            return False
        e = e.base
    declared = resolution.declaration(e) if isinstance(e, w.Identifier) else None
    if declared is None or place.visible.get(declared.name) is not declared:  # the variable of a `for`
        return False
    if isinstance(declared, w.Variable):
        return resolution.space(declared) is not Space.HANDLE
    return isinstance(declared, w.Let | w.Parameter)


def _is_fixed(subject: Subject, index: w.Expression) -> bool:
    if isinstance(index, w.Literal):
        return True
    declared = subject.resolution.declaration(index) if isinstance(index, w.Identifier) else None
    return isinstance(declared, w.Const | w.Override | w.Let | w.Parameter)


# ------------------------------------------------------------------------------------------- structures and arrays


Declarations = Callable[[Subject], list[w.Variable | w.Let]]


def variables_of_module(subject: Subject) -> list[w.Variable | w.Let]:
    """Those in private or workgroup memory, which have no values in an analysis."""
    spaces = (Space.PRIVATE, Space.WORKGROUP)
    found = [d for d in subject.module.declarations if isinstance(d, w.Variable)]
    return [d for d in found if subject.resolution.space(d) in spaces]


def untouched_variables(subject: Subject) -> list[w.Variable | w.Let]:
    """Those that are never assigned, and whose address is never taken."""
    everywhere = touched(subject.resolution, subject.module)
    return [d for d in variables(subject) if id(d) not in everywhere]


def lets(subject: Subject) -> list[w.Variable | w.Let]:
    """Those of values."""
    found = [n for f in subject.functions() for n in descendants(f) if isinstance(n, w.Let)]
    return [n for n in found if not subject.resolution.is_pointer(n.value)]


def variables(subject: Subject) -> list[w.Variable | w.Let]:
    """Those of functions."""
    return [n for f in subject.functions() for n in descendants(f) if isinstance(n, w.Variable)]


def in_struct(candidates: Declarations, subject: Subject) -> w.Module:
    """`var x = S(e);` of a structure of one member, and `x.m`, instead of `var x = e;` and `x`."""
    declared, type = _picked(subject, candidates(subject))
    name, member = subject.fresh("S"), subject.fresh("m")
    struct = w.Struct(name, (w.StructMember(member, written(type)),))
    return _wrapped(subject, declared, lambda: w.Identifier(name), lambda e: w.Member(e, member), struct)


def in_array(candidates: Declarations, subject: Subject) -> w.Module:
    """`var x = array<T, 1>(e);` and `x[0]` instead of `var x = e;` and `x`."""
    declared, type = _picked(subject, candidates(subject))
    whole = Array(type, 1)
    index = subject.source.pick(["0", "0u", "0i"])
    return _wrapped(subject, declared, lambda: written(whole), lambda e: w.Index(e, w.Literal(index)))


def _picked(subject: Subject, candidates: list[w.Variable | w.Let]) -> tuple[w.Variable | w.Let, Type]:
    typed = [(d, subject.types.declared(d)) for d in candidates]
    return subject.one_of([(d, t) for d, t in typed if t is not None and is_constructible(t)])


def _wrapped(
    subject: Subject,
    declared: w.Variable | w.Let,
    type: Callable[[], w.Identifier],
    part: Callable[[w.Expression], w.Expression],
    *above: w.Declaration,
) -> w.Module:
    """The module with a declaration of another type, and part of what it declares for every use of its name."""
    resolution = subject.resolution
    changes: dict[int, Nodes] = {
        id(node): part(w.Identifier(node.name))
        for node in descendants(subject.module)
        if isinstance(node, w.Identifier) and resolution.declaration(node) is declared
    }
    value = None if declared.value is None else w.Call(type(), (declared.value,))
    if isinstance(declared, w.Variable):
        changes[id(declared)] = replace(declared, type=type(), value=value)
    elif value is not None:
        changes[id(declared)] = replace(declared, type=None, value=value)
    return subject.changed(changes, *above)
