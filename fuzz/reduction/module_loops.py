"""What may stand for a loop or a `switch`: a simpler loop, an `if`, its parts without the jumps that belong to it."""

from collections.abc import Iterator

from wgsl_fuzz.fuzz.reduction.module_context import Context
from wgsl_fuzz.fuzz.reduction.module_tree import fresh, statements, with_fields
from wgsl_fuzz.wgsl.syntax import (
    Binary,
    Block,
    Break,
    BreakIf,
    CallStatement,
    Clause,
    Continue,
    DefaultSelector,
    Expression,
    For,
    Identifier,
    If,
    Literal,
    Loop,
    Node,
    Return,
    Statement,
    Switch,
    Unary,
    While,
)
from wgsl_fuzz.wgsl.walk import descendants

Statements = tuple[Statement, ...]
_MOST_ROTATIONS = 8
_MOST_CALLS = 4
_LOOPS = Loop | While | For


def without_jumps(block: Block, *, breaks_only: bool = False) -> Statements:
    """The statements of a loop's body, or of a clause, without the jumps that belong to it."""

    def change(n: Node) -> Node | tuple[Node, ...] | None:
        if isinstance(n, _LOOPS | Expression):
            return n
        if isinstance(n, Switch):
            return n if breaks_only else _without_continues(n)
        if isinstance(n, Break | BreakIf):
            return ()
        return () if isinstance(n, Continue) and not breaks_only else None

    return statements(block, change)


def _without_continues(s: Switch) -> Switch:
    def change(n: Node) -> Node | tuple[Node, ...] | None:
        if isinstance(n, _LOOPS):
            return n
        return () if isinstance(n, Continue) else None

    clauses = tuple(with_fields(c, body=with_fields(c.body, statements=statements(c.body, change))) for c in s.clauses)
    return with_fields(s, clauses=clauses)


def _negated(e: Expression) -> Expression:
    return e.operand if isinstance(e, Unary) and e.operator == "!" else Unary("!", e)


def instead_of_loop(s: Loop | While | For) -> Iterator[Statements]:
    """Its parts, once; the same under a condition that decided about a jump; a simpler loop; the body twice."""
    body = without_jumps(s.body)
    before, after = _around(s)
    yield body
    yield after
    yield (*before, *body, *after)
    for deciding in _deciding(s):
        condition = fresh(deciding)
        yield (If(condition, Block((*body, *after))),)
        if before:
            yield (*before, If(condition, Block((*body, *after))))
        yield (*body, If(condition, Block(after)))
    yield from _simpler(s)
    yield from _rotated(s, (*body, *after))
    yield s.body.statements
    yield (*s.body.statements, *after)
    for instead in (Return(), Continue(), Break()):
        yield _with_jumps_as(s.body, instead)
    if len(body) <= 2:
        yield (*body, *after, *fresh(Block((*body, *after))).statements)


def _rotated(s: Loop | While | For, body: Statements) -> Iterator[Statements]:
    """What a loop does, in the order of its next iteration; what comes first in it under its condition."""
    condition = s.condition if isinstance(s, While | For) else None
    for i in range(1, min(len(body), _MOST_ROTATIONS)):
        yield (*body[i:], *body[:i])
        if condition is not None:
            yield (*body[i:], If(condition, Block(body[:i])))


def unrolled(s: Loop | While | For) -> Iterator[Statements]:
    """What a loop does, once, and a call of the next iteration behind that, under what decides about a jump."""
    calls = [n for n in descendants(s.body) if isinstance(n, CallStatement)]
    once = Block((*without_jumps(s.body), *_around(s)[1]))
    for call in calls[:_MOST_CALLS]:
        body = statements(once, lambda n: () if n is call else None)  # noqa: B023
        for condition in _deciding(s):
            yield (*body, If(fresh(condition), Block((fresh(call),))))


def _around(s: Loop | While | For) -> tuple[Statements, Statements]:
    """What a loop does first, and at the end of each iteration."""
    if isinstance(s, For):
        return (() if s.initial is None else (s.initial,)), (() if s.update is None else (s.update,))
    if isinstance(s, Loop) and s.continuing is not None:
        return (), without_jumps(s.continuing)
    return (), ()


def _deciding(s: Loop | While | For) -> Iterator[Expression]:
    """The conditions that end the loop, or under which something in it jumps."""
    if isinstance(s, While | For) and s.condition is not None:
        yield s.condition
    for n in descendants(s):
        if isinstance(n, BreakIf):
            yield n.condition
        if isinstance(n, If) and any(isinstance(inner, Break | Continue | Return) for inner in descendants(n)):
            yield n.condition


def _simpler(s: Loop | While | For) -> Iterator[Statements]:
    """A loop of a simpler sort."""
    match s:
        case For(initial=None, update=None) if s.condition is not None:
            yield (While(s.condition, s.body),)
        case For():
            before, after = _around(s)
            body = Block((*s.body.statements, *after))
            if s.condition is None:
                yield (*before, Loop(s.body, Block(after) if after else None))
                yield (*before, Loop(Block((*s.body.statements, *after, Break()))))
            else:
                yield (*before, While(s.condition, body))
                yield (*before, Loop(s.body, Block((*after, BreakIf(_negated(s.condition))))))
        case While():
            yield (Loop(s.body),)
            if len(s.body.statements) == 1 and isinstance(s.body.statements[0], If):
                yield (While(s.body.statements[0].condition, s.body.statements[0].then),)
            yield (Loop(s.body, Block((BreakIf(_negated(s.condition)),))),)
            yield (Loop(s.body, Block((BreakIf(s.condition),))),)
            yield (Loop(Block((*s.body.statements, Break()))),)
            yield (Loop(Block((If(s.condition, Block((Break(),))), *s.body.statements))),)
            yield (Loop(Block((If(_negated(s.condition), Block((Break(),))), *s.body.statements))),)
        case Loop(Block((If() as first, *rest)), None) if first.then.statements == (Break(),) and first.orelse is None:
            yield (While(_negated(first.condition), with_fields(s.body, statements=tuple(rest))),)
        case Loop() if s.continuing is not None:
            begin, end = s.body.statements[:1], s.continuing.statements[-1:]
            if begin and isinstance(begin[0], If):
                yield (While(begin[0].condition, Block((*begin[0].then.statements, *s.body.statements[1:]))),)
            if end and isinstance(end[0], BreakIf):
                yield (Loop(Block((*s.body.statements, *s.continuing.statements[:-1])), Block(end)),)
            yield (Loop(s.body),)
            if not any(isinstance(n, BreakIf) for n in s.continuing.statements):
                yield (Loop(Block((*s.body.statements, *s.continuing.statements))),)
            elif len(s.continuing.statements) == 1:
                only = s.continuing.statements[0]
                assert isinstance(only, BreakIf), "nothing else is there"
                yield (Loop(Block((*s.body.statements, If(only.condition, Block((Break(),)))))),)
            yield (Loop(Block((*s.body.statements, Break()))),)


def _with_jumps_as(block: Block, instead: Statement) -> Statements:
    """The body with another jump, or a block, for those that belong to the loop."""

    def change(n: Node) -> Node | None:
        if isinstance(n, _LOOPS):
            return n
        return fresh(instead) if isinstance(n, Break | Continue) else None

    return statements(block, change)


# ------------------------------------------------------------------------------------------------------------ switch


def instead_of_switch(ctx: Context, s: Switch) -> Iterator[Statements]:
    """The body of a clause, or an `if` with two of them."""
    bodies = [without_jumps(clause.body, breaks_only=True) for clause in s.clauses]
    yield from bodies
    if len(bodies) > 1:
        yield tuple(statement for body in bodies for statement in body)
    type = ctx.typing.of(s.selector)
    for clause, body in zip(s.clauses, bodies, strict=True):
        value = _selected(clause)
        other = next((b for c, b in zip(s.clauses, bodies, strict=True) if c is not clause), ())
        condition = Binary("==", s.selector, value if value is not None else Literal("0"))
        if type is not None:
            yield (If(condition, Block(body)),)
            yield (If(condition, Block(body), Block(other)),)
    yield from _shorter_switches(s)


def _selected(clause: Clause) -> Expression | None:
    found = next((e for e in clause.selectors if not isinstance(e, DefaultSelector | Identifier)), None)
    return None if found is None else fresh(found)


def _shorter_switches(s: Switch) -> Iterator[Statements]:
    """A clause less, what it did in none; and the default alone."""
    for i, clause in enumerate(s.clauses):
        if clause.selectors and not any(isinstance(e, DefaultSelector) for e in clause.selectors):
            yield (with_fields(s, clauses=(*s.clauses[:i], *s.clauses[i + 1 :])),)
        elif clause.selectors:
            yield (with_fields(s, clauses=(*s.clauses[:i], with_fields(clause, selectors=()), *s.clauses[i + 1 :])),)
        for j in range(i):
            earlier = s.clauses[j]
            merged = (*earlier.selectors, *clause.selectors)
            if earlier.selectors and clause.selectors:
                kept = (with_fields(earlier, selectors=merged), *s.clauses[j + 1 : i], *s.clauses[i + 1 :])
                yield (with_fields(s, clauses=(*s.clauses[:j], *kept)),)
