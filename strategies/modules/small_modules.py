"""Bounded-exhaustive: every compute module over a small vocabulary, up to a number of statements, counted in advance.

The vocabulary has what TinyWGSL lacks: pointers and calls through them, partial assignment, short circuit, `switch`.
Left out is what nothing tells from a smaller module: statements behind a jump, an empty `then`, a `switch` or a loop
with nothing in it. Loops that nothing leaves are no WGSL. Every module has a barrier and a source of non-uniformity.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from wgsl_fuzz.strategies.enumerate.sets import CountedSet, ListedSet, MappedSet, ProductSet, UnionSet
from wgsl_fuzz.strategies.modules.edit.tree import copied
from wgsl_fuzz.wgsl.behaviours import BREAK, CONTINUE, NEXT, RETURN, BehaviourAnalysis, Behaviours
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.syntax import (
    Block,
    BreakIf,
    Clause,
    Expression,
    Function,
    If,
    Literal,
    Loop,
    Module,
    Phony,
    Statement,
    Switch,
)

_FRAME = """\
fn store(p: ptr<function, u32>, v: u32) { *p = v; }
fn exchange(p: ptr<function, u32>, v: u32) -> u32 { let old = *p; *p = v; return old; }
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) n: u32) { var x = 0u; var a: array<u32, 2>; let p = &x; }
"""
_BARRIER = "workgroupBarrier();"
_PLAIN = (
    _BARRIER,
    "x = n;",
    "x = 0u;",
    "*p = n;",
    "a[0] = n;",
    "a[1] = x;",
    "x = a[1];",
    "store(p, 0u);",
    "store(&x, n);",
    "store(&a[1], n);",
)
_CONDITIONS = (
    "x == 0u",
    "a[1] == 0u",
    "n == 0u",
    "x == 0u && n == 0u",
    "n == 0u && exchange(p, 0u) == 0u",
    "x == 0u || exchange(&x, n) == 0u",
)
_SELECTORS = ("x", "n")
_JUMPS = (("break;", BREAK), ("continue;", CONTINUE), ("return;", RETURN))

Statements = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class _Traits:
    """What must be known of statements to combine them with others."""

    behaviours: Behaviours = NEXT
    barrier: bool = False
    source: bool = False

    def beside(self, other: "_Traits", behaviours: Behaviours) -> "_Traits":
        return _Traits(behaviours, self.barrier or other.barrier, self.source or other.source)


@dataclass(frozen=True, slots=True)
class _Context:
    """Which jumps may stand there, and how deep blocks may still go."""

    jumps: Behaviours = RETURN
    nesting: int = 3

    def inside(self, jumps: Behaviours) -> "_Context":
        return _Context(jumps, self.nesting - 1)


_Blocks = Mapping[_Traits, CountedSet[Statements]]


def small_modules(most: int) -> CountedSet[Module]:
    """Every module with at most so many statements in `main`, the smallest first; `nth` gives any of them."""
    parts = [of_size(size) for size in range(1, most + 1)]
    return UnionSet(parts)


def of_size(size: int) -> CountedSet[Module]:
    """Every module with exactly so many statements besides the declarations."""
    wanted = [
        blocks
        for traits, blocks in _blocks(size, _Context()).items()
        if traits.barrier and traits.source and not traits.behaviours & ~(NEXT | RETURN)
    ]
    return MappedSet(UnionSet(wanted), _module)


def _module(statements: Statements) -> Module:
    """The frame with statements, all nodes fresh: the sets share theirs."""
    *helpers, main = parse(_FRAME).declarations
    assert isinstance(main, Function), "the last declaration of the frame is main"
    body = replace(main.body, statements=(*main.body.statements, *(copied(s) for s in statements)))
    return Module((), (*helpers, replace(main, body=body)))


# --------------------------------------------------------------------------------------------------------- vocabulary


def _parsed(text: str) -> Statement:
    function = parse(f"fn f() {{ {text} }}").declarations[0]
    assert isinstance(function, Function), "the text is that of a function"
    return function.body.statements[0]


def _value(text: str) -> Expression:
    statement = _parsed(f"_ = {text};")
    assert isinstance(statement, Phony), "the text is that of a phony assignment"
    return statement.value


@cache
def _words(texts: tuple[str, ...]) -> Mapping[bool, CountedSet[Expression]]:
    """Expressions, by whether they are sources."""
    kinds = {kind: [_value(text) for text in texts if _reads_source(text) is kind] for kind in (False, True)}
    return {kind: ListedSet(some) for kind, some in kinds.items()}


def _reads_source(text: str) -> bool:
    """Whether `n` is a word of the text."""
    return "n" in text.replace("(", " ").replace(")", " ").replace(",", " ").replace(";", " ").split()


# ------------------------------------------------------------------------------------------------------------ grammar


class _Table:
    """Sets by traits, as they are put together."""

    def __init__(self) -> None:
        self._parts: dict[_Traits, list[CountedSet[Statements]]] = {}

    def add(self, traits: _Traits, members: CountedSet[Statements]) -> None:
        """Adds members, which must be no members yet."""
        if members.count and traits.behaviours:
            self._parts.setdefault(traits, []).append(members)

    def sets(self) -> _Blocks:
        return {traits: parts[0] if len(parts) == 1 else UnionSet(parts) for traits, parts in self._parts.items()}


@cache
def _blocks(size: int, context: _Context) -> _Blocks:
    """The statements of a block of exactly this size, by their traits."""
    if size == 0:
        return {_Traits(): ListedSet([()])}
    table = _Table()
    for first_size in range(1, size + 1):
        for first, some in _single(first_size, context).items():
            for rest, others in _blocks(size - first_size, context).items():
                if first_size == size:
                    table.add(first, some)
                elif NEXT & first.behaviours:
                    b = (first.behaviours & ~NEXT) | rest.behaviours
                    table.add(first.beside(rest, b), ProductSet(some, others, _joined))
    return table.sets()


def _joined(left: Statements, right: Statements) -> Statements:
    return (*left, *right)


@cache
def _single(size: int, context: _Context) -> _Blocks:
    """The single statements of exactly this size."""
    table = _Table()
    if size == 1:
        for text in _PLAIN:
            traits = _Traits(NEXT, text == _BARRIER, _reads_source(text))
            table.add(traits, ListedSet([(_parsed(text),)]))
        for text, behaviour in _JUMPS:
            if behaviour & context.jumps:
                table.add(_Traits(behaviour), ListedSet([(_parsed(text),)]))
    elif context.nesting:
        _add_conditionals(table, size, context)
        _add_switches(table, size, context)
        _add_loops(table, size, context)
    return table.sets()


_Pair = tuple[Statements, Statements]
_PairSets = Iterator[tuple[_Traits, _Traits, CountedSet[_Pair]]]


def _pairs(size: int, one: _Context, other: _Context, least: int) -> _PairSets:
    """Two blocks of this size together, the first of some least size."""
    for first_size in range(least, size + 1):
        for first, some in _blocks(first_size, one).items():
            for second, others in _blocks(size - first_size, other).items():
                yield first, second, ProductSet(some, others, lambda a, b: (a, b))


def _headed(
    heads: Mapping[bool, CountedSet[Expression]],
    pairs: CountedSet[_Pair],
    build: Callable[[Expression, _Pair], Statement],
) -> Iterator[tuple[bool, CountedSet[Statements]]]:
    for source, some in heads.items():
        yield source, ProductSet(some, pairs, lambda head, pair: (build(head, pair),))


def _add_conditionals(table: _Table, size: int, context: _Context) -> None:
    inside = context.inside(context.jumps)
    for then, orelse, pairs in _pairs(size - 1, inside, inside, 1):
        traits = then.beside(orelse, then.behaviours | orelse.behaviours)
        for source, members in _headed(_words(_CONDITIONS), pairs, _if):
            table.add(replace(traits, source=traits.source or source), members)


def _if(condition: Expression, branches: _Pair) -> Statement:
    then, orelse = branches
    return If(condition, Block(then), Block(orelse) if orelse else None)


def _add_switches(table: _Table, size: int, context: _Context) -> None:
    inside = context.inside(context.jumps | BREAK)
    for case, default, pairs in _pairs(size - 1, inside, inside, 0):
        b = case.behaviours | default.behaviours
        traits = case.beside(default, (b | NEXT) & ~BREAK if BREAK & b else b)
        for source, members in _headed(_words(_SELECTORS), pairs, _switch):
            table.add(replace(traits, source=traits.source or source), members)


def _switch(selector: Expression, bodies: _Pair) -> Statement:
    case, default = bodies
    return Switch(selector, (Clause((Literal("0u"),), Block(case)), Clause((), Block(default))))


def _add_loops(table: _Table, size: int, context: _Context) -> None:
    analysis = BehaviourAnalysis()
    inside = context.inside(RETURN & context.jumps | BREAK | CONTINUE)
    for body, later, pairs in _pairs(size - 1, inside, context.inside(0), 0):
        traits = body.beside(later, analysis.of_loop(body.behaviours, later.behaviours))
        table.add(traits, MappedSet(pairs, _loop))
    for body, later, pairs in _pairs(size - 2, inside, context.inside(0), 0):
        traits = body.beside(later, analysis.of_loop(body.behaviours, later.behaviours | BREAK))
        for source, members in _headed(_words(_CONDITIONS), pairs, _loop_with_break_if):
            table.add(replace(traits, source=traits.source or source), members)


def _loop(parts: _Pair) -> Statements:
    body, later = parts
    return (Loop(Block(body), Block(later) if later else None),)


def _loop_with_break_if(condition: Expression, parts: _Pair) -> Statement:
    body, later = parts
    return Loop(Block(body), Block((*later, BreakIf(condition))))
