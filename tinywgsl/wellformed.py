"""Well-formedness: the seven restrictions of section 3.2 and what WGSL itself adds (docs/paper-notes.md, note 5).

Restriction (5), a `continuing` has its loop's ID, holds by construction: the two are one node.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from wgsl_fuzz.tinywgsl.ast import (
    Barrier,
    Block,
    Break,
    Call,
    Continue,
    Function,
    Lid,
    Loop,
    Return,
    Shader,
    Space,
    Stmt,
    Type,
    blocks_of,
    expressions_in,
    id_of,
    is_break_if,
    walk,
    walk_outside_loops,
)
from wgsl_fuzz.tinywgsl.behaviour import NEXT, UnionBehaviourAnalysis
from wgsl_fuzz.tinywgsl.types import type_errors
from wgsl_fuzz.tinywgsl.words import HIDING, HIDING_IN_MODULE, KEYWORDS, RESERVED

MAX_NESTING = 100
"""Blocks within blocks; Tint gives up at about 130."""

MAX_THREADS = 256
"""The limit of WebGPU on a workgroup's threads; `Val` holds their IDs (section 3.1)."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach: the rule (`restriction 1` ... `restriction 7`, `wgsl`), what is wrong, and the statement if any."""

    rule: str
    message: str
    statement: Stmt | None = None

    def __str__(self) -> str:
        return f"{self.message} ({self.rule})"


def violations(shader: Shader, *, main_may_return: bool = False) -> list[Violation]:
    """Every breach of the rules by `shader`, in no particular order; empty if it is well-formed.

    `main_may_return` drops restriction (1), as WGSL itself and the paper's Fig. 10 do (docs/paper-notes.md, note 6).
    """
    found = [] if main_may_return else list(_restriction_1(shader.main))
    found += _restriction_2(shader)
    for f in shader.all_functions:
        found += _restriction_3(f)
        found += _places(f.body, in_loop=False, depth=1)
    found += _restriction_4(shader)
    found += _restriction_6(shader)
    found += [Violation("wgsl", message, s) for message, s in type_errors(shader)]
    if not found:  # behaviours need statements in their right places
        found += behaviour_violations(shader)
    return found + list(_declarations(shader))


def _restriction_1(main: Function) -> Iterator[Violation]:
    """(1) `main` has no `return` and ends in a barrier."""
    for s in walk(main.body):
        if isinstance(s, Return):
            yield Violation("restriction 1", "main contains a return", s)
    if not main.body or not isinstance(main.body[-1], Barrier):
        yield Violation("restriction 1", "main does not end in a barrier")


def _restriction_2(shader: Shader) -> Iterator[Violation]:
    """(2) The locals of distinct functions, parameters included, are disjoint."""
    owner: dict[str, str] = {"lid": "main"}
    for f in shader.all_functions:
        for v in (*f.params, *f.locals):
            if v.name in owner:
                yield Violation("restriction 2", f"{v.name} is a local of {owner[v.name]} and of {f.name}")
            owner[v.name] = f.name


def _restriction_3(f: Function) -> Iterator[Violation]:
    """(3) The body of every loop ends with a `continue`."""
    for s in walk(f.body):
        if isinstance(s, Loop) and (not s.body or not isinstance(s.body[-1], Continue)):
            yield Violation("restriction 3", "the body of a loop does not end with a continue", s)


def _restriction_4(shader: Shader) -> Iterator[Violation]:
    """(4) The IDs of barrier, continue, loop and call statements are all distinct."""
    seen: set[int] = set()
    for f in shader.all_functions:
        for s in walk(f.body):
            id = id_of(s)
            if id in seen:
                yield Violation("restriction 4", f"the ID {id} is used twice", s)
            if id is not None:
                seen.add(id)


def _restriction_6(shader: Shader) -> Iterator[Violation]:
    """(6) Every function is declared before all of its callers."""
    declared: set[str] = set()
    for f in shader.all_functions:
        for s in walk(f.body):
            if isinstance(s, Call) and s.function not in declared:
                yield Violation("restriction 6", f"{f.name} calls {s.function}, which is not declared before it", s)
        declared.add(f.name)


def _places(ss: Block, *, in_loop: bool, depth: int) -> Iterator[Violation]:
    """`break` and `continue` stand in loops, and blocks are not nested too deeply."""
    if depth > MAX_NESTING:
        yield Violation("wgsl", f"more than {MAX_NESTING} nested blocks")
        return
    for s in ss:
        if isinstance(s, (Break, Continue)) and not in_loop:
            yield Violation("wgsl", f"a {type(s).__name__.lower()} outside a loop", s)
        if isinstance(s, Loop):
            yield from _restriction_7(s, depth)
            yield from _places(s.body, in_loop=True, depth=depth + 1)
        else:
            for inner in blocks_of(s):
                yield from _places(inner, in_loop=in_loop, depth=depth + 1)


def _restriction_7(loop: Loop, depth: int) -> Iterator[Violation]:
    """(7) In a `continuing`, break only as a final `if (e) {break} else {}` or in an inner loop; never a return."""
    ss = loop.continuing
    if ss and is_break_if(ss[-1]):
        ss = ss[:-1]
    for s in walk_outside_loops(ss):
        if isinstance(s, (Break, Continue)):
            yield Violation("restriction 7", f"a {type(s).__name__.lower()} leaves a continuing", s)
    for s in walk(loop.continuing):
        if isinstance(s, Return):
            yield Violation("restriction 7", "a return in a continuing", s)
    yield from _places(ss, in_loop=True, depth=depth + 1)


def behaviour_violations(shader: Shader) -> list[Violation]:
    """The part of `violations` that the parser leaves open: whether every loop, function and thread can get on."""
    return [violation for f in shader.all_functions for violation in _behaviours(f)]


def _behaviours(f: Function) -> Iterator[Violation]:
    """WGSL: no loop, live or dead, that cannot be left; a function with a result does not fall off its end.

    Revisions of B differ on loops that only return (Fig. 10b), so the end of a function is held to the older one.
    """
    B = UnionBehaviourAnalysis()
    for s in walk(f.body):
        if isinstance(s, Loop) and not B.statement(s):
            yield Violation("wgsl", "a loop that cannot be left", s)
    if f.result is not None and NEXT & B.block(f.body):
        yield Violation("wgsl", f"{f.name} can reach its end without a return")


_UNUSABLE = KEYWORDS | RESERVED | HIDING


def _is_name(name: str) -> bool:
    return name.isidentifier() and name != "_" and not name.startswith("__")


def _declarations(shader: Shader) -> Iterator[Violation]:
    """WGSL: names are identifiers, not keywords, and unique in their scope; sizes are in range."""
    module_names = {a.name for a in shader.arrays} | {f.name for f in shader.all_functions}
    local_names = {v.name for f in shader.all_functions for v in (*f.params, *f.locals)}
    for name in sorted(local_names & module_names):
        yield Violation("wgsl", f"the local {name} has the name of a function or a shared array")
    unusable = (module_names & HIDING_IN_MODULE) | ((module_names | local_names) & _UNUSABLE)
    unusable |= {name for name in module_names | local_names if not _is_name(name)}
    for name in sorted(unusable):
        yield Violation("wgsl", f"{name!r} is not a usable name")
    if len(module_names) < len(shader.arrays) + len(shader.functions) + 1:
        yield Violation("wgsl", "two functions or shared arrays have the same name")
    if not 1 <= shader.workgroup_size <= MAX_THREADS:
        yield Violation("wgsl", f"the workgroup size {shader.workgroup_size} is not in 1..{MAX_THREADS}")
    for a in shader.arrays:
        if a.space is Space.STORAGE and a.type is Type.BOOL:
            yield Violation("wgsl", f"{a.name}: booleans cannot be shared with the host")
        if a.size < (1 if a.space is Space.WORKGROUP else 0):
            yield Violation("wgsl", f"{a.name} has no size")
    for f in shader.functions:
        if any(isinstance(e, Lid) for e in expressions_in(f.body)):
            yield Violation("wgsl", f"{f.name} reads lid, which is a parameter of main")
