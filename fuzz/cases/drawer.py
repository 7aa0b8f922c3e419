"""What a campaign draws: the shader at a place of a run, how it is written, and a related one.

All of it is a pure function of (GENERATOR_VERSION, the plan, the index).
See docs/design.md, "Determinism".
"""

import random

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase, spelled_case, tiny_case
from wgsl_fuzz.fuzz.cases.plan import GROUP, Plan, shader_seed
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.constraints import CONSTRAINTS
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.choices.swarm import Swarm, draw_swarm
from wgsl_fuzz.strategies.generate.shaders import draw
from wgsl_fuzz.wgsl.spelling import NONE

RELATED_EVERY = 64
"""One shader in so many is also transformed, so that a metamorphic relation can be judged."""
TRIES = 96
"""How often a shader is drawn again that does not have what was asked for."""
TRIES_OF_A_SWARM = 4
"""After so many another swarm is drawn: one may never give what was asked for."""
SPELLED = 4
"""One shader in so many is written in surface forms, if its swarm has features."""


class Drawer:
    """Draws the shaders of a plan by their index."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.base = plan.base
        self._constraints = [CONSTRAINTS[name] for name in plan.require]
        self._swarms: dict[tuple[int, int], Swarm] = {}
        self.misses = 0
        """Shaders that do not have what was asked for, because no try had."""

    def case(self, index: int) -> ModuleCase:
        """The shader at a place of the run. No oracle has been asked about it, except for rejection sampling."""
        plan = self.plan
        wanted = self._wanted(index)
        group = index // GROUP
        for attempt in range(TRIES):
            source = RandomSource(shader_seed(plan.seed, index) + (attempt << 96))
            swarm = self.swarm(group, attempt // TRIES_OF_A_SWARM)
            spelled = plan.spelling and swarm.features != NONE and in_turn_for_forms(index)
            shader = draw(source, swarm.profile)
            seed = shader_seed(plan.seed, index)
            if spelled:
                case = spelled_case(shader, seed, plan.convergence, spelling=index, features=swarm.features)
            else:
                case = tiny_case(shader, seed, plan.convergence)
            if self._fits(case, wanted):
                return case
        self.misses += 1
        return case

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

    def _fits(self, case: ModuleCase, wanted: Verdict | None) -> bool:
        # Of the text: some spellings split a local in two.
        if self._constraints and (case.core is None or any(not c.holds(case.core) for c in self._constraints)):
            return False
        return wanted is None or case.verdict is wanted


def in_turn_for_forms(index: int) -> bool:
    """Whether a shader is written in surface forms if its swarm has features."""
    # Bits that do not tell at which multiples the places lie where other things are done (Knuth, TAOCP 6.4).
    return (index * 0x9E3779B1 >> 16) % SPELLED == 0
