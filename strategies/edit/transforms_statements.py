"""Relations' transformations of statements: another form, another place, something around them."""

from dataclasses import replace

from wgsl_fuzz.strategies.edit.atoms import values
from wgsl_fuzz.strategies.edit.places import InsertionPoint
from wgsl_fuzz.strategies.edit.subject import (
    Subject,
    as_block,
    breaks_out,
    calls_functions,
    independent,
    is_declaration,
    is_movable,
    jumps_out,
    neighbours,
)
from wgsl_fuzz.strategies.edit.tree import has_filter
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import NEXT
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.rewrite import Misfit, fresh
from wgsl_fuzz.wgsl.types import BOOL, I32, U32
from wgsl_fuzz.wgsl.walk import descendants, free_jumps

_MOST = 4
"""So many statements are put into a loop at once."""

# ------------------------------------------------------------------------------------------------------ other forms


def switch_for_if(subject: Subject) -> w.Module:
    """`switch select(0u, 1u, c) { case 1u {..} default {..} }` instead of `if c {..} else {..}`."""

    place, s = subject.at(w.If, lambda s: not breaks_out(s.then, as_block(s.orelse)))
    selector: w.Expression = w.Call(w.Identifier("u32"), (s.condition,))
    if "select" not in place.visible and subject.source.percent(50):
        selector = w.Call(w.Identifier("select"), (w.Literal("0u"), w.Literal("1u"), s.condition))
    clauses = (w.Clause((w.Literal("1u"),), s.then), w.Clause((), as_block(s.orelse)))
    if subject.source.percent(30):
        clauses = (
            w.Clause((w.DefaultSelector(), w.Literal("1u")), s.then),
            w.Clause((w.Literal("0u"),), as_block(s.orelse)),
        )
    return subject.with_spliced(place, 1, w.Switch(selector, clauses, s.attributes))


def if_for_switch(subject: Subject) -> w.Module:
    """A chain of `if`s that compare a let with the selectors instead of a `switch` without `break`."""

    def wanted(s: w.Switch) -> bool:
        if has_filter(s.attributes) or has_filter(s.body_attributes):
            return False
        return not breaks_out(*(c.body for c in s.clauses)) and subject.types.of(s.selector) in (I32, U32)

    place, s = subject.at(w.Switch, wanted)
    name = subject.fresh("s")
    chain: w.Block | w.If | None = None
    for clause in s.clauses:
        if not clause.selectors or any(isinstance(e, w.DefaultSelector) for e in clause.selectors):
            chain = clause.body
    for clause in reversed(s.clauses):
        tests = [
            w.Binary("==", w.Identifier(name), e) for e in clause.selectors if not isinstance(e, w.DefaultSelector)
        ]
        if len(tests) == len(clause.selectors) and tests:
            condition: w.Expression = tests[0]
            for test in tests[1:]:
                condition = w.Binary("||", condition, test)
            chain = w.If(condition, clause.body, chain)
    if not isinstance(chain, w.If):  # only a default clause, whose control flow still depends on the selector
        raise Misfit
    return subject.with_spliced(place, 1, w.Let(name, None, s.selector), chain)


def loop_for_for(subject: Subject) -> w.Module:
    """`{ i; loop { if !c {break;} {..} continuing {u} } }` instead of `for (i; c; u) {..}`, as 9.4.3 defines it."""
    place = subject.pick(lambda place: isinstance(place.statement, w.For | w.While))
    s = place.statement
    assert isinstance(s, w.For | w.While), "only these loops were asked for"
    leave = () if s.condition is None else (w.If(w.Unary("!", s.condition), w.Block((w.Break(),))),)
    body = w.Block((*leave, s.body))
    if isinstance(s, w.While):
        return subject.with_spliced(place, 1, w.Loop(body, None, s.attributes))
    continuing = None if s.update is None else w.Block((s.update,))
    first = () if s.initial is None else (s.initial,)
    return subject.with_spliced(place, 1, w.Block((*first, w.Loop(body, continuing)), s.attributes))


def for_for_while(subject: Subject) -> w.Module:
    """`for (; c;) {..}` instead of `while c {..}`, and the other way round."""

    def wanted(place: InsertionPoint) -> bool:
        s = place.statement
        bare = isinstance(s, w.For) and s.initial is None and s.update is None and s.condition is not None
        return bare or isinstance(s, w.While)

    place = subject.pick(wanted)
    s = place.statement
    assert isinstance(s, w.For | w.While), "only these were asked for"
    assert s.condition is not None, "a loop without a condition was not asked for"
    if isinstance(s, w.While):
        return subject.with_spliced(place, 1, w.For(None, s.condition, None, s.body, s.attributes))
    return subject.with_spliced(place, 1, w.While(s.condition, s.body, s.attributes))


def continuing_moved(subject: Subject) -> w.Module:
    """`loop {ss1 {ss2 if c {break;}}}` instead of `loop {ss1 continuing {ss2 break if c;}}`, without other jumps there.

    The `continuing` must be reached: the behaviours of a loop have those of its `continuing` in any case.
    """

    def wanted(s: w.Loop) -> bool:
        if s.continuing is None:
            return False
        body = _without_continue(s)
        leads_there = NEXT & subject.behaviours.behaviour(body)
        return bool(leads_there) and not any(isinstance(jump, w.Continue) for jump in free_jumps(body))

    place, s = subject.at(w.Loop, wanted)
    assert s.continuing is not None, "only those with a continuing"
    moved = s.continuing.statements
    if moved and isinstance(last := moved[-1], w.BreakIf):
        moved = (*moved[:-1], w.If(last.condition, w.Block((w.Break(),))))
    body = _without_continue(s)
    longer = replace(body, statements=(*body.statements, w.Block(moved, s.continuing.attributes)))
    return subject.with_spliced(place, 1, replace(s, body=longer, continuing=None))


def _without_continue(s: w.Loop) -> w.Block:
    """The body of a loop without the `continue` at its end."""
    ss = s.body.statements
    return replace(s.body, statements=ss[:-1]) if ss and isinstance(ss[-1], w.Continue) else s.body


def compound_expanded(subject: Subject) -> w.Module:
    """`x = x op e` instead of `x op= e`; `x = x + 1` instead of `x++`; nothing in them calls a function."""

    def wanted(place: InsertionPoint) -> bool:
        s = place.statement
        if not isinstance(s, w.Assign | w.Increment) or s.operator == "=":
            return False
        return not calls_functions(subject.resolution, s)

    place = subject.pick(wanted)
    s = place.statement
    assert isinstance(s, w.Assign | w.Increment), "only these were asked for"
    right = w.Literal("1") if isinstance(s, w.Increment) else s.right
    operator = s.operator[0] if isinstance(s, w.Increment) else s.operator[:-1]
    return subject.with_spliced(place, 1, w.Assign("=", s.left, w.Binary(operator, fresh(s.left), right)))


def negated(subject: Subject) -> w.Module:
    """`if !c {..2} else {..1}` instead of `if c {..1} else {..2}`."""
    place, s = subject.at(w.If)
    new = w.If(w.Unary("!", s.condition), as_block(s.orelse), s.then, s.attributes)
    return subject.with_spliced(place, 1, new)


# ------------------------------------------------------------------------------------------- something around them


def in_block(subject: Subject) -> w.Module:
    """`{s}` instead of `s`."""
    place, s = subject.statement(is_movable)
    return subject.with_spliced(place, 1, w.Block((s,)))


def in_switch(subject: Subject) -> w.Module:
    """`switch 0u { default {s} }` instead of `s`, which does not break out."""
    place, s = subject.statement(lambda s: is_movable(s) and not breaks_out(s))
    return subject.with_spliced(place, 1, w.Switch(w.Literal("0u"), (w.Clause((), w.Block((s,))),)))


def in_loop(subject: Subject) -> w.Module:
    """`loop {ss break;}` instead of `ss`, some neighbours without a jump out of the loop but `return`.

    Most of these loops have a `continuing`, which is never reached.
    """
    place, _ = subject.statement(lambda s: is_movable(s) and not jumps_out(s))
    ss = neighbours(subject, place, subject.source.integer(1, _MOST))
    c = w.Literal("true") if any(map(is_declaration, ss)) else some_condition(subject, place)
    ends: list[w.Block | None] = [None, w.Block((w.BreakIf(c),)), w.Block((w.If(c, w.Block(())),))]
    if _may_have_barrier(subject, place):
        ends.append(w.Block((_barrier(),)))
    return subject.with_spliced(place, len(ss), w.Loop(w.Block((*ss, w.Break())), subject.source.pick(ends)))


def in_if(subject: Subject) -> w.Module:
    """`if c {s}` instead of `s`; the condition is a value of the place, or true."""
    place, s = subject.statement(is_movable)
    return subject.with_spliced(place, 1, w.If(some_condition(subject, place), w.Block((s,))))


def some_condition(subject: Subject, place: InsertionPoint) -> w.Expression:
    """A bool of any uniformity."""
    of_bool = [atom.new() for atom in values(subject.places, place, BOOL)]
    compared = [w.Binary("==", atom.new(), w.Literal("0u")) for atom in values(subject.places, place, U32)]
    return subject.source.pick([w.Literal("true"), *of_bool, *compared])


# ---------------------------------------------------------------------------------------------------- more or less


def empty_if(subject: Subject) -> w.Module:
    """`if c {}` anywhere: control flow is after it what it was before."""
    place = subject.one_of(subject.places.all)
    return subject.with_spliced(place, 0, w.If(some_condition(subject, place), w.Block(())))


def discarded(subject: Subject) -> w.Module:
    """`discard;` in a fragment shader: its behaviour is {Next}."""
    places = [p for p in subject.places.all if {s.value for s in subject.resolution.stages(p.function)} == {"fragment"}]
    return subject.with_spliced(subject.one_of(places), 0, w.Discard())


def barrier_removed(subject: Subject) -> w.Module:
    """One barrier less."""

    def wanted(s: w.CallStatement) -> bool:
        builtin = subject.resolution.builtin(s.call)
        return builtin is not None and builtin.name.endswith("Barrier")

    return subject.with_spliced(subject.at(w.CallStatement, wanted)[0], 1, w.Empty())


def barrier_added(subject: Subject) -> w.Module:
    """One barrier more, in a function that only compute shaders reach."""
    places = [p for p in subject.places.all if _may_have_barrier(subject, p)]
    return subject.with_spliced(subject.one_of(places), 0, _barrier())


def _may_have_barrier(subject: Subject, place: InsertionPoint) -> bool:
    return subject.resolution.stages(place.function) <= {Stage.COMPUTE}


def _barrier() -> w.Statement:
    return w.CallStatement(w.Call(w.Identifier("workgroupBarrier"), ()))


def dead_code(subject: Subject) -> w.Module:
    """A copy of an earlier statement of the block, or a barrier, or an `if`, behind one that never goes on."""
    place = subject.pick(lambda place: not NEXT & subject.behaviours.behaviour(place.statement))
    dead = [fresh(s) for s in place.block.statements[: place.index + 1] if not is_declaration(s)]
    dead += [_barrier()] if _may_have_barrier(subject, place) else []
    guarded = [w.If(some_condition(subject, place), w.Block((fresh(s),))) for s in dead]
    behind = replace(place, index=place.index + 1)
    return subject.with_spliced(behind, 0, subject.source.pick([*dead, *guarded]))


def rest_in_else(subject: Subject) -> w.Module:
    """`if c {..1} else {..2}` instead of `if c {..1} ..2`, where the first never goes on."""

    def wanted(place: InsertionPoint) -> bool:
        s = place.statement
        rest = place.block.statements[place.index + 1 :]
        if not isinstance(s, w.If) or s.orelse is not None or not rest or isinstance(rest[-1], w.BreakIf):
            return False
        attributes = tuple(n for n in descendants(s) if isinstance(n, w.Attribute))
        return not NEXT & subject.behaviours.behaviour(s.then) and not has_filter(attributes)

    place = subject.pick(wanted)
    s, rest = place.statement, place.block.statements[place.index + 1 :]
    assert isinstance(s, w.If), "only conditionals were asked for"
    return subject.with_spliced(place, 1 + len(rest), replace(s, orelse=w.Block(rest)))


# ------------------------------------------------------------------------------------------------------------ order


def commuted(subject: Subject) -> w.Module:
    """Two statements without blocks, one behind the other, the other way round."""

    def wanted(place: InsertionPoint) -> bool:
        ss = place.block.statements
        if place.index + 1 == len(ss):
            return False
        return independent(subject.resolution, ss[place.index], ss[place.index + 1])

    place = subject.pick(wanted)
    return subject.with_spliced(place, 2, place.block.statements[place.index + 1], place.statement)
