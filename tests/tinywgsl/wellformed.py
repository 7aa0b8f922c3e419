"""Well-formedness of TinyWGSL: the restrictions of section 3.2, places and behaviours (docs/paper-notes.md, note 5).

Restriction (5), a `continuing` has its loop's ID, holds by construction: the two are one node. Types and names are for
Tint to judge.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

from wgsl_fuzz.oracle.core import behaviour_faults
from wgsl_fuzz.tinywgsl import ast

MAX_NESTING = 100
"""Blocks within blocks; Tint gives up at about 130."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach: the rule (`restriction 1` ... `restriction 7`, `wgsl`), what is wrong, and the statement if any."""

    rule: str
    message: str
    statement: ast.Stmt | None = None

    def __str__(self) -> str:
        return f"{self.message} ({self.rule})"


def violations(shader: ast.Shader, *, main_may_return: bool = False) -> list[Violation]:
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
    if not found:  # behaviours need statements in their right places
        found += behaviour_violations(shader)
    return found


def _restriction_1(main: ast.Function) -> Iterator[Violation]:
    """(1) `main` has no `return` and ends in a barrier."""
    for s in ast.walk(main.body):
        if isinstance(s, ast.Return):
            yield Violation("restriction 1", "main contains a return", s)
    if not main.body or not isinstance(main.body[-1], ast.Barrier):
        yield Violation("restriction 1", "main does not end in a barrier")


def _restriction_2(shader: ast.Shader) -> Iterator[Violation]:
    """(2) The locals of distinct functions, parameters included, are disjoint."""
    owner: dict[str, str] = {"lid": "main"}
    for f in shader.all_functions:
        for v in (*f.params, *f.locals):
            if v.name in owner:
                yield Violation("restriction 2", f"{v.name} is a local of {owner[v.name]} and of {f.name}")
            owner[v.name] = f.name


def _restriction_3(f: ast.Function) -> Iterator[Violation]:
    """(3) The body of every loop ends with a `continue`."""
    for s in ast.walk(f.body):
        if isinstance(s, ast.Loop) and (not s.body or not isinstance(s.body[-1], ast.Continue)):
            yield Violation("restriction 3", "the body of a loop does not end with a continue", s)


def _restriction_4(shader: ast.Shader) -> Iterator[Violation]:
    """(4) The IDs of barrier, continue, loop and call statements are all distinct."""
    seen: set[int] = set()
    for f in shader.all_functions:
        for s in ast.walk(f.body):
            id = ast.id_of(s)
            if id in seen:
                yield Violation("restriction 4", f"the ID {id} is used twice", s)
            if id is not None:
                seen.add(id)


def _restriction_6(shader: ast.Shader) -> Iterator[Violation]:
    """(6) Every function is declared before all of its callers."""
    declared: set[str] = set()
    for f in shader.all_functions:
        for s in ast.walk(f.body):
            if isinstance(s, ast.Call) and s.function not in declared:
                yield Violation("restriction 6", f"{f.name} calls {s.function}, which is not declared before it", s)
        declared.add(f.name)


def _places(ss: ast.Block, *, in_loop: bool, depth: int) -> Iterator[Violation]:
    """`break` and `continue` stand in loops, and blocks are not nested too deeply."""
    if depth > MAX_NESTING:
        yield Violation("wgsl", f"more than {MAX_NESTING} nested blocks")
        return
    for s in ss:
        if isinstance(s, (ast.Break, ast.Continue)) and not in_loop:
            yield Violation("wgsl", f"a {type(s).__name__.lower()} outside a loop", s)
        if isinstance(s, ast.Loop):
            yield from _restriction_7(s, depth)
            yield from _places(s.body, in_loop=True, depth=depth + 1)
        else:
            for inner in ast.blocks_of(s):
                yield from _places(inner, in_loop=in_loop, depth=depth + 1)


def _outside_loops(block: ast.Block) -> Iterator[ast.Stmt]:
    """The statements of a block without what is inside loops."""
    for s in block:
        yield s
        if not isinstance(s, ast.Loop):
            for inner in ast.blocks_of(s):
                yield from _outside_loops(inner)


def _restriction_7(loop: ast.Loop, depth: int) -> Iterator[Violation]:
    """(7) In a `continuing`, break only as a final `if (e) {break} else {}` or in an inner loop; never a return."""
    ss = loop.continuing
    if ss and ast.is_break_if(ss[-1]):
        ss = ss[:-1]
    for s in _outside_loops(ss):
        if isinstance(s, (ast.Break, ast.Continue)):
            yield Violation("restriction 7", f"a {type(s).__name__.lower()} leaves a continuing", s)
    for s in ast.walk(loop.continuing):
        if isinstance(s, ast.Return):
            yield Violation("restriction 7", "a return in a continuing", s)
    yield from _places(ss, in_loop=True, depth=depth + 1)


def behaviour_violations(shader: ast.Shader) -> list[Violation]:
    """The part of `violations` that lowering leaves open: whether every loop, function and thread can get on."""
    return [Violation("wgsl", message, s) for message, s in behaviour_faults(shader)]


def renumbered(shader: ast.Shader) -> ast.Shader:
    """The same shader with the IDs 1, 2, ... in source order: the canonical numbering (restriction 4)."""
    numbers = count(1)

    def numbered(ss: ast.Block) -> ast.Block:
        return tuple([one(s) for s in ss])

    def one(s: ast.Stmt) -> ast.Stmt:
        if isinstance(s, ast.Loop | ast.Call | ast.Barrier | ast.Continue):
            s = replace(s, id=next(numbers))
        if isinstance(s, ast.If):
            return replace(s, then=numbered(s.then), orelse=numbered(s.orelse))
        return replace(s, body=numbered(s.body), continuing=numbered(s.continuing)) if isinstance(s, ast.Loop) else s

    *functions, main = [replace(f, body=numbered(f.body)) for f in shader.all_functions]
    return replace(shader, functions=tuple(functions), main=main)
