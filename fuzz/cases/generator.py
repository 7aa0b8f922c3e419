"""What a campaign draws: shaders by their place in a run, and for some of the places a related one.

All of it is a pure function of (GENERATOR_VERSION, the plan, the index). See docs/design.md, "Determinism".
"""

import random
from collections import Counter
from dataclasses import replace

from wgsl_fuzz.fuzz.cases.case import Case, drawn_case, spelled_case, tiny_case
from wgsl_fuzz.fuzz.cases.faults import FAULTS, note_fault
from wgsl_fuzz.fuzz.cases.plan import GROUP, TINY, Plan, is_sampled, shader_seed
from wgsl_fuzz.fuzz.cases.stages import ANALYSING, PRINTING, StageClock
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.constraints import CONSTRAINTS
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.choices.swarm import Swarm, draw_swarm
from wgsl_fuzz.strategies.edit.relations import RelatedShader, related_shader
from wgsl_fuzz.strategies.generate.shaders import draw as draw_tiny
from wgsl_fuzz.strategies.modules.modules import draw
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.spelling import NONE

RELATED_EVERY = 64
"""One shader in so many is also transformed, so that a metamorphic relation can be judged."""
TRIES = 96
"""How often a shader is drawn again that does not have what was asked for."""
TRIES_OF_A_SWARM = 4
"""After so many another swarm is drawn: one may never give what was asked for."""
SPELLED = 4
"""One shader in so many is written in surface forms, if its swarm has features."""


class CampaignGenerator:
    """Draws the shaders of a plan by their index, each in the language of its group."""

    def __init__(self, plan: Plan, clock: StageClock | None = None) -> None:
        """`clock` measures printing and analysing."""
        self.plan = plan
        self.misses = 0
        """Shaders that do not have what was asked for, because no try had, and tries without a verdict."""
        self.faults = Counter[str]()
        """Internal errors, in words: each left a module out, or a question about it."""
        self._base = plan.base
        self._constraints = [CONSTRAINTS[name] for name in plan.require]
        self._swarms: dict[tuple[int, int], Swarm] = {}
        self._clock = StageClock() if clock is None else clock

    def language_of(self, index: int) -> str:
        """The language of the shader at a place of the run."""
        return self.plan.language_of(index // GROUP)

    def case(self, index: int) -> Case:
        """The shader at a place of the run. No oracle has been asked about it, except for rejection sampling."""
        language = self.language_of(index)
        if language == TINY:
            return self._tiny(index)
        for attempt in range(TRIES):
            found = self._module(language, shader_seed(self.plan.seed, index), attempt)
            if found is not None:
                return found
        raise AssertionError(f"no try of {TRIES} gives a module with a verdict: {self.plan.flags()}, {index}")

    def _tiny(self, index: int) -> Case:
        """A TinyWGSL shader with what the plan asks for; the last try if none has it."""
        plan, wanted, group = self.plan, self._wanted(index), index // GROUP
        for attempt in range(TRIES):
            source = RandomSource(shader_seed(plan.seed, index) + (attempt << 96))
            swarm = self.swarm(group, attempt // TRIES_OF_A_SWARM)
            shader, seed = draw_tiny(source, swarm.profile), shader_seed(plan.seed, index)
            if plan.spelling and swarm.features != NONE and in_turn_for_forms(index):
                case = spelled_case(shader, seed, plan.convergence, spelling=index, features=swarm.features)
            else:
                case = tiny_case(shader, seed, plan.convergence)
            if self._fits(case, wanted):
                return case
        self.misses += 1
        return case

    def swarm(self, group: int, attempt: int = 0) -> Swarm:
        """What the shaders of a group have in common."""
        if not self._base.swarm:
            return Swarm(self._base, NONE)
        known = self._swarms.get((group, attempt))
        if known is None:
            if len(self._swarms) > 64:
                self._swarms.clear()
            source = RandomSource(shader_seed(self.plan.seed, group) + (1 << 94) + (attempt << 96))
            known = self._swarms[group, attempt] = draw_swarm(source, self._base)
        return known

    def _wanted(self, index: int) -> Verdict | None:
        if self.plan.uniform is None:
            return None
        drawn = random.Random(f"{self.plan.seed}/{index}/uniform").random() * 100
        return Verdict.ACCEPTS if drawn < self.plan.uniform else Verdict.REJECTS

    def _fits(self, case: Case, wanted: Verdict | None) -> bool:
        # Of the text: some spellings split a local in two.
        if self._constraints and (case.core is None or any(not c.holds(case.core) for c in self._constraints)):
            return False
        return wanted is None or case.verdict is wanted

    def _module(self, language: str, seed: int, attempt: int) -> Case | None:
        """A try; None if it has no verdict, which is a fault of the generator or of the reference."""
        source = RandomSource(seed + (attempt << 96))
        try:
            module = draw(source, MODULE_PROFILES[language])
            drawing = self._clock.enter(ANALYSING)
            try:
                resolution = resolve(module)
                self._clock.enter(PRINTING)
                case = drawn_case(resolution, seed, self.plan.convergence)
                self._clock.enter(ANALYSING)
                _ = case.judgement
            finally:
                self._clock.enter(drawing)
        except WgslError:
            self.misses += 1
            return None
        except FAULTS as fault:
            self.misses += 1
            note_fault(self.faults, fault)
            return None
        return case

    def related(self, index: int, case: Case) -> tuple[Case, str] | None:
        """What a relation makes of the shader at a place of the run, for some of the places; and its name."""
        try:
            related = self.related_module(index, case)
            if related is None:
                return None
            other = replace(drawn_case(related.resolution, case.seed, self.plan.convergence), spelled=case.spelled)
            _ = other.judgement
        except (WgslError, *FAULTS) as fault:
            note_fault(self.faults, fault)
            return None
        return other, related.relation.name

    def related_module(self, index: int, case: Case) -> RelatedShader | None:
        """The same, with the choices that made it."""
        if not self.plan.relations or not is_sampled(index, RELATED_EVERY):
            return None
        return related_shader(case.resolution, RandomSource(shader_seed(self.plan.seed, index) + (1 << 95)))


def in_turn_for_forms(index: int) -> bool:
    """Whether a shader is written in surface forms if its swarm has features."""
    # Bits that do not tell at which multiples the places lie where other things are done (Knuth, TAOCP 6.4).
    return (index * 0x9E3779B1 >> 16) % SPELLED == 0
