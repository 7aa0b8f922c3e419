"""The neighbourhood of a shader: what one mutation makes of it, and what two small ones make."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice

from wgsl_fuzz.strategies.choices.replay import ways
from wgsl_fuzz.strategies.edit.mutation import MUTATIONS, mutated
from wgsl_fuzz.strategies.enumerate.families import Family
from wgsl_fuzz.strategies.enumerate.sets import CountedSet, ListedSet
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

MOST = 2_000
"""So many ways to choose where and how are tried of each mutation: those that insert have thousands."""
SMALL = (
    *("delete", "unwrap", "tame", "negate", "exchange branches", "exchange clauses", "taint", "replace"),
    *("swap operands", "operator", "partial", "compound", "ignore", "retarget", "assign again", "change jump"),
    *("break if", "loop form", "while form", "if form", "switch form", "move", "move requirement", "swap"),
    *("pointer", "structure", "array", "outline"),
)
"""The mutations that have few ways, of which two are tried one after another."""


NEAR = "near:"
"""How the name of such a family begins; the name of the file follows."""


def family_near(name: str, text: str) -> Family[str]:
    """The family of a shader's neighbourhood, by size: the shader, one mutation, two small ones.

    Building its members raises WgslError if the text is no module that the reference knows.
    """

    def of_size(size: int) -> CountedSet[str]:
        return ListedSet(_neighbourhood(text)[size] if size <= 2 else ())

    return Family(f"{NEAR}{name}", "edits", "all mutations of a shader, and two of those that have few ways", of_size)


@cache
def _neighbourhood(text: str) -> tuple[tuple[str, ...], ...]:
    """The texts of sizes 0, 1 and 2, each text once."""
    parent = resolve(parse(text))
    itself = print_module(parent.module)
    known = {itself}
    one = tuple([new for new, _ in _new(parent, MUTATIONS, known)])
    halfway = [resolution for _, resolution in _new(parent, SMALL, {itself})]
    two = tuple([new for resolution in halfway for new, _ in _new(resolution, SMALL, known)])
    return (itself,), one, two


def _new(parent: Resolution, names: Iterable[str], known: set[str]) -> Iterator[tuple[str, Resolution]]:
    """What one of these mutations makes of a module, without the texts that are `known`, to which it is added."""
    for name in names:
        for way in islice(ways(lambda source: mutated(name, parent, source)), MOST):  # noqa: B023
            if way.made is not None and (text := print_module(way.made.module)) not in known:
                known.add(text)
                yield text, way.made
