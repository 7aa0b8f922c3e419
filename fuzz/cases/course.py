"""What an enumeration goes through: every shader of some families up to a size, and all that is near a given one."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate

from wgsl_fuzz.fuzz.cases.case import Case, drawn_case, key_of
from wgsl_fuzz.fuzz.cases.plan import ALL, ENUMERATED, Course, Plan
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.core import from_core
from wgsl_fuzz.strategies.choices.replay import ways
from wgsl_fuzz.strategies.edit.mutation import MUTATIONS, mutated
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES, ENUMERATION_VERSION, Family
from wgsl_fuzz.strategies.enumerate.sets import CountedSet, ListedSet, PackedSet, UnionSet
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.raising import print_core
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import Source
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


OTHERS = "the run was begun by a wgsl-fuzz that enumerates other shaders: begin again"


class ShaderSequence:
    """The shaders of families up to a size, family after family, smallest first; a number is a place in it."""

    def __init__(
        self,
        families: Sequence[Family[Shader] | Family[str]],
        most: int,
        near: Sequence[tuple[str, str]] = (),
        near_counts: Sequence[int] = (),
    ) -> None:
        """Behind the families come the neighbourhoods of texts, each with the name of its file.

        Those that were counted before are built when one of their shaders is needed.
        """
        self.near = tuple(near)
        self.families = (*families, *(family_near(name, text) for name, text in near))
        self.most = most
        counted = len(self.families) - len(near_counts)
        self._counts = (*(family.up_to(most).count for family in self.families[:counted]), *near_counts)
        self._starts = [0, *accumulate(self._counts)]
        self.count = self._starts[-1]
        self._shaders = cache(self._built)

    @classmethod
    def of(cls, course: Course) -> "ShaderSequence":
        """The shaders of a plan. KeyError for an unknown family; Problem if its numbers mean other shaders."""
        families = [ALL_FAMILIES[name] for name in course.families]
        sequence = cls(families, course.max_statements, course.near, course.near_counts)
        if course.version != ENUMERATION_VERSION or course.count != sequence.count:
            raise Problem(OTHERS)
        return sequence

    def plan(self, first: int = 0, known_first: bool = True) -> Plan:
        """The plan of a run that goes through them from `first`, asks the paper and explores what is accepted."""
        names = tuple(family.name for family in self.families if not family.name.startswith(NEAR))
        counts = self._counts[len(names) :]
        course = Course(ENUMERATION_VERSION, names, self.most, self.count, first, self.near, counts)
        return Plan(0, None, False, ENUMERATED, ALL, known_first=known_first, course=course)

    def nth(self, position: int) -> Shader | str:
        """The shader at 0 <= position < count; of the whole language its text."""
        k, index = self._find(position)
        return self._shaders(k).nth(index)

    def case(self, position: int, *, thorough: bool = False) -> Case:
        """The same, to be judged; if `thorough`, explored also if the reference accepts it."""
        shader = self.nth(position)
        if isinstance(shader, str):
            return replace(drawn_case(resolve(parse(shader)), position), thorough=thorough)
        resolution = from_core(shader)
        text = Source(lambda: print_core(resolution))
        return Case(text, resolution, seed=position, thorough=thorough, drawn=True)

    def where(self, position: int) -> tuple[str, int]:
        """Its family and its number there, which does not depend on the other families or on the bound."""
        k, number = self._find(position)
        return self.families[k].name, number

    def _built(self, k: int) -> CountedSet[Shader] | CountedSet[str]:
        """Those of one family. Raises Problem if they are others than those that were counted."""
        shaders = self.families[k].up_to(self.most)
        if shaders.count != self._counts[k]:
            raise Problem(OTHERS)
        return shaders

    def _find(self, position: int) -> tuple[int, int]:
        k = bisect_right(self._starts, position) - 1
        return k, position - self._starts[k]


class CourseGenerator:
    """The shaders of an enumeration by their place in the run, for workers of a campaign."""

    misses = 0

    def __init__(self, course: Course) -> None:
        self.faults = Counter[str]()
        self._sequence, self._first = ShaderSequence.of(course), course.first

    def cases(self, indices: Sequence[int]) -> list[Case]:
        """The shaders at some places of the run, which no oracle was asked about."""
        return [self._sequence.case(self._first + index, thorough=True) for index in indices]

    def related(self, index: int, case: Case) -> None:
        """No twin: an enumeration has every shader."""
