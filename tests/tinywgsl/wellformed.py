"""Well-formedness of TinyWGSL: the restrictions of section 3.2 (docs/paper-notes.md, notes 5 and 6).

Restriction (5), a `continuing` has its loop's ID, holds by construction: the two are one node. What WGSL restricts as
well, places, behaviours and (7), is for the front end to say of the text; types and names are for Tint to judge.
"""

from dataclasses import replace
from itertools import count

from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.resolve import read


def violations(shader: ast.Shader, *, main_may_return: bool = False) -> list[str]:
    """Every breach of the rules by `shader`; empty if it is well-formed.

    `main_may_return` drops restriction (1), as WGSL itself and the paper's Fig. 10 do.
    """
    statements = {f.name: list(ast.walk(f.body)) for f in shader.all_functions}
    every = [s for ss in statements.values() for s in ss]
    names = ["lid", *(v.name for f in shader.all_functions for v in (*f.params, *f.locals))]
    ids = [id for s in every if (id := ast.id_of(s)) is not None]
    calls = [(name, s.function) for name, ss in statements.items() for s in ss if isinstance(s, ast.Call)]
    declared = list(statements)
    main, returns = shader.main.body, any(isinstance(s, ast.Return) for s in statements[shader.main.name])
    held = {
        "(1) main has no return and ends in a barrier": main_may_return
        or (not returns and isinstance(main[-1], ast.Barrier)),
        "(2) the locals of distinct functions are disjoint": len({*names}) == len(names),
        "(3) the body of every loop ends with a continue": all(
            isinstance(s.body[-1], ast.Continue) for s in every if isinstance(s, ast.Loop)
        ),
        "(4) IDs are distinct": len({*ids}) == len(ids),
        "(6) every function is declared before its callers": all(
            declared.index(called) < declared.index(caller) for caller, called in calls
        ),
        "its text is WGSL": core_of(read(print_shader(shader))).shader is not None,
    }
    return [rule for rule, holds in held.items() if not holds]


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
