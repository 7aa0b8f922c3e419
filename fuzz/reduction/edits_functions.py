"""Edits on functions: without one, without a parameter, with a callee's body in the place of its calls."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from wgsl_fuzz.fuzz.reduction.edits_statements import propagated
from wgsl_fuzz.tinywgsl.ast import (
    ASSIGNED,
    CALLED,
    Assign,
    Block,
    Call,
    Function,
    Return,
    Shader,
    Stmt,
    names_in_block,
)
from wgsl_fuzz.tinywgsl.rewrite import rewritten, with_function, with_local


def function_edits(shader: Shader) -> Iterator[Shader]:
    """Every shader with a function or a parameter less."""
    for i, f in enumerate(shader.functions):
        yield without_function(shader, f)
        for j in range(len(f.params)):
            yield without_param(shader, i, j)
        yield from inlined(shader, f)


def without_function(shader: Shader, f: Function) -> Shader:
    """The shader without a function and its calls."""
    return _rewritten_calls(_dropped(shader, f), f.name, lambda _: ())


def without_param(shader: Shader, i: int, j: int) -> Shader:
    """The shader whose i-th function reads a local, which is zero, where it read its j-th parameter."""
    f = shader.functions[i]
    changed = replace(f, params=(*f.params[:j], *f.params[j + 1 :]), locals=(f.params[j], *f.locals))

    def call(s: Call) -> Block:
        return (replace(s, arguments=(*s.arguments[:j], *s.arguments[j + 1 :])),)

    return _rewritten_calls(with_function(shader, i, changed), f.name, call)


def inlined(shader: Shader, f: Function) -> Iterator[Shader]:
    """The shader with a function's body in the place of its calls, which all stand in one other function.

    A `return` but the last is left out, and a parameter that is assigned becomes a local that starts as zero:
    whether what was found survives that, the reducer asks.
    """
    callers = [g for g in shader.all_functions if f.name in names_in_block(g.body, CALLED)]
    if len(callers) != 1 or not f.body or not isinstance(f.body[-1], Return) or f.body[-1].value is None:
        return
    body, result = _without_returns(f.body[:-1]), f.body[-1].value
    assigned = set(names_in_block(body, ASSIGNED))

    def call(s: Call) -> Block:
        inner, value = body, result
        for v, argument in zip(f.params, s.arguments, strict=True):
            if v.name not in assigned:
                inner = propagated(inner, v.name, argument, lambda _: False)
                value = with_local(value, v.name, argument)
        return (*inner, Assign(s.name, value))

    caller = callers[0]
    moved = (*[v for v in f.params if v.name in assigned], *f.locals)
    functions = [
        replace(g, locals=(*g.locals, *moved)) if g is caller else g for g in _dropped(shader, f).all_functions
    ]
    yield _rewritten_calls(shader.with_functions(functions), f.name, call)


def _dropped(shader: Shader, f: Function) -> Shader:
    return replace(shader, functions=tuple(g for g in shader.functions if g is not f))


def _without_returns(ss: Block) -> Block:
    return rewritten(ss, lambda s: () if isinstance(s, Return) else (s,))


def _rewritten_calls(shader: Shader, name: str, change: Callable[[Call], Block]) -> Shader:
    def statement(s: Stmt) -> Block:
        return change(s) if isinstance(s, Call) and s.function == name else (s,)

    return shader.with_functions([replace(f, body=rewritten(f.body, statement)) for f in shader.all_functions])
