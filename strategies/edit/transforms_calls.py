"""Relations' transformations of calls: a function instead of statements, and a function's body instead of a call."""

from collections.abc import Iterator

from wgsl_fuzz.strategies.edit.places import InsertionPoint, parts
from wgsl_fuzz.strategies.edit.subject import Subject, can_come_first, is_seen_outside, jumps_out, returns, touched
from wgsl_fuzz.strategies.edit.tree import has_filter
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.resolution import Declared
from wgsl_fuzz.wgsl.rewrite import Misfit, Nodes, fresh, rebuilt
from wgsl_fuzz.wgsl.types import is_constructible, written
from wgsl_fuzz.wgsl.walk import descendants

_MOST = 3
"""So many statements at once."""


def outlined(subject: Subject) -> w.Module:
    """A call of a new function instead of some statements that nothing jumps out of.

    The variables that they touch are passed by pointer, those that they only read now and then by value, lets and
    parameters by value. No filter may be in force, since it would not reach the function.
    """

    def wanted(place: InsertionPoint) -> bool:
        s = place.statement
        return not place.filtered and not isinstance(s, w.BreakIf) and not jumps_out(s) and not returns(s)

    place = subject.pick(wanted)
    rest = place.block.statements[place.index : place.index + subject.source.integer(1, _MOST)]
    count = next((k for k, s in enumerate(rest) if isinstance(s, w.BreakIf) or jumps_out(s) or returns(s)), len(rest))
    statements = rest[:count]
    if is_seen_outside(subject, place, statements):
        raise Misfit
    passed = {id(d): _passed(subject, d, statements) for d in _needed(subject, place, statements)}
    pointers = {declared for declared, (_, argument) in passed.items() if isinstance(argument, w.Unary)}
    changes: dict[int, Nodes] = {
        id(node): w.Unary("*", w.Identifier(node.name))
        for s in statements
        for node in descendants(s)
        if isinstance(node, w.Identifier) and id(subject.resolution.declaration(node)) in pointers
    }
    name = subject.fresh("outlined")
    parameters, arguments = tuple([p for p, _ in passed.values()]), tuple([a for _, a in passed.values()])
    function = w.Function(name, parameters, rebuilt(w.Block(statements), changes))
    call = w.CallStatement(w.Call(w.Identifier(name), arguments))
    return subject.with_spliced(place, count, call, above=(function,))


def _needed(subject: Subject, place: InsertionPoint, statements: tuple[w.Statement, ...]) -> list[Declared]:
    """What statements use of what is declared in their function outside of them."""
    local = {id(p) for p in place.function.parameters}
    local |= {id(d) for d in descendants(place.function.body) if isinstance(d, w.Variable | w.Let | w.Const)}
    inside = [node for s in statements for node in descendants(s)]
    local -= {id(node) for node in inside}
    declared = [subject.resolution.declaration(node) for node in inside if isinstance(node, w.Identifier)]
    return [*{id(d): d for d in declared if d is not None and id(d) in local}.values()]


def _passed(
    subject: Subject, declared: Declared, statements: tuple[w.Statement, ...]
) -> tuple[w.Parameter, w.Expression]:
    """The parameter and the argument for a declaration. Raises Misfit if it cannot be passed."""
    name = declared.name
    if isinstance(declared, w.Parameter) and subject.resolution.pointer(declared) is not None:
        return w.Parameter(name, fresh(declared.type)), w.Identifier(name)
    type = subject.types.declared(declared)
    if type is None or not is_constructible(type):
        raise Misfit
    if isinstance(declared, w.Let) and subject.resolution.is_pointer(declared.value):
        raise Misfit
    is_variable = isinstance(declared, w.Variable)
    if is_variable and (id(declared) in touched(subject.resolution, *statements) or subject.source.percent(30)):
        pointer = w.Identifier("ptr", (w.Identifier("function"), written(type)))
        return w.Parameter(name, pointer), w.Unary("&", w.Identifier(name))
    return w.Parameter(name, written(type)), w.Identifier(name)


# ------------------------------------------------------------------------------------------------------------ inlining


def inlined(subject: Subject, *, with_pointers: bool = False) -> w.Module:
    """`let q = a; var r: T; { ss r = e; }` and `r` instead of a call `f(a)`, of `fn f(p: P) -> T { ss return e; }`.

    No parameter is a pointer or, `with_pointers`, some are: these become lets.
    """
    bodies = {id(f) for f in subject.functions() if _can_be_inlined(subject, f, with_pointers=with_pointers)}
    found = [
        (place, call)
        for place in subject.places.statements
        if not place.filtered and not has_filter(getattr(place.statement, "attributes", ()))
        for call in _calls(subject, place.statement)
        if id(f := subject.resolution.function(call)) in bodies
        and f is not None
        and subject.means_the_same(f, place)
        # no pointer to a part of a variable: a store in the callee keeps the other parts
        and all(not subject.resolution.is_pointer(a) or subject.resolution.is_full(a) for a in call.arguments)
    ]
    place, call = subject.one_of(found)
    f = subject.resolution.function(call)
    assert f is not None, "only calls of functions were collected"
    return subject.with_spliced(place, 1, *_inline(subject, f, call, place.statement))


def _can_be_inlined(subject: Subject, f: w.Function, *, with_pointers: bool) -> bool:
    """Whether its only `return` is its last statement, no filter is in force, and lets can be its parameters."""
    ss = f.body.statements
    before = ss[:-1] if ss and isinstance(ss[-1], w.Return) else ss
    if subject.resolution.entry_stage(f) is not None or returns(*before):
        return False
    if has_filter(f.attributes) or has_filter(f.body.attributes):
        return False
    pointers = [subject.resolution.pointer(p) is not None for p in f.parameters]
    rest = [p for p, is_pointer in zip(f.parameters, pointers, strict=True) if not is_pointer]
    return any(pointers) is with_pointers and all(is_constructible(subject.types.named(p.type)) for p in rest)


def _calls(subject: Subject, s: w.Statement) -> Iterator[w.Call]:
    """The calls in a statement that may as well happen just before it."""
    if isinstance(s, w.CallStatement):
        yield s.call
    if isinstance(s, w.Const):
        return
    for part in parts(subject.resolution, s):
        if isinstance(part.expression, w.Call) and can_come_first(subject.resolution, s, part):
            yield part.expression


def _inline(subject: Subject, f: w.Function, call: w.Call, s: w.Statement) -> Iterator[w.Statement]:
    """What takes the place of a statement with a call."""
    names = {id(p): subject.fresh(p.name) for p in f.parameters}
    for p, argument in zip(f.parameters, call.arguments, strict=True):
        yield w.Let(names[id(p)], fresh(p.type), argument)
    changes: dict[int, Nodes] = {
        id(node): w.Identifier(names[id(declared)])
        for node in descendants(f.body)
        if isinstance(node, w.Identifier) and id(declared := subject.resolution.declaration(node)) in names
    }
    *body, end = fresh(rebuilt(f.body, changes)).statements or (w.Return(),)
    if not isinstance(end, w.Return):
        body.append(end)
    value = end.value if isinstance(end, w.Return) else None
    if isinstance(s, w.CallStatement) and s.call is call:
        yield w.Block((*body, *([] if value is None else [w.Phony(value)])))
        return
    assert value is not None, "the value of a call is used"
    assert f.result is not None, "a function that returns a value has a type"
    r = subject.fresh("r")
    yield w.Variable(r, fresh(f.result))
    yield w.Block((*body, w.Assign("=", w.Identifier(r), value)))
    yield rebuilt(s, {id(call): w.Identifier(r)})
