"""A family of texts: two blocks in each other, and in them a store, a jump and what decides.

S stores to v, T stores what S does not (0, or `lid`), J jumps, and D requires uniform control flow, mostly under a
condition that reads v. A pattern says where they stand, in order, with a point between places: in the outer block
before the inner one, in the inner one, in the outer one behind it, behind both; with one block, in it and behind it.
Behind `|` is the other branch of the inner one, or the body before its continuing. One thing differs between threads:
what v holds at first, what S or T stores, or what one condition reads: `lid`, or v.

Complete are, if valid, and if D may depend on the other letters, in the order of the text or by a loop around them:
- size 1: each block, pattern of `ONE`, jump, with and without a condition, and what differs, for a `var v: u32`;
- size 2: the same for each pair of blocks and pattern of `TWO`; no jump if the outer condition reads v. And size 1 for
  each other kind of variable, store, decision and requirement; with a jump no condition reads v;
- size 3: each pair of blocks, pattern of `FEW`, variable of `VARIABLES`, and value that differs; of variables that are
  not of the whole function `LEAKS`, too;
- size 4: each pair of blocks, pattern of `FEW`, other kind and store of `COMPOUND`, and value that differs.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from math import ceil
from typing import NamedTuple

from wgsl_fuzz.strategies.enumerate.combinations import MAIN, listed
from wgsl_fuzz.strategies.enumerate.sets import CountedSet, ListedSet, mapped
from wgsl_fuzz.wgsl.builtins import words

BLOCKS = BARE, THEN, ELSE, CLAUSE, DEFAULT, LOOP, LEFT_LAST, CONTINUING, BREAK_IF, FOR, _, HELPER, UPDATE, ELSE_IF = (
    listed(
        """{ @ } ~ if ? { @ } else { ! } ~ if ? { ! } else { @ } ~ switch u32(?) { case 0u { @ } default { ! } }
    ~ switch u32(?) { default { @ } case 1u { ! } } ~ loop { @ if ? { break; } } ~ loop { @ continuing { break if ?; } }
    ~ loop { if ? { break; } ! continuing { @ } } ~ loop { ! continuing { @ break if ?; } } ~ for (; ?; ) { @ }
    ~ while ? { @ } ~ @ ~ for (; ?; @) { ! } ~ if u == 1u { ! } else if ? { @ }"""
    )
)
"""`@` stands for what is in the block, `!` for the other branch or the body, `?` for the condition."""
Blocks = tuple[str, ...]
ALONE: list[Blocks] = [(block,) for block in BLOCKS]
PAIRS: list[Blocks] = [pair for pair in product(BLOCKS[:-1], repeat=2) if pair[0] != UPDATE]
LOOPS = frozenset([block for block in BLOCKS if block.startswith(("loop", "for", "while"))])
JUMPS = BREAK, CONTINUE, RETURN = "break;", "continue;", "return;"
_PATTERNS = """D. .D S.D SD. DS. S|S.D J.D JD. DJ. SJ.D JS.D SJD. JSD. DSJ. DJS. S|J.D J|S.D TS.D TJS.D DTS. DTJS. S|T.D
    TSJ.D DTSJ.

    .D.. ..D. ...D D... .SD.. .S.D. .S..D S.D.. S..D. S...D D.S.. .D.S. D..S. .DS.. .S|S.D. .S|S..D D.S|S.. .J.D.
    .J..D .JD.. D.J.. .SJ.D. .SJ..D .JS.D. .JS..D .SJD.. .JSD.. D.SJ.. D.JS.. .S|J.D. .S|J..D D.S|J.. .J|S.D. .J|S..D
    .J.S.D D.J.S. .S.J.D .S.JD. D.S.J. .DSJ.. .DJS.. .TS.D. .TS..D T.S.D. T.S..D .TJS.D. .TJS..D T.J.S.D D.TS..
    D.TJS.. DT.J.S. .S|T.D. .S|T..D .TSJ.D. .TSJ..D D.TSJ.."""
ONE, TWO = [patterns.split() for patterns in _PATTERNS.split("\n\n")]
GUARDED = words(".J.S.D D.J.S. .S.J.D .S.JD. D.S.J. .DSJ.. .DJS.. .JSD.. DSJ. DJS. JSD.")
"""Of these only members where a condition differs."""
FEW, LEAKS = [".SD..", ".S.D.", ".S..D", "D.S..", ".DS.."], [".TJS.D."]
FUNCTION, HEAD = -1, 0.5
"""Where v is declared: in main; else in block i, or i - HEAD in the head of that `for`."""


@dataclass(frozen=True, slots=True)
class VariableKind:
    """How v is declared, stored to, read and decides: `#` stands for a value, `?` for `read`, `$` for `need`."""

    declaration: str = "var v = #;"
    store: str = "v = #;"
    read: str = "v == 0u"
    type: str = "u32"
    decision: str = "if ? { $ }"
    need: str = "workgroupBarrier();"
    where: float = FUNCTION


PLAIN, _NO_VALUE, _BOOL = (
    VariableKind(),
    VariableKind("var v: u32;"),
    VariableKind("var v = bool(#);", "v = bool(#);", "v", "bool"),
)
_ARRAY = VariableKind("var v = array(#, 0u);", "v = array(#, 0u);", "v[0] == 0u", "array<u32, 2>")
_STRUCT = VariableKind("var v = S(#, 0u);", "v = S(#, 0u);", "v.a == 0u", "S")
_VECTOR = VariableKind("var v = vec2u(#);", "v = vec2u(#);", "v.x == 0u", "vec2u")
_POINTER = VariableKind("var v = #; let q = &v;", "*q = #;")
VARIABLES = (
    *(_NO_VALUE, _BOOL, _ARRAY, _STRUCT, _VECTOR, _POINTER),
    *(replace(kind, where=i) for kind in (PLAIN, _NO_VALUE, _ARRAY) for i in (0, 1, -HEAD, 1 - HEAD)),
    *(replace(kind, where=0) for kind in (_BOOL, _STRUCT, _VECTOR)),
)
_DECISIONS = listed("ask(v); ~ switch v { case 0u { $ } default { } } ~ while ? { $ break; }")
OTHERS = (
    *(replace(_ARRAY, store="v[0] = #;"), replace(_STRUCT, store="v.a = #;"), replace(_VECTOR, store="v.x = #;")),
    *(replace(_VECTOR, store="v.xy = vec2u(#);"), replace(_POINTER, store="v = #;", read="*q == 0u")),
    *(replace(PLAIN, store=store) for store in ("v += #;", "put(&v, #);", "v = same(#);")),
    *(replace(PLAIN, decision=decision) for decision in _DECISIONS),
    *(VariableKind("var<private> v: u32;"), replace(_STRUCT, declaration="var v: S;"), replace(_POINTER, where=0)),
    *(replace(PLAIN, need=need) for need in ("sync();", "_ = workgroupUniformLoad(&w);")),
)
COMPOUND = [
    replace(PLAIN, store=store)
    for store in listed("""{ v = #; } ~ if u == 0u { v = #; } ~ if u == 0u { v = #; } else { v = #; }
    ~ switch u { case 0u { v = #; } default { v = #; } } ~ loop { v = #; if u == 0u { break; } }
    ~ loop { continuing { v = #; break if u == 0u; } } ~ while u == 0u { v = #; } ~ for (; u == 0u; ) { v = #; }""")
]
"""Stores that are a third block."""
_MODULE = listed("""@group(0) @binding(0) var<uniform> u: u32; ~ var<workgroup> w: u32; ~ struct S { a: u32, b: u32 }
    ~ fn put(p: ptr<function, u32>, e: u32) { *p = e; } ~ fn same(e: u32) -> u32 { return e; }
    ~ fn ask(e: u32) { if e == 0u { workgroupBarrier(); } } ~ fn sync() { workgroupBarrier(); }""")
_NAMES = [re.findall(r"(?:> |struct |fn )(\w+)", declared)[0] for declared in _MODULE]
"""What is declared if it is used."""


class Member(NamedTuple):
    """What a text is made of. A condition reads `u`, which is uniform, `lid` or v; that of the jump may be missing."""

    blocks: Blocks
    pattern: str
    kind: VariableKind
    jump: str = ""
    guard: str = ""
    reads: tuple[str, ...] = ("u", "u")
    first: str = "0u"
    stored: str = "lid"

    def decides_itself(self) -> bool:
        """Whether D has no condition of its own."""
        return "v" in (self.guard, *self.reads)

    def depth(self, letter: str) -> int:
        """In how many of the blocks a letter stands first."""
        place = self.pattern.partition(letter)[0].count(".")
        return (1, 2, 1, 0)[place] if len(self.blocks) == 2 else 1 - place

    def repeats(self, letter: str, depth: int) -> bool:
        """Whether a loop is around both a letter and what stands in so many of the blocks."""
        return not LOOPS.isdisjoint(self.blocks[: min(depth, self.depth(letter))])

    def precedes(self, one: str, other: str) -> bool:
        """Whether a letter comes before another, if both are there, at least in an earlier iteration."""
        if not {one, other} <= {*self.pattern} or self.pattern.index(one) < self.pattern.index(other):
            return True
        return self.repeats(one, self.depth(other))


def _members(kinds: Iterable[VariableKind], places: list[Blocks], patterns: list[str]) -> Iterator[Member]:
    """The valid ones."""
    every = (Member(blocks, pattern, kind) for pattern, kind, blocks in product(patterns, kinds, places))
    for one in filter(_is_possible, every):
        for jump in filter(partial(_may_jump, one), JUMPS) if "J" in one.pattern else [""]:
            guards = ["u"] if jump and "|J" not in one.pattern else []
            if not jump or (re.search(r"J([.|]|$)", one.pattern) and (jump != CONTINUE or _ends(one))):
                guards.append("")
            for guard in guards:
                yield from filter(_is_sensible, _differing(one._replace(jump=jump, guard=guard)))


def _differing(one: Member) -> Iterator[Member]:
    """What may differ between threads: a value, or one of the conditions."""
    values = (("0u", "lid"), ("lid", "0u")) if "S" in one.pattern else ()
    if "T" in one.pattern:
        yield from [one._replace(stored=stored) for stored in ("0u", "lid")[: 1 if "TSJ" in one.pattern else 2]]
        return
    if one.pattern not in GUARDED:
        yield from [one._replace(first=first, stored=stored) for first, stored in values]
    is_plain = one.kind == PLAIN
    changed = [one._replace(guard=x) for x in ("lid", "v")[: 1 + is_plain] if one.guard]
    for i, block in enumerate(one.blocks):
        if "?" in block and not one.guard:
            with_v = not one.jump or (is_plain and i == len(one.blocks) - 1)
            changed += [one._replace(reads=(*["u"] * i, x, "u")) for x in ("lid", "v")[: 1 + with_v]]
    for other in changed:
        if "v" not in (other.guard, *other.reads):
            yield other._replace(stored="1u")
        else:
            yield from [other._replace(first=first, stored=stored) for first, stored in values]


def _is_possible(one: Member) -> bool:
    """Whether its letters may stand where they do, v is declared somewhere, and no other pattern says the same."""
    inner, where, n = one.blocks[-1], one.kind.where, len(one.blocks)
    content, _, other = one.pattern.split(".")[n - 1].partition("|")
    with_other = {"": BLOCKS, "T": (CONTINUING, BREAK_IF, UPDATE)}.get(other, (THEN, CLAUSE, ELSE_IF))
    if (
        inner not in with_other
        or (inner == UPDATE and (content != "S" or one.kind in COMPOUND))
        or (n == 2 and inner == THEN and content + other == "J")
    ):
        return False
    if not content and inner in (BARE, ELSE, DEFAULT, BREAK_IF, HELPER):
        return False
    if where != FUNCTION and (ceil(where) >= n or (where % 1 and one.blocks[ceil(where)] != FOR)):
        return False
    needs_v = one.kind != replace(PLAIN, need=one.kind.need)
    return ("S" in one.pattern or not needs_v) and one.precedes("S", "D") and one.precedes("J", "D")


def _is_sensible(one: Member) -> bool:
    """Whether v is known where it is used, what differs can matter to D, and no other member is the same."""
    kind, own = one.kind, one.decides_itself()
    uses = "ST" + "D" * (not own) + "J" * (one.guard == "v")
    if any(letter in one.pattern and one.depth(letter) < kind.where + 1 for letter in uses):
        return False
    if (one.first != "0u" and "#" not in kind.declaration) or (own and kind.decision in _DECISIONS):
        return False
    matters = all(_matters(one, i) for i, _ in enumerate(one.blocks) if one.reads[i] != "u")
    return matters and (one.guard != "v" or one.precedes("S", "J"))


def _matters(one: Member, i: int) -> bool:
    """The same of the condition of one block, which reads `lid` or v."""
    block, where, pattern = one.blocks[i], one.kind.where, one.pattern
    if pattern.startswith("D") and one.depth("D") <= i and not one.repeats("D", i):
        return False
    stored = one.repeats("S", i + 1) or (i == 1 and pattern.startswith("S"))
    known = where < i or (where == i and block in (LOOP, LEFT_LAST, BREAK_IF))
    return one.reads[i] == "lid" or (stored and known and not (i and block == THEN and pattern.split(".")[1] == "D"))


def _may_jump(one: Member, jump: str) -> bool:
    """Whether a jump may stand where J does."""
    for block in reversed(one.blocks[: one.depth("J")]):
        if block in (CONTINUING, BREAK_IF, UPDATE, HELPER):
            return block == HELPER and jump == RETURN
        if jump != RETURN and (block in LOOPS or (jump == BREAK and block in (CLAUSE, DEFAULT))):
            return True
    return jump == RETURN


def _ends(one: Member) -> bool:
    """Whether a `continue` without a condition leaves each loop an end."""
    return [block for block in one.blocks[: one.depth("J")] if block != BARE][-1] != LOOP


def text_of(one: Member) -> str:
    """The module."""
    kind, functions = one.kind, list[str]()
    *around, last = [[_letters(one, part) for part in place.split("|")] for place in one.pattern.split(".")]
    inner, *other = around.pop(len(one.blocks) - 1)
    declaration = kind.declaration.replace("#", one.first)
    for i in range(len(one.blocks) - 1, -1, -1):
        form = one.blocks[i].replace("?", _condition(kind, one.reads[i])).replace("!", "".join(other))
        if around and not i:
            inner = f"{around[0][0]} {inner} {around[1][0]}"
        if kind.where == i:
            inner = f"{declaration} {inner}"
        elif kind.where == i - HEAD:
            form = form.replace("(;", f"({declaration}")
        if one.blocks[i] == HELPER:
            inner = _called(kind, i, inner, functions)
        inner, other = form.replace("@", inner.strip(";") if one.blocks[i] == UPDATE else inner), []
    body = f"{inner} {last[0]}"
    if kind.where == FUNCTION and re.search(r"\b[vq]\b", body):
        if "<private>" in declaration:
            functions.insert(0, declaration)
        else:
            body = f"{declaration} {body}"
    text = re.sub(" +", " ", "\n".join([*functions, f"{MAIN}{{ {body} }}"])).replace(" else { }", "")
    return "\n".join(
        [*[declared for name, declared in zip(_NAMES, _MODULE, strict=True) if re.search(rf"\b{name}\b", text)], text]
    )


def _letters(one: Member, part: str) -> str:
    """The statements of one place."""
    kind = one.kind
    decision = "$" if one.decides_itself() else kind.decision.replace("?", kind.read)
    jump = f"if {_condition(kind, one.guard)} {{ {one.jump} }}" if one.guard else one.jump
    other = "lid" if one.stored == "0u" else "0u"
    stores = {letter: kind.store.replace("#", value) for letter, value in (("S", one.stored), ("T", other))}
    texts = {**stores, "J": jump, "D": decision.replace("$", kind.need)}
    return " ".join([texts[letter] for letter in part])


def _condition(kind: VariableKind, read: str) -> str:
    return kind.read if read == "v" else f"{read} == 0u"


def _called(kind: VariableKind, i: int, body: str, functions: list[str]) -> str:
    """A call of a new function with this body, which gets a pointer to v, and `lid`, if it needs them."""
    given = {}
    if kind.where < i and re.search(r"\b[vq]\b", body):
        space = "private" if "<private>" in kind.declaration else "function"
        given["&v"] = f"p: ptr<{space}, {kind.type}>"
        body = re.sub(r"\bv\b", "(*p)", re.sub(r"\*q\b", "*p", body))
    if re.search(r"\blid\b", body):
        given["lid"] = "lid: u32"
    functions.append(f"fn f{i}({', '.join(given.values())}) {{ {body} }}")
    return f"f{i}({', '.join(given)});"


def _parts(size: int) -> Iterator[Member]:
    if size == 1:
        yield from _members([PLAIN], ALONE, ONE)
    elif size == 2:
        yield from _members([*VARIABLES, *OTHERS], ALONE, ONE)
        yield from _members([PLAIN], PAIRS, TWO)
    elif size == 3:
        yield from _members(VARIABLES, PAIRS, FEW)
        yield from _members([kind for kind in VARIABLES if kind.where != FUNCTION], PAIRS, LEAKS)
    elif size == 4:
        yield from _members([*OTHERS, *COMPOUND], PAIRS, FEW)


@cache
def members(size: int) -> tuple[Member, ...]:
    """What the texts of one size are made of; from 3 on no condition differs."""
    return tuple([one for one in _parts(size) if size < 3 or one.reads == ("u", "u")])


@cache
def of_size(size: int) -> CountedSet[str]:
    """The texts of one size."""
    return mapped(ListedSet(members(size)), text_of)
