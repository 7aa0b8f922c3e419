"""The edits of the reducer: every way to make a shader a little simpler, largest first.

Most variants are not well-formed or not interesting, and a few are no smaller in `size`: the reducer finds out.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

from wgsl_fuzz.fuzz.reduction.edits_expressions import NonUniform, non_uniform, weight
from wgsl_fuzz.fuzz.reduction.edits_functions import function_edits
from wgsl_fuzz.fuzz.reduction.edits_statements import (
    forgotten,
    live,
    propagations,
    removals,
    replacements,
    simplifications,
)
from wgsl_fuzz.tinywgsl.ast import (
    ARRAYS,
    LOCALS,
    Block,
    Call,
    Function,
    Shader,
    blocks_of,
    expressions_of,
    names_in_block,
    walk,
)
from wgsl_fuzz.tinywgsl.behaviour import BehaviourAnalysis
from wgsl_fuzz.tinywgsl.rewrite import paths, with_body, with_spliced

Size = tuple[int, int, int]
_CALL = 40
"""What a call counts beside its arguments: more than any assignment that may stand instead."""


def size(shader: Shader) -> Size:
    """The measure that reducing decreases: statements, then expressions, then what is declared and the `else`s."""
    statements = expressions = 0
    declared = len(shader.arrays) + shader.workgroup_size + sum(a.size for a in shader.arrays)
    for f in shader.all_functions:
        declared += 1 + len(f.params) + len(f.locals)
        for s in walk(f.body):
            statements += 1
            declared += sum(map(bool, blocks_of(s)[1:]))
            if isinstance(s, Call):
                expressions += _CALL
            for e in expressions_of(s):
                expressions += weight(e)
    return statements, expressions, declared


def variants(shader: Shader) -> Iterator[Shader]:
    """Every simpler neighbour of a shader, the larger steps first."""
    yield from _without_dead_code(shader)
    yield from function_edits(shader)
    for chunk in (8, 4, 2, 1):
        yield from _each_body(shader, lambda ss, _: removals(ss, chunk))  # noqa: B023
    yield from _each_body(shader, replacements)
    yield from _each_body(shader, lambda ss, _: propagations(ss))
    yield from _each_body(shader, forgotten)
    yield from _each_body(shader, simplifications)
    yield from _declarations(shader)


def _without_dead_code(shader: Shader) -> Iterator[Shader]:
    """All of it at once, in all functions: it seldom matters, and a search that runs out of time is rid of it."""
    B = BehaviourAnalysis()
    functions = [replace(f, body=live(f.body, B)) for f in shader.all_functions]
    if any(new.body != f.body for new, f in zip(functions, shader.all_functions, strict=True)):
        yield shader.with_functions(functions)


def pairs(shader: Shader) -> Iterator[Shader]:
    """The shader without two of its statements, and without one when another is replaced."""
    statements = [(i, path) for i, f in enumerate(shader.all_functions) for path in paths(f.body)]
    without = [with_spliced(shader, *statement, 1, ()) for statement in statements]
    for i, j in combinations(range(len(statements)), 2):
        yield with_spliced(without[j], *statements[i], 1, ())  # the later one first: the way to the earlier one stays
    for one_less in _each_body(shader, lambda ss, _: removals(ss, 1)):
        yield from _each_body(one_less, replacements)


def _each_body(shader: Shader, edit: Callable[[Block, NonUniform], Iterator[Block]]) -> Iterator[Shader]:
    functions = shader.all_functions
    for i in (len(functions) - 1, *range(len(functions) - 1)):  # `main` first
        f = functions[i]
        for ss in edit(f.body, non_uniform(shader, f)):
            yield with_body(shader, i, ss)


def _declarations(shader: Shader) -> Iterator[Shader]:
    for n in (2, 3):
        if n < shader.workgroup_size:
            yield replace(shader, workgroup_size=n)
    for i, a in enumerate(shader.arrays):
        if a.size != 1:
            yield replace(shader, arrays=(*shader.arrays[:i], replace(a, size=1), *shader.arrays[i + 1 :]))


def trimmed(shader: Shader) -> Shader:
    """The shader without the locals and arrays that nothing uses any more."""
    functions, used = [], set[str]()
    for f in shader.all_functions:
        locals_ = set(names_in_block(f.body, LOCALS))
        functions.append(f if all(v.name in locals_ for v in f.locals) else _with_locals(f, locals_))
        used.update(names_in_block(f.body, ARRAYS))
    kept = tuple([a for a in shader.arrays if a.name in used])
    return Shader(kept, tuple(functions[:-1]), functions[-1], shader.workgroup_size)  # `replace` is slow


def _with_locals(f: Function, kept: set[str]) -> Function:
    return Function(f.name, f.params, tuple([v for v in f.locals if v.name in kept]), f.body, f.result)
