"""Inlining: a call's place taken by its callee's body."""

from dataclasses import replace

from wgsl_fuzz.tinywgsl.ast import Assign, Call, Function, Return, Shader, Variable, walk
from wgsl_fuzz.tinywgsl.printer import fresh_name
from wgsl_fuzz.tinywgsl.rewrite import Path, names_of, spliced, with_function, with_names, zero


def can_be_inlined(f: Function) -> bool:
    """Whether the only `return` of a function is its last statement."""
    returns = sum(isinstance(s, Return) for s in walk(f.body))
    return returns == 1 and isinstance(f.body[-1], Return) and f.result is not None


def inlined(shader: Shader, i: int, path: Path, call: Call) -> Shader:
    """The shader with the call at `path` of its i-th function inlined; its callee `can_be_inlined`, and stays.

    The callee's parameters and locals become fresh locals of the caller. They are assigned at the inlined place, the
    locals with zero: in a loop they would keep what the round before left in them.
    """
    callee = next(f for f in shader.functions if f.name == call.function)
    caller = shader.all_functions[i]
    taken = names_of(shader)
    variables = (*callee.params, *callee.locals)
    names = {v.name: fresh_name(f"{v.name}_inlined", taken) for v in variables}
    new = tuple([Variable(names[v.name], v.type) for v in variables])
    *rest, end = with_names(callee.body, names)
    assert isinstance(end, Return), "the callee can be inlined"
    assert end.value is not None, "main is not called"
    starts = [Assign(names[v.name], e) for v, e in zip(callee.params, call.arguments, strict=True)]
    starts += [Assign(names[v.name], zero(v.type)) for v in callee.locals]
    inline = (*starts, *rest, Assign(call.name, end.value))
    changed = replace(caller, locals=(*caller.locals, *new), body=spliced(caller.body, path, 1, inline))
    return with_function(shader, i, changed)
