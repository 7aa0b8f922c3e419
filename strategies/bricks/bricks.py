"""Bricks: parts of shaders that are drawn, printed and measured once.

A brick of `main` is one statement with those that must stand right before or behind it. A version of a function is one
of several functions with one signature. Names stand in sets of bits: an environment numbers them.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wgsl_fuzz.strategies.generate.shaders import Part
from wgsl_fuzz.tinywgsl.ast import Block, Function
from wgsl_fuzz.tinywgsl.printer import assigned_parameters, block_lines, copy_name, function_lines


class Brick(NamedTuple):
    """Consecutive statements of `main`."""

    part: Part
    place: float
    """How much of the part of `main` that it was drawn for stood before it, from 0 to 1."""
    statements: Block
    text: str
    size: int
    """How many statements there are, with all inside them."""
    barriers: int
    """How many of them are barriers."""
    returns: bool
    """Whether one of them is a `return`."""
    uses: int
    """The variables of `main`, the arrays and the functions that occur."""
    shows: frozenset[str]
    """The idioms that are in it."""


class Version(NamedTuple):
    """One body of a function."""

    function: Function
    text: str
    budget: int
    """How many statements it was meant to have."""
    size: int
    barriers: int
    uses: int
    """The arrays and the functions that occur."""


class Numbers(dict[str, int]):
    """A bit for each name, in the order in which they are first asked for."""

    def __missing__(self, name: str) -> int:
        bit = self[name] = 1 << len(self)
        return bit

    def of(self, names: Iterable[str]) -> int:
        """The set of these names."""
        bits = 0
        for name in names:
            bits |= self[name]
        return bits


def brick(part: Part, place: float, ss: Block, uses: int, shows: Iterable[str] = ()) -> Brick:
    """The brick of these statements."""
    text = text_of(block_lines(ss))
    barriers = text.count("workgroupBarrier();")
    return Brick(part, place, ss, text, _statements(text), barriers, "return" in text, uses, frozenset(shows))


def version(f: Function, budget: int, uses: int) -> Version:
    """The version of a function whose names are the generator's: no other name ends with `_in`."""
    copies = {name: copy_name(name) for name in assigned_parameters(f)}
    text = text_of(function_lines(f, copies))
    declared = 1 + len(copies) + len(f.locals)
    return Version(f, text, budget, _statements(text) - declared, text.count("workgroupBarrier();"), uses)


def text_of(lines: Sequence[str]) -> str:
    """Lines, each with its end."""
    return "\n".join([*lines, ""])


def _statements(text: str) -> int:
    """How many statements the printer wrote; heads of functions and declarations count as well.

    Each line is one, but for those that begin with `}` and for `continuing`. A `break if` is two, an `if` and a
    `break`. A walk over the nodes would cost more than the text itself.
    """
    lines = text.count("\n") - text.count("}")
    return lines - text.count("continuing") + text.count("break if ") if "loop" in text else lines
