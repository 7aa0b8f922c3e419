"""The neighbourhood of a shader: all that one mutation makes of it, and all that two make."""

from collections.abc import Iterator
from functools import cache

from wgsl_fuzz.fuzz.cases.case import key_of
from wgsl_fuzz.strategies.choices.replay import ways
from wgsl_fuzz.strategies.edit.mutation import MUTATIONS, mutated
from wgsl_fuzz.strategies.enumerate.families import Family
from wgsl_fuzz.strategies.enumerate.sets import CountedSet, ListedSet, PackedSet, UnionSet
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve

MOST = 2
"""Mutations; a third makes some 10^7 shaders of ten lines."""
NEAR = "near:"
"""How the name of such a family begins; the name of the file follows."""


def family_near(name: str, text: str) -> Family[str]:
    """The family of a shader's neighbourhood; its size counts mutations.

    Building its members raises WgslError if the text is no module that the reference knows.
    """
    alphabet = "all mutations in every way, with conditions that read one value"
    return Family(f"{NEAR}{name}", "the mutations", alphabet, lambda size: _mutated(text, size))


@cache
def _mutated(text: str, size: int) -> CountedSet[str]:
    """What so many mutations make of a shader, and fewer do not."""
    if not 0 < size <= MOST:
        return ListedSet([] if size else [print_module(parse(text))])
    known = {key_of(one) for n in range(size) for one in _mutated(text, n)}
    return UnionSet([PackedSet(_new(one, known)) for one in _mutated(text, size - 1)])


def _new(text: str, known: set[int]) -> Iterator[str]:
    """What each mutation makes of a shader, without the texts whose keys are `known`, to which theirs are added."""
    parent = resolve(parse(text))
    for name in MUTATIONS:
        for made, _ in ways(lambda source: mutated(name, parent, source)):  # noqa: B023
            if made is not None and (key := key_of(new := print_module(made.module))) not in known:
                known.add(key)
                yield new
