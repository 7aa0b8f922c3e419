"""Renaming: reduced shaders get the names that a person would give them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from wgsl_fuzz.tinywgsl.ast import Function, Shader, Variable
from wgsl_fuzz.tinywgsl.rewrite import with_names

Names = Mapping[str, str]


def with_plain_names(shader: Shader) -> Shader:
    """The shader with arrays A, B, ..., functions f, g, ..., parameters p, q, ... and locals x, y, ... in order."""
    return renamed(shader, plain_names(shader))


def plain_names(shader: Shader) -> Names:
    """The names that `with_plain_names` gives, by the names they replace."""
    names: dict[str, str] = {}
    names |= zip((a.name for a in shader.arrays), _letters("ABCDEFGH"))
    names |= zip((f.name for f in shader.functions), _letters("fghk"))
    names |= zip((v.name for f in shader.all_functions for v in f.params), _letters("pqrs"))
    names |= zip((v.name for f in shader.all_functions for v in f.locals), _letters("xyzuvwabcdijn"))
    return names


def _letters(letters: str) -> Iterator[str]:
    yield from letters
    round = 1
    while True:
        yield from (f"{letter}{round}" for letter in letters)
        round += 1


def renamed(shader: Shader, names: Names) -> Shader:
    """The shader with every name that `names` knows replaced; names must stay distinct."""
    functions = [_function(f, names) for f in shader.all_functions]
    arrays = tuple(replace(a, name=names.get(a.name, a.name)) for a in shader.arrays)
    return replace(shader.with_functions(functions), arrays=arrays)


def _function(f: Function, names: Names) -> Function:
    def variables(vs: tuple[Variable, ...]) -> tuple[Variable, ...]:
        return tuple(Variable(names.get(v.name, v.name), v.type) for v in vs)

    name = names.get(f.name, f.name)
    return Function(name, variables(f.params), variables(f.locals), with_names(f.body, names), f.result)
