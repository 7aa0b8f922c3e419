"""Mutations of statements: one deleted, moved, copied, wrapped, or a jump or a requirement where none was."""

from dataclasses import replace

from wgsl_fuzz.strategies.modules.edit.atoms import one, values
from wgsl_fuzz.strategies.modules.edit.mutation_expressions import condition
from wgsl_fuzz.strategies.modules.edit.places import Place
from wgsl_fuzz.strategies.modules.edit.subject import Subject, as_block, free_jumps, is_declaration, returns
from wgsl_fuzz.strategies.modules.edit.tree import contains, copied, rebuilt
from wgsl_fuzz.wgsl.resolution import Space
from wgsl_fuzz.wgsl.syntax import (
    Binary,
    Block,
    Break,
    BreakIf,
    Call,
    CallStatement,
    Clause,
    Continue,
    Expression,
    For,
    Identifier,
    If,
    Increment,
    Literal,
    Loop,
    Module,
    Phony,
    Return,
    Statement,
    Switch,
    Unary,
    Variable,
    While,
)
from wgsl_fuzz.wgsl.value_types import F32, U32
from wgsl_fuzz.wgsl.walk import descendants

MOST_NESTING = 10


def _movable(place: Place) -> bool:
    return not is_declaration(place.statement) and not isinstance(place.statement, BreakIf)


def deleted(subject: Subject) -> Module | None:
    """Nothing instead of a statement."""
    place = subject.pick(lambda _: True)
    return None if place is None else subject.with_spliced(place, 1)


# ------------------------------------------------------------------------------------------------- moved and copied


def _fits(subject: Subject, s: Statement, here: Place) -> bool:
    """Whether a statement of the same function means the same at another place, and its jumps may stand there."""
    jumps = list(free_jumps(s))
    if any(isinstance(jump, Break) for jump in jumps) and not here.breaks:
        return False
    if any(isinstance(jump, Continue) for jump in jumps) and not here.continues:
        return False
    if not here.returns and returns(s):
        return False
    inner = {id(node) for node in descendants(s)}
    for node in descendants(s):
        if isinstance(node, Identifier):
            declared = subject.resolution.declaration(node)
            if declared is None:
                if node.name in here.visible and node.name not in subject.places.top:
                    return False
            elif id(declared) not in inner and here.visible.get(node.name) is not declared:
                return False
    return True


def _target(subject: Subject, place: Place) -> Place | None:
    """Another place of its function where a statement can stand."""
    s = place.statement
    found = [
        here
        for here in subject.places.all
        if here.function is place.function
        and not (here.block is place.block and here.index in (place.index, place.index + 1))
        and not contains(s, here.block)
        and _fits(subject, s, here)
    ]
    return subject.source.pick(found) if found else None


def copied_elsewhere(subject: Subject) -> Module | None:
    """A statement a second time, anywhere in its function."""
    place = subject.pick(_movable)
    here = None if place is None else _target(subject, place)
    if place is None or here is None:
        return None
    return subject.with_spliced(here, 0, copied(place.statement))


def moved(subject: Subject) -> Module | None:
    """A statement elsewhere in its function."""
    place = subject.pick(_movable)
    here = None if place is None else _target(subject, place)
    if place is None or here is None:
        return None
    there = subject.with_spliced(here, 0, copied(place.statement))
    return rebuilt(there, {id(place.statement): ()})


def swapped(subject: Subject) -> Module | None:
    """Two statements of a function in each other's place."""
    place = subject.pick(_movable)
    if place is None:
        return None
    s = place.statement
    found = [
        here
        for here in subject.places.statements
        if here.function is place.function
        and _movable(here)
        and not contains(s, here.statement)
        and not contains(here.statement, s)
        and _fits(subject, s, here)
        and _fits(subject, here.statement, place)
    ]
    if not found:
        return None
    other = subject.source.pick(found).statement
    return subject.changed({id(s): copied(other), id(other): copied(s)})


# ------------------------------------------------------------------------------------------------ wrapped, unwrapped


def _wrapped(subject: Subject) -> tuple[Place, Block] | None:
    place = subject.pick(lambda place: _movable(place) and place.depth < MOST_NESTING)
    return None if place is None else (place, Block((place.statement,)))


def wrapped_in_if(subject: Subject) -> Module | None:
    """`if c {s}`, or with `s` in the `else`."""
    found = _wrapped(subject)
    if found is None:
        return None
    place, block = found
    c = condition(subject, place)
    new = If(c, block) if subject.source.percent(70) else If(c, Block(()), block)
    return subject.with_spliced(place, 1, new)


def wrapped_in_loop(subject: Subject) -> Module | None:
    """A `loop`, `while` or `for` around a statement."""
    found = _wrapped(subject)
    if found is None:
        return None
    place, block = found
    c = condition(subject, place)
    form = subject.source.pick(("loop", "while", "for", "counted", "broken"))
    if form == "loop":
        return subject.with_spliced(place, 1, Loop(block, Block((BreakIf(c),))))
    if form == "while":
        return subject.with_spliced(place, 1, While(c, block))
    if form == "for":
        return subject.with_spliced(place, 1, For(None, c, None, block))
    if form == "broken":
        leave = If(c, Block((Break(),)))
        return subject.with_spliced(place, 1, Loop(Block((*block.statements, leave))))
    name = subject.fresh("i")
    first = Variable(name, None, Literal("0u"))
    found_limits = [a.new() for a in values(subject.places, place, U32)]
    limit: Expression = subject.source.pick([Literal("4u"), *found_limits])
    test = Binary("<", Identifier(name), limit)
    return subject.with_spliced(place, 1, For(first, test, Increment("++", Identifier(name)), block))


def wrapped_in_switch(subject: Subject) -> Module | None:
    """`switch v { case 0u {s} default {} }`, or with `s` in the default clause; at times it breaks."""
    found = _wrapped(subject)
    if found is None:
        return None
    place, block = found
    selectors = [a.new() for a in values(subject.places, place, U32) if not a.constant]
    selector: Expression = subject.source.pick(selectors) if selectors else Literal("0u")
    other = Block((If(condition(subject, place), Block((Break(),))),) if subject.source.percent(30) else ())
    bodies = (block, other) if subject.source.percent(50) else (other, block)
    clauses = (Clause((Literal("0u"),), bodies[0]), Clause((), bodies[1]))
    return subject.with_spliced(place, 1, Switch(selector, clauses))


def unwrapped(subject: Subject) -> Module | None:
    """What is inside a statement instead of it, as a block."""

    def inside(s: Statement) -> list[Block]:
        match s:
            case If():
                return [s.then, *([as_block(s.orelse)] if s.orelse is not None else [])]
            case Switch():
                return [clause.body for clause in s.clauses]
            case Loop() | While() | For():
                return [s.body]
            case _:
                return []

    place = subject.pick(lambda place: bool(inside(place.statement)))
    if place is None:
        return None
    return subject.with_spliced(place, 1, subject.source.pick(inside(place.statement)))


def branches_exchanged(subject: Subject) -> Module | None:
    """`then` and `else` swapped."""
    place = subject.pick(lambda place: isinstance(place.statement, If))
    if place is None:
        return None
    s = place.statement
    assert isinstance(s, If), "only conditionals were asked for"
    return subject.with_spliced(place, 1, replace(s, then=as_block(s.orelse), orelse=s.then))


def clauses_exchanged(subject: Subject) -> Module | None:
    """The bodies of two clauses of a `switch` in each other's place."""

    def wanted(place: Place) -> bool:
        return isinstance(place.statement, Switch) and len(place.statement.clauses) > 1

    place = subject.pick(wanted)
    if place is None:
        return None
    s = place.statement
    assert isinstance(s, Switch), "only switches were asked for"
    k = subject.source.integer(0, len(s.clauses) - 2)
    one_clause, other = s.clauses[k], s.clauses[k + 1]
    pair = (replace(one_clause, body=other.body), replace(other, body=one_clause.body))
    return subject.with_spliced(place, 1, replace(s, clauses=(*s.clauses[:k], *pair, *s.clauses[k + 2 :])))


# --------------------------------------------------------------------------------------------------------- loops


def break_if_changed(subject: Subject) -> Module | None:
    """A loop's `break if` added, taken away, or with another condition."""
    place = subject.pick(lambda place: isinstance(place.statement, Loop))
    if place is None:
        return None
    s = place.statement
    assert isinstance(s, Loop), "only loops were asked for"
    old = s.continuing.statements if s.continuing is not None else ()
    attributes = s.continuing.attributes if s.continuing is not None else ()
    rest = old[:-1] if old and isinstance(old[-1], BreakIf) else old
    if len(rest) < len(old) and subject.source.percent(30):
        return subject.with_spliced(place, 1, replace(s, continuing=Block(rest, attributes)))
    new = Block((*rest, BreakIf(condition(subject, place, s))), attributes)
    return subject.with_spliced(place, 1, replace(s, continuing=new))


def continuing_changed(subject: Subject) -> Module | None:
    """The last statement of a loop's body moved into its `continuing`, or the first of that to the end of the body."""

    def wanted(place: Place) -> bool:
        s = place.statement
        return isinstance(s, Loop) and bool(s.body.statements)

    place = subject.pick(wanted)
    if place is None:
        return None
    s = place.statement
    assert isinstance(s, Loop), "only loops were asked for"
    later = s.continuing if s.continuing is not None else Block(())
    body = s.body.statements
    if later.statements and not isinstance(later.statements[0], BreakIf) and subject.source.percent(50):
        first, *rest = later.statements
        new = replace(
            s, body=replace(s.body, statements=(*body, first)), continuing=replace(later, statements=tuple(rest))
        )
    else:
        moved_there = replace(later, statements=(body[-1], *later.statements))
        new = replace(s, body=replace(s.body, statements=body[:-1]), continuing=moved_there)
    return subject.with_spliced(place, 1, new)


# --------------------------------------------------------------------------------------------------------- jumps


def _jumps(subject: Subject, place: Place) -> list[Statement]:
    jumps: list[Statement] = [Break()] if place.breaks else []
    if place.continues:
        jumps.append(Continue())
    if place.returns:
        result = place.function.result
        if result is None:
            jumps.append(Return())
        else:
            type = subject.types.named(result)
            found: list[Expression] = [] if type is None else [a.new() for a in values(subject.places, place, type)]
            literal = None if type is None else one(type)
            found += [] if literal is None else [literal]
            jumps += [Return(subject.source.pick(found))] if found else []
    return jumps


def jump_inserted(subject: Subject) -> Module | None:
    """`if c { jump }` anywhere, or the jump alone."""
    found = [(place, jumps) for place in subject.places.all if (jumps := _jumps(subject, place))]
    if not found:
        return None
    place, jumps = subject.source.pick(found)
    jump = subject.source.pick(jumps)
    if not subject.source.percent(20):
        jump = If(condition(subject, place), Block((jump,)))
    return subject.with_spliced(place, 0, jump)


def jump_changed(subject: Subject) -> Module | None:
    """Another jump that is legal there."""
    place = subject.pick(lambda place: isinstance(place.statement, Break | Continue | Return))
    if place is None:
        return None
    others = [jump for jump in _jumps(subject, place) if type(jump) is not type(place.statement)]
    return subject.with_spliced(place, 1, subject.source.pick(others)) if others else None


# -------------------------------------------------------------------------------------------------- requirements


def trigger_inserted(subject: Subject) -> Module | None:
    """A call that requires uniform control flow, anywhere its stages allow; at times under a condition."""
    found = [(place, some) for place in subject.places.all if (some := _triggers(subject, place))]
    if not found:
        return None
    place, some = subject.source.pick(found)
    trigger = subject.source.pick(some)
    if subject.source.percent(40):
        trigger = If(condition(subject, place), Block((trigger,)))
    return subject.with_spliced(place, 0, trigger)


def _triggers(subject: Subject, place: Place) -> list[Statement]:
    stages = {stage.value for stage in subject.resolution.stages(place.function)}
    calls: list[Call] = []

    def offer(name: str, *arguments: Expression) -> None:
        if name not in place.visible:
            calls.append(Call(Identifier(name), arguments))

    if stages <= {"compute"}:
        offer("workgroupBarrier")
        for name, declared in place.visible.items():
            of_workgroup = isinstance(declared, Variable) and subject.resolution.space(declared) is Space.WORKGROUP
            if of_workgroup and subject.types.is_constructible(subject.types.declared(declared)):
                offer("workgroupUniformLoad", Unary("&", Identifier(name)))
    if stages == {"fragment"}:
        floats = [a.new() for a in values(subject.places, place, F32)]
        offer("dpdx", subject.source.pick([Literal("1.0"), *floats]))
    if "subgroups" in subject.resolution.extensions and "vertex" not in stages:
        numbers = [a.new() for a in values(subject.places, place, U32)]
        offer("subgroupAdd", subject.source.pick([Literal("1u"), *numbers]))
        offer("subgroupElect")
    return [CallStatement(c) if c.callee.name.endswith("Barrier") else Phony(c) for c in calls]
