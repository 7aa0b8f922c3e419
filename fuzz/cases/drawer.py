"""What a campaign draws: the shader at a place of a run, how it is written, and a related one.

All of it is a pure function of (GENERATOR_VERSION, the plan, the group's recipe, the index).
See docs/design.md, "Determinism".
"""

import random
from functools import lru_cache

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.plan import FRESH, GROUP, Plan, Recipe, is_sampled, shader_seed
from wgsl_fuzz.fuzz.cases.written import Written
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.constraints import CONSTRAINTS
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.choices.swarm import Swarm, draw_swarm
from wgsl_fuzz.strategies.edit.mutation import mutate
from wgsl_fuzz.strategies.edit.relations import RelatedShader, related
from wgsl_fuzz.strategies.generate.shaders import draw
from wgsl_fuzz.tinywgsl.ast import Shader, renumbered
from wgsl_fuzz.wgsl.reading import parse
from wgsl_fuzz.wgsl.spelling import NONE

RELATED_EVERY = 64
"""One shader in so many is also transformed, so that a metamorphic relation can be judged."""
TRIES = 96
"""How often a shader is drawn again that does not have what was asked for."""
TRIES_OF_A_SWARM = 4
"""After so many another swarm is drawn: one may never give what was asked for."""


class Drawer:
    """Draws the shaders of a plan by their index."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.base = plan.base
        self._constraints = [CONSTRAINTS[name] for name in plan.require]
        self._swarms: dict[tuple[int, int], Swarm] = {}
        self.misses = 0
        """Shaders that do not have what was asked for, because no try had."""

    def case(self, index: int, recipe: Recipe = FRESH) -> Case:
        """The shader at a place of the run. No oracle has been asked about it, except for rejection sampling."""
        plan = self.plan
        wanted = self._wanted(index)
        for attempt in range(TRIES):
            swarm = self.swarm(index // GROUP if recipe.like is None else recipe.like, attempt // TRIES_OF_A_SWARM)
            source = RandomSource(shader_seed(plan.seed, index) + (attempt << 96))
            shader = _child(recipe.parents, source) if recipe.parents and not attempt else draw(source, swarm.profile)
            written = None
            if plan.spelling and swarm.features != NONE:
                written = Written(swarm.features, index)
            case = Case(shader, shader_seed(plan.seed, index), written=written)
            if self._fits(case, wanted):
                return case
        self.misses += 1
        return case

    def related(self, index: int, case: Case) -> RelatedShader | None:
        """A transformation of the shader at a place of the run, for some of the places."""
        if not self.plan.relations or not is_sampled(index, RELATED_EVERY):
            return None
        return related(case.shader, RandomSource(shader_seed(self.plan.seed, index) + (1 << 95)))

    def swarm(self, group: int, attempt: int = 0) -> Swarm:
        """What the shaders of a group have in common."""
        if not self.base.swarm:
            return Swarm(self.base, NONE)
        known = self._swarms.get((group, attempt))
        if known is None:
            if len(self._swarms) > 64:
                self._swarms.clear()
            source = RandomSource(shader_seed(self.plan.seed, group) + (1 << 94) + (attempt << 96))
            known = self._swarms[group, attempt] = draw_swarm(source, self.base)
        return known

    def _wanted(self, index: int) -> Verdict | None:
        if self.plan.uniform is None:
            return None
        drawn = random.Random(f"{self.plan.seed}/{index}/uniform").random() * 100
        return Verdict.ACCEPTS if drawn < self.plan.uniform else Verdict.REJECTS

    def _fits(self, case: Case, wanted: Verdict | None) -> bool:
        if any(not c.holds(case.shader) for c in self._constraints):
            return False
        return wanted is None or case.verdict is wanted


def _child(parents: tuple[str, ...], source: RandomSource) -> Shader:
    """A mutation of one of the parents, with another for a donor."""
    mother, father = source.pick(parents), source.pick(parents)
    return mutate(_parsed(mother), source, _parsed(father))


@lru_cache(maxsize=256)
def _parsed(text: str) -> Shader:
    return renumbered(parse(text))
