"""The transformations behind the relations (`strategies.edit.relations`): each gives an unchecked shader, or None."""

from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from wgsl_fuzz.strategies.choices.source import Source
from wgsl_fuzz.strategies.edit.inlining import can_be_inlined, inlined
from wgsl_fuzz.tinywgsl.ast import (
    ASSIGNED,
    READ,
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
    Simple,
    Stmt,
    Type,
    Unary,
    Variable,
    expressions_in,
    expressions_of,
    is_source,
    names_in,
    names_in_expr,
    type_of,
    walk_outside_loops,
)
from wgsl_fuzz.tinywgsl.behaviour import NEXT, BehaviourAnalysis
from wgsl_fuzz.tinywgsl.printer import fresh_name
from wgsl_fuzz.tinywgsl.rewrite import (
    ExprPath,
    Place,
    Site,
    block_at,
    checked,
    names_of,
    occurrences,
    one,
    places,
    rewritten,
    sites,
    with_expression_at,
    with_function,
    with_mapped_expressions,
    with_spliced,
    with_spliced_site,
    zero,
)


class Occurrence(NamedTuple):
    """An expression of a statement."""

    spot: Site
    path: ExprPath
    expression: Expr


def _spots(shader: Shader, wanted: Callable[[Stmt], bool], *, fixed: bool = False) -> list[Site]:
    """The statements wanted; with `fixed` also those that must stay last in a loop's block."""
    return [
        site
        for site in sites(shader)
        if site.place.statement is not None and (fixed or not site.place.fixed) and wanted(site.place.statement)
    ]


def _occurrences(shader: Shader, wanted: Callable[[Expr], bool]) -> list[Occurrence]:
    spots = _spots(shader, lambda s: bool(expressions_of(s)), fixed=True)
    return [Occurrence(spot, path, e) for spot in spots for path, e in occurrences(spot.statement) if wanted(e)]


def _instead(shader: Shader, spot: Site, *new: Stmt) -> Shader:
    return with_spliced_site(shader, spot, 1, *new)


def _with_expression(shader: Shader, at: Occurrence, new: Expr) -> Shader:
    return _instead(shader, at.spot, with_expression_at(at.spot.statement, at.path, new))


def _with_local(shader: Shader, i: int, type: Type) -> tuple[Shader, str]:
    """The shader with a fresh local in its i-th function."""
    f = shader.all_functions[i]
    name = fresh_name("t", names_of(shader))
    return with_function(shader, i, replace(f, locals=(*f.locals, Variable(name, type)))), name


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
    if not any(is_source(e) for f in shader.all_functions for e in expressions_in(f.body)):
        return None
    changed = shader.with_functions([_with_sources(f, one) for f in shader.all_functions])
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
        return value(type_of(e)) if is_source(e) else None

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
    found = _occurrences(shader, is_source)
    if not found:
        return None
    at = source.pick(found)
    type = type_of(at.expression)
    return _with_expression(shader, at, source.pick([one(type), zero(type)]))


def barrier_removed(shader: Shader, source: Source) -> Shader | None:
    """One barrier less."""
    found = _spots(shader, lambda s: isinstance(s, Barrier))
    return _instead(shader, source.pick(found)) if found else None


def barrier_added(shader: Shader, source: Source) -> Shader:
    """One barrier more, anywhere."""
    return with_spliced_site(shader, source.pick(sites(shader)), 0, Barrier(0))


def dead_code(shader: Shader, source: Source) -> Shader | None:
    """A barrier, a barrier under a condition, or a copy of a statement, behind one that never goes on."""
    B = BehaviourAnalysis()
    found = _spots(shader, lambda s: not NEXT & B.statement(s))
    if not found:
        return None
    i, place = source.pick(found)
    behind = (*place.path[:-1], place.path[-1] + 1)
    guarded = If(_condition(source, shader, i), (Barrier(0),), ())
    same = [
        spot.statement for spot in _spots(shader, lambda _: True) if spot.function == i and _fits(spot.place, place)
    ]
    return with_spliced(shader, i, behind, 0, (source.pick([Barrier(0), guarded, *same]),))


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
    spot = source.pick(found)
    assert isinstance(spot.statement, Call), "only calls were asked for"
    return inlined(shader, spot.function, spot.place.path, spot.statement)


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
    return with_spliced_site(shader, spot, 1 + len(rest), Loop(0, body, source.pick(continuings)))


def _jumps_out(s: Stmt) -> bool:
    """Whether a `break` or `continue` in `s` belongs to a loop around it."""
    return any(isinstance(inner, Break | Continue) for inner in walk_outside_loops((s,)))


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
    if not isinstance(s, Loop) or not s.continuing:
        return False
    return not any(isinstance(inner, Continue) for inner in walk_outside_loops(s.body[:-1]))


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
    return with_spliced_site(changed, at.spot, 0, Assign(t, at.expression))


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
    return with_spliced_site(shader, spot, 1 + len(rest), If(s.condition, s.then, (*s.orelse, *rest)))


def _rest(shader: Shader, spot: Site) -> Block:
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
    return with_spliced_site(shader, spot, 2, second, spot.statement)


def _is_simple(s: Stmt) -> bool:
    return isinstance(s, Simple)


def _independent(one: Stmt, other: Stmt) -> bool:
    """Whether neither reads or writes a local that the other writes. Shared memory has no values in an analysis."""
    return _written(one).isdisjoint(_written(other) | _read(other)) and _written(other).isdisjoint(_read(one))


def _written(s: Stmt) -> set[str]:
    return set(names_in(s, ASSIGNED))


def _read(s: Stmt) -> set[str]:
    return {name for e in expressions_of(s) for name in names_in_expr(e, READ)}


def unread(shader: Shader, source: Source) -> Shader:
    """An assignment to a shared array, or to a fresh local, of any value."""
    site = source.pick(sites(shader))
    i = site.function
    f = shader.all_functions[i]
    values = [*_sources(shader, i), *[Local(v.name, v.type) for v in (*f.params, *f.locals)]]
    value = source.pick([one(Type.U32), *values])
    arrays = [a for a in shader.arrays if a.type is type_of(value)]
    if arrays and source.percent(70):
        return with_spliced_site(shader, site, 0, SharedAssign(source.pick(arrays).name, zero(Type.U32), value))
    changed, t = _with_local(shader, i, type_of(value))
    return with_spliced_site(changed, site, 0, Assign(t, value))
