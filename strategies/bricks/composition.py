"""Putting bricks together: a shader, its text and its size, for less than it takes to draw them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from wgsl_fuzz.strategies.bricks.bricks import Brick, Version, text_of
from wgsl_fuzz.strategies.bricks.environment import Environment
from wgsl_fuzz.strategies.choices.source import Source
from wgsl_fuzz.strategies.generate.shaders import Part
from wgsl_fuzz.strategies.generate.simple import HEADED_LOOP, NESTED_CALL
from wgsl_fuzz.tinywgsl.ast import Barrier, Block, Function, Shader, SharedArray, Variable
from wgsl_fuzz.tinywgsl.printer import array_lines, block_lines, declaration, main_head

ALL_FUNCTIONS = 80
"""The rate of shaders with all functions of their environment."""
SHOWN = ((HEADED_LOOP, 2), (NESTED_CALL, 1))
"""The idioms that a shader in surface forms has if there are any, and the most bricks that are chosen for them."""
EXCESS = 8
"""By how many statements a brick may exceed what is left to draw."""


class Composition(NamedTuple):
    """A shader, and what is known of it."""

    shader: Shader
    text: str
    """As the printer has it."""
    size: int
    """How many statements there are."""


class Composer:
    """Puts shaders together from the bricks of an environment."""

    def __init__(self, environment: Environment) -> None:
        e = self.environment = environment
        self._pools: dict[tuple[Part, int, bool], list[Brick]] = {}
        self._parts = [[b for b in e.bricks if b.part is part] for part in Part]
        self._last = text_of(block_lines((e.last,)))
        numbers = e.numbers
        self._array_bits = [(a, numbers[a.name]) for a in e.arrays]
        self._variable_bits = [(v, numbers[v.name]) for v in e.variables]
        self._function_bits = [numbers[of[0].function.name] for of in e.versions]
        self._all_arrays = sum(bit for _, bit in self._array_bits)
        self._all_variables = sum(bit for _, bit in self._variable_bits)
        self._arrays: dict[int, tuple[tuple[SharedArray, ...], str]] = {}
        self._variables: dict[int, tuple[tuple[Variable, ...], str]] = {}

    def compose(self, source: Source, *, showing: bool = False) -> Composition:
        """One shader: the versions of its functions, bricks up to the size that is drawn, and what is missing.

        If `showing`, bricks with each of the idioms SHOWN are among them, if there are any.
        """
        e, profile = self.environment, self.environment.profile
        threads = source.integer(*profile.threads)
        target = source.integer(*profile.statements)
        versions = self._drawn_versions(source)
        returns = source.percent(profile.main_returns)
        size, uses, barriers = 0, 0, 0
        for v in versions:
            size += v.size
            target -= v.budget
            uses |= v.uses
            barriers += v.barriers
        absent = sum(self._function_bits[len(versions) :])
        bricks = self._drawn_bricks(source, max(1, target - 1), absent, returns=returns, showing=showing)
        for b in bricks:
            uses |= b.uses
            barriers += b.barriers
        bricks += [e.closing[i] for i in range(len(versions)) if not uses & self._function_bits[i]]
        if profile.owes_barrier and not barriers:
            bricks.append(source.pick(e.guarded))
            barriers = 1
        for b in bricks:
            size += b.size
            uses |= b.uses
        body: Block = tuple([s for b in bricks for s in b.statements])
        text = "".join([b.text for b in bricks])
        ends = not returns or source.percent(profile.last_barrier)
        alone = barriers == 1 and bool(body) and body[-1].__class__ is Barrier
        if ends or (profile.owes_barrier and alone):
            body, text, size = (*body, e.last), text + self._last, size + 1
        return self._shader(versions, body, text, uses, threads, size)

    def _drawn_versions(self, source: Source) -> list[Version]:
        """One version of each function that the shader has: those that are declared first."""
        of = self.environment.versions
        if of and not source.percent(ALL_FUNCTIONS):
            least = min(self.environment.profile.functions[0], len(of))
            of = of[: source.integer(least, len(of))]
        return [source.pick(versions) for versions in of]

    def _drawn_bricks(self, source: Source, size: int, absent: int, *, returns: bool, showing: bool) -> list[Brick]:
        """Bricks for the body of `main`, in their order, of `size` statements or a few more."""
        motifs = self._fitting(Part.MOTIF, absent, returns)
        before = self._fitting(Part.BEFORE, absent, returns)
        if not motifs:
            return _picked(source, before, size, _shown(source, before) if showing else [])
        first = _picked(source, before, source.integer(0, max(0, size - 8)))
        motif = source.pick(motifs)
        left = max(0, size - motif.size - sum([b.size for b in first]))
        behind = self._fitting(Part.BEHIND, absent, returns)
        return [
            *first,
            motif,
            *_picked(source, behind, source.integer(0, left), _shown(source, behind) if showing else []),
        ]

    def _fitting(self, part: Part, absent: int, returns: bool) -> list[Brick]:
        """The bricks of a part of `main` that call none of the absent functions, and return only if they may."""
        key = (part, absent, returns)
        known = self._pools.get(key)
        if known is None:
            known = [b for b in self._parts[part] if not b.uses & absent and (returns or not b.returns)]
            self._pools[key] = known
        return known

    def _shader(
        self, versions: Sequence[Version], body: Block, text: str, uses: int, threads: int, size: int
    ) -> Composition:
        arrays, head = self._declared_arrays(uses & self._all_arrays)
        variables, locals_ = self._declared_variables(uses & self._all_variables)
        main = Function("main", (), variables, body, None)
        shader = Shader(arrays, tuple([v.function for v in versions]), main, threads)
        blocks = [head] if head else []
        blocks += [v.text for v in versions]
        blocks.append(f"{_head(threads)}{locals_}{text}}}\n")
        return Composition(shader, "\n".join(blocks), size)

    def _declared_arrays(self, bits: int) -> tuple[tuple[SharedArray, ...], str]:
        known = self._arrays.get(bits)
        if known is None:
            arrays = tuple([a for a, bit in self._array_bits if bit & bits])
            known = self._arrays[bits] = arrays, text_of(array_lines(arrays))
        return known

    def _declared_variables(self, bits: int) -> tuple[tuple[Variable, ...], str]:
        known = self._variables.get(bits)
        if known is None:
            variables = tuple([v for v, bit in self._variable_bits if bit & bits])
            known = self._variables[bits] = variables, text_of([declaration(v) for v in variables])
        return known


def _picked(source: Source, pool: Sequence[Brick], size: int, first: Sequence[int] = ()) -> list[Brick]:
    """Bricks of the pool, of `size` statements or a few more, in their order; those at `first` are among them."""
    left = list(range(len(pool)))
    picked = list(first)
    for i in picked:
        left.remove(i)
        size -= pool[i].size
    while size > 0 and left:
        at = source.integer(0, len(left) - 1)
        i, left[at] = left[at], left[-1]
        left.pop()
        room = pool[i].size
        if room <= size + EXCESS or not (picked or left):
            picked.append(i)
            size -= room
    picked.sort()
    return [pool[i] for i in picked]


def _shown(source: Source, pool: Sequence[Brick]) -> list[int]:
    """For each of the idioms the places of bricks that have it, if any have."""
    places: set[int] = set()
    for idiom, most in SHOWN:
        having = [i for i, b in enumerate(pool) if idiom in b.shows]
        places.update([source.pick(having) for _ in range(most) if having])
    return sorted(places)


@lru_cache(maxsize=256)
def _head(threads: int) -> str:
    return text_of(main_head(threads))
