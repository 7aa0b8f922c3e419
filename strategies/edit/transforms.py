"""The transformations behind the relations (`strategies.edit.relations`): each gives an unchecked shader, or None."""

from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from strategies.choices.source import Source
from strategies.edit.inlining import can_be_inlined, inlined
from tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    Convert,
    Expr,
    Function,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Shader,
    SharedAssign,
    SharedRead,
    Stmt,
    Type,
    Unary,
    Variable,
    expressions_in,
    expressions_of,
    type_of,
    walk_expr,
)
from tinywgsl.behaviour import NEXT, BehaviourAnalysis
from tinywgsl.printer import fresh_name
from tinywgsl.rewrite import (
    ExprPath,
    Place,
    block_at,
    checked,
    names_of,
    occurrences,
    places,
    rewritten,
    spliced,
    with_body,
    with_expression_at,
    with_function,
    with_mapped_expressions,
    zero,
)


class StatementPlace(NamedTuple):
    """A statement in the body of a shader's i-th function."""

    function: int
    place: Place
    statement: Stmt


class Occurrence(NamedTuple):
    """An expression of a statement."""

    spot: StatementPlace
    path: ExprPath
    expression: Expr


def _spots(shader: Shader, wanted: Callable[[Stmt], bool], *, fixed: bool = False) -> list[StatementPlace]:
    """The statements wanted; with `fixed` also those that must stay last in a loop's block."""
    return [
        StatementPlace(i, place, place.statement)
        for i, f in enumerate(shader.all_functions)
        for place in places(f.body)
        if place.statement is not None and (fixed or not place.fixed) and wanted(place.statement)
    ]


def _occurrences(shader: Shader, wanted: Callable[[Expr], bool]) -> list[Occurrence]:
    spots = _spots(shader, lambda s: bool(expressions_of(s)), fixed=True)
    return [Occurrence(spot, path, e) for spot in spots for path, e in occurrences(spot.statement) if wanted(e)]


def _gap(shader: Shader, source: Source) -> tuple[int, Place]:
    """Any place of any function."""
    return source.pick([(i, place) for i, f in enumerate(shader.all_functions) for place in places(f.body)])


def _put(shader: Shader, i: int, place: Place, new: Block, count: int = 0) -> Shader:
    """`new` in front of a place, or instead of `count` statements from there on."""
    return with_body(shader, i, spliced(shader.all_functions[i].body, place.path, count, new))


def _instead(shader: Shader, spot: StatementPlace, *new: Stmt) -> Shader:
    return _put(shader, spot.function, spot.place, new, 1)


def _with_expression(shader: Shader, at: Occurrence, new: Expr) -> Shader:
    return _instead(shader, at.spot, with_expression_at(at.spot.statement, at.path, new))


def _with_local(shader: Shader, i: int, type: Type) -> tuple[Shader, str]:
    """The shader with a fresh local in its i-th function."""
    f = shader.all_functions[i]
    name = fresh_name("t", names_of(shader))
    return with_function(shader, i, replace(f, locals=(*f.locals, Variable(name, type)))), name


def _is_source(e: Expr) -> bool:
    return isinstance(e, (Lid, SharedRead))


def _one(type: Type) -> Literal:
    return Literal(True if type is Type.BOOL else 1, type)


def _sources(shader: Shader, i: int) -> list[Expr]:
    """Each source of non-uniformity that the i-th function may read."""
    reads: list[Expr] = [SharedRead(a.name, zero(Type.U32), a.type) for a in shader.arrays]
    return reads if i < len(shader.functions) else [Lid(), *reads]


def _condition(source: Source, shader: Shader, i: int) -> Expr:
    """A bool of any uniformity: true, a variable, or a source."""
    f = shader.all_functions[i]
    variables: list[Expr] = [Local(v.name, v.type) for v in (*f.params, *f.locals)]
    e = source.pick([Literal(True, Type.BOOL), *variables, *_sources(shader, i)])
    return e if type_of(e) is Type.BOOL else Convert(Type.BOOL, e)


# ------------------------------------------------------------------------------------- sources, barriers, dead code


def without_sources(shader: Shader, _: Source) -> Shader | None:
    """Literals instead of all sources; where a compiler would refuse such a constant, variables nobody assigns."""
    if not any(_is_source(e) for f in shader.all_functions for e in expressions_in(f.body)):
        return None
    changed = shader.with_functions([_with_sources(f, _one) for f in shader.all_functions])
    if checked(shader, changed) is not None:
        return changed
    taken = names_of(shader)
    return shader.with_functions([_with_silent_variables(f, taken) for f in shader.all_functions])


def _with_silent_variables(f: Function, taken: set[str]) -> Function:
    names = {type: fresh_name(f"zero_{type.value}", taken) for type in Type}
    changed = _with_sources(f, lambda type: Local(names[type], type))
    return replace(changed, locals=(*f.locals, *[Variable(name, type) for type, name in names.items()]))


def _with_sources(f: Function, value: Callable[[Type], Expr]) -> Function:
    """The function with `value` of its type instead of every source."""

    def change(e: Expr) -> Expr | None:
        return value(type_of(e)) if _is_source(e) else None

    def statement(s: Stmt) -> Block:
        return (with_mapped_expressions(s, change),)

    return replace(f, body=rewritten(f.body, statement))


def lid_for_expression(shader: Shader, source: Source) -> Shader | None:
    """`lid`, converted, instead of an expression of `main`: mostly of a literal."""
    main = len(shader.functions)
    found = [at for at in _occurrences(shader, lambda e: not isinstance(e, Lid)) if at.spot.function == main]
    literals = [at for at in found if isinstance(at.expression, Literal)]
    if not found:
        return None
    at = source.pick(found if not literals or source.percent(30) else literals)
    type = type_of(at.expression)
    return _with_expression(shader, at, Lid() if type is Type.U32 else Convert(type, Lid()))


def literal_for_source(shader: Shader, source: Source) -> Shader | None:
    """One or zero instead of a source, in any function."""
    found = _occurrences(shader, _is_source)
    if not found:
        return None
    at = source.pick(found)
    type = type_of(at.expression)
    return _with_expression(shader, at, source.pick([_one(type), zero(type)]))


def barrier_removed(shader: Shader, source: Source) -> Shader | None:
    """One barrier less."""
    found = _spots(shader, lambda s: isinstance(s, Barrier))
    return _instead(shader, source.pick(found)) if found else None


def barrier_added(shader: Shader, source: Source) -> Shader:
    """One barrier more, anywhere."""
    return _put(shader, *_gap(shader, source), (Barrier(0),))


def dead_code(shader: Shader, source: Source) -> Shader | None:
    """A barrier, a barrier under a condition, or a copy of a statement, behind one that never goes on."""
    B = BehaviourAnalysis()
    found = _spots(shader, lambda s: not NEXT & B.statement(s))
    if not found:
        return None
    i, place, _ = source.pick(found)
    behind = place._replace(path=(*place.path[:-1], place.path[-1] + 1))
    guarded = If(_condition(source, shader, i), (Barrier(0),), ())
    same = [
        spot.statement for spot in _spots(shader, lambda _: True) if spot.function == i and _fits(spot.place, place)
    ]
    return _put(shader, i, behind, (source.pick([Barrier(0), guarded, *same]),))


def _fits(there: Place, here: Place) -> bool:
    """Whether the jumps legal at one place are legal at another."""
    return there.in_loop <= here.in_loop and there.may_return <= here.may_return


# ---------------------------------------------------------------------------------------------------------- calls


def call_inlined(shader: Shader, source: Source) -> Shader | None:
    """The callee's body instead of a call."""
    simple = {f.name for f in shader.functions if can_be_inlined(f)}
    found = _spots(shader, lambda s: isinstance(s, Call) and s.function in simple)
    if not found:
        return None
    i, place, call = source.pick(found)
    assert isinstance(call, Call), "only calls were asked for"
    return inlined(shader, i, place.path, call)


# ------------------------------------------------------------------------------------------------------ statements


def negated(shader: Shader, source: Source) -> Shader | None:
    """`if (!e) {ss2} else {ss1}` instead of `if (e) {ss1} else {ss2}`; a `break if` has no such other form."""
    found = _spots(shader, lambda s: isinstance(s, If))
    if not found:
        return None
    spot = source.pick(found)
    s = spot.statement
    assert isinstance(s, If), "only conditionals were asked for"
    return _instead(shader, spot, If(Unary("!", s.condition), s.orelse, s.then))


def wrapped_in_if(shader: Shader, source: Source) -> Shader | None:
    """`if (e) {s}` instead of `s`."""
    found = _spots(shader, lambda _: True)
    if not found:
        return None
    spot = source.pick(found)
    return _instead(shader, spot, If(_condition(source, shader, spot.function), (spot.statement,), ()))


def loop_once(shader: Shader, source: Source) -> Shader | None:
    """`loop {ss break continue}` instead of `ss`, some neighbours without a jump out of the loop but `return`.

    Most of these loops have a `continuing`, which is never reached.
    """
    found = _spots(shader, lambda s: not _jumps_out(s))
    if not found:
        return None
    spot = source.pick(found)
    rest = tuple(takewhile(lambda s: not _jumps_out(s), _rest(shader, spot)))[: source.integer(0, 5)]
    e = _condition(source, shader, spot.function)
    continuings: list[Block] = [(), (Barrier(0),), (If(e, (Barrier(0),), ()),), (If(e, (Break(),), ()),)]
    body: Block = (spot.statement, *rest, Break(), Continue(0))
    return _put(shader, spot.function, spot.place, (Loop(0, body, source.pick(continuings)),), 1 + len(rest))


def _jumps_out(s: Stmt) -> bool:
    """Whether a `break` or `continue` in `s` belongs to a loop around it."""
    if isinstance(s, If):
        return any(map(_jumps_out, (*s.then, *s.orelse)))
    return isinstance(s, (Break, Continue))


def continuing_moved(shader: Shader, source: Source) -> Shader | None:
    """`loop {ss1 ss2 continue}` instead of `loop {ss1 continue continuing {ss2}}`, without other `continue`s."""
    found = _spots(shader, _moves_on_at_its_end)
    if not found:
        return None
    spot = source.pick(found)
    s = spot.statement
    assert isinstance(s, Loop), "only loops were asked for"
    return _instead(shader, spot, Loop(s.id, (*s.body[:-1], *s.continuing, s.body[-1]), ()))


def _moves_on_at_its_end(s: Stmt) -> bool:
    return isinstance(s, Loop) and bool(s.continuing) and not any(map(_continues, s.body[:-1]))


def _continues(s: Stmt) -> bool:
    """Whether a `continue` in `s` belongs to a loop around it."""
    return any(map(_continues, (*s.then, *s.orelse))) if isinstance(s, If) else isinstance(s, Continue)


def named(shader: Shader, source: Source) -> Shader | None:
    """`t = e` in front of a statement, and `t` in it instead of its part `e`."""
    found = _occurrences(shader, lambda _: True)
    if not found:
        return None
    at = source.pick(found)
    type = type_of(at.expression)
    i = at.spot.function
    changed, t = _with_local(shader, i, type)
    changed = _with_expression(changed, at, Local(t, type))
    return _put(changed, i, at.spot.place, (Assign(t, at.expression),))


_MIRRORED = {op: op for op in ("+", "*", "&", "|", "^", "==", "!=", "&&", "||")}
_MIRRORED |= {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def mirrored(shader: Shader, source: Source) -> Shader | None:
    """`b op a` instead of `a op b`, or `b > a` instead of `a < b`."""
    found = _occurrences(shader, lambda e: isinstance(e, Binary) and e.op in _MIRRORED)
    if not found:
        return None
    at = source.pick(found)
    e = at.expression
    assert isinstance(e, Binary), "only binary operations were asked for"
    return _with_expression(shader, at, Binary(_MIRRORED[e.op], e.right, e.left))


def rest_in_else(shader: Shader, source: Source) -> Shader | None:
    """`if (e) {ss1} else {ss2 ss3}` instead of `if (e) {ss1} else {ss2} ss3`, where ss1 never goes on."""
    B = BehaviourAnalysis()
    found = [(spot, _rest(shader, spot)) for spot in _spots(shader, lambda s: isinstance(s, If))]
    found = [
        (spot, rest)
        for spot, rest in found
        if rest and isinstance(spot.statement, If) and not NEXT & B.block(spot.statement.then)
    ]
    if not found:
        return None
    spot, rest = source.pick(found)
    s = spot.statement
    assert isinstance(s, If), "only conditionals were asked for"
    new = If(s.condition, s.then, (*s.orelse, *rest))
    return _put(shader, spot.function, spot.place, (new,), 1 + len(rest))


def _rest(shader: Shader, spot: StatementPlace) -> Block:
    """What follows a statement in its block and may stand elsewhere: not what must stay last in a loop's block."""
    path = spot.place.path
    body = shader.all_functions[spot.function].body
    block = block_at(body, path)
    kept = len(path) > 1 and any(p.fixed and p.path == (*path[:-1], len(block) - 1) for p in places(body))
    return block[path[-1] + 1 : len(block) - kept]


def commuted(shader: Shader, source: Source) -> Shader | None:
    """Two simple statements, one behind the other, the other way round."""
    pairs = [
        (spot, rest[0])
        for spot in _spots(shader, _is_simple)
        if (rest := _rest(shader, spot)) and _is_simple(rest[0]) and _independent(spot.statement, rest[0])
    ]
    if not pairs:
        return None
    spot, second = source.pick(pairs)
    return _put(shader, spot.function, spot.place, (second, spot.statement), 2)


def _is_simple(s: Stmt) -> bool:
    return isinstance(s, (Assign, SharedAssign, Call, Barrier))


def _independent(one: Stmt, other: Stmt) -> bool:
    """Whether neither reads or writes a local that the other writes. Shared memory has no values in an analysis."""
    return _written(one).isdisjoint(_written(other) | _read(other)) and _written(other).isdisjoint(_read(one))


def _written(s: Stmt) -> set[str]:
    return {s.name} if isinstance(s, (Assign, Call)) else set()


def _read(s: Stmt) -> set[str]:
    return {e.name for root in expressions_of(s) for e in walk_expr(root) if isinstance(e, Local)}


def unread(shader: Shader, source: Source) -> Shader:
    """An assignment to a shared array, or to a fresh local, of any value."""
    i, place = _gap(shader, source)
    f = shader.all_functions[i]
    values = [*_sources(shader, i), *[Local(v.name, v.type) for v in (*f.params, *f.locals)]]
    value = source.pick([_one(Type.U32), *values])
    arrays = [a for a in shader.arrays if a.type is type_of(value)]
    if arrays and source.percent(70):
        return _put(shader, i, place, (SharedAssign(source.pick(arrays).name, zero(Type.U32), value),))
    changed, t = _with_local(shader, i, type_of(value))
    return _put(changed, i, place, (Assign(t, value),))
