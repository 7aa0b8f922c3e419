"""Edits of statements: runs of them removed, simpler constructs, what is in them in their place."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, pairwise, product
from typing import TypeVar, assert_never

from wgsl_fuzz.fuzz.reduction.context import EXPRESSIONS, ZEROS, Context, Edit
from wgsl_fuzz.fuzz.reduction.size import weight_of
from wgsl_fuzz.strategies.edit.subject import as_block
from wgsl_fuzz.strategies.edit.tree import contains
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.rewrite import fresh, places, rebuilt, statements, with_fields
from wgsl_fuzz.wgsl.walk import descendants, free_jumps

_T = TypeVar("_T")
_N = TypeVar("_N", bound=w.Node)
_JUMPS = (w.Break, w.Continue, w.Return, w.Discard)
_NAMED = (w.Variable, w.Let, w.Const)
_MOST_VALUES = 4


def shorter(items: Sequence[_T], chunk: int) -> Iterator[tuple[_T, ...]]:
    """Every run of items taken out, last first."""
    for i in range(len(items) - chunk, -1, -1):
        yield (*items[:i], *items[i + chunk :])


def spared(ctx: Context, items: tuple[_N, ...], chunk: int) -> Iterator[tuple[_N, ...]]:
    """The same, where nothing else uses what is declared there."""
    for i in range(len(items) - chunk, -1, -1):
        if not ctx.is_missed(items[i : i + chunk]):
            yield (*items[:i], *items[i + chunk :])


def chunks(longest: int) -> Iterator[int]:
    """Lengths of runs, the longest first: halves of halves."""
    while longest:
        yield longest
        longest //= 2


def removals(ctx: Context) -> Iterator[Edit]:
    """Each block without some statements in a row, more of them first."""
    for chunk in chunks(max((len(b.statements) for _, b in ctx.blocks), default=0)):
        for place, block in ctx.blocks:
            for kept in spared(ctx, block.statements, chunk):
                yield partial(place.with_nodes, with_fields(block, statements=kept))


def replacements(ctx: Context) -> Iterator[Edit]:
    """Each statement with something simpler in its place."""
    for place, block in ctx.blocks:
        for i, s in enumerate(block.statements):
            before, after = block.statements[:i], block.statements[i + 1 :]
            for new in instead(ctx, s):
                if declares(s, new) or not ctx.is_missed((s,)):
                    yield partial(place.with_nodes, with_fields(block, statements=(*before, *new, *after)))
            if isinstance(s, w.If):
                for new in _without_its_jump(s, after):
                    yield partial(place.with_nodes, with_fields(block, statements=(*before, *new)))


def stores(ctx: Context) -> Iterator[Edit]:
    """Each statement with a call that gets the address of a variable: a store to it of another argument, or of zero."""
    for place in ctx.places:
        s = place.node
        if isinstance(s, (w.Variable, w.Let, w.Phony, w.CallStatement, w.Assign)) and not ctx.is_missed((s,)):
            for call in own_expressions(s):
                if isinstance(call, w.Call) and ctx.resolution.function(call) is not None:
                    yield from (partial(place.with_nodes, store) for store in _stores(ctx, call))


def _stores(ctx: Context, call: w.Call) -> Iterator[w.Assign]:
    for argument in call.arguments:
        if isinstance(argument, w.Unary) and argument.operator == "&":
            type = ctx.types.of(argument.operand)
            values = [fresh(a) for a in call.arguments if ctx.types.of(a) == type]
            zeros = [w.Literal(ZEROS[type][-1])] if type in ZEROS else []
            yield from (w.Assign("=", fresh(argument.operand), value) for value in (*values, *zeros))


def declares(s: w.Statement, new: tuple[w.Statement, ...]) -> bool:
    """Whether what stands for a statement declares a name if that does."""
    return not isinstance(s, _NAMED) or any(isinstance(n, _NAMED) for n in new)


# ------------------------------------------------------------------------------------------- instead of a statement


def instead(ctx: Context, s: w.Statement) -> Iterator[tuple[w.Statement, ...]]:
    """What may stand for a statement, the boldest first."""
    match s:
        case w.Block():
            yield s.statements
        case w.If():
            yield from _instead_of_if(ctx, s)
        case w.Switch():
            yield from instead_of_switch(ctx, s)
        case w.Loop() | w.While() | w.For():
            yield from instead_of_loop(s)
        case w.Assign():
            yield from _instead_of_assign(s)
        case w.Increment():
            yield (w.Assign("=", s.left, w.Literal("1")),)
        case w.Variable():
            yield from _instead_of_variable(ctx, s)
        case w.Let():
            if not ctx.resolution.is_pointer(s.value) and s.type is not None:
                yield (with_fields(s, type=None),)
            yield (w.Phony(s.value),)
        case w.Return() | w.Phony() | w.CallStatement():
            pass
        case w.Const() | w.BreakIf() | w.Break() | w.Continue() | w.Discard() | w.ConstAssert() | w.Empty():
            return
        case _:
            assert_never(s)
    yield from _calls_alone(ctx, s)


def _instead_of_if(ctx: Context, s: w.If) -> Iterator[tuple[w.Statement, ...]]:
    """One branch, both, one of them under the condition."""
    orelse = as_block(s.orelse).statements
    yield s.then.statements
    if s.orelse is None:
        yield from _nested(s)
        yield from _stored(ctx, s)
        return
    yield orelse
    yield (*s.then.statements, *orelse)
    yield (w.If(s.condition, s.then),)
    yield (w.If(s.condition, w.Block(orelse)),)
    yield (*orelse, w.If(s.condition, s.then))


def _stored(ctx: Context, s: w.If) -> Iterator[tuple[w.Statement, ...]]:
    """`if e { x = c; }` as `x = e`, or as a part of `e` with the type of `x`."""
    match s.then.statements:
        case (w.Assign(_, left),):
            able = (e for e in descendants(s.condition) if isinstance(e, EXPRESSIONS))
            of_type = (e for e in able if ctx.types.of(e) == ctx.types.of(left))
            yield from ((w.Assign("=", left, e),) for e in islice(of_type, _MOST_VALUES))


def _nested(s: w.If) -> Iterator[tuple[w.Statement, ...]]:
    """`if a && b` as `if a { if b`; `if a || b` as two."""
    match s.condition:
        case w.Binary("&&", left, right):
            yield (w.If(left, w.Block((w.If(right, s.then),))),)
        case w.Binary("||", left, right):
            yield (w.If(left, s.then), w.If(right, fresh(s.then)))
            yield (w.If(left, w.Block(()), w.Block((w.If(right, s.then),))),)


def _instead_of_assign(s: w.Assign) -> Iterator[tuple[w.Statement, ...]]:
    if s.operator != "=":
        yield (w.Assign("=", s.left, s.right),)
        yield (w.Assign("=", s.left, w.Binary(s.operator.removesuffix("="), fresh(s.left), s.right)),)


def _instead_of_variable(ctx: Context, s: w.Variable) -> Iterator[tuple[w.Statement, ...]]:
    """A variable as a `let`, without its value, or without its type."""
    if s.value is None:
        return
    yield (w.Phony(s.value),)
    type = ctx.types.of(s.value)
    if s.type is not None and type is not None and type == ctx.types.named(s.type):
        yield (with_fields(s, type=None),)
    if s.type is not None:
        yield (with_fields(s, value=None),)
    yield (w.Let(s.name, s.type, s.value),)


def _calls_alone(ctx: Context, s: w.Statement) -> Iterator[tuple[w.Statement, ...]]:
    """What a statement calls or calculates, and nothing else of it."""
    weight = weight_of(s)
    found = 0
    for n in own_expressions(s):
        if isinstance(n, w.Call) and not (isinstance(s, w.CallStatement) and n is s.call):
            function, builtin = ctx.resolution.function(n), ctx.resolution.builtin(n)
            if function is None and (builtin is None or builtin.constant):
                continue
            is_statement = function is not None or (builtin is not None and not builtin.must_use)
            alone: w.Statement = w.CallStatement(n) if is_statement else w.Phony(n)
            if weight_of(alone) < weight and found < _MOST_VALUES:
                found += 1
                yield (alone,)


def own_expressions(s: w.Statement) -> Iterator[w.Expression]:
    """The expressions of a statement, without those of the blocks in it; what is in the head of a `for` is last."""
    for name in ("left", "right", "value", "condition", "selector", "call"):
        head = getattr(s, name, None)
        if isinstance(head, EXPRESSIONS):
            yield from (n for n in descendants(head) if isinstance(n, EXPRESSIONS))
    if isinstance(s, w.For):
        for part in (s.initial, s.update):
            yield from () if part is None else own_expressions(part)


def _without_its_jump(s: w.If, rest: tuple[w.Statement, ...]) -> Iterator[tuple[w.Statement, ...]]:
    """`if e {a jump} else {b} c` as `if e {a} else {b c}`, with and without the last of `c`."""
    orelse = as_block(s.orelse).statements
    for mine, other, is_then in ((s.then.statements, orelse, True), (orelse, s.then.statements, False)):
        if not rest or not mine or not isinstance(mine[-1], _JUMPS):
            continue
        for last in (0, 1):
            moved, kept = (*other, *rest[: len(rest) - last]), rest[len(rest) - last :]
            one, two = (mine[:-1], moved) if is_then else (moved, mine[:-1])
            yield (w.If(s.condition, w.Block(one), w.Block(two) if two else None), *kept)


Statements = tuple[w.Statement, ...]
_MOST_ROTATIONS = 8


def without_jumps(block: w.Block, kinds: tuple[type[w.Node], ...] = (w.Break, w.BreakIf, w.Continue)) -> Statements:
    """The statements of a loop's body, or of a clause, without the jumps that belong to it."""
    gone = {id(n) for n in (*free_jumps(block), *block.statements) if isinstance(n, kinds)}
    return statements(block, lambda n: () if id(n) in gone else None)


def _negated(e: w.Expression) -> w.Expression:
    return e.operand if isinstance(e, w.Unary) and e.operator == "!" else w.Unary("!", e)


def instead_of_loop(s: w.Loop | w.While | w.For) -> Iterator[Statements]:
    """Its parts, once; the same under a condition that decided about a jump; a simpler loop."""
    body = without_jumps(s.body)
    before, after = _around(s)
    yield body
    yield after
    yield (*before, *body, *after)
    for deciding in _deciding(s):
        condition = fresh(deciding)
        yield (w.If(condition, w.Block((*body, *after))),)
        if before:
            yield (*before, w.If(condition, w.Block((*body, *after))))
    yield from _simpler(s)
    if isinstance(s, w.Loop) and s.continuing is None:
        yield from _with_continuing(s.body.statements)
    yield from _rotated(s, (*body, *after))
    yield s.body.statements
    yield (*s.body.statements, *after)


def _with_continuing(body: Statements) -> Iterator[Statements]:
    """A loop that jumps where a branch of it does; what it does otherwise is its `continuing`."""
    for i, s in enumerate(body):
        if isinstance(s, w.If):
            orelse = as_block(s.orelse).statements
            for jumping, other in ((s.then.statements, orelse), (orelse, s.then.statements)):
                if jumping and isinstance(jumping[-1], w.Break):
                    yield (w.Loop(w.Block((*body[:i], *jumping)), w.Block((*other, *body[i + 1 :]))),)


def _rotated(s: w.Loop | w.While | w.For, body: Statements) -> Iterator[Statements]:
    """What a loop does, in the order of its next iteration; what comes first in it under its condition."""
    condition = s.condition if isinstance(s, (w.While, w.For)) else None
    for i in range(1, min(len(body), _MOST_ROTATIONS)):
        yield (*body[i:], *body[:i])
        if condition is not None:
            yield (*body[i:], w.If(condition, w.Block(body[:i])))


def _around(s: w.Loop | w.While | w.For) -> tuple[Statements, Statements]:
    """What a loop does first, and at the end of each iteration."""
    if isinstance(s, w.For):
        return (() if s.initial is None else (s.initial,)), (() if s.update is None else (s.update,))
    if isinstance(s, w.Loop) and s.continuing is not None:
        return (), without_jumps(s.continuing)
    return (), ()


def _deciding(s: w.Loop | w.While | w.For) -> Iterator[w.Expression]:
    """The conditions that end the loop, or under which something in it jumps."""
    if isinstance(s, (w.While, w.For)) and s.condition is not None:
        yield s.condition
    for n in descendants(s):
        if isinstance(n, w.BreakIf):
            yield n.condition
        if isinstance(n, w.If) and any(isinstance(inner, (w.Break, w.Continue, w.Return)) for inner in descendants(n)):
            yield n.condition


def _simpler(s: w.Loop | w.While | w.For) -> Iterator[Statements]:
    """A loop of a simpler sort."""
    match s:
        case w.For(initial=None, update=None) if s.condition is not None:
            yield (w.While(s.condition, s.body),)
        case w.For():
            before, after = _around(s)
            if s.condition is None:
                yield (*before, w.Loop(s.body, w.Block(after) if after else None))
                for condition, body in _headed(s.body):
                    yield (with_fields(s, condition=condition, body=body),)
            else:
                yield (*before, w.While(s.condition, w.Block((*s.body.statements, *after))))
                yield (*before, w.Loop(s.body, w.Block((*after, w.BreakIf(_negated(s.condition))))))
        case w.While():
            yield (w.Loop(s.body),)
            if len(s.body.statements) == 1 and isinstance(s.body.statements[0], w.If):
                yield (w.While(s.body.statements[0].condition, s.body.statements[0].then),)
            yield (w.Loop(s.body, w.Block((w.BreakIf(_negated(s.condition)),))),)
            yield (w.Loop(w.Block((*s.body.statements, w.Break()))),)
        case w.Loop(_, None):
            yield from ((w.While(condition, body),) for condition, body in _headed(s.body))
        case w.Loop():
            assert s.continuing is not None, "the other ones are above"
            begin, end = s.body.statements[:1], s.continuing.statements[-1:]
            if begin and isinstance(begin[0], w.If):
                yield (w.While(begin[0].condition, w.Block((*begin[0].then.statements, *s.body.statements[1:]))),)
            if end and isinstance(end[0], w.BreakIf):
                yield (w.Loop(w.Block((*s.body.statements, *s.continuing.statements[:-1])), w.Block(end)),)
            yield (w.Loop(s.body),)
            if not any(isinstance(n, w.BreakIf) for n in s.continuing.statements):
                yield (w.Loop(w.Block((*s.body.statements, *s.continuing.statements))),)
            yield (w.Loop(w.Block((*s.body.statements, w.Break()))),)


def _headed(body: w.Block) -> Iterator[tuple[w.Expression, w.Block]]:
    """Of the body of a loop that first of all may be left: the condition to stay, and the others of its statements."""
    match body.statements:
        case (w.If(condition, w.Block((w.Break(),)), None), *others):
            yield _negated(condition), with_fields(body, statements=tuple(others))


# ------------------------------------------------------------------------------------------------------------ switch


def instead_of_switch(ctx: Context, s: w.Switch) -> Iterator[Statements]:
    """The body of a clause, or an `if` with two of them."""
    bodies = [without_jumps(clause.body, (w.Break,)) for clause in s.clauses]
    yield from bodies
    if len(bodies) > 1:
        yield tuple(statement for body in bodies for statement in body)
    type = ctx.types.of(s.selector)
    for clause, body in zip(s.clauses, bodies, strict=True):
        found = next((e for e in clause.selectors if not isinstance(e, (w.DefaultSelector, w.Identifier))), None)
        other = next((b for c, b in zip(s.clauses, bodies, strict=True) if c is not clause), ())
        condition = w.Binary("==", s.selector, w.Literal("0") if found is None else fresh(found))
        if type is not None:
            yield (w.If(condition, w.Block(body)),)
            yield (w.If(condition, w.Block(body), w.Block(other)),)


# ------------------------------------------------------------------------- moves, for when no other edit helps any more


def moved(ctx: Context) -> Iterator[Edit]:
    """What stands behind a loop or a branch at the start or the end of it instead, and one statement less in it.

    Of an `if` also its branch alone; and the same with what may stand for the loop or the branch.
    """
    for place, block in ctx.blocks:
        for i, (s, following) in enumerate(pairwise(block.statements)):
            alone = following.then.statements if isinstance(following, w.If) else ()
            for behind, forms in product(filter(None, ((following,), alone)), ((s,), *instead(ctx, s))):
                for within, new in _holding(forms, behind):
                    changed = (*block.statements[:i], *within, *block.statements[i + 2 :])
                    yield partial(place.with_nodes, with_fields(block, statements=changed))
                    if forms == (s,):
                        yield from _less_one(place.with_nodes(with_fields(block, statements=changed)), new)


def _holding(statements: Statements, more: Statements) -> Iterator[tuple[Statements, Statements]]:
    """Some statements with more at the start or the end of a body in them; and the statements of that body."""
    for s in statements:
        for body in _bodies(s):
            for new in ((*more, *body.statements), (*body.statements, *more)):
                changed = rebuilt(s, {id(body): with_fields(body, statements=new)})
                yield tuple(changed if one is s else one for one in statements), new


def _less_one(module: w.Module, within: tuple[w.Statement, ...]) -> Iterator[Edit]:
    wanted = {id(n) for s in within for n in descendants(s)}
    for place in places(module):
        if place.field == "statements" and id(place.node) in wanted:
            yield place.with_nodes


def _bodies(s: w.Statement) -> Iterator[w.Block]:
    match s:
        case w.Loop() | w.While() | w.For():
            yield s.body
        case w.If():
            yield s.then
        case w.Switch():
            yield from (clause.body for clause in s.clauses)


def put(ctx: Context) -> Iterator[Edit]:
    """Each statement in the place of another one."""
    statements = [p.node for p in ctx.places if isinstance(p.node, w.Statement) and p.field == "statements"]
    for one in statements:
        for other in statements:
            if not (ctx.is_missed((other,)) or contains(one, other) or contains(other, one)):
                yield partial(rebuilt, ctx.module, {id(one): (), id(other): one})


MOVES = {"moved": moved, "put": put}
"""The kinds of edits that take two steps at once."""
