"""Bounded-exhaustive: every shader of a family up to a size, no two equal up to renaming, counted in advance.

A family has an alphabet of leaves, a frame that a block is put into, and a measure of size. Every member has a barrier.
Every member reads `lid` too, except in `shared-memory`: no oracle has anything to say of other shaders. `main` may
return and need not end in a barrier (docs/paper-notes.md, note 6). The order of members is fixed, so that a number is
enough to resume from any place. Members are trees of TinyWGSL, or texts of all WGSL.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count, permutations, product
from typing import Generic, TypeVar

from wgsl_fuzz.strategies.enumerate import combinations, grammar, nested
from wgsl_fuzz.strategies.enumerate.combinations import listed
from wgsl_fuzz.strategies.enumerate.sets import CountedSet, ListedSet, ProductSet, UnionSet, mapped
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.behaviour import BREAK, NEXT, RETURN

ENUMERATION_VERSION = 3
"""Raised when a number comes to mean another shader."""
THREADS = 2
"""The workgroup size of every shader."""

_ZERO, _ONE = core.Literal(0, core.Type.U32), core.Literal(1, core.Type.U32)
_X, _Y, _P, _Q, _T = (core.Local(name, core.Type.U32) for name in "xypqt")
_BARRIER = core.Barrier(0)


def _is_zero(e: core.Expr) -> core.Expr:
    return core.Binary("==", e, _ZERO)


_Member = TypeVar("_Member")


@dataclass(frozen=True, slots=True)
class Family(Generic[_Member]):
    """A name, what the size counts and the alphabet in words, and the shaders of each size: trees or texts."""

    name: str
    size: str
    alphabet: str
    of_size: Callable[[int], CountedSet[_Member]]
    """Every shader of exactly this size; `count` builds none of them."""

    def up_to(self, size: int) -> CountedSet[_Member]:
        """Every shader of at most this size, smallest first."""
        return UnionSet([self.of_size(n) for n in range(size + 1)])


# ----------------------------------------------------------------------------------------------------------- main

_MAIN = grammar.Grammar(
    conditions=(_is_zero(core.Lid()), _is_zero(_X)),
    plain=(_BARRIER, core.Assign("x", core.Lid()), core.Assign("x", _ZERO)),
    nesting=3,
)


@cache
def _main(size: int) -> CountedSet[core.Shader]:
    return mapped(grammar.chosen(_MAIN.blocks(size, grammar.BlockContext()), _worth_asking), _shader)


def _worth_asking(traits: grammar.Traits) -> bool:
    return traits.barrier and traits.lid


def _shader(
    body: core.Block, functions: tuple[core.Function, ...] = (), arrays: tuple[core.SharedArray, ...] = ()
) -> core.Shader:
    """A shader with these bodies and the IDs 1, 2, ... in source order (restriction 4); it declares what it uses."""
    ids = count(1)

    def numbered(s: core.Stmt) -> core.Stmt:
        match s:
            case core.If():
                return core.If(s.condition, block(s.then), block(s.orelse))
            case core.Loop():
                return core.Loop(next(ids), block(s.body), block(s.continuing))
            case core.Call():
                return core.Call(next(ids), s.name, s.function, s.arguments)
            case core.Barrier() | core.Continue():
                return type(s)(next(ids))
            case _:
                return s

    def block(ss: core.Block) -> core.Block:
        return tuple([numbered(s) for s in ss])

    def complete(f: core.Function) -> core.Function:
        names = frozenset(core.locals_in(f.body)).difference([v.name for v in f.params])
        return core.Function(f.name, f.params, _variables(names), block(f.body), f.result)

    main = core.Function("main", (), (), body, None)
    return core.Shader(arrays, tuple([complete(f) for f in functions]), complete(main), THREADS)


@cache
def _variables(names: frozenset[str]) -> tuple[core.Variable, ...]:
    return tuple([core.Variable(name, core.Type.U32) for name in sorted(names)])


# ---------------------------------------------------------------------------------------------------- single-loop

_XY = ("x", "y")
_LOOP = grammar.Grammar(
    conditions=(_is_zero(core.Lid()), _is_zero(_X), _is_zero(_Y)),
    plain=(_BARRIER, *[core.Assign(x.name, e) for x, y in ((_X, _Y), (_Y, _X)) for e in (core.Lid(), y, _ZERO)]),
    has_loops=False,
    alike=_XY,
)
_LEAVE = core.If(_is_zero(core.Lid()), (core.Return(None),), ())
_BEFORE = grammar.language_of([(), (_LEAVE,), (core.Assign("x", core.Lid()),), (core.Assign("y", core.Lid()),)], _XY)
_AFTER = grammar.language_of([(), (_BARRIER,), *[(core.If(_is_zero(e), (_BARRIER,), ()),) for e in (_X, _Y)]], _XY)


@cache
def _single_loop(size: int) -> CountedSet[core.Shader]:
    loop = _LOOP.loops(size, grammar.BlockContext(nesting=_LOOP.nesting + 1))
    loops = grammar.merged([loop, _LOOP.guarded(loop)])
    wanted = grammar.framed(loops, _BEFORE, _AFTER, lambda traits: _worth_asking(traits) and traits.first in ("", "x"))
    return mapped(wanted, _shader)


# --------------------------------------------------------------------------------------------------- two-function

_PQ = ("p", "q")
_CALLEE = grammar.Grammar(
    conditions=(_is_zero(_P), _is_zero(_Q), _is_zero(_T)),
    plain=(_BARRIER, core.Assign("t", _P), core.Assign("t", _Q)),
    returns=tuple([core.Return(e) for e in (_ZERO, _P, _Q, _T)]),
    nesting=2,
    alike=_PQ,
)
_ALIKE, _UNALIKE = (_ZERO, _ZERO), (core.Lid(), _ZERO)
"""The arguments: (lid, 0) stands for (0, lid), too, because parameters may change places."""


def _contexts() -> Iterator[tuple[core.Block, bool]]:
    """What `main` does with `f`, and with its result; whether that lets the parameters change places."""
    ends: tuple[core.Block, ...] = ((), (core.If(_is_zero(_X), (_BARRIER,), ()),))
    for given in (_ALIKE, _UNALIKE):
        call = core.Call(0, "x", "f", given)
        looped = core.Loop(0, (call, core.Continue(0)), (core.If(_is_zero(_X), (core.Break(),), ()),))
        starts: tuple[core.Block, ...] = ((call,), (core.If(_is_zero(core.Lid()), (call,), ()),))
        for start, end in product(starts, ends):
            yield start + end, given is _ALIKE
        yield (looped,), given is _ALIKE
        yield (looped, _BARRIER), given is _ALIKE
        for again in (_ALIKE, _UNALIKE):
            second = core.Call(0, "x", "f", again)
            both = given is _ALIKE and again is _ALIKE
            yield (call, second), both
            yield (call, core.If(_is_zero(_X), (second,), ())), both


@cache
def _two_function(size: int) -> CountedSet[core.Shader]:
    callees = _CALLEE.blocks(size, grammar.BlockContext(nesting=_CALLEE.nesting))
    parts: list[CountedSet[core.Shader]] = []
    for body, alike in _contexts():
        around = grammar.traits_of(body, ())

        def wanted(callee: grammar.Traits, around: grammar.Traits = around, alike: bool = alike) -> bool:
            returns = not NEXT & callee.behaviours
            once = callee.first in ("", "p") or not alike
            return returns and once and around.lid and (around.barrier or callee.barrier)

        parts.append(ProductSet(ListedSet([body]), grammar.chosen(callees, wanted), _with_callee))
    return UnionSet(parts)


def _with_callee(main: core.Block, callee: core.Block) -> core.Shader:
    params = tuple([core.Variable(name, core.Type.U32) for name in _PQ])
    return _shader(main, (core.Function("f", params, (), callee, core.Type.U32),))


# -------------------------------------------------------------------------------------------------- shared-memory

ARRAY = core.SharedArray("A", core.Type.U32, 4, core.Space.STORAGE)
_A0, _ALID = (core.SharedRead(ARRAY.name, index, ARRAY.type) for index in (_ZERO, core.Lid()))
OPERANDS: tuple[core.Expr, ...] = (_ONE, _X, _Y, core.Lid(), _A0, _ALID)
"""What is assigned and compared: a literal, the locals, `lid`, and a read of a common and of an own cell."""
_ASSIGNMENTS: tuple[core.Stmt, ...] = (
    *[core.Assign(x.name, e) for x in (_X, _Y) for e in OPERANDS if e != x],
    *[
        core.SharedAssign(ARRAY.name, i, e)
        for i in (_ZERO, core.Lid())
        for e in OPERANDS
        if e != core.SharedRead("A", i, ARRAY.type)
    ],
)
_SHARED = grammar.Grammar(
    conditions=tuple([core.Binary("<", left, right) for left, right in permutations(OPERANDS, 2)]),
    plain=(_BARRIER, *_ASSIGNMENTS),
    nesting=8,
    alike=_XY,
)


@cache
def _shared_memory(size: int) -> CountedSet[core.Shader]:
    """Each body with and without a barrier at the end of `main` (restriction 1), which is free."""
    bodies = _SHARED.blocks(size, grammar.BlockContext(nesting=_SHARED.nesting))
    open_ended: grammar.Language[core.Block] = {
        traits: some for traits, some in bodies.items() if traits.last is not core.Barrier
    }
    closed = grammar.concatenated(bodies, grammar.language_of([(_BARRIER,)], _XY))
    whole = grammar.chosen(
        grammar.merged([open_ended, closed]), lambda traits: traits.barrier and traits.first in ("", "x")
    )
    return mapped(whole, lambda body: _shader(body, arrays=(ARRAY,)))


_ENTRY = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32)"

# ------------------------------------------------------------------------------------------------ pointer-function

_STORES = grammar.TextGrammar(("*p = 0u;", "*p = v;"), ("true", "v == 0u"), "v")
_CALLS = (("lid", "0u"), ("0u", "lid"))
"""What the variable holds, and what is there to be stored: one of them differs between threads."""


@cache
def _pointer_function(size: int) -> CountedSet[str]:
    bodies = _STORES.blocks(size, grammar.BlockContext())
    parts: list[CountedSet[str]] = []
    for old, stored in _CALLS:
        wanted = grammar.chosen(bodies, lambda traits, stored=stored: traits.lid or stored == "0u")  # type: ignore[misc]
        parts.append(ProductSet(ListedSet([(old, stored)]), wanted, _calling))
    return UnionSet(parts)


def _calling(given: tuple[str, str], body: str) -> str:
    old, stored = given
    callee = f"fn f(p: ptr<function, u32>, v: u32) {{ {body} }}"
    return f"{callee} {_ENTRY} {{ var x = {old}; f(&x, {stored}); if x == 0u {{ workgroupBarrier(); }} }}"


# ------------------------------------------------------------------------------------------------------- loop-body

_BODIES = grammar.TextGrammar(("x = 0u;", "x = lid;"), ("true", "lid == 0u", "x == 1u"), "lid")


@cache
def _loop_body(size: int) -> CountedSet[str]:
    bodies = _BODIES.blocks(size, grammar.BlockContext(breaks=True, continues=True))

    def wanted(traits: grammar.Traits) -> bool:
        return traits.lid and bool(traits.behaviours & (BREAK | RETURN))

    loop = "loop {{ workgroupBarrier(); if x == 0u {{ continue; }} {} }}".format
    return mapped(grammar.chosen(bodies, wanted), lambda body: f"{_ENTRY} {{ var x: u32; {loop(body)} }}")


# --------------------------------------------------------------------------------------------------------- effects

_HELPERS = """struct S { a: u32, b: vec2u }
fn put(p: ptr<function, u32>, v: u32) -> u32 { *p = v; return 0u; }
fn take(p: ptr<function, u32>) -> u32 { return *p; }
fn put_a(p: ptr<function, S>, v: u32) -> u32 { (*p).a = v; return 0u; }
fn add(a: u32, b: u32) -> u32 { return a + b; }
fn add_to(p: ptr<function, u32>, v: u32) -> u32 { *p += v; return *p; }
"""
_OPERANDS = listed("""0u ~ lid ~ y ~ x.a ~ x.b.x ~ px.a ~ pb.x ~ *pa ~ *py ~ (*px).b.y ~ take(&y) ~ take(&x.a)
    ~ take(pa) ~ put(&y, 0u) ~ put(&y, lid) ~ put(py, lid) ~ add_to(&y, put(&x.a, lid)) ~ add_to(&x.a, put_a(&x, 0u))
    ~ y + put(&y, 0u) ~ y + put(&y, lid) ~ put(&y, 0u) + y ~ x.a + put_a(&x, lid) ~ x.a + put_a(px, 0u)
    ~ select(y, put(&y, lid), true) ~ add(y, put(&y, 0u)) ~ add(put(&y, lid), y) ~ c[y] ~ c[put(&y, lid)]
    ~ array<u32, 2>(y, 0u)[put(&y, 0u)] ~ u32(lid == 0u && y == 0u) ~ u32(y == 0u || put(&y, lid) == 0u)""")
"""What `@` stands for in a statement."""
_STATEMENTS = listed("""y = @; ~ y += @; ~ x.a = @; ~ x.a += @; ~ x.b.x = @; ~ x.b = vec2u(@); ~ x.b.xy = vec2u(@);
    ~ x.b.yx = vec2u(y, @); ~ x.b[@] = 0u; ~ x.b[y] = @; ~ c[0] = @; ~ c[y] = @; ~ c[@] = 0u; ~ c[@] = lid;
    ~ c[put(&y, 0u)] += @; ~ x = S(@, vec2u()); ~ x = S(0u, vec2u(@)); ~ *py = @; ~ *pa = @; ~ (*px).a = @;
    ~ px.a = @; ~ *px = S(@, vec2u()); ~ pb.x = @; ~ pb.xy = vec2u(@); ~ (*pb).xy = vec2u(@);
    ~ pb.yx += vec2u(@); ~ { let l = @; y = l; } ~ { let l = &c[@]; *l = 0u; } ~ { let l = &c[0]; *l = @; }
    ~ _ = put(&y, @); ~ _ = put(&x.a, @); ~ _ = put_a(&x, @); ~ _ = put(pa, @); ~ _ = add_to(&y, @);
    ~ if @ == 0u { y = 0u; } ~ if y == @ { x.a = 0u; } ~ switch @ { case 1u { y = 0u; } default { y = 1u; } }
    ~ while @ == 1u { y = 0u; break; } ~ for (; @ == 1u; ) { y = lid; return; }
    ~ for (var i = 0u; i < 2u; i += @) { y = i; } ~ loop { y = @; break; }
    ~ loop { if y == 0u { break; } continuing { y = @; } } ~ loop { continuing { break if @ == 0u; } }""")
_STARTS = (
    "S(0u, vec2u()); var y = 0u; var c = array(0u, 0u);",
    "S(lid, vec2u(lid)); var y = 0u; var c = array(0u, 0u);",
    "S(0u, vec2u()); var y = lid; var c = array(0u, lid);",
)
_ASKED = ("y", "x.a", "x.b.x", "x.b.y", "*pa", "pb.y", "px.b.x", "c[1]")


@cache
def _effects(size: int) -> CountedSet[str]:
    texts = tuple(dict.fromkeys(s.replace("@", e) for s, e in product(_STATEMENTS, _OPERANDS)))
    all_of_them, differing = _sequences(texts, size)
    parts: list[CountedSet[str]] = []
    for start in _STARTS if size else ():
        how = ListedSet([(start, asked) for asked in _ASKED])
        parts.append(ProductSet(all_of_them if "lid" in start else differing, how, _asking))
    return UnionSet(parts)


@cache
def _sequences(texts: tuple[str, ...], size: int) -> tuple[CountedSet[str], CountedSet[str]]:
    """All texts of so many of these, and those of them that read `lid`."""
    if not size:
        return ListedSet([""]), ListedSet([])
    reading, plain = (ListedSet([t for t in texts if ("lid" in t) is reads]) for reads in (True, False))
    rest, rest_reading = _sequences(texts, size - 1)
    first = ProductSet(reading, rest, "{} {}".format)
    differing = UnionSet([first, ProductSet(plain, rest_reading, "{} {}".format)])
    return UnionSet([first, ProductSet(plain, rest, "{} {}".format)]), differing


def _asking(statements: str, how: tuple[str, str]) -> str:
    start, asked = how
    pointers = "let pa = &x.a; let py = &y; let px = &x; let pb = &x.b;"
    end = f"if {asked} == 0u {{ workgroupBarrier(); }}"
    return f"{_HELPERS}{_ENTRY} {{ var x = {start} {pointers} {statements} {end} }}"


# --------------------------------------------------------------------------------------------------- requirements

_NEEDS = ("sync(0u)", "sync(y)", "workgroupUniformLoad(&w)")
"""What `@` stands for in a place: each requires uniform control flow, and the second perhaps more of its callers."""
_NEEDING = listed("""y = @; ~ y += @; ~ _ = max(y, @); ~ { let l = array(0u, y)[@]; } ~ c[@] = 0u; ~ c[@] += y;
    ~ c[@]++; ~ { let l = &c[@]; *l = y; } ~ _ = @ == 0u && y == 0u; ~ _ = y == 0u && @ == 0u; ~ if @ == 0u { y = lid; }
    ~ if y == 0u { } else if @ == 0u { } ~ switch @ { case 1u { y = lid; } default { } }
    ~ while @ == 1u { y = lid; } ~ for (var i = @; i < 2u; i++) { y = lid; } ~ for (; @ < 1u; ) { y = lid; }
    ~ for (; y < 2u; y += @) { if y == 1u { continue; } } ~ for (; ; y += @) { if y == 1u { break; } }
    ~ loop { if y == 0u { continue; } continuing { break if @ == 0u; } } ~ loop { y = @; if y == 0u { break; } }
    ~ loop { if y == 1u { break; } continuing { c[@] = lid; } }""")
_GUARDS = ("@", "if y == 0u { @ }", "if lid == 0u { } else { @ }")
_PLACES = tuple([g.replace("@", s.replace("@", e)) for g, s, e in product(_GUARDS, _NEEDING, _NEEDS)])
_BESIDE = ("y = 0u;", "y = lid;", "if y == 0u { return; }", "if lid == 0u { return; }", *_PLACES)


@cache
def _requirements(size: int) -> CountedSet[str]:
    """The last statement requires uniform control flow: what is behind that changes nothing."""
    if not size:
        return ListedSet([])
    before, differing = _sequences(_BESIDE, size - 1)
    reading, plain = (ListedSet([t for t in _PLACES if ("lid" in t) is reads]) for reads in (True, False))
    differing = UnionSet([ProductSet(before, reading, "{} {}".format), ProductSet(differing, plain, "{} {}".format)])
    parts = (("lid", ProductSet(before, ListedSet(_PLACES), "{} {}".format)), ("0u", differing))
    return UnionSet([ProductSet(ListedSet([start]), some, _requiring) for start, some in parts])


def _requiring(start: str, statements: str) -> str:
    sync = "fn sync(v: u32) -> u32 { workgroupBarrier(); return v; }"
    declared = f"var y = {start}; var c = array(0u, 0u);"
    return f"var<workgroup> w: u32; {sync} {_ENTRY} {{ {declared} {statements} }}"


# --------------------------------------------------------------------------------------------------------- clauses

_CLAUSES = listed(""" ~ x = 0u; ~ x = lid; ~ break; ~ return; ~ x = lid; return; ~ workgroupBarrier();
    ~ if x == 0u { break; } x = 0u; ~ loop { x = 0u; if x == 0u { break; } x = lid; }""")


@cache
def _clauses(size: int) -> CountedSet[str]:
    """The default clause is the first or the last."""
    all_of_them, differing = _sequences(tuple([f"@ {{ {body} }}" for body in _CLAUSES]), size)
    heads = [
        (x, selector, default) for x, selector in product(("0u", "lid"), repeat=2) for default in sorted({0, size - 1})
    ]
    parts = [
        ProductSet(ListedSet([head]), all_of_them if "lid" in head else differing, _switching)
        for head in (heads if size else ())
    ]
    return UnionSet(parts)


def _switching(head: tuple[str, str, int], clauses: str) -> str:
    start, selector, default = head
    first, *rest = clauses.split("@ ")
    named = [f"{'default' if i == default else f'case {i}u'} {body}" for i, body in enumerate(rest)]
    switch = f"switch {selector} {{ {first}{''.join(named)} }}"
    return f"{_ENTRY} {{ var x = {start}; {switch} if x == 0u {{ workgroupBarrier(); }} }}"


# ------------------------------------------------------------------------------------------------------ all of them

MAIN = Family(
    "main",
    "all statements of main",
    "conditions lid == 0, x == 0; a barrier, x = lid, x = 0, return, break, continue; "
    "if, else, loop, continuing, break if, three blocks deep",
    _main,
)
SINGLE_LOOP = Family(
    "single-loop",
    "the statements of the loop: its body and its continuing",
    "before the loop nothing, x = lid or if (lid == 0) { return }; the loop, alone or under a condition; conditions "
    "lid == 0, x == 0, y == 0; in it a barrier, assignments of lid, 0 and each other to x and y, return, break, "
    "continue, if, else, continuing, break if; after it nothing, a barrier, or one under if (x == 0) or if (y == 0)",
    _single_loop,
)
TWO_FUNCTION = Family(
    "two-function",
    "the statements of the callee f(p, q), its returns included",
    "in f conditions p == 0, q == 0, t == 0; a barrier, t = p, t = q, return of 0, p, q, t, break, continue; if, else, "
    "loop, continuing, break if, two blocks deep; main calls x = f(0, 0) or f(lid, 0): once, or under if (lid == 0), "
    "and then nothing or a barrier under if (x == 0); until x == 0, and then nothing or a barrier; twice; again if "
    "x == 0",
    _two_function,
)
SHARED_MEMORY = Family(
    "shared-memory",
    "all statements of main but a final barrier",
    "operands 1, x, y, lid, A[0], A[lid] of a storage array A; conditions a < b; a barrier, assignments to x, y, A[0], "
    "A[lid], return, break, continue; if, else, loop, continuing, break if",
    _shared_memory,
)
_BLOCKS = "if, else, a block, switch, loop, continuing, break if, while, three blocks deep"
POINTER_FUNCTION = Family(
    "pointer-function",
    "the statements of the callee f(p, v), blocks included",
    f"in f conditions true, v == 0; *p = 0, *p = v, return, break, continue; {_BLOCKS}; main calls f(&x, 0) where x is "
    "lid, or f(&x, lid) where x is 0, and then has a barrier under if (x == 0)",
    _pointer_function,
)
LOOP_BODY = Family(
    "loop-body",
    "the statements at the end of the loop's body, blocks included",
    "a loop with a barrier, if (x == 0) { continue } and then conditions true, lid == 0, x == 1; x = 0, x = lid, "
    f"return, break, continue; {_BLOCKS}",
    _loop_body,
)
EFFECTS = Family(
    "effects",
    "the statements between declarations and a final if",
    f"{len(_STATEMENTS)} forms of statements: assignments to a variable, members, components, elements, through "
    f"pointers and by calls, if, switch, loops; with {len(_OPERANDS)} operands: reads in the same forms, calls that "
    "store, before and behind what reads; then a barrier under a condition on one of 8 parts",
    _effects,
)
REQUIREMENTS = Family(
    "requirements",
    "the statements of main behind its declarations, the last of which requires uniform control flow",
    f"{len(_NEEDING)} places of an expression: in assignments, conditions, heads of loops; alone or under a condition; "
    "a call of a function with a barrier, or workgroupUniformLoad; y = 0, y = lid, returns under y == 0 or lid == 0",
    _requirements,
)
CLAUSES = Family(
    "clauses",
    "the clauses of a switch over 0 or lid; the default is the first or the last",
    f"{len(_CLAUSES)} bodies: nothing, x = 0, x = lid, break, return, both, a barrier, a break under x == 0, a loop; x "
    "is 0 or lid before, and a barrier under if (x == 0) follows",
    _clauses,
)
NESTED = Family(
    "nested",
    "the blocks in each other, one or two, and one or two more for another kind of variable, store or requirement",
    f"{len(nested.BLOCKS)} blocks: of each statement, of a function that is called; a store, a jump, and a barrier "
    f"under a condition in {len(nested.ONE)} and {len(nested.TWO)} orders and places; "
    f"{len(nested.VARIABLES + nested.OTHERS)} other kinds of each; what a variable holds at first, what is stored, or "
    "one condition differs between threads",
    nested.of_size,
)
USUAL = (MAIN, SINGLE_LOOP, TWO_FUNCTION)
"""Those that are enumerated unless others are named."""
FAMILIES: dict[str, Family[core.Shader]] = {f.name: f for f in (*USUAL, SHARED_MEMORY)}
"""Those of TinyWGSL."""
COMBINED = tuple(
    Family(one.name, "the slots that are not filled in the plainest way", one.alphabet, one.of_size)
    for one in combinations.ALL
)
TEXT_FAMILIES: dict[str, Family[str]] = {
    f.name: f for f in (POINTER_FUNCTION, LOOP_BODY, EFFECTS, REQUIREMENTS, CLAUSES, *COMBINED, NESTED)
}
"""Those of all WGSL."""
ALL_FAMILIES: dict[str, Family[core.Shader] | Family[str]] = {**FAMILIES, **TEXT_FAMILIES}
