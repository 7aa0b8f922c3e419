"""What the rows of `mutation` do to expressions, assignments, statements, jumps and requirements."""

from collections.abc import Callable, Collection
from dataclasses import replace

from wgsl_fuzz.strategies.edit.atoms import Atom, atoms, one, parts_of, values
from wgsl_fuzz.strategies.edit.places import InsertionPoint, Part, PartRole
from wgsl_fuzz.strategies.edit.subject import (
    COMPARISONS,
    TRUTH,
    Subject,
    as_block,
    is_inert,
    is_movable,
    returns,
)
from wgsl_fuzz.strategies.edit.tree import contains
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.resolution import Space
from wgsl_fuzz.wgsl.rewrite import Misfit, fresh, rebuilt
from wgsl_fuzz.wgsl.walk import descendants

_COMMUTE = frozenset({"+", "*", "&", "|", "^", "==", "!=", "-", "&&", "||", *COMPARISONS})


def condition(subject: Subject, place: InsertionPoint, inside: w.Statement | None = None) -> w.Expression:
    """A bool: a value of the place, or one compared with another or a literal; at times two of them.

    If it goes inside of a statement of the place, it names nothing that is hidden in there. Where every way is tried,
    it reads one value: another is a further mutation.
    """
    hidden = {n.name for n in descendants(inside) if isinstance(n, w.Variable | w.Let | w.Const)} if inside else set()
    first = _simple_condition(subject, place, hidden)
    if not subject.source.tries_all and subject.source.percent(20):
        return w.Binary(subject.source.pick(("&&", "||")), first, _simple_condition(subject, place, hidden))
    return first


def _simple_condition(subject: Subject, place: InsertionPoint, hidden: Collection[str] = ()) -> w.Expression:
    usable = [atom for atom in atoms(subject.places, place) if not atom.constant and atom.declared.name not in hidden]
    found = [atom for atom in usable if atom.type in (vt.BOOL, vt.U32, vt.I32, vt.F32)]
    if not found:
        return w.Literal("true")
    atom = subject.source.pick(found)
    if atom.type == vt.BOOL:
        plain = subject.source.tries_all or subject.source.percent(70)
        return atom.new() if plain else w.Unary("!", atom.new())
    others: list[w.Expression] = [a.new() for a in found if a.type == atom.type and a is not atom]
    literal = one(atom.type)
    assert literal is not None, "there are literals of scalars"
    if subject.source.tries_all:
        return w.Binary("==", atom.new(), literal)
    right = subject.source.pick(others) if others and subject.source.percent(30) else literal
    return w.Binary(subject.source.pick(COMPARISONS), atom.new(), right)


# --------------------------------------------------------------------------------------------- parts of statements


def _replaceable(subject: Subject, part: Part) -> vt.Type | None:
    """The type of a part that another value of its type can stand for."""
    if part.role is not PartRole.VALUE:
        return None
    type = subject.types.of(part.expression)
    return type if vt.is_constructible(type) else None


def replaced_by_atom(subject: Subject, *, sources_only: bool = False) -> w.Module:
    """A value of the place, or a source of non-uniformity, instead of any expression of its type."""
    place, part = subject.pick_part(lambda _, part: _replaceable(subject, part) is not None)
    type = _replaceable(subject, part)
    assert type is not None, "its type was asked for"
    fitting = [a for a in values(subject.places, place, type) if not a.constant and (a.source or not sources_only)]
    return subject.changed({id(part.expression): subject.one_of(fitting).new()})


def operands_swapped(subject: Subject) -> w.Module:
    """`b op a` instead of `a op b`; calls in them change places, too."""

    def wanted(_: InsertionPoint, part: Part) -> bool:
        e = part.expression
        if not isinstance(e, w.Binary) or e.operator not in _COMMUTE or part.role is not PartRole.VALUE:
            return False
        left, right = subject.types.of(e.left), subject.types.of(e.right)
        return left is not None and left == right and not vt.is_abstract(left) and not isinstance(left, vt.Matrix)

    e = subject.pick_part(wanted)[1].expression
    assert isinstance(e, w.Binary), "only operators were asked for"
    if isinstance(e.left, w.Literal) or isinstance(e.right, w.Literal):
        raise Misfit
    return subject.changed({id(e): w.Binary(e.operator, e.right, e.left)})


def operator_changed(subject: Subject) -> w.Module:
    """Another comparison, or `||` instead of `&&`."""

    def wanted(_: InsertionPoint, part: Part) -> bool:
        e = part.expression
        if not isinstance(e, w.Binary) or part.role is not PartRole.VALUE or e.operator not in TRUTH:
            return False
        left = subject.types.of(e.left)
        return left in (vt.U32, vt.I32, vt.F32) or (left == vt.BOOL and e.operator in ("&&", "||"))

    e = subject.pick_part(wanted)[1].expression
    assert isinstance(e, w.Binary), "only operators were asked for"
    others = [op for op in (("&&", "||") if e.operator in ("&&", "||") else COMPARISONS) if op != e.operator]
    return subject.changed({id(e): w.Binary(subject.source.pick(others), e.left, e.right)})


def short_circuited(subject: Subject) -> w.Module:
    """`e && c` or `c || e` instead of a bool `e`, with a condition of the place."""
    place, part = subject.pick_part(lambda _, part: _replaceable(subject, part) == vt.BOOL)
    pair = [part.expression, _simple_condition(subject, place)]
    left, right = pair if subject.source.percent(50) else pair[::-1]
    return subject.changed({id(part.expression): w.Binary(subject.source.pick(("&&", "||")), left, right)})


# ----------------------------------------------------------------------------------------------------- assignments


def assignment_inserted(subject: Subject) -> w.Module:
    """`x = v;` anywhere, `x` any reference of the place that can be written."""
    place = subject.one_of(subject.places.all)
    targets = [a for a in atoms(subject.places, place) if a.writable]
    target = subject.one_of(targets)
    return subject.with_spliced(place, 0, w.Assign("=", target.new(), _value(subject, place, target)))


def _value(subject: Subject, place: InsertionPoint, target: Atom) -> w.Expression:
    """A value for a target: another of its type, or a literal."""
    found: list[w.Expression] = [a.new() for a in values(subject.places, place, target.type)]
    literal = one(target.type)
    if literal is not None and (not found or subject.source.percent(30)):
        return literal
    return subject.one_of(found)


def retargeted(subject: Subject) -> w.Module:
    """Another reference of the same type on the left of an assignment."""

    found = [
        (place, s, targets)
        for place in subject.places.statements
        if isinstance(s := place.statement, w.Assign)
        for type in [subject.types.of(s.left)]
        if (targets := [a for a in atoms(subject.places, place) if a.writable and a.type == type])
    ]
    place, s, targets = subject.one_of(found)
    return subject.with_spliced(place, 1, replace(s, left=subject.source.pick(targets).new()))


def made_partial(subject: Subject) -> w.Module:
    """`x.m = (e).m` instead of `x = e`, of a vector, an array or a structure."""

    def both_parts(s: w.Assign) -> list[tuple[w.Expression, w.Expression]]:
        type = subject.types.of(s.left)
        if s.operator != "=" or type is None or type != subject.types.of(s.right):
            return []
        pairs = zip(parts_of(s.left, type), parts_of(s.right, type), strict=True)
        return [(left, right) for (left, _), (right, _) in pairs]

    place, s = subject.at(w.Assign, lambda s: bool(both_parts(s)))
    return subject.with_spliced(place, 1, w.Assign("=", *subject.source.pick(both_parts(s))))


def made_compound(subject: Subject) -> w.Module:
    """`x += e` instead of `x = e`, or another such operator, and the other way round."""

    def wanted(s: w.Assign) -> bool:
        if s.operator not in ("=", "+=", "-=", "*="):
            return False
        type = subject.types.of(s.left)
        return type in (vt.U32, vt.I32, vt.F32) and subject.types.of(s.right) == type

    place, s = subject.at(w.Assign, wanted)
    operator = subject.source.pick(("+=", "-=", "*=")) if s.operator == "=" else "="
    return subject.with_spliced(place, 1, replace(s, operator=operator))


def value_ignored(subject: Subject) -> w.Module:
    """`_ = e;` instead of an assignment of `e`: the variable keeps its value."""

    place, s = subject.at(w.Assign, lambda s: subject.types.of(s.right) is not None)
    return subject.with_spliced(place, 1, w.Phony(s.right))


def in_two_steps(subject: Subject) -> w.Module:
    """A second assignment of the same kind behind one, of another value."""
    place, s = subject.at(w.Assign)
    type = subject.types.of(s.left)
    found = [] if type is None else [a for a in values(subject.places, place, type) if not a.constant]
    new = w.Assign("=", fresh(s.left), subject.one_of(found).new())
    return subject.with_spliced(replace(place, index=place.index + 1), 0, new)


MOST_NESTING = 10


def deleted(subject: Subject) -> w.Module:
    """Nothing instead of a statement."""
    place = subject.pick(lambda _: True)
    return subject.with_spliced(place, 1)


# ------------------------------------------------------------------------------------------------- moved and copied


def _fits(subject: Subject, s: w.Statement, here: InsertionPoint) -> bool:
    """Whether a statement of the same function means the same at another place, and its jumps may stand there."""
    return here.takes_jumps_of(s) and (here.returns or not returns(s)) and subject.means_the_same(s, here)


def _target(subject: Subject, place: InsertionPoint) -> InsertionPoint:
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
    return subject.one_of(found)


def copied_elsewhere(subject: Subject) -> w.Module:
    """A statement a second time, anywhere in its function."""
    place, s = subject.statement(is_movable)
    return subject.with_spliced(_target(subject, place), 0, fresh(s))


def moved(subject: Subject, wanted: Callable[[w.Statement], bool] = is_movable) -> w.Module:
    """A statement elsewhere in its function."""
    place, s = subject.statement(wanted)
    there = subject.with_spliced(_target(subject, place), 0, fresh(s))
    return rebuilt(there, {id(s): ()})


def requirement_moved(subject: Subject) -> w.Module:
    """A statement whose call may require uniformity elsewhere in its function."""
    calls = w.CallStatement | w.Assign | w.Phony
    return moved(subject, lambda s: isinstance(s, calls) and not is_inert(subject.resolution, s))


def swapped(subject: Subject) -> w.Module:
    """Two statements of a function in each other's place."""
    place, s = subject.statement(is_movable)
    found = [
        here
        for here in subject.places.statements
        if here.function is place.function
        and is_movable(here.statement)
        and not contains(s, here.statement)
        and not contains(here.statement, s)
        and _fits(subject, s, here)
        and _fits(subject, here.statement, place)
    ]
    other = subject.one_of(found).statement
    return subject.changed({id(s): fresh(other), id(other): fresh(s)})


# ------------------------------------------------------------------------------------------------ wrapped, unwrapped


def _wrapped(subject: Subject) -> tuple[InsertionPoint, w.Block]:
    place = subject.pick(lambda place: is_movable(place.statement) and place.depth < MOST_NESTING)
    return place, w.Block((place.statement,))


def wrapped_in_if(subject: Subject) -> w.Module:
    """`if c {s}`, or with `s` in the `else`."""
    place, block = _wrapped(subject)
    c = condition(subject, place)
    new = w.If(c, block) if subject.source.percent(70) else w.If(c, w.Block(()), block)
    return subject.with_spliced(place, 1, new)


def wrapped_in_loop(subject: Subject) -> w.Module:
    """A `loop`, `while` or `for` around a statement."""
    place, block = _wrapped(subject)
    c = condition(subject, place)
    form = subject.source.pick(("loop", "while", "for", "counted", "broken"))
    if form == "loop":
        return subject.with_spliced(place, 1, w.Loop(block, w.Block((w.BreakIf(c),))))
    if form == "while":
        return subject.with_spliced(place, 1, w.While(c, block))
    if form == "for":
        return subject.with_spliced(place, 1, w.For(None, c, None, block))
    if form == "broken":
        leave = w.If(c, w.Block((w.Break(),)))
        return subject.with_spliced(place, 1, w.Loop(w.Block((*block.statements, leave))))
    name = subject.fresh("i")
    first = w.Variable(name, None, w.Literal("0u"))
    found_limits = [a.new() for a in values(subject.places, place, vt.U32)]
    limit: w.Expression = subject.source.pick([w.Literal("4u"), *found_limits])
    test = w.Binary("<", w.Identifier(name), limit)
    return subject.with_spliced(place, 1, w.For(first, test, w.Increment("++", w.Identifier(name)), block))


def wrapped_in_switch(subject: Subject) -> w.Module:
    """`switch v { case 0u {s} default {} }`, or with `s` in the default clause; at times it breaks."""
    place, block = _wrapped(subject)
    selectors = [a.new() for a in values(subject.places, place, vt.U32) if not a.constant]
    selector: w.Expression = subject.source.pick(selectors) if selectors else w.Literal("0u")
    other = w.Block((w.If(condition(subject, place), w.Block((w.Break(),))),) if subject.source.percent(30) else ())
    bodies = (block, other) if subject.source.percent(50) else (other, block)
    clauses = (w.Clause((w.Literal("0u"),), bodies[0]), w.Clause((), bodies[1]))
    return subject.with_spliced(place, 1, w.Switch(selector, clauses))


def unwrapped(subject: Subject) -> w.Module:
    """What is inside a statement instead of it, as a block."""

    def inside(s: w.Statement) -> list[w.Block]:
        match s:
            case w.If():
                return [s.then, *([as_block(s.orelse)] if s.orelse is not None else [])]
            case w.Switch():
                return [clause.body for clause in s.clauses]
            case w.Loop() | w.While() | w.For():
                return [s.body]
            case _:
                return []

    place = subject.pick(lambda place: bool(inside(place.statement)))
    return subject.with_spliced(place, 1, subject.source.pick(inside(place.statement)))


def branches_exchanged(subject: Subject) -> w.Module:
    """`then` and `else` swapped."""
    place, s = subject.at(w.If)
    return subject.with_spliced(place, 1, replace(s, then=as_block(s.orelse), orelse=s.then))


def clauses_exchanged(subject: Subject) -> w.Module:
    """The bodies of two clauses of a `switch` in each other's place."""

    place, s = subject.at(w.Switch, lambda s: len(s.clauses) > 1)
    k = subject.source.integer(0, len(s.clauses) - 2)
    one_clause, other = s.clauses[k], s.clauses[k + 1]
    pair = (replace(one_clause, body=other.body), replace(other, body=one_clause.body))
    return subject.with_spliced(place, 1, replace(s, clauses=(*s.clauses[:k], *pair, *s.clauses[k + 2 :])))


# --------------------------------------------------------------------------------------------------------- loops


def break_if_changed(subject: Subject) -> w.Module:
    """A loop's `break if` added, taken away, or with another condition."""
    place, s = subject.at(w.Loop)
    old = s.continuing.statements if s.continuing is not None else ()
    attributes = s.continuing.attributes if s.continuing is not None else ()
    rest = old[:-1] if old and isinstance(old[-1], w.BreakIf) else old
    if len(rest) < len(old) and subject.source.percent(30):
        return subject.with_spliced(place, 1, replace(s, continuing=w.Block(rest, attributes)))
    new = w.Block((*rest, w.BreakIf(condition(subject, place, s))), attributes)
    return subject.with_spliced(place, 1, replace(s, continuing=new))


def continuing_changed(subject: Subject) -> w.Module:
    """The last statement of a loop's body moved into its `continuing`, or the first of that to the end of the body."""

    place, s = subject.at(w.Loop, lambda s: bool(s.body.statements))
    later = s.continuing if s.continuing is not None else w.Block(())
    body = s.body.statements
    if later.statements and not isinstance(later.statements[0], w.BreakIf) and subject.source.percent(50):
        first, *rest = later.statements
        new = replace(
            s, body=replace(s.body, statements=(*body, first)), continuing=replace(later, statements=tuple(rest))
        )
    else:
        moved_there = replace(later, statements=(body[-1], *later.statements))
        new = replace(s, body=replace(s.body, statements=body[:-1]), continuing=moved_there)
    return subject.with_spliced(place, 1, new)


# --------------------------------------------------------------------------------------------------------- jumps


def _jumps(subject: Subject, place: InsertionPoint) -> list[w.Statement]:
    jumps: list[w.Statement] = [w.Break()] if place.breaks else []
    if place.continues:
        jumps.append(w.Continue())
    if place.returns:
        result = place.function.result
        if result is None:
            jumps.append(w.Return())
        else:
            type = subject.types.named(result)
            found: list[w.Expression] = [] if type is None else [a.new() for a in values(subject.places, place, type)]
            literal = None if type is None else one(type)
            found += [] if literal is None else [literal]
            jumps += map(w.Return, subject.some_of(found))
    return jumps


def jump_inserted(subject: Subject) -> w.Module:
    """`if c { jump }` anywhere, or the jump alone."""
    found = [(place, jumps) for place in subject.places.all if (jumps := _jumps(subject, place))]
    place, jumps = subject.one_of(found)
    jump = subject.source.pick(jumps)
    if not subject.source.percent(20):
        jump = w.If(condition(subject, place), w.Block((jump,)))
    return subject.with_spliced(place, 0, jump)


def jump_changed(subject: Subject) -> w.Module:
    """Another jump that is legal there."""
    place = subject.pick(lambda place: isinstance(place.statement, w.Break | w.Continue | w.Return))
    others = [jump for jump in _jumps(subject, place) if type(jump) is not type(place.statement)]
    return subject.with_spliced(place, 1, subject.one_of(others))


# -------------------------------------------------------------------------------------------------- requirements


def trigger_inserted(subject: Subject) -> w.Module:
    """A call that requires uniform control flow, anywhere its stages allow; at times under a condition."""
    found = [(place, some) for place in subject.places.all if (some := _triggers(subject, place))]
    place, some = subject.one_of(found)
    trigger = subject.source.pick(some)
    if subject.source.percent(40):
        trigger = w.If(condition(subject, place), w.Block((trigger,)))
    return subject.with_spliced(place, 0, trigger)


def _triggers(subject: Subject, place: InsertionPoint) -> list[w.Statement]:
    stages = {stage.value for stage in subject.resolution.stages(place.function)}
    calls: list[w.Call] = []

    def offer(name: str, *arguments: w.Expression) -> None:
        if name not in place.visible:
            calls.append(w.Call(w.Identifier(name), arguments))

    if stages <= {"compute"}:
        offer("workgroupBarrier")
        for name, declared in place.visible.items():
            of_workgroup = isinstance(declared, w.Variable) and subject.resolution.space(declared) is Space.WORKGROUP
            if of_workgroup and vt.is_constructible(subject.types.declared(declared)):
                offer("workgroupUniformLoad", w.Unary("&", w.Identifier(name)))
    if stages == {"fragment"}:
        floats = [a.new() for a in values(subject.places, place, vt.F32)]
        for argument in subject.some_of([w.Literal("1.0"), *floats]):
            offer("dpdx", argument)
    if "subgroups" in subject.resolution.extensions and "vertex" not in stages:
        numbers = [a.new() for a in values(subject.places, place, vt.U32)]
        for argument in subject.some_of([w.Literal("1u"), *numbers]):
            offer("subgroupAdd", argument)
        offer("subgroupElect")
    return [w.CallStatement(c) if c.callee.name.endswith("Barrier") else w.Phony(c) for c in calls]
