"""Mutation: a shader near another one. One row a mutation, with the places where it applies.

Edits keep types by construction; what else may go wrong (a loop that nothing leaves any more, a constant that a
compiler refuses) is found by `checked`, and then the next row is tried.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from wgsl_fuzz.strategies.choices.source import Source, Table
from wgsl_fuzz.strategies.edit.grafting import grafted
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Break,
    Compound,
    Continue,
    Convert,
    Expr,
    Function,
    If,
    Jump,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    SharedRead,
    Stmt,
    Type,
    Unary,
    blocks_of,
    expressions_of,
    is_break_if,
    is_source,
    type_of,
)
from wgsl_fuzz.tinywgsl.rewrite import (
    ExprPath,
    Site,
    block_at,
    checked,
    occurrences,
    one,
    places,
    sites,
    with_expression_at,
    with_spliced,
    with_spliced_site,
    zero,
)

MOST_STATEMENTS = 60
"""Larger shaders do not grow: a corpus that feeds on itself would."""
MOST_NESTING = 8

_MUTATION = 41  # span label
_STEPS = Table([(1, 5), (2, 3), (3, 2)])


class Mutator:
    """One shader about to be mutated, and what its edits draw from."""

    def __init__(self, shader: Shader, source: Source, donor: Shader) -> None:
        self.shader = shader
        self.source = source
        self.donor = donor
        self.functions = shader.all_functions
        self.spots = sites(shader)
        self.may_grow = sum(spot.place.statement is not None for spot in self.spots) < MOST_STATEMENTS

    def mutated(self, name: str) -> Shader | None:
        """The shader after one row's edit at a drawn spot, unchecked; None if the row does not apply."""
        row = ROWS[name]
        if row.grows and not self.may_grow:
            return None
        spots = [spot for spot in self.spots if row.applies(self, spot)]
        return row.edit(self, self.source.pick(spots)) if spots else None

    # ---------------------------------------------------------------------------------------------------- drawing

    def leaf(self, i: int, type: Type) -> Expr:
        """An expression without operands but an index: a literal, a variable of the i-th function, or a source."""
        f = self.functions[i]
        kinds: list[Expr] = [one(type)]
        kinds += [Local(v.name, type) for v in (*f.params, *f.locals) if v.type is type]
        return self.source.pick(kinds + self.sources(f, type))

    def sources(self, f: Function, type: Type) -> list[Expr]:
        """The sources of non-uniformity of a type: `lid` in `main`, and a read of each shared array."""
        lid: list[Expr] = []
        if f.result is None:
            lid = [Lid() if type is Type.U32 else Convert(type, Lid())]
        return lid + [SharedRead(a.name, zero(Type.U32), type) for a in self.shader.arrays if a.type is type]

    def condition(self, i: int) -> Expr:
        """A bool: a leaf, or a u32 compared with a small literal."""
        if not self.source.percent(60):
            return self.leaf(i, Type.BOOL)
        left = self.leaf(i, Type.U32)
        return Binary("==", left, Literal(self.source.integer(0, 2), Type.U32))

    def expression(self, s: Stmt, wanted: "Callable[[Expr], bool]") -> tuple[ExprPath, Expr]:
        """One of the expressions in a statement that are wanted; there is one."""
        return self.source.pick([(path, e) for path, e in occurrences(s) if wanted(e)])

    # ------------------------------------------------------------------------------------------------------- edits

    def replaced(self, spot: Site, *new: Stmt) -> Shader:
        """The shader with other statements instead of the one at the spot."""
        return with_spliced_site(self.shader, spot, 1, *new)

    def insert_barrier(self, spot: Site) -> Shader:
        """`barrier`, anywhere."""
        return with_spliced_site(self.shader, spot, 0, Barrier(0))

    def delete(self, spot: Site) -> Shader:
        """Nothing instead of a statement."""
        return self.replaced(spot)

    def negate(self, spot: Site) -> Shader:
        """`!e` instead of a condition `e`, and the other way round."""
        s = _if(spot)
        e = s.condition
        negated = e.operand if isinstance(e, Unary) else Unary("!", e)
        return self.replaced(spot, replace(s, condition=negated))

    def exchange_branches(self, spot: Site) -> Shader:
        """`then` and `else` swapped."""
        s = _if(spot)
        return self.replaced(spot, If(s.condition, s.orelse, s.then))

    def unwrap(self, spot: Site) -> Shader:
        """What is inside an `if` or a loop instead of it; the `continue` at the end of a loop's body goes."""
        s = spot.statement
        if isinstance(s, Loop):
            return self.replaced(spot, *s.body[:-1], *s.continuing)
        first, *others = blocks_of(s)
        return self.replaced(spot, *self.source.pick([first, *filter(None, others)]))

    def tame(self, spot: Site) -> Shader:
        """A literal instead of a source of non-uniformity."""
        s = spot.statement
        path, e = self.expression(s, is_source)
        value = Literal(self.source.integer(0, 1), type_of(e)) if type_of(e) is not Type.BOOL else zero(Type.BOOL)
        return self.replaced(spot, with_expression_at(s, path, value))

    def taint(self, spot: Site) -> Shader | None:
        """A source of non-uniformity instead of a literal or a variable."""
        s = spot.statement
        path, e = self.expression(s, _is_plain)
        sources = self.sources(self.functions[spot.function], type_of(e))
        return self.replaced(spot, with_expression_at(s, path, self.source.pick(sources))) if sources else None

    def operand(self, spot: Site) -> Shader:
        """A leaf instead of any expression."""
        s = spot.statement
        path, e = self.expression(s, lambda _: True)
        return self.replaced(spot, with_expression_at(s, path, self.leaf(spot.function, type_of(e))))

    def retarget(self, spot: Site) -> Shader | None:
        """Another variable assigned."""
        s, f = spot.place.statement, self.functions[spot.function]
        assert isinstance(s, Assign), "the row's rule says where it applies"
        type = type_of(s.value)
        others = [v.name for v in (*f.params, *f.locals) if v.type is type and v.name != s.name]
        return self.replaced(spot, Assign(self.source.pick(others), s.value)) if others else None

    def rejump(self, spot: Site) -> Shader | None:
        """Another jump that is legal there."""
        s, place = spot.place.statement, spot.place
        jumps: list[Stmt] = [Break(), Continue(0)] if place.in_loop else []
        if place.may_return:
            result = self.functions[spot.function].result
            jumps.append(Return(None if result is None else self.leaf(spot.function, result)))
        others = [jump for jump in jumps if type(jump) is not type(s)]
        return self.replaced(spot, self.source.pick(others)) if others else None

    def break_if(self, spot: Site) -> Shader:
        """A loop's `break if` added, taken away, or with another condition."""
        s = spot.place.statement
        assert isinstance(s, Loop), "the row's rule says where it applies"
        there = bool(s.continuing) and is_break_if(s.continuing[-1])
        rest = s.continuing[:-1] if there else s.continuing
        if there and self.source.percent(30):
            return self.replaced(spot, replace(s, continuing=rest))
        new = If(self.condition(spot.function), (Break(),), ())
        return self.replaced(spot, replace(s, continuing=(*rest, new)))

    def wrap_if(self, spot: Site) -> Shader:
        """A statement under a condition."""
        return self.replaced(spot, If(self.condition(spot.function), (spot.statement,), ()))

    def wrap_loop(self, spot: Site) -> Shader:
        """A statement in a loop that a `break if` leaves."""
        leave = If(self.condition(spot.function), (Break(),), ())
        return self.replaced(spot, Loop(0, (spot.statement, Continue(0)), (leave,)))

    def swap(self, spot: Site) -> Shader | None:
        """A statement and another of the same function in each other's place."""
        i, place = spot
        others = [
            other
            for other in self.spots
            if other.function == i and _movable(self, other) and not _nested(other.place.path, place.path)
        ]
        if not others:
            return None
        other = self.source.pick(others)
        return with_spliced_site(self.replaced(spot, other.statement), other, 1, spot.statement)

    def move_barrier(self, spot: Site) -> Shader:
        """A barrier elsewhere in its function."""
        i = spot.function
        without = self.replaced(spot)
        target = self.source.pick(places(without.all_functions[i].body))
        return with_spliced(without, i, target.path, 0, (Barrier(0),))

    def graft(self, spot: Site) -> Shader | None:
        """One to three statements of the donor, or of the shader itself, made to fit."""
        source = self.source
        donor = self.donor if self.donor is not self.shader and source.percent(60) else self.shader
        spots = self.spots if donor is self.shader else sites(donor)
        roots = [s for s in spots if s.place.statement is not None and not s.place.fixed]
        if not roots:
            return None
        i, place = source.pick(roots)
        siblings = block_at(donor.all_functions[i].body, place.path)[place.path[-1] :]
        ss = siblings[: source.integer(1, 3)]
        return grafted(source, ss, donor, self.shader, spot.function, spot.place)


# ------------------------------------------------------------------------------------------------ where rows apply


Rule = Callable[[Mutator, Site], bool]


def _anywhere(_: Mutator, spot: Site) -> bool:
    return spot.place.nesting < MOST_NESTING


def _movable(_: Mutator, spot: Site) -> bool:
    return spot.place.statement is not None and not spot.place.fixed


def _wrappable(mutator: Mutator, spot: Site) -> bool:
    return _movable(mutator, spot) and _anywhere(mutator, spot)


def _conditional(_: Mutator, spot: Site) -> bool:
    return isinstance(spot.place.statement, If)


def _two_branches(_: Mutator, spot: Site) -> bool:
    return isinstance(spot.place.statement, If) and not spot.place.fixed


def _compound(_: Mutator, spot: Site) -> bool:
    return isinstance(spot.place.statement, Compound) and not spot.place.fixed


def _is(kind: type[Stmt]) -> Rule:
    return lambda _, spot: isinstance(spot.place.statement, kind)


def _jump(_: Mutator, spot: Site) -> bool:
    return isinstance(spot.place.statement, Jump) and not spot.place.fixed


def _has(wanted: Callable[[Expr], bool]) -> Rule:
    def rule(_: Mutator, spot: Site) -> bool:
        s = spot.place.statement
        return s is not None and bool(expressions_of(s)) and any(wanted(e) for _, e in occurrences(s))

    return rule


def _is_plain(e: Expr) -> bool:
    return isinstance(e, (Literal, Local))


@dataclass(frozen=True)
class Mutation:
    """One mutation: how likely it is, where it applies, what it does there, and whether the shader gets larger."""

    weight: int
    applies: Rule
    edit: Callable[[Mutator, Site], Shader | None]
    grows: bool = False


ROWS: dict[str, Mutation] = {
    "delete": Mutation(8, _movable, Mutator.delete),
    "unwrap": Mutation(4, _compound, Mutator.unwrap),
    "tame": Mutation(6, _has(is_source), Mutator.tame),
    "negate": Mutation(3, _conditional, Mutator.negate),
    "exchange branches": Mutation(4, _two_branches, Mutator.exchange_branches),
    "taint": Mutation(6, _has(_is_plain), Mutator.taint),
    "operand": Mutation(6, _has(lambda _: True), Mutator.operand),
    "retarget": Mutation(4, _is(Assign), Mutator.retarget),
    "jump": Mutation(6, _jump, Mutator.rejump),
    "break if": Mutation(4, _is(Loop), Mutator.break_if),
    "move barrier": Mutation(6, _is(Barrier), Mutator.move_barrier),
    "swap": Mutation(6, _movable, Mutator.swap),
    "barrier": Mutation(4, _anywhere, Mutator.insert_barrier),
    "wrap in if": Mutation(5, _wrappable, Mutator.wrap_if, grows=True),
    "wrap in loop": Mutation(3, _wrappable, Mutator.wrap_loop, grows=True),
    "graft": Mutation(10, _anywhere, Mutator.graft, grows=True),
}

_NAMES = tuple(ROWS)
_TABLE = Table([(k, row.weight) for k, row in enumerate(ROWS.values())])


def mutate(shader: Shader, source: Source, donor: Shader | None = None) -> Shader:
    """A shader one to three mutations from `shader`: well-formed (its `main` may return) and in canonical numbers.

    Statements are grafted from `donor` or from the shader itself. The result is well-formed and numbered in the same
    sense, and another shader: only if nothing applies is it `shader`. A pure function of its arguments and the
    source's choices.
    """
    source.begin(_MUTATION)
    donor = shader if donor is None else donor
    edited = shader
    for _ in range(source.weighted(_STEPS)):
        edited = next(_edits(edited, source, donor), edited)
    new = checked(shader, edited)  # once for all steps: it costs more than they do
    if new is None or new == shader:
        tried = (checked(shader, other) for other in _edits(shader, source, donor))
        new = next((other for other in tried if other is not None and other != shader), shader)
    source.end()
    return new


def _edits(shader: Shader, source: Source, donor: Shader) -> Iterator[Shader]:
    """What each row that applies makes of the shader, unchecked, from a drawn row on."""
    mutator = Mutator(shader, source, donor)
    first = source.weighted(_TABLE)
    for k in range(len(_NAMES)):
        edited = mutator.mutated(_NAMES[(first + k) % len(_NAMES)])
        if edited is not None:
            yield edited


# ------------------------------------------------------------------------------------------------------- questions


def _if(spot: Site) -> If:
    s = spot.statement
    assert isinstance(s, If), "the row's rule says where it applies"
    return s


def _nested(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
