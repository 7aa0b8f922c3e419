"""Bounded-exhaustive, in the whole language: every module of a family up to a size, as text, counted in advance.

As in `families`, a number is enough to resume from any place, and every module has a barrier and reads `lid`.
"""

from functools import cache
from itertools import product

from wgsl_fuzz.strategies.enumerate.families import Family
from wgsl_fuzz.strategies.enumerate.grammar import Traits, chosen
from wgsl_fuzz.strategies.enumerate.module_grammar import TextGrammar, TextPlace
from wgsl_fuzz.strategies.enumerate.sets import CountedSet, ListedSet, MappedSet, ProductSet, UnionSet
from wgsl_fuzz.tinywgsl.behaviour import BREAK, RETURN

_MAIN = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32)"

# ------------------------------------------------------------------------------------------------ pointer-function

_STORES = TextGrammar(("*p = 0u;", "*p = v;"), ("true", "v == 0u"), "v")
_CALLS = (("lid", "0u"), ("0u", "lid"))
"""What the variable holds, and what is there to be stored: one of them differs between threads."""


@cache
def _pointer_function(size: int) -> CountedSet[str]:
    bodies = _STORES.blocks(size, TextPlace())
    parts: list[CountedSet[str]] = []
    for old, stored in _CALLS:
        wanted = chosen(bodies, lambda traits, stored=stored: traits.lid or stored == "0u")  # type: ignore[misc]
        parts.append(ProductSet(ListedSet([(old, stored)]), wanted, _calling))
    return UnionSet(parts)


def _calling(given: tuple[str, str], body: str) -> str:
    old, stored = given
    callee = f"fn f(p: ptr<function, u32>, v: u32) {{ {body} }}"
    return f"{callee} {_MAIN} {{ var x = {old}; f(&x, {stored}); if x == 0u {{ workgroupBarrier(); }} }}"


# ------------------------------------------------------------------------------------------------------- loop-body

_BODIES = TextGrammar(("x = 0u;", "x = lid;"), ("true", "lid == 0u", "x == 1u"), "lid")


@cache
def _loop_body(size: int) -> CountedSet[str]:
    bodies = _BODIES.blocks(size, TextPlace(breaks=True, continues=True))

    def wanted(traits: Traits) -> bool:
        return traits.lid and bool(traits.behaviours & (BREAK | RETURN))

    return MappedSet(chosen(bodies, wanted), _iterating)


def _iterating(body: str) -> str:
    return f"{_MAIN} {{ var x: u32; loop {{ workgroupBarrier(); if x == 0u {{ continue; }} {body} }} }}"


# --------------------------------------------------------------------------------------------------------- effects

_HELPERS = """struct S { a: u32, b: vec2u }
fn put(p: ptr<function, u32>, v: u32) -> u32 { *p = v; return 0u; }
fn take(p: ptr<function, u32>) -> u32 { return *p; }
fn put_a(p: ptr<function, S>, v: u32) -> u32 { (*p).a = v; return 0u; }
fn add(a: u32, b: u32) -> u32 { return a + b; }
fn add_to(p: ptr<function, u32>, v: u32) -> u32 { *p += v; return *p; }
"""
_OPERANDS = (
    *(
        "0u",
        "lid",
        "y",
        "x.a",
        "x.b.x",
        "px.a",
        "pb.x",
        "*pa",
        "*py",
        "(*px).b.y",
        "take(&y)",
        "take(&x.a)",
        "take(pa)",
    ),
    *("put(&y, 0u)", "put(&y, lid)", "put(py, lid)", "add_to(&y, put(&x.a, lid))", "add_to(&x.a, put_a(&x, 0u))"),
    *("y + put(&y, 0u)", "y + put(&y, lid)", "put(&y, 0u) + y", "x.a + put_a(&x, lid)", "x.a + put_a(px, 0u)"),
    *("select(y, put(&y, lid), true)", "add(y, put(&y, 0u))", "add(put(&y, lid), y)", "c[y]", "c[put(&y, lid)]"),
    *("array<u32, 2>(y, 0u)[put(&y, 0u)]", "u32(lid == 0u && y == 0u)", "u32(y == 0u || put(&y, lid) == 0u)"),
)
"""What `@` stands for in a statement."""
_STATEMENTS = (
    *("y = @;", "y += @;", "x.a = @;", "x.a += @;", "x.b.x = @;", "x.b = vec2u(@);", "x.b.xy = vec2u(@);"),
    *("x.b.yx = vec2u(y, @);", "x.b[@] = 0u;", "x.b[y] = @;", "c[0] = @;", "c[y] = @;", "c[@] = 0u;", "c[@] = lid;"),
    *("c[put(&y, 0u)] += @;", "x = S(@, vec2u());", "x = S(0u, vec2u(@));", "*py = @;", "*pa = @;", "(*px).a = @;"),
    *("px.a = @;", "*px = S(@, vec2u());", "pb.x = @;", "pb.xy = vec2u(@);", "(*pb).xy = vec2u(@);"),
    *("pb.yx += vec2u(@);", "{ let l = @; y = l; }", "{ let l = &c[@]; *l = 0u; }", "{ let l = &c[0]; *l = @; }"),
    *("_ = put(&y, @);", "_ = put(&x.a, @);", "_ = put_a(&x, @);", "_ = put(pa, @);", "_ = add_to(&y, @);"),
    *("if @ == 0u { y = 0u; }", "if y == @ { x.a = 0u; }", "switch @ { case 1u { y = 0u; } default { y = 1u; } }"),
    *("while @ == 1u { y = 0u; break; }", "for (; @ == 1u; ) { y = lid; return; }"),
    *("for (var i = 0u; i < 2u; i += @) { y = i; }", "loop { y = @; break; }"),
    *("loop { if y == 0u { break; } continuing { y = @; } }", "loop { continuing { break if @ == 0u; } }"),
)
_STARTS = (
    "S(0u, vec2u()); var y = 0u; var c = array(0u, 0u);",
    "S(lid, vec2u(lid)); var y = 0u; var c = array(0u, 0u);",
    "S(0u, vec2u()); var y = lid; var c = array(0u, lid);",
)
_ASKED = ("y", "x.a", "x.b.x", "x.b.y", "*pa", "pb.y", "px.b.x", "c[1]")


@cache
def _effects(size: int) -> CountedSet[str]:
    all_of_them, differing = _effect_sequences(size)
    parts: list[CountedSet[str]] = []
    for start in _STARTS if size else ():
        how = ListedSet([(start, asked) for asked in _ASKED])
        parts.append(ProductSet(all_of_them if "lid" in start else differing, how, _asking))
    return UnionSet(parts)


@cache
def _effect_sequences(size: int) -> tuple[CountedSet[str], CountedSet[str]]:
    """All statements, and those that read `lid`."""
    if not size:
        return ListedSet([""]), ListedSet([])
    texts = dict.fromkeys(s.replace("@", e) for s, e in product(_STATEMENTS, _OPERANDS))
    reading, plain = (ListedSet([t for t in texts if ("lid" in t) is reads]) for reads in (True, False))
    rest, rest_reading = _effect_sequences(size - 1)
    first = ProductSet(reading, rest, "{} {}".format)
    differing = UnionSet([first, ProductSet(plain, rest_reading, "{} {}".format)])
    return UnionSet([first, ProductSet(plain, rest, "{} {}".format)]), differing


def _asking(statements: str, how: tuple[str, str]) -> str:
    start, asked = how
    pointers = "let pa = &x.a; let py = &y; let px = &x; let pb = &x.b;"
    end = f"if {asked} == 0u {{ workgroupBarrier(); }}"
    return f"{_HELPERS}{_MAIN} {{ var x = {start} {pointers} {statements} {end} }}"


# ----------------------------------------------------------------------------------------------------- all of them

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
MODULE_FAMILIES = {family.name: family for family in (POINTER_FUNCTION, LOOP_BODY, EFFECTS)}
