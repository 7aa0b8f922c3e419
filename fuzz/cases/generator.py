"""What a campaign draws: a shader for each index of a run, and a twin for some of them.

All of it is a pure function of (GENERATOR_VERSION, the plan, the index). See docs/design.md, "Determinism".
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from wgsl_fuzz.fuzz.cases.case import Case, drawn_case
from wgsl_fuzz.fuzz.cases.plan import TINY, Plan, is_sampled, shader_seed
from wgsl_fuzz.fuzz.cases.stages import ANALYSING, StageClock
from wgsl_fuzz.fuzz.internal_errors import FAULTS, described
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.relations import RelatedShader, related_shader
from wgsl_fuzz.strategies.generate.layout import draw_layout
from wgsl_fuzz.strategies.generate.motifs.modules import draw
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.problems import Source, WgslError
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Module

T = TypeVar("T")

RELATED_EVERY = 64
"""One shader in so many is also transformed, so that a metamorphic relation can be judged."""
TRIES = 96
"""The most tries for one index to draw a shader that meets the plan's constraints."""
CHECK_EVERY = 16
"""One drawn module in so many is checked for validity; the others only have their names looked up."""
LAID_OUT_EVERY = 8
"""One shader in so many is written in a drawn layout."""


# The bits of a seed: from bit 0 the index, from 40 the seed of the run (`shader_seed`); bit 95 marks a twin; from 96
# the attempt.


class CampaignGenerator:
    """Draws the shaders of a plan by their index, each in the language of its group."""

    def __init__(self, plan: Plan, clock: StageClock | None = None) -> None:
        """`clock` measures analysing."""
        self.plan = plan
        self.misses = 0
        """The number of shaders that miss the constraints after all tries, and of tries without a verdict."""
        self.faults = Counter[str]()
        """Internal errors by description."""
        self._clock = StageClock() if clock is None else clock

    def case(self, index: int) -> Case:
        """The shader at a place of the run, the last try if none has what the plan asks for.

        No oracle has been asked about it but the reference.
        """
        return self.cases((index,))[0]

    def cases(self, indices: Sequence[int]) -> list[Case]:
        """The shaders at some places, stage by stage, which takes less time than one after the other."""
        return [self._chosen(index, first) for index, first in zip(indices, self._tries(indices, 0), strict=True)]

    def _chosen(self, index: int, first: Case | None) -> Case:
        """The first try if it has what the plan asks for, else a later one."""
        found = first
        for attempt in range(1, TRIES + 1):
            if found is not None and self.plan.wanted in (None, found.verdict):
                return found
            if attempt < TRIES:
                (again,) = self._tries((index,), attempt)
                found = again or found
        assert found is not None, f"no try of {TRIES} gives a module with a verdict: {self.plan.flags()}, {index}"
        self.misses += 1
        return found

    def _tries(self, indices: Sequence[int], attempt: int) -> list[Case | None]:
        """One try at each place; None if a module has no verdict: a fault of the generator or the reference."""
        drawn = [self._guarded(partial(self._module, index, attempt)) for index in indices]
        before = self._clock.enter(ANALYSING)
        cases = [one and self._guarded(partial(self._case, *one)) for one in drawn]
        judged = [case and self._guarded(partial(_judged, case)) for case in cases]
        self._clock.enter(before)
        return judged

    def _guarded(self, stage: Callable[[], T]) -> T | None:
        """The result of a stage; None, and counted, if it fails."""
        try:
            return stage()
        except WgslError:
            pass
        except FAULTS as fault:
            self.faults[described(fault)] += 1
        self.misses += 1
        return None

    def _module(self, index: int, attempt: int) -> tuple[int, RandomSource, Module]:
        source = RandomSource(shader_seed(self.plan.seed, index) + (attempt << 96))
        return index, source, draw(source, MODULE_PROFILES[self.plan.language_of(index)])

    def _case(self, index: int, source: RandomSource, module: Module) -> Case:
        resolution = resolve(module, checked=is_sampled(index, CHECK_EVERY))
        case = drawn_case(resolution, shader_seed(self.plan.seed, index), self.plan.convergence)
        case.spelled = self.plan.language_of(index) == TINY
        if is_laid_out(index):
            case.source, case.spelled = Source(draw_layout(source, module)), True
        return case

    def related(self, index: int, case: Case) -> tuple[Case, str] | None:
        """The twin of the shader at `index`, with the relation's name; None for most indices."""
        try:
            related = self.related_module(index, case)
            if related is None:
                return None
            other = replace(drawn_case(related.resolution, case.seed, self.plan.convergence), spelled=case.spelled)
            _ = other.quick_analysis
        except (WgslError, *FAULTS) as fault:
            self.faults[described(fault)] += 1
            return None
        return other, related.relation.name

    def related_module(self, index: int, case: Case) -> RelatedShader | None:
        """The twin as a tree, with the choices that made it."""
        if not self.plan.relations or not is_sampled(index, RELATED_EVERY):
            return None
        return related_shader(case.resolution, RandomSource(shader_seed(self.plan.seed, index) + (1 << 95)))


def _judged(case: Case) -> Case:
    _ = case.quick_analysis
    return case


def is_laid_out(index: int) -> bool:
    """Whether a shader is written in a drawn layout."""
    # Hash bits that are independent of the multiples at which other samples are taken (Knuth, TAOCP 6.4).
    return (index * 0x9E3779B1 >> 16) % LAID_OUT_EVERY == 0
